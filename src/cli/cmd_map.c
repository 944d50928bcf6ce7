/* sator map: the best mapping of a workload, or of every layer of a network. */
#include "cli/pictures.h"
#include "sator/build.h"
#include "sator/certificate.h"
#include "sator/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The search for one machine; several share the network, which is the first one's. */
struct mapping {
    const struct cli_options *options;
    struct sator_ctx *ctx; /* owns what was read */
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *given; /* of --why-not */
    struct sator_map_options map;
    int layer; /* -1: all of a network */
    int n_tasks;
    struct task {
        struct mapping *mapping;
        int layer, same_as; /* same_as: the task whose result this one shares */
        struct sator_map_result *result;
        struct sator_dataflow *dataflow; /* the mapping, and its analysis: for pages */
        struct sator_result *analysis;
        char *certificate; /* or NULL */
        bool is_uncertified; /* though it was asked for */
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
    if (options->arch.count == 0)
        return cli_usage(options, "no accelerator was named: --arch ARCH (sator list archs)");
    if (options->objective != NULL && choice(options->objective, objectives, 3) == 0 &&
            strcmp(options->objective, "edp") != 0)
        return cli_usage(options, "--objective '%s': a mapping minimises edp, energy or latency",
                options->objective);
    mapping->map = (struct sator_map_options){
            .objective = (enum sator_map_objective)choice(options->objective, objectives, 3),
            .strategy = (enum sator_map_strategy)choice(options->strategy, strategies, 4),
            .constraints = options->constraints.items,
            .n_constraints = options->constraints.count,
            .imperfect = options->imperfect,
            .seed = (uint64_t)options->random_seed,
            .samples = (uint64_t)options->random_samples,
            .top_down = choice(options->direction, directions, 2) == 1,
            .intra_order = choice(options->intra_order, intra, 3),
            .timing = cli_timing(options)};
    return cli_read_budget(options, &mapping->map.budget_seconds);
}

/* An option that nothing would read. */
static int refuse_void(const struct cli_options *options)
{
    const char *strategy = options->strategy == NULL ? "optimal" : options->strategy;
    bool sunstone = strcmp(strategy, "sunstone") == 0, random = strcmp(strategy, "random") == 0;
    bool is_scheduled = cli_timing(options) == SATOR_TIMING_SCHEDULED;
    const struct cli_void cases[] = {
            {options->show != NULL && !cli_wants_page(options), "show",
                    "stamps and --show relations go with sator analyze, of the mapping that --yaml "
                    "writes"},
            {!sunstone, "direction intra-order", "goes with --strategy sunstone"},
            {!random, "seed samples", "goes with --strategy random"},
            {sunstone, "imperfect", "does not go with --strategy sunstone, whose factors divide"},
            {options->pareto != NULL, "strategy objective yaml why-not certificate",
                    "does not go with --pareto"},
            {is_scheduled && options->pareto != NULL, "timing",
                    "scheduled does not go with --pareto: fronts are of rooflines"},
            {options->why_not != NULL, "json csv yaml html svg show",
                    "does not go with --why-not, which is text"},
            {options->yaml, "json csv html svg show", "does not go with --yaml"},
            {options->pareto != NULL, "html svg show", "does not go with --pareto"},
    };
    int exit_code = cli_check_page(options);

    return exit_code != CLI_DONE ? exit_code
                                 : cli_refuse_void(options, cases, sizeof cases / sizeof *cases);
}

static void load(struct mapping *mapping, enum sator_status status, const char *spec)
{
    cli_print_messages(mapping->ctx);
    mapping->exit_code = cli_worse(mapping->exit_code, cli_status(status, spec));
}

static void load_network(struct mapping *mapping)
{
    struct sator_input_options input = cli_input_options(mapping->options);
    const char *workload = mapping->options->arguments.items[0];

    load(mapping, sator_network_load(mapping->ctx, workload, &input, &mapping->network), workload);
}

static void load_machine(struct mapping *mapping, const char *arch)
{
    struct sator_input_options input = cli_input_options(mapping->options);

    load(mapping, sator_arch_load(mapping->ctx, arch, &input, &mapping->arch), arch);
    if (mapping->exit_code == CLI_DONE)
        load(mapping, sator_check_tensors(mapping->ctx, mapping->network, mapping->arch), arch);
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

/* What another program can check of a result; why there is none is a message. */
static void certify(struct sator_ctx *ctx, struct task *task, const struct sator_map_options *map)
{
    const struct mapping *mapping = task->mapping;
    struct sator_certificate_count count;

    task->is_uncertified =
            sator_certificate_write(ctx, mapping->network, task->layer, mapping->arch, map,
                    task->result, &count, &task->certificate) != SATOR_OK;
    if (task->is_uncertified)
        return;
    task->is_uncertified = count.verified < count.total;
    if (task->is_uncertified)
        fprintf(stderr, "sator: %s: %llu of %llu parts of the certificate are not proved\n",
                sator_network_layer_name(mapping->network, task->layer),
                (unsigned long long)(count.total - count.verified),
                (unsigned long long)count.total);
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
    if (status == SATOR_OK && mapping->options->certificate != NULL)
        certify(ctx, task, &options);
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
        if (jobs[i].status == SATOR_OK) {
            note_stop(mapping, task->result);
            if (task->is_uncertified)
                mapping->exit_code = cli_worse(mapping->exit_code, CLI_LIMIT);
        } else if (jobs[i].status == SATOR_LIMIT || jobs[i].status == SATOR_INFEASIBLE)
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

/* What the searches of one machine found, for the report: different layers, and those without a
 * mapping. */
struct found {
    const struct sator_map_result **results;
    const char **unmapped;
    struct sator_map_network network;
    int n_results;
};

static struct found collect(struct mapping *mapping)
{
    size_t most = (size_t)mapping->n_tasks + 1;
    struct found found = {.results = cli_alloc(sizeof *found.results * most),
            .unmapped = cli_alloc(sizeof *found.unmapped * most)};

    found.network = (struct sator_map_network){
            .name = sator_network_name(mapping->network), .unmapped = found.unmapped};
    for (int i = 0; i < mapping->n_tasks; i++) {
        struct task *task = &mapping->tasks[i];
        if (mapping->tasks[task->same_as].result == NULL)
            found.unmapped[found.network.n_unmapped++] =
                    sator_network_layer_name(mapping->network, task->layer);
        else if (task->same_as == i)
            found.results[found.n_results++] = task->result;
        else
            mapping->tasks[task->same_as].result->repeat += /* shown once, with all repeats */
                    sator_map_layer_repeat(mapping->network, task->layer);
    }
    return found;
}

static void release(struct found *found)
{
    free(found->results);
    free(found->unmapped);
}

static struct sator_report_options report_options(const struct cli_options *options)
{
    return (struct sator_report_options){.format = cli_format(options),
            .schema = cli_schema(options),
            .color = options->output == NULL && cli_color(stdout),
            .width = cli_width(options)};
}

static int write_report(struct mapping *mapping)
{
    const struct cli_options *options = mapping->options;
    const struct sator_report_options report = report_options(options);
    bool is_network = mapping->layer < 0;
    struct found found = collect(mapping);
    int exit_code = CLI_DONE;
    char *text = NULL;

    if (found.n_results > 0 && options->yaml && !is_network) {
        exit_code = cli_write(options, found.results[0]->yaml);
    } else if (found.n_results > 0) {
        sator_report_maps(mapping->ctx, is_network ? &found.network : NULL, found.results,
                found.n_results, &report, &text);
        exit_code = cli_write(options, text);
    }
    free(text);
    release(&found);
    return exit_code;
}

/* The certificates of all layers of all machines, one after the other. */
static int write_certificates(const struct mapping *mappings, int n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int exit_code = CLI_DONE;

    for (int m = 0; out != NULL && m < n; m++) {
        for (int i = 0; i < mappings[m].n_tasks; i++) {
            if (mappings[m].tasks[i].certificate != NULL)
                fputs(mappings[m].tasks[i].certificate, out);
        }
    }
    if (out != NULL)
        fclose(out);
    if (size > 0)
        exit_code = cli_write_to(mappings[0].options, mappings[0].options->certificate, text);
    free(text);
    return exit_code;
}

/* The machines side by side. */
static int write_machines(struct mapping *mappings, int n)
{
    const struct cli_options *options = mappings[0].options;
    const struct sator_report_options report = report_options(options);
    struct sator_map_machine *machines = cli_alloc(sizeof *machines * (size_t)n);
    struct found *found = cli_alloc(sizeof *found * (size_t)n);
    char *text = NULL;

    for (int i = 0; i < n; i++) {
        found[i] = collect(&mappings[i]);
        machines[i] = (struct sator_map_machine){.size = sizeof machines[i],
                .arch = sator_arch_name(mappings[i].arch),
                .is_network = mappings[i].layer < 0,
                .network = &found[i].network,
                .results = found[i].results,
                .n_results = found[i].n_results};
    }
    sator_report_machines(mappings[0].ctx, machines, n, &report, &text);
    int exit_code = cli_write(options, text);
    free(text);
    for (int i = 0; i < n; i++)
        release(&found[i]);
    free(found);
    free(machines);
    return exit_code;
}

/* ---- pages ---- */

/* The task's mapping as a dataflow, and its analysis. */
static enum sator_status analyse(struct mapping *mapping, struct task *task)
{
    const struct sator_analyze_options options = {.timing = mapping->map.timing};
    enum sator_status st = sator_dataflow_parse(
            mapping->ctx, "the best mapping", task->result->yaml, NULL, &task->dataflow);

    if (st == SATOR_OK)
        st = sator_analyze(mapping->ctx, mapping->network, task->layer, mapping->arch,
                task->dataflow, &options, &task->analysis);
    if (st == SATOR_OK)
        st = sator_advise(mapping->ctx, mapping->network, task->layer, mapping->arch,
                task->dataflow, &options, task->analysis);
    return st;
}

static enum sator_status add_tasks(struct mapping *mapping, struct sator_page *page)
{
    enum sator_status st = SATOR_OK;
    bool begun = false;

    for (int i = 0; i < mapping->n_tasks && st == SATOR_OK; i++) {
        struct task *task = &mapping->tasks[i], *same = &mapping->tasks[task->same_as];
        if (same->result == NULL)
            continue;
        if (task->same_as == i)
            st = analyse(mapping, task);
        if (!begun)
            sator_page_add_design(page,
                    same->result->proved ? "best mapping, proved" : "best mapping found", NULL,
                    mapping->arch);
        begun = true;
        if (st == SATOR_OK)
            st = sator_page_add_layer(mapping->ctx, page, mapping->network, task->layer,
                    mapping->layer >= 0 ? 1 : sator_map_layer_repeat(mapping->network, task->layer),
                    same->dataflow, same->analysis);
    }
    return st;
}

/* A page, or a picture, of what was found for all machines. */
static int write_page(struct mapping *mappings, int n)
{
    const struct cli_options *options = mappings[0].options;
    struct sator_report_window window = {0};
    int exit_code = cli_read_window(options, &window);
    struct sator_page *page = NULL;
    enum sator_status st = SATOR_OK;
    bool any = false;

    for (int m = 0; m < n; m++) {
        for (int i = 0; i < mappings[m].n_tasks; i++)
            any |= mappings[m].tasks[i].result != NULL;
    }
    if (exit_code == CLI_DONE && any) {
        page = cli_page_new(mappings[0].ctx, options, &window);
        for (int m = 0; m < n && st == SATOR_OK; m++)
            st = add_tasks(&mappings[m], page);
        cli_print_messages(mappings[0].ctx);
        exit_code = st == SATOR_OK ? cli_page_write(mappings[0].ctx, options, page)
                                   : cli_status(st, "page");
    }
    sator_page_free(page);
    cli_window_clear(&window);
    return exit_code;
}

/* ---- the front ---- */

static int map_front(struct mapping *mapping)
{
    const struct cli_options *options = mapping->options;
    const struct sator_report_options report = report_options(options);
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
    if (n_results == 0 && status == SATOR_INTERRUPTED)
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

static int map_network_front(struct mapping *mapping)
{
    const struct cli_options *options = mapping->options;
    const struct sator_report_options report = report_options(options);
    struct sator_map_front *front = NULL;
    char *text = NULL;

    mapping->map.threads = count_threads(options);
    cli_watch(mapping->ctx);
    enum sator_status status = sator_map_network_front(
            mapping->ctx, mapping->network, mapping->arch, &mapping->map, &front);
    cli_unwatch(mapping->ctx);
    cli_print_messages(mapping->ctx);
    if (front == NULL) {
        if (status == SATOR_INTERRUPTED)
            fputs("sator: stopped before every layer had a mapping of its front proved\n", stderr);
        return status == SATOR_LIMIT ? CLI_LIMIT : cli_status(status, options->arguments.items[0]);
    }
    sator_report_network_front(mapping->ctx, front, &report, &text);
    int exit_code = cli_worse(front->stopped == SATOR_INTERRUPTED ? CLI_INTERRUPTED
                    : front->stopped == SATOR_OK                  ? CLI_DONE
                                                                  : CLI_LIMIT,
            cli_write(options, text));
    free(text);
    sator_map_front_free(front);
    return exit_code;
}

/* ---- a given mapping ---- */

/* A first time without "best" and "done": only a mapping that is not legal is said to be so then,
 * and nobody waits for the best. What it is read from may be a pipe, which is read but once. */
static int explain_why_not(struct mapping *mapping, const struct sator_map_result *best, bool done)
{
    const char *spec = mapping->options->why_not;
    struct sator_input_options input = cli_input_options(mapping->options);
    enum sator_status status = SATOR_OK;
    char *text = NULL;

    if (mapping->given == NULL)
        status = sator_dataflow_load(mapping->ctx, spec, &input, &mapping->given);
    if (status == SATOR_OK)
        status = sator_map_why_not(mapping->ctx, mapping->network, mapping->layer, mapping->arch,
                mapping->given, &mapping->map, best, &text);
    cli_print_messages(mapping->ctx);
    int exit_code = cli_status(status, spec);
    if (text != NULL && (done || status == SATOR_INFEASIBLE))
        exit_code = cli_worse(exit_code, cli_write(mapping->options, text));
    free(text);
    return exit_code;
}

/* Energy and latency, in either order. */
static bool is_front(const char *figures)
{
    return strcmp(figures, "energy,latency") == 0 || strcmp(figures, "latency,energy") == 0;
}

/* What several machines, or a whole network, cannot be asked for. */
static int check_scope(const struct mapping *mapping)
{
    const struct cli_options *options = mapping->options;
    const struct cli_void cases[] = {
            {options->arch.count > 1, "yaml why-not pareto", "is about one machine: one --arch"},
            {mapping->layer < 0, "yaml", "prints one mapping: name a --layer too"},
            {mapping->layer < 0, "why-not", "is about one workload: name a --layer too"},
    };

    if (options->pareto != NULL && !is_front(options->pareto))
        return cli_usage(options, "--pareto energy,latency is the front that there is");
    return cli_refuse_void(options, cases, sizeof cases / sizeof *cases);
}

/* ---- what cannot be certified ---- */

/* Where it is not said what latencies are, they are what certificates cover. */
static void choose_timing(struct mapping *mapping)
{
    mapping->map.timing = sator_certificate_timing(
            mapping->ctx, mapping->network, mapping->layer, mapping->arch, &mapping->map);
}

static void note_timing(const struct mapping *mapping)
{
    if (mapping->exit_code == CLI_DONE && mapping->options->certificate != NULL &&
            mapping->options->timing == NULL && mapping->map.timing == SATOR_TIMING_ROOFLINE)
        fprintf(stderr, "sator: note: %s: the certificate is of rooflines, and so are latencies\n",
                sator_arch_name(mapping->arch));
}

/* Whether the layer's mapping may turn out to be covered. A constraint that only certificates do
 * not know may be none at all, which the search says better. */
static bool may_be_certified(const struct mapping *mapping, int layer)
{
    struct sator_map_options plain = mapping->map;

    plain.constraints = NULL;
    plain.n_constraints = 0;
    if (sator_certificate_covers(
                mapping->ctx, mapping->network, layer, mapping->arch, &mapping->map) == SATOR_OK)
        return true;
    if (mapping->map.n_constraints == 0)
        return false;
    free(sator_ctx_take_messages(mapping->ctx, false));
    return sator_certificate_covers(mapping->ctx, mapping->network, layer, mapping->arch, &plain) ==
            SATOR_OK;
}

/* The same of any layer on the machine; if not, why (GIVE: free). */
static bool may_be_certified_anywhere(const struct mapping *mapping, char **why)
{
    int n_layers = sator_network_layer_count(mapping->network);
    bool may = false;

    for (int layer = 0; layer < n_layers && !may; layer++) {
        bool is_asked = mapping->layer < 0 ? sator_map_same_layer(mapping->network, layer) == layer
                                           : layer == mapping->layer;
        may = is_asked && may_be_certified(mapping, layer);
    }
    *why = sator_ctx_take_messages(mapping->ctx, cli_color(stderr));
    return may;
}

/* Before the work of any search: CLI_LIMIT, as after it, where no answer could be certified. */
static int refuse_uncovered(const struct mapping *mappings, int n)
{
    char **why = cli_alloc(sizeof *why * (size_t)n);
    bool may = mappings[0].options->certificate == NULL;

    for (int m = 0; m < n && !may; m++)
        may = may_be_certified_anywhere(&mappings[m], &why[m]);
    for (int m = 0; m < n; m++) {
        bool is_new = m == 0 || why[m] == NULL || strcmp(why[m], why[m - 1]) != 0;
        if (!may && is_new && why[m] != NULL)
            fputs(why[m], stderr);
    }
    for (int m = 0; m < n; m++)
        free(why[m]);
    free(why);
    return may ? CLI_DONE : CLI_LIMIT;
}

/* ---- all of it ---- */

/* The searches and, for one machine, the report. */
static void run_machine(struct mapping *mapping)
{
    const struct cli_options *options = mapping->options;

    if (options->why_not != NULL)
        mapping->exit_code = explain_why_not(mapping, NULL, false);
    if (mapping->exit_code == CLI_DONE && options->pareto != NULL) {
        mapping->exit_code = mapping->layer < 0 ? map_network_front(mapping) : map_front(mapping);
    } else if (mapping->exit_code == CLI_DONE) {
        make_tasks(mapping);
        run_tasks(mapping);
        if (options->why_not != NULL)
            mapping->exit_code = cli_worse(
                    mapping->exit_code, explain_why_not(mapping, mapping->tasks[0].result, true));
        else if (options->arch.count == 1 && !cli_wants_page(options))
            mapping->exit_code = cli_worse(mapping->exit_code, write_report(mapping));
    }
}

/* One machine after the other, each with all threads. */
static int map_machines(struct mapping *mappings, int n)
{
    const struct cli_options *options = mappings[0].options;
    int exit_code = CLI_DONE;

    for (int i = 0; i < n; i++) {
        mappings[i].network = mappings[0].network;
        load_machine(&mappings[i], options->arch.items[i]);
        exit_code = cli_worse(exit_code, mappings[i].exit_code);
    }
    if (exit_code == CLI_DONE)
        exit_code = cli_choose_layer(mappings[0].network, options->layer, &mappings[0].layer);
    if (exit_code == CLI_DONE)
        exit_code = check_scope(&mappings[0]);
    for (int i = 0; i < n && exit_code == CLI_DONE; i++) {
        mappings[i].layer = mappings[0].layer;
        if (options->certificate != NULL)
            choose_timing(&mappings[i]);
    }
    if (exit_code == CLI_DONE)
        exit_code = refuse_uncovered(mappings, n);
    if (exit_code != CLI_DONE)
        return exit_code;
    for (int i = 0; i < n && exit_code != CLI_USAGE && exit_code != CLI_INTERRUPTED; i++) {
        run_machine(&mappings[i]);
        note_timing(&mappings[i]);
        exit_code = cli_worse(exit_code, mappings[i].exit_code);
    }
    return exit_code;
}

int cli_map(const struct cli_options *options)
{
    int n = options->arch.count == 0 ? 1 : options->arch.count;
    struct mapping *mappings = cli_alloc(sizeof *mappings * (size_t)n);
    struct sator_ctx *ctx = cli_ctx_new(options);

    sator_ctx_set_work_limit(ctx, (uint64_t)options->work_limit);
    mappings[0] = (struct mapping){.options = options, .ctx = ctx};
    int exit_code = read_options(&mappings[0]);
    if (exit_code == CLI_DONE)
        exit_code = refuse_void(options);
    if (exit_code == CLI_DONE)
        exit_code = cli_check_archs(options);
    if (exit_code == CLI_DONE) {
        load_network(&mappings[0]);
        exit_code = mappings[0].exit_code;
    }
    for (int i = 1; i < n; i++)
        mappings[i] = mappings[0];
    bool read = exit_code == CLI_DONE;
    if (read)
        exit_code = map_machines(mappings, n);
    if (read && options->certificate != NULL)
        exit_code = cli_worse(exit_code, write_certificates(mappings, n));
    if (read && mappings[0].n_tasks > 0 && cli_wants_page(options))
        exit_code = cli_worse(exit_code, write_page(mappings, n));
    else if (read && n > 1 && mappings[0].n_tasks > 0)
        exit_code = cli_worse(exit_code, write_machines(mappings, n));
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < mappings[i].n_tasks; k++) {
            sator_result_free(mappings[i].tasks[k].analysis);
            sator_dataflow_free(mappings[i].tasks[k].dataflow);
            sator_map_result_free(mappings[i].tasks[k].result);
            free(mappings[i].tasks[k].certificate);
        }
        free(mappings[i].tasks);
        sator_arch_free(mappings[i].arch);
    }
    sator_dataflow_free(mappings[0].given);
    sator_network_free(mappings[0].network);
    sator_ctx_free(ctx);
    free(mappings);
    return exit_code;
}
