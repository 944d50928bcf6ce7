#include "report/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Marks a count that schema 1 has as a string: the "valueint" of a raw item, which cJSON ignores.
 */
enum {
    COUNT_IS_TEXT = 1
};

static cJSON *must(cJSON *item)
{
    if (item == NULL)
        sator_out_of_memory();
    return item;
}

cJSON *json_put(cJSON *object, const char *key, cJSON *item)
{
    if (!cJSON_AddItemToObject(object, key, must(item)))
        must(NULL);
    return item;
}

cJSON *json_put_object(cJSON *object, const char *key)
{
    return json_put(object, key, cJSON_CreateObject());
}

cJSON *json_put_array(cJSON *object, const char *key)
{
    return json_put(object, key, cJSON_CreateArray());
}

cJSON *json_append(cJSON *array, cJSON *item)
{
    if (!cJSON_AddItemToArray(array, must(item)))
        must(NULL);
    return item;
}

void json_put_text(cJSON *object, const char *key, struct sator_arena *arena, const char *text)
{
    json_put(object, key,
            text == NULL ? cJSON_CreateNull() : cJSON_CreateString(report_utf8(arena, text)));
}

void json_put_number(cJSON *object, const char *key, double number)
{
    json_put(object, key, isfinite(number) ? cJSON_CreateNumber(number) : cJSON_CreateNull());
}

void json_put_count(cJSON *object, const char *key, sator_int count)
{
    char digits[64];

    json_put(object, key, cJSON_CreateRaw(sator_int_format(count, 0, digits)))->valueint =
            COUNT_IS_TEXT;
}

void json_put_small(cJSON *object, const char *key, sator_int count)
{
    const sator_int exact = (sator_int)1 << 53;
    char digits[64];

    sator_int_format(count, 0, digits);
    json_put(object, key, cJSON_CreateRaw(digits))->valueint =
            count <= exact && count >= -exact ? 0 : COUNT_IS_TEXT;
}

void json_put_level_tensors(cJSON *level, struct sator_arena *arena, int n_tensors,
        const struct sator_level_tensor *tensors)
{
    cJSON *array = json_put_array(level, "tensors");

    for (int i = 0; i < n_tensors; i++) {
        const struct sator_level_tensor *t = &tensors[i];
        cJSON *tensor = json_append(array, cJSON_CreateObject());
        json_put_text(tensor, "name", arena, t->name);
        json_put_text(tensor, "role", arena, report_role_name(t->role));
        json_put_count(tensor, "tile_words", t->tile_words);
        json_put_count(tensor, "fills", t->fills);
        json_put_count(tensor, "writes", t->writes);
        json_put_count(tensor, "reads", t->reads);
        json_put_count(tensor, "updates", t->updates);
    }
}

void json_put_components(cJSON *energy, struct sator_arena *arena, int n_terms,
        const struct sator_energy_term *terms)
{
    cJSON *components = json_put_object(energy, "by_component");

    for (int i = 0; i < n_terms; i++) {
        const char *name = report_utf8(arena, terms[i].component);
        double sum = 0;
        for (int k = 0; k < n_terms; k++)
            sum += strcmp(terms[k].component, terms[i].component) == 0 ? terms[k].pj : 0;
        if (cJSON_GetObjectItemCaseSensitive(components, name) == NULL)
            json_put_number(components, name, sum);
    }
}

void json_counts_as_text(cJSON *item)
{
    for (cJSON *kid = item->child; kid != NULL; kid = kid->next)
        json_counts_as_text(kid);
    if (cJSON_IsRaw(item) && item->valueint == COUNT_IS_TEXT)
        item->type = (item->type & ~0xFF) | cJSON_String;
}

/* "root" with its schema before all else. */
static cJSON *with_schema(cJSON *root, int schema)
{
    cJSON *object = cJSON_CreateObject();

    json_put(object, "schema", cJSON_CreateNumber(schema));
    while (root->child != NULL) {
        cJSON *item = cJSON_DetachItemViaPointer(root, root->child);
        char *key = item->string;
        item->string = NULL;
        json_put(object, key, item);
        cJSON_free(key);
    }
    cJSON_Delete(root);
    return object;
}

char *json_print(cJSON *root, int schema)
{
    struct sator_text text = {0};

    if (schema != 1)
        root = with_schema(must(root), 2);
    else
        json_counts_as_text(must(root));
    char *json = cJSON_Print(must(root));

    if (json == NULL)
        must(NULL);
    sator_text_add(&text, "%s\n", json);
    cJSON_free(json);
    cJSON_Delete(root);
    return sator_text_take(&text);
}
