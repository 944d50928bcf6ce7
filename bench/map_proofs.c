/* Proofs of whole networks. Arrays whose PEs run at shifted times: a skew doubles the space with
 * each dimension, and PEs with registers of a word leave all differences to the unrolling. Times
 * with phases: what sator map proves where nothing is said of the timing. */
#include "map_bench.h"

#include <math.h>
#include <stdio.h>

/* Set the time to prove all distinct layers of a network, and the longest, in seconds. */
static void prove(const char *spec, const char *arch_spec, enum sator_timing_choice timing,
        double *sum, double *worst)
{
    struct sator_map_options options = {
            .size = sizeof options, .budget_seconds = 60, .timing = timing};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;

    *sum = *worst = 0;
    if (sator_network_load(ctx, spec, NULL, &network) != SATOR_OK ||
            sator_arch_load(ctx, arch_spec, NULL, &arch) != SATOR_OK)
        bench_die(ctx, spec);
    for (int layer = 0; layer < sator_network_layer_count(network); layer++) {
        struct sator_map_result *result;
        if (sator_map_same_layer(network, layer) != layer)
            continue;
        double ms = bench_proof(ctx, network, layer, arch, &options, &result);
        fprintf(stderr, "%-14s %-16s %-20s %9.2f ms %s EDP %.4g by the %s time, skew %s\n", spec,
                arch_spec, sator_network_layer_name(network, layer), ms,
                result->proved ? "proved" : "OPEN  ", result->value, result->timing,
                result->skew == NULL ? "none" : result->skew);
        *sum += result->proved ? ms / 1e3 : INFINITY;
        *worst = fmax(*worst, result->proved ? ms / 1e3 : INFINITY);
        sator_map_result_free(result);
    }
    sator_network_free(network);
    sator_arch_free(arch);
    sator_ctx_free(ctx);
}

const char *const bench_workloads[BENCH_WORKLOADS] = {
        "conv2d-weight-update:n=16,k=192,c=192,ox=17,oy=17,rx=1,ry=7",
        "conv2d-weight-update:n=16,k=128,c=128,ox=17,oy=17,rx=7,ry=1",
        "conv2d-weight-update:n=16,k=384,c=384,ox=8,oy=8,rx=3,ry=1",
        "conv2d-weight-update:n=16,k=384,c=448,ox=8,oy=8,rx=3,ry=3",
        "mttkrp:i=12092,k=9184,l=28818,j=32", /* nell-2, netflix; then bcsstk17, cant */
        "mttkrp:i=480189,k=17770,l=2182,j=32", "ttmc:i=12092,j=9184,k=28818,l=8,m=8",
        "ttmc:i=480189,j=17770,k=2182,l=8,m=8", "sddmm:i=10974,j=10974,k=512",
        "sddmm:i=62451,j=62451,k=512", "mmc", "tcl", "gemm", "attention-qk", "attention-pv"};

struct bench_skewed bench_skewed(void)
{
    static const char *const networks[] = {
            "resnet18", "resnet18:n=64", "vgg16", "bert-base", "gemm:i=8192,j=28672,k=4096"};
    struct bench_skewed skewed = {0};
    double sum, worst;

    prove("resnet18", "systolic-2d-8x8", SATOR_TIMING_ROOFLINE, &skewed.small_s, &worst);
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        prove(networks[i], "tpu-256x256", SATOR_TIMING_ROOFLINE, &sum, &worst);
        skewed.large_worst_s = fmax(skewed.large_worst_s, worst);
    }
    return skewed;
}

struct bench_scheduled bench_scheduled(void)
{
    static const char *const machines[] = {"eyeriss", "simba-like", "diannao", "five-level",
            "systolic-2d-8x8", "multicast-8x8", "reduction-tree-64", "tpu-256x256"};
    struct bench_scheduled scheduled;
    double sum, worst;

    prove("resnet18", "conventional", SATOR_TIMING_AUTO, &scheduled.resnet18_s, &scheduled.worst_s);
    for (int i = 0; i < BENCH_WORKLOADS; i++) {
        prove(bench_workloads[i], "conventional", SATOR_TIMING_AUTO, &sum, &worst);
        scheduled.worst_s = fmax(scheduled.worst_s, worst);
    }
    prove("tcl", "simba-like", SATOR_TIMING_AUTO, &sum, &worst);
    scheduled.worst_s = fmax(scheduled.worst_s, worst);
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        prove("resnet18", machines[i], SATOR_TIMING_AUTO, &sum, &worst);
        scheduled.worst_s = fmax(scheduled.worst_s, worst);
    }
    return scheduled;
}
