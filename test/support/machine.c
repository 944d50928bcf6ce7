#include "support/machine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"workload.yaml", "arch.yaml", "dataflow.yaml"};

void machine_open(struct machine_files *files)
{
    const char *temporary = getenv("TMPDIR");

    snprintf(files->directory, sizeof files->directory, "%s/sator-XXXXXX",
            temporary ? temporary : "/tmp");
    if (!mkdtemp(files->directory)) {
        perror(files->directory);
        exit(2);
    }
}

static void path_of(const struct machine_files *files, int file, char path[512])
{
    snprintf(path, 512, "%s/%s", files->directory, names[file]);
}

void machine_close(const struct machine_files *files)
{
    for (int file = 0; file < 3; file++) {
        char path[512];
        path_of(files, file, path);
        unlink(path);
    }
    rmdir(files->directory);
}

static FILE *create(const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        exit(2);
    }
    return out;
}

enum sator_status machine_read(struct sator_ctx *ctx, const struct machine_files *files,
        const struct hardware *hardware, const int *cuts, const char **what,
        struct machine_inputs *inputs)
{
    char paths[3][512];
    enum sator_status status;

    *inputs = (struct machine_inputs){0};
    for (int file = 0; file < 3; file++) {
        path_of(files, file, paths[file]);
        FILE *out = create(paths[file]);
        if (file == 0)
            hardware_put_workload(out, hardware);
        else if (file == 1)
            hardware_put_arch(out, hardware);
        else
            hardware_put_dataflow(out, hardware, cuts);
        fclose(out);
    }
    *what = "workload";
    status = sator_network_load(ctx, paths[0], NULL, &inputs->network);
    if (status == SATOR_OK) {
        *what = "architecture";
        status = sator_arch_load(ctx, paths[1], NULL, &inputs->arch);
    }
    if (status == SATOR_OK) {
        *what = "dataflow";
        status = sator_dataflow_load(ctx, paths[2], NULL, &inputs->dataflow);
    }
    return status;
}

enum sator_status machine_read_dataflow(struct sator_ctx *ctx, const struct machine_files *files,
        const char *text, struct sator_dataflow **dataflow)
{
    char path[512];

    path_of(files, 2, path);
    FILE *out = create(path);
    fputs(text, out);
    fclose(out);
    return sator_dataflow_load(ctx, path, NULL, dataflow);
}

void machine_forget(struct machine_inputs *inputs)
{
    sator_network_free(inputs->network);
    sator_arch_free(inputs->arch);
    sator_dataflow_free(inputs->dataflow);
    *inputs = (struct machine_inputs){0};
}

char *machine_messages(struct sator_ctx *ctx)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    if (!messages)
        messages = strdup("no message");
    if (!messages)
        abort();
    return messages;
}
