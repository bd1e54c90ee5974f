/* Which pairs are solved as a crowd: those of islands that nothing but contacts holds together. */
#include "couple/crowd_parts.h"

#include "base/error.h"
#include "couple/island_tree.h"

#include <string.h>

enum { FEW_ROWS = 400 }; /* so many are solved closely (couple/body_sweep.c) */

static void tie(crowd *c, const flow *f, size_t index)
{
    c->tied[index] = body_is_moved(&f->bodies[index]);
    c->any_tied = c->any_tied || c->tied[index];
}

/* Marks bodies on which other rows act than those of contacts: they must be solved together. */
static void find_tied(crowd *c, const flow *f, bool fluid_has_rows)
{
    c->any_tied = false;
    memset(c->tied, 0, f->body_count);
    for (size_t k = 0; k < f->body_count; k++)
        if (f->bodies[k].jointed)
            tie(c, f, k);
    for (size_t n = 0; fluid_has_rows && n < f->walls.touching_count; n++) {
        const wall_span *solids = &f->walls.spans[f->walls.touching[n]];
        for (uint32_t w = 0; w < solids->count; w++)
            tie(c, f, solids->contacts[w].body);
    }
}

/* What touches a tied body is tied. Bodies that nothing moves part the islands. */
static void spread_ties(crowd *c, const flow *f, const contact_list *list)
{
    for (size_t k = 0; k < f->body_count; k++)
        c->island[k] = (uint32_t)k;
    for (size_t n = 0; n < list->pair_count; n++) {
        const contact_pair *pair = &list->pairs[n];
        if (body_is_moved(&f->bodies[pair->first]) && body_is_moved(&f->bodies[pair->second]))
            island_join(c->island, pair->first, pair->second);
    }
    for (size_t k = 0; k < f->body_count; k++)
        if (c->tied[k])
            c->tied[island_root(c->island, (uint32_t)k)] = 1;
    for (size_t k = 0; k < f->body_count; k++)
        c->tied[k] = c->tied[island_root(c->island, (uint32_t)k)];
}

bool crowd_choose(crowd *c, flow *f, contact_list *list, bool fluid_has_rows, weir_error *error)
{
    const memory_array arrays[] = {{(void **)&c->tied, sizeof *c->tied},
                                   {(void **)&c->island, sizeof *c->island}};
    c->active = false;
    c->contact_count = 0;
    if (list->count * (size_t)f->dim <= FEW_ROWS)
        return true;
    if (!memory_grow_together(f->mem, arrays, 2, &c->island_capacity, f->body_count))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for islands of %zu bodies",
                    f->body_count);
    find_tied(c, f, fluid_has_rows);
    if (c->any_tied)
        spread_ties(c, f, list);
    size_t contacts = 0;
    for (size_t n = 0; n < list->pair_count; n++) {
        contact_pair *pair = &list->pairs[n];
        pair->in_crowd = !c->tied[pair->first] && !c->tied[pair->second];
        contacts += pair->in_crowd ? pair->end - pair->begin : 0;
    }
    c->active = contacts * (size_t)f->dim > FEW_ROWS;
    c->contact_count = c->active ? contacts : 0;
    for (size_t n = 0; !c->active && n < list->pair_count; n++)
        list->pairs[n].in_crowd = false;
    return true;
}
