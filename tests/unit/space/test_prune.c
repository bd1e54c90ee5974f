/* The passes of the search at each instruction level against loops that take one particle at a
 * time, for stretches of every length, before and behind whole lanes. */
#include "base/random.h"
#include "space/prune.h"
#include "support/unit.h"

enum { COUNT = 120, ROOM = COUNT + PARTICLE_PADDING };

static const prune_passes *const passes[] = LANE_TABLE(prune_passes_);

/* -------------------------------------------------------------------- lists */

static float x[3][ROOM];

static void scatter(uint64_t seed)
{
    for (size_t i = 0; i < ROOM; i++)
        for (size_t a = 0; a < 3; a++)
            x[a][i] = (float)random_unit(seed, 3 * i + a);
    x[0][50] = NAN; /* counts as near */
}

static bool is_near(const cluster *c, const float shift[3], uint32_t j, double h, int dim)
{
    bool near = false;
    for (uint32_t i = c->first; i < c->first + c->count; i++) {
        float r2 = 0;
        for (int a = 0; a < dim; a++) {
            float d = (x[a][i] - shift[a]) - x[a][j];
            r2 += d * d;
        }
        near = near || !(r2 > (float)(h * h * (1 + 1e-3)));
    }
    return near;
}

static void check_list(const neighbours *n, const particles *p, const cluster *c,
                       const stretch *stretches, int count)
{
    static const float shift[3] = {0.25f, 0, -0.125f};
    uint32_t expected[2 * COUNT], kept = 0;
    for (int s = 0; s < count; s++)
        for (uint32_t j = stretches[s].begin; j < stretches[s].end; j++)
            if (is_near(c, shift, j, n->h, n->dim))
                expected[kept++] = j;
    for (int level = 0; level <= (int)lane_level_last(); level++) {
        uint32_t list[2 * COUNT + PRUNE_ROOM + 1];
        list[kept + PRUNE_ROOM] = 12345; /* must stay */
        assert_int_equal(passes[level]->list(n, p, c, shift, stretches, count, list), kept);
        assert_memory_equal(list, expected, kept * sizeof *list);
        assert_int_equal(list[kept + PRUNE_ROOM], 12345);
    }
}

static void lists_hold_what_some_member_sees(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        particles p = {.dim = dim, .count = COUNT, .x = {x[0], x[1], x[2]}};
        neighbours n = {.dim = dim, .h = dim == 2 ? 0.2 : 0.3};
        scatter(3 + (uint64_t)dim);
        for (uint32_t length = 0; length <= 40; length++)
            for (uint32_t members = 1; members <= CLUSTER_SIZE; members++) {
                cluster c = {.first = COUNT - members, .count = members};
                const stretch around[] = {{length, 2 * length}, {90, 90}, {COUNT - length, COUNT}};
                check_list(&n, &p, &c, around, 3);
            }
    }
}

/* In one row at distances of half a reach, so that some lie exactly at the end of it. */
static void what_lies_at_the_reach_is_listed(void **state)
{
    (void)state;
    particles p = {.dim = 2, .count = COUNT, .x = {x[0], x[1], x[2]}};
    neighbours n = {.dim = 2, .h = sqrt(0.25 / (1 + 1e-3))};
    assert_true((float)(n.h * n.h * (1 + 1e-3)) == 0.25f);
    for (size_t i = 0; i < ROOM; i++) {
        x[0][i] = 0.25f * (float)i;
        x[1][i] = 0;
    }
    cluster c = {.first = 60, .count = 1};
    const stretch all = {0, COUNT};
    check_list(&n, &p, &c, &all, 1);
}

/* ------------------------------------------------------------------- places */

/* Two rows one behind the other, the places of each in order. */
static void fill_rows(uint32_t *bins, uint32_t middle, uint32_t end, uint64_t seed)
{
    uint32_t bin = 0;
    for (uint32_t i = 0; i < end + PLACE_ROOM; i++) {
        bin = i == middle ? 0 : bin + (uint32_t)(4 * random_unit(seed, i));
        bins[i] = i < end ? bin : 0;
    }
}

static uint32_t find_place(const uint32_t *bins, uint32_t from, uint32_t end, int32_t bin)
{
    while (from < end && (int32_t)bins[from] < bin)
        from++;
    return from;
}

static void check_rows(const uint32_t *bins, uint32_t middle, uint32_t end)
{
    const uint32_t ends[] = {middle, end};
    for (int level = 0; level <= (int)lane_level_last(); level++)
        for (int32_t width = 1; width <= 31; width += 10) {
            stretch seen[] = {{0, 0}, {middle, middle}};
            for (int32_t from = -9; from < 200; from += 1 + width / 3) {
                passes[level]->advance(bins, from, from + width, ends, seen, 2);
                for (int k = 0; k < 2; k++) {
                    uint32_t begin = k == 0 ? 0 : middle;
                    assert_int_equal(seen[k].begin, find_place(bins, begin, ends[k], from));
                    assert_int_equal(seen[k].end, find_place(bins, begin, ends[k], from + width));
                }
            }
        }
}

static void stretches_move_to_their_places(void **state)
{
    (void)state;
    uint32_t bins[COUNT + PLACE_ROOM];
    for (uint32_t middle = 1; middle <= 40; middle++)
        for (uint32_t length = 1; length <= 40; length += 3) {
            fill_rows(bins, middle, middle + length, middle + 100 * length);
            check_rows(bins, middle, middle + length);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_hold_what_some_member_sees),
        cmocka_unit_test(what_lies_at_the_reach_is_listed),
        cmocka_unit_test(stretches_move_to_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
