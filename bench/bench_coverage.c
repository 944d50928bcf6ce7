/* What share of inputs the closed form answers, and why it declines the others.
 *
 * usage: bench_coverage [library [LIST]]
 * library: every workload x architecture x dataflow of the built-in library that fits together, at
 * the library's sizes. With a third argument, each declined combination with its reason instead of
 * the histogram. Without arguments: every mode.
 *
 * Tables go to standard error, keys of build/bench.json to standard output. Combinations that are
 * no valid input (a loop that the workload lacks, a dataflow that leaves the array, a tile that
 * does not fit) do not count.
 */
#include "sator/analyze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_REASONS = 100
};

struct reason {
    char text[160];
    char example[200]; /* the first input declined so */
    int count;
};

struct tally {
    int accepted, declined, n_reasons;
    bool list; /* print each declined input */
    struct reason reason[MOST_REASONS];
};

static void fail(struct sator_ctx *ctx, const char *what)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    fprintf(stderr, "bench_coverage: %s\n%s", what, messages == NULL ? "" : messages);
    exit(1);
}

/* The reason in the context's messages, to the end of its line, into "text". */
static void take_reason(struct sator_ctx *ctx, size_t size, char *text)
{
    static const char lead[] = "does not count this: ";
    char *messages = sator_ctx_take_messages(ctx, false);
    const char *start = messages == NULL ? NULL : strstr(messages, lead);

    start = start == NULL ? "no reason is given" : start + strlen(lead);
    snprintf(text, size, "%.*s", (int)strcspn(start, "\n"), start);
    free(messages);
}

static void note_declined(struct sator_ctx *ctx, const char *example, struct tally *tally)
{
    char text[sizeof tally->reason->text];
    int i = 0;

    take_reason(ctx, sizeof text, text);
    tally->declined++;
    if (tally->list)
        fprintf(stderr, "%s: %s\n", example, text);
    while (i < tally->n_reasons && strcmp(tally->reason[i].text, text) != 0)
        i++;
    if (i == MOST_REASONS)
        return;
    struct reason *reason = &tally->reason[i];
    if (i == tally->n_reasons) {
        tally->n_reasons++;
        reason->count = 0;
        snprintf(reason->text, sizeof reason->text, "%s", text);
        snprintf(reason->example, sizeof reason->example, "%s", example);
    }
    reason->count++;
}

static int compare_reasons(const void *a, const void *b)
{
    return ((const struct reason *)b)->count - ((const struct reason *)a)->count;
}

/* The share accepted, its key "key", and the reasons for the rest. */
static void report(struct tally *tally, const char *what, const char *key, const char *end)
{
    int all = tally->accepted + tally->declined;
    double share = all == 0 ? 0 : (double)tally->accepted / all;

    fprintf(stderr, "%s: %d of %d in closed form (%.2f %%)\n", what, tally->accepted, all,
            100 * share);
    qsort(tally->reason, (size_t)tally->n_reasons, sizeof *tally->reason, compare_reasons);
    for (int i = 0; i < tally->n_reasons && !tally->list; i++)
        fprintf(stderr, "  %6d  %s\n          %s\n", tally->reason[i].count, tally->reason[i].text,
                tally->reason[i].example);
    printf(" \"%s\": %.4f%s\n", key, share, end);
}

/* ---- the library ---- */

struct library {
    struct sator_ctx *ctx;
    int n_workloads, n_archs, n_dataflows;
    struct sator_network **workload;
    struct sator_arch **arch;
    struct sator_dataflow **dataflow;
};

static void *room(struct sator_ctx *ctx, int n)
{
    void *list = calloc((size_t)n, sizeof(void *));

    if (list == NULL)
        fail(ctx, "out of memory");
    return list;
}

static struct library load_library(void)
{
    struct library all = {.ctx = sator_ctx_new()};

    all.n_workloads = sator_library_count("workloads");
    all.n_archs = sator_library_count("archs");
    all.n_dataflows = sator_library_count("dataflows");
    all.workload = room(all.ctx, all.n_workloads);
    all.arch = room(all.ctx, all.n_archs);
    all.dataflow = room(all.ctx, all.n_dataflows);
    for (int i = 0; i < all.n_workloads; i++) {
        const char *name = sator_library_name("workloads", i);
        if (sator_network_load(all.ctx, name, NULL, &all.workload[i]) != SATOR_OK)
            fail(all.ctx, name);
    }
    for (int i = 0; i < all.n_archs; i++) {
        const char *name = sator_library_name("archs", i);
        if (sator_arch_load(all.ctx, name, NULL, &all.arch[i]) != SATOR_OK)
            fail(all.ctx, name);
    }
    for (int i = 0; i < all.n_dataflows; i++) {
        const char *name = sator_library_name("dataflows", i);
        if (sator_dataflow_load(all.ctx, name, NULL, &all.dataflow[i]) != SATOR_OK)
            fail(all.ctx, name);
    }
    return all;
}

static void unload_library(struct library *all)
{
    for (int i = 0; i < all->n_workloads; i++)
        sator_network_free(all->workload[i]);
    for (int i = 0; i < all->n_archs; i++)
        sator_arch_free(all->arch[i]);
    for (int i = 0; i < all->n_dataflows; i++)
        sator_dataflow_free(all->dataflow[i]);
    free(all->workload);
    free(all->arch);
    free(all->dataflow);
    sator_ctx_free(all->ctx);
}

/* Analyse one combination in closed form, in a context of its own: messages of thousands of inputs
 * that do not fit would pile up. */
static void try_combination(
        const struct library *all, int workload, int arch, int dataflow, struct tally *tally)
{
    struct sator_analyze_options options = {.engine = SATOR_ENGINE_CLOSED};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_result *result = NULL;
    char example[200];
    enum sator_status st = sator_analyze(ctx, all->workload[workload], 0, all->arch[arch],
            all->dataflow[dataflow], &options, &result);

    snprintf(example, sizeof example, "%s --arch %s --dataflow %s",
            sator_library_name("workloads", workload), sator_library_name("archs", arch),
            sator_library_name("dataflows", dataflow));
    if (st == SATOR_DECLINED) {
        note_declined(ctx, example, tally);
    } else if (st == SATOR_OK) {
        tally->accepted++;
        sator_result_free(result);
    } else if (st != SATOR_INPUT) {
        fail(ctx, example);
    }
    sator_ctx_free(ctx);
}

static void cover_library(bool list, const char *end)
{
    static struct tally tally;
    struct library all = load_library();

    tally = (struct tally){.list = list};
    for (int w = 0; w < all.n_workloads; w++) {
        for (int a = 0; a < all.n_archs; a++) {
            for (int d = 0; d < all.n_dataflows; d++)
                try_combination(&all, w, a, d, &tally);
        }
    }
    report(&tally, "library combinations", "closed_library_share", end);
    unload_library(&all);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : NULL;

    if (mode != NULL && strcmp(mode, "library") != 0) {
        fprintf(stderr, "usage: bench_coverage [library [LIST]]\n");
        return 2;
    }
    printf("{\n");
    cover_library(argc > 2, "");
    printf("}\n");
    return 0;
}
