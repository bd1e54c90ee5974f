/* Solids inside of the iterations of PBF: particles are moved by the gradient of the boundary
 * volume and out of the distance field, with friction, and rigid bodies are moved by the opposite.
 *
 * A body that many particles push at once would be moved too far by iterations that treat each
 * row alone. Each row therefore sees only its share of the body's mass (mass splitting, Tonge et
 * al. 2012), which averages what the rows want without losing any momentum. */
#include "method/pbf.h"

#include "par/parallel.h"

#include <assert.h>

static bool is_moving(const body *b)
{
    return b->alive && (vec3_dot(b->velocity, b->velocity) > 0 || vec3_dot(b->spin, b->spin) > 0);
}

/* Contacts shall be found where the bodies will be, hence before the search. Gravity is added to
 * their velocities after it, and the prediction has it already. */
void pbf_solids_predict(flow *f, double dt)
{
    pbf_data *data = f->method_data;
    if (!memory_grow(f->mem, (void **)&data->bodies, &data->body_capacity, f->body_count, 0,
                     sizeof *data->bodies)) {
        f->exhausted = true;
        return;
    }
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &f->bodies[k];
        data->bodies[k] = (pbf_body){.pose = b->pose};
        vec3 velocity = body_is_moved(b) ? vec3_madd(b->velocity, dt, f->force) : b->velocity;
        if (body_is_moved(b) || is_moving(b))
            body_displace(b, vec3_scale(velocity, dt), vec3_scale(b->spin, dt));
    }
}

/* ------------------------------------------------------------------- set-up */

enum { NEAR_GRAIN = 256 };

static void count_contacts(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pbf_job *job = context;
    const walls *w = &job->f->walls;
    size_t count = 0;
    for (size_t n = begin; n < end; n++)
        count += w->spans[w->touching[n]].count;
    job->data->near_starts[begin / NEAR_GRAIN] = count;
}

static void list_near_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pbf_job *job = context;
    const walls *w = &job->f->walls;
    pbf_reaction *reactions = job->data->reactions + job->data->near_starts[begin / NEAR_GRAIN];
    for (size_t n = begin; n < end; n++) {
        job->data->near[n] = (pbf_near){.particle = w->touching[n], .reactions = reactions};
        reactions += w->spans[w->touching[n]].count;
    }
}

/* Lists the particles near solids, as walls.touching does, with room for what they give them. */
static bool list_near(pbf_job *job)
{
    flow *f = job->f;
    pbf_data *data = job->data;
    size_t count = f->walls.touching_count, chunks = (count + NEAR_GRAIN - 1) / NEAR_GRAIN;
    if (!memory_grow(f->mem, (void **)&data->near, &data->near_capacity, count, 0,
                     sizeof *data->near) ||
        !memory_grow(f->mem, (void **)&data->near_starts, &data->near_start_capacity, chunks, 0,
                     sizeof *data->near_starts) ||
        !memory_grow(f->mem, (void **)&data->reactions, &data->reaction_capacity,
                     f->walls.contact_count, 0, sizeof *data->reactions))
        return false;
    job->near_count = count;
    parallel_for(f->threads, count, NEAR_GRAIN, count_contacts, job);
    size_t total = 0;
    for (size_t k = 0; k < chunks; k++) {
        size_t here = data->near_starts[k];
        data->near_starts[k] = total;
        total += here;
    }
    parallel_for(f->threads, count, NEAR_GRAIN, list_near_chunk, job);
    return true;
}

void pbf_solids_release(flow *f)
{
    pbf_data *data = f->method_data;
    memory_give(f->mem, data->bodies, data->body_capacity * sizeof *data->bodies);
    memory_give(f->mem, data->near, data->near_capacity * sizeof *data->near);
    memory_give(f->mem, data->near_starts, data->near_start_capacity * sizeof *data->near_starts);
    memory_give(f->mem, data->reactions, data->reaction_capacity * sizeof *data->reactions);
}

static bool find_share(const void *context, size_t n, size_t i, uint32_t w, double *terms)
{
    (void)n;
    const flow *f = ((const pbf_job *)context)->f;
    const wall_contact *c = &f->walls.spans[i].contacts[w];
    if (!body_is_moved(&f->bodies[c->body]))
        return false;
    double reach = method_pbf.wall_distance(f) + 0.25 * f->spacing;
    terms[0] = vec3_length((vec3){c->gradient[0], c->gradient[1], c->gradient[2]});
    terms[1] = c->distance < reach;
    return true;
}

/* Counts what acts on each body that is moved, to share its mass among it. */
static bool count_shares(pbf_job *job)
{
    flow *f = job->f;
    if (!flow_any_moved(f))
        return true;
    if (!contact_sums_begin(f, 2) || !contact_sums_add(f, 2, find_share, job))
        return false;
    for (size_t k = 0; k < f->body_count; k++) {
        job->data->bodies[k].slopes = f->sums.sums[k];
        job->data->bodies[k].touching = f->sums.sums[f->sums.stride + k];
    }
    return true;
}

bool pbf_solids_begin(pbf_job *job)
{
    flow *f = job->f;
    for (size_t k = 0; k < f->body_count; k++)
        f->bodies[k].pose = job->data->bodies[k].pose;
    return list_near(job) && count_shares(job);
}

/* ----------------------------------------------------------------- contacts */

/* Velocity that a body has with the momentum so far. */
static void find_velocity(const pbf_job *job, size_t k, vec3 *velocity, vec3 *spin)
{
    const body *b = &job->f->bodies[k];
    const pbf_body *sum = &job->data->bodies[k];
    *velocity = b->velocity;
    *spin = b->spin;
    if (!body_is_moved(b))
        return;
    vec3 push = vec3_add(sum->push, vec3_add(sum->stop, sum->drag));
    vec3 turn = vec3_add(sum->turn, sum->contact_turn);
    *velocity = vec3_madd(*velocity, b->inverse_mass / job->dt, push);
    *spin = vec3_madd(*spin, 1 / job->dt, body_inverse_inertia(b, turn));
}

static void measure_contact(const pbf_job *job, size_t i, wall_contact *contact)
{
    const flow *f = job->f;
    const body *b = &f->bodies[contact->body];
    vec3 point = flow_position(f, i), normal, gradient = {0, 0, 0};
    vec3 local = walls_local_point(&f->near, b, point);
    contact->distance = (float)shape_distance(b->shape, local, &normal);
    bool by_volume = b->map && f->parameters[PBF_WALLS] == PBF_WALLS_VOLUME;
    contact->volume = by_volume ? (float)boundary_volume(b->map, local, &gradient) : 0;
    normal = quat_rotate(b->pose.rotation, normal);
    gradient = quat_rotate(b->pose.rotation, gradient);
    vec3 velocity, spin;
    find_velocity(job, contact->body, &velocity, &spin);
    vec3 arm = vec3_sub(flow_nearest(f, point, b), body_centre(b));
    velocity = vec3_add(velocity, vec3_cross(spin, arm));
    const double n[3] = {normal.x, normal.y, normal.z};
    const double g[3] = {gradient.x, gradient.y, gradient.z};
    const double v[3] = {velocity.x, velocity.y, velocity.z};
    for (int a = 0; a < 3; a++) {
        contact->normal[a] = (float)n[a];
        contact->gradient[a] = (float)g[a];
        contact->velocity[a] = (float)v[a];
    }
}

/* Combines several solids: 1 − B of all is the product of each, and each gradient is weighed by
 * the share that the others leave. */
static void combine(wall_span *solids)
{
    float product = 1 - solids->filled;
    for (uint32_t k = 0; k < solids->count; k++)
        product *= 1 - solids->contacts[k].volume;
    for (uint32_t k = 0; k < solids->count; k++) {
        float left = 1 - solids->filled;
        for (uint32_t other = 0; other < solids->count; other++)
            left *= other == k ? 1 : 1 - solids->contacts[other].volume;
        for (int a = 0; a < 3; a++)
            solids->contacts[k].gradient[a] *= left;
    }
    solids->volume = 1 - product;
}

static void measure_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pbf_job *job = context;
    for (size_t n = begin; n < end; n++) {
        size_t i = job->data->near[n].particle;
        wall_span *solids = &job->f->walls.spans[i];
        for (uint32_t w = 0; w < solids->count; w++)
            measure_contact(job, i, &solids->contacts[w]);
        if (solids->count > 0)
            combine(solids);
    }
}

void pbf_solids_place(pbf_job *job)
{
    flow *f = job->f;
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &f->bodies[k];
        if (!body_is_moved(b) && !is_moving(b))
            continue;
        vec3 velocity, spin;
        b->pose = job->data->bodies[k].pose;
        find_velocity(job, k, &velocity, &spin);
        body_displace(b, vec3_scale(velocity, job->dt), vec3_scale(spin, job->dt));
    }
    parallel_for(f->threads, job->near_count, NEAR_GRAIN, measure_chunk, job);
}

/* -------------------------------------------------------------- corrections */

/* Inverse mass of a body at a point in a direction, of a part of it of the given share. */
static double give_of(const flow *f, const body *b, vec3 point, vec3 direction, double share)
{
    vec3 torque = vec3_cross(vec3_sub(flow_nearest(f, point, b), body_centre(b)), direction);
    return (b->inverse_mass * vec3_dot(direction, direction) +
            vec3_dot(torque, body_inverse_inertia(b, torque))) /
           share;
}

double pbf_solids_give(const pbf_job *job, size_t i, const wall_contact *contact)
{
    const flow *f = job->f;
    const body *b = &f->bodies[contact->body];
    if (!body_is_moved(b))
        return 0;
    vec3 gradient = {contact->gradient[0], contact->gradient[1], contact->gradient[2]};
    double length = vec3_length(gradient);
    if (length == 0)
        return 0;
    return give_of(f, b, flow_position(f, i), gradient,
                   length / job->data->bodies[contact->body].slopes);
}

static vec3 read_vector(const flow *f, int field, size_t i)
{
    float *const *from = &f->p.field[field];
    return (vec3){from[0][i], from[1][i], f->dim == 3 ? from[2][i] : 0};
}

/* What friction takes of the slip of this substep, as far as `hold` (m) allows. */
static vec3 find_drag(const pbf_job *job, size_t i, const wall_contact *contact, vec3 slip,
                      double hold, double share)
{
    const flow *f = job->f;
    const body *b = &f->bodies[contact->body];
    vec3 normal = {contact->normal[0], contact->normal[1], contact->normal[2]};
    slip = vec3_madd(slip, -vec3_dot(slip, normal), normal);
    double length = vec3_length(slip), inverse_mass = f->p.field[PBF_INVERSE_MASS][i];
    if (length == 0)
        return slip;
    vec3 along = vec3_scale(slip, 1 / length);
    double give = inverse_mass;
    if (body_is_moved(b))
        give += give_of(f, b, flow_position(f, i), along, share);
    return vec3_scale(along, -fmin(hold, length * inverse_mass / give));
}

static void write_reaction(float to[3], vec3 move, double inverse_mass)
{
    to[0] = (float)(-move.x / inverse_mass);
    to[1] = (float)(-move.y / inverse_mass);
    to[2] = (float)(-move.z / inverse_mass);
}

/* Moves particle i, which the pairs move by `move`, by one solid: by its density, then out of the
 * distance field as far as that has not done it, and against the slip. Returns the latter two. */
static vec3 touch(const pbf_job *job, size_t i, const wall_contact *contact, vec3 *move,
                  pbf_reaction *reaction)
{
    const flow *f = job->f;
    const body *b = &f->bodies[contact->body];
    double inverse_mass = f->p.field[PBF_INVERSE_MASS][i];
    vec3 normal = {contact->normal[0], contact->normal[1], contact->normal[2]};
    vec3 gradient = {contact->gradient[0], contact->gradient[1], contact->gradient[2]};
    vec3 push = vec3_scale(gradient, -inverse_mass * f->p.field[PBF_STEP][i]);
    *move = vec3_add(*move, push);

    vec3 shift = read_vector(f, PBF_SHIFT_X, i), last = read_vector(f, PBF_LAST_SHIFT_X, i);
    vec3 ahead = vec3_madd(*move, job->omega - 1, vec3_sub(shift, last));
    double gap = contact->distance + vec3_dot(ahead, normal) - method_pbf.wall_distance(f);
    vec3 v = vec3_sub(flow_velocity(f, i),
                      (vec3){contact->velocity[0], contact->velocity[1], contact->velocity[2]});
    vec3 slip = vec3_madd(vec3_add(shift, ahead), job->dt, v);
    /* What it comes in is stopped, what it lay in before is mended slowly. */
    gap = fmax(gap, fmin(vec3_dot(slip, normal), 0) - job->most_move);
    double share = 1 / fmax(job->data->bodies[contact->body].touching, 1), give = inverse_mass;
    if (body_is_moved(b) && gap < 0)
        give += give_of(f, b, flow_position(f, i), normal, share);
    vec3 stop = vec3_scale(normal, gap < 0 ? -gap * inverse_mass / give : 0), drag = {0, 0, 0};

    double hold = f->parameters[PBF_WALL_FRICTION] * vec3_dot(vec3_add(push, stop), normal);
    if (hold > 0)
        drag = find_drag(job, i, contact, slip, hold, share);
    vec3 held = vec3_add(stop, drag);
    *move = vec3_add(*move, held);
    write_reaction(reaction->push, push, inverse_mass);
    write_reaction(reaction->stop, stop, inverse_mass);
    write_reaction(reaction->drag, drag, inverse_mass);
    return held;
}

static void correct_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pbf_job *job = context;
    flow *f = job->f;
    for (size_t n = begin; n < end; n++) {
        pbf_near *near = &job->data->near[n];
        const wall_span *solids = &f->walls.spans[near->particle];
        if (solids->count == 0)
            continue;
        vec3 move = read_vector(f, PBF_MOVE_X, near->particle), held = {0, 0, 0};
        for (uint32_t w = 0; w < solids->count; w++)
            held = vec3_add(
                held, touch(job, near->particle, &solids->contacts[w], &move, &near->reactions[w]));
        const double by[3] = {move.x, move.y, move.z}, contact[3] = {held.x, held.y, held.z};
        assert(f->dim <= 3);
        for (int a = 0; a < f->dim; a++) {
            f->p.field[PBF_MOVE_X + a][near->particle] = (float)by[a];
            near->contact[a] = (float)contact[a];
        }
    }
}

static void settle_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pbf_job *job = context;
    const flow *f = job->f;
    for (size_t n = begin; n < end; n++) {
        const pbf_near *near = &job->data->near[n];
        if (f->walls.spans[near->particle].count == 0)
            continue;
        for (int a = 0; a < f->dim; a++)
            f->p.field[PBF_LAST_SHIFT_X + a][near->particle] += near->contact[a];
    }
}

/* What contact does is done: with Chebyshev's momentum it would go on and bounce. */
void pbf_solids_settle(pbf_job *job)
{
    parallel_for(job->f->threads, job->near_count, NEAR_GRAIN, settle_chunk, job);
}

static void carry_on(vec3 *value, vec3 *last, double momentum)
{
    vec3 now = *value;
    *value = vec3_madd(now, momentum, vec3_sub(now, *last));
    *last = now;
}

/* What bodies get, as components of sums. */
enum { PUSH = 0, STOP = 3, DRAG = 6, TURN = 9, CONTACT_TURN = 12, REACTION_WIDTH = 15 };

static bool find_reaction(const void *context, size_t n, size_t i, uint32_t w, double *terms)
{
    const pbf_job *job = context;
    const flow *f = job->f;
    const pbf_reaction *r = &job->data->near[n].reactions[w];
    const body *b = &f->bodies[f->walls.spans[i].contacts[w].body];
    vec3 push = {r->push[0], r->push[1], r->push[2]};
    vec3 stop = {r->stop[0], r->stop[1], r->stop[2]};
    vec3 drag = {r->drag[0], r->drag[1], r->drag[2]};
    vec3 arm = vec3_sub(flow_nearest(f, flow_position(f, i), b), body_centre(b));
    contact_terms_put(terms, PUSH, push);
    contact_terms_put(terms, STOP, stop);
    contact_terms_put(terms, DRAG, drag);
    contact_terms_put(terms, TURN, vec3_cross(arm, push));
    contact_terms_put(terms, CONTACT_TURN, vec3_cross(arm, vec3_add(stop, drag)));
    return true;
}

static void begin_sums(const pbf_job *job)
{
    contact_sums *s = &job->f->sums;
    for (size_t k = 0; k < job->f->body_count; k++) {
        const pbf_body *b = &job->data->bodies[k];
        contact_sums_put(s, PUSH, k, b->push);
        contact_sums_put(s, STOP, k, b->stop);
        contact_sums_put(s, DRAG, k, b->drag);
        contact_sums_put(s, TURN, k, b->turn);
        contact_sums_put(s, CONTACT_TURN, k, b->contact_turn);
    }
}

static void end_sums(pbf_job *job)
{
    const contact_sums *s = &job->f->sums;
    for (size_t k = 0; k < job->f->body_count; k++) {
        pbf_body *b = &job->data->bodies[k];
        b->push = contact_sums_get(s, PUSH, k);
        b->stop = contact_sums_get(s, STOP, k);
        b->drag = contact_sums_get(s, DRAG, k);
        b->turn = contact_sums_get(s, TURN, k);
        b->contact_turn = contact_sums_get(s, CONTACT_TURN, k);
    }
}

static bool sum_reactions(pbf_job *job)
{
    flow *f = job->f;
    for (size_t k = 0; k < f->body_count; k++) {
        pbf_body *b = &job->data->bodies[k];
        carry_on(&b->push, &b->last_push, job->omega - 1);
        carry_on(&b->turn, &b->last_turn, job->omega - 1);
    }
    if (!contact_sums_begin(f, REACTION_WIDTH))
        return false;
    begin_sums(job);
    bool ok = contact_sums_add(f, REACTION_WIDTH, find_reaction, job);
    end_sums(job);
    return ok;
}

void pbf_solids_correct(pbf_job *job)
{
    parallel_for(job->f->threads, job->near_count, NEAR_GRAIN, correct_chunk, job);
    if (!sum_reactions(job) || !count_shares(job))
        job->f->exhausted = true;
}

void pbf_solids_end(pbf_job *job)
{
    flow *f = job->f;
    double per_second = 1 / job->dt;
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &f->bodies[k];
        const pbf_body *sum = &job->data->bodies[k];
        if (!b->alive)
            continue;
        b->pose = sum->pose;
        vec3 push = vec3_scale(vec3_add(sum->push, sum->stop), per_second);
        vec3 turn = vec3_scale(vec3_add(sum->turn, sum->contact_turn), per_second);
        /* Through the centre, and what it turns apart. */
        body_push(b, body_centre(b), push, vec3_scale(sum->drag, per_second));
        b->angular_impulse = vec3_add(b->angular_impulse, turn);
        if (body_is_moved(b))
            b->spin = vec3_add(b->spin, body_inverse_inertia(b, turn));
    }
}
