/* The derived table: closed, oriented, manifold for every neighbourhood of cells. */
#include "cloud.h"

#include "surface/cubes.h"

enum { SIDE = 14, NODES = SIDE + 1 };

static int corner_is_inside(int inside, int corner)
{
    return inside >> corner & 1;
}

static void triangles_use_crossed_edges_once_per_loop(void **state)
{
    (void)state;
    cube_table table;
    assert_true(cube_table_build(&table));
    for (int inside = 0; inside < 256; inside++) {
        int uses[CUBE_EDGES] = {0};
        const cube_case *c = &table.cases[inside];
        for (int t = 0; t < c->count; t++)
            for (int k = 0; k < 3; k++)
                uses[c->edges[t][k]]++;
        for (int edge = 0; edge < CUBE_EDGES; edge++) {
            int low = cube_edge_corner(edge), high = low | 1 << edge / 4;
            bool crossed = corner_is_inside(inside, low) != corner_is_inside(inside, high);
            assert_int_equal(crossed, uses[edge] > 0);
        }
    }
    assert_int_equal(table.cases[0].count, 0);
    assert_int_equal(table.cases[255].count, 0);
}

/* The middle of the edge; the triangle around one inside corner must face away from it. */
static void triangles_face_outwards(void **state)
{
    (void)state;
    cube_table table;
    assert_true(cube_table_build(&table));
    for (int corner = 0; corner < 8; corner++) {
        const cube_case *c = &table.cases[1 << corner];
        assert_int_equal(c->count, 1);
        double p[3][3], n[3], facing = 0;
        for (int k = 0; k < 3; k++) {
            int low = cube_edge_corner(c->edges[0][k]), axis = c->edges[0][k] / 4;
            for (int a = 0; a < 3; a++)
                p[k][a] = a == axis ? 0.5 : low >> a & 1;
        }
        for (int a = 0; a < 3; a++) {
            int i = (a + 1) % 3, j = (a + 2) % 3;
            n[a] = (p[1][i] - p[0][i]) * (p[2][j] - p[0][j]) -
                   (p[1][j] - p[0][j]) * (p[2][i] - p[0][i]);
            facing += n[a] * (p[0][a] - (corner >> a & 1));
        }
        assert_true(facing > 0);
    }
}

static int node_index(int x, int y, int z)
{
    return (z * NODES + y) * NODES + x;
}

/* Marches over random insides, where all 256 cases and all pairs of neighbours occur. */
static void random_fields_give_closed_manifolds(void **state)
{
    (void)state;
    cube_table table;
    assert_true(cube_table_build(&table));
    static uint32_t triangles[3 * CUBE_MAX_TRIANGLES * SIDE * SIDE * SIDE];
    static uint32_t number[3 * NODES * NODES * NODES];
    for (uint64_t seed = 0; seed < 8; seed++) {
        bool inside[NODES * NODES * NODES] = {0};
        uint32_t vertices = 0;
        size_t count = 0;
        memset(number, 0xff, sizeof number);
        for (int z = 1; z < SIDE; z++)
            for (int y = 1; y < SIDE; y++)
                for (int x = 1; x < SIDE; x++)
                    inside[node_index(x, y, z)] =
                        random_unit(seed, (uint64_t)node_index(x, y, z)) < 0.2 + 0.1 * (double)seed;
        for (int z = 0; z < SIDE; z++)
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++) {
                    int bits = 0;
                    for (int c = 0; c < 8; c++)
                        bits |= inside[node_index(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))]
                                << c;
                    const cube_case *cell = &table.cases[bits];
                    for (int t = 0; t < cell->count; t++, count++)
                        for (int k = 0; k < 3; k++) {
                            int low = cube_edge_corner(cell->edges[t][k]);
                            int node =
                                node_index(x + (low & 1), y + (low >> 1 & 1), z + (low >> 2));
                            uint32_t *n = &number[3 * node + cell->edges[t][k] / 4];
                            if (*n == UINT32_MAX)
                                *n = vertices++;
                            triangles[3 * count + (size_t)k] = *n;
                        }
                }
        assert_true(count > 1000);
        assert_closed(triangles, count, vertices);
        assert_single_fans(triangles, count, vertices);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_use_crossed_edges_once_per_loop),
        cmocka_unit_test(triangles_face_outwards),
        cmocka_unit_test(random_fields_give_closed_manifolds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
