/* What the scheduled time of mappings is made of on one machine: ports in whole numbers, and when
 * the words of each transfer move. */
#ifndef SATOR_MAPPER_PHASES_MACHINE_H
#define SATOR_MAPPER_PHASES_MACHINE_H

#include "mapper/cost/cost.h"

enum {
    MOST_DIGITS = MAPPER_MEMORIES * 8 /* temporal ones of a mapping with a closed form */
};

/* What a machine says of when words move and how long they take, for one problem. */
struct mapper_phases {
    const struct mapper_problem *problem;
    /* A port in whole numbers: of a transfer's bits times "scale", "bits" pass in a cycle. */
    struct mapper_unit {
        int64_t bits, scale, setup, granule;
    } unit[MAPPER_PORTS];
    /* When the words of a transfer move, and when where the child holds one stamp's; the ways that
     * they pass, of the parent when they leave it and when sums come, and of the child. */
    struct mapper_manner {
        enum sator_transfer_kind kind, kind_of_stamps;
        struct mapper_way {
            int port; /* -1: no limit */
            int64_t bits; /* of each word there */
        } send, take, arrive;
    } manner[MAPPER_TRANSFERS];
    /* What serves the compute units from the PE's own memories: the words of an instance as one. */
    int n_own;
    struct mapper_own {
        int access;
        struct mapper_way read, write;
        bool waits; /* serial */
    } own[MAPPER_ACCESSES];
    /* The same with those links alone that lead along a skewed row from one PE to the next; NULL
     * where none is skewed, or there are buses. */
    const struct mapper_transfer *steps[MAPPER_TRANSFERS];
    int output; /* the access, or -1 */
    int mixed_row; /* that of the innermost memory which has a port of reads and writes; -1: none */
    bool at_least; /* times in closed form are: wires have a bandwidth, too, or links reach back
                    * further than the stamp before */
    bool counts_all; /* the time of every mapping has a closed form */
    int64_t stamp_cycles; /* of one instance, whole */
};

/* The row of a memory's loops; behind all rows, of the compute units. */
static inline int mapper_row_of(const struct mapper_problem *p, int memory)
{
    return memory == p->n_memories ? p->n_rows : p->memory[memory].row;
}

/* Set the problem's phases, in its arena, and the ports that bounds of the scheduled time tell
 * apart; none where it is of a form whose phases only the model counts: words that the engines
 * count, trees of some PEs of a row. Bounds are of the scheduled time then. Times in closed form
 * are without what late links bring and what passes limited wires takes (struct mapper_phases). */
void sator_mapper_know_phases(struct mapper_problem *problem);

/* Whether words may pass further in than memory "c" while nothing else happens. They lengthen the
 * stamps of "c" beyond what these compute for, and words of "c" may move beside them: a bound has
 * the one or the other, not both. */
bool sator_mapper_waits_inside(const struct mapper_phases *phases, int c);

/* phases.c: the cycles of a stamp of the compute units alone, with what the PE's own memories serve
 * beside them; sums start from zero if it is "fresh". */
double sator_mapper_phase_computes(const struct mapper_phases *phases, bool fresh);

/* phases_enter.c: what "steps" has of transfer "t", in the problem's arena. */
const struct mapper_transfer *sator_mapper_phase_steps(
        const struct mapper_problem *problem, const struct mapper_transfer *t);

#endif
