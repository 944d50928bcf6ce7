/* Many points of a plan, as columns of figures. */
#include "sator/plan.h"

#include "api/plan.h"
#include "base/arguments.h"
#include "base/context.h"
#include "model/families.h"
#include "report/report.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* A column's figure, found once for all points: their results differ in numbers alone. */
struct figure {
    struct sort_key key;
    int tensor; /* whose figure it is, among those of a result; -1: of the result */
    bool is_count;
    struct sator_column column;
};

/* The tensor that the figure is of, by the labels that reports use; -1: there is none. */
static int find_tensor(struct sator_arena *arena, const struct sator_workload *workload,
        const struct sort_key *key)
{
    struct sator_tensor_result *tensors =
            SATOR_NEW_ARRAY(arena, struct sator_tensor_result, workload->n_accesses + 1);
    const struct sator_result names = {.n_tensors = workload->n_accesses, .tensors = tensors};

    for (int i = 0; i < workload->n_accesses; i++)
        tensors[i] = (struct sator_tensor_result){
                .name = workload->accesses[i].tensor, .role = workload->accesses[i].role};
    for (int i = 0; i < workload->n_accesses; i++) {
        if (strcmp(report_tensor_label(arena, &names, i), key->tensor) == 0)
            return i;
    }
    return -1;
}

/* Set all of "figure" but its column. */
static enum sator_status find_figure(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_plan *plan, const char *name, struct figure *figure)
{
    static const struct sator_result zeros;
    static const struct sator_tensor_result no_words;
    const struct sator_workload *workload = plan->question.workload;
    enum sator_status st = report_figure_key(ctx, arena, name, &figure->key);

    figure->tensor = -1;
    if (st != SATOR_OK)
        return st;
    if (figure->key.field == NULL) {
        figure->is_count = figure->key.metric->of_result(&zeros).kind == VALUE_COUNT;
        return SATOR_OK;
    }
    figure->is_count = figure->key.field->of_tensor(&no_words).kind == VALUE_COUNT;
    figure->tensor = find_tensor(arena, workload, &figure->key);
    if (figure->tensor >= 0)
        return SATOR_OK;
    return sator_misuse(
            ctx, "'%s' has no tensor '%s' (%s)", workload->name, figure->key.tensor, name);
}

enum sator_figure_kind sator_plan_figure_kind(const struct sator_plan *plan, const char *figure)
{
    SATOR_CALL(NULL, return SATOR_FIGURE_NONE)
    struct sator_arena *arena = sator_arena_new();
    struct figure found;
    enum sator_figure_kind kind = SATOR_FIGURE_NONE;

    if (plan != NULL && figure != NULL &&
            find_figure(NULL, arena, plan, figure, &found) == SATOR_OK)
        kind = found.is_count ? SATOR_FIGURE_COUNT : SATOR_FIGURE_NUMBER;
    sator_arena_free(arena);
    return kind;
}

static enum sator_status read_columns(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_plan *plan, int n_columns, const struct sator_column *columns,
        struct figure *figures)
{
    const char *next = (const char *)columns; /* by the caller's size: its struct may be larger */

    for (int i = 0; i < n_columns; i++) {
        struct figure *figure = &figures[i];
        size_t size;
        SATOR_OPTIONS(ctx, next, figure->column);
        memcpy(&size, next, sizeof size);
        next += size == 0 ? sizeof *columns : size;
        SATOR_NEEDS(ctx, figure->column.figure != NULL);
        enum sator_status st = find_figure(ctx, arena, plan, figure->column.figure, figure);
        if (st != SATOR_OK)
            return st;
        SATOR_NEEDS(ctx, (figure->column.numbers == NULL) != (figure->column.counts == NULL));
        if (figure->column.counts != NULL && !figure->is_count)
            return sator_misuse(
                    ctx, "'%s' is no count, and counts are asked for", figure->column.figure);
    }
    return SATOR_OK;
}

static struct value value_of(const struct figure *figure, const struct sator_result *result)
{
    return figure->tensor < 0 ? figure->key.metric->of_result(result)
                              : figure->key.field->of_tensor(&result->tensors[figure->tensor]);
}

/* Put the figures of "result" into place "point" of the columns. */
static enum sator_status store(struct sator_ctx *ctx, const struct sator_result *result,
        int64_t point, int n_figures, const struct figure *figures)
{
    for (int i = 0; i < n_figures; i++) {
        const struct sator_column *column = &figures[i].column;
        struct value value = value_of(&figures[i], result);
        if (column->numbers != NULL)
            column->numbers[point] = value.kind == VALUE_COUNT ? (double)value.count
                    : value.kind == VALUE_NUMBER               ? value.number
                                                               : NAN;
        else if (!sator_int_get(&value.count, &column->counts[point])) {
            sator_error(ctx, (struct sator_loc){0}, "'%s' of point %lld does not fit into 64 bits",
                    column->figure, (long long)point);
            return SATOR_OVERFLOW;
        }
    }
    return SATOR_OK;
}

static void leave_out(int64_t point, int n_figures, const struct figure *figures)
{
    for (int i = 0; i < n_figures; i++) {
        if (figures[i].column.numbers != NULL)
            figures[i].column.numbers[point] = NAN;
        else
            figures[i].column.counts[point] = -1;
    }
}

/* ---- points ---- */

enum {
    MOST_SORTED = 1 << 18 /* points that are sorted into families at a time */
};

struct points {
    struct sator_ctx *ctx;
    const struct sator_plan *plan;
    struct sator_workspace *workspace;
    int n_loops;
    const int64_t *extents;
    int n_figures;
    const struct figure *figures;
    bool *is_valid; /* or NULL */
    int64_t at;
};

/* Evaluate with messages that are forgotten. */
static enum sator_status evaluate_hushed(const struct points *points, const int64_t *extents,
        struct sator_family *family, const struct sator_result **result)
{
    struct sator_hush before;

    sator_ctx_hush(points->ctx, &before);
    enum sator_status st = sator_plan_evaluate_in(
            points->ctx, points->plan, points->workspace, extents, family, result);
    sator_ctx_unhush(points->ctx, &before);
    return st;
}

/* The point by what its family knows, or else by itself; where it is wrong and may be, what it has
 * to say is forgotten. */
static enum sator_status evaluate(const struct points *points, const int64_t *extents,
        struct sator_family *family, const struct sator_result **result)
{
    enum sator_status st = SATOR_OK;

    if (family != NULL) {
        st = evaluate_hushed(points, extents, family, result);
        if (st == SATOR_OK || st == SATOR_INTERRUPTED)
            return st;
    }
    if (points->is_valid != NULL)
        return evaluate_hushed(points, extents, NULL, result);
    return sator_plan_evaluate_in(
            points->ctx, points->plan, points->workspace, extents, NULL, result);
}

static enum sator_status evaluate_point(struct points *points, struct sator_family *family)
{
    const int64_t *extents = &points->extents[points->at * points->n_loops];
    const struct sator_result *result;
    enum sator_status st = evaluate(points, extents, family, &result);

    if (points->is_valid != NULL)
        points->is_valid[points->at] = st == SATOR_OK;
    if (st == SATOR_OK)
        return store(points->ctx, result, points->at, points->n_figures, points->figures);
    if (points->is_valid == NULL || st == SATOR_INTERRUPTED)
        return st;
    leave_out(points->at, points->n_figures, points->figures);
    return SATOR_OK;
}

/* The points up to "end", of which those of a family share what they count. */
static enum sator_status evaluate_some(struct points *points, int64_t end)
{
    const int64_t first = points->at;
    const int64_t *extents = &points->extents[first * points->n_loops];
    struct sator_families *families = sator_plan_binds(points->plan)
            ? NULL
            : sator_families_new(points->ctx, points->plan->model, &points->plan->question,
                      end - first, extents);
    enum sator_status st = SATOR_OK;

    for (; points->at < end; points->at++) {
        int64_t i = points->at - first;
        sator_work_begin(points->ctx); /* the limit that a point met is not the next one's */
        SATOR_TRY(sator_work(points->ctx, 0)); /* a point may be too short to look at a cancel */
        SATOR_TRY(evaluate_point(
                points, sator_families_take(families, i, &extents[i * points->n_loops])));
    }
done:
    sator_families_free(families);
    return st;
}

enum sator_status sator_plan_evaluate_points(struct sator_ctx *ctx, const struct sator_plan *plan,
        struct sator_workspace *workspace, int64_t n_points, const int64_t *extents, int n_columns,
        const struct sator_column *columns, bool *is_valid, int64_t *n_done)
{
    SATOR_NEEDS(ctx, plan != NULL && workspace != NULL && (extents != NULL || n_points == 0));
    SATOR_CALL(ctx, return sator_workspace_abandon(workspace))
    SATOR_NUMBER(ctx, n_points, 0, INT64_MAX);
    SATOR_NUMBER(ctx, n_columns, 0, INT_MAX);
    SATOR_NEEDS(ctx, columns != NULL || n_columns == 0);
    struct sator_arena *arena = sator_arena_new();
    struct figure *figures = SATOR_NEW_ARRAY(arena, struct figure, n_columns + 1);
    struct points points = {.ctx = ctx,
            .plan = plan,
            .workspace = workspace,
            .n_loops = sator_plan_loop_count(plan),
            .extents = extents,
            .n_figures = n_columns,
            .figures = figures,
            .is_valid = is_valid};
    enum sator_status st = read_columns(ctx, arena, plan, n_columns, columns, figures);

    while (points.at < n_points && st == SATOR_OK) {
        int64_t left = n_points - points.at;
        st = evaluate_some(&points, points.at + (left < MOST_SORTED ? left : MOST_SORTED));
    }
    if (n_done != NULL)
        *n_done = points.at;
    sator_arena_free(arena);
    return st;
}
