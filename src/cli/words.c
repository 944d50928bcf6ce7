/* Fields of the library's options, as the command line calls them. */
#include "cli/cli.h"

#include <stdlib.h>

static const struct sator_word words[] = {
        {"budget_seconds", "--budget"},
        {"constraints", "--constraint"},
        {"database", "--db"},
        {"defines", "--define"},
        {"fold", "--fold"},
        {"from", "--from"},
        {"function", "--function"},
        {"imperfect", "--imperfect"},
        {"keep", "--keep"},
        {"max_cells", "--max-cells"},
        {"nest", "--nest"},
        {"objective", "--objective"},
        {"ordered", "--ordered"},
        {"pack", "--pack"},
        {"pareto", "--pareto"},
        {"resume", "--resume"},
        {"sets", "--set"},
        {"skew", "--skew"},
        {"sort", "--sort"},
        {"space", "--space"},
        {"stamps", "--stamps"},
        {"summary", "`sator query FILE --summary`"},
        {"time", "--time"},
        {"varies", "--vary"},
        {"where", "--where"},
        {"work_limit", "--work-limit"},
};

struct sator_ctx *cli_ctx_new(void)
{
    struct sator_ctx *ctx = sator_ctx_new();

    if (sator_ctx_set_words(ctx, words, (int)(sizeof words / sizeof *words)) != SATOR_OK)
        abort();
    return ctx;
}
