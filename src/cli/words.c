/* The command line's words: for fields of the library's options, and for the values of some. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const struct sator_word words[] = {
        {"summary", "`sator query FILE --summary`"}, /* an option of another command */
        {"include_dirs", "--include"},
#define OPTION(kind, field, name, letter, argument, commands, help, example) {#field, "--" name},
#include "cli/options.def"
#undef OPTION
};

struct sator_ctx *cli_ctx_new(const struct cli_options *options)
{
    struct sator_ctx *ctx = sator_ctx_new();

    if (sator_ctx_set_words(ctx, words, (int)(sizeof words / sizeof *words)) != SATOR_OK ||
            (options != NULL &&
                    sator_ctx_set_outputs(ctx, options->outputs->file, options->outputs->count,
                            &options->outputs->is_read) != SATOR_OK))
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

/* Commands that search for dataflows read none, nor does one that has its maps on the command line.
 */
static bool reads_no_dataflow(const struct cli_options *options)
{
    const char *command = options->command == NULL ? "" : options->command->name;

    return strcmp(command, "explore") == 0 ||
            (strcmp(command, "map") == 0 && options->why_not == NULL) || options->space != NULL;
}

struct sator_input_options cli_input_options(const struct cli_options *options)
{
    return (struct sator_input_options){
            .defines = options->defines.items,
            .n_defines = options->defines.count,
            .all_operators = options->all_operators,
            .include_dirs = options->include.items,
            .n_include_dirs = options->include.count,
            .function = options->function,
            .nest = (int)(options->nest > INT32_MAX ? INT32_MAX : options->nest),
            .sets = options->sets.items,
            .n_sets = options->sets.count,
            .no_dataflow = reads_no_dataflow(options),
            .tenet_interval = options->tenet_interval != NULL && *options->tenet_interval == '1',
    };
}

enum sator_format cli_format(const struct cli_options *options)
{
    static const char *const names[] = {"text", "json", "csv", "md", "tex"};

    for (int i = 0; options->format != NULL && i < (int)(sizeof names / sizeof *names); i++) {
        if (strcmp(options->format, names[i]) == 0)
            return (enum sator_format)i;
    }
    return options->json ? SATOR_FORMAT_JSON : options->csv ? SATOR_FORMAT_CSV : SATOR_FORMAT_TEXT;
}

int cli_schema(const struct cli_options *options)
{
    return options->schema != NULL && *options->schema == '1' ? 1 : 2;
}
