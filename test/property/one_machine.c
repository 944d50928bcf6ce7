/* sator_analyze against the judge of test/oracle/hardware.h: random workloads, machines and
 * dataflows, every figure of every memory, link, bus and port, the cuts and the latency.
 *
 *     property_one_machine [--seed N] [--cases N] [--case N]
 */
#include "oracle/run.h"
#include "support/engines.h"
#include "support/judge.h"
#include "support/machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORK_LIMIT = 50 * 1000 * 1000
};

struct check {
    enum sator_engine_choice engine;
    struct machine_files files;
    bool shrinking;
    int kind, first_kind; /* of failures: refused, unreadable, different */
    bool declined, unfinished, faulty;
    bool apart, uneven; /* where the definition is a choice: see the summary */
    char difference[2048]; /* what is wrong, "" when nothing */
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

static void check_refusal(
        struct check *check, const struct hardware_result *expected, const char *messages)
{
    static const char *const words[] = {
            "", "array", "cycle", "needs"}; /* what a message must speak of */

    check->faulty = expected->fault != HARDWARE_FINE;
    if (!check->faulty || !strstr(messages, "error:"))
        differ(check, "refused: %s", messages);
    else if (!strstr(messages, words[expected->fault]))
        differ(check, "refused without a word of '%s': %s", words[expected->fault], messages);
}

static void check_hardware(const struct hardware *hardware, struct check *check)
{
    static const char *const faults[] = {
            "", "an instance leaves the array", "wires form a cycle", "a tile does not fit"};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_analyze_options options = {.engine = check->engine};
    struct sator_result *result = NULL;
    struct machine_inputs inputs;
    static struct hardware_result expected;
    const char *what;

    check->difference[0] = '\0';
    check->declined = check->unfinished = check->faulty = false;
    sator_ctx_set_work_limit(ctx, WORK_LIMIT);
    hardware_run(hardware, &expected);
    check->apart = expected.gone_up != expected.left;
    check->uneven = false;
    for (int p = 0; p < expected.n_ports; p++)
        check->uneven |= expected.ports[p].bits < expected.ports[p].moved_bits;
    if (!expected.sums_are_right)
        differ(check, "the definition gives wrong sums");
    enum sator_status status = machine_read(ctx, &check->files, hardware, NULL, &what, &inputs);
    bool is_read = status == SATOR_OK;
    if (is_read)
        status = sator_analyze(
                ctx, inputs.network, 0, inputs.arch, inputs.dataflow, &options, &result);
    char *messages = machine_messages(ctx);
    if (expected.fault == HARDWARE_CYCLIC)
        check->faulty = true; /* rings of wires are cut (doc/model.md): not judged here */
    else if (!is_read)
        differ(check, "the %s cannot be read: %s", what, messages);
    else if (status == SATOR_DECLINED && check->engine != SATOR_ENGINE_AUTO)
        check->declined = true;
    else if (status == SATOR_LIMIT)
        check->unfinished = true;
    else if (status != SATOR_OK)
        check_refusal(check, &expected, messages);
    else if (expected.fault != HARDWARE_FINE)
        differ(check, "accepted, but %s", faults[expected.fault]);
    else if (check->difference[0] == '\0')
        judge_agrees(
                hardware, &expected, result, false, check->difference, sizeof check->difference);
    free(messages);
    sator_result_free(result);
    machine_forget(&inputs);
    sator_ctx_free(ctx);
}

static bool fails(const struct hardware *hardware, void *user)
{
    struct check *check = user;

    check_hardware(hardware, check);
    check->kind = strstr(check->difference, "cannot be read") ? 1
            : strstr(check->difference, "refused:")           ? 2
            : strstr(check->difference, "refused")            ? 3
                                                              : 0;
    /* Shrinking must not leave one fault for another. */
    return check->difference[0] != '\0' && (!check->shrinking || check->kind == check->first_kind);
}

static void report(const struct run_options *options, int64_t number, struct check *check,
        struct hardware *hardware)
{
    printf("FAILED: case %" PRId64 ", engine %s: %s\n", number, engine_name(check->engine),
            check->difference);
    check->first_kind = check->kind;
    check->shrinking = true;
    hardware_shrink(hardware, fails, check, 3000);
    check_hardware(hardware, check);
    check->shrinking = false;
    printf("made smaller: %s\n", check->difference);
    hardware_put(stdout, hardware);
    printf("again with: property_one_machine --seed %" PRIu64 " --case %" PRId64 "\n",
            options->seed, number);
    fflush(stdout);
}

/* What the machines that were compared have: the brute force is to be about all of it. */
enum feature {
    THREE_ARRAYS,
    INNER_TREE, /* sums are merged at an array inside of another */
    OUTER_TREE, /* and at one outside of another */
    BYPASS,
    SEVERAL_PORTS, /* of one memory */
    CAPACITY,
    SEVERAL_LINKS, /* of one array */
    N_FEATURES
};
static const char *const features[] = {"three arrays", "a tree at an inner array",
        "a tree at an outer array", "bypassed memories", "several ports of a memory", "capacities",
        "several links of an array"};

static void note_features(const struct hardware *hardware, int64_t *counts)
{
    bool has[N_FEATURES] = {false};
    int n_arrays = 0, total = 0;

    for (int l = 0; l < hardware->n_levels; l++)
        total += hardware->levels[l].is_array;
    for (int l = 0; l < hardware->n_levels; l++) {
        const struct hardware_level *level = &hardware->levels[l];
        n_arrays += level->is_array;
        has[SEVERAL_LINKS] |= level->is_array && level->n_links > 1;
        has[BYPASS] |= !level->is_array && level->bypassed != 0;
        has[SEVERAL_PORTS] |= !level->is_array && level->n_ports > 1;
        has[CAPACITY] |= !level->is_array && level->capacity != HARDWARE_UNLIMITED;
        for (int b = 0; level->is_array && b < level->n_buses; b++) {
            has[INNER_TREE] |= level->buses[b].is_reduction && n_arrays > 1;
            has[OUTER_TREE] |= level->buses[b].is_reduction && n_arrays < total;
        }
    }
    has[THREE_ARRAYS] = n_arrays == 3;
    for (int f = 0; f < N_FEATURES; f++)
        counts[f] += has[f];
}

/* Whether one machine in fifty at least has each of them: said of a whole run. */
static bool covers(const int64_t *counts, int64_t n_compared)
{
    bool all = true;

    for (int f = 0; f < N_FEATURES; f++) {
        printf("%s%s: %" PRId64 "%s", f == 0 ? "with " : "", features[f], counts[f],
                f == N_FEATURES - 1 ? "\n" : ", ");
        all = all && counts[f] * 50 >= n_compared;
    }
    if (!all && n_compared >= 500)
        printf("FAILED: fewer than one machine in fifty of some kind\n");
    return all || n_compared < 500;
}

static int run_cases(const struct run_options *options, struct check *check)
{
    static const struct hardware_options plain = {
            .max_instances = 300, .max_pes = 24, .bypass = true, .long_links = true, .idle = true};
    static struct hardware hardware;
    int64_t n_compared = 0, n_faulty = 0, n_declined = 0, n_unfinished = 0, n_apart = 0,
            n_uneven = 0;
    int64_t counts[N_FEATURES] = {0};
    int n_failed = 0;

    for (int64_t i = options->first_case;
            i < options->first_case + options->n_cases && n_failed < 5; i++) {
        hardware_make(run_case_seed(options, i), &plain, &hardware);
        check->engine = SATOR_ENGINE_AUTO;
        if (i % 4 == 0) /* one of those that may decline */
            check->engine = engine_choices[1 + i / 4 % (ENGINE_CHOICES - 2)].choice;
        bool failed = fails(&hardware, check);
        n_declined += check->declined;
        n_unfinished += check->unfinished;
        n_faulty += check->faulty;
        if (!check->declined && !check->unfinished && !check->faulty) {
            n_compared++;
            note_features(&hardware, counts);
        }
        n_apart += check->apart;
        n_uneven += check->uneven;
        if (failed) {
            n_failed++;
            report(options, i, check, &hardware);
        }
    }
    printf("%" PRId64 " machines compared, %" PRId64 " refused as they must be, %" PRId64
           " declined by an engine, %" PRId64 " not finished\n",
            n_compared, n_faulty, n_declined, n_unfinished);
    printf("sums leave at other times than they came: %" PRId64
           ", an instance moves more beside the others than by itself: %" PRId64 "\n",
            n_apart, n_uneven);
    return n_failed + !covers(counts, n_compared);
}

int main(int argc, char **argv)
{
    struct run_options options;
    struct check check = {0};

    if (!run_options(argc, argv, 1000, &options))
        return 2;
    machine_open(&check.files);
    int n_failed = run_cases(&options, &check);
    machine_close(&check.files);
    return n_failed > 0;
}
