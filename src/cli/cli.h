/* The command line program: the first customer of include/sator, and of nothing else.
 *
 * The result goes to stdout (or -o FILE), everything else to stderr. Commands return an exit code.
 */
#ifndef SATOR_CLI_CLI_H
#define SATOR_CLI_CLI_H

#include "sator/analyze.h"
#include "sator/report.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum cli_exit {
    CLI_DONE = 0,
    CLI_INPUT = 1,
    CLI_USAGE = 2,
    CLI_LIMIT = 3,
    CLI_DIFFERENT = 4, /* simulate: model and execution do not agree */
    CLI_MEMORY = 5, /* memory ran out */
    CLI_INTERRUPTED = 130
};

/* Strings of argv, in order. */
struct cli_list {
    int count;
    const char **items;
};

#define CLI_FIELD_FLAG bool
#define CLI_FIELD_TEXT const char *
#define CLI_FIELD_CHOICE const char *
#define CLI_FIELD_NUMBER int64_t
#define CLI_FIELD_COUNT int64_t
#define CLI_FIELD_LIST struct cli_list
#define CLI_FIELD_MANY struct cli_list

/* Files that options name for what the command writes, "-" not among them. */
enum {
    CLI_MOST_OUTPUTS = 4
};
struct cli_outputs {
    int count;
    struct sator_output file[CLI_MOST_OUTPUTS]; /* "field" is the option's name, too */
    bool is_read; /* set when an input was found to be one of them */
};

struct cli_options {
    const struct cli_command *command; /* NULL: none was named */
    struct cli_list arguments;
    struct cli_outputs *outputs; /* the files that this command writes */
    char *line; /* the command line, quoted for a shell */
    char *bare_line; /* the same without what is about output */
#define OPTION(kind, field, name, letter, argument, commands, help, example) CLI_FIELD_##kind field;
#include "cli/options.def"
#undef OPTION
};

struct cli_command {
    const char *name, *arguments, *summary, *example;
    int (*run)(const struct cli_options *options);
};
extern const struct cli_command cli_commands[];
extern const int cli_command_count;

enum cli_option_kind {
    CLI_FLAG,
    CLI_TEXT,
    CLI_CHOICE,
    CLI_NUMBER,
    CLI_COUNT,
    CLI_LIST,
    CLI_MANY
};

struct cli_option {
    enum cli_option_kind kind;
    const char *name;
    char letter; /* 0: none */
    const char *argument, *commands, *help, *example;
    size_t offset; /* of the field in struct cli_options */
};
extern const struct cli_option cli_option_table[];
extern const int cli_option_count;

#define COMMAND(name, arguments, summary, example)                                                 \
    int cli_##name(const struct cli_options *options);
#include "cli/commands.def"
#undef COMMAND

/* ---- cmd_convert.c ---- */
int cli_convert_to(const struct cli_options *options, const char *format);

/* ---- options.c ---- */
/* Read the command line; false after a message to stderr: a usage error. */
bool cli_parse(int argc, char **argv, struct cli_options *options);
void cli_options_clear(struct cli_options *options);
bool cli_option_applies(const struct cli_option *option, const char *command);
/* Say that the call is wrong, and where to read how it is done; returns CLI_USAGE. */
__attribute__((format(printf, 2, 3))) int cli_usage(
        const struct cli_options *options, const char *format, ...);

/* An option that nobody would read is an error: CLI_USAGE when one of "names" (a space between two)
 * was given, with "why" after its name. */
int cli_refuse(const struct cli_options *options, const char *names, const char *why);
/* The same for the first of several cases that applies. */
struct cli_void {
    bool applies;
    const char *names, *why;
};
int cli_refuse_void(
        const struct cli_options *options, const struct cli_void *cases, size_t n_cases);
/* CLI_USAGE when --arch names a machine twice. */
int cli_check_archs(const struct cli_options *options);
/* The same for --dataflow. */
int cli_check_dataflows(const struct cli_options *options);
/* The seconds of --budget; 0 where there is none. */
int cli_read_budget(const struct cli_options *options, double *seconds);

/* ---- help.c: text made of the tables (GIVE: free) ---- */
char *cli_help_text(const struct cli_command *command);
char *cli_man_text(const struct cli_command *command);
char *cli_completion_text(void);

/* ---- explore_slurm.c ---- */
/* Write the job-array script of --slurm. */
int cli_explore_slurm(const struct cli_options *options);

/* ---- output_check.c ---- */
/* Fill in options->outputs; CLI_USAGE after a message when one of them names what the command reads
 * or another one names, CLI_INPUT when it cannot be written. */
int cli_check_outputs(const struct cli_options *options);

/* ---- output.c ---- */
/* Write "text" to the file "path", "-" for the standard output; CLI_DONE, CLI_INPUT after a message
 * when it cannot be written, or CLI_USAGE when it was said that an output is read. */
int cli_write_to(const struct cli_options *options, const char *path, const char *text);
/* Write the result; CLI_DONE, or CLI_INPUT after a message when it cannot be written. A reader that
 * has gone away (a closed pipe) is no error. */
int cli_write(const struct cli_options *options, const char *text);
/* Let "run" write its result piece by piece to where it belongs; returns its exit code, or
 * CLI_INPUT when that cannot be written. */
struct sator_sink;
int cli_stream(const struct cli_options *options,
        int (*run)(const struct sator_sink *sink, void *data), void *data);
/* Print and forget what the library has to say. */
void cli_print_messages(struct sator_ctx *ctx);
/* Whether "stream" (stdout or stderr) is a terminal that wants colours. */
bool cli_color(FILE *stream);
/* Columns of the terminal that the result is written to, or that COLUMNS says; 0: any number. */
int cli_width(const struct cli_options *options);
/* The exit code for a status; the cases in which the library records no message are said here about
 * "what". */
int cli_status(enum sator_status status, const char *what);
/* The worse of two exit codes: interruption, then memory, budget, input. */
int cli_worse(int a, int b);

/* ---- interrupt.c ---- */
/* From now on Ctrl-C, SIGTERM and SIGHUP cancel what the watched contexts do; a second one ends the
 * process. One that the process was told to ignore (nohup, a shell's background job) stays ignored.
 */
void cli_interrupt_init(void);
bool cli_interrupted(void);
/* The exit code of a run that a signal stopped: 128 and its number, 130 for Ctrl-C. */
int cli_interrupt_exit(void);
/* Watch a context, or (before it is freed) stop watching it. At most CLI_MAX_THREADS are watched.
 */
enum {
    CLI_MAX_THREADS = 64
};
void cli_watch(struct sator_ctx *ctx);
void cli_unwatch(struct sator_ctx *ctx);

/* ---- window.c ---- */
/* The window of --from and --stamps; CLI_USAGE after a message. */
int cli_read_window(const struct cli_options *options, struct sator_report_window *window);
void cli_window_clear(struct sator_report_window *window);

/* ---- bandwidths.c ---- */
/* Read "64,80,...,160" or "64:160:16" or a mix (GIVE: free); false with "*why" (static) when it is
 * malformed. */
bool cli_read_bandwidths(const char *text, double **values, int *count, const char **why);

/* ---- jobs.c ---- */
/* A piece of work that leaves its outcome in itself. "messages" (free) and "status" are set by the
 * runner. */
struct cli_job {
    enum sator_status (*run)(struct sator_ctx *ctx, struct cli_job *job);
    void *data;
    const char *name;
    double figure; /* what the progress line calls the best so far when least; NAN: nothing to
                      compare */
    enum sator_status status;
    bool done;
    char *messages;
};
struct cli_run {
    int threads;
    uint64_t work_limit;
    bool quiet;
    const char *figure_unit; /* of the jobs' figures */
};
/* Run all jobs, each with a context that one thread owns; after Ctrl-C the rest is
 * SATOR_INTERRUPTED. The outcome does not depend on "threads". The contexts die with the run: jobs
 * must not keep them. */
void cli_run_jobs(struct cli_job *jobs, int n_jobs, const struct cli_run *run);

/* ---- layer.c ---- */
/* The layer that --layer names, by its name or number; -1 where "wanted" is NULL: all. CLI_INPUT
 * after a message when there is none. */
int cli_find_layer(const struct sator_network *network, const char *wanted, int *layer);
/* The same, but 0 for a workload alone, which is a network of one layer of its own name. */
int cli_choose_layer(const struct sator_network *network, const char *wanted, int *layer);

/* ---- words.c ---- */
/* A context whose messages call the fields of options by the names of their flags, and that does
 * not read what options->outputs names (GIVE: sator_ctx_free). "options" NULL: it reads no files.
 */
struct sator_ctx *cli_ctx_new(const struct cli_options *options);
/* The value of --engine, "auto" where it is not given. */
enum sator_engine_choice cli_engine(const struct cli_options *options);
/* That of --timing; what is usual where it is not given. */
enum sator_timing_choice cli_timing(const struct cli_options *options);

/* Zeroed memory, never NULL (memory.c). */
void *cli_alloc(size_t size);
struct sator_input_options cli_input_options(const struct cli_options *options);
enum sator_format cli_format(const struct cli_options *options);
int cli_schema(const struct cli_options *options);

#endif
