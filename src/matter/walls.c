#include "matter/walls.h"

#include "base/error.h"
#include "par/parallel.h"
#include "space/box_tree.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

enum {
    MAX_CONTACTS = 16,  /* of one particle; more solids than this within h do not occur */
    CLUSTER_CHUNK = 64, /* clusters that a thread takes at a time */
    LISTS_AT_ONCE = 16, /* of chunks, when they are joined */
};

/* More than what rounding may take away. */
static const double MARGIN = 1 + 1e-6;

bool walls_init(walls *w, memory *m, double h, int threads, weir_error *error)
{
    *w = (walls){.mem = m, .h = h, .threads = threads};
    arena_pool_init(&w->pool, m);
    w->arenas = memory_take(m, (size_t)threads * sizeof *w->arenas);
    if (!w->arenas)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for contacts");
    for (int t = 0; t < threads; t++)
        arena_init(&w->arenas[t], &w->pool);
    return true;
}

void walls_free(walls *w)
{
    if (!w->mem)
        return;
    memory_give(w->mem, w->spans, w->span_capacity * sizeof *w->spans);
    memory_give(w->mem, w->touching, w->touching_capacity * sizeof *w->touching);
    memory_give(w->mem, w->found, w->found_capacity * sizeof *w->found);
    memory_give(w->mem, w->found_counts, w->found_count_capacity * sizeof *w->found_counts);
    memory_give(w->mem, w->reaches, w->reach_capacity * sizeof *w->reaches);
    memory_give(w->mem, w->near_chunk, w->near_chunk_capacity * sizeof *w->near_chunk);
    memory_give(w->mem, w->arenas, (size_t)w->threads * sizeof *w->arenas);
    arena_pool_free(&w->pool);
    *w = (walls){0};
}

vec3 walls_nearest_image(const neighbours *near, vec3 to, vec3 point)
{
    double *offset[3] = {&point.x, &point.y, &point.z};
    const double centre[3] = {to.x, to.y, to.z};
    assert(near->dim <= 3);
    for (int a = 0; a < near->dim; a++)
        if (near->axis[a].periodic)
            *offset[a] -=
                near->axis[a].period * floor((*offset[a] - centre[a]) / near->axis[a].period + 0.5);
    return point;
}

typedef struct wall_job {
    walls *walls;
    const particles *p;
    const neighbours *near;
    const body *bodies;
    size_t body_count;
    _Atomic size_t contact_count;
    atomic_bool failed;
} wall_job;

static vec3 particle_position(const particles *p, size_t i)
{
    return (vec3){p->x[0][i], p->x[1][i], p->dim == 3 ? p->x[2][i] : 0};
}

/* Where particles may be within h of a body: everywhere if it has no end, or many images, or
 * distances that may be too small; nowhere if fluid does not meet it. */
static bounds find_reach(double h, const neighbours *near, const body *b)
{
    const bounds nowhere = bounds_nowhere(), everywhere = {nowhere.hi, nowhere.lo};
    if (!b->alive || (b->by_contact && !b->map))
        return nowhere;
    if (near->periodic || !b->bounded || !shape_is_exact_outside(b->shape))
        return everywhere;
    bounds box = body_world_bounds(b);
    h *= MARGIN;
    double z = near->dim == 3 ? h : INFINITY;
    return (bounds){{box.lo.x - h, box.lo.y - h, box.lo.z - z},
                    {box.hi.x + h, box.hi.y + h, box.hi.z + z}};
}

/* Where they are not, though the body lies around them: the middle of a tank that stands upright.
 */
static bounds find_hollow(double h, const neighbours *near, const body *b)
{
    quat q = b->pose.rotation;
    if (!b->alive || near->periodic || b->bounded || q.x != 0 || q.y != 0 || q.z != 0)
        return bounds_nowhere();
    bounds box = shape_hollow(b->shape);
    vec3 at = b->pose.position;
    h *= MARGIN;
    return (bounds){{box.lo.x + at.x + h, box.lo.y + at.y + h, box.lo.z + at.z + h},
                    {box.hi.x + at.x - h, box.hi.y + at.y - h, box.hi.z + at.z - h}};
}

static inline void find_ends(const float *x, uint32_t count, float *lo, float *hi)
{
    *lo = *hi = x[0];
    for (uint32_t k = 1; k < count; k++) {
        *lo = x[k] < *lo ? x[k] : *lo;
        *hi = x[k] > *hi ? x[k] : *hi;
    }
}

static bounds find_box(const particles *p, const cluster *c)
{
    float lo[3] = {0, 0, 0}, hi[3] = {0, 0, 0};
    assert(p->dim <= 3);
    for (int a = 0; a < p->dim; a++) {
        const float *x = p->x[a] + c->first;
        if (c->count == CLUSTER_SIZE) /* nearly always: a loop of known length */
            find_ends(x, CLUSTER_SIZE, &lo[a], &hi[a]);
        else
            find_ends(x, c->count, &lo[a], &hi[a]);
    }
    return (bounds){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

/* Whether a body's distance says that it does not come within h of a cluster: it changes by no more
 * than the way from the centre of the box, so that one look there decides. Apart, so that roots are
 * not taken for clusters that boxes leave out. */
static __attribute__((noinline)) bool is_clear(const wall_job *job, const body *b,
                                               const bounds *box)
{
    vec3 centre = vec3_scale(vec3_add(box->lo, box->hi), 0.5);
    double within = vec3_length(vec3_sub(box->hi, centre)) + job->walls->h * MARGIN;
    return !(shape_distance(b->shape, walls_local_point(job->near, b, centre), NULL) < within);
}

/* The clusters of a chunk with their boxes, and the bodies that may come near any of them, so that
 * not every cluster is compared with every body of the world. */
typedef struct wall_chunk {
    const cluster *clusters;
    size_t cluster_count;
    bounds boxes[CLUSTER_CHUNK];
    uint32_t *bodies; /* in order */
    size_t body_count;
} wall_chunk;

static bool may_meet(const wall_reach *reach, const bounds *box)
{
    return bounds_overlap(&reach->within, box) && !bounds_hold(&reach->hollow, box);
}

static void begin_chunk(const wall_job *job, wall_chunk *chunk, size_t begin, size_t end,
                        int thread)
{
    bounds all = bounds_nowhere();
    chunk->clusters = job->near->clusters + begin;
    chunk->cluster_count = end - begin;
    for (size_t k = 0; k < chunk->cluster_count; k++) {
        chunk->boxes[k] = find_box(job->p, &chunk->clusters[k]);
        all = bounds_join(all, chunk->boxes[k]);
    }
    chunk->bodies = job->walls->near_chunk + (size_t)thread * job->body_count;
    chunk->body_count = 0;
    for (size_t b = 0; b < job->body_count; b++)
        if (may_meet(&job->walls->reaches[b], &all))
            chunk->bodies[chunk->body_count++] = (uint32_t)b;
}

/* Lists the bodies that come within h of a cluster. Boxes leave out what is far away. */
static int find_bodies(const wall_job *job, const wall_chunk *chunk, size_t k,
                       uint32_t found[MAX_CONTACTS])
{
    int count = 0;
    const bounds *box = &chunk->boxes[k];
    for (size_t n = 0; n < chunk->body_count && count < MAX_CONTACTS; n++) {
        uint32_t b = chunk->bodies[n];
        if (may_meet(&job->walls->reaches[b], box) && !is_clear(job, &job->bodies[b], box))
            found[count++] = b;
    }
    return count;
}

static bool is_still(const body *b)
{
    return vec3_dot(b->velocity, b->velocity) == 0 && vec3_dot(b->spin, b->spin) == 0;
}

static bool touch(const wall_job *job, uint32_t index, vec3 point, wall_contact *contact)
{
    const body *b = &job->bodies[index];
    vec3 local = walls_local_point(job->near, b, point), normal, gradient = {0, 0, 0};
    double distance = shape_distance(b->shape, local, &normal);
    if (!(distance < job->walls->h))
        return false;
    double volume = b->map ? boundary_volume(b->map, local, &gradient) : 0;
    normal = quat_rotate(b->pose.rotation, normal);
    gradient = quat_rotate(b->pose.rotation, gradient);
    vec3 velocity = {0, 0, 0};
    if (!is_still(b))
        velocity = body_velocity_at(b, pose_point(b->pose, local));
    *contact = (wall_contact){
        .body = index,
        .distance = (float)distance,
        .normal = {(float)normal.x, (float)normal.y, (float)normal.z},
        .volume = (float)volume,
        .gradient = {(float)gradient.x, (float)gradient.y, (float)gradient.z},
        .velocity = {(float)velocity.x, (float)velocity.y, (float)velocity.z},
    };
    return true;
}

/* Adds the volume of a body that is met at contacts alone. */
static void fill_by(const wall_job *job, const body *b, vec3 point, wall_span *span)
{
    vec3 local = walls_local_point(job->near, b, point);
    if (shape_distance(b->shape, local, NULL) < job->walls->h)
        span->filled += (1 - span->filled) * (float)boundary_volume(b->map, local, NULL);
}

/* Combines several solids: 1 − B of all is the product of each, and
 * each gradient is weighed by the share that the others leave. */
static float combine(wall_contact *contacts, uint32_t count, float filled)
{
    float left[MAX_CONTACTS];
    float product = 1 - filled;
    for (uint32_t k = 0; k < count; k++)
        product *= 1 - contacts[k].volume;
    for (uint32_t k = 0; k < count; k++) {
        left[k] = 1 - filled;
        for (uint32_t other = 0; other < count; other++)
            if (other != k)
                left[k] *= 1 - contacts[other].volume;
    }
    for (uint32_t k = 0; k < count; k++)
        for (int a = 0; a < 3; a++)
            contacts[k].gradient[a] *= left[k];
    return 1 - product;
}

/* The solids among `bodies` that are within h of a particle; room for all of them is reserved in
 * `list`. */
static wall_span find_span(const wall_job *job, vec3 point, const uint32_t *bodies, int count,
                           wall_contact *list)
{
    wall_span span = {.contacts = NULL};
    for (int b = 0; b < count; b++)
        if (job->bodies[bodies[b]].by_contact)
            fill_by(job, &job->bodies[bodies[b]], point, &span);
        else if (touch(job, bodies[b], point, &list[span.count]))
            span.count++;
    span.volume = span.filled;
    if (span.count > 0) {
        span.volume = combine(list, span.count, span.filled);
        span.contacts = list;
    }
    return span;
}

/* Lists the particles that solids reach from `found` on; returns where the list ends. */
static uint32_t *find_in_cluster(wall_job *job, const wall_chunk *chunk, size_t k, arena *a,
                                 uint32_t *found, size_t *total)
{
    uint32_t bodies[MAX_CONTACTS];
    const cluster *c = &chunk->clusters[k];
    int count = find_bodies(job, chunk, k, bodies);
    wall_contact *list = NULL;
    if (count > 0 && !(list = arena_reserve(a, c->count * (size_t)count * sizeof *list)))
        atomic_store(&job->failed, true);
    if (!list) {
        memset(job->walls->spans + c->first, 0, c->count * sizeof *job->walls->spans);
        return found;
    }
    size_t contacts = 0;
    for (uint32_t i = c->first; i < c->first + c->count; i++) {
        vec3 point = particle_position(job->p, i);
        wall_span span = find_span(job, point, bodies, count, list + contacts);
        contacts += span.count;
        job->walls->spans[i] = span;
        *found = i;
        found += span.count > 0 || span.volume != 0;
    }
    arena_commit(a, contacts * sizeof *list);
    *total += contacts;
    return found;
}

static void find_in_clusters(void *context, size_t begin, size_t end, int thread)
{
    wall_job *job = context;
    walls *w = job->walls;
    wall_chunk chunk;
    size_t total = 0;
    uint32_t *first = w->found + job->near->clusters[begin].first, *found = first;
    begin_chunk(job, &chunk, begin, end, thread);
    for (size_t k = 0; k < chunk.cluster_count; k++)
        found = find_in_cluster(job, &chunk, k, &w->arenas[thread], found, &total);
    w->found_counts[begin / CLUSTER_CHUNK] = (size_t)(found - first);
    atomic_fetch_add_explicit(&job->contact_count, total, memory_order_relaxed);
}

static void copy_lists(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const wall_job *job = context;
    walls *w = job->walls;
    for (size_t k = begin; k < end; k++) {
        size_t to = w->found_counts[k], count = w->found_counts[k + 1] - to;
        const uint32_t *from = w->found + job->near->clusters[k * CLUSTER_CHUNK].first;
        memcpy(w->touching + to, from, count * sizeof *from);
    }
}

/* Puts the lists of the chunks one behind the other. Counts become places. */
static void join_lists(wall_job *job, size_t chunks)
{
    walls *w = job->walls;
    w->touching_count = 0;
    for (size_t k = 0; k < chunks; k++) {
        size_t here = w->found_counts[k];
        w->found_counts[k] = w->touching_count;
        w->touching_count += here;
    }
    w->found_counts[chunks] = w->touching_count;
    parallel_for(w->threads, chunks, LISTS_AT_ONCE, copy_lists, job);
}

static bool reserve(walls *w, size_t count, size_t chunks, size_t bodies)
{
    return memory_grow(w->mem, (void **)&w->spans, &w->span_capacity, count + PARTICLE_PADDING, 0,
                       sizeof *w->spans) &&
           memory_grow(w->mem, (void **)&w->touching, &w->touching_capacity, count, 0,
                       sizeof *w->touching) &&
           memory_grow(w->mem, (void **)&w->found, &w->found_capacity, count, 0,
                       sizeof *w->found) &&
           memory_grow(w->mem, (void **)&w->found_counts, &w->found_count_capacity, chunks + 1, 0,
                       sizeof *w->found_counts) &&
           memory_grow(w->mem, (void **)&w->reaches, &w->reach_capacity, bodies, 0,
                       sizeof *w->reaches) &&
           memory_grow(w->mem, (void **)&w->near_chunk, &w->near_chunk_capacity,
                       (size_t)w->threads * bodies, 0, sizeof *w->near_chunk);
}

bool walls_find(walls *w, const particles *p, const neighbours *near, const body *bodies,
                size_t body_count, weir_error *error)
{
    size_t chunks = (near->cluster_count + CLUSTER_CHUNK - 1) / CLUSTER_CHUNK;
    if (!reserve(w, p->count, chunks, body_count))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the contacts of %zu particles",
                    p->count);
    arenas_reset(w->arenas, w->threads);
    for (size_t k = 0; k < body_count; k++)
        w->reaches[k] =
            (wall_reach){find_reach(w->h, near, &bodies[k]), find_hollow(w->h, near, &bodies[k])};
    wall_job job = {.walls = w, .p = p, .near = near, .bodies = bodies, .body_count = body_count};
    parallel_for(w->threads, near->cluster_count, CLUSTER_CHUNK, find_in_clusters, &job);
    join_lists(&job, chunks);
    w->contact_count = atomic_load(&job.contact_count);
    if (atomic_load(&job.failed))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the contacts of %zu particles",
                    p->count);
    return true;
}

size_t walls_first_touching(const walls *w, size_t particle)
{
    size_t lo = 0, hi = w->touching_count;
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        if (w->touching[middle] < particle)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}
