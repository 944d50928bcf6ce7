/* sator simulate: carry a mapping out, and compare with its analysis. */
#include "cli/cli.h"
#include "sator/simulate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    PERIOD_MS = 200, /* of the line of progress */
    FIRST_MS = 1000
};

struct simulation {
    const struct cli_options *options;
    struct sator_ctx *ctx;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
    struct sator_simulate_options simulate;
    int layer;
    FILE *trace, *events;
    int write_error; /* errno of the first write that failed */
    int64_t begun_ms, shown_ms;
    bool shows_progress, has_shown;
};

/* ---- while it runs ---- */

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void write_to(struct simulation *s, FILE *file, const char *text, size_t length)
{
    if (fwrite(text, 1, length, file) != length && s->write_error == 0)
        s->write_error = errno;
}

static void write_trace(const char *text, size_t length, void *user)
{
    struct simulation *s = user;

    write_to(s, s->trace, text, length);
}

static void write_events(const char *text, size_t length, void *user)
{
    struct simulation *s = user;

    write_to(s, s->events, text, length);
}

static void show_progress(int64_t instances, int64_t of, void *user)
{
    struct simulation *s = user;
    int64_t now = now_ms(), elapsed = now - s->begun_ms;

    if (elapsed < FIRST_MS || now - s->shown_ms < PERIOD_MS)
        return;
    s->shown_ms = now;
    s->has_shown = true;
    fprintf(stderr, "\r\033[K%.1f %% of %" PRId64 " loop instances, %.2g a second",
            of == 0 ? 0.0 : 100.0 * (double)instances / (double)of, of,
            (double)instances / ((double)elapsed / 1000));
}

/* ---- what was asked for ---- */

/* "A:B", either of them may be missing. */
static bool read_cycles(const char *text, int64_t *first, int64_t *last)
{
    char *end;

    errno = 0;
    *first = *text == ':' ? 0 : strtoll(text, &end, 10);
    end = *text == ':' ? (char *)(uintptr_t)text : end;
    if (*end != ':' || *first < 0 || errno != 0)
        return false;
    *last = end[1] == '\0' ? 0 : strtoll(end + 1, &end, 10);
    return errno == 0 && (*last == 0 || (*end == '\0' && *last >= *first && *last > 0));
}

static int check_usage(const struct cli_options *options)
{
    if (options->arguments.count == 0)
        return cli_usage(options, "no WORKLOAD was named");
    if (options->arguments.count > 1)
        return cli_usage(
                options, "one WORKLOAD at a time, not '%s' too", options->arguments.items[1]);
    if ((options->space == NULL) != (options->time == NULL))
        return cli_usage(options, "--space and --time go together");
    if (options->arch.count == 0)
        return cli_usage(options, "no accelerator was named: --arch ARCH (sator list archs)");
    if (options->arch.count > 1)
        return cli_usage(
                options, "one architecture at a time, not '%s' too", options->arch.items[1]);
    if ((options->dataflow.count == 0) == (options->space == NULL))
        return cli_usage(options,
                "one dataflow is executed: --dataflow DATAFLOW (sator list dataflows), or --space "
                "and --time");
    if (options->dataflow.count > 1)
        return cli_usage(
                options, "one dataflow at a time, not '%s' too", options->dataflow.items[1]);
    const struct cli_void cases[] = {{options->trace == NULL && options->events == NULL, "cycles",
            "goes with --trace or --events"}};
    return cli_refuse_void(options, cases, sizeof cases / sizeof *cases);
}

static FILE *open_file(const char *path, int *exit_code)
{
    bool is_standard = path != NULL && strcmp(path, "-") == 0;
    FILE *file = path == NULL ? NULL
            : is_standard     ? fdopen(dup(STDOUT_FILENO), "w")
                              : fopen(path, "w");

    if (path != NULL && file == NULL) {
        fprintf(stderr, "sator: cannot write %s: %s\n", path, strerror(errno));
        *exit_code = CLI_INPUT;
    }
    return file;
}

static int read_options(struct simulation *s)
{
    const struct cli_options *options = s->options;
    int exit_code = CLI_DONE;

    s->simulate.size = sizeof s->simulate;
    s->simulate.engine = cli_engine(options);
    if (options->cycles != NULL &&
            !read_cycles(options->cycles, &s->simulate.first_cycle, &s->simulate.last_cycle))
        return cli_usage(options, "--cycles '%s' is not A:B, two cycles, the first not the greater",
                options->cycles);
    s->trace = open_file(options->trace, &exit_code);
    s->events = open_file(options->events, &exit_code);
    s->shows_progress = !options->quiet && isatty(STDERR_FILENO) != 0;
    s->simulate.write_trace = s->trace == NULL ? NULL : write_trace;
    s->simulate.write_events = s->events == NULL ? NULL : write_events;
    s->simulate.progress = s->shows_progress ? show_progress : NULL;
    s->simulate.user = s;
    return exit_code;
}

static int close_file(struct simulation *s, FILE *file, const char *path)
{
    if (file == NULL)
        return CLI_DONE;
    if (fclose(file) != 0 && s->write_error == 0)
        s->write_error = errno;
    if (s->write_error == 0 || (s->write_error == EPIPE && strcmp(path, "-") == 0))
        return CLI_DONE; /* who reads it has enough */
    fprintf(stderr, "sator: cannot write %s: %s\n", path, strerror(s->write_error));
    return CLI_INPUT;
}

static int load(struct simulation *s)
{
    const struct cli_options *options = s->options;
    const struct sator_input_options input = cli_input_options(options);
    const char *workload = options->arguments.items[0], *arch = options->arch.items[0];
    int exit_code;

    exit_code = cli_status(sator_network_load(s->ctx, workload, &input, &s->network), workload);
    exit_code =
            cli_worse(exit_code, cli_status(sator_arch_load(s->ctx, arch, &input, &s->arch), arch));
    if (s->network != NULL && s->arch != NULL)
        exit_code = cli_worse(
                exit_code, cli_status(sator_check_tensors(s->ctx, s->network, s->arch), arch));
    if (options->space != NULL)
        exit_code = cli_worse(exit_code,
                cli_status(sator_dataflow_from_text(s->ctx, "command line", options->space,
                                   options->time, &s->dataflow),
                        "--space"));
    else
        exit_code = cli_worse(exit_code,
                cli_status(sator_dataflow_load(
                                   s->ctx, options->dataflow.items[0], &input, &s->dataflow),
                        options->dataflow.items[0]));
    cli_print_messages(s->ctx);
    return exit_code;
}

static int run(struct simulation *s)
{
    const struct cli_options *options = s->options;
    struct sator_simulation *simulation = NULL;
    struct sator_report_options report = {.size = sizeof report,
            .format = cli_format(options),
            .schema = cli_schema(options),
            .color = options->output == NULL && cli_color(stdout),
            .width = cli_width(options)};
    char *text = NULL;

    s->begun_ms = s->shown_ms = now_ms();
    enum sator_status status = sator_simulate(
            s->ctx, s->network, s->layer, s->arch, s->dataflow, &s->simulate, &simulation);
    if (s->has_shown)
        fputs("\r\033[K", stderr);
    cli_print_messages(s->ctx);
    int exit_code = cli_status(status, options->arguments.items[0]);
    if (status != SATOR_OK)
        return exit_code;
    if (!simulation->is_whole)
        exit_code = CLI_INTERRUPTED; /* what it has seen is shown */
    else if (simulation->n_differences > 0)
        exit_code = CLI_DIFFERENT;
    status = sator_report_simulation(s->ctx, simulation, &report, &text);
    if (status == SATOR_OK)
        exit_code = cli_worse(exit_code, cli_write(options, text));
    free(text);
    sator_simulation_free(simulation);
    return exit_code;
}

int cli_simulate(const struct cli_options *options)
{
    struct simulation s = {.options = options, .ctx = cli_ctx_new(options)};
    int exit_code = check_usage(options);

    sator_ctx_set_work_limit(s.ctx, (uint64_t)options->work_limit);
    cli_watch(s.ctx);
    if (exit_code == CLI_DONE)
        exit_code = load(&s);
    if (exit_code == CLI_DONE)
        exit_code = cli_choose_layer(s.network, options->layer, &s.layer);
    if (exit_code == CLI_DONE && s.layer < 0)
        exit_code = cli_usage(options, "one layer is executed at a time: name a --layer");
    if (exit_code == CLI_DONE)
        exit_code = read_options(&s);
    if (exit_code == CLI_DONE)
        exit_code = run(&s);
    exit_code = cli_worse(exit_code, close_file(&s, s.trace, options->trace));
    exit_code = cli_worse(exit_code, close_file(&s, s.events, options->events));
    cli_unwatch(s.ctx);
    sator_dataflow_free(s.dataflow);
    sator_arch_free(s.arch);
    sator_network_free(s.network);
    sator_ctx_free(s.ctx);
    return exit_code;
}
