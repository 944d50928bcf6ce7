#include "relation/bridge.h"

#include "base/arena.h"

#include <assert.h>
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/options.h>
#include <isl/space.h>
#include <isl/val.h>

/* What one isl operation (an allocation and the work that follows it) costs, in ticks: from half a
 * microsecond to forty when its tableaux are large. */
static const uint64_t TICKS_AN_OPERATION = 2000;

static void free_isl(void *state)
{
#ifdef SATOR_SANITIZE
    /* An object that was not freed, which isl would only mention. */
    isl_options_set_on_error(state, ISL_ON_ERROR_ABORT);
#endif
    isl_ctx_free(state);
}

static void abort_isl(void *state)
{
    isl_ctx_abort(state);
}

isl_ctx *sator_bridge_ctx(struct sator_ctx *ctx)
{
    if (!ctx->relation_state) {
        sator_bridge_replace_memory();
        isl_ctx *isl = isl_ctx_alloc();

        if (isl == NULL)
            sator_out_of_memory();
        isl_options_set_on_error(isl, ISL_ON_ERROR_CONTINUE);
        ctx->free_relation_state = free_isl;
        ctx->relation_state = isl;
        atomic_store(&ctx->cancel_relation_state, abort_isl);
    }
    return ctx->relation_state;
}

void sator_bridge_check(struct sator_ctx *ctx)
{
    if (ctx->relation_state != NULL && isl_ctx_last_error(ctx->relation_state) == isl_error_alloc)
        sator_out_of_memory();
}

enum sator_status sator_bridge_begin(struct sator_ctx *ctx)
{
    isl_ctx *isl = sator_bridge_ctx(ctx);
    uint64_t left = ctx->work_limit > ctx->work_done ? ctx->work_limit - ctx->work_done : 0;

    sator_bridge_check(ctx);
    isl_ctx_resume(isl);
    isl_ctx_reset_error(isl);
    isl_ctx_reset_operations(isl);
    isl_ctx_set_max_operations(isl, (unsigned long)(left / TICKS_AN_OPERATION + 1));
    /* After the resume, so that a cancel that came before it is not lost. */
    return sator_work(ctx, 0);
}

enum sator_status sator_bridge_status(struct sator_ctx *ctx)
{
    static const struct sator_loc nowhere;
    isl_ctx *isl = sator_bridge_ctx(ctx);
    const char *text;

    sator_bridge_check(ctx);
    if (atomic_load(&ctx->cancelled))
        return SATOR_INTERRUPTED;
    switch (isl_ctx_last_error(isl)) {
    case isl_error_abort:
        return SATOR_INTERRUPTED;
    case isl_error_quota:
        return SATOR_LIMIT;
    default:
        break;
    }
    text = isl_ctx_last_error_msg(isl);
    return sator_error(
            ctx, nowhere, "the relations cannot be combined: %s", text ? text : "isl failed");
}

/* ---- expressions ---- */

/* "expr" over the variables of "space" as an isl_aff (GIVE). "space" is KEEP. */
static isl_aff *convert_expr(isl_local_space *space, const struct sator_expr *expr)
{
    isl_ctx *isl = isl_local_space_get_ctx(space);
    isl_aff *sum = isl_aff_val_on_domain(
            isl_local_space_copy(space), isl_val_int_from_si(isl, expr->constant));

    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        isl_aff *atom;

        if (term->atom == SATOR_ATOM_VAR) {
            atom = isl_aff_var_on_domain(
                    isl_local_space_copy(space), isl_dim_set, (unsigned)term->var);
        } else {
            isl_val *divisor = isl_val_int_from_si(isl, term->divisor);

            atom = convert_expr(space, term->argument);
            if (term->atom == SATOR_ATOM_FLOOR)
                atom = isl_aff_floor(isl_aff_scale_down_val(atom, divisor));
            else
                atom = isl_aff_mod_val(atom, divisor);
        }
        atom = isl_aff_scale_val(atom, isl_val_int_from_si(isl, term->factor));
        sum = isl_aff_add(sum, atom);
    }
    return sum;
}

/* ---- conditions ---- */

static isl_set *convert_cond(isl_local_space *space, const struct sator_cond *cond);

/* All kids of "cond" joined by "and" or "or". */
static isl_set *join_kids(isl_local_space *space, const struct sator_cond *cond)
{
    isl_space *plain = isl_local_space_get_space(space);
    bool all = cond->op == SATOR_COND_AND;
    isl_set *joined = all ? isl_set_universe(plain) : isl_set_empty(plain);

    for (int i = 0; i < cond->n_kids; i++) {
        isl_set *kid = convert_cond(space, cond->kids[i]);

        joined = all ? isl_set_intersect(joined, kid) : isl_set_union(joined, kid);
    }
    return joined;
}

/* The points of "set" with any value at the variables that "cond" binds: projected out and put back
 * unconstrained, so that every condition of a piece lives in one space. */
static isl_set *bind_vars(isl_set *set, const struct sator_cond *cond)
{
    set = isl_set_project_out(set, isl_dim_set, (unsigned)cond->first_var, (unsigned)cond->n_vars);
    set = isl_set_insert_dims(set, isl_dim_set, (unsigned)cond->first_var, (unsigned)cond->n_vars);
    return set;
}

static isl_set *convert_cond(isl_local_space *space, const struct sator_cond *cond)
{
    switch (cond->op) {
    case SATOR_COND_TRUE:
        return isl_set_universe(isl_local_space_get_space(space));
    case SATOR_COND_EQUAL:
        return isl_set_from_basic_set(isl_aff_zero_basic_set(convert_expr(space, cond->expr)));
    case SATOR_COND_NOT_EQUAL:
        return isl_set_complement(
                isl_set_from_basic_set(isl_aff_zero_basic_set(convert_expr(space, cond->expr))));
    case SATOR_COND_AT_LEAST:
        return isl_set_from_basic_set(isl_basic_set_from_constraint(
                isl_inequality_from_aff(convert_expr(space, cond->expr))));
    case SATOR_COND_AND:
    case SATOR_COND_OR:
        return join_kids(space, cond);
    case SATOR_COND_NOT:
        return isl_set_complement(convert_cond(space, cond->kids[0]));
    case SATOR_COND_EXISTS:
        return bind_vars(convert_cond(space, cond->kids[0]), cond);
    }
    return NULL;
}

/* ---- pieces ---- */

/* The space of a piece's variables, input tuple first. */
static isl_local_space *scope(struct sator_ctx *ctx, int n_in, const struct sator_piece *piece)
{
    isl_space *space =
            isl_space_set_alloc(sator_bridge_ctx(ctx), 0, (unsigned)(n_in + piece->n_free));

    return isl_local_space_from_space(space);
}

static isl_set *convert_set_piece(
        struct sator_ctx *ctx, const struct sator_relation *set, const struct sator_piece *piece)
{
    isl_local_space *space = scope(ctx, set->n_in, piece);
    isl_set *points = convert_cond(space, piece->cond);

    isl_local_space_free(space);
    return isl_set_project_out(points, isl_dim_set, (unsigned)set->n_in, (unsigned)piece->n_free);
}

/* { [vars] -> [out] : cond } with the free variables projected out afterwards. */
static isl_map *convert_map_piece(struct sator_ctx *ctx, const struct sator_relation *relation,
        const struct sator_piece *piece)
{
    isl_local_space *space = scope(ctx, relation->n_in, piece);
    isl_aff_list *list = isl_aff_list_alloc(sator_bridge_ctx(ctx), relation->n_out);
    isl_space *domain = isl_local_space_get_space(space);
    isl_space *whole = isl_space_add_dims(
            isl_space_from_domain(domain), isl_dim_out, (unsigned)relation->n_out);
    isl_map *map;

    for (int i = 0; i < relation->n_out; i++)
        list = isl_aff_list_add(list, convert_expr(space, piece->out[i]));
    map = isl_map_from_multi_aff(isl_multi_aff_from_aff_list(whole, list));
    map = isl_map_intersect_domain(map, convert_cond(space, piece->cond));
    isl_local_space_free(space);
    return isl_map_project_out(map, isl_dim_in, (unsigned)relation->n_in, (unsigned)piece->n_free);
}

isl_set *sator_bridge_set(struct sator_ctx *ctx, const struct sator_relation *set)
{
    isl_set *all =
            isl_set_empty(isl_space_set_alloc(sator_bridge_ctx(ctx), 0, (unsigned)set->n_in));

    assert(set->is_set);
    for (int i = 0; i < set->n_pieces; i++)
        all = isl_set_union(all, convert_set_piece(ctx, set, &set->pieces[i]));
    return all;
}

isl_map *sator_bridge_map(struct sator_ctx *ctx, const struct sator_relation *relation)
{
    isl_map *all = isl_map_empty(isl_space_alloc(
            sator_bridge_ctx(ctx), 0, (unsigned)relation->n_in, (unsigned)relation->n_out));

    assert(!relation->is_set);
    for (int i = 0; i < relation->n_pieces; i++)
        all = isl_map_union(all, convert_map_piece(ctx, relation, &relation->pieces[i]));
    return all;
}

struct parted {
    isl_set *plain, *others;
};

static isl_stat part_basic(isl_basic_set *piece, void *user)
{
    struct parted *parted = user;
    isl_size n_divs = isl_basic_set_dim(piece, isl_dim_div);
    isl_set **part = n_divs == 0 ? &parted->plain : &parted->others;

    *part = isl_set_union(*part, isl_set_from_basic_set(piece));
    return n_divs < 0 ? isl_stat_error : isl_stat_ok;
}

isl_set *sator_bridge_coalesce(isl_set *set)
{
    struct parted parted = {
            isl_set_empty(isl_set_get_space(set)), isl_set_empty(isl_set_get_space(set))};
    isl_stat stat = isl_set_foreach_basic_set(set, part_basic, &parted);

    isl_set_free(set);
    set = isl_set_union(isl_set_coalesce(parted.plain), parted.others);
    return stat < 0 ? isl_set_free(set) : set;
}

/* Only for a set of one piece: in the pieces of a union explicit equalities made counting take
 * seconds (Jacobi). */
isl_set *sator_bridge_compute_divs(isl_set *set)
{
    if (isl_set_n_basic_set(set) == 1)
        set = isl_set_detect_equalities(set);
    return isl_set_compute_divs(set);
}
