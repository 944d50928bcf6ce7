/* Values of expressions at the instances of a part. */
#ifndef SATOR_COUNT_LISTED_CODES_H
#define SATOR_COUNT_LISTED_CODES_H

#include "count/listed/parts.h"

/* Values of expressions as one number, the first expression's most significant. */
struct listed_code {
    int n;
    const struct sator_expr *expr[LISTED_ROWS];
    int64_t least[LISTED_ROWS];
    uint64_t stride[LISTED_ROWS];
    uint64_t size[LISTED_ROWS]; /* values of the expression are below least + size */
    uint64_t range; /* numbers are below */
};

extern const struct sator_decline listed_too_many_bits;

/* The number of points of a part's box, "most" + 1 when it is larger. */
int64_t listed_count_points(const struct listed_parts *parts, int part, int64_t most);

/* The iterators of the part's instance number "i", into those of "point" that are the part's. */
void listed_instance(const struct listed_parts *parts, int part, int64_t i, int64_t *point);

/* Append the summands that "n" rows from "first" on have in "part" to "code". */
void listed_code_rows(
        const struct listed_parts *parts, int part, int first, int n, struct listed_code *code);
/* Fix the strides; a reason when the numbers do not fit. */
const struct sator_decline *listed_code_finish(
        const struct listed_parts *parts, struct listed_code *code);
/* The codes of all instances of "part". */
uint64_t *listed_code_values(
        const struct listed_parts *parts, int part, const struct listed_code *code);
/* The value of expression "i" in "number". */
static inline int64_t listed_code_value(const struct listed_code *code, int i, uint64_t number)
{
    return (int64_t)(number / code->stride[i] % code->size[i]) + code->least[i];
}

/* Of which of the part's instances a condition on its loops holds; NULL where that is not told. */
bool *listed_which_hold(const struct listed_parts *parts, int part, const struct sator_cond *cond);

#endif
