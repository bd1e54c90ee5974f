#include "couple/contact_lcp.h"

#include "base/error.h"
#include "couple/contact_push.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rows yield by this share of their own answer. Flat faces give many rows for six motions; so they
 * share the load, and there always is one solution. Velocities are off by as little. */
static const double SOFTNESS = 1e-6;

/* Of particles, in spacings. Half a spacing would be their share of the volume; but the layer at a
 * body is packed a little too densely, as the pairs miss what the body would push. With this radius
 * boxes float 3 to 8 % too deep (docs/theory/contact-lcp.md). */
static const double RADIUS = 0.65;

/* --------------------------------------------------------------------- set-up */

/* Springs of the penalty mode where none are given: a particle at the speed that the scene can
 * reach is stopped within a radius, and damped critically by half. */
static void derive_springs(contact_lcp *c, const flow *f)
{
    double mass = f->fluid_count > 0 ? f->fluids[0].mass : 1;
    double rate = f->reference_speed / c->def.radius;
    if (c->def.stiffness == 0)
        c->def.stiffness = mass * rate * rate;
    if (c->def.damping == 0)
        c->def.damping = sqrt(c->def.stiffness * mass);
}

bool contact_lcp_init(contact_lcp *c, flow *f, const weir_coupling_def *def, weir_error *error)
{
    *c = (contact_lcp){.def = *def};
    lcp_workspace_init(&c->work, f->mem);
    if (c->def.radius == 0)
        c->def.radius = RADIUS * f->spacing;
    derive_springs(c, f);
    return meeting_finder_init(&c->finder, f, c->def.radius, error);
}

void contact_lcp_free(contact_lcp *c)
{
    memory *m = c->finder.mem;
    if (!m)
        return;
    meeting_list_free(&c->meetings, m);
    meeting_list_free(&c->overlaps, m);
    memory_give(m, c->rows, c->row_capacity * sizeof *c->rows);
    memory_give(m, c->bodies, c->body_capacity * sizeof *c->bodies);
    memory_give(m, c->vectors, c->vector_capacity * sizeof *c->vectors);
    lcp_workspace_free(&c->work);
    meeting_finder_free(&c->finder);
    *c = (contact_lcp){0};
}

/* ---------------------------------------------------------------- the problem */

enum { Q, SOFT, Z, W, POINT_MASS, VECTORS };

/* Contacts that are too far off for a row are listed for stickiness. */
static bool has_row(const contact_lcp *c, const meeting *m)
{
    return m->gap < c->finder.margin;
}

static bool reserve(contact_lcp *c, const flow *f, size_t count)
{
    memory *m = c->finder.mem;
    return memory_grow(m, (void **)&c->rows, &c->row_capacity, count, 0, sizeof *c->rows) &&
           memory_grow(m, (void **)&c->vectors, &c->vector_capacity, VECTORS * count, 0,
                       sizeof *c->vectors) &&
           memory_grow(m, (void **)&c->bodies, &c->body_capacity, f->body_count, 0,
                       sizeof *c->bodies);
}

static double *vector(const contact_lcp *c, int which)
{
    return c->vectors + (size_t)which * (c->vector_capacity / VECTORS);
}

/* Inverse masses in world axes. */
static lcp_body describe_body(const body *b)
{
    lcp_body out = {.inverse_mass = {0, 0, 0}};
    if (!body_is_moved(b))
        return out;
    out.inverse_mass = (vec3){b->inverse_mass, b->inverse_mass, b->planar ? 0 : b->inverse_mass};
    for (int k = 0; k < 3; k++) {
        vec3 column = body_inverse_inertia(b, (vec3){k == 0, k == 1, k == 2});
        out.inverse_inertia[k] = column.x;
        out.inverse_inertia[3 + k] = column.y;
        out.inverse_inertia[6 + k] = column.z;
    }
    /* The product of rotations is symmetric but for rounding. */
    double *i = out.inverse_inertia;
    i[1] = i[3] = (i[1] + i[3]) / 2;
    i[2] = i[6] = (i[2] + i[6]) / 2;
    i[5] = i[7] = (i[5] + i[7]) / 2;
    return out;
}

static void put_body(lcp_contact *row, int side, const flow *f, uint32_t index, vec3 point,
                     vec3 direction)
{
    const body *b = &f->bodies[index];
    if (!body_is_moved(b))
        return;
    row->body[side] = (int)index;
    row->linear[side] = direction;
    row->angular[side] = vec3_cross(vec3_sub(point, body_centre(b)), direction);
}

/* A row of J: n for A, −n for B (eq. 12, whose second cross product the paper leaves out). */
static lcp_contact make_row(const flow *f, const meeting *m, int point)
{
    lcp_contact row = {.point = point, .body = {-1, -1}};
    put_body(&row, 0, f, m->b, m->point, vec3_scale(m->normal, -1));
    if (point >= 0)
        row.point_direction = m->normal;
    else
        put_body(&row, 1, f, m->a, m->point, m->normal);
    return row;
}

/* Writes the rows of a list. `q` of each is left to the caller. */
static lcp_contacts make_problem(contact_lcp *c, const flow *f, const meeting_list *list)
{
    double *softness = vector(c, SOFT), *inverse = vector(c, POINT_MASS);
    lcp_contacts p = {.bodies = (int)f->body_count,
                      .rows = c->rows,
                      .point_inverse_mass = inverse,
                      .body = c->bodies,
                      .softness = softness,
                      .q = vector(c, Q)};
    for (size_t k = 0; k < f->body_count; k++)
        c->bodies[k] = describe_body(&f->bodies[k]);
    uint32_t last = MEETING_NONE;
    for (size_t k = 0; k < list->count; k++) {
        const meeting *m = &list->items[k];
        if (!has_row(c, m))
            continue;
        /* The contacts of one particle follow each other. */
        if (m->particle != MEETING_NONE && m->particle != last)
            inverse[p.points++] = 1 / f->fluids[f->p.fluid[m->particle]].mass;
        last = m->particle;
        c->rows[p.n] = make_row(f, m, m->particle == MEETING_NONE ? -1 : p.points - 1);
        softness[p.n++] = SOFTNESS * contact_give(f, m, m->normal);
    }
    return p;
}

/* Solves by the chosen solver; by Gauss–Seidel what that could not. */
static bool solve(contact_lcp *c, const lcp_contacts *p, weir_error *error)
{
    lcp_solver solver = (lcp_solver)c->def.solver;
    double *z = vector(c, Z), *w = vector(c, W);
    if (!lcp_solve_contacts(solver, p, NULL, &c->work, z, w, &c->result, error))
        return false;
    bool failed = c->result.status == LCP_RAY || c->result.status == LCP_LIMIT;
    if (!failed || !lcp_solver_is_exact(solver))
        return true;
    return lcp_solve_contacts(LCP_SOLVER_PGS, p, NULL, &c->work, z, w, &c->result, error);
}

/* ----------------------------------------------------------------- velocities */

/* Restitution of a contact (eq. 4): the coupling's for fluid, the mean of both for bodies, none for
 * fluid at fixed solids, which its method lets slip along them. */
static double restitution_of(const contact_lcp *c, const flow *f, const meeting *m)
{
    if (m->particle != MEETING_NONE)
        return body_is_moved(&f->bodies[m->b]) ? c->def.restitution : 0;
    return (f->bodies[m->a].restitution + f->bodies[m->b].restitution) / 2;
}

/* b of eq. 11, (1 + e) v. What has a gap to close at first may use it up: v⁺ >= −gap/dt. */
static double right_side(double speed, double gap, double restitution, double dt)
{
    double before = gap - dt * speed;
    if (speed < 0 && gap < 0 && restitution > 0)
        return (1 + restitution) * speed;
    return before > 0 ? gap / dt : speed;
}

static bool solve_velocities(contact_lcp *c, flow *f, double dt, weir_error *error)
{
    meeting_list *list = &c->meetings;
    lcp_contacts p = make_problem(c, f, list);
    double *q = vector(c, Q);
    const double *z = vector(c, Z);
    size_t row = 0;
    for (size_t k = 0; k < list->count; k++) {
        const meeting *m = &list->items[k];
        if (has_row(c, m))
            q[row++] = right_side(m->speed, m->gap, restitution_of(c, f, m), dt);
    }
    if (!solve(c, &p, error))
        return false;
    row = 0;
    for (size_t k = 0; k < list->count; k++) {
        meeting *m = &list->items[k];
        m->impulse = has_row(c, m) ? z[row++] : 0;
    }
    return true;
}

/* F = k_s d n + k_d (v·n) n of the paper's §4.2, d the overlap at the begin; it never pulls. */
static void press(contact_lcp *c, double dt)
{
    for (size_t k = 0; k < c->meetings.count; k++) {
        meeting *m = &c->meetings.items[k];
        double depth = dt * m->speed - m->gap;
        double force = c->def.stiffness * depth - c->def.damping * m->speed;
        m->impulse = depth > 0 ? fmax(dt * force, 0) : 0;
    }
}

bool contact_lcp_solve(contact_lcp *c, flow *f, double wall_distance, double time, double dt,
                       weir_error *error)
{
    meeting_list *list = &c->meetings;
    c->wall_distance = wall_distance;
    if (!meetings_find(&c->finder, list, f, wall_distance, time, dt, error))
        return false;
    if (!reserve(c, f, list->count > 0 ? list->count : 1))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu contacts", list->count);
    if (c->def.mode == WEIR_COUPLING_PENALTY)
        press(c, dt);
    else if (!solve_velocities(c, f, dt, error))
        return false;
    c->pushing = 0;
    for (size_t k = 0; k < list->count; k++) {
        const meeting *m = &list->items[k];
        if (!(m->impulse > 0))
            continue;
        contact_push(f, m, vec3_scale(m->normal, m->impulse), false, dt);
        c->pushing++;
    }
    if (c->pushing > c->most_pushing)
        c->most_pushing = c->pushing;
    contacts_grip(f, list, c->def.radius, dt);
    for (size_t k = 0; k < list->count; k++) {
        meeting *m = &list->items[k];
        m->left = m->gap + dt * (vec3_dot(m->normal, contact_velocity(f, m)) - m->speed);
    }
    return true;
}

/* ------------------------------------------------------------------ positions */

/* Overlaps of this share of a radius are left, so that contacts stay. */
static const double SLOP = 0.01;
/* Share of a radius that is mended in a substep at most. */
static const double MOST_MENDED = 0.2;

static void displace_particles(contact_lcp *c, flow *f)
{
    const double *z = vector(c, Z);
    size_t row = 0;
    assert(f->dim <= 3);
    for (size_t k = 0; k < c->overlaps.count; k++) {
        const meeting *m = &c->overlaps.items[k];
        if (!has_row(c, m))
            continue;
        double push = z[row++];
        if (m->particle == MEETING_NONE || !(push > 0))
            continue;
        size_t i = m->particle;
        double by = push / f->fluids[f->p.fluid[i]].mass;
        const double n[3] = {m->normal.x, m->normal.y, m->normal.z};
        for (int a = 0; a < f->dim; a++)
            f->p.x[a][i] += (float)(by * n[a]);
    }
}

static void displace_bodies(contact_lcp *c, flow *f, const lcp_contacts *p)
{
    const double *z = vector(c, Z);
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &f->bodies[k];
        vec3 shift = {0, 0, 0}, turn = {0, 0, 0};
        bool any = false;
        for (int i = 0; body_is_moved(b) && i < p->n; i++)
            for (int side = 0; side < 2; side++)
                if (p->rows[i].body[side] == (int)k && z[i] > 0) {
                    shift = vec3_madd(shift, z[i], p->rows[i].linear[side]);
                    turn = vec3_madd(turn, z[i], p->rows[i].angular[side]);
                    any = true;
                }
        if (any)
            body_displace(b, vec3_scale(shift, b->inverse_mass), body_inverse_inertia(b, turn));
    }
}

/* Lists the overlaps and notes the deepest; how deep it is. */
static bool find_overlaps(contact_lcp *c, flow *f, double *deepest, weir_error *error)
{
    meeting_list *list = &c->overlaps;
    if (!meetings_find_bodies(&c->finder, list, f, error))
        return false;
    *deepest = 0;
    for (size_t k = 0; k < list->count; k++)
        *deepest = fmax(*deepest, -list->items[k].gap);
    c->overlap_bodies = fmax(c->overlap_bodies, *deepest);
    return true;
}

/* The same problem for displacements: gaps in place of velocities. Particles that a body presses
 * against a wall are in it, as nothing else would lift the body off them. */
static bool mend_bodies(contact_lcp *c, flow *f, weir_error *error)
{
    meeting_list *list = &c->overlaps;
    if (!reserve(c, f, list->count))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu contacts", list->count);
    lcp_contacts p = make_problem(c, f, list);
    double *q = vector(c, Q), slop = SLOP * c->def.radius;
    size_t row = 0;
    for (size_t k = 0; k < list->count; k++)
        if (has_row(c, &list->items[k]))
            q[row++] = fmax(list->items[k].gap + slop, -MOST_MENDED * c->def.radius);
    lcp_result of_velocities = c->result;
    if (!solve(c, &p, error))
        return false;
    c->result = of_velocities;
    displace_particles(c, f);
    displace_bodies(c, f, &p);
    return true;
}

static void mend_particles(contact_lcp *c, flow *f, bool mend)
{
    assert(f->dim <= 3);
    for (size_t k = 0; k < c->meetings.fluid_count; k++) {
        const meeting *m = &c->meetings.items[k];
        const body *b = &f->bodies[m->b];
        if (!body_is_moved(b) || !has_row(c, m))
            continue;
        size_t i = m->particle;
        vec3 normal;
        vec3 local = walls_local_point(&f->near, b, flow_position(f, i));
        double depth = c->def.radius - shape_distance(b->shape, local, &normal);
        if (!(depth > 0))
            continue;
        c->overlap_fluid = fmax(c->overlap_fluid, depth);
        normal = quat_rotate(b->pose.rotation, normal);
        const double n[3] = {normal.x, normal.y, normal.z};
        for (int a = 0; mend && a < f->dim; a++)
            f->p.x[a][i] += (float)(depth * n[a]);
    }
}

bool contact_lcp_mend(contact_lcp *c, flow *f, weir_error *error)
{
    double deepest;
    bool mend = c->def.mode == WEIR_COUPLING_CONTACT_LCP;
    if (!find_overlaps(c, f, &deepest, error))
        return false;
    size_t of_bodies = c->overlaps.count;
    if (mend && !meetings_add_trapped(&c->finder, &c->overlaps, &c->meetings, f, c->wall_distance,
                                      SLOP * c->def.radius, error))
        return false;
    bool any = deepest > SLOP * c->def.radius || c->overlaps.count > of_bodies;
    if (mend && any && !mend_bodies(c, f, error))
        return false;
    mend_particles(c, f, mend);
    return true;
}
