/* What pictures show, whether they are drawn as SVG or with characters. */
#ifndef SATOR_REPORT_CHARTS_H
#define SATOR_REPORT_CHARTS_H

#include "report/page.h"

/* ---- the layers that a picture is about: of the first design that has several, or each design's
 * only one ---- */

struct chart_row {
    const char *name;
    int repeat;
    const struct sator_result *result;
    const struct sator_arch *arch;
};
int chart_rows(struct sator_arena *arena, const struct sator_page *page, struct chart_row **rows);

/* ---- roofline ---- */

struct chart_roofline {
    const char *port;
    double bandwidth, peak; /* bits per cycle, MACs per cycle */
    int n_points;
    struct chart_point {
        const char *name;
        double x, y; /* MACs per bit, MACs per cycle */
    } * points;
};
/* Over the port that bounds the first row that one bounds, else the first with a bandwidth; false
 * when there is none. */
bool chart_roofline(
        struct sator_arena *arena, const struct sator_page *page, struct chart_roofline *roofline);

/* ---- energy ---- */

/* The names of the rows' components, the largest sum first; returns how many. */
int chart_components(struct sator_arena *arena, int n_rows, const struct chart_row *rows,
        const char *const **names);
double chart_component_pj(const struct chart_row *row, const char *name);

/* ---- Pareto ---- */

struct chart_front {
    const char *x_name, *y_name;
    int64_t n_points, n_front;
    const double *x, *y; /* NAN: not known */
    int64_t *front; /* points that no other beats, x ascending */
};
/* Latency and energy of the page's points, or the two first figures that it has; false without. */
bool chart_front(
        struct sator_arena *arena, const struct sator_page *page, struct chart_front *front);

/* ---- words between memories ---- */

/* What crosses between a memory and the next one inside it that holds the tensor. */
struct chart_edge {
    int tensor; /* index into the result's */
    const char *name;
    int from, to; /* levels of the result; n_levels: the compute units */
    double down, up;
};
int chart_edges(
        struct sator_arena *arena, const struct sator_result *result, struct chart_edge **edges);

/* ---- the array ---- */

/* Rows and columns of the picture of an array: of its dimensions, taken from the last, every other
 * goes across. */
struct chart_grid {
    int rows, columns;
    int32_t *row, *column; /* of each PE */
};
struct chart_grid chart_grid(struct sator_arena *arena, const struct sator_provenance *window);
/* The first stamp with half as many words as the fullest one. */
int chart_first_stamp(const struct sator_provenance *window);

#endif
