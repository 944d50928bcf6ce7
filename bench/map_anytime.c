/* What each strategy has found after so long: no other one is to be ahead of the optimal strategy
 * at any time. */
#include "map_bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    N_STRATEGIES = 4,
    N_BUDGETS = 7
};

static const int budgets_ms[N_BUDGETS] = {1, 3, 10, 30, 100, 300, 1000};
static const char *const names[N_STRATEGIES] = {
        [SATOR_MAP_OPTIMAL] = "optimal",
        [SATOR_MAP_SUNSTONE] = "sunstone",
        [SATOR_MAP_RANDOM] = "random",
        [SATOR_MAP_EXHAUSTIVE] = "exhaustive",
};

static const struct anytime_case {
    const char *network, *layer, *arch;
} cases[] = {
        {"resnet18", "conv2_x", "conventional"},
        {"resnet18", "fc", "conventional"},
        {"resnet18:n=16", "conv1", "conventional"},
        {"gemm:i=97,j=89,k=101", "gemm", "conventional"},
        {"resnet18", "conv2_x", "simba-like"},
        {"resnet18", "fc", "simba-like"},
        {"resnet18", "conv3_x", "eyeriss"},
        {"resnet18", "conv1", "five-level"},
        {"resnet18:n=16", "conv4_1", "five-level"},
        {"resnet18", "conv2_x", "tpu-256x256"},
        {"bert-base", "qkv", "systolic-2d-8x8"},
};

/* Of a strategy within a budget, over all cases. */
struct standing {
    double worst, log_sum; /* over the best that is known */
    int found, ahead; /* of the optimal strategy */
};

struct table {
    struct standing at[N_BUDGETS][N_STRATEGIES];
    int n_cases;
};

static void run_case(struct sator_ctx *ctx, const struct anytime_case *one,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        struct table *table)
{
    double value[N_BUDGETS][N_STRATEGIES], best = INFINITY;

    for (int b = 0; b < N_BUDGETS; b++) {
        for (int s = 0; s < N_STRATEGIES; s++) {
            struct sator_map_options options = {.size = sizeof options,
                    .strategy = (enum sator_map_strategy)s,
                    .seed = 1,
                    .samples = UINT64_C(1) << 40,
                    .limit = INFINITY,
                    .timing = SATOR_TIMING_ROOFLINE};
            value[b][s] = bench_within(ctx, network, layer, arch, &options, budgets_ms[b] / 1e3);
            best = fmin(best, value[b][s]);
        }
    }
    table->n_cases++;
    for (int b = 0; b < N_BUDGETS; b++) {
        fprintf(stderr, "%-22s %-10s %-16s %5d ms:", one->network, one->layer, one->arch,
                budgets_ms[b]);
        for (int s = 0; s < N_STRATEGIES; s++) {
            struct standing *standing = &table->at[b][s];
            double ratio = value[b][s] / best;
            fprintf(stderr, " %s %.3f%s", names[s], ratio, s == N_STRATEGIES - 1 ? "\n" : ",");
            standing->ahead += value[b][s] < value[b][SATOR_MAP_OPTIMAL] * (1 - 1e-9);
            if (isinf(ratio))
                continue;
            standing->found++;
            standing->log_sum += log(ratio);
            standing->worst = fmax(standing->worst, ratio);
        }
    }
}

/* Rows of doc/map_times.md; the number of times that some strategy was ahead. */
static int print_table(const struct table *table)
{
    int losses = 0;

    for (int b = 0; b < N_BUDGETS; b++) {
        fprintf(stderr, "| %d ms |", budgets_ms[b]);
        for (int s = 0; s < N_STRATEGIES; s++) {
            const struct standing *standing = &table->at[b][s];
            losses += standing->ahead;
            fprintf(stderr, " %d, %.2f, %.2f", standing->found,
                    exp(standing->log_sum / standing->found), standing->worst);
            if (standing->ahead > 0)
                fprintf(stderr, ", ahead in %d", standing->ahead);
            fprintf(stderr, " |");
        }
        fprintf(stderr, "\n");
    }
    return losses;
}

void bench_anytimes(const char *only)
{
    struct table table = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct anytime_case *one = &cases[i];
        struct sator_ctx *ctx = sator_ctx_new();
        struct sator_network *network = NULL;
        struct sator_arch *arch = NULL;
        if (only != NULL && strstr(one->arch, only) == NULL)
            continue;
        if (sator_network_load(ctx, one->network, NULL, &network) != SATOR_OK ||
                sator_arch_load(ctx, one->arch, NULL, &arch) != SATOR_OK)
            bench_die(ctx, one->network);
        for (int layer = 0; layer < sator_network_layer_count(network); layer++) {
            if (strcmp(sator_network_layer_name(network, layer), one->layer) == 0)
                run_case(ctx, one, network, layer, arch, &table);
        }
        sator_network_free(network);
        sator_arch_free(arch);
        sator_ctx_free(ctx);
    }
    int losses = print_table(&table);
    printf("{\"map_anytime_cases\": %d,\n \"map_anytime_losses\": %d}\n", table.n_cases, losses);
}
