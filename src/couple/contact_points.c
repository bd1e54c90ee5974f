#include "couple/contact_points.h"

void contact_points_free(contact_points *list, memory *m)
{
    memory_give(m, list->items, list->capacity * sizeof *list->items);
    *list = (contact_points){0};
}

static bool is_sleeping(const flow *f, const contact_point *c)
{
    const body *a = &f->bodies[c->first], *b = &f->bodies[c->second];
    return a->alive && b->alive && (a->asleep || b->asleep) && !body_is_moved(a) &&
           !body_is_moved(b);
}

static void keep_sleepers(contact_points *list, size_t count, const flow *f)
{
    list->count = 0;
    for (size_t k = 0; k < count; k++)
        if (is_sleeping(f, &list->items[k]))
            list->items[list->count++] = list->items[k];
    list->kept = list->count;
}

void contact_points_begin(contact_points *list, const flow *f)
{
    keep_sleepers(list, list->count, f);
}

void contact_points_again(contact_points *list, const flow *f)
{
    keep_sleepers(list, list->kept, f);
}

bool contact_points_add(contact_points *list, memory *m, const touch_pair *p, const touch *t,
                        size_t row_index)
{
    const body *first = &p->f->bodies[p->first], *second = &p->f->bodies[p->second];
    const body *mover = t->side == 0 ? first : second, *ground = t->side == 0 ? second : first;
    const contact_sample *sample = &mover->samples.points[t->sample];
    if (!memory_grow(m, (void **)&list->items, &list->capacity, list->count + 1, list->count,
                     sizeof *list->items))
        return false;
    list->items[list->count++] =
        (contact_point){.first = p->first,
                        .second = p->second,
                        .side = t->side,
                        .sample = sample->point,
                        .radius = sample->radius,
                        .point = pose_local_point(ground->pose, t->point),
                        .normal = quat_unrotate(ground->pose.rotation, t->normal),
                        .row = row_index};
    return true;
}

void contact_points_note(contact_points *list, const row_system *s)
{
    for (size_t k = list->kept; k < list->count; k++) {
        const row *r = &s->rows[list->items[k].row];
        list->items[k].impulse = r->nu + r->impact;
    }
}
