/* Time of one analysis, all tensors and all metrics, for each dataflow of TENET's Table III at full
 * size.
 *
 * usage: bench_analyze [plans | closed|general|scheduled ROW]
 * Without arguments: every row with both engines, how the closed form's time depends on the size,
 * and what plans save. With an engine and a row: that analysis ten times and nothing else, for
 * tools/instructions.sh, which counts its instructions; "scheduled": in closed form, with the
 * scheduled time.
 */
#include "sator/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct row {
    const char *workload, *dataflow, *arch, *mesh;
    const char *set; /* a setting of the architecture that makes the array fit, or NULL */
};

#define GEMM "gemm:i=1024,j=1024,k=1024"
#define MTTKRP "mttkrp:i=1024,j=1024,k=512,l=512"
#define MMC "mmc:i=1024,j=1024,k=512,l=512"
#define JACOBI "jacobi2d:i=2048,j=2048"

static const struct row rows[] = {
        {GEMM, "gemm/ij-p_j-ijk-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {GEMM, "gemm/kj-p_k-ijk-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {GEMM, "gemm/ik-p_k-ijk-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {GEMM, "gemm/k-p_i-j-t", "systolic-1d", NULL, NULL},
        {GEMM, "gemm/j-p_i-k-t", "systolic-1d", NULL, NULL},
        {"vgg16-conv3_2", "conv2d/kc-p_oy-kcox-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {"vgg16-conv3_2", "conv2d/kox-p_oy-koxc-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {"vgg16-conv3_2", "conv2d/kc-p_c-kox-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {"vgg16-conv3_2", "conv2d/k-p_ox-oy-t", "systolic-1d", NULL, NULL},
        {"vgg16-conv3_2", "conv2d/c-p_oy-ox-t", "systolic-1d", NULL, NULL},
        {"vgg16-conv3_2", "conv2d/ryoy-p_oy-ox-t", "systolic-2d-8x8", "mesh-8x8",
                "levels.PE.shape=[12,56]"},
        {"vgg16-conv3_2", "conv2d/oyox-p_oy-ox-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {"vgg16-conv3_2", "conv2d/kc-p_oy-ox-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {MTTKRP, "mttkrp/ij-p_j-ijl-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {MTTKRP, "mttkrp/kj-p_j-kjl-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {MTTKRP, "mttkrp/kl-p_l-klj-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {JACOBI, "jacobi2d/i-p_i-j-t", "systolic-1d", NULL, NULL},
        {JACOBI, "jacobi2d/ij-p_i-j-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {MMC, "mmc/ij-p_j-ijl-t", "systolic-2d-8x8", "mesh-8x8", NULL},
        {MMC, "mmc/kj-p_j-kjl-t", "systolic-2d-8x8", "mesh-8x8", NULL},
};
enum {
    N_ROWS = sizeof rows / sizeof *rows
};

struct inputs {
    struct sator_ctx *ctx;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
};

static void fail(struct sator_ctx *ctx, const char *what)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    fprintf(stderr, "bench_analyze: %s\n%s", what, messages == NULL ? "" : messages);
    exit(1);
}

static struct inputs load(const struct row *row, const char *arch)
{
    struct inputs in = {.ctx = sator_ctx_new()};
    struct sator_input_options options = {.sets = &row->set, .n_sets = row->set != NULL};

    if (sator_network_load(in.ctx, row->workload, NULL, &in.network) != SATOR_OK ||
            sator_arch_load(in.ctx, arch, &options, &in.arch) != SATOR_OK ||
            sator_dataflow_load(in.ctx, row->dataflow, NULL, &in.dataflow) != SATOR_OK)
        fail(in.ctx, row->dataflow);
    return in;
}

static void unload(struct inputs *in)
{
    sator_dataflow_free(in->dataflow);
    sator_arch_free(in->arch);
    sator_network_free(in->network);
    sator_ctx_free(in->ctx);
}

static void analyze(
        struct inputs *in, enum sator_engine_choice engine, enum sator_timing_choice timing)
{
    struct sator_analyze_options options = {.engine = engine, .timing = timing};
    struct sator_result *result;

    if (sator_analyze(in->ctx, in->network, 0, in->arch, in->dataflow, &options, &result) !=
            SATOR_OK)
        fail(in->ctx, "the analysis failed");
    sator_result_free(result);
}

static double now_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* The least time of one analysis, in microseconds: the one that the machine disturbed least. */
static double measure(const struct row *row, const char *arch, enum sator_engine_choice engine)
{
    struct inputs in = load(row, arch);
    int repeats = engine == SATOR_ENGINE_CLOSED ? 300 : 3;
    double least = 1e30;

    for (int i = 0; i < repeats; i++) {
        double start = now_us();
        analyze(&in, engine, SATOR_TIMING_ROOFLINE);
        double time = now_us() - start;
        if (time < least)
            least = time;
    }
    unload(&in);
    return least;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare_doubles);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The closed form's time over sizes: it should not grow with them. */
static void sizes(void)
{
    static const int extents[] = {64, 256, 1024, 4096, 16384, 65536};

    fprintf(stderr, "\n(IJ-P | J,IJK-T) of n x n x n, closed us:");
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        char workload[64];
        snprintf(workload, sizeof workload, "gemm:i=%d,j=%d,k=%d", extents[i], extents[i],
                extents[i]);
        struct row row = {workload, "gemm/ij-p_j-ijk-t", "systolic-2d-8x8", NULL, NULL};
        fprintf(stderr, "  n=%d %.1f", extents[i], measure(&row, row.arch, SATOR_ENGINE_CLOSED));
    }
    fprintf(stderr, "\n");
}

/* ---- plans ---- */

enum {
    MANY = 1000,
    ROUNDS = 5 /* of all of them: the fastest counts */
};

/* What differs from one of MANY evaluations to the next: the network, which was read before, and
 * its extents, or the dataflow. */
struct many {
    struct sator_network *const *networks;
    int64_t (*extents)[3];
    struct sator_dataflow *const *dataflows;
};

/* The i-th, of the plan. */
static void evaluate(struct inputs *in, const struct sator_plan *plan,
        struct sator_workspace *workspace, const struct many *many, int i)
{
    struct sator_plan *remapped = NULL;
    const struct sator_result *result;

    if (many->dataflows != NULL &&
            sator_plan_remap(in->ctx, plan, many->dataflows[i], &remapped) != SATOR_OK)
        fail(in->ctx, "the dataflow does not fit");
    if (sator_plan_evaluate(in->ctx, remapped != NULL ? remapped : plan, workspace,
                many->extents != NULL ? many->extents[i] : NULL, &result) != SATOR_OK)
        fail(in->ctx, "the evaluation failed");
    sator_plan_free(remapped);
}

/* The microseconds of one evaluation: by one plan, or with "plans" false by sator_analyze. */
static double time_many(struct inputs *in, const struct many *many, bool plans)
{
    struct sator_workspace *workspace = sator_workspace_new();
    struct sator_analyze_options options = {
            .engine = SATOR_ENGINE_CLOSED, .timing = SATOR_TIMING_ROOFLINE};
    struct sator_plan *plan;
    double least = 1e30;

    if (sator_plan_new(in->ctx, in->network, 0, in->arch, in->dataflow, &options, &plan) !=
            SATOR_OK)
        fail(in->ctx, "no plan");
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_us();
        for (int i = 0; i < MANY; i++) {
            struct inputs one = *in;
            if (many->networks != NULL)
                one.network = many->networks[i];
            if (many->dataflows != NULL)
                one.dataflow = many->dataflows[i];
            if (plans)
                evaluate(in, plan, workspace, many, i);
            else
                analyze(&one, SATOR_ENGINE_CLOSED, SATOR_TIMING_ROOFLINE);
        }
        double time = (now_us() - start) / MANY;
        least = time < least ? time : least;
    }
    sator_plan_free(plan);
    sator_workspace_free(workspace);
    return least;
}

static void compare_extents(struct inputs *in, double *planned, double *analyzed)
{
    static struct sator_network *networks[MANY];
    static int64_t extents[MANY][3];

    for (int i = 0; i < MANY; i++) {
        char spec[64];
        extents[i][0] = 8 + i % 10 * 56;
        extents[i][1] = 16 + i / 10 % 10 * 100;
        extents[i][2] = 1 + i / 100 * 37;
        snprintf(spec, sizeof spec, "gemm:i=%d,j=%d,k=%d", (int)extents[i][0], (int)extents[i][1],
                (int)extents[i][2]);
        if (sator_network_load(in->ctx, spec, NULL, &networks[i]) != SATOR_OK)
            fail(in->ctx, spec);
    }
    struct many many = {.networks = networks, .extents = extents};
    *analyzed = time_many(in, &many, false);
    *planned = time_many(in, &many, true);
    for (int i = 0; i < MANY; i++)
        sator_network_free(networks[i]);
}

/* Tiles of every size up to 8 x 8 of two of the loops across the array, in several orders. */
static void compare_dataflows(struct inputs *in, double *planned, double *analyzed)
{
    static const char loops[6][3] = {{'i', 'j', 'k'}, {'j', 'i', 'k'}, {'i', 'k', 'j'},
            {'k', 'i', 'j'}, {'j', 'k', 'i'}, {'k', 'j', 'i'}};
    static struct sator_dataflow *dataflows[MANY];

    for (int i = 0; i < MANY; i++) {
        const char *l = loops[i / 64 % 6];
        int a = 1 + i % 8, b = 1 + i / 8 % 8;
        char space[64], time[64];
        snprintf(space, sizeof space, "%c%%%d, %c%%%d", l[0], a, l[1], b);
        int at = snprintf(time, sizeof time, "%c/%d, %c/%d, %c", l[0], a, l[1], b, l[2]);
        if (i / 384 == 1) /* skewed by one of the digits across the array, or by both */
            snprintf(time + at, sizeof time - (size_t)at, " + %c%%%d", l[0], a);
        if (i / 384 == 2)
            snprintf(time + at, sizeof time - (size_t)at, " + %c%%%d + %c%%%d", l[0], a, l[1], b);
        if (sator_dataflow_from_text(in->ctx, "tiles", space, time, &dataflows[i]) != SATOR_OK)
            fail(in->ctx, time);
    }
    struct many many = {.dataflows = dataflows};
    *analyzed = time_many(in, &many, false);
    *planned = time_many(in, &many, true);
    for (int i = 0; i < MANY; i++)
        sator_dataflow_free(dataflows[i]);
}

/* ---- points ---- */

enum {
    POINTS = 100000
};

/* Multiples of 8 up to 800, i slowest. */
static void set_grid(int64_t (*extents)[3])
{
    for (int i = 0; i < POINTS; i++) {
        extents[i][0] = 8 + i / 10000 * 80;
        extents[i][1] = 8 + i / 100 % 100 * 8;
        extents[i][2] = 8 + i % 100 * 8;
    }
}

static void set_sweep(int64_t (*extents)[3])
{
    for (int i = 0; i < POINTS; i++) {
        extents[i][0] = 1 + i;
        extents[i][1] = extents[i][2] = 512;
    }
}

/* Each from 1 to 1000, whatever the others are. */
static void set_random(int64_t (*extents)[3])
{
    uint64_t state = 88172645463325252U;

    for (int i = 0; i < 3 * POINTS; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        extents[i / 3][i % 3] = 1 + (int64_t)(state % 1000);
    }
}

/* The points that one thread evaluates in a second of its own time. */
static double measure_points(
        struct inputs *in, enum sator_timing_choice timing, void (*set)(int64_t (*extents)[3]))
{
    static int64_t extents[POINTS][3];
    static double latency[POINTS], energy[POINTS];
    const struct sator_column columns[] = {
            {.size = sizeof *columns, .figure = "latency", .numbers = latency},
            {.size = sizeof *columns, .figure = "energy", .numbers = energy}};
    struct sator_workspace *workspace = sator_workspace_new();
    const struct sator_analyze_options options = {.timing = timing};
    struct sator_plan *plan;

    set(extents);
    if (sator_plan_new(in->ctx, in->network, 0, in->arch, in->dataflow, &options, &plan) !=
            SATOR_OK)
        fail(in->ctx, "no plan");
    clock_t start = clock();
    if (sator_plan_evaluate_points(
                in->ctx, plan, workspace, POINTS, extents[0], 2, columns, NULL, NULL) != SATOR_OK)
        fail(in->ctx, "the points");
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    sator_plan_free(plan);
    sator_workspace_free(workspace);
    return POINTS / seconds;
}

struct points_figures {
    double grid, sweep, random;
};

/* The points of all three sets, by one way to tell the latency. */
static struct points_figures measure_sets(struct inputs *in, enum sator_timing_choice timing)
{
    const struct points_figures points = {.grid = measure_points(in, timing, set_grid),
            .sweep = measure_points(in, timing, set_sweep),
            .random = measure_points(in, timing, set_random)};

    fprintf(stderr,
            "\n%d points at once, a second and thread (%s): grid %.0f, sweep %.0f, random %.0f\n",
            POINTS, timing == SATOR_TIMING_SCHEDULED ? "scheduled" : "roofline", points.grid,
            points.sweep, points.random);
    return points;
}

static void plans(double *extents, double *dataflows, struct points_figures *points)
{
    struct row row = {GEMM, "gemm/ij-p_j-ijk-t", "systolic-2d-8x8", NULL, NULL};
    struct inputs in = load(&row, row.arch);
    double analyzed;

    *points = measure_sets(&in, SATOR_TIMING_ROOFLINE);
    measure_sets(&in, SATOR_TIMING_SCHEDULED);

    compare_extents(&in, extents, &analyzed);
    fprintf(stderr, "\n%d evaluations, us each (sator_analyze each time: us)\n", MANY);
    fprintf(stderr, "  one dataflow at as many extents %8.2f (%.2f)\n", *extents, analyzed);
    compare_dataflows(&in, dataflows, &analyzed);
    fprintf(stderr, "  as many dataflows, from texts   %8.2f (%.2f)\n", *dataflows, analyzed);
    unload(&in);
}

/* The least time of "sator analyze" as a process, in milliseconds. */
static double process_ms(const char *program)
{
    char command[1024];
    double least = 1e30;

    snprintf(command, sizeof command,
            "'%s' analyze " GEMM " --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t >/dev/null",
            program);
    for (int i = 0; i < 20; i++) {
        double start = now_us();
        if (system(command) != 0)
            return -1;
        double time = (now_us() - start) / 1e3;
        least = time < least ? time : least;
    }
    return least;
}

static void all_rows(void)
{
    double closed[N_ROWS], general[N_ROWS], mesh_worst = 0, plan_extents, plan_dataflows;
    struct points_figures points;

    fprintf(stderr, "%-26s %12s %12s %8s %12s\n", "dataflow", "closed us", "general us", "ratio",
            "mesh us");
    for (int i = 0; i < N_ROWS; i++) {
        closed[i] = measure(&rows[i], rows[i].arch, SATOR_ENGINE_CLOSED);
        general[i] = measure(&rows[i], rows[i].arch, SATOR_ENGINE_GENERAL);
        fprintf(stderr, "%-26s %12.1f %12.0f %8.0f", rows[i].dataflow, closed[i], general[i],
                general[i] / closed[i]);
        if (rows[i].mesh != NULL) {
            double mesh = measure(&rows[i], rows[i].mesh, SATOR_ENGINE_CLOSED);
            fprintf(stderr, " %12.1f", mesh);
            mesh_worst = mesh > mesh_worst ? mesh : mesh_worst;
        }
        fprintf(stderr, "\n");
    }
    sizes();
    plans(&plan_extents, &plan_dataflows, &points);
    double median_closed = median(closed, N_ROWS), median_general = median(general, N_ROWS);
    printf("{\"analyze_table3_median_us\": %.2f,\n \"analyze_table3_worst_us\": %.2f,\n"
           " \"analyze_table3_general_median_us\": %.0f,\n \"analyze_mesh_worst_us\": %.2f,\n"
           " \"plan_extents_us\": %.2f,\n \"plan_dataflows_us\": %.2f,\n"
           " \"plan_grid_points_per_s\": %.0f,\n \"plan_sweep_points_per_s\": %.0f,\n"
           " \"plan_random_points_per_s\": %.0f,\n"
           " \"analyze_process_ms\": %.2f}\n",
            median_closed, closed[N_ROWS - 1], median_general, mesh_worst, plan_extents,
            plan_dataflows, points.grid, points.sweep, points.random, process_ms("build/sator"));
}

int main(int argc, char **argv)
{
    double extents, dataflows;
    struct points_figures points;

    if (argc == 2 && strcmp(argv[1], "plans") == 0) {
        plans(&extents, &dataflows, &points);
        return 0;
    }
    if (argc < 3) {
        all_rows();
        return 0;
    }
    int row = atoi(argv[2]);
    if (row < 0 || row >= N_ROWS)
        return 2;
    bool general = strcmp(argv[1], "general") == 0, timed = strcmp(argv[1], "scheduled") == 0;
    struct inputs in = load(&rows[row], rows[row].arch);
    for (int i = 0; i < 10; i++)
        analyze(&in, general ? SATOR_ENGINE_GENERAL : SATOR_ENGINE_CLOSED,
                timed ? SATOR_TIMING_SCHEDULED : SATOR_TIMING_ROOFLINE);
    unload(&in);
    printf("%s\n", rows[row].dataflow);
    return 0;
}
