/* Emitters give particles in layers that keep the rest spacing; sinks take them away. */
#ifndef WEIR_MATTER_EMITTER_H
#define WEIR_MATTER_EMITTER_H

#include "matter/flow.h"

/* When something runs: at any time, or in given intervals. */
typedef struct schedule {
    weir_interval *intervals;
    size_t count;
} schedule;

typedef struct emitter {
    char name[NAME_LENGTH];
    int fluid;
    vec3 position, direction;
    double speed;                   /* m/s of the jet */
    double layer_rate;              /* layers per second */
    vec3 side, up;                  /* unit vectors across the direction */
    double half_width, half_height; /* m along these */
    bool round;                     /* a circle of half_width in 3D */
    vec3 *sites;                    /* of one layer, relative to the position */
    size_t site_count;
    schedule schedule;
    double max_volume;

    /* state */
    double phase; /* layers that are due: one leaves the nozzle when it reaches 1; below
                     1 + EMITTER_MOST_LAYERS */
    uint64_t emitted;
} emitter;

typedef struct sink {
    char name[NAME_LENGTH];
    shape *shape;
    schedule schedule;
    double max_volume;

    /* state */
    uint64_t removed;
} sink;

bool emitter_init(emitter *e, flow *f, const weir_emitter_def *def, int fluid_index,
                  weir_error *error);
void emitter_free(emitter *e, memory *m);
bool sink_init(sink *s, flow *f, const weir_sink_def *def, weir_error *error);
void sink_free(sink *s, memory *m);

/* The layers that may fall due within one substep; with more, a step fails. So a step that is far
 * too long, or a state that says so, does not fill the memory. */
enum { EMITTER_MOST_LAYERS = 1000 };

/* The longest substep for the layers to come one by one, more or less; INFINITY where it gives none
 * at this time. */
double emitter_step_limit(const emitter *e, const flow *f, double time);

/* What kept particles back. */
typedef struct emitter_trouble {
    bool full;    /* max_particles */
    bool covered; /* a solid in the nozzle */
} emitter_trouble;

/* Gives the layers that fell due until `time`, each where it has moved to since and without what
 * would lie inside of solids, and lets dt pass. `max_particles` 0 = no limit. Sets what holds of
 * `trouble`. */
bool emitter_run(emitter *e, flow *f, double time, double dt, size_t max_particles,
                 emitter_trouble *trouble, weir_error *error);

/* Gives the speed of the jet to what lies before the nozzle. */
void emitter_drive(const emitter *e, flow *f);

/* Whether a place lies in the nozzle: u along its side, w along its up. */
static inline bool emitter_nozzle_holds(const emitter *e, double u, double w)
{
    return e->round ? u * u + w * w <= e->half_width * e->half_width
                    : fabs(u) <= e->half_width && fabs(w) <= e->half_height;
}

/* A place of the nozzle inside of a solid. */
typedef struct emitter_cover {
    int body;     /* index; -1 = none */
    double depth; /* m */
    vec3 place;
} emitter_cover;

/* How many places of the nozzle lie inside of solids now, and the one that lies deepest. */
size_t emitter_covered(const emitter *e, const flow *f, emitter_cover *deepest);

/* Whether a sink takes what enters it now. */
bool sink_takes(const sink *s, const flow *f, double time);
/* Removes what is inside of any sink and awake: sinks wake what sleeps in them. `marks` has a byte
 * per particle. */
void sinks_run(sink *sinks, int count, flow *f, double time, uint8_t *marks);

#endif
