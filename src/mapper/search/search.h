/* What the strategies share: the best so far, the counters of the certificate, when to stop. */
#ifndef SATOR_MAPPER_SEARCH_H
#define SATOR_MAPPER_SEARCH_H

#include "mapper/cost/cost.h"

/* What the model was asked for the times of mappings. */
struct mapper_timer {
    int n_asked, n_blind; /* of them, of problems whose bounds know of no phases */
    uint64_t work; /* ticks (base/context.h) */
    bool is_worn_out; /* there may be no more */
};

enum {
    MAPPER_TRAIL = 64
};
/* Mappings that were the best so far, one after the other: the last ones, from "n" - 1 downward. */
struct mapper_trail {
    uint64_t n;
    struct mapper_mapping mapping[MAPPER_TRAIL]; /* modulo their number */
};

struct mapper_search {
    struct sator_ctx *ctx;
    const struct mapper_problem *problem;
    struct mapper_words *words;
    const struct sator_map_options *options;
    bool found;
    struct mapper_mapping best;
    struct mapper_cost best_cost;
    const struct mapper_problem *best_problem; /* of which it is a mapping */
    struct mapper_trail *trail; /* keeps those that were the best for a while; NULL: nobody asks */
    bool has_begun; /* optimal: sunstone was asked for a start */
    const struct mapper_problem *wider; /* optimal: one that has more mappings, in which climbs look
                                           for a better one, too; NULL: none */
    const struct mapper_group *group; /* optimal: the problem is the joint one of this; or NULL */
    bool has_dived; /* optimal: and found the best that is found so soon */
    bool only_dives; /* optimal: look for good mappings, without a proof */
    bool few_dives; /* ... in fewer places: a good one is known in each of many choices */
    uint64_t listed; /* unrollings thought of: of many PEs hardly any come into question */
    uint64_t most_looks; /* optimal: give up after so much (sator_mapper_looks); 0: never */
    uint64_t most_work; /* the same of ticks of the counting engines (base/context.h) */
    bool gave_up; /* it did ... */
    bool chains_open, orders_open; /* ... before all chains of ceilings, all orders on arrays */
    bool idle_open; /* ... before all chains where PEs are idle that words pass through, but others
                     */
    bool windows_open; /* ... before all joins of skewed loops across memories, or one that is
                          none of the space seemed to be better than the best: */
    uint64_t windows_end; /* the looks at which their searches end, but for some at each */
    int n_refused; /* such mappings, where their windows are listed */
    bool short_open; /* ... before all remainders on skewed arrays */
    bool counted_open; /* ... before all skews under which words are counted */
    bool hull_open; /* ... before all mappings of a domain that is no box, or of reads that have no
                       formula together */
    bool searches_orders; /* optimal: these, and not the usual one */
    uint64_t alone; /* optimal: tiles and orders that one thread looks at before others help, and a
                       single tile is worth tables and lists for others; 0: as many as are worth it
                     */
    double cycle_limit; /* mappings at least as slow do not count; 0: none */
    bool has_unknown; /* the counting engines gave up on a mapping ... */
    double unknown_bound; /* ... and none of these is better than this */
    double bound; /* no mapping is better than this (the objective's value) */
    bool proved;
    struct sator_map_counters counters;
    uint64_t evaluated_before; /* by others, for progress: not in the counters */
    struct mapper_timer *timer; /* costs have the scheduled time; NULL: the roofline */
    double deadline; /* of the monotonic clock, seconds; INFINITY: none */
    double next_report;
    enum sator_status stopped; /* why the search ended early, or SATOR_OK */
};

/* ---- search.c ---- */
/* Whether a cost is better than the best so far; equal values are decided by the other figure. */
bool sator_mapper_is_better(const struct mapper_search *search, struct mapper_cost cost);
/* Whether nothing with at least "pj" and "cycles" can be better than the best so far. */
bool sator_mapper_is_hopeless(const struct mapper_search *search, double pj, double cycles);
/* The energy beyond which nothing that takes at least "cycles" can be; INFINITY: none is known. */
double sator_mapper_most_pj(const struct mapper_search *search, double cycles);
/* Keep a legal mapping if it is the best so far; "cost" is without what late links bring. */
void sator_mapper_offer(struct mapper_search *search, const struct mapper_mapping *mapping,
        struct mapper_cost cost);
/* Offer a mapping whose words "traffic" are, when they are known; else it is no better than
 * "bound".
 */
void sator_mapper_offer_counted(struct mapper_search *search, const struct mapper_mapping *mapping,
        const struct mapper_traffic *traffic, double bound);
/* The counting engines gave up on a mapping that is no better than "bound". */
void sator_mapper_note_unknown(struct mapper_search *search, double bound);
/* The search has looked at every mapping: note what this proves. */
void sator_mapper_finish(struct mapper_search *search);
/* Cost a legal mapping and keep it if it is the best so far. */
void sator_mapper_try(struct mapper_search *search, const struct mapper_mapping *mapping);
/* What a search has done, in partial orders looked at, about. */
uint64_t sator_mapper_looks(const struct mapper_search *search);
/* Whether to stop: cancelled, or out of time. Also reports progress; cheap to call often. */
bool sator_mapper_should_stop(struct mapper_search *search);
/* Whether a budget leaves hardly time for more than to climb. */
bool sator_mapper_is_short(const struct mapper_search *search);
enum {
    MAPPER_THREADS = 16 /* at most, on one search */
};
/* Call "work" with each of "n" members of "size" bytes, at most MAPPER_THREADS, on a thread of its
 * own: the first on the caller's, the others on ones that block all signals. Members that there is
 * no thread for follow on the caller's. Returns when all are done. */
void sator_mapper_run_threads(void (*work)(void *member), void *members, size_t size, int n);
/* Add what a part of the search has counted, improvements and looks apart. */
void sator_mapper_add_counters(
        struct sator_map_counters *sum, const struct sator_map_counters *part);

/* ---- scheduled.c ---- */
/* Put the scheduled time into the cost of a mapping; whether it is then better than the best so
 * far. After so many that the model was asked about the search stops. */
bool sator_mapper_time(struct mapper_search *search, const struct mapper_mapping *mapping,
        struct mapper_cost *cost);
/* Whether a mapping with late links, which are left out of proofs, is better than the best without
 * what they bring; "cost" is the roofline without it. */
bool sator_mapper_is_better_without_late(struct mapper_search *search,
        const struct mapper_mapping *mapping, struct mapper_cost cost);

/* ---- space.c ---- */
/* Whether the order of memory row "m" matters to any transfer. */
bool sator_mapper_order_matters(const struct mapper_problem *problem, int m);
/* The number of mappings: factors that fit the arrays x orders; a double, since it is astronomic.
 */
double sator_mapper_space_size(const struct mapper_problem *problem);

/* ---- space_count.c ---- */
/* The number of mappings of factors that divide, exactly (to the digits of a double): of factors
 * that fit the arrays and respect the constraints, times orders; capacities are not looked at.
 * Below 0 when that takes too long. */
double sator_mapper_count_space(const struct mapper_problem *problem);

/* ---- rows.c ---- */
/* Whether no transfer tells the array dimensions "a" and "b" apart; "still": as long as no words
 * pass from PE to PE. Where they are told apart for some loops only, these are added to "*told"
 * (NULL: then they are told apart). */
bool sator_mapper_same_rows(
        const struct mapper_problem *problem, int a, int b, bool still, unsigned *told);

/* ---- skew_groups.c ---- */
/* Skews under which words are counted, searched together. */
struct mapper_group {
    int n;
    const struct mapper_problem **part; /* these, of one choice of what bypasses what */
    struct mapper_problem *joint; /* it has no mappings, but bounds that hold in each of them */
    /* The turns of an array that leave its links as they are: rows that may run backwards, and
     * pairs of rows that may change places. */
    unsigned mirrored;
    int n_swaps;
    int swap[MAPPER_ROWS][2];
};
/* Whether the mappings with the unrolling of "mapping" in the "k"-th part cost as much as others:
 * of an unrolling that comes before it, or a part before it, or where no array is skewed. */
bool sator_mapper_is_elsewhere(
        const struct mapper_group *group, int k, const struct mapper_mapping *mapping);

/* ---- climb.c ---- */
/* Try so many small changes of the best mapping so far (of any, where there is none), and offer
 * what is reached: nothing is proved by it. */
void sator_mapper_climb(struct mapper_search *search, int tries);
/* Climb from the best mapping among those of search->wider, which is a larger problem; "turn":
 * climbs one after the other have others, to differ. */
void sator_mapper_climb_wider(struct mapper_search *search, int tries, int turn);
/* The same from random mappings, "tries" changes in all: the best may be far from what was found
 * first. */
void sator_mapper_climb_anew(struct mapper_search *search, uint64_t tries);
/* Where the engines count what passes from PE to PE: try the best mapping that is found soon when
 * only neighbours in a row share words, after "tries" changes. */
void sator_mapper_start(struct mapper_search *search, int tries);
/* Climb from the best mapping, of whatever problem, though the engines count each change. */
void sator_mapper_climb_counted(struct mapper_search *search, int turn);

/* ---- strategies/ ---- */
void sator_mapper_optimal(struct mapper_search *search);
void sator_mapper_exhaustive(struct mapper_search *search);
void sator_mapper_random_search(struct mapper_search *search);
void sator_mapper_sunstone(struct mapper_search *search);
/* The best of a few of its candidates, in milliseconds: a start for others. */
void sator_mapper_sunstone_in_haste(struct mapper_search *search);

#endif
