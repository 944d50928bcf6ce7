/* Cases of relation_centric.json as programs of the brute-force reference. */
#ifndef SATOR_TEST_GOLDEN_REFERENCE_H
#define SATOR_TEST_GOLDEN_REFERENCE_H

#include "golden/golden.h"
#include "oracle/oracle.h"

/* The case with its tensors in the order of the file's results, registers, and its interconnect
 * twice: link 0 with interval 0, link 1 with interval 1. False when the reference's notation does
 * not reach so far. */
bool golden_program(const cJSON *json, struct oracle_program *program);

#endif
