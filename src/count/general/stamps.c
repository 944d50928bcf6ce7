#include "count/general/stamps.h"

#include "base/arena.h"

#include <assert.h>
#include <isl/aff.h>
#include <isl/mat.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* ---- from isl to systems ---- */

void sator_pieces_clear(struct sator_pieces *pieces)
{
    for (int i = 0; i < pieces->n; i++)
        sator_system_free(pieces->systems[i]);
    free(pieces->systems);
    *pieces = (struct sator_pieces){0};
}

/* The integer "value" (TAKE) into "*cell". NULL is what isl gives when its operations are used up:
 * even a number is one. SATOR_DECLINED when it does not fit. */
static enum sator_status take_value(struct sator_ctx *ctx, isl_val *value, int64_t *cell)
{
    bool fits;

    if (!value)
        return sator_bridge_status(ctx);
    fits = isl_val_is_int(value) == isl_bool_true &&
            isl_val_n_abs_num_chunks(value, sizeof *cell) == 1;
    if (fits) {
        *cell = isl_val_get_num_si(value);
        /* A magnitude of 2^63 and more has one chunk too, and comes back changed. */
        fits = isl_val_cmp_si(value, *cell) == 0 && *cell != INT64_MIN;
    }
    isl_val_free(value);
    return fits ? SATOR_OK : SATOR_DECLINED;
}

/* Append the rows of "matrix" (TAKE): constant, then one column a variable. */
static enum sator_status add_matrix(
        struct sator_ctx *ctx, struct sator_system *system, isl_mat *matrix, int kind)
{
    isl_size n_rows = isl_mat_rows(matrix);
    enum sator_status st = n_rows < 0 ? sator_bridge_status(ctx) : SATOR_OK;

    for (int r = 0; r < n_rows && st == SATOR_OK; r++) {
        int64_t *row = sator_system_add(system, kind);

        for (int c = 0; c <= system->n_vars && st == SATOR_OK; c++)
            st = take_value(ctx, isl_mat_get_element_val(matrix, r, c), &row[ROW_CONSTANT + c]);
    }
    isl_mat_free(matrix);
    return st;
}

/* Append numerator - divisor * d in [0, divisor) for the "div"-th existential variable d; isl may
 * leave out what it knows from the definition. */
static enum sator_status add_div(
        struct sator_ctx *ctx, struct sator_system *system, isl_basic_set *set, int n_dims, int div)
{
    isl_aff *aff = isl_basic_set_get_div(set, div);
    int64_t *low, *high, divisor = 1;
    enum sator_status st = take_value(ctx, isl_aff_get_denominator_val(aff), &divisor);

    if (st != SATOR_OK)
        goto done;
    aff = isl_aff_scale_val(aff, isl_val_int_from_si(isl_aff_get_ctx(aff), divisor));
    sator_system_add(system, KIND_INEQUALITY);
    high = sator_system_add(system, KIND_INEQUALITY);
    low = sator_system_row(system, system->n_rows - 2);
    st = take_value(ctx, isl_aff_get_constant_val(aff), &low[ROW_CONSTANT]);
    for (int v = 0; v < system->n_vars && st == SATOR_OK; v++) {
        isl_val *value = v < n_dims ? isl_aff_get_coefficient_val(aff, isl_dim_in, v)
                                    : isl_aff_get_coefficient_val(aff, isl_dim_div, v - n_dims);

        st = take_value(ctx, value, &low[ROW_COEFFICIENTS + v]);
    }
    if (st != SATOR_OK)
        goto done;
    for (int c = ROW_CONSTANT; c < sator_system_stride(system); c++)
        high[c] = -low[c];
    low[ROW_COEFFICIENTS + n_dims + div] = -divisor;
    high[ROW_COEFFICIENTS + n_dims + div] = divisor;
    if (__builtin_add_overflow(high[ROW_CONSTANT], divisor - 1, &high[ROW_CONSTANT]))
        st = SATOR_DECLINED;
done:
    isl_aff_free(aff);
    return st;
}

struct conversion {
    struct sator_ctx *ctx;
    struct sator_pieces *pieces;
    enum sator_status st;
};

static isl_stat convert_basic(isl_basic_set *set, void *user)
{
    struct conversion *conversion = user;
    struct sator_ctx *ctx = conversion->ctx;
    struct sator_pieces *pieces = conversion->pieces;
    isl_size n_dims = isl_basic_set_dim(set, isl_dim_set);
    isl_size n_divs = isl_basic_set_dim(set, isl_dim_div);
    struct sator_system *system = sator_system_new(n_dims + n_divs, 32);
    enum sator_status st;

    pieces->systems =
            sator_realloc(pieces->systems, sizeof *pieces->systems * (size_t)(pieces->n + 1));
    pieces->systems[pieces->n++] = system;
    SATOR_TRY(add_matrix(ctx, system,
            isl_basic_set_equalities_matrix(
                    set, isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div),
            KIND_EQUALITY));
    SATOR_TRY(add_matrix(ctx, system,
            isl_basic_set_inequalities_matrix(
                    set, isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div),
            KIND_INEQUALITY));
    for (int d = 0; d < n_divs; d++)
        SATOR_TRY(add_div(ctx, system, set, n_dims, d));
done:
    conversion->st = st;
    isl_basic_set_free(set);
    return st == SATOR_OK ? isl_stat_ok : isl_stat_error;
}

enum sator_status sator_stamps_pieces(
        struct sator_stamps *stamps, isl_set *set, struct sator_pieces *pieces)
{
    struct conversion conversion = {stamps->ctx, pieces, SATOR_OK};
    isl_stat stat;

    *pieces = (struct sator_pieces){0};
    set = sator_bridge_compute_divs(set);
    set = sator_bridge_coalesce(set);
    set = isl_set_make_disjoint(set);
    stat = isl_set_foreach_basic_set(set, convert_basic, &conversion);
    isl_set_free(set);
    if (conversion.st == SATOR_OK && stat < 0)
        conversion.st = sator_bridge_status(stamps->ctx);
    if (conversion.st != SATOR_OK)
        sator_pieces_clear(pieces);
    return conversion.st;
}

enum sator_status sator_pieces_count(
        struct sator_stamps *stamps, const struct sator_pieces *pieces, sator_int *count)
{
    enum sator_status st = SATOR_OK;
    sator_int sum = 0;

    for (int i = 0; i < pieces->n; i++) {
        sator_int part;

        SATOR_TRY(sator_points_count(stamps->points, sator_system_copy(pieces->systems[i]), &part));
        if (__builtin_add_overflow(sum, part, &sum))
            SATOR_TRY(SATOR_OVERFLOW);
    }
    *count = sum;
done:
    return st;
}

enum sator_status sator_stamps_count(struct sator_stamps *stamps, isl_set *set, sator_int *count)
{
    struct sator_pieces pieces;
    enum sator_status st;

    SATOR_TRY(sator_stamps_pieces(stamps, set, &pieces));
    st = sator_pieces_count(stamps, &pieces, count);
done:
    sator_pieces_clear(&pieces);
    return st;
}

/* ---- the stamping ---- */

/* The map's leading "n_used" output dimensions (GIVE). */
static isl_map *leading(
        struct sator_stamps *stamps, const struct sator_relation *relation, int n_used)
{
    isl_map *map = sator_bridge_map(stamps->ctx, relation);

    return isl_map_project_out(
            map, isl_dim_out, (unsigned)n_used, (unsigned)(relation->n_out - n_used));
}

static isl_set *array_box(struct sator_stamps *stamps)
{
    isl_set *box = isl_set_universe(
            isl_space_set_alloc(sator_bridge_ctx(stamps->ctx), 0, (unsigned)stamps->n_space));

    for (int d = 0; d < stamps->n_space; d++) {
        isl_val *last =
                isl_val_int_from_si(sator_bridge_ctx(stamps->ctx), stamps->stamping->shape[d] - 1);

        box = isl_set_lower_bound_si(box, isl_dim_set, (unsigned)d, 0);
        box = isl_set_upper_bound_val(box, isl_dim_set, (unsigned)d, last);
    }
    return box;
}

static isl_map *over_domain(const struct sator_stamps *stamps, isl_map *map)
{
    return isl_map_intersect_domain(isl_map_copy(map), isl_set_copy(stamps->domain));
}

static enum sator_status check_bounded(
        struct sator_stamps *stamps, isl_set *set, struct sator_loc loc, const char *what)
{
    isl_bool bounded = isl_set_is_bounded(set);

    if (bounded < 0)
        return sator_bridge_status(stamps->ctx);
    if (bounded == isl_bool_false)
        return sator_error(stamps->ctx, loc, "%s is infinite", what);
    return SATOR_OK;
}

enum sator_status sator_stamps_open(
        struct sator_ctx *ctx, const struct sator_stamping *stamping, struct sator_stamps **result)
{
    struct sator_stamps *stamps = sator_alloc(sizeof *stamps);
    isl_map *any_time = NULL;
    enum sator_status st;

    assert(stamping->n_space <= stamping->space->n_out);
    assert(stamping->n_time <= stamping->time->n_out);
    *stamps = (struct sator_stamps){.ctx = ctx,
            .stamping = stamping,
            .n_space = stamping->n_space,
            .n_time = stamping->n_time,
            .points = sator_points_new(ctx)};
    SATOR_TRY(sator_bridge_begin(ctx));
    stamps->domain = sator_bridge_coalesce(sator_bridge_set(ctx, stamping->domain));
    SATOR_TRY(check_bounded(stamps, stamps->domain, stamping->domain->loc, "the domain"));
    stamps->any_space = leading(stamps, stamping->space, stamps->n_space);
    any_time = leading(stamps, stamping->time, stamps->n_time);
    stamps->any_stamp =
            isl_map_flat_range_product(isl_map_copy(stamps->any_space), isl_map_copy(any_time));
    stamps->space = over_domain(stamps, stamps->any_space);
    stamps->time = over_domain(stamps, any_time);
    stamps->stamp = over_domain(stamps, stamps->any_stamp);
    stamps->box = array_box(stamps);
    if (!stamps->stamp || !stamps->box)
        st = sator_bridge_status(ctx);
done:
    isl_map_free(any_time);
    if (st == SATOR_OK)
        *result = stamps;
    else
        sator_stamps_close(stamps);
    return st;
}

void sator_stamps_close(struct sator_stamps *stamps)
{
    if (!stamps)
        return;
    isl_set_free(stamps->domain);
    isl_map_free(stamps->space);
    isl_map_free(stamps->time);
    isl_map_free(stamps->stamp);
    isl_map_free(stamps->any_space);
    isl_map_free(stamps->any_stamp);
    isl_set_free(stamps->box);
    isl_map_free(stamps->prev);
    for (int k = 0; k < stamps->n_chains; k++)
        sator_pieces_clear(&stamps->chains[k]);
    free(stamps->chains);
    sator_points_free(stamps->points);
    free(stamps);
}

enum sator_status sator_stamps_access(
        struct sator_stamps *stamps, const struct sator_relation *access, isl_map **map)
{
    isl_map *touched = isl_map_intersect_domain(
            sator_bridge_map(stamps->ctx, access), isl_set_copy(stamps->domain));
    isl_set *elements = isl_map_range(isl_map_copy(touched));
    enum sator_status st = check_bounded(stamps, elements, access->loc, "the access");

    isl_set_free(elements);
    if (st == SATOR_OK)
        *map = touched;
    else
        isl_map_free(touched);
    return st;
}

isl_set *sator_stamps_assignment(struct sator_stamps *stamps, isl_map *access)
{
    return isl_map_range(
            isl_map_flat_range_product(isl_map_copy(stamps->any_stamp), isl_map_copy(access)));
}

isl_map *sator_stamps_link(struct sator_stamps *stamps, const struct sator_relation *map)
{
    isl_map *link = sator_bridge_map(stamps->ctx, map);

    assert(map->n_in == stamps->n_space && map->n_out == stamps->n_space);
    link = isl_map_intersect_domain(link, isl_set_copy(stamps->box));
    return isl_map_intersect_range(link, isl_set_copy(stamps->box));
}

/* ---- prev ---- */

/* { [t] -> [t'] : t' < t, equal before dimension "dim" and less at it }. */
static isl_map *less_at(struct sator_stamps *stamps, int dim)
{
    isl_map *less = isl_map_universe(isl_space_alloc(
            sator_bridge_ctx(stamps->ctx), 0, (unsigned)stamps->n_time, (unsigned)stamps->n_time));

    for (int d = 0; d < dim; d++)
        less = isl_map_equate(less, isl_dim_in, d, isl_dim_out, d);
    return isl_map_order_gt(less, isl_dim_in, dim, isl_dim_out, dim);
}

/* "set" (TAKE) as its hull without the holes, where these are fewer pieces: stamps that i != k and
 * a last tile of one value leave out are a corner of a box, and the rest of the box are two pieces,
 * not one for each case of i < k and i > k. */
static isl_set *without_holes(isl_set *set)
{
    isl_set *hull, *holes;

    if (isl_set_n_basic_set(set) <= 2 || isl_set_involves_locals(set) != isl_bool_false)
        return set;
    hull = isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(set)));
    holes = isl_set_coalesce(isl_set_subtract(isl_set_copy(hull), isl_set_copy(set)));
    hull = isl_set_coalesce(isl_set_subtract(hull, holes));
    if (isl_set_n_basic_set(hull) < isl_set_n_basic_set(set)) {
        isl_set_free(set);
        return hull;
    }
    isl_set_free(hull);
    return set;
}

enum sator_status sator_stamps_prev(struct sator_stamps *stamps, isl_map **prev)
{
    isl_set *times, *rest;

    if (stamps->prev) {
        *prev = stamps->prev;
        return SATOR_OK;
    }
    times = without_holes(sator_bridge_coalesce(
            sator_bridge_compute_divs(isl_map_range(isl_map_copy(stamps->time)))));
    rest = isl_set_copy(times);
    stamps->prev = isl_map_empty(isl_space_alloc(
            sator_bridge_ctx(stamps->ctx), 0, (unsigned)stamps->n_time, (unsigned)stamps->n_time));
    /* The innermost dimension that can go down decides; "rest" are the stamps where none so far
     * can. */
    for (int dim = stamps->n_time - 1; dim >= 0; dim--) {
        isl_map *less = less_at(stamps, dim);
        isl_set *none = NULL;

        less = isl_map_intersect_domain(less, isl_set_copy(rest));
        less = isl_map_intersect_range(less, isl_set_copy(times));
        stamps->prev =
                isl_map_union_disjoint(stamps->prev, isl_map_partial_lexmax(less, rest, &none));
        rest = sator_bridge_coalesce(none);
    }
    isl_set_free(rest);
    isl_set_free(times);
    if (!stamps->prev)
        return sator_bridge_status(stamps->ctx);
    *prev = stamps->prev;
    return SATOR_OK;
}

/* { [t, t''] : [t, t'] in "first", [t', t''] in "second" }. */
static struct sator_system *compose(
        const struct sator_system *first, const struct sator_system *second, int n_time)
{
    int n_first = first->n_vars - 2 * n_time, n_second = second->n_vars - 2 * n_time;
    int n_vars = 3 * n_time + n_first + n_second;
    struct sator_system *both = sator_system_new(n_vars, first->n_rows + second->n_rows);
    int *vars = sator_alloc(sizeof *vars * (size_t)(n_vars + 1));

    for (int v = 0; v < first->n_vars; v++)
        vars[v] = v < n_time ? v : v + n_time;
    sator_system_add_rows(both, first, vars);
    for (int v = 0; v < second->n_vars; v++)
        vars[v] = v < n_time ? v + 2 * n_time : v < 2 * n_time ? v : v + n_time + n_first;
    sator_system_add_rows(both, second, vars);
    free(vars);
    return both;
}

static enum sator_status extend_chain(struct sator_stamps *stamps,
        const struct sator_pieces *shorter, struct sator_pieces *longer)
{
    const struct sator_pieces *step = &stamps->chains[0];
    enum sator_status st = SATOR_OK;

    *longer = (struct sator_pieces){0};
    for (int i = 0; i < shorter->n; i++)
        for (int j = 0; j < step->n; j++) {
            struct sator_system *both =
                    compose(shorter->systems[i], step->systems[j], stamps->n_time);
            sator_int count = 0;
            bool empty;

            st = sator_points_count(stamps->points, sator_system_copy(both), &count);
            if (st == SATOR_OK && count > 0)
                st = sator_system_simplify(both, 2 * stamps->n_time, &empty);
            if (st != SATOR_OK || count == 0) {
                sator_system_free(both);
                SATOR_TRY(st);
                continue;
            }
            longer->systems = sator_realloc(
                    longer->systems, sizeof *longer->systems * (size_t)(longer->n + 1));
            longer->systems[longer->n++] = both;
        }
done:
    if (st != SATOR_OK)
        sator_pieces_clear(longer);
    return st;
}

enum sator_status sator_stamps_chain(
        struct sator_stamps *stamps, int interval, const struct sator_pieces **chain)
{
    enum sator_status st = SATOR_OK;

    assert(interval >= 1 && stamps->n_time > 0);
    while (stamps->n_chains < interval) {
        struct sator_pieces next;
        isl_map *prev = NULL;

        if (stamps->n_chains == 0) {
            SATOR_TRY(sator_stamps_prev(stamps, &prev));
            SATOR_TRY(sator_stamps_pieces(
                    stamps, isl_set_flatten(isl_map_wrap(isl_map_copy(prev))), &next));
        } else {
            SATOR_TRY(extend_chain(stamps, &stamps->chains[stamps->n_chains - 1], &next));
        }
        stamps->chains = sator_realloc(
                stamps->chains, sizeof *stamps->chains * (size_t)(stamps->n_chains + 1));
        stamps->chains[stamps->n_chains++] = next;
        if (next.n == 0)
            break; /* no stamp has so many before it, nor has one more */
    }
    *chain = &stamps->chains[stamps->n_chains < interval ? stamps->n_chains - 1 : interval - 1];
done:
    return st;
}
