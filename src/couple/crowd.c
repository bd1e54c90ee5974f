#include "couple/crowd.h"

#include "base/error.h"
#include "couple/crowd_parts.h"

#include <string.h>

void crowd_free(crowd *c, memory *m)
{
    memory_give(m, c->tied, c->island_capacity * sizeof *c->tied);
    memory_give(m, c->island, c->island_capacity * sizeof *c->island);
    memory_give(m, c->bodies, c->body_capacity * sizeof *c->bodies);
    memory_give(m, c->members, c->member_capacity * sizeof *c->members);
    memory_give(m, c->batches, c->batch_capacity * sizeof *c->batches);
    memory_give(m, c->last, c->body_capacity * sizeof *c->last);
    memory_give(m, c->entries, c->entry_capacity * sizeof *c->entries);
    memory_give(m, c->couplings, c->coupling_capacity * sizeof *c->couplings);
    float *rows[] = {c->rhs, c->mend, c->answer, c->inverse, c->nu, c->before, c->along};
    for (int k = 0; k < 7; k++)
        memory_give(m, rows[k], c->row_capacity * sizeof(float));
    float *work[] = {c->work, c->work_before, c->work_along};
    for (int k = 0; k < 3; k++)
        memory_give(m, work[k], c->work_capacity * sizeof(float));
    *c = (crowd){0};
}

/* ---------------------------------------------------------------------- sweeps */

/* Sums over rows, lane by lane, so that the order is the same however it is computed. */
static double sum_lanes(const float sums[CROWD_LANES])
{
    double sum = 0;
    for (int k = 0; k < CROWD_LANES; k++)
        sum += sums[k];
    return sum;
}

/* What a sweep still changes, next to what drives it: closer than that is not asked for. */
static const double TOLERANCE = 3e-3;

typedef struct sweep_limits {
    int few, most;
    double blow; /* squares of changes above which the few are not enough */
} sweep_limits;

static solve_result run(crowd *c, const flow *f, const float *rhs, bool normals_only,
                        const sweep_limits *limits)
{
    const crowd_sweeps *sweeps = crowd_sweeps_of(f->level, f->dim);
    const crowd_steps *steps = crowd_steps_of(f->level);
    size_t rows = CROWD_LANES * c->row_count, work = crowd_work_count(f->dim, f->body_count);
    crowd_problem problem = {.dim = f->dim,
                             .batches = c->batches,
                             .batch_count = c->batch_count,
                             .entries = c->entries,
                             .rhs = rhs,
                             .answer = c->answer,
                             .inverse = c->inverse,
                             .nu = c->nu,
                             .couplings = c->couplings,
                             .work = c->work};
    solve_result result = {0};
    double last = 0;
    memset(c->work, 0, work * sizeof *c->work);
    if (!normals_only) /* displacements start from none, with the couplings of the velocities */
        sweeps->start(&problem);
    memcpy(c->before, c->nu, rows * sizeof *c->before);
    memcpy(c->work_before, c->work, work * sizeof *c->work);
    for (;;) {
        sweeps->sweep(&problem, normals_only);
        float sums[CROWD_LANES];
        steps->measure(&problem, c->row_count, c->before, sums);
        double squares = sum_lanes(sums);
        result.residual = c->drive > 0 ? sqrt(squares / c->drive) : 0;
        result.iterations++;
        bool enough = result.iterations >= limits->few && squares <= limits->blow;
        if (squares == 0 || result.residual <= TOLERANCE || enough ||
            result.iterations >= limits->most)
            return result;
        /* A change that grows means that the direction leads astray: start anew. */
        double share = last > 0 ? squares / last : 0;
        last = squares;
        float by = share <= 1 ? (float)share : 0;
        steps->step_on(c->nu, c->before, c->along, rows, by);
        steps->step_on(c->work, c->work_before, c->work_along, work, by);
    }
}

/* ----------------------------------------------------------------------- solve */

/* Leaves the sums empty for what mending means. */
static void change_velocities(crowd *c, flow *f)
{
    for (size_t k = 0; k < f->body_count; k++) {
        crowd_body *at = &c->bodies[k];
        body *b = &f->bodies[k];
        if (at->inverse_mass == 0)
            continue;
        b->velocity = vec3_madd(b->velocity, at->inverse_mass, at->push);
        b->spin = vec3_add(b->spin, crowd_turn(at, at->turn));
        b->contact_impulse = vec3_add(b->contact_impulse, at->push);
        at->push = at->turn = (vec3){0, 0, 0};
    }
}

static void displace(crowd *c, flow *f)
{
    for (size_t k = 0; k < f->body_count; k++) {
        const crowd_body *at = &c->bodies[k];
        if (at->inverse_mass > 0 && vec3_dot(at->push, at->push) > 0)
            body_displace(&f->bodies[k], vec3_scale(at->push, at->inverse_mass),
                          crowd_turn(at, at->turn));
    }
}

/* Each step goes on from the multipliers of the last, so that few sweeps do where things lie still.
 * Where they have come to overlap, few were not enough, and blows must be met at once: those get
 * more. */
enum { FEW_SWEEPS = 4, MOST_SWEEPS = 30, MENDING_SWEEPS = 4 };
static const double SWEPT_ROWS = 4e4; /* by the few: of fewer rows they are more */
/* In sizes of the bodies: an overlap that gets the most sweeps, and a motion within the step that
 * may be left to the next. */
static const double DEEP = 0.04, BLOW = 0.002;

/* From 0 for bodies that do not overlap to 1 for those that do by DEEP. */
static double find_haste(const crowd *c)
{
    return fmin(c->depth / DEEP, 1);
}

static sweep_limits find_limits(const crowd *c, double rows, double dt)
{
    double haste = find_haste(c), blow = BLOW * c->size / dt;
    double few = fmin(fmax(SWEPT_ROWS / rows, FEW_SWEEPS), MOST_SWEEPS);
    /* With the mean answer a for all rows, a change x means the speed a x and the energy a x². */
    return (sweep_limits){.few = (int)(few + haste * (MOST_SWEEPS - few)),
                          .most = MOST_SWEEPS,
                          .blow = c->answers > 0 ? blow * blow * rows * rows / c->answers : 0};
}

bool crowd_solve(crowd *c, flow *f, contact_list *list, double dt, weir_error *error)
{
    if (!crowd_pack(c, f, list, dt))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu contacts", list->count);
    sweep_limits limits = find_limits(c, (double)(c->contact_count * (size_t)f->dim), dt);
    c->velocity_result = run(c, f, c->rhs, false, &limits);
    crowd_unpack(c, f, list);
    change_velocities(c, f);
    c->position_result = (solve_result){0};
    if (!c->overlapping)
        return true;
    memset(c->nu, 0, CROWD_LANES * c->row_count * sizeof *c->nu);
    c->drive = c->mend_drive;
    limits.few = limits.most = 2 + (int)(MENDING_SWEEPS * find_haste(c));
    c->position_result = run(c, f, c->mend, true, &limits);
    crowd_sum_mending(c, f, list);
    displace(c, f);
    return true;
}
