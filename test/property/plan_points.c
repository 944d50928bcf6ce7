/* Points of a plan that know each other's counts (model/families.h) against the same points by
 * themselves: random machines with random dataflows, and the library's, at sweeps, grids,
 * duplicates and random extents. Every figure must be the same to the last digit, and a point that
 * its family answers must be one that can be analysed.
 *
 *     property_plan_points [--seed N] [--cases N] [--case N]
 */
#include "api/plan.h"
#include "model/families.h"
#include "oracle/run.h"
#include "support/machine.h"
#include "support/phases.h"
#include "support/same.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_POINTS = 600,
    MOST_LOOPS = 16,
    WORK_LIMIT = 300 * 1000
};

struct check {
    struct machine_files files;
    struct random random;
    int64_t plans, points, shared, scheduled,
            alone; /* "alone": of a family, but answered by themselves */
    int failures;
};

struct points {
    int n, n_loops;
    int64_t extents[MOST_POINTS * MOST_LOOPS];
};

static void forget_messages(struct sator_ctx *ctx)
{
    free(sator_ctx_take_messages(ctx, false));
}

/* Some loops vary, near their extents or far beyond them; the others stay. */
static void choose_points(
        struct check *check, const struct sator_plan *plan, int64_t longest, struct points *points)
{
    int64_t least[MOST_LOOPS], span[MOST_LOOPS], step[MOST_LOOPS];

    points->n_loops = sator_plan_loop_count(plan);
    points->n = 100 + (int)random_below(&check->random, MOST_POINTS - 99);
    for (int l = 0; l < points->n_loops; l++) {
        int64_t own = sator_plan_loop_extent(plan, l);
        own = own > longest ? longest : own;
        least[l] = random_chance(&check->random, 70) ? own : 1 + random_below(&check->random, own);
        span[l] = random_chance(&check->random, 45) ? 1 + random_below(&check->random, longest) : 1;
        step[l] = random_chance(&check->random, 50) ? 1 : 1 + random_below(&check->random, 8);
    }
    for (int i = 0; i < points->n; i++)
        for (int l = 0; l < points->n_loops; l++)
            points->extents[i * points->n_loops + l] =
                    least[l] + random_below(&check->random, span[l]) / step[l] * step[l];
}

static void put_point(const struct sator_plan *plan, const int64_t *extents)
{
    printf("FAILED: at");
    for (int l = 0; l < sator_plan_loop_count(plan); l++)
        printf(" %s=%" PRId64, sator_plan_loop_name(plan, l), extents[l]);
}

/* Whether the time of a point by itself met the work limit; that of a family may be known. */
static bool met_limit(const struct sator_result *result)
{
    return result->unscheduled != NULL && strstr(result->unscheduled, "work limit") != NULL;
}

static bool check_point(struct check *check, struct sator_ctx *ctx, const struct sator_plan *plan,
        struct sator_workspace *const *workspaces, const int64_t *extents,
        struct sator_family *family)
{
    static const struct same_options options = {.other_engine = true};
    const struct sator_result *got, *expected;
    char text[1024] = "the point cannot be analysed";

    enum sator_status shared =
            sator_plan_evaluate_in(ctx, plan, workspaces[0], extents, family, &got);
    check->shared += shared == SATOR_OK;
    check->alone += shared != SATOR_OK;
    if (shared != SATOR_OK)
        return true;
    enum sator_status alone = sator_plan_evaluate(ctx, plan, workspaces[1], extents, &expected);
    check->scheduled += strcmp(got->timing, "scheduled") == 0;
    if (alone == SATOR_LIMIT || (alone == SATOR_OK && met_limit(expected)) ||
            (alone == SATOR_OK && same_results(got, expected, &options, text, sizeof text)))
        return true;
    char *messages = machine_messages(ctx);
    put_point(plan, extents);
    printf(": %s %s\n", text, messages);
    free(messages);
    return false;
}

/* All points in one call, as users ask for them. */
static bool check_columns(
        struct sator_ctx *ctx, const struct sator_plan *plan, const struct points *points)
{
    static double latency[MOST_POINTS], energy[MOST_POINTS];
    static bool valid[MOST_POINTS];
    const struct sator_column columns[] = {
            {.size = sizeof *columns, .figure = "latency", .numbers = latency},
            {.size = sizeof *columns, .figure = "energy", .numbers = energy}};
    struct sator_workspace *workspace = sator_workspace_new();
    int64_t n_done;
    bool fine = sator_plan_evaluate_points(ctx, plan, workspace, points->n, points->extents, 2,
                        columns, valid, &n_done) == SATOR_OK &&
            n_done == points->n;

    for (int i = 0; i < points->n && fine; i += 3) {
        const int64_t *extents = &points->extents[i * points->n_loops];
        const struct sator_result *expected;
        enum sator_status st = sator_plan_evaluate(ctx, plan, workspace, extents, &expected);
        forget_messages(ctx);
        if (st == SATOR_LIMIT || (st == SATOR_OK && met_limit(expected)))
            continue;
        fine = valid[i] == (st == SATOR_OK) &&
                (st != SATOR_OK ||
                        (latency[i] == expected->total_cycles &&
                                (energy[i] == expected->energy_pj ||
                                        (isnan(energy[i]) && isnan(expected->energy_pj)))));
        if (!fine)
            put_point(plan, extents);
    }
    if (!fine)
        printf(" in columns\n");
    sator_workspace_free(workspace);
    return fine;
}

static bool check_plan(
        struct check *check, struct sator_ctx *ctx, const struct sator_plan *plan, int64_t longest)
{
    static struct points points;
    struct sator_workspace *workspaces[2] = {sator_workspace_new(), sator_workspace_new()};
    bool fine = true;

    choose_points(check, plan, longest, &points);
    struct sator_families *families =
            sator_families_new(ctx, plan->model, &plan->question, points.n, points.extents);
    for (int i = 0; i < points.n && fine; i++) {
        const int64_t *extents = &points.extents[i * points.n_loops];
        struct sator_family *family = sator_families_take(families, i, extents);
        if (family != NULL)
            fine = check_point(check, ctx, plan, workspaces, extents, family);
        forget_messages(ctx);
    }
    check->plans += families != NULL;
    check->points += points.n;
    sator_families_free(families);
    sator_workspace_free(workspaces[0]);
    sator_workspace_free(workspaces[1]);
    return fine && check_columns(ctx, plan, &points);
}

/* ---- plans ---- */

static bool check_inputs(struct check *check, struct sator_ctx *ctx,
        const struct machine_inputs *in, int64_t longest)
{
    const struct sator_analyze_options options = {
            .engine = random_chance(&check->random, 80) ? SATOR_ENGINE_CLOSED : SATOR_ENGINE_AUTO,
            .model = random_chance(&check->random, 90) ? SATOR_MODEL_SATOR : SATOR_MODEL_TENET,
            .timing = random_chance(&check->random, 60) ? SATOR_TIMING_SCHEDULED
                                                        : SATOR_TIMING_ROOFLINE};
    struct sator_plan *plan;
    bool fine = true;

    if (options.timing == SATOR_TIMING_SCHEDULED && random_chance(&check->random, 60))
        phases_draw((uint64_t)random_below(&check->random, INT64_MAX), in->arch);
    if (sator_plan_new(ctx, in->network, 0, in->arch, in->dataflow, &options, &plan) == SATOR_OK) {
        if (!sator_plan_binds(plan) && sator_plan_loop_count(plan) <= MOST_LOOPS)
            fine = check_plan(check, ctx, plan, longest);
        sator_plan_free(plan);
    }
    forget_messages(ctx);
    if (!fine)
        phases_print(in->arch);
    return fine;
}

static bool check_random(struct check *check, struct sator_ctx *ctx, uint64_t seed)
{
    const struct hardware_options options = {.max_instances = 400,
            .max_pes = 16,
            .bypass = true,
            .idle = random_chance(&check->random, 20)};
    static struct hardware hardware;
    struct machine_inputs in;
    const char *what;

    hardware_make(seed, &options, &hardware);
    hardware.n_nest = 0;
    for (int l = 0; l < hardware.n_levels; l++)
        if (hardware.levels[l].bypassed == 0 && random_chance(&check->random, 50))
            hardware.levels[l].cut = -1;
    bool fine = true;
    if (machine_read(ctx, &check->files, &hardware, NULL, &what, &in) == SATOR_OK)
        fine = check_inputs(check, ctx, &in, 40);
    machine_forget(&in);
    if (!fine)
        hardware_put(stdout, &hardware);
    return fine;
}

/* The library's workload that one of its dataflows, "gemm/ij-p...", is for. */
static bool find_workload(const char *dataflow, char *name, size_t size)
{
    const char *slash = strchr(dataflow, '/');

    if (slash != NULL)
        snprintf(name, size, "%.*s", (int)(slash - dataflow), dataflow);
    for (int i = 0; slash != NULL && i < sator_library_count("workloads"); i++)
        if (strcmp(name, sator_library_name("workloads", i)) == 0)
            return true;
    return false;
}

static bool check_library(struct check *check, struct sator_ctx *ctx)
{
    const char *dataflow = sator_library_name(
            "dataflows", (int)random_below(&check->random, sator_library_count("dataflows")));
    const char *arch = sator_library_name(
            "archs", (int)random_below(&check->random, sator_library_count("archs")));
    struct machine_inputs in = {0};
    char workload[64];
    bool fine = true;

    if (find_workload(dataflow, workload, sizeof workload) &&
            sator_network_load(ctx, workload, NULL, &in.network) == SATOR_OK &&
            sator_arch_load(ctx, arch, NULL, &in.arch) == SATOR_OK &&
            sator_dataflow_load(ctx, dataflow, NULL, &in.dataflow) == SATOR_OK)
        fine = check_inputs(check, ctx, &in, 150);
    if (!fine)
        printf("%s on %s\n", dataflow, arch);
    machine_forget(&in);
    return fine;
}

int main(int argc, char **argv)
{
    static struct check check;
    struct run_options options;

    if (!run_options(argc, argv, 200, &options))
        return 2;
    machine_open(&check.files);
    for (int64_t i = options.first_case;
            i < options.first_case + options.n_cases && check.failures < 5; i++) {
        struct sator_ctx *ctx = sator_ctx_new();
        uint64_t seed = run_case_seed(&options, i);
        sator_ctx_set_work_limit(ctx, WORK_LIMIT);
        check.random.state = seed;
        if (i % 3 == 0 ? !check_library(&check, ctx) : !check_random(&check, ctx, seed)) {
            check.failures++;
            printf("again with: property_plan_points --seed %" PRIu64 " --case %" PRId64 "\n",
                    options.seed, i);
        }
        sator_ctx_free(ctx);
    }
    machine_close(&check.files);
    printf("%" PRId64 " plans with families, %" PRId64 " points, %" PRId64
           " as their families know them (%" PRId64 " scheduled), %" PRId64
           " that these cannot tell, %d failures\n",
            check.plans, check.points, check.shared, check.scheduled, check.alone, check.failures);
    const bool has_drawn_all = options.n_cases >= 50; /* few cases may have no such families */
    return check.failures > 0 || (has_drawn_all && (check.shared == 0 || check.scheduled == 0));
}
