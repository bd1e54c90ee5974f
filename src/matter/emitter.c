#include "matter/emitter.h"

#include "base/error.h"
#include "par/parallel.h"
#include "space/box_tree.h"

#include <string.h>

enum { MAX_SITES = 100000000 }; /* of one layer */

static bool schedule_init(schedule *s, memory *m, const weir_interval *intervals, size_t count,
                          weir_error *error)
{
    *s = (schedule){NULL, 0};
    for (size_t k = 0; k < count; k++)
        if (!(intervals[k].end > intervals[k].start))
            return fail(error, WEIR_INVALID,
                        "schedule interval %zu ends at %g s, not after its start at %g s", k,
                        intervals[k].end, intervals[k].start);
    if (count == 0)
        return true;
    s->intervals = memory_take(m, count * sizeof *intervals);
    if (!s->intervals)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for a schedule of %zu intervals", count);
    memcpy(s->intervals, intervals, count * sizeof *intervals);
    s->count = count;
    return true;
}

static void schedule_free(schedule *s, memory *m)
{
    memory_give(m, s->intervals, s->count * sizeof *s->intervals);
    *s = (schedule){NULL, 0};
}

static bool schedule_is_on(const schedule *s, double time)
{
    for (size_t k = 0; k < s->count; k++)
        if (time >= s->intervals[k].start && time < s->intervals[k].end)
            return true;
    return s->count == 0;
}

/* A unit vector across `direction`, as near to `wish` as can be. */
static vec3 across(vec3 direction, vec3 wish)
{
    vec3 part = vec3_madd(wish, -vec3_dot(wish, direction), direction);
    if (vec3_length(part) > 1e-6 * vec3_length(wish))
        return vec3_unit(part, wish);
    vec3 other = fabs(direction.x) < 0.9 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    return vec3_unit(vec3_madd(other, -vec3_dot(other, direction), direction), other);
}

static int count_across(double half, double spacing)
{
    int count = (int)floor(2 * half / spacing + 1e-9);
    return count > 0 ? count : 1;
}

static void lay_nozzle(emitter *e, const weir_emitter_def *def, const flow *f)
{
    bool slot = f->dim == 2;
    bool circle = def->nozzle == WEIR_NOZZLE_CIRCLE;
    e->up = slot ? (vec3){0, 0, 1} : across(e->direction, def->up);
    e->side = vec3_cross(e->up, e->direction);
    e->half_width = circle ? def->radius : def->half_width;
    e->half_height = slot ? f->spacing / 2 : circle ? def->radius : def->half_height;
    e->round = circle && !slot;
}

/* The sites of one layer: a square lattice in the nozzle, centred. */
static size_t lay_sites(const emitter *e, double spacing, vec3 *sites)
{
    int columns = count_across(e->half_width, spacing);
    int rows = count_across(e->half_height, spacing);
    size_t count = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            double u = (c - (columns - 1) / 2.0) * spacing;
            double w = (r - (rows - 1) / 2.0) * spacing;
            if (!emitter_nozzle_holds(e, u, w))
                continue;
            if (sites)
                sites[count] = vec3_add(vec3_scale(e->side, u), vec3_scale(e->up, w));
            count++;
        }
    return count;
}

static double nozzle_area(const weir_emitter_def *def, int dim)
{
    bool circle = def->nozzle == WEIR_NOZZLE_CIRCLE;
    if (dim == 2)
        return 2 * (circle ? def->radius : def->half_width);
    return circle ? 3.14159265358979323846 * def->radius * def->radius
                  : 4 * def->half_width * def->half_height;
}

static bool check_nozzle(const weir_emitter_def *def, int dim, double spacing, weir_error *error)
{
    if ((unsigned)def->nozzle > WEIR_NOZZLE_RECTANGLE)
        return fail(error, WEIR_INVALID, "nozzle: %d is not one of the nozzles", (int)def->nozzle);
    bool circle = def->nozzle == WEIR_NOZZLE_CIRCLE;
    if (circle && !(def->radius > 0 && isfinite(def->radius)))
        return fail(error, WEIR_INVALID, "a nozzle radius of %g m is not allowed: must be > 0",
                    def->radius);
    if (!circle && !(def->half_width > 0 && (dim == 2 || def->half_height > 0) &&
                     isfinite(def->half_width + def->half_height)))
        return fail(error, WEIR_INVALID,
                    "a nozzle of %g by %g m (half sizes) is not allowed: both must be > 0",
                    def->half_width, def->half_height);
    double width = 2 * (circle ? def->radius : def->half_width) / spacing;
    double height = dim == 2 ? 1 : 2 * (circle ? def->radius : def->half_height) / spacing;
    if (width * height > MAX_SITES)
        return fail(error, WEIR_INVALID,
                    "a nozzle of %g by %g m gives %.3g particles at once: at most %d are allowed",
                    width * spacing, height * spacing, width * height, MAX_SITES);
    return true;
}

static bool check_emitter(const weir_emitter_def *def, int dim, weir_error *error)
{
    vec3 direction = def->direction;
    if (!vec3_is_finite(direction) ||
        !(hypot(direction.x, direction.y) > 0 || (dim == 3 && direction.z != 0)))
        return fail(error, WEIR_INVALID, "the direction of an emitter must have a length");
    if (!vec3_is_finite(def->position) || !vec3_is_finite(def->up))
        return fail(error, WEIR_INVALID, "position and up of an emitter must be finite");
    if (!(def->speed >= 0 && def->flow_rate >= 0 && def->speed + def->flow_rate > 0 &&
          isfinite(def->speed + def->flow_rate)))
        return fail(error, WEIR_INVALID,
                    "an emitter needs a speed (%g m/s) or a flow_rate (%g m3/s) > 0", def->speed,
                    def->flow_rate);
    if (!(def->max_volume >= 0))
        return fail(error, WEIR_INVALID, "a max_volume of %g m3 is not allowed: must be >= 0",
                    def->max_volume);
    return true;
}

bool emitter_init(emitter *e, flow *f, const weir_emitter_def *def, int fluid_index,
                  weir_error *error)
{
    *e = (emitter){.fluid = fluid_index, .position = def->position};
    if (!check_nozzle(def, f->dim, f->spacing, error) || !check_emitter(def, f->dim, error))
        return false;
    strncpy(e->name, def->name ? def->name : "emitter", NAME_LENGTH - 1);
    e->direction =
        vec3_unit((vec3){def->direction.x, def->direction.y, f->dim == 3 ? def->direction.z : 0},
                  def->direction);
    e->max_volume = def->max_volume;
    lay_nozzle(e, def, f);
    e->site_count = lay_sites(e, f->spacing, NULL);
    e->sites = memory_take(f->mem, e->site_count * sizeof *e->sites);
    if (!e->sites ||
        !schedule_init(&e->schedule, f->mem, def->schedule, def->schedule_count, error)) {
        bool no_memory = !e->sites;
        emitter_free(e, f->mem);
        return no_memory ? fail(error, WEIR_OUT_OF_MEMORY,
                                "no memory for the %zu sites of emitter"
                                " %s",
                                e->site_count, e->name)
                         : false;
    }
    lay_sites(e, f->spacing, e->sites);
    double area = nozzle_area(def, f->dim);
    double flow_rate = def->flow_rate > 0 ? def->flow_rate : def->speed * area;
    e->speed = def->speed > 0 ? def->speed : flow_rate / area;
    /* The lattice rarely fills the nozzle exactly; the rate of layers makes the flow right. */
    e->layer_rate = flow_rate / ((double)e->site_count * f->volume);
    e->phase = 1;
    return true;
}

void emitter_free(emitter *e, memory *m)
{
    memory_give(m, e->sites, e->site_count * sizeof *e->sites);
    schedule_free(&e->schedule, m);
    e->sites = NULL;
    e->site_count = 0;
}

bool sink_init(sink *s, flow *f, const weir_sink_def *def, weir_error *error)
{
    *s = (sink){.max_volume = def->max_volume};
    strncpy(s->name, def->name ? def->name : "sink", NAME_LENGTH - 1);
    if (!(def->max_volume >= 0))
        return fail(error, WEIR_INVALID, "a max_volume of %g m3 is not allowed: must be >= 0",
                    def->max_volume);
    s->shape = shape_create(f->mem, &def->shape, f->dim, error);
    if (!s->shape)
        return false;
    if (!schedule_init(&s->schedule, f->mem, def->schedule, def->schedule_count, error)) {
        sink_free(s, f->mem);
        return false;
    }
    return true;
}

void sink_free(sink *s, memory *m)
{
    if (s->shape)
        shape_destroy(m, s->shape);
    schedule_free(&s->schedule, m);
    s->shape = NULL;
}

/* The solid that a place lies deepest in; -1 where it is free, or on a surface to rounding. */
static int covering_body(const flow *f, vec3 place, double *depth)
{
    int found = -1;
    *depth = 1e-6 * f->spacing;
    for (size_t k = 0; k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        if (!b->alive)
            continue;
        double d = -shape_distance(b->shape, walls_local_point(&f->near, b, place), NULL);
        if (d > *depth) {
            *depth = d;
            found = (int)k;
        }
    }
    return found;
}

size_t emitter_covered(const emitter *e, const flow *f, emitter_cover *deepest)
{
    size_t count = 0;
    *deepest = (emitter_cover){.body = -1};
    for (size_t k = 0; k < e->site_count; k++) {
        double depth;
        vec3 at = vec3_add(e->position, e->sites[k]);
        int by = covering_body(f, at, &depth);
        if (by >= 0 && depth > deepest->depth)
            *deepest = (emitter_cover){by, depth, at};
        count += by >= 0;
    }
    return count;
}

static void place_particle(const emitter *e, flow *f, vec3 at)
{
    size_t i = particles_append(&f->p, 1);
    for (int a = 0; a < f->dim; a++) {
        f->p.x[a][i] = (float)vec3_part(at, a);
        f->p.v[a][i] = (float)(vec3_part(e->direction, a) * e->speed);
    }
    f->p.fluid[i] = (uint8_t)e->fluid;
}

/* Particles inside of a solid would be thrown out of it; its places give none. Returns how many
 * there is room for. */
static size_t place_layer(const emitter *e, flow *f, double travelled)
{
    size_t count = 0;
    vec3 base = vec3_madd(e->position, travelled, e->direction);
    for (size_t k = 0; k < e->site_count; k++) {
        double depth;
        vec3 at = vec3_add(base, e->sites[k]);
        if (covering_body(f, at, &depth) >= 0)
            continue;
        place_particle(e, f, at);
        count++;
    }
    return count;
}

static bool is_used_up(const emitter *e, const flow *f)
{
    double volume = (double)(e->emitted + e->site_count) * f->volume;
    return e->max_volume > 0 && volume > e->max_volume * (1 + 1e-9);
}

/* Four layers: particles at the speed of the jet limit the step further, so that this one holds
 * only while none is there. */
double emitter_step_limit(const emitter *e, const flow *f, double time)
{
    if (!schedule_is_on(&e->schedule, time) || is_used_up(e, f))
        return INFINITY;
    return 4 / e->layer_rate;
}

bool emitter_run(emitter *e, flow *f, double time, double dt, size_t max_particles,
                 emitter_trouble *trouble, weir_error *error)
{
    if (!schedule_is_on(&e->schedule, time))
        return true;
    while (e->phase >= 1) {
        if (is_used_up(e, f))
            return true;
        if (max_particles > 0 && f->p.total + e->site_count > max_particles) {
            trouble->full = true;
            e->phase = 1; /* ready at once when there is room again */
            return true;
        }
        if (!particles_reserve(&f->p, f->mem, f->p.total + e->site_count))
            return fail(error, WEIR_OUT_OF_MEMORY, "no memory for more particles than %zu",
                        f->p.total);
        size_t placed = place_layer(e, f, (e->phase - 1) / e->layer_rate * e->speed);
        trouble->covered = trouble->covered || placed < e->site_count;
        if (placed == 0) {
            e->phase = 1; /* what a shut nozzle holds back is one layer */
            return true;
        }
        e->phase -= 1;
        e->emitted += placed;
    }
    emitter_drive(e, f);
    double due = e->layer_rate * dt;
    if (!(due <= EMITTER_MOST_LAYERS))
        return fail(error, WEIR_UNSTABLE,
                    "emitter %s would give %.3g layers in one substep of %g s: at most %d are "
                    "allowed; use a smaller time step, or leave the substeps to Weir (0)",
                    e->name, due, dt, EMITTER_MOST_LAYERS);
    e->phase += due;
    return true;
}

typedef struct sink_job {
    const sink *sink;
    const flow *f;
    bounds box; /* of the sink */
    uint8_t *marks;
} sink_job;

static void mark_inside(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sink_job *job = context;
    double margin = 1e-6 * job->f->spacing; /* more than what rounding may take away */
    for (size_t i = begin; i < end; i++) {
        vec3 at = flow_position(job->f, i);
        job->marks[i] = bounds_distance2(&job->box, at) < margin * margin &&
                        shape_distance(job->sink->shape, at, NULL) < 0;
    }
}

/* How many more particles a sink may take. */
static uint64_t find_room(const sink *s, const flow *f)
{
    if (!(s->max_volume > 0))
        return UINT64_MAX;
    uint64_t most = (uint64_t)(s->max_volume / f->volume + 1e-9);
    return most > s->removed ? most - s->removed : 0;
}

bool sink_takes(const sink *s, const flow *f, double time)
{
    return schedule_is_on(&s->schedule, time) && find_room(s, f) > 0;
}

void sinks_run(sink *sinks, int count, flow *f, double time, uint8_t *marks)
{
    for (int k = 0; k < count; k++) {
        sink *s = &sinks[k];
        if (!schedule_is_on(&s->schedule, time) || f->p.count == 0)
            continue;
        sink_job job = {s, f, shape_bounds(s->shape), marks};
        parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, mark_inside, &job);
        uint64_t room = find_room(s, f), taken = 0;
        for (size_t i = 0; i < f->p.count; i++) {
            if (marks[i] && taken >= room)
                marks[i] = 0;
            taken += marks[i];
        }
        if (taken > 0)
            particles_compact(&f->p, marks);
        s->removed += taken;
    }
}
