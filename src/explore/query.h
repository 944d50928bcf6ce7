/* Reading databases: their description, their rows, the selection and the writing of results. */
#ifndef SATOR_EXPLORE_QUERY_H
#define SATOR_EXPLORE_QUERY_H

#include "base/grid.h"
#include "base/json.h"
#include "base/text.h"
#include "explore/figures.h"
#include "explore/origin.h"
#include "sator/explore.h"
#include "store/store.h"

struct query_layer {
    int family, repeat, same_as;
    const char *name;
};

struct query_hardware {
    const char *name, *settings;
    double area; /* um2; NAN when it is not known */
};

struct query_tensor {
    const char *name;
    enum sator_role role;
};

/* What a database says about itself. */
struct query_source {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    struct sator_store *store;
    bool are_mappings; /* points are mappings, of a layer each */
    const char *network, *objective, *digest, *program;
    struct explore_origin origin;
    int shard, n_shards;
    int n_layers, n_families, n_hardware, n_tensors;
    struct query_layer *layers;
    const char **family_names; /* "all", or with several families "all like LAYER" */
    struct query_hardware *hardware;
    struct query_tensor *tensors;
    struct explore_names names; /* for expressions */
};

/* Open and read the description; release with query_close, also on failure. */
enum sator_status query_open(struct sator_ctx *ctx, const char *path, struct query_source *source);
void query_close(struct query_source *source);

struct query_row {
    const char *space, *time; /* live until the next row */
    const char *bound_by, *cuts; /* as in the store; NULL: of totals */
    const char *loops; /* of a mapping; else NULL */
    int family; /* of totals over a network, whose record.layer is -1 */
    bool no_point; /* of totals that add up a point of its own for every layer */
    struct explore_record record; /* its figures and tensors live until the next row, too */
};

/* Where rows come from, and room for what is in them. */
struct query_reader {
    struct query_source *source;
    struct sator_cursor *results;
    bool with_tensors; /* without them records have none, and reading takes half the time */
    struct explore_tensor *tensors;
    struct explore_value figures[EXPLORE_MOST_FIGURES];
};

/* Rows in order of "order": columns of tables result and, with "family" among them, layer. */
enum sator_status query_reader_open(struct query_source *source, bool with_tensors,
        const char *order, struct query_reader *reader);
enum sator_status query_reader_next(
        struct query_reader *reader, struct query_row *row, bool *found);
void query_reader_close(struct query_reader *reader);

/* One row by its key, with cursors that were opened by query_finder_open. */
enum sator_status query_finder_open(struct query_source *source, struct query_reader *finder);
enum sator_status query_find(struct query_reader *finder, int layer, int hardware, uint64_t point,
        struct query_row *row, bool *found);

/* Totals over layers: of each dataflow over the layers of its family, in order of hardware, family,
 * point; or, "best" given, of each machine over all layers, the best result of each. */
struct query_totals {
    struct query_source *source;
    const struct explore_objective *best; /* NULL: one dataflow for all layers of a family */
    struct query_reader reader;
    struct query_row next;
    bool has_row; /* "next" is one */
    char *space, *time;
    struct explore_value sums[EXPLORE_MOST_FIGURES], kept[EXPLORE_MOST_FIGURES];
    /* Rows that lack a figure of "best", by its number (explore_objective_unknown). */
    uint64_t unknown[EXPLORE_N_FIELDS + EXPLORE_MOST_FIGURES];
};
enum sator_status query_totals_open(struct query_source *source,
        const struct explore_objective *best, struct query_totals *totals);
enum sator_status query_totals_next(
        struct query_totals *totals, struct query_row *row, bool *found);
void query_totals_close(struct query_totals *totals);

/* ---- writing ---- */

struct query_writer {
    const struct query_source *source;
    enum sator_format format;
    int schema; /* of JSON */
    const struct sator_sink *sink;
    struct sator_text text; /* not handed on yet */
    struct sator_json json; /* into "text" */
    bool stopped; /* by the sink */
    uint64_t n_rows;
    struct sator_grid table; /* cells wait for the columns' widths */
    int width; /* of a line of text; 0: any */
    bool *shown; /* hardware that a row is about */
};
void query_write_start(struct query_writer *writer);
void query_write_row(struct query_writer *writer, const struct query_row *row);
void query_write_end(struct query_writer *writer);
/* How much of the exploration is there, by rule; "n_missing" batches are not complete. */
enum sator_status query_write_summary(struct query_source *source, struct sator_text *text);

/* ---- merge.c ---- */

/* Add what the database at "path" has to "output", which it has to be of one exploration with, and
 * which takes its description when it is new. */
enum sator_status explore_join(struct sator_ctx *ctx, struct sator_store *output, const char *path);

#endif
