/* Messages: what is kept, and to which one a help line belongs. */
#include "unit/inputs.h"

static struct sator_loc at(const struct sator_source *source, size_t offset)
{
    return (struct sator_loc){.source = source, .offset = offset, .length = 1};
}

/* A message that is said twice stands once; its help does not move to the message between. */
static void test_help_of_a_repeated_message(void **state)
{
    const struct sator_source *source = sator_source_from_text(ctx, "text", "ab\n");

    (void)state;
    sator_error(ctx, at(source, 0), "first");
    sator_help(ctx, "mend it");
    sator_error(ctx, at(source, 1), "second");
    sator_error(ctx, at(source, 0), "first");
    sator_help(ctx, "mend it");
    sator_help(ctx, "or leave it");
    expect_messages("text:1:1: error: first\n    ab\n    ^\nhelp: mend it\nhelp: or leave it\n"
                    "text:1:2: error: second\n    ab\n     ^\n");
    sator_help(ctx, "about nothing"); /* what was taken has no more help */
    assert_null(sator_ctx_take_messages(ctx, false));
}

/* 200 messages are kept, and told of; help for a later one does not go to the 200th. */
static void test_most_messages(void **state)
{
    (void)state;
    for (int i = 0; i < 201; i++)
        sator_error(ctx, (struct sator_loc){0}, "number %d", i);
    sator_help(ctx, "lost");
    char *messages = sator_ctx_take_messages(ctx, false);
    assert_non_null(strstr(messages, "error: number 199\n201 errors in all; the first 200 are"));
    assert_null(strstr(messages, "number 200"));
    assert_null(strstr(messages, "lost"));
    free(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_help_of_a_repeated_message, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_most_messages, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
