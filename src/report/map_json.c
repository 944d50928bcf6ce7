/* Mappings as JSON; the keys are those of doc/output.md. */
#include "report/expected.h"
#include "report/map.h"
#include "report/physical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_loops(cJSON *object, struct sator_arena *arena, const struct sator_map_level *level)
{
    cJSON *loops = json_put_array(object, "loops");

    for (int i = 0; i < level->n_loops; i++) {
        cJSON *loop = json_append(loops, cJSON_CreateObject());
        json_put_text(loop, "loop", arena, level->loops[i].name);
        json_put(loop, "factor", cJSON_CreateNumber((double)level->loops[i].factor));
        if (level->is_array)
            json_put(loop, "dim", cJSON_CreateNumber(level->loops[i].dim));
    }
}

static void put_memory(
        cJSON *object, struct sator_arena *arena, const struct sator_map_level *level)
{
    cJSON *fills = json_put_array(object, "capacity");

    json_put_level_tensors(object, arena, level->contents->n_tensors, level->contents->tensors);
    for (int i = 0; i < level->n_fills; i++) {
        cJSON *fill = json_append(fills, cJSON_CreateObject());
        json_put_text(fill, "tensors", arena, level->fills[i].tensors);
        json_put_text(fill, "unit", arena, level->fills[i].unit);
        json_put_number(fill, "used", level->fills[i].used);
        json_put_number(fill, "available", level->fills[i].available);
    }
    cJSON *bypassed = json_put_array(object, "bypassed");
    for (int i = 0; i < level->n_bypassed; i++)
        json_append(bypassed, cJSON_CreateString(report_clean(arena, level->bypassed[i])));
    json_put_number(object, "read_cycles", level->contents->read_cycles);
    json_put_number(object, "write_cycles", level->contents->write_cycles);
}

static void put_levels(cJSON *object, struct sator_arena *arena, const struct sator_map_result *r)
{
    cJSON *levels = json_put_array(object, "levels");

    for (int i = 0; i < r->n_levels; i++) {
        const struct sator_map_level *level = &r->levels[i];
        cJSON *made = json_append(levels, cJSON_CreateObject());
        json_put_text(made, "name", arena, level->name);
        json_put_text(made, "kind", arena, level->is_array ? "array" : "memory");
        put_loops(made, arena, level);
        if (!level->is_array) {
            put_memory(made, arena, level);
            continue;
        }
        cJSON *shape = json_put_array(made, "shape");
        cJSON *used = json_put_array(made, "used");
        for (int d = 0; d < level->n_dims; d++) {
            json_append(shape, cJSON_CreateNumber((double)level->shape[d]));
            json_append(used, cJSON_CreateNumber((double)level->used[d]));
        }
        cJSON *skew = json_put_array(made, "skew");
        for (int d = 0; d < level->n_dims && level->skew != NULL; d++)
            json_append(skew, cJSON_CreateNumber((double)level->skew[d]));
    }
}

/* The slowest of the memories' ports in one direction; NAN where none is known. */
static double slowest(const struct sator_map_result *r, bool writes)
{
    double cycles = NAN;

    for (int i = 0; i < r->n_levels; i++) {
        const struct sator_level_result *contents = r->levels[i].contents;
        if (!r->levels[i].is_array) /* fmax takes the other operand where one is NAN */
            cycles = fmax(cycles, writes ? contents->write_cycles : contents->read_cycles);
    }
    return cycles;
}

/* A mapping declares them all: what a memory holds are the loops outside it. */
static void put_cuts(cJSON *object, struct sator_arena *arena, const struct sator_map_result *r)
{
    cJSON *cuts = json_put_array(object, "cuts");

    for (int i = 0; i < r->n_levels; i++) {
        if (r->levels[i].is_array)
            continue;
        cJSON *cut = json_append(cuts, cJSON_CreateObject());
        json_put_text(cut, "level", arena, r->levels[i].name);
        json_put_small(cut, "time", r->levels[i].contents->time_cut);
        json_put_small(cut, "space", r->levels[i].contents->space_cut);
        json_put(cut, "derived", cJSON_CreateBool(false));
    }
}

static void put_certificate(
        cJSON *object, struct sator_arena *arena, const struct sator_map_result *r)
{
    const struct sator_map_counters *c = &r->counters;
    cJSON *made = json_put_object(object, "certificate");

    json_put(made, "proved", cJSON_CreateBool(r->proved));
    json_put_number(made, "value", r->value);
    json_put_number(made, "bound", r->bound);
    json_put_number(made, "gap", r->gap);
    json_put_number(made, "space_size", r->space_size);
    json_put_number(made, "skews", (double)r->n_skews);
    json_put_number(made, "evaluated", (double)c->evaluated);
    json_put_number(made, "equal", (double)c->equal);
    json_put_number(made, "unrollings", (double)c->unrollings);
    json_put_number(made, "tilings", (double)c->tilings);
    json_put_number(made, "orders", (double)c->orders);
    cJSON *pruned = json_put_object(made, "pruned");
    json_put_number(pruned, "capacity", (double)c->pruned_capacity);
    json_put_number(pruned, "dominated", (double)c->pruned_dominated);
    json_put_number(pruned, "unrollings", (double)c->pruned_unrolling);
    json_put_number(pruned, "tilings", (double)c->pruned_tiling);
    json_put_number(pruned, "orders", (double)c->pruned_order);
    cJSON *left_out = json_put_array(made, "left_out");
    for (int i = 0; i < r->n_left_out; i++)
        json_append(left_out, cJSON_CreateString(report_utf8(arena, r->left_out[i])));
    json_put_number(made, "seconds", r->seconds);
}

static cJSON *result_object(struct sator_arena *arena, const struct sator_map_result *r)
{
    cJSON *object = cJSON_CreateObject();

    json_put_text(object, "workload", arena, r->workload);
    json_put_text(object, "arch", arena, r->arch);
    json_put_text(object, "model", arena, "sator");
    json_put_text(object, "timing", arena, r->timing);
    json_put(object, "repeat", cJSON_CreateNumber(r->repeat));
    json_put_text(object, "strategy", arena, report_map_strategy(r->strategy));
    json_put_text(object, "objective", arena, report_map_objective(r->objective));
    json_put_count(object, "instances", r->instances);
    json_put_number(object, "edp", r->edp);
    json_put_number(object, "utilization", r->utilization);
    cJSON *latency = json_put_object(object, "latency_cycles");
    json_put_number(latency, "compute", r->compute_cycles);
    json_put_number(latency, "read", slowest(r, false));
    json_put_number(latency, "write", slowest(r, true));
    json_put_number(latency, "roofline", r->roofline_cycles);
    json_put_number(
            latency, "scheduled", strcmp(r->timing, "scheduled") == 0 ? r->total_cycles : NAN);
    if (r->unscheduled != NULL)
        json_put_text(latency, "unscheduled", arena, r->unscheduled);
    json_put_number(latency, "total", r->total_cycles);
    if (!isnan(r->expected_cycles))
        json_put_number(latency, "expected", r->expected_cycles);
    json_put_text(object, "bound_by", arena, r->bound_by);
    const struct physical physical = report_physical(
            (double)r->instances, r->total_cycles, r->energy_pj, r->clock_mhz, r->area_um2);
    json_put_physical(object, &physical);
    put_cuts(object, arena, r);
    cJSON *energy = json_put_object(object, "energy_pj");
    json_put_number(energy, "total", r->energy_pj);
    json_put_components(energy, arena, r->n_energy_terms, r->energy_terms);
    json_put_expected(object, arena,
            &(struct report_expected){r->expected_energy_pj, r->n_savings, r->savings});
    const struct report_control control =
            report_control_of(&r->control, r->n_energy_terms, r->energy_terms);
    json_put_control(object, &control);
    put_levels(object, arena, r);
    if (r->idle_links != NULL)
        json_put_text(object, "idle_links", arena, r->idle_links);
    else
        json_put_number(object, "idle_links", NAN);
    if (r->order != NULL)
        json_put_text(object, "order", arena, r->order);
    if (r->skew != NULL)
        json_put_text(object, "skew", arena, r->skew);
    else
        json_put_number(object, "skew", NAN);
    json_put_number(object, "unskewed", r->unskewed);
    cJSON *flow = json_put_object(object, "dataflow");
    json_put_text(flow, "space", arena, r->space);
    json_put_text(flow, "time", arena, r->time);
    json_put_text(flow, "cuts", arena, r->cuts);
    json_put_text(flow, "yaml", arena, r->yaml);
    put_certificate(object, arena, r);
    return object;
}

/* Sums over the layers with their repeats; null where a layer has no mapping. */
static void put_totals(cJSON *root, struct sator_arena *arena,
        const struct sator_map_network *network, const struct sator_map_result *const *results,
        int n_results)
{
    struct report_map_totals t = report_map_totals(network, results, n_results);

    cJSON *unmapped = json_put_array(root, "unmapped");
    for (int i = 0; i < network->n_unmapped; i++)
        json_append(unmapped, cJSON_CreateString(report_utf8(arena, network->unmapped[i])));
    cJSON *unproved = json_put_array(root, "unproved");
    for (int i = 0; i < n_results; i++) {
        if (!results[i]->proved)
            json_append(unproved, cJSON_CreateString(report_utf8(arena, results[i]->workload)));
    }
    cJSON *totals = json_put_object(root, "totals");
    if (t.known)
        json_put_count(totals, "instances", t.instances);
    else
        json_put_number(totals, "instances", NAN);
    json_put_text(totals, "timing", arena,
            report_timing(report_maps_timed(arena, results, n_results), n_results));
    json_put_number(totals, "utilization", t.utilization);
    json_put_number(totals, "latency_cycles", t.cycles);
    json_put_number(totals, "latency_expected_cycles", t.expected_cycles);
    json_put_number(totals, "energy_pj", t.pj);
    json_put_number(totals, "energy_expected_pj", t.expected_pj);
    json_put_number(totals, "edp", t.edp);
    json_put_control(totals, &t.control);
    if (n_results > 0) {
        const struct physical physical = report_physical(
                (double)t.instances, t.cycles, t.pj, results[0]->clock_mhz, results[0]->area_um2);
        json_put_physical(totals, &physical);
    }
    json_put(totals, "proved", cJSON_CreateBool(t.proved));
    json_put_number(totals, "evaluated", t.evaluated);
    json_put_number(totals, "seconds", t.seconds);
}

static void print(struct sator_text *text, cJSON *root, int schema)
{
    char *printed = json_print(root, schema);

    sator_text_add_bytes(text, printed, strlen(printed));
    free(printed);
}

static cJSON *network_object(struct sator_arena *arena, const struct sator_map_network *network,
        const struct sator_map_result *const *results, int n_results)
{
    cJSON *root = cJSON_CreateObject();

    json_put_text(root, "network", arena, network->name);
    cJSON *layers = json_put_array(root, "layers");
    for (int i = 0; i < n_results; i++)
        json_append(layers, result_object(arena, results[i]));
    put_totals(root, arena, network, results, n_results);
    return root;
}

void report_map_json(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_network *network, const struct sator_map_result *const *results,
        int n_results, int schema)
{
    print(text,
            network == NULL ? result_object(arena, results[0])
                            : network_object(arena, network, results, n_results),
            schema);
}

void report_machines_json(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_machine *machines, int n_machines, int schema)
{
    cJSON *root = cJSON_CreateObject(), *array = json_put_array(root, "machines");

    for (int i = 0; i < n_machines; i++) {
        const struct sator_map_machine *m = &machines[i];
        cJSON *machine = m->is_network ? network_object(arena, m->network, m->results, m->n_results)
                : m->n_results > 0     ? result_object(arena, m->results[0])
                                       : cJSON_CreateObject();
        if (m->is_network || m->n_results == 0)
            json_put_text(machine, "arch", arena, m->arch);
        json_append(array, machine);
    }
    print(text, root, schema);
}

void report_front_json(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_result *const *results, int n_results, bool complete, int schema)
{
    cJSON *root = cJSON_CreateObject(), *front = json_put_array(root, "front");

    for (int i = 0; i < n_results; i++)
        json_append(front, result_object(arena, results[i]));
    json_put(root, "complete", cJSON_CreateBool(complete));
    print(text, root, schema);
}

void report_network_front_json(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_front *front, int schema)
{
    cJSON *root = cJSON_CreateObject();

    json_put_text(root, "network", arena, front->network);
    json_put_text(root, "arch", arena, front->arch);
    cJSON *layers = json_put_array(root, "layers");
    for (int i = 0; i < front->n_layers; i++) {
        const struct sator_map_layer_front *layer = &front->layers[i];
        cJSON *made = json_append(layers, cJSON_CreateObject());
        json_put_text(made, "layer", arena, layer->name);
        json_put_small(made, "repeat", layer->repeat);
        cJSON *mappings = json_put_array(made, "front");
        for (int k = 0; k < layer->n_results; k++)
            json_append(mappings, result_object(arena, layer->results[k]));
    }
    cJSON *points = json_put_array(root, "front");
    for (int i = 0; i < front->n_points; i++) {
        const struct sator_map_point *point = &front->points[i];
        cJSON *made = json_append(points, cJSON_CreateObject());
        json_put_number(made, "energy_pj", point->energy_pj);
        json_put_number(made, "latency_cycles", point->total_cycles);
        json_put_number(made, "edp", point->energy_pj * point->total_cycles);
        json_put(made, "choices", cJSON_CreateIntArray(point->choices, front->n_layers));
    }
    json_put(root, "complete", cJSON_CreateBool(front->stopped == SATOR_OK && !front->thinned));
    print(text, root, schema);
}
