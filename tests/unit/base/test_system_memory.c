/* The free memory is a number that a machine can have. */
#include "base/system_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void memory_is_reported(void **state)
{
    (void)state;
    uint64_t available = system_memory_available();
    assert_true(available > 1000000);
    assert_true(available == UINT64_MAX || available < UINT64_C(1) << 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_is_reported)};
    return cmocka_run_group_tests_name("system_memory", tests, NULL, NULL);
}
