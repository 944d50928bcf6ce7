/* Cycles of a square matrix product on an 8x8 systolic array, size after size. */
#include <sator/plan.h>

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    struct sator_ctx *ctx = sator_ctx_new(); /* one a thread, as the workspace */
    struct sator_workspace *workspace = sator_workspace_new();
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;
    struct sator_dataflow *dataflow = NULL;
    struct sator_plan *plan = NULL;
    const struct sator_result *result;
    enum sator_status st;

    st = sator_network_load(ctx, "gemm", NULL, &network);
    if (st == SATOR_OK)
        st = sator_arch_load(ctx, "systolic-2d-8x8", NULL, &arch);
    if (st == SATOR_OK)
        st = sator_dataflow_from_text(
                ctx, "mine", "i%8, j%8", "i/8, j/8, i%8 + j%8 + k", &dataflow);
    if (st == SATOR_OK)
        st = sator_plan_new(ctx, network, 0, arch, dataflow, NULL, &plan);
    for (int64_t n = 60; n <= 60000 && st == SATOR_OK; n *= 10) {
        const int64_t extents[] = {n, n, n}; /* of the loops i, j and k */
        st = sator_plan_evaluate(ctx, plan, workspace, extents, &result);
        if (st == SATOR_OK)
            printf("%5d: %16.0f cycles, %.1f %% utilized\n", (int)n, result->compute_cycles,
                    100 * result->utilization_average);
    }
    if (st != SATOR_OK) {
        char *messages = sator_ctx_take_messages(ctx, false);
        fputs(messages == NULL ? "interrupted\n" : messages, stderr);
        free(messages);
    }
    sator_plan_free(plan);
    sator_dataflow_free(dataflow);
    sator_arch_free(arch);
    sator_network_free(network);
    sator_workspace_free(workspace);
    sator_ctx_free(ctx);
    return st != SATOR_OK;
}
