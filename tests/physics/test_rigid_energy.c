/* What weir_statistics says of the energy of bodies: it stays where no force does work, to the
 * second order of the leap-frog. */
#include "support/rigid.h"

/* Largest change of the total energy, over `scale`. */
static double largest_change(weir_world *world, double dt, int steps, double scale)
{
    double first = weir_world_get_statistics(world).total_energy, most = 0;
    for (int k = 0; k < steps; k++) {
        step_world(world, dt);
        most = fmax(most, fabs(weir_world_get_statistics(world).total_energy - first));
    }
    return most / scale;
}

static void a_falling_box_keeps_its_energy(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 9.81);
    weir_body_def box = box_def(v3(1, 20, 0), v3(0.1, 0.2, 0.3));
    box.velocity = v3(1, 2, 3);
    box.spin = v3(4, 5, 6);
    weir_body_id id = make_body(world, &box);
    weir_statistics before = weir_world_get_statistics(world);
    const body *b = body_at(world, id);
    /* m (v² + ωᵀIω)/2 with the moments of a box, and m g y. */
    double mass = 1000 * 0.2 * 0.4 * 0.6;
    double turning = mass / 3 * (16 * (0.04 + 0.09) + 25 * (0.01 + 0.09) + 36 * (0.01 + 0.04));
    assert_near(b->mass, mass, 1e-9 * mass);
    assert_near(before.body_kinetic_energy, (mass * 14 + turning) / 2, 1e-4 * mass);
    assert_near(before.body_potential_energy, mass * 9.81 * 20, 1e-6 * mass);
    assert_near(before.total_energy, before.body_kinetic_energy + before.body_potential_energy,
                1e-9 * before.total_energy);
    double scale = mass * 9.81; /* over a metre */
    double first = largest_change(world, 0.02, 1, scale);
    double later = largest_change(world, 0.02, 49, scale);
    print_message("free fall: %.2g of m g m, then %.2g\n", first, later);
    assert_true(first < 1e-3); /* g dt²/8 and the turning of the first step */
    assert_true(later < 1e-4); /* the turning, which stays bounded */
    weir_world_destroy(world);
}

static double pendulum_change(double dt)
{
    weir_world *world = make_rigid_world(2, 9.81);
    weir_body_def box = box_def(v3(1, 0, 0), v3(0.1, 0.1, 0.1));
    weir_body_id id = make_body(world, &box);
    weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, id, NOTHING, v3(0, 0, 0));
    make_joint(world, &hinge);
    double change = largest_change(world, dt, (int)(4 / dt), body_at(world, id)->mass * 9.81);
    weir_world_destroy(world);
    return change;
}

static void a_pendulum_keeps_its_energy_to_second_order(void **state)
{
    (void)state;
    double coarse = pendulum_change(0.004), fine = pendulum_change(0.002);
    print_message("pendulum: %.3g of m g l, %.3g with half the step\n", coarse, fine);
    assert_true(coarse < 2e-3);
    assert_between(coarse / fine, 3, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_falling_box_keeps_its_energy),
        cmocka_unit_test(a_pendulum_keeps_its_energy_to_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
