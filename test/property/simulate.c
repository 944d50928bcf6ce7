/* sator_simulate on random workloads, machines and dataflows: an execution with values must agree
 * with the loop nest, and with the analysis to the word.
 *
 *     property_simulate [--seed N] [--cases N] [--case N]
 */
#include "oracle/run.h"
#include "sator/simulate.h"
#include "support/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct check {
    struct machine_files files;
    bool refused, late;
    char difference[2048]; /* what is wrong, "" when nothing */
};

static void find_difference(const struct sator_simulation *simulation, struct check *check)
{
    bool equal = simulation->values_are_equal && simulation->counts_are_equal;

    if (simulation->n_differences > 0)
        snprintf(check->difference, sizeof check->difference, "%s",
                simulation->differences[0].text);
    else if (!equal || !simulation->is_whole)
        snprintf(check->difference, sizeof check->difference,
                "values or counts differ without a word");
}

static void check_hardware(const struct hardware *hardware, struct check *check)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_simulation *simulation = NULL;
    struct machine_inputs inputs;
    const char *what;

    check->difference[0] = '\0';
    check->refused = check->late = false;
    enum sator_status status = machine_read(ctx, &check->files, hardware, NULL, &what, &inputs);
    if (status == SATOR_OK)
        status = sator_simulate(
                ctx, inputs.network, 0, inputs.arch, inputs.dataflow, NULL, &simulation);
    char *messages = machine_messages(ctx);
    check->late = status == SATOR_OK && simulation->late_sums > 0;
    if (status == SATOR_OK && !check->late)
        find_difference(simulation, check);
    else if (check->late)
        ; /* the analysis counts these otherwise (doc/simulate.md) */
    else if (status == SATOR_INPUT) /* the analysis refuses it: no tile fits, say */
        check->refused = true;
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

    check_hardware(hardware, check);
    return check->difference[0] != '\0';
}

static void report(const struct run_options *options, int64_t number, struct check *check,
        struct hardware *hardware)
{
    printf("FAILED: case %" PRId64 ": %s\n", number, check->difference);
    hardware_shrink(hardware, fails, check, 3000);
    check_hardware(hardware, check);
    printf("made smaller: %s\n", check->difference);
    hardware_put(stdout, hardware);
    printf("again with: property_simulate --seed %" PRIu64 " --case %" PRId64 "\n", options->seed,
            number);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct hardware_options plain = {
            .max_instances = 400, .max_pes = 24, .bypass = true, .long_links = true};
    static struct hardware hardware;
    struct run_options options;
    struct check check = {0};
    int64_t n_executed = 0, n_refused = 0, n_late = 0;
    int n_failed = 0;

    if (!run_options(argc, argv, 1000, &options))
        return 2;
    machine_open(&check.files);
    for (int64_t i = options.first_case;
            i < options.first_case + options.n_cases && n_failed < 5; i++) {
        hardware_make(run_case_seed(&options, i), &plain, &hardware);
        bool failed = fails(&hardware, &check);
        n_refused += check.refused;
        n_late += check.late;
        n_executed += !check.refused && !check.late;
        if (failed) {
            n_failed++;
            report(&options, i, &check, &hardware);
        }
    }
    machine_close(&check.files);
    printf("%" PRId64 " machines executed, %" PRId64 " refused by the analysis, %" PRId64
           " with sums that a link brings past their leaving\n",
            n_executed, n_refused, n_late);
    return n_failed > 0;
}
