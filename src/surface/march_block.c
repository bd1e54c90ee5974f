/* Marching cubes in one block. What lies inside is a bit for each node, so that most of the block
 * is passed over a row at a time. */
#include "surface/march_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Vertices keep this share of an edge from its ends: no triangle degenerates. */
static const float end_gap = 0.02f;

enum { ALL_NODES = (1 << BLOCK_NODES) - 1, ALL_CELLS = (1 << BLOCK_CELLS) - 1 };

/* Rows along x by z and y, the first node lowest. */
typedef uint32_t inside_bits[BLOCK_NODES][BLOCK_NODES];

static float value_at(const iso_field_block *b, int x, int y, int z)
{
    return b->values[(z * BLOCK_NODES + y) * BLOCK_NODES + x];
}

void march_piece_free(march_piece *p)
{
    free(p->vertices);
    free(p->corners);
    *p = (march_piece){.key = p->key};
}

/* Which nodes are inside; false when all or none are. */
static bool mark_inside(const iso_field *f, const iso_field_block *b, inside_bits inside)
{
    uint32_t any = 0, all = ALL_NODES;
    const float *value = b->values, level = (float)f->level;
    for (int z = 0; z < BLOCK_NODES; z++)
        for (int y = 0; y < BLOCK_NODES; y++) {
            uint32_t row = 0;
            for (int x = 0; x < BLOCK_NODES; x++)
                row |= (uint32_t)(*value++ > level) << x;
            inside[z][y] = row;
            any |= row;
            all &= row;
        }
    return any != 0 && all != ALL_NODES;
}

static bool is_mixed(uint32_t any, uint32_t all, uint32_t mask)
{
    return (any & mask) != 0 && (all & mask) != mask;
}

static uint8_t find_leaving(inside_bits inside)
{
    uint32_t leaves = 0, any_x = 0, all_x = ALL_NODES;
    for (int side = 0; side < 2; side++) {
        int end = side * BLOCK_CELLS;
        uint32_t any_y = 0, all_y = ALL_NODES, any_z = 0, all_z = ALL_NODES;
        for (int i = 0; i < BLOCK_NODES; i++) {
            any_y |= inside[i][end], all_y &= inside[i][end];
            any_z |= inside[end][i], all_z &= inside[end][i];
        }
        leaves |= (uint32_t)is_mixed(any_y, all_y, ALL_NODES) << (2 + side);
        leaves |= (uint32_t)is_mixed(any_z, all_z, ALL_NODES) << (4 + side);
    }
    for (int z = 0; z < BLOCK_NODES; z++)
        for (int y = 0; y < BLOCK_NODES; y++)
            any_x |= inside[z][y], all_x &= inside[z][y];
    leaves |= (uint32_t)is_mixed(any_x, all_x, 1);
    leaves |= (uint32_t)is_mixed(any_x, all_x, 1 << BLOCK_CELLS) << 1;
    return (uint8_t)leaves;
}

/* ---------------------------------------------------------------- vertices */

/* The node at which an edge begins. */
static void edge_node(int edge, int node[3])
{
    int n = edge / 3;
    node[0] = n % BLOCK_CELLS;
    node[1] = n / BLOCK_CELLS % BLOCK_CELLS;
    node[2] = n / (BLOCK_CELLS * BLOCK_CELLS);
}

/* Lists the edges whose ends lie on different sides, ascending, and numbers them. */
static uint32_t list_edges(inside_bits inside, march_piece *p, uint16_t *edges, uint16_t *numbers)
{
    uint32_t count = 0;
    for (int z = 0; z < BLOCK_CELLS; z++)
        for (int y = 0; y < BLOCK_CELLS; y++) {
            uint32_t row = inside[z][y];
            const uint32_t crossed[3] = {row ^ row >> 1, row ^ inside[z][y + 1],
                                         row ^ inside[z + 1][y]};
            uint32_t left = (crossed[0] | crossed[1] | crossed[2]) & ALL_CELLS;
            for (; left; left &= left - 1) {
                int x = __builtin_ctz(left), edge = 3 * ((z * BLOCK_CELLS + y) * BLOCK_CELLS + x);
                for (int axis = 0; axis < 3; axis++, edge++) {
                    if (!(crossed[axis] >> x & 1))
                        continue;
                    p->crossed[edge / 64] |= (uint64_t)1 << edge % 64;
                    numbers[edge] = (uint16_t)count;
                    edges[count++] = (uint16_t)edge;
                }
            }
        }
    for (int w = 1; w < MARCH_WORDS; w++)
        p->before[w] = (uint16_t)(p->before[w - 1] + __builtin_popcountll(p->crossed[w - 1]));
    return count;
}

static void find_point(const iso_field *f, const iso_field_block *b, int edge, float point[3])
{
    int node[3], axis = edge % 3;
    edge_node(edge, node);
    int end[3] = {node[0], node[1], node[2]};
    end[axis]++;
    float from = value_at(b, node[0], node[1], node[2]), to = value_at(b, end[0], end[1], end[2]);
    float t = ((float)f->level - from) / (to - from);
    t = t < end_gap ? end_gap : t > 1 - end_gap ? 1 - end_gap : t;
    for (int a = 0; a < 3; a++)
        point[a] = (float)node[a];
    point[axis] += t;
}

static void place_vertex(const iso_field *f, const iso_field_block *b, int edge,
                         const float point[3], const iso_field_sample *s, march_vertex *v)
{
    float length = sqrtf(s->gradient[0] * s->gradient[0] + s->gradient[1] * s->gradient[1] +
                         s->gradient[2] * s->gradient[2]);
    v->fluid = s->fluid;
    for (int a = 0; a < 3; a++) {
        v->position[a] = (float)((b->node[a] + (double)point[a]) * f->step);
        v->normal[a] = length > 0 ? -s->gradient[a] / length : 0;
        v->velocity[a] = s->velocity[a];
    }
    if (length > 0)
        return;
    /* A flat spot of the field has no gradient; the edge still knows where outside is. */
    int node[3];
    edge_node(edge, node);
    v->normal[edge % 3] = value_at(b, node[0], node[1], node[2]) > (float)f->level ? 1.f : -1.f;
}

static bool make_vertices(const iso_field *f, const iso_field_block *b, inside_bits inside,
                          march_piece *p, uint16_t *numbers)
{
    uint16_t edges[MARCH_EDGES];
    float points[MARCH_EDGES][3];
    iso_field_sample samples[MARCH_EDGES];
    uint32_t count = list_edges(inside, p, edges, numbers);
    p->vertices = malloc((count + 1) * sizeof *p->vertices);
    if (!p->vertices)
        return false;
    p->vertex_count = count;
    for (uint32_t k = 0; k < count; k++)
        find_point(f, b, edges[k], points[k]);
    iso_field_sample_at(f, b, points, count, samples);
    for (uint32_t k = 0; k < count; k++)
        place_vertex(f, b, edges[k], points[k], &samples[k], &p->vertices[k]);
    return true;
}

/* --------------------------------------------------------------- triangles */

static march_corner corner_of(int x, int y, int z, int low, int axis, const uint16_t *numbers)
{
    x += low & 1, y += low >> 1 & 1, z += low >> 2 & 1;
    int beyond = (x == BLOCK_CELLS) | (y == BLOCK_CELLS) << 1 | (z == BLOCK_CELLS) << 2;
    int node = (z % BLOCK_CELLS * BLOCK_CELLS + y % BLOCK_CELLS) * BLOCK_CELLS + x % BLOCK_CELLS;
    int edge = 3 * node + axis;
    return (march_corner){beyond ? (uint16_t)edge : numbers[edge], (uint16_t)beyond};
}

static uint32_t fill_cell(const cube_table *table, const cube_case *c, const int at[3],
                          const uint16_t *numbers, march_corner *to)
{
    for (int t = 0; t < c->count; t++)
        for (int k = 0; k < 3; k++) {
            int edge = c->edges[t][k];
            *to++ = corner_of(at[0], at[1], at[2], table->low[edge], edge / 4, numbers);
        }
    return c->count;
}

/* The triangles of cells (·, y, z). */
static uint32_t fill_row(const cube_table *table, inside_bits inside, int y, int z,
                         const uint16_t *numbers, march_corner *to)
{
    uint32_t a = inside[z][y], b = inside[z][y + 1], c = inside[z + 1][y], d = inside[z + 1][y + 1];
    uint32_t any = a | b | c | d, all = a & b & c & d, count = 0;
    for (uint32_t left = (any | any >> 1) & ~(all & all >> 1) & ALL_CELLS; left; left &= left - 1) {
        int x = __builtin_ctz(left);
        uint32_t corners = (a >> x & 3) | (b >> x & 3) << 2 | (c >> x & 3) << 4 | (d >> x & 3) << 6;
        count += fill_cell(table, &table->cases[corners], (int[3]){x, y, z}, numbers,
                           to + 3 * (size_t)count);
    }
    return count;
}

static bool make_triangles(const cube_table *table, inside_bits inside, const uint16_t *numbers,
                           march_piece *p)
{
    march_corner corners[3 * CUBE_MAX_TRIANGLES * MARCH_NODES];
    for (int z = 0; z < BLOCK_CELLS; z++)
        for (int y = 0; y < BLOCK_CELLS; y++)
            p->triangle_count +=
                fill_row(table, inside, y, z, numbers, corners + 3 * (size_t)p->triangle_count);
    size_t size = 3 * p->triangle_count * sizeof *corners;
    p->corners = malloc(size + 1);
    if (p->corners)
        memcpy(p->corners, corners, size);
    return p->corners;
}

bool march_block(const iso_field *f, const cube_table *table, iso_field_block *b, march_piece *p)
{
    inside_bits inside;
    uint16_t numbers[MARCH_EDGES];
    if (!iso_field_evaluate(f, p->key, b))
        return false;
    if (!mark_inside(f, b, inside))
        return true;
    p->leaves = find_leaving(inside);
    return make_vertices(f, b, inside, p, numbers) && make_triangles(table, inside, numbers, p);
}
