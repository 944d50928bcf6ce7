/* Architectures and nests as JSON. */
#include "report/page.h"

#include <math.h>

static void put_names(
        cJSON *object, const char *key, struct sator_arena *arena, int n, const char *const *names)
{
    cJSON *list = json_put_array(object, key);

    for (int i = 0; i < n; i++)
        json_append(list, cJSON_CreateString(report_utf8(arena, names[i])));
}

static void put_map(cJSON *object, struct sator_arena *arena, const struct sator_relation *map)
{
    struct sator_text text = {0};

    sator_relation_write(&text, map);
    json_put_text(object, "map", arena, text.data);
    sator_text_clear(&text);
}

static void put_array(cJSON *level, struct sator_arena *arena, const struct sator_array *array)
{
    cJSON *shape = json_put_array(level, "shape");
    for (int i = 0; i < array->n_dims; i++)
        json_append(shape, cJSON_CreateNumber((double)array->shape[i]));
    cJSON *links = json_put_array(level, "links");
    for (int i = 0; i < array->n_links; i++) {
        cJSON *link = json_append(links, cJSON_CreateObject());
        json_put_text(link, "name", arena, array->links[i].name);
        json_put_small(link, "interval", array->links[i].interval);
        put_names(link, "tensors", arena, array->links[i].n_tensors, array->links[i].tensors);
        put_map(link, arena, array->links[i].map);
    }
    cJSON *buses = json_put_array(level, "buses");
    for (int i = 0; i < array->n_buses; i++) {
        cJSON *bus = json_append(buses, cJSON_CreateObject());
        json_put_text(bus, "name", arena, array->buses[i].name);
        json_put(bus, "is_reduction", cJSON_CreateBool(array->buses[i].is_reduction));
        put_names(bus, "tensors", arena, array->buses[i].n_tensors, array->buses[i].tensors);
        put_map(bus, arena, array->buses[i].map);
    }
}

static void put_memory(cJSON *level, struct sator_arena *arena, const struct sator_memory *memory)
{
    cJSON *capacities = json_put_array(level, "capacities");

    for (int i = 0; i < memory->n_capacities; i++) {
        cJSON *capacity = json_append(capacities, cJSON_CreateObject());
        json_put_text(capacity, "tensor", arena, memory->capacities[i].tensor);
        json_put_number(capacity, "words", memory->capacities[i].words);
        json_put_number(capacity, "bytes", memory->capacities[i].bytes);
    }
    json_put(level, "double_buffered", cJSON_CreateBool(memory->double_buffered));
    json_put_number(level, "area_um2", memory->area_um2.value);
}

cJSON *page_arch_json(struct sator_arena *arena, const struct sator_arch *arch)
{
    static const char *const kinds[] = {"memory", "array", "compute"};
    cJSON *object = cJSON_CreateObject();

    json_put_text(object, "name", arena, arch->name);
    json_put_number(object, "clock_mhz", arch->clock_mhz);
    json_put_number(object, "technology_nm", arch->technology_nm);
    cJSON *levels = json_put_array(object, "levels");
    for (int i = 0; i < arch->n_levels; i++) {
        cJSON *level = json_append(levels, cJSON_CreateObject());
        json_put_text(level, "kind", arena, kinds[arch->levels[i].kind]);
        json_put_text(level, "name", arena, arch->levels[i].name);
        if (arch->levels[i].kind == SATOR_LEVEL_ARRAY)
            put_array(level, arena, &arch->levels[i].array);
        if (arch->levels[i].kind == SATOR_LEVEL_MEMORY)
            put_memory(level, arena, &arch->levels[i].memory);
        if (arch->levels[i].kind == SATOR_LEVEL_COMPUTE)
            json_put_number(level, "cycles", arch->levels[i].compute.cycles);
    }
    return object;
}

/* Each dimension of a stamp as text, with the bounds of its values. */
static void put_dimensions(cJSON *object, const char *key, struct sator_arena *arena,
        const struct sator_relation *map, const struct sator_workload *workload)
{
    cJSON *list = json_put_array(object, key);
    const struct sator_piece *piece = sator_relation_function(map);
    int64_t *upper = SATOR_NEW_ARRAY(arena, int64_t, workload->n_loops + 1);

    for (int l = 0; l < workload->n_loops; l++)
        upper[l] = workload->upper[l] - 1;
    for (int i = 0; i < map->n_out; i++) {
        cJSON *dimension = json_append(list, cJSON_CreateObject());
        int64_t least, greatest;
        if (piece == NULL) {
            json_put_text(dimension, "text", arena, "by cases");
            continue;
        }
        struct sator_text text = {0};
        sator_expr_write(&text, piece->out[i], piece->names);
        json_put_text(dimension, "text", arena, text.data);
        sator_text_clear(&text);
        if (sator_expr_range(piece->out[i], workload->lower, upper, &least, &greatest)) {
            json_put_number(dimension, "least", (double)least);
            json_put_number(dimension, "greatest", (double)greatest);
        }
    }
}

cJSON *page_nest_json(struct sator_arena *arena, const struct page_result *result)
{
    const struct sator_workload *workload = result->workload;
    cJSON *object = cJSON_CreateObject(), *loops = json_put_array(object, "loops");

    for (int l = 0; l < workload->n_loops; l++) {
        cJSON *loop = json_append(loops, cJSON_CreateObject());
        json_put_text(loop, "name", arena, workload->loop_names[l]);
        json_put_number(loop, "lower", (double)workload->lower[l]);
        json_put_number(loop, "upper", (double)workload->upper[l]);
    }
    put_dimensions(object, "space", arena, result->bound->space, workload);
    put_dimensions(object, "time", arena, result->bound->time, workload);
    return object;
}
