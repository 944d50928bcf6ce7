/* A problem of the mapper with the bounds that the optimal strategy cuts by: random mappings, what
 * of them is known, and what they cost exactly.
 *
 * What a mapping costs is summed here from the words of its transfers; only the bounds themselves
 * come from src/mapper/bounds.
 */
#ifndef SATOR_TEST_CHECKED_H
#define SATOR_TEST_CHECKED_H

#include "mapper/bounds/bounds.h"
#include "mapper/search/search.h"
#include "oracle/machines.h"

struct checked {
    const struct mapper_problem *problem;
    struct mapper_words *words;
    struct mapper_bounds *bounds;
    struct machines_rng *rng;
    struct mapper_crew crew;
    bool any_order; /* bounds are of all orders of the loops on arrays */
    uint32_t joined; /* transfers that are bounded with those into the compute units */
    unsigned single; /* loops that have no factor at the innermost memory, for these */
    /* raised: by a step; together: with some joined; shrunk: words that spare energy */
    int wrong, comparisons, raised, together, shrunk;
    int pairs, standing, either; /* bounds of two memories; with what is further in; of any tile */
    int apart; /* mappings compared with bounds of all arrays outside */
    double limit; /* of the energy of mappings that are compared; 0: there is none */
    int within, beyond; /* compared with bounds of what is within a limit, and not */
};

void checked_open(
        struct checked *c, const struct mapper_problem *problem, struct machines_rng *rng);
void checked_close(struct checked *c);

/* ---- mappings ---- */

int checked_draw(struct checked *c, int n);
int64_t checked_prime(int64_t n);
/* Give the factors of a loop at the time rows before "end" to these rows anew. */
void checked_spread(
        struct checked *c, int loop, int end, bool but_innermost, struct mapper_mapping *mapping);
/* Give the factors of the time rows before "end" to these rows anew, and all of them new orders. */
void checked_complete(struct checked *c, int end, struct mapper_mapping *mapping);
void checked_show(const struct checked *c, const struct mapper_mapping *mapping);

/* ---- what is known, and what it costs ---- */

extern const int64_t checked_ones[MAPPER_LOOPS];

/* What is known of the unrolling. */
void checked_know(struct checked *c, const struct mapper_mapping *mapping);
/* The row of memory "m"; n_memories: of the compute units. */
int checked_row(const struct checked *c, int m);
/* The shape of what is known when the time rows before "end" are not. */
void checked_shape(const struct checked *c, int end, const struct mapper_mapping *mapping,
        struct mapper_shape *shape, int64_t *outside);
/* The bound of the transfers into "child", of which the rows of memories from "m" inward are known,
 * "child" or the one outside of it; and the tiles of those from "known" inward, which lend. */
void checked_bound(struct checked *c, int child, int m, int known,
        const struct mapper_mapping *mapping, struct mapper_share *share);
/* What the transfers of a group cost in a mapping, from its words (doc/model.md, section 4), when
 * the tiles of memories from "known" inward are known: others lend and are lent. */
void checked_exact(const struct checked *c, uint32_t group, int known,
        const struct mapper_traffic *traffic, struct mapper_share *share);
struct mapper_share checked_fixed(const struct checked *c);
bool checked_exceeds(double bound, double exact);

/* ---- real layers ---- */

struct checked_layer {
    struct sator_ctx *ctx;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_arena *arena;
    struct mapper_problem problem;
};

enum {
    CHECKED_LAYERS = 12
};
void checked_open_layer(struct checked_layer *c, size_t which);
void checked_close_layer(struct checked_layer *c);

#endif
