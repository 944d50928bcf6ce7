/* The command line's words: for fields of the library's options, and for the values of some. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const struct sator_word words[] = {
        {"summary", "`sator query FILE --summary`"}, /* an option of another command */
#define OPTION(kind, field, name, letter, argument, commands, help, example) {#field, "--" name},
#include "cli/options.def"
#undef OPTION
};

struct sator_ctx *cli_ctx_new(const struct cli_options *options)
{
    struct sator_ctx *ctx = sator_ctx_new();

    if (sator_ctx_set_words(ctx, words, (int)(sizeof words / sizeof *words)) != SATOR_OK ||
            (options != NULL &&
                    sator_ctx_set_output(ctx, options->output, options->output_is_read) !=
                            SATOR_OK))
        abort();
    return ctx;
}

enum sator_engine_choice cli_engine(const struct cli_options *options)
{
    static const struct {
        const char *word;
        enum sator_engine_choice engine;
    } engines[] = {{"closed", SATOR_ENGINE_CLOSED}, {"tiled", SATOR_ENGINE_TILED},
            {"listed", SATOR_ENGINE_LISTED}, {"general", SATOR_ENGINE_GENERAL}};

    for (size_t i = 0; options->engine != NULL && i < sizeof engines / sizeof *engines; i++) {
        if (strcmp(options->engine, engines[i].word) == 0)
            return engines[i].engine;
    }
    return SATOR_ENGINE_AUTO;
}

enum sator_timing_choice cli_timing(const struct cli_options *options)
{
    if (options->timing == NULL)
        return SATOR_TIMING_AUTO;
    return strcmp(options->timing, "scheduled") == 0 ? SATOR_TIMING_SCHEDULED
                                                     : SATOR_TIMING_ROOFLINE;
}
