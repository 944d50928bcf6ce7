/* Reports to look at: one self-contained HTML file, single pictures as SVG, small pictures for the
 * terminal, all of the same data (doc/report.md).
 *
 * A page is filled piece by piece, then written as often as one likes. It keeps what it is given:
 * networks, architectures, dataflows and results must outlive it. All texts are GIVE: free. */
#ifndef SATOR_PAGE_H
#define SATOR_PAGE_H

#include "sator/explore.h"
#include "sator/report.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sator_page;

struct sator_page_options {
    size_t size; /* sizeof the struct: sator/context.h */
    const char *command; /* that makes the page again; NULL: none is shown */
    const struct sator_report_window *window; /* of every layer's array; NULL: the beginning */
};
/* An empty page (GIVE: sator_page_free). "options" may be NULL. */
SATOR_API enum sator_status sator_page_new(struct sator_ctx *ctx,
        const struct sator_page_options *options, SATOR_GIVE struct sator_page **page);
SATOR_API void sator_page_free(SATOR_TAKE struct sator_page *page);

/* Begin a design: an architecture with a dataflow, or with one for every layer. The layers that
 * follow belong to it. "summary" says how it came about: "(IJ-P | J,IJK-T)", "best mapping"; "make"
 * the part of a command line that names the dataflow ("-d FILE"); either may be NULL. Without a
 * page or an architecture nothing is begun. */
SATOR_API void sator_page_add_design(struct sator_page *page, const char *summary, const char *make,
        SATOR_KEEP const struct sator_arch *arch);
/* Add layer "layer" of "network", which a network runs "repeat" times. A result that an earlier
 * layer has is written once. Where the stamps of the layer cannot be traced, the page says why. */
SATOR_API enum sator_status sator_page_add_layer(struct sator_ctx *ctx, struct sator_page *page,
        SATOR_KEEP const struct sator_network *network, int layer, int repeat,
        SATOR_KEEP const struct sator_dataflow *dataflow,
        SATOR_KEEP const struct sator_result *result);

/* Add the results of an exploration: CSV as sator_explore_query writes it, in pieces of any length,
 * through the sink that sator_page_points returns (it lives as long as the page). "make" is the
 * command that explored them, to which "--point N" is added; or NULL. */
SATOR_API struct sator_sink sator_page_points(struct sator_page *page, const char *make);

/* The data document, and the page that holds it. */
SATOR_API SATOR_GIVE char *sator_page_json(struct sator_page *page);
SATOR_API SATOR_GIVE char *sator_page_html(struct sator_page *page);

/* One picture as SVG: "machine", "array", "roofline", "energy", "tree", "pareto". SATOR_USAGE with
 * the names that there are for another one; SATOR_INPUT with a message where the page has nothing
 * that it could show. */
SATOR_API enum sator_status sator_page_svg(struct sator_ctx *ctx, struct sator_page *page,
        const char *picture, SATOR_GIVE char **text);

/* The same as characters of a terminal: "array", "roofline", "tree", "pareto". */
struct sator_show_options {
    size_t size; /* sizeof the struct: sator/context.h */
    int width; /* columns, at most 10,000; below 20: 80 */
    bool ascii; /* no Unicode */
    bool color;
};
SATOR_API enum sator_status sator_page_show(struct sator_ctx *ctx, struct sator_page *page,
        const char *picture, const struct sator_show_options *options, SATOR_GIVE char **text);

#ifdef __cplusplus
}
#endif
#endif
