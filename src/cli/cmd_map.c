/* sator map: the best mapping of a workload, or of every layer of a network. */
#include "cli/cli.h"
#include "sator/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mapping {
    const struct cli_options *options;
    struct sator_ctx *ctx; /* owns what was read */
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_map_options map;
    int layer; /* -1: all of a network */
    int n_tasks;
    struct task {
        struct mapping *mapping;
        int layer, same_as; /* same_as: the task whose result this one shares */
        struct sator_map_result *result;
    } * tasks;
    int exit_code;
};

static int choice(const char *word, const char *const *words, int n_words)
{
    for (int i = 0; word != NULL && i < n_words; i++) {
        if (strcmp(word, words[i]) == 0)
            return i;
    }
    return 0;
}

static int read_options(struct mapping *mapping)
{
    static const char *const objectives[] = {"edp", "energy", "latency"};
    static const char *const strategies[] = {"optimal", "sunstone", "random", "exhaustive"};
    static const char *const directions[] = {"bottom-up", "top-down"};
    static const char *const intra[] = {
            "ordering-tiling-unrolling", "tiling-unrolling-ordering", "unrolling-tiling-ordering"};
    const struct cli_options *options = mapping->options;

    if (options->arguments.count == 0)
        return cli_usage(options, "no WORKLOAD was named");
    if (options->arguments.count > 1)
        return cli_usage(
                options, "one WORKLOAD at a time, not '%s' too", options->arguments.items[1]);
    if (options->arch == NULL)
        return cli_usage(options, "no architecture: --arch ARCH");
    if (options->objective != NULL && choice(options->objective, objectives, 3) == 0 &&
            strcmp(options->objective, "edp") != 0)
        return cli_usage(options, "--objective '%s': a mapping minimises edp, energy or latency",
                options->objective);
    mapping->map = (struct sator_map_options){
            .objective = (enum sator_map_objective)choice(options->objective, objectives, 3),
            .strategy = (enum sator_map_strategy)choice(options->strategy, strategies, 4),
            .constraints = options->constraint.items,
            .n_constraints = options->constraint.count,
            .imperfect = options->imperfect,
            .seed = (uint64_t)options->random_seed,
            .samples = (uint64_t)options->random_samples,
            .top_down = choice(options->direction, directions, 2) == 1,
            .intra_order = choice(options->intra_order, intra, 3)};
    return cli_read_budget(options, &mapping->map.budget_seconds);
}

/* An option that nothing would read. */
static int refuse_void(const struct cli_options *options)
{
    const char *strategy = options->strategy == NULL ? "optimal" : options->strategy;
    bool sunstone = strcmp(strategy, "sunstone") == 0, random = strcmp(strategy, "random") == 0;
    const struct cli_void cases[] = {
            {!sunstone, "direction intra-order", "goes with --strategy sunstone"},
            {!random, "seed samples", "goes with --strategy random"},
            {sunstone, "imperfect", "does not go with --strategy sunstone, whose factors divide"},
            {options->pareto != NULL, "strategy objective yaml why-not",
                    "does not go with --pareto"},
            {options->why_not != NULL, "json csv yaml",
                    "does not go with --why-not, which is text"},
            {options->yaml, "json csv", "does not go with --yaml"},
    };

    return cli_refuse_void(options, cases, sizeof cases / sizeof *cases);
}

static void load(struct mapping *mapping, enum sator_status status, const char *spec)
{
    cli_print_messages(mapping->ctx);
    mapping->exit_code = cli_worse(mapping->exit_code, cli_status(status, spec));
}

static void load_inputs(struct mapping *mapping)
{
    const struct cli_options *options = mapping->options;
    struct sator_input_options input = cli_input_options(options);
    const char *workload = options->arguments.items[0];

    load(mapping, sator_network_load(mapping->ctx, workload, &input, &mapping->network), workload);
    load(mapping, sator_arch_load(mapping->ctx, options->arch, &input, &mapping->arch),
            options->arch);
    if (mapping->exit_code == CLI_DONE)
        load(mapping, sator_check_tensors(mapping->ctx, mapping->network, mapping->arch),
                options->arch);
}

/* ---- the work ---- */

/* One search alone on a terminal says how far it is; several have the runner's line. */
static void show_progress(void *data, const struct sator_map_progress *progress)
{
    static const char *const units[] = {"pJ x cycles", "pJ", "cycles"};
    const struct mapping *mapping = data;

    if (isnan(progress->best))
        fputs("\r\033[Kno mapping yet", stderr);
    else
        fprintf(stderr, "\r\033[Kbest %.6g %s", progress->best, units[mapping->map.objective]);
    if (progress->bound > 0 && progress->bound <= progress->best)
        fprintf(stderr, ", none is below %.6g, gap %.1f%%", progress->bound,
                (progress->best / progress->bound - 1) * 100);
    fprintf(stderr, ", %llu mapping%s evaluated", (unsigned long long)progress->evaluated,
            progress->evaluated == 1 ? "" : "s");
    fflush(stderr);
}

static enum sator_status map_one(struct sator_ctx *ctx, struct cli_job *job)
{
    struct task *task = job->data;
    struct mapping *mapping = task->mapping;
    struct sator_map_options options = mapping->map;
    bool alone = mapping->layer >= 0 && !mapping->options->quiet && isatty(STDERR_FILENO);

    if (alone) {
        options.progress = show_progress;
        options.progress_data = mapping;
    }
    enum sator_status status =
            sator_map(ctx, mapping->network, task->layer, mapping->arch, &options, &task->result);
    if (alone)
        fputs("\r\033[K", stderr);
    job->figure = status == SATOR_OK ? task->result->value : NAN;
    return status;
}

static void make_tasks(struct mapping *mapping)
{
    int n_layers = sator_network_layer_count(mapping->network);

    mapping->tasks = cli_alloc(sizeof *mapping->tasks * (size_t)n_layers);
    for (int layer = 0; layer < n_layers; layer++) {
        if (mapping->layer >= 0 && layer != mapping->layer)
            continue;
        struct task *task = &mapping->tasks[mapping->n_tasks];
        *task = (struct task){.mapping = mapping, .layer = layer, .same_as = mapping->n_tasks};
        int same = sator_map_same_layer(mapping->network, layer);
        for (int k = 0; k < mapping->n_tasks; k++) {
            if (mapping->tasks[k].layer == same)
                task->same_as = k;
        }
        mapping->n_tasks++;
    }
}

/* Why a search that found a mapping ended before its proof. */
static void note_stop(struct mapping *mapping, const struct sator_map_result *result)
{
    int exit_code = result->stopped == SATOR_INTERRUPTED ? CLI_INTERRUPTED : CLI_LIMIT;

    if (result->stopped != SATOR_OK)
        mapping->exit_code = cli_worse(mapping->exit_code, exit_code);
}

/* Whether job "i" has nothing to say, or what a layer before it has said: a wrong option is wrong
 * for all of them. */
static bool is_repeated(const struct cli_job *jobs, int i)
{
    if (jobs[i].messages == NULL)
        return true;
    for (int k = 0; k < i; k++) {
        if (jobs[k].messages != NULL && strcmp(jobs[k].messages, jobs[i].messages) == 0)
            return true;
    }
    return false;
}

static int count_threads(const struct cli_options *options)
{
    int64_t threads = options->threads == 0 ? sysconf(_SC_NPROCESSORS_ONLN) : options->threads;

    return threads < 1 ? 1 : threads > CLI_MAX_THREADS ? CLI_MAX_THREADS : (int)threads;
}

static void run_tasks(struct mapping *mapping)
{
    struct cli_job *jobs = cli_alloc(sizeof *jobs * (size_t)mapping->n_tasks);
    int threads = count_threads(mapping->options), n_jobs = 0;

    struct cli_run run = {.threads = threads,
            .work_limit = (uint64_t)mapping->options->work_limit,
            .quiet = mapping->options->quiet || mapping->layer >= 0,
            .figure_unit = "of the objective"};
    for (int i = 0; i < mapping->n_tasks; i++) {
        if (mapping->tasks[i].same_as == i)
            jobs[n_jobs++] = (struct cli_job){.run = map_one,
                    .data = &mapping->tasks[i],
                    .name = sator_network_layer_name(mapping->network, mapping->tasks[i].layer),
                    .figure = NAN};
    }
    mapping->map.threads = n_jobs > 0 ? threads / n_jobs : 1; /* fewer layers than threads */
    cli_run_jobs(jobs, n_jobs, &run);
    for (int i = 0; i < n_jobs; i++) {
        const struct task *task = jobs[i].data;
        fputs(is_repeated(jobs, i) ? "" : jobs[i].messages, stderr);
        if (jobs[i].status == SATOR_OK)
            note_stop(mapping, task->result);
        else if (jobs[i].status == SATOR_LIMIT || jobs[i].status == SATOR_INFEASIBLE)
            mapping->exit_code = cli_worse(mapping->exit_code, CLI_LIMIT);
        else
            mapping->exit_code =
                    cli_worse(mapping->exit_code, cli_status(jobs[i].status, jobs[i].name));
    }
    for (int i = 0; i < n_jobs; i++)
        free(jobs[i].messages);
    free(jobs);
}

/* ---- the report ---- */

static int write_report(struct mapping *mapping)
{
    const struct cli_options *options = mapping->options;
    const struct sator_map_result **results =
            cli_alloc(sizeof *results * ((size_t)mapping->n_tasks + 1));
    struct sator_report_options report = {
            .format = cli_format(options), .color = options->output == NULL && cli_color(stdout)};
    bool is_network = mapping->layer < 0;
    const char **unmapped = cli_alloc(sizeof *unmapped * ((size_t)mapping->n_tasks + 1));
    struct sator_map_network network = {
            .name = sator_network_name(mapping->network), .unmapped = unmapped};
    int n_results = 0, exit_code = CLI_DONE;
    char *text = NULL;

    for (int i = 0; i < mapping->n_tasks; i++) {
        struct task *task = &mapping->tasks[i];
        if (mapping->tasks[task->same_as].result == NULL)
            unmapped[network.n_unmapped++] =
                    sator_network_layer_name(mapping->network, task->layer);
        else if (task->same_as == i)
            results[n_results++] = task->result;
        else
            mapping->tasks[task->same_as].result->repeat += /* shown once, with all repeats */
                    sator_map_layer_repeat(mapping->network, task->layer);
    }
    if (n_results > 0 && options->yaml && !is_network) {
        exit_code = cli_write(options, results[0]->yaml);
    } else if (n_results > 0) {
        sator_report_maps(
                mapping->ctx, is_network ? &network : NULL, results, n_results, &report, &text);
        exit_code = cli_write(options, text);
    }
    free(text);
    free(unmapped);
    free(results);
    return exit_code;
}

/* ---- the front ---- */

static int map_front(struct mapping *mapping)
{
    const struct cli_options *options = mapping->options;
    struct sator_report_options report = {
            .format = cli_format(options), .color = options->output == NULL && cli_color(stdout)};
    struct sator_map_result **results = NULL;
    int n_results = 0;
    char *text = NULL;

    mapping->map.threads = count_threads(options);
    cli_watch(mapping->ctx);
    enum sator_status status = sator_map_pareto(mapping->ctx, mapping->network, mapping->layer,
            mapping->arch, &mapping->map, &results, &n_results);
    cli_unwatch(mapping->ctx);
    cli_print_messages(mapping->ctx);
    int exit_code = status == SATOR_LIMIT || status == SATOR_INFEASIBLE
            ? CLI_LIMIT
            : cli_status(status, options->arguments.items[0]);
    if (n_results == 0 && (status == SATOR_LIMIT || status == SATOR_INTERRUPTED))
        fputs("sator: stopped before the first mapping of the front was proved\n", stderr);
    if (n_results > 0) {
        sator_report_front(mapping->ctx, (const struct sator_map_result *const *)results, n_results,
                status == SATOR_OK, &report, &text);
        exit_code = cli_worse(exit_code, cli_write(options, text));
    }
    free(text);
    for (int i = 0; i < n_results; i++)
        sator_map_result_free(results[i]);
    free(results);
    return exit_code;
}

/* ---- a given mapping ---- */

/* A first time without "best" and "done": only a mapping that is not legal is said to be so then,
 * and nobody waits for the best. */
static int explain_why_not(struct mapping *mapping, const struct sator_map_result *best, bool done)
{
    const char *spec = mapping->options->why_not;
    struct sator_input_options input = cli_input_options(mapping->options);
    struct sator_dataflow *dataflow = NULL;
    char *text = NULL;

    enum sator_status status = sator_dataflow_load(mapping->ctx, spec, &input, &dataflow);
    if (status == SATOR_OK)
        status = sator_map_why_not(mapping->ctx, mapping->network, mapping->layer, mapping->arch,
                dataflow, &mapping->map, best, &text);
    cli_print_messages(mapping->ctx);
    int exit_code = cli_status(status, spec);
    if (text != NULL && (done || status == SATOR_INFEASIBLE))
        exit_code = cli_worse(exit_code, cli_write(mapping->options, text));
    free(text);
    sator_dataflow_free(dataflow);
    return exit_code;
}

/* Energy and latency, in either order. */
static bool is_front(const char *figures)
{
    return strcmp(figures, "energy,latency") == 0 || strcmp(figures, "latency,energy") == 0;
}

int cli_map(const struct cli_options *options)
{
    struct mapping mapping = {.options = options, .ctx = sator_ctx_new()};

    sator_ctx_set_work_limit(mapping.ctx, (uint64_t)options->work_limit);
    mapping.exit_code = read_options(&mapping);
    if (mapping.exit_code == CLI_DONE)
        mapping.exit_code = refuse_void(options);
    if (mapping.exit_code == CLI_DONE)
        load_inputs(&mapping);
    if (mapping.exit_code == CLI_DONE)
        mapping.exit_code = cli_choose_layer(mapping.network, options->layer, &mapping.layer);
    if (mapping.exit_code == CLI_DONE && options->yaml && mapping.layer < 0)
        mapping.exit_code = cli_usage(options, "--yaml prints one mapping: name a --layer too");
    if (mapping.exit_code == CLI_DONE && options->why_not != NULL && mapping.layer < 0)
        mapping.exit_code =
                cli_usage(options, "--why-not is about one workload: name a --layer too");
    if (mapping.exit_code == CLI_DONE && options->pareto != NULL &&
            (!is_front(options->pareto) || mapping.layer < 0))
        mapping.exit_code = cli_usage(options,
                "--pareto energy,latency gives the front of one workload, or of one --layer");
    if (mapping.exit_code == CLI_DONE && options->why_not != NULL)
        mapping.exit_code = explain_why_not(&mapping, NULL, false);
    if (mapping.exit_code == CLI_DONE && options->pareto != NULL) {
        mapping.exit_code = map_front(&mapping);
    } else if (mapping.exit_code == CLI_DONE) {
        make_tasks(&mapping);
        run_tasks(&mapping);
        mapping.exit_code = cli_worse(mapping.exit_code,
                options->why_not != NULL ? explain_why_not(&mapping, mapping.tasks[0].result, true)
                                         : write_report(&mapping));
    }
    for (int i = 0; i < mapping.n_tasks; i++)
        sator_map_result_free(mapping.tasks[i].result);
    free(mapping.tasks);
    sator_network_free(mapping.network);
    sator_arch_free(mapping.arch);
    sator_ctx_free(mapping.ctx);
    return mapping.exit_code;
}
