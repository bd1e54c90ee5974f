/* The collapse of a square column of water against experiments: J. C. Martin, W. J. Moyce, Phil.
 * Trans. R. Soc. A 244 (1952), n² = 1. Front Z = x/a and height H = y/a against T = t √(g/a). */
#include "support/worlds.h"

#include <math.h>

static const double WIDTH = 0.05715, GRAVITY = 9.81;

typedef struct reading {
    double time, value;
} reading;

/* Both series of the front, a = 2.25 in and 4.5 in, and the height, a = 2.25 in. */
static const reading small_front[] = {{0.43, 1.11}, {0.62, 1.22}, {0.8, 1.44},  {0.97, 1.67},
                                      {1.14, 1.89}, {1.29, 2.11}, {1.45, 2.33}, {1.62, 2.56},
                                      {1.76, 2.78}, {1.93, 3.0},  {2.07, 3.22}, {2.24, 3.44},
                                      {2.4, 3.67},  {2.54, 3.89}, {2.71, 4.11}, {2.87, 4.33}};
static const reading large_front[] = {{0.58, 1.22}, {0.8, 1.44},  {1.19, 1.89}, {1.66, 2.56},
                                      {1.94, 3.0},  {2.17, 3.44}, {2.38, 3.89}, {2.85, 4.56}};
static const reading height[] = {{0.8, 0.89},  {1.29, 0.78}, {1.74, 0.67},
                                 {2.15, 0.56}, {2.57, 0.44}, {3.08, 0.33}};

static double interpolate(const reading *series, size_t count, double time)
{
    size_t k = 1;
    while (k < count - 1 && time > series[k].time)
        k++;
    double share = (time - series[k - 1].time) / (series[k].time - series[k - 1].time);
    return series[k - 1].value + share * (series[k].value - series[k - 1].value);
}

/* Front and height of the column: by volume, over a fifth of its width at the wall. Particles count
 * by their width: whole columns of the first lattice pass the mark at once. */
static void measure(const weir_world *world, double d, double *front, double *level)
{
    weir_particle_view p = weir_world_get_particles(world);
    double farthest = 0, volume = 0;
    for (size_t i = 0; i < p.count; i++) {
        double left = p.position[0][i] - d / 2;
        farthest = fmax(farthest, left + d / 2);
        volume += d * fmin(fmax(0.2 * WIDTH - left, 0), d);
    }
    *front = (farthest + d / 2) / WIDTH;
    *level = volume / (0.2 * WIDTH) / WIDTH;
}

enum { READINGS = 62 };
static const double STEP = 0.05; /* of T */

/* Walls stick, as those of glass and plastic do: the front runs in a layer so thin that it feels
 * the floor. With walls that slip it gets 5.12 instead of 5.00 widths far. */
static void make_channel(weir_world *w)
{
    weir_body_def floor = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_NO_SLIP);
    weir_body_def back = plane_def(v3(0, 0, 0), v3(1, 0, 0), WEIR_WALL_NO_SLIP);
    make_body(w, &floor);
    make_body(w, &back);
}

static void run_column(double fronts[READINGS], double levels[READINGS])
{
    double d = WIDTH / 30, unit = sqrt(WIDTH / GRAVITY);
    weir_world_def def = small_world_def(2, d);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.gravity = v3(0, -GRAVITY, 0);
    weir_world *w = make_world(&def);
    weir_fluid_id water = make_fluid(w, 1000, 0.001);
    make_channel(w);
    fill_box(w, water, 2, d, v3(0, 0, 0), v3(WIDTH, WIDTH, 0), 0, v3(0, 0, 0));
    for (int k = 0; k < READINGS; k++) {
        measure(w, d, &fronts[k], &levels[k]);
        step_world(w, STEP * unit);
    }
    weir_world_destroy(w);
}

/* What to add to our time to get theirs. A wax diaphragm held the column, and how it opened is not
 * known: both series are tied at Z = 1.44, T = 0.8, and so are we. */
static double find_delay(const double fronts[READINGS])
{
    int k = 1;
    while (k < READINGS - 1 && fronts[k] < 1.44)
        k++;
    double share = (1.44 - fronts[k - 1]) / (fronts[k] - fronts[k - 1]);
    return 0.8 - (k - 1 + share) * STEP;
}

static double miss_front(const double fronts[READINGS], double late)
{
    double worst = 0;
    for (int k = 0; k < READINGS; k++) {
        double time = k * STEP + late;
        if (time < 0.6 || time > 2.85)
            continue;
        double a = interpolate(small_front, COUNT_OF(small_front), time);
        double b = interpolate(large_front, COUNT_OF(large_front), time);
        worst = fmax(worst, fmax(fmin(a, b) - fronts[k], fronts[k] - fmax(a, b)));
    }
    return worst;
}

static double miss_height(const double levels[READINGS], double late)
{
    double worst = 0;
    for (int k = 0; k < READINGS; k++) {
        double time = k * STEP + late;
        if (time >= 0.8 && time < 3.08)
            worst = fmax(worst, fabs(levels[k] - interpolate(height, COUNT_OF(height), time)));
    }
    return worst;
}

static double largest_scatter(void)
{
    double most = 0;
    for (double time = 0.6; time < 2.85; time += 0.01)
        most = fmax(most, fabs(interpolate(small_front, COUNT_OF(small_front), time) -
                               interpolate(large_front, COUNT_OF(large_front), time)));
    return most;
}

static void column_collapses_as_measured(void **state)
{
    (void)state;
    double fronts[READINGS], levels[READINGS];
    run_column(fronts, levels);
    double late = find_delay(fronts);
    print_message("start %.2f late: front %.3f of %.3f, height %.3f\n", late,
                  miss_front(fronts, late), largest_scatter(), miss_height(levels, late));
    /* Water cannot outrun shallow water theory without friction (Ritter). */
    assert_true(fronts[READINGS - 1] < 1 + 2 * STEP * (READINGS - 1));
    assert_true(late > 0 && late < 0.2);
    assert_true(miss_front(fronts, late) < largest_scatter());
    /* The height has one series. The two of the front differ by 0.18 in time, in which it falls by
     * 0.05; two digits are read. */
    assert_true(miss_height(levels, late) < 0.055);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(column_collapses_as_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
