/* Tables of words held (src/simulate/table.h): what is put is found, with its own value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "simulate/table.h"

enum {
    WORDS = 300,
    STAMPS = 4,
    MOST_SECONDS = 20
};

/* Where a hashed table begins to look. */
static uint64_t first_slot(uint64_t element)
{
    element *= UINT64_C(0x9e3779b97f4a7c15);
    return element ^ element >> 29;
}

/* Elements that all begin to look at even slots fill these slots, and then odd ones: a table that
 * is half full has room. The alarm is for one that looks for ever. */
static void test_even_slots(void **state)
{
    (void)state;
    struct table table;
    uint64_t element[WORDS], n = 0;

    alarm(MOST_SECONDS);
    assert_true(table_init(&table, 1, 1));
    for (int i = 0; i < WORDS; i++) {
        bool is_new = false;
        do { /* single bits first, for which no few bits choose a slot */
            element[i] = n < 64 ? UINT64_C(1) << n : (n - 63) * 5;
            n++;
        } while ((first_slot(element[i]) & 1) != 0);
        struct word *word = table_put(&table, 0, element[i], 0, &is_new);
        assert_true(word != NULL && is_new);
        word->value = i;
    }
    assert_true(table.is_hashed);
    assert_int_equal(table.most, WORDS);
    for (int i = 0; i < WORDS; i++) {
        const struct word *word = table_find(&table, 0, element[i], 0);
        assert_true(word != NULL && word->element == element[i] && word->value == i);
    }
    table_clear(&table);
    alarm(0);
}

/* Of several instances and stamps: a word of a stamp that is no longer kept is not found, one that
 * is keeps its value while the table grows. */
static void test_stamps_while_growing(void **state)
{
    (void)state;
    struct table table;

    assert_true(table_init(&table, 3, 2));
    for (int64_t stamp = 0; stamp < STAMPS; stamp++) {
        for (int64_t i = 0; i < 3 * WORDS; i++) {
            bool is_new = false;
            uint64_t element = (uint64_t)(i / 3) << (i % 3 * 20) << stamp;
            struct word *word = table_put(&table, i % 3, element, stamp, &is_new);
            assert_true(word != NULL && is_new);
            word->value = stamp * 10000 + i;
        }
        for (int64_t back = 0; back < 2 && back <= stamp; back++) {
            for (int64_t i = 0; i < 3 * WORDS; i++) {
                uint64_t element = (uint64_t)(i / 3) << (i % 3 * 20) << (stamp - back);
                const struct word *word = table_find(&table, i % 3, element, stamp - back);
                assert_true(word != NULL && word->value == (stamp - back) * 10000 + i);
            }
        }
    }
    assert_int_equal(table.most, WORDS);
    table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_even_slots),
            cmocka_unit_test(test_stamps_while_growing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
