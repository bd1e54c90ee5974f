#include "matter/asleep.h"

#include "par/parallel.h"

#include <math.h>
#include <string.h>

/* Cells, in kernel radii: what comes within a radius, and goes half a radius in a substep, is in
 * the cell of a sleeping particle or in one next to it. */
static const double EDGE = 1.5;

void asleep_free(asleep_memory *s, memory *m)
{
    memory_give(m, s->pools, s->pool_capacity * sizeof *s->pools);
    memory_give(m, s->cells, s->cell_capacity * sizeof *s->cells);
    memory_give(m, s->slots, s->slot_capacity * sizeof *s->slots);
    memory_give(m, s->runs, s->run_capacity * sizeof *s->runs);
    memory_give(m, s->places, s->place_capacity * sizeof *s->places);
    memory_give(m, s->run_of, s->run_of_capacity * sizeof *s->run_of);
    *s = (asleep_memory){0};
}

/* --------------------------------------------------------------------- cells */

static void set_cells(asleep_memory *s, const flow *f)
{
    for (int a = 0; a < 3; a++) {
        s->edge[a] = EDGE * f->h;
        s->period[a] = 0;
        if (a >= f->dim || !f->period[a].enabled)
            continue;
        double length = f->period[a].hi - f->period[a].lo;
        s->period[a] = (int64_t)fmax(floor(length / s->edge[a]), 1);
        s->edge[a] = length / (double)s->period[a];
    }
}

static int32_t wrap(const asleep_memory *s, int axis, int64_t at)
{
    int64_t period = s->period[axis];
    return (int32_t)(period > 0 ? (at % period + period) % period : at);
}

static void find_cell(const asleep_memory *s, const flow *f, const double x[3], int32_t at[3])
{
    for (int a = 0; a < 3; a++) {
        double from = s->period[a] > 0 ? f->period[a].lo : 0;
        double cell = a < f->dim ? floor((x[a] - from) / s->edge[a]) : 0;
        at[a] = wrap(s, a, (int64_t)fmax(fmin(cell, 1e9), -1e9));
    }
}

static size_t find_slot(const asleep_memory *s, const int32_t at[3])
{
    uint64_t key = (uint64_t)(uint32_t)at[0] * 0x9E3779B185EBCA87u ^
                   (uint64_t)(uint32_t)at[1] * 0xC2B2AE3D27D4EB4Fu ^
                   (uint64_t)(uint32_t)at[2] * 0x165667B19E3779F9u;
    size_t k = (key ^ key >> 32) & (s->slot_count - 1);
    while (s->slots[k] != 0) {
        const asleep_cell *c = &s->cells[s->slots[k] - 1];
        if (c->at[0] == at[0] && c->at[1] == at[1] && c->at[2] == at[2])
            break;
        k = (k + 1) & (s->slot_count - 1);
    }
    return k;
}

static const asleep_cell *look_up(const asleep_memory *s, const int32_t at[3])
{
    uint32_t found = s->slot_count > 0 ? s->slots[find_slot(s, at)] : 0;
    return found > 0 ? &s->cells[found - 1] : NULL;
}

static bool grow_slots(asleep_memory *s, memory *m)
{
    enum { LEAST = 1024 };
    if (s->slot_count >= 2 * (s->cell_count + 1))
        return true;
    size_t slots = s->slot_count > 0 ? 2 * s->slot_count : LEAST;
    if (!memory_grow(m, (void **)&s->slots, &s->slot_capacity, slots, 0, sizeof *s->slots))
        return false;
    memset(s->slots, 0, slots * sizeof *s->slots);
    s->slot_count = slots;
    for (size_t k = 0; k < s->cell_count; k++)
        s->slots[find_slot(s, s->cells[k].at)] = (uint32_t)k + 1;
    return true;
}

/* The number of a cell, which is made where there is none; ASLEEP_NONE: no memory. */
static uint32_t make_cell(asleep_memory *s, memory *m, const int32_t at[3])
{
    if (!grow_slots(s, m))
        return ASLEEP_NONE;
    size_t slot = find_slot(s, at);
    if (s->slots[slot] > 0)
        return s->slots[slot] - 1;
    if (!memory_grow(m, (void **)&s->cells, &s->cell_capacity, s->cell_count + 1, s->cell_count,
                     sizeof *s->cells))
        return ASLEEP_NONE;
    s->cells[s->cell_count] = (asleep_cell){{at[0], at[1], at[2]}, ASLEEP_NONE};
    s->slots[slot] = (uint32_t)++s->cell_count;
    return s->slots[slot] - 1;
}

/* Those around a cell and itself, in one order: of 9 (2D) or 27 (3D) the k-th. */
static void step_cell(const asleep_memory *s, const int32_t from[3], int k, int32_t at[3])
{
    const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 % 3 - 1};
    for (int a = 0; a < 3; a++)
        at[a] = wrap(s, a, (int64_t)from[a] + step[a]);
}

enum { AROUND_FROM_2D = 9, AROUND_TO_2D = 18, AROUND_TO_3D = 27 };

/* ------------------------------------------------------------------- adding */

uint32_t asleep_next_number(const asleep_memory *s, uint32_t from)
{
    while (from <= s->pool_count && s->pools[from - 1].asleep)
        from++;
    return from;
}

double asleep_depth(const asleep_memory *s, const flow *f)
{
    double deepest = 0;
    for (size_t k = 0; k < s->pool_count; k++)
        if (s->pools[k].asleep)
            deepest = fmax(deepest, s->pools[k].bottom - s->pools[k].top + f->spacing);
    return deepest;
}

static bool add_pool(asleep_memory *s, memory *m, uint32_t pool)
{
    if (!memory_grow(m, (void **)&s->pools, &s->pool_capacity, pool, s->pool_count,
                     sizeof *s->pools))
        return false;
    if (s->pool_count < pool)
        s->pool_count = pool;
    asleep_pool *added = &s->pools[pool - 1];
    if (added->asleep)
        return true;
    added->asleep = true;
    atomic_store(&added->wakes, false);
    added->stamp = ++s->stamp;
    added->count = 0;
    added->lo = (vec3){INFINITY, INFINITY, INFINITY};
    added->hi = (vec3){-INFINITY, -INFINITY, -INFINITY};
    added->top = INFINITY;
    added->bottom = -INFINITY;
    return true;
}

/* The run of a pool in a cell, of those that are being made; made where there is none. */
static uint32_t make_run(asleep_memory *s, memory *m, uint32_t cell, uint32_t pool, bool solid)
{
    uint32_t stamp = s->pools[pool - 1].stamp, k = s->cells[cell].first;
    /* One that was filled before cannot grow. */
    while (k != ASLEEP_NONE && k >= s->newest_run && s->runs[k].stamp != stamp)
        k = s->runs[k].next;
    if (k != ASLEEP_NONE && k >= s->newest_run)
        return k;
    if (!memory_grow(m, (void **)&s->runs, &s->run_capacity, s->run_count + 1, s->run_count,
                     sizeof *s->runs))
        return ASLEEP_NONE;
    k = (uint32_t)s->run_count++;
    s->runs[k] = (asleep_run){pool, stamp, solid, 0, 0, cell, s->cells[cell].first};
    s->cells[cell].first = k;
    return k;
}

/* Cells next to those of the runs from `first` on, so that one look tells what is near nothing. */
static bool make_cells_around(asleep_memory *s, memory *m, int dim, size_t first)
{
    int begin = dim == 2 ? AROUND_FROM_2D : 0, end = dim == 2 ? AROUND_TO_2D : AROUND_TO_3D;
    for (size_t r = first; r < s->run_count; r++)
        for (int k = begin; k < end; k++) {
            int32_t at[3];
            step_cell(s, s->cells[s->runs[r].cell].at, k, at);
            if (make_cell(s, m, at) == ASLEEP_NONE)
                return false;
        }
    return true;
}

static void widen(asleep_pool *pool, vec3 x)
{
    pool->count++;
    pool->lo = (vec3){fmin(pool->lo.x, x.x), fmin(pool->lo.y, x.y), fmin(pool->lo.z, x.z)};
    pool->hi = (vec3){fmax(pool->hi.x, x.x), fmax(pool->hi.y, x.y), fmax(pool->hi.z, x.z)};
}

/* What is added: particles of the arrays from `begin` on, or the surface of a body. */
typedef struct asleep_source {
    const flow *f;
    size_t begin, count;
    const body *b; /* NULL = particles */
} asleep_source;

static vec3 source_place(const asleep_source *from, size_t k)
{
    if (!from->b)
        return flow_position(from->f, from->begin + k);
    return pose_point(from->b->pose, from->b->skin.points[k].position);
}

static uint32_t source_pool(const asleep_source *from, size_t k)
{
    return from->b ? from->b->pool : from->f->p.pool[from->begin + k];
}

/* Finds the runs of the places and counts them. */
static bool count_places(asleep_memory *s, const asleep_source *from)
{
    const flow *f = from->f;
    vec3 down = vec3_unit(f->force, (vec3){0, 0, 0});
    for (size_t k = 0; k < from->count; k++) {
        vec3 x = source_place(from, k);
        uint32_t number = source_pool(from, k);
        int32_t at[3];
        find_cell(s, f, (double[3]){x.x, x.y, x.z}, at);
        if (!add_pool(s, f->mem, number))
            return false;
        uint32_t cell = make_cell(s, f->mem, at);
        uint32_t run =
            cell == ASLEEP_NONE ? ASLEEP_NONE : make_run(s, f->mem, cell, number, from->b != NULL);
        if (run == ASLEEP_NONE)
            return false;
        s->runs[run].count++;
        s->run_of[k] = run;
        asleep_pool *pool = &s->pools[number - 1];
        widen(pool, x);
        pool->top = from->b ? pool->top : fmin(pool->top, vec3_dot(x, down));
        pool->bottom = from->b ? pool->bottom : fmax(pool->bottom, vec3_dot(x, down));
    }
    return true;
}

static bool add_places(asleep_memory *s, const asleep_source *from)
{
    const flow *f = from->f;
    s->newest_run = s->run_count;
    set_cells(s, f);
    if (!memory_grow(f->mem, (void **)&s->places, &s->place_capacity, s->place_count + from->count,
                     s->place_count, sizeof *s->places) ||
        !memory_grow(f->mem, (void **)&s->run_of, &s->run_of_capacity, from->count, 0,
                     sizeof *s->run_of) ||
        !count_places(s, from))
        return false;
    size_t place = s->place_count;
    for (size_t k = s->newest_run; k < s->run_count; k++) {
        s->runs[k].begin = (uint32_t)place;
        place += s->runs[k].count;
        s->runs[k].count = 0;
    }
    for (size_t k = 0; k < from->count; k++) {
        asleep_run *run = &s->runs[s->run_of[k]];
        vec3 x = source_place(from, k);
        float *to = s->places[run->begin + run->count++];
        to[0] = (float)x.x;
        to[1] = (float)x.y;
        to[2] = (float)x.z;
    }
    s->place_count = place;
    return make_cells_around(s, f->mem, f->dim, s->newest_run);
}

bool asleep_add(asleep_memory *s, const flow *f, size_t begin, size_t end)
{
    return add_places(s, &(asleep_source){f, begin, end - begin, NULL});
}

bool asleep_add_body(asleep_memory *s, const flow *f, const body *b)
{
    return add_places(s, &(asleep_source){f, 0, b->skin.count, b});
}

void asleep_forget(asleep_memory *s, uint32_t pool)
{
    s->pools[pool - 1].asleep = false;
    atomic_store(&s->pools[pool - 1].wakes, false);
    s->gone += s->pools[pool - 1].count;
}

bool asleep_is_stale(const asleep_memory *s)
{
    return s->gone > s->place_count / 2;
}

bool asleep_rebuild(asleep_memory *s, const flow *f)
{
    for (size_t k = 0; k < s->pool_count; k++)
        s->pools[k].asleep = false;
    if (s->slot_count > 0)
        memset(s->slots, 0, s->slot_count * sizeof *s->slots);
    s->cell_count = s->run_count = s->place_count = s->gone = 0;
    bool ok = asleep_add(s, f, f->p.count, f->p.total);
    for (size_t k = 0; ok && k < f->body_count; k++) {
        uint32_t pool = f->bodies[k].pool;
        /* A state that was restored may say anything. */
        if (pool > 0 && pool <= s->pool_count && s->pools[pool - 1].asleep)
            ok = asleep_add_body(s, f, &f->bodies[k]);
    }
    return ok;
}

/* ------------------------------------------------------------------- finding */

static bool is_asleep(const asleep_memory *s, const asleep_run *run)
{
    const asleep_pool *pool = &s->pools[run->pool - 1];
    return pool->asleep && pool->stamp == run->stamp;
}

static void mark(asleep_memory *s, uint32_t pool)
{
    atomic_store_explicit(&s->pools[pool - 1].wakes, true, memory_order_relaxed);
}

static bool is_marked(const asleep_memory *s, uint32_t pool)
{
    return atomic_load_explicit(&s->pools[pool - 1].wakes, memory_order_relaxed);
}

static double find_distance2(const flow *f, const double x[3], const float place[3])
{
    double sum = 0;
    for (int a = 0; a < f->dim; a++) {
        double r = x[a] - place[a];
        if (f->period[a].enabled) {
            double length = f->period[a].hi - f->period[a].lo;
            r -= length * floor(r / length + 0.5);
        }
        sum += r * r;
    }
    return sum;
}

typedef struct fluid_visit {
    asleep_memory *s;
    const flow *f;
    double dt;
    vec3 lo, hi; /* box around all that sleeps, grown */
} fluid_visit;

static void visit_cell(const fluid_visit *v, const asleep_cell *c, const double x[3], double way)
{
    const flow *f = v->f;
    for (uint32_t k = c->first; k != ASLEEP_NONE; k = v->s->runs[k].next) {
        const asleep_run *run = &v->s->runs[k];
        if (!is_asleep(v->s, run) || is_marked(v->s, run->pool))
            continue;
        /* Bodies reach farther, and more than half a spacing lies between the places on them. */
        double reach = way + (run->solid ? f->h + 0.75 * f->spacing : f->near.h);
        reach = fmin(reach, EDGE * f->h);
        for (uint32_t n = run->begin; n < run->begin + run->count; n++)
            if (find_distance2(f, x, v->s->places[n]) < reach * reach) {
                mark(v->s, run->pool);
                break;
            }
    }
}

static void visit_around(const fluid_visit *v, const asleep_cell *own, const double x[3],
                         double way)
{
    bool flat = v->f->dim == 2;
    for (int k = flat ? AROUND_FROM_2D : 0; k < (flat ? AROUND_TO_2D : AROUND_TO_3D); k++) {
        int32_t at[3];
        step_cell(v->s, own->at, k, at);
        const asleep_cell *c = look_up(v->s, at);
        if (c)
            visit_cell(v, c, x, way);
    }
}

static void visit_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const fluid_visit *v = context;
    const flow *f = v->f;
    for (size_t i = begin; i < end; i++) {
        vec3 at = flow_position(f, i), speed = flow_velocity(f, i);
        if (at.x < v->lo.x || at.x > v->hi.x || at.y < v->lo.y || at.y > v->hi.y ||
            at.z < v->lo.z || at.z > v->hi.z)
            continue;
        const double x[3] = {at.x, at.y, at.z};
        int32_t cell[3];
        find_cell(v->s, f, x, cell);
        const asleep_cell *own = look_up(v->s, cell);
        if (!own)
            continue;
        double way = v->dt * (vec3_length(speed) + v->dt * vec3_length(f->force));
        visit_around(v, own, x, way);
    }
}

void asleep_mark_near_fluid(asleep_memory *s, flow *f, double dt)
{
    vec3 lo = {INFINITY, INFINITY, INFINITY}, hi = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t k = 0; k < s->pool_count; k++) {
        const asleep_pool *p = &s->pools[k];
        if (!p->asleep)
            continue;
        lo = (vec3){fmin(lo.x, p->lo.x), fmin(lo.y, p->lo.y), fmin(lo.z, p->lo.z)};
        hi = (vec3){fmax(hi.x, p->hi.x), fmax(hi.y, p->hi.y), fmax(hi.z, p->hi.z)};
    }
    double grow = f->near.periodic ? INFINITY : EDGE * f->h;
    fluid_visit v = {
        s, f, dt, {lo.x - grow, lo.y - grow, lo.z - grow}, {hi.x + grow, hi.y + grow, hi.z + grow}};
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, visit_chunk, &v);
}

/* ------------------------------------------------------------------ visitors */

/* Whether a ball around the box of a pool is near at all. */
static bool may_reach(const asleep_pool *pool, const asleep_visitor *v)
{
    vec3 middle = vec3_scale(vec3_add(pool->lo, pool->hi), 0.5);
    double radius = vec3_length(vec3_sub(pool->hi, middle));
    return v->distance(v->context, middle) < v->within + radius;
}

static void visit_places(asleep_memory *s, const asleep_cell *c, const asleep_visitor *v)
{
    for (uint32_t k = c->first; k != ASLEEP_NONE; k = s->runs[k].next) {
        const asleep_run *run = &s->runs[k];
        if (!is_asleep(s, run) || is_marked(s, run->pool))
            continue;
        for (uint32_t n = run->begin; n < run->begin + run->count; n++) {
            const float *x = s->places[n];
            if (v->distance(v->context, (vec3){x[0], x[1], x[2]}) < v->within) {
                mark(s, run->pool);
                break;
            }
        }
    }
}

/* How many cells the visitor's box covers, from `lo` to `hi`; more than there are where it has no
 * end, or where axes are periodic and cells are counted round. */
static double find_range(const asleep_memory *s, const flow *f, const asleep_visitor *v,
                         int64_t lo[3], int64_t hi[3])
{
    const double from[3] = {v->box.lo.x, v->box.lo.y, v->box.lo.z};
    const double to[3] = {v->box.hi.x, v->box.hi.y, v->box.hi.z};
    double cells = f->near.periodic ? INFINITY : 1;
    for (int a = 0; a < 3; a++) {
        double first = a < f->dim ? floor((from[a] - v->within) / s->edge[a]) : 0;
        double last = a < f->dim ? floor((to[a] + v->within) / s->edge[a]) : 0;
        cells *= last - first + 1;
        lo[a] = (int64_t)fmax(fmin(first, 1e9), -1e9);
        hi[a] = (int64_t)fmax(fmin(last, 1e9), -1e9);
    }
    return cells;
}

void asleep_mark_near(asleep_memory *s, const flow *f, const asleep_visitor *v)
{
    bool any = false;
    for (size_t k = 0; k < s->pool_count && !any; k++)
        any = s->pools[k].asleep && (f->near.periodic || may_reach(&s->pools[k], v));
    if (!any)
        return;
    int64_t lo[3], hi[3];
    if (!(find_range(s, f, v, lo, hi) < (double)s->cell_count)) {
        for (size_t k = 0; k < s->cell_count; k++)
            visit_places(s, &s->cells[k], v);
        return;
    }
    for (int64_t z = lo[2]; z <= hi[2]; z++)
        for (int64_t y = lo[1]; y <= hi[1]; y++)
            for (int64_t x = lo[0]; x <= hi[0]; x++) {
                const asleep_cell *c = look_up(s, (int32_t[3]){(int32_t)x, (int32_t)y, (int32_t)z});
                if (c)
                    visit_places(s, c, v);
            }
}
