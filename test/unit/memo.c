/* What is found again by a key: compared with a list that is searched from end to end. */
#include "base/memo.h"

#include "unit/inputs.h"

enum {
    MOST_KEY = 4,
    KEYS = 700
};

struct listed {
    int64_t key[MOST_KEY];
    size_t length;
    int item;
};

static int in_list(const struct listed *list, int n, const int64_t *key, size_t length)
{
    for (int i = 0; i < n; i++) {
        if (list[i].length == length && memcmp(list[i].key, key, sizeof *key * length) == 0)
            return i;
    }
    return n;
}

/* Keys of few different words, so that many are equal, and many begin as others do. */
static void test_as_a_list(void **state)
{
    static struct listed list[KEYS];
    struct sator_memo *memo = sator_memo_new(sizeof(int));
    unsigned draw = 1;
    int n = 0;
    size_t words = 0;

    (void)state;
    for (int round = 0; round < 4 * KEYS && n < KEYS; round++) {
        struct listed drawn = {.item = round};
        draw = draw * 1103515245u + 12345u;
        drawn.length = draw >> 16 & 3;
        for (size_t i = 0; i < drawn.length; i++) {
            draw = draw * 1103515245u + 12345u;
            drawn.key[i] = (int64_t)(draw >> 16 & 15) - 8;
        }
        int at = in_list(list, n, drawn.key, drawn.length);
        bool is_new;
        assert_int_equal(at < n, sator_memo_find(memo, drawn.key, drawn.length) != NULL);
        int *item = sator_memo_place(memo, drawn.key, drawn.length, &is_new);
        assert_int_equal(is_new, at == n);
        assert_int_equal(*item, is_new ? 0 : list[at].item);
        if (!is_new)
            continue;
        *item = round;
        words += drawn.length;
        list[n++] = drawn;
        assert_int_equal(sator_memo_size(memo), n);
        assert_int_equal(sator_memo_key_words(memo), words);
    }
    assert_true(n > 300); /* the table has grown */
    for (int i = 0; i < n; i++)
        assert_int_equal(*(int *)sator_memo_find(memo, list[i].key, list[i].length), list[i].item);
    sator_memo_clear(memo);
    assert_int_equal(sator_memo_size(memo), 0);
    assert_null(sator_memo_find(memo, list[0].key, list[0].length));
    sator_memo_free(memo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_a_list)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
