/* All layers of the library's networks on all of its machines. */
#include "map_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOWEST = 20, /* cases named in the end */
    SLOW_MS = 5000, /* of the processor: named at once */
    BUDGET = 900, /* seconds that pass, most of which others may have; those said are of the
                     processor */
    SCHEDULED_BUDGET = 20 /* by the scheduled time: not all layers are proved */
};

/* What a proof leaves out where a search was given up: others leave it out of none. */
static const char *const phrases[] = {
        "skews under which some words have no formula",
        "what links bring late, or from PEs ahead, where a skew turns others into wires",
        "loops at a memory inside a skewed array that some tensor bypasses",
        "skews of an array inside a skewed one, past a memory that some tensor bypasses",
        "skewed loops joined across a memory's tiles",
        ("most other orders of the loops that share an array dimension: too many to look at all of "
         "them"),
};

enum {
    N_PHRASES = sizeof phrases / sizeof *phrases
};

struct one {
    double ms;
    bool proved;
    unsigned without; /* by bit: of "phrases" */
    char name[120];
};

static struct one *ones;
static int n_ones, refused;
static struct sator_map_options options = {.size = sizeof options};

static void print_one(const struct one *one)
{
    fprintf(stderr, "  %10.2f ms %s %s\n", one->ms, one->proved ? "proved" : "OPEN  ", one->name);
    for (int k = 0; k < N_PHRASES; k++) {
        if (one->without >> k & 1)
            fprintf(stderr, "                without %s\n", phrases[k]);
    }
}

static unsigned find_without(const struct sator_map_result *result)
{
    unsigned without = 0;

    for (int i = 0; i < result->n_left_out; i++) {
        for (int k = 0; k < N_PHRASES; k++)
            without |= strcmp(result->left_out[i], phrases[k]) == 0 ? 1U << k : 0;
    }
    return without;
}

static void note(double ms, const struct sator_map_result *result, const char *network,
        const char *layer, const char *arch)
{
    if ((n_ones & (n_ones - 1)) == 0) {
        ones = realloc(ones, sizeof *ones * (size_t)(n_ones == 0 ? 1 : 2 * n_ones));
        if (ones == NULL)
            abort();
    }
    struct one *one = &ones[n_ones++];
    one->ms = ms;
    one->proved = result->proved;
    one->without = find_without(result);
    snprintf(one->name, sizeof one->name, "%s %s @ %s", network, layer, arch);
    if (ms > SLOW_MS || !one->proved || one->without != 0)
        print_one(one);
}

static int by_ms(const void *a, const void *b)
{
    double x = ((const struct one *)a)->ms, y = ((const struct one *)b)->ms;

    return (x > y) - (x < y);
}

static void run_layers(
        struct sator_ctx *ctx, const struct sator_network *network, const struct sator_arch *arch)
{
    for (int layer = 0; layer < sator_network_layer_count(network); layer++) {
        struct sator_map_result *result = NULL;
        if (sator_map_same_layer(network, layer) != layer)
            continue;
        double start = bench_seconds();
        if (sator_map(ctx, network, layer, arch, &options, &result) == SATOR_OK)
            note((bench_seconds() - start) * 1e3, result, sator_network_name(network),
                    sator_network_layer_name(network, layer), sator_arch_name(arch));
        else
            refused++; /* no tensor of the machine, say, or no mapping fits */
        free(sator_ctx_take_messages(ctx, false));
        sator_map_result_free(result);
    }
}

/* The energies that the machine states, or where it states none for some part, those of a table. */
static struct sator_arch *load_arch(
        struct sator_ctx *ctx, const char *name, const struct sator_network *network)
{
    const char *const sets[] = {"energy_table=45nm"};
    struct sator_input_options stated = {.size = sizeof stated}, table = stated;
    struct sator_map_options random = {.size = sizeof random,
            .strategy = SATOR_MAP_RANDOM,
            .samples = 1,
            .timing = SATOR_TIMING_ROOFLINE};
    struct sator_map_result *result = NULL;
    struct sator_arch *arch = NULL;

    table.sets = sets;
    table.n_sets = 1;
    if (sator_arch_load(ctx, name, &stated, &arch) != SATOR_OK)
        bench_die(ctx, name);
    if (sator_map(ctx, network, 0, arch, &random, &result) == SATOR_INPUT) {
        sator_arch_free(arch);
        if (sator_arch_load(ctx, name, &table, &arch) != SATOR_OK)
            bench_die(ctx, name);
    }
    sator_map_result_free(result);
    free(sator_ctx_take_messages(ctx, false));
    return arch;
}

/* A row of doc/map_times.md: the layers from the "first" on, which are sorted. */
static void print_row(const char *name, int first)
{
    int n = n_ones - first, proved = 0, whole = 0;
    const struct one *worst = &ones[n_ones - 1];

    for (int i = first; i < n_ones; i++)
        proved += ones[i].proved;
    for (int i = first; i < n_ones; i++)
        whole += ones[i].proved && ones[i].without == 0;
    fprintf(stderr, "| `%s` | %d | %d | %d | %.1f ms | %.2f s | %.2f s: %.*s |\n", name, n,
            n - proved, proved - whole, ones[first + n / 2].ms,
            ones[first + (n - 1) * 99 / 100].ms / 1e3, worst->ms / 1e3,
            (int)strcspn(worst->name, "@") - 1, worst->name);
}

static void run_arch(const char *name)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_arch *arch = NULL;
    int first = n_ones;

    for (int i = 0; i < sator_library_count("networks"); i++) {
        struct sator_network *network = NULL;
        if (sator_network_load(ctx, sator_library_name("networks", i), NULL, &network) != SATOR_OK)
            bench_die(ctx, sator_library_name("networks", i));
        if (arch == NULL)
            arch = load_arch(ctx, name, network);
        run_layers(ctx, network, arch);
        sator_network_free(network);
    }
    if (n_ones > first) {
        qsort(ones + first, (size_t)(n_ones - first), sizeof *ones, by_ms);
        print_row(name, first);
    }
    sator_arch_free(arch);
    sator_ctx_free(ctx);
}

void bench_library(const char *only, enum sator_timing_choice timing)
{
    int unproved = 0, in_part = 0;

    options.timing = timing;
    options.budget_seconds = timing == SATOR_TIMING_ROOFLINE ? BUDGET : SCHEDULED_BUDGET;

    fprintf(stderr,
            "| machine | layers | not proved | in part | median | 99 %% within | worst |\n"
            "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < sator_library_count("archs"); i++) {
        const char *name = sator_library_name("archs", i);
        if (only == NULL || strstr(name, only) != NULL)
            run_arch(name);
    }
    if (n_ones == 0)
        return;
    qsort(ones, (size_t)n_ones, sizeof *ones, by_ms);
    for (int i = 0; i < n_ones; i++) {
        unproved += !ones[i].proved;
        in_part += ones[i].proved && ones[i].without != 0;
        if (i >= n_ones - SLOWEST || !ones[i].proved)
            print_one(&ones[i]);
    }
    fprintf(stderr, "%d layers, %d not proved, %d in part; %d refused\n", n_ones, unproved, in_part,
            refused);
    printf("{\"map_library_layers\": %d,\n \"map_library_median_ms\": %.3f,\n"
           " \"map_library_p99_s\": %.4f,\n \"map_library_worst_s\": %.3f,\n"
           " \"map_library_unproved\": %d,\n \"map_library_in_part\": %d}\n",
            n_ones, ones[n_ones / 2].ms, ones[(n_ones - 1) * 99 / 100].ms / 1e3,
            ones[n_ones - 1].ms / 1e3, unproved, in_part);
    free(ones);
}
