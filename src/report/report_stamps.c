/* --show stamps: which PE holds which elements when, as in Figure 3 of the TENET paper: a row a
 * time-stamp, a column a PE that is ever used. For small cases: the pairs are enumerated. */
#include "base/arguments.h"
#include "base/checked.h"
#include "base/context.h"
#include "model/model.h"
#include "report/stamping.h"

#include <isl/val.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    ELEMENTS_PER_CELL = 64
};

/* The element that one access holds in one stamp: its coordinates are PE, then T, then the
 * element's. */
struct pair {
    int access, n_coordinates;
    const int64_t *at;
};

struct pairs {
    struct sator_arena *arena;
    int access, n_coordinates; /* of the access that is being read */
    int n_pairs;
    struct pair *pairs;
    bool too_large; /* a coordinate that does not fit */
};

static isl_stat add_pair(isl_point *point, void *user)
{
    struct pairs *pairs = user;
    int64_t *at = SATOR_NEW_ARRAY(pairs->arena, int64_t, pairs->n_coordinates);

    for (int i = 0; i < pairs->n_coordinates; i++) {
        isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, i);
        at[i] = isl_val_get_num_si(value);
        pairs->too_large = pairs->too_large || isl_val_cmp_si(value, at[i]) != 0;
        isl_val_free(value);
    }
    isl_point_free(point);
    SATOR_PUSH(pairs->arena, pairs->pairs, pairs->n_pairs,
            (struct pair){
                    .access = pairs->access, .n_coordinates = pairs->n_coordinates, .at = at});
    return isl_stat_ok;
}

static enum sator_status read_pairs(
        struct sator_ctx *ctx, const struct report_stamping *stamping, struct pairs *pairs)
{
    static const struct sator_loc nowhere;
    const struct sator_workload *workload = stamping->workload;

    for (int i = 0; i < workload->n_accesses; i++) {
        isl_map *map = report_assignment(ctx, stamping, &workload->accesses[i]);
        isl_set *all = isl_set_flatten(isl_map_wrap(map));
        pairs->access = i;
        pairs->n_coordinates = stamping->bound->space->n_out + stamping->bound->time->n_out +
                workload->accesses[i].relation->n_out;
        isl_stat read = isl_set_foreach_point(all, add_pair, pairs);
        isl_set_free(all);
        if (read != isl_stat_ok)
            return sator_bridge_status(ctx);
    }
    if (pairs->too_large)
        return sator_error(ctx, nowhere, "a coordinate does not fit into 64 bits");
    return SATOR_OK;
}

/* ---- the table ---- */

static int compare(const int64_t *a, const int64_t *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

/* Distinct stamps in lexicographic order, from coordinates [first, first + n) of all pairs. */
struct axis {
    int first, n, n_keys;
    const int64_t **keys;
};

static int find(const struct axis *axis, const int64_t *key, bool *found)
{
    int low = 0, high = axis->n_keys;

    while (low < high) {
        int middle = low + (high - low) / 2, order = compare(axis->keys[middle], key, axis->n);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found = false;
    return low;
}

static struct axis axis_of(const struct pairs *pairs, int first, int n)
{
    struct axis axis = {.first = first, .n = n};

    for (int i = 0; i < pairs->n_pairs; i++) {
        const int64_t *key = pairs->pairs[i].at + first;
        bool found;
        int place = find(&axis, key, &found);
        if (found)
            continue;
        SATOR_PUSH(pairs->arena, axis.keys, axis.n_keys, key);
        memmove(axis.keys + place + 1, axis.keys + place,
                sizeof *axis.keys * (size_t)(axis.n_keys - 1 - place));
        axis.keys[place] = key;
    }
    return axis;
}

static void add_tuple(struct sator_text *text, const char *name, const int64_t *at, int n)
{
    sator_text_add(text, "%s[", name);
    for (int i = 0; i < n; i++)
        sator_text_add(text, "%s%lld", i == 0 ? "" : ",", (long long)at[i]);
    sator_text_add(text, "]");
}

static const char *tuple(struct sator_arena *arena, const char *name, const int64_t *at, int n)
{
    struct sator_text text = {0};

    add_tuple(&text, name, at, n);
    const char *copy = report_clean(arena, text.data);
    sator_text_clear(&text);
    return copy;
}

/* The accesses' order, then the elements'. */
static int pair_order(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;

    return a->access != b->access ? a->access - b->access : compare(a->at, b->at, a->n_coordinates);
}

/* Whether "element" is one of the words of "cell". */
static bool holds(const char *cell, const char *element)
{
    size_t length = strlen(element);

    for (const char *at = cell; at != NULL && (at = strstr(at, element)) != NULL; at += length) {
        if ((at == cell || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* The cells, row by row; an element that a stamp both reads and writes is there once. */
static struct sator_text *fill_cells(const struct report_stamping *stamping,
        const struct pairs *pairs, const struct axis *pes, const struct axis *times)
{
    size_t n_cells = (size_t)pes->n_keys * (size_t)times->n_keys;
    struct sator_text *cells = sator_arena_alloc(pairs->arena, sizeof *cells * n_cells);
    bool found;

    qsort(pairs->pairs, (size_t)pairs->n_pairs, sizeof *pairs->pairs, pair_order);
    for (int i = 0; i < pairs->n_pairs; i++) {
        const struct pair *pair = &pairs->pairs[i];
        const struct sator_access *access = &stamping->workload->accesses[pair->access];
        int n_element = access->relation->n_out;
        int row = find(times, pair->at + times->first, &found),
            column = find(pes, pair->at, &found);
        struct sator_text *cell = &cells[(size_t)row * (size_t)pes->n_keys + (size_t)column];
        const char *element = tuple(pairs->arena, access->tensor,
                pair->at + pair->n_coordinates - n_element, n_element);
        if (!holds(cell->data, element))
            sator_text_add(cell, "%s%s", cell->data == NULL ? "" : " ", element);
    }
    return cells;
}

static void write_table(
        struct sator_text *out, const struct report_stamping *stamping, const struct pairs *pairs)
{
    int n_space = stamping->bound->space->n_out, n_time = stamping->bound->time->n_out;
    struct axis pes = axis_of(pairs, 0, n_space), times = axis_of(pairs, n_space, n_time);
    struct sator_text *cells = fill_cells(stamping, pairs, &pes, &times);
    struct table table = {.arena = pairs->arena};

    report_table_column(&table, "time-stamp", "", true);
    for (int c = 0; c < pes.n_keys; c++)
        report_table_column(
                &table, tuple(pairs->arena, stamping->space_name, pes.keys[c], n_space), "", true);
    for (int r = 0; r < times.n_keys; r++) {
        report_table_cell(
                &table, tuple(pairs->arena, stamping->time_name, times.keys[r], n_time), false);
        for (int c = 0; c < pes.n_keys; c++) {
            struct sator_text *cell = &cells[(size_t)r * (size_t)pes.n_keys + (size_t)c];
            report_table_cell(&table,
                    cell->data == NULL ? "-" : sator_arena_strdup(pairs->arena, cell->data), false);
            sator_text_clear(cell);
        }
    }
    report_table_write(out, &table, false);
}

/* Refuse a table that nobody could read, by the exact counts. */
static enum sator_status check_size(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct report_stamping *stamping, const struct sator_arch *arch, int max_cells)
{
    const struct sator_analyze_options options = {.engine = SATOR_ENGINE_AUTO};
    struct sator_result *result = NULL;
    sator_int pairs = 0;
    enum sator_status st;

    SATOR_TRY(
            sator_model_analyze(ctx, stamping->workload, arch, stamping->bound, &options, &result));
    bool fits = true;
    for (int i = 0; i < result->n_tensors && fits; i++)
        fits = sator_add(pairs, result->tensors[i].total_volume, &pairs);
    bool large = !fits || result->time_stamps > max_cells || result->active_pes > max_cells ||
            result->time_stamps * result->active_pes > max_cells;
    if (!large && pairs <= (sator_int)ELEMENTS_PER_CELL * max_cells)
        goto done;
    sator_error(ctx, (struct sator_loc){0},
            "the table of stamps would have %s time-stamps x %s PEs with %s elements, more than %s "
            "cells",
            report_count(arena, result->time_stamps), report_count(arena, result->active_pes),
            fits ? report_count(arena, pairs) : "more than 2^127", report_count(arena, max_cells));
    sator_help(ctx, "make the case smaller (%s sizes.NAME=...), or allow more with %s",
            sator_word(ctx, "sets"), sator_word(ctx, "max_cells"));
    st = SATOR_LIMIT;
done:
    sator_result_free(result);
    return st;
}

enum sator_status sator_report_stamps(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        int max_cells, char **text)
{
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && dataflow != NULL && text != NULL);
    SATOR_NUMBER(ctx, layer, 0, network->n_layers - 1);
    SATOR_NUMBER(ctx, max_cells, 0, INT_MAX);
    enum sator_status st;
    struct sator_arena *arena = sator_arena_new();
    struct report_stamping stamping = {0};
    struct pairs pairs = {.arena = arena};
    struct sator_text out = {0};

    SATOR_TRY(report_stamping_init(ctx, arena, network, layer, arch, dataflow, &stamping));
    SATOR_TRY(check_size(ctx, arena, &stamping, arch, max_cells));
    SATOR_TRY(sator_bridge_begin(ctx));
    SATOR_TRY(read_pairs(ctx, &stamping, &pairs));
    write_table(&out, &stamping, &pairs);
    *text = sator_text_take(&out);
done:
    report_stamping_clear(&stamping);
    sator_arena_free(arena);
    return st;
}
