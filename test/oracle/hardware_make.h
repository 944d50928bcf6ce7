/* Random machines with workloads and dataflows, their texts, and smaller ones that still fail. The
 * same number always gives the same machine. */
#ifndef SATOR_TEST_HARDWARE_MAKE_H
#define SATOR_TEST_HARDWARE_MAKE_H

#include "oracle/generate.h"
#include "oracle/hardware.h"

#include <stdio.h>

struct hardware_options {
    int64_t max_instances, max_pes;
    bool long_links; /* intervals of 2 and more between memories */
    bool idle; /* memories that keep what they have while they idle */
    bool nests_only;
    bool energies; /* of every memory, link and bus */
    bool bypass; /* memories may be bypassed */
    bool skews; /* some arrays of nests, either way */
    bool windows; /* of skewed rows: loops of several memories joined */
    bool systolic; /* arrays of which words and sums go on from PE to PE are frequent */
    bool parts; /* sums that PEs hold in parts, without links and trees, are frequent */
    bool triangles; /* nests of domains that are no box, and a loop of more values in them */
};

void hardware_make(
        uint64_t seed, const struct hardware_options *options, struct hardware *hardware);

/* YAML. The dataflow's cuts: those that "hardware" declares, or "cuts" of all memories (not NULL).
 */
void hardware_put_workload(FILE *out, const struct hardware *hardware);
void hardware_put_arch(FILE *out, const struct hardware *hardware);
void hardware_put_dataflow(FILE *out, const struct hardware *hardware, const int *cuts);
/* The three files, one after the other. */
void hardware_put(FILE *out, const struct hardware *hardware);

typedef bool (*hardware_fails)(const struct hardware *hardware, void *user);

/* Replace "hardware", which fails, by a smaller one that fails too; at most "max_trials" questions
 * are asked. */
void hardware_shrink(struct hardware *hardware, hardware_fails fails, void *user, int max_trials);

#endif
