#include "couple/wall_rows.h"

#include "base/error.h"

/* g = d >= 0: −n·(v_i − v_b) <= d/dt. */
static bool add_row(row_system *s, const flow *f, size_t i, const wall_contact *contact, double gap,
                    double dt)
{
    row *r = row_system_add_row(s);
    if (!r)
        return false;
    const body *b = &f->bodies[contact->body];
    vec3 normal = {contact->normal[0], contact->normal[1], contact->normal[2]};
    r->particle = (int32_t)i;
    for (int a = 0; a < 3; a++)
        r->on_particle[a] = -contact->normal[a];
    r->bound = gap > 0 ? gap / dt : 0;
    r->violation = -gap;
    if (body_is_moved(b)) {
        vec3 arm = vec3_sub(flow_nearest(f, flow_position(f, i), b), body_centre(b));
        vec3 torque = vec3_cross(arm, normal);
        r->body_a = (int32_t)contact->body;
        const double entries[6] = {normal.x, normal.y, normal.z, torque.x, torque.y, torque.z};
        for (int k = 0; k < 6; k++)
            r->on_a[k] = entries[k];
    } else {
        r->ground = (int32_t)contact->body;
        for (int a = 0; a < 3; a++)
            r->bound -= (double)contact->normal[a] * contact->velocity[a];
    }
    return true;
}

bool wall_rows_add(row_system *s, const flow *f, double distance, double dt, weir_error *error)
{
    for (size_t n = 0; n < f->walls.touching_count; n++) {
        size_t i = f->walls.touching[n];
        const wall_span *solids = &f->walls.spans[i];
        for (uint32_t w = 0; w < solids->count; w++) {
            const wall_contact *contact = &solids->contacts[w];
            double gap = contact->distance - distance, inward = 0;
            for (int a = 0; a < f->dim; a++)
                inward -= contact->normal[a] * ((double)f->p.v[a][i] - contact->velocity[a]);
            if (gap > 0.25 * f->spacing + fmax(inward, 0) * dt)
                continue;
            if (!add_row(s, f, i, contact, gap, dt))
                return fail(error, WEIR_OUT_OF_MEMORY, "no memory for contact rows");
        }
    }
    return true;
}

void wall_rows_note(const row_system *s, flow *f)
{
    for (size_t k = 0; k < s->row_count; k++) {
        const row *r = &s->rows[k];
        if (r->particle < 0 || !(r->nu > 0))
            continue;
        body *b = &f->bodies[r->body_a >= 0 ? r->body_a : r->ground];
        vec3 into = {r->on_particle[0], r->on_particle[1], r->on_particle[2]};
        vec3 point = flow_nearest(f, flow_position(f, (size_t)r->particle), b);
        body_note_push(b, point, vec3_scale(into, (double)r->nu), (vec3){0, 0, 0});
    }
}

void wall_rows_note_pressure(const row_system *s, flow *f)
{
    const float *impulse = f->p.field[s->density->impulse];
    for (size_t n = 0; n < f->walls.touching_count; n++) {
        size_t i = f->walls.touching[n];
        const wall_span *solids = &f->walls.spans[i];
        if (impulse[i] == 0)
            continue;
        for (uint32_t w = 0; w < solids->count; w++) {
            const wall_contact *contact = &solids->contacts[w];
            vec3 push = {impulse[i] * contact->gradient[0], impulse[i] * contact->gradient[1],
                         impulse[i] * contact->gradient[2]};
            body *b = &f->bodies[contact->body];
            body_note_push(b, flow_nearest(f, flow_position(f, i), b), push, (vec3){0, 0, 0});
        }
    }
}
