/* The commands that only look: check, list, help, show. */
#include "cli/cli.h"
#include "sator/certificate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The text of the file "path" if it is a certificate (GIVE: free), else NULL. What a pipe gives
 * cannot be given back: none is looked at. */
static char *read_certificate(const char *path)
{
    struct stat status;
    bool is_file = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    FILE *file = is_file ? fopen(path, "rb") : NULL;
    size_t length = 0, room = 4096;
    char *text = cli_alloc(room);

    while (file != NULL) {
        length += fread(text + length, 1, room - 1 - length, file);
        text[length] = '\0';
        if (length + 1 < room || !sator_certificate_is_one(text))
            break;
        char *more = cli_alloc(room * 2);
        memcpy(more, text, length);
        free(text);
        text = more;
        room *= 2;
    }
    bool is_one = file != NULL && sator_certificate_is_one(text);
    if (file != NULL)
        fclose(file);
    if (!is_one)
        free(text);
    return is_one ? text : NULL;
}

/* Verify a certificate: CLI_LIMIT unless all of it is. */
static int check_certificate(
        const struct cli_options *options, const char *file, const char *text, FILE *out)
{
    struct sator_certificate_count count;
    struct sator_ctx *ctx = cli_ctx_new(options);
    char *report = NULL;

    cli_watch(ctx);
    enum sator_status status = sator_certificate_check(ctx, file, text, &count, &report);
    cli_print_messages(ctx);
    int exit_code = cli_status(status, file);
    if (status == SATOR_OK && !(options->quiet && count.verified == count.total))
        fprintf(out, "%s%s: certificate of %llu mapping%s, %llu of %llu parts verified\n", report,
                file, (unsigned long long)count.mappings, count.mappings == 1 ? "" : "s",
                (unsigned long long)count.verified, (unsigned long long)count.total);
    if (status == SATOR_OK && count.verified < count.total)
        exit_code = CLI_LIMIT;
    free(report);
    cli_unwatch(ctx);
    sator_ctx_free(ctx);
    return exit_code;
}

int cli_check(const struct cli_options *options)
{
    struct sator_input_options input = cli_input_options(options);
    int exit_code = CLI_DONE;
    char *text = NULL;
    size_t size = 0;

    if (options->arguments.count == 0)
        return cli_usage(options, "no FILE was named");
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; out != NULL && i < options->arguments.count; i++) {
        const char *file = options->arguments.items[i], *kind = NULL;
        char *certificate = read_certificate(file);
        if (certificate != NULL) {
            exit_code = cli_worse(exit_code, check_certificate(options, file, certificate, out));
            free(certificate);
            continue;
        }
        struct sator_ctx *ctx = cli_ctx_new(options);
        cli_watch(ctx);
        enum sator_status status = sator_check_file(ctx, file, &input, &kind);
        cli_print_messages(ctx);
        exit_code = cli_worse(exit_code, cli_status(status, file));
        if (status == SATOR_OK && !options->quiet)
            fprintf(out, "%s: %s, nothing wrong\n", file, kind);
        cli_unwatch(ctx);
        sator_ctx_free(ctx);
    }
    if (out != NULL)
        fclose(out);
    if (text != NULL)
        exit_code = cli_worse(exit_code, cli_write(options, text));
    free(text);
    return exit_code;
}

int cli_list(const struct cli_options *options)
{
    static const char *const kinds[] = {
            "workloads", "networks", "archs", "dataflows", "energy", "energies"};
    enum {
        N_KINDS = sizeof kinds / sizeof *kinds
    };
    const char *kind = options->arguments.count > 0 ? options->arguments.items[0] : NULL;
    struct sator_report_options report = {.format = cli_format(options),
            .schema = cli_schema(options),
            .width = cli_width(options)};
    bool known = kind == NULL;
    char *text = NULL;

    if (options->arguments.count > 1)
        return cli_usage(options, "one kind at a time, not '%s' too", options->arguments.items[1]);
    for (int i = 0; i < N_KINDS && kind != NULL; i++)
        known = known || strcmp(kind, kinds[i]) == 0;
    if (kind != NULL && strcmp(kind, "architectures") == 0) {
        kind = "archs";
        known = true;
    }
    if (kind != NULL && strcmp(kind, "energies") == 0)
        kind = "energy"; /* the folder's name */
    if (!known) {
        const char *nearest = sator_nearest(kind, kinds, N_KINDS);
        return cli_usage(options,
                "the library has workloads, networks, archs, dataflows and energies, no '%s'%s%s%s",
                kind, nearest == NULL ? "" : "; did you mean '", nearest == NULL ? "" : nearest,
                nearest == NULL ? "" : "'?");
    }
    struct sator_ctx *ctx = cli_ctx_new(options);
    enum sator_status status = sator_report_library(ctx, kind, &report, &text);
    cli_print_messages(ctx);
    int exit_code = status == SATOR_OK ? cli_write(options, text) : cli_status(status, "list");
    free(text);
    sator_ctx_free(ctx);
    return exit_code;
}

int cli_help(const struct cli_options *options)
{
    const struct cli_list *names = &options->arguments;
    const struct cli_command *command = NULL;
    const char **known = cli_alloc(sizeof *known * (size_t)cli_command_count);
    int exit_code = CLI_DONE;

    for (int i = 0; i < cli_command_count; i++) {
        known[i] = cli_commands[i].name;
        if (names->count > 0 && strcmp(names->items[0], cli_commands[i].name) == 0)
            command = &cli_commands[i];
    }
    if (names->count > 1) {
        exit_code = cli_usage(options, "one COMMAND at a time, not '%s' too", names->items[1]);
    } else if (names->count == 1 && command == NULL) {
        const char *nearest = sator_nearest(names->items[0], known, cli_command_count);
        exit_code = cli_usage(options, "there is no command '%s'%s%s%s", names->items[0],
                nearest == NULL ? "" : "; did you mean '", nearest == NULL ? "" : nearest,
                nearest == NULL ? "" : "'?");
    } else {
        char *text = cli_help_text(command);
        exit_code = cli_write(options, text);
        free(text);
    }
    free(known);
    return exit_code;
}

int cli_show(const struct cli_options *options)
{
    struct sator_input_options input = cli_input_options(options);
    char *text = NULL;

    if (options->arguments.count != 1)
        return cli_usage(options, "show takes one NAME: a library entry or a file");
    if (options->as != NULL)
        return cli_convert_to(options, options->as);
    if (options->arch.count + options->dataflow.count > 0 || options->space != NULL ||
            options->time != NULL || options->stt != NULL || options->layer != NULL)
        return cli_usage(options, "--arch, --dataflow, --layer and the like go with --as");
    struct sator_ctx *ctx = cli_ctx_new(options);
    cli_watch(ctx);
    enum sator_status status = sator_show(ctx, options->arguments.items[0], &input, &text);
    cli_print_messages(ctx);
    int exit_code = status == SATOR_OK ? cli_write(options, text)
                                       : cli_status(status, options->arguments.items[0]);
    free(text);
    cli_unwatch(ctx);
    sator_ctx_free(ctx);
    return exit_code;
}
