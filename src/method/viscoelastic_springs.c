/* A step of all springs: each particle adjusts its own list. */
#include "method/viscoelastic_springs.h"

#include "lanes/level.h"
#include "method/viscoelastic_springs_store.h"
#include "par/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>

typedef struct spring_job {
    springs *s;
    const flow *f;
    const spring_law *law;
    spring_constants constants;
    spring_pass pass;
    float dt, h, reach2;
    bool periodic;
    float half[3], period[3]; /* m; of axes that repeat */
    float *const *start;
    const float *mass;
    float *const *shift;
    bool starting;  /* the first step: every pair gets a spring */
    bool rewriting; /* lists are copied, so that they may grow */
    _Atomic size_t ends, changed;
    atomic_bool failed;
} spring_job;

static void gather_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const spring_job *job = context;
    const flow *f = job->f;
    for (size_t i = begin; i < end; i++) {
        spring_end *point = &job->s->points[i];
        *point = (spring_end){.mass = job->mass ? job->mass[i] : 1};
        for (int a = 0; a < f->dim; a++) {
            point->at[a] = f->p.x[a][i] + job->dt * job->shift[a][i];
            point->start[a] = job->start[a][i];
        }
    }
}

/* From j to i, by the shortest way round; the negative from i to j, bit for bit. `periodic` is a
 * constant of the caller. */
static inline float find_offset(const spring_job *job, float x_i, float x_j, int a, bool periodic)
{
    float r = x_i - x_j;
    if (!periodic)
        return r;
    if (r > job->half[a])
        return r - job->period[a];
    return r < -job->half[a] ? r + job->period[a] : r;
}

/* Takes up to a batch of springs whose partners still exist; returns how many it has seen. */
static inline uint32_t load_batch(const spring_job *job, const spring_end *me, const spring *items,
                                  uint32_t count, spring_batch *b, bool periodic)
{
    const springs *s = job->s;
    uint32_t seen = 0, taken = 0;
    for (; seen < count && taken < SPRING_BATCH; seen++) {
        size_t slot = (size_t)items[seen].partner - s->base; /* far out for those before the base */
        uint32_t j = slot < s->range ? s->place[slot] : SPRING_NOWHERE;
        if (j == SPRING_NOWHERE)
            continue;
        const spring_end *other = &s->points[j];
        for (int a = 0; a < 3; a++) {
            b->offset[a][taken] = find_offset(job, me->at[a], other->at[a], a, periodic);
            b->line[a][taken] = find_offset(job, me->start[a], other->start[a], a, periodic);
        }
        b->partner[taken] = items[seen].partner;
        b->place[taken] = j;
        b->length[taken] = items[seen].length;
        b->share[taken++] = other->mass / (me->mass + other->mass);
    }
    b->count = taken;
    return seen;
}

/* Writes what stays of the old springs of i to `to`, which may be where they are. */
static uint32_t keep_springs(const spring_job *job, size_t i, const spring_span *old, spring *to,
                             uint8_t *marks, float sum[3])
{
    const spring_end *me = &job->s->points[i];
    spring_batch b;
    uint32_t kept = 0;
    for (uint32_t at = 0; at < old->count;) {
        const spring *from = old->items + at;
        at += job->periodic ? load_batch(job, me, from, old->count - at, &b, true)
                            : load_batch(job, me, from, old->count - at, &b, false);
        job->pass(&b, &job->constants);
        for (uint32_t k = 0; k < b.count; k++) {
            if (b.length[k] > job->h)
                continue;
            for (int a = 0; a < 3; a++)
                sum[a] += b.strength[k] * b.line[a][k];
            if (marks)
                marks[b.place[k]] = 1;
            to[kept++] = (spring){b.partner[k], b.length[k]};
        }
    }
    return kept;
}

/* Adds springs to the neighbours of i that have none yet. They are judged where the search found
 * them: pairs that come near by the moves since then may stand in the list of one side only. */
static inline uint32_t add_springs(const spring_job *job, size_t i, const cluster *c, spring *to,
                                   uint32_t count, const uint8_t *marks, bool periodic)
{
    const flow *f = job->f;
    bool as_it_is = job->starting && !job->law->start_at_range;
    for (uint32_t g = 0; g < c->span_count; g++) {
        const candidate_span *span = &c->spans[g];
        for (uint32_t n = 0; n < span->count; n++) {
            size_t j = span->candidates[n];
            if (marks[j])
                continue;
            float r2 = 0;
            for (int a = 0; a < f->dim; a++) {
                float r = find_offset(job, f->p.x[a][i], f->p.x[a][j], a, periodic);
                r2 += r * r;
            }
            if (r2 < job->reach2 && j != i)
                to[count++] = (spring){f->p.id[j], as_it_is ? sqrtf(r2) : job->h};
        }
    }
    return count;
}

static void unmark(const spring_job *job, const spring *items, uint32_t count, uint8_t *marks)
{
    for (uint32_t k = 0; k < count; k++)
        marks[job->s->place[items[k].partner - job->s->base]] = 0;
}

/* Adjusts the list of i; returns how many ends were made or removed. */
static size_t run_particle(spring_job *job, size_t i, const cluster *c, size_t candidates,
                           int thread, float sum[3])
{
    springs *s = job->s;
    spring_span *list = &s->spans[job->f->p.id[i] - s->base];
    if (!job->rewriting) {
        uint32_t before = list->count;
        list->count = keep_springs(job, i, list, list->items, NULL, sum);
        return before - list->count;
    }
    arena *room = springs_side_arena(s, 1 - s->side, thread);
    uint8_t *marks = s->marks + (size_t)thread * job->f->p.count;
    spring *to = arena_reserve(room, (list->count + candidates) * sizeof *to);
    if (!to) {
        atomic_store(&job->failed, true);
        *list = (spring_span){NULL, 0};
        return 0;
    }
    uint32_t kept = keep_springs(job, i, list, to, marks, sum);
    uint32_t count = job->periodic ? add_springs(job, i, c, to, kept, marks, true)
                                   : add_springs(job, i, c, to, kept, marks, false);
    unmark(job, to, kept, marks);
    size_t changed = (list->count - kept) + (count - kept);
    arena_commit(room, count * sizeof *to);
    *list = (spring_span){to, count};
    return changed;
}

static void run_chunk(void *context, size_t begin, size_t end, int thread)
{
    spring_job *job = context;
    const flow *f = job->f;
    size_t ends = 0, changed = 0;
    assert(f->dim <= 3);
    for (size_t k = begin; k < end; k++) {
        const cluster *c = &f->near.clusters[k];
        size_t candidates = 0;
        for (uint32_t g = 0; g < c->span_count; g++)
            candidates += c->spans[g].count;
        for (size_t i = c->first; i < c->first + c->count; i++) {
            float sum[3] = {0, 0, 0};
            changed += run_particle(job, i, c, candidates, thread, sum);
            ends += job->s->spans[f->p.id[i] - job->s->base].count;
            for (int a = 0; a < f->dim; a++)
                job->shift[a][i] = job->dt * job->shift[a][i] + sum[a];
        }
    }
    atomic_fetch_add_explicit(&job->ends, ends, memory_order_relaxed);
    atomic_fetch_add_explicit(&job->changed, changed, memory_order_relaxed);
}

bool springs_run(springs *s, const flow *f, const spring_law *law, double dt, float *const start[3],
                 const float *mass, float *const shift[3])
{
    static const spring_pass *const levels[] = LANE_TABLE(spring_pass_);
    size_t count = f->p.count;
    if (!springs_fit_window(s, f) ||
        !memory_grow(s->mem, (void **)&s->points, &s->point_capacity, count, 0,
                     sizeof *s->points) ||
        !memory_grow(s->mem, (void **)&s->marks, &s->mark_capacity, (size_t)s->threads * count,
                     s->mark_capacity, 1))
        return false;
    /* Slightly less than h: every list of candidates holds these, from both ends. */
    float reach = (float)(f->h * (1 - 1e-6));
    spring_job job = {.s = s,
                      .f = f,
                      .law = law,
                      .constants = {.pull = (float)(dt * dt * law->stiffness),
                                    .stretch = (float)(dt * law->stretch_rate),
                                    .compress = (float)(dt * law->compress_rate),
                                    .stretch_yield = (float)law->stretch_yield,
                                    .compress_yield = (float)law->compress_yield,
                                    .inv_h = (float)(1 / f->h)},
                      .pass = *levels[f->level],
                      .dt = (float)dt,
                      .h = (float)f->h,
                      .reach2 = reach * reach,
                      .start = start,
                      .mass = mass,
                      .shift = shift,
                      .starting = !s->started,
                      .rewriting = !s->started || law->growth};
    for (int a = 0; a < 3; a++) {
        bool periodic = a < f->dim && f->period[a].enabled;
        job.periodic = job.periodic || periodic;
        job.period[a] = periodic ? (float)(f->period[a].hi - f->period[a].lo) : 0;
        job.half[a] = periodic ? job.period[a] / 2 : INFINITY;
    }
    parallel_for(s->threads, count, PARTICLE_GRAIN, gather_chunk, &job);
    if (job.rewriting)
        springs_reset_side(s, 1 - s->side);
    parallel_for(s->threads, f->near.cluster_count, CLUSTER_GRAIN, run_chunk, &job);
    if (job.rewriting)
        s->side = 1 - s->side;
    s->started = true;
    s->ends = atomic_load(&job.ends);
    s->changed = atomic_load(&job.changed);
    return !atomic_load(&job.failed);
}
