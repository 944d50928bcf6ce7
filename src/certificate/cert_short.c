/* Last tiles of the innermost memory that are shorter than the others (doc/certificate.md): what a
 * tensor has of them, and what it keeps, are means over two states of each loop.
 */
#include "certificate/cert_leaf.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_LISTED = 1 << 13 /* values of a dimension that may be looked at one by one */
};

/* How much shorter the last tile of a loop is. */
static int64_t missing(const struct cert_leaf *leaf, int loop)
{
    return cert_extent(leaf->p, leaf->part, loop) - leaf->p->extent[loop];
}

/* The progressions whose sums a dimension has where its loops in the set "last" are in their last
 * tile; how many. */
static int runs_of(const struct cert_leaf *leaf, const struct cert_index *d,
        const struct cert_held *held, unsigned last, struct cert_run *run)
{
    for (int k = 0; k < d->n; k++) {
        const int64_t less = last >> k & 1 ? missing(leaf, d->loop[k]) : 0;
        run[k] = (struct cert_run){d->coef[k], held->span[d->loop[k]] - less};
    }
    return d->n;
}

static double values_of(const struct cert_leaf *leaf, const struct cert_index *d,
        const struct cert_held *held, unsigned last)
{
    struct cert_run run[CERT_LOOPS];
    const int n = runs_of(leaf, d, held, last, run);

    return cert_sums(n, run);
}

/* Whether tiles of PEs that share words are next to each other along the loop. */
static bool is_joined(
        const struct cert_leaf *leaf, int move, const struct cert_held *held, int loop)
{
    const struct cert_problem *p = leaf->p;
    const struct cert_move *v = &p->move[move];
    int64_t inside[CERT_LOOPS], span;

    cert_inside(p, leaf->part, v->child_row, inside);
    span = inside[loop];
    for (int r = v->child_row - 1; r >= 0 && span < held->span[loop]; r--) {
        if (!(v->between >> r & 1) || leaf->part->factor[r][loop] == 1)
            continue;
        const int64_t shared = cert_shared(p, leaf->part, v, leaf->is_counted[move], r, loop);
        if (shared > 1 && leaf->stride[r][loop] != span)
            return false;
        span *= shared;
    }
    return true;
}

/* Whether it is known what a dimension has, whatever tiles are the last ones. */
static bool is_whole(const struct cert_leaf *leaf, int move, int e, const struct cert_held *held)
{
    const struct cert_index *d = &leaf->p->tensor[leaf->p->move[move].tensor].dim[e];
    int64_t reach = 0;
    bool whole = true;

    for (int k = 0; k < d->n; k++) {
        whole = whole && d->coef[k] > 0 && is_joined(leaf, move, held, d->loop[k]);
        reach += llabs(d->coef[k]) * (held->span[d->loop[k]] - 1);
    }
    return whole && reach < MOST_LISTED;
}

void cert_shorten(const struct cert_leaf *leaf, int move, int e, struct cert_held *held)
{
    const struct cert_index *d = &leaf->p->tensor[leaf->p->move[move].tensor].dim[e];
    double mean = 0;
    bool is_short = false;

    for (int k = 0; k < d->n; k++)
        is_short |= missing(leaf, d->loop[k]) > 0;
    held->is_whole[e] = is_short && is_whole(leaf, move, e, held);
    for (int k = 0; k < d->n && !held->is_whole[e]; k++)
        held->values[e] *= (double)leaf->p->extent[d->loop[k]] /
                (double)cert_extent(leaf->p, leaf->part, d->loop[k]);
    for (unsigned last = 0; last < 1U << d->n && held->is_whole[e]; last++) {
        double share = 1;
        for (int k = 0; k < d->n; k++) {
            const double one = (double)held->span[d->loop[k]] /
                    (double)cert_extent(leaf->p, leaf->part, d->loop[k]);
            share *= last >> k & 1 ? one : 1 - one;
        }
        mean += share * values_of(leaf, d, held, last);
    }
    held->values[e] = held->is_whole[e] ? mean : held->values[e];
}

/* The tiles of a loop that follow each other while those of rows outside of "row", and of it those
 * that are not "placed", stand still. */
static double tiles_inside(
        const struct cert_leaf *leaf, int move, int row, unsigned placed, int loop)
{
    double tiles = placed >> loop & 1 ? (double)leaf->part->factor[row][loop] : 1;

    for (int r = row + 1; r < leaf->p->move[move].child_row; r++)
        tiles *= leaf->p->row[r].is_space ? 1 : (double)leaf->part->factor[r][loop];
    return tiles;
}

/* Mark the sums of all runs, or take them for lost that are not in "had" when moved by "shift". */
static void mark(int n, const struct cert_run *run, int64_t at, int64_t shift, int64_t reach,
        const unsigned char *had, unsigned char *marks)
{
    int64_t all = 1;

    for (int k = 0; k < n; k++)
        all *= run[k].count;
    for (int64_t i = 0; i < all; i++) {
        int64_t value = 0, rest = i;
        for (int k = 0; k < n; k++) {
            value += run[k].step * (rest % run[k].count);
            rest /= run[k].count;
        }
        const int64_t before = value + shift;
        if (had == NULL || before < 0 || before > reach || !had[before])
            marks[at + value] = 1;
    }
}

/* The same for PEs on a bus: the values that each of them which has them now had before. Their
 * tiles are one next to the other, the last of a loop in its last tile being the short one. */
static double kept_by_all(const struct cert_leaf *leaf, int move, const struct cert_index *d,
        unsigned before, unsigned after, int64_t shift)
{
    const struct cert_held *tile = &leaf->held[move][0], *group = &leaf->held[move][1];
    unsigned char now[MOST_LISTED] = {0}, lost[MOST_LISTED] = {0};
    int64_t places = 1, reach = 0, kept = 0;

    for (int k = 0; k < d->n; k++) {
        places *= group->span[d->loop[k]] / tile->span[d->loop[k]];
        reach += d->coef[k] * (group->span[d->loop[k]] - 1);
    }
    for (int64_t place = 0; place < places; place++) {
        struct cert_run own[CERT_LOOPS], past[CERT_LOOPS];
        unsigned char had[MOST_LISTED];
        int64_t rest = place, at = 0, span = 0;
        for (int k = 0; k < d->n; k++) {
            const int64_t count = tile->span[d->loop[k]], less = missing(leaf, d->loop[k]),
                          pes = group->span[d->loop[k]] / count, pe = rest % pes;
            const bool is_last = pe == pes - 1;
            own[k] = (struct cert_run){d->coef[k], count - (is_last && after >> k & 1 ? less : 0)};
            past[k] =
                    (struct cert_run){d->coef[k], count - (is_last && before >> k & 1 ? less : 0)};
            at += d->coef[k] * count * pe;
            span += d->coef[k] * (count - 1);
            rest /= pes;
        }
        memset(had, 0, (size_t)span + 1);
        mark(d->n, past, 0, 0, span, NULL, had);
        mark(d->n, own, at, 0, span, NULL, now);
        mark(d->n, own, at, shift, span, had, lost);
    }
    for (int64_t v = 0; v <= reach; v++)
        kept += now[v] && !lost[v];
    return (double)kept;
}

double cert_kept_of_short(const struct cert_leaf *leaf, int move, int grouped, int e, int64_t shift,
        int row, int loop, unsigned placed)
{
    const struct cert_index *d = &leaf->p->tensor[leaf->p->move[move].tensor].dim[e];
    const struct cert_held *held = &leaf->held[move][grouped];
    const bool is_bus = held->n_runs[e] > held->n_tile[e] && leaf->p->move[move].n_links == 0;
    double sum = 0;

    for (unsigned last = 0; last < 1U << d->n; last++) {
        unsigned before = last, after = last; /* loops in the last tile */
        double share = 1;
        for (int k = 0; k < d->n; k++) {
            const int i = d->loop[k];
            const double factor = i == loop ? (double)leaf->part->factor[row][i] : 1,
                         inside = tiles_inside(leaf, move, row, placed, i);
            double one = inside * factor * (double)held->span[i] /
                    (double)cert_extent(leaf->p, leaf->part, i);
            one /= i == loop ? factor - 1 : 1; /* its last step alone leads to the last tile */
            share *= last >> k & 1 ? one : 1 - one;
            before &= i == loop ? ~(1U << k) : ~0U;
            after &= inside > 1 ? ~(1U << k) : ~0U;
        }
        struct cert_run own[CERT_LOOPS], next[CERT_LOOPS];
        const int n_own = runs_of(leaf, d, held, before, own),
                  n_next = runs_of(leaf, d, held, after, next);
        if (share > 0)
            sum += share *
                    (is_bus ? kept_by_all(leaf, move, d, before, after, shift)
                            : cert_both(n_own, own, n_next, next, shift));
    }
    return sum;
}
