/* The space of dataflows of one family of workloads (layers with the same loops) on one array.
 *
 * A point chooses, for every array dimension, the loops that run across it; the order of what is
 * left in time; and how far the inner time dimensions are skewed by what runs across the array:
 *
 *   PE[k%8, rx + 3*(c%2)] | T[floor(k/8), oy, floor(c/2), ry, ox + k%8 - c%2]
 *
 * Points have numbers from 0 to size - 1, the same for the same loops, array and options. Nothing
 * but the list of assignments (which loops run across which dimension) is kept in memory: a point
 * is made from its number. Which of the points are worth a visit is asked of sator_space_rule.
 */
#ifndef SATOR_EXPLORE_SPACE_H
#define SATOR_EXPLORE_SPACE_H

#include "arch/arch.h"
#include "model/order.h"
#include "relation/workload.h"

enum {
    SPACE_MOST_LOOPS = 16,
    SPACE_MOST_DIMS = 6,
    SPACE_MOST_DIGITS = 12,
    SPACE_MOST_SKEWED = 2,
    SPACE_MOST_ORDERS = 24 /* of dimensions */
};

enum space_kind {
    SPACE_TILED, /* quasi-affine: the picture above */
    SPACE_MATRIX /* affine: one row of 0 and 1 over the loops a stamp dimension, as many rows as
                    loops (TENET, section IV-A) */
};

enum space_prune {
    SPACE_PRUNE_NONE,
    SPACE_PRUNE_SAFE, /* points that another point of the space is never worse than */
    SPACE_PRUNE_MOVEMENTS /* also points that move a tensor in a way the array does not support
                             (TENET, section VI-B); this may remove the best point */
};

struct space_options {
    enum space_kind kind;
    enum space_prune prune;
    int pack; /* most loops across one array dimension */
    int skew_dims; /* how many inner time dimensions are skewed: 0 .. SPACE_MOST_SKEWED */
    bool whole; /* skews by whole iterators besides their digits */
    bool idle; /* array dimensions may stay without a loop (they may anyway when there are too few
                  loops) */
    int fold; /* most loops that run inside one stamp */
    bool symmetry; /* visit one of several points that are the same but for names */
    bool tensors_matter; /* tensors are told apart by name: points that exchange two of them differ
                          */
};

/* What runs across the array: weight * (loop % width), part of array dimension "dim". */
struct space_digit {
    int loop, dim;
    int64_t weight, width;
    bool has_upper; /* floor(loop / width) is left in time */
};

struct space_point {
    enum space_kind kind;
    int n_digits;
    struct space_digit digits[SPACE_MOST_DIGITS]; /* by dimension */
    int n_time;
    int time[SPACE_MOST_LOOPS]; /* loops (or what the array leaves of them), outermost first */
    uint32_t folded; /* loops that run inside a stamp */
    int n_skewed;
    /* By [0] the innermost time dimension, [1] the next: 0, +-1 times the digit, +-2: +-1 times the
     * loop. */
    int8_t skew[SPACE_MOST_SKEWED][SPACE_MOST_DIGITS];
    uint32_t rows[SPACE_MOST_LOOPS]; /* SPACE_MATRIX: loops that a stamp dimension adds up, space
                                        first */
};

struct space;

/* The space of "family", whose layers have the same number of loops, on "arch" (GIVE:
 * sator_space_free). Layers and architecture must outlive it. SATOR_INPUT with a message when there
 * is none: no array, a loop without bounds, more points than 62 bits can number. */
enum sator_status sator_space_new(struct sator_ctx *ctx, int n_layers,
        const struct sator_workload *const *family, const struct sator_arch *arch,
        const struct space_options *options, SATOR_GIVE struct space **result);
void sator_space_free(SATOR_TAKE struct space *space);
uint64_t sator_space_size(const struct space *space);

void sator_space_point(const struct space *space, uint64_t index, struct space_point *point);
/* The number of a point of the space. */
uint64_t sator_space_index(const struct space *space, const struct space_point *point);

/* Why the point is not worth a visit (a static string, a name in doc/explore.md), or NULL. Fast:
 * nothing is counted. */
const char *sator_space_rule(
        const struct space *space, uint64_t index, const struct space_point *point);

/* The maps of a point over the loops of layer "layer" of the family, in "arena". */
void sator_space_maps(const struct space *space, const struct space_point *point, int layer,
        struct sator_arena *arena, const struct sator_relation **space_map,
        const struct sator_relation **time_map);

/* ---- parts of the space, for space*.c ---- */

/* One access as integers: piece by piece, index by index, a coefficient a loop and a constant. */
struct linear_access {
    const char *tensor;
    enum sator_role role;
    int word_bits;
    bool is_linear; /* else the rest is empty */
    int n_pieces, n_index;
    const int64_t *coefficients; /* [piece][index][loop] */
    const int64_t *constants; /* [piece][index] */
};

struct assignment {
    uint64_t key; /* loops of each dimension, packed (space.c) */
    uint32_t folded;
    uint64_t first; /* number of its first point */
};

struct space {
    struct sator_arena *arena;
    struct space_options options;
    const struct sator_arch *arch;
    int n_layers;
    const struct sator_workload *const *family;
    int n_loops, n_dims;
    int64_t extents[SPACE_MOST_LOOPS]; /* the greatest of any layer; 1: the loop is left out */
    int64_t shape[SPACE_MOST_DIMS];
    uint64_t size;
    int n_assignments;
    struct assignment *assignments;
    int *by_key; /* assignments in order of (key, folded) */
    const struct sator_order **orders; /* that the layers' instances must keep, or NULL */
    bool is_ordered; /* some layer's must */
    /* symmetry.c */
    bool all_boxes;
    const struct linear_access *accesses; /* of layer 0; all layers have these */
    int n_accesses;
    int n_dim_orders, n_renamings;
    /* dimension d becomes [d]; the first one is the identity */
    int dim_orders[SPACE_MOST_ORDERS][SPACE_MOST_DIMS];
    int (*renamings)[SPACE_MOST_LOOPS]; /* loop l becomes [l] */
    uint32_t mirrored_dims; /* the array looks the same from the other end */
    uint32_t reversible_loops; /* so does the operation, digit by digit */
    /* movement.c */
    bool regular;
    bool safe_rules; /* what sator_space_rule calls idle_skew is proved for this architecture */
    bool all_offsets; /* every link is a constant offset */
    struct link_offset {
        int interval;
        int n_tensors;
        const char *const *tensors;
        int64_t offset[SPACE_MOST_DIMS];
    } * offsets;
    int n_offsets;
    const char **unsupported; /* rule names, one an access */
};

void space_find_symmetries(struct space *space);
bool space_is_canonical(const struct space *space, uint64_t index, const struct space_point *point);
/* "regular": all accesses are linear, the same in all layers, over boxes. */
void space_find_movements(struct space *space, bool regular);
/* The dimensions that tell a bus from another, when its map just picks some; false otherwise. */
bool space_bus_dims(const struct sator_bus *bus, uint32_t *dims);
const char *space_movement_rule(const struct space *space, const struct space_point *point);

/* The accesses of "workload" in "arena". */
const struct linear_access *space_linear_accesses(
        struct sator_arena *arena, const struct sator_workload *workload);

#endif
