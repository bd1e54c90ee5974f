#include "couple/skin_near.h"

#include "space/box_tree.h"

#include <string.h>

void skin_near_free(skin_near *s, memory *m)
{
    point_hash_destroy(&s->hash, m);
    memory_give(m, s->places, s->capacity * sizeof *s->places);
    memory_give(m, s->numbers, s->capacity * sizeof *s->numbers);
    memory_give(m, s->asked, s->capacity * sizeof *s->asked);
    memory_give(m, s->found, s->capacity * sizeof *s->found);
    *s = (skin_near){0};
}

bool skin_near_list(skin_near *s, memory *m, const surface_samples *skin, const bool *wanted,
                    double reach)
{
    const memory_array arrays[] = {{(void **)&s->places, sizeof *s->places},
                                   {(void **)&s->numbers, sizeof *s->numbers},
                                   {(void **)&s->asked, sizeof *s->asked},
                                   {(void **)&s->found, sizeof *s->found}};
    if (!memory_grow_together(m, arrays, 4, &s->capacity, skin->count + 1) ||
        !point_hash_clear(&s->hash, m, reach, skin->count))
        return false;
    s->listed = bounds_nowhere();
    s->question = 0;
    for (size_t n = 0; n < skin->count; n++) {
        if (wanted && !wanted[n])
            continue;
        vec3 place = skin->points[n].position;
        s->places[s->hash.count] = place;
        s->numbers[s->hash.count] = (uint32_t)n;
        s->asked[s->hash.count] = 0;
        s->listed = bounds_hold_point(s->listed, place);
        if (!point_hash_add(&s->hash, m, place))
            return false;
    }
    return true;
}

typedef struct question {
    skin_near *s;
    vec3 place;
    double reach2;
} question;

static inline void look_at(const question *q, size_t index)
{
    skin_near *s = q->s;
    vec3 off = vec3_sub(s->places[index], q->place);
    /* Written in any case: whether it is near is hard to foresee. */
    s->found[s->count] = s->numbers[index];
    s->count += vec3_dot(off, off) < q->reach2;
}

/* Cells that share a chain name its points more than once. */
static void look_once(void *user, size_t index)
{
    const question *q = user;
    skin_near *s = q->s;
    if (s->asked[index] == s->question)
        return;
    s->asked[index] = s->question;
    look_at(q, index);
}

void skin_near_find(skin_near *s, vec3 place, double reach, int dim)
{
    enum { FEW = 256 }; /* are looked at as fast as the cells around a place */
    const question q = {s, place, reach * reach};
    s->question++;
    s->count = 0;
    if (!(bounds_distance2(&s->listed, place) < q.reach2))
        return;
    if (s->hash.count > FEW)
        point_hash_near(&s->hash, place, 1, dim, look_once, (void *)(uintptr_t)&q);
    else
        for (size_t index = 0; index < s->hash.count; index++)
            look_at(&q, index);
}
