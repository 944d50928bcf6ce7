/* Relations in isl notation into the reference's own expressions: enough for the texts of
 * test/golden. Shares nothing with the readers of src/. */
#ifndef SATOR_TEST_PARSE_H
#define SATOR_TEST_PARSE_H

#include "oracle/oracle.h"

/* Each returns false when the text is not what it understands, or needs more room than a program
 * has. */

/* { S[i,j] : 0 <= i < 4 and ... }: loops, bounds and what remains as conditions. */
bool parse_domain(struct oracle_program *program, const char *text);
/* { S[i,j] -> PE[...] } and { S[i,j] -> T[...] } */
bool parse_space(struct oracle_program *program, const char *text);
bool parse_time(struct oracle_program *program, const char *text);
/* { S[i,j] -> A[...]; ... } as further pieces of "access", whose tensor and role are the caller's.
 */
bool parse_access(struct oracle_program *program, const char *text, struct oracle_access *access);
/* { PE[consumer] -> PE[provider] : ...; ... } as pieces of "link". */
bool parse_consumer_link(
        struct oracle_program *program, const char *text, struct oracle_link *link);
/* { PE[i,j] : 0 <= i < 8 and 0 <= j < 8 } as the shape. */
bool parse_shape(struct oracle_program *program, const char *text);

#endif
