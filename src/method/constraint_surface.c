#include "method/constraint_surface.h"

#include "method/constraint.h"
#include "method/constraint_walls.h"
#include "method/support_table.h"
#include "par/parallel.h"

#include <math.h>

/* C, measured for Wendland C2 at bodies that float (3 d in 2D, 2.5 d in 3D) and in 2D at pools, as
 * |M| over the energy of their slopes, by the support in spacings. In 3D other supports go by the
 * ratios of 2D; there a half-heavy octahedron, whose edge lies in the water's surface, wants less
 * and light round bodies more. */
static const support_value STRENGTH[] = {
    {2, {1.3, 1.5}}, {2.5, {1.9, 2.2}}, {3, {3.8, 4.4}}, {3.5, {5.6, 6.5}}};
enum { STRENGTH_COUNT = sizeof STRENGTH / sizeof STRENGTH[0] };

/* Slopes in 1/d: below the first is noise, above the second are particles thrown together. */
static const float LEAST_SLOPE = 0.06f, MOST_SLOPE = 0.5f;

/* A surface that lies on other fluid has the rest density up to its topmost particles. That of
 * fluid which falls has not, and there is nothing to make up for. */
static inline float share_of_density(float ratio)
{
    static const float FALLING = 0.8f, RESTING = 0.95f;
    return fmaxf(fminf((ratio - FALLING) / (RESTING - FALLING), 1), 0);
}

/* In fast fluid the energy is as nothing to what the fluid has of its own. */
static double calmness(const flow *f, double dt)
{
    static const double FAST = 0.3; /* spacings a step */
    return fmax(1 - f->speed_max * dt / (FAST * f->spacing), 0);
}

/* Waves lose a fifth more of their height a period by it, so it acts where something floats. */
static bool has_floaters(const flow *f)
{
    for (size_t n = 0; n < f->walls.touching_count; n++)
        if (flow_reaches_moved(f, f->walls.touching[n]))
            return true;
    return false;
}

/* The rows of the paper's walls, and rows that pull, leave surfaces of another kind. */
static double strength(const flow *f, double dt)
{
    const double *p = f->parameters;
    if (f->kernel != WEIR_KERNEL_WENDLAND_C2 || p[CONSTRAINT_COHESION] > 0 ||
        p[CONSTRAINT_WALLS] != CONSTRAINT_WALLS_VOLUME)
        return 0;
    double measured = support_find(STRENGTH, STRENGTH_COUNT, f->h / f->spacing, f->dim);
    return p[CONSTRAINT_SURFACE_BALANCE] * measured * calmness(f, dt);
}

typedef struct surface_job {
    flow *f;
    surface_constants constants;
    float energy; /* C g d³ */
} surface_job;

/* work = ∂E/∂s over V: C ρ g d³ s. */
static void find_pulls(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const surface_job *job = context;
    flow *f = job->f;
    float *const *slope = &f->p.field[CONSTRAINT_SLOPE_X];
    float *const *pull = &f->p.field[CONSTRAINT_WORK_X];
    const float *ratio = f->p.field[CONSTRAINT_RATIO];
    float spacing = (float)f->spacing;
    for (size_t first = begin; first < end; first += SURFACE_BLOCK) {
        unsigned char mark = 0;
        for (size_t i = first; i < first + SURFACE_BLOCK && i < end; i++) {
            float density = (float)f->fluids[f->p.fluid[i]].density, square = 0;
            for (int a = 0; a < f->dim; a++)
                square += slope[a][i] * slope[a][i];
            float size = spacing * sqrtf(square), share = 0;
            if (size > LEAST_SLOPE)
                share = share_of_density(ratio[i]) * fminf(1, MOST_SLOPE / size);
            mark |= share > 0;
            for (int a = 0; a < f->dim; a++)
                pull[a][i] = share * job->energy * density * slope[a][i];
        }
        job->constants.marks[first / SURFACE_BLOCK] = mark;
    }
}

static void balance_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    static const surface_pass *const levels[] = LANE_TABLE(surface_pass_);
    const surface_job *job = context;
    (*levels[job->f->level])(job->f, &job->constants, begin, end);
}

/* How a solid's part of the slope bends with the distance, 1/m²: as a flat wall's, less where the
 * solid has less volume than that, at its corners. */
static double find_bend(const flow *f, const wall_contact *contact)
{
    static const double STEP = 0.02; /* of h */
    double s = contact->distance / f->h, steepness, before, behind;
    half_space_volume(&f->flat_wall, s, &steepness);
    half_space_volume(&f->flat_wall, s - STEP, &before);
    half_space_volume(&f->flat_wall, s + STEP, &behind);
    const float *g = contact->gradient;
    double flat = fabs(steepness) / f->h;
    double share = flat > 0 ? sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / flat : 0;
    return fmin(share, 1) * (behind - before) / (2 * STEP * f->h * f->h);
}

/* In one thread and in order, because solids feel the opposite. */
static void balance_at_solids(const surface_job *job, double dt)
{
    flow *f = job->f;
    float *const *pull = &f->p.field[CONSTRAINT_WORK_X];
    for (size_t n = 0; n < f->walls.touching_count; n++) {
        size_t i = f->walls.touching[n];
        vec3 p = {pull[0][i], pull[1][i], f->dim == 3 ? pull[2][i] : 0};
        const wall_span *solids = &f->walls.spans[i];
        for (uint32_t w = 0; vec3_dot(p, p) > 0 && w < solids->count; w++) {
            const wall_contact *contact = &solids->contacts[w];
            vec3 normal = {contact->normal[0], contact->normal[1], contact->normal[2]};
            double bend = find_bend(f, contact);
            vec3 impulse = vec3_scale(normal, -dt * f->volume * vec3_dot(p, normal) * bend);
            const double change[3] = {impulse.x, impulse.y, impulse.z};
            for (int a = 0; a < f->dim; a++)
                f->p.v[a][i] += (float)(change[a] / f->fluids[f->p.fluid[i]].mass);
            body *b = &f->bodies[contact->body];
            body_push(b, flow_nearest(f, flow_position(f, i), b), vec3_scale(impulse, -1),
                      (vec3){0, 0, 0});
        }
    }
}

void constraint_surface_balance(flow *f, double dt)
{
    const constraint_data *data = f->method_data;
    double energy = strength(f, dt) * vec3_length(f->force) * pow(f->spacing, 3);
    if (!data->weighed || energy == 0 || !has_floaters(f))
        return;
    double change = -dt * f->volume * data->gradient_volume * f->kernel_factors.gradient;
    surface_job job = {.f = f,
                       .constants = {.marks = data->surface_marks,
                                     .change = (float)change,
                                     .reach2 = data->constants.reach2,
                                     .looked_ahead = data->constants.looked_ahead},
                       .energy = (float)energy};
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, find_pulls, &job);
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, balance_chunk, &job);
    balance_at_solids(&job, dt);
}
