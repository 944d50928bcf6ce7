#include "map_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    RUNS = 3,
    SHORT_RUNS = 6,
    LONG_RUNS = 3
};

static const double SOON = 0.01; /* seconds */

double bench_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_die(struct sator_ctx *ctx, const char *what)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    fprintf(stderr, "bench_map: %s\n%s", what, messages == NULL ? "" : messages);
    exit(1);
}

double bench_proof(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, const struct sator_map_options *options,
        struct sator_map_result **result)
{
    double least = INFINITY;

    *result = NULL;
    for (int run = 0; run < RUNS; run++) {
        sator_map_result_free(*result);
        double start = bench_seconds();
        if (sator_map(ctx, network, layer, arch, options, result) != SATOR_OK)
            bench_die(ctx, "no mapping");
        double ms = (bench_seconds() - start) * 1e3;
        least = ms < least ? ms : least;
        if (ms > 2000)
            break;
    }
    return least;
}

double bench_within(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, const struct sator_map_options *options, double seconds)
{
    struct sator_map_options soon = *options;
    double least = INFINITY, wait = 1; /* seconds that pass for one of the processor */
    int runs = seconds > SOON ? LONG_RUNS : SHORT_RUNS;

    for (int run = 0; run < runs; run++) {
        struct sator_map_result *result = NULL;
        soon.budget_seconds = seconds * wait;
        double start = bench_seconds();
        enum sator_status st = sator_map(ctx, network, layer, arch, &soon, &result);
        double used = bench_seconds() - start;
        if (st == SATOR_OK && used <= 1.2 * seconds)
            least = fmin(least, result->value);
        if (st == SATOR_OK && result->proved)
            runs = run;
        wait *= fmin(fmax(seconds / used, 0.5), 4);
        free(sator_ctx_take_messages(ctx, false));
        sator_map_result_free(result);
    }
    return least;
}

double bench_anytime(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, const struct sator_map_options *options, double optimal)
{
    return bench_within(ctx, network, layer, arch, options, SOON) / optimal;
}
