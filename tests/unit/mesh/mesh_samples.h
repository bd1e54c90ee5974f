/* Meshes of known shape, and writers of every format, for the tests of mesh/. */
#ifndef WEIR_TESTS_MESH_SAMPLES_H
#define WEIR_TESTS_MESH_SAMPLES_H

/* Before cmocka.h, which makes a macro of the name fail. */
#include "base/error.h"
#include "mesh/triangle_mesh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka compares in float. */
static inline void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}

static inline void sample_point(triangle_mesh *mesh, double x, double y, double z)
{
    assert_true(triangle_mesh_add_point(mesh, vec3_make(x, y, z), NULL));
}

static inline void sample_triangle(triangle_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    assert_true(triangle_mesh_add_triangle(mesh, a, b, c, NULL));
}

/* Five triangles in a ring: the smallest Moebius strip. Appends. */
static inline void sample_band(triangle_mesh *mesh)
{
    for (uint32_t i = 0; i < 5; i++)
        sample_point(mesh, cos(i * 1.2), sin(i * 1.2), 0.1 * i);
    for (uint32_t i = 0; i < 5; i++)
        sample_triangle(mesh, i, (i + 1) % 5, (i + 2) % 5);
}

/* A box of 12 triangles: two each for the faces -x, +x, -y, +y, -z, +z. Appends. */
static inline void sample_box(triangle_mesh *mesh, vec3 lo, vec3 hi)
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    uint32_t first = (uint32_t)mesh->point_count;
    for (int i = 0; i < 8; i++)
        sample_point(mesh, i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z);
    for (int q = 0; q < 6; q++) {
        sample_triangle(mesh, first + quads[q][0], first + quads[q][1], first + quads[q][2]);
        sample_triangle(mesh, first + quads[q][0], first + quads[q][2], first + quads[q][3]);
    }
}

/* A torus around z; `ring` and `tube` are its radii. */
static inline void sample_torus(triangle_mesh *mesh, double ring, double tube, uint32_t around,
                                uint32_t across)
{
    const double turn = 2 * acos(-1);
    for (uint32_t i = 0; i < around; i++)
        for (uint32_t j = 0; j < across; j++) {
            double u = turn * i / around;
            double v = turn * j / across;
            double r = ring + tube * cos(v);
            sample_point(mesh, r * cos(u), r * sin(u), tube * sin(v));
        }
    for (uint32_t i = 0; i < around; i++)
        for (uint32_t j = 0; j < across; j++) {
            uint32_t i1 = (i + 1) % around;
            uint32_t j1 = (j + 1) % across;
            sample_triangle(mesh, i * across + j, i1 * across + j, i1 * across + j1);
            sample_triangle(mesh, i * across + j, i1 * across + j1, i * across + j1);
        }
}

/* A ball around the origin: rings of points between two poles. */
static inline void sample_ball(triangle_mesh *mesh, double radius, uint32_t rings, uint32_t around)
{
    const double half = acos(-1);
    uint32_t first = (uint32_t)mesh->point_count;
    for (uint32_t i = 1; i < rings; i++)
        for (uint32_t j = 0; j < around; j++) {
            double u = half * i / rings;
            double v = 2 * half * j / around;
            sample_point(mesh, radius * sin(u) * cos(v), radius * sin(u) * sin(v), radius * cos(u));
        }
    uint32_t north = (uint32_t)mesh->point_count;
    sample_point(mesh, 0, 0, radius);
    sample_point(mesh, 0, 0, -radius);
    for (uint32_t j = 0; j < around; j++) {
        uint32_t j1 = (j + 1) % around;
        sample_triangle(mesh, north, first + j, first + j1);
        for (uint32_t i = 0; i + 2 < rings; i++) {
            uint32_t upper = first + i * around;
            uint32_t lower = upper + around;
            sample_triangle(mesh, upper + j, lower + j, lower + j1);
            sample_triangle(mesh, upper + j, lower + j1, upper + j1);
        }
        uint32_t last = first + (rings - 2) * around;
        sample_triangle(mesh, north + 1, last + j1, last + j);
    }
}

typedef enum sample_format {
    SAMPLE_OBJ,
    SAMPLE_PLY_TEXT,
    SAMPLE_PLY_LITTLE,
    SAMPLE_PLY_BIG,
    SAMPLE_STL_TEXT,
    SAMPLE_STL_BINARY,
    SAMPLE_FORMAT_COUNT,
} sample_format;

static inline mesh_format sample_reader(sample_format format)
{
    return format == SAMPLE_OBJ ? MESH_OBJ : format < SAMPLE_STL_TEXT ? MESH_PLY : MESH_STL;
}

static inline void sample_put(FILE *file, const void *value, size_t size, bool big_endian)
{
    const unsigned char *bytes = value; /* the machine of the tests is little endian */
    for (size_t i = 0; i < size; i++)
        fputc(bytes[big_endian ? size - 1 - i : i], file);
}

static inline void sample_write_obj(FILE *file, const triangle_mesh *mesh)
{
    fprintf(file, "# a comment\no thing\n");
    for (size_t i = 0; i < mesh->point_count; i++)
        fprintf(file, "v %.17g %.17g %.17g\n", mesh->points[i].x, mesh->points[i].y,
                mesh->points[i].z);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles[t].corner;
        fprintf(file, "f %u/1/1 %u//2 %u\n", c[0] + 1, c[1] + 1, c[2] + 1);
    }
}

static inline void sample_write_ply(FILE *file, const triangle_mesh *mesh, sample_format format)
{
    static const char *const names[] = {[SAMPLE_PLY_TEXT] = "ascii",
                                        [SAMPLE_PLY_LITTLE] = "binary_little_endian",
                                        [SAMPLE_PLY_BIG] = "binary_big_endian"};
    bool big = format == SAMPLE_PLY_BIG;
    fprintf(file,
            "ply\nformat %s 1.0\ncomment made by a test\nelement vertex %zu\nproperty double x\n"
            "property double y\nproperty double z\nproperty uchar red\nelement face %zu\n"
            "property list uchar short colours\nproperty list uchar int vertex_indices\n"
            "end_header\n",
            names[format], mesh->point_count, mesh->triangle_count);
    for (size_t i = 0; i < mesh->point_count; i++) {
        vec3 p = mesh->points[i];
        if (format == SAMPLE_PLY_TEXT) {
            fprintf(file, "%.17g %.17g %.17g 255\n", p.x, p.y, p.z);
            continue;
        }
        sample_put(file, &p.x, sizeof p.x, big);
        sample_put(file, &p.y, sizeof p.y, big);
        sample_put(file, &p.z, sizeof p.z, big);
        fputc(255, file);
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles[t].corner;
        if (format == SAMPLE_PLY_TEXT) {
            fprintf(file, "2 -1 7 3 %u %u %u\n", c[0], c[1], c[2]);
            continue;
        }
        int16_t colours[2] = {-1, 7};
        fputc(2, file);
        sample_put(file, &colours[0], sizeof colours[0], big);
        sample_put(file, &colours[1], sizeof colours[1], big);
        fputc(3, file);
        for (int i = 0; i < 3; i++)
            sample_put(file, &c[i], sizeof c[i], big);
    }
}

static inline void sample_write_stl(FILE *file, const triangle_mesh *mesh, bool is_text)
{
    char header[80] = "solid in name only";
    uint32_t count = (uint32_t)mesh->triangle_count;
    if (is_text) {
        fprintf(file, "solid of a test\n");
    } else {
        fwrite(header, 1, sizeof header, file);
        sample_put(file, &count, sizeof count, false);
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        float values[12] = {0};
        for (int c = 0; c < 3; c++) {
            vec3 p = mesh->points[mesh->triangles[t].corner[c]];
            values[3 + 3 * c] = (float)p.x;
            values[4 + 3 * c] = (float)p.y;
            values[5 + 3 * c] = (float)p.z;
        }
        if (!is_text) {
            for (int i = 0; i < 12; i++)
                sample_put(file, &values[i], sizeof values[i], false);
            fputc(0, file);
            fputc(0, file);
            continue;
        }
        fprintf(file, "facet normal nan 0 0\nouter loop\n");
        for (int c = 1; c <= 3; c++)
            fprintf(file, "vertex %.17g %.17g %.17g\n", (double)values[3 * c],
                    (double)values[3 * c + 1], (double)values[3 * c + 2]);
        fprintf(file, "endloop\nendfacet\n");
    }
    if (is_text)
        fprintf(file, "endsolid of a test\n");
}

/* The mesh as a file in memory, with a zero behind it; the caller frees it. */
static inline char *sample_write(const triangle_mesh *mesh, sample_format format, size_t *size)
{
    char *bytes = NULL;
    FILE *file = open_memstream(&bytes, size);
    assert_non_null(file);
    if (format == SAMPLE_OBJ)
        sample_write_obj(file, mesh);
    else if (format < SAMPLE_STL_TEXT)
        sample_write_ply(file, mesh, format);
    else
        sample_write_stl(file, mesh, format == SAMPLE_STL_TEXT);
    fclose(file);
    return bytes;
}

#endif
