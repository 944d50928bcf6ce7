/* JSON. Counts of instances, stamps and words may pass 2^53 and are strings; a figure that is not
 * known is null. */
#include "report/control.h"
#include "report/expected.h"
#include "report/page.h"
#include "report/physical.h"
#include "report/timing.h"

#include <math.h>
#include <string.h>

/* Links of one name (two arrays may each have an "east") together: a key stands once. */
static void put_links(cJSON *object, struct sator_arena *arena, const struct sator_tensor_result *t)
{
    cJSON *links = json_put_object(object, "links");

    for (int i = 0; i < t->n_links; i++) {
        const char *name = report_utf8(arena, t->links[i].name);
        sator_int sum = 0;
        for (int j = 0; j < t->n_links; j++) {
            if (strcmp(t->links[j].name, t->links[i].name) == 0)
                sum += t->links[j].spatial_reuse; /* at most the tensor's spatial reuse */
        }
        if (cJSON_GetObjectItemCaseSensitive(links, name) == NULL)
            json_put_count(links, name, sum);
    }
}

static void put_tensors(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    cJSON *tensors = json_put_array(object, "tensors");

    for (int i = 0; i < result->n_tensors; i++) {
        const struct sator_tensor_result *t = &result->tensors[i];
        cJSON *tensor = json_append(tensors, cJSON_CreateObject());
        json_put_text(tensor, "name", arena, t->name);
        json_put_text(tensor, "role", arena, report_role_name(t->role));
        json_put_small(tensor, "word_bits", t->word_bits);
        json_put_count(tensor, "access_volume", t->access_volume);
        json_put_count(tensor, "total_volume", t->total_volume);
        json_put_count(tensor, "temporal_reuse", t->temporal_reuse);
        json_put_count(tensor, "spatial_reuse", t->spatial_reuse);
        json_put_count(tensor, "reuse_volume", t->reuse_volume);
        json_put_count(tensor, "unique_volume", t->unique_volume);
        json_put_count(tensor, "footprint", t->footprint);
        json_put_count(tensor, "partial_sum_reads", t->partial_sum_reads);
        json_put_number(tensor, "reuse_factor", t->reuse_factor);
        put_links(tensor, arena, t);
    }
}

static void put_bandwidth(
        cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    cJSON *bandwidth = json_put_object(object, "bandwidth_bits_per_cycle");

    json_put_number(bandwidth, "interconnect", result->interconnect_bits_per_cycle);
    json_put_number(bandwidth, "scratchpad", result->scratchpad_bits_per_cycle);
    cJSON *by_tensor = json_put_object(bandwidth, "by_tensor");
    for (int i = 0; i < result->n_tensors; i++) {
        const char *label = report_utf8(arena, report_tensor_label(arena, result, i));
        cJSON *tensor = json_put_object(by_tensor, label);
        json_put_number(tensor, "interconnect", result->tensors[i].interconnect_bits_per_cycle);
        json_put_number(tensor, "scratchpad", result->tensors[i].scratchpad_bits_per_cycle);
    }
}

/* "by_component" maps names to energies; "terms" has them one by one. */
static void put_energy(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    cJSON *energy = json_put_object(object, "energy_pj");

    json_put_number(energy, "total", result->energy_pj);
    json_put_components(energy, arena, result->n_energy_terms, result->energy_terms);
    cJSON *terms = json_put_array(energy, "terms");
    for (int i = 0; i < result->n_energy_terms; i++) {
        const struct sator_energy_term *t = &result->energy_terms[i];
        cJSON *term = json_append(terms, cJSON_CreateObject());
        json_put_text(term, "component", arena, t->component);
        json_put_count(term, "actions", t->actions);
        json_put_number(term, "pj_per_action", t->pj_per_action);
        json_put_number(term, "pj", t->pj);
        json_put_text(term, "source", arena, t->source);
    }
}

static void put_levels(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    cJSON *levels = json_put_array(object, "levels");

    for (int i = 0; i < result->n_levels; i++) {
        const struct sator_level_result *l = &result->levels[i];
        cJSON *level = json_append(levels, cJSON_CreateObject());
        json_put_text(level, "name", arena, l->name);
        json_put_count(level, "instances", l->instances);
        json_put_number(level, "capacity_words", l->capacity_words);
        json_put_number(level, "capacity_bytes", l->capacity_bytes);
        json_put_small(level, "time_cut", l->time_cut);
        json_put_small(level, "space_cut", l->space_cut);
        json_put(level, "cut_declared", cJSON_CreateBool(l->cut_declared));
        json_put_number(level, "read_cycles", l->read_cycles);
        json_put_number(level, "write_cycles", l->write_cycles);
        json_put_level_tensors(level, arena, l->n_tensors, l->tensors);
    }
}

static void put_cuts(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    cJSON *cuts = json_put_array(object, "cuts");

    for (int i = 0; i < result->n_levels; i++) {
        const struct sator_level_result *level = &result->levels[i];
        cJSON *cut = json_append(cuts, cJSON_CreateObject());
        json_put_text(cut, "level", arena, level->name);
        json_put_small(cut, "time", level->time_cut);
        json_put_small(cut, "space", level->space_cut);
        json_put(cut, "derived", cJSON_CreateBool(!level->cut_declared));
    }
}

static void put_ports(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    cJSON *ports = json_put_array(object, "ports"), *unknown;

    for (int i = 0; i < result->n_ports; i++) {
        const struct sator_port_result *p = &result->ports[i];
        cJSON *port = json_append(ports, cJSON_CreateObject());
        json_put_text(port, "name", arena, p->name);
        json_put_text(
                port, "level", arena, p->level < 0 ? p->array : result->levels[p->level].name);
        json_put_text(port, "direction", arena,
                !p->writes          ? "read"
                        : !p->reads ? "write"
                                    : "shared");
        cJSON *tensors = json_put_array(port, "tensors");
        for (int t = 0; t < p->n_tensors; t++)
            json_append(tensors, cJSON_CreateString(report_utf8(arena, p->tensors[t])));
        if (p->bits < 0)
            json_put(port, "bits", cJSON_CreateNull());
        else
            json_put_count(port, "bits", p->bits);
        json_put_number(port, "bandwidth_bits", p->bandwidth_bits);
        json_put_number(port, "cycles", p->cycles);
        if (isnan(p->busy_cycles))
            continue;
        json_put_number(port, "busy", p->busy_cycles);
        json_put_number(port, "exposed", p->exposed_cycles);
        json_put_number(port, "stalled", p->stalled_cycles);
    }
    unknown = json_put_array(object, "unknown_ports");
    for (int i = 0; i < result->n_ports; i++) {
        if (result->ports[i].unknown != NULL)
            json_append(unknown, cJSON_CreateString(report_utf8(arena, result->ports[i].name)));
    }
}

static void put_sweep(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    if (result->n_sweep == 0)
        return;
    cJSON *sweep = json_put_array(object, "sweep");
    for (int i = 0; i < result->n_sweep; i++) {
        const struct sator_bandwidth_point *p = &result->sweep[i];
        cJSON *point = json_append(sweep, cJSON_CreateObject());
        json_put_number(point, "bits_per_cycle", p->bits_per_cycle);
        cJSON *latency = json_put_object(point, "latency_cycles");
        json_put_number(latency, "compute", result->compute_cycles);
        json_put_number(latency, "read", p->read_cycles);
        json_put_number(latency, "write", p->write_cycles);
        json_put_number(latency, "total", p->total_cycles);
        json_put_text(point, "bound_by", arena, p->bound_by);
    }
}

static void put_advice(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    if (result->n_advice == 0)
        return;
    cJSON *advice = json_put_array(object, "advice");
    for (int i = 0; i < result->n_advice; i++) {
        const struct sator_advice *item = &result->advice[i];
        cJSON *made = json_append(advice, cJSON_CreateObject());
        if (item->port != NULL)
            json_put_text(made, "port", arena, item->port);
        else
            json_put_text(made, "memory", arena, item->memory);
        json_put_number(made, "factor", item->factor);
        json_put_number(made,
                item->port != NULL       ? "bandwidth_bits"
                        : item->in_words ? "capacity_words"
                                         : "capacity_bytes",
                item->needed);
        json_put_text(made, "bound_by", arena, item->bound_by);
        json_put_number(made, "cycles", item->total_cycles);
    }
}

static void put_counts(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    json_put_text(object, "engine", arena, result->engine);
    if (result->declined != NULL)
        json_put_text(object, "declined", arena, result->declined);
    json_put_count(object, "instances", result->instances);
    json_put_count(object, "stamps", result->stamps);
    json_put_count(object, "time_stamps", result->time_stamps);
    json_put_small(object, "pes", result->pes);
    json_put_small(object, "active_pes", result->active_pes);
    json_put_small(object, "max_active_pes", result->max_active_pes);
    json_put_count(object, "max_instances_per_stamp", result->max_instances_per_stamp);
    cJSON *utilization = json_put_object(object, "utilization");
    json_put_number(utilization, "average", result->utilization_average);
    json_put_number(utilization, "max", result->utilization_max);
    json_put_number(object, "macs_per_cycle", result->macs_per_cycle);
}

/* The figures of metrics.def that are no member of their own: sums that JSON readers would else
 * make themselves. */
static void put_unique_volume(cJSON *object, const struct sator_result *result)
{
    const struct sort_key key = report_metric_key("unique_volume");
    struct value unique = report_key_value(&key, result);

    if (unique.kind == VALUE_COUNT)
        json_put_count(object, "unique_volume", unique.count);
    else
        json_put(object, "unique_volume", cJSON_CreateNull());
}

/* The roofline, and what the phases take, with the reason where that was asked for and is not
 * known.
 */
static void put_timing(cJSON *latency, struct sator_arena *arena, const struct sator_result *result)
{
    json_put_number(latency, "roofline", result->roofline_cycles);
    json_put_number(latency, "scheduled", result->scheduled_cycles);
    if (!isnan(result->scheduled_cycles))
        json_put_number(latency, "scheduled_compute", result->scheduled_compute_cycles);
    if (result->unscheduled != NULL)
        json_put_text(latency, "unscheduled", arena, result->unscheduled);
}

static void put_result(cJSON *object, struct sator_arena *arena, const struct sator_result *result)
{
    json_put_text(object, "workload", arena, result->workload);
    json_put_text(object, "arch", arena, result->arch);
    json_put_text(object, "model", arena, result->model);
    json_put_text(object, "timing", arena, result->timing);
    cJSON *dataflow = json_put_object(object, "dataflow");
    json_put_text(dataflow, "name", arena, result->dataflow);
    json_put_text(dataflow, "space", arena, result->space);
    json_put_text(dataflow, "time", arena, result->time);
    if (result->ragged != NULL)
        json_put_text(dataflow, "ragged", arena, result->ragged);
    put_counts(object, arena, result);
    put_unique_volume(object, result);
    put_tensors(object, arena, result);
    cJSON *latency = json_put_object(object, "latency_cycles");
    json_put_number(latency, "compute", result->compute_cycles);
    json_put_number(latency, "read", result->read_cycles);
    json_put_number(latency, "write", result->write_cycles);
    put_timing(latency, arena, result);
    json_put_number(latency, "total", result->total_cycles);
    if (!isnan(result->expected_cycles))
        json_put_number(latency, "expected", result->expected_cycles);
    json_put_text(object, "bound_by", arena, result->bound_by);
    put_ports(object, arena, result);
    const struct physical physical = report_result_physical(result);
    json_put_physical(object, &physical);
    put_bandwidth(object, arena, result);
    put_energy(object, arena, result);
    const struct report_control control =
            report_control_of(&result->control, result->n_energy_terms, result->energy_terms);
    json_put_control(object, &control);
    json_put_expected(object, arena,
            &(struct report_expected){
                    result->expected_energy_pj, result->n_savings, result->savings});
    json_put_number(object, "edp", result->edp);
    put_cuts(object, arena, result);
    put_levels(object, arena, result);
    put_sweep(object, arena, result);
    put_advice(object, arena, result);
}

cJSON *report_json_object(struct sator_arena *arena, const struct sator_result *result)
{
    cJSON *object = cJSON_CreateObject();

    put_result(object, arena, result);
    return object;
}

static void put_network(
        cJSON *object, struct sator_arena *arena, const struct sator_network_result *network)
{
    json_put_text(object, "network", arena, network->network);
    json_put_text(object, "arch", arena, network->arch);
    json_put_text(json_put_object(object, "dataflow"), "name", arena, network->dataflow);
    cJSON *layers = json_put_array(object, "layers");
    for (int i = 0; i < network->n_layers; i++) {
        const struct sator_layer_result *layer = &network->layers[i];
        cJSON *item = json_append(layers, cJSON_CreateObject());
        json_put_text(item, "layer", arena, layer->name);
        json_put_small(item, "repeat", layer->repeat);
        json_put_text(item, "same_as", arena,
                layer->same_as == i ? NULL : network->layers[layer->same_as].name);
        put_result(item, arena, layer->result);
    }
    cJSON *totals = json_put_object(object, "totals");
    json_put_text(totals, "timing", arena,
            report_timing(report_network_timed(arena, network), network->n_layers));
    json_put_count(totals, "instances", network->instances);
    json_put_count(totals, "unique_volume", network->unique_volume);
    json_put_number(
            json_put_object(totals, "utilization"), "average", network->utilization_average);
    cJSON *latency = json_put_object(totals, "latency_cycles");
    json_put_number(latency, "total", network->total_cycles);
    if (!isnan(network->expected_cycles))
        json_put_number(latency, "expected", network->expected_cycles);
    json_put_number(json_put_object(totals, "energy_pj"), "total", network->energy_pj);
    if (isnan(network->expected_energy_pj))
        json_put(totals, "energy_expected_pj", cJSON_CreateNull());
    else
        json_put_number(json_put_object(totals, "energy_expected_pj"), "total",
                network->expected_energy_pj);
    json_put_number(totals, "edp", network->energy_pj * network->total_cycles);
    const struct report_control control = report_control_of_network(network);
    json_put_control(totals, &control);
    const struct physical physical = report_network_physical(network);
    json_put_physical(totals, &physical);
    cJSON *sweep = report_network_points(network) == 0 ? NULL : json_put_array(totals, "sweep");
    for (int p = 0; p < report_network_points(network); p++) {
        cJSON *point = json_append(sweep, cJSON_CreateObject());
        json_put_number(
                point, "bits_per_cycle", network->layers[0].result->sweep[p].bits_per_cycle);
        json_put_number(json_put_object(point, "latency_cycles"), "total",
                report_network_cycles(network, p));
    }
}

char *report_json_results(const struct comparison *comparison)
{
    cJSON *root = cJSON_CreateObject();
    bool one = comparison->n_results == 1 && !comparison->options->comparison;
    cJSON *array = one ? NULL : json_put_array(root, "results");

    for (int i = 0; i < comparison->n_results; i++) {
        cJSON *object = one ? root : json_append(array, cJSON_CreateObject());
        put_result(object, comparison->arena, comparison->results[i]);
    }
    return json_print(root, comparison->options->schema);
}

char *report_json_networks(const struct comparison *comparison)
{
    cJSON *root = cJSON_CreateObject();
    bool one = comparison->n_networks == 1 && !comparison->options->comparison;
    cJSON *array = one ? NULL : json_put_array(root, "results");

    for (int i = 0; i < comparison->n_networks; i++) {
        cJSON *object = one ? root : json_append(array, cJSON_CreateObject());
        put_network(object, comparison->arena, comparison->networks[i]);
    }
    return json_print(root, comparison->options->schema);
}

char *report_json_library(
        struct sator_arena *arena, const char *const *kinds, int n_kinds, int schema)
{
    cJSON *root = cJSON_CreateObject();

    for (int k = 0; k < n_kinds; k++) {
        cJSON *array = json_put_array(root, kinds[k]);
        for (int i = 0; i < sator_library_count(kinds[k]); i++) {
            cJSON *entry = json_append(array, cJSON_CreateObject());
            json_put_text(entry, "name", arena, sator_library_name(kinds[k], i));
            json_put_text(entry, "summary", arena, sator_library_summary(kinds[k], i));
        }
    }
    return json_print(root, schema);
}
