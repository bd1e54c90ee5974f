/* Everything that a world holds, grouped by the stage that writes it. */
#ifndef WEIR_WORLD_STATE_H
#define WEIR_WORLD_STATE_H

#include "couple/contact_lcp.h"
#include "couple/contact_rows.h"
#include "couple/crowd.h"
#include "couple/film.h"
#include "couple/joint.h"
#include "couple/rest.h"
#include "matter/depth.h"
#include "matter/emitter.h"
#include "method/method.h"
#include "world/events.h"
#include "world/profile.h"
#include "world/sleep.h"

typedef struct probe {
    char name[NAME_LENGTH];
    weir_probe_kind kind;
    vec3 position, normal;
    double radius;

    /* state, of flow probes */
    double crossed; /* m³ in this step, along the normal minus against it */
    double rate;    /* m³/s, mean over the last step */
} probe;

/* A parameter of the method that changes at a time. */
typedef struct scheduled_change {
    double time; /* s */
    int parameter;
    double value;
} scheduled_change;

struct weir_world {
    /* constants, set at creation */
    weir_world_def def;
    memory mem;
    const method *method;

    /* matter, grown by the create functions */
    flow flow;            /* fluids, particles, neighbour lists, contacts */
    size_t body_capacity; /* of flow.bodies */
    joint *joints;
    size_t joint_count, joint_capacity;
    emitter *emitters;
    size_t emitter_count, emitter_capacity;
    sink *sinks;
    size_t sink_count, sink_capacity;
    probe *probes;
    size_t probe_count, probe_capacity;
    depth_memory depth;
    bool prepared; /* the method has derived its parameters; after the first step begins */

    /* parameters that change, by time; those before `schedule_done` have happened */
    scheduled_change *schedule;
    size_t schedule_count, schedule_capacity;
    uint64_t schedule_done;

    /* rows of contacts, joints and motors, rebuilt every substep; multipliers of the last one */
    row_system system;
    film film;
    contact_lcp coupling;    /* of worlds that couple by contacts */
    contact_memory contacts; /* impulses by contact, for the next substep */
    crowd crowd;             /* of many bodies without rows */
    rest_memory rest;
    sleep_memory sleep; /* of worlds whose fluid sleeps */
    mechanism mechanism;
    uint64_t iterations; /* of all solves so far */

    /* what the host was told of, and whether a step is under way */
    uint32_t told; /* flags of steps */
    bool stepping;

    /* clock, written at the end of a substep */
    double time; /* s */
    uint64_t steps, substeps;
    double last_substep; /* s */

    /* scratch of the stages */
    uint8_t *marks; /* a byte per particle */
    size_t mark_capacity;
    float *before[3]; /* positions before a substep, for flow probes */
    size_t before_capacity;

    profile profile;

    /* what the last step brought, of worlds that ask for it */
    event_log events;

    uint64_t fingerprint; /* hash of all that was defined */
    double *packed;       /* scalar state as one array, between get_sections and restore_finish */
    size_t packed_capacity;
};

/* Whether fluid and bodies meet at contacts alone. */
static inline bool world_is_by_contact(const weir_world *w)
{
    return w->def.coupling.mode != WEIR_COUPLING_BOUNDARY_VOLUME;
}

/* Mixes a definition into the fingerprint. */
void world_note_definition(weir_world *w, const void *bytes, size_t count);
void world_note_shape(weir_world *w, const weir_shape_def *shape);
void world_note_world(weir_world *w);

/* The index of a fluid, or an error for ids that are null or of another world. */
bool world_find_fluid(const weir_world *w, weir_fluid_id id, int *index, weir_error *error);

void world_free_body(weir_world *w, body *b);

/* Derives what depends on everything that was created; before the first step. */
bool world_prepare(weir_world *w, weir_error *error);
/* The part of it for worlds that couple by contacts; needs the reference speed. */
bool world_prepare_coupling(weir_world *w, weir_error *error);

/* The longest substep that fluid and bodies bear now. */
weir_step_limit world_find_limit(const weir_world *w);

/* Makes the changes of parameters whose time has come. */
bool world_apply_schedule(weir_world *w, weir_error *error);

/* Wakes all fluid that sleeps; or what lies within the reach of a body, as before it is destroyed.
 */
void world_wake_fluid(weir_world *w);
void world_wake_near_body(weir_world *w, const body *b);
/* Takes over which particles sleep, once the arrays have been restored. */
bool sleep_restore(weir_world *w, weir_error *error);

/* Largest and mean speed of the particles, into flow.speed_max and flow.speed_rms. */
void world_measure_speed(weir_world *w);

/* The first particle, in order of ids, whose state is not finite; SIZE_MAX when all are. */
size_t world_find_not_finite(const weir_world *w);

#endif
