/* Calls of the public functions with arguments drawn from what is odd: numbers beyond their ranges,
 * NAN, texts that are none, NULL, sizes that never were. None may crash, read wildly or leak (the
 * sanitizers look); a call that does not succeed leaves its result alone, and one that is wrong
 * says why. No call allocates where memory that runs out could only end the process.
 *
 *     property_arguments [--seed N] [--cases N]
 */
#include "sator/build.h"
#include "sator/explore.h"
#include "sator/input.h"
#include "sator/map.h"
#include "sator/page.h"
#include "sator/plan.h"
#include "sator/simulate.h"

#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t random_state = 1;
static int failures;

static uint64_t random_number(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

/* ---- allocations, which the linker leads here (test/CMakeLists.txt) ---- */

/* NOLINTBEGIN(bugprone-reserved-identifier) */
void *__real_sator_alloc(size_t size);
void *__wrap_sator_alloc(size_t size);
void *__real_sator_realloc(void *memory, size_t size);
void *__wrap_sator_realloc(void *memory, size_t size);
void *__real_sator_calloc(size_t n, size_t size);
void *__wrap_sator_calloc(size_t n, size_t size);

static void expect_guard(void)
{
    if (!sator_is_guarded() && failures++ == 0) {
        printf("FAILED: an allocation outside of a guarded call\n");
        abort(); /* where it is, a debugger says */
    }
}

void *__wrap_sator_alloc(size_t size)
{
    expect_guard();
    return __real_sator_alloc(size);
}

void *__wrap_sator_realloc(void *memory, size_t size)
{
    expect_guard();
    return __real_sator_realloc(memory, size);
}

void *__wrap_sator_calloc(size_t n, size_t size)
{
    expect_guard();
    return __real_sator_calloc(n, size);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- odd arguments ---- */

#define PICK(list) (list)[random_number(sizeof(list) / sizeof *(list))]

static int odd(void)
{
    static const int numbers[] = {
            0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 8, -1, -2, 50, INT_MAX, INT_MIN, 65536};
    return PICK(numbers);
}

static int64_t odd_long(void)
{
    static const int64_t numbers[] = {
            0, 1, 1, 2, 3, 8, -1, INT64_MAX, INT64_MIN, INT64_C(1) << 41, INT64_C(1) << 62};
    return PICK(numbers);
}

static double odd_real(void)
{
    static const double numbers[] = {0, 0, 0, 1, 0.5, -1, 1e300, 1e-300, NAN, INFINITY, -INFINITY};
    return PICK(numbers);
}

static const char *odd_text(void)
{
    static const char *const texts[] = {NULL, NULL, "", "i", "i%8", "i%0", "j/8", "gemm", "PE",
            "%s%n", "\n", "\xff\xfe", "{", "[", "latency", "edp, energy", "PE: only i", "A[i,k]",
            "levels.PE.shape=[2,2]", "levels.PE.shape=[0,-1]", "sizes.i=", "=", "a.b.c=1",
            "99999999999999999999", "array", "roofline", "<script>", "latency < 5 and",
            "((((((((("};
    return PICK(texts);
}

/* A struct that the caller fills, with zeros behind it for sizes of later libraries. */
#define ROOM(type)                                                                                 \
    struct {                                                                                       \
        struct type is;                                                                            \
        char more[64];                                                                             \
    }

static size_t odd_size(size_t size)
{
    const size_t sizes[] = {0, size, size, size, size, size + 8, 3, SIZE_MAX};
    return PICK(sizes);
}

/* ---- what is called ---- */

struct setting {
    struct sator_ctx *ctx;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
    struct sator_result *result;
};

static const int untouched; /* where results lie before a call */

/* The status is one, a failed call left "result" alone, and misuse has its message. */
static bool succeeds(struct setting *s, const char *call, enum sator_status st, const void *result)
{
    bool is_fine = st <= SATOR_NOMEM && (st == SATOR_OK || result == (const void *)&untouched) &&
            (st == SATOR_OK || st == SATOR_LIMIT || st == SATOR_INTERRUPTED ||
                    sator_ctx_error_count(s->ctx) > 0);

    if (!is_fine) {
        printf("FAILED: %s ends with %d, %d errors\n", call, (int)st,
                sator_ctx_error_count(s->ctx));
        failures++;
    }
    free(sator_ctx_take_messages(s->ctx, false));
    return st == SATOR_OK;
}

#define OUT(type) struct type *made = (struct type *)(uintptr_t)&untouched
#define OUT_TEXT char *text = (char *)(uintptr_t)&untouched

static struct sator_analyze_options odd_analysis(void)
{
    static double sweep[4];
    struct sator_analyze_options options = {.size = sizeof options,
            .engine = (enum sator_engine_choice)odd(),
            .model = (enum sator_model_choice)(odd() & 3),
            .timing = (enum sator_timing_choice)(odd() & 3)};

    for (int i = 0; i < 4; i++)
        sweep[i] = odd_real();
    options.sweep_bandwidths = random_number(2) ? sweep : NULL;
    options.n_sweep = random_number(4) ? 0 : (int)random_number(6) - 1;
    return options;
}

static void call_analyze(struct setting *s)
{
    ROOM(sator_analyze_options) options = {.is = odd_analysis()};
    OUT(sator_result);

    options.is.n_sweep = options.is.n_sweep > 4 ? 4 : options.is.n_sweep;
    options.is.size = odd_size(sizeof options.is);
    if (succeeds(s, "sator_analyze",
                sator_analyze(s->ctx, s->network, odd(), random_number(9) ? s->arch : NULL,
                        random_number(9) ? s->dataflow : NULL, &options.is,
                        random_number(9) ? &made : NULL),
                made))
        sator_result_free(made);
}

static void call_plan(struct setting *s)
{
    struct sator_analyze_options options = odd_analysis();
    struct sator_workspace *workspace = sator_workspace_new();
    double numbers[4];
    int64_t counts[4], extents[12], done = 0;
    bool valid[4];
    struct sator_column column = {.size = random_number(4) ? sizeof column : 3,
            .figure = random_number(2) ? "latency" : odd_text(),
            .numbers = random_number(2) ? numbers : NULL,
            .counts = random_number(2) ? counts : NULL};
    OUT(sator_plan);

    options.n_sweep = 0;
    options.timing = SATOR_TIMING_ROOFLINE; /* phases of 2^41 stamps take all memory */
    for (int i = 0; i < 12; i++)
        extents[i] = odd_long();
    if (succeeds(s, "sator_plan_new",
                sator_plan_new(s->ctx, s->network, 0, s->arch, s->dataflow, &options, &made),
                made)) {
        (void)sator_plan_figure_kind(made, odd_text());
        (void)sator_plan_loop_extent(made, odd());
        succeeds(s, "sator_plan_evaluate_points",
                sator_plan_evaluate_points(s->ctx, made, random_number(9) ? workspace : NULL,
                        (int64_t)random_number(5), random_number(9) ? extents : NULL,
                        (int)random_number(3) - 1 > 0, &column, random_number(2) ? valid : NULL,
                        &done),
                &untouched);
        sator_plan_free(made);
    }
    sator_workspace_free(workspace);
}

static void call_map(struct setting *s)
{
    const char *constraints[2] = {odd_text(), odd_text()};
    ROOM(sator_map_options)
    options = {.is = {.size = odd_size(sizeof options.is),
                       .objective = (enum sator_map_objective)(odd() & 3),
                       .strategy = (enum sator_map_strategy)(odd() & 7),
                       .constraints = random_number(2) ? constraints : NULL,
                       .n_constraints = (int)random_number(4) - 1,
                       .imperfect = random_number(2),
                       .budget_seconds = random_number(4) ? 0.02 : odd_real(),
                       .samples = random_number(50),
                       .limit = odd_real(),
                       .top_down = random_number(2),
                       .intra_order = odd(),
                       .threads = odd()}};
    OUT(sator_map_result);

    options.is.n_constraints = options.is.n_constraints > 2 ? 2 : options.is.n_constraints;
    enum sator_status st = sator_map(s->ctx, s->network, random_number(4) ? 0 : odd(), s->arch,
            &options.is, random_number(9) ? &made : NULL);
    if (succeeds(s, "sator_map", st, made)) {
        (void)sator_map_result_level(made, odd());
        sator_map_result_free(made);
    }
}

static void call_simulate(struct setting *s)
{
    ROOM(sator_simulate_options)
    options = {.is = {.size = odd_size(sizeof options.is),
                       .engine = (enum sator_engine_choice)odd(),
                       .first_cycle = odd_long(),
                       .last_cycle = odd_long()}};
    OUT(sator_simulation);

    if (succeeds(s, "sator_simulate",
                sator_simulate(s->ctx, s->network, odd(), s->arch, s->dataflow, &options.is, &made),
                made)) {
        (void)sator_simulation_get_stall(made, odd());
        (void)sator_simulation_get_difference(made, odd());
        sator_simulation_free(made);
    }
}

static void call_report(struct setting *s)
{
    const struct sator_result *results[2] = {s->result, random_number(9) ? s->result : NULL};
    ROOM(sator_report_options)
    options = {.is = {.size = odd_size(sizeof options.is),
                       .format = (enum sator_format)(odd() & 7),
                       .schema = odd(),
                       .sort = odd_text(),
                       .comparison = random_number(2)}};
    int64_t from[4] = {odd_long(), odd_long(), odd_long(), odd_long()};
    const struct sator_report_window window = {.size = sizeof window,
            .n_from = (int)random_number(6) - 1,
            .from = random_number(3) ? from : NULL,
            .n_stamps = odd(),
            .most_words = odd_long()};
    OUT_TEXT;

    if (random_number(2)) {
        if (succeeds(s, "sator_report_results",
                    sator_report_results(
                            s->ctx, results, 1 + (int)random_number(2), &options.is, &text),
                    text))
            free(text);
        return;
    }
    if (window.n_from <= 4 &&
            succeeds(s, "sator_report_stamps",
                    sator_report_stamps(
                            s->ctx, s->network, odd(), s->arch, s->dataflow, &window, odd(), &text),
                    text))
        free(text);
}

static void call_page(struct setting *s)
{
    int64_t from[3] = {odd_long(), odd_long(), odd_long()};
    const struct sator_report_window window = {.size = sizeof window,
            .n_from = (int)random_number(4),
            .from = from,
            .n_stamps = (int)random_number(4),
            .most_words = odd_long()};
    const struct sator_page_options options = {
            .size = sizeof options, .command = odd_text(), .window = &window};
    const struct sator_show_options show = {
            .size = sizeof show, .width = odd(), .ascii = random_number(2)};
    OUT(sator_page);

    if (!succeeds(s, "sator_page_new", sator_page_new(s->ctx, &options, &made), made))
        return;
    if (random_number(5)) {
        if (random_number(5))
            sator_page_add_design(made, odd_text(), odd_text(), random_number(9) ? s->arch : NULL);
        succeeds(s, "sator_page_add_layer",
                sator_page_add_layer(s->ctx, made, s->network, random_number(4) ? 0 : odd(), odd(),
                        s->dataflow, s->result),
                &untouched);
    }
    {
        OUT_TEXT;
        if (succeeds(s, "sator_page_svg", sator_page_svg(s->ctx, made, odd_text(), &text), text))
            free(text);
    }
    {
        OUT_TEXT;
        if (succeeds(s, "sator_page_show", sator_page_show(s->ctx, made, odd_text(), &show, &text),
                    text))
            free(text);
    }
    free(sator_page_json(made));
    sator_page_free(made);
}

static void call_build_workload(struct setting *s)
{
    struct sator_builder *b = sator_workload_begin(s->ctx, odd_text());
    int64_t rows[64];
    OUT(sator_network);

    for (int i = 0; i < 64; i++)
        rows[i] = odd_long();
    for (uint64_t n = random_number(4); n > 0; n--)
        sator_workload_loop(b, random_number(2) ? "i" : odd_text(), odd_long());
    for (uint64_t n = random_number(4); n > 0; n--)
        sator_workload_access(b, (enum sator_role)(odd() & 3), odd_text(),
                (int)random_number(4) - 1, random_number(9) ? rows : NULL);
    sator_workload_condition(b, random_number(9) ? rows : NULL);
    sator_workload_word_bits(b, odd_text(), odd());
    sator_workload_density(b, odd_text(), odd_real());
    sator_build_set(b, odd_text(), odd_text());
    if (succeeds(s, "sator_workload_end", sator_workload_end(b, &made), made))
        sator_network_free(made);
}

static void call_build_arch(struct setting *s)
{
    struct sator_builder *b = sator_arch_begin(s->ctx, odd_text());
    const int64_t shape[3] = {odd_long(), odd_long(), odd_long()};
    const char *const zeros[3] = {odd_text(), odd_text(), odd_text()};
    const struct sator_memory_fields fields = {.size = sizeof fields,
            .capacity_bytes = odd_real(),
            .read_bits = odd_real(),
            .write_pj = odd_real(),
            .area_um2 = odd_real()};
    OUT(sator_arch);

    sator_arch_memory(b, odd_text(), random_number(9) ? &fields : NULL);
    sator_arch_array(b, odd_text(), (int)random_number(5) - 1, random_number(9) ? shape : NULL);
    sator_arch_link(b, odd_text(), random_number(9) ? shape : NULL, odd(), odd_real());
    sator_arch_topology(b, random_number(2) ? "systolic-2d" : odd_text());
    sator_arch_compute(b, odd_text(), odd_real(), odd_real());
    sator_arch_gate(b, odd_text(), (int)random_number(3), zeros);
    if (succeeds(s, "sator_arch_end", sator_arch_end(b, &made), made))
        sator_arch_free(made);
}

static void call_build_dataflow(struct setting *s)
{
    struct sator_builder *b = sator_dataflow_begin(s->ctx, odd_text());
    OUT(sator_dataflow);

    for (uint64_t n = random_number(4); n > 0; n--)
        sator_dataflow_digit(b, (enum sator_stamp)(odd() & 3), (int)random_number(6) - 1,
                odd_long(), odd_text(), odd_long(), odd_long());
    if (random_number(3) == 0) {
        sator_dataflow_level(b, odd_text());
        sator_dataflow_tile(b, odd_text(), odd_long());
        sator_dataflow_parallel(b, odd_text(), odd_long(), odd());
        sator_dataflow_bypass(b, odd_text());
    }
    if (succeeds(s, "sator_dataflow_end", sator_dataflow_end(b, &made), made))
        sator_dataflow_free(made);
}

static void call_load(struct setting *s)
{
    const char *sets[1] = {odd_text()};
    ROOM(sator_input_options)
    options = {.is = {.size = odd_size(sizeof options.is),
                       .sets = random_number(2) ? sets : NULL,
                       .n_sets = (int)random_number(3) - 1}};
    OUT(sator_arch);

    options.is.n_sets = options.is.n_sets > 1 ? 1 : options.is.n_sets;
    if (succeeds(s, "sator_arch_load",
                sator_arch_load(s->ctx, random_number(2) ? "systolic-2d-8x8" : odd_text(),
                        &options.is, &made),
                made))
        sator_arch_free(made);
}

static void call_explore(struct setting *s)
{
    const char *varies[1] = {odd_text()};
    ROOM(sator_explore_options)
    options = {.is = {.size = odd_size(sizeof options.is),
                       .space = (enum sator_explore_space)(odd() & 3),
                       .prune = (enum sator_explore_prune)(odd() & 3),
                       .pack = odd(),
                       .skew = odd(),
                       .fold = odd(),
                       .varies = random_number(2) ? varies : NULL,
                       .n_varies = (int)random_number(2),
                       .where = odd_text(),
                       .keep = odd_text(),
                       .objective = odd_text(),
                       .first_point = (uint64_t)odd_long(),
                       .n_points = (uint64_t)odd_long(),
                       .threads = odd()}};
    OUT(sator_exploration);

    if (succeeds(s, "sator_exploration_new",
                sator_exploration_new(s->ctx, s->network, random_number(3) ? 0 : odd(),
                        random_number(9) ? "systolic-2d-8x8" : odd_text(), NULL, &options.is,
                        &made),
                made))
        sator_exploration_free(made);
}

static void (*const calls[])(struct setting *) = {call_analyze, call_plan, call_map, call_simulate,
        call_report, call_page, call_build_workload, call_build_arch, call_build_dataflow,
        call_load, call_explore};

/* ---- running ---- */

static bool open_setting(struct setting *s)
{
    s->ctx = sator_ctx_new();
    bool fine = sator_network_load(s->ctx, "gemm:i=4,j=4,k=4", NULL, &s->network) == SATOR_OK &&
            sator_arch_load(s->ctx, "systolic-2d-8x8", NULL, &s->arch) == SATOR_OK &&
            sator_dataflow_load(s->ctx, "gemm/ij-p_j-ijk-t", NULL, &s->dataflow) == SATOR_OK &&
            sator_analyze(s->ctx, s->network, 0, s->arch, s->dataflow, NULL, &s->result) ==
                    SATOR_OK;
    sator_ctx_set_work_limit(s->ctx, 200000);
    return fine;
}

int main(int argc, char **argv)
{
    uint64_t seed = (uint64_t)time(NULL), n_cases = 3000;
    struct setting s = {0};

    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t number = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--seed") == 0)
            seed = number;
        else if (strcmp(argv[i], "--cases") == 0)
            n_cases = number;
    }
    printf("seed %llu, %llu cases\n", (unsigned long long)seed, (unsigned long long)n_cases);
    fflush(stdout);
    random_state = seed * 2654435761u + 1;
    if (!open_setting(&s))
        return 2;
    for (uint64_t i = 0; i < n_cases && failures < 10; i++)
        PICK(calls)(&s);
    sator_result_free(s.result);
    sator_dataflow_free(s.dataflow);
    sator_arch_free(s.arch);
    sator_network_free(s.network);
    sator_ctx_free(s.ctx);
    printf("%d failures\n", failures);
    return failures > 0;
}
