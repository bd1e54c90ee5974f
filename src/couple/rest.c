#include "couple/rest.h"

#include "base/error.h"
#include "couple/island_tree.h"

static const double REST_TIME = 0.5; /* s */
/* How far a body at rest may be from where its rest began, in its own sizes. Small enough that what
 * creeps is never taken for resting: 20 µm in a second for a body of 10 cm. */
static const double REST_DISTANCE = 1e-4;

void rest_memory_free(rest_memory *r, memory *m)
{
    memory_give(m, r->parent, r->parent_capacity * sizeof *r->parent);
    memory_give(m, r->awake, r->awake_capacity * sizeof *r->awake);
    *r = (rest_memory){0};
}

/* -------------------------------------------------------------------- waking */

static void restart(const flow *f, body *b, double missed)
{
    b->asleep = false;
    b->island = 0;
    b->still_time = 0;
    b->still_at = b->pose;
    body_accelerate(b, f->force, missed);
}

void rest_wake(flow *f, size_t index, double missed)
{
    uint32_t island = f->bodies[index].island;
    if (!f->bodies[index].asleep)
        return;
    for (size_t k = 0; k < f->body_count; k++)
        if (f->bodies[k].asleep && f->bodies[k].island == island)
            restart(f, &f->bodies[k], missed);
}

void rest_wake_all(flow *f)
{
    for (size_t k = 0; k < f->body_count; k++)
        if (f->bodies[k].asleep)
            restart(f, &f->bodies[k], 0);
}

void rest_note_fluid(flow *f)
{
    bool any = false;
    for (size_t k = 0; k < f->body_count; k++)
        any = any || body_has_mass(&f->bodies[k]);
    for (size_t n = 0; any && n < f->walls.touching_count; n++) {
        const wall_span *solids = &f->walls.spans[f->walls.touching[n]];
        for (uint32_t w = 0; w < solids->count; w++) {
            body *b = &f->bodies[solids->contacts[w].body];
            if (b->asleep)
                rest_wake(f, solids->contacts[w].body, 0);
            b->still_time = 0;
        }
    }
}

bool rest_is_driven(const flow *f, const joint *j)
{
    if (j->motor != WEIR_MOTOR_NONE)
        return true;
    const body *a = &f->bodies[j->a], *b = j->b >= 0 ? &f->bodies[j->b] : NULL;
    return (!body_has_mass(a) && body_has_speed(a)) ||
           (b && !body_has_mass(b) && body_has_speed(b));
}

void rest_note_joints(flow *f, const joint *joints, size_t count, double missed)
{
    for (size_t k = 0; k < count; k++) {
        const joint *j = &joints[k];
        if (!joint_is_whole(j, f))
            continue;
        bool pulled = rest_is_driven(f, j) || body_is_moved(&f->bodies[j->a]) ||
                      (j->b >= 0 && body_is_moved(&f->bodies[j->b]));
        if (!pulled)
            continue;
        rest_wake(f, (size_t)j->a, missed);
        if (j->b >= 0)
            rest_wake(f, (size_t)j->b, missed);
    }
}

/* ------------------------------------------------------------------- sleeping */

/* Whether a body is where its rest began. Most that moves is told by its way alone. */
static bool is_still(const body *b)
{
    double most = REST_DISTANCE * b->size;
    double shift = vec3_length(vec3_sub(b->pose.position, b->still_at.position));
    if (shift > most)
        return false;
    quat turn = quat_multiply(b->pose.rotation, quat_conjugate(b->still_at.rotation));
    double angle = 2 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    return shift + angle * b->radius <= most;
}

static void measure_rest(body *b, double dt)
{
    if (is_still(b)) {
        b->still_time += dt;
        return;
    }
    b->still_time = 0;
    b->still_at = b->pose;
}

static bool is_mass(const flow *f, int32_t index)
{
    return index >= 0 && body_has_mass(&f->bodies[index]);
}

/* Islands are bodies with mass that contacts or joints connect; fixed ones part them. */
static void find_islands(rest_memory *r, const flow *f, const contact_list *contacts,
                         const joint *joints, size_t count)
{
    for (size_t k = 0; k < f->body_count; k++) {
        r->parent[k] = (uint32_t)k;
        r->awake[k] = 0;
    }
    for (size_t k = 0; k < contacts->pair_count; k++) {
        const contact_pair *p = &contacts->pairs[k];
        if (body_is_moved(&f->bodies[p->first]) && body_is_moved(&f->bodies[p->second]))
            island_join(r->parent, p->first, p->second);
    }
    for (size_t k = 0; k < count; k++)
        if (joint_is_whole(&joints[k], f) && is_mass(f, joints[k].a) && is_mass(f, joints[k].b))
            island_join(r->parent, (uint32_t)joints[k].a, (uint32_t)joints[k].b);
    for (size_t k = 0; k < f->body_count; k++)
        if (body_is_moved(&f->bodies[k]) && f->bodies[k].still_time < REST_TIME)
            r->awake[island_root(r->parent, (uint32_t)k)] = 1;
    for (size_t k = 0; k < count; k++) {
        if (!joint_is_whole(&joints[k], f) || !rest_is_driven(f, &joints[k]))
            continue;
        r->awake[island_root(r->parent, (uint32_t)joints[k].a)] = 1;
        if (joints[k].b >= 0)
            r->awake[island_root(r->parent, (uint32_t)joints[k].b)] = 1;
    }
}

bool rest_update(rest_memory *r, flow *f, const contact_list *contacts, const joint *joints,
                 size_t count, double dt, weir_error *error)
{
    bool any = false;
    for (size_t k = 0; k < f->body_count; k++)
        if (body_is_moved(&f->bodies[k])) {
            measure_rest(&f->bodies[k], dt);
            any = any || f->bodies[k].still_time >= REST_TIME;
        }
    if (!any)
        return true;
    if (!memory_grow(f->mem, (void **)&r->parent, &r->parent_capacity, f->body_count, 0,
                     sizeof *r->parent) ||
        !memory_grow(f->mem, (void **)&r->awake, &r->awake_capacity, f->body_count, 0,
                     sizeof *r->awake))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for islands of bodies");
    find_islands(r, f, contacts, joints, count);
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &f->bodies[k];
        uint32_t root = island_root(r->parent, (uint32_t)k);
        if (!body_is_moved(b) || r->awake[root])
            continue;
        b->asleep = true;
        b->island = root + 1;
        b->velocity = b->spin = (vec3){0, 0, 0};
    }
    return true;
}
