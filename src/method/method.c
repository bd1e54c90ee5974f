#include "method/method.h"

#include "method/constraint.h"
#include "method/pbf.h"
#include "method/sph.h"
#include "method/viscoelastic.h"
#include "par/parallel.h"

#include <assert.h>
#include <string.h>

static const method *const all[WEIR_METHOD_COUNT] = {
    [WEIR_METHOD_SPH] = &method_sph,
    [WEIR_METHOD_CONSTRAINT] = &method_constraint,
    [WEIR_METHOD_PBF] = &method_pbf,
    [WEIR_METHOD_VISCOELASTIC] = &method_viscoelastic,
};

const method *method_get(weir_method id)
{
    return (unsigned)id < WEIR_METHOD_COUNT ? all[id] : NULL;
}

const weir_method_info *weir_method_get_info(weir_method id)
{
    const method *m = method_get(id);
    return m ? &m->info : NULL;
}

bool weir_method_find(const char *name, weir_method *id)
{
    for (int k = 0; k < WEIR_METHOD_COUNT; k++)
        if (strcmp(all[k]->info.name, name) == 0) {
            *id = (weir_method)k;
            return true;
        }
    return false;
}

typedef struct motion_job {
    flow *f;
    double dt;
} motion_job;

static void fall_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const motion_job *job = context;
    flow *f = job->f;
    const double force[3] = {f->force.x, f->force.y, f->force.z};
    float dt = (float)job->dt;
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++) {
        float change = (float)(job->dt * force[a]);
        for (size_t i = begin; i < end; i++) {
            f->p.v[a][i] += change;
            f->p.x[a][i] += dt * f->p.v[a][i];
        }
    }
}

void method_fall(flow *f, double dt)
{
    motion_job job = {f, dt};
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, fall_chunk, &job);
}

static void move_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const motion_job *job = context;
    flow *f = job->f;
    float dt = (float)job->dt;
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++)
        for (size_t i = begin; i < end; i++)
            f->p.x[a][i] += dt * f->p.v[a][i];
}

void method_move(flow *f, double dt)
{
    motion_job job = {f, dt};
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, move_chunk, &job);
}
