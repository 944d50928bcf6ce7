/* Results added up over the layers of a network: under one dataflow, or each layer with its own
 * best. */
#include "explore/query.h"

#include <stdlib.h>
#include <string.h>

enum sator_status query_totals_open(struct query_source *source,
        const struct explore_objective *best, struct query_totals *totals)
{
    enum sator_status st;

    *totals = (struct query_totals){.source = source, .best = best};
    SATOR_TRY(query_results(source,
            best == NULL ? "hardware, family, point, layer" : "hardware, layer, point",
            &totals->results));
    SATOR_TRY(sator_cursor_next(source->ctx, totals->results, &totals->has_row));
done:
    return st;
}

/* How often the network runs what layer "layer" stands for. */
static int repeats(const struct query_source *source, int layer)
{
    int n = 0;

    for (int i = 0; i < source->n_layers; i++)
        n += source->layers[i].same_as == layer ? source->layers[i].repeat : 0;
    return n;
}

/* The different layers of a family; -1: of all. */
static int members(const struct query_source *source, int family)
{
    int n = 0;

    for (int i = 0; i < source->n_layers; i++)
        n += (family < 0 || source->layers[i].family == family) && source->layers[i].same_as == i;
    return n;
}

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(sator_alloc(size), text, size);
}

static enum sator_status add(struct query_totals *totals, struct explore_record *sum,
        const struct explore_record *record)
{
    struct query_source *source = totals->source;

    if (explore_record_add(sum, record, repeats(source, record->layer), source->names.figures))
        return SATOR_OK;
    sator_error(source->ctx, (struct sator_loc){0},
            "a total over the layers of a network does not fit into 128 bits");
    return SATOR_OVERFLOW;
}

/* Go to the next row and read it, if there is one. */
static enum sator_status step(struct query_totals *totals, struct query_row *one)
{
    struct query_source *source = totals->source;
    enum sator_status st;

    SATOR_TRY(sator_cursor_next(source->ctx, totals->results, &totals->has_row));
    if (totals->has_row)
        SATOR_TRY(query_read_result(source, totals->results, one));
done:
    return st;
}

/* Add up the rows of one point; "*complete" when every layer has it. */
static enum sator_status add_point(
        struct query_totals *totals, struct query_row *row, bool *complete)
{
    struct query_source *source = totals->source;
    struct query_row one = {0};
    int n = 0;
    enum sator_status st;

    SATOR_TRY(query_read_result(source, totals->results, &one));
    *row = (struct query_row){.family = one.family};
    row->record.layer = -1;
    row->record.hardware = one.record.hardware;
    row->record.point = one.record.point;
    free(totals->space);
    free(totals->time);
    row->space = totals->space = copy(one.space);
    row->time = totals->time = copy(one.time);
    while (totals->has_row && one.record.hardware == row->record.hardware &&
            one.family == row->family && one.record.point == row->record.point) {
        SATOR_TRY(add(totals, &row->record, &one.record));
        n++;
        SATOR_TRY(step(totals, &one));
    }
    explore_record_finish(&row->record);
    *complete = n == members(source, row->family);
done:
    return st;
}

/* Add up the best rows of one machine's layers; "*complete" when every layer has one. */
static enum sator_status add_machine(
        struct query_totals *totals, struct query_row *row, bool *complete)
{
    struct query_source *source = totals->source;
    struct query_row one = {0};
    int n = 0;
    enum sator_status st;

    SATOR_TRY(query_read_result(source, totals->results, &one));
    *row = (struct query_row){.space = "(each layer its own)", .time = "", .no_point = true};
    row->record.layer = -1;
    row->record.hardware = one.record.hardware;
    while (totals->has_row && one.record.hardware == row->record.hardware) {
        struct explore_record best = one.record;
        while (totals->has_row && one.record.hardware == best.hardware &&
                one.record.layer == best.layer) {
            if (explore_objective_cost(totals->best, &one.record) <
                    explore_objective_cost(totals->best, &best))
                best = one.record;
            SATOR_TRY(step(totals, &one));
        }
        SATOR_TRY(add(totals, &row->record, &best));
        n++;
    }
    explore_record_finish(&row->record);
    *complete = n == members(source, -1);
done:
    return st;
}

enum sator_status query_totals_next(struct query_totals *totals, struct query_row *row, bool *found)
{
    enum sator_status st = SATOR_OK;

    *found = false;
    while (totals->has_row && !*found)
        SATOR_TRY(totals->best == NULL ? add_point(totals, row, found)
                                       : add_machine(totals, row, found));
done:
    return st;
}

void query_totals_close(struct query_totals *totals)
{
    sator_cursor_close(totals->results);
    free(totals->space);
    free(totals->time);
}
