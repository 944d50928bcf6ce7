/* sator_analyze against the brute-force reference: random programs are written as the YAML files
 * that a user would write, read through the public interface, analysed with every engine, and
 * compared in every volume.
 *
 *     property_analyze [--seed N] [--cases N] [--case N] [--general-every N]
 */
#include "oracle/run.h"
#include "oracle/shrink.h"
#include "support/engines.h"
#include "support/files.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Ticks for one question about a program that has at most some hundred instances. */
enum {
    WORK_LIMIT = 200 * 1000 * 1000
};

/* Every case is analysed with the closed form alone and with both engines, one in so many with the
 * general one alone. */
enum {
    GENERAL_EVERY = 4
};

struct check {
    enum sator_engine_choice engine;
    struct files_style style;
    const char *directory;
    bool shrinking, was_unread;
    bool declined; /* the closed form did not take it */
    bool unfinished; /* the work limit came first */
    bool is_uneven, is_bound; /* stamps have different numbers of instances, and only a lower bound
                                 of the compute delay is known */
    char difference[1024]; /* what is wrong, "" when nothing */
};

__attribute__((format(printf, 2, 3))) static void differ(
        struct check *check, const char *format, ...)
{
    va_list arguments;

    if (check->difference[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(check->difference, sizeof check->difference, format, arguments);
    va_end(arguments);
}

static void expect(
        struct check *check, const char *of, const char *field, sator_int got, int64_t expected)
{
    char text[48];

    if (got != expected)
        differ(check, "%s: %s is %s, must be %" PRId64, of, field, sator_int_format(got, 0, text),
                expected);
}

static void expect_ratio(struct check *check, const char *field, double got, double expected)
{
    if (!(isnan(got) && isnan(expected)) && !(fabs(got - expected) <= 1e-12 * fabs(expected)))
        differ(check, "%s is %.17g, must be %.17g", field, got, expected);
}

/* ---- comparisons ---- */

static void compare_links(struct check *check, const char *of, const struct oracle_program *program,
        const struct oracle_volumes *expected, const struct sator_tensor_result *got)
{
    bool link_seen[ORACLE_LINKS] = {false}, bus_seen[ORACLE_BUSES] = {false};

    for (int i = 0; i < got->n_links; i++) {
        const struct sator_link_volume *link = &got->links[i];
        bool known = false;
        for (int l = 0; l < program->n_links; l++)
            if (strcmp(link->name, notation_link_name(l)) == 0) {
                expect(check, of, link->name, link->spatial_reuse, expected->by_link[l]);
                link_seen[l] = known = true;
            }
        for (int b = 0; b < program->n_buses; b++)
            if (strcmp(link->name, notation_bus_name(b)) == 0) {
                expect(check, of, link->name, link->spatial_reuse, expected->by_bus[b]);
                bus_seen[b] = known = true;
            }
        if (!known)
            differ(check, "%s: no link is called '%s'", of, link->name);
    }
    for (int l = 0; l < program->n_links; l++)
        if (!link_seen[l] && expected->by_link[l] != 0)
            differ(check, "%s: %s is missing", of, notation_link_name(l));
    for (int b = 0; b < program->n_buses; b++)
        if (!bus_seen[b] && expected->by_bus[b] != 0)
            differ(check, "%s: %s is missing", of, notation_bus_name(b));
}

static void compare_tensor(struct check *check, const struct oracle_program *program,
        const struct oracle_access *access, const struct oracle_volumes *expected,
        const struct sator_result *result)
{
    const struct sator_tensor_result *got = NULL;
    char of[32];

    snprintf(of, sizeof of, "%s %s", notation_tensor(access->tensor),
            access->is_write ? "written" : "read");
    for (int i = 0; i < result->n_tensors; i++)
        if (strcmp(result->tensors[i].name, notation_tensor(access->tensor)) == 0 &&
                (result->tensors[i].role == SATOR_WRITE) == access->is_write)
            got = &result->tensors[i];
    if (!got) {
        differ(check, "%s: not in the result", of);
        return;
    }
    expect(check, of, "access_volume", got->access_volume, expected->access);
    expect(check, of, "total_volume", got->total_volume, expected->total);
    expect(check, of, "footprint", got->footprint, expected->footprint);
    expect(check, of, "temporal_reuse", got->temporal_reuse, expected->temporal);
    compare_links(check, of, program, expected, got);
    expect(check, of, "spatial_reuse", got->spatial_reuse, expected->spatial);
    expect(check, of, "unique_volume", got->unique_volume, expected->unique);
    expect(check, of, "reuse_volume", got->reuse_volume, expected->total - expected->unique);
    expect(check, of, "partial_sum_reads", got->partial_sum_reads,
            access->is_write && check->style.model == SATOR_MODEL_SATOR
                    ? expected->unique - expected->footprint
                    : 0);
    expect_ratio(check, "reuse_factor", got->reuse_factor,
            expected->unique == 0 ? NAN : (double)expected->access / (double)expected->unique);
}

/* doc/model.md, section 3: what the busiest PEs run. Of stamps that have different numbers of
 * instances and are no digits of loops, the analysis may say what it knows of that sum instead. */
static void compare_compute(
        struct check *check, const struct oracle_result *expected, double got, bool is_even)
{
    int64_t known = expected->time_stamps + expected->max_per_stamp - 1;
    int64_t shared =
            (expected->instances + expected->max_active_pes - 1) / expected->max_active_pes;

    check->is_uneven = !is_even;
    check->is_bound = got != (double)expected->most_instances;
    if (known < shared)
        known = shared;
    if (is_even || got != (double)known)
        expect_ratio(check, "compute_cycles", got, (double)expected->most_instances);
}

static void compare_stamps(struct check *check, const struct oracle_program *program,
        const struct oracle_result *expected, const struct sator_result *got)
{
    int64_t pes = 1;

    for (int d = 0; d < program->n_space; d++)
        pes *= program->shape[d];
    expect(check, "analysis", "instances", got->instances, expected->instances);
    expect(check, "analysis", "stamps", got->stamps, expected->stamps);
    expect(check, "analysis", "time_stamps", got->time_stamps, expected->time_stamps);
    expect(check, "analysis", "pes", got->pes, pes);
    expect(check, "analysis", "active_pes", got->active_pes, expected->active_pes);
    expect(check, "analysis", "max_active_pes", got->max_active_pes, expected->max_active_pes);
    expect_ratio(check, "utilization_average", got->utilization_average,
            (double)expected->stamps / ((double)expected->time_stamps * (double)pes));
    expect_ratio(check, "utilization_max", got->utilization_max,
            (double)expected->max_active_pes / (double)pes);
    if (check->style.model == SATOR_MODEL_TENET) /* Equation 8 */
        expect_ratio(check, "compute_cycles", got->compute_cycles,
                (double)expected->instances * (double)expected->time_stamps /
                        (double)expected->stamps);
    else
        compare_compute(check, expected, got->compute_cycles,
                expected->instances == expected->stamps * expected->max_per_stamp);
}

/* ---- memory levels ---- */

/* A memory as the reference sees it: a prefix of the stamps, and what lies between it and the
 * memory above. */
struct memory {
    const char *name;
    int n_space, n_time;
    int above_time; /* of the memory above, which is no part of an array: its prefix */
    bool behind_array;
};

static const struct sator_level_tensor *find_level(
        const struct sator_result *result, const char *level, const struct oracle_access *access)
{
    for (int l = 0; l < result->n_levels; l++)
        for (int t = 0;
                t < result->levels[l].n_tensors && strcmp(result->levels[l].name, level) == 0;
                t++) {
            const struct sator_level_tensor *tensor = &result->levels[l].tensors[t];
            if (strcmp(tensor->name, notation_tensor(access->tensor)) == 0 &&
                    (tensor->role == SATOR_WRITE) == access->is_write)
                return tensor;
        }
    return NULL;
}

/* doc/model.md, section 4: tile, fills and arrivals of one memory, and what it asks of the one
 * above. */
static void compare_level(struct check *check, const struct oracle_program *program,
        const struct memory *memory, const char *above, const struct sator_result *result)
{
    struct oracle_program cut = *program;
    struct oracle_result expected;

    if (!memory->behind_array)
        cut.n_links = cut.n_buses = 0;
    cut.held_time = memory->above_time;
    oracle_run(&cut, memory->n_space, memory->n_time, ORACLE_WIRES_ORDERED, &expected);
    for (int a = 0; a < program->n_accesses; a++) {
        const struct oracle_access *access = &program->accesses[a];
        const struct oracle_volumes *volumes = &expected.accesses[a];
        const struct sator_level_tensor *here = find_level(result, memory->name, access);
        const struct sator_level_tensor *parent = find_level(result, above, access);
        int64_t read_back = volumes->unique - volumes->footprint;
        char of[64];
        snprintf(of, sizeof of, "%s, %s %s", memory->name, notation_tensor(access->tensor),
                access->is_write ? "written" : "read");
        if (!here) {
            differ(check, "%s: not in the result", of);
            return;
        }
        expect(check, of, "tile_words", here->tile_words, volumes->tile);
        if (!parent)
            continue;
        expect(check, of, "fills", here->fills, access->is_write ? read_back : volumes->unique);
        expect(check, of, "writes", here->writes,
                access->is_write ? read_back : volumes->total - volumes->temporal);
        expect(check, of, "reads of the level above", parent->reads,
                access->is_write ? read_back : volumes->unique);
        expect(check, of, "updates of the level above", parent->updates,
                access->is_write ? volumes->unique : 0);
    }
}

static int cut_of(int declared, int otherwise, int n_time)
{
    int cut = declared >= 0 ? declared : otherwise;
    return cut < n_time ? cut : n_time;
}

static void compare_levels(struct check *check, const struct oracle_program *program,
        const struct sator_result *result)
{
    const struct notation_levels *levels = &check->style.levels;
    struct memory scratchpad = {
            "scratchpad", 0, cut_of(levels->scratchpad_cut, 0, program->n_time), 0, false};
    struct memory local = {"local", program->n_space,
            cut_of(levels->local_cut, program->n_time, program->n_time), scratchpad.n_time, true};

    compare_level(check, program, &scratchpad, levels->dram ? "dram" : "nothing", result);
    if (levels->local)
        compare_level(check, program, &local, "scratchpad", result);
}

/* ---- TENET's own model ---- */

/* doc/model.md, section 6: links as they are, whatever is a PE's own is not spatial. */
static void compare_tenet(struct check *check, const struct oracle_program *program,
        const struct sator_result *result)
{
    struct oracle_program alone = *program;
    struct oracle_result expected, spatial;

    alone.registers = false;
    oracle_run(program, program->n_space, program->n_time, ORACLE_WIRES_NO_SELF, &expected);
    oracle_run(&alone, program->n_space, program->n_time, ORACLE_WIRES_NO_SELF, &spatial);
    for (int a = 0; a < program->n_accesses; a++) {
        struct oracle_volumes *volumes = &expected.accesses[a];
        memcpy(volumes->by_link, spatial.accesses[a].by_link, sizeof volumes->by_link);
        memcpy(volumes->by_bus, spatial.accesses[a].by_bus, sizeof volumes->by_bus);
        volumes->spatial = spatial.accesses[a].spatial;
        compare_tensor(check, program, &program->accesses[a], volumes, result);
    }
    if (result->n_levels != 0 || !isnan(result->energy_pj))
        differ(check, "the paper's model has levels, or an energy");
}

/* ---- one case ---- */

static void check_failure(struct check *check, const struct oracle_program *program,
        struct sator_ctx *ctx, enum sator_status status, const struct oracle_result *expected)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    if (expected->outside) {
        if (status != SATOR_INPUT)
            differ(check, "an instance leaves the array, but the status is %d", (int)status);
        else if (!messages)
            differ(check, "refused without a message");
        else if (!strstr(messages, "array"))
            differ(check, "the message does not speak of the array: %s", messages);
    } else if (status != SATOR_INPUT || !oracle_is_in_place(program) || !messages ||
            !strstr(messages, " before ")) {
        size_t used = strlen(check->difference);
        if (used == 0)
            differ(check, "status %d", (int)status);
        used = strlen(check->difference);
        snprintf(check->difference + used, sizeof check->difference - used, ": %s",
                messages ? messages : "no message");
    }
    free(messages);
}

static void check_program(const struct oracle_program *program, struct check *check)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_result *result = NULL;
    struct oracle_result expected;
    const char *what;
    enum sator_status status;

    check->difference[0] = '\0';
    check->declined = check->unfinished = check->is_uneven = check->is_bound = false;
    sator_ctx_set_work_limit(ctx, WORK_LIMIT);
    oracle_run(program, program->n_space, program->n_time, ORACLE_WIRES_ORDERED, &expected);
    status = files_analyze(
            ctx, check->directory, program, &check->style, check->engine, &what, &result);
    if (status != SATOR_OK && strcmp(what, "analysis") != 0)
        differ(check, "the %s cannot be read", what);
    if (status == SATOR_LIMIT) {
        check->unfinished = true;
    } else if (status == SATOR_DECLINED && check->engine != SATOR_ENGINE_GENERAL &&
            check->engine != SATOR_ENGINE_AUTO) {
        check->declined = true;
    } else if (status != SATOR_OK) {
        check_failure(check, program, ctx, status, &expected);
    } else if (expected.outside) {
        differ(check, "accepted, but an instance leaves the array");
    } else {
        compare_stamps(check, program, &expected, result);
        if (check->style.model == SATOR_MODEL_TENET) {
            compare_tenet(check, program, result);
            goto done;
        }
        for (int a = 0; a < program->n_accesses; a++)
            compare_tensor(check, program, &program->accesses[a], &expected.accesses[a], result);
        compare_levels(check, program, result);
    }
done:
    sator_result_free(result);
    sator_ctx_free(ctx);
}

static bool is_unread(const struct check *check)
{
    return strstr(check->difference, "cannot be read") != NULL;
}

static bool fails(const struct oracle_program *program, void *user)
{
    struct check *check = user;
    int n_writes = 0;

    for (int a = 0; a < program->n_accesses; a++)
        n_writes += program->accesses[a].is_write;
    if (n_writes == 0 || n_writes == program->n_accesses || oracle_instances(program, 0) == 0)
        return false; /* what shrinking may lead to and no workload is */
    check_program(program, check);
    /* Shrinking must not leave one fault for another: a file that is refused for one that is
     * counted wrongly. */
    return check->difference[0] != '\0' &&
            (!check->shrinking || is_unread(check) == check->was_unread);
}

static struct files_style choose_style(uint64_t seed, const struct oracle_program *program)
{
    struct random random = {seed ^ 0x2127599bu};
    struct files_style style = {.levels = {.scratchpad_cut = -1, .local_cut = -1}};

    style.einsum = random_chance(&random, 70);
    style.notation = random_chance(&random, 50) ? NOTATION_SATOR : NOTATION_ISL;
    style.levels.dram = random_chance(&random, 50);
    style.levels.local = random_chance(&random, 40);
    if (style.levels.dram && random_chance(&random, 50))
        style.levels.scratchpad_cut = (int)random_below(&random, program->n_time + 1);
    if (style.levels.local && random_chance(&random, 50)) {
        int least = style.levels.scratchpad_cut < 0 ? 0 : style.levels.scratchpad_cut;
        style.levels.local_cut = least + (int)random_below(&random, program->n_time - least + 1);
    }
    return style;
}

static void report(const struct run_options *options, int64_t number, struct check *check,
        struct oracle_program *program)
{
    printf("FAILED: case %" PRId64 ", engine %s%s: %s\n", number, engine_name(check->engine),
            check->style.model == SATOR_MODEL_TENET ? ", model tenet" : "", check->difference);
    check->was_unread = is_unread(check);
    check->shrinking = true;
    shrink(program, fails, check, 1000);
    check_program(program, check);
    printf("made smaller: %s\n", check->difference);
    for (int file = 0; file < FILES; file++) {
        printf("# %s\n", files_names[file]);
        files_print(stdout, program, &check->style, (enum files_file)file);
    }
    printf("again with: property_analyze --seed %" PRIu64 " --case %" PRId64 "\n", options->seed,
            number);
    fflush(stdout);
}

static void run_cases(const struct run_options *options, const char *directory, int *n_failed)
{
    static const struct generate_options generation = {.max_instances = 800,
            .max_pes = 64,
            .self_wires = true,
            .cycles = true,
            .always_registers = true,
            .may_leave = true,
            .conditional = true};
    int64_t n_declined[ENGINE_CHOICES] = {0}, n_asked[ENGINE_CHOICES] = {0};
    int64_t n_checks = 0, n_unfinished = 0, n_uneven = 0, n_bounds = 0;

    for (int64_t i = options->first_case;
            i < options->first_case + options->n_cases && *n_failed < 5; i++) {
        struct oracle_program program;
        uint64_t seed = run_case_seed(options, i);
        generate(seed, &generation, &program);
        for (int e = 0; e <= ENGINE_CHOICES; e++) {
            const bool is_tenet = e == ENGINE_CHOICES; /* its own model */
            const enum sator_engine_choice engine =
                    is_tenet ? SATOR_ENGINE_AUTO : engine_choices[e].choice;
            if (engine == SATOR_ENGINE_GENERAL && i % options->general_every != 0)
                continue;
            struct oracle_program copy = program;
            struct check check = {.engine = engine,
                    .style = choose_style(seed, &program),
                    .directory = directory};
            check.style.model = is_tenet ? SATOR_MODEL_TENET : SATOR_MODEL_SATOR;
            if (fails(&copy, &check)) {
                ++*n_failed;
                report(options, i, &check, &copy);
            }
            n_checks++;
            n_unfinished += check.unfinished;
            n_uneven += check.is_uneven;
            n_bounds += check.is_bound;
            n_asked[e % ENGINE_CHOICES]++;
            n_declined[e % ENGINE_CHOICES] += check.declined;
        }
    }
    for (int e = 1; e < ENGINE_CHOICES - 1; e++)
        printf("%s: answered %" PRId64 " of %" PRId64 " programs\n", engine_choices[e].name,
                n_asked[e] - n_declined[e], n_asked[e]);
    printf("%" PRId64 " of %" PRId64 " analyses reached the work limit\n", n_unfinished, n_checks);
    printf("%" PRId64 " of %" PRId64 " compute delays of uneven stamps are lower bounds\n",
            n_bounds, n_uneven);
    if (n_checks >= 1000) /* rare, or the engines have lost something */
        *n_failed += 100 * n_unfinished > n_checks;
}

int main(int argc, char **argv)
{
    struct run_options options;
    char directory[256];
    int n_failed = 0;

    if (!run_options(argc, argv, 1200, &options))
        return 2;
    if (options.general_every == 0)
        options.general_every = options.n_cases == 1 ? 1 : GENERAL_EVERY;
    files_open(directory);
    run_cases(&options, directory, &n_failed);
    files_close(directory);
    return n_failed > 0;
}
