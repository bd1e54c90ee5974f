#include "method/constraint_rows.h"

#include "method/constraint.h"
#include "method/constraint_links.h"
#include "method/constraint_surface.h"
#include "method/constraint_walls.h"
#include "method/constraint_work.h"
#include "par/parallel.h"

#include <math.h>
#include <string.h>

/* Weights of a candidate. */
enum { WEIGHTS_BYTES = CLUSTER_SIZE * sizeof(constraint_weight) };

void constraint_rows_free(flow *f)
{
    constraint_data *data = f->method_data;
    memory_give(f->mem, data->constants.weights, data->weight_capacity * WEIGHTS_BYTES);
    memory_give(f->mem, data->constants.points, data->point_capacity * sizeof(constraint_point));
    memory_give(f->mem, data->constants.moments, data->moment_capacity * sizeof(constraint_moment));
    memory_give(f->mem, data->surface_marks, data->surface_capacity);
    data->constants.weights = NULL;
    data->constants.points = NULL;
    data->constants.moments = NULL;
    data->surface_marks = NULL;
    data->weight_capacity = data->point_capacity = data->surface_capacity = 0;
    data->moment_capacity = 0;
}

typedef struct constraint_job {
    flow *f;
    const constraint_data *data;
    const float *nu;
    float *rows;
    double dt;
    double fallen;                   /* s of weight that a prediction leaves out of v */
    double ahead;                    /* s that the search looked ahead */
    float mended_share;              /* of what is too dense, in this step */
    const drag_pass_constants *drag; /* NULL: there is none */
} constraint_job;

static const constraint_weigh_passes *weigh_passes(const flow *f)
{
    static const constraint_weigh_passes *const levels[] = LANE_TABLE(constraint_weigh_passes_);
    return levels[f->level];
}

static const constraint_passes *passes(const flow *f)
{
    static const constraint_passes *const levels[] = LANE_TABLE(constraint_passes_);
    return levels[f->level];
}

static void chunk_range(const flow *f, size_t begin, size_t end, size_t *first, size_t *last)
{
    *first = f->near.clusters[begin].first;
    *last = f->near.clusters[end - 1].first + f->near.clusters[end - 1].count;
}

/* The particle's own part of the diagonal. */
static inline void finish_diagonal(flow *f, size_t first, size_t last, int dim)
{
    float *const *slope = &f->p.field[CONSTRAINT_SLOPE_X];
    float *diagonal = f->p.field[CONSTRAINT_DIAGONAL];
    const float *inverse_mass = f->p.field[CONSTRAINT_INVERSE_MASS];
    for (size_t i = first; i < last; i++) {
        float slope2 = 0;
        for (int a = 0; a < dim; a++)
            slope2 += slope[a][i] * slope[a][i];
        diagonal[i] += slope2 * inverse_mass[i];
    }
}

static void note_density(flow *f, size_t first, size_t last)
{
    const float *ratio = f->p.field[CONSTRAINT_RATIO];
    float *density = f->p.field[CONSTRAINT_DENSITY], rest_density[MAX_FLUIDS];
    for (int k = 0; k < f->fluid_count; k++)
        rest_density[k] = (float)f->fluids[k].density;
    for (size_t i = first; i < last; i++)
        density[i] = rest_density[f->p.fluid[i]] * ratio[i];
}

static void add_solids(const constraint_job *job, size_t i)
{
    flow *f = job->f;
    float *ratio = f->p.field[CONSTRAINT_RATIO], *const *slope = &f->p.field[CONSTRAINT_SLOPE_X];
    const wall_span *solids = &f->walls.spans[i];
    if (job->dt > 0) {
        vec3 there;
        ratio[i] += constraint_walls_predict(f, i, job->dt, 0, &there);
        const float by[3] = {(float)there.x, (float)there.y, (float)there.z};
        for (int a = 0; a < f->dim; a++)
            slope[a][i] += by[a];
        return;
    }
    ratio[i] += solids->volume;
    for (uint32_t w = 0; w < solids->count; w++)
        for (int a = 0; a < f->dim; a++)
            slope[a][i] += solids->contacts[w].gradient[a];
}

/* Adds the solids to what the pairs gave. */
static void weigh_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    flow *f = job->f;
    size_t first, last;
    chunk_range(f, begin, end, &first, &last);
    weigh_passes(f)->weigh(f, &job->data->constants, job->drag, begin, end);
    size_t beyond = walls_first_touching(&f->walls, last);
    for (size_t n = walls_first_touching(&f->walls, first); n < beyond; n++)
        add_solids(job, f->walls.touching[n]);
    if (f->dim == 2)
        finish_diagonal(f, first, last, 2);
    else
        finish_diagonal(f, first, last, 3);
    if (job->dt == 0)
        note_density(f, first, last);
}

static void fill_points(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    flow *f = job->f;
    constraint_point *points = job->data->constants.points;
    float inverse_mass[MAX_FLUIDS];
    for (int k = 0; k < f->fluid_count; k++)
        inverse_mass[k] = (float)(1 / f->fluids[k].mass);
    for (size_t i = begin; i < end; i++)
        points[i].inverse_mass = f->p.field[CONSTRAINT_INVERSE_MASS][i] =
            inverse_mass[f->p.fluid[i]];
    float dt = (float)job->dt;
    for (int a = 0; a < f->dim; a++) {
        const float *x = f->p.x[a], *v = f->p.v[a], inv_h = f->kernel_factors.inv_h;
        float *place = f->p.field[CONSTRAINT_PLACE_X + a];
        for (size_t i = begin; i < end; i++)
            place[i] = (x[i] + dt * v[i]) * inv_h;
        for (size_t i = begin; i < end; i++)
            points[i].place[a] = place[i];
    }
}

/* Where the search saw the particles; after a move as before it. */
static void fill_ahead(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    flow *f = job->f;
    constraint_moment *moments = job->data->constants.moments;
    float seconds = (float)job->ahead;
    for (int a = 0; a < f->dim; a++) {
        const float *x = f->p.x[a], *v = f->p.v[a], inv_h = f->kernel_factors.inv_h;
        float *ahead = f->p.field[CONSTRAINT_AHEAD_X + a];
        for (size_t i = begin; i < end && job->dt == 0; i++)
            ahead[i] = (x[i] + seconds * v[i]) * inv_h;
        for (size_t i = begin; i < end; i++)
            moments[i].vector[a] = ahead[i];
    }
}

/* Places from the origins of their blocks, of clusters. */
static void fill_local(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    flow *f = ((const constraint_job *)context)->f;
    const neighbours *near = &f->near;
    float *const *place = &f->p.field[CONSTRAINT_PLACE_X];
    float *const *local = &f->p.field[CONSTRAINT_LOCAL_X], inv_h = f->kernel_factors.inv_h;
    uint32_t row = UINT32_MAX, block = UINT32_MAX;
    float origin[3] = {0, 0, 0};
    for (size_t k = begin; k < end; k++) {
        const cluster *c = &near->clusters[k];
        if (c->row != row)
            neighbours_find_row_origin(near, near->rows[c->row].id, origin);
        row = c->row;
        for (uint32_t i = c->first; i < c->first + c->count; i++) {
            if (neighbours_find_block(near->bins[i]) != block) {
                block = neighbours_find_block(near->bins[i]);
                origin[0] = neighbours_find_block_origin(near, block);
            }
            for (int a = 0; a < f->dim; a++)
                local[a][i] = place[a][i] - inv_h * origin[a];
        }
    }
}

/* Lists grow while fluid spreads: room for a quarter more. */
static bool reserve(flow *f)
{
    constraint_data *data = f->method_data;
    size_t needed = f->near.slot_count;
    if (needed > data->weight_capacity)
        needed += needed / 4;
    return memory_grow(f->mem, (void **)&data->constants.weights, &data->weight_capacity, needed, 0,
                       WEIGHTS_BYTES) &&
           memory_grow(f->mem, (void **)&data->constants.points, &data->point_capacity, f->p.count,
                       0, sizeof(constraint_point)) &&
           memory_grow(f->mem, (void **)&data->constants.moments, &data->moment_capacity,
                       f->p.count + PARTICLE_PADDING, 0, sizeof(constraint_moment)) &&
           memory_grow(f->mem, (void **)&data->surface_marks, &data->surface_capacity,
                       f->p.count / SURFACE_BLOCK + 1, 0, 1);
}

/* For weights and places over h. */
static drag_pass_constants scale_drag(const flow *f, const constraint_data *data, double dt,
                                      double xsph)
{
    drag_pass_constants drag = drag_find_constants(&data->drag, f, dt, xsph);
    float scale = f->kernel_factors.gradient / data->constants.weight_units;
    drag.viscous *= scale;
    drag.xsph *= scale * scale * (float)(f->h * f->h * data->drag.xsph_scale);
    return drag;
}

/* At the present places, of the lists of a search that looked so far ahead; then, once more, at
 * those after a move by dt v > 0. False where memory runs out. */
static bool weigh(flow *f, const drag_pass_constants *drag, double dt, double ahead)
{
    constraint_data *data = f->method_data;
    data->weighed = reserve(f);
    if (!data->weighed)
        return false;
    constraint_job job = {.f = f, .data = data, .dt = dt, .ahead = ahead, .drag = drag};
    if (dt == 0)
        data->constants.looked_ahead = ahead > 0;
    double since = pass_now();
    /* Before any chunk runs: neighbours of other chunks are read there. */
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, fill_points, &job);
    if (data->constants.looked_ahead)
        parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, fill_ahead, &job);
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, fill_local, &job);
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, weigh_chunk, &job);
    flow_note_pass(f, drag ? &weigh_drag_work : &weigh_work, since);
    return true;
}

void constraint_weigh(flow *f)
{
    weigh(f, NULL, 0, 0);
}

void constraint_weigh_and_drag(flow *f, double dt, double xsph)
{
    const constraint_data *data = f->method_data;
    drag_pass_constants drag = scale_drag(f, data, dt, xsph);
    bool needed = drag_is_needed(f, xsph);
    if (weigh(f, needed ? &drag : NULL, 0, constraint_look_ahead(f, dt)) && needed)
        drag_finish(&data->drag, f, dt, &f->p.field[CONSTRAINT_WORK_X]);
}

static void pull_moments(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    passes(job->f)->pull_moments(job->f, &job->data->constants, begin, end);
}

static void pull_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    passes(job->f)->pull(job->f, &job->data->constants, job->rows, begin, end);
}

static void pull(flow *f, float *rows)
{
    constraint_job job = {.f = f, .data = f->method_data, .rows = rows};
    double since = pass_now();
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, pull_moments, &job);
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, pull_chunk, &job);
    flow_note_pass(f, &pull_work, since);
}

static void take_velocities(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const flow *f = ((const constraint_job *)context)->f;
    for (int a = 0; a < f->dim; a++)
        memcpy(f->p.field[CONSTRAINT_WORK_X + a] + begin, f->p.v[a] + begin,
               (end - begin) * sizeof(float));
}

/* The products know solids at rest only. */
static void subtract_solids(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const flow *f = ((const constraint_job *)context)->f;
    for (size_t n = begin; n < end; n++) {
        size_t i = f->walls.touching[n];
        const wall_span *solids = &f->walls.spans[i];
        for (uint32_t w = 0; w < solids->count; w++) {
            float velocity[3];
            constraint_walls_velocity(f, i, &solids->contacts[w], velocity);
            for (int a = 0; a < f->dim; a++)
                f->p.field[CONSTRAINT_RATE][i] -= solids->contacts[w].gradient[a] * velocity[a];
        }
    }
}

/* Places after the move, in `work`. Weight is left out of a mean rate: what bears it is not known
 * yet, and volumes of solids bend, so that fluid at rest would be lifted. */
static void find_target_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    flow *f = job->f;
    const double force[3] = {f->force.x, f->force.y, f->force.z};
    float dt = (float)job->dt;
    for (int a = 0; a < f->dim; a++) {
        float last = (float)(job->fallen * force[a]);
        for (size_t i = begin; i < end; i++)
            f->p.field[CONSTRAINT_WORK_X + a][i] =
                (f->p.x[a][i] + dt * (f->p.v[a][i] - last)) * f->kernel_factors.inv_h;
    }
}

static void predict_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    flow *f = job->f;
    size_t first, last;
    chunk_range(f, begin, end, &first, &last);
    weigh_passes(f)->predict(f, &job->data->constants, begin, end);
    size_t beyond = walls_first_touching(&f->walls, last);
    for (size_t n = walls_first_touching(&f->walls, first); n < beyond; n++) {
        size_t i = f->walls.touching[n];
        f->p.field[CONSTRAINT_RATIO][i] +=
            constraint_walls_predict(f, i, job->dt, job->fallen, NULL);
    }
}

static void predict(flow *f, double dt, double fallen)
{
    constraint_job job = {.f = f, .data = f->method_data, .dt = dt, .fallen = fallen};
    double since = pass_now();
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, find_target_chunk, &job);
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, predict_chunk, &job);
    flow_note_pass(f, &predict_work, since);
}

/* With gradients from before a move of most of a spacing single particles were 0.4 to 1 % too dense
 * where their rows had left 0.2 %. */
static bool move_rows(flow *f, double dt)
{
    bool far = constraint_look_ahead(f, dt) > 0;
    if (far)
        weigh(f, NULL, dt, 0);
    else
        predict(f, dt, 0);
    return far;
}

/* What is too dense already is mended by so much a step: all at once, it would be thrown apart. */
static const float MENDED = 0.05f;

static void find_allowed_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    const float *ratio = job->f->p.field[CONSTRAINT_RATIO];
    float *rate = job->f->p.field[CONSTRAINT_RATE], share = job->mended_share;
    for (size_t i = begin; i < end; i++) {
        float excess = ratio[i] > 1 ? ratio[i] - 1 : 0;
        float mended = excess < MENDED ? excess : MENDED;
        rate[i] = 1 + (excess - share * mended);
    }
}

/* Crowds by a share of what is beyond, too: long steps leave waves' particles in the corners of
 * tanks, where else they came to ten times their density. Not beside bodies that give way, from
 * which single ones would shoot out and shorten all steps. */
static void part_crowds_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    static const float CROWD = 1.15f, SHARE = 0.3f, MOST = 0.15f;
    const constraint_job *job = context;
    const flow *f = job->f;
    for (size_t n = begin; n < end; n++) {
        size_t i = f->walls.touching[n];
        float beyond = f->p.field[CONSTRAINT_RATIO][i] - CROWD;
        if (beyond > 0 && !flow_reaches_moved(f, i))
            f->p.field[CONSTRAINT_RATE][i] -= job->mended_share * fminf(SHARE * beyond, MOST);
    }
}

/* Where a move ends, towards the middle of a solid or of another particle, densities rise much
 * faster than where it begins: rows that hardly feel their particle yet would throw it back with
 * many times its speed. No row asks for more than what moves its particle, if it were alone, so
 * many spacings. */
static const float MOST_MOVED = 2;

static void find_excess_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    flow *f = job->f;
    const float *ratio = f->p.field[CONSTRAINT_RATIO];
    const float *diagonal = f->p.field[CONSTRAINT_DIAGONAL];
    const float *inverse_mass = f->p.field[CONSTRAINT_INVERSE_MASS];
    float *rate = f->p.field[CONSTRAINT_RATE], per_second = (float)(1 / job->dt);
    float way = MOST_MOVED * (float)f->spacing;
    for (size_t i = begin; i < end; i++) {
        float excess = ratio[i] - rate[i], most = way * sqrtf(diagonal[i] / inverse_mass[i]);
        rate[i] = (excess < most ? excess : most) * per_second;
    }
}

/* The ratio after the move has taken the place of that before it, which the rates hold. */
static void find_mean_rate_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    float *ratio = job->f->p.field[CONSTRAINT_RATIO], *rate = job->f->p.field[CONSTRAINT_RATE];
    float per_second = (float)(1 / job->dt);
    for (size_t i = begin; i < end; i++) {
        float before = rate[i];
        rate[i] = (ratio[i] - before) * per_second;
        ratio[i] = before;
    }
}

/* Over a step that is long next to the neighbours' distances densities are no linear function of
 * the way: with rates of this moment particles that pass each other come nearer in every step, and
 * positions have to mend it. */
static void find_mean_rates(flow *f, double dt)
{
    constraint_job job = {.f = f, .dt = dt};
    memcpy(f->p.field[CONSTRAINT_RATE], f->p.field[CONSTRAINT_RATIO], f->p.count * sizeof(float));
    predict(f, dt, f->gravity_time);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, find_mean_rate_chunk, &job);
}

static void find_present_rates(flow *f)
{
    constraint_job job = {.f = f, .data = f->method_data};
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, take_velocities, &job);
    pull(f, f->p.field[CONSTRAINT_RATE]);
    parallel_for(f->threads, f->walls.touching_count, TOUCHING_GRAIN, subtract_solids, &job);
}

static bool measure(flow *f, double dt)
{
    const constraint_data *data = f->method_data;
    if (!data->weighed)
        return false;
    if (constraint_look_ahead(f, dt) > 0)
        find_mean_rates(f, dt);
    else
        find_present_rates(f);
    return true;
}

static bool foresee(flow *f, double dt, double mending)
{
    const constraint_data *data = f->method_data;
    if (!data->weighed)
        return false;
    float share = dt < mending ? (float)(dt / mending) : 1;
    constraint_job job = {.f = f, .data = data, .dt = dt, .mended_share = share};
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, find_allowed_chunk, &job);
    parallel_for(f->threads, f->walls.touching_count, TOUCHING_GRAIN, part_crowds_chunk, &job);
    predict(f, dt, 0);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, find_excess_chunk, &job);
    return true;
}

static void push_moments(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    passes(job->f)->push_moments(job->f, &job->data->constants, job->nu, begin, end);
}

static void push_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    passes(job->f)->push(job->f, &job->data->constants, job->nu, begin, end);
}

static void push(flow *f, const float *nu)
{
    constraint_job job = {.f = f, .data = f->method_data, .nu = nu};
    double since = pass_now();
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, push_moments, &job);
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, push_chunk, &job);
    flow_note_pass(f, &push_work, since);
}

const density_rows constraint_rows = {
    .measure = measure,
    .foresee = foresee,
    .predict = move_rows,
    .push = push,
    .pull = pull,
    .count_links = constraint_count_links,
    .fill_links = constraint_fill_links,
    .ratio = CONSTRAINT_RATIO,
    .rate = CONSTRAINT_RATE,
    .diagonal = CONSTRAINT_DIAGONAL,
    .slope = CONSTRAINT_SLOPE_X,
    .inverse_mass = CONSTRAINT_INVERSE_MASS,
    .work = CONSTRAINT_WORK_X,
    .nu = CONSTRAINT_NU,
    .mu = CONSTRAINT_MU,
    .impulse = CONSTRAINT_IMPULSE,
};
