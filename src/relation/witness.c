#include "relation/witness.h"

#include "relation/bridge.h"

#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>

/* The lexicographically first point of "set" (TAKE), if there is one. */
static enum sator_status first_point(
        struct sator_ctx *ctx, isl_set *set, int n_dims, bool *found, int64_t *point)
{
    isl_bool empty = isl_set_is_empty(set);
    isl_point *first = NULL;
    enum sator_status st = SATOR_OK;

    if (empty == isl_bool_true) {
        *found = false;
        isl_set_free(set);
        sator_bridge_check(ctx);
        return SATOR_OK;
    }
    if (empty == isl_bool_false)
        set = isl_set_lexmin(set);
    first = isl_set_sample_point(set);
    for (int i = 0; i < n_dims && first != NULL; i++) {
        isl_val *value = isl_point_get_coordinate_val(first, isl_dim_set, i);
        if (value == NULL)
            first = isl_point_free(first);
        else
            point[i] = isl_val_get_num_si(value);
        isl_val_free(value);
    }
    if (first == NULL)
        st = sator_bridge_status(ctx);
    else
        *found = true;
    isl_point_free(first);
    sator_bridge_check(ctx);
    return st;
}

enum sator_status sator_witness_unplaced(struct sator_ctx *ctx, const struct sator_relation *domain,
        const struct sator_relation *map, bool *found, int64_t *instance)
{
    enum sator_status st = sator_bridge_begin(ctx);

    if (st != SATOR_OK)
        return st;
    isl_set *all = sator_bridge_set(ctx, domain);
    isl_map *placed = isl_map_intersect_domain(sator_bridge_map(ctx, map), isl_set_copy(all));
    isl_set *rest = isl_set_subtract(all, sator_bridge_compute_divs(isl_map_domain(placed)));
    return first_point(ctx, rest, domain->n_in, found, instance);
}

enum sator_status sator_witness_doubled(struct sator_ctx *ctx, const struct sator_relation *domain,
        const struct sator_relation *map, bool *found, int64_t *instance, int64_t *first,
        int64_t *second)
{
    struct sator_arena *scratch = sator_arena_new();
    int n = domain->n_in, n_out = map->n_out;
    int64_t *point = SATOR_NEW_ARRAY(scratch, int64_t, n + 2 * n_out + 1);
    enum sator_status st;

    SATOR_TRY(sator_bridge_begin(ctx));
    isl_map *once =
            isl_map_intersect_domain(sator_bridge_map(ctx, map), sator_bridge_set(ctx, domain));
    isl_map *twice = isl_map_range_product(isl_map_copy(once), once);
    isl_map *ascending =
            isl_map_lex_lt(isl_space_set_alloc(sator_bridge_ctx(ctx), 0, (unsigned)n_out));
    twice = isl_map_intersect_range(twice, isl_map_wrap(ascending));
    SATOR_TRY(first_point(ctx, isl_set_flatten(isl_map_wrap(twice)), n + 2 * n_out, found, point));
    for (int i = 0; i < n && *found; i++)
        instance[i] = point[i];
    for (int i = 0; i < n_out && *found; i++) {
        first[i] = point[n + i];
        second[i] = point[n + n_out + i];
    }
done:
    sator_arena_free(scratch);
    return st;
}

/* ---- orders ---- */

enum sator_status sator_witness_within(struct sator_ctx *ctx, const struct sator_relation *domain,
        const struct sator_relation *read, const struct sator_relation *write, bool *within)
{
    enum sator_status st = sator_bridge_begin(ctx);

    if (st != SATOR_OK)
        return st;
    isl_map *reads =
            isl_map_intersect_domain(sator_bridge_map(ctx, read), sator_bridge_set(ctx, domain));
    isl_map *writes = sator_bridge_map(ctx, write);
    isl_bool subset = isl_map_is_subset(reads, writes);
    isl_map_free(reads);
    isl_map_free(writes);
    sator_bridge_check(ctx);
    if (subset < 0)
        return sator_bridge_status(ctx);
    *within = subset == isl_bool_true;
    return SATOR_OK;
}

/* Instances with what they touch: { [n, t, f] } of n in the domain, t its time-stamp (no dimensions
 * when "time" is NULL), f an element of the access. */
static isl_set *touching(struct sator_ctx *ctx, const struct sator_order_question *question,
        const struct sator_relation *time, const struct sator_relation *access)
{
    isl_map *map = isl_map_intersect_domain(
            sator_bridge_map(ctx, access), sator_bridge_set(ctx, question->domain));

    if (time != NULL)
        map = isl_map_flat_range_product(sator_bridge_map(ctx, time), map);
    return isl_set_flatten(isl_map_wrap(map));
}

/* What the two instances of a pair may be: { [n, t, f] }, the first and the second. */
struct touching_pair {
    int first_index, half; /* dimensions before f, and all */
    isl_set *side[2];
};

static struct touching_pair both_touching(struct sator_ctx *ctx,
        const struct sator_order_question *question, const struct sator_relation *time)
{
    struct touching_pair pair;
    int write = question->kind == SATOR_ORDER_FLOW ? 0 : 1;

    pair.first_index = question->domain->n_in + (time == NULL ? 0 : time->n_out);
    pair.half = pair.first_index + question->write->n_out;
    pair.side[write] = touching(ctx, question, time, question->write);
    pair.side[1 - write] = touching(ctx, question, time, question->read);
    return pair;
}

static void free_touching(struct touching_pair *pair)
{
    isl_set_free(pair->side[0]);
    isl_set_free(pair->side[1]);
}

/* { [m, t_m, f] -> [n, t_n, f] }: pairs that touch one element, and whose first difference of loops
 * is at "level", where the second is beyond. The conditions are put together first: each step costs
 * for every two pieces of a domain that is no box. */
static isl_map *meeting(struct sator_ctx *ctx, const struct touching_pair *pair, int level)
{
    unsigned half = (unsigned)pair->half;
    isl_map *pairs = isl_map_universe(isl_space_alloc(sator_bridge_ctx(ctx), 0, half, half));

    for (int d = pair->first_index; d < pair->half; d++)
        pairs = isl_map_equate(pairs, isl_dim_in, d, isl_dim_out, d);
    for (int l = 0; l < level; l++)
        pairs = isl_map_equate(pairs, isl_dim_in, l, isl_dim_out, l);
    pairs = isl_map_order_lt(pairs, isl_dim_in, level, isl_dim_out, level);
    pairs = isl_map_intersect_domain(pairs, isl_set_copy(pair->side[0]));
    return isl_map_intersect_range(pairs, isl_set_copy(pair->side[1]));
}

/* Whether "map" (TAKE) is empty, as a status: SATOR_OK and "*empty". */
static enum sator_status ask_empty(struct sator_ctx *ctx, isl_map *map, bool *empty)
{
    isl_bool answer = isl_map_is_empty(map);

    isl_map_free(map);
    sator_bridge_check(ctx);
    if (answer < 0)
        return sator_bridge_status(ctx);
    *empty = answer == isl_bool_true;
    return SATOR_OK;
}

static enum sator_status describe_pair(struct sator_ctx *ctx,
        const struct sator_order_question *question, const struct sator_relation *time,
        isl_map *broken, struct sator_order_pair *pair)
{
    int n = question->domain->n_in, n_time = time->n_out, n_index = question->write->n_out;
    int half = n + n_time + n_index;
    struct sator_arena *scratch = sator_arena_new();
    int64_t *point = SATOR_NEW_ARRAY(scratch, int64_t, 2 * half + 1);
    bool found;
    enum sator_status st =
            first_point(ctx, isl_set_flatten(isl_map_wrap(broken)), 2 * half, &found, point);

    for (int side = 0; side < 2 && st == SATOR_OK; side++) {
        for (int i = 0; i < n; i++)
            pair->instance[side][i] = point[side * half + i];
        for (int i = 0; i < n_time; i++)
            pair->time[side][i] = point[side * half + n + i];
    }
    for (int i = 0; i < n_index && st == SATOR_OK; i++)
        pair->element[i] = point[n + n_time + i];
    sator_arena_free(scratch);
    return st;
}

/* Of "pairs" (TAKE), one that time does not keep in order. What is left to look at becomes less
 * with every dimension of time: pairs whose stamps agree so far. */
static enum sator_status find_disorder(struct sator_ctx *ctx,
        const struct sator_order_question *question, const struct sator_relation *time,
        isl_map *pairs, bool *found, struct sator_order_pair *pair)
{
    bool empty = false;
    enum sator_status st;

    *found = false;
    SATOR_TRY(ask_empty(ctx, isl_map_copy(pairs), &empty));
    for (int d = 0; d < time->n_out && !empty; d++) {
        int at = question->domain->n_in + d;
        isl_map *back = isl_map_order_gt(isl_map_copy(pairs), isl_dim_in, at, isl_dim_out, at);
        st = ask_empty(ctx, isl_map_copy(back), &empty);
        *found = st == SATOR_OK && !empty;
        if (*found)
            st = describe_pair(ctx, question, time, back, pair);
        else
            isl_map_free(back);
        if (st != SATOR_OK || *found)
            goto done;
        pairs = isl_map_equate(pairs, isl_dim_in, at, isl_dim_out, at);
        SATOR_TRY(ask_empty(ctx, isl_map_copy(pairs), &empty));
    }
    if (!empty && question->kind == SATOR_ORDER_FLOW) {
        *found = true;
        st = describe_pair(ctx, question, time, isl_map_copy(pairs), pair);
    }
done:
    isl_map_free(pairs);
    return st;
}

/* Whether "time" keeps all instances in order whose first difference of loops is at "level": its
 * first row with any of the loops from there on is a multiple of this one, and else has loops
 * before it. */
static bool keeps_level(const struct sator_relation *time, int level)
{
    const struct sator_piece *piece = sator_relation_function(time);

    for (int d = 0; piece != NULL && d < time->n_out; d++) {
        const struct sator_expr *row = piece->out[d];
        bool grows = false;

        for (int i = 0; i < row->n_terms; i++) {
            const struct sator_term *term = &row->terms[i];
            bool is_var = term->atom == SATOR_ATOM_VAR;

            if (is_var && term->var == level && term->factor > 0)
                grows = true;
            else if (is_var && term->var >= level)
                return false;
            for (int l = level; !is_var && l < time->n_in; l++)
                if (sator_expr_has_var(term->argument, l))
                    return false;
        }
        if (grows)
            return true;
    }
    return false;
}

enum sator_status sator_witness_disorder(struct sator_ctx *ctx,
        const struct sator_order_question *question, const struct sator_relation *time, bool *found,
        struct sator_order_pair *pair)
{
    enum sator_status st = sator_bridge_begin(ctx);

    if (st != SATOR_OK)
        return st;
    struct touching_pair sides = both_touching(ctx, question, time);
    *found = false;
    for (int level = 0; level < question->domain->n_in && st == SATOR_OK && !*found; level++)
        if (!keeps_level(time, level))
            st = find_disorder(ctx, question, time, meeting(ctx, &sides, level), found, pair);
    free_touching(&sides);
    return st;
}

enum sator_status sator_witness_directions(struct sator_ctx *ctx,
        const struct sator_order_question *question, int level, bool *found, unsigned *positive,
        unsigned *negative)
{
    enum sator_status st = sator_bridge_begin(ctx);
    bool empty = true;

    if (st != SATOR_OK)
        return st;
    struct touching_pair sides = both_touching(ctx, question, NULL);
    isl_map *pairs = meeting(ctx, &sides, level);
    free_touching(&sides);
    *positive = *negative = 0;
    SATOR_TRY(ask_empty(ctx, isl_map_copy(pairs), &empty));
    *found = !empty;
    for (int l = level + 1; l < question->domain->n_in && *found; l++) {
        isl_map *beyond = isl_map_order_lt(isl_map_copy(pairs), isl_dim_in, l, isl_dim_out, l);
        isl_map *before = isl_map_order_gt(isl_map_copy(pairs), isl_dim_in, l, isl_dim_out, l);
        st = ask_empty(ctx, beyond, &empty);
        *positive |= st == SATOR_OK && !empty ? 1U << l : 0;
        if (st == SATOR_OK)
            st = ask_empty(ctx, isl_map_copy(before), &empty);
        isl_map_free(before);
        *negative |= st == SATOR_OK && !empty ? 1U << l : 0;
        if (st != SATOR_OK)
            goto done;
    }
done:
    isl_map_free(pairs);
    return st;
}
