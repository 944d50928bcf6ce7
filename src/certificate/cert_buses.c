/* Buses that each have a part of a row: so many PEs next to each other, as PE[i/4] says
 * (doc/certificate.md, "Buses of parts of a row").
 *
 * Before the order of loops along the row is known, all PEs of the row that want a word are one
 * pool, which takes at least as many buses as there are places for them. Once it is known, buses
 * mostly end where digits do, or cut one digit in two: the row then is two, of buses and of PEs on
 * a bus. Else a tensor without windows has its tile once for each bus and value of the digits that
 * index it, which are counted along the row.
 */
#include "base/memo.h"
#include "certificate/cert_bound.h"

#include <math.h>
#include <string.h>

/* The row's loops above 1, the innermost first; -1 where their order is not known. */
static int list_known_order(
        const struct cert_problem *p, const struct cert_part *part, int row, int *loop)
{
    int n = 0;

    if (part->ordered >> row & 1) {
        memcpy(loop, part->along[row], sizeof *loop * (size_t)part->n_along[row]);
        return part->n_along[row];
    }
    if (part->known[row] != (1U << p->n_loops) - 1)
        return -1;
    for (int i = 0; i < p->n_loops; i++) {
        if (part->factor[row][i] > 1)
            loop[n++] = i;
    }
    return n > 1 ? -1 : n;
}

/* The product of the factors of some loops at the row. */
static int64_t factors(
        const struct cert_problem *p, const struct cert_part *part, int row, unsigned loops)
{
    int64_t product = 1;

    for (int i = 0; i < p->n_loops; i++)
        product *= loops >> i & 1 ? part->factor[row][i] : 1;
    return product;
}

bool cert_is_aligned(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, int row, int64_t *values)
{
    const int64_t group = move->group[row];
    int loop[CERT_LOOPS], n = list_known_order(p, part, row, loop);
    int64_t inside = 1; /* PEs of the digits so far */

    for (int i = 0; i < p->n_loops; i++)
        values[i] = 1;
    for (int k = 0; k < n && inside < group; k++) {
        const int64_t factor = part->factor[row][loop[k]], rest = group / inside;
        const bool is_last = k == n - 1;
        values[loop[k]] = factor < rest ? factor : rest;
        if (factor >= rest ? factor % rest != 0 || group % inside != 0
                           : rest % factor != 0 && !is_last)
            return false;
        inside *= factor;
    }
    return n >= 0;
}

/* The pairs of a bus and a value of the digits that index the tensor: a PE makes a new one unless
 * the one before it with the same value is on the same bus. */
static double count_pairs(const struct cert_part *part, const struct cert_tensor *t, int64_t group,
        int row, const int *loop, int n)
{
    int64_t used = 1, pairs = 0;

    for (int k = 0; k < n; k++)
        used *= part->factor[row][loop[k]];
    for (int64_t at = 0; at < used; at++) {
        int64_t before = at, step = 1, rest = at;
        bool is_first = true;
        for (int k = 0; k < n && is_first; k++) {
            const int64_t factor = part->factor[row][loop[k]], digit = rest % factor;
            if (!(t->relevant >> loop[k] & 1)) { /* count down: 0 borrows of the next one */
                before += digit > 0 ? -step : (factor - 1) * step;
                is_first = digit == 0;
            }
            step *= factor;
            rest /= factor;
        }
        pairs += is_first || before / group != at / group;
    }
    return (double)pairs;
}

/* The buses along a row on which PEs want one word, beside "cert_shared": at least, or exactly. */
static double buses_along(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, int row, bool *is_known)
{
    const struct cert_tensor *t = &p->tensor[move->tensor];
    int loop[CERT_LOOPS], n = list_known_order(p, part, row, loop);
    int64_t values[CERT_LOOPS];

    *is_known = true;
    if (cert_is_aligned(p, part, move, row, values))
        return 1;
    if (n >= 0 && t->relevant == t->plain)
        return count_pairs(part, t, move->group[row], row, loop, n) /
                (double)factors(p, part, row, t->relevant);
    *is_known = false;
    return ceil((double)factors(p, part, row, ~t->relevant) / (double)move->group[row]);
}

double cert_buses(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move)
{
    double buses = 1;
    bool is_known;

    for (int r = 0; r < p->n_rows; r++)
        buses *= move->group[r] > 0 ? buses_along(p, part, move, r, &is_known) : 1;
    return buses;
}

bool cert_knows_buses(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move)
{
    bool knows = true;

    for (int r = 0; r < p->n_rows && knows; r++) {
        if (move->group[r] > 0)
            buses_along(p, part, move, r, &knows);
    }
    return knows;
}

double cert_equal(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, bool *is_known)
{
    const unsigned others = ~p->tensor[move->tensor].relevant;
    double equal = 1;

    *is_known = true;
    for (unsigned rows = move->bused; rows != 0; rows &= rows - 1) {
        const int r = __builtin_ctz(rows);
        double here = (double)factors(p, part, r, others), buses;
        bool is_known_here = true;
        if (move->group[r] > 0) {
            int64_t values[CERT_LOOPS];
            buses = buses_along(p, part, move, r, &is_known_here);
            if (cert_is_aligned(p, part, move, r, values)) {
                for (int i = 0; i < p->n_loops; i++)
                    buses *= others >> i & 1 ? (double)(part->factor[r][i] / values[i]) : 1;
            }
            here = is_known_here ? here / buses : fmin(here, (double)move->group[r]);
        }
        *is_known &= is_known_here;
        equal *= here;
    }
    return equal;
}

double cert_may_join(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, int row, double more)
{
    const unsigned others = ~p->tensor[move->tensor].relevant;
    const double room =
            (double)(p->row[row].pes / factors(p, part, row, ~0U)); /* that are left, in all */
    const double group = (double)move->group[row];

    more = fmin(more, room);
    if (group > 0) {
        const double equal = (double)factors(p, part, row, others);
        more = fmin(more, group * ceil(equal / group) / equal);
    }
    return more;
}

/* ---- orders that are alike ---- */

bool cert_is_known_order(const struct cert_problem *p, const struct cert_part *part, int row,
        struct sator_memo *seen)
{
    int64_t key[1 + CERT_MOVES * (CERT_LOOPS + 1) + CERT_LOOPS], values[CERT_LOOPS];
    size_t n = 0;
    bool is_whole = true, is_new; /* nothing but what the key has depends on the order */

    key[n++] = part->n_along[row];
    for (int m = 0; m < p->n_moves; m++) {
        const struct cert_move *v = &p->move[m];
        const struct cert_tensor *t = &p->tensor[v->tensor];
        bool is_known;
        for (int l = 0; l < v->n_hops; l++)
            is_whole &= v->hop[l].shift[row] == 0;
        is_whole &= !v->has_more && !((v->wired | v->passed) >> row & 1);
        if (v->group[row] == 0)
            continue;
        is_whole &= !v->may_count;
        if (cert_is_aligned(p, part, v, row, values)) {
            memcpy(&key[n], values, sizeof *key * (size_t)p->n_loops);
            n += (size_t)p->n_loops;
        } else {
            is_whole &= t->relevant == t->plain;
            key[n++] = -(int64_t)(buses_along(p, part, v, row, &is_known) *
                    (double)factors(p, part, row, t->relevant));
        }
    }
    for (int k = 0; k < part->n_along[row] && !is_whole; k++)
        key[n++] = part->along[row][k];
    sator_memo_place(seen, key, n, &is_new);
    return !is_new;
}
