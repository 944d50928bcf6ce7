/* What the PEs compute for: in every time-stamp as long as the one that runs most instances there
 * (doc/model.md, section 3). */
#include "base/checked.h"
#include "model/timing/timing_nest.h"

/* The coarsest digit of "loop" that is finer than "above"; NULL: none. */
static const struct nest_digit *next_digit(const struct nest *nest, int loop, int64_t above)
{
    const struct nest_digit *next = NULL;

    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        if (digit->loop == loop && digit->stride < above &&
                (next == NULL || digit->stride > next->stride))
            next = digit;
    }
    return next;
}

/* How many values the loop's digits of time, and with "within" those within a stamp, make up to
 * "rest", where those of space are 0: a digit below its greatest value leaves all finer ones free.
 */
static sator_int count_values(
        const struct nest *nest, int loop, int64_t rest, int64_t above, bool within)
{
    const struct nest_digit *digit = next_digit(nest, loop, above);

    if (digit == NULL)
        return 1;
    if (digit->is_space || (digit->order < 0 && !within))
        return count_values(nest, loop, rest, digit->stride, within);
    int64_t most = rest / digit->stride;
    most = most < digit->extent - 1 ? most : digit->extent - 1;
    sator_int last = count_values(nest, loop, rest - most * digit->stride, digit->stride, within);
    if (most == 0)
        return last;
    return most * count_values(nest, loop, digit->stride - 1, digit->stride, within) + last;
}

/* Loops that have digits within a stamp, and none in a skewed row, choose their time digits by
 * themselves: so each multiplies the stamps, and what runs in them. */
static bool multiply(const struct nest *nest, sator_int *sum)
{
    for (int loop = 0; loop < nest->n_loops; loop++) {
        int64_t rest = nest->size[loop] - 1;
        bool within = false, skewed = false;
        for (int i = 0; i < nest->n_digits; i++) {
            const struct nest_digit *digit = &nest->digits[i];
            if (digit->loop != loop)
                continue;
            skewed |= nest_row_factor(digit) != 0;
            within |= digit->order < 0 && !digit->is_space && digit->run == 0 && digit->extent > 1;
        }
        if (!within)
            continue;
        sator_int stamps = count_values(nest, loop, rest, INT64_MAX, false);
        if (skewed || *sum % stamps != 0 ||
                !sator_mul(*sum / stamps, count_values(nest, loop, rest, INT64_MAX, true), sum))
            return false;
    }
    return true;
}

sator_int analysis_most(struct analysis *analysis)
{
    const struct sator_result *result = analysis->result;
    sator_int sum = result->time_stamps, even;
    struct nest nest;

    if (result->instances == result->stamps * result->max_instances_per_stamp)
        return sum * result->max_instances_per_stamp;
    struct timing timing = timing_of(analysis, analysis->arena);
    if (nest_read(&timing, &nest) && multiply(&nest, &sum))
        return sum;
    sum = result->time_stamps + result->max_instances_per_stamp - 1;
    even = (result->instances + result->max_active_pes - 1) / result->max_active_pes;
    return even > sum ? even : sum;
}
