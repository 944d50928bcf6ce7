/* JSON. Counts of instances, stamps and words may pass 2^53 and are strings; a figure that is not
 * known is null. */
#include "report/report.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cJSON leaves out what it has no memory for; a shortened report would be a wrong one. */
static cJSON *must(cJSON *item)
{
    if (item == NULL) {
        fputs("sator: out of memory\n", stderr);
        abort();
    }
    return item;
}

static cJSON *put(cJSON *object, const char *key, cJSON *item)
{
    if (!cJSON_AddItemToObject(object, key, must(item)))
        must(NULL);
    return item;
}

static cJSON *put_object(cJSON *object, const char *key)
{
    return put(object, key, cJSON_CreateObject());
}

static cJSON *put_array(cJSON *object, const char *key)
{
    return put(object, key, cJSON_CreateArray());
}

static cJSON *append(cJSON *array, cJSON *item)
{
    if (!cJSON_AddItemToArray(array, must(item)))
        must(NULL);
    return item;
}

static void put_text(cJSON *object, const char *key, struct sator_arena *arena, const char *text)
{
    put(object, key,
            text == NULL ? cJSON_CreateNull() : cJSON_CreateString(report_utf8(arena, text)));
}

static void put_number(cJSON *object, const char *key, double number)
{
    put(object, key, isfinite(number) ? cJSON_CreateNumber(number) : cJSON_CreateNull());
}

static void put_count(cJSON *object, const char *key, sator_int count)
{
    char digits[64];

    put(object, key, cJSON_CreateString(sator_int_format(count, 0, digits)));
}

/* A count that is small in practice: a number, and a string only where a number would not be exact.
 */
static void put_small(cJSON *object, const char *key, sator_int count)
{
    const sator_int exact = (sator_int)1 << 53;
    char digits[64];

    sator_int_format(count, 0, digits);
    put(object, key,
            count <= exact && count >= -exact ? cJSON_CreateRaw(digits)
                                              : cJSON_CreateString(digits));
}

/* Links of one name (two arrays may each have an "east") together: a key stands once. */
static void put_links(cJSON *object, struct sator_arena *arena, const struct sator_tensor_result *t)
{
    cJSON *links = put_object(object, "links");

    for (int i = 0; i < t->n_links; i++) {
        const char *name = report_utf8(arena, t->links[i].name);
        sator_int sum = 0;
        for (int j = 0; j < t->n_links; j++) {
            if (strcmp(t->links[j].name, t->links[i].name) == 0)
                sum += t->links[j].spatial_reuse; /* at most the tensor's spatial reuse */
        }
        if (cJSON_GetObjectItemCaseSensitive(links, name) == NULL)
            put_count(links, name, sum);
    }
}

static void put_tensors(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    cJSON *tensors = put_array(object, "tensors");

    for (int i = 0; i < result->n_tensors; i++) {
        const struct sator_tensor_result *t = &result->tensors[i];
        cJSON *tensor = append(tensors, cJSON_CreateObject());
        put_text(tensor, "name", arena, t->name);
        put_text(tensor, "role", arena, report_role_name(t->role));
        put_small(tensor, "word_bits", t->word_bits);
        put_count(tensor, "access_volume", t->access_volume);
        put_count(tensor, "total_volume", t->total_volume);
        put_count(tensor, "temporal_reuse", t->temporal_reuse);
        put_count(tensor, "spatial_reuse", t->spatial_reuse);
        put_count(tensor, "reuse_volume", t->reuse_volume);
        put_count(tensor, "unique_volume", t->unique_volume);
        put_count(tensor, "footprint", t->footprint);
        put_count(tensor, "partial_sum_reads", t->partial_sum_reads);
        put_number(tensor, "reuse_factor", t->reuse_factor);
        put_links(tensor, arena, t);
    }
}

static void put_bandwidth(
        cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    cJSON *bandwidth = put_object(object, "bandwidth_bits_per_cycle");

    put_number(bandwidth, "interconnect", result->interconnect_bits_per_cycle);
    put_number(bandwidth, "scratchpad", result->scratchpad_bits_per_cycle);
    cJSON *by_tensor = put_object(bandwidth, "by_tensor");
    for (int i = 0; i < result->n_tensors; i++) {
        const char *label = report_utf8(arena, report_tensor_label(arena, result, i));
        cJSON *tensor = put_object(by_tensor, label);
        put_number(tensor, "interconnect", result->tensors[i].interconnect_bits_per_cycle);
        put_number(tensor, "scratchpad", result->tensors[i].scratchpad_bits_per_cycle);
    }
}

/* "by_component" maps names to energies, terms of the same name together; "terms" has them one by
 * one. */
static void put_energy(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    cJSON *energy = put_object(object, "energy_pj");

    put_number(energy, "total", result->energy_pj);
    cJSON *by_component = put_object(energy, "by_component");
    cJSON *terms = put_array(energy, "terms");
    for (int i = 0; i < result->n_energy_terms; i++) {
        const struct sator_energy_term *t = &result->energy_terms[i];
        const char *name = report_utf8(arena, t->component);
        cJSON *term = append(terms, cJSON_CreateObject());
        put_text(term, "component", arena, t->component);
        put_count(term, "actions", t->actions);
        put_number(term, "pj_per_action", t->pj_per_action);
        put_number(term, "pj", t->pj);
        put_text(term, "source", arena, t->source);
        double sum = 0;
        for (int j = 0; j < result->n_energy_terms; j++) {
            if (strcmp(result->energy_terms[j].component, t->component) == 0)
                sum += result->energy_terms[j].pj;
        }
        if (cJSON_GetObjectItemCaseSensitive(by_component, name) == NULL)
            put_number(by_component, name, sum);
    }
}

static void put_levels(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    cJSON *levels = put_array(object, "levels");

    for (int i = 0; i < result->n_levels; i++) {
        const struct sator_level_result *l = &result->levels[i];
        cJSON *level = append(levels, cJSON_CreateObject());
        put_text(level, "name", arena, l->name);
        put_count(level, "instances", l->instances);
        put_number(level, "capacity_words", l->capacity_words);
        put_small(level, "time_cut", l->time_cut);
        put_small(level, "space_cut", l->space_cut);
        put(level, "cut_declared", cJSON_CreateBool(l->cut_declared));
        put_number(level, "read_cycles", l->read_cycles);
        put_number(level, "write_cycles", l->write_cycles);
        cJSON *tensors = put_array(level, "tensors");
        for (int j = 0; j < l->n_tensors; j++) {
            const struct sator_level_tensor *t = &l->tensors[j];
            cJSON *tensor = append(tensors, cJSON_CreateObject());
            put_text(tensor, "name", arena, t->name);
            put_text(tensor, "role", arena, report_role_name(t->role));
            put_count(tensor, "tile_words", t->tile_words);
            put_count(tensor, "fills", t->fills);
            put_count(tensor, "writes", t->writes);
            put_count(tensor, "reads", t->reads);
            put_count(tensor, "updates", t->updates);
        }
    }
}

static void put_sweep(cJSON *object, const struct sator_result *result)
{
    if (result->n_sweep == 0)
        return;
    cJSON *sweep = put_array(object, "sweep");
    for (int i = 0; i < result->n_sweep; i++) {
        const struct sator_bandwidth_point *p = &result->sweep[i];
        cJSON *point = append(sweep, cJSON_CreateObject());
        put_number(point, "bits_per_cycle", p->bits_per_cycle);
        cJSON *latency = put_object(point, "latency_cycles");
        put_number(latency, "compute", result->compute_cycles);
        put_number(latency, "read", p->read_cycles);
        put_number(latency, "write", p->write_cycles);
        put_number(latency, "total", p->total_cycles);
        put(point, "bound", cJSON_CreateString(report_bound_name(p->bound)));
    }
}

static void put_counts(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    put_text(object, "engine", arena, result->engine);
    if (result->declined != NULL)
        put_text(object, "declined", arena, result->declined);
    put_count(object, "instances", result->instances);
    put_count(object, "stamps", result->stamps);
    put_count(object, "time_stamps", result->time_stamps);
    put_small(object, "pes", result->pes);
    put_small(object, "active_pes", result->active_pes);
    put_small(object, "max_active_pes", result->max_active_pes);
    if (result->max_instances_per_stamp != 0)
        put_count(object, "max_instances_per_stamp", result->max_instances_per_stamp);
    cJSON *utilization = put_object(object, "utilization");
    put_number(utilization, "average", result->utilization_average);
    put_number(utilization, "max", result->utilization_max);
    put_number(object, "macs_per_cycle", result->macs_per_cycle);
}

/* The figures of metrics.def that are no member of their own: sums that JSON readers would else
 * make themselves. */
static void put_unique_volume(cJSON *object, const struct sator_result *result)
{
    const struct sort_key key = report_metric_key("unique_volume");
    struct value unique = report_key_value(&key, result);

    if (unique.kind == VALUE_COUNT)
        put_count(object, "unique_volume", unique.count);
    else
        put(object, "unique_volume", cJSON_CreateNull());
}

static void put_result(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    put_text(object, "workload", arena, result->workload);
    put_text(object, "arch", arena, result->arch);
    cJSON *dataflow = put_object(object, "dataflow");
    put_text(dataflow, "name", arena, result->dataflow);
    put_text(dataflow, "space", arena, result->space);
    put_text(dataflow, "time", arena, result->time);
    put_counts(object, arena, result);
    put_unique_volume(object, result);
    put_tensors(object, arena, result);
    cJSON *latency = put_object(object, "latency_cycles");
    put_number(latency, "compute", result->compute_cycles);
    put_number(latency, "read", result->read_cycles);
    put_number(latency, "write", result->write_cycles);
    put_number(latency, "total", result->total_cycles);
    put(object, "bound", cJSON_CreateString(report_bound_name(result->bound)));
    put_number(object, "clock_mhz", result->clock_mhz);
    put_bandwidth(object, arena, result);
    put_energy(object, arena, result);
    put_number(object, "edp", result->edp);
    put_levels(object, arena, result);
    put_sweep(object, result);
}

static void put_network(
        cJSON *object, struct sator_arena *arena, const struct sator_network_result *network)
{
    put_text(object, "network", arena, network->network);
    put_text(object, "arch", arena, network->arch);
    put_text(put_object(object, "dataflow"), "name", arena, network->dataflow);
    cJSON *layers = put_array(object, "layers");
    for (int i = 0; i < network->n_layers; i++) {
        const struct sator_layer_result *layer = &network->layers[i];
        cJSON *item = append(layers, cJSON_CreateObject());
        put_text(item, "layer", arena, layer->name);
        put_small(item, "repeat", layer->repeat);
        put_text(item, "same_as", arena,
                layer->same_as == i ? NULL : network->layers[layer->same_as].name);
        put_result(item, arena, layer->result);
    }
    cJSON *totals = put_object(object, "totals");
    put_count(totals, "instances", network->instances);
    put_count(totals, "unique_volume", network->unique_volume);
    put_number(put_object(totals, "utilization"), "average", network->utilization_average);
    put_number(put_object(totals, "latency_cycles"), "total", network->total_cycles);
    put_number(put_object(totals, "energy_pj"), "total", network->energy_pj);
    put_number(totals, "edp", network->energy_pj * network->total_cycles);
    cJSON *sweep = report_network_points(network) == 0 ? NULL : put_array(totals, "sweep");
    for (int p = 0; p < report_network_points(network); p++) {
        cJSON *point = append(sweep, cJSON_CreateObject());
        put_number(point, "bits_per_cycle", network->layers[0].result->sweep[p].bits_per_cycle);
        put_number(put_object(point, "latency_cycles"), "total", report_network_cycles(network, p));
    }
}

/* The text with a line break at its end; "root" is freed. */
static char *print(cJSON *root)
{
    struct sator_text text = {0};
    char *json = cJSON_Print(root);

    if (json == NULL)
        must(NULL);
    sator_text_add(&text, "%s\n", json);
    cJSON_free(json);
    cJSON_Delete(root);
    return sator_text_take(&text);
}

char *report_json_results(const struct comparison *comparison)
{
    cJSON *root = must(cJSON_CreateObject());
    bool one = comparison->n_results == 1 && !comparison->options->comparison;
    cJSON *array = one ? NULL : put_array(root, "results");

    for (int i = 0; i < comparison->n_results; i++) {
        cJSON *object = one ? root : append(array, cJSON_CreateObject());
        put_result(object, comparison->arena, comparison->results[i]);
    }
    return print(root);
}

char *report_json_networks(const struct comparison *comparison)
{
    cJSON *root = must(cJSON_CreateObject());
    bool one = comparison->n_networks == 1 && !comparison->options->comparison;
    cJSON *array = one ? NULL : put_array(root, "results");

    for (int i = 0; i < comparison->n_networks; i++) {
        cJSON *object = one ? root : append(array, cJSON_CreateObject());
        put_network(object, comparison->arena, comparison->networks[i]);
    }
    return print(root);
}

char *report_json_library(struct sator_arena *arena, const char *const *kinds, int n_kinds)
{
    cJSON *root = must(cJSON_CreateObject());

    for (int k = 0; k < n_kinds; k++) {
        cJSON *array = put_array(root, kinds[k]);
        for (int i = 0; i < sator_library_count(kinds[k]); i++) {
            cJSON *entry = append(array, cJSON_CreateObject());
            put_text(entry, "name", arena, sator_library_name(kinds[k], i));
            put_text(entry, "summary", arena, sator_library_summary(kinds[k], i));
        }
    }
    return print(root);
}
