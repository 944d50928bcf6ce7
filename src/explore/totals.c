/* Figures of a network from those of its layers. */
#include "base/checked.h"
#include "explore/figures.h"

#include <math.h>
#include <string.h>

static bool is_sum(const char *key)
{
    return strcmp(key, "instances") == 0 || strcmp(key, "stamps") == 0 ||
            strcmp(key, "time_stamps") == 0 || strcmp(key, "unique_volume") == 0 ||
            strncmp(key, "latency_cycles.", 15) == 0 || strcmp(key, "energy_pj.total") == 0;
}

static bool is_most(const char *key)
{
    return strcmp(key, "pes") == 0 || strcmp(key, "active_pes") == 0 ||
            strcmp(key, "max_active_pes") == 0;
}

/* Add a figure of one layer; what a layer lacks, the total lacks. */
static bool add_figure(struct explore_value *total, const struct explore_value *value, int repeat,
        enum explore_sum sum, bool is_first)
{
    sator_int product;

    if (is_first && sum == EXPLORE_SUM)
        *total = value->kind == EXPLORE_COUNT ? (struct explore_value){.number = NAN}
                                              : (struct explore_value){.kind = EXPLORE_NUMBER};
    if (is_first && sum == EXPLORE_MOST)
        *total = *value;
    if (sum == EXPLORE_NO_SUM || total->kind != value->kind)
        *total = (struct explore_value){.kind = EXPLORE_NUMBER, .number = NAN};
    else if (sum == EXPLORE_MOST && value->kind == EXPLORE_NUMBER)
        total->number = fmax(total->number, value->number);
    else if (sum == EXPLORE_MOST)
        total->count = value->count > total->count ? value->count : total->count;
    else if (value->kind == EXPLORE_NUMBER)
        total->number += value->number * repeat;
    else
        return sator_mul(value->count, repeat, &product) &&
                sator_add(total->count, product, &total->count);
    return true;
}

bool explore_record_add(struct explore_record *total, const struct explore_record *record,
        int repeat, const char *const *figures)
{
    bool is_first = total->fields[explore_field_index("instances")].count == 0;

    total->n_figures = record->n_figures;
    for (int i = 0; i < record->n_figures; i++) {
        if (!add_figure(&total->figures[i], &record->figures[i], repeat,
                    explore_figure_sum(figures[i]), is_first))
            return false;
    }
    for (int i = 0; i < EXPLORE_N_FIELDS; i++) {
        struct explore_value *sum = &total->fields[i];
        const struct explore_value *value = &record->fields[i];
        sator_int product;
        sum->kind = value->kind;
        if (is_most(explore_fields[i].key))
            sum->count = value->count > sum->count ? value->count : sum->count;
        else if (strcmp(explore_fields[i].key, "area_um2.total") == 0)
            sum->number = value->number; /* all layers run on one machine */
        else if (!is_sum(explore_fields[i].key))
            sum->number = NAN;
        else if (value->kind == EXPLORE_NUMBER)
            sum->number += value->number * repeat;
        else if (!sator_mul(value->count, repeat, &product) ||
                !sator_add(sum->count, product, &sum->count))
            return false;
    }
    return true;
}

static struct explore_value *field(struct explore_record *record, const char *key)
{
    return &record->fields[explore_field_index(key)];
}

void explore_record_finish(struct explore_record *total)
{
    double latency = field(total, "latency")->number, energy = field(total, "energy")->number;

    field(total, "utilization")->number = (double)field(total, "stamps")->count /
            ((double)field(total, "time_stamps")->count * (double)field(total, "pes")->count);
    field(total, "macs_per_cycle")->number = (double)field(total, "instances")->count / latency;
    field(total, "edp")->number = energy * latency;
}
