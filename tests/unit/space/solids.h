/* Shapes and helpers that the tests of src/space share. */
#ifndef WEIR_TESTS_SOLIDS_H
#define WEIR_TESTS_SOLIDS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "space/shape.h"

/* cmocka compares floats only. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static inline double random_unit(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static inline vec3 random_point(uint64_t *seed, double half)
{
    double x = random_unit(seed), y = random_unit(seed), z = random_unit(seed);
    return (vec3){half * (2 * x - 1), half * (2 * y - 1), half * (2 * z - 1)};
}

static inline weir_shape_def solid(weir_shape_kind kind)
{
    weir_shape_def def = weir_shape_def_default();
    def.kind = kind;
    return def;
}

static inline weir_shape_def solid_box(double x, double y, double z)
{
    weir_shape_def def = solid(WEIR_SHAPE_BOX);
    def.half_extents = (vec3){x, y, z};
    return def;
}

static inline weir_shape_def solid_round(weir_shape_kind kind, double radius, double half_length)
{
    weir_shape_def def = solid(kind);
    def.radius = radius;
    def.half_length = half_length;
    return def;
}

static inline weir_shape_def solid_union(const weir_shape_def *children, size_t count)
{
    weir_shape_def def = solid(WEIR_SHAPE_UNION);
    def.children = children;
    def.child_count = count;
    return def;
}

static inline weir_shape_def placed(weir_shape_def def, vec3 at, vec3 rotation)
{
    def.pose = (pose){at, quat_from_rotation_vector(rotation)};
    return def;
}

static inline weir_shape_def complement_of(weir_shape_def def)
{
    def.complement = !def.complement;
    return def;
}

/* A hill with a sharp peak and two hollow corners. */
static const weir_vec3 HILL[] = {{0, 0, 0},      {1, 0, 0},      {1, 0.2, 0}, {0.5, 0.25, 0},
                                 {0.45, 0.6, 0}, {0.4, 0.25, 0}, {0, 0.3, 0}};

static inline weir_shape_def solid_polygon(const weir_vec3 *points, size_t count)
{
    weir_shape_def def = solid(WEIR_SHAPE_POLYGON);
    def.points = points;
    def.point_count = count;
    return def;
}

static inline weir_shape_def solid_hill(void)
{
    return solid_polygon(HILL, sizeof HILL / sizeof *HILL);
}

/* Samples of the distance to a ball of radius 0.3 about (0.02, -0.03, 0.01). */
enum { BALL_SAMPLES = 33 };

typedef struct sampled_ball {
    float distances[BALL_SAMPLES * BALL_SAMPLES * BALL_SAMPLES];
    weir_grid_def grid;
} sampled_ball;

static const double BALL_RADIUS = 0.3;
static const vec3 BALL_CENTRE = {0.02, -0.03, 0.01};

static inline weir_shape_def solid_sampled_ball(sampled_ball *b, int dim)
{
    const double step = 0.8 / (BALL_SAMPLES - 1);
    int count_z = dim == 3 ? BALL_SAMPLES : 1;
    size_t at = 0;
    for (int k = 0; k < count_z; k++)
        for (int j = 0; j < BALL_SAMPLES; j++)
            for (int i = 0; i < BALL_SAMPLES; i++) {
                vec3 p = {i * step - 0.4, j * step - 0.4, dim == 3 ? k * step - 0.4 : 0};
                vec3 off = vec3_sub(p, BALL_CENTRE);
                if (dim == 2)
                    off.z = 0;
                b->distances[at++] = (float)(vec3_length(off) - BALL_RADIUS);
            }
    b->grid = (weir_grid_def){{-0.4, -0.4, dim == 3 ? -0.4 : 0},
                              step,
                              {BALL_SAMPLES, BALL_SAMPLES, count_z},
                              b->distances};
    weir_shape_def def = solid(WEIR_SHAPE_GRID);
    def.grid = &b->grid;
    return def;
}

static inline shape *create(memory *m, weir_shape_def def, int dim)
{
    weir_error error = {0};
    shape *s = shape_create(m, &def, dim, &error);
    if (!s)
        print_error("%s\n", error.text);
    assert_non_null(s);
    return s;
}

#endif
