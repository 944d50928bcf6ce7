/* CSV (RFC 4180 with plain line breaks): a row a tensor and role, the figures of the result
 * repeated in it; with a sweep of bandwidths a row a bandwidth instead. An unknown figure is an
 * empty field. */
#include "report/report.h"

#include <math.h>

void report_csv_field(struct sator_text *text, bool first, const char *field)
{
    sator_text_add(text, "%s", first ? "" : ",");
    sator_text_add_csv(text, field);
}

/* A figure after a comma; nothing for one that is not known. */
static void add_number(struct sator_text *text, double number)
{
    sator_text_put(text, ",");
    if (isfinite(number))
        sator_text_add_number(text, number);
}

static void add_value(struct sator_text *text, const struct value *value)
{
    switch (value->kind) {
    case VALUE_NONE:
        sator_text_add(text, ",");
        break;
    case VALUE_COUNT:
        sator_text_add(text, ",");
        sator_text_add_int(text, value->count);
        break;
    case VALUE_NUMBER:
        add_number(text, value->number);
        break;
    case VALUE_WORD:
        report_csv_field(text, false, value->word);
        break;
    }
}

/* A layer of a network, or a result alone ("network" and "layer" NULL). */
struct row {
    const char *network, *layer;
    int repeat;
    const struct sator_result *result;
};

static void add_names(struct sator_text *text, const struct row *row)
{
    const struct sator_result *result = row->result;

    if (row->network != NULL) {
        report_csv_field(text, true, row->network);
        report_csv_field(text, false, row->layer);
        sator_text_add(text, ",%d,", row->repeat);
    }
    report_csv_field(text, true, result->workload);
    report_csv_field(text, false, result->arch);
    report_csv_field(text, false, result->dataflow);
    report_csv_field(text, false, result->space);
    report_csv_field(text, false, result->time);
    report_csv_field(text, false, result->engine);
}

static void add_tensor_rows(struct sator_text *text, const struct row *row)
{
    for (int i = 0; i < row->result->n_tensors; i++) {
        const struct sator_tensor_result *tensor = &row->result->tensors[i];
        add_names(text, row);
        for (int m = 0; m < report_metric_count; m++) {
            struct value value = report_metrics[m].of_result(row->result);
            add_value(text, &value);
        }
        report_csv_field(text, false, tensor->name);
        report_csv_field(text, false, report_role_name(tensor->role));
        sator_text_add(text, ",%d", tensor->word_bits);
        for (int f = 0; f < report_tensor_field_count; f++) {
            struct value value = report_tensor_fields[f].of_tensor(tensor);
            add_value(text, &value);
        }
        sator_text_add(text, "\n");
    }
}

static void add_sweep_rows(struct sator_text *text, const struct row *row)
{
    for (int i = 0; i < row->result->n_sweep; i++) {
        const struct sator_bandwidth_point *point = &row->result->sweep[i];
        add_names(text, row);
        add_number(text, point->bits_per_cycle);
        add_number(text, row->result->compute_cycles);
        add_number(text, point->read_cycles);
        add_number(text, point->write_cycles);
        add_number(text, point->total_cycles);
        report_csv_field(text, false, point->bound_by);
        sator_text_add(text, "\n");
    }
}

static void add_header(struct sator_text *text, bool network, bool sweep)
{
    sator_text_add(text, "%sworkload,arch,dataflow,space,time,engine",
            network ? "network,layer,repeat," : "");
    if (sweep) {
        sator_text_add(text,
                ",bandwidth_bits_per_cycle,latency_cycles.compute,latency_cycles.read,"
                "latency_cycles.write,latency_cycles.total,bound_by\n");
        return;
    }
    for (int m = 0; m < report_metric_count; m++)
        sator_text_add(text, ",%s", report_metrics[m].key);
    sator_text_add(text, ",tensor,role,word_bits");
    for (int f = 0; f < report_tensor_field_count; f++)
        sator_text_add(text, ",tensor.%s", report_tensor_fields[f].key);
    sator_text_add(text, "\n");
}

static void add_rows(struct sator_text *text, const struct row *row, bool sweep)
{
    if (sweep)
        add_sweep_rows(text, row);
    else
        add_tensor_rows(text, row);
}

void report_csv_results(struct sator_text *text, const struct comparison *comparison)
{
    bool sweep = comparison->results[0]->n_sweep > 0;

    add_header(text, false, sweep);
    for (int i = 0; i < comparison->n_results; i++)
        add_rows(text, &(struct row){.result = comparison->results[i]}, sweep);
}

void report_csv_networks(struct sator_text *text, const struct comparison *comparison)
{
    bool sweep = false;

    for (int i = 0; i < comparison->n_networks; i++) {
        for (int l = 0; l < comparison->networks[i]->n_layers; l++)
            sweep = sweep || comparison->networks[i]->layers[l].result->n_sweep > 0;
    }
    add_header(text, true, sweep);
    for (int i = 0; i < comparison->n_networks; i++) {
        const struct sator_network_result *network = comparison->networks[i];
        for (int l = 0; l < network->n_layers; l++) {
            const struct sator_layer_result *layer = &network->layers[l];
            add_rows(text,
                    &(struct row){.network = network->network,
                            .layer = layer->name,
                            .repeat = layer->repeat,
                            .result = layer->result},
                    sweep);
        }
    }
}
