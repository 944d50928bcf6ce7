/* Symmetric loops: a convolution's rows and columns, say.
 *
 * A permutation of the loops that takes every access to itself, between loops of equal extents,
 * takes a mapping to one of equal cost. Of two mappings that are each other's images one is enough.
 */
#include "mapper/problem/skew.h"
#include "mapper/strategies/optimal.h"

static bool has_part(const struct mapper_index *index, int loop, int64_t coef)
{
    for (int i = 0; i < index->n_parts; i++) {
        if (index->loop[i] == loop && index->coef[i] == coef)
            return true;
    }
    return false;
}

/* Whether the image of every index of the access is an index of it. */
static bool keeps_access(const struct mapper_access *access, const struct symmetry *s)
{
    for (int e = 0; e < access->n_indices; e++) {
        const struct mapper_index *index = &access->index[e];
        if (index->n_parts == 0)
            continue;
        int image = s->image[index->loop[0]];
        if (!(access->relevant >> image & 1))
            return false;
        const struct mapper_index *other = &access->index[access->index_of[image]];
        if (other->n_parts != index->n_parts || (other != index && other->joint != index->joint))
            return false; /* joint ones are images of themselves at most */
        for (int i = 0; i < index->n_parts; i++) {
            if (!has_part(other, s->image[index->loop[i]], index->coef[i]))
                return false;
        }
    }
    return true;
}

static void add_if_symmetric(struct optimal_plan *plan, const struct symmetry *s)
{
    for (int a = 0; a < plan->problem->n_accesses; a++) {
        if (!keeps_access(&plan->problem->access[a], s))
            return;
    }
    if (plan->n_symmetries < MOST_SYMMETRIES)
        plan->symmetry[plan->n_symmetries++] = *s;
}

static void swap(struct symmetry *s, int i, int j)
{
    int8_t image = s->image[i];

    s->image[i] = s->image[j];
    s->image[j] = image;
}

/* Add exchanges of a second pair of loops, beside the pair (i, j) that "s" exchanges. */
static void add_second_pairs(struct optimal_plan *plan, struct symmetry *s, int i, int j)
{
    const struct mapper_problem *p = plan->problem;

    for (int k = i + 1; k < p->n_loops; k++) {
        for (int l = k + 1; l < p->n_loops; l++) {
            if (k == j || l == j || p->extent[k] != p->extent[l])
                continue;
            swap(s, k, l);
            add_if_symmetric(plan, s);
            swap(s, k, l);
        }
    }
}

/* Pairs of loops that may be exchanged, alone or two pairs at once. */
void optimal_find_symmetries(struct optimal_plan *plan)
{
    const struct mapper_problem *p = plan->problem;
    struct symmetry s;

    if (p->has_fixed || p->has_orders || (p->has_counted && !sator_mapper_counts_skew(p)) ||
            p->n_spread_limits > 0)
        return;
    for (int r = 0; r < p->n_rows; r++) {
        if (p->row[r].banned != 0)
            return;
    }
    for (int i = 0; i < p->n_loops; i++)
        s.image[i] = (int8_t)i;
    for (int i = 0; i < p->n_loops; i++) {
        for (int j = i + 1; j < p->n_loops; j++) {
            if (p->extent[i] != p->extent[j])
                continue;
            swap(&s, i, j);
            add_if_symmetric(plan, &s);
            add_second_pairs(plan, &s, i, j);
            swap(&s, i, j);
        }
    }
}

/* The factors against those of the image: below 0 when the image is the greater. */
static int against_image(const struct symmetry *s, int n_loops, const int64_t *factor)
{
    for (int i = 0; i < n_loops; i++) {
        int64_t other = factor[s->image[i]];
        if (factor[i] != other)
            return factor[i] < other ? -1 : 1;
    }
    return 0;
}

bool optimal_is_image(const struct optimizer *o, const int64_t *last)
{
    for (int k = 0; k < o->plan->n_symmetries; k++) {
        int order = 0;
        if (!(o->at.with_image >> k & 1))
            continue;
        for (int i = 0; i < o->at.n_unrolled && order == 0; i++)
            order = against_image(&o->plan->symmetry[k], o->problem->n_loops, o->at.unrolled[i]);
        if (order == 0 && last != NULL)
            order = against_image(&o->plan->symmetry[k], o->problem->n_loops, last);
        if (order < 0)
            return true;
    }
    return false;
}
