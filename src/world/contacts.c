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

static size_t list_rows(const weir_world *w, weir_contact *contacts, size_t capacity)
{
    const contact_points *list = &w->contacts.points;
    size_t count = 0;
    for (size_t k = 0; k < list->count; k++) {
        const contact_point *c = &list->items[k];
        if (!w->flow.bodies[c->first].alive || !w->flow.bodies[c->second].alive)
            continue;
        if (count < capacity)
            contacts[count] = describe(w, c);
        count++;
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
                                  : list_rows(w, contacts, capacity);
}
