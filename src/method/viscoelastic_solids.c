/* Particles and solids: the three steps of Clavet et al. 2005, Algorithm 6, with wet friction
 * (eqs. 9 to 11, with the sign of eq. 11 corrected) and stickiness (eq. 12).
 *
 * 1. Bodies go on with their velocities; particles that would touch one collide with it.
 * 2. Bodies take the momentum; then contacts and joints between bodies are solved (world/step.c).
 * 3. Bodies are taken as infinitely heavy, and particles lose what still leads into them.
 *
 * The paper adds up the impulses as if each particle met the body alone, which throws a body that
 * is lighter than the particles around it. Here step 2 takes all particles as stuck to the body for
 * the moment of the collision: (M + Σ m Jᵀ N J) ΔV = Σ m Jᵀ N v̄, with N = n nᵀ + μ (1 − n nᵀ). A
 * body that nothing else stops then gets exactly what step 3 takes from the particles. Where
 * contacts or joints stop it, the rest of the momentum is given to the body at the begin of the
 * next step. */
#include "method/viscoelastic.h"

#include "matter/reactions.h"
#include "par/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* The paper's step, for which its μ is meant; other steps take a share that adds up to the same. */
static const double PAPER_STEP = 1.0 / 30;

double visco_collision_radius(const flow *f)
{
    double radius = f->parameters[VISCO_COLLISION_RADIUS];
    if (radius == 0 && f->parameters[VISCO_WALLS] == VISCO_WALLS_COLLISION)
        radius = 0.5;
    return radius * f->spacing;
}

/* What a solid does to a particle that touches it, or is near enough to stick to it. */
typedef struct touch {
    bool stops;      /* it moves into the solid, and loses that velocity */
    double friction; /* share of the velocity along the surface that it loses */
    vec3 normal;
    vec3 relative; /* m/s, v̄ */
    vec3 pull;     /* m/s that stickiness gives */
} touch;

typedef struct collision_job {
    flow *f;
    visco_data *data;
    double dt;
    double radius;   /* m, where particles collide */
    double grip;     /* m, where friction acts: the first layer that rests on the solid */
    atomic_bool any; /* particle was pushed */
} collision_job;

static collision_job make_job(flow *f, double dt)
{
    double radius = visco_collision_radius(f);
    double grip = fmax(radius, 0.5 * f->spacing) + 0.1 * f->spacing;
    return (collision_job){
        .f = f, .data = f->method_data, .dt = dt, .radius = radius, .grip = grip};
}

/* Puts copies of the bodies where their velocities bring them. */
static void advance_copies(const collision_job *job)
{
    const flow *f = job->f;
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &job->data->ahead[k];
        *b = f->bodies[k];
        if (b->alive)
            body_displace(b, vec3_scale(b->velocity, job->dt), vec3_scale(b->spin, job->dt));
    }
}

static bool find_touch(const collision_job *job, size_t i, const body *b, touch *found)
{
    const flow *f = job->f;
    vec3 x = flow_position(f, i), normal;
    double distance = shape_distance(b->shape, walls_local_point(&f->near, b, x), &normal);
    double gap = distance - job->radius;
    bool sticks = gap > 0 && gap < b->stick_distance;
    bool grips = distance < job->grip && b->wet_friction > 0;
    if (gap >= 0 && !sticks && !grips)
        return false;
    normal = quat_rotate(b->pose.rotation, normal);
    vec3 relative = vec3_sub(flow_velocity(f, i), body_velocity_at(b, flow_nearest(f, x, b)));
    *found = (touch){
        .normal = normal, .relative = relative, .stops = gap < 0 && vec3_dot(relative, normal) < 0};
    if (grips)
        found->friction = 1 - pow(1 - b->wet_friction, job->dt / PAPER_STEP);
    if (sticks)
        found->pull =
            vec3_scale(normal, -job->dt * b->stickiness * gap * (1 - gap / b->stick_distance));
    return true;
}

/* N v: what a collision removes of a relative velocity. */
static vec3 removed(const touch *t, vec3 v)
{
    vec3 along = vec3_scale(t->normal, vec3_dot(v, t->normal));
    vec3 lost = vec3_scale(vec3_sub(v, along), t->friction);
    return t->stops ? vec3_add(along, lost) : lost;
}

/* ------------------------------------------------------------ bodies: 1 and 2 */

/* The motions of a body: 0 to 2 along, 3 to 5 about the axes. In 2D only three of them. */
typedef struct body_system {
    double matrix[6][6], right[6];
    bool hit;
} body_system;

static vec3 axis(int k)
{
    return (vec3){k == 0, k == 1, k == 2};
}

bool visco_reserve_bodies(flow *f)
{
    visco_data *data = f->method_data;
    size_t count = f->body_count;
    return count == 0 || (memory_grow(f->mem, (void **)&data->pending, &data->pending_capacity,
                                      6 * count, data->pending_capacity, sizeof *data->pending) &&
                          memory_grow(f->mem, (void **)&data->ahead, &data->ahead_capacity, count,
                                      0, sizeof *data->ahead) &&
                          memory_grow(f->mem, (void **)&data->systems, &data->system_capacity,
                                      count, 0, sizeof *data->systems));
}

void visco_free_bodies(flow *f)
{
    visco_data *data = f->method_data;
    memory_give(f->mem, data->pending, data->pending_capacity * sizeof *data->pending);
    memory_give(f->mem, data->ahead, data->ahead_capacity * sizeof *data->ahead);
    memory_give(f->mem, data->systems, data->system_capacity * sizeof *data->systems);
}

static bool is_free(const body *b, int motion)
{
    return !b->planar || motion < 2 || motion == 5;
}

static void init_system(body_system *s, const body *b)
{
    memset(s, 0, sizeof *s);
    for (int k = 0; k < 3; k++) {
        vec3 column = body_inertia(b, axis(k));
        s->matrix[k][k] = b->mass;
        s->matrix[3][3 + k] = column.x;
        s->matrix[4][3 + k] = column.y;
        s->matrix[5][3 + k] = column.z;
    }
    for (int k = 0; k < 6; k++)
        if (!is_free(b, k)) {
            for (int c = 0; c < 6; c++)
                s->matrix[k][c] = s->matrix[c][k] = 0;
            s->matrix[k][k] = 1;
        }
}

static void add_touch(body_system *s, const body *b, vec3 point, double mass, const touch *t)
{
    vec3 arm = vec3_sub(point, body_centre(b)), velocity[6];
    for (int k = 0; k < 6; k++)
        velocity[k] = k < 3 ? axis(k) : vec3_cross(axis(k - 3), arm);
    vec3 given = vec3_sub(removed(t, t->relative), t->pull);
    s->hit = true;
    for (int k = 0; k < 6; k++) {
        if (!is_free(b, k))
            continue;
        s->right[k] += mass * vec3_dot(velocity[k], given);
        for (int c = 0; c < 6; c++)
            if (is_free(b, c))
                s->matrix[k][c] += mass * vec3_dot(velocity[k], removed(t, velocity[c]));
    }
}

/* Elimination without pivoting: the matrix is positive definite. */
static void solve(body_system *s)
{
    for (int k = 0; k < 6; k++)
        for (int row = k + 1; row < 6; row++) {
            double factor = s->matrix[row][k] / s->matrix[k][k];
            for (int c = k; c < 6; c++)
                s->matrix[row][c] -= factor * s->matrix[k][c];
            s->right[row] -= factor * s->right[k];
        }
    for (int k = 5; k >= 0; k--) {
        for (int c = k + 1; c < 6; c++)
            s->right[k] -= s->matrix[k][c] * s->right[c];
        s->right[k] /= s->matrix[k][k];
    }
}

/* Gives the velocity change to the body and notes what it got, as owed by the particles. */
static void take_velocity(body *b, const double change[6], double pending[6])
{
    vec3 turn = body_inertia(b, (vec3){change[3], change[4], change[5]});
    const double momentum[6] = {
        b->mass * change[0], b->mass * change[1], b->mass * change[2], turn.x, turn.y, turn.z};
    for (int k = 0; k < 6; k++)
        pending[k] -= is_free(b, k) ? momentum[k] : 0;
    body_change_velocity(b, change);
}

/* In one thread and in order, so that the sums are always the same. */
void visco_push_bodies(flow *f, double dt)
{
    visco_data *data = f->method_data;
    collision_job job = make_job(f, dt);
    if (!flow_any_moved(f))
        return;
    advance_copies(&job);
    for (size_t k = 0; k < f->body_count; k++)
        if (body_is_moved(&f->bodies[k]))
            init_system(&data->systems[k], &f->bodies[k]);
    for (size_t n = 0; n < f->walls.touching_count; n++) {
        size_t i = f->walls.touching[n];
        const wall_span *solids = &f->walls.spans[i];
        for (uint32_t w = 0; w < solids->count; w++) {
            size_t k = solids->contacts[w].body;
            touch t;
            if (!body_is_moved(&f->bodies[k]) || !find_touch(&job, i, &data->ahead[k], &t))
                continue;
            vec3 point = flow_nearest(f, flow_position(f, i), &data->ahead[k]);
            add_touch(&data->systems[k], &data->ahead[k], point, f->fluids[f->p.fluid[i]].mass, &t);
        }
    }
    for (size_t k = 0; k < f->body_count; k++)
        if (body_is_moved(&f->bodies[k]) && data->systems[k].hit) {
            solve(&data->systems[k]);
            take_velocity(&f->bodies[k], data->systems[k].right, &data->pending[6 * k]);
        }
}

void visco_settle_bodies(flow *f)
{
    visco_data *data = f->method_data;
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &f->bodies[k];
        double *p = &data->pending[6 * k];
        if (body_is_moved(b)) {
            vec3 spin = body_inverse_inertia(b, (vec3){p[3], p[4], p[5]});
            const double change[6] = {b->inverse_mass * p[0],
                                      b->inverse_mass * p[1],
                                      b->planar ? 0 : b->inverse_mass * p[2],
                                      spin.x,
                                      spin.y,
                                      spin.z};
            body_change_velocity(b, change);
        }
        memset(p, 0, 6 * sizeof *p);
    }
}

/* -------------------------------------------------------------- particles: 3 */

/* Returns whether any solid did something to it. */
static bool push_particle(const collision_job *job, size_t i)
{
    bool any = false;
    flow *f = job->f;
    const wall_span *solids = &f->walls.spans[i];
    assert(f->dim <= 3);
    for (uint32_t w = 0; w < solids->count; w++) {
        wall_contact *contact = &solids->contacts[w];
        touch t;
        memset(contact->change, 0, sizeof contact->change);
        if (!find_touch(job, i, &job->data->ahead[contact->body], &t))
            continue;
        vec3 change = vec3_sub(t.pull, removed(&t, t.relative));
        const double parts[3] = {change.x, change.y, change.z};
        for (int a = 0; a < f->dim; a++) {
            contact->change[a] = (float)parts[a];
            f->p.v[a][i] += contact->change[a];
            f->p.x[a][i] += (float)job->dt * contact->change[a];
        }
        any = true;
        memcpy(contact->normal, (float[]){(float)t.normal.x, (float)t.normal.y, (float)t.normal.z},
               sizeof contact->normal);
    }
    return any;
}

static void push_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    collision_job *job = context;
    bool any = false;
    for (size_t n = begin; n < end; n++)
        any = push_particle(job, job->f->walls.touching[n]) || any;
    if (any)
        atomic_store_explicit(&job->any, true, memory_order_relaxed);
}

/* What a solid felt of a particle, all of which the body has still to get. */
static void find_push_back(const void *context, size_t i, uint32_t w, reaction *out)
{
    const flow *f = ((const collision_job *)context)->f;
    const wall_contact *contact = &f->walls.spans[i].contacts[w];
    const float *c = contact->change, *n = contact->normal;
    if (c[0] == 0 && c[1] == 0 && c[2] == 0) {
        out->body = REACTION_NONE;
        return;
    }
    vec3 normal = {n[0], n[1], n[2]};
    out->point = flow_nearest(f, flow_position(f, i), &f->bodies[out->body]);
    out->owed = vec3_scale((vec3){c[0], c[1], c[2]}, -f->fluids[f->p.fluid[i]].mass);
    out->pressure = vec3_scale(normal, vec3_dot(out->owed, normal));
    out->viscous = vec3_sub(out->owed, out->pressure);
}

void visco_push_particles(flow *f, double dt)
{
    collision_job job = make_job(f, dt);
    if (f->body_count == 0)
        return;
    advance_copies(&job);
    parallel_for(f->threads, f->walls.touching_count, TOUCHING_GRAIN, push_chunk, &job);
    if (atomic_load(&job.any) && !reactions_owe(f, find_push_back, &job, job.data->pending))
        f->exhausted = true;
}

/* ----------------------------------------------------------------- pressures */

/* The particle's own energy depends on the boundary volume B of solids: with the paper's kernels
 * it is h/4 P per unit of ρ and h/6 P_near per unit of ρ_near. Solids push and never pull: what
 * sticks is the business of the solid's stickiness. */
static double find_push(const flow *f, size_t i)
{
    const visco_data *data = f->method_data;
    double volume = f->walls.spans[i].volume, far_slope, near_slope;
    double far = f->p.field[VISCO_FAR_PUSH][i], near = f->p.field[VISCO_NEAR_PUSH][i];
    visco_share(data->shares.far, volume, &far_slope);
    visco_share(data->shares.near, volume, &near_slope);
    return f->h * (far / 4 * (1 + data->rest.density) * far_slope +
                   near / 6 * (1 + data->rest.near) * near_slope);
}

/* Moves particle i along the gradient of one solid; what that takes from the solid, in N s. */
static vec3 displace_by_solid(flow *f, size_t i, const wall_contact *contact, double push,
                              double dt)
{
    double shift[3] = {0, 0, 0};
    for (int a = 0; a < f->dim; a++) {
        shift[a] = -push * contact->gradient[a];
        f->p.x[a][i] += (float)shift[a];
        f->p.v[a][i] += (float)(shift[a] / dt);
    }
    return vec3_scale((vec3){shift[0], shift[1], shift[2]}, -f->fluids[f->p.fluid[i]].mass / dt);
}

void visco_displace_by_solids(flow *f, size_t i, double dt)
{
    const wall_span *solids = &f->walls.spans[i];
    double push = find_push(f, i);
    for (uint32_t w = 0; push > 0 && w < solids->count; w++) {
        vec3 back = displace_by_solid(f, i, &solids->contacts[w], push, dt);
        body_push(&f->bodies[solids->contacts[w].body], flow_position(f, i), back, (vec3){0, 0, 0});
    }
}

typedef struct displace_job {
    flow *f;
    double dt;
} displace_job;

static void find_displacement(const void *context, size_t i, uint32_t w, reaction *out)
{
    const displace_job *job = context;
    double push = find_push(job->f, i);
    if (!(push > 0)) {
        out->body = REACTION_NONE;
        return;
    }
    out->pressure =
        displace_by_solid(job->f, i, &job->f->walls.spans[i].contacts[w], push, job->dt);
    out->viscous = (vec3){0, 0, 0};
    out->point = flow_position(job->f, i);
}

void visco_displace_by_all_solids(flow *f, double dt)
{
    displace_job job = {f, dt};
    if (f->parameters[VISCO_WALLS] == VISCO_WALLS_VOLUME &&
        !reactions_push(f, find_displacement, &job))
        f->exhausted = true;
}
