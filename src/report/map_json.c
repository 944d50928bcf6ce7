/* Mappings as JSON; the keys are those of doc/output.md. */
#include "report/map.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* cJSON leaves out what it has no memory for; a shortened report would be a wrong one. */
static cJSON *put(cJSON *object, const char *key, cJSON *item)
{
    if (item == NULL || !cJSON_AddItemToObject(object, key, item)) {
        fputs("sator: out of memory\n", stderr);
        abort();
    }
    return item;
}

static cJSON *append(cJSON *array, cJSON *item)
{
    if (item == NULL || !cJSON_AddItemToArray(array, item)) {
        fputs("sator: out of memory\n", stderr);
        abort();
    }
    return item;
}

static void put_text(cJSON *object, const char *key, struct sator_arena *arena, const char *text)
{
    put(object, key, cJSON_CreateString(report_utf8(arena, text)));
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

static void put_loops(cJSON *object, struct sator_arena *arena, const struct sator_map_level *level)
{
    cJSON *loops = put(object, "loops", cJSON_CreateArray());

    for (int i = 0; i < level->n_loops; i++) {
        cJSON *loop = append(loops, cJSON_CreateObject());
        put_text(loop, "loop", arena, level->loops[i].name);
        put(loop, "factor", cJSON_CreateNumber((double)level->loops[i].factor));
        if (level->is_array)
            put(loop, "dim", cJSON_CreateNumber(level->loops[i].dim));
    }
}

static void put_memory(
        cJSON *object, struct sator_arena *arena, const struct sator_map_level *level)
{
    cJSON *tensors = put(object, "tensors", cJSON_CreateArray());
    cJSON *fills = put(object, "capacity", cJSON_CreateArray());

    for (int i = 0; i < level->contents->n_tensors; i++) {
        const struct sator_level_tensor *t = &level->contents->tensors[i];
        cJSON *tensor = append(tensors, cJSON_CreateObject());
        put_text(tensor, "name", arena, t->name);
        put_text(tensor, "role", arena, report_role_name(t->role));
        put_count(tensor, "tile_words", t->tile_words);
        put_count(tensor, "fills", t->fills);
        put_count(tensor, "writes", t->writes);
        put_count(tensor, "reads", t->reads);
        put_count(tensor, "updates", t->updates);
    }
    for (int i = 0; i < level->n_fills; i++) {
        cJSON *fill = append(fills, cJSON_CreateObject());
        put_text(fill, "tensors", arena, level->fills[i].tensors);
        put_text(fill, "unit", arena, level->fills[i].unit);
        put_number(fill, "used", level->fills[i].used);
        put_number(fill, "available", level->fills[i].available);
    }
    put_number(object, "read_cycles", level->contents->read_cycles);
    put_number(object, "write_cycles", level->contents->write_cycles);
}

static void put_levels(cJSON *object, struct sator_arena *arena, const struct sator_map_result *r)
{
    cJSON *levels = put(object, "levels", cJSON_CreateArray());

    for (int i = 0; i < r->n_levels; i++) {
        const struct sator_map_level *level = &r->levels[i];
        cJSON *made = append(levels, cJSON_CreateObject());
        put_text(made, "name", arena, level->name);
        put_text(made, "kind", arena, level->is_array ? "array" : "memory");
        put_loops(made, arena, level);
        if (!level->is_array) {
            put_memory(made, arena, level);
            continue;
        }
        cJSON *shape = put(made, "shape", cJSON_CreateArray());
        cJSON *used = put(made, "used", cJSON_CreateArray());
        for (int d = 0; d < level->n_dims; d++) {
            append(shape, cJSON_CreateNumber((double)level->shape[d]));
            append(used, cJSON_CreateNumber((double)level->used[d]));
        }
    }
}

static void put_certificate(cJSON *object, const struct sator_map_result *r)
{
    const struct sator_map_counters *c = &r->counters;
    cJSON *made = put(object, "certificate", cJSON_CreateObject());

    put(made, "proved", cJSON_CreateBool(r->proved));
    put_number(made, "value", r->value);
    put_number(made, "bound", r->bound);
    put_number(made, "gap", r->gap);
    put_number(made, "space_size", r->space_size);
    put_number(made, "evaluated", (double)c->evaluated);
    put_number(made, "unrollings", (double)c->unrollings);
    put_number(made, "tilings", (double)c->tilings);
    put_number(made, "orders", (double)c->orders);
    cJSON *pruned = put(made, "pruned", cJSON_CreateObject());
    put_number(pruned, "capacity", (double)c->pruned_capacity);
    put_number(pruned, "dominated", (double)c->pruned_dominated);
    put_number(pruned, "unrollings", (double)c->pruned_unrolling);
    put_number(pruned, "tilings", (double)c->pruned_tiling);
    put_number(pruned, "orders", (double)c->pruned_order);
    put_number(made, "seconds", r->seconds);
}

static cJSON *result_object(struct sator_arena *arena, const struct sator_map_result *r)
{
    cJSON *object = cJSON_CreateObject();

    put_text(object, "workload", arena, r->workload);
    put_text(object, "arch", arena, r->arch);
    put(object, "repeat", cJSON_CreateNumber(r->repeat));
    put_text(object, "strategy", arena, report_map_strategy(r->strategy));
    put_text(object, "objective", arena, report_map_objective(r->objective));
    put_count(object, "instances", r->instances);
    put_number(object, "edp", r->edp);
    put_number(object, "utilization", r->utilization);
    cJSON *latency = put(object, "latency_cycles", cJSON_CreateObject());
    put_number(latency, "compute", r->compute_cycles);
    put_number(latency, "total", r->total_cycles);
    put_text(latency, "bound_by", arena, r->bound_by);
    cJSON *energy = put(object, "energy_pj", cJSON_CreateObject());
    put_number(energy, "total", r->energy_pj);
    cJSON *components = put(energy, "by_component", cJSON_CreateObject());
    for (int i = 0; i < r->n_energy_terms; i++) {
        const struct sator_energy_term *term = &r->energy_terms[i];
        cJSON *known = cJSON_GetObjectItemCaseSensitive(components, term->component);
        if (known != NULL && cJSON_IsNumber(known))
            cJSON_SetNumberValue(known, known->valuedouble + term->pj);
        else if (known == NULL)
            put_number(components, report_utf8(arena, term->component), term->pj);
    }
    put_levels(object, arena, r);
    cJSON *flow = put(object, "dataflow", cJSON_CreateObject());
    put_text(flow, "space", arena, r->space);
    put_text(flow, "time", arena, r->time);
    put_text(flow, "cuts", arena, r->cuts);
    put_text(flow, "yaml", arena, r->yaml);
    put_certificate(object, r);
    return object;
}

void report_map_json(struct sator_text *text, struct sator_arena *arena, const char *name,
        const struct sator_map_result *const *results, int n_results)
{
    cJSON *root;

    if (name == NULL && n_results == 1) {
        root = result_object(arena, results[0]);
    } else if (name == NULL) {
        root = cJSON_CreateObject();
        cJSON *front = put(root, "front", cJSON_CreateArray());
        for (int i = 0; i < n_results; i++)
            append(front, result_object(arena, results[i]));
    } else {
        double pj = 0, cycles = 0;
        root = cJSON_CreateObject();
        put_text(root, "network", arena, name);
        cJSON *layers = put(root, "layers", cJSON_CreateArray());
        for (int i = 0; i < n_results; i++) {
            append(layers, result_object(arena, results[i]));
            pj += results[i]->energy_pj * results[i]->repeat;
            cycles += results[i]->total_cycles * results[i]->repeat;
        }
        cJSON *totals = put(root, "totals", cJSON_CreateObject());
        put_number(totals, "energy_pj", pj);
        put_number(totals, "latency_cycles", cycles);
    }
    char *printed = cJSON_Print(root);
    if (printed == NULL) {
        fputs("sator: out of memory\n", stderr);
        abort();
    }
    sator_text_add(text, "%s\n", printed);
    cJSON_free(printed);
    cJSON_Delete(root);
}
