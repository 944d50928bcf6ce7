/* One part of the loops, listed: its stamps and elements by number, and which go together. */
#ifndef SATOR_COUNT_LISTED_LISTS_H
#define SATOR_COUNT_LISTED_LISTS_H

#include "base/room.h"
#include "count/listed/codes.h"

enum {
    LISTED_PIECES = 32, /* most accesses of one tensor */
    LISTED_INDICES = 16, /* most dimensions of a tensor */
    LISTED_CONDITIONS = 32, /* most conditions of a single access */
    LISTED_INSTANCES =
            SATOR_ROOM(1 << 22, 64), /* most loop instances that are listed for one question */
    LISTED_POINTS = 8 * LISTED_INSTANCES /* most points of a part's box, of which these are found */
};

/* A condition that an access has for the instances of one part. */
struct listed_condition {
    int part;
    int piece; /* -1: of all pieces alike */
    const struct sator_cond *cond;
};

/* A stamping, and an access, as rows of parts: first those of time; all rows of one kind have
 * consecutive numbers. */
struct listed_plan {
    struct listed_parts parts;
    int n_times;
    int first_space, n_spaces;
    int first_index, n_indices; /* those that all pieces have in common */
    int n_pieces; /* of the access; 1 if there is none */
    uint32_t own_loops; /* mentioned by what differs from piece to piece: they are in one part */
    int n_own; /* indices that differ */
    const struct sator_expr *own[LISTED_PIECES][LISTED_INDICES];
    int n_conditions;
    struct listed_condition condition[LISTED_CONDITIONS];
};

struct listed_buckets; /* buckets.h */

/* Time-stamps, PEs and elements of a part are their numbers in ascending order from 0 on. */
struct listed_list {
    /* what stamps make of it: */
    int64_t n_instances;
    const int64_t *instance; /* their numbers in the part's box; NULL: all of it */
    struct listed_code time, pe;
    int64_t n_times, n_pes;
    const uint64_t *time_code, *pe_code; /* of each number */
    const uint8_t *differs; /* the first row in which a time-stamp differs from the one before */
    const uint64_t *stamp; /* of each instance: time << pe_bits | pe */
    int pe_bits;
    const int64_t *instance_of_pe; /* one of each, in the list */
    struct listed_buckets *buckets; /* of the list, where it is kept; or NULL */
    /* and an access: */
    uint64_t n_accesses; /* distinct (instance, element) */
    int64_t n_elements;
    int element_bits;
    int64_t n_pairs;
    const uint64_t *pair; /* pe << element_bits | element, ascending within a time-stamp */
    const int64_t *first; /* of each time-stamp: its first pair; n_times + 1 */
    int64_t n_touched; /* time-stamps that have pairs, in ascending order */
    const int64_t *touched;
};

/* Find the instances of "part", those of its box that the domain has, and their stamps, in the
 * arena of the plan's parts. They depend on the stamping and the part's loops alone.
 * SATOR_DECLINED with "*reason"; or the status of sator_work. */
enum sator_status listed_stamps_make(struct sator_ctx *ctx, struct listed_plan *plan, int part,
        struct listed_list *list, const struct sator_decline **reason);
/* Copy what stamps have made of the list to another arena. */
void listed_stamps_keep(struct sator_arena *arena, struct listed_list *list);

/* List "part", whose stamps "list" has. SATOR_DECLINED with "*reason"; or the status of sator_work.
 */
enum sator_status listed_list_make(struct sator_ctx *ctx, struct listed_plan *plan, int part,
        struct listed_list *list, const struct sator_decline **reason);

/* Replace the "n" numbers of "code", below "range", by their ranks among the distinct ones, which
 * go into "*distinct", "*n_distinct" of them. UINT64_MAX stays. */
void listed_rank(struct sator_arena *arena, uint64_t range, int64_t n, uint64_t *code,
        const uint64_t **distinct, int64_t *n_distinct);

/* The place of the first number from place "low" on that is not less than "code"; "high" when there
 * is none before it. The numbers ascend. */
static inline int64_t listed_find(const uint64_t *number, int64_t low, int64_t high, uint64_t code)
{
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (number[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sort "n" numbers; "scratch" is as large. */
void listed_sort(int64_t n, uint64_t *number, uint64_t *scratch);

#endif
