#include "matter/calm.h"

#include <math.h>
#include <string.h>

/* Measured in tanks of water at rest, over windows of 1 s, of a block's way D and the scatter S of
 * its particles' ways, in spacings (docs/performance.md): D falls below 0.1 with every method but
 * SPH in 3D, where S is 0.6 and D up to 0.3; D/S is mostly below 2. Syrup that creeps, however
 * slowly, has blocks with D/S of 3 to 9; a standing wave of half a spacing has D of 1. */
static const double MOST_WAY = 0.3; /* beyond: moves, whatever the scatter */
static const double SOME_WAY = 0.1; /* beyond: moves, unless that is noise, */
static const double NOISE = 0.6;    /* less than this share of the scatter */
/* Beyond: thick liquids move where all of a block go along, by so many times their scatter. Told
 * when a window is nearly over: what sways a little, as one, goes nowhere. */
static const double CREEP_WAY = 0.01;
static const double CREEP = 2;
static const double OVER = 0.85; /* of a window */
/* Thick is what loses a motion as large as a block by its viscosity within so many windows: what
 * moves on is driven. Deep water turns over at 0.05 spacings a second for minutes, to no effect. */
static const double THICK = 10;
/* The mean over a pool, in which noise drowns: 0.002 to 0.02, while it settles or drains 0.03 to 1.
 */
static const double POOL_WAY = 0.03;

const double CALM_BODY_WAY = 0.15;

void calm_memory_free(calm_memory *c, memory *m)
{
    memory_give(m, c->blocks, c->block_capacity * sizeof *c->blocks);
    memory_give(m, c->slots, c->slot_capacity * sizeof *c->slots);
    memory_give(m, c->block_of, c->particle_capacity * sizeof *c->block_of);
    *c = (calm_memory){0};
}

static bool reserve(calm_memory *c, const flow *f)
{
    size_t count = f->p.count, slots = 64;
    while (slots < 4 * count) /* as many blocks as particles, and as many pools, at worst */
        slots *= 2;
    c->slot_mask = slots - 1;
    c->block_count = 0;
    if (!memory_grow(f->mem, (void **)&c->slots, &c->slot_capacity, slots, 0, sizeof *c->slots) ||
        !memory_grow(f->mem, (void **)&c->block_of, &c->particle_capacity, count, 0,
                     sizeof *c->block_of))
        return false;
    memset(c->slots, 0, slots * sizeof *c->slots);
    return true;
}

/* The slot of a block, or the empty one where it belongs. */
static uint32_t *find_slot(const calm_memory *c, uint32_t pool, const int32_t at[3])
{
    uint64_t key = (uint64_t)pool * 0x9E3779B185EBCA87u ^ (uint64_t)(uint32_t)at[0] * 73856093u ^
                   (uint64_t)(uint32_t)at[1] * 19349663u ^ (uint64_t)(uint32_t)at[2] * 83492791u;
    size_t k = (key ^ key >> 29) & c->slot_mask;
    while (c->slots[k] != 0) {
        const calm_block *b = &c->blocks[c->slots[k] - 1];
        if (b->pool == pool && b->at[0] == at[0] && b->at[1] == at[1] && b->at[2] == at[2])
            break;
        k = (k + 1) & c->slot_mask;
    }
    return &c->slots[k];
}

/* m from where the rest of a particle began; the shortest way on periodic axes. */
static double find_way(const flow *f, size_t i, int axis)
{
    double way = (double)f->p.x[axis][i] - f->p.still[axis][i];
    if (!f->period[axis].enabled)
        return way;
    double length = f->period[axis].hi - f->period[axis].lo;
    return way - length * floor(way / length + 0.5);
}

static int32_t find_cell(double x, double edge)
{
    return (int32_t)fmax(fmin(floor(x / edge), 1e9), -1e9);
}

static bool add_block(calm_memory *c, const flow *f, uint32_t *slot, uint32_t pool,
                      const int32_t at[3])
{
    if (!memory_grow(f->mem, (void **)&c->blocks, &c->block_capacity, c->block_count + 1,
                     c->block_count, sizeof *c->blocks))
        return false;
    c->blocks[c->block_count] = (calm_block){.pool = pool, .at = {at[0], at[1], at[2]}};
    *slot = (uint32_t)++c->block_count;
    return true;
}

/* m, across a block. */
static double find_edge(const flow *f)
{
    return f->spacing * (f->dim == 2 ? 4 : 2.5);
}

/* Blocks are some 16 particles; with those around them a window has 130 (2D) to 400 (3D). */
static bool fill_blocks(calm_memory *c, const flow *f, const uint32_t *pool_of, double elapsed,
                        double window)
{
    double edge = find_edge(f);
    for (size_t i = 0; i < f->p.count; i++) {
        int32_t at[3] = {0, 0, 0};
        for (int a = 0; a < f->dim; a++)
            at[a] = find_cell(f->p.x[a][i], edge);
        uint32_t *slot = find_slot(c, pool_of[i], at);
        if (*slot == 0 && !add_block(c, f, slot, pool_of[i], at))
            return false;
        c->block_of[i] = *slot - 1;
        calm_block *b = &c->blocks[*slot - 1];
        b->count++;
        b->age += fmod(f->p.still_time[i], window) + elapsed;
        for (int a = 0; a < f->dim; a++) {
            double way = find_way(f, i, a) / f->spacing;
            b->way[a] += way;
            b->squares += way * way;
        }
    }
    return true;
}

static bool is_moving(double way, double scatter, bool creeps)
{
    return way > MOST_WAY || (way > SOME_WAY && way > NOISE * scatter) ||
           (creeps && way > CREEP_WAY && way > CREEP * scatter);
}

static bool is_thick(const flow *f, double window)
{
    double most = 0, width = 3 * find_edge(f);
    for (int k = 0; k < f->fluid_count; k++)
        most = fmax(most, f->fluids[k].viscosity / f->fluids[k].density);
    return most * THICK * window > width * width;
}

/* By the sums over the block and those around it: a few particles on a surface tell nothing. */
static bool has_moved(const calm_memory *c, const calm_block *b, int dim, double oldest)
{
    double count = 0, way[3] = {0, 0, 0}, squares = 0, age = 0;
    int depth = dim == 3 ? 1 : 0;
    for (int z = -depth; z <= depth; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                int32_t at[3] = {b->at[0] + x, b->at[1] + y, b->at[2] + z};
                uint32_t found = *find_slot(c, b->pool, at);
                if (found == 0)
                    continue;
                const calm_block *other = &c->blocks[found - 1];
                count += other->count;
                squares += other->squares;
                age += other->age;
                for (int a = 0; a < 3; a++)
                    way[a] += other->way[a];
            }
    double mean2 = 0;
    for (int a = 0; a < 3; a++)
        mean2 += way[a] / count * (way[a] / count);
    return is_moving(sqrt(mean2), sqrt(fmax(squares / count - mean2, 0)), age > oldest * count);
}

/* Blocks of pools that sink, rise or run as a whole. Sums of a pool are kept in the block of its
 * first particle, whose cell none can have. */
static bool mark_pools(calm_memory *c, const flow *f)
{
    static const int32_t ALL[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
    size_t count = c->block_count;
    for (size_t k = 0; k < count; k++) {
        uint32_t *slot = find_slot(c, c->blocks[k].pool, ALL);
        if (*slot == 0 && !add_block(c, f, slot, c->blocks[k].pool, ALL))
            return false;
        calm_block *sum = &c->blocks[*slot - 1];
        sum->count += c->blocks[k].count;
        for (int a = 0; a < f->dim; a++)
            sum->way[a] += c->blocks[k].way[a];
    }
    for (size_t k = 0; k < count; k++) {
        const calm_block *sum = &c->blocks[*find_slot(c, c->blocks[k].pool, ALL) - 1];
        vec3 way = {sum->way[0], sum->way[1], sum->way[2]};
        c->blocks[k].moves = c->blocks[k].moves || vec3_length(way) > POOL_WAY * sum->count;
    }
    return true;
}

bool calm_update(calm_memory *c, flow *f, const uint32_t *pool_of, double elapsed, double window)
{
    if (!reserve(c, f) || !fill_blocks(c, f, pool_of, elapsed, window))
        return false;
    double oldest = is_thick(f, window) ? OVER * window : INFINITY;
    for (size_t k = 0; k < c->block_count; k++)
        c->blocks[k].moves = has_moved(c, &c->blocks[k], f->dim, oldest);
    if (!mark_pools(c, f))
        return false;
    particles *p = &f->p;
    for (size_t i = 0; i < p->count; i++) {
        bool moves = c->blocks[c->block_of[i]].moves;
        float before = p->still_time[i], now = moves ? 0 : before + (float)elapsed;
        p->still_time[i] = now;
        /* Noise leads anywhere in the end. */
        bool over = floorf(now / (float)window) > floorf(before / (float)window);
        for (int a = 0; (moves || over) && a < f->dim; a++)
            p->still[a][i] = p->x[a][i];
    }
    return true;
}
