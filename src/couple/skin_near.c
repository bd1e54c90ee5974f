#include "couple/skin_near.h"

#include <string.h>

void skin_near_free(skin_near *s, memory *m)
{
    point_hash_destroy(&s->hash, m);
    memory_give(m, s->numbers, s->capacity * sizeof *s->numbers);
    memory_give(m, s->asked, s->capacity * sizeof *s->asked);
    memory_give(m, s->found, s->capacity * sizeof *s->found);
    *s = (skin_near){0};
}

bool skin_near_list(skin_near *s, memory *m, const surface_samples *skin, const bool *wanted,
                    double reach)
{
    const memory_array arrays[] = {{(void **)&s->numbers, sizeof *s->numbers},
                                   {(void **)&s->asked, sizeof *s->asked},
                                   {(void **)&s->found, sizeof *s->found}};
    if (!memory_grow_together(m, arrays, 3, &s->capacity, skin->count) ||
        !point_hash_clear(&s->hash, m, reach, skin->count))
        return false;
    s->skin = skin;
    s->reach = reach;
    s->question = 0;
    for (size_t n = 0; n < skin->count; n++) {
        if (wanted && !wanted[n])
            continue;
        s->numbers[s->hash.count] = (uint32_t)n;
        s->asked[s->hash.count] = 0;
        if (!point_hash_add(&s->hash, m, skin->points[n].position))
            return false;
    }
    return true;
}

typedef struct question {
    skin_near *s;
    vec3 place;
    double reach2;
} question;

/* Cells that share a chain name its points more than once. */
static void look_at(void *user, size_t index)
{
    const question *q = user;
    skin_near *s = q->s;
    if (s->asked[index] == s->question)
        return;
    s->asked[index] = s->question;
    vec3 off = vec3_sub(s->skin->points[s->numbers[index]].position, q->place);
    if (vec3_dot(off, off) < q->reach2)
        s->found[s->count++] = s->numbers[index];
}

void skin_near_find(skin_near *s, vec3 place, double reach, int dim)
{
    question q = {s, place, reach * reach};
    s->question++;
    s->count = 0;
    point_hash_near(&s->hash, place, 1, dim, look_at, &q);
}
