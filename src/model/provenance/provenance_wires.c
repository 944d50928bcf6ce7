/* Links and buses PE by PE, and a table of words. */
#include "model/provenance/provenance_parts.h"

#include "base/context.h"
#include "base/memo.h"
#include "relation/bridge.h"
#include "relation/explicit.h"

#include <isl/point.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* ---- pairs ---- */

/* What a map joins: the PE's number and the output tuple. */
struct joined {
    struct provenance *p;
    int n_out;
    int64_t n, room;
    int64_t *rows; /* 1 + n_out numbers each */
};

static int64_t *add_row(struct joined *joined)
{
    size_t length = 1 + (size_t)joined->n_out;

    if (joined->n == joined->room) {
        joined->room = joined->room == 0 ? 256 : 2 * joined->room;
        joined->rows =
                sator_realloc(joined->rows, sizeof *joined->rows * (size_t)joined->room * length);
    }
    return joined->rows + (size_t)joined->n++ * length;
}

static int64_t number_of(const struct provenance *p, const int64_t *pe)
{
    int64_t number = 0;

    for (int i = 0; i < p->n_space; i++) {
        if (pe[i] < 0 || pe[i] >= p->shape[i])
            return -1;
        number = number * p->shape[i] + pe[i];
    }
    return number;
}

static void coordinates_of(const struct provenance *p, int64_t number, int64_t *pe)
{
    for (int i = p->n_space - 1; i >= 0; i--) {
        pe[i] = number % p->shape[i];
        number /= p->shape[i];
    }
}

static void join_functions(struct joined *joined, const struct sator_relation *map)
{
    const struct provenance *p = joined->p;
    int64_t *pe = SATOR_NEW_ARRAY(p->arena, int64_t, p->n_space + 1);
    int64_t *out = SATOR_NEW_ARRAY(p->arena, int64_t, map->n_out + 1);

    for (int64_t number = 0; number < p->n_pes; number++) {
        int piece = 0;
        coordinates_of(p, number, pe);
        while (visit_image(map, pe, out, &piece)) {
            int64_t *row = add_row(joined);
            row[0] = number;
            memcpy(row + 1, out, sizeof *out * (size_t)map->n_out);
        }
    }
}

static isl_stat join_point(isl_point *point, void *user)
{
    struct joined *joined = user;
    const struct provenance *p = joined->p;
    int n = p->n_space + joined->n_out;
    int64_t *at = sator_alloc(sizeof *at * (size_t)(n + 1));

    for (int i = 0; i < n; i++) {
        isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, i);
        at[i] = isl_val_get_num_si(value);
        isl_val_free(value);
    }
    isl_point_free(point);
    int64_t *row = add_row(joined);
    row[0] = number_of(p, at);
    memcpy(row + 1, at + p->n_space, sizeof *at * (size_t)joined->n_out);
    free(at);
    return isl_stat_ok;
}

/* A map with hidden variables, by isl; "within" outputs lie in the array, too. */
static enum sator_status join_points(
        struct joined *joined, const struct sator_relation *map, bool within)
{
    const struct provenance *p = joined->p;
    struct sator_ctx *ctx = p->visit.ctx;
    enum sator_status st = sator_bridge_begin(ctx);

    if (st != SATOR_OK)
        return st;
    isl_map *all = sator_bridge_map(ctx, map);
    for (int i = 0; i < p->n_space; i++) {
        for (int side = 0; side < 1 + within; side++) {
            enum isl_dim_type type = side == 0 ? isl_dim_in : isl_dim_out;
            all = isl_map_lower_bound_si(all, type, (unsigned)i, 0);
            all = isl_map_upper_bound_si(all, type, (unsigned)i, (int)(p->shape[i] - 1));
        }
    }
    isl_set *points = isl_set_flatten(isl_map_wrap(all));
    isl_stat done = isl_set_foreach_point(points, join_point, joined);
    isl_set_free(points);
    sator_bridge_check(ctx);
    return done == isl_stat_ok ? SATOR_OK : sator_bridge_status(ctx);
}

/* PE "of" of each pair with "other", by PE, in the order in which they are given. */
static const struct pe_pairs *sort_pairs(
        struct provenance *p, int64_t n, const int64_t *of, const int64_t *other)
{
    struct pe_pairs *pairs = SATOR_NEW(p->arena, struct pe_pairs);
    int64_t *starts = SATOR_NEW_ARRAY(p->arena, int64_t, p->n_pes + 2);
    int64_t *others = SATOR_NEW_ARRAY(p->arena, int64_t, n + 1);
    int64_t *next = sator_alloc(sizeof *next * ((size_t)p->n_pes + 1));

    for (int64_t i = 0; i < n; i++)
        starts[of[i] + 1]++;
    for (int i = 0; i < p->n_pes; i++)
        starts[i + 1] += starts[i];
    memcpy(next, starts, sizeof *next * (size_t)p->n_pes);
    for (int64_t i = 0; i < n; i++)
        others[next[of[i]]++] = other[i];
    free(next);
    pairs->starts = starts;
    pairs->others = others;
    return pairs;
}

enum sator_status pe_pairs_of_link(
        struct provenance *p, const struct sator_relation *map, const struct pe_pairs **pairs)
{
    struct joined joined = {.p = p, .n_out = map->n_out};
    enum sator_status st = SATOR_OK;
    int64_t n = 0;

    if (sator_relation_is_explicit(map))
        join_functions(&joined, map);
    else
        st = join_points(&joined, map, true);
    int64_t *consumers = sator_alloc(sizeof *consumers * ((size_t)joined.n + 1));
    int64_t *providers = sator_alloc(sizeof *providers * ((size_t)joined.n + 1));
    for (int64_t i = 0; i < joined.n; i++) {
        const int64_t *row = joined.rows + (size_t)i * (1 + (size_t)joined.n_out);
        consumers[n] = number_of(p, row + 1);
        providers[n] = row[0];
        n += consumers[n] >= 0 && consumers[n] != row[0];
    }
    if (st == SATOR_OK)
        *pairs = sort_pairs(p, n, consumers, providers);
    free(consumers);
    free(providers);
    free(joined.rows);
    return st;
}

/* Lines are numbered by their tuples. */
static int64_t line_number(struct sator_memo *lines, const struct joined *joined, int64_t row)
{
    const int64_t *at = joined->rows + (size_t)row * (1 + (size_t)joined->n_out);
    bool is_new;
    int64_t *number = sator_memo_place(lines, at + 1, (size_t)joined->n_out, &is_new);

    if (is_new)
        *number = (int64_t)sator_memo_size(lines);
    return *number;
}

enum sator_status pe_pairs_of_bus(
        struct provenance *p, const struct sator_relation *map, const struct pe_pairs **pairs)
{
    struct joined joined = {.p = p, .n_out = map->n_out};
    struct sator_memo *lines = sator_memo_new(sizeof(int64_t));
    enum sator_status st = SATOR_OK;

    if (sator_relation_is_explicit(map))
        join_functions(&joined, map);
    else
        st = join_points(&joined, map, false);
    int64_t *pes = sator_alloc(sizeof *pes * ((size_t)joined.n + 1));
    int64_t *numbers = sator_alloc(sizeof *numbers * ((size_t)joined.n + 1));
    for (int64_t i = 0; i < joined.n; i++) {
        pes[i] = joined.rows[(size_t)i * (1 + (size_t)joined.n_out)];
        numbers[i] = line_number(lines, &joined, i);
    }
    if (st == SATOR_OK)
        *pairs = sort_pairs(p, joined.n, pes, numbers);
    sator_memo_free(lines);
    free(pes);
    free(numbers);
    free(joined.rows);
    return st;
}
