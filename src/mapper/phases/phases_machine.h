/* What the scheduled time of mappings is made of on one machine: ports in whole numbers, and when
 * the words of each transfer move. */
#ifndef SATOR_MAPPER_PHASES_MACHINE_H
#define SATOR_MAPPER_PHASES_MACHINE_H

#include "mapper/cost/cost.h"

/* What a machine says of when words move and how long they take, for one problem. */
struct mapper_phases {
    const struct mapper_problem *problem;
    /* A port in whole numbers: of a transfer's bits times "scale", "bits" pass in a cycle. */
    struct mapper_unit {
        int64_t bits, scale, setup, granule;
    } unit[MAPPER_PORTS];
    /* When the words of a transfer move, and when where the child holds one stamp's; the ports that
     * they pass, of the parent when they leave it and when sums come, and of the child; -1: no
     * limit. */
    struct mapper_manner {
        enum sator_transfer_kind kind, kind_of_stamps;
        int send, take, arrive;
    } manner[MAPPER_TRANSFERS];
    /* What serves the compute units from the PE's own memories: bits of each instance. */
    int n_own;
    struct mapper_own {
        int access, read_port, write_port; /* -1: no limit */
        int64_t bits;
        bool waits; /* serial */
    } own[MAPPER_ACCESSES];
    /* The same with those links alone that lead along a skewed row from one PE to the next; NULL
     * where none is skewed, or there are buses. */
    const struct mapper_transfer *steps[MAPPER_TRANSFERS];
    int output; /* the access, or -1 */
    bool at_least; /* times in closed form are: wires have a bandwidth, too, or links reach back
                    * further than the stamp before */
    bool counts_all; /* the time of every mapping has a closed form */
    int64_t stamp_cycles; /* of one instance, whole */
};

#endif
