/* The built-in library in closed form: every workload x architecture x dataflow that fits together
 * is answered (by a slow build, a share of them: oracle/run.h), and a random sample says the same
 * with the general engine, to the last digit of the report.
 *
 *     property_library [--seed N] [--cases N] (N combinations for the general engine)
 */
#include "oracle/run.h"
#include "sator/analyze.h"
#include "sator/report.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_COMBINATIONS = 20000,
    LEAST_COMBINATIONS = 3900, /* that fit together: fewer would mean that inputs are refused */
    WORK_LIMIT = 20 * 1000 * 1000 /* of the general engine; what takes longer is not compared */
};

struct combination {
    int workload, arch, dataflow;
};

struct library {
    struct sator_ctx *ctx;
    int n[3]; /* workloads, archs, dataflows */
    void **entry[3];
};

static const char *const kinds[] = {"workloads", "archs", "dataflows"};

static void fail(struct sator_ctx *ctx, const char *what)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    printf("%s: %s\n", what, messages == NULL ? "" : messages);
    exit(1);
}

static enum sator_status load_entry(struct sator_ctx *ctx, int kind, const char *name, void **entry)
{
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;
    struct sator_dataflow *dataflow = NULL;
    enum sator_status st = kind == 0 ? sator_network_load(ctx, name, NULL, &network)
            : kind == 1              ? sator_arch_load(ctx, name, NULL, &arch)
                                     : sator_dataflow_load(ctx, name, NULL, &dataflow);

    *entry = kind == 0 ? (void *)network : kind == 1 ? (void *)arch : (void *)dataflow;
    return st;
}

static struct library load_library(void)
{
    struct library library = {.ctx = sator_ctx_new()};

    for (int kind = 0; kind < 3; kind++) {
        library.n[kind] = sator_library_count(kinds[kind]);
        library.entry[kind] = calloc((size_t)library.n[kind] + 1, sizeof(void *));
        if (library.entry[kind] == NULL)
            fail(library.ctx, "out of memory");
        for (int i = 0; i < library.n[kind]; i++) {
            const char *name = sator_library_name(kinds[kind], i);
            if (load_entry(library.ctx, kind, name, &library.entry[kind][i]) != SATOR_OK)
                fail(library.ctx, name);
        }
    }
    return library;
}

static void unload_library(struct library *library)
{
    for (int i = 0; i < library->n[0]; i++)
        sator_network_free(library->entry[0][i]);
    for (int i = 0; i < library->n[1]; i++)
        sator_arch_free(library->entry[1][i]);
    for (int i = 0; i < library->n[2]; i++)
        sator_dataflow_free(library->entry[2][i]);
    for (int kind = 0; kind < 3; kind++)
        free(library->entry[kind]);
    sator_ctx_free(library->ctx);
}

/* The report of one analysis without the engine's name, NULL with "*st" when there is none. */
static char *analyze(const struct library *library, struct combination c,
        enum sator_engine_choice engine, enum sator_status *st)
{
    struct sator_analyze_options options = {.engine = engine};
    struct sator_report_options as_json = {.format = SATOR_FORMAT_JSON};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_result *result = NULL;
    char *text = NULL;

    sator_ctx_set_work_limit(ctx, engine == SATOR_ENGINE_AUTO ? 10 * WORK_LIMIT : WORK_LIMIT);
    *st = sator_analyze(ctx, library->entry[0][c.workload], 0, library->entry[1][c.arch],
            library->entry[2][c.dataflow], &options, &result);
    if (*st == SATOR_OK) {
        result->engine = "any";
        result->declined = NULL;
        *st = sator_report_results(
                ctx, (const struct sator_result *const *)&result, 1, &as_json, &text);
        sator_result_free(result);
    }
    sator_ctx_free(ctx);
    return text;
}

static void print_combination(const char *what, struct combination c)
{
    printf("%s: sator analyze %s --arch %s --dataflow %s\n", what,
            sator_library_name(kinds[0], c.workload), sator_library_name(kinds[1], c.arch),
            sator_library_name(kinds[2], c.dataflow));
}

/* Answer one in "share" of the combinations; those that the closed form answers into "fits", their
 * number into "n_fit", the number of those that it leaves to the other engines into "n_left". The
 * number of those that no engine answers. */
static int answer_all(const struct library *library, int64_t share, struct combination *fits,
        int *n_fit, int *n_left)
{
    struct combination c;
    int64_t number = 0;
    int n_unanswered = 0;

    *n_fit = *n_left = 0;
    for (c.workload = 0; c.workload < library->n[0]; c.workload++) {
        for (c.arch = 0; c.arch < library->n[1]; c.arch++) {
            for (c.dataflow = 0; c.dataflow < library->n[2]; c.dataflow++) {
                enum sator_status st;
                if (number++ % share != 0)
                    continue;
                free(analyze(library, c, SATOR_ENGINE_CLOSED, &st));
                if (st == SATOR_INPUT)
                    continue;
                if (st != SATOR_OK) {
                    free(analyze(library, c, SATOR_ENGINE_AUTO, &st));
                    *n_left += st == SATOR_OK;
                    if (st != SATOR_OK && st != SATOR_INPUT) {
                        print_combination("not answered", c);
                        n_unanswered++;
                    }
                } else if (*n_fit < MOST_COMBINATIONS) {
                    fits[(*n_fit)++] = c;
                }
            }
        }
    }
    return n_unanswered;
}

/* Whether both engines give one report; "*compared" counts those that the general engine gives. */
static bool same(const struct library *library, struct combination c, int *compared)
{
    enum sator_status st;
    char *general = analyze(library, c, SATOR_ENGINE_GENERAL, &st);
    bool is_same = true;

    if (st == SATOR_OK) {
        char *closed = analyze(library, c, SATOR_ENGINE_CLOSED, &st);
        is_same = st == SATOR_OK && strcmp(closed, general) == 0;
        ++*compared;
        free(closed);
    } else if (st != SATOR_LIMIT) {
        is_same = false;
    }
    free(general);
    if (!is_same)
        print_combination("the engines differ", c);
    return is_same;
}

int main(int argc, char **argv)
{
    static struct combination fits[MOST_COMBINATIONS];
    struct run_options options;
    int n_fit, n_left;
    int compared = 0;

    if (!run_options(argc, argv, 100, &options))
        return 2;
    struct library library = load_library();
    /* An odd share takes every workload with every dataflow on some machine: their numbers are
     * even. */
    int64_t share = LEAST_COMBINATIONS / run_count(LEAST_COMBINATIONS) | 1;
    int64_t least = share == 1 ? LEAST_COMBINATIONS : LEAST_COMBINATIONS / (2 * share);
    int failures = answer_all(&library, share, fits, &n_fit, &n_left);
    /* The general engine is too slow for some: others are drawn for these. */
    for (int64_t i = 0; compared < options.n_cases && i < 4 * options.n_cases && n_fit > 0; i++) {
        struct random random = {run_case_seed(&options, i)};
        failures += !same(&library, fits[random_below(&random, n_fit)], &compared);
    }
    printf("%d combinations in closed form, %d left to other engines, %d of %d compared with the "
           "general engine\n",
            n_fit, n_left, compared, (int)options.n_cases);
    unload_library(&library);
    return failures > 0 || n_left > 1 + n_fit / 100 || n_fit < least ||
            compared * 2 < options.n_cases;
}
