/* Which lanes of which batches the pairs of a crowd go to. */
#include "couple/crowd_parts.h"

#include <string.h>

/* ---------------------------------------------------------------------- bodies */

static void set_inertia(crowd_body *at, const body *b)
{
    memset(at->inverse_inertia, 0, sizeof at->inverse_inertia);
    if (b->planar) {
        at->inverse_inertia[2][2] = b->inverse_inertia[2][2];
        return;
    }
    const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        vec3 column = body_inverse_inertia(b, axes[k]);
        at->inverse_inertia[0][k] = column.x;
        at->inverse_inertia[1][k] = column.y;
        at->inverse_inertia[2][k] = column.z;
    }
}

static void list_bodies(crowd *c, const flow *f)
{
    for (size_t k = 0; k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        crowd_body *at = &c->bodies[k];
        bool central = b->centre.x == 0 && b->centre.y == 0 && b->centre.z == 0;
        at->centre = central ? b->pose.position : body_centre(b);
        at->push = at->turn = (vec3){0, 0, 0};
        at->velocity = b->velocity;
        at->spin = b->spin;
        at->friction = b->friction;
        at->restitution = b->restitution;
        at->inverse_mass = body_is_moved(b) ? b->inverse_mass : 0;
        if (at->inverse_mass > 0)
            set_inertia(at, b);
        else
            memset(at->inverse_inertia, 0, sizeof at->inverse_inertia);
    }
}

/* --------------------------------------------------------------------- batches */

static bool reserve_members(crowd *c, memory *m, const contact_list *list)
{
    size_t most = list->pair_count + c->contact_count / CROWD_POINTS;
    if (most > c->member_capacity)
        c->member_count = 0; /* growing forgets the last deal */
    return memory_grow(m, (void **)&c->members, &c->member_capacity, most, 0, sizeof *c->members);
}

static bool reserve_batches(crowd *c, memory *m, size_t needed)
{
    return memory_grow(m, (void **)&c->batches, &c->batch_capacity, needed, c->batch_count,
                       sizeof *c->batches);
}

/* The first batch from `k` on that has room; batch_count where there is none. */
static uint32_t find_open(const crowd *c, uint32_t k)
{
    while (k < c->batch_count && c->batches[k].next_open != k) {
        uint32_t next = c->batches[k].next_open;
        if (next < c->batch_count)
            c->batches[k].next_open = c->batches[next].next_open;
        k = next;
    }
    return k;
}

static bool open_batch(crowd *c, memory *m)
{
    enum { SOME = 64 };
    if (c->batch_count == c->batch_capacity && !reserve_batches(c, m, c->batch_count + SOME))
        return false;
    crowd_batch *batch = &c->batches[c->batch_count];
    memset(batch, 0, sizeof *batch);
    for (int k = 0; k < CROWD_LANES; k++)
        batch->a[k] = batch->b[k] = c->nobody;
    batch->next_open = (uint32_t)c->batch_count++;
    return true;
}

/* A pair goes to the first batch with room behind all pairs before it that share a body: sweeps
 * then do what they would do pair by pair. */
static bool place(crowd *c, memory *m, const contact_list *list, crowd_member *at)
{
    const contact_pair *pair = &list->pairs[at->pair];
    const crowd_body *a = &c->bodies[pair->first], *b = &c->bodies[pair->second];
    int32_t after = -1;
    if (a->inverse_mass > 0)
        after = c->last[pair->first];
    if (b->inverse_mass > 0 && c->last[pair->second] > after)
        after = c->last[pair->second];
    uint32_t k = find_open(c, (uint32_t)(after + 1));
    if (k >= c->batch_count) {
        k = (uint32_t)c->batch_count;
        if (!open_batch(c, m))
            return false;
    }
    crowd_batch *batch = &c->batches[k];
    at->batch = k;
    at->lane = batch->used++;
    if (batch->used == CROWD_LANES)
        batch->next_open = k + 1;
    if (a->inverse_mass > 0) {
        batch->a[at->lane] = pair->first;
        c->last[pair->first] = (int32_t)k;
    }
    if (b->inverse_mass > 0) {
        batch->b[at->lane] = pair->second;
        c->last[pair->second] = (int32_t)k;
    }
    uint32_t points = at->end - at->begin;
    batch->points = points > batch->points ? points : batch->points;
    return true;
}

static bool deal_pairs(crowd *c, const flow *f, const contact_list *list)
{
    c->member_count = c->batch_count = 0;
    c->nobody = (uint32_t)f->body_count;
    for (size_t k = 0; k < f->body_count; k++)
        c->last[k] = -1;
    for (size_t n = 0; n < list->pair_count; n++) {
        uint32_t begin = list->pairs[n].begin, end = list->pairs[n].end;
        for (uint32_t k = begin; list->pairs[n].in_crowd && k < end; k += CROWD_POINTS) {
            crowd_member *at = &c->members[c->member_count++];
            *at = (crowd_member){.pair = (uint32_t)n,
                                 .begin = k,
                                 .end = end - k > CROWD_POINTS ? k + CROWD_POINTS : end};
            if (!place(c, f->mem, list, at))
                return false;
        }
    }
    c->row_count = 0;
    for (size_t k = 0; k < c->batch_count; k++) {
        c->batches[k].row = (uint32_t)c->row_count;
        c->row_count += c->batches[k].points * (uint32_t)f->dim;
    }
    return true;
}

/* Whether the pairs of the last deal are those of now, and move the same bodies: then so is the
 * deal. */
static bool is_dealt(const crowd *c, const flow *f, const contact_list *list)
{
    uint32_t nobody = (uint32_t)f->body_count, contacts = 0;
    if (c->nobody != nobody)
        return false;
    for (size_t n = 0; n < c->member_count; n++) {
        const crowd_member *at = &c->members[n];
        if (at->pair >= list->pair_count)
            return false;
        const contact_pair *pair = &list->pairs[at->pair];
        const crowd_batch *batch = &c->batches[at->batch];
        uint32_t a = c->bodies[pair->first].inverse_mass > 0 ? pair->first : nobody;
        uint32_t b = c->bodies[pair->second].inverse_mass > 0 ? pair->second : nobody;
        if (!pair->in_crowd || at->begin < pair->begin || at->end > pair->end ||
            batch->a[at->lane] != a || batch->b[at->lane] != b)
            return false;
        contacts += at->end - at->begin;
    }
    return contacts == c->contact_count;
}

static size_t entries_of(int dim)
{
    return dim == 2 ? CROWD_FLAT_ENTRIES : CROWD_SPACE_ENTRIES;
}

static bool reserve_rows(crowd *c, memory *m, int dim, size_t rows)
{
    size_t couplings = dim == 2 ? CROWD_FLAT_COUPLINGS * rows / 2 : 0;
    const memory_array arrays[] = {
        {(void **)&c->rhs, sizeof(float)},     {(void **)&c->mend, sizeof(float)},
        {(void **)&c->inverse, sizeof(float)}, {(void **)&c->nu, sizeof(float)},
        {(void **)&c->before, sizeof(float)},  {(void **)&c->along, sizeof(float)},
        {(void **)&c->answer, sizeof(float)}};
    return memory_grow_together(m, arrays, 7, &c->row_capacity, rows) &&
           memory_grow(m, (void **)&c->entries, &c->entry_capacity, entries_of(dim) * rows, 0,
                       sizeof *c->entries) &&
           memory_grow(m, (void **)&c->couplings, &c->coupling_capacity, couplings, 0,
                       sizeof *c->couplings);
}

static bool reserve_bodies(crowd *c, memory *m, int dim, size_t count)
{
    const memory_array arrays[] = {{(void **)&c->bodies, sizeof *c->bodies},
                                   {(void **)&c->last, sizeof *c->last}};
    const memory_array work[] = {{(void **)&c->work, sizeof(float)},
                                 {(void **)&c->work_before, sizeof(float)},
                                 {(void **)&c->work_along, sizeof(float)}};
    return memory_grow_together(m, arrays, 2, &c->body_capacity, count) &&
           memory_grow_together(m, work, 3, &c->work_capacity, crowd_work_count(dim, count));
}

bool crowd_reserve(crowd *c, memory *m, int dim, size_t bodies)
{
    size_t pairs = CONTACT_PAIRS_EACH * bodies, contacts = contacts_expected(dim, bodies);
    size_t rows = contacts * (size_t)dim;
    c->member_count = 0; /* growing forgets the last deal */
    return reserve_bodies(c, m, dim, bodies) &&
           memory_grow(m, (void **)&c->members, &c->member_capacity,
                       pairs + contacts / CROWD_POINTS, 0, sizeof *c->members) &&
           /* Some lanes stay empty. */
           reserve_batches(c, m, (pairs + pairs / 2) / CROWD_LANES) &&
           reserve_rows(c, m, dim, rows + rows / 2);
}

/* Lanes and points that nobody fills do nothing. */
static void clear_rows(crowd *c, const flow *f)
{
    size_t rows = CROWD_LANES * c->row_count;
    memset(c->entries, 0, entries_of(f->dim) * rows * sizeof *c->entries);
    memset(c->rhs, 0, rows * sizeof *c->rhs);
    memset(c->mend, 0, rows * sizeof *c->mend);
    memset(c->inverse, 0, rows * sizeof *c->inverse);
    memset(c->answer, 0, rows * sizeof *c->answer);
    memset(c->nu, 0, rows * sizeof *c->nu);
}

bool crowd_deal(crowd *c, flow *f, const contact_list *list)
{
    if (!reserve_bodies(c, f->mem, f->dim, f->body_count) || !reserve_members(c, f->mem, list))
        return false;
    list_bodies(c, f);
    if (is_dealt(c, f, list))
        return true;
    if (!deal_pairs(c, f, list) || !reserve_rows(c, f->mem, f->dim, CROWD_LANES * c->row_count)) {
        c->member_count = 0; /* a deal without rows is none */
        return false;
    }
    clear_rows(c, f);
    return true;
}
