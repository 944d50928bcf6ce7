/* What a mapping moves and costs: the traffic of every transfer, and the time of ports. */
#ifndef SATOR_MAPPER_COST_H
#define SATOR_MAPPER_COST_H

#include "mapper/cost/words.h"

/* ---- cost.c ---- */
/* The words of "tile" (extents by loop) of an access. */
int64_t sator_mapper_tile_words(struct mapper_words *words, int access, const int64_t *tile);
/* Set the words of "tile" that memory "m" holds of each access. */
void sator_mapper_tile_sizes(const struct mapper_problem *problem, struct mapper_words *words,
        int m, const int64_t *tile, int64_t size[MAPPER_ACCESSES]);
/* Whether they fit it. */
bool sator_mapper_tile_fits(const struct mapper_problem *problem, struct mapper_words *words, int m,
        const int64_t *tile);
/* Whether tiles of "size" words an access fit memory "m". */
bool sator_mapper_fits(const struct mapper_problem *problem, int m, const int64_t *size);

/* A parallel factor of a network's rows, those of the PE's first coordinate first. */
struct mapper_net_digit {
    int row, loop;
    int index; /* that the loop moves, or -1 */
    int64_t count, step; /* step: of the index */
};

/* One transfer with its factors known: what one stamp moves. */
struct mapper_walk {
    const struct mapper_problem *problem;
    const struct mapper_transfer *transfer;
    const struct mapper_access *access;
    int number; /* of the transfer */
    unsigned shared; /* rows whose PEs may share words: the group's */
    /* A sliding index is unrolled so that words pass from PE to PE in ways that no group has
     * (passing.c): the group is all PEs of these rows, whose words "group_words" says, and no index
     * by itself. A relaxed walk instead lets the whole group hold what any of its PEs holds, or,
     * where there are buses alone, takes them to be one family: what crosses then is no more. */
    bool passes, is_relaxed;
    bool pools; /* a relaxed one's tiles may be short: PEs without one part no others, and sums may
                 * go on to a PE that still has one */
    /* Positions of loops that do not index the access in rows that only links from the stamp before
     * lead along: when a word enters the group, which held it nowhere, it enters at all of them. */
    int64_t copies; /* part of "groups" where the walk is relaxed */
    int64_t parts; /* of a complex network, part of "groups", too: sator_mapper_parts */
    double entering; /* where the next is set: into a copy, in a stamp that keeps nothing */
    bool knows_net; /* a relaxed one: sator_mapper_entering may be asked all the same */
    int first_way, n_ways; /* of the links, then buses, that are used: all */
    int n_net_digits;
    struct mapper_net_digit net_digit[MAPPER_DIGITS]; /* where passing.c may be asked */
    struct mapper_steps steps[MAPPER_INDICES]; /* of sliding indices */
    int64_t group_values[MAPPER_INDICES], tile_values[MAPPER_INDICES]; /* of each index */
    int64_t group_words; /* that cross in one stamp to the PEs that share */
    int64_t tile_words;
    int64_t groups, tiles; /* of each, at once */
    int64_t stamps; /* in all; see sator_mapper_walk_stamps */
    int cold_row; /* loops of rows before it keep nothing (skew.h) */
    /* words that a group and a tile touch in the whole run, at least: set by
     * sator_mapper_walk_cover */
    int64_t group_cover, tile_cover;
    bool spread; /* parallel positions move an index */
    /* imperfect problems, set for bounds (bounds_cut_walk): how much shorter the last tile of each
     * loop is; all words are fewer by a factor for loops that stand alone in an index; of the
     * others, the share of the stamps in which a group and a tile have the last one, and the mean
     * values of an index. */
    const int64_t *cut; /* NULL: none */
    unsigned open; /* loops whose tiles may be smaller than those of the shape */
    double scale, tile_scale; /* of the words of groups, and of tiles */
    double group_rate[MAPPER_LOOPS], tile_rate[MAPPER_LOOPS];
    double group_mean[MAPPER_INDICES], tile_mean[MAPPER_INDICES];
};

/* The same transfer along the temporal loops outside its child, innermost loop first. */
struct mapper_pace {
    int64_t inside; /* product of the loops placed */
    int64_t still; /* of those placed before anything moved */
    int64_t kept_unique,
            kept_arriving; /* words that need not cross, of one group and of one tile */
    int64_t shift[MAPPER_INDICES]; /* how far the placed loops fall back when the next one steps */
    bool moved, dead; /* some shift is not 0; nothing is kept from here on */
    bool settled; /* dead, and no link brings anything from outside of the loops placed */
};
/* How words that pass from PE to PE are walked. */
enum mapper_passing {
    MAPPER_AS_IT_IS,
    MAPPER_RELAXED, /* for a lower bound of what crosses */
    MAPPER_ALWAYS, /* also where there is a formula */
    MAPPER_LINKS_ALONE /* also from further back than the stamp before: "links_alone" */
};
void sator_mapper_walk_open(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_shape *shape, int transfer, enum mapper_passing as,
        struct mapper_walk *walk);
/* As it is, or as its links alone bring it where it has those. */
static inline enum mapper_passing mapper_passing_of(const struct mapper_transfer *t)
{
    return t->links_alone == NULL ? MAPPER_AS_IT_IS : MAPPER_LINKS_ALONE;
}
/* Set the covers of a sliding access (of others they are no use). Time rows outside the child may
 * be missing from "shape". */
void sator_mapper_walk_cover(
        struct mapper_walk *walk, struct mapper_words *words, const struct mapper_shape *shape);
/* Whether the transfer's child, with nothing that holds the tensor outside of it and "stamps"
 * prefix stamps, has all of it from the start. */
static inline bool sator_mapper_is_loaded(
        const struct mapper_problem *problem, const struct mapper_transfer *t, int64_t stamps)
{
    return t->is_outside && stamps == 1 && (t->outer | t->between) == 0 &&
            problem->access[t->access].role == SATOR_READ;
}
/* Set the walk's stamps from the time rows outside the child. */
void sator_mapper_walk_stamps(struct mapper_walk *walk, const struct mapper_mapping *mapping);
void sator_mapper_pace_init(struct mapper_pace *pace);
void sator_mapper_pace_place(const struct mapper_walk *walk, struct mapper_words *words,
        struct mapper_pace *pace, int loop, int64_t factor, int64_t step);
/* Place all temporal loops of a mapping outside the walk's child. */
void sator_mapper_walk_pace(struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape,
        struct mapper_pace *pace);
/* The words of a group and of a tile that are kept when "loop" steps by "step" and, along index e,
 * the loops inside it fall back by -shift[e]. */
void sator_mapper_kept_words(const struct mapper_walk *walk, struct mapper_words *words,
        const int64_t *shift, int loop, int64_t step, int64_t *group, int64_t *tile);
static inline int64_t sator_mapper_unique(
        const struct mapper_walk *walk, const struct mapper_pace *pace)
{
    return walk->groups * (walk->group_words * walk->stamps - pace->kept_unique);
}
static inline int64_t sator_mapper_arriving(
        const struct mapper_walk *walk, const struct mapper_pace *pace)
{
    return walk->tiles * (walk->tile_words * walk->stamps - pace->kept_arriving);
}

/* Who shares the words of a transfer whose tiles may be short: where PEs are idle, not all that a
 * link or a bus joins need the same words, and each way counts by itself. */
static inline struct mapper_sharing sator_mapper_sharing_of(const struct mapper_transfer *t)
{
    bool has_ways = t->n_passes > 0 || t->n_buses >= 2 || t->grouped_rows != 0;

    return (struct mapper_sharing){.rows = t->collapsed | t->linked_rows,
            .n_ways = has_ways ? t->n_passes + t->n_buses : 0};
}

/* The stamps that the transfer's links lead over at most, back or ahead. */
static inline int sator_mapper_reach(const struct mapper_transfer *t)
{
    return t->latest > t->ahead ? t->latest : t->ahead;
}

/* Whether the steps of a loop that stands alone in an index, with "inside" stamps in each of them,
 * leave nothing of the tiles before that a link of the transfer reaches. Of the interval d stamps
 * it reaches over d / inside such steps, rounded up, at most: where there are more of them, the
 * loop does not come back to its place in that time, so PEs held other elements then. */
static inline bool sator_mapper_is_out_of_reach(
        const struct mapper_transfer *t, int64_t inside, int64_t factor)
{
    return (sator_mapper_reach(t) + inside - 1) / inside < factor;
}

/* ---- parts.c ---- */
/* The parts of the PEs that share words of a transfer in a complex network, none of which gets any
 * from another: each of them brings all that the PEs share, at least. Rows without parallel factors
 * may get some yet. */
int64_t sator_mapper_parts(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_shape *shape, int transfer);

/* ---- late.c: words that links bring from further back than the stamp before ---- */
/* Set the words of a transfer that has "links_alone"; false where they go round in a circle. */
bool sator_mapper_count_links(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, int transfer, int64_t *unique, int64_t *arriving);
/* Set the words that enter a group at least when each loop outside of the child steps, the
 * innermost first, those of one step left out: of such a walk. */
void sator_mapper_least_steps(const struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int64_t *least);

/* ---- passing.c: words that pass from PE to PE ---- */
/* Set the digits of a walk that passes, whose shared rows are known. */
void sator_mapper_walk_digits(struct mapper_walk *walk, const struct mapper_shape *shape);
/* How far each index has moved since other stamps: by shift[k - 1][e] since that k stamps before
 * where bit k - 1 of "held" is set, or MAPPER_LATEST - k after; else nothing that is held then is
 * of use. */
struct mapper_past {
    unsigned held;
    int64_t shift[MAPPER_PAST][MAPPER_INDICES];
};
/* tilings.c: the words that enter the group of a walk that passes in a stamp after "past", as if
 * tiles had one value along each plain index. */
int64_t sator_mapper_tiling_entering(
        struct mapper_words *words, const struct mapper_walk *walk, const struct mapper_past *past);
/* The words that enter the group of a walk that passes in a stamp after "past". */
int64_t sator_mapper_entering_after(
        struct mapper_words *words, const struct mapper_walk *walk, const struct mapper_past *past);
/* The words that enter the group of a walk that passes in a stamp when each index e has moved by
 * shift[e] since the one before; NULL: nothing was held before. They are those of sliding indices
 * ("each"), which plain ones and their loops do not change, as many times as the latter make. */
int64_t sator_mapper_entering_each(
        struct mapper_words *words, const struct mapper_walk *walk, const int64_t *shift);
int64_t sator_mapper_entering_times(const struct mapper_walk *walk);
int64_t sator_mapper_entering(
        struct mapper_words *words, const struct mapper_walk *walk, const int64_t *shift);
/* Whether words may pass round in a circle, which is cut somewhere (doc/model.md, section 2): over
 * wires that join PEs which touch the same element. */
bool sator_mapper_goes_round(struct mapper_words *words, const struct mapper_walk *walk);
/* The words that enter all groups of a transfer that passes, over the whole run of a mapping, when
 * only the first "n_ways" of the links, then buses, are used. */
int64_t sator_mapper_count_ways(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, int transfer, int n_ways);

/* The time-stamps of a mapping; of a domain that is no box about as many, which
 * sator_mapper_count counts. */
int64_t sator_mapper_time_stamps(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping);
struct mapper_traffic {
    int64_t unique[MAPPER_TRANSFERS], arriving[MAPPER_TRANSFERS];
    int64_t time_stamps;
    int64_t active_pes; /* in a hull */
    /* transfers that are counted, or have late links and "has_late" is set: what they spend beyond
     * their prices, and the words that trees merge */
    double extra_pj[MAPPER_TRANSFERS];
    int64_t merged[MAPPER_TRANSFERS];
    struct mapper_crew crew;
    bool is_uneven; /* instances that are used do not move the same */
    double busiest_cycles[MAPPER_PORTS]; /* then: of the one that moves most */
    bool has_late; /* what late links bring is in it (sator_mapper_count_late) */
    bool is_unknown; /* the counting engines gave up on one: the cost is infinite */
};
/* The exact traffic of a mapping whose factors multiply to the extents (or, in an imperfect
 * problem, as doc/mapper.md says). */
void sator_mapper_count(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, struct mapper_traffic *traffic);
/* A mapping, its shape, and what it moves. */
struct mapper_counted {
    struct mapper_mapping mapping;
    struct mapper_shape shape;
    struct mapper_traffic traffic;
};
/* Set the traffic of "next", whose mapping and shape are known and differ in "rows" from those of
 * "near": transfers that move the same in both are taken from there. NULL: all are counted. False,
 * with a part of it unknown, where it spends more than "most_pj" or is worth more than "most"
 * (INFINITY: any). */
bool sator_mapper_count_near(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_counted *near, unsigned rows, double most_pj, double most,
        struct mapper_counted *next);
struct mapper_cost sator_mapper_cost(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic);
double sator_mapper_value(enum sator_map_objective objective, double pj, double cycles);
/* Whether the mapping respects arrays, capacities and constraints; words may be NULL. */
bool sator_mapper_is_legal(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping);

/* ---- ports.c ---- */
/* What the parallel factors of "shape" say; a bound while the others are not known, or some of the
 * parallel ones are not, those of "open" rows. */
void sator_mapper_crew_init(const struct mapper_problem *problem, const struct mapper_shape *shape,
        unsigned open, struct mapper_crew *crew);
/* The same of a whole mapping of whole tiles, exactly; nothing is lent. False where some sum of a
 * sliding output could not be counted. */
bool sator_mapper_crew_of(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape,
        struct mapper_crew *crew);
/* The same when none are known. */
void sator_mapper_crew_unknown(const struct mapper_problem *problem, struct mapper_crew *crew);
/* The port that words of "access" pass through at memory "m", or -1: no limit. */
int sator_mapper_port_of(const struct mapper_problem *problem, int m, int access, bool writes);

/* ---- busiest.c ---- */
/* Set what the traffic of a mapping, whose words are counted, says of its instances. False,
 * with that unknown, where it is worth more than "most" by what is alike in all. */
bool sator_mapper_find_busiest(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, double most,
        struct mapper_traffic *traffic);
/* The memories of several instances that have a port with a bandwidth. */
unsigned sator_mapper_inner_ports(const struct mapper_problem *problem);
/* The cycles of each port, as "crew" counts its bits. */
void sator_mapper_port_cycles(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic, double *cycles);
/* The most of these; 0 without ports. */
double sator_mapper_longest_port(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic);

/* ---- imperfect.c: last tiles that are shorter ---- */
/* Whether the factors of some loop of "loops" multiply to more than its extent. */
bool sator_mapper_is_ragged(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, unsigned loops);
/* Whether tiles of the transfer are short, or some PE has none at some time. */
bool sator_mapper_is_cut(const struct mapper_problem *problem, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int transfer);

/* ---- watch.c ---- */
/* A watch over questions to the counting engines (GIVE): they end when "search" is cancelled, or
 * at "deadline" of sator_mapper_now. */
struct mapper_watch *sator_mapper_watch_new(const struct sator_ctx *search, double deadline);
void sator_mapper_watch_free(struct mapper_watch *watch);
/* From now on only at "deadline" (INFINITY: never). */
void sator_mapper_watch_until(struct mapper_watch *watch, double deadline);
/* A question begins, and ends, in "ctx", which nothing else cancels; false: it is too late for it.
 */
bool sator_mapper_watch_begin(struct mapper_watch *watch, struct sator_ctx *ctx);
void sator_mapper_watch_end(struct mapper_watch *watch, struct sator_ctx *ctx);
/* A tile could not be counted: what is said not to fit, for want of a number, may. Nothing that
 * rests on it is proved. */
void sator_mapper_watch_note_unknown(struct mapper_watch *watch);
bool sator_mapper_watch_has_unknown(const struct mapper_watch *watch);
/* The same, and forget it. */
bool sator_mapper_watch_take_unknown(struct mapper_watch *watch);
/* Seconds of the monotonic clock. */
double sator_mapper_now(void);

/* ---- counted.c ---- */
struct sator_volumes;
/* The ticks (base/context.h) that questions have taken. */
uint64_t sator_mapper_counting_work(struct mapper_words *words);
/* Set the time-stamps of a mapping in a hull, and the PEs that have work. */
void sator_mapper_count_stamps(struct mapper_words *words, const struct mapper_mapping *mapping,
        struct mapper_traffic *traffic);
/* The words of the largest of an access's tiles of extents "tile"; INT64_MAX when that cannot be
 * counted. */
int64_t sator_mapper_counted_tile(struct mapper_words *words, int access, const int64_t *tile);
/* The words of an access's largest tile or window at memory "m"; INT64_MAX when the engines give
 * up. */
int64_t sator_mapper_counted_window(
        struct mapper_words *words, const struct mapper_mapping *mapping, int m, int access);
/* The volumes of a counted transfer, with those of each link and bus until the next call; false
 * when the engines give up. */
bool sator_mapper_counted_volumes(struct mapper_words *words, const struct mapper_mapping *mapping,
        int transfer, struct sator_volumes *volumes);
/* Whether the loops outside of the first that stands alone in an index, in whatever order, make a
 * counted transfer repeat what it brings inside of it, and no others than those that move its tile
 * need be told apart inside: whole tiles of a box, over links from the stamp before at most. */
bool sator_mapper_is_settled_early(
        const struct mapper_problem *problem, const struct mapper_transfer *transfer);
/* Set the words of a counted transfer; remembered by what of the mapping matters to it. */
void sator_mapper_count_transfer(struct mapper_words *words, const struct mapper_mapping *mapping,
        int transfer, struct mapper_traffic *traffic);
/* Whether late links bring nothing in a mapping; false, too, when the engines give up. */
bool sator_mapper_late_is_idle(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping);
/* Set what late links bring into the numbers of a mapping that was counted without them; false when
 * the engines give up. */
bool sator_mapper_count_late(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, struct mapper_traffic *traffic);
/* At least what a mapping costs whose numbers, without late links, are "traffic": they may bring
 * every word of their transfers but the first of each element, each the cheapest way. */
struct mapper_cost sator_mapper_least_late(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic);
/* The scheduled time of a mapping as the model counts it; NAN where it does not, or not within
 * "most_work". What it took is added to "*work". */
double sator_mapper_count_time(struct mapper_words *words, const struct mapper_mapping *mapping,
        uint64_t most_work, uint64_t *work);
/* Set the cycles of the ports of "memories" from the model. */
void sator_mapper_count_ports(struct mapper_words *words, const struct mapper_mapping *mapping,
        unsigned memories, struct mapper_traffic *traffic);

#endif
