#include "support/files.h"

#include <stdlib.h>
#include <unistd.h>

const char *const files_names[FILES] = {"workload.yaml", "arch.yaml", "dataflow.yaml"};

void files_open(char directory[256])
{
    const char *temporary = getenv("TMPDIR");

    snprintf(directory, 256, "%s/sator-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(directory)) {
        perror(directory);
        exit(2);
    }
}

static void path_of(const char *directory, int file, char path[512])
{
    snprintf(path, 512, "%s/%s", directory, files_names[file]);
}

void files_close(const char *directory)
{
    for (int file = 0; file < FILES; file++) {
        char path[512];
        path_of(directory, file, path);
        unlink(path);
    }
    rmdir(directory);
}

void files_print(FILE *out, const struct oracle_program *program, const struct files_style *style,
        enum files_file file)
{
    struct notation_levels levels = style->levels;

    if (levels.scratchpad_cut > program->n_time)
        levels.scratchpad_cut = program->n_time;
    if (levels.local_cut > program->n_time)
        levels.local_cut = program->n_time;
    if (file == FILES_WORKLOAD)
        notation_workload(out, program, style->einsum && notation_is_einsum(program));
    else if (file == FILES_ARCH)
        notation_arch(out, program, &levels);
    else
        notation_dataflow(out, program, &levels, style->notation);
}

enum sator_status files_analyze(struct sator_ctx *ctx, const char *directory,
        const struct oracle_program *program, const struct files_style *style,
        enum sator_engine_choice engine, const char **what, struct sator_result **result)
{
    struct sator_analyze_options options = {.engine = engine, .model = style->model};
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;
    struct sator_dataflow *dataflow = NULL;
    char paths[FILES][512];
    enum sator_status status;

    for (int file = 0; file < FILES; file++) {
        path_of(directory, file, paths[file]);
        FILE *out = fopen(paths[file], "w");
        if (!out) {
            perror(paths[file]);
            exit(2);
        }
        files_print(out, program, style, (enum files_file)file);
        fclose(out);
    }
    *what = "workload";
    status = sator_network_load(ctx, paths[FILES_WORKLOAD], NULL, &network);
    if (status == SATOR_OK) {
        *what = "architecture";
        status = sator_arch_load(ctx, paths[FILES_ARCH], NULL, &arch);
    }
    if (status == SATOR_OK) {
        *what = "dataflow";
        status = sator_dataflow_load(ctx, paths[FILES_DATAFLOW], NULL, &dataflow);
    }
    if (status == SATOR_OK) {
        *what = "analysis";
        status = sator_analyze(ctx, network, 0, arch, dataflow, &options, result);
    }
    sator_network_free(network);
    sator_arch_free(arch);
    sator_dataflow_free(dataflow);
    return status;
}
