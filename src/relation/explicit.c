/* Hidden variables as floors of the inputs, by isl: a single-valued map is a piecewise function,
 * whose domains and values isl writes with integer divisions alone. */
#include "relation/explicit.h"

#include "relation/bridge.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ilp.h>
#include <isl/val.h>

static const int64_t LARGEST = INT64_C(1) << 40; /* a coefficient; isl makes larger ones up */

bool sator_relation_is_explicit(const struct sator_relation *relation)
{
    for (int p = 0; p < relation->n_pieces; p++) {
        if (relation->pieces[p].n_free > 0 || sator_cond_has_exists(relation->pieces[p].cond))
            return false;
    }
    return true;
}

/* What is being made, and whether all went well so far. */
struct making {
    struct sator_arena *arena;
    const struct sator_piece *from; /* whose names and place the new pieces have */
    int n_in, n_out;
    bool failed;
    int n_pieces;
    struct sator_piece *pieces;
    const struct sator_expr *const *out; /* of the pieces that are being made */
    const struct sator_cond *cond; /* of the basic set that is being read */
};

/* value * scale as an integer (TAKE value). */
static int64_t integer_of(struct making *made, isl_val *value, int64_t scale)
{
    int64_t number = 0;

    value = isl_val_mul_ui(value, (unsigned long)scale);
    if (value == NULL || !isl_val_is_int(value) || isl_val_cmp_si(value, LARGEST) > 0 ||
            isl_val_cmp_si(value, -LARGEST) < 0)
        made->failed = true;
    else
        number = isl_val_get_num_si(value);
    isl_val_free(value);
    return number;
}

static const struct sator_expr *expr_of(struct making *made, isl_aff *aff);

/* sum += factor * term; the sum stays where that does not fit. */
static const struct sator_expr *plus(struct making *made, const struct sator_expr *sum,
        int64_t factor, const struct sator_expr *term)
{
    const struct sator_expr *next =
            factor == 0 ? sum : sator_expr_add(made->arena, sum, factor, term);

    made->failed = made->failed || next == NULL;
    return next == NULL ? sum : next;
}

/* floor("aff") (TAKE), which is "aff" where that is whole. */
static const struct sator_expr *expr_of(struct making *made, isl_aff *aff)
{
    int64_t whole = integer_of(made, isl_aff_get_denominator_val(aff), 1);
    const struct sator_expr *sum = sator_expr_constant(
            made->arena, integer_of(made, isl_aff_get_constant_val(aff), whole));
    int n_divs = (int)isl_aff_dim(aff, isl_dim_div);

    for (int i = 0; i < made->n_in && !made->failed; i++)
        sum = plus(made, sum,
                integer_of(made, isl_aff_get_coefficient_val(aff, isl_dim_in, i), whole),
                sator_expr_var(made->arena, i));
    for (int d = 0; d < n_divs && !made->failed; d++) {
        int64_t factor = integer_of(made, isl_aff_get_coefficient_val(aff, isl_dim_div, d), whole);
        if (factor != 0)
            sum = plus(made, sum, factor, expr_of(made, isl_aff_get_div(aff, d)));
    }
    isl_aff_free(aff);
    return whole > 1 && !made->failed ? sator_expr_floor(made->arena, sum, whole) : sum;
}

static isl_stat add_constraint(isl_constraint *constraint, void *user)
{
    struct making *made = user;
    bool is_equal = isl_constraint_is_equality(constraint) == isl_bool_true;
    const struct sator_expr *expr = expr_of(made, isl_constraint_get_aff(constraint));
    const struct sator_cond *kids[2] = {made->cond,
            sator_cond_compare(
                    made->arena, is_equal ? SATOR_COND_EQUAL : SATOR_COND_AT_LEAST, expr)};

    made->cond = made->cond == NULL ? kids[1] : sator_cond_and(made->arena, 2, kids);
    isl_constraint_free(constraint);
    return made->failed ? isl_stat_error : isl_stat_ok;
}

static isl_stat add_basic(isl_basic_set *domain, void *user)
{
    struct making *made = user;

    made->cond = NULL;
    isl_stat status = isl_basic_set_foreach_constraint(domain, add_constraint, made);
    isl_basic_set_free(domain);
    struct sator_piece piece = {.names = made->from->names,
            .out = made->out,
            .cond = made->cond == NULL ? sator_cond_and(made->arena, 0, NULL) : made->cond,
            .loc = made->from->loc};
    SATOR_PUSH(made->arena, made->pieces, made->n_pieces, piece);
    return status;
}

/* The parts of a domain, on each of which the outputs are "values" (NULL: a set's). */
static isl_stat add_function(isl_set *domain, isl_multi_aff *values, void *user)
{
    struct making *made = user;
    const struct sator_expr **out =
            SATOR_NEW_ARRAY(made->arena, const struct sator_expr *, made->n_out + 1);

    for (int i = 0; i < made->n_out && !made->failed; i++)
        out[i] = expr_of(made, isl_multi_aff_get_aff(values, i));
    made->out = out;
    isl_multi_aff_free(values);
    domain = isl_set_make_disjoint(sator_bridge_compute_divs(isl_set_make_disjoint(domain)));
    isl_stat status = isl_set_foreach_basic_set(domain, add_basic, made);
    isl_set_free(domain);
    return status;
}

static enum sator_status add_piece(
        struct sator_ctx *ctx, struct making *made, const struct sator_relation *one)
{
    enum sator_status st = sator_bridge_begin(ctx);

    if (st != SATOR_OK)
        return st;
    made->from = &one->pieces[0];
    if (one->is_set)
        return add_function(sator_bridge_set(ctx, one), NULL, made) == isl_stat_ok ? SATOR_OK
                                                                                   : SATOR_DECLINED;
    isl_map *map = isl_map_detect_equalities(sator_bridge_map(ctx, one));
    if (isl_map_is_single_valued(map) != isl_bool_true) {
        isl_map_free(map);
        return SATOR_DECLINED;
    }
    isl_pw_multi_aff *function = isl_pw_multi_aff_from_map(map);
    isl_stat status = isl_pw_multi_aff_foreach_piece(function, add_function, made);
    isl_pw_multi_aff_free(function);
    return status == isl_stat_ok && !made->failed ? SATOR_OK : SATOR_DECLINED;
}

enum sator_status sator_relation_explicit(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_relation *relation, const struct sator_relation **result)
{
    struct making made = {.arena = arena, .n_in = relation->n_in, .n_out = relation->n_out};
    enum sator_status st = SATOR_OK;

    *result = relation;
    if (sator_relation_is_explicit(relation))
        return SATOR_OK;
    for (int p = 0; p < relation->n_pieces && st == SATOR_OK; p++) {
        struct sator_relation one = *relation;
        one.n_pieces = 1;
        one.pieces = &relation->pieces[p];
        if (sator_relation_is_explicit(&one))
            SATOR_PUSH(arena, made.pieces, made.n_pieces, relation->pieces[p]);
        else
            st = add_piece(ctx, &made, &one);
    }
    if (st != SATOR_OK)
        return st;
    struct sator_relation *copy = sator_arena_copy(arena, relation, sizeof *relation);
    copy->n_pieces = made.n_pieces;
    copy->pieces = made.pieces;
    *result = copy;
    return SATOR_OK;
}
