/* What the PEs compute for: in every time-stamp as long as the one that runs most instances there
 * (doc/model.md, section 3). */
#include "base/checked.h"
#include "model/timing/timing_nest.h"

/* How many values the loop's digits of time from its "k"-th on, and with "within" those within a
 * stamp, make up to "rest", where those of space are 0: a digit below its greatest value leaves all
 * finer ones free. */
static sator_int count_values(const struct nest *nest, int loop, int k, int64_t rest, bool within)
{
    const struct nest_loop *own = &nest->loops[loop];

    if (k == own->n)
        return 1;
    const struct nest_digit *digit = &nest->digits[own->digits[k]];
    if (digit->is_space || (digit->order < 0 && !within))
        return count_values(nest, loop, k + 1, rest, within);
    int64_t most = rest / digit->stride;
    most = most < digit->extent - 1 ? most : digit->extent - 1;
    sator_int last = count_values(nest, loop, k + 1, rest - most * digit->stride, within);
    if (most == 0)
        return last;
    return most * count_values(nest, loop, k + 1, digit->stride - 1, within) + last;
}

/* Loops that have digits within a stamp, and none in a skewed row, choose their time digits by
 * themselves: so each multiplies the stamps, and what runs in them. */
static bool multiply(const struct nest *nest, sator_int *sum)
{
    for (int loop = 0; loop < nest->n_loops; loop++) {
        int64_t rest = nest->size[loop] - 1;
        bool within = false, skewed = false;
        for (int k = 0; k < nest->loops[loop].n; k++) {
            const struct nest_digit *digit = &nest->digits[nest->loops[loop].digits[k]];
            skewed |= nest_row_factor(digit) != 0;
            within |= digit->order < 0 && !digit->is_space && digit->run == 0 && digit->extent > 1;
        }
        if (!within)
            continue;
        sator_int stamps = count_values(nest, loop, 0, rest, false);
        if (skewed || *sum % stamps != 0 ||
                !sator_mul(*sum / stamps, count_values(nest, loop, 0, rest, true), sum))
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
