#include "method/constraint_weigh.h"

#include "method/constraint.h"
#include "method/constraint_surface.h"
#include "method/constraint_walls.h"
#include "method/constraint_work.h"
#include "par/parallel.h"

/* Weights of a candidate. */
enum { WEIGHTS_BYTES = CLUSTER_SIZE * sizeof(constraint_weight) };

void constraint_weigh_free(flow *f)
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

const constraint_weigh_passes *constraint_weigh_passes_of(const flow *f)
{
    static const constraint_weigh_passes *const levels[] = LANE_TABLE(constraint_weigh_passes_);
    return levels[f->level];
}

typedef struct weigh_job {
    flow *f;
    const constraint_data *data;
    double dt;                       /* of the move after which is weighed; 0: before it */
    double ahead;                    /* s that the search looked ahead */
    const drag_pass_constants *drag; /* NULL: there is none */
} weigh_job;

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

static void add_solids(const weigh_job *job, size_t i)
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
    const weigh_job *job = context;
    flow *f = job->f;
    size_t first, last;
    flow_chunk_range(f, begin, end, &first, &last);
    constraint_weigh_passes_of(f)->weigh(f, &job->data->constants, job->drag, begin, end);
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
    const weigh_job *job = context;
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
    const weigh_job *job = context;
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
    flow *f = ((const weigh_job *)context)->f;
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
    weigh_job job = {.f = f, .data = data, .dt = dt, .ahead = ahead, .drag = drag};
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

void constraint_weigh_after_move(flow *f, double dt)
{
    weigh(f, NULL, dt, 0);
}

void constraint_weigh_and_drag(flow *f, double dt, double xsph)
{
    const constraint_data *data = f->method_data;
    drag_pass_constants drag = scale_drag(f, data, dt, xsph);
    bool needed = drag_is_needed(f, xsph);
    if (weigh(f, needed ? &drag : NULL, 0, constraint_look_ahead(f, dt)) && needed)
        drag_finish(&data->drag, f, dt, &f->p.field[CONSTRAINT_WORK_X]);
}
