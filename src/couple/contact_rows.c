#include "couple/contact_rows.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_TOUCHES = 4096 };

void contact_memory_free(contact_memory *c, memory *m)
{
    memory_give(m, c->kept, c->capacity * sizeof *c->kept);
    *c = (contact_memory){0};
}

/* A sample of body `mover` near body `ground`. */
typedef struct touch {
    uint32_t sample;
    vec3 point;  /* on the ground's surface */
    vec3 normal; /* out of the ground */
    double gap;  /* m */
} touch;

/* The pair at hand. */
typedef struct pairing {
    row_system *s;
    const flow *f;
    const contact_memory *last;
    uint32_t mover, ground;
    double dt;
} pairing;

/* ------------------------------------------------------------------ finding */

/* Balls about both bodies decide whether they can meet at all. */
static bool may_touch(const body *a, const body *b, double reach)
{
    if (!(a->group & b->collides) || !(b->group & a->collides))
        return false;
    if (!body_is_moved(a) && !body_is_moved(b))
        return false;
    if (a->radius == 0 || b->radius == 0)
        return true;
    double apart = vec3_length(vec3_sub(body_centre(a), body_centre(b)));
    return apart < a->radius + b->radius + reach;
}

static size_t find_touches(const pairing *p, double reach, touch touches[MAX_TOUCHES])
{
    const body *mover = &p->f->bodies[p->mover], *ground = &p->f->bodies[p->ground];
    /* The whole mover at once: its centre is farther away than its radius. */
    vec3 centre = pose_local_point(ground->pose, body_centre(mover));
    if (shape_distance(ground->shape, centre, NULL) > mover->radius + reach)
        return 0;
    size_t count = 0;
    for (size_t k = 0; k < mover->sample_count && count < MAX_TOUCHES; k++) {
        vec3 at = pose_point(mover->pose, mover->samples[k].point), normal;
        double d = shape_distance(ground->shape, pose_local_point(ground->pose, at), &normal) -
                   mover->samples[k].radius;
        if (d > reach)
            continue;
        normal = quat_rotate(ground->pose.rotation, normal);
        touches[count++] = (touch){
            .sample = (uint32_t)k,
            .point = vec3_madd(at, -(d + mover->samples[k].radius), normal),
            .normal = normal,
            .gap = d,
        };
    }
    return count;
}

/* A flat face gives many touches that say the same. Kept are the deepest and those farthest out
 * along four directions of the tangent plane: they carry any load that the others could. */
static size_t thin(touch *touches, size_t count, int dim)
{
    size_t most = dim == 2 ? 3 : 5;
    if (count <= most)
        return count;
    size_t chosen[5], chosen_count = 1;
    chosen[0] = 0;
    for (size_t k = 1; k < count; k++)
        if (touches[k].gap < touches[chosen[0]].gap)
            chosen[0] = k;
    vec3 n = touches[chosen[0]].normal;
    vec3 other = fabs(n.x) < 0.7 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    vec3 u = dim == 2 ? (vec3){-n.y, n.x, 0} : vec3_unit(vec3_cross(n, other), (vec3){0, 0, 1});
    vec3 w = vec3_cross(n, u);
    const vec3 directions[4] = {u, vec3_scale(u, -1), w, vec3_scale(w, -1)};
    for (size_t d = 0; d + 1 < most; d++) {
        size_t best = 0;
        double far = -INFINITY;
        for (size_t k = 0; k < count; k++) {
            /* A point that hangs in the air is no support, however far out it is. */
            double value = vec3_dot(touches[k].point, directions[d]) -
                           4 * (touches[k].gap - touches[chosen[0]].gap);
            if (value > far) {
                far = value;
                best = k;
            }
        }
        bool again = false;
        for (size_t c = 0; c < chosen_count; c++)
            again = again || chosen[c] == best;
        if (!again)
            chosen[chosen_count++] = best;
    }
    touch kept[5];
    for (size_t c = 0; c < chosen_count; c++)
        kept[c] = touches[chosen[c]];
    for (size_t c = 0; c < chosen_count; c++)
        touches[c] = kept[c];
    return chosen_count;
}

/* --------------------------------------------------------------------- rows */

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

/* Entries of a row along `direction`, which points from the ground to the mover:
 * J v = −direction · (v_mover − v_ground) at the point. */
static void set_entries(row *r, const pairing *p, vec3 point, vec3 direction)
{
    const uint32_t index[2] = {p->mover, p->ground};
    double *on[2] = {r->on_a, r->on_b};
    for (int k = 0; k < 2; k++) {
        const body *b = &p->f->bodies[index[k]];
        double sign = k == 0 ? -1 : 1;
        if (body_is_moved(b)) {
            vec3 turn = vec3_cross(vec3_sub(point, body_centre(b)), direction);
            const double entries[6] = {direction.x, direction.y, direction.z,
                                       turn.x,      turn.y,      turn.z};
            for (int e = 0; e < 6; e++)
                on[k][e] = sign * entries[e];
            *(k == 0 ? &r->body_a : &r->body_b) = (int32_t)index[k];
        } else {
            /* What moves as it likes goes to the other side. */
            r->bound -= sign * vec3_dot(direction, body_velocity_at(b, point));
        }
    }
}

static uint64_t touch_key(const pairing *p, uint32_t sample, int part)
{
    return ((uint64_t)p->mover << 44 | (uint64_t)p->ground << 24 | (uint64_t)sample << 2 |
            (uint64_t)part) +
           1;
}

static bool add_friction(const pairing *p, const touch *t, int32_t normal, vec3 along, int part)
{
    row *r = row_system_add_row(p->s);
    if (!r)
        return false;
    const body *mover = &p->f->bodies[p->mover], *ground = &p->f->bodies[p->ground];
    r->normal = normal;
    r->friction = (mover->friction + ground->friction) / 2;
    r->key = touch_key(p, t->sample, part);
    r->nu = recall(p->last, r->key);
    set_entries(r, p, t->point, along);
    return true;
}

static bool add_touch(const pairing *p, const touch *t)
{
    const body *mover = &p->f->bodies[p->mover], *ground = &p->f->bodies[p->ground];
    int32_t index = (int32_t)p->s->row_count;
    row *r = row_system_add_row(p->s);
    if (!r)
        return false;
    double slop = 0.005 * p->f->spacing;
    r->bound = t->gap > 0 ? t->gap / p->dt : 0;
    r->violation = -(t->gap + slop);
    r->key = touch_key(p, t->sample, 0);
    r->nu = recall(p->last, r->key);
    vec3 relative = vec3_sub(body_velocity_at(mover, t->point), body_velocity_at(ground, t->point));
    double approach = -vec3_dot(relative, t->normal);
    double restitution = (mover->restitution + ground->restitution) / 2;
    /* What gravity gives in two steps is resting, not bouncing. */
    double resting = 2 * vec3_length(p->f->force) * p->dt;
    if (restitution > 0 && approach > resting && t->gap <= approach * p->dt)
        r->bound = -restitution * approach;
    set_entries(r, p, t->point, t->normal);
    if (mover->friction + ground->friction == 0)
        return true;
    vec3 n = t->normal, other = fabs(n.x) < 0.7 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    if (p->f->dim == 2)
        return add_friction(p, t, index, (vec3){-n.y, n.x, 0}, 1);
    vec3 u = vec3_unit(vec3_cross(n, other), (vec3){0, 0, 1});
    return add_friction(p, t, index, u, 1) && add_friction(p, t, index, vec3_cross(n, u), 2);
}

static bool add_pair(const pairing *p, double reach, touch *touches)
{
    size_t count = find_touches(p, reach, touches);
    count = thin(touches, count, p->f->dim);
    for (size_t k = 0; k < count; k++)
        if (!add_touch(p, &touches[k]))
            return false;
    return true;
}

bool contact_rows_add(row_system *s, const flow *f, const contact_memory *last,
                      contact_filter joined, const void *context, double dt, weir_error *error)
{
    touch *touches = NULL;
    size_t capacity = 0;
    bool ok = true;
    for (uint32_t a = 0; ok && a < f->body_count; a++)
        for (uint32_t b = a + 1; ok && b < f->body_count; b++) {
            const body *first = &f->bodies[a], *second = &f->bodies[b];
            if (!first->alive || !second->alive)
                continue;
            double speed = vec3_length(vec3_sub(first->velocity, second->velocity));
            double reach = 0.25 * f->spacing + 2 * speed * dt;
            if (!may_touch(first, second, reach) || joined(context, a, b))
                continue;
            ok = touches ||
                 memory_grow(s->mem, (void **)&touches, &capacity, MAX_TOUCHES, 0, sizeof *touches);
            /* Each body's samples against the other: the corner of either may be what touches. */
            for (int side = 0; ok && side < 2; side++) {
                pairing p = {s, f, last, side == 0 ? a : b, side == 0 ? b : a, dt};
                if (f->bodies[p.mover].sample_count > 0)
                    ok = add_pair(&p, reach, touches);
            }
        }
    memory_give(s->mem, touches, capacity * sizeof *touches);
    return ok || fail(error, WEIR_OUT_OF_MEMORY, "no memory for contacts between bodies");
}

/* ------------------------------------------------------------------- memory */

static void note_contact(flow *f, const row *r)
{
    const int32_t bodies[2] = {r->body_a, r->body_b};
    const double *on[2] = {r->on_a, r->on_b};
    for (int k = 0; k < 2; k++)
        if (bodies[k] >= 0) {
            vec3 impulse = {-on[k][0] * r->nu, -on[k][1] * r->nu, -on[k][2] * r->nu};
            body *b = &f->bodies[bodies[k]];
            b->contact_impulse = vec3_add(b->contact_impulse, impulse);
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
    if (next->count > 1)
        qsort(next->kept, next->count, sizeof *next->kept, compare_keys);
    return true;
}
