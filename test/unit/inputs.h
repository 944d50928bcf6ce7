/* What the tests of readers share: texts to objects, and messages as one string. */
#ifndef SATOR_TEST_UNIT_INPUTS_H
#define SATOR_TEST_UNIT_INPUTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "frontend/frontend.h"

static struct sator_ctx *ctx;

static inline int set_up(void **state)
{
    (void)state;
    ctx = sator_ctx_new();
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    sator_ctx_free(ctx);
    return 0;
}

/* Print what was reported, so that a failing test says why. */
static inline void say_messages(void)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    if (messages != NULL)
        print_error("%s", messages);
    free(messages);
}

static inline void expect_messages(const char *expected)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    assert_string_equal(messages == NULL ? "" : messages, expected);
    free(messages);
}

static inline struct sator_settings settings_of(const char *const *sets, int n_sets)
{
    return (struct sator_settings){.n_sets = n_sets, .sets = sets};
}

static inline struct sator_network *network_with(
        const char *text, const struct sator_settings *settings)
{
    struct sator_network *network = NULL;
    const struct sator_source *source = sator_source_from_text(ctx, "text.yaml", text);

    if (sator_yaml_network(ctx, source, settings, &network) != SATOR_OK)
        assert_null(network);
    return network;
}

static inline struct sator_network *network_of(const char *text)
{
    struct sator_network *network = network_with(text, NULL);

    if (network == NULL)
        say_messages();
    assert_non_null(network);
    return network;
}

static inline struct sator_arch *arch_with(const char *text, const struct sator_settings *settings)
{
    struct sator_arch *arch = NULL;
    const struct sator_source *source = sator_source_from_text(ctx, "text.yaml", text);

    if (sator_yaml_arch(ctx, source, settings, &arch) != SATOR_OK)
        assert_null(arch);
    return arch;
}

static inline struct sator_arch *arch_of(const char *text)
{
    struct sator_arch *arch = arch_with(text, NULL);

    if (arch == NULL)
        say_messages();
    assert_non_null(arch);
    return arch;
}

static inline struct sator_dataflow *dataflow_with(
        const char *text, const struct sator_settings *settings)
{
    struct sator_dataflow *dataflow = NULL;
    const struct sator_source *source = sator_source_from_text(ctx, "text.yaml", text);

    if (sator_yaml_dataflow(ctx, source, settings, &dataflow) != SATOR_OK)
        assert_null(dataflow);
    return dataflow;
}

static inline struct sator_dataflow *dataflow_of(const char *text)
{
    struct sator_dataflow *dataflow = dataflow_with(text, NULL);

    if (dataflow == NULL)
        say_messages();
    assert_non_null(dataflow);
    return dataflow;
}

static inline void expect_relation(const struct sator_relation *relation, const char *expected)
{
    struct sator_text text = {0};

    sator_relation_write(&text, relation);
    assert_string_equal(text.data, expected);
    sator_text_clear(&text);
}

#endif
