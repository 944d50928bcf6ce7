/* A customer of the library, whose allocator is the C library's: what a call does when memory runs
 * out is for it to see. tools/oom.sh fails its allocations; the program itself (src/cli/memory.c)
 * would end.
 *
 *     library CASE
 *
 * prints what the case has to tell and ends with 0 when every call was SATOR_OK, with 5 when one
 * was SATOR_NOMEM or returned NULL, else with 1. Everything is freed, and a call that failed is
 * made again, which has to give the right answer: a context is as good as new after SATOR_NOMEM.
 */
#include "sator/analyze.h"
#include "sator/build.h"
#include "sator/explore.h"
#include "sator/input.h"
#include "sator/map.h"
#include "sator/plan.h"
#include "sator/report.h"
#include "sator/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sator_ctx *ctx;
static bool no_memory;

/* Whether a call succeeded. It says why not where that is another reason than memory. */
static bool is_ok(enum sator_status status)
{
    if (status == SATOR_NOMEM)
        no_memory = true;
    if (status == SATOR_OK || status == SATOR_NOMEM)
        return status == SATOR_OK;
    char *messages = sator_ctx_take_messages(ctx, false);
    fprintf(stderr, "status %d: %s\n", (int)status, messages == NULL ? "" : messages);
    free(messages);
    exit(1);
}

struct inputs {
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
};

static bool load(const char *workload, const char *arch, const char *space, const char *time,
        struct inputs *in)
{
    *in = (struct inputs){0};
    return is_ok(sator_network_load(ctx, workload, NULL, &in->network)) &&
            is_ok(sator_arch_load(ctx, arch, NULL, &in->arch)) &&
            is_ok(sator_dataflow_from_text(ctx, "own", space, time, &in->dataflow));
}

static void clear(struct inputs *in)
{
    sator_network_free(in->network);
    sator_arch_free(in->arch);
    sator_dataflow_free(in->dataflow);
}

/* A text of a report, or none where memory ran out. */
static char *analyze(struct inputs *in, enum sator_engine_choice engine, enum sator_format format)
{
    const struct sator_analyze_options options = {.size = sizeof options, .engine = engine};
    const struct sator_report_options report = {.size = sizeof report, .format = format};
    struct sator_result *result = NULL;
    char *text = NULL;

    if (is_ok(sator_analyze(ctx, in->network, 0, in->arch, in->dataflow, &options, &result))) {
        const struct sator_result *results[] = {result};
        is_ok(sator_report_results(ctx, results, 1, &report, &text));
    }
    sator_result_free(result);
    return text;
}

static char *closed(void)
{
    struct inputs in;
    char *text = load("gemm:i=16,j=16,k=16", "systolic-2d-8x8", "i%8, j%8",
                         "i/8, j/8, i%8 + j%8 + k", &in)
            ? analyze(&in, SATOR_ENGINE_AUTO, SATOR_FORMAT_JSON)
            : NULL;

    clear(&in);
    return text;
}

static char *general(void)
{
    struct inputs in;
    char *text =
            load("gemm:i=9,j=7,k=5", "systolic-2d-8x8", "i%8, j%8", "i/8, j/8, i%8 + j%8 + k", &in)
            ? analyze(&in, SATOR_ENGINE_GENERAL, SATOR_FORMAT_TEXT)
            : NULL;

    clear(&in);
    return text;
}

static char *relations(void)
{
    struct inputs in;
    char *text = NULL;

    if (load("gemm:i=9,j=7,k=5", "systolic-2d-8x8", "i%8, j%8", "i/8, j/8, i%8 + j%8 + k", &in))
        is_ok(sator_report_relations(ctx, in.network, 0, in.arch, in.dataflow, &text));
    clear(&in);
    return text;
}

static char *plan(void)
{
    struct inputs in;
    struct sator_plan *made = NULL;
    struct sator_workspace *workspace = sator_workspace_new();
    char *text = malloc(1000);

    no_memory = no_memory || workspace == NULL || text == NULL;
    if (!no_memory)
        *text = '\0';
    if (!no_memory && load("gemm", "systolic-2d-8x8", "i%8, j%8", "i/8, j/8, i%8 + j%8 + k", &in) &&
            is_ok(sator_plan_new(ctx, in.network, 0, in.arch, in.dataflow, NULL, &made))) {
        for (int64_t n = 60; n < 100; n += 13) {
            const int64_t extents[] = {n, n + 1, n + 2};
            const struct sator_result *result = NULL;
            enum sator_status st = sator_plan_evaluate(ctx, made, workspace, extents, &result);
            if (!is_ok(st)) /* the workspace is as good as before */
                st = sator_plan_evaluate(ctx, made, workspace, extents, &result);
            if (is_ok(st))
                snprintf(text + strlen(text), 1000 - strlen(text), "%.17g %.17g\n",
                        result->total_cycles, result->energy_pj);
        }
        clear(&in);
    }
    sator_plan_free(made);
    sator_workspace_free(workspace);
    return text;
}

static char *map(void)
{
    const struct sator_map_options options = {.size = sizeof options, .threads = 2};
    struct inputs in;
    struct sator_map_result *result = NULL;
    char *text = NULL;

    if (load("gemm:i=24,j=20,k=18", "conventional", "i", "j", &in) &&
            is_ok(sator_map(ctx, in.network, 0, in.arch, &options, &result))) {
        text = malloc(100 + strlen(result->yaml));
        no_memory = text == NULL;
        if (text != NULL) /* but the seconds that it took */
            sprintf(text, "%.17g %.17g %.17g\n%s", result->value, result->bound,
                    result->total_cycles, result->yaml);
    }
    sator_map_result_free(result);
    clear(&in);
    return text;
}

/* A C file, which a child process reads: tools/oom.sh puts it there. */
static char *c_file(void)
{
    struct sator_network *network = NULL;
    char *text = NULL;

    if (is_ok(sator_network_load(ctx, "gemm.c", NULL, &network)))
        is_ok(sator_network_text(ctx, network, &text));
    sator_network_free(network);
    return text;
}

static char *simulate(void)
{
    const struct sator_report_options report = {.size = sizeof report};
    struct inputs in;
    struct sator_simulation *simulation = NULL;
    char *text = NULL;

    if (load("gemm:i=5,j=4,k=3", "systolic-2d-8x8", "i%8, j%8", "i/8, j/8, i%8 + j%8 + k", &in) &&
            is_ok(sator_simulate(ctx, in.network, 0, in.arch, in.dataflow, NULL, &simulation)))
        is_ok(sator_report_simulation(ctx, simulation, &report, &text));
    sator_simulation_free(simulation);
    clear(&in);
    return text;
}

struct text {
    char *data;
    size_t length;
};

static bool append(void *data, const char *more, size_t length)
{
    struct text *text = data;
    char *longer = realloc(text->data, text->length + length + 1);

    if (longer == NULL) {
        no_memory = true;
        return false;
    }
    memcpy(longer + text->length, more, length);
    longer[text->length += length] = '\0';
    text->data = longer;
    return true;
}

static char *explore(void)
{
    struct sator_explore_options options = {
            .size = sizeof options, .threads = 2, .database = "library.db"};
    const struct sator_query_options query = {.size = sizeof query, .top = 5};
    struct inputs in;
    struct sator_exploration *exploration = NULL;
    const struct sator_explore_summary *summary;
    struct text text = {0};
    const struct sator_sink sink = {append, &text};

    unlink("library.db");
    if (load("gemm:i=6,j=5,k=4", "systolic-2d-8x8", "i", "j", &in) &&
            is_ok(sator_exploration_new(
                    ctx, in.network, 0, "systolic-2d-8x8", NULL, &options, &exploration))) {
        enum sator_status st = sator_explore_run(ctx, exploration, NULL, NULL, &summary);
        if (!is_ok(st)) { /* what was stored is there, and the file is free */
            sator_exploration_free(exploration);
            exploration = NULL;
            options.resume = true;
            st = sator_exploration_new(
                    ctx, in.network, 0, "systolic-2d-8x8", NULL, &options, &exploration);
            if (is_ok(st))
                st = sator_explore_run(ctx, exploration, NULL, NULL, &summary);
        }
        if (is_ok(st))
            is_ok(sator_explore_query(ctx, "library.db", &query, &sink));
    }
    sator_exploration_free(exploration);
    clear(&in);
    return text.data;
}

/* Twice: the second time no allocation fails where it failed once. */
static char *run(char *(*question)(void))
{
    ctx = sator_ctx_new();
    if (ctx == NULL) {
        no_memory = true;
        return NULL;
    }
    char *first = question();
    const bool failed = no_memory;
    if (failed) {
        free(first);
        no_memory = false;
        first = question();
    }
    sator_ctx_free(ctx);
    no_memory = no_memory || failed;
    return first;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        char *(*question)(void);
    } cases[] = {{"closed", closed}, {"general", general}, {"relations", relations}, {"plan", plan},
            {"map", map}, {"c", c_file}, {"simulate", simulate}, {"explore", explore}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc != 2 || strcmp(argv[1], cases[i].name) != 0)
            continue;
        char *text = run(cases[i].question);
        if (text != NULL && write(STDOUT_FILENO, text, strlen(text)) < 0)
            return 1;
        free(text);
        if (no_memory)
            fputs("out of memory\n", stderr);
        return no_memory ? 5 : 0;
    }
    fputs("usage: library CASE\n", stderr);
    return 2;
}
