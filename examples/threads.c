/* One plan, evaluated by several threads at once: each has a context and a workspace of its own. */
#include <sator/input.h>
#include <sator/plan.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    N_THREADS = 4,
    N_POINTS = 400 /* a thread */
};

struct part {
    const struct sator_plan *plan;
    int number;
    enum sator_status status;
    double latency[N_POINTS]; /* cycles */
    int64_t words[N_POINTS]; /* from and to the scratchpad */
};

static void *evaluate(void *data)
{
    struct part *part = data;
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_workspace *workspace = sator_workspace_new();
    const struct sator_column columns[] = {
            {.size = sizeof *columns, .figure = "latency", .numbers = part->latency},
            {.size = sizeof *columns, .figure = "unique_volume", .counts = part->words}};
    int64_t extents[N_POINTS][3]; /* of the loops i, j and k */

    for (int p = 0; p < N_POINTS; p++) {
        for (int loop = 0; loop < 3; loop++)
            extents[p][loop] = 1 + part->number * N_POINTS + p;
    }
    part->status = sator_plan_evaluate_points(
            ctx, part->plan, workspace, N_POINTS, &extents[0][0], 2, columns, NULL, NULL);
    sator_workspace_free(workspace);
    sator_ctx_free(ctx);
    return NULL;
}

int main(void)
{
    static struct part parts[N_THREADS];
    pthread_t threads[N_THREADS];
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;
    struct sator_dataflow *dataflow = NULL;
    struct sator_plan *plan = NULL;
    enum sator_status st;

    st = sator_network_load(ctx, "gemm", NULL, &network);
    if (st == SATOR_OK)
        st = sator_arch_load(ctx, "systolic-2d-8x8", NULL, &arch);
    if (st == SATOR_OK)
        st = sator_dataflow_load(ctx, "gemm/ij-p_j-ijk-t", NULL, &dataflow);
    if (st == SATOR_OK)
        st = sator_plan_new(ctx, network, 0, arch, dataflow, NULL, &plan);
    for (int t = 0; t < N_THREADS && st == SATOR_OK; t++) {
        parts[t] = (struct part){.plan = plan, .number = t};
        if (pthread_create(&threads[t], NULL, evaluate, &parts[t]) != 0)
            abort();
    }
    for (int t = 0; t < N_THREADS && st == SATOR_OK; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < N_THREADS && st == SATOR_OK; t++)
        printf("%d x %d x %d: %.0f cycles, %lld words\n", (t + 1) * N_POINTS, (t + 1) * N_POINTS,
                (t + 1) * N_POINTS, parts[t].latency[N_POINTS - 1],
                (long long)parts[t].words[N_POINTS - 1]);
    char *messages = sator_ctx_take_messages(ctx, false);
    if (st != SATOR_OK)
        fputs(messages == NULL ? "interrupted\n" : messages, stderr);
    free(messages);
    sator_plan_free(plan);
    sator_dataflow_free(dataflow);
    sator_arch_free(arch);
    sator_network_free(network);
    sator_ctx_free(ctx);
    return st != SATOR_OK;
}
