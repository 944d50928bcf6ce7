/* Plans against sator_analyze: random combinations of the library's dataflows and architectures, at
 * random extents, must give the same results in every field to the last digit, or the same refusal;
 * also when two threads evaluate the same plans at once, and when one workspace serves plan after
 * plan.
 *
 *     property_plan [--seed N] [--cases N]
 */
#include "sator/plan.h"
#include "oracle/run.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_LOOPS = 8,
    SIZES = 4, /* extents tried with each plan */
    SHARED = 24, /* plans that threads share */
    WORK_LIMIT = 20 * 1000 * 1000
};

/* The linker leads the library's calls here (--wrap). */
static atomic_long allocations;
void *__real_malloc(size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __real_malloc(size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __real_realloc(memory, size);
}

static uint64_t random_state = 1;
static int failures;

static uint64_t random_number(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

/* ---- comparing ---- */

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

/* The first field in which two results differ, or NULL. */
#define SAME(field)                                                                                \
    if (a->field != b->field)                                                                      \
    return #field
#define SAME_NUMBER(field)                                                                         \
    if (!same_number(a->field, b->field))                                                          \
    return #field
#define SAME_TEXT(field)                                                                           \
    if (!same_text(a->field, b->field))                                                            \
    return #field

static const char *compare_tensors(
        const struct sator_tensor_result *a, const struct sator_tensor_result *b)
{
    SAME_TEXT(name);
    SAME(role);
    SAME(word_bits);
    SAME(access_volume);
    SAME(total_volume);
    SAME(temporal_reuse);
    SAME(spatial_reuse);
    SAME(reuse_volume);
    SAME(unique_volume);
    SAME(footprint);
    SAME(partial_sum_reads);
    SAME_NUMBER(reuse_factor);
    SAME_NUMBER(interconnect_bits_per_cycle);
    SAME_NUMBER(scratchpad_bits_per_cycle);
    SAME(n_links);
    for (int i = 0; i < a->n_links; i++) {
        SAME_TEXT(links[i].name);
        SAME(links[i].spatial_reuse);
    }
    return NULL;
}

static const char *compare_levels(
        const struct sator_level_result *a, const struct sator_level_result *b)
{
    SAME_TEXT(name);
    SAME(time_cut);
    SAME(space_cut);
    SAME(cut_declared);
    SAME(instances);
    SAME_NUMBER(capacity_words);
    SAME_NUMBER(read_cycles);
    SAME_NUMBER(write_cycles);
    SAME(n_tensors);
    for (int i = 0; i < a->n_tensors; i++) {
        SAME_TEXT(tensors[i].name);
        SAME(tensors[i].role);
        SAME(tensors[i].tile_words);
        SAME(tensors[i].fills);
        SAME(tensors[i].writes);
        SAME(tensors[i].reads);
        SAME(tensors[i].updates);
    }
    return NULL;
}

static const char *compare_counts(const struct sator_result *a, const struct sator_result *b)
{
    SAME_TEXT(workload);
    SAME_TEXT(arch);
    SAME_TEXT(dataflow);
    SAME_TEXT(space);
    SAME_TEXT(time);
    SAME_TEXT(engine);
    SAME_TEXT(declined);
    SAME(instances);
    SAME(stamps);
    SAME(time_stamps);
    SAME(pes);
    SAME(active_pes);
    SAME(max_active_pes);
    SAME(max_instances_per_stamp);
    SAME(n_tensors);
    SAME(n_levels);
    SAME(n_energy_terms);
    SAME(n_sweep);
    return NULL;
}

static const char *compare(const struct sator_result *a, const struct sator_result *b)
{
    const char *field = compare_counts(a, b);

    for (int i = 0; field == NULL && i < a->n_tensors; i++)
        field = compare_tensors(&a->tensors[i], &b->tensors[i]);
    for (int i = 0; field == NULL && i < a->n_levels; i++)
        field = compare_levels(&a->levels[i], &b->levels[i]);
    if (field != NULL)
        return field;
    for (int i = 0; i < a->n_energy_terms; i++) {
        SAME_TEXT(energy_terms[i].component);
        SAME(energy_terms[i].actions);
        SAME_NUMBER(energy_terms[i].pj_per_action);
        SAME_NUMBER(energy_terms[i].pj);
        SAME_TEXT(energy_terms[i].source);
    }
    for (int i = 0; i < a->n_sweep; i++) {
        SAME_NUMBER(sweep[i].bits_per_cycle);
        SAME_NUMBER(sweep[i].total_cycles);
        SAME_TEXT(sweep[i].bound_by);
    }
    SAME(n_ports);
    for (int i = 0; i < a->n_ports; i++) {
        SAME_TEXT(ports[i].name);
        SAME(ports[i].level);
        SAME(ports[i].bits);
        SAME_NUMBER(ports[i].cycles);
    }
    SAME_TEXT(bound_by);
    SAME_NUMBER(utilization_average);
    SAME_NUMBER(utilization_max);
    SAME_NUMBER(macs_per_cycle);
    SAME_NUMBER(compute_cycles);
    SAME_NUMBER(read_cycles);
    SAME_NUMBER(write_cycles);
    SAME_NUMBER(total_cycles);
    SAME_NUMBER(interconnect_bits_per_cycle);
    SAME_NUMBER(scratchpad_bits_per_cycle);
    SAME_NUMBER(energy_pj);
    SAME_NUMBER(edp);
    SAME_NUMBER(clock_mhz);
    return NULL;
}

/* ---- random combinations ---- */

/* A plan with its inputs, and what sator_analyze says at some extents. */
struct combination {
    struct sator_ctx *ctx;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
    struct sator_plan *plan;
    char name[256];
    int64_t extents[SIZES][MOST_LOOPS];
    enum sator_status status[SIZES];
    struct sator_result *expected[SIZES];
};

__attribute__((format(printf, 2, 3))) static void fail(
        const struct combination *c, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "property_plan: %s: ", c->name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    failures++;
}

static void forget_messages(struct sator_ctx *ctx)
{
    free(sator_ctx_take_messages(ctx, false));
}

static void close_combination(struct combination *c)
{
    for (int i = 0; i < SIZES; i++)
        sator_result_free(c->expected[i]);
    sator_plan_free(c->plan);
    sator_dataflow_free(c->dataflow);
    sator_arch_free(c->arch);
    sator_network_free(c->network);
    sator_ctx_free(c->ctx);
    *c = (struct combination){0};
}

/* The workload that the library's dataflow "gemm/ij-p..." is for, or NULL. */
static const char *workload_of(const char *dataflow)
{
    const char *slash = strchr(dataflow, '/');

    for (int i = 0; slash != NULL && i < sator_library_count("workloads"); i++) {
        const char *name = sator_library_name("workloads", i);
        size_t length = (size_t)(slash - dataflow);
        if (strlen(name) == length && strncmp(name, dataflow, length) == 0)
            return name;
    }
    return NULL;
}

/* Set the plan's loops to random extents, and analyse the workload of these sizes. */
static void expect_size(struct combination *c, const char *workload,
        const struct sator_analyze_options *options, int size)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 20, 24};
    struct sator_network *network;
    char spec[256];
    int at = snprintf(spec, sizeof spec, "%s", workload);

    for (int l = 0; l < sator_plan_loop_count(c->plan); l++) {
        c->extents[size][l] = sizes[random_number(sizeof sizes / sizeof *sizes)];
        at += snprintf(spec + at, sizeof spec - (size_t)at, "%c%s=%lld", l == 0 ? ':' : ',',
                sator_plan_loop_name(c->plan, l), (long long)c->extents[size][l]);
    }
    if (sator_network_load(c->ctx, spec, NULL, &network) != SATOR_OK) {
        fail(c, "cannot read %s", spec);
        return;
    }
    c->status[size] =
            sator_analyze(c->ctx, network, 0, c->arch, c->dataflow, options, &c->expected[size]);
    forget_messages(c->ctx);
    sator_network_free(network);
}

/* Make a random combination; false when its parts do not go together. */
static bool open_combination(struct combination *c)
{
    static const enum sator_engine_choice engines[] = {SATOR_ENGINE_AUTO, SATOR_ENGINE_AUTO,
            SATOR_ENGINE_AUTO, SATOR_ENGINE_CLOSED, SATOR_ENGINE_CLOSED, SATOR_ENGINE_GENERAL};
    const double bandwidths[] = {32, 1e9};
    uint64_t n_dataflows = (uint64_t)sator_library_count("dataflows");
    uint64_t n_archs = (uint64_t)sator_library_count("archs");
    const char *dataflow = sator_library_name("dataflows", (int)random_number(n_dataflows));
    const char *arch = sator_library_name("archs", (int)random_number(n_archs));
    const char *workload = workload_of(dataflow);
    struct sator_analyze_options options = {.engine = engines[random_number(6)],
            .sweep_bandwidths = bandwidths,
            .n_sweep = (int)random_number(3)};

    *c = (struct combination){.ctx = sator_ctx_new()};
    sator_ctx_set_work_limit(c->ctx, WORK_LIMIT);
    snprintf(c->name, sizeof c->name, "%s on %s, engine %d", dataflow, arch, (int)options.engine);
    if (workload == NULL || sator_network_load(c->ctx, workload, NULL, &c->network) != SATOR_OK ||
            sator_arch_load(c->ctx, arch, NULL, &c->arch) != SATOR_OK ||
            sator_dataflow_load(c->ctx, dataflow, NULL, &c->dataflow) != SATOR_OK ||
            sator_plan_new(c->ctx, c->network, 0, c->arch, c->dataflow, &options, &c->plan) !=
                    SATOR_OK ||
            sator_plan_loop_count(c->plan) > MOST_LOOPS) {
        close_combination(c);
        return false;
    }
    for (int i = 0; i < SIZES; i++)
        expect_size(c, workload, &options, i);
    return true;
}

/* Evaluate at all extents; the number of results compared. */
static int check_combination(
        const struct combination *c, struct sator_ctx *ctx, struct sator_workspace *workspace)
{
    int results = 0;

    for (int i = 0; i < SIZES; i++) {
        const struct sator_result *got = NULL;
        enum sator_status st = sator_plan_evaluate(ctx, c->plan, workspace, c->extents[i], &got);
        forget_messages(ctx);
        if (st != c->status[i]) {
            fail(c, "extents %d: status %d, must be %d", i, (int)st, (int)c->status[i]);
            continue;
        }
        if (st != SATOR_OK)
            continue;
        const char *field = compare(c->expected[i], got);
        if (field != NULL)
            fail(c, "extents %d: %s differs", i, field);
        results++;
    }
    return results;
}

/* ---- threads ---- */

struct worker {
    const struct combination *combinations;
    int n, first; /* every thread starts elsewhere */
    int results;
};

static void *work(void *data)
{
    struct worker *worker = data;
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_workspace *workspace = sator_workspace_new();

    sator_ctx_set_work_limit(ctx, WORK_LIMIT);
    for (int i = 0; i < worker->n; i++)
        worker->results += check_combination(
                &worker->combinations[(worker->first + i) % worker->n], ctx, workspace);
    sator_workspace_free(workspace);
    sator_ctx_free(ctx);
    return NULL;
}

/* Two threads over the same plans, one of them from the middle on. */
static int check_threads(const struct combination *combinations, int n)
{
    struct worker workers[2] = {{combinations, n, 0, 0}, {combinations, n, n / 2, 0}};
    pthread_t threads[2];
    int results = 0;

    for (int i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            abort();
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        results += workers[i].results;
    }
    return results;
}

/* ---- what random combinations do not have ---- */

static void expect(bool holds, const char *what)
{
    if (!holds)
        fprintf(stderr, "property_plan: %s\n", what);
    failures += !holds;
}

/* A dataflow in "loops:" form is bound anew at other extents, which it may not cover any more. */
static void check_nest(void)
{
    static const char text[] = "name: nest\n"
                               "loops:\n"
                               "  - {at: DRAM, for: [i 8, j 4]}\n"
                               "  - {at: L2, for: [k 16]}\n"
                               "  - {at: PE, parallel: [i 4 -> 0, j 4 -> 1]}\n"
                               "  - {at: L1, for: [k 2]}\n";
    char path[] = "/tmp/property_plan_XXXXXX";
    int file = mkstemp(path);
    struct combination c = {.ctx = sator_ctx_new(), .name = "loops"};
    struct sator_workspace *workspace = sator_workspace_new();
    const int64_t extents[SIZES][MOST_LOOPS] = {
            {32, 16, 32}, {31, 13, 29}, {5, 16, 1}, {33, 16, 32}};

    expect(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)sizeof text - 1 &&
                    sator_dataflow_load(c.ctx, path, NULL, &c.dataflow) == SATOR_OK &&
                    sator_network_load(c.ctx, "gemm:i=32,j=16,k=32", NULL, &c.network) ==
                            SATOR_OK &&
                    sator_arch_load(c.ctx, "conventional", NULL, &c.arch) == SATOR_OK &&
                    sator_plan_new(c.ctx, c.network, 0, c.arch, c.dataflow, NULL, &c.plan) ==
                            SATOR_OK,
            "the inputs of the loops test");
    memcpy(c.extents, extents, sizeof extents);
    for (int i = 0; i < SIZES; i++) {
        struct sator_network *network;
        char spec[64];
        snprintf(spec, sizeof spec, "gemm:i=%d,j=%d,k=%d", (int)extents[i][0], (int)extents[i][1],
                (int)extents[i][2]);
        expect(sator_network_load(c.ctx, spec, NULL, &network) == SATOR_OK, spec);
        c.status[i] = sator_analyze(c.ctx, network, 0, c.arch, c.dataflow, NULL, &c.expected[i]);
        sator_network_free(network);
    }
    forget_messages(c.ctx);
    expect(c.status[SIZES - 1] == SATOR_INPUT, "33 is not covered by 8 x 4");
    expect(check_combination(&c, c.ctx, workspace) == SIZES - 1, "the loops form at other extents");
    sator_workspace_free(workspace);
    close_combination(&c);
    if (file >= 0)
        close(file);
    unlink(path);
}

/* One plan remapped to other dataflows, and refusals. */
static void check_remaps(void)
{
    static const char *const names[] = {
            "gemm/ij-p_j-ijk-t", "gemm/kj-p_k-ijk-t", "gemm/ik-p_k-ijk-t"};
    struct combination c = {.ctx = sator_ctx_new(), .name = "remap"};
    struct sator_workspace *workspace = sator_workspace_new();
    const struct sator_result *got;

    expect(sator_network_load(c.ctx, "gemm:i=40,j=24,k=19", NULL, &c.network) == SATOR_OK &&
                    sator_arch_load(c.ctx, "systolic-2d-8x8", NULL, &c.arch) == SATOR_OK &&
                    sator_dataflow_load(c.ctx, names[0], NULL, &c.dataflow) == SATOR_OK &&
                    sator_plan_new(c.ctx, c.network, 0, c.arch, c.dataflow, NULL, &c.plan) ==
                            SATOR_OK,
            "the inputs of the remap test");
    for (int i = 0; i < 3; i++) {
        struct sator_dataflow *dataflow;
        struct sator_plan *remapped = NULL;
        struct sator_result *expected = NULL;
        expect(sator_dataflow_load(c.ctx, names[i], NULL, &dataflow) == SATOR_OK &&
                        sator_plan_remap(c.ctx, c.plan, dataflow, &remapped) == SATOR_OK &&
                        sator_plan_evaluate(c.ctx, remapped, workspace, NULL, &got) == SATOR_OK &&
                        sator_analyze(c.ctx, c.network, 0, c.arch, dataflow, NULL, &expected) ==
                                SATOR_OK &&
                        compare(expected, got) == NULL,
                names[i]);
        sator_result_free(expected);
        sator_plan_free(remapped);
        sator_dataflow_free(dataflow);
    }
    expect(sator_plan_loop_extent(c.plan, 0) == 40 && sator_plan_loop_extent(c.plan, 3) == -1 &&
                    sator_plan_loop_name(c.plan, 3) == NULL &&
                    strcmp(sator_plan_loop_name(c.plan, 2), "k") == 0,
            "the loops of a plan");
    const int64_t none[] = {8, 0, 8}, huge[] = {INT64_MAX, 8, 8};
    expect(sator_plan_evaluate(c.ctx, c.plan, workspace, none, &got) == SATOR_INPUT &&
                    sator_plan_evaluate(c.ctx, c.plan, workspace, huge, &got) == SATOR_INPUT &&
                    sator_ctx_error_count(c.ctx) == 2,
            "extents that are no extents");
    forget_messages(c.ctx);
    expect(sator_plan_new(c.ctx, c.network, 1, c.arch, c.dataflow, NULL, &c.plan) == SATOR_USAGE,
            "a layer that is not there");
    sator_workspace_free(workspace);
    close_combination(&c);
}

/* Once a workspace has grown to what some extents need, evaluating there allocates nothing: counts
 * and the roofline, not phases. */
static void check_allocations(void)
{
    static const char *const parts[][2] = {{"gemm/ij-p_j-ijk-t", "systolic-2d-8x8"},
            {"gemm/ij-p_j-ijk-t", "mesh-8x8"}, {"gemm/kj-p_k-ijk-t", "multicast-8x8"},
            {"conv2d/kc-p_oy-kcox-t", "systolic-2d-8x8"}};
    const struct sator_analyze_options options = {
            .engine = SATOR_ENGINE_CLOSED, .timing = SATOR_TIMING_ROOFLINE};
    const int64_t extents[][MOST_LOOPS] = {
            {64, 64, 64, 64, 3, 3}, {9, 30, 7, 22, 3, 1}, {17, 5, 40, 1, 2, 5}};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct combination c = {.ctx = sator_ctx_new()};
        struct sator_workspace *workspace = sator_workspace_new();
        const struct sator_result *result;
        bool fine =
                sator_network_load(c.ctx, workload_of(parts[i][0]), NULL, &c.network) == SATOR_OK &&
                sator_dataflow_load(c.ctx, parts[i][0], NULL, &c.dataflow) == SATOR_OK &&
                sator_arch_load(c.ctx, parts[i][1], NULL, &c.arch) == SATOR_OK &&
                sator_plan_new(c.ctx, c.network, 0, c.arch, c.dataflow, &options, &c.plan) ==
                        SATOR_OK;
        long before = 0;
        for (int round = 0; round < 4; round++) {
            before = round == 3 ? allocations : before;
            for (int e = 0; e < 3 && fine; e++)
                fine = sator_plan_evaluate(c.ctx, c.plan, workspace, extents[e], &result) ==
                        SATOR_OK;
        }
#ifdef SATOR_TINY /* where no workspace is large enough */
        before = allocations;
#endif
        expect(fine && allocations == before && before > 0, "an evaluation allocates");
        sator_workspace_free(workspace);
        close_combination(&c);
    }
}

int main(int argc, char **argv)
{
    static struct combination shared[SHARED];
    struct sator_workspace *workspace = sator_workspace_new();
    int cases = (int)run_count(120), n_shared = 0, results = 0;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seed") == 0)
            random_state = strtoull(argv[i + 1], NULL, 10) | 1;
        else if (strcmp(argv[i], "--cases") == 0)
            cases = atoi(argv[i + 1]);
    }
    cases = cases < 8 ? 8 : cases; /* enough for two threads to share some */
    for (int i = 0; i < cases;) {
        struct combination c;
        if (!open_combination(&c))
            continue;
        i++;
        results += check_combination(&c, c.ctx, workspace);
        if (n_shared < SHARED)
            shared[n_shared++] = c;
        else
            close_combination(&c);
    }
    int in_threads = check_threads(shared, n_shared);
    for (int i = 0; i < n_shared; i++)
        close_combination(&shared[i]);
    sator_workspace_free(workspace);
    check_remaps();
    check_nest();
    check_allocations();
    printf("%d plans, %d results equal to sator_analyze's, %d more in two threads, %d failures\n",
            cases, results, in_threads, failures);
    return failures > 0 || results == 0 || in_threads == 0;
}
