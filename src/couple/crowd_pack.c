#include "couple/crowd_parts.h"

/* ------------------------------------------------------------------------ rows */

/* How fast the sides of a contact part. */
static vec3 find_relative(const crowd_body *a, const crowd_body *b, vec3 arm_a, vec3 arm_b)
{
    return vec3_sub(vec3_add(a->velocity, vec3_cross(a->spin, arm_a)),
                    vec3_add(b->velocity, vec3_cross(b->spin, arm_b)));
}

/* Without a branch: whether contacts at rest gape or overlap cannot be guessed. */
static double above_zero(double x)
{
    return x > 0 ? x : 0;
}

/* What holds for all contacts of a step. */
typedef struct contact_law {
    const flow *f;
    double dt;
    double slow; /* m/s: what meets more slowly rests */
} contact_law;

/* What is needed of a pair, and where the rows of its next contact go to. */
typedef struct pair_rows {
    const crowd *c;
    const contact_law *law;
    const crowd_body *a, *b;
    double restitution; /* share of the speed */
    double falls;       /* of the first body and not of the second: 1, the other way round: -1 */
    float *entries;     /* of its lane in its first row */
    size_t to;          /* the same in arrays of rows */
} pair_rows;

/* The speed with which a contact may close in the step, which is below 0 where it bounces: as fast
 * as couple/impact.h has it, the blow in the middle of gravity's step. */
static inline double find_allowed(const pair_rows *p, contact *at, double closing)
{
    const contact_law *law = p->law;
    double bound = above_zero(at->gap) / law->dt;
    if (p->restitution == 0 || closing <= bound)
        return bound;
    double by_gravity = -p->falls * law->f->gravity_time * vec3_dot(law->f->force, at->normal);
    double speed = closing - by_gravity;
    at->struck = speed > law->slow;
    return at->struck ? (1 - p->restitution) / 2 * by_gravity - p->restitution * speed : bound;
}

/* What the rows sum up to; next to each other in registers while they are packed. */
typedef struct row_sums {
    double drive, mend_drive, answers, size, depth;
    bool overlapping;
} row_sums;

/* The two rows of a contact in 2D, that of the normal and that of friction: computed at once. */
typedef double two_rows __attribute__((vector_size(16)));

static inline void put_two(float *to, size_t apart, two_rows x)
{
    typedef float two_floats __attribute__((vector_size(8)));
    two_floats y = __builtin_convertvector(x, two_floats);
    to[0] = y[0];
    to[apart] = y[1];
}

static inline void pack_flat(const pair_rows *p, contact *at, row_sums *sums)
{
    const crowd_body *a = p->a, *b = p->b;
    double turn_a = a->inverse_inertia[2][2], turn_b = b->inverse_inertia[2][2];
    double ax = at->point.x - a->centre.x, ay = at->point.y - a->centre.y;
    double bx = at->point.x - b->centre.x, by = at->point.y - b->centre.y;
    double vx = (a->velocity.x - a->spin.z * ay) - (b->velocity.x - b->spin.z * by);
    double vy = (a->velocity.y + a->spin.z * ax) - (b->velocity.y + b->spin.z * bx);
    two_rows dx = {at->normal.x, -at->normal.y}, dy = {at->normal.y, at->normal.x};
    two_rows on_a = ax * dy - ay * dx, on_b = bx * dy - by * dx;
    two_rows answer =
        a->inverse_mass + b->inverse_mass + turn_a * on_a * on_a + turn_b * on_b * on_b;
    two_rows inverse = 1 / answer, rhs = -(dx * vx + dy * vy);
    rhs[0] -= find_allowed(p, at, rhs[0]);
    two_rows driven = {above_zero(rhs[0]), rhs[1]}, drive = driven * driven * inverse;
    p->entries[0] = (float)at->normal.x;
    p->entries[CROWD_LANES] = (float)at->normal.y;
    put_two(p->entries + 2 * CROWD_LANES, 2 * CROWD_LANES, on_a);
    put_two(p->entries + 3 * CROWD_LANES, 2 * CROWD_LANES, on_b);
    put_two(p->c->rhs + p->to, CROWD_LANES, rhs);
    put_two(p->c->answer + p->to, CROWD_LANES, answer);
    put_two(p->c->inverse + p->to, CROWD_LANES, inverse);
    p->c->nu[p->to] = at->nu[0];
    p->c->nu[p->to + CROWD_LANES] = at->nu[1];
    sums->answers += answer[0];
    sums->answers += answer[1];
    sums->drive += drive[0];
    sums->drive += drive[1];
}

static void put(float *to, int first, vec3 v)
{
    to[CROWD_LANES * first] = (float)v.x;
    to[CROWD_LANES * (first + 1)] = (float)v.y;
    to[CROWD_LANES * (first + 2)] = (float)v.z;
}

static void pack_space(const pair_rows *p, contact *at, row_sums *sums)
{
    const crowd_body *a = p->a, *b = p->b;
    vec3 arm_a = vec3_sub(at->point, a->centre), arm_b = vec3_sub(at->point, b->centre);
    vec3 relative = find_relative(a, b, arm_a, arm_b), directions[3] = {at->normal};
    contact_tangents(at->normal, relative, p->law->slow, &directions[1], &directions[2]);
    at->along = directions[1];
    for (int part = 0; part < 3; part++) {
        vec3 d = directions[part], on_a = vec3_cross(arm_a, d), on_b = vec3_cross(arm_b, d);
        vec3 by_a = crowd_turn(a, on_a), by_b = crowd_turn(b, on_b);
        float *to = p->entries + CROWD_LANES * CROWD_SPACE_ENTRIES * part;
        put(to, 0, d);
        put(to, 3, on_a);
        put(to, 6, on_b);
        put(to, 9, by_a);
        put(to, 12, by_b);
        double answer =
            a->inverse_mass + b->inverse_mass + vec3_dot(on_a, by_a) + vec3_dot(on_b, by_b);
        double inverse = 1 / answer, rhs = -vec3_dot(d, relative);
        if (part == 0)
            rhs -= find_allowed(p, at, rhs);
        size_t row = p->to + (size_t)(CROWD_LANES * part);
        p->c->rhs[row] = (float)rhs;
        p->c->answer[row] = (float)answer;
        p->c->inverse[row] = (float)inverse;
        p->c->nu[row] = at->nu[part];
        sums->answers += answer;
        double driven = part > 0 ? rhs : above_zero(rhs);
        sums->drive += driven * driven * inverse;
    }
}

/* Right sides for displacements, and how deep the pair overlaps. */
static inline void pack_mending(const pair_rows *p, const contact_pair *pair, double gap,
                                row_sums *sums)
{
    double room = gap + pair->slop, off = -room < pair->mend ? -room : pair->mend;
    double driven = above_zero(off);
    p->c->mend[p->to] = (float)off;
    sums->mend_drive += driven * driven * p->c->inverse[p->to];
    if (-gap > sums->depth * pair->size)
        sums->depth = -gap / pair->size;
    sums->overlapping = sums->overlapping || room < 0;
}

static inline void go_on(pair_rows *p, int dim)
{
    size_t rows = CROWD_LANES * (size_t)dim;
    p->entries += rows * (dim == 2 ? CROWD_FLAT_ENTRIES : CROWD_SPACE_ENTRIES);
    p->to += rows;
}

static inline pair_rows open_pair(const crowd *c, const contact_pair *pair, const crowd_member *at,
                                  int dim, const contact_law *law)
{
    size_t row = CROWD_LANES * (size_t)c->batches[at->batch].row;
    size_t entries = dim == 2 ? CROWD_FLAT_ENTRIES : CROWD_SPACE_ENTRIES;
    const crowd_body *a = &c->bodies[pair->first], *b = &c->bodies[pair->second];
    return (pair_rows){.c = c,
                       .law = law,
                       .a = a,
                       .b = b,
                       .restitution = (a->restitution + b->restitution) / 2,
                       .falls = (a->inverse_mass > 0) - (b->inverse_mass > 0),
                       .entries = c->entries + entries * row + at->lane,
                       .to = row + at->lane};
}

static inline void pack_member(const crowd *c, contact_list *list, const crowd_member *at, int dim,
                               const contact_law *law, row_sums *sums)
{
    const contact_pair *pair = &list->pairs[at->pair];
    crowd_batch *batch = &c->batches[at->batch];
    pair_rows p = open_pair(c, pair, at, dim, law);
    batch->mass_a[at->lane] = (float)p.a->inverse_mass;
    batch->mass_b[at->lane] = (float)p.b->inverse_mass;
    batch->turn_a[at->lane] = (float)p.a->inverse_inertia[2][2];
    batch->turn_b[at->lane] = (float)p.b->inverse_inertia[2][2];
    batch->friction[at->lane] = (float)((p.a->friction + p.b->friction) / 2);
    sums->size = pair->size < sums->size ? pair->size : sums->size;
    for (uint32_t k = at->begin; k < at->end; k++, go_on(&p, dim)) {
        contact *touching = &list->items[k];
        if (dim == 2)
            pack_flat(&p, touching, sums);
        else
            pack_space(&p, touching, sums);
        pack_mending(&p, pair, touching->gap, sums);
    }
}

bool crowd_pack(crowd *c, flow *f, contact_list *list, double dt)
{
    if (!crowd_deal(c, f, list))
        return false;
    row_sums sums = {.size = INFINITY};
    const contact_law law = {.f = f, .dt = dt, .slow = 2 * vec3_length(f->force) * dt};
    for (size_t k = 0; f->dim == 2 && k < c->member_count; k++)
        pack_member(c, list, &c->members[k], 2, &law, &sums);
    for (size_t k = 0; f->dim == 3 && k < c->member_count; k++)
        pack_member(c, list, &c->members[k], 3, &law, &sums);
    c->drive = sums.drive;
    c->mend_drive = sums.mend_drive;
    c->answers = sums.answers;
    c->size = sums.size;
    c->depth = sums.depth;
    c->overlapping = sums.overlapping;
    return true;
}
