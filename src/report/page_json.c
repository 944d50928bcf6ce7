/* The data document (doc/report.md), and the page around it. */
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE_VERSION = 2, /* of the document: doc/report.md */
    MOST_ADVICE = 4
};

static void put_raw(cJSON *array, char *json)
{
    json_append(array, cJSON_CreateRaw(json));
    free(json);
}

static void put_result(cJSON *results, struct sator_arena *arena, const struct page_result *result)
{
    struct page_advice advice[MOST_ADVICE];
    int n_advice = page_advise(arena, result->is, advice, MOST_ADVICE);
    cJSON *object = json_append(results, cJSON_CreateObject());

    json_put(object, "json", report_json_object(arena, result->is));
    json_put_small(object, "arch", result->arch);
    json_put(object, "nest", page_nest_json(arena, result));
    cJSON *list = json_put_array(object, "advice");
    for (int i = 0; i < n_advice; i++) {
        cJSON *item = json_append(list, cJSON_CreateObject());
        json_put_text(item, "text", arena, advice[i].text);
        json_put_number(item, "gain", advice[i].gain);
        json_put_text(item, "of", arena, advice[i].is_energy ? "energy" : "latency");
    }
    json_put_text(object, "no_window", arena, result->no_window);
}

static void put_design(
        cJSON *designs, const struct sator_page *page, const struct page_design *design)
{
    cJSON *object = json_append(designs, cJSON_CreateObject());
    struct page_totals totals = page_design_totals(page, design);

    json_put_text(object, "summary", page->arena, design->summary);
    json_put_text(object, "workload", page->arena, design->workload);
    json_put_text(object, "make", page->arena, design->make);
    json_put_small(object, "arch", design->arch);
    cJSON *layers = json_put_array(object, "layers");
    for (int i = 0; i < design->n_layers; i++) {
        const struct page_layer *layer = &design->layers[i];
        cJSON *item = json_append(layers, cJSON_CreateObject());
        json_put_text(item, "name", page->arena, layer->name);
        json_put_small(item, "repeat", layer->repeat);
        json_put_small(item, "result", layer->result);
        json_put(item, "window",
                layer->window < 0 ? cJSON_CreateNull() : cJSON_CreateNumber(layer->window));
    }
    cJSON *sums = json_put_object(object, "totals");
    json_put_number(sums, "cycles", totals.cycles);
    json_put_number(sums, "energy_pj", totals.energy_pj);
    json_put_number(sums, "instances", totals.instances);
}

char *sator_page_json(struct sator_page *page)
{
    SATOR_CALL(NULL, return NULL)
    struct sator_arena *arena = page->arena;
    cJSON *root = cJSON_CreateObject();

    json_put_text(root, "format", arena, "sator-report");
    json_put_small(root, "version", PAGE_VERSION);
    json_put_text(root, "program", arena, "sator " SATOR_VERSION);
    json_put_text(root, "command", arena, page->command);
    cJSON *archs = json_put_array(root, "archs");
    for (int i = 0; i < page->n_archs; i++)
        json_append(archs, page_arch_json(arena, page->archs[i]));
    cJSON *designs = json_put_array(root, "designs");
    for (int i = 0; i < page->n_designs; i++)
        put_design(designs, page, &page->designs[i]);
    cJSON *results = json_put_array(root, "results");
    for (int i = 0; i < page->n_results; i++)
        put_result(results, arena, &page->results[i]);
    cJSON *windows = json_put_array(root, "windows");
    for (int i = 0; i < page->n_windows; i++)
        put_raw(windows, page_window_json(arena, &page->windows[i]));
    if (page->points == NULL) {
        json_put(root, "points", cJSON_CreateNull());
    } else {
        char *points = page_points_json(page->points);
        json_put(root, "points", cJSON_CreateRaw(points));
        free(points);
    }
    json_counts_as_text(root); /* a browser reads numbers as doubles */
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    if (text == NULL || page->lost || (page->points != NULL && page->points->lost)) {
        free(text);
        return NULL;
    }
    return text;
}

/* A '<' stands in strings alone, where it may be written as an escape: nothing in the data can end
 * the element that holds it. */
static void put_harmless(struct sator_text *out, const char *json)
{
    for (const char *end; (end = strchr(json, '<')) != NULL; json = end + 1) {
        sator_text_add_bytes(out, json, (size_t)(end - json));
        sator_text_put(out, "\\u003c");
    }
    sator_text_put(out, json);
}

char *sator_page_html(struct sator_page *page)
{
    SATOR_CALL(NULL, return NULL)
    struct sator_text out = {0};
    char *json = sator_page_json(page);

    if (json == NULL)
        return NULL;
    sator_text_put(&out, report_page_head);
    put_harmless(&out, json);
    sator_text_put(&out, report_page_tail);
    free(json);
    return sator_text_take(&out);
}
