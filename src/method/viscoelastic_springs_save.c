/* Springs as plain arrays in the order of the particles, and back. */
#include "base/error.h"
#include "method/viscoelastic_springs_store.h"

#include <stdio.h>
#include <string.h>

static const char STARTED[] = "springs/started", COUNTS[] = "springs/count",
                  PARTNERS[] = "springs/partner", LENGTHS[] = "springs/length";

static bool reserve_counts(springs *s, size_t count)
{
    s->saved.count = count;
    return count == 0 || memory_grow(s->mem, (void **)&s->saved.counts, &s->saved.count_capacity,
                                     count, 0, sizeof *s->saved.counts);
}

static bool reserve_ends(springs *s, size_t ends)
{
    s->saved.ends = ends;
    return ends == 0 ||
           (memory_grow(s->mem, (void **)&s->saved.partners, &s->saved.partner_capacity, ends, 0,
                        sizeof *s->saved.partners) &&
            memory_grow(s->mem, (void **)&s->saved.lengths, &s->saved.length_capacity, ends, 0,
                        sizeof *s->saved.lengths));
}

static spring_span find_list(const springs *s, uint32_t id)
{
    size_t slot = (size_t)id - s->base;
    return slot < s->range ? s->spans[slot] : (spring_span){NULL, 0};
}

/* Copies the lists into the arrays. */
static bool pack(springs *s, const particles *p)
{
    size_t ends = 0, at = 0;
    s->saved.started = s->started;
    for (size_t i = 0; s->started && i < p->count; i++)
        ends += find_list(s, p->id[i]).count;
    if (!reserve_counts(s, s->started ? p->count : 0) || !reserve_ends(s, ends))
        return false;
    for (size_t i = 0; i < s->saved.count; i++) {
        spring_span list = find_list(s, p->id[i]);
        s->saved.counts[i] = list.count;
        for (uint32_t k = 0; k < list.count; k++, at++) {
            s->saved.partners[at] = list.items[k].partner;
            s->saved.lengths[at] = list.items[k].length;
        }
    }
    return true;
}

static weir_section make_section(const char *name, weir_section_type type, size_t count, void *data)
{
    weir_section section = {.type = type, .count = count, .data = data};
    snprintf(section.name, sizeof section.name, "%s", name);
    return section;
}

bool springs_save(springs *s, const flow *f, weir_section sections[SPRING_SECTIONS])
{
    if (!s->saved.restoring && !pack(s, &f->p))
        return false;
    sections[0] = make_section(STARTED, WEIR_SECTION_U8, 1, &s->saved.started);
    sections[1] = make_section(COUNTS, WEIR_SECTION_U32, s->saved.count, s->saved.counts);
    sections[2] = make_section(PARTNERS, WEIR_SECTION_U32, s->saved.ends, s->saved.partners);
    sections[3] = make_section(LENGTHS, WEIR_SECTION_F32, s->saved.ends, s->saved.lengths);
    return true;
}

bool springs_reserve(springs *s, const char *section, size_t count)
{
    if (!s->saved.restoring) {
        s->saved.restoring = true;
        s->saved.count = s->saved.ends = 0;
    }
    if (strcmp(section, COUNTS) == 0)
        return reserve_counts(s, count);
    return strcmp(section, PARTNERS) != 0 || reserve_ends(s, count);
}

/* Whether the arrays say what lists can be made of. */
static bool check_saved(const springs *s, const particles *p, weir_error *error)
{
    size_t ends = 0;
    for (size_t i = 0; i < s->saved.count; i++)
        ends += s->saved.counts[i];
    if ((s->saved.count != 0 && s->saved.count != p->count) || ends != s->saved.ends)
        return fail(error, WEIR_FORMAT,
                    "the springs of %zu particles with %zu ends do not fit %zu particles", //
                    s->saved.count, s->saved.ends, p->count);
    for (size_t k = 0; k < ends; k++)
        if (!(s->saved.lengths[k] > 0) || s->saved.partners[k] >= p->next_id)
            return fail(error, WEIR_FORMAT, "spring %zu leads to particle %u and is %g m long", k,
                        s->saved.partners[k], (double)s->saved.lengths[k]);
    return true;
}

bool springs_restore(springs *s, const flow *f, weir_error *error)
{
    const particles *p = &f->p;
    s->saved.restoring = false;
    if (!check_saved(s, p, error))
        return false;
    s->started = true; /* whatever there was, goes */
    springs_clear(s);
    if (!springs_fit_window(s, f))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the springs of %zu particles",
                    p->count);
    arena *room = springs_side_arena(s, s->side, 0);
    size_t at = 0;
    for (size_t i = 0; i < s->saved.count; i++) {
        uint32_t count = s->saved.counts[i];
        spring *items = count > 0 ? arena_reserve(room, count * sizeof *items) : NULL;
        if (count > 0 && !items)
            return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu springs", s->saved.ends / 2);
        for (uint32_t k = 0; k < count; k++, at++)
            items[k] = (spring){s->saved.partners[at], s->saved.lengths[at]};
        if (count > 0)
            arena_commit(room, count * sizeof *items);
        s->spans[p->id[i] - s->base] = (spring_span){items, count};
    }
    s->started = s->saved.started != 0;
    s->ends = s->saved.ends;
    return true;
}
