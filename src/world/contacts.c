/* Contacts as the last substep left them: between bodies, and where these couple by contacts, with
 * the fluid. */
#include "world/state.h"

static weir_contact describe(const weir_world *w, const contact_point *c)
{
    const body *first = &w->flow.bodies[c->first], *second = &w->flow.bodies[c->second];
    const body *mover = c->side == 0 ? first : second, *ground = c->side == 0 ? second : first;
    vec3 point = pose_point(ground->pose, c->point);
    vec3 normal = quat_rotate(ground->pose.rotation, c->normal);
    vec3 apart = vec3_sub(pose_point(mover->pose, c->sample), point);
    double height = vec3_dot(apart, c->side == 0 ? normal : vec3_scale(normal, -1));
    return (weir_contact){.a = {c->first + 1, first->generation},
                          .b = {c->second + 1, second->generation},
                          .position = point,
                          .normal = normal,
                          .distance = height - c->radius,
                          .impulse = c->impulse};
}

/* Those of sleeping pairs, then those of the last substep. */
static size_t list_touches(const weir_world *w, weir_contact *contacts, size_t capacity)
{
    const contact_memory *c = &w->contacts;
    const body *bodies = w->flow.bodies;
    size_t count = 0;
    for (size_t k = 0; k < c->sleeper_count; k++) {
        if (!bodies[c->sleepers[k].first].alive || !bodies[c->sleepers[k].second].alive)
            continue;
        if (count < capacity)
            contacts[count] = describe(w, &c->sleepers[k]);
        count++;
    }
    for (size_t n = 0; n < c->list.pair_count; n++) {
        const contact_pair *pair = &c->list.pairs[n];
        bool alive = bodies[pair->first].alive && bodies[pair->second].alive;
        for (uint32_t k = pair->begin; alive && k < pair->end; k++, count++)
            if (count < capacity) {
                contact_point point = contact_make_point(&c->list, pair, &c->list.items[k]);
                contacts[count] = describe(w, &point);
            }
    }
    return count;
}

static weir_body_id id_of(const weir_world *w, uint32_t index)
{
    if (index == MEETING_NONE)
        return (weir_body_id){0};
    return (weir_body_id){index + 1, w->flow.bodies[index].generation};
}

static bool is_there(const weir_world *w, uint32_t index)
{
    return index == MEETING_NONE || (index < w->flow.body_count && w->flow.bodies[index].alive);
}

static size_t list_meetings(const weir_world *w, weir_contact *contacts, size_t capacity)
{
    const meeting_list *list = &w->coupling.meetings;
    size_t count = 0;
    for (size_t k = 0; k < list->count; k++) {
        const meeting *m = &list->items[k];
        if (!is_there(w, m->a) || !is_there(w, m->b))
            continue;
        if (count < capacity)
            contacts[count] = (weir_contact){.a = id_of(w, m->a),
                                             .b = id_of(w, m->b),
                                             .position = m->point,
                                             .normal = m->normal,
                                             .distance = m->left,
                                             .impulse = m->impulse};
        count++;
    }
    return count;
}

size_t weir_world_get_contacts(const weir_world *w, weir_contact *contacts, size_t capacity)
{
    return world_is_by_contact(w) ? list_meetings(w, contacts, capacity)
                                  : list_touches(w, contacts, capacity);
}
