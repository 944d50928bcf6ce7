/* JSON as a stream: commas, escapes, numbers; the expected texts are RFC 8259's. */
#include "base/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect(struct sator_text *text, const char *expected)
{
    char *got = sator_text_take(text);

    assert_string_equal(got, expected);
    free(got);
}

static void members(void **state)
{
    (void)state;
    struct sator_text text = {0};
    struct sator_json json = {.text = &text};

    sator_json_open(&json, NULL, '{');
    sator_json_text(&json, "a\"b", "x\n\\");
    sator_json_text(&json, "none", NULL);
    sator_json_open(&json, "empty", '[');
    sator_json_close(&json, ']');
    sator_json_small_array(&json, "pair", 2, (int64_t[]){-1, INT64_MAX});
    sator_json_bool(&json, "yes", true);
    sator_json_open(&json, "rows", '[');
    sator_json_open(&json, NULL, '{');
    sator_json_close(&json, '}');
    sator_json_raw(&json, NULL, "[1]");
    sator_json_close(&json, ']');
    sator_json_bool(&json, "no", false);
    sator_json_close(&json, '}');
    expect(&text,
            "{\"a\\\"b\":\"x\\u000a\\\\\",\"none\":null,\"empty\":[],\"pair\":[-1,"
            "9223372036854775807],\"yes\":true,\"rows\":[{},[1]],\"no\":false}");
}

static void numbers(void **state)
{
    (void)state;
    struct sator_text text = {0};
    struct sator_json json = {.text = &text, .spaced = true};

    sator_json_open(&json, NULL, '[');
    sator_json_number(&json, NULL, 0.1);
    sator_json_number(&json, NULL, 0.1 + 0.2); /* 0.3 is another double */
    sator_json_number(&json, NULL, 1e300);
    sator_json_number(&json, NULL, INFINITY);
    sator_json_number(&json, NULL, NAN);
    sator_json_count(&json, NULL, (sator_int)1 << 100);
    json.counts_as_text = true;
    sator_json_count(&json, NULL, -7);
    sator_json_small(&json, NULL, 7);
    sator_json_close(&json, ']');
    expect(&text,
            "[0.1, 0.30000000000000004, 1e+300, null, null, 1267650600228229401496703205376, "
            "\"-7\", 7]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(members), cmocka_unit_test(numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
