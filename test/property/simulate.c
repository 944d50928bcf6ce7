/* sator_simulate on random workloads, machines and dataflows: an execution with values must agree
 * with the loop nest, and with the analysis to the word.
 *
 *     property_simulate [--seed N] [--cases N] [--case N]
 */
#include "sator/simulate.h"
#include "arch/arch.h"
#include "oracle/run.h"
#include "support/machine.h"
#include "support/phases.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct check {
    struct machine_files files;
    uint64_t timing; /* 0: as the machine's text says; else what phases_draw starts from */
    bool refused, timed; /* timed: the analysis counts its time */
    char difference[2048]; /* what is wrong, "" when nothing */
};

/* ---- one machine ---- */

static void find_difference(const struct sator_simulation *simulation, struct check *check)
{
    bool equal = simulation->values_are_equal && simulation->counts_are_equal;

    /* A quotient by 0.7 bits a cycle is not exact: 240.00000000000003 cycles are 240. */
    if (simulation->roofline_cycles > (double)simulation->cycles * (1 + 1e-12))
        snprintf(check->difference, sizeof check->difference,
                "%g cycles of roofline are more than the %lld that pass",
                simulation->roofline_cycles, (long long)simulation->cycles);
    else if (simulation->n_differences > 0)
        snprintf(
                check->difference, sizeof check->difference, "%s", simulation->differences[0].text);
    else if (!equal || !simulation->is_whole)
        snprintf(check->difference, sizeof check->difference,
                "values or counts differ without a word");
}

static void check_hardware(const struct hardware *hardware, struct check *check, bool shows)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_simulation *simulation = NULL;
    struct machine_inputs inputs;
    const char *what;

    check->difference[0] = '\0';
    check->refused = check->timed = false;
    enum sator_status status = machine_read(ctx, &check->files, hardware, NULL, &what, &inputs);
    if (status == SATOR_OK && check->timing != 0)
        phases_draw(check->timing, inputs.arch);
    if (status == SATOR_OK && shows)
        phases_print(inputs.arch);
    if (status == SATOR_OK)
        status = sator_simulate(
                ctx, inputs.network, 0, inputs.arch, inputs.dataflow, NULL, &simulation);
    char *messages = machine_messages(ctx);
    if (status == SATOR_OK) {
        find_difference(simulation, check);
        check->timed = !isnan(simulation->model_cycles);
    } else if (status == SATOR_INPUT &&
            inputs.dataflow != NULL) /* the analysis refuses it: no tile fits, say */
        check->refused = true;
    else if (status == SATOR_DECLINED && strstr(messages, "beside links of interval 2") != NULL)
        check->refused = true; /* sums that idle PEs hold */
    else if (status == SATOR_LIMIT)
        check->refused = true; /* counts of idle PEs may take longer than is allowed */
    else
        snprintf(check->difference, sizeof check->difference, "not executed: %s", messages);
    free(messages);
    sator_simulation_free(simulation);
    machine_forget(&inputs);
    sator_ctx_free(ctx);
}

static bool fails(const struct hardware *hardware, void *user)
{
    struct check *check = user;

    check_hardware(hardware, check, false);
    return check->difference[0] != '\0';
}

static void report(const struct run_options *options, int64_t number, struct check *check,
        struct hardware *hardware)
{
    printf("FAILED: case %" PRId64 ": %s\n", number, check->difference);
    hardware_shrink(hardware, fails, check, 3000);
    check_hardware(hardware, check, false);
    printf("made smaller: %s\n", check->difference);
    hardware_put(stdout, hardware);
    if (check->timing != 0)
        check_hardware(hardware, check, true);
    printf("again with: property_simulate --seed %" PRIu64 " --case %" PRId64 "\n", options->seed,
            number);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct hardware_options plain = {.max_instances = 400,
            .max_pes = 24,
            .bypass = true,
            .long_links = true,
            .idle = true,
            .skews = true,
            .windows = true,
            .systolic = true,
            .parts = true,
            .triangles = true};
    static struct hardware hardware;
    struct run_options options;
    struct check check = {0};
    int64_t n_executed = 0, n_refused = 0, n_timed = 0;
    int n_failed = 0;

    if (!run_options(argc, argv, 1000, &options))
        return 2;
    machine_open(&check.files);
    for (int64_t i = options.first_case; i < options.first_case + options.n_cases && n_failed < 5;
            i++) {
        hardware_make(run_case_seed(&options, i), &plain, &hardware);
        check.timing = i % 3 == 0 ? 0 : run_case_seed(&options, i) | 1;
        bool failed = fails(&hardware, &check);
        n_refused += check.refused;
        n_executed += !check.refused;
        n_timed += check.timed;
        if (failed) {
            n_failed++;
            report(&options, i, &check, &hardware);
        }
    }
    machine_close(&check.files);
    printf("%" PRId64 " machines executed, the time of %" PRId64 " counted, %" PRId64
           " refused by the analysis\n",
            n_executed, n_timed, n_refused);
    return n_failed > 0;
}
