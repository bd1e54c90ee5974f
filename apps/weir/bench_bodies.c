/* Bodies alone, as other engines were measured on: a pyramid at rest in 2D, and a pile in 3D. One
 * thread, steps of 1/60 s. */
#include "bench_scene.h"

#include "base/error.h"

#include <math.h>

static const double frame = 1.0 / 60; /* s */

static weir_body_id add_body(weir_world *world, weir_shape_kind kind, double half, weir_vec3 at,
                             weir_error *error)
{
    weir_body_def def = weir_body_def_default();
    def.kind = WEIR_BODY_DYNAMIC;
    def.shape.kind = kind;
    def.shape.half_extents = (weir_vec3){half, half, half};
    def.shape.radius = half;
    def.density = 1000;
    def.pose.position = at;
    return weir_body_create(world, &def, error);
}

static weir_world *open_world(const bench_options *o, int dim, double spacing, weir_error *error)
{
    weir_world_def def = weir_world_def_default();
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.dim = dim;
    def.spacing = spacing;
    def.threads = 1;
    def.simd = o->simd;
    return weir_world_create(&def, error);
}

/* Of a run of frames: the time of all and of the dearest one, and the deepest overlap that any of
 * them ended with. */
typedef struct frame_record {
    double total, worst; /* s */
    double overlap;      /* m; bodies are of 1 m */
} frame_record;

static double find_overlap(const weir_world *world)
{
    enum { MOST = 1 << 15 };
    static weir_contact contacts[MOST];
    size_t count = weir_world_get_contacts(world, contacts, MOST);
    double overlap = 0;
    for (size_t k = 0; k < count && k < MOST; k++)
        overlap = fmax(overlap, -contacts[k].distance);
    return overlap;
}

static bool step_frames(weir_world *world, int count, frame_record *record, weir_error *error)
{
    for (int k = 0; k < count; k++) {
        double begun = bench_now();
        if (weir_world_step(world, frame, error) & WEIR_STEP_FAILED)
            return false;
        double took = bench_now() - begun;
        record->total += took;
        record->worst = fmax(record->worst, took);
        record->overlap = fmax(record->overlap, find_overlap(world));
    }
    return true;
}

static void add_row(bench_table *t, size_t bodies, int frames, const frame_record *record,
                    double shift, double substeps)
{
    double total = record->total, worst = record->worst;
    static const char *const names[] = {
        "bodies",      "threads",  "simulated_s",       "wall_s",        "wall_per_simulated_s",
        "ms_per_step", "worst_ms", "substeps_per_step", "largest_shift", "deepest_overlap"};
    const double values[] = {
        (double)bodies,       1,           frames * frame,    total, total / (frames * frame),
        1e3 * total / frames, 1e3 * worst, substeps / frames, shift, record->overlap};
    t->columns = sizeof values / sizeof values[0];
    for (int k = 0; k < t->columns; k++) {
        t->groups[k] = NULL;
        t->names[k] = names[k];
        t->values[t->rows][k] = values[k];
    }
    t->rows++;
}

static double substeps_of(weir_world *world)
{
    return (double)weir_world_get_statistics(world).substeps;
}

/* 45 rows of boxes of a metre. Boxes that have come to rest sleep and cost nothing, so the time is
 * that of the frames before: the first half second. The shift is of the apex, in boxes. */
bool bench_peer_pyramid(const bench_options *o, bench_table *t, weir_error *error)
{
    int rows = o->quick ? 15 : 45, frames = o->seconds > 0 ? (int)ceil(o->seconds / frame) : 30;
    weir_world *world = open_world(o, 2, 0.1, error);
    if (!world)
        return false;
    bool ok = bench_add_tank(world, (weir_vec3){400, 400, 1}, error);
    weir_body_id apex = {0};
    size_t bodies = 0;
    for (int row = 0; ok && row < rows; row++)
        for (int k = 0; ok && k < rows - row; k++, bodies++) {
            double x = 200 + (k - 0.5 * (rows - row - 1)) * 1.1;
            apex = add_body(world, WEIR_SHAPE_BOX, 0.5, (weir_vec3){x, row + 0.5, 0}, error);
            ok = apex.slot != 0;
        }
    frame_record record = {0};
    ok = ok && step_frames(world, frames, &record, error);
    weir_body_state now;
    if (ok) {
        weir_body_get_state(world, apex, &now);
        add_row(t, bodies, frames, &record, fabs(now.pose.position.y - (rows - 0.5)),
                substeps_of(world));
    }
    weir_world_destroy(world);
    return ok;
}

/* 5 × 5 columns of 20 bodies, each a little off, fall into a box and come to rest: 3 s. */
static bool run_pile(const bench_options *o, weir_shape_kind kind, bench_table *t,
                     weir_error *error)
{
    int layers = o->quick ? 4 : 20, frames = o->seconds > 0 ? (int)ceil(o->seconds / frame) : 180;
    weir_world *world = open_world(o, 3, 0.1, error);
    if (!world)
        return false;
    bool ok = bench_add_tank(world, (weir_vec3){8, 60, 8}, error);
    uint32_t noise = 1;
    size_t bodies = 0;
    for (int y = 0; ok && y < layers; y++)
        for (int k = 0; ok && k < 25; k++, bodies++) {
            double off[2];
            for (int a = 0; a < 2; a++) {
                noise = noise * 1664525u + 1013904223u;
                off[a] = 0.2 * ((double)noise / 4294967296.0 - 0.5);
            }
            weir_vec3 at = {1.6 + 1.2 * (k % 5) + off[0], 0.6 + 1.2 * y,
                            1.6 + 1.2 * (k / 5) + off[1]};
            ok = add_body(world, kind, 0.5, at, error).slot != 0;
        }
    frame_record record = {0};
    ok = ok && step_frames(world, frames, &record, error);
    if (ok)
        add_row(t, bodies, frames, &record, 0, substeps_of(world));
    weir_world_destroy(world);
    return ok;
}

bool bench_peer_pile(const bench_options *o, bench_table *t, weir_error *error)
{
    return run_pile(o, WEIR_SHAPE_BOX, t, error) && run_pile(o, WEIR_SHAPE_SPHERE, t, error);
}
