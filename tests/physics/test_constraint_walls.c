/* A pool at rest in each kind of walls of the constraint method: nothing leaks, the tank bears the
 * weight, the pressure in the bulk grows with the depth, and the fluid stays calm. */
#include "support/worlds.h"

static const double SPACING = 0.05, WEIGHT = 9.81;
enum { COLUMNS = 16, ROWS = 30 };

typedef enum wall_kind { VOLUME, FIELD, CONTACT } wall_kind; /* as the parameter counts */

static weir_world *make_pool(wall_kind walls, weir_body_id *tank)
{
    weir_world_def def = small_world_def(2, SPACING);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    set_parameter(&def, "walls", walls);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0);
    /* Contact keeps particles half a kernel radius away: the tank is as much wider. */
    double room = walls == CONTACT ? 1 * SPACING : 0;
    double width = COLUMNS * SPACING, height = ROWS * SPACING;
    *tank = make_tank(world, v3(-room, -room, -1), v3(width + room, 3, 1));
    fill_box(world, water, 2, SPACING, v3(0, 0, 0), v3(width, height, 0), 0, v3(0, 0, 0));
    return world;
}

/* By how much the pressure of the bulk falls with the height, Pa/m, by least squares. */
static double pressure_slope(const weir_world *world)
{
    weir_particle_view p = weir_world_get_particles(world);
    const float *pressure = weir_world_get_field(world, "pressure");
    double n = 0, y = 0, f = 0, yy = 0, yf = 0;
    for (size_t i = 0; i < p.count; i++) {
        double across = (double)p.position[0][i], up = (double)p.position[1][i];
        if (across < 3 * SPACING || across > (COLUMNS - 3) * SPACING || up < 3 * SPACING ||
            up > (ROWS - 4) * SPACING)
            continue;
        n++;
        y += up;
        yy += up * up;
        f += (double)pressure[i];
        yf += up * (double)pressure[i];
    }
    return -(n * yf - y * f) / (n * yy - y * y);
}

static void check_no_leak(const weir_world *world, weir_body_id tank)
{
    weir_particle_view p = weir_world_get_particles(world);
    for (size_t i = 0; i < p.count; i++) {
        weir_vec3 at = v3((double)p.position[0][i], (double)p.position[1][i], 0);
        weir_body_id nearest;
        assert_true(weir_world_distance(world, at, &nearest) > -1e-5);
        assert_int_equal(nearest.slot, tank.slot);
    }
}

static void check_pool(wall_kind walls, double force_tolerance, double slope_tolerance)
{
    enum { SETTLE = 180, MEASURE = 180 };
    weir_body_id tank;
    weir_world *world = make_pool(walls, &tank);
    step_many(world, 1.0 / 120, SETTLE);
    double force = 0, slope = 0;
    for (int k = 0; k < MEASURE; k++) {
        weir_body_state state;
        step_world(world, 1.0 / 120);
        assert_true(weir_body_get_state(world, tank, &state));
        force -= state.pressure_force.y / MEASURE;
        slope += pressure_slope(world) / MEASURE;
    }
    check_no_leak(world, tank);
    weir_statistics now = weir_world_get_statistics(world);
    double weight = 1000 * WEIGHT * COLUMNS * ROWS * SPACING * SPACING;
    print_message("walls %d: force %.4f of the weight, slope %.4f, energy %.3g J, "
                  "compression %.4f\n",
                  (int)walls, force / weight, slope / (1000 * WEIGHT), now.kinetic_energy,
                  now.compression_mean);
    assert_near(force / weight, 1, force_tolerance);
    assert_near(slope / (1000 * WEIGHT), 1, slope_tolerance);
    /* The rms speed stays below a twelfth of that of waves, sqrt(g height); [B]'s walls are rough.
     */
    assert_true(now.kinetic_energy < 0.003 * weight * ROWS * SPACING);
    assert_true(now.compression_mean < 0.01);
    weir_world_destroy(world);
}

static void volume_walls_hold_a_pool(void **state)
{
    (void)state;
    check_pool(VOLUME, 0.02, 0.1);
}

static void field_walls_hold_a_pool(void **state)
{
    (void)state;
    check_pool(FIELD, 0.02, 0.1);
}

static void contact_walls_hold_a_pool(void **state)
{
    (void)state;
    check_pool(CONTACT, 0.02, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volume_walls_hold_a_pool),
        cmocka_unit_test(field_walls_hold_a_pool),
        cmocka_unit_test(contact_walls_hold_a_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
