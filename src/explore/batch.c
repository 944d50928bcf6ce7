#include "explore/batch.h"

#include "base/json.h"

#include <string.h>

const struct explore_part *batch_part(const struct sator_exploration *exploration, uint64_t number,
        uint64_t *first, uint64_t *points)
{
    int low = 0, high = exploration->n_parts - 1;

    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (exploration->parts[middle].first_batch <= number)
            low = middle;
        else
            high = middle - 1;
    }
    while (exploration->parts[low].n_batches == 0)
        low--; /* a part without points shares its first batch's number with the one after it */
    const struct explore_part *part = &exploration->parts[low];
    uint64_t offset = (number - part->first_batch) * part->batch_points;
    *first = part->first + offset;
    *points =
            part->points - offset < part->batch_points ? part->points - offset : part->batch_points;
    return part;
}

/* ---- evaluating ---- */

void batch_count_rule(struct sator_arena *arena, int *n_rules, struct batch_rule **rules,
        const char *name, uint64_t points)
{
    for (int i = 0; i < *n_rules; i++) {
        if (strcmp((*rules)[i].name, name) == 0) {
            (*rules)[i].points += points;
            return;
        }
    }
    struct batch_rule made = {sator_arena_strdup(arena, name), points};
    SATOR_PUSH(arena, *rules, *n_rules, made);
}

/* "where", or when it is for want of a figure that a result is refused, "no_figure.energy". */
static void count_refused(struct batch *batch, const struct sator_exploration *exploration,
        int unknown, uint64_t points)
{
    const char *rule = unknown < 0 ? "where"
                                   : sator_arena_printf(batch->arena, "no_figure.%s",
                                             explore_unknown_name(&exploration->names, unknown));

    batch_count_rule(batch->arena, &batch->n_rules, &batch->rules, rule, points);
}

/* The memories' cuts as JSON. */
static const char *write_cuts(struct sator_arena *arena, const struct sator_result *result)
{
    struct sator_text text = {0};
    struct sator_json json = {.text = &text, .spaced = true};

    sator_json_open(&json, NULL, '[');
    for (int i = 0; i < result->n_levels; i++) {
        const struct sator_level_result *level = &result->levels[i];
        sator_json_open(&json, NULL, '{');
        sator_json_text(&json, "level", level->name);
        sator_json_small(&json, "time", level->time_cut);
        sator_json_small(&json, "space", level->space_cut);
        sator_json_bool(&json, "derived", !level->cut_declared);
        sator_json_close(&json, '}');
    }
    sator_json_close(&json, ']');
    return sator_text_keep(&text, arena);
}

static void add_row(struct batch *batch, const struct sator_exploration *exploration, int layer,
        uint64_t point, const struct sator_result *result, const struct sator_map_result *mapping)
{
    const struct explore_family *family = &exploration->families[batch->part->family];
    const struct sator_workload *workload = family->workloads[layer];
    const struct sator_arch *arch = exploration->hardware[batch->part->hardware].arch;
    struct batch_row row = {0};
    struct explore_tensor tensors[64];
    struct explore_value figures[EXPLORE_MOST_FIGURES];

    row.record.tensors = result->n_tensors <= 64
            ? tensors
            : SATOR_NEW_ARRAY(batch->arena, struct explore_tensor, result->n_tensors);
    explore_record_set(&row.record, result, sator_arch_area(arch));
    row.record.n_figures = exploration->names.n_figures;
    row.record.figures = figures;
    for (int i = 0; i < row.record.n_figures; i++)
        figures[i] = explore_figure_value(exploration->names.figures[i], result, arch);
    for (int i = 0; i < row.record.n_tensors; i++)
        row.record.tensors[i].name = workload->accesses[i].tensor;
    row.record.layer = family->layers[layer];
    row.record.hardware = batch->part->hardware;
    row.record.point = point;
    if (exploration->where != NULL && !explore_expression_holds(exploration->where, &row.record)) {
        count_refused(
                batch, exploration, explore_expression_unknown(exploration->where, &row.record), 1);
        return;
    }
    row.record.tensors = sator_arena_copy(
            batch->arena, row.record.tensors, sizeof *tensors * (size_t)row.record.n_tensors);
    row.record.figures =
            sator_arena_copy(batch->arena, figures, sizeof *figures * (size_t)row.record.n_figures);
    row.space = sator_arena_strdup(batch->arena, result->space);
    row.time = sator_arena_strdup(batch->arena, result->time);
    row.bound_by = sator_arena_strdup(batch->arena, result->bound_by);
    row.cuts = write_cuts(batch->arena, result);
    if (mapping != NULL)
        row.loops = sator_arena_strdup(batch->arena, mapping->yaml);
    SATOR_PUSH(batch->arena, batch->rows, batch->n_rows, row);
}

/* One point, all layers. Nothing is kept of it when one of them is interrupted. */
static enum sator_status evaluate_point(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct explore_evaluator *evaluator,
        struct batch *batch, uint64_t index)
{
    const struct explore_family *family = &exploration->families[batch->part->family];
    int n_rows = batch->n_rows;
    struct space_point point;

    sator_space_point(batch->part->space, index, &point);
    const char *rule = sator_space_rule(batch->part->space, index, &point);
    for (int i = 0; i < family->n_layers && rule == NULL; i++) {
        const struct sator_result *result = NULL;
        enum sator_status st = explore_evaluate_next(ctx, evaluator, index, i, &rule, &result);
        if (st != SATOR_OK) {
            batch->n_rows = n_rows;
            return st;
        }
        if (rule == NULL)
            add_row(batch, exploration, i, index, result, NULL);
    }
    if (rule != NULL) {
        batch->n_rows = n_rows; /* a dataflow that some layer cannot have is none of the family's */
        batch_count_rule(batch->arena, &batch->n_rules, &batch->rules, rule, 1);
    }
    return SATOR_OK;
}

/* One layer's mapping. That there is none is an answer: nobody hears what the mapper says to it. */
static enum sator_status evaluate_mapping(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct batch *batch, uint64_t index)
{
    struct sator_map_result *mapping = NULL;
    struct sator_result *result = NULL;
    struct sator_hush before;
    const char *rule = NULL;

    sator_ctx_hush(ctx, &before);
    enum sator_status st =
            explore_map(ctx, exploration, batch->part, index, &rule, &mapping, &result);
    sator_ctx_unhush(ctx, &before);
    if (st == SATOR_OK && rule == NULL)
        add_row(batch, exploration, (int)index, index, result, mapping);
    else if (st == SATOR_OK)
        batch_count_rule(batch->arena, &batch->n_rules, &batch->rules, rule, 1);
    sator_map_result_free(mapping);
    sator_result_free(result);
    return st;
}

struct batch *batch_evaluate(struct sator_ctx *ctx, const struct sator_exploration *exploration,
        uint64_t number, uint64_t done)
{
    struct sator_arena *arena = sator_arena_new();
    struct batch *batch = SATOR_NEW(arena, struct batch);
    uint64_t first, points;

    *batch = (struct batch){.arena = arena, .number = number};
    batch->part = batch_part(exploration, number, &first, &points);
    int n_layers = exploration->families[batch->part->family].n_layers;
    batch->first = first + done;
    if (batch->part->unwanted) {
        batch->points = points - done;
        count_refused(batch, exploration, batch->part->unknown,
                batch->points * (batch->part->space == NULL ? 1 : (uint64_t)n_layers));
        return batch;
    }
    struct explore_evaluator *evaluator =
            batch->part->space == NULL ? NULL : explore_evaluator_new(exploration, batch->part);
    while (batch->points < points - done && batch->status == SATOR_OK) {
        uint64_t index = batch->first + batch->points;
        sator_work_begin(ctx);
        if (sator_work(ctx, 0) != SATOR_OK)
            batch->status = SATOR_INTERRUPTED;
        else if (batch->part->space == NULL)
            batch->status = evaluate_mapping(ctx, exploration, batch, index);
        else
            batch->status = evaluate_point(ctx, exploration, evaluator, batch, index);
        batch->points += batch->status == SATOR_OK;
    }
    explore_evaluator_free(evaluator);
    return batch;
}

void batch_free(struct batch *batch)
{
    if (batch != NULL)
        sator_arena_free(batch->arena);
}
