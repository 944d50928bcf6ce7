/* What "sator show" prints of an architecture gives back the architecture: random machines, read,
 * printed and read again, have the same figures to the last digit and print the same; so have those
 * of the library.
 *
 *     property_shown [--seed N] [--cases N] [--case N]
 */
#include "oracle/run.h"
#include "support/machine.h"
#include "support/same.h"

#include "arch/arch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORK_LIMIT = 5 * 1000 * 1000
};

static void path_of(const struct machine_files *files, char path[512])
{
    snprintf(path, 512, "%s/arch.yaml", files->directory);
}

static void write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");

    if (!out) {
        perror(path);
        exit(2);
    }
    fputs(text, out);
    fclose(out);
}

static bool same_area(const struct sator_arch *a, const struct sator_arch *b)
{
    double x = sator_arch_area(a), y = sator_arch_area(b);

    return x == y || (isnan(x) && isnan(y));
}

/* Whether the architecture at "path", which is "arch", is the same when it is printed and read
 * again: by its text, and by what "network" and "dataflow" (or NULL) cost on it. */
static bool comes_back(struct sator_ctx *ctx, const char *path, const struct sator_arch *arch,
        const struct machine_inputs *inputs)
{
    static const struct same_options options = {0};
    char *shown = NULL, *again = NULL, difference[1024] = "";
    struct sator_result *before = NULL, *after = NULL;
    struct sator_arch *back = NULL;
    bool same = sator_show(ctx, path, NULL, &shown) == SATOR_OK;

    if (same) {
        write_text(path, shown);
        same = sator_arch_load(ctx, path, NULL, &back) == SATOR_OK &&
                sator_show(ctx, path, NULL, &again) == SATOR_OK && strcmp(shown, again) == 0 &&
                same_area(arch, back);
    }
    if (same && inputs != NULL) {
        enum sator_status st =
                sator_analyze(ctx, inputs->network, 0, arch, inputs->dataflow, NULL, &before);
        same = sator_analyze(ctx, inputs->network, 0, back, inputs->dataflow, NULL, &after) == st &&
                (st != SATOR_OK ||
                        same_results(before, after, &options, difference, sizeof difference));
    }
    if (!same)
        printf("%s\nprinted as\n%s\nand then as\n%s\n", difference, shown ? shown : "(refused)",
                again ? again : "(refused)");
    free(shown);
    free(again);
    sator_arch_free(back);
    sator_result_free(before);
    sator_result_free(after);
    return same;
}

static bool check_machine(const struct machine_files *files, uint64_t seed)
{
    static const struct hardware_options plain = {
            .max_instances = 60, .max_pes = 12, .bypass = true, .long_links = true};
    static struct hardware hardware;
    struct sator_ctx *ctx = sator_ctx_new();
    struct machine_inputs inputs;
    char path[512];
    const char *what;

    sator_ctx_set_work_limit(ctx, WORK_LIMIT);
    hardware_make(seed, &plain, &hardware);
    path_of(files, path);
    bool same = machine_read(ctx, files, &hardware, NULL, &what, &inputs) != SATOR_OK ||
            comes_back(ctx, path, inputs.arch, &inputs);
    machine_forget(&inputs);
    sator_ctx_free(ctx);
    return same;
}

/* The library's, with a setting, as they are else printed as they stand. */
static int check_library(const struct machine_files *files)
{
    static const char *const sets[] = {"clock_mhz=123.5", "energy=estimate", "technology_nm=28"};
    int n_failed = 0;

    for (int i = 0; i < 2 * sator_library_count("archs"); i++) {
        const char *name = sator_library_name("archs", i / 2);
        struct sator_input_options options = {.sets = sets, .n_sets = i % 2 == 0 ? 1 : 3};
        struct sator_ctx *ctx = sator_ctx_new();
        struct sator_arch *arch = NULL;
        char *text = NULL, path[512], entry[512];
        path_of(files, path);
        snprintf(entry, sizeof entry, "library/archs/%s.yaml", name); /* not a workload's name */
        bool same = sator_arch_load(ctx, entry, &options, &arch) == SATOR_OK &&
                sator_show(ctx, entry, &options, &text) == SATOR_OK &&
                strstr(text, "\nsummary: ") != NULL && strstr(text, "\nsource: ") != NULL;
        if (same) {
            write_text(path, text);
            same = comes_back(ctx, path, arch, NULL);
        }
        if (!same)
            printf("FAILED: %s\n", name);
        n_failed += !same;
        free(text);
        sator_arch_free(arch);
        sator_ctx_free(ctx);
    }
    return n_failed;
}

int main(int argc, char **argv)
{
    struct machine_files files;
    struct run_options options;
    int n_failed = 0;

    if (!run_options(argc, argv, 500, &options))
        return 2;
    machine_open(&files);
    for (int64_t i = options.first_case; i < options.first_case + options.n_cases && n_failed < 3;
            i++) {
        if (check_machine(&files, run_case_seed(&options, i)))
            continue;
        n_failed++;
        printf("FAILED: property_shown --seed %" PRIu64 " --case %" PRId64 "\n", options.seed, i);
    }
    n_failed += check_library(&files);
    machine_close(&files);
    return n_failed > 0;
}
