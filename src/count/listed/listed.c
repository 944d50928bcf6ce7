/* The listing engine: exact volumes of products of short lists (doc/counting.md, "Lists").
 *
 * A question's rows take the loops apart (parts.c); each part is listed (lists.c), and the answer
 * is a product over the parts, or a sum of products over the rows of time (reuse.c).
 */
#include "count/listed/listed.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- plans ---- */

static const struct sator_decline *add_rows(
        struct listed_parts *parts, int n, const struct sator_expr *const *row)
{
    const struct sator_decline *why = NULL;
    for (int i = 0; i < n && why == NULL; i++)
        why = listed_parts_add(parts, row[i]);
    return why;
}

/* Begin a plan with the rows of the stamps. */
const struct sator_decline *listed_begin(struct listed_state *state)
{
    const struct sator_stamping *stamping = state->stamping;
    const struct sator_piece *space = sator_relation_function(stamping->space);
    const struct sator_piece *time = sator_relation_function(stamping->time);
    struct listed_plan *plan = &state->plan;
    sator_arena_clear(state->arena);
    if (space == NULL || time == NULL)
        return DECLINE("a stamp is restricted by a condition");
    const struct sator_decline *why =
            listed_parts_begin(state->arena, stamping->domain, &plan->parts);
    plan->n_times = stamping->n_time;
    plan->first_space = stamping->n_time;
    plan->n_spaces = stamping->n_space;
    plan->first_index = stamping->n_time + stamping->n_space;
    plan->n_indices = 0;
    plan->n_pieces = 1;
    plan->own_loops = 0;
    plan->n_own = 0;
    plan->n_conditions = 0;
    if (why == NULL)
        why = add_rows(&plan->parts, stamping->n_time, time->out);
    if (why == NULL)
        why = add_rows(&plan->parts, stamping->n_space, space->out);
    return why;
}

static const struct sator_decline *add_one_condition(
        struct listed_plan *plan, int piece, const struct sator_cond *cond)
{
    const uint32_t loops = listed_loops_of_cond(cond);

    plan->own_loops |= piece < 0 ? 0 : loops;
    if (loops == 0 || sator_cond_has_exists(cond) || plan->n_conditions == LISTED_CONDITIONS)
        return DECLINE("an access is restricted by conditions that are not handled");
    listed_parts_join(&plan->parts, loops);
    plan->condition[plan->n_conditions++] =
            (struct listed_condition){.part = __builtin_ctz(loops), .piece = piece, .cond = cond};
    return NULL;
}

/* Add a condition that is no conjunction, each digit of an equality for itself; join its loops. */
static const struct sator_decline *add_condition(
        struct listed_plan *plan, int piece, const struct sator_cond *cond)
{
    const struct sator_cond *own[LISTED_TERMS];
    const struct sator_decline *why = NULL;

    if (cond->op == SATOR_COND_TRUE)
        return NULL;
    if (cond->op != SATOR_COND_EQUAL || cond->expr->n_terms < 2 ||
            !listed_take_apart(&plan->parts, cond, own))
        return add_one_condition(plan, piece, cond);
    for (int i = 0; i < cond->expr->n_terms && why == NULL; i++)
        why = add_one_condition(plan, piece, own[i]);
    return why;
}

/* Whether "cond" is "all", or one of the conditions that this joins by "and". */
static bool is_among(const struct sator_cond *cond, const struct sator_cond *all)
{
    bool is = cond == all;

    for (int k = 0; k < all->n_kids && all->op == SATOR_COND_AND && !is; k++)
        is = is_among(cond, all->kids[k]);
    return is;
}

/* Add what "cond", of piece number "piece", joins by "and"; what all pieces have once, with the
 * first. */
static const struct sator_decline *add_conditions(struct listed_plan *plan,
        const struct sator_relation *access, int piece, const struct sator_cond *cond)
{
    const struct sator_decline *why = NULL;
    bool is_of_all = true;

    for (int k = 0; k < cond->n_kids && cond->op == SATOR_COND_AND && why == NULL; k++)
        why = add_conditions(plan, access, piece, cond->kids[k]);
    if (cond->op == SATOR_COND_AND)
        return why;
    for (int p = 0; p < access->n_pieces; p++)
        is_of_all = is_of_all && is_among(cond, access->pieces[p].cond);
    if (is_of_all && piece > 0)
        return NULL;
    return add_condition(plan, is_of_all ? -1 : piece, cond);
}

/* Whether index "i" is the same in all pieces. */
static bool is_common(const struct sator_relation *access, int i)
{
    for (int p = 1; p < access->n_pieces; p++) {
        if (!sator_expr_equal(access->pieces[0].out[i], access->pieces[p].out[i]))
            return false;
    }
    return true;
}

/* Add an access: indices that all pieces share as rows, others together. */
const struct sator_decline *listed_add_access(
        struct listed_plan *plan, const struct sator_relation *access)
{
    struct listed_parts *parts = &plan->parts;
    const struct sator_decline *why = NULL;
    if (access->n_pieces == 0 || access->n_pieces > LISTED_PIECES)
        return DECLINE("a tensor is accessed too often");
    if (access->n_out > LISTED_INDICES)
        return DECLINE("a tensor has too many dimensions");
    if (access->n_in != parts->n_loops)
        return DECLINE("an access has another domain");
    plan->n_pieces = access->n_pieces;
    for (int p = 0; p < access->n_pieces && why == NULL; p++) {
        if (access->pieces[p].n_free > 0)
            return DECLINE("an access is restricted by conditions that are not handled");
        why = add_conditions(plan, access, p, access->pieces[p].cond);
    }
    for (int i = 0; i < access->n_out && why == NULL; i++) {
        if (is_common(access, i)) {
            why = listed_parts_add(parts, access->pieces[0].out[i]);
            plan->n_indices++;
            continue;
        }
        for (int p = 0; p < access->n_pieces; p++) {
            plan->own[p][plan->n_own] = access->pieces[p].out[i];
            plan->own_loops |= listed_loops_of(access->pieces[p].out[i]);
        }
        plan->n_own++;
    }
    if (plan->n_own > 0 && plan->own_loops == 0)
        plan->own_loops = 1; /* constants: any part may have them */
    listed_parts_join(parts, plan->own_loops);
    return why;
}

/* ---- lists ---- */

enum sator_status listed_decline(
        const struct sator_decline *why, const struct sator_decline **reason)
{
    *reason = why;
    return why == NULL ? SATOR_OK : SATOR_DECLINED;
}

static void forget(struct listed_state *state)
{
    sator_arena_clear(state->kept);
    state->n_known = 0;
    state->known_instances = 0;
}

/* Set the list's stamps, those of an earlier question where they are known. */
static enum sator_status find_stamps(struct listed_state *state, int part, struct listed_list *list,
        const struct sator_decline **reason)
{
    const struct listed_parts *parts = &state->plan.parts;
    uint32_t loops = 0;

    for (int l = 0; l < parts->n_loops; l++)
        loops |= (uint32_t)(parts->part_of[l] == part) << l;
    for (int i = 0; i < state->n_known; i++) {
        if (state->known[i].loops == loops) {
            *list = state->known[i].list;
            return SATOR_OK;
        }
    }
    enum sator_status st = listed_stamps_make(state->ctx, &state->plan, part, list, reason);
    if (st != SATOR_OK || state->n_known == LISTED_KNOWN ||
            state->known_instances > LISTED_INSTANCES)
        return st;
    listed_stamps_keep(state->kept, list);
    state->known[state->n_known].loops = loops;
    state->known[state->n_known++].list = *list;
    state->known_instances += list->n_instances;
    return SATOR_OK;
}

/* All rows are there: list every part. */
enum sator_status listed_make(struct listed_state *state, const struct sator_decline **reason)
{
    struct listed_plan *plan = &state->plan;
    int64_t instances = 0;
    enum sator_status st = listed_decline(listed_parts_finish(&plan->parts), reason);
    for (int c = 0; c < plan->n_conditions; c++)
        plan->condition[c].part = plan->parts.part_of[plan->condition[c].part];
    for (int part = 0; part < plan->parts.n_parts && st == SATOR_OK; part++) {
        st = find_stamps(state, part, &state->list[part], reason);
        if (st == SATOR_OK)
            st = listed_list_make(state->ctx, plan, part, &state->list[part], reason);
        if (st == SATOR_OK && (instances += state->list[part].n_instances) > LISTED_INSTANCES)
            st = listed_decline(DECLINE("the loops have too many instances to list"), reason);
    }
    return st;
}

/* ---- opening ---- */

static enum sator_status prepare(struct listed_state *state, const struct sator_decline **reason)
{
    const struct sator_decline *why = listed_begin(state);
    const struct listed_parts *parts = &state->plan.parts;
    sator_int instances = 1; /* of the box */
    for (int l = 0; l < parts->n_loops && why == NULL; l++) {
        sator_int extent = (sator_int)parts->last[l] - parts->lower[l] + 1;
        if (!sator_mul(instances, extent, &instances) || instances >= (sator_int)1 << 100)
            why = DECLINE("there are 2^100 instances or more");
    }
    return listed_decline(why, reason);
}

static enum sator_status listed_reopen(struct sator_ctx *ctx, const struct sator_stamping *stamping,
        void *opaque, const struct sator_decline **reason)
{
    struct listed_state *state = opaque;
    state->ctx = ctx;
    state->stamping = stamping;
    forget(state);
    return prepare(state, reason);
}

static void listed_close(void *opaque)
{
    struct listed_state *state = opaque;
    sator_arena_free(state->arena);
    sator_arena_free(state->kept);
    free(state);
}

static void *listed_create(void)
{
    struct listed_state *state = sator_alloc(sizeof *state); /* large: not cleared as a whole */
    state->arena = sator_arena_new();
    state->kept = sator_arena_new();
    state->pool = (struct closed_pool){.data = state->pool_data, .capacity = CLOSED_POOL};
    return state;
}

/* ---- stamps ---- */

/* The space row's least or greatest value; where, in "point". */
static enum sator_status extreme_of_row(struct listed_state *state, int row, bool greatest,
        int64_t *value, int64_t *point, const struct sator_decline **reason)
{
    const struct listed_parts *parts = &state->plan.parts;
    *value = parts->row[row].constant;
    for (int part = 0; part < parts->n_parts; part++) {
        struct listed_code code = {.n = 0};
        listed_code_rows(parts, part, row, 1, &code);
        if (code.n == 0)
            continue;
        enum sator_status st = listed_decline(listed_code_finish(parts, &code), reason);
        if (st != SATOR_OK)
            return st;
        const uint64_t *number = listed_code_values(parts, part, &code);
        int64_t best = 0;
        for (int64_t i = 1; i < state->list[part].n_instances; i++) {
            if (greatest ? number[i] > number[best] : number[i] < number[best])
                best = i;
        }
        for (int i = 0; i < code.n; i++) /* digits of a number: the code has its order */
            *value += listed_code_value(&code, i, number[best]);
        listed_instance(parts, part, best, point);
    }
    return SATOR_OK;
}

/* Whether a row of space may leave the array, by its range alone. */
bool listed_may_leave(const struct listed_state *state, int dim)
{
    const struct listed_parts *parts = &state->plan.parts;
    const struct listed_row *row = &parts->row[state->plan.first_space + dim];
    int64_t least;
    int64_t greatest;
    return !sator_expr_range(row->expr, parts->lower, parts->last, &least, &greatest) ||
            least < 0 || greatest >= state->stamping->shape[dim];
}

enum sator_status listed_outside(
        void *opaque, bool *found, int64_t *instance, const struct sator_decline **reason)
{
    struct listed_state *state = opaque;
    const struct listed_parts *parts = &state->plan.parts;
    enum sator_status st = listed_decline(listed_begin(state), reason);
    if (st == SATOR_OK)
        st = listed_make(state, reason);
    for (int i = 0; i < state->plan.n_spaces && st == SATOR_OK; i++) {
        for (int greatest = 0; greatest < 2 && listed_may_leave(state, i) && st == SATOR_OK;
                greatest++) {
            int64_t point[LISTED_LOOPS];
            int64_t value = 0;
            for (int part = 0; part < parts->n_parts; part++)
                listed_instance(parts, part, 0, point);
            st = extreme_of_row(
                    state, state->plan.first_space + i, greatest, &value, point, reason);
            if (st != SATOR_OK || (value >= 0 && value < state->stamping->shape[i]))
                continue;
            *found = true;
            if (instance != NULL)
                memcpy(instance, point, sizeof *point * (size_t)parts->n_loops);
            return SATOR_OK;
        }
    }
    if (st == SATOR_OK)
        *found = false;
    return st;
}

/* The most pairs of one stamp of time, or of one (time, PE). */
static int64_t most_pairs(const struct listed_list *list, bool of_pe)
{
    int64_t most = 0;
    for (int64_t k = 0; k < list->n_touched; k++) {
        const int64_t begin = list->first[list->touched[k]];
        const int64_t end = list->first[list->touched[k] + 1];
        if (!of_pe)
            most = end - begin > most ? end - begin : most;
        for (int64_t i = begin; i < end && of_pe;) {
            int64_t from = i;
            uint64_t pe = list->pair[i] >> list->element_bits;
            while (i < end && list->pair[i] >> list->element_bits == pe)
                i++;
            most = i - from > most ? i - from : most;
        }
    }
    return most;
}

static enum sator_status listed_stamps(
        void *opaque, struct sator_stamp_counts *counts, const struct sator_decline **reason)
{
    struct listed_state *state = opaque;
    struct sator_stamp_counts result = {
            .instances = 1, .stamps = 1, .time_stamps = 1, .active_pes = 1, .max_active_pes = 1};
    enum sator_status st = listed_decline(listed_begin(state), reason);
    if (st == SATOR_OK)
        st = listed_make(state, reason);
    for (int part = 0; part < state->plan.parts.n_parts && st == SATOR_OK; part++) {
        const struct listed_list *list = &state->list[part];
        result.instances *= list->n_instances;
        result.stamps *= list->n_pairs;
        result.time_stamps *= list->n_times;
        result.active_pes *= list->n_pes;
        result.max_active_pes *= most_pairs(list, false);
    }
    if (st == SATOR_OK)
        *counts = result;
    return st;
}

static enum sator_status listed_max_per_stamp(
        void *opaque, sator_int *most, int64_t *instance, const struct sator_decline **reason)
{
    struct listed_state *state = opaque;
    const struct listed_parts *parts = &state->plan.parts;
    sator_int product = 1;
    enum sator_status st = listed_decline(listed_begin(state), reason);
    if (st == SATOR_OK)
        st = listed_make(state, reason);
    for (int part = 0; part < parts->n_parts && st == SATOR_OK; part++) {
        const struct listed_list *list = &state->list[part];
        int64_t n = list->n_instances;
        int64_t best = 0;
        int64_t where = 0;
        uint64_t *stamp = sator_arena_copy(state->arena, list->stamp, sizeof *stamp * (size_t)n);
        listed_sort(n, stamp, SATOR_NEW_ARRAY(state->arena, uint64_t, n));
        for (int64_t i = 0, from = 0; i < n; i++) {
            from = stamp[i] == stamp[from] ? from : i;
            if (i - from + 1 > best) {
                best = i - from + 1;
                where = from;
            }
        }
        product *= best;
        int64_t first = 0;
        while (list->stamp[first] != stamp[where])
            first++;
        if (instance != NULL)
            listed_instance(parts, part, first, instance);
    }
    if (st == SATOR_OK)
        *most = product;
    return st;
}

static enum sator_status listed_tile(void *opaque, const struct sator_relation *access,
        sator_int *words, const struct sator_decline **reason)
{
    struct listed_state *state = opaque;
    sator_int product = 1;
    enum sator_status st = listed_decline(listed_begin(state), reason);
    if (st == SATOR_OK)
        st = listed_decline(listed_add_access(&state->plan, access), reason);
    if (st == SATOR_OK)
        st = listed_make(state, reason);
    for (int part = 0; part < state->plan.parts.n_parts && st == SATOR_OK; part++)
        product *= most_pairs(&state->list[part], true);
    if (st == SATOR_OK)
        *words = product;
    return st;
}

const struct sator_engine sator_engine_listed = {
        .name = "listed",
        .create = listed_create,
        .reopen = listed_reopen,
        .close = listed_close,
        .outside = listed_outside,
        .stamps = listed_stamps,
        .max_per_stamp = listed_max_per_stamp,
        .volumes = listed_volumes,
        .tile = listed_tile,
};
