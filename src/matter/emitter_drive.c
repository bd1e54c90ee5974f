/* Until the next layer comes, the last one keeps the speed of the jet, as a piston that drives what
 * lies before it. Left to itself it is pushed back by a jet that a wall or a pool slows down, the
 * next layer is laid upon it, and both fly apart at several times the speed. What was pushed back
 * by up to half a layer is driven, too: the next would lie upon it. */
#include "matter/emitter.h"
#include "par/parallel.h"

typedef struct drive_job {
    const emitter *e;
    flow *f;
    double reach;        /* m from the nozzle */
    double lo[3], hi[3]; /* of a box about what is driven: few particles are in it */
} drive_job;

static void find_box(drive_job *job)
{
    const emitter *e = job->e;
    for (int a = 0; a < 3; a++) {
        double ahead = vec3_part(e->direction, a) * job->reach;
        double middle = vec3_part(e->position, a) + ahead / 4; /* half behind, all before */
        double half = 0.75 * fabs(ahead) + fabs(vec3_part(e->side, a)) * e->half_width +
                      fabs(vec3_part(e->up, a)) * e->half_height;
        half += 1e-9 * (half + fabs(middle)); /* more than what rounding may take away */
        job->lo[a] = middle - half;
        job->hi[a] = middle + half;
    }
}

static bool is_in_box(const drive_job *job, size_t i)
{
    const particles *p = &job->f->p;
    for (int a = 0; a < job->f->dim; a++)
        if (!(p->x[a][i] >= job->lo[a] && p->x[a][i] <= job->hi[a]))
            return false;
    return true;
}

static bool is_driven(const drive_job *job, size_t i)
{
    const emitter *e = job->e;
    vec3 from = vec3_sub(flow_position(job->f, i), e->position);
    double ahead = vec3_dot(from, e->direction);
    return ahead >= -job->reach / 2 && ahead < job->reach &&
           emitter_nozzle_holds(e, vec3_dot(from, e->side), vec3_dot(from, e->up));
}

static void drive(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const drive_job *job = context;
    for (size_t i = begin; i < end; i++)
        if (is_in_box(job, i) && is_driven(job, i))
            for (int a = 0; a < job->f->dim; a++)
                job->f->p.v[a][i] = (float)(vec3_part(job->e->direction, a) * job->e->speed);
}

void emitter_drive(const emitter *e, flow *f)
{
    drive_job job = {.e = e, .f = f, .reach = fmin(f->spacing, e->speed / e->layer_rate)};
    find_box(&job);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, drive, &job);
}
