/* The job-array script of sator explore --slurm: the command line again, a shard a job. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static void shell_word(FILE *out, const char *word)
{
    fputs(" '", out);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    }
    fputc('\'', out);
}

static void shell_option(FILE *out, const char *name, const char *value)
{
    fprintf(out, " --%s", name);
    if (value != NULL)
        shell_word(out, value);
}

/* The command line again, but for what differs from job to job. */
static void repeat_options(FILE *out, const struct cli_options *options)
{
    static const char *const own[] = {
            "slurm", "db", "shard", "resume", "threads", "quiet", "output"};

    for (int i = 0; i < cli_option_count; i++) {
        const struct cli_option *row = &cli_option_table[i];
        const char *field = (const char *)options + row->offset;
        bool skip = false;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            skip = skip || strcmp(row->name, own[k]) == 0;
        if (skip)
            continue;
        if (row->kind == CLI_FLAG && *(const bool *)(const void *)field)
            shell_option(out, row->name, NULL);
        if ((row->kind == CLI_TEXT || row->kind == CLI_CHOICE) &&
                *(const char *const *)(const void *)field != NULL)
            shell_option(out, row->name, *(const char *const *)(const void *)field);
        if ((row->kind == CLI_NUMBER || row->kind == CLI_COUNT) &&
                *(const int64_t *)(const void *)field != 0)
            fprintf(out, " --%s %lld", row->name, (long long)*(const int64_t *)(const void *)field);
        if (row->kind == CLI_LIST || row->kind == CLI_MANY) {
            const struct cli_list *list = (const void *)field;
            for (int k = 0; k < list->count; k++)
                shell_option(out, row->name, list->items[k]);
        }
    }
}

int cli_explore_slurm(const struct cli_options *options)
{
    long long n = (long long)options->slurm;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return CLI_INPUT;
    fprintf(out,
            "#!/bin/sh\n"
            "#SBATCH --job-name=sator-explore\n"
            "#SBATCH --array=1-%lld\n"
            "#SBATCH --cpus-per-task=%lld\n"
            "#SBATCH --output=sator-explore-%%a.log\n"
            "#SBATCH --requeue\n"
            "# Submit with sbatch. A job that is started again goes on where it was. When all are "
            "done:\n"
            "#   sator merge",
            n, options->threads > 0 ? (long long)options->threads : 1);
    shell_word(out, options->database);
    shell_word(out, options->database);
    fprintf(out, ".shard*\nset --");
    shell_word(out, options->database);
    fprintf(out, "\nexec sator explore");
    for (int i = 0; i < options->arguments.count; i++)
        shell_word(out, options->arguments.items[i]);
    repeat_options(out, options);
    fprintf(out,
            " \\\n    --db \"$1.shard$SLURM_ARRAY_TASK_ID\" --shard \"$SLURM_ARRAY_TASK_ID/%lld\" "
            "--resume \\\n"
            "    --threads \"${SLURM_CPUS_PER_TASK:-1}\" --quiet --output /dev/null\n",
            n);
    if (fclose(out) != 0)
        return CLI_INPUT;
    int exit_code = cli_write(options, text);
    free(text);
    return exit_code;
}
