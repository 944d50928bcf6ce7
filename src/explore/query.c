/* Choosing rows: filter, order, the first few of every layer, fronts. A selection keeps keys, not
 * rows. */
#include "explore/query.h"

#include "base/arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    int group; /* a layer, or of totals a family */
    int hardware;
    uint64_t point;
    double cost;
};

struct selection {
    struct query_source *source;
    const struct sator_query_options *options;
    const struct explore_expression *where;
    int n_sorts, n_costs;
    struct explore_objective *sorts, *costs; /* --sort; --pareto */
    int layer; /* -1: all */
    bool are_totals; /* rows are sums over layers */
    const struct explore_objective
            *best; /* totals: each layer's best by this; NULL: one dataflow */
    int n_entries, capacity;
    struct entry *entries;
    struct explore_front *fronts; /* one a group */
    struct entry *tried; /* what the fronts' labels mean */
    int n_tried, tried_capacity;
    /* Results that lack a figure, by its number (explore_expression_unknown): left out by --where
     * or --pareto, put last by --sort, chosen last for a layer in a total of each layer's best. */
    uint64_t left_out[EXPLORE_N_FIELDS + EXPLORE_MOST_FIGURES];
    uint64_t put_last[EXPLORE_N_FIELDS + EXPLORE_MOST_FIGURES];
    uint64_t chosen_last[EXPLORE_N_FIELDS + EXPLORE_MOST_FIGURES];
};

/* ---- options ---- */

static bool names_tensors(int n, const struct explore_objective *objectives)
{
    for (int i = 0; i < n; i++) {
        if (explore_expression_names_tensors(objectives[i].expression))
            return true;
    }
    return false;
}

/* Whether choosing among rows takes the volumes of single tensors. */
static bool needs_tensors(const struct selection *s)
{
    return (s->where != NULL && explore_expression_names_tensors(s->where)) ||
            names_tensors(s->n_costs, s->costs) || names_tensors(s->n_sorts, s->sorts);
}

/* Totals have the figures of whole results alone; every layer's own best is by --sort, else by what
 * the exploration was for. */
static enum sator_status set_totals(struct selection *s)
{
    struct query_source *source = s->source;
    struct explore_objective *asked = s->sorts;
    int n = s->n_sorts;
    enum sator_status st = SATOR_OK;

    s->are_totals = s->options->whole_network || s->options->per_hardware;
    if (!s->are_totals)
        return SATOR_OK;
    if (n == 0)
        SATOR_TRY(explore_objectives_read(source->ctx, source->arena, "the objective",
                source->objective, &source->names, &n, &asked));
    if (s->options->per_hardware || source->are_mappings)
        s->best = asked;
    if (needs_tensors(s) || (s->best != NULL && names_tensors(1, s->best)))
        st = sator_error(source->ctx, (struct sator_loc){0},
                "the volumes of single tensors are not added up over layers");
done:
    return st;
}

static enum sator_status read_options(struct selection *s)
{
    struct query_source *source = s->source;
    const struct sator_query_options *options = s->options;
    const char **names = SATOR_NEW_ARRAY(source->arena, const char *, source->n_layers + 1);
    enum sator_status st = SATOR_OK;

    if (options->where != NULL)
        SATOR_TRY(explore_expression_read(
                source->ctx, source->arena, "where", options->where, &source->names, &s->where));
    if (options->sort != NULL)
        SATOR_TRY(explore_objectives_read(source->ctx, source->arena, "sort", options->sort,
                &source->names, &s->n_sorts, &s->sorts));
    if (options->pareto != NULL)
        SATOR_TRY(explore_objectives_read(source->ctx, source->arena, "pareto", options->pareto,
                &source->names, &s->n_costs, &s->costs));
    SATOR_TRY(set_totals(s));
    s->layer = -1;
    if (options->layer == NULL)
        return SATOR_OK;
    for (int i = source->n_layers - 1; i >= 0; i--) {
        names[i] = source->layers[i].name;
        if (strcmp(names[i], options->layer) == 0)
            s->layer = i;
    }
    if (s->layer < 0) {
        st = sator_error(source->ctx, (struct sator_loc){0}, "'%s' has no layer '%s'",
                source->network, options->layer);
        sator_help_names(source->ctx, options->layer, names, source->n_layers);
    } else {
        s->layer = source->layers[s->layer].same_as;
    }
done:
    return st;
}

static bool wanted(struct selection *s, const struct query_row *row)
{
    if (s->layer >= 0 && !s->are_totals && row->record.layer != s->layer)
        return false;
    if (s->where == NULL || explore_expression_holds(s->where, &row->record))
        return true;
    int unknown = explore_expression_unknown(s->where, &row->record);
    if (unknown >= 0)
        s->left_out[unknown]++;
    return false;
}

/* ---- selecting ---- */

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->hardware != y->hardware)
        return x->hardware < y->hardware ? -1 : 1;
    return x->point < y->point ? -1 : x->point > y->point;
}

/* Put the entries in order and drop those past the first few of their group. */
static void settle(struct selection *s)
{
    uint64_t rank = 0;
    int kept = 0;

    if (s->n_entries > 0)
        qsort(s->entries, (size_t)s->n_entries, sizeof *s->entries, compare_entries);
    for (int i = 0; i < s->n_entries; i++) {
        rank = i > 0 && s->entries[i].group == s->entries[i - 1].group ? rank + 1 : 0;
        if (s->options->top == 0 || rank < s->options->top)
            s->entries[kept++] = s->entries[i];
    }
    s->n_entries = kept;
}

static void add_entry(struct selection *s, const struct entry *entry)
{
    enum {
        WORTH_SETTLING = 65536
    };

    if (s->n_entries == s->capacity) {
        if (s->options->top != 0 && s->n_entries >= WORTH_SETTLING)
            settle(s); /* so that memory follows what is asked for, not what there is */
        if (2 * s->n_entries >= s->capacity) {
            s->capacity = 2 * s->capacity + 1024;
            s->entries = sator_realloc(s->entries, sizeof *s->entries * (size_t)s->capacity);
        }
    }
    s->entries[s->n_entries++] = *entry;
}

static void add_to_front(
        struct selection *s, const struct entry *entry, const struct query_row *row)
{
    double *costs = sator_alloc(sizeof *costs * (size_t)s->n_costs);
    bool finite = true;
    int unknown = -1;

    for (int i = 0; i < s->n_costs; i++) {
        costs[i] = explore_objective_cost(&s->costs[i], &row->record);
        finite = finite && isfinite(costs[i]);
        unknown = unknown < 0 ? explore_objective_unknown(&s->costs[i], &row->record) : unknown;
    }
    if (unknown >= 0)
        s->left_out[unknown]++;
    s->fronts[entry->group].n_costs = s->n_costs;
    if (finite && explore_front_add(&s->fronts[entry->group], costs, (uint64_t)s->n_tried)) {
        if (s->n_tried == s->tried_capacity) {
            s->tried_capacity = 2 * s->tried_capacity + 64;
            s->tried = sator_realloc(s->tried, sizeof *s->tried * (size_t)s->tried_capacity);
        }
        s->tried[s->n_tried] = *entry;
        if (s->n_sorts == 0)
            s->tried[s->n_tried].cost = costs[0];
        s->n_tried++;
    }
    free(costs);
}

static void consider(struct selection *s, const struct query_row *row)
{
    struct entry entry = {.group = s->are_totals ? row->family : row->record.layer,
            .hardware = row->record.hardware,
            .point = row->record.point,
            .cost = s->n_sorts > 0 ? explore_objective_cost(&s->sorts[0], &row->record) : 0};

    if (s->n_costs > 0) {
        add_to_front(s, &entry, row);
        return;
    }
    int unknown = s->n_sorts > 0 ? explore_objective_unknown(&s->sorts[0], &row->record) : -1;
    if (unknown >= 0)
        s->put_last[unknown]++;
    add_entry(s, &entry);
}

static void collect_fronts(struct selection *s)
{
    for (int g = 0; g < s->source->n_layers && s->n_costs > 0; g++) {
        for (int i = 0; i < s->fronts[g].n_members; i++)
            add_entry(s, &s->tried[s->fronts[g].labels[i]]);
    }
    settle(s);
}

/* ---- results ---- */

static enum sator_status check_cancel(const struct selection *s)
{
    return atomic_load(&s->source->ctx->cancelled) ? SATOR_INTERRUPTED : SATOR_OK;
}

/* Every row that is wanted, as it comes. */
static enum sator_status stream(struct selection *s, struct query_writer *writer)
{
    struct query_reader reader = {0};
    struct query_row row = {0};
    bool found;
    enum sator_status st;

    SATOR_TRY(query_reader_open(s->source, true, "layer, hardware, point", &reader));
    while (!writer->stopped) {
        SATOR_TRY(query_reader_next(&reader, &row, &found));
        if (!found)
            break;
        SATOR_TRY(check_cancel(s));
        if (wanted(s, &row))
            query_write_row(writer, &row);
    }
done:
    query_reader_close(&reader);
    return st;
}

static enum sator_status select_rows(struct selection *s)
{
    struct query_reader reader = {0};
    struct query_row row = {0};
    bool found;
    enum sator_status st;

    SATOR_TRY(query_reader_open(s->source, needs_tensors(s), "layer, hardware, point", &reader));
    for (;;) {
        SATOR_TRY(query_reader_next(&reader, &row, &found));
        if (!found)
            break;
        SATOR_TRY(check_cancel(s));
        if (wanted(s, &row))
            consider(s, &row);
    }
    collect_fronts(s);
done:
    query_reader_close(&reader);
    return st;
}

static enum sator_status write_selected(struct selection *s, struct query_writer *writer)
{
    struct query_reader finder = {0};
    struct query_row row = {0};
    bool found;
    enum sator_status st;

    SATOR_TRY(query_finder_open(s->source, &finder));
    for (int i = 0; i < s->n_entries && !writer->stopped; i++) {
        const struct entry *entry = &s->entries[i];
        SATOR_TRY(query_find(&finder, entry->group, entry->hardware, entry->point, &row, &found));
        if (found)
            query_write_row(writer, &row);
    }
done:
    query_reader_close(&finder);
    return st;
}

/* A total that was chosen, kept until all are known. */
struct kept {
    struct query_row row;
    char *space, *time;
    struct explore_value figures[EXPLORE_MOST_FIGURES];
};

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(sator_alloc(size), text, size);
}

static void keep_row(struct kept *kept, const struct query_row *row)
{
    int n = row->record.n_figures;

    *kept = (struct kept){.row = *row, .space = copy(row->space), .time = copy(row->time)};
    if (n > 0)
        memcpy(kept->figures, row->record.figures, sizeof *kept->figures * (size_t)n);
    kept->row.record.figures = kept->figures;
}

/* Keep the row if it is one of the entries, in the entry's place. */
static void keep_total(const struct selection *s, struct kept *kept, const struct query_row *row)
{
    for (int i = 0; i < s->n_entries; i++) {
        const struct entry *entry = &s->entries[i];
        if (entry->point == row->record.point && entry->hardware == row->record.hardware &&
                entry->group == row->family)
            keep_row(&kept[i], row);
    }
}

/* Go through the totals: to select among them, or to keep those that were. */
static enum sator_status pass_totals(struct selection *s, struct kept *kept)
{
    struct query_totals totals = {0};
    struct query_row row = {0};
    bool found;
    enum sator_status st;

    SATOR_TRY(query_totals_open(s->source, s->best, &totals));
    for (;;) {
        SATOR_TRY(query_totals_next(&totals, &row, &found));
        if (!found)
            break;
        SATOR_TRY(check_cancel(s));
        if (kept != NULL)
            keep_total(s, kept, &row);
        else if (wanted(s, &row))
            consider(s, &row);
    }
    memcpy(s->chosen_last, totals.unknown, sizeof s->chosen_last);
done:
    query_totals_close(&totals);
    return st;
}

/* Totals in no order, as they come. */
static enum sator_status stream_totals(struct selection *s, struct query_writer *writer)
{
    struct query_totals totals = {0};
    struct query_row row = {0};
    bool found;
    enum sator_status st;

    SATOR_TRY(query_totals_open(s->source, s->best, &totals));
    while (!writer->stopped) {
        SATOR_TRY(query_totals_next(&totals, &row, &found));
        if (!found)
            break;
        SATOR_TRY(check_cancel(s));
        if (wanted(s, &row))
            query_write_row(writer, &row);
    }
    memcpy(s->chosen_last, totals.unknown, sizeof s->chosen_last);
done:
    query_totals_close(&totals);
    return st;
}

/* Totals of the points that all layers of a family have: one pass chooses, a second one fetches. */
static enum sator_status list_totals(struct selection *s, struct query_writer *writer)
{
    struct kept *kept = NULL;
    enum sator_status st;

    if (s->n_sorts == 0 && s->n_costs == 0 && s->options->top == 0)
        return stream_totals(s, writer);
    SATOR_TRY(pass_totals(s, NULL));
    collect_fronts(s);
    kept = sator_calloc((size_t)s->n_entries + 1, sizeof *kept);
    SATOR_TRY(pass_totals(s, kept));
    for (int i = 0; i < s->n_entries; i++) {
        kept[i].row.space = kept[i].space;
        kept[i].row.time = kept[i].time;
        if (kept[i].space != NULL && !writer->stopped)
            query_write_row(writer, &kept[i].row);
    }
done:
    for (int i = 0; i < s->n_entries && kept != NULL; i++) {
        free(kept[i].space);
        free(kept[i].time);
    }
    free(kept);
    return st;
}

static enum sator_status list_rows(struct selection *s, struct query_writer *writer)
{
    enum sator_status st;

    if (s->are_totals)
        return list_totals(s, writer);
    if (s->n_sorts == 0 && s->n_costs == 0 && s->options->top == 0)
        return stream(s, writer);
    SATOR_TRY(select_rows(s));
    SATOR_TRY(write_selected(s, writer));
done:
    return st;
}

static void warn(const struct selection *s, const uint64_t *results, const char *what)
{
    for (int i = 0; i < EXPLORE_N_FIELDS + EXPLORE_MOST_FIGURES; i++) {
        if (results[i] != 0)
            sator_warn(s->source->ctx, (struct sator_loc){0}, "%llu result%s no %s and %s %s",
                    (unsigned long long)results[i], results[i] == 1 ? " has" : "s have",
                    explore_unknown_name(&s->source->names, i), results[i] == 1 ? "was" : "were",
                    what);
    }
}

static enum sator_status summarize(struct query_source *source, const struct sator_sink *sink)
{
    struct sator_text text = {0};
    enum sator_status st = query_write_summary(source, &text);

    if (st == SATOR_OK)
        sink->write(sink->data, text.data, text.length);
    sator_text_clear(&text);
    return st;
}

enum sator_status sator_explore_query(struct sator_ctx *ctx, const char *database,
        const struct sator_query_options *options, const struct sator_sink *sink)
{
    struct sator_query_options own;
    SATOR_NEEDS(ctx, database != NULL && sink != NULL && sink->write != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_OPTIONS(ctx, options, own);
    options = &own;
    SATOR_NUMBER(ctx, options->format, SATOR_FORMAT_TEXT, SATOR_FORMAT_LATEX);
    struct query_source source;
    struct selection s = {.source = &source, .options = options};
    enum sator_status st;

    SATOR_TRY(query_open(ctx, database, &source));
    if (options->summary) {
        st = summarize(&source, sink);
        goto done;
    }
    s.fronts = SATOR_NEW_ARRAY(source.arena, struct explore_front, source.n_layers + 1);
    SATOR_TRY(read_options(&s));
    struct query_writer writer = {.source = &source,
            .format = options->format,
            .schema = options->schema,
            .width = options->width,
            .sink = sink};
    query_write_start(&writer);
    st = list_rows(&s, &writer);
    query_write_end(&writer);
    if (st == SATOR_OK && !options->quiet) {
        warn(&s, s.left_out, "left out");
        warn(&s, s.put_last, "put last");
        warn(&s, s.chosen_last, "chosen last");
    }
done:
    for (int g = 0; g < source.n_layers && s.fronts != NULL; g++)
        explore_front_clear(&s.fronts[g]);
    free(s.entries);
    free(s.tried);
    query_close(&source);
    return st;
}
