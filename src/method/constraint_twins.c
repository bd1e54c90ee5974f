#include "method/constraint_twins.h"

#include "base/random.h"
#include "method/constraint.h"
#include "par/parallel.h"

#include <assert.h>
#include <math.h>

/* In spacings: closer than the first, particles count as at the same place. */
static const float SAME = 1e-3f;
static const double PART = 1e-2;

/* Particles of a chunk; the fullest bin among them says how often it is gone over. */
enum { CHUNK = 256 };

/* Marks the particles at one place with the one so many before them in the order, if all from that
 * one on are `linked`: in the same bin. Whether any are. Without branches, which would be guessed
 * wrong: so the loop takes lanes. */
static inline bool mark_by(flow *f, size_t begin, size_t end, size_t before, uint32_t *linked,
                           int dim)
{
    float *mark = f->p.field[CONSTRAINT_WORK_X], within = SAME * (float)f->spacing;
    const float *x[3] = {f->p.x[0], f->p.x[1], f->p.x[2]};
    const uint32_t *bins = f->near.bins;
    uint32_t any = 0;
    for (size_t i = begin > before ? begin : before; i < end; i++) {
        uint32_t twin = linked[i - begin] & (bins[i] == bins[i - before]);
        linked[i - begin] = twin;
        any |= twin;
        for (int a = 0; a < dim; a++)
            twin &= fabsf(x[a][i] - x[a][i - before]) < within;
        mark[i] = twin ? 1 : mark[i];
    }
    return any != 0;
}

/* Particles at one place lie in one bin of one row, and those are few: a look at the ones before in
 * the order is enough. Marks the later one of two, whose partner may stay. */
static void mark_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    flow *f = context;
    uint32_t linked[CHUNK];
    for (size_t i = begin; i < end; i++) {
        f->p.field[CONSTRAINT_WORK_X][i] = 0;
        linked[i - begin] = 1;
    }
    bool more = true;
    for (size_t before = 1; more && before < end; before++)
        more = f->dim == 2 ? mark_by(f, begin, end, before, linked, 2)
                           : mark_by(f, begin, end, before, linked, 3);
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
    parallel_for(f->threads, f->p.count, CHUNK, mark_chunk, f);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, move_chunk, f);
}
