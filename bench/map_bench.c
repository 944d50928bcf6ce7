#include "map_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    RUNS = 3,
    SHORT_RUNS = 6
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

double bench_anytime(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, const struct sator_map_options *options, double optimal)
{
    struct sator_map_options soon = *options;
    double least = INFINITY, wait = 1; /* seconds that pass for one of the processor */

    for (int run = 0; run < SHORT_RUNS; run++) {
        struct sator_map_result *result = NULL;
        soon.budget_seconds = SOON * wait;
        double start = bench_seconds();
        if (sator_map(ctx, network, layer, arch, &soon, &result) == SATOR_OK) {
            double used = bench_seconds() - start;
            if (used <= 1.2 * SOON)
                least = fmin(least, result->value / optimal);
            wait *= fmin(fmax(SOON / used, 0.5), 4);
        }
        free(sator_ctx_take_messages(ctx, false));
        sator_map_result_free(result);
    }
    return least;
}
