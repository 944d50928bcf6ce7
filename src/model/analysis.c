#include "model/model.h"

#include "base/text.h"
#include "model/analysis.h"
#include "model/legal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks ---- */

static enum sator_status check_space(struct analysis *analysis)
{
    int wanted = sator_arch_space_dims(analysis->arch);
    int given = analysis->dataflow->space->n_out;

    if (given == wanted)
        return SATOR_OK;
    sator_error(analysis->ctx, analysis->dataflow->space_loc,
            "the space-stamp has %d dimension%s, the arrays of '%s' have %d", given,
            given == 1 ? "" : "s", analysis->arch->name, wanted);
    struct sator_text text = {0};
    for (int i = 0; i < wanted; i++)
        sator_text_add(&text, "%s%lld", i == 0 ? "" : "x", (long long)analysis->shape[i]);
    if (wanted > 0)
        sator_help(analysis->ctx, "the array is %s", text.data);
    else
        sator_help(analysis->ctx, "it has no array: its space-stamp is empty, 'PE[]'");
    sator_text_clear(&text);
    return SATOR_INPUT;
}

/* The stamp of an instance, "PE[8, 0]"; nothing for a map that is no plain function. */
static void write_stamp(
        struct sator_text *text, const struct sator_relation *map, const int64_t *instance)
{
    const struct sator_piece *piece = sator_relation_function(map);

    if (piece == NULL)
        return;
    sator_text_add(text, "%s[", map->out_name);
    for (int i = 0; i < map->n_out; i++) {
        int64_t value = 0;
        sator_expr_value(piece->out[i], instance, &value);
        sator_text_add(text, "%s%lld", i == 0 ? "" : ", ", (long long)value);
    }
    sator_text_add(text, "]");
}

/* Where the first coordinate that leaves the array in "instance" is said. */
static struct sator_loc outside_loc(const struct analysis *analysis, const int64_t *instance)
{
    const struct sator_piece *piece = sator_relation_function(analysis->dataflow->space);

    for (int d = 0; piece != NULL && d < analysis->n_space; d++) {
        int64_t value = 0;
        sator_expr_value(piece->out[d], instance, &value);
        if (value < 0 || value >= analysis->shape[d])
            return sator_dataflow_dim_loc(analysis->dataflow, d);
    }
    return analysis->dataflow->space_loc;
}

static enum sator_status check_inside(struct analysis *analysis)
{
    int64_t *instance = SATOR_NEW_ARRAY(analysis->arena, int64_t, analysis->workload->n_loops + 1);
    sator_int found;
    enum sator_status st = analysis_ask(analysis, QUESTION_OUTSIDE, 1, instance, &found);

    if (st != SATOR_OK || !found)
        return st;
    struct sator_text text = {0};
    legal_write_instance(&text, analysis->workload, instance);
    sator_text_add(&text, " runs on ");
    write_stamp(&text, analysis->dataflow->space, instance);
    sator_text_add(&text, ", outside the ");
    for (int i = 0; i < analysis->n_space; i++)
        sator_text_add(&text, "%s%lld", i == 0 ? "" : "x", (long long)analysis->shape[i]);
    sator_error(analysis->ctx, outside_loc(analysis, instance), "%s array of '%s'", text.data,
            analysis->arch->name);
    sator_help(analysis->ctx, "every coordinate must be at least 0 and below the array's extent");
    sator_text_clear(&text);
    return SATOR_INPUT;
}

/* The most instances in a stamp, against what a PE can do. */
static enum sator_status check_per_stamp(struct analysis *analysis)
{
    const struct sator_level *compute = sator_arch_compute_level(analysis->arch);
    int64_t limit = compute == NULL ? 0 : compute->compute.per_stamp;
    int64_t *instance = SATOR_NEW_ARRAY(analysis->arena, int64_t, analysis->workload->n_loops + 1);
    sator_int most = 1;

    if (analysis->result->instances != analysis->result->stamps) {
        enum sator_status st = analysis_ask(analysis, QUESTION_MOST, 1, instance, &most);
        if (st != SATOR_OK)
            return st;
    }
    analysis->result->max_instances_per_stamp = most;
    if (limit == 0 || most <= limit)
        return SATOR_OK;
    struct sator_text text = {0};
    char number[48];
    legal_write_instance(&text, analysis->workload, instance);
    sator_text_add(&text, " shares the stamp ");
    write_stamp(&text, analysis->dataflow->space, instance);
    sator_text_add(&text, " ");
    write_stamp(&text, analysis->dataflow->time, instance);
    sator_error(analysis->ctx, analysis->dataflow->time_loc,
            "%s instances run on one PE in one stamp, '%s' can do %lld: %s",
            sator_int_format(most, ',', number), compute->name, (long long)limit, text.data);
    sator_help(analysis->ctx,
            "add the loops that share the stamp to the time-stamp, or raise per_stamp");
    sator_text_clear(&text);
    return SATOR_INPUT;
}

/* ---- steps ---- */

static enum sator_status count_stamps(struct analysis *analysis)
{
    struct sator_stamp_counts counts;
    sator_int numbers[QUESTION_STAMP_COUNTS];
    struct sator_result *result = analysis->result;
    enum sator_status st;

    SATOR_TRY(check_inside(analysis));
    SATOR_TRY(analysis_ask(analysis, QUESTION_STAMPS, QUESTION_STAMP_COUNTS, NULL, numbers));
    question_take_stamps(numbers, &counts);
    if (counts.instances == 0)
        return sator_error(analysis->ctx, analysis->workload->loc,
                "the iteration domain of '%s' is empty", analysis->workload->name);
    result->instances = counts.instances;
    result->stamps = counts.stamps;
    result->time_stamps = counts.time_stamps;
    result->active_pes = counts.active_pes;
    result->max_active_pes = counts.max_active_pes;
    SATOR_TRY(check_per_stamp(analysis));
done:
    return st;
}

const struct sator_link_volume *analysis_link_volumes(struct analysis *analysis,
        const struct sator_model_network *network, const struct sator_volumes *volumes)
{
    struct sator_link_volume *links = SATOR_NEW_ARRAY(
            analysis->arena, struct sator_link_volume, network->n_links + network->n_buses + 1);

    for (int i = 0; i < network->n_links; i++)
        links[i] = (struct sator_link_volume){network->names[i], volumes->by_link[i]};
    for (int i = 0; i < network->n_buses; i++)
        links[network->n_links + i] = (struct sator_link_volume){
                network->names[network->n_links + i], volumes->by_bus[i]};
    return links;
}

static void fill_tensor(struct analysis *analysis, const struct transfer *transfer)
{
    const struct sator_access *access = &analysis->workload->accesses[transfer->access];
    const struct sator_model_network *network = transfer->network;
    const struct sator_volumes *volumes = &transfer->volumes;
    struct sator_tensor_result *tensor = &analysis->tensors[transfer->access];

    *tensor = (struct sator_tensor_result){.name = analysis->model->tensors[transfer->access],
            .role = access->role,
            .word_bits = access->word_bits,
            .access_volume = volumes->access,
            .total_volume = volumes->total,
            .temporal_reuse = volumes->temporal,
            .spatial_reuse = volumes->spatial,
            .reuse_volume = volumes->temporal + volumes->spatial,
            .unique_volume = volumes->unique,
            .footprint = volumes->footprint,
            .partial_sum_reads =
                    access->role == SATOR_WRITE ? volumes->unique - volumes->footprint : 0,
            .reuse_factor = (double)volumes->access / (double)volumes->unique,
            .n_links = network->n_links + network->n_buses,
            .links = analysis_link_volumes(analysis, network, volumes)};
}

static enum sator_status count_tensors(struct analysis *analysis)
{
    enum sator_status st = SATOR_OK;
    int n = analysis->workload->n_accesses;

    analysis->tensors = SATOR_NEW_ARRAY(analysis->arena, struct sator_tensor_result, n + 1);
    analysis->full = SATOR_NEW_ARRAY(analysis->arena, const struct transfer *, n + 1);
    for (int i = 0; i < n; i++) {
        const struct transfer_end end = analysis_full_end(analysis, i);
        SATOR_TRY(analysis_transfer(analysis, &end, -1, i, NULL, &analysis->full[i]));
        fill_tensor(analysis, analysis->full[i]);
    }
    analysis->result->n_tensors = n;
    analysis->result->tensors = analysis->tensors;
done:
    return st;
}

/* Which engine answered, over all prefixes. */
static void note_engines(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;

    for (int i = 0; i < analysis->n_counters; i++) {
        const char *engine = sator_counter_engine(analysis->counters[i].counter);
        const char *declined = sator_counter_declined(analysis->counters[i].counter);
        if (result->engine == NULL)
            result->engine = engine;
        else if (engine != NULL && strcmp(result->engine, engine) != 0)
            result->engine = "mixed";
        if (result->declined == NULL && declined != NULL)
            result->declined = sator_arena_strdup(analysis->arena, declined);
    }
}

static enum sator_status run(struct analysis *analysis)
{
    enum sator_status st;

    SATOR_TRY(check_space(analysis));
    SATOR_TRY(analysis_check_placement(analysis));
    SATOR_TRY(count_stamps(analysis));
    SATOR_TRY(analysis_check_order(analysis));
    SATOR_TRY(count_tensors(analysis));
    if (analysis->model->choice == SATOR_MODEL_TENET) {
        SATOR_TRY(analysis_tenet(analysis));
        note_engines(analysis);
        return SATOR_OK;
    }
    SATOR_TRY(analysis_cuts(analysis));
    SATOR_TRY(analysis_levels(analysis));
    SATOR_TRY(analysis_ports(analysis));
    analysis_metrics(analysis);
    if (analysis->options->timing == SATOR_TIMING_SCHEDULED)
        SATOR_TRY(analysis_timing(analysis));
    if (isnan(analysis->result->scheduled_cycles))
        analysis_name_wires(analysis);
    SATOR_TRY(analysis_control(analysis));
    SATOR_TRY(analysis_finish_energy(analysis));
    SATOR_TRY(analysis_expected(analysis));
    note_engines(analysis);
done:
    return st;
}

enum sator_status sator_model_evaluate(struct sator_ctx *ctx, const struct sator_model *model,
        struct sator_workspace *workspace, const struct sator_model_question *question,
        struct sator_arena *arena, struct sator_result **result)
{
    const struct sator_bound_dataflow *dataflow = question->dataflow;
    struct sator_result *made = SATOR_NEW(arena, struct sator_result);
    struct analysis analysis = {.ctx = ctx,
            .arena = arena,
            .model = model,
            .workspace = workspace,
            .workload = question->workload,
            .arch = model->arch,
            .dataflow = dataflow,
            .options = question->options,
            .result = made,
            .terms = {.arena = arena},
            .n_space = model->n_space,
            .n_time = dataflow->time->n_out,
            .shape = model->shape,
            .scratchpad = model->scratchpad,
            .overflows = question->overflows,
            .in_order = question->in_order,
            .family = question->family};

    made->size = sizeof *made;
    made->model = model->choice == SATOR_MODEL_TENET ? "tenet" : "sator";
    made->timing = "roofline";
    made->workload = model->workload_name;
    made->arch = model->arch_name;
    made->dataflow = question->name;
    made->space = question->space;
    made->time = question->time;
    if (dataflow->ragged != NULL)
        made->ragged = sator_arena_strdup(arena, dataflow->ragged);
    made->clock_mhz = model->arch->clock_mhz;
    made->area_um2 = model->area_um2;
    made->expected_energy_pj = NAN;
    made->expected_cycles = NAN;
    analysis.footprints = SATOR_NEW_ARRAY(arena, sator_int, question->workload->n_accesses + 1);
    for (int i = 0; question->footprints != NULL && i < question->workload->n_accesses; i++)
        analysis.footprints[i] = question->footprints[i];
    enum sator_status st = run(&analysis);
    for (int i = 0; i < analysis.n_counters; i++)
        sator_counter_stop(analysis.counters[i].counter);
    if (st == SATOR_OK)
        *result = made;
    return st;
}

enum sator_status sator_model_analyze(struct sator_ctx *ctx, const struct sator_workload *workload,
        const struct sator_arch *arch, const struct sator_bound_dataflow *dataflow,
        const struct sator_analyze_options *options, struct sator_result **result)
{
    static const struct sator_analyze_options defaults = {0};
    struct sator_arena *arena = sator_arena_new();
    struct sator_workspace *workspace = sator_workspace_own();
    struct sator_model_question question = {.workload = workload,
            .dataflow = dataflow,
            .options = options == NULL ? &defaults : options};
    const struct sator_model *model;
    struct sator_result *made;
    enum sator_status st;

    SATOR_TRY(sator_model_new(ctx, arena, workload, arch, question.options->model, &model));
    sator_model_describe(arena, &question);
    SATOR_TRY(sator_model_evaluate(ctx, model, workspace, &question, arena, &made));
    made->arena = arena;
    *result = made;
done:
    sator_workspace_free(workspace);
    if (st != SATOR_OK)
        sator_arena_free(arena);
    return st;
}
