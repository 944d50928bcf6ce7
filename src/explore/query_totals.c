/* Results added up over the layers of a network: under one dataflow, or each layer with its own
 * best. */
#include "explore/query.h"

#include <stdlib.h>
#include <string.h>

/* Go to the next row. */
static enum sator_status step(struct query_totals *totals)
{
    return query_reader_next(&totals->reader, &totals->next, &totals->has_row);
}

enum sator_status query_totals_open(struct query_source *source,
        const struct explore_objective *best, struct query_totals *totals)
{
    enum sator_status st;

    *totals = (struct query_totals){.source = source, .best = best};
    SATOR_TRY(query_reader_open(source, false,
            best == NULL ? "hardware, family, point, layer" : "hardware, layer, point",
            &totals->reader));
    SATOR_TRY(step(totals));
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

/* Add up the rows of one point; "*complete" when every layer has it. */
static enum sator_status add_point(
        struct query_totals *totals, struct query_row *row, bool *complete)
{
    const struct query_row *next = &totals->next;
    int n = 0;
    enum sator_status st;

    *row = (struct query_row){.family = next->family};
    row->record.layer = -1;
    row->record.hardware = next->record.hardware;
    row->record.point = next->record.point;
    row->record.figures = totals->sums;
    free(totals->space);
    free(totals->time);
    row->space = totals->space = copy(next->space);
    row->time = totals->time = copy(next->time);
    while (totals->has_row && next->record.hardware == row->record.hardware &&
            next->family == row->family && next->record.point == row->record.point) {
        SATOR_TRY(add(totals, &row->record, &next->record));
        n++;
        SATOR_TRY(step(totals));
    }
    explore_record_finish(&row->record);
    *complete = n == members(totals->source, row->family);
done:
    return st;
}

/* Keep the record, which the next row overwrites. */
static void keep(struct query_totals *totals, struct explore_record *best)
{
    *best = totals->next.record;
    if (best->n_figures > 0)
        memcpy(totals->kept, best->figures, sizeof *best->figures * (size_t)best->n_figures);
    best->figures = totals->kept;
}

static void note_unknown(struct query_totals *totals)
{
    int unknown = explore_objective_unknown(totals->best, &totals->next.record);

    if (unknown >= 0)
        totals->unknown[unknown]++;
}

/* Add up the best rows of one machine's layers; "*complete" when every layer has one. */
static enum sator_status add_machine(
        struct query_totals *totals, struct query_row *row, bool *complete)
{
    const struct explore_record *next = &totals->next.record;
    struct explore_record best;
    int n = 0;
    enum sator_status st;

    *row = (struct query_row){.space = "(each layer its own)", .time = "", .no_point = true};
    row->record.layer = -1;
    row->record.hardware = next->hardware;
    row->record.figures = totals->sums;
    while (totals->has_row && next->hardware == row->record.hardware) {
        keep(totals, &best);
        note_unknown(totals);
        SATOR_TRY(step(totals));
        while (totals->has_row && next->hardware == best.hardware && next->layer == best.layer) {
            note_unknown(totals);
            if (explore_objective_cost(totals->best, next) <
                    explore_objective_cost(totals->best, &best))
                keep(totals, &best);
            SATOR_TRY(step(totals));
        }
        SATOR_TRY(add(totals, &row->record, &best));
        n++;
    }
    explore_record_finish(&row->record);
    *complete = n == members(totals->source, -1);
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
    query_reader_close(&totals->reader);
    free(totals->space);
    free(totals->time);
}
