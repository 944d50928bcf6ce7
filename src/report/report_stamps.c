/* --show stamps: which PE holds which elements when, as in Figure 3 of the TENET paper, and where
 * each comes from: a row a time-stamp, a column a PE that is ever used. */
#include "base/arguments.h"
#include "base/checked.h"
#include "report/window.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the window of a layer ---- */

enum sator_status report_window_trace(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_dataflow *dataflow, const struct sator_result *result,
        const struct sator_report_window *window, struct report_window *trace)
{
    const struct sator_workload *workload = &network->layers[layer];
    const struct sator_model *model;
    const sator_int most = result->time_stamps < INT_MAX / 2 ? result->time_stamps : INT_MAX / 2;
    const struct sator_window wanted = {.n_from = window->n_from,
            .from = window->from,
            .n_stamps = window->n_stamps < most ? window->n_stamps : (int)most,
            .most_words = window->most_words};
    enum sator_status st;

    *trace = (struct report_window){.workload = workload, .arch = arch};
    SATOR_TRY(sator_arch_bind(ctx, arena, arch, dataflow, workload, &trace->bound));
    if (window->n_from > trace->bound->time->n_out) {
        sator_error(ctx, (struct sator_loc){0},
                "the window begins at a time-stamp of %d numbers, those of '%s' have %d",
                window->n_from, trace->bound->name, trace->bound->time->n_out);
        return SATOR_USAGE;
    }
    trace->space_name = trace->bound->space->out_name;
    trace->time_name = trace->bound->time->out_name;
    trace->space_name = trace->space_name == NULL ? "PE" : trace->space_name;
    trace->time_name = trace->time_name == NULL ? "T" : trace->time_name;
    SATOR_TRY(sator_model_new(ctx, arena, workload, arch, SATOR_MODEL_SATOR, &model));
    SATOR_TRY(sator_model_provenance(
            ctx, arena, model, workload, trace->bound, result, &wanted, &trace->is));
done:
    return st;
}

void report_pe(const struct sator_provenance *window, int64_t number, int64_t *pe)
{
    for (int i = window->n_space - 1; i >= 0; i--) {
        pe[i] = number % window->shape[i];
        number /= window->shape[i];
    }
}

void report_element(const struct sator_access_words *words, int64_t number, int64_t *element)
{
    for (int i = words->n_index - 1; i >= 0; i--) {
        element[i] = words->origin[i] + number % words->extents[i];
        number /= words->extents[i];
    }
}

/* ---- the table ---- */

static const char *tuple(struct sator_arena *arena, const char *name, const int64_t *at, int n)
{
    struct sator_text text = {0};

    sator_text_add(&text, "%s[", name);
    for (int i = 0; i < n; i++)
        sator_text_add(&text, "%s%lld", i == 0 ? "" : ",", (long long)at[i]);
    sator_text_add(&text, "]");
    const char *copy = report_clean(arena, text.data);
    sator_text_clear(&text);
    return copy;
}

/* "=": kept in the register; "<east": over that link or bus, or from that memory. What comes from
 * the outermost memory is not marked. */
static void mark(struct sator_text *text, const struct report_window *trace,
        const struct sator_word_source *source, struct sator_arena *arena)
{
    if (source->kind == SATOR_FROM_REGISTER)
        sator_text_add(text, "=");
    else if (source->kind != SATOR_FROM_MEMORY || strcmp(source->name, trace->unmarked) != 0)
        sator_text_add(text, "<%s", report_clean(arena, source->name));
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

static void add_word(struct sator_text *cell, const struct report_window *trace, int access,
        const struct sator_traced_word *word, struct sator_arena *arena)
{
    const struct sator_access_words *words = &trace->is->accesses[access];
    int64_t *element = SATOR_NEW_ARRAY(arena, int64_t, words->n_index + 1);
    struct sator_text text = {0};

    report_element(words, word->element, element);
    sator_text_add(&text, "%s",
            tuple(arena, trace->workload->accesses[access].tensor, element, words->n_index));
    mark(&text, trace, &trace->is->sources[word->source], arena);
    if (!holds(cell->data, text.data)) /* what a stamp both reads and writes is there once */
        sator_text_add(cell, "%s%s", cell->data == NULL ? "" : " ", text.data);
    sator_text_clear(&text);
}

/* The column of each PE that is used, -1 for others; returns how many there are. */
static int find_columns(const struct sator_provenance *window, int *columns)
{
    int n = 0;

    for (int p = 0; p < window->n_pes; p++)
        columns[p] = -1;
    for (int a = 0; a < window->n_accesses; a++) {
        for (int64_t i = 0; i < window->accesses[a].n_words; i++)
            columns[window->accesses[a].words[i].pe] = 0;
    }
    for (int p = 0; p < window->n_pes; p++)
        columns[p] = columns[p] < 0 ? -1 : n++;
    return n;
}

static void write_row(struct sator_grid *table, const struct report_window *trace, int stamp,
        const int *columns, int n_columns)
{
    const struct sator_provenance *window = trace->is;
    struct sator_text *cells = sator_arena_alloc(table->arena, sizeof *cells * (size_t)n_columns);

    for (int a = 0; a < window->n_accesses; a++) {
        const struct sator_access_words *words = &window->accesses[a];
        for (int64_t i = words->starts[stamp]; i < words->starts[stamp + 1]; i++)
            add_word(&cells[columns[words->words[i].pe]], trace, a, &words->words[i], table->arena);
    }
    sator_grid_cell(table,
            tuple(table->arena, trace->time_name, window->stamps + stamp * window->n_time,
                    window->n_time),
            false);
    for (int c = 0; c < n_columns; c++) {
        sator_grid_cell(table,
                cells[c].data == NULL ? "-" : sator_arena_strdup(table->arena, cells[c].data),
                false);
        sator_text_clear(&cells[c]);
    }
}

static void write_table(struct sator_text *out, struct sator_arena *arena,
        const struct report_window *trace, struct look look)
{
    const struct sator_provenance *window = trace->is;
    int *columns = SATOR_NEW_ARRAY(arena, int, window->n_pes + 1);
    int n_columns = find_columns(window, columns);
    int64_t *pe = SATOR_NEW_ARRAY(arena, int64_t, window->n_space + 1);
    struct sator_grid table = {.arena = arena};

    sator_grid_column(&table, "time-stamp", "", true);
    for (int p = 0; p < window->n_pes; p++) {
        report_pe(window, p, pe);
        if (columns[p] >= 0)
            sator_grid_column(
                    &table, tuple(arena, trace->space_name, pe, window->n_space), "", true);
    }
    for (int s = 0; s < window->n_stamps; s++)
        write_row(&table, trace, s, columns, n_columns);
    sator_grid_text(out, &table, look.width, look.color);
    sator_text_add(out, "  = kept in the register, <NAME from there, unmarked from %s\n",
            report_clean(arena, trace->unmarked));
}

/* ---- the size ---- */

enum {
    WORDS_PER_CELL = 64
};

/* Refuse a table that nobody could read, by the exact counts. */
static enum sator_status check_size(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_result *result, int max_cells, int n_stamps)
{
    sator_int words = 0;
    bool fits = true;

    for (int i = 0; i < result->n_tensors && fits; i++)
        fits = sator_add(words, result->tensors[i].total_volume, &words);
    sator_int stamps =
            n_stamps > 0 && n_stamps < result->time_stamps ? n_stamps : result->time_stamps;
    bool large = stamps > max_cells || result->active_pes > max_cells ||
            stamps * result->active_pes > max_cells;
    if (!large && (n_stamps > 0 || (fits && words <= (sator_int)WORDS_PER_CELL * max_cells)))
        return SATOR_OK;
    sator_error(ctx, (struct sator_loc){0},
            "the table of stamps would have %s time-stamps x %s PEs with %s elements, more than %s "
            "cells",
            report_count(arena, stamps), report_count(arena, result->active_pes),
            fits ? report_count(arena, words) : "more than 2^127", report_count(arena, max_cells));
    sator_help(ctx,
            "show a window (%s 'T[...]' with %s), make the case smaller (%s sizes.NAME=...), or "
            "allow more with %s",
            sator_word(ctx, "from"), sator_word(ctx, "stamps"), sator_word(ctx, "sets"),
            sator_word(ctx, "max_cells"));
    return SATOR_LIMIT;
}

enum sator_status sator_report_stamps(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_report_window *window, int max_cells, char **text)
{
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && dataflow != NULL && text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_NUMBER(ctx, layer, 0, network->n_layers - 1);
    SATOR_NUMBER(ctx, max_cells, 0, INT_MAX);
    struct sator_report_window wanted;
    SATOR_OPTIONS(ctx, window, wanted);
    SATOR_NUMBER(ctx, wanted.n_from, 0, wanted.from == NULL ? 0 : INT_MAX);
    SATOR_NUMBER(ctx, wanted.n_stamps, 0, INT_MAX);
    SATOR_NUMBER(ctx, wanted.width, 0, INT_MAX);
    static const struct sator_analyze_options options = {.engine = SATOR_ENGINE_AUTO};
    struct sator_arena *arena = sator_arena_new();
    const struct sator_bound_dataflow *bound = NULL;
    struct sator_result *result = NULL;
    struct report_window trace;
    struct sator_text out = {0};
    enum sator_status st;

    SATOR_TRY(sator_arch_bind(ctx, arena, arch, dataflow, &network->layers[layer], &bound));
    SATOR_TRY(sator_model_analyze(ctx, &network->layers[layer], arch, bound, &options, &result));
    SATOR_TRY(check_size(ctx, arena, result, max_cells, wanted.n_stamps));
    if (wanted.n_stamps == 0)
        wanted.n_stamps = (int)result->time_stamps;
    wanted.most_words = INT64_MAX;
    SATOR_TRY(report_window_trace(
            ctx, arena, network, layer, arch, dataflow, result, &wanted, &trace));
    trace.unmarked = result->n_levels > 0 ? result->levels[0].name : "outside";
    struct look look = {.width = wanted.width};
    write_table(&out, arena, &trace, look);
    *text = report_take(&out, look);
done:
    sator_result_free(result);
    sator_arena_free(arena);
    return st;
}
