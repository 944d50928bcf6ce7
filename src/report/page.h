/* A page: what its writers (page_json.c, svg*.c, show*.c) make pictures of. */
#ifndef SATOR_REPORT_PAGE_H
#define SATOR_REPORT_PAGE_H

#include "report/json.h"
#include "report/window.h"
#include "sator/page.h"

struct page_layer {
    const char *name;
    int repeat, result, window; /* result: index; window: index, or -1 */
};

struct page_design {
    const char *summary, *make;
    const char *workload; /* of its layers: a network's, or a workload's name */
    int arch; /* index */
    int n_layers;
    struct page_layer *layers;
};

struct page_result {
    const struct sator_result *is;
    const struct sator_workload *workload;
    const struct sator_bound_dataflow *bound;
    int arch;
    const char *no_window; /* why there is none */
};

struct page_window {
    int result;
    struct report_window is;
};

/* A column of the points: as the items of a JSON array, numbers as they were read. */
struct page_column {
    char *name;
    struct sator_text items;
    bool is_text; /* items are indices into "words" */
    struct page_words *words;
};

struct page_points {
    const char *make;
    int n_columns;
    struct page_column *columns;
    int64_t n_rows;
    struct sator_text field; /* that is being read */
    int column;
    bool quoted, was_quote, past_header;
    bool lost; /* memory ran out: something is missing */
};

struct sator_page {
    struct sator_arena *arena;
    const char *command;
    struct sator_report_window window;
    int n_archs, n_designs, n_results, n_windows;
    const struct sator_arch **archs;
    struct page_design *designs;
    struct page_result *results;
    struct page_window *windows;
    struct page_points *points; /* NULL: none */
    bool lost; /* memory ran out: something is missing */
};

/* page_points.c */
void page_points_free(struct page_points *points);
/* As an object: names, columns, words. */
char *page_points_json(const struct page_points *points);
/* The values of the column "name" (NAN where there is none) in "arena", or NULL. */
const double *page_points_column(
        struct sator_arena *arena, const struct page_points *points, const char *name);

/* page_window.c: a window as JSON (GIVE: free). */
char *page_window_json(struct sator_arena *arena, const struct page_window *window);

/* page_arch.c: architectures, the nest of a dataflow. */
cJSON *page_arch_json(struct sator_arena *arena, const struct sator_arch *arch);
cJSON *page_nest_json(struct sator_arena *arena, const struct page_result *result);

/* page_advice.c: what to change, and what that gives. */
struct page_advice {
    const char *text;
    double gain; /* how many times faster, or less energy */
    bool is_energy;
};
int page_advise(struct sator_arena *arena, const struct sator_result *result,
        struct page_advice *advice, int most);

/* report_json.c: a result as --json has it. */
cJSON *report_json_object(struct sator_arena *arena, const struct sator_result *result);

/* SATOR_INPUT, with a message why the page has nothing for "picture". */
enum sator_status page_has_none(
        struct sator_ctx *ctx, const struct sator_page *page, const char *picture);

/* What a design comes to: sums over its layers, repeats included. */
struct page_totals {
    double cycles, energy_pj, instances;
};
struct page_totals page_design_totals(const struct sator_page *page, const struct page_design *d);

/* The generated head and tail of the page, around its data (report/bundle/page.html). */
extern const char report_page_head[], report_page_tail[];

#endif
