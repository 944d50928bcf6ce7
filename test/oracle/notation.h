/* Programs as text: isl notation for single relations, and the three YAML files of one analysis. */
#ifndef SATOR_TEST_NOTATION_H
#define SATOR_TEST_NOTATION_H

#include "oracle/oracle.h"

#include <stdio.h>

/* In isl notation: floor(e/c). In Sator's own: (e)/c. */
enum notation {
    NOTATION_ISL,
    NOTATION_SATOR
};

void notation_domain(FILE *out, const struct oracle_program *program);
void notation_space(FILE *out, const struct oracle_program *program);
void notation_time(FILE *out, const struct oracle_program *program);
void notation_access(FILE *out, const struct oracle_program *program, int access);
void notation_link(FILE *out, const struct oracle_program *program, int n_space, int link);
void notation_bus(FILE *out, const struct oracle_program *program, int n_space, int bus);

/* The name of tensor number "tensor" (static): "A", "B", ... */
const char *notation_tensor(int tensor);
/* The name of link or bus "number" (static): "link0", "bus0", ... */
const char *notation_link_name(int number);
const char *notation_bus_name(int number);

/* Whether the workload can be an einsum: loops from 0, one piece an access without conditions,
 * floors or remainders, one written tensor. */
bool notation_is_einsum(const struct oracle_program *program);
void notation_workload(FILE *out, const struct oracle_program *program, bool einsum);

/* Memories around the array, outermost first: dram (if any), scratchpad, the array, local (if any).
 * A cut is the number of leading time dimensions; -1 declares none. */
struct notation_levels {
    bool dram, local;
    int scratchpad_cut, local_cut;
};

void notation_arch(
        FILE *out, const struct oracle_program *program, const struct notation_levels *levels);
void notation_dataflow(FILE *out, const struct oracle_program *program,
        const struct notation_levels *levels, enum notation notation);

/* Everything that count.h needs, a line each: what a failing case prints. */
void notation_relations(FILE *out, const struct oracle_program *program, int n_space);

#endif
