/* Filling a page. */
#include "report/page.h"

#include "base/arguments.h"

#include <limits.h>
#include <string.h>

enum sator_status sator_page_new(
        struct sator_ctx *ctx, const struct sator_page_options *options, struct sator_page **page)
{
    struct sator_page_options own;
    struct sator_report_window window;

    SATOR_NEEDS(ctx, page != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_OPTIONS(ctx, options, own);
    SATOR_OPTIONS(ctx, own.window, window);
    SATOR_NUMBER(ctx, window.n_from, 0, window.from == NULL ? 0 : INT_MAX);
    SATOR_NUMBER(ctx, window.n_stamps, 0, INT_MAX);
    struct sator_arena *arena = sator_arena_new();
    struct sator_page *made = SATOR_NEW(arena, struct sator_page);
    *made = (struct sator_page){.arena = arena, .window = window};
    if (own.command != NULL)
        made->command = sator_arena_strdup(arena, own.command);
    if (window.n_from > 0)
        made->window.from =
                sator_arena_copy(arena, window.from, sizeof *window.from * (size_t)window.n_from);
    *page = made;
    return SATOR_OK;
}

void sator_page_free(struct sator_page *page)
{
    if (page == NULL)
        return;
    page_points_free(page->points);
    sator_arena_free(page->arena);
}

void sator_page_add_design(struct sator_page *page, const char *summary, const char *make,
        const struct sator_arch *arch)
{
    SATOR_CALL(NULL, page->lost = true; return )
    int at = 0;

    if (page == NULL || arch == NULL)
        return;
    while (at < page->n_archs && page->archs[at] != arch)
        at++;
    if (at == page->n_archs)
        SATOR_PUSH(page->arena, page->archs, page->n_archs, arch);
    SATOR_PUSH(page->arena, page->designs, page->n_designs,
            (struct page_design){
                    .summary = sator_arena_strdup(page->arena, summary == NULL ? "" : summary),
                    .make = make == NULL ? NULL : sator_arena_strdup(page->arena, make),
                    .arch = at});
}

/* ---- layers ---- */

enum {
    DEFAULT_STAMPS = 512
};
/* Words of the first window of a page, and of each other: files stay small. */
static const int64_t first_words = 2000000, more_words = 60000;

/* The window of the result that was added last; a layer whose stamps cannot be traced has none. */
static enum sator_status add_window(struct sator_ctx *ctx, struct sator_page *page,
        const struct sator_network *network, int layer, const struct sator_dataflow *dataflow,
        int *window)
{
    struct page_result *result = &page->results[page->n_results - 1];
    struct sator_report_window wanted = page->window;
    struct page_window made = {.result = page->n_results - 1};
    struct sator_hush hush;

    wanted.n_stamps = wanted.n_stamps == 0 ? DEFAULT_STAMPS : wanted.n_stamps;
    if (wanted.most_words == 0)
        wanted.most_words = page->n_windows == 0 ? first_words : more_words;
    sator_ctx_hush(ctx, &hush);
    enum sator_status st = report_window_trace(ctx, page->arena, network, layer,
            page->archs[result->arch], dataflow, result->is, &wanted, &made.is);
    const char *why = sator_ctx_error_text(ctx, 0);
    result->no_window = st == SATOR_OK ? NULL
            : why != NULL              ? sator_arena_strdup(page->arena, why)
                                       : "the work limit was reached before its stamps were traced";
    sator_ctx_unhush(ctx, &hush);
    *window = -1;
    if (st == SATOR_OK) {
        *window = page->n_windows;
        SATOR_PUSH(page->arena, page->windows, page->n_windows, made);
    } else if (st == SATOR_USAGE) {
        sator_error(ctx, (struct sator_loc){0}, "%s", result->no_window);
    }
    return st == SATOR_USAGE || st == SATOR_INTERRUPTED ? st : SATOR_OK;
}

enum sator_status sator_page_add_layer(struct sator_ctx *ctx, struct sator_page *page,
        const struct sator_network *network, int layer, int repeat,
        const struct sator_dataflow *dataflow, const struct sator_result *result)
{
    SATOR_NEEDS(ctx,
            page != NULL && page->n_designs > 0 && network != NULL && dataflow != NULL &&
                    result != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_NUMBER(ctx, layer, 0, network->n_layers - 1);
    SATOR_NUMBER(ctx, repeat, 1, INT_MAX);
    struct page_design *design = &page->designs[page->n_designs - 1];
    struct page_layer made = {.name = sator_arena_strdup(page->arena, network->layers[layer].name),
            .repeat = repeat,
            .window = -1};
    enum sator_status st = SATOR_OK;

    if (design->workload == NULL)
        design->workload = sator_arena_strdup(page->arena, network->name);
    while (made.result < page->n_results && page->results[made.result].is != result)
        made.result++;
    if (made.result == page->n_results) {
        struct page_result added = {
                .is = result, .workload = &network->layers[layer], .arch = design->arch};
        st = sator_arch_bind(ctx, page->arena, page->archs[design->arch], dataflow, added.workload,
                &added.bound);
        if (st != SATOR_OK)
            return st;
        SATOR_PUSH(page->arena, page->results, page->n_results, added);
        st = add_window(ctx, page, network, layer, dataflow, &made.window);
    }
    for (int w = 0; w < page->n_windows; w++) {
        if (page->windows[w].result == made.result)
            made.window = w;
    }
    SATOR_PUSH(page->arena, design->layers, design->n_layers, made);
    return st;
}

struct page_totals page_design_totals(const struct sator_page *page, const struct page_design *d)
{
    struct page_totals totals = {0};

    for (int l = 0; l < d->n_layers; l++) {
        const struct sator_result *r = page->results[d->layers[l].result].is;
        totals.cycles += r->total_cycles * d->layers[l].repeat;
        totals.energy_pj += r->energy_pj * d->layers[l].repeat;
        totals.instances += (double)r->instances * d->layers[l].repeat;
    }
    return totals;
}

enum sator_status page_has_none(
        struct sator_ctx *ctx, const struct sator_page *page, const char *picture)
{
    static const struct sator_loc nowhere;

    if (page->n_results == 0) {
        sator_error(ctx, nowhere, "an exploration has no picture '%s'", picture);
        sator_help(ctx, "it has 'pareto'; analyse one of its points for the others");
    } else if (strcmp(picture, "pareto") == 0) {
        sator_error(ctx, nowhere, "a front is of an exploration's results: there are none here");
        sator_help(ctx, "sator query DATABASE or sator explore show it");
    } else if (strcmp(picture, "array") == 0 && page->results[0].no_window != NULL) {
        sator_error(ctx, nowhere, "the stamps cannot be shown: %s", page->results[0].no_window);
    } else {
        sator_error(ctx, nowhere, "the architecture does not say what picture '%s' needs: %s",
                picture,
                strcmp(picture, "roofline") == 0 ? "a bandwidth_bits of a memory"
                                                 : "energy_pj of its parts");
    }
    return SATOR_INPUT;
}
