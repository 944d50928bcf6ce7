/* The indices of a tensor as numbers of digits, and the parts of a nest that they join.
 *
 * Dimensions that share a loop, and those in which an instance touches several places, are one
 * index whose values are vectors, numbered so that vectors that differ have numbers that do.
 */
#include "base/arena.h"
#include "count/tiled/nest.h"
#include "count/tiled/tiling.h"

#include <string.h>

enum {
    MOST_DIMS = 16
};

struct tiled_access {
    int n_fixed, fixed[MOST_DIMS]; /* rows that are 0 where there is an access */
    int n_dims, n_places;
    struct index {
        int row; /* of the sum */
        int64_t divisor;
        bool varies; /* from place to place */
        int64_t place[TILED_PLACES]; /* constants of the sum */
    } dim[MOST_DIMS];
};

static const struct sator_decline no_sum = {"an index is no sum of digits over a divisor"};

/* The sum of which "expr" is floor(sum / *divisor): a quotient of a sum, plus what is whole. */
static const struct sator_decline *find_sum(const struct tiled_nest *nest,
        const struct sator_expr *expr, const struct sator_expr **sum, int64_t *divisor)
{
    const struct sator_term *quotient = NULL;

    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        if (tiled_nest_reads(nest, term))
            continue;
        if (quotient != NULL || term->atom != SATOR_ATOM_FLOOR || term->factor != 1)
            return &no_sum;
        quotient = term;
    }
    *sum = expr;
    *divisor = 1;
    if (quotient == NULL)
        return NULL;
    struct sator_expr *whole = SATOR_NEW(nest->arena, struct sator_expr);
    struct sator_term *terms = SATOR_NEW_ARRAY(nest->arena, struct sator_term, expr->n_terms);
    whole->constant = expr->constant;
    for (int i = 0; i < expr->n_terms; i++) {
        if (&expr->terms[i] != quotient)
            terms[whole->n_terms++] = expr->terms[i];
    }
    whole->terms = terms;
    *divisor = quotient->divisor;
    *sum = sator_expr_add(nest->arena, quotient->argument, *divisor, whole);
    return *sum == NULL ? DECLINE("an index reaches beyond 64 bits") : NULL;
}

/* Whether "a" and "b" differ by a constant at most: b - a. */
static bool differ_by_constant(struct sator_arena *arena, const struct sator_expr *a,
        const struct sator_expr *b, int64_t *difference)
{
    const struct sator_expr *rest = sator_expr_add(arena, b, -1, a);

    if (rest == NULL || !sator_expr_is_constant(rest))
        return false;
    *difference = rest->constant;
    return true;
}

static const struct sator_decline *add_dim(
        struct tiled_nest *nest, const struct sator_relation *access, int i, struct index *dim)
{
    const struct sator_expr *first;
    const struct sator_decline *why =
            find_sum(nest, access->pieces[0].out[i], &first, &dim->divisor);

    if (why == NULL)
        why = tiled_nest_add(nest, first, &dim->row);
    for (int p = 0; p < access->n_pieces && why == NULL; p++) {
        const struct sator_expr *sum;
        int64_t divisor, difference;
        why = find_sum(nest, access->pieces[p].out[i], &sum, &divisor);
        if (why == NULL &&
                (divisor != dim->divisor ||
                        !differ_by_constant(nest->arena, first, sum, &difference)))
            why = DECLINE("a tensor is accessed through different maps");
        if (why == NULL &&
                __builtin_add_overflow(nest->row[dim->row]->constant, difference, &dim->place[p]))
            why = DECLINE("an index reaches beyond 64 bits");
        dim->varies |= why == NULL && difference != 0;
    }
    return why;
}

/* Whether two conditions are written alike, sums that are 0 and all of some of these. */
static bool is_same(const struct sator_cond *a, const struct sator_cond *b)
{
    if (a->op != b->op || a->n_kids != b->n_kids)
        return false;
    for (int i = 0; i < a->n_kids; i++) {
        if (!is_same(a->kids[i], b->kids[i]))
            return false;
    }
    return a->op == SATOR_COND_TRUE || a->op == SATOR_COND_AND ||
            (a->op == SATOR_COND_EQUAL && sator_expr_equal(a->expr, b->expr));
}

/* Add the rows that a condition wants to be 0: what runs at one PE. */
static const struct sator_decline *add_fixed(
        struct tiled_nest *nest, const struct sator_cond *cond, struct tiled_access *made)
{
    const struct sator_decline *why = NULL;

    if (cond->op == SATOR_COND_EQUAL) {
        if (made->n_fixed == MOST_DIMS)
            return DECLINE("an access is restricted by too many conditions");
        return tiled_nest_add(nest, cond->expr, &made->fixed[made->n_fixed++]);
    }
    for (int i = 0; i < cond->n_kids && why == NULL; i++)
        why = add_fixed(nest, cond->kids[i], made);
    return why;
}

const struct sator_decline *tiled_access_add(
        struct tiled_nest *nest, const struct sator_relation *access, struct tiled_access **added)
{
    struct tiled_access *made = SATOR_NEW(nest->arena, struct tiled_access);
    const struct sator_decline *why = NULL;

    *added = made;
    if (access->n_pieces == 0 || access->n_pieces > TILED_PLACES || access->n_out > MOST_DIMS)
        return DECLINE("a tensor is accessed too often, or has too many dimensions");
    if (access->n_in != nest->n_loops)
        return DECLINE("an access has another domain");
    for (int p = 0; p < access->n_pieces; p++) {
        if (access->pieces[p].n_free > 0 ||
                !is_same(access->pieces[p].cond, access->pieces[0].cond))
            return DECLINE("an access is restricted by conditions");
    }
    why = add_fixed(nest, access->pieces[0].cond, made);
    made->n_dims = access->n_out;
    made->n_places = access->n_pieces;
    for (int i = 0; i < access->n_out && why == NULL; i++)
        why = add_dim(nest, access, i, &made->dim[i]);
    return why;
}

/* ---- parts ---- */

static unsigned loops_of(const struct tiled_nest *nest, int row)
{
    unsigned loops = 0;

    for (int i = 0; i < nest->row[row]->n_terms; i++)
        loops |= 1U << nest->row[row]->term[i].loop;
    return loops;
}

/* Keep one of each, in front; their number. */
static int count_distinct(int64_t *value, int n)
{
    int distinct = 0;

    for (int p = 0; p < n; p++) {
        int q = 0;
        while (q < distinct && value[q] != value[p])
            q++;
        value[q] = value[p];
        distinct += q == distinct;
    }
    return distinct;
}

/* Number the vectors of dimensions "dims" in mixed radix: a coordinate of a difference of two is
 * less than half its radix. */
static const struct sator_decline *number_vectors(struct tiled_nest *nest,
        const struct tiled_access *access, unsigned dims, struct tiled_part *part)
{
    int64_t *places = SATOR_NEW_ARRAY(nest->arena, int64_t, part->n_places);
    sator_int scale = 1;
    const sator_int most = (sator_int)1 << 58;

    for (int i = 0; i < access->n_dims; i++) {
        const struct index *dim = &access->dim[i];
        int64_t step[TILED_DIGITS] = {0}, least = dim->place[0], greatest = dim->place[0];
        if (!(dims >> i & 1))
            continue;
        const struct sator_decline *why = tiled_nest_weigh(nest, dim->row, step);
        if (why != NULL)
            return why;
        for (int p = 0; p < access->n_places; p++) {
            least = dim->place[p] < least ? dim->place[p] : least;
            greatest = dim->place[p] > greatest ? dim->place[p] : greatest;
        }
        sator_int reach = (sator_int)greatest - least;
        for (int d = 0; d < nest->n_digits; d++)
            reach += (sator_int)(step[d] < 0 ? -(sator_int)step[d] : step[d]) *
                    (nest->digit[d].size - 1);
        if (reach > most || (2 * reach + 1) * scale > most)
            return DECLINE("indices that share loops take too many values");
        for (int d = 0; d < nest->n_digits; d++)
            nest->step[d] += step[d] * (int64_t)scale;
        for (int p = 0; p < access->n_places; p++) {
            sator_int place = (dim->divisor > 1 ? dim->place[p] : dim->place[p] - least) * scale;
            if (place > most || place < -most)
                return DECLINE("an index reaches too far");
            places[p] += (int64_t)place;
        }
        scale *= 2 * reach + 1;
        part->divisor = dim->divisor;
    }
    part->place = places;
    part->n_places = count_distinct(places, part->n_places);
    return NULL;
}

static const struct sator_decline *add_part(
        struct tiled_nest *nest, const struct tiled_access *access, unsigned dims, unsigned loops)
{
    if (nest->n_parts == TILED_LOOPS)
        return DECLINE("the tensor has too many dimensions");
    struct tiled_part *part = &nest->part[nest->n_parts++];
    *part = (struct tiled_part){.divisor = 1, .n_places = access == NULL ? 1 : access->n_places};
    if (__builtin_popcount(loops) > TILED_PART_LOOPS)
        return DECLINE("an index adds too many loops");
    for (unsigned rest = loops; rest != 0; rest &= rest - 1)
        part->loop[part->n_loops++] = __builtin_ctz(rest);
    if (dims == 0)
        return NULL;
    part->is_indexed = true;
    for (int i = 0; i < access->n_dims; i++) {
        if ((dims >> i & 1) && access->dim[i].divisor > 1 && (dims & (dims - 1)) != 0)
            return DECLINE("quotients share loops with other indices");
    }
    const struct sator_decline *why = number_vectors(nest, access, dims, part);
    part->is_named = why == NULL && part->divisor == 1 && part->n_places == 1 &&
            tiled_nest_is_named(nest, loops, nest->step);
    return why;
}

void sator_tiling_join_dims(int i, unsigned *dims, unsigned *loops, bool *vary)
{
    for (int e = 0; e < i; e++) {
        if (dims[e] == 0 || ((loops[e] & loops[i]) == 0 && !(vary[e] && vary[i])))
            continue;
        dims[i] |= dims[e];
        loops[i] |= loops[e];
        vary[i] |= vary[e];
        dims[e] = 0;
        e = -1; /* what is joined now may share with those looked at before */
    }
}

const struct sator_decline *tiled_access_finish(
        struct tiled_nest *nest, const struct tiled_access *added)
{
    unsigned dims[MOST_DIMS], loops[MOST_DIMS], indexed = 0;
    bool vary[MOST_DIMS];
    const struct sator_decline *why = NULL;
    int n_dims = added == NULL ? 0 : added->n_dims;

    memset(nest->step, 0, sizeof nest->step);
    nest->n_parts = 0;
    for (int i = 0; i < (added == NULL ? 0 : added->n_fixed) && why == NULL; i++)
        why = tiled_nest_fix(nest, added->fixed[i]);
    for (int i = 0; i < n_dims; i++) {
        dims[i] = 1U << i;
        loops[i] = loops_of(nest, added->dim[i].row);
        vary[i] = added->dim[i].varies;
        indexed |= loops[i];
        sator_tiling_join_dims(i, dims, loops, vary);
    }
    for (int i = 0; i < n_dims && why == NULL; i++) {
        if (dims[i] == 0 || (loops[i] == 0 && !vary[i]))
            continue;
        why = add_part(nest, added, dims[i], loops[i]);
    }
    for (int l = 0; l < nest->n_loops && why == NULL; l++) {
        if (!(indexed >> l & 1))
            why = add_part(nest, NULL, 0, 1U << l);
    }
    return why;
}
