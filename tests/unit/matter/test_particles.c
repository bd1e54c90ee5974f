/* Particle storage: ids that stay, data that moves with its particle. */
#include "base/random.h"
#include "matter/particles.h"
#include "support/counting_memory.h"
#include "support/unit.h"

typedef struct store {
    counting_memory counter;
    memory mem;
    particles p;
} store;

/* Two fields: field 1 is state, field 0 is recomputed every step. */
static void begin(store *s, int dim)
{
    weir_hooks hooks = counting_hooks(&s->counter);
    s->mem = memory_with_hooks(&hooks);
    particles_init(&s->p, dim, 2, 1u << 1);
}

static void end(store *s)
{
    particles_free(&s->p, &s->mem);
    assert_int_equal(s->counter.live_blocks, 0);
    assert_int_equal(s->mem.bytes, 0);
}

/* Adds particles whose data follow from their ids. */
static void add(store *s, size_t count)
{
    assert_true(particles_reserve(&s->p, &s->mem, s->p.count + count));
    size_t first = particles_append(&s->p, count);
    for (size_t i = first; i < first + count; i++) {
        for (int a = 0; a < s->p.dim; a++) {
            s->p.x[a][i] = (float)s->p.id[i] + 0.25f * (float)a;
            s->p.v[a][i] = -(float)s->p.id[i] - 0.25f * (float)a;
        }
        s->p.field[0][i] = 7;
        s->p.field[1][i] = 2 * (float)s->p.id[i];
        s->p.fluid[i] = (uint8_t)(s->p.id[i] % 200);
    }
}

static void check_data_follow_ids(const store *s)
{
    for (size_t i = 0; i < s->p.count; i++) {
        for (int a = 0; a < s->p.dim; a++) {
            assert_true(s->p.x[a][i] == (float)s->p.id[i] + 0.25f * (float)a);
            assert_true(s->p.v[a][i] == -(float)s->p.id[i] - 0.25f * (float)a);
        }
        assert_true(s->p.field[1][i] == 2 * (float)s->p.id[i]);
        assert_int_equal(s->p.fluid[i], s->p.id[i] % 200);
    }
}

static void growth_keeps_everything(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        store s;
        begin(&s, dim);
        for (size_t count = 1; count < 3000; count = 3 * count + 1)
            add(&s, count);
        check_data_follow_ids(&s);
        for (size_t i = 0; i < s.p.count; i++)
            assert_int_equal(s.p.id[i], i);
        assert_true(dim == 3 ? s.p.x[2] != NULL : s.p.x[2] == NULL);
        end(&s);
    }
}

static void new_particles_are_zero(void **state)
{
    (void)state;
    store s;
    begin(&s, 3);
    add(&s, 100);
    uint8_t all[100];
    memset(all, 1, sizeof all);
    particles_compact(&s.p, all);
    particles_append(&s.p, 100); /* into memory that was used before */
    for (size_t i = 0; i < 100; i++) {
        assert_true(s.p.x[0][i] == 0 && s.p.v[2][i] == 0 && s.p.field[1][i] == 0);
        assert_int_equal(s.p.fluid[i], 0);
    }
    end(&s);
}

static void loops_may_read_whole_lanes_past_the_end(void **state)
{
    (void)state;
    store s;
    begin(&s, 2);
    add(&s, 33);
    float sum = 0;
    for (size_t i = 0; i < 33 + 8; i++) /* the sanitizer watches */
        sum += s.p.x[1][i] + s.p.field[0][i];
    assert_true(isfinite(sum));
    end(&s);
}

static void sorting_carries_the_state_along(void **state)
{
    (void)state;
    enum { COUNT = 40000 };
    static uint32_t order[COUNT];
    for (int threads = 1; threads <= 3; threads++) {
        store s;
        begin(&s, 3);
        add(&s, COUNT);
        for (uint32_t i = 0; i < COUNT; i++)
            order[i] = i;
        for (uint32_t i = COUNT - 1; i > 0; i--) {
            uint32_t other = (uint32_t)(random_bits(1, i) % (i + 1)), kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
        particles_permute(&s.p, order, threads);
        for (size_t i = 0; i < COUNT; i++)
            assert_int_equal(s.p.id[i], order[i]);
        check_data_follow_ids(&s);
        end(&s);
    }
}

static void removal_keeps_the_order_and_never_reuses_ids(void **state)
{
    (void)state;
    store s;
    begin(&s, 3);
    add(&s, 1000);
    uint8_t remove[1000];
    for (size_t i = 0; i < 1000; i++)
        remove[i] = i % 3 == 0;
    particles_compact(&s.p, remove);
    assert_int_equal(s.p.count, 666);
    check_data_follow_ids(&s);
    for (size_t i = 1; i < s.p.count; i++)
        assert_true(s.p.id[i] > s.p.id[i - 1] && s.p.id[i] % 3 != 0);
    add(&s, 10);
    assert_int_equal(s.p.id[666], 1000);
    check_data_follow_ids(&s);
    end(&s);
}

static void no_memory_changes_nothing(void **state)
{
    (void)state;
    for (size_t allowed = 0; allowed < 12; allowed++) {
        store s;
        begin(&s, 3);
        add(&s, 10);
        size_t bytes = s.mem.bytes;
        s.counter.calls_left = allowed;
        assert_false(particles_reserve(&s.p, &s.mem, 100000));
        assert_int_equal(s.mem.bytes, bytes);
        assert_int_equal(s.p.count, 10);
        check_data_follow_ids(&s);
        end(&s);
    }
}

static void too_many_particles_are_refused(void **state)
{
    (void)state;
    store s;
    begin(&s, 2);
    assert_false(particles_reserve(&s.p, &s.mem, (size_t)UINT32_MAX + 1));
    assert_int_equal(s.counter.calls, 0);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_keeps_everything),
        cmocka_unit_test(new_particles_are_zero),
        cmocka_unit_test(loops_may_read_whole_lanes_past_the_end),
        cmocka_unit_test(sorting_carries_the_state_along),
        cmocka_unit_test(removal_keeps_the_order_and_never_reuses_ids),
        cmocka_unit_test(no_memory_changes_nothing),
        cmocka_unit_test(too_many_particles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
