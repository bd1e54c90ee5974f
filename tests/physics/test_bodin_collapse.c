/* Standard SPH at the settings of Bodin, Lacoursière, Servin, "Constraint fluids" (2012), §IX.A:
 * a base of 0.36 x 0.36 m², 10,000 particles of 7 g, support 0.03 m, time step 1/120 s, sound speed
 * 1.58 m/s, viscosity 0.5 Pa s, poly6 for everything. There 70 litres shrink to roughly 32, a mean
 * density of about 2190 kg/m³ that grows with depth, with nearly 35 neighbours a particle.
 *
 * Such a fluid is no water: with p = c²(ρ − ρ0) a column that carries itself has the height
 * c²/g ln(1 + m g/(A ρ0 c²)), which is 37 litres here; sums over few neighbours do the rest. */
#include "support/worlds.h"
#include "world/state.h"

static const double SIDE = 0.36, MASS = 0.007, DENSITY = 1000;
enum { PARTICLES = 10000 };

static weir_world *make_column(bool wall_volume)
{
    weir_world_def def = small_world_def(3, cbrt(MASS / DENSITY));
    def.support = 0.03 / def.spacing;
    def.kernel = WEIR_KERNEL_POLY6;
    def.substeps = 1;
    def.allow_unstable = true;
    set_parameter(&def, "sound_speed", 1.58);
    set_parameter(&def, "equation_of_state", 1); /* Tait with exponent 1 */
    set_parameter(&def, "sound_damping", 0);
    set_parameter(&def, "walls", wall_volume ? 0 : 1);
    weir_world *world = make_world(&def);
    weir_fluid_id liquid = make_fluid(world, DENSITY, 0.5);
    make_tank(world, v3(0, 0, 0), v3(SIDE, 3, SIDE));
    /* 18 by 18 to a layer, as many layers as it takes, at rest density. */
    static weir_vec3 x[PARTICLES];
    double step = SIDE / 18, rise = pow(def.spacing, 3) / (step * step);
    for (int i = 0; i < PARTICLES; i++)
        x[i] = v3((i % 18 + 0.5) * step, (i / 324 + 0.5) * rise, (i / 18 % 18 + 0.5) * step);
    assert_true(weir_world_add_particles(world, liquid, x, PARTICLES, v3(0, 0, 0), NULL));
    return world;
}

static int compare_floats(const void *a, const void *b)
{
    float p = *(const float *)a, q = *(const float *)b;
    return p < q ? -1 : p > q;
}

/* Litres below the level that all but a hundredth of the particles stay under. */
static double litres_by_height(const weir_world *world)
{
    static float y[PARTICLES];
    memcpy(y, weir_world_get_particles(world).position[1], sizeof y);
    qsort(y, PARTICLES, sizeof *y, compare_floats);
    return 1000 * SIDE * SIDE * y[PARTICLES * 99 / 100];
}

/* Mean density between two fractions of the level. */
static double mean_density(const weir_world *world, double low, double high)
{
    weir_particle_view view = weir_world_get_particles(world);
    const float *density = weir_world_get_field(world, "density");
    double level = litres_by_height(world) / (1000 * SIDE * SIDE), sum = 0, count = 0;
    for (size_t i = 0; i < view.count; i++)
        if (view.position[1][i] >= low * level && view.position[1][i] <= high * level) {
            sum += density[i];
            count++;
        }
    return sum / count;
}

static double mean_neighbours(const weir_world *world)
{
    const flow *f = &world->flow;
    double count = 0;
    for (size_t c = 0; c < f->near.cluster_count; c++) {
        const cluster *group = &f->near.clusters[c];
        for (uint32_t s = 0; s < group->span_count; s++)
            for (uint32_t n = 0; n < group->spans[s].count; n++)
                for (uint32_t i = group->first; i < group->first + group->count; i++) {
                    uint32_t j = group->spans[s].candidates[n];
                    vec3 r = vec3_sub(flow_position(f, i), flow_position(f, j));
                    count += j != i && vec3_length(r) < f->h ? 1 : 0;
                }
    }
    return count / (double)f->p.count;
}

static void check_collapse(bool wall_volume)
{
    weir_world *world = make_column(wall_volume);
    assert_near(litres_by_height(world), 70, 3);
    uint32_t flags = 0;
    for (int k = 0; k < 360; k++)
        flags |= step_world(world, 1.0 / 120);
    assert_true(flags & WEIR_STEP_UNSTABLE); /* above the limit, as the paper says */
    double litres = litres_by_height(world), density = mean_density(world, 0, 2);
    print_message("%s: %.1f litres by height, %.0f kg/m3 (%.1f litres), %.1f neighbours\n",
                  wall_volume ? "boundary volume" : "projection", litres, density, 7e4 / density,
                  mean_neighbours(world));
    /* 32 litres within 15 %, and the mean density to it. */
    assert_between(litres, 28, 37);
    assert_between(1e6 * MASS * PARTICLES / density / 1000, 28, 37);
    assert_between(mean_neighbours(world), 28, 42);
    /* Denser with depth. */
    assert_true(mean_density(world, 0, 0.2) > mean_density(world, 0.3, 0.5) + 300);
    assert_true(mean_density(world, 0.3, 0.5) > mean_density(world, 0.8, 1) + 300);
    weir_world_destroy(world);
}

static void the_column_collapses_with_boundary_volumes(void **state)
{
    (void)state;
    check_collapse(true);
}

static void the_column_collapses_with_projection(void **state)
{
    (void)state;
    check_collapse(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_column_collapses_with_boundary_volumes),
        cmocka_unit_test(the_column_collapses_with_projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
