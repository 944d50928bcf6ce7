/* Sets of integers as runs against the same sets as flags, one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "count/tiled/value_set.h"
#include "mapper/problem/mapping.h"

enum {
    REACH = 4096, /* flags stand for -REACH to REACH */
    FLAGS = 2 * REACH + 1
};

static int64_t draw(uint64_t *state, int64_t least, int64_t most)
{
    return least + (int64_t)(sator_mapper_random(state) % (uint64_t)(most - least + 1));
}

static void add_flags(unsigned char *flags, int64_t step, int64_t count)
{
    unsigned char old[FLAGS];

    memcpy(old, flags, FLAGS);
    for (int64_t v = 0; v < FLAGS; v++) {
        for (int64_t k = 0; old[v] && k < count; k++) {
            assert_in_range(v + k * step, 0, FLAGS - 1);
            flags[v + k * step] = 1;
        }
    }
}

static int64_t count_flags(const unsigned char *flags)
{
    int64_t count = 0;

    for (int64_t v = 0; v < FLAGS; v++)
        count += flags[v];
    return count;
}

/* The runs ascend, do not touch, and hold exactly the values that are flagged. */
static void compare(const struct sator_value_set *set, const unsigned char *flags)
{
    assert_int_equal(sator_value_set_size(set), count_flags(flags));
    for (int64_t k = 0; k < set->n_runs; k++) {
        const struct sator_value_run *run = &set->run[k], *last = run - 1;
        assert_in_range(run->class, 0, set->modulus - 1);
        assert_true(run->last >= run->first);
        if (k > 0)
            assert_true(run->class > last->class ||
                    (run->class == last->class && run->first > last->last + 1));
        for (int64_t i = run->first; i <= run->last; i++)
            assert_true(flags[REACH + run->class + set->modulus * i]);
    }
}

static void test_against_flags(void **unused)
{
    uint64_t state = 1;

    (void)unused;
    for (int round = 0; round < 3000; round++) {
        unsigned char flags[FLAGS] = {0}, left_flags[FLAGS] = {0};
        unsigned char other_flags[FLAGS] = {0};
        struct sator_value_set set, left, other;
        int64_t list[4], n_values = draw(&state, 1, 4);
        for (int64_t k = 0; k < n_values; k++) {
            list[k] = draw(&state, -40, 40);
            flags[REACH + list[k]] = 1;
        }
        sator_value_set_init(&set, draw(&state, 1, 7), n_values, list);
        compare(&set, flags);
        for (int64_t n = draw(&state, 0, 4); n > 0; n--) {
            int64_t step = draw(&state, -30, 30), count = draw(&state, 1, 12);
            sator_value_set_add(&set, step, count);
            add_flags(flags, step, count);
            compare(&set, flags);
        }
        int64_t shift = draw(&state, -90, 90), first = draw(&state, -40, 40);
        bool is_own = draw(&state, 0, 1) == 0; /* what leaves is of the set, or of a line */
        sator_value_set_init(&other, set.modulus, 1, &first);
        other_flags[REACH + first] = 1;
        sator_value_set_add(&other, 3, 20);
        add_flags(other_flags, 3, 20);
        for (int64_t v = 0; v < FLAGS; v++) {
            int64_t before = v + shift;
            left_flags[v] = flags[v] &&
                    !(before >= 0 && before < FLAGS && (is_own ? flags : other_flags)[before]);
        }
        sator_value_set_leave(&set, is_own ? &set : &other, shift, &left);
        compare(&left, left_flags);
        sator_value_set_unite(&left, &other, 5);
        for (int64_t v = 5; v < FLAGS; v++)
            left_flags[v] |= other_flags[v - 5];
        compare(&left, left_flags);
        sator_value_set_free(&other);
        sator_value_set_add(&left, 2, 3); /* also when nothing is left */
        add_flags(left_flags, 2, 3);
        compare(&left, left_flags);
        sator_value_set_free(&left);
        sator_value_set_free(&set);
    }
}

/* A line of 2^40 values, every second one, and the line moved by an odd distance: no room for
 * flags. */
static void test_long_lines(void **unused)
{
    struct sator_value_set set, left;
    const int64_t zero = 0, n = INT64_C(1) << 40;

    (void)unused;
    sator_value_set_init(&set, 2, 1, &zero);
    sator_value_set_add(&set, 2, n);
    assert_int_equal(sator_value_set_size(&set), n);
    sator_value_set_leave(&set, &set, 3, &left);
    assert_int_equal(sator_value_set_size(&left), n);
    sator_value_set_free(&left);
    sator_value_set_leave(&set, &set, 6, &left);
    assert_int_equal(sator_value_set_size(&left), 3);
    sator_value_set_free(&left);
    sator_value_set_add(&set, 3, 5); /* even: 2 n + 12 / 2; odd: from 3 to 2 (n - 1) + 9 */
    assert_int_equal(sator_value_set_size(&set), (n + 6) + (n + 3));
    sator_value_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_against_flags),
            cmocka_unit_test(test_long_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
