/* A mapping: factors and orders; which mappings a problem has, and what else is said of one. */
#ifndef SATOR_MAPPER_MAPPING_H
#define SATOR_MAPPER_MAPPING_H

#include "mapper/problem/problem.h"

/* Factors by row and loop; the order of the loops of each memory row, outermost first; that of the
 * loops of each row of an array, from the outermost digit of its coordinate to the innermost. */
struct mapper_mapping {
    int64_t factor[MAPPER_ROWS][MAPPER_LOOPS];
    int8_t order[MAPPER_MEMORIES][MAPPER_LOOPS];
    int8_t along[MAPPER_ROWS][MAPPER_LOOPS];
};

/* Suffix products of the factors, at most the extents: inside[r][i] is the extent of loop i that
 * rows r.. cover; and the parallel factors above 1, those of a row in their order there. */
struct mapper_shape {
    int64_t inside[MAPPER_ROWS + 1][MAPPER_LOOPS];
    bool in_any_order; /* on rows of arrays: only what holds in all of them may be said */
    const int64_t
            *parts; /* ... or in those with these, by transfer (sator_mapper_parts); or NULL */
    int n_digits;
    struct mapper_digit {
        int row, loop;
        int64_t count;
    } digit[MAPPER_ROWS * MAPPER_LOOPS];
};
/* Whether a loop that indexes the access stands inside of digit "k" on its row: PEs that differ in
 * this digit alone are no neighbours. */
bool sator_mapper_has_inside(
        const struct mapper_access *access, const struct mapper_shape *shape, int k);
void sator_mapper_shape_init(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, struct mapper_shape *shape);
/* The positions that a loop has on these rows, a set. */
static inline int64_t mapper_positions_on(const struct mapper_shape *shape, unsigned rows, int loop)
{
    int64_t count = 1;

    for (int k = 0; k < shape->n_digits; k++) {
        if (shape->digit[k].loop == loop && (rows >> shape->digit[k].row & 1))
            count *= shape->digit[k].count;
    }
    return count;
}
/* The rows outside of "row". */
static inline unsigned mapper_rows_before(int row)
{
    return (1U << row) - 1;
}

/* Whether row "row" runs the same loops in both mappings, one inside the other in the same way,
 * from the innermost to the first of "until"; "*ends": there is one. */
bool sator_mapper_runs_alike(const struct mapper_problem *problem, int row,
        const struct mapper_mapping *a, const struct mapper_mapping *b, unsigned until, bool *ends);
/* The rows in which two mappings differ: other factors, or their loops in another order. */
unsigned sator_mapper_differing_rows(const struct mapper_problem *problem,
        const struct mapper_mapping *a, const struct mapper_mapping *b);

/* The parallel positions of loop "i" in rows before "row". */
static inline int64_t mapper_positions(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int row, int i)
{
    int64_t count = 1;

    for (int r = 0; r < row; r++)
        count *= problem->row[r].is_space ? mapping->factor[r][i] : 1;
    return count;
}

/* Of one loop: the steps of time that a mapping takes, or ("in_space") the PEs that it is spread
 * over. A short last part takes no time, and is on no PE, of its own where others have a whole one.
 */
int64_t sator_mapper_places(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, int loop, bool in_space);
/* The most words of "size" that the accesses stored as access "a" have: those of its tensor. */
static inline int64_t mapper_stored_words(
        const struct mapper_problem *problem, int a, const int64_t *size)
{
    int64_t most = size[a];

    for (int b = a + 1; b < problem->n_accesses; b++)
        most = problem->access[b].stored_as == a && size[b] > most ? size[b] : most;
    return most;
}

/* The product of all factors at row "row". */
static inline int64_t mapper_steps_at(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int row)
{
    int64_t product = 1;

    for (int i = 0; i < problem->n_loops; i++)
        product *= mapping->factor[row][i];
    return product;
}

/* The loops whose factors are above 1. */
static inline unsigned mapper_loops_of(const struct mapper_problem *problem, const int64_t *factor)
{
    unsigned loops = 0;

    for (int i = 0; i < problem->n_loops; i++)
        loops |= (unsigned)(factor[i] > 1) << i;
    return loops;
}

/* The least prime factor of "n"; of 1, 1. */
static inline int64_t sator_mapper_smallest_prime(int64_t n)
{
    for (int64_t p = 2; p <= n / p; p++) {
        if (n % p == 0)
            return p;
    }
    return n;
}

/* 1 for each loop. */
extern const int64_t mapper_ones[MAPPER_LOOPS];

struct mapper_cost {
    double pj, cycles, value; /* value: the objective */
};

/* ---- constraint.c ---- */
/* Put all loops of "outer" outside all of "inner" at a memory row, and what follows from that. */
void sator_mapper_put_outside(struct mapper_row *row, int n_loops, unsigned outer, unsigned inner);
/* Add a constraint, given as text; a located message when it is none, or names what does not exist.
 */
enum sator_status sator_mapper_constrain(
        struct sator_ctx *ctx, struct mapper_problem *problem, const char *text);
/* Whether constraints leave "loop" the factor at memory row "row". */
bool sator_mapper_may_have(const struct mapper_problem *problem, int row, int loop, int64_t factor);
/* Whether they leave the mapping's factors on the space rows "rows", the others being free. */
bool sator_mapper_may_spread(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, unsigned rows);
/* The same of all rows, but of one loop. */
bool sator_mapper_may_spread_loop(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int loop);
/* Whether the mapping's factors respect the constraints, and leave no gaps in a skewed row. */
bool sator_mapper_is_allowed(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
/* Of the loops "left" at memory row "row", those that may stand inside all others of them: some, if
 * there are any. */
unsigned sator_mapper_innermost_of(const struct mapper_problem *problem, int row, unsigned left);
/* Reorder the loops of each memory as the constraints say, with as few changes as that needs: none
 * where the order respects them. */
void sator_mapper_arrange(const struct mapper_problem *problem, struct mapper_mapping *mapping);

/* ---- conflict.c ---- */
/* Whether some mapping is legal, as far as that can be told quickly; else SATOR_INFEASIBLE after a
 * message that names the tightest obstacle. "plain" is the problem without its constraints, which
 * are "texts". */
enum sator_status sator_mapper_check_feasible(struct sator_ctx *ctx,
        const struct mapper_problem *problem, const struct mapper_problem *plain,
        const char *const *texts, int n_texts);
/* The same without a message; true when it cannot be told quickly. */
bool sator_mapper_is_feasible(const struct mapper_problem *problem);
/* Some legal mapping, at once; false when there is none or none is found quickly. */
bool sator_mapper_find_any(const struct mapper_problem *problem, struct mapper_mapping *mapping);

/* ---- why_not.c ---- */
/* Add a line for each capacity of memory "m" that tiles of "size" words an access exceed: "L1 needs
 * 9 words, has 8 (words: ...)". "purpose" says what needs them: " for one instance" or "". */
struct sator_text;
void sator_mapper_say_capacities(const struct mapper_problem *problem, int m, const int64_t *size,
        const char *purpose, struct sator_text *text);
/* Whether of each loop on several dimensions of an array the outermost digit is on the first. */
bool sator_mapper_is_in_order(const struct sator_dataflow *dataflow);
/* What is said of a mapping, a line each: inequalities that it breaks, and what keeps it from the
 * space that is searched. */
struct mapper_faults {
    struct sator_text broken, outside;
};
/* Add the lines about "dataflow", whose names have been checked. True when there are none: it is
 * "mapping" then, up to the order of parallel loops. */
struct mapper_words;
bool sator_mapper_why_not(const struct mapper_problem *problem, struct mapper_words *words,
        const struct sator_dataflow *dataflow, struct mapper_mapping *mapping,
        struct mapper_faults *faults);

/* ---- imperfect.c ---- */
/* Which chains of factors a loop may have where they need not divide. */
enum mapper_form {
    MAPPER_ANY, /* ceilings at every level */
    MAPPER_FILLED, /* words pass along its PEs, and other chains are not searched, or not yet: only
                      the innermost tiles leave a remainder, all its PEs have a tile at all times */
    MAPPER_WHOLE, /* the same into the compute units: all factors divide */
    MAPPER_SHORT /* under a skew: its PEs do not divide its extent, and the memory of the row that
                    is skewed takes all that they leave */
};
/* Whether chains may leave PEs without a tile where words pass from PE to PE. */
static inline bool mapper_may_idle(const struct mapper_problem *problem)
{
    return problem->chains && !problem->keeps_filled;
}
/* The parallel positions of one loop: in the arrays inside the innermost memory, and in those
 * outside of it. */
struct mapper_unrolled {
    int64_t lanes, pes;
    enum mapper_form form;
    int memory; /* MAPPER_SHORT: that one */
};
void sator_mapper_unrolled(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, int loop, struct mapper_unrolled *unrolled);
/* The blocks of at most "lanes" iterations that a loop of extent "n" has. */
static inline int64_t sator_mapper_blocks(int64_t n, int64_t lanes)
{
    return (n + lanes - 1) / lanes;
}
/* Whether "factor" is the least that makes as many tiles of "n" as it does. */
static inline bool sator_mapper_is_ceiling(int64_t n, int64_t factor)
{
    return sator_mapper_blocks(n, sator_mapper_blocks(n, factor)) == factor;
}
/* The least factor that makes fewer tiles of "n" than "factor" does; 0: that makes one. From 1 on
 * these are the ceilings of "n". */
static inline int64_t sator_mapper_next_ceiling(int64_t n, int64_t factor)
{
    int64_t tiles = sator_mapper_blocks(n, factor);

    return tiles == 1 ? 0 : sator_mapper_blocks(n, tiles - 1);
}
/* The least number of tiles that "pes" PEs of the array of row "row" are for: where the array has
 * several dimensions, not every number is a product of two that fit. */
int64_t sator_mapper_least_spread(const struct mapper_problem *problem, int row, int64_t pes);
/* Whether "pes" PEs of the array dimensions from row "row" outward are a chain of ceilings over
 * "tiles" tiles: as many of each dimension as are needed for so many steps. */
bool sator_mapper_spreads(
        const struct mapper_problem *problem, int row, int64_t tiles, int64_t pes);
/* Whether the PEs of a loop all of whose tiles are iterations are chains in this sense. */
bool sator_mapper_spreads_short(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int loop);
/* Whether "lanes" of the loop may be unrolled inside the innermost memory. */
bool sator_mapper_may_lane(const struct mapper_problem *problem, int loop, int64_t lanes);
/* What a loop with "tile" blocks at the innermost memory leaves to the memories further out, all of
 * its PEs taken off; 0: the space of the imperfect problem has no such mapping. */
int64_t sator_mapper_left(const struct mapper_problem *problem, int loop,
        const struct mapper_unrolled *unrolled, int64_t tile);
/* Whether the factors of "loop" are those of a mapping of the space; those of all loops. */
bool sator_mapper_is_chain(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int loop);
/* Whether the factors of array dimension "row" are ceilings of the tiles that those inside leave.
 */
bool sator_mapper_is_row_chain(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int row);
bool sator_mapper_is_in_space(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
/* Whether no innermost memory is ever without a tile: every combination of the digits outside it
 * occurs, and only the last tile of a loop is short. */
bool sator_mapper_is_filled(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
/* The tiles of "n" blocks that are least for their number, ascending (in the arena). */
int sator_mapper_tiles(struct sator_arena *arena, int64_t n, const int64_t **tiles);
/* The innermost tiles that a loop without lanes may have: these, or the one that is set. */
int sator_mapper_tiles_of(const struct mapper_problem *problem, struct sator_arena *arena, int loop,
        const int64_t **tiles);

/* ---- divisors.c ---- */
/* The divisors of "n", ascending (in the arena). */
int sator_mapper_divisors(struct sator_arena *arena, int64_t n, const int64_t **divisors);
/* The number of "divisor" among them. */
int sator_mapper_divisor_number(const int64_t *divisors, int n_divisors, int64_t divisor);

/* ---- row_orders.c ---- */
/* The order of the loops of a space row unless another one is chosen, the outermost digit first:
 * those of a tensor that wires pass on stand before the others. */
void sator_mapper_row_order(const struct mapper_problem *problem, int row, int8_t *order);
/* Let the loops that share an array dimension stand in any order there, where that may matter. */
void sator_mapper_allow_orders(struct mapper_problem *problem);
/* Call "visit" with the mapping's loops on arrays in the orders that may be best: one of each kind
 * that cost the same whatever the rest, without those that never cost less than another one.
 * "is_usual": as the mapping has them, or of its kind. It ends when "visit" returns false; then the
 * mapping has its own order again. */
typedef bool sator_mapper_order_visit(void *data, bool is_usual);
void sator_mapper_each_order(const struct mapper_problem *problem, struct mapper_mapping *mapping,
        sator_mapper_order_visit *visit, void *data);
/* Whether it may matter that PEs along a row have nothing to do between tiles of a loop, as with a
 * factor beyond what a loop inside of its own needs; "skews": also under some. */
bool sator_mapper_gaps_matter(const struct mapper_problem *problem, bool skews);
/* Whether loops of the mapping may stand in several orders on some row. */
bool sator_mapper_has_orders(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);

/* ---- left_out.c ---- */
struct mapper_skews;
/* What a search gave up on before it had looked at all of it. */
struct mapper_left_open {
    bool chains; /* of ceilings */
    bool idle; /* of those that leave PEs idle which words pass through */
    bool orders; /* of the loops that share an array dimension */
    bool hull; /* of a domain that is no box, or reads that have no formula together */
    bool ends_short; /* of skewed arrays with remainders */
    bool windows; /* of skewed loops joined across memories */
    bool counted; /* of skews under which words are counted */
};
/* Whether the space of a problem with remainders lacks some of them. */
bool sator_mapper_leaves_remainders(const struct mapper_problem *problem);
/* What sator_analyze takes and the spaces of the problems, one a choice of what bypasses what, do
 * not have, a phrase each in the arena (KEEP); "skews" has its own. "imperfect" is the caller's
 * word for the option of that name. */
const char *const *sator_mapper_left_out(const struct mapper_problem *problems, int n_problems,
        const struct mapper_skews *skews, const char *imperfect,
        const struct mapper_left_open *open, struct sator_arena *arena, int *n_left_out);

/* ---- draw.c ---- */
static inline uint64_t sator_mapper_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
/* A random mapping with factors that multiply to the extents and fit the arrays; tiles may not fit.
 * With short tiles and no fixed factors it is in the space (sator_mapper_is_in_space). */
void sator_mapper_draw(
        const struct mapper_problem *problem, uint64_t *state, struct mapper_mapping *mapping);

/* ---- result.c ---- */
/* The mapping and all its figures as plain data in the result's arena; "scheduled" is its scheduled
 * time, or NAN for the roofline. */
void sator_mapper_describe(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, double scheduled, struct sator_map_result *result);

/* control.c: add what the mapping's instructions take, where the machine says it, to "result",
 * which is described. The search leaves it out. */
enum sator_status sator_mapper_control(struct sator_ctx *ctx, const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, struct sator_map_result *result);

/* Loops of extent 1 everywhere, in the order of the workload at memories, and on rows of arrays in
 * that of sator_mapper_row_order. */
void sator_mapper_mapping_init(
        const struct mapper_problem *problem, struct mapper_mapping *mapping);

/* Whether words of the transfer pass from PE to PE with the digits of "shape", over links or
 * several families of buses: a sliding index has digits in rows with links, or in rows of buses no
 * one family of which has them all; or any loop has some in rows of buses of some PEs. */
bool sator_mapper_is_passed(const struct mapper_problem *problem,
        const struct mapper_transfer *transfer, const struct mapper_shape *shape);
/* The transfers of which some do in a mapping whose parallel factors are known. */
unsigned sator_mapper_passed(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);

/* ---- dataflow.c ---- */
/* The mapping as space and time maps with a cut for each memory. */
const struct sator_bound_dataflow *sator_mapper_dataflow(const struct mapper_problem *problem,
        struct sator_arena *arena, const struct mapper_mapping *mapping, const char *name);

#endif
