#include "couple/crowd_parts.h"

#include <string.h>

/* ------------------------------------------------------------------------ rows */

/* How fast the sides of a contact part. */
static vec3 find_relative(const crowd_body *a, const crowd_body *b, vec3 arm_a, vec3 arm_b)
{
    return vec3_sub(vec3_add(a->velocity, vec3_cross(a->spin, arm_a)),
                    vec3_add(b->velocity, vec3_cross(b->spin, arm_b)));
}

/* What a pair's contacts may do: how fast they may close in the step, or how they bounce. */
typedef struct contact_law {
    const flow *f;
    double dt;
    double slow;        /* m/s: what meets more slowly rests */
    double restitution; /* share of the speed */
    double falls;       /* of the first body and not of the second: 1, the other way round: -1 */
} contact_law;

/* The speed with which a contact may close, which is below 0 where it bounces: as fast as
 * couple/impact.h has it, the blow in the middle of gravity's step. */
static double find_allowed(const contact_law *law, contact *at, double closing)
{
    double bound = at->gap > 0 ? at->gap / law->dt : 0;
    if (law->restitution == 0 || closing <= bound)
        return bound;
    double by_gravity = -law->falls * law->f->gravity_time * vec3_dot(law->f->force, at->normal);
    double speed = closing - by_gravity;
    at->struck = speed > law->slow;
    return at->struck ? (1 - law->restitution) / 2 * by_gravity - law->restitution * speed : bound;
}

static void put(float *to, int first, vec3 v)
{
    to[CROWD_LANES * first] = (float)v.x;
    to[CROWD_LANES * (first + 1)] = (float)v.y;
    to[CROWD_LANES * (first + 2)] = (float)v.z;
}

/* A row in one lane. */
static void put_row(crowd *c, size_t row, uint32_t lane, bool is_normal, double rhs, double answer,
                    float nu)
{
    size_t to = CROWD_LANES * row + lane;
    c->rhs[to] = (float)rhs;
    c->answers += answer;
    double inverse = 1 / answer;
    c->drive += rhs > 0 || !is_normal ? rhs * rhs * inverse : 0;
    c->answer[to] = (float)answer;
    c->inverse[to] = (float)inverse;
    c->nu[to] = nu;
}

static void pack_flat(crowd *c, const contact_pair *pair, contact *at, size_t row, uint32_t lane,
                      const contact_law *law)
{
    const crowd_body *a = &c->bodies[pair->first], *b = &c->bodies[pair->second];
    double turn_a = a->inverse_inertia[2][2], turn_b = b->inverse_inertia[2][2];
    double ax = at->point.x - a->centre.x, ay = at->point.y - a->centre.y;
    double bx = at->point.x - b->centre.x, by = at->point.y - b->centre.y;
    double vx = (a->velocity.x - a->spin.z * ay) - (b->velocity.x - b->spin.z * by);
    double vy = (a->velocity.y + a->spin.z * ax) - (b->velocity.y + b->spin.z * bx);
    double dx = at->normal.x, dy = at->normal.y;
    for (int part = 0; part < 2; part++, row++) {
        double on_a = ax * dy - ay * dx, on_b = bx * dy - by * dx;
        const double entries[CROWD_FLAT_ENTRIES] = {dx,           dy, on_a, on_b, turn_a * on_a,
                                                    turn_b * on_b};
        float *to = c->entries + CROWD_LANES * CROWD_FLAT_ENTRIES * row + lane;
        for (int k = 0; k < CROWD_FLAT_ENTRIES; k++)
            to[CROWD_LANES * k] = (float)entries[k];
        double answer =
            a->inverse_mass + b->inverse_mass + turn_a * on_a * on_a + turn_b * on_b * on_b;
        double closing = -(dx * vx + dy * vy);
        put_row(c, row, lane, part == 0,
                part == 0 ? closing - find_allowed(law, at, closing) : closing, answer,
                at->nu[part]);
        dx = -at->normal.y;
        dy = at->normal.x;
    }
}

static void pack_space(crowd *c, const contact_pair *pair, contact *at, size_t row, uint32_t lane,
                       const contact_law *law)
{
    const crowd_body *a = &c->bodies[pair->first], *b = &c->bodies[pair->second];
    vec3 arm_a = vec3_sub(at->point, a->centre), arm_b = vec3_sub(at->point, b->centre);
    vec3 relative = find_relative(a, b, arm_a, arm_b), directions[3] = {at->normal};
    contact_tangents(at->normal, relative, law->slow, &directions[1], &directions[2]);
    at->along = directions[1];
    for (int part = 0; part < 3; part++, row++) {
        vec3 d = directions[part], on_a = vec3_cross(arm_a, d), on_b = vec3_cross(arm_b, d);
        vec3 by_a = crowd_turn(a, on_a), by_b = crowd_turn(b, on_b);
        float *to = c->entries + CROWD_LANES * CROWD_SPACE_ENTRIES * row + lane;
        put(to, 0, d);
        put(to, 3, on_a);
        put(to, 6, on_b);
        put(to, 9, by_a);
        put(to, 12, by_b);
        double answer =
            a->inverse_mass + b->inverse_mass + vec3_dot(on_a, by_a) + vec3_dot(on_b, by_b);
        double closing = -vec3_dot(d, relative);
        put_row(c, row, lane, part == 0,
                part == 0 ? closing - find_allowed(law, at, closing) : closing, answer,
                at->nu[part]);
    }
}

static void pack_member(crowd *c, const flow *f, contact_list *list, const crowd_member *at,
                        contact_law *law)
{
    const contact_pair *pair = &list->pairs[at->pair];
    crowd_batch *batch = &c->batches[at->batch];
    const crowd_body *a = &c->bodies[pair->first], *b = &c->bodies[pair->second];
    law->restitution = (a->restitution + b->restitution) / 2;
    law->falls = (a->inverse_mass > 0) - (b->inverse_mass > 0);
    size_t row = batch->row;
    batch->mass_a[at->lane] = (float)a->inverse_mass;
    batch->mass_b[at->lane] = (float)b->inverse_mass;
    batch->friction[at->lane] = (float)((a->friction + b->friction) / 2);
    c->size = pair->size < c->size ? pair->size : c->size;
    for (uint32_t k = at->begin; k < at->end; k++, row += (size_t)f->dim) {
        contact *touching = &list->items[k];
        if (-touching->gap > c->depth * pair->size)
            c->depth = -touching->gap / pair->size;
        c->overlapping = c->overlapping || touching->gap + pair->slop < 0;
        if (f->dim == 2)
            pack_flat(c, pair, touching, row, at->lane, law);
        else
            pack_space(c, pair, touching, row, at->lane, law);
    }
}

bool crowd_pack(crowd *c, flow *f, contact_list *list, double dt)
{
    if (!crowd_deal(c, f, list))
        return false;
    c->drive = c->answers = c->depth = 0;
    c->size = INFINITY;
    c->overlapping = false;
    contact_law law = {.f = f, .dt = dt, .slow = 2 * vec3_length(f->force) * dt};
    for (size_t k = 0; k < c->member_count; k++)
        pack_member(c, f, list, &c->members[k], &law);
    return true;
}

/* -------------------------------------------------------------------- impulses */

static void clear_impulses(crowd *c, const flow *f)
{
    for (size_t k = 0; k < f->body_count; k++)
        c->bodies[k].push = c->bodies[k].turn = (vec3){0, 0, 0};
}

/* The same as add_impulse where all lies in the plane. */
static void add_flat(crowd *c, const contact_pair *pair, vec3 point, double x, double y)
{
    crowd_body *a = &c->bodies[pair->first], *b = &c->bodies[pair->second];
    a->push.x += x;
    a->push.y += y;
    a->turn.z += (point.x - a->centre.x) * y - (point.y - a->centre.y) * x;
    b->push.x -= x;
    b->push.y -= y;
    b->turn.z -= (point.x - b->centre.x) * y - (point.y - b->centre.y) * x;
}

static void add_impulse(crowd *c, const contact_pair *pair, vec3 point, vec3 impulse)
{
    crowd_body *a = &c->bodies[pair->first], *b = &c->bodies[pair->second];
    vec3 turn_a = vec3_cross(vec3_sub(point, a->centre), impulse);
    vec3 turn_b = vec3_cross(vec3_sub(point, b->centre), impulse);
    a->push = vec3_add(a->push, impulse);
    a->turn = vec3_add(a->turn, turn_a);
    b->push = vec3_sub(b->push, impulse);
    b->turn = vec3_sub(b->turn, turn_b);
}

void crowd_unpack(crowd *c, const flow *f, contact_list *list)
{
    clear_impulses(c, f);
    for (size_t n = 0; n < c->member_count; n++) {
        const crowd_member *member = &c->members[n];
        size_t row = c->batches[member->batch].row;
        for (uint32_t k = member->begin; k < member->end; k++) {
            contact *at = &list->items[k];
            for (int part = 0; part < f->dim; part++, row++)
                at->nu[part] = c->nu[CROWD_LANES * row + member->lane];
            at->impulse = at->nu[0];
            vec3 v = at->normal, u = at->along;
            const contact_pair *pair = &list->pairs[member->pair];
            if (f->dim == 2) {
                add_flat(c, pair, at->point, v.x * at->nu[0] - v.y * at->nu[1],
                         v.y * at->nu[0] + v.x * at->nu[1]);
                continue;
            }
            vec3 impulse = vec3_madd(vec3_scale(v, at->nu[0]), at->nu[1], u);
            impulse = vec3_madd(impulse, at->nu[2], vec3_cross(v, u));
            add_impulse(c, pair, at->point, impulse);
        }
    }
}

/* --------------------------------------------------------------------- mending */

bool crowd_pack_mending(crowd *c, const flow *f, const contact_list *list)
{
    if (!c->overlapping)
        return false;
    memset(c->nu, 0, CROWD_LANES * c->row_count * sizeof *c->nu);
    c->drive = 0;
    for (size_t n = 0; n < c->member_count; n++) {
        const crowd_member *at = &c->members[n];
        const contact_pair *pair = &list->pairs[at->pair];
        size_t row = c->batches[at->batch].row;
        for (uint32_t k = at->begin; k < at->end; k++, row += (size_t)f->dim) {
            double room = list->items[k].gap + pair->slop;
            double off = -room < pair->mend ? -room : pair->mend;
            c->mend[CROWD_LANES * row + at->lane] = (float)off;
            c->drive += off > 0 ? off * off * c->inverse[CROWD_LANES * row + at->lane] : 0;
        }
    }
    return true;
}

void crowd_sum_mending(crowd *c, const flow *f, const contact_list *list)
{
    clear_impulses(c, f);
    for (size_t n = 0; n < c->member_count; n++) {
        const crowd_member *at = &c->members[n];
        size_t row = c->batches[at->batch].row;
        for (uint32_t k = at->begin; k < at->end; k++, row += (size_t)f->dim) {
            float nu = c->nu[CROWD_LANES * row + at->lane];
            const contact *by = &list->items[k];
            if (nu > 0 && f->dim == 2)
                add_flat(c, &list->pairs[at->pair], by->point, nu * by->normal.x,
                         nu * by->normal.y);
            else if (nu > 0)
                add_impulse(c, &list->pairs[at->pair], by->point, vec3_scale(by->normal, nu));
        }
    }
}
