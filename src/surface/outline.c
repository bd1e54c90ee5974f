/* Marching squares over the same sparse blocks as in 3D: closed polylines around the fluid with
 * the fluid on their left, and triangles that fill it. */
#include "surface/march.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = BLOCK_CELLS, OWNED = SIDE * SIDE, SLOTS = 3 * OWNED };

/* Points keep this share of an edge from its ends: no segment has length 0. */
static const float end_gap = 0.02f;

typedef struct point {
    float position[2], velocity[2];
    uint8_t fluid;
} point;

/* One block. A slot is an edge along x, an edge along y, or a node (slot = kind·OWNED + node);
 * edges that the outline crosses and nodes inside the fluid have points. */
typedef struct tile {
    bool inside[BLOCK_NODES * BLOCK_NODES];
    uint32_t number[SLOTS]; /* of the slot's point, KEYMAP_NONE without one */
    point *points;          /* by slot */
    uint32_t point_count;
} tile;

typedef struct tiles {
    keymap blocks;
    tile *items;
    uint32_t point_count;
    point *points;
    uint32_t *next; /* per point: the one that follows on its polyline, or KEYMAP_NONE */
    uint32_t *triangles;
    size_t triangle_count, triangle_capacity;
} tiles;

static void find_point(const iso_field *f, const iso_field_block *b, int slot, float at[3])
{
    int kind = slot / OWNED, x = slot % SIDE, y = slot / SIDE % SIDE;
    at[0] = (float)x, at[1] = (float)y, at[2] = 0;
    if (kind < 2) {
        const float *from = b->values + y * BLOCK_NODES + x;
        float to = from[kind == 0 ? 1 : BLOCK_NODES];
        float t = ((float)f->level - *from) / (to - *from);
        at[kind] += t < end_gap ? end_gap : t > 1 - end_gap ? 1 - end_gap : t;
    }
}

static void make_points(const iso_field *f, const iso_field_block *b, tile *t)
{
    float at[SLOTS][3];
    iso_field_sample samples[SLOTS] = {{.fluid = 0}};
    for (int slot = 0; slot < SLOTS; slot++)
        if (t->number[slot] != KEYMAP_NONE)
            find_point(f, b, slot, at[t->number[slot]]);
    if (f->particles->vx || f->particles->fluid)
        iso_field_sample_at(f, b, at, t->point_count, samples);
    for (uint32_t i = 0; i < t->point_count; i++) {
        point *out = &t->points[i];
        *out = (point){.fluid = samples[i].fluid};
        memcpy(out->velocity, samples[i].velocity, sizeof out->velocity);
        for (int a = 0; a < 2; a++)
            out->position[a] = (float)((b->node[a] + (double)at[i][a]) * f->step);
    }
}

static bool has_point(const bool *inside, int slot)
{
    int kind = slot / OWNED, node = slot / SIDE % SIDE * BLOCK_NODES + slot % SIDE;
    if (kind == 2)
        return inside[node];
    return inside[node] != inside[node + (kind == 0 ? 1 : BLOCK_NODES)];
}

static bool fill_tile(const iso_field *f, uint64_t key, iso_field_block *b, tile *t)
{
    if (!iso_field_evaluate(f, key, b))
        return false;
    for (int i = 0; i < BLOCK_NODES * BLOCK_NODES; i++)
        t->inside[i] = b->values[i] > (float)f->level;
    t->point_count = 0;
    for (int slot = 0; slot < SLOTS; slot++)
        t->number[slot] = has_point(t->inside, slot) ? t->point_count++ : KEYMAP_NONE;
    t->points = malloc((t->point_count + 1) * sizeof *t->points);
    if (!t->points)
        return false;
    make_points(f, b, t);
    return true;
}

typedef struct tile_job {
    const iso_field *field;
    tiles *all;
} tile_job;

static bool fill_one(void *context, size_t i, iso_field_block *room)
{
    const tile_job *job = context;
    return fill_tile(job->field, job->all->blocks.keys[i], room, &job->all->items[i]);
}

static bool fill_tiles(const iso_field *f, tiles *all)
{
    if (!iso_field_blocks(f, false, &all->blocks))
        return false;
    all->items = calloc(all->blocks.count + 1, sizeof *all->items);
    if (!all->items)
        return false;
    tile_job job = {f, all};
    return iso_field_visit_all(f, all->blocks.count, 8, fill_one, &job);
}

/* Numbers all points through and moves them into one array. */
static bool collect(tiles *all)
{
    for (size_t i = 0; i < all->blocks.count; i++)
        all->point_count += all->items[i].point_count;
    all->points = calloc(all->point_count + 1, sizeof *all->points);
    all->next = malloc((all->point_count + 1) * sizeof *all->next);
    if (!all->points || !all->next)
        return false;
    uint32_t first = 0;
    for (size_t i = 0; i < all->blocks.count; i++) {
        tile *t = &all->items[i];
        for (int slot = 0; slot < SLOTS; slot++)
            if (t->number[slot] != KEYMAP_NONE)
                t->number[slot] += first;
        memcpy(all->points + first, t->points, t->point_count * sizeof *t->points);
        first += t->point_count;
    }
    for (uint32_t i = 0; i < all->point_count; i++)
        all->next[i] = KEYMAP_NONE;
    return true;
}

static uint32_t number_at(const tiles *all, size_t i, int kind, int x, int y)
{
    int over_x = x == SIDE, over_y = y == SIDE;
    if (over_x || over_y) {
        uint64_t key = all->blocks.keys[i];
        i = keymap_find(&all->blocks, keymap_key(keymap_coordinate(key, 0) + over_x,
                                                 keymap_coordinate(key, 1) + over_y, 0));
    }
    return all->items[i].number[kind * OWNED + y % SIDE * SIDE + x % SIDE];
}

static bool add_triangle(tiles *all, uint32_t a, uint32_t b, uint32_t c)
{
    if (all->triangle_count == all->triangle_capacity) {
        size_t capacity = 2 * all->triangle_capacity + 1024;
        uint32_t *grown = realloc(all->triangles, 3 * capacity * sizeof *grown);
        if (!grown)
            return false;
        all->triangles = grown;
        all->triangle_capacity = capacity;
    }
    uint32_t *t = all->triangles + 3 * all->triangle_count++;
    t[0] = a, t[1] = b, t[2] = c;
    return true;
}

/* Walks around a cell counter-clockwise from corner `start`, collects the inside corners and the
 * crossings up to the first crossing back into the fluid, fills this polygon and links the piece
 * of outline that closes it. Diagonal corners stay apart: each is a polygon of its own. */
static bool fill_run(tiles *all, size_t i, int x, int y, int start)
{
    static const int dx[4] = {0, 1, 1, 0}, dy[4] = {0, 0, 1, 1};
    const tile *t = &all->items[i];
    uint32_t polygon[6], count = 0, leave = KEYMAP_NONE, enter = KEYMAP_NONE;
    for (int k = start; k < start + 4; k++) {
        int c = k % 4, d = (k + 1) % 4, cx = x + dx[c], cy = y + dy[c], ex = x + dx[d],
            ey = y + dy[d];
        bool in = t->inside[cy * BLOCK_NODES + cx], in_next = t->inside[ey * BLOCK_NODES + ex];
        if (in && leave == KEYMAP_NONE)
            polygon[count++] = number_at(all, i, 2, cx, cy);
        if (in == in_next)
            continue;
        uint32_t crossing = number_at(all, i, c % 2, cx < ex ? cx : ex, cy < ey ? cy : ey);
        if (in && leave == KEYMAP_NONE)
            polygon[count++] = leave = crossing;
        else if (in_next)
            enter = crossing; /* the last one: that before the corner where we started */
    }
    if (leave != KEYMAP_NONE) {
        polygon[count++] = enter;
        all->next[leave] = enter;
    }
    for (uint32_t k = 2; k < count; k++)
        if (!add_triangle(all, polygon[0], polygon[k - 1], polygon[k]))
            return false;
    return true;
}

static bool fill_cell(tiles *all, size_t i, int x, int y)
{
    const bool *a = all->items[i].inside + y * BLOCK_NODES + x;
    bool corners[4] = {a[0], a[1], a[BLOCK_NODES + 1], a[BLOCK_NODES]};
    if (corners[0] && corners[1] && corners[2] && corners[3])
        return fill_run(all, i, x, y, 0);
    /* One polygon starts at each inside corner that follows an outside one. */
    for (int c = 0; c < 4; c++)
        if (corners[c] && !corners[(c + 3) % 4] && !fill_run(all, i, x, y, c))
            return false;
    return true;
}

static bool fill_cells(tiles *all)
{
    for (size_t i = 0; i < all->blocks.count; i++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                if (!fill_cell(all, i, x, y))
                    return false;
    return true;
}

/* Orders the points: polyline after polyline, then the points inside. order[new] = old. */
static void order_points(const tiles *all, surface_outline *o, uint32_t *order, uint32_t *rank)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->point_count; i++)
        rank[i] = KEYMAP_NONE;
    for (uint32_t i = 0; i < all->point_count; i++) {
        if (all->next[i] == KEYMAP_NONE || rank[i] != KEYMAP_NONE)
            continue;
        o->loop_start[o->loop_count++] = count;
        for (uint32_t k = i; rank[k] == KEYMAP_NONE; k = all->next[k]) {
            rank[k] = count;
            order[count++] = k;
        }
    }
    o->loop_start[o->loop_count] = count;
    o->outline_count = count;
    for (uint32_t i = 0; i < all->point_count; i++)
        if (rank[i] == KEYMAP_NONE) {
            rank[i] = count;
            order[count++] = i;
        }
}

static bool allocate(const tiles *all, const surface_particles *p, surface_outline *o)
{
    size_t n = (size_t)all->point_count + 1;
    o->points = malloc(2 * n * sizeof *o->points);
    o->loop_start = malloc((n + 1) * sizeof *o->loop_start);
    o->velocities = p->vx ? malloc(2 * n * sizeof *o->velocities) : NULL;
    o->fluids = p->fluid ? malloc(n * sizeof *o->fluids) : NULL;
    return o->points && o->loop_start && (o->velocities || !p->vx) && (o->fluids || !p->fluid);
}

static bool finish(tiles *all, const surface_particles *p, surface_outline *o)
{
    uint32_t *order = calloc(2 * ((size_t)all->point_count + 1), sizeof *order);
    if (!order || !allocate(all, p, o)) {
        free(order);
        return false;
    }
    uint32_t *rank = order + all->point_count + 1;
    order_points(all, o, order, rank);
    o->point_count = all->point_count;
    for (size_t i = 0; i < o->point_count; i++) {
        const point *from = &all->points[order[i]];
        memcpy(o->points + 2 * i, from->position, sizeof from->position);
        if (o->velocities)
            memcpy(o->velocities + 2 * i, from->velocity, sizeof from->velocity);
        if (o->fluids)
            o->fluids[i] = from->fluid;
    }
    for (size_t i = 0; i < 3 * all->triangle_count; i++)
        all->triangles[i] = rank[all->triangles[i]];
    o->triangles = all->triangles;
    o->triangle_count = all->triangle_count;
    all->triangles = NULL;
    free(order);
    return true;
}

bool march_outline(surface_outline *outline, const iso_field *f)
{
    tiles all = {0};
    /* cppcheck-suppress ctunullpointer ; solid_march has an outline where it has no mesh */
    *outline = (surface_outline){0};
    bool built = fill_tiles(f, &all) && collect(&all) && fill_cells(&all) &&
                 finish(&all, f->particles, outline);
    for (size_t i = 0; all.items && i < all.blocks.count; i++)
        free(all.items[i].points);
    free(all.items);
    free(all.points);
    free(all.next);
    free(all.triangles);
    keymap_free(&all.blocks);
    if (!built)
        surface_outline_free(outline);
    return built;
}

bool surface_outline_build(surface_outline *outline, const surface_particles *particles,
                           const surface_settings *settings, weir_error *error)
{
    *outline = (surface_outline){0};
    if (particles->dim != 2)
        return fail(error, WEIR_INVALID, "an outline needs 2 dimensions, not %d", particles->dim);
    iso_field f;
    if (!iso_field_build(&f, particles, settings, error))
        return false;
    bool built = march_outline(outline, &f);
    iso_field_free(&f);
    return built || fail(error, WEIR_OUT_OF_MEMORY,
                         "memory ran out for the outline of %zu particles", particles->count);
}

void surface_outline_free(surface_outline *outline)
{
    free(outline->points);
    free(outline->loop_start);
    free(outline->triangles);
    free(outline->velocities);
    free(outline->fluids);
    *outline = (surface_outline){0};
}

double surface_outline_area(const surface_outline *outline)
{
    double area = 0;
    for (size_t t = 0; t < outline->triangle_count; t++) {
        const float *a = outline->points + 2 * (size_t)outline->triangles[3 * t];
        const float *b = outline->points + 2 * (size_t)outline->triangles[3 * t + 1];
        const float *c = outline->points + 2 * (size_t)outline->triangles[3 * t + 2];
        area += ((b[0] - a[0]) * (double)(c[1] - a[1]) - (b[1] - a[1]) * (double)(c[0] - a[0])) / 2;
    }
    return area;
}

double surface_outline_length(const surface_outline *outline)
{
    double length = 0;
    for (size_t l = 0; l < outline->loop_count; l++) {
        uint32_t first = outline->loop_start[l], end = outline->loop_start[l + 1];
        for (uint32_t i = first; i < end; i++) {
            const float *a = outline->points + 2 * (size_t)i;
            const float *b = outline->points + 2 * (size_t)(i + 1 < end ? i + 1 : first);
            length += hypot((double)b[0] - a[0], (double)b[1] - a[1]);
        }
    }
    return length;
}
