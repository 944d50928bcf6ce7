/* The moves of one tensor in one role: private to test/oracle/hardware*.c. */
#ifndef SATOR_TEST_HARDWARE_MOVE_H
#define SATOR_TEST_HARDWARE_MOVE_H

#include "oracle/hardware.h"

/* The loop instances in the order of their time-stamps, then of the loop nest. */
struct schedule {
    int64_t n;
    int64_t *points; /* n * ORACLE_LOOPS */
    int64_t *places; /* n * ORACLE_SPACE: where they run */
    int64_t *ranks; /* the number of the time-stamp, ascending */
    int64_t n_ranks;
    int64_t *prefix[ORACLE_TIME + 1]; /* [a][rank]: the number of the prefix of a dimensions */
    bool outside; /* an instance leaves the array */
};

/* The elements that each instance touches: element[first[i]] .. element[first[i + 1] - 1], no two
 * the same. */
struct touched {
    int64_t *first, *element;
    int64_t n_elements;
};

/* Where a tensor stays for a while: the outside (of everything), memories, and, where an array lies
 * inside the last memory, the PEs themselves for a stamp. */
struct stay {
    int level; /* of a memory; -1 for the outside and for the PEs */
    int n_space, n_time; /* what selects an instance and its contents */
    int first_level, end_level; /* the arrays among these lead here from the stay before */
    bool holds_idle; /* what an instance has stays while it runs nothing */
};

/* What one instance of a memory does. */
struct moves {
    int64_t fills, writes, reads, updates;
};

struct stay_counts {
    struct moves *of_instance; /* GIVE: free */
    int64_t n_instances;
    int64_t tile, total, temporal, unique;
    int64_t link_words[HARDWARE_LEVELS][HARDWARE_LINKS], bus_words[HARDWARE_LEVELS][HARDWARE_BUSES];
};

/* What concerns outputs only. */
struct sum_counts {
    bool are_right;
    int64_t gone_up, left;
};

/* Run the schedule for one access. stays[0] is the outside; counts[s] for each of them. Where the
 * schedule is that of one instance of "alone" space dimensions (0: of the whole), the memories that
 * it lies in are taken to keep what it idles with. */
void hardware_move(const struct hardware *hardware, const struct schedule *schedule,
        const struct touched *touched, const struct oracle_access *access, const struct stay *stays,
        int n_stays, int alone, struct stay_counts *counts, struct sum_counts *sums);

/* The most elements that one instance holds during one prefix stamp. */
int64_t hardware_tile(const struct hardware *hardware, const struct schedule *schedule,
        const struct touched *touched, int n_space, int n_time);

/* Whether the wires that serve "tensor" within a stamp form a cycle in the array at "level". */
bool hardware_is_cyclic(const struct hardware *hardware, int level, int tensor);

#endif
