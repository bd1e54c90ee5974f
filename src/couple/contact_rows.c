#include "couple/contact_rows.h"

#include "base/error.h"
#include "couple/mending.h"
#include "couple/rest.h"

#include <math.h>
#include <stdlib.h>

void contact_memory_free(contact_memory *c, memory *m)
{
    memory_give(m, c->kept, c->capacity * sizeof *c->kept);
    memory_give(m, c->touches, c->touch_capacity * sizeof *c->touches);
    broad_phase_free(&c->near, m);
    *c = (contact_memory){0};
}

/* The pair at hand. Rows push the first body along a touch's normal, the second against it. */
typedef struct pairing {
    row_system *s;
    flow *f;
    contact_memory *c;
    uint32_t first, second;
    double dt;
    double size;  /* m, of the smaller one with mass */
    double reach; /* m, within which the surfaces may meet in this step */
    double slop;  /* m, of overlap that is left alone, so that contacts stay */
    double mend;  /* m, most that is mended in this step */
} pairing;

/* -------------------------------------------------------------- last substep */

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = ((const struct kept_contact *)a)->key, y = ((const struct kept_contact *)b)->key;
    return x < y ? -1 : x > y;
}

static float recall(const contact_memory *last, uint64_t key)
{
    struct kept_contact wanted = {key, 0};
    const struct kept_contact *found =
        last->count > 0 ? bsearch(&wanted, last->kept, last->count, sizeof wanted, compare_keys)
                        : NULL;
    return found ? (float)found->nu : 0;
}

/* Names a row across steps: two bodies of up to 2^20, and 2^19 samples. */
static uint64_t touch_key(const pairing *p, const touch *t, int part)
{
    return ((uint64_t)p->first << 44 | (uint64_t)p->second << 24 |
            (uint64_t)(t->sample & 0x7ffff) << 5 | (uint64_t)t->side << 4 |
            (uint64_t)t->order << 2 | (uint64_t)part) +
           1;
}

/* ------------------------------------------------------------------ touches */

static bool add_touch(pairing *p, touch t)
{
    contact_memory *c = p->c;
    t.known = recall(c, touch_key(p, &t, 0)) > 0;
    if (!memory_grow(p->s->mem, (void **)&c->touches, &c->touch_capacity, c->touch_count + 1,
                     c->touch_count, sizeof *c->touches))
        return false;
    c->touches[c->touch_count++] = t;
    return true;
}

/* One ball against the ground's surface. In a hollow edge or corner the nearest wall hides the
 * others: seen from farther out along the normals found, the next one is the nearest. */
static bool touch_sample(pairing *p, int side, uint32_t sample, const body *ground, vec3 local,
                         double radius)
{
    vec3 normals[3], from = local;
    double step = fmax(radius / 2, p->reach);
    for (int found = 0; found < 3; found++) {
        vec3 normal;
        double d = shape_distance(ground->shape, from, &normal);
        double gap = d - vec3_dot(vec3_sub(from, local), normal) - radius;
        for (int k = 0; k < found; k++)
            if (vec3_dot(normal, normals[k]) > 0.9)
                return true;
        if (gap > p->reach)
            return true;
        vec3 point = pose_point(ground->pose, vec3_madd(local, -(gap + radius), normal));
        vec3 out = quat_rotate(ground->pose.rotation, normal);
        if (!add_touch(p, (touch){.sample = sample,
                                  .side = (uint8_t)side,
                                  .order = (uint8_t)found,
                                  .point = point,
                                  .normal = side == 0 ? out : vec3_scale(out, -1),
                                  .gap = gap}))
            return false;
        normals[found] = normal;
        from = vec3_madd(from, step, normal);
    }
    return true;
}

/* A rotation as three columns: quicker than a quaternion for many points. */
typedef struct frame {
    vec3 x, y, z, origin;
} frame;

static frame relative_frame(pose ground, pose mover)
{
    quat turn = quat_multiply(quat_conjugate(ground.rotation), mover.rotation);
    return (frame){quat_rotate(turn, (vec3){1, 0, 0}), quat_rotate(turn, (vec3){0, 1, 0}),
                   quat_rotate(turn, (vec3){0, 0, 1}), pose_local_point(ground, mover.position)};
}

static vec3 frame_point(const frame *f, vec3 v)
{
    return (vec3){f->origin.x + f->x.x * v.x + f->y.x * v.y + f->z.x * v.z,
                  f->origin.y + f->x.y * v.x + f->y.y * v.y + f->z.y * v.z,
                  f->origin.z + f->x.z * v.x + f->y.z * v.y + f->z.z * v.z};
}

static bool is_within(const bounds *b, vec3 point, double margin)
{
    return point.x >= b->lo.x - margin && point.x <= b->hi.x + margin &&
           point.y >= b->lo.y - margin && point.y <= b->hi.y + margin &&
           point.z >= b->lo.z - margin && point.z <= b->hi.z + margin;
}

static bool find_touches(pairing *p, int side)
{
    const body *mover = &p->f->bodies[side == 0 ? p->first : p->second];
    const body *ground = &p->f->bodies[side == 0 ? p->second : p->first];
    if (mover->samples.count == 0)
        return true;
    /* The whole mover at once: its centre is farther away than its radius. */
    vec3 centre = pose_local_point(ground->pose, body_centre(mover));
    if (shape_distance(ground->shape, centre, NULL) > mover->radius + p->reach)
        return true;
    frame to_ground = relative_frame(ground->pose, mover->pose);
    for (size_t k = 0; k < mover->samples.count; k++) {
        const contact_sample *sample = &mover->samples.points[k];
        vec3 local = frame_point(&to_ground, sample->point);
        if (ground->bounded && !is_within(&ground->bounds, local, p->reach + sample->radius))
            continue;
        if (!touch_sample(p, side, (uint32_t)k, ground, local, sample->radius))
            return false;
    }
    return true;
}

/* ----------------------------------------------------------------- thinning */

/* Touches with nearly the same normal bear the same load: few of them say it all. */
typedef struct patch {
    touch *touches;
    size_t count;
    const touch *deepest;
    double size; /* m, of the bodies */
} patch;

/* Touches that bore the load before are kept while others are hardly better: their impulses are
 * known, those of others would have to be found again. */
static double habit(const touch *t, double size)
{
    return t->known ? 0.05 * size : 0;
}

static bool is_of_patch(const patch *p, const touch *t)
{
    return !t->taken && vec3_dot(t->normal, p->deepest->normal) > 0.9;
}

/* The touch of the patch with the largest distance from a line or point, as `measure` has it; one
 * that hangs in the air is no support, however far out it is. NULL when none is farther than 0. */
static touch *find_farthest(const patch *p, vec3 from, vec3 along, bool use_length)
{
    touch *best = NULL;
    double far = 0;
    for (size_t k = 0; k < p->count; k++) {
        touch *t = &p->touches[k];
        if (!is_of_patch(p, t))
            continue;
        vec3 way = vec3_sub(t->point, from);
        double value = use_length ? vec3_length(way) : vec3_dot(way, along);
        if (value <= 1e-3 * p->size)
            continue;
        value += habit(t, p->size) - 4 * (t->gap - p->deepest->gap);
        if (value > far * (1 + 1e-9) + 1e-12) {
            far = value;
            best = t;
        }
    }
    return best;
}

/* Takes the touches that span the patch: the deepest, the one farthest from it, and those farthest
 * out on both sides of the line between (3D). Returns how many. */
static size_t span_patch(const patch *p, touch *deepest, int dim, touch *taken[4])
{
    size_t count = 0;
    taken[count++] = deepest;
    touch *far = find_farthest(p, deepest->point, (vec3){0, 0, 0}, true);
    if (!far)
        return count;
    far->taken = true;
    taken[count++] = far;
    vec3 line = vec3_sub(far->point, deepest->point);
    if (dim == 2) {
        touch *other =
            find_farthest(p, deepest->point, vec3_scale(vec3_unit(line, line), -1), false);
        if (other)
            taken[count++] = other;
        return count;
    }
    vec3 across = vec3_unit(vec3_cross(deepest->normal, line), (vec3){0, 0, 0});
    for (int side = 0; side < 2; side++) {
        touch *t = find_farthest(p, deepest->point, vec3_scale(across, side == 0 ? 1 : -1), false);
        if (!t)
            continue;
        t->taken = true;
        taken[count++] = t;
    }
    return count;
}

/* ---------------------------------------------------------------------- rows */

static double compliance(const body *b, const double entries[6])
{
    double change[6], sum = 0;
    body_apply_impulse(b, entries, change);
    for (int k = 0; k < 6; k++)
        sum += entries[k] * change[k];
    return sum;
}

/* Entries of a row along `direction`: J v = −direction · (v_first − v_second) at the point. */
static void set_entries(row *r, const pairing *p, vec3 point, vec3 direction)
{
    const uint32_t index[2] = {p->first, p->second};
    double *on[2] = {r->on_a, r->on_b};
    for (int k = 0; k < 2; k++) {
        const body *b = &p->f->bodies[index[k]];
        double sign = k == 0 ? -1 : 1;
        if (!body_is_moved(b)) {
            /* What moves as it likes goes to the other side. */
            double speed = sign * vec3_dot(direction, body_velocity_at(b, point));
            r->prescribed += speed;
            r->bound -= speed;
            r->ground = (int32_t)index[k];
            continue;
        }
        vec3 turn = vec3_cross(vec3_sub(point, body_centre(b)), direction);
        const double entries[6] = {direction.x, direction.y, direction.z, turn.x, turn.y, turn.z};
        for (int e = 0; e < 6; e++)
            on[k][e] = sign * entries[e];
        *(k == 0 ? &r->body_a : &r->body_b) = (int32_t)index[k];
        /* Bodies that joints hold fast would otherwise leave a row without an answer. */
        if (b->jointed)
            r->softness += 1e-6 * compliance(b, on[k]);
    }
}

static bool add_friction(const pairing *p, const touch *t, int32_t normal, vec3 along, int part)
{
    row *r = row_system_add_row(p->s);
    if (!r)
        return false;
    r->normal = normal;
    r->friction = (p->f->bodies[p->first].friction + p->f->bodies[p->second].friction) / 2;
    r->key = touch_key(p, t, part);
    r->nu = recall(p->c, r->key);
    set_entries(r, p, t->point, along);
    return true;
}

/* Directions of friction in 3D: the first one along the sliding, where there is some, so that
 * sliding is braked alike in every direction. */
static void find_tangents(const touch *t, vec3 relative, double slow, vec3 *u, vec3 *w)
{
    vec3 n = t->normal, other = fabs(n.x) < 0.7 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    vec3 sliding = vec3_madd(relative, -vec3_dot(relative, n), n);
    vec3 along = vec3_length(sliding) > slow ? sliding : vec3_cross(n, other);
    *u = vec3_unit(along, (vec3){0, 0, 1});
    *w = vec3_cross(n, *u);
}

/* Follows a sample on its way through the step, relative to the other body, to where it meets the
 * surface, and takes the tangent plane there. Plane and gap at the start of a fast slide mean
 * little: an edge that glides along a face would run against the side behind it. Returns false when
 * the way ends well apart. */
static bool look_ahead(const pairing *p, touch *t)
{
    enum { MOST_LOOKS = 40 };
    const body *mover = &p->f->bodies[t->side == 0 ? p->first : p->second];
    const body *ground = &p->f->bodies[t->side == 0 ? p->second : p->first];
    const contact_sample *sample = &mover->samples.points[t->sample];
    vec3 way = vec3_scale(
        vec3_sub(body_velocity_at(mover, t->point), body_velocity_at(ground, t->point)), p->dt);
    double length = vec3_length(way), least = sample->radius / 2, gone = 0, gap = t->gap;
    if (length <= p->slop || gap < -least)
        return true;
    vec3 start = pose_local_point(ground->pose, pose_point(mover->pose, sample->point));
    vec3 along = vec3_scale(quat_unrotate(ground->pose.rotation, way), 1 / length), normal;
    for (int k = 0; k < MOST_LOOKS && gone < length && gap > -least; k++) {
        gone = fmin(gone + fmax(gap, least), length);
        vec3 at = vec3_madd(start, gone, along);
        double distance = shape_distance(ground->shape, at, &normal);
        gap = distance - sample->radius;
        /* Distance of the start from the plane that touches the surface next to `at`. */
        t->gap = gap - vec3_dot(vec3_sub(at, start), normal);
        t->point = pose_point(ground->pose, vec3_madd(start, -(t->gap + sample->radius), normal));
        t->normal = quat_rotate(ground->pose.rotation, normal);
    }
    if (t->side == 1)
        t->normal = vec3_scale(t->normal, -1);
    return gap <= p->slop;
}

static bool add_rows(const pairing *p, touch *t)
{
    const body *first = &p->f->bodies[p->first], *second = &p->f->bodies[p->second];
    if (t->order == 0 && !look_ahead(p, t))
        return true;
    int32_t index = (int32_t)p->s->row_count;
    row *r = row_system_add_row(p->s);
    if (!r)
        return false;
    r->bound = t->gap > 0 ? t->gap / p->dt : 0;
    r->violation =
        t->gap + p->slop > 0 ? -(t->gap + p->slop) : mending_share(-(t->gap + p->slop), p->mend);
    r->restitution = (first->restitution + second->restitution) / 2;
    r->key = touch_key(p, t, 0);
    r->nu = recall(p->c, r->key);
    set_entries(r, p, t->point, t->normal);
    if (first->friction + second->friction == 0)
        return true;
    vec3 n = t->normal;
    if (p->f->dim == 2)
        return add_friction(p, t, index, (vec3){-n.y, n.x, 0}, 1);
    vec3 relative = vec3_sub(body_velocity_at(first, t->point), body_velocity_at(second, t->point));
    vec3 u, w;
    find_tangents(t, relative, 2 * vec3_length(p->f->force) * p->dt, &u, &w);
    return add_friction(p, t, index, u, 1) && add_friction(p, t, index, w, 2);
}

/* Cuts the touches into patches and writes rows for what spans each. */
static bool add_patches(const pairing *p)
{
    enum { MOST_PATCHES = 8 };
    patch at = {p->c->touches, p->c->touch_count, NULL, p->size};
    for (int n = 0; n < MOST_PATCHES; n++) {
        touch *deepest = NULL;
        double least = INFINITY;
        for (size_t k = 0; k < at.count; k++) {
            double depth = at.touches[k].gap - 0.02 * habit(&at.touches[k], p->size);
            if (!at.touches[k].taken && depth < least - 1e-3 * p->slop) {
                least = depth;
                deepest = &at.touches[k];
            }
        }
        if (!deepest)
            break;
        at.deepest = deepest;
        deepest->taken = true;
        touch *taken[4];
        size_t count = span_patch(&at, deepest, p->f->dim, taken);
        for (size_t k = 0; k < count; k++)
            if (!add_rows(p, taken[k]))
                return false;
        for (size_t k = 0; k < at.count; k++)
            at.touches[k].taken = at.touches[k].taken || is_of_patch(&at, &at.touches[k]);
    }
    return true;
}

/* --------------------------------------------------------------------- pairs */

/* Whether a sleeping body of the pair is touched by what is awake. Wakes it and its island. */
static bool wake_touched(const pairing *p)
{
    body *first = &p->f->bodies[p->first], *second = &p->f->bodies[p->second];
    if (!first->asleep && !second->asleep)
        return false;
    for (size_t k = 0; k < p->c->touch_count; k++) {
        const touch *t = &p->c->touches[k];
        vec3 relative =
            vec3_sub(body_velocity_at(first, t->point), body_velocity_at(second, t->point));
        if (t->gap > p->slop + fmax(-vec3_dot(relative, t->normal), 0) * p->dt)
            continue;
        rest_wake(p->f, p->first, p->f->gravity_time);
        rest_wake(p->f, p->second, p->f->gravity_time);
        return true;
    }
    return false;
}

static pairing make_pairing(row_system *s, flow *f, contact_memory *c, body_pair pair, double dt)
{
    const body *a = &f->bodies[pair.a], *b = &f->bodies[pair.b];
    double size =
        fmin(body_has_mass(a) ? a->size : INFINITY, body_has_mass(b) ? b->size : INFINITY);
    double speed = vec3_length(vec3_sub(a->velocity, b->velocity)) +
                   vec3_length(a->spin) * a->radius + vec3_length(b->spin) * b->radius;
    return (pairing){.s = s,
                     .f = f,
                     .c = c,
                     .first = pair.a,
                     .second = pair.b,
                     .dt = dt,
                     .size = size,
                     .reach = 0.02 * size + 1.5 * speed * dt,
                     .slop = 5e-4 * size,
                     .mend = (mending_speed(f, size) + speed) * dt};
}

/* `woke` tells that a body woke up, so that all rows must be written anew. */
static bool add_all(row_system *s, flow *f, contact_memory *c, contact_filter joined,
                    const void *context, double dt, bool *woke)
{
    *woke = false;
    if (!broad_phase_find(&c->near, s->mem, f, dt))
        return false;
    for (size_t k = 0; k < c->near.pair_count; k++) {
        body_pair pair = c->near.pairs[k];
        if (f->bodies[pair.a].jointed && f->bodies[pair.b].jointed &&
            joined(context, pair.a, pair.b))
            continue;
        pairing p = make_pairing(s, f, c, pair, dt);
        c->touch_count = 0;
        /* Samples of each against the other: the corner of either may be what touches. */
        if (!find_touches(&p, 0) || !find_touches(&p, 1))
            return false;
        *woke = wake_touched(&p) || *woke;
        bool moved = body_is_moved(&f->bodies[pair.a]) || body_is_moved(&f->bodies[pair.b]);
        if (moved && !*woke && !add_patches(&p))
            return false;
    }
    return true;
}

bool contact_rows_add(row_system *s, flow *f, contact_memory *c, contact_filter joined,
                      const void *context, double dt, weir_error *error)
{
    size_t before = s->row_count;
    bool woke;
    do {
        s->row_count = before;
        if (!add_all(s, f, c, joined, context, dt, &woke))
            return fail(error, WEIR_OUT_OF_MEMORY, "no memory for contacts between bodies");
    } while (woke);
    return true;
}

/* -------------------------------------------------------------------- memory */

static void note_contact(flow *f, const row *r)
{
    const int32_t bodies[2] = {r->body_a, r->body_b};
    const double *on[2] = {r->on_a, r->on_b};
    double impulse = r->nu + r->impact;
    for (int k = 0; k < 2; k++)
        if (bodies[k] >= 0) {
            body *b = &f->bodies[bodies[k]];
            b->contact_impulse =
                vec3_madd(b->contact_impulse, -impulse, (vec3){on[k][0], on[k][1], on[k][2]});
        }
}

/* Pairs come in order, so that little is out of place. */
static void sort_kept(contact_memory *c)
{
    for (size_t k = 1; k < c->count; k++) {
        struct kept_contact placed = c->kept[k];
        size_t to = k;
        for (; to > 0 && c->kept[to - 1].key > placed.key; to--)
            c->kept[to] = c->kept[to - 1];
        c->kept[to] = placed;
    }
}

bool contact_rows_keep(const row_system *s, flow *f, contact_memory *next, weir_error *error)
{
    next->count = 0;
    for (size_t k = 0; k < s->row_count; k++) {
        const row *r = &s->rows[k];
        if (r->particle >= 0 || r->key == 0)
            continue;
        if (!memory_grow(s->mem, (void **)&next->kept, &next->capacity, next->count + 1,
                         next->count, sizeof *next->kept))
            return fail(error, WEIR_OUT_OF_MEMORY, "no memory to keep contacts");
        next->kept[next->count++] = (struct kept_contact){r->key, r->nu};
        note_contact(f, r);
    }
    sort_kept(next);
    return true;
}
