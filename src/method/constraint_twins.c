#include "method/constraint_twins.h"

#include "base/random.h"
#include "method/constraint.h"
#include "par/parallel.h"

#include <assert.h>
#include <math.h>

/* In spacings: closer than the first, particles count as at the same place. */
static const float SAME = 1e-3f;
static const double PART = 1e-2;

static bool is_twin(const flow *f, size_t i, size_t j, float within)
{
    for (int a = 0; a < f->dim; a++)
        if (!(fabsf(f->p.x[a][i] - f->p.x[a][j]) < within))
            return false;
    return true;
}

/* Particles at one place lie in one bin of one row, and those are few: a look at the next ones in
 * the order is enough. Marks the later one of two, whose partner may stay. */
static void mark_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    flow *f = context;
    float *mark = f->p.field[CONSTRAINT_WORK_X], within = SAME * (float)f->spacing;
    const uint32_t *bins = f->near.bins;
    for (size_t i = begin; i < end; i++) {
        bool found = false;
        for (size_t j = i; j > 0 && bins[j - 1] == bins[i] && !found; j--)
            found = is_twin(f, i, j - 1, within);
        mark[i] = found ? 1 : 0;
    }
}

static void move(flow *f, size_t i)
{
    double turn = 2 * M_PI * random_unit(0, f->p.id[i]);
    double rise = f->dim == 3 ? 2 * random_unit(1, f->p.id[i]) - 1 : 0;
    double flat = PART * f->spacing * sqrt(1 - rise * rise);
    const double by[3] = {flat * cos(turn), flat * sin(turn), PART * f->spacing * rise};
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++)
        f->p.x[a][i] += (float)by[a];
}

static void move_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    flow *f = context;
    for (size_t i = begin; i < end; i++)
        if (f->p.field[CONSTRAINT_WORK_X][i] != 0)
            move(f, i);
}

void constraint_part_twins(flow *f)
{
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, mark_chunk, f);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, move_chunk, f);
}
