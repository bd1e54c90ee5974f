#include "couple/contact_rows.h"

#include "base/error.h"
#include "couple/mending.h"

#include <math.h>

/* The pair at hand. Rows push the first body along a contact's normal, the second against it. */
typedef struct pairing {
    row_system *s;
    flow *f;
    const contact_pair *pair;
    double dt;
} pairing;

static double compliance(const body *b, const double entries[6])
{
    double change[6], sum = 0;
    body_apply_impulse(b, entries, change);
    for (int k = 0; k < 6; k++)
        sum += entries[k] * change[k];
    return sum;
}

/* Entries of a row along `direction`: J v = −direction · (v_first − v_second) at the point. */
static void set_entries(row *r, const pairing *p, vec3 point, vec3 direction)
{
    const uint32_t index[2] = {p->pair->first, p->pair->second};
    double *on[2] = {r->on_a, r->on_b};
    for (int k = 0; k < 2; k++) {
        const body *b = &p->f->bodies[index[k]];
        double sign = k == 0 ? -1 : 1;
        if (!body_is_moved(b)) {
            /* What moves as it likes goes to the other side. */
            double speed = sign * vec3_dot(direction, body_velocity_at(b, point));
            r->prescribed += speed;
            r->bound -= speed;
            r->ground = (int32_t)index[k];
            continue;
        }
        vec3 turn = vec3_cross(vec3_sub(point, body_centre(b)), direction);
        const double entries[6] = {direction.x, direction.y, direction.z, turn.x, turn.y, turn.z};
        for (int e = 0; e < 6; e++)
            on[k][e] = sign * entries[e];
        *(k == 0 ? &r->body_a : &r->body_b) = (int32_t)index[k];
        /* Bodies that joints hold fast would otherwise leave a row without an answer. */
        if (b->jointed)
            r->softness += 1e-6 * compliance(b, on[k]);
    }
}

static bool add_friction(const pairing *p, const contact *c, vec3 along, int part)
{
    row *r = row_system_add_row(p->s);
    if (!r)
        return false;
    r->normal = c->row;
    r->friction =
        (p->f->bodies[p->pair->first].friction + p->f->bodies[p->pair->second].friction) / 2;
    r->key = c->key + (uint64_t)part;
    r->nu = c->nu[part];
    set_entries(r, p, c->point, along);
    return true;
}

static bool add_rows(const pairing *p, contact *c)
{
    const body *first = &p->f->bodies[p->pair->first], *second = &p->f->bodies[p->pair->second];
    c->row = (int32_t)p->s->row_count;
    row *r = row_system_add_row(p->s);
    if (!r)
        return false;
    double room = c->gap + p->pair->slop;
    r->bound = c->gap > 0 ? c->gap / p->dt : 0;
    r->violation = room > 0 ? -room : mending_share(-room, p->pair->mend);
    r->restitution = (first->restitution + second->restitution) / 2;
    r->key = c->key;
    r->nu = c->nu[0];
    set_entries(r, p, c->point, c->normal);
    if (first->friction + second->friction == 0)
        return true;
    vec3 n = c->normal;
    if (p->f->dim == 2)
        return add_friction(p, c, (vec3){-n.y, n.x, 0}, 1);
    vec3 relative = vec3_sub(body_velocity_at(first, c->point), body_velocity_at(second, c->point));
    vec3 u, w;
    contact_tangents(n, relative, 2 * vec3_length(p->f->force) * p->dt, &u, &w);
    return add_friction(p, c, u, 1) && add_friction(p, c, w, 2);
}

bool contact_rows_add(row_system *s, flow *f, contact_memory *c, double dt, weir_error *error)
{
    for (size_t n = 0; n < c->list.pair_count; n++) {
        pairing p = {s, f, &c->list.pairs[n], dt};
        for (uint32_t k = p.pair->begin; !p.pair->in_crowd && k < p.pair->end; k++)
            if (!add_rows(&p, &c->list.items[k]))
                return fail(error, WEIR_OUT_OF_MEMORY, "no memory for contacts between bodies");
    }
    return true;
}

/* -------------------------------------------------------------------- memory */

static void note_contact(flow *f, const row *r)
{
    const int32_t bodies[2] = {r->body_a, r->body_b};
    const double *on[2] = {r->on_a, r->on_b};
    double impulse = r->nu + r->impact;
    for (int k = 0; k < 2; k++)
        if (bodies[k] >= 0) {
            body *b = &f->bodies[bodies[k]];
            b->contact_impulse =
                vec3_madd(b->contact_impulse, -impulse, (vec3){on[k][0], on[k][1], on[k][2]});
        }
}

/* The normal's row, and those of friction that follow it. */
static void keep_rows(const row_system *s, flow *f, contact_memory *c, contact *at)
{
    for (size_t k = (size_t)at->row; k < s->row_count; k++) {
        const row *r = &s->rows[k];
        if (k > (size_t)at->row && r->normal != at->row)
            break;
        c->kept[c->count++] = (struct kept_contact){r->key, r->nu};
        note_contact(f, r);
    }
    at->impulse = s->rows[at->row].nu + s->rows[at->row].impact;
}

static void keep_lanes(contact_memory *c, int dim, const contact *at)
{
    for (int part = 0; part < dim; part++)
        c->kept[c->count++] =
            (struct kept_contact){at->key + (uint64_t)part, at->struck ? 0 : at->nu[part]};
}

bool contact_rows_keep(const row_system *s, flow *f, contact_memory *c, weir_error *error)
{
    if (!contacts_keep_begin(c, s->mem, c->list.count * (size_t)f->dim, error))
        return false;
    uint64_t last = 0;
    bool ordered = true;
    for (size_t n = 0; n < c->list.pair_count; n++) {
        const contact_pair *pair = &c->list.pairs[n];
        for (uint32_t k = pair->begin; k < pair->end; k++) {
            contact *at = &c->list.items[k];
            ordered = ordered && at->key >= last;
            last = at->key;
            if (pair->in_crowd)
                keep_lanes(c, f->dim, at);
            else
                keep_rows(s, f, c, at);
        }
    }
    if (!ordered)
        contacts_sort_kept(c);
    return true;
}
