/* Meshes of particles: right volumes and areas, closed and manifold, the same for every number of
 * threads, and with the particles' data on their vertices. */
#include "cloud.h"

#include "base/hash.h"

static surface_mesh build(const surface_particles *p, const surface_settings *s)
{
    surface_mesh mesh;
    weir_error error;
    if (!surface_mesh_build(&mesh, p, s, &error))
        fail_msg("%s", error.text);
    return mesh;
}

static void assert_good(const surface_mesh *mesh, double step)
{
    assert_closed(mesh->triangles, mesh->triangle_count, mesh->vertex_count);
    assert_single_fans(mesh->triangles, mesh->triangle_count, mesh->vertex_count);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        surface_mesh one = *mesh;
        one.triangles += 3 * t;
        one.triangle_count = 1;
        assert_true(surface_mesh_area(&one) > 1e-5 * step * step);
    }
}

static void ball_has_right_volume_and_area(void **state)
{
    (void)state;
    const double pi = acos(-1), jitters[] = {0, 0.2, 0.5};
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < 3; i++) {
            cloud c = cloud_create(10000);
            cloud_add_ball(&c, 3, 10, jitters[i]);
            surface_particles p = cloud_view(&c, 3, 1);
            surface_settings s = surface_settings_default();
            s.kind = (surface_kind)kind;
            surface_mesh mesh = build(&p, &s);
            double volume = surface_mesh_volume(&mesh) / (double)c.count;
            double area = surface_mesh_area(&mesh) / (4 * pi * 100);
            print_message("%s, jitter %g: volume %+.2f %%, area %+.2f %%\n",
                          kind ? "isotropic" : "anisotropic", jitters[i], 100 * (volume - 1),
                          100 * (area - 1));
            assert_true(fabs(volume - 1) < 0.03);
            /* The default is the anisotropic field; balls alone are rougher. */
            assert_true(fabs(area - 1) < (kind ? 0.12 : 0.05));
            assert_good(&mesh, s.cell);
            surface_mesh_free(&mesh);
            cloud_free(&c);
        }
}

static void sizes_of_drops_are_right(void **state)
{
    (void)state;
    const double radii[] = {3, 4, 6};
    surface_settings s = surface_settings_default();
    for (int i = 0; i < 3; i++) {
        cloud c = cloud_create(10000);
        cloud_add_ball(&c, 3, radii[i], 0.2);
        surface_particles p = cloud_view(&c, 3, 1);
        surface_mesh mesh = build(&p, &s);
        assert_true(fabs(surface_mesh_volume(&mesh) / (double)c.count - 1) < 0.05);
        surface_mesh_free(&mesh);
        cloud_free(&c);
    }
    /* One particle alone is a visible drop, of its own volume when the grid resolves it. */
    cloud c = cloud_create(1);
    cloud_add(&c, 0.2, 0.3, 0.4, 0);
    surface_particles p = cloud_view(&c, 3, 1);
    s.cell = 0.1;
    surface_mesh mesh = build(&p, &s);
    assert_true(fabs(surface_mesh_volume(&mesh) - 1) < 0.03);
    surface_mesh_free(&mesh);
    cloud_free(&c);
}

/* Root mean square of the height of the top of a pool, away from its rim. */
static double roughness(surface_kind kind, double *mean)
{
    cloud c = cloud_create(10000);
    for (int k = -8; k < 0; k++)
        for (int j = -12; j < 12; j++)
            for (int i = -12; i < 12; i++)
                cloud_add(&c, i + 0.5, j + 0.5, k + 0.5, 0.5);
    surface_particles p = cloud_view(&c, 3, 1);
    surface_settings s = surface_settings_default();
    s.kind = kind;
    surface_mesh mesh = build(&p, &s);
    double sum = 0, squares = 0, count = 0;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        const float *q = mesh.positions + 3 * v;
        if (q[2] < -2 || fabsf(q[0]) > 8 || fabsf(q[1]) > 8)
            continue;
        sum += q[2];
        squares += (double)q[2] * q[2];
        count++;
    }
    surface_mesh_free(&mesh);
    cloud_free(&c);
    *mean = sum / count;
    return sqrt(squares / count - *mean * *mean);
}

static void pool_is_flat(void **state)
{
    (void)state;
    double mean, mean_isotropic;
    double smooth = roughness(SURFACE_ANISOTROPIC, &mean);
    double rough = roughness(SURFACE_ISOTROPIC, &mean_isotropic);
    print_message("pool: anisotropic rms %.3f spacings (mean %+.3f), isotropic %.3f (%+.3f)\n",
                  smooth, mean, rough, mean_isotropic);
    assert_true(smooth < 0.15);
    assert_true(smooth < rough);
    assert_true(fabs(mean) < 0.1);
}

/* Drops, threads, sheets and a pool, as a splash makes them. */
static void add_splash(cloud *c)
{
    for (int i = 0; i < 400; i++)
        cloud_add(c, 30 * random_unit(3, 3 * (uint64_t)i), 30 * random_unit(3, 3 * (uint64_t)i + 1),
                  4 + 12 * random_unit(3, 3 * (uint64_t)i + 2), 0);
    for (int j = 0; j < 30; j++)
        for (int i = 0; i < 30; i++) {
            for (int k = 0; k < 4; k++)
                cloud_add(c, i, j, k, 0.8);
            cloud_add(c, i, j, 10 + 3 * sin(i * 0.3), 0.6);
        }
    for (int i = 0; i < 40; i++)
        cloud_add(c, 5 + 0.7 * i, 3, 6 + 0.2 * i, 0.3);
}

static void splash_is_closed(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (int size = 0; size < 2; size++) {
            cloud c = cloud_create(20000);
            add_splash(&c);
            surface_particles p = cloud_view(&c, 3, 1);
            surface_settings s = surface_settings_default();
            s.kind = (surface_kind)kind;
            s.cell = size ? 0.9 : 0.4;
            surface_mesh mesh = build(&p, &s);
            assert_good(&mesh, s.cell);
            assert_true(surface_mesh_volume(&mesh) > 0);
            surface_mesh_free(&mesh);
            cloud_free(&c);
        }
}

/* Values on grid nodes that equal the level would make triangles without area. */
static void nodes_on_the_level_do_no_harm(void **state)
{
    (void)state;
    cloud c = cloud_create(1000);
    for (int i = 0; i < 512; i++)
        cloud_add(&c, i % 8, i / 8 % 8, i / 64, 0);
    surface_particles p = cloud_view(&c, 3, 1);
    surface_settings s = surface_settings_default();
    s.kind = SURFACE_ISOTROPIC;
    s.support = 2;
    s.level = 0.5; /* the value of one ball at the distance 1, which is a node */
    surface_mesh mesh = build(&p, &s);
    assert_good(&mesh, s.cell);
    surface_mesh_free(&mesh);
    cloud_free(&c);
}

static uint64_t hash_mesh(const surface_mesh *m)
{
    uint64_t h = hash_bytes(0, m->positions, 3 * m->vertex_count * sizeof(float));
    h = hash_bytes(h, m->normals, 3 * m->vertex_count * sizeof(float));
    h = hash_bytes(h, m->velocities, 3 * m->vertex_count * sizeof(float));
    return hash_bytes(h, m->triangles, 3 * m->triangle_count * sizeof(uint32_t));
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    cloud c = cloud_create(20000);
    add_splash(&c);
    surface_particles p = cloud_view(&c, 3, 1);
    p.vx = c.vx, p.vy = c.vy, p.vz = c.vz;
    for (size_t i = 0; i < c.count; i++)
        c.vx[i] = c.x[i] * c.y[i];
    surface_settings s = surface_settings_default();
    uint64_t first = 0;
    for (int threads = 1; threads <= 5; threads++) {
        s.threads = threads;
        surface_mesh mesh = build(&p, &s);
        if (threads == 1)
            first = hash_mesh(&mesh);
        assert_true(hash_mesh(&mesh) == first);
        surface_mesh_free(&mesh);
    }
    cloud_free(&c);
}

static void levels_do_not_matter(void **state)
{
    (void)state;
    cloud c = cloud_create(20000);
    add_splash(&c);
    surface_particles p = cloud_view(&c, 3, 1);
    p.vx = c.vx, p.vy = c.vy, p.vz = c.vz;
    for (size_t i = 0; i < c.count; i++)
        c.vx[i] = c.x[i] * c.y[i];
    for (int kind = 0; kind < 2; kind++) {
        surface_settings s = surface_settings_default();
        s.kind = (surface_kind)kind;
        surface_mesh best = build(&p, &s);
        for (const char *const *level = weir_simd_levels(); *level; level++) {
            s.simd = *level;
            surface_mesh mesh = build(&p, &s);
            assert_true(hash_mesh(&mesh) == hash_mesh(&best));
            surface_mesh_free(&mesh);
        }
        surface_mesh_free(&best);
    }
    cloud_free(&c);
}

/* A velocity that is not a number stays where its particle is. */
static void bad_velocities_do_not_spread(void **state)
{
    (void)state;
    cloud c = cloud_create(10000);
    cloud_add_ball(&c, 3, 8, 0.1);
    c.vx[0] = NAN;
    surface_particles p = cloud_view(&c, 3, 1);
    p.vx = c.vx, p.vy = c.vy, p.vz = c.vz;
    surface_settings s = surface_settings_default();
    surface_mesh mesh = build(&p, &s);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        const float *q = mesh.positions + 3 * v;
        double r = hypot(hypot(q[0] - c.x[0], q[1] - c.y[0]), q[2] - c.z[0]);
        assert_true(r < 5 || mesh.velocities[3 * v] == 0);
    }
    surface_mesh_free(&mesh);
    cloud_free(&c);
}

static void normals_point_out(void **state)
{
    (void)state;
    cloud c = cloud_create(10000);
    cloud_add_ball(&c, 3, 8, 0.1);
    surface_particles p = cloud_view(&c, 3, 1);
    surface_settings s = surface_settings_default();
    surface_mesh mesh = build(&p, &s);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        const float *q = mesh.positions + 3 * v, *n = mesh.normals + 3 * v;
        double r = sqrt((double)q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
        assert_true((q[0] * n[0] + q[1] * n[1] + q[2] * n[2]) / r > 0.85);
        assert_true(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-5);
    }
    surface_mesh_free(&mesh);
    cloud_free(&c);
}

static void vertices_carry_velocity_and_fluid(void **state)
{
    (void)state;
    cloud c = cloud_create(10000);
    cloud_add_ball(&c, 3, 8, 0.1);
    for (size_t i = 0; i < c.count; i++) {
        c.vx[i] = 2 * c.x[i]; /* a linear field is nearly reproduced by weighted means */
        c.vy[i] = -1;
        c.fluid[i] = c.y[i] > 0 ? 3 : 1;
    }
    surface_particles p = cloud_view(&c, 3, 1);
    p.vx = c.vx, p.vy = c.vy, p.vz = c.vz, p.fluid = c.fluid;
    surface_settings s = surface_settings_default();
    surface_mesh mesh = build(&p, &s);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        const float *q = mesh.positions + 3 * v, *u = mesh.velocities + 3 * v;
        assert_true(fabsf(u[0] - 2 * q[0]) < 2);
        assert_true(fabsf(u[1] + 1) < 1e-5f && u[2] == 0);
        if (fabsf(q[1]) > 1)
            assert_int_equal(mesh.fluids[v], q[1] > 0 ? 3 : 1);
    }
    surface_mesh_free(&mesh);
    cloud_free(&c);
}

/* A long stream in a wide space, far from the origin: memory and time go with the fluid. */
static void space_around_costs_nothing(void **state)
{
    (void)state;
    cloud c = cloud_create(200000);
    const double spacing = 0.01;
    for (int i = 0; i < 10000; i++)
        for (int k = 0; k < 9; k++)
            cloud_add(&c, 500 + spacing * i, 900 + spacing * (k % 3) + sin(i * 0.001),
                      spacing * (k / 3), 0);
    cloud_add(&c, -1000, -1000, -1000, 0);
    surface_particles p = cloud_view(&c, 3, spacing);
    surface_settings s = surface_settings_default();
    surface_mesh mesh = build(&p, &s);
    assert_closed(mesh.triangles, mesh.triangle_count, mesh.vertex_count);
    double volume = surface_mesh_volume(&mesh) / ((double)c.count * pow(spacing, 3));
    assert_true(volume > 0.8 && volume < 1.2);
    surface_mesh_free(&mesh);
    cloud_free(&c);
}

static void no_particles_give_no_mesh(void **state)
{
    (void)state;
    surface_particles p = {.dim = 3, .spacing = 0.1};
    surface_settings s = surface_settings_default();
    surface_mesh mesh = build(&p, &s);
    assert_int_equal(mesh.triangle_count, 0);
    assert_true(surface_mesh_volume(&mesh) == 0);
    surface_mesh_free(&mesh);
}

static void assert_refused(const surface_particles *p, surface_settings s, weir_code code,
                           const char *says)
{
    surface_mesh mesh;
    weir_error error;
    assert_false(surface_mesh_build(&mesh, p, &s, &error));
    assert_int_equal(error.code, code);
    assert_non_null(strstr(error.text, says));
    assert_false(surface_mesh_build(&mesh, p, &s, NULL));
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    float x[2] = {0, 1}, far[2] = {0, 1e9f}, bad[2] = {0, NAN};
    surface_particles p = {.count = 2, .dim = 3, .spacing = 0.1, .x = x, .y = x, .z = x};
    surface_settings s = surface_settings_default(), t = s;
    t.cell = 0.01;
    assert_refused(&p, t, WEIR_INVALID, "cell is 0.01");
    t = s;
    t.smoothing = NAN;
    assert_refused(&p, t, WEIR_INVALID, "smoothing");
    t = s;
    t.simd = "none";
    assert_refused(&p, t, WEIR_UNSUPPORTED, "'none'");
    p.y = bad;
    assert_refused(&p, s, WEIR_NOT_FINITE, "particle 1");
    p.y = far;
    assert_refused(&p, s, WEIR_UNSUPPORTED, "particle 1");
    p.y = x;
    p.spacing = 0;
    assert_refused(&p, s, WEIR_INVALID, "spacing");
    p.spacing = 0.1;
    p.dim = 2;
    assert_refused(&p, s, WEIR_INVALID, "3 dimensions");
}

static void ellipsoids_touch_the_surface(void **state)
{
    (void)state;
    cloud c = cloud_create(10000);
    for (int k = -6; k < 0; k++)
        for (int j = -8; j < 8; j++)
            for (int i = -8; i < 8; i++)
                cloud_add(&c, i + 0.5, j + 0.5, k + 0.5, 0);
    cloud_add(&c, 0, 0, 50, 0);
    surface_particles p = cloud_view(&c, 3, 1);
    surface_settings s = surface_settings_default();
    surface_ellipsoid *e = malloc(c.count * sizeof *e);
    weir_error error;
    assert_true(surface_ellipsoids_build(e, &p, &s, &error));
    double highest = -10;
    for (size_t i = 0; i + 1 < c.count; i++)
        if (fabsf(c.x[i]) < 2 && fabsf(c.y[i]) < 2)
            highest = fmax(highest, e[i].centre[2] + sqrt(e[i].axes[2] * e[i].axes[2] +
                                                          e[i].axes[4] * e[i].axes[4] +
                                                          e[i].axes[5] * e[i].axes[5]));
    assert_true(fabs(highest) < 0.02);
    /* Alone it is a drop of one particle's volume. */
    const float *a = e[c.count - 1].axes;
    assert_true(fabs(4 * acos(-1) / 3 * a[0] * a[3] * a[5] - 1) < 0.01);
    free(e);
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_has_right_volume_and_area),
        cmocka_unit_test(sizes_of_drops_are_right),
        cmocka_unit_test(pool_is_flat),
        cmocka_unit_test(splash_is_closed),
        cmocka_unit_test(nodes_on_the_level_do_no_harm),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(levels_do_not_matter),
        cmocka_unit_test(bad_velocities_do_not_spread),
        cmocka_unit_test(normals_point_out),
        cmocka_unit_test(vertices_carry_velocity_and_fluid),
        cmocka_unit_test(space_around_costs_nothing),
        cmocka_unit_test(no_particles_give_no_mesh),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(ellipsoids_touch_the_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
