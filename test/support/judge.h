/* An analysis against the judge of test/oracle/hardware.h. */
#ifndef SATOR_TEST_JUDGE_H
#define SATOR_TEST_JUDGE_H

#include "oracle/hardware.h"
#include "sator/analyze.h"

/* Whether "got" has all figures of "expected": of every memory, link, bus and port, cuts and
 * latency. Otherwise "text" says what is wrong. "other_cuts": one may have declared what the other
 * derived. */
bool judge_agrees(const struct hardware *hardware, const struct hardware_result *expected,
        const struct sator_result *got, bool other_cuts, char *text, size_t size);

#endif
