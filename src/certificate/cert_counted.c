/* Words that have no formula (doc/certificate.md, "Words that are counted"): of which moves they
 * are, and what is known of them before they are counted (cert_walk.c).
 */
#include "certificate/cert_bound.h"

#include <stdlib.h>

/* Whether some loop may stand at the row. */
static bool may_use(const struct cert_problem *p, const struct cert_part *part, int row)
{
    bool any = false;

    for (int i = 0; i < p->n_loops; i++)
        any |= part->known[row] >> i & 1 ? part->factor[row][i] > 1
                                         : !(p->row[row].banned >> i & 1);
    return any;
}

/* Whether PEs that are "shift" apart along the row never hold the same word of the tensor: whatever
 * loop is innermost there, it has another digit, which no time changes, and stands alone in an
 * index. */
static bool is_disjoint(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_tensor *t, int row, int64_t shift)
{
    bool disjoint = shift != 0 && part->known[row] == (1U << p->n_loops) - 1;

    for (int i = 0; i < p->n_loops && disjoint; i++) {
        int64_t factor = part->factor[row][i];
        if (factor > 1 && (!(part->ordered >> row & 1) || i == part->along[row][0]))
            disjoint = (t->plain >> i & 1) && shift % factor != 0;
    }
    return disjoint;
}

/* Whether a link of the move may join PEs in use that have words in common. */
static bool may_bring(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, const struct cert_hop *hop)
{
    bool brings = true;

    for (int r = 0; r < p->n_rows; r++)
        brings &= hop->shift[r] == 0 ||
                (may_use(p, part, r) &&
                        !is_disjoint(p, part, &p->tensor[move->tensor], r, hop->shift[r]));
    return brings;
}

/* How much later PEs run at the other end of a link, along "rows". */
static int64_t later_along(const struct cert_problem *p, unsigned rows, const struct cert_hop *hop)
{
    int64_t later = 0;

    for (int r = 0; r < p->n_rows; r++)
        later += rows >> r & 1 ? p->row[r].step * hop->shift[r] : 0;
    return later;
}

/* Whether some link of the move joins PEs of "rows" that run at different times. */
static bool joins_times(const struct cert_problem *p, const struct cert_move *move, unsigned rows)
{
    bool any = move->has_more;

    for (int k = 0; k < move->n_hops; k++)
        any |= later_along(p, rows, &move->hop[k]) != 0;
    return any;
}

/* Whether loops may stand between the move's child and a skewed row further out that it passes
 * over, or runs of another skewed row. */
static bool has_loops_between(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move)
{
    unsigned here = 0, outside = 0; /* skewed rows since the last memory, and before it */
    bool any = false;

    for (int r = 0; r < move->child_row && p->counts; r++) {
        bool is_used = may_use(p, part, r);
        outside |= p->row[r].is_space ? 0 : here;
        here = p->row[r].is_space ? here : 0;
        any |= outside != 0 && is_used && !p->row[r].is_space;
        if (!(move->between >> r & 1) || p->row[r].step == 0 || !is_used)
            continue;
        here |= 1U << r;
        any |= outside != 0 && joins_times(p, move, outside);
    }
    return any;
}

bool cert_is_counted(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move)
{
    bool any = move->is_odd;

    for (int k = 0; k < move->n_hops && !any; k++)
        any = move->hop[k].is_late && may_bring(p, part, move, &move->hop[k]);
    for (int r = 0; r < p->n_rows && !any; r++)
        any = (move->bused >> r & 1) && p->row[r].step != 0 && may_use(p, part, r);
    return any || has_loops_between(p, part, move);
}

static int64_t used_along(const struct cert_problem *p, const struct cert_part *part, int row)
{
    int64_t used = 1;

    for (int i = 0; i < p->n_loops; i++)
        used *= part->factor[row][i];
    return used;
}

int64_t cert_reach(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move)
{
    int64_t most = 1;

    if (has_loops_between(p, part, move) || move->has_more)
        return INT64_MAX;
    for (int k = 0; k < move->n_hops; k++) {
        const struct cert_hop *hop = &move->hop[k];
        int64_t own = llabs(hop->interval - later_along(p, move->between, hop));
        most = may_bring(p, part, move, hop) && own > most ? own : most;
    }
    for (int k = 0; k < move->n_buses; k++) {
        int64_t apart = 0;
        for (int r = 0; r < p->n_rows; r++)
            apart += move->bus[k].joined >> r & 1
                    ? llabs(p->row[r].step) * (used_along(p, part, r) - 1)
                    : 0;
        most = apart > most ? apart : most;
    }
    return most;
}

int cert_counted_cold_row(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move)
{
    int cold = 0;

    if (p->across || p->holds_idle || !part->is_unrolled || move->has_more)
        return 0;
    for (int m = 0; m < p->n_memories && p->memory[m].row < move->child_row; m++) {
        unsigned rows = 0;
        int64_t span = 0;
        for (int r = p->memory[m].row + 1; r < move->child_row && p->row[r].is_space; r++) {
            rows |= 1U << r;
            span += llabs(p->row[r].step) * (used_along(p, part, r) - 1);
        }
        for (int k = 0; k < move->n_hops && span > 0; k++) {
            if (may_bring(p, part, move, &move->hop[k]) &&
                    move->hop[k].interval - later_along(p, rows, &move->hop[k]) > span)
                return cold; /* reaches the run before */
        }
        cold = span > 0 ? p->memory[m].row : cold;
        if (span > 0 && (rows & move->between) != 0)
            break; /* PEs that are joined may be at different runs further in */
    }
    return cold;
}

/* Whether loops that index the tensor may stand at the row. */
static bool may_index(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_tensor *t, int row)
{
    bool any = part->known[row] != (1U << p->n_loops) - 1;

    for (int i = 0; i < p->n_loops; i++)
        any |= part->factor[row][i] > 1 && (t->relevant >> i & 1);
    return any;
}

unsigned cert_level_rows(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move)
{
    unsigned rows = move->bused, ahead = ~0U, back = ~0U; /* rows along which all lead so */

    if (has_loops_between(p, part, move) || move->has_more)
        return move->connected;
    for (int k = 0; k < move->n_hops; k++) {
        const struct cert_hop *hop = &move->hop[k];
        if (hop->interval > later_along(p, move->between, hop) || !may_bring(p, part, move, hop))
            continue;
        for (int r = 0; r < p->n_rows; r++) {
            rows |= hop->shift[r] != 0 ? 1U << r : 0;
            ahead &= hop->shift[r] > 0 ? ~0U : ~(1U << r);
            back &= hop->shift[r] < 0 ? ~0U : ~(1U << r);
        }
    }
    for (int r = 0; r < p->n_rows && move->bused == 0;
            r++) { /* none leads to the row's first PEs */
        if (((rows & (ahead | back)) >> r & 1) && !may_index(p, part, &p->tensor[move->tensor], r))
            return 1U << r;
    }
    return rows;
}
