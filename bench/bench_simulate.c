/* Executions: loop instances a second on one thread, values, words and cycles included, and what
 * the machine's tables take. */
#include "sator/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    N_RUNS = 3
};

static double processor_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void fail(struct sator_ctx *ctx, const char *what)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    fprintf(stderr, "bench_simulate: %s: %s\n", what, messages == NULL ? "failed" : messages);
    exit(1);
}

/* Instances a second of the fastest of N_RUNS. */
static double measure(const char *workload, const char *arch, const char *dataflow)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    struct sator_arch *machine = NULL;
    struct sator_dataflow *flow = NULL;
    double best = INFINITY;
    int64_t instances = 0, bytes = 0;

    if (sator_network_load(ctx, workload, NULL, &network) != SATOR_OK ||
            sator_arch_load(ctx, arch, NULL, &machine) != SATOR_OK ||
            sator_dataflow_load(ctx, dataflow, NULL, &flow) != SATOR_OK)
        fail(ctx, workload);
    for (int run = 0; run < N_RUNS; run++) {
        struct sator_simulation *simulation = NULL;
        double start = processor_seconds();
        if (sator_simulate(ctx, network, 0, machine, flow, NULL, &simulation) != SATOR_OK)
            fail(ctx, workload);
        double seconds = processor_seconds() - start;
        if (simulation->n_differences > 0)
            fail(ctx, simulation->differences[0].text);
        best = seconds < best ? seconds : best;
        instances = simulation->instances;
        bytes = simulation->bytes;
        sator_simulation_free(simulation);
    }
    fprintf(stderr, "  %-26s %-16s %-26s %12lld %6.2f s %10.3g/s %8.2f MB of tables\n", workload,
            arch, dataflow, (long long)instances, best, (double)instances / best,
            (double)bytes / 1e6);
    sator_dataflow_free(flow);
    sator_arch_free(machine);
    sator_network_free(network);
    sator_ctx_free(ctx);
    return (double)instances / best;
}

int main(void)
{
    double rate = measure("gemm:i=256,j=256,k=256", "systolic-2d-8x8", "gemm/ij-p_j-ijk-t");

    measure("gemm:i=256,j=256,k=64", "tpu-256x256", "gemm/ij-p_j-ijk-t");
    measure("gemm:i=256,j=256,k=256", "eyeriss", "gemm/ij-p_j-ijk-t");
    measure("alexnet-conv3:k=64", "eyeriss", "conv2d/ryoy-p_oy-ox-t");
    printf("{\n\"simulate_instances_per_s\": %.4g\n}\n", rate);
    return 0;
}
