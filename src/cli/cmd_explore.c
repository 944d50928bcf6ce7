/* sator explore: set up the spaces, then list them, analyse one point, write a job script, or visit
 * all points. */
#include "cli/pictures.h"
#include "sator/explore.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    DEFAULT_TOP = 10,
    MOST_SHARDS = 1000000,
    TERMINAL_PERIOD_MS = 200,
    FILE_PERIOD_MS = 10000,
    BAR_WIDTH = 20
};

struct explore {
    const struct cli_options *options;
    struct sator_ctx *ctx;
    struct sator_network *network;
    struct sator_exploration *exploration;
    struct sator_explore_options explore;
    int layer; /* -1: all */
    char *objectives; /* --objective and --pareto in one list: both have a say in what may be pruned
                       */
};

/* ---- options ---- */

static bool read_count(const char **at, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(*at, &end, 10);
    bool fine = end != *at && errno == 0 && **at >= '0' && **at <= '9';
    *at = end;
    return fine;
}

/* "i/n" */
static bool read_shard(const char *text, struct sator_explore_options *explore)
{
    uint64_t shard, n;

    if (!read_count(&text, &shard) || *text++ != '/' || !read_count(&text, &n) || *text != '\0')
        return false;
    explore->shard = (int)shard;
    explore->n_shards = (int)n;
    return shard >= 1 && shard <= n && n <= MOST_SHARDS;
}

/* "FIRST:COUNT" */
static bool read_points(const char *text, struct sator_explore_options *explore)
{
    return read_count(&text, &explore->first_point) && *text++ == ':' &&
            read_count(&text, &explore->n_points) && *text == '\0' && explore->n_points > 0;
}

static int small(const char *word, int otherwise)
{
    return word == NULL ? otherwise : atoi(word);
}

static bool is_mapping(const struct cli_options *options)
{
    return options->dataflows != NULL && strcmp(options->dataflows, "optimal") == 0;
}

static bool is_matrix(const struct cli_options *options)
{
    return options->dataflows != NULL && strcmp(options->dataflows, "matrix") == 0;
}

static void set_space(const struct cli_options *options, struct sator_explore_options *explore)
{
    explore->space = is_matrix(options) ? SATOR_SPACE_MATRIX
            : is_mapping(options)       ? SATOR_SPACE_MAPPINGS
                                        : SATOR_SPACE_TILED;
    explore->prune = options->prune == NULL       ? SATOR_PRUNE_SAFE
            : strcmp(options->prune, "none") == 0 ? SATOR_PRUNE_NONE
            : strcmp(options->prune, "safe") == 0 ? SATOR_PRUNE_SAFE
                                                  : SATOR_PRUNE_MOVEMENTS;
    explore->pack = small(options->pack, 0);
    explore->skew = small(options->skew, 0);
    if (options->skew != NULL && explore->skew == 0)
        explore->skew = SATOR_NO_SKEW;
    explore->fold = (int)(options->fold > 16 ? 16 : options->fold);
    explore->whole_skews = options->whole_skews;
    explore->idle = options->idle;
    explore->no_symmetry = options->no_symmetry;
    explore->ordered = options->ordered;
    explore->imperfect = options->imperfect;
}

static int refuse_void(const struct cli_options *options)
{
    const struct cli_void cases[] = {
            {is_mapping(options), "pack skew whole-skews fold idle ordered prune no-symmetry",
                    "is about spaces of dataflows: --dataflows optimal has one mapping a layer"},
            {is_matrix(options), "pack skew whole-skews fold idle",
                    "is about tiled dataflows, not about matrices"},
            {!is_mapping(options), "budget imperfect yaml", "goes with --dataflows optimal"},
            {options->list_points,
                    "db resume shard slurm point hardware json csv format yaml batch keep",
                    "does not go with --list"},
            {options->point != NULL,
                    "db resume shard slurm points top batch where keep pareto threads",
                    "does not go with --point"},
            {options->point == NULL, "hardware yaml", "goes with --point"},
            {options->yaml, "json csv", "does not go with --yaml"},
    };

    return cli_refuse_void(options, cases, sizeof cases / sizeof *cases);
}

static const char *objective_of(const struct cli_options *options)
{
    return options->objective == NULL ? "latency" : options->objective;
}

static char *join_objectives(const struct cli_options *options)
{
    const char *first = objective_of(options);
    const char *rest = options->pareto == NULL ? "" : options->pareto;
    size_t size = strlen(first) + strlen(rest) + 2;
    char *joined = cli_alloc(size);

    snprintf(joined, size, "%s%s%s", first, *rest == '\0' ? "" : ",", rest);
    return joined;
}

static int read_options(struct explore *e)
{
    const struct cli_options *options = e->options;
    struct sator_explore_options *explore = &e->explore;

    if (options->arguments.count == 0)
        return cli_usage(options, "no WORKLOAD was named");
    if (options->arch.count == 0)
        return cli_usage(options, "--arch has to name an architecture");
    if (options->arch.count > 1)
        return cli_usage(options, "one --arch at a time, not '%s' too; --vary explores variants",
                options->arch.items[1]);
    if (options->resume && options->database == NULL)
        return cli_usage(options, "--resume needs the database: --db FILE");
    if (options->shard != NULL && !read_shard(options->shard, explore))
        return cli_usage(options, "--shard takes i/n with 1 <= i <= n, not '%s'", options->shard);
    if (options->shard != NULL && options->database == NULL)
        return cli_usage(options, "a shard needs a database: --db FILE");
    if (options->slurm != 0 && (options->database == NULL || options->shard != NULL))
        return cli_usage(options, "--slurm goes with --db and without --shard");
    if (options->slurm > MOST_SHARDS)
        return cli_usage(options, "--slurm %lld: an exploration has at most %d shards",
                (long long)options->slurm, MOST_SHARDS);
    if (options->points != NULL && !read_points(options->points, explore))
        return cli_usage(options, "--points takes FIRST:COUNT, not '%s'", options->points);
    int exit_code = cli_read_budget(options, &explore->budget_seconds);
    if (exit_code == CLI_DONE)
        exit_code = refuse_void(options);
    if (exit_code != CLI_DONE)
        return exit_code;
    set_space(options, explore);
    e->objectives = join_objectives(options);
    explore->n_varies = options->varies.count;
    explore->varies = options->varies.items;
    explore->where = options->where;
    explore->keep = options->keep;
    explore->objective = e->objectives;
    explore->engine = cli_engine(options);
    explore->timing = cli_timing(options);
    explore->work_limit = (uint64_t)options->work_limit;
    explore->threads = (int)options->threads;
    explore->database = options->database;
    explore->resume = options->resume;
    explore->batch = (uint64_t)options->batch;
    return CLI_DONE;
}

/* ---- inputs ---- */

static int load(struct explore *e)
{
    struct sator_input_options input = cli_input_options(e->options);
    enum sator_status st;

    st = sator_network_load_all(
            e->ctx, e->options->arguments.count, e->options->arguments.items, &input, &e->network);
    cli_print_messages(e->ctx);
    if (st != SATOR_OK)
        return cli_status(st, e->options->arguments.items[0]);
    int exit_code = cli_find_layer(e->network, e->options->layer, &e->layer);
    if (exit_code != CLI_DONE)
        return exit_code;
    st = sator_exploration_new(e->ctx, e->network, e->layer, e->options->arch.items[0], &input,
            &e->explore, &e->exploration);
    cli_print_messages(e->ctx);
    return st == SATOR_OK ? CLI_DONE : cli_status(st, e->options->arch.items[0]);
}

/* ---- output, piece by piece ---- */

struct stream {
    FILE *out;
    int error; /* errno of the first write that failed: what follows is not written */
};

static bool sink_write(void *data, const char *text, size_t length)
{
    struct stream *stream = data;

    if (stream->error == 0 && fwrite(text, 1, length, stream->out) != length)
        stream->error = errno == 0 ? EIO : errno;
    return stream->error == 0;
}

int cli_stream(const struct cli_options *options,
        int (*run)(const struct sator_sink *sink, void *data), void *data)
{
    bool to_file = options->output != NULL && strcmp(options->output, "-") != 0;
    char *text = NULL;
    size_t size = 0;
    struct stream stream = {.out = to_file ? open_memstream(&text, &size) : stdout};

    if (stream.out == NULL)
        return CLI_INPUT;
    int exit_code = run(&(struct sator_sink){sink_write, &stream}, data);
    if ((to_file ? fclose(stream.out) : fflush(stdout)) != 0 && stream.error == 0)
        stream.error = errno;
    if (stream.error != 0 && stream.error != EPIPE) {
        fprintf(stderr, "sator: cannot write to %s: %s\n",
                to_file ? options->output : "the standard output", strerror(stream.error));
        exit_code = cli_worse(exit_code, CLI_INPUT);
    } else if (to_file && exit_code == CLI_DONE) {
        exit_code = cli_write(options, text);
    }
    free(text);
    return exit_code;
}

/* ---- progress ---- */

struct progress {
    const struct explore *explore;
    bool terminal, printed;
    double next; /* seconds after which a line is due */
};

static void print_time(FILE *out, double seconds)
{
    if (!(seconds < 359999))
        fprintf(out, "more than 100 h");
    else if (seconds >= 3600)
        fprintf(out, "%d:%02d:%02d h", (int)seconds / 3600, (int)seconds / 60 % 60,
                (int)seconds % 60);
    else if (seconds >= 60)
        fprintf(out, "%d:%02d min", (int)seconds / 60, (int)seconds % 60);
    else
        fprintf(out, "%.0f s", seconds);
}

static void show_progress(void *data, const struct sator_explore_progress *now)
{
    struct progress *progress = data;
    double share = now->points_total > 0 ? now->points_done / now->points_total : 1;
    double left = (now->points_total - now->points_done) / now->points_per_second;

    if (progress->explore->options->quiet || now->seconds < progress->next)
        return;
    progress->next =
            now->seconds + (progress->terminal ? TERMINAL_PERIOD_MS : FILE_PERIOD_MS) / 1000.0;
    fprintf(stderr, "%s[%.*s%*s] %.1f %%, %.3g points/s, ", progress->terminal ? "\r\033[K" : "",
            (int)(share * BAR_WIDTH), "####################", BAR_WIDTH - (int)(share * BAR_WIDTH),
            "", 100 * share, now->points_per_second);
    print_time(stderr, left);
    fprintf(stderr, " left");
    if (!isnan(now->best))
        fprintf(stderr, ", best %s %.6g (%.60s)", objective_of(progress->explore->options),
                now->best, now->best_name == NULL ? "another rank's" : now->best_name);
    fputs(progress->terminal ? "" : "\n", stderr);
    progress->printed = true;
}

/* ---- the run and its report ---- */

struct report {
    const struct explore *explore;
    const struct sator_explore_summary *summary;
    struct sator_ctx *ctx; /* not the run's: that one may be cancelled */
};

static void write_text(const struct sator_sink *sink, const char *text)
{
    sink->write(sink->data, text, strlen(text));
}

static void write_counts(const struct sator_sink *sink, const struct sator_explore_summary *summary)
{
    char line[256], digits[2][64];

    snprintf(line, sizeof line, "%s point%s looked at, %s result%s, %.2f s\n",
            sator_int_format((sator_int)summary->points, ',', digits[0]),
            summary->points == 1 ? "" : "s",
            sator_int_format((sator_int)summary->results, ',', digits[1]),
            summary->results == 1 ? "" : "s", summary->seconds);
    write_text(sink, line);
    for (int i = 0; i < summary->n_rules; i++) {
        snprintf(line, sizeof line, "  %-20s %s left out\n", summary->rules[i].name,
                sator_int_format((sator_int)summary->rules[i].points, ',', digits[0]));
        write_text(sink, line);
    }
    if (summary->note != NULL) {
        snprintf(line, sizeof line, "  note: %s\n", summary->note);
        write_text(sink, line);
    }
}

/* The best choices for all layers at once: one dataflow, and one variant of the architecture. */
static enum sator_status write_totals(const struct report *report, const struct sator_sink *sink,
        struct sator_query_options query)
{
    const struct cli_options *options = report->explore->options;
    enum sator_status st = SATOR_OK;

    query.quiet = true; /* the layers' results were warned about */
    if (!is_mapping(options)) {
        write_text(sink, "\nBest single choice for all layers, totals:\n");
        query.whole_network = true;
        st = sator_explore_query(report->ctx, report->summary->database, &query, sink);
        query.whole_network = false;
    }
    if (st == SATOR_OK && (is_mapping(options) || options->varies.count > 0)) {
        write_text(sink,
                options->varies.count > 0
                        ? "\nBest architecture for all layers, each with its own best, totals:\n"
                        : "\nAll layers, each with its own best, totals:\n");
        query.per_hardware = true;
        st = sator_explore_query(report->ctx, report->summary->database, &query, sink);
    }
    return st;
}

/* The best few of every layer, or with --pareto their front; for a network also the best choices
 * for all of it. */
static int write_report(const struct sator_sink *sink, void *data)
{
    const struct report *report = data;
    const struct cli_options *options = report->explore->options;
    struct sator_query_options query = {.format = cli_format(options),
            .schema = cli_schema(options),
            .width = cli_width(options),
            .quiet = options->quiet,
            .pareto = options->pareto,
            .sort = objective_of(options),
            .top = options->top == 0 ? DEFAULT_TOP : (uint64_t)options->top};
    bool text = query.format == SATOR_FORMAT_TEXT;
    enum sator_status st;

    if (query.pareto != NULL)
        query.top = (uint64_t)options->top;
    if (!text && options->top == 0 && query.pareto == NULL)
        query = (struct sator_query_options){
                .format = query.format, .schema = query.schema}; /* everything, for programs */
    if (text) {
        write_counts(sink, report->summary);
        write_text(sink, "\n");
    }
    st = sator_explore_query(report->ctx, report->summary->database, &query, sink);
    if (st == SATOR_OK && text && sator_network_layer_count(report->explore->network) > 1 &&
            report->explore->layer < 0)
        st = write_totals(report, sink, query);
    return cli_status(st, "report");
}

/* All results, or with --pareto their front, as a page or a picture. */
static int write_page(const struct report *report)
{
    const struct cli_options *options = report->explore->options;
    const struct sator_query_options query = {.format = SATOR_FORMAT_CSV,
            .quiet = options->quiet,
            .pareto = options->pareto,
            .sort = options->top == 0 ? NULL : objective_of(options),
            .top = (uint64_t)options->top};
    const struct sator_report_window window = {0};
    struct sator_page *page = cli_page_new(report->ctx, options, &window);
    const struct sator_sink sink = sator_page_points(page, options->bare_line);

    enum sator_status st =
            sator_explore_query(report->ctx, report->summary->database, &query, &sink);
    int exit_code =
            st == SATOR_OK ? cli_page_write(report->ctx, options, page) : cli_status(st, "report");
    sator_page_free(page);
    return exit_code;
}

/* What was left out because a figure of it is not known: of --where, or the time. */
static void warn_unknown(const struct sator_explore_summary *summary)
{
    static const char rule[] = "no_figure.";

    for (int i = 0; i < summary->n_rules; i++) {
        const struct sator_explore_rule *row = &summary->rules[i];
        if (strcmp(row->name, "unscheduled") == 0)
            fprintf(stderr,
                    "sator: warning: %llu point%s no scheduled time and %s left out: --timing "
                    "roofline compares lower bounds\n",
                    (unsigned long long)row->points, row->points == 1 ? " has" : "s have",
                    row->points == 1 ? "was" : "were");
        if (strncmp(row->name, rule, sizeof rule - 1) == 0)
            fprintf(stderr, "sator: warning: %llu point%s no %s and %s left out by --where\n",
                    (unsigned long long)row->points, row->points == 1 ? " has" : "s have",
                    row->name + sizeof rule - 1, row->points == 1 ? "was" : "were");
    }
}

static int run_all(struct explore *e)
{
    struct progress progress = {.explore = e, .terminal = isatty(STDERR_FILENO) != 0};
    const struct sator_explore_summary *summary = NULL;

    progress.next = progress.terminal ? 0.5 : FILE_PERIOD_MS / 1000.0;
    enum sator_status st =
            sator_explore_run(e->ctx, e->exploration, show_progress, &progress, &summary);
    if (progress.terminal && progress.printed)
        fputs("\r\033[K", stderr);
    cli_print_messages(e->ctx);
    int exit_code = cli_status(st, e->options->arguments.items[0]);
    bool ended = st == SATOR_OK || st == SATOR_INFEASIBLE;
    if (summary != NULL && summary->database != NULL && (ended || st == SATOR_INTERRUPTED)) {
        struct report report = {.explore = e, .summary = summary, .ctx = cli_ctx_new(NULL)};
        if (!e->options->quiet)
            warn_unknown(summary);
        exit_code = cli_worse(exit_code,
                cli_wants_page(e->options) ? write_page(&report)
                                           : cli_stream(e->options, write_report, &report));
        cli_print_messages(report.ctx);
        sator_ctx_free(report.ctx);
    }
    if (!ended && e->options->database != NULL && summary != NULL && summary->points > 0)
        fprintf(stderr,
                "sator: stopped; what was evaluated is in %s. The same command with --resume goes "
                "on.\n",
                e->options->database);
    return exit_code;
}

/* ---- other things to do with a space ---- */

static int list_points(const struct sator_sink *sink, void *data)
{
    struct explore *e = data;
    enum sator_status st =
            sator_explore_list(e->ctx, e->exploration, (uint64_t)e->options->top, sink);

    return cli_status(st, "list");
}

static struct sator_report_options report_options(const struct cli_options *options)
{
    return (struct sator_report_options){.format = cli_format(options),
            .schema = cli_schema(options),
            .color = options->output == NULL && cli_color(stdout),
            .width = cli_width(options)};
}

static int hardware_of(const struct cli_options *options)
{
    return (int)(options->hardware > INT32_MAX ? INT32_MAX : options->hardware);
}

static int show_mapping(struct explore *e, uint64_t point)
{
    const struct cli_options *options = e->options;
    const struct sator_report_options report = report_options(options);
    struct sator_map_result *mapping = NULL;
    char *text = NULL;
    int exit_code;

    enum sator_status st = sator_explore_point_mapping(
            e->ctx, e->exploration, hardware_of(options), point, &mapping);
    if (st == SATOR_OK && !options->yaml)
        st = sator_report_maps(
                e->ctx, NULL, (const struct sator_map_result *const *)&mapping, 1, &report, &text);
    cli_print_messages(e->ctx);
    if (st == SATOR_OK)
        exit_code = cli_write(options, options->yaml ? mapping->yaml : text);
    else
        exit_code = st == SATOR_LIMIT ? CLI_LIMIT : cli_status(st, options->point);
    free(text);
    sator_map_result_free(mapping);
    return exit_code;
}

/* One result in full; those of several layers one after the other, or in a program's list. */
static int write_results(
        struct explore *e, const struct sator_result *const *results, int n_results)
{
    const struct cli_options *options = e->options;
    const struct sator_report_options report = report_options(options);
    bool together = n_results == 1 || report.format != SATOR_FORMAT_TEXT;
    char *text = NULL, *whole = NULL;
    size_t size = 0;
    enum sator_status st = SATOR_OK;
    FILE *out = open_memstream(&whole, &size);

    if (out == NULL)
        return CLI_INPUT;
    for (int i = 0; i < (together ? 1 : n_results) && st == SATOR_OK; i++) {
        st = sator_report_results(e->ctx, &results[i], together ? n_results : 1, &report, &text);
        fprintf(out, "%s%s", i == 0 ? "" : "\n", text == NULL ? "" : text);
        free(text);
        text = NULL;
    }
    if (fclose(out) != 0)
        return CLI_INPUT;
    int exit_code = st == SATOR_OK ? cli_write(options, whole) : cli_status(st, options->point);
    free(whole);
    return exit_code;
}

/* A dataflow of a network, for each of the layers that have it. */
static int analyse_point(struct explore *e)
{
    const struct cli_options *options = e->options;
    int n = e->layer < 0 ? sator_network_layer_count(e->network) : 1, n_results = 0;
    struct sator_result **results = cli_alloc(sizeof *results * (size_t)(n + 1));
    enum sator_status st = SATOR_OK;
    const char *at = options->point;
    uint64_t point;

    if (!read_count(&at, &point) || *at != '\0') {
        free(results);
        return cli_usage(options, "--point takes a number, not '%s'", options->point);
    }
    if (is_mapping(options)) {
        free(results);
        return show_mapping(e, point);
    }
    for (int layer = 0; layer < n && st == SATOR_OK; layer++) {
        st = sator_explore_point(
                e->ctx, e->exploration, layer, hardware_of(options), point, &results[n_results]);
        n_results += st == SATOR_OK;
    }
    cli_print_messages(e->ctx);
    int exit_code = st == SATOR_OK
            ? write_results(e, (const struct sator_result *const *)results, n_results)
            : cli_status(st, options->point);
    for (int i = 0; i < n_results; i++)
        sator_result_free(results[i]);
    free(results);
    return exit_code;
}

/* ---- the command ---- */

static int act(struct explore *e)
{
    if (e->options->list_points)
        return cli_stream(e->options, list_points, e);
    if (e->options->point != NULL)
        return analyse_point(e);
    return e->options->slurm != 0 ? cli_explore_slurm(e->options) : run_all(e);
}

int cli_explore(const struct cli_options *options)
{
    struct explore e = {.options = options};
    int exit_code = read_options(&e);

    if (exit_code != CLI_DONE)
        goto done;
    e.ctx = cli_ctx_new(options);
    cli_watch(e.ctx);
    exit_code = load(&e);
    if (exit_code == CLI_DONE)
        exit_code = act(&e);
    cli_print_messages(e.ctx);
    sator_exploration_free(e.exploration);
    sator_network_free(e.network);
    cli_unwatch(e.ctx);
    sator_ctx_free(e.ctx);
done:
    free(e.objectives);
    return exit_code;
}
