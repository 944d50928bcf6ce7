/* sator map: time to proof on one thread, how far the other strategies stay behind, and how many
 * complete mappings are costed in a second.
 *
 *     bench_map [--all]              stdout: the keys of build/bench.json; stderr: a line a case
 *     bench_map --evaluations        only mappings costed in a second
 *     bench_map --skewed             only arrays whose PEs run at shifted times
 *     bench_map --scheduled          only times with phases, the default of sator map
 *     bench_map --corners [NAME]     only cases that are hard; those whose name contains NAME
 *     bench_map --anytime [MACHINE]  only what each strategy has found after so long
 *     bench_map --library [MACHINE]  only all layers of library networks on library machines
 *     bench_map --library-scheduled [MACHINE]  the same by the scheduled time, 20 s for a layer
 *     bench_map --certificates [NAME]  certificates of all these cases but the library's
 *
 * Times are of the processor (one thread), the least of three runs.
 */
#include "map_bench.h"

#include "sator/certificate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum group {
    CONV_TWO_LEVEL,
    NONCONV,
    SIMBA,
    OTHER
};

enum {
    MOST_CASES = 512,
    RUNS = 3
};

struct outcome {
    enum group group;
    double ms, optimal, sunstone, random;
    uint64_t looked_at;
};

static bool all; /* --all */
static struct bench_certificates *certificates; /* --certificates */
static const char *certified; /* cases whose machine's or network's name contains it; NULL: all */
static struct outcome outcomes[MOST_CASES];
static int n_outcomes;
static double resnet_s;
static double anytime = 1; /* the worst of the cases: bench_anytime */
/* The same cases with factors that divide and with any: convolutions on the two-level machine, and
 * all on the others. */
static struct {
    double perfect_s, imperfect_s, worst_ms;
} two_level, deep;

static double value_of(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, enum sator_map_strategy strategy)
{
    struct sator_map_options options = {.strategy = strategy,
            .seed = 1,
            .samples = 20000,
            .budget_seconds = 20,
            .timing = SATOR_TIMING_ROOFLINE};
    struct sator_map_result *result = NULL;
    double value = NAN;

    if (sator_map(ctx, network, layer, arch, &options, &result) == SATOR_OK)
        value = result->value;
    free(sator_ctx_take_messages(ctx, false));
    sator_map_result_free(result);
    return value;
}

/* How long the proof takes with factors that need not divide, and how much better the optimum is.
 */
static void run_imperfect(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, const struct outcome *perfect)
{
    struct sator_map_options options = {.size = sizeof options,
            .budget_seconds = 60,
            .imperfect = true,
            .timing = SATOR_TIMING_ROOFLINE};
    struct sator_map_result *result;
    double ms = bench_proof(ctx, network, layer, arch, &options, &result);

    fprintf(stderr, "%-48s %9.2f ms %s EDP %.4g, %.3fx\n", "  imperfect", ms,
            result->proved ? "proved" : "OPEN  ", result->value, perfect->optimal / result->value);
    if (!(result->value <= perfect->optimal * (1 + 1e-9)))
        bench_die(ctx, "an imperfect optimum is worse than the perfect one");
    if (perfect->group == CONV_TWO_LEVEL) {
        two_level.perfect_s += perfect->ms / 1e3;
        two_level.imperfect_s += ms / 1e3;
    } else {
        deep.perfect_s += perfect->ms / 1e3;
        deep.imperfect_s += ms / 1e3;
        deep.worst_ms = ms > deep.worst_ms ? ms : deep.worst_ms;
    }
    sator_map_result_free(result);
}

static double run_layer(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, enum group group)
{
    struct sator_map_options options = {
            .size = sizeof options, .budget_seconds = 60, .timing = SATOR_TIMING_ROOFLINE};
    struct outcome *o = &outcomes[n_outcomes++];
    struct sator_map_result *result;

    if (certificates != NULL) {
        bench_certify(ctx, "", network, layer, arch, &options, certificates);
        options.timing = SATOR_TIMING_AUTO;
        options.timing = sator_certificate_timing(ctx, network, layer, arch, &options);
        if (options.timing == SATOR_TIMING_SCHEDULED)
            bench_certify(ctx, "scheduled", network, layer, arch, &options, certificates);
        return 0;
    }
    if (n_outcomes == MOST_CASES)
        exit(1);
    *o = (struct outcome){.group = group};
    o->ms = bench_proof(ctx, network, layer, arch, &options, &result);
    o->optimal = result->value;
    if (o->ms > 5)
        anytime = fmax(anytime, bench_anytime(ctx, network, layer, arch, &options, o->optimal));
    o->looked_at = result->counters.tilings + result->counters.orders + result->counters.unrollings;
    bool proved = result->proved;
    sator_map_result_free(result);
    o->sunstone = value_of(ctx, network, layer, arch, SATOR_MAP_SUNSTONE);
    o->random = value_of(ctx, network, layer, arch, SATOR_MAP_RANDOM);
    fprintf(stderr,
            "%-14s %-12s %-20s %9.2f ms %s EDP %.4g, sunstone %.3fx, random %.3fx; %llu looked "
            "at\n",
            sator_network_name(network), sator_arch_name(arch),
            sator_network_layer_name(network, layer), o->ms, proved ? "proved" : "OPEN  ",
            o->optimal, o->sunstone / o->optimal, o->random / o->optimal,
            (unsigned long long)o->looked_at);
    if (group == CONV_TWO_LEVEL || (all && group != NONCONV))
        run_imperfect(ctx, network, layer, arch, o);
    return o->ms / 1e3;
}

/* All distinct layers of a network or workload; returns the seconds that they took. */
static double run_network(const char *spec, const char *arch_spec, enum group group)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;
    double seconds = 0;

    if (certified != NULL && strstr(spec, certified) == NULL &&
            strstr(arch_spec, certified) == NULL)
        return 0;
    if (sator_network_load(ctx, spec, NULL, &network) != SATOR_OK ||
            sator_arch_load(ctx, arch_spec, NULL, &arch) != SATOR_OK)
        bench_die(ctx, spec);
    for (int layer = 0; layer < sator_network_layer_count(network); layer++) {
        if (sator_map_same_layer(network, layer) == layer)
            seconds += run_layer(ctx, network, layer, arch, group);
    }
    sator_network_free(network);
    sator_arch_free(arch);
    sator_ctx_free(ctx);
    return seconds;
}

/* Complete mappings that a strategy costs exactly, each by itself and compared with the best, and
 * the seconds of the processor that this takes, tiles that do not fit and all else included. */
struct evaluations {
    double costed, seconds;
};

/* Spaces of real problems, with constraints small enough to be enumerated; random mappings are
 * drawn without these. */
static const struct space {
    const char *network;
    int layer;
    const char *constraints[4];
} spaces[] = {
        {"resnet18", 1, {"PE: only k c", "L1: rx 3", "L2: ry 3", "utilization 1"}}, /* conv2_x */
        {"resnet18", 10, {"PE: only k c", "L1: rx 3, ry 3", "utilization 1"}}, /* conv5_x */
        {"gemm:i=512,j=512,k=512", 0, {"PE: only i j", "utilization 1"}},
};

/* Search a space three times; the least time. */
static struct evaluations evaluate(struct sator_ctx *ctx, const struct sator_arch *arch,
        const struct space *space, enum sator_map_strategy strategy)
{
    struct sator_map_options options = {.strategy = strategy,
            .seed = 1,
            .samples = 200000,
            .timing = SATOR_TIMING_ROOFLINE,
            .limit = INFINITY,
            .constraints = space->constraints};
    struct evaluations least = {0, INFINITY};
    struct sator_network *network = NULL;

    while (strategy == SATOR_MAP_EXHAUSTIVE && options.n_constraints < 4 &&
            space->constraints[options.n_constraints] != NULL)
        options.n_constraints++;
    if (sator_network_load(ctx, space->network, NULL, &network) != SATOR_OK)
        bench_die(ctx, space->network);
    for (int run = 0; run < RUNS; run++) {
        struct sator_map_result *result = NULL;
        double start = bench_seconds();
        if (sator_map(ctx, network, space->layer, arch, &options, &result) != SATOR_OK)
            bench_die(ctx, "no mapping");
        double seconds = bench_seconds() - start;
        if (strategy == SATOR_MAP_EXHAUSTIVE && !result->proved)
            bench_die(ctx, "a space was not enumerated to its end");
        if (seconds < least.seconds)
            least = (struct evaluations){(double)result->counters.evaluated, seconds};
        sator_map_result_free(result);
    }
    sator_network_free(network);
    return least;
}

/* Mappings costed in a second on one thread, over all spaces. */
static double evaluations_per_second(enum sator_map_strategy strategy, const char *name)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_arch *arch = NULL;
    struct evaluations sum = {0, 0};

    if (sator_arch_load(ctx, "conventional", NULL, &arch) != SATOR_OK)
        bench_die(ctx, "conventional");
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        struct evaluations one = evaluate(ctx, arch, &spaces[i], strategy);
        fprintf(stderr, "%-12s %-24s %9.0f mappings costed in %.3f s: %.2f million a second\n",
                name, spaces[i].network, one.costed, one.seconds, one.costed / one.seconds / 1e6);
        sum.costed += one.costed;
        sum.seconds += one.seconds;
    }
    sator_arch_free(arch);
    sator_ctx_free(ctx);
    return sum.costed / sum.seconds;
}

static int by_ms(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(enum group group, double share)
{
    double ms[MOST_CASES];
    int n = 0;

    for (int i = 0; i < n_outcomes; i++) {
        if (outcomes[i].group == group)
            ms[n++] = outcomes[i].ms;
    }
    if (n == 0)
        return NAN;
    qsort(ms, (size_t)n, sizeof *ms, by_ms);
    return ms[(int)(share * (n - 1))];
}

static void summarise(void)
{
    int misses = 0, worse = 0;
    double worst = 1;

    for (int i = 0; i < n_outcomes; i++) {
        const struct outcome *o = &outcomes[i];
        double factor = o->sunstone / o->optimal;
        misses += !(factor <= 1 + 1e-9);
        worst = factor > worst ? factor : worst;
        worse += o->sunstone < o->optimal * (1 - 1e-9) || o->random < o->optimal * (1 - 1e-9);
    }
    fprintf(stderr,
            "%d cases; sunstone misses the optimum in %d, by up to %.2fx; another strategy is "
            "better "
            "than optimal in %d\n",
            n_outcomes, misses, worst, worse);
    if (worse > 0)
        exit(1);
}

static void print_certificates(const struct bench_certificates *sum)
{
    printf("{\"map_certificates_made\": %d,\n \"map_certificates_cases\": %d,\n"
           " \"map_certificates_verified_pct\": %.3f,\n \"map_certificates_worst_s\": %.2f}\n",
            sum->made, sum->cases, sum->parts > 0 ? 100 * sum->verified / sum->parts : 0,
            sum->worst_s);
}

static void run_networks(void)
{
    resnet_s = run_network("resnet18", "conventional", CONV_TWO_LEVEL);
    run_network("resnet18:n=16", "conventional", CONV_TWO_LEVEL);
    for (int i = 0; i < BENCH_WORKLOADS; i++)
        run_network(bench_workloads[i], "conventional",
                i < BENCH_WEIGHT_UPDATES ? CONV_TWO_LEVEL : NONCONV);
    run_network("resnet18", "simba-like", SIMBA);
    if (all) {
        run_network("inception-v3", "conventional", CONV_TWO_LEVEL);
        run_network("resnet18", "eyeriss", OTHER);
        run_network("resnet18", "five-level", OTHER);
        run_network("gemm:i=97,j=89,k=101", "simba-like", OTHER);
    }
    if (certificates != NULL) { /* bench_skewed has these */
        run_network("resnet18", "systolic-2d-8x8", OTHER);
        run_network("resnet18", "tpu-8x8", OTHER);
        run_network("resnet18", "systolic-1d", OTHER);
        run_network("resnet18", "tpu-256x256", OTHER);
    }
}

/* Whether "option" asks for a part of the benchmark, which has run; "name": of that. */
static bool run_part(const char *option, const char *name)
{
    if (strcmp(option, "--skewed") == 0) {
        struct bench_skewed only = bench_skewed();
        printf("{\"map_systolic_resnet18_s\": %.4f,\n \"map_tpu256_worst_s\": %.4f}\n",
                only.small_s, only.large_worst_s);
        return true;
    }
    if (strcmp(option, "--scheduled") == 0) {
        struct bench_scheduled only = bench_scheduled();
        printf("{\"map_scheduled_resnet18_s\": %.4f,\n \"map_scheduled_worst_s\": %.4f}\n",
                only.resnet18_s, only.worst_s);
        return true;
    }
    if (strcmp(option, "--evaluations") == 0) {
        evaluations_per_second(SATOR_MAP_EXHAUSTIVE, "exhaustive");
        evaluations_per_second(SATOR_MAP_RANDOM, "random");
        return true;
    }
    if (strcmp(option, "--corners") == 0) {
        bench_corners(name, NULL);
        return true;
    }
    if (strcmp(option, "--anytime") == 0) {
        bench_anytimes(name);
        return true;
    }
    if (strcmp(option, "--library") == 0) {
        bench_library(name, SATOR_TIMING_ROOFLINE);
        return true;
    }
    if (strcmp(option, "--library-scheduled") == 0) {
        bench_library(name, SATOR_TIMING_AUTO);
        return true;
    }
    return false;
}

/* What no other part runs, and the figures of all. */
static void run_rest(void)
{
    struct bench_skewed skewed = bench_skewed();
    struct bench_scheduled scheduled = bench_scheduled();
    struct bench_corners corners = bench_corners(NULL, NULL);
    anytime = fmax(anytime, corners.anytime);
    double evaluations = evaluations_per_second(SATOR_MAP_EXHAUSTIVE, "exhaustive");
    double drawn = evaluations_per_second(SATOR_MAP_RANDOM, "random");
    fprintf(stderr, "a second: exhaustive %.3g, random %.3g\n", evaluations, drawn);
    printf("{\"map_conv_two_level_median_ms\": %.3f,\n \"map_conv_two_level_worst_ms\": %.3f,\n"
           " \"map_nonconv_worst_ms\": %.3f,\n \"map_simba_worst_ms\": %.3f,\n"
           " \"map_imperfect_ratio\": %.2f,\n \"map_evaluations_per_s\": %.0f,\n"
           " \"map_systolic_resnet18_s\": %.4f,\n \"map_tpu256_worst_s\": %.4f,\n"
           " \"map_resnet18_s\": %.4f,\n \"map_scheduled_resnet18_s\": %.4f,\n"
           " \"map_scheduled_worst_s\": %.4f,\n \"map_tree_resnet18_s\": %.4f,\n"
           " \"map_five_level_worst_s\": %.4f,\n \"map_corners_worst_s\": %.4f,\n"
           " \"map_corners_unproved\": %d,\n \"map_anytime_ratio\": %.3f}\n",
            quantile(CONV_TWO_LEVEL, 0.5), quantile(CONV_TWO_LEVEL, 1), quantile(NONCONV, 1),
            quantile(SIMBA, 1), two_level.imperfect_s / two_level.perfect_s, evaluations,
            skewed.small_s, skewed.large_worst_s, resnet_s, scheduled.resnet18_s, scheduled.worst_s,
            corners.tree_resnet18_s, corners.five_level_worst_s, corners.worst_s, corners.unproved,
            anytime);
}

int main(int argc, char **argv)
{
    struct bench_certificates sum = {0};
    if (argc > 1 && strcmp(argv[1], "--certificates") == 0) {
        certificates = &sum;
        certified = argc > 2 ? argv[2] : NULL;
    }
    all = certificates != NULL || (argc > 1 && strcmp(argv[1], "--all") == 0);
    if (argc > 1 && run_part(argv[1], argc > 2 ? argv[2] : NULL))
        return 0;
    run_networks();
    if (certificates != NULL) {
        bench_corners(certified, certificates);
        print_certificates(certificates);
        return 0;
    }
    if (all)
        fprintf(stderr,
                "imperfect on deep machines: %.1f times as long as with factors that divide, worst "
                "%.0f ms\n",
                deep.imperfect_s / deep.perfect_s, deep.worst_ms);
    summarise();
    run_rest();
    return 0;
}
