/* Five boxes of 50 to 150 kg/m² and a fluid of 100 kg/m² that they are dropped into, or that is
 * poured over them as they lie on the floor: Sjöström, Computational Fluid Dynamics in 2D Game
 * Environments, Umeå 2011. Two float as deep as Archimedes says, the third neither rises nor rests
 * with its weight on the floor, two lie on the floor. */
#include "support/worlds.h"

#include <math.h>

enum { BOXES = 5 };
static const double SPACING = 0.14142, WIDTH = 12, BOX[2] = {1.2, 0.8};
static const double DENSITY = 100, GRAVITY = 9.82;

typedef struct trial {
    weir_world *world;
    weir_fluid_id fluid;
    weir_body_id boxes[BOXES];
} trial;

static trial make_trial(double height)
{
    weir_world_def def = small_world_def(2, SPACING);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.gravity = v3(0, -GRAVITY, 0);
    trial t = {.world = make_world(&def)};
    t.fluid = make_fluid(t.world, DENSITY, 0.1);
    make_tank(t.world, v3(0, 0, 0), v3(WIDTH, 8, 0));
    for (int k = 0; k < BOXES; k++) {
        weir_body_def box = weir_body_def_default();
        box.kind = WEIR_BODY_DYNAMIC;
        box.shape.kind = WEIR_SHAPE_BOX;
        box.shape.half_extents = v3(BOX[0] / 2, BOX[1] / 2, 1);
        box.pose.position = v3(1.6 + 2.2 * k, height, 0);
        box.density = 50 + 25 * k;
        t.boxes[k] = make_body(t.world, &box);
    }
    return t;
}

/* Where the boxes are, as a mean over the period of the tank's longest wave. */
typedef struct places {
    double across[BOXES], height[BOXES]; /* m, of the centre */
    double bottom[BOXES];                /* m, of the lowest corner */
} places;

static void add_places(const trial *t, places *sum, double share)
{
    for (int b = 0; b < BOXES; b++) {
        weir_body_state s;
        weir_body_get_state(t->world, t->boxes[b], &s);
        double turned = 2 * atan2(s.pose.rotation.z, s.pose.rotation.w);
        double half = (fabs(BOX[0] * sin(turned)) + fabs(BOX[1] * cos(turned))) / 2;
        sum->across[b] += share * s.pose.position.x;
        sum->height[b] += share * s.pose.position.y;
        sum->bottom[b] += share * (s.pose.position.y - half);
    }
}

static places watch(trial *t, double seconds)
{
    static const double PI = 3.14159265358979;
    double k = PI / WIDTH, step = 1.0 / 60;
    double period = 2 * PI / sqrt(GRAVITY * k * tanh(2.8 * k));
    int steps = (int)(seconds / step), counted = (int)(period / step);
    places mean = {0};
    step_many(t->world, step, steps - counted);
    for (int n = 0; n < counted; n++) {
        step_world(t->world, step);
        add_places(t, &mean, 1.0 / counted);
    }
    return mean;
}

static void check_places(trial *t, const places *at)
{
    double fluid = (double)weir_world_get_particles(t->world).count * SPACING * SPACING;
    double level = (fluid + BOX[0] * BOX[1] * (0.5 + 0.75 + 3)) / WIDTH;
    for (int b = 0; b < BOXES; b++)
        print_message("box of %d: centre %.3f below the level of %.3f, %.3f above the floor\n",
                      50 + 25 * b, level - at->height[b], level, at->bottom[b]);
    /* Flat boxes float on either side. */
    for (int b = 0; b < 2; b++) {
        double share = (level - at->height[b]) / BOX[1] + 0.5;
        assert_true(fabs(share - (0.5 + 0.25 * b)) < 0.03);
    }
    assert_true(at->height[2] < level - BOX[1] / 2);
}

static bool lies_on_the_floor(const places *at, int b)
{
    return at->bottom[b] < 0.25 * SPACING;
}

/* The two that are heavier than the fluid lie on the floor, or one on the other with a hollow
 * between them that particles hardly enter. */
static void check_heavy_boxes(const places *at)
{
    bool on_floor[2] = {lies_on_the_floor(at, 3), lies_on_the_floor(at, 4)};
    assert_true(on_floor[0] || on_floor[1]);
    int upper = on_floor[0] ? 4 : 3, lower = 7 - upper;
    if (on_floor[0] && on_floor[1])
        return;
    assert_true(fabs(at->across[upper] - at->across[lower]) < BOX[0]);
    assert_true(at->bottom[upper] - (2 * at->height[lower] - at->bottom[lower]) < 2 * SPACING);
}

static void boxes_dropped_in(void **state)
{
    (void)state;
    trial t = make_trial(3.2);
    fill_box(t.world, t.fluid, 2, SPACING, v3(0, 0, 0), v3(WIDTH, 2.5, 0), 0, v3(0, 0, 0));
    places at = watch(&t, 14);
    check_places(&t, &at);
    check_heavy_boxes(&at);
    weir_world_destroy(t.world);
}

static trial pour(double speed, places *at)
{
    trial t = make_trial(BOX[1] / 2);
    weir_emitter_def tap = weir_emitter_def_default();
    tap.fluid = t.fluid;
    tap.nozzle = WEIR_NOZZLE_RECTANGLE;
    tap.half_width = 2;
    tap.position = v3(6, 4, 0);
    tap.direction = v3(0, -1, 0);
    tap.speed = speed;
    tap.max_volume = 30;
    assert_true(weir_emitter_create(t.world, &tap, NULL).slot > 0);
    *at = watch(&t, 16);
    return t;
}

/* The mean of three: which box comes to lie on which is chance. */
static void boxes_poured_over(void **state)
{
    (void)state;
    static const double speeds[] = {1.95, 2, 2.05};
    enum { POURS = sizeof speeds / sizeof speeds[0] };
    places mean = {0};
    trial t = {0};
    for (int k = 0; k < POURS; k++) {
        places at;
        weir_world_destroy(t.world);
        t = pour(speeds[k], &at);
        check_heavy_boxes(&at);
        for (int b = 0; b < BOXES; b++) {
            mean.height[b] += at.height[b] / POURS;
            mean.bottom[b] += at.bottom[b] / POURS;
        }
    }
    check_places(&t, &mean);
    weir_world_destroy(t.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_dropped_in),
                                       cmocka_unit_test(boxes_poured_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
