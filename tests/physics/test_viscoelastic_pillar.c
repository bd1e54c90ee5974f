/* Sjöström's pillar (2011, §6.2): 1000 particles of 2 kg, rest density 100 kg/m², 3 m wide. The
 * density grows linearly with depth, as he reports of this method, and the fluid at the bottom
 * moves ("boils"), less so with the squared kernels. */
#include "support/viscoelastic_worlds.h"

typedef struct pillar {
    double slope, expected; /* kg/m³ per metre: measured, and ρ g/c² */
    double correlation;     /* R² of the line */
    double unrest;          /* kinetic energy of the last 2 s over the pillar's potential energy */
} pillar;

/* A line through the densities that neither surface nor walls disturb. */
static void fit_line(const weir_world *world, double width, pillar *result)
{
    weir_particle_view v = weir_world_get_particles(world);
    const float *density = weir_world_get_field(world, "density");
    double h = world->flow.h, top = 0, n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < v.count; i++)
        top = fmax(top, v.position[1][i]);
    for (size_t i = 0; i < v.count; i++) {
        double depth = top - v.position[1][i], side = v.position[0][i];
        if (depth < h || v.position[1][i] < h || side < h || side > width - h)
            continue;
        n += 1;
        x += depth;
        y += density[i];
        xx += depth * depth;
        xy += depth * density[i];
        yy += (double)density[i] * density[i];
    }
    double shared = n * xy - x * y;
    result->slope = shared / (n * xx - x * x);
    result->correlation = shared * shared / ((n * xx - x * x) * (n * yy - y * y));
}

static pillar run_pillar(visco_kernels kernels)
{
    const double spacing = sqrt(2.0 / 100), width = 21 * spacing, sound = 25;
    weir_world_def def = visco_def(2, spacing);
    def.gravity = v3(0, -9.82, 0);
    set_parameter(&def, "kernels", kernels);
    set_parameter(&def, "sound_speed", sound);
    weir_world *world = make_world(&def);
    weir_error error = {0};
    weir_fluid_def fluid_def = {.density = 100};
    weir_fluid_id liquid = weir_fluid_create(world, &fluid_def, &error);
    make_tank(world, v3(0, 0, -1), v3(width, 15, 1));
    size_t count = fill_box(world, liquid, 2, spacing, v3(0, 0, 0), v3(width, 48 * spacing, 0), 0,
                            v3(0, 0, 0));
    step_many(world, 1.0 / 120, 480);
    pillar result = {.expected = 100 * 9.82 / (sound * sound)};
    for (int s = 0; s < 24; s++) {
        step_many(world, 1.0 / 120, 10);
        weir_statistics now = weir_world_get_statistics(world);
        result.unrest += now.kinetic_energy / 24;
    }
    result.unrest /= (double)count * 2 * 9.82 * 24 * spacing;
    fit_line(world, width, &result);
    weir_world_destroy(world);
    return result;
}

static void test_density_against_depth(void **state)
{
    (void)state;
    pillar paper = run_pillar(VISCO_KERNELS_PAPER), squared = run_pillar(VISCO_KERNELS_SQUARED);
    print_message("density: %.3f kg/m3 per m (expected %.3f), R2 %.3f\n", paper.slope,
                  paper.expected, paper.correlation);
    print_message("unrest: paper's kernels %.2e, squared %.2e of the potential energy\n",
                  paper.unrest, squared.unrest);
    assert_near(paper.slope / paper.expected, 1, 0.1);
    assert_true(paper.correlation > 0.95);
    assert_true(squared.unrest < 0.5 * paper.unrest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_density_against_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
