#include "couple/meeting.h"

#include "base/error.h"
#include "par/parallel.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

/* --------------------------------------------------------------------- set-up */

static double body_reach(const meeting_finder *m, const body *b)
{
    return m->radius + m->margin + b->stick_distance;
}

/* Spheres are about a spacing apart, two radii: the nearest one of a place at the surface is not
 * farther than that along it. */
static double skin_reach(const meeting_finder *m, const flow *f, const body *b)
{
    double along = fmax(2 * m->radius, f->spacing), out = body_reach(m, b);
    return sqrt(along * along + out * out);
}

bool meeting_finder_init(meeting_finder *m, flow *f, double radius, weir_error *error)
{
    *m = (meeting_finder){.mem = f->mem, .radius = radius, .margin = 0.5 * radius};
    m->threads = f->threads;
    arena_pool_init(&m->pool, f->mem);
    size_t count = f->body_count;
    m->skins = memory_take(f->mem, count * sizeof *m->skins);
    m->arenas = memory_take(f->mem, (size_t)m->threads * sizeof *m->arenas);
    bool ok = m->arenas && (m->skins || count == 0);
    for (int t = 0; ok && t < m->threads; t++)
        arena_init(&m->arenas[t], &m->pool);
    for (size_t k = 0; ok && k < count; k++) {
        const body *b = &f->bodies[k];
        m->skin_count = k + 1;
        ok = !body_has_mass(b) ||
             skin_cells_create(&m->skins[k], f->mem, &b->skin, skin_reach(m, f, b));
    }
    m->skin_count = m->skins ? count : 0;
    ok =
        ok &&
        (count == 0 ||
         (memory_grow(f->mem, (void **)&m->ahead, &m->ahead_capacity, count, 0, sizeof *m->ahead) &&
          memory_grow(f->mem, (void **)&m->boxes, &m->box_capacity, count, 0, sizeof *m->boxes)));
    return ok || fail(error, WEIR_OUT_OF_MEMORY, "no memory for the spheres of %zu bodies", count);
}

void meeting_finder_free(meeting_finder *m)
{
    if (!m->mem)
        return;
    for (size_t k = 0; k < m->skin_count; k++)
        if (m->skins[k].start)
            skin_cells_destroy(&m->skins[k], m->mem);
    memory_give(m->mem, m->skins, m->skin_count * sizeof *m->skins);
    memory_give(m->mem, m->ahead, m->ahead_capacity * sizeof *m->ahead);
    memory_give(m->mem, m->boxes, m->box_capacity * sizeof *m->boxes);
    memory_give(m->mem, m->arenas, (size_t)m->threads * sizeof *m->arenas);
    memory_give(m->mem, m->spans, m->span_capacity * sizeof *m->spans);
    broad_phase_free(&m->near, m->mem);
    arena_pool_free(&m->pool);
    *m = (meeting_finder){0};
}

/* Puts the copies of the bodies where they will be in dt. */
static void look_ahead(meeting_finder *m, const flow *f, double time, double dt)
{
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &m->ahead[k];
        *b = f->bodies[k];
        if (!b->alive)
            continue;
        b->pose = body_predict(&f->bodies[k], time, dt);
        bounds box = body_world_bounds(b);
        double grow = body_reach(m, b);
        m->boxes[k] = (bounds){vec3_sub(box.lo, (vec3){grow, grow, grow}),
                               vec3_add(box.hi, (vec3){grow, grow, grow})};
    }
}

/* ------------------------------------------------------------------ particles */

typedef struct meeting_job {
    meeting_finder *m;
    const flow *f;
    double wall_distance, dt;
    atomic_bool failed;
} meeting_job;

static bounds cluster_bounds(const flow *f, const cluster *c)
{
    bounds b = {flow_position(f, c->first), flow_position(f, c->first)};
    for (uint32_t k = 1; k < c->count; k++) {
        vec3 x = flow_position(f, c->first + k);
        b.lo = (vec3){fmin(b.lo.x, x.x), fmin(b.lo.y, x.y), fmin(b.lo.z, x.z)};
        b.hi = (vec3){fmax(b.hi.x, x.x), fmax(b.hi.y, x.y), fmax(b.hi.z, x.z)};
    }
    return b;
}

/* Of boxes, or of one and the nearest image of the other. */
static bool overlap(const neighbours *near, const bounds *a, const bounds *b)
{
    const double lo[2][3] = {{a->lo.x, a->lo.y, a->lo.z}, {b->lo.x, b->lo.y, b->lo.z}};
    const double hi[2][3] = {{a->hi.x, a->hi.y, a->hi.z}, {b->hi.x, b->hi.y, b->hi.z}};
    assert(near->dim <= 3);
    for (int k = 0; k < near->dim; k++) {
        double apart = (lo[0][k] + hi[0][k] - lo[1][k] - hi[1][k]) / 2;
        if (near->axis[k].periodic)
            apart = remainder(apart, near->axis[k].period);
        if (fabs(apart) > (hi[0][k] - lo[0][k] + hi[1][k] - lo[1][k]) / 2)
            return false;
    }
    return true;
}

/* Bodies with spheres that the cluster may meet; false without memory. */
static bool find_bodies(const meeting_job *job, const cluster *c, arena *a, uint32_t **found,
                        size_t *count)
{
    const flow *f = job->f;
    bounds box = cluster_bounds(f, c);
    *count = 0;
    *found = arena_reserve(a, f->body_count * sizeof **found);
    for (size_t k = 0; *found && k < f->body_count; k++)
        if (body_is_moved(&f->bodies[k]) && overlap(&f->near, &box, &job->m->boxes[k]))
            (*found)[(*count)++] = (uint32_t)k;
    if (*found)
        arena_commit(a, *count * sizeof **found);
    return *found;
}

/* What a particle and a body make, `distance` (m) from its surface being contact. */
static meeting measure(const meeting_job *job, size_t i, uint32_t k, double distance)
{
    const flow *f = job->f;
    const body *ahead = &job->m->ahead[k], *b = &f->bodies[k];
    vec3 x = flow_position(f, i), v = flow_velocity(f, i), normal;
    vec3 local = walls_local_point(&f->near, ahead, x);
    meeting found = {.particle = (uint32_t)i, .a = MEETING_NONE, .b = k, .sphere = SKIN_NONE};
    double d = shape_distance(ahead->shape, local, &normal);
    found.gap = d - distance;
    found.normal = quat_rotate(ahead->pose.rotation, normal);
    /* The impulse acts along a line through the particle, so that angular momentum stays: at the
     * begin of the substep, since what flies freely afterwards keeps its own. */
    vec3 begin = vec3_madd(pose_point(ahead->pose, local), -job->dt, v);
    found.point = vec3_madd(begin, -d, found.normal);
    found.speed = vec3_dot(found.normal, vec3_sub(v, body_velocity_at(b, found.point)));
    return found;
}

/* All that one particle meets: bodies, and if there is one, fixed solids too. */
static size_t find_of_particle(const meeting_job *job, size_t i, const uint32_t *bodies,
                               size_t count, meeting *found)
{
    const flow *f = job->f;
    const meeting_finder *m = job->m;
    size_t n = 0;
    for (size_t k = 0; k < count; k++) {
        const body *b = &m->ahead[bodies[k]];
        vec3 local = walls_local_point(&f->near, b, flow_position(f, i));
        if (f->dim == 2) /* the spheres lie in the plane of the body */
            local.z = 0;
        uint32_t sphere = skin_cells_nearest(&m->skins[bodies[k]], &b->skin, local);
        if (sphere == SKIN_NONE)
            continue;
        meeting one = measure(job, i, bodies[k], m->radius);
        one.sphere = sphere;
        if (one.gap < body_reach(m, b) - m->radius)
            found[n++] = one;
    }
    const wall_span *solids = &f->walls.spans[i];
    for (uint32_t w = 0; n > 0 && w < solids->count; w++) {
        uint32_t k = solids->contacts[w].body;
        if (body_has_mass(&f->bodies[k]))
            continue;
        meeting one = measure(job, i, k, job->wall_distance);
        if (one.gap < m->margin)
            found[n++] = one;
    }
    return n;
}

static void find_in_cluster(meeting_job *job, size_t index, arena *a)
{
    const flow *f = job->f;
    const cluster *c = &f->near.clusters[index];
    struct meeting_span *span = &job->m->spans[index];
    uint32_t *bodies;
    size_t count, room = 0;
    *span = (struct meeting_span){NULL, 0};
    bool ok = find_bodies(job, c, a, &bodies, &count);
    if (ok && count == 0)
        return;
    /* Room for the most; what is not used goes back. */
    for (uint32_t i = c->first; i < c->first + c->count; i++)
        room += count + f->walls.spans[i].count;
    span->items = ok ? arena_reserve(a, room * sizeof *span->items) : NULL;
    if (!span->items) {
        atomic_store(&job->failed, true);
        return;
    }
    for (uint32_t i = c->first; i < c->first + c->count; i++)
        span->count += find_of_particle(job, i, bodies, count, span->items + span->count);
    arena_commit(a, span->count * sizeof *span->items);
}

static void find_in_clusters(void *context, size_t begin, size_t end, int thread)
{
    meeting_job *job = context;
    for (size_t k = begin; k < end; k++)
        find_in_cluster(job, k, &job->m->arenas[thread]);
}

static bool reserve(meeting_list *list, memory *m, size_t more)
{
    return memory_grow(m, (void **)&list->items, &list->capacity, list->count + more, list->count,
                       sizeof *list->items);
}

static bool find_of_particles(meeting_finder *m, meeting_list *list, flow *f, double wall_distance,
                              double dt)
{
    size_t clusters = f->near.cluster_count;
    if (!memory_grow(m->mem, (void **)&m->spans, &m->span_capacity, clusters, 0, sizeof *m->spans))
        return false;
    arenas_reset(m->arenas, m->threads);
    meeting_job job = {.m = m, .f = f, .wall_distance = wall_distance, .dt = dt};
    parallel_for(f->threads, clusters, CLUSTER_GRAIN, find_in_clusters, &job);
    if (atomic_load(&job.failed))
        return false;
    for (size_t k = 0; k < clusters; k++) {
        const struct meeting_span *span = &m->spans[k];
        if (span->count == 0)
            continue;
        if (!reserve(list, m->mem, span->count))
            return false;
        memcpy(list->items + list->count, span->items, span->count * sizeof *span->items);
        list->count += span->count;
    }
    return true;
}

void meeting_list_free(meeting_list *list, memory *m)
{
    memory_give(m, list->items, list->capacity * sizeof *list->items);
    *list = (meeting_list){0};
}

/* --------------------------------------------------------------------- bodies */

/* Spheres of body a against the distance field of b. */
static bool add_spheres(const meeting_finder *m, meeting_list *list, const flow *f, uint32_t a,
                        uint32_t b)
{
    const body *first = &f->bodies[a], *second = &f->bodies[b];
    const body *ahead = &m->ahead[a], *other = &m->ahead[b];
    vec3 centre = walls_local_point(&f->near, other, body_centre(ahead));
    if (!body_is_moved(first) ||
        shape_distance(other->shape, centre, NULL) > first->radius + m->margin)
        return true;
    for (size_t k = 0; k < first->skin.count; k++) {
        vec3 at = first->skin.points[k].position, normal;
        vec3 local = walls_local_point(&f->near, other, pose_point(ahead->pose, at));
        double gap = shape_distance(other->shape, local, &normal);
        if (gap >= m->margin)
            continue;
        meeting one = {.particle = MEETING_NONE, .a = a, .b = b, .sphere = (uint32_t)k, .gap = gap};
        one.point = pose_point(first->pose, at);
        one.normal = quat_rotate(other->pose.rotation, normal);
        one.speed = vec3_dot(one.normal, vec3_sub(body_velocity_at(first, one.point),
                                                  body_velocity_at(second, one.point)));
        if (!reserve(list, m->mem, 1))
            return false;
        list->items[list->count++] = one;
    }
    return true;
}

static bool find_of_bodies(meeting_finder *m, meeting_list *list, const flow *f, double dt)
{
    if (!broad_phase_find(&m->near, m->mem, f, dt))
        return false;
    for (size_t k = 0; k < m->near.pair_count; k++) {
        body_pair pair = m->near.pairs[k];
        if (!add_spheres(m, list, f, pair.a, pair.b) || !add_spheres(m, list, f, pair.b, pair.a))
            return false;
    }
    return true;
}

static bool fail_memory(weir_error *error)
{
    return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the contacts of fluid and bodies");
}

bool meetings_find(meeting_finder *m, meeting_list *list, flow *f, double wall_distance,
                   double time, double dt, weir_error *error)
{
    list->count = 0;
    if (m->skin_count != f->body_count) {
        double radius = m->radius;
        meeting_finder_free(m);
        if (!meeting_finder_init(m, f, radius, error))
            return false;
    }
    look_ahead(m, f, time, dt);
    bool any = f->fluid_count > 0 && f->body_count > 0;
    if (any && !find_of_particles(m, list, f, wall_distance, dt))
        return fail_memory(error);
    list->fluid_count = list->count;
    return find_of_bodies(m, list, f, dt) || fail_memory(error);
}

bool meetings_find_bodies(meeting_finder *m, meeting_list *list, flow *f, weir_error *error)
{
    list->count = list->fluid_count = 0;
    for (size_t k = 0; k < f->body_count; k++)
        m->ahead[k] = f->bodies[k];
    return find_of_bodies(m, list, f, 0) || fail_memory(error);
}

/* Place, normal and gap of a particle's contact, now. */
static meeting measure_now(const flow *f, const meeting *old, double radius, double wall_distance)
{
    const body *b = &f->bodies[old->b];
    meeting now = *old;
    vec3 normal, local = walls_local_point(&f->near, b, flow_position(f, old->particle));
    double d = shape_distance(b->shape, local, &normal);
    now.gap = d - (body_has_mass(b) ? radius : wall_distance);
    now.normal = quat_rotate(b->pose.rotation, normal);
    now.point = vec3_madd(pose_point(b->pose, local), -d, now.normal);
    return now;
}

bool meetings_add_trapped(meeting_finder *m, meeting_list *list, const meeting_list *from,
                          const flow *f, double wall_distance, double depth, weir_error *error)
{
    size_t end;
    for (size_t k = 0; k < from->fluid_count; k = end) {
        bool deep = false, held = false;
        for (end = k;
             end < from->fluid_count && from->items[end].particle == from->items[k].particle; end++)
            held = held || !body_has_mass(&f->bodies[from->items[end].b]);
        if (!held)
            continue;
        if (!reserve(list, m->mem, end - k))
            return fail_memory(error);
        for (size_t n = k; n < end; n++) {
            meeting *now = &list->items[list->count + n - k];
            *now = measure_now(f, &from->items[n], m->radius, wall_distance);
            deep = deep || (body_has_mass(&f->bodies[now->b]) && now->gap < -depth);
        }
        list->count += deep ? end - k : 0;
    }
    return true;
}
