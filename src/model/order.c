#include "model/order.h"

#include "base/checked.h"
#include "base/text.h"
#include "model/analysis.h"
#include "model/legal.h"

#include <string.h>

enum {
    MOST_INDEX = 16,
    MOST_LOOPS = 32
};

struct finder {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_workload *workload;
    int n;
    struct order_conflict *found;
};

/* ---- reads that are no part of an update ---- */

static const struct sator_relation *one_piece(
        struct sator_arena *arena, const struct sator_relation *relation, int piece)
{
    struct sator_relation *made = sator_arena_copy(arena, relation, sizeof *relation);

    made->pieces = &relation->pieces[piece];
    made->n_pieces = 1;
    return made;
}

/* Whether two accesses of one piece are the same function. */
static bool is_same(const struct sator_relation *a, const struct sator_relation *b)
{
    const struct sator_piece *x = sator_relation_function(a), *y = sator_relation_function(b);

    for (int i = 0; x != NULL && y != NULL && i < a->n_out; i++) {
        if (!sator_expr_equal(x->out[i], y->out[i]))
            return false;
    }
    return x != NULL && y != NULL;
}

/* Whether "a" and "b" differ by a constant in some index, the same loops moving both: then they
 * never are the same element of one instance. */
static bool is_apart(const struct sator_relation *a, const struct sator_relation *b)
{
    const struct sator_piece *x = sator_relation_function(a), *y = sator_relation_function(b);

    for (int i = 0; x != NULL && y != NULL && i < a->n_out; i++) {
        struct sator_expr shifted = *x->out[i];
        shifted.constant = y->out[i]->constant;
        if (x->out[i]->constant != y->out[i]->constant && sator_expr_equal(&shifted, y->out[i]))
            return true;
    }
    return false;
}

/* Whether the statement reads through "read" only what the same instance writes through "write":
 * the old value of what it updates. */
static enum sator_status is_update(const struct finder *f, const struct sator_relation *read,
        const struct sator_relation *write, bool *update)
{
    *update = true;
    for (int i = 0; i < write->n_pieces; i++) {
        if (is_same(read, one_piece(f->arena, write, i)))
            return SATOR_OK;
    }
    *update = false;
    if (write->n_pieces == 1 && is_apart(read, write))
        return SATOR_OK;
    return sator_witness_within(f->ctx, f->workload->domain, read, write, update);
}

/* ---- distances ---- */

/* The coefficients of the loops in a sum of loops; false for another expression. */
static bool find_coefficients(const struct sator_expr *expr, sator_int *row, int n_loops)
{
    for (int l = 0; l < n_loops; l++)
        row[l] = 0;
    for (int i = 0; i < expr->n_terms; i++) {
        if (expr->terms[i].atom != SATOR_ATOM_VAR)
            return false;
        row[expr->terms[i].var] = expr->terms[i].factor;
    }
    return true;
}

struct equations {
    int n_rows, n_loops;
    sator_int m[MOST_INDEX][MOST_LOOPS + 1]; /* coefficients, and the right side */
};

/* Clear column "l" in all rows but "rank"; false when a number does not fit. */
static bool eliminate(struct equations *e, int rank, int l)
{
    for (int r = 0; r < e->n_rows; r++) {
        sator_int factor = e->m[r][l], base = e->m[rank][l];
        for (int c = 0; c <= e->n_loops && r != rank && factor != 0; c++) {
            sator_int a, b;
            if (!sator_mul(e->m[r][c], base, &a) || !sator_mul(e->m[rank][c], factor, &b) ||
                    !sator_sub(a, b, &e->m[r][c]))
                return false;
        }
    }
    return true;
}

enum solution {
    SOLUTION_NONE,
    SOLUTION_ONE,
    SOLUTION_OTHER /* several, or a number that does not fit */
};

/* The integer solution of the equations, by steps that stay integer. */
static enum solution solve(struct equations *e, int64_t *x)
{
    int rank = 0;

    for (int l = 0; l < e->n_loops; l++) {
        int pivot = rank;
        while (pivot < e->n_rows && e->m[pivot][l] == 0)
            pivot++;
        if (pivot == e->n_rows)
            return SOLUTION_OTHER;
        for (int c = 0; c <= e->n_loops; c++) {
            sator_int swap = e->m[pivot][c];
            e->m[pivot][c] = e->m[rank][c];
            e->m[rank][c] = swap;
        }
        if (!eliminate(e, rank, l))
            return SOLUTION_OTHER;
        rank++;
    }
    for (int r = rank; r < e->n_rows; r++) {
        if (e->m[r][e->n_loops] != 0)
            return SOLUTION_NONE;
    }
    for (int l = 0; l < e->n_loops; l++) {
        sator_int quotient = e->m[l][e->n_loops] / e->m[l][l];
        if (e->m[l][e->n_loops] % e->m[l][l] != 0 || quotient > INT64_MAX || quotient < -INT64_MAX)
            return SOLUTION_NONE; /* beyond all loops */
        x[l] = (int64_t)quotient;
    }
    return SOLUTION_ONE;
}

/* A write at m and a read at n meet when L m + c = L n + d. Where that leaves one n - m, it is the
 * distance. */
static enum solution find_distance(const struct sator_workload *workload,
        const struct sator_relation *write, const struct sator_relation *read, int64_t *distance)
{
    const struct sator_piece *w = sator_relation_function(write),
                             *r = sator_relation_function(read);
    struct equations e = {.n_rows = write->n_out, .n_loops = workload->n_loops};
    sator_int other[MOST_LOOPS];

    if (w == NULL || r == NULL || e.n_rows > MOST_INDEX || e.n_loops > MOST_LOOPS)
        return SOLUTION_OTHER;
    for (int i = 0; i < e.n_rows; i++) {
        if (!find_coefficients(w->out[i], e.m[i], e.n_loops) ||
                !find_coefficients(r->out[i], other, e.n_loops) ||
                memcmp(e.m[i], other, sizeof other[0] * (size_t)e.n_loops) != 0)
            return SOLUTION_OTHER;
        e.m[i][e.n_loops] = (sator_int)w->out[i]->constant - r->out[i]->constant;
    }
    return solve(&e, distance);
}

/* Whether two instances this far apart are both in the domain's hull, and are two. */
static bool in_reach(const struct sator_workload *workload, const int64_t *distance)
{
    bool differ = false;

    for (int l = 0; l < workload->n_loops; l++) {
        int64_t extent = workload->upper[l] - workload->lower[l];
        if (distance[l] >= extent || distance[l] <= -extent)
            return false;
        differ = differ || distance[l] != 0;
    }
    return differ;
}

/* ---- the order of a workload ---- */

static void meet(struct finder *f, const char *tensor, const struct sator_relation *write,
        const struct sator_relation *read)
{
    int64_t *distance = SATOR_NEW_ARRAY(f->arena, int64_t, f->workload->n_loops + 1);
    struct order_conflict made = {.tensor = tensor, .write = write, .read = read};

    if (f->workload->lower != NULL && f->workload->upper != NULL) {
        enum solution solution = find_distance(f->workload, write, read, distance);
        if (solution == SOLUTION_NONE ||
                (solution == SOLUTION_ONE && !in_reach(f->workload, distance)))
            return;
        made.distance = solution == SOLUTION_ONE ? distance : NULL;
    }
    SATOR_PUSH(f->arena, f->found, f->n, made);
}

static enum sator_status meet_accesses(
        struct finder *f, const struct sator_access *write, const struct sator_access *read)
{
    enum sator_status st = SATOR_OK;

    for (int r = 0; r < read->relation->n_pieces; r++) {
        const struct sator_relation *reads = one_piece(f->arena, read->relation, r);
        bool update;
        SATOR_TRY(is_update(f, reads, write->relation, &update));
        for (int w = 0; w < write->relation->n_pieces && !update; w++)
            meet(f, write->tensor, one_piece(f->arena, write->relation, w), reads);
    }
done:
    return st;
}

enum sator_status sator_order_new(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_order **order)
{
    struct finder f = {.ctx = ctx, .arena = arena, .workload = workload};
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < workload->n_accesses; i++) {
        const struct sator_access *write = &workload->accesses[i];
        for (int j = 0; j < workload->n_accesses && write->role == SATOR_WRITE; j++) {
            const struct sator_access *read = &workload->accesses[j];
            if (read->role == SATOR_READ && strcmp(write->tensor, read->tensor) == 0)
                SATOR_TRY(meet_accesses(&f, write, read));
        }
    }
    *order = NULL;
    if (f.n > 0) {
        struct sator_order *made = SATOR_NEW(arena, struct sator_order);
        *made = (struct sator_order){workload, f.n, f.found};
        *order = made;
    }
done:
    return st;
}

/* ---- checking ---- */

static struct sator_disorder *new_disorder(
        struct sator_arena *arena, const struct order_conflict *conflict, int n_loops, int n_time)
{
    struct sator_disorder *made = SATOR_NEW(arena, struct sator_disorder);

    made->tensor = conflict->tensor;
    made->n_index = conflict->write->n_out;
    for (int side = 0; side < 2; side++) {
        made->pair.instance[side] = SATOR_NEW_ARRAY(arena, int64_t, n_loops + 1);
        made->pair.time[side] = SATOR_NEW_ARRAY(arena, int64_t, n_time + 1);
    }
    made->pair.element = SATOR_NEW_ARRAY(arena, int64_t, conflict->write->n_out + 1);
    return made;
}

/* The rest of what is known of a pair whose earlier instance is. */
static void complete(struct sator_disorder *disorder, const struct order_conflict *conflict,
        const struct sator_relation *time, const int64_t *distance, int n_loops)
{
    struct sator_order_pair *pair = &disorder->pair;
    bool flow = disorder->kind == SATOR_ORDER_FLOW;

    for (int l = 0; l < n_loops; l++)
        pair->instance[1][l] = pair->instance[0][l] + distance[l];
    for (int side = 0; side < 2; side++) {
        for (int d = 0; d < time->n_out; d++)
            sator_expr_value(time->pieces[0].out[d], pair->instance[side], &pair->time[side][d]);
    }
    for (int i = 0; i < conflict->write->n_out; i++)
        sator_expr_value(
                conflict->write->pieces[0].out[i], pair->instance[flow ? 0 : 1], &pair->element[i]);
}

/* A conflict at a constant distance: ORDER_UNKNOWN where the hull has a pair out of order that the
 * domain may not have. */
static enum order_answer check_distance(struct sator_arena *arena,
        const struct sator_workload *workload, const struct order_conflict *conflict,
        const struct sator_relation *time, struct sator_disorder *disorder)
{
    int64_t distance[MOST_LOOPS];
    int first = 0;

    while (conflict->distance[first] == 0)
        first++;
    bool flow = conflict->distance[first] > 0;
    for (int l = 0; l < workload->n_loops; l++)
        distance[l] = flow ? conflict->distance[l] : -conflict->distance[l];
    enum order_answer answer =
            order_after_shift(arena, workload, time, distance, flow, disorder->pair.instance[0]);
    if (answer == ORDER_BROKEN && !workload->is_box)
        return ORDER_UNKNOWN;
    disorder->kind = flow ? SATOR_ORDER_FLOW : SATOR_ORDER_ANTI;
    if (answer == ORDER_BROKEN)
        complete(disorder, conflict, time, distance, workload->n_loops);
    return answer;
}

/* Any conflict, any time map. */
static enum sator_status check_general(struct sator_ctx *ctx, const struct sator_workload *workload,
        const struct order_conflict *conflict, const struct sator_relation *time,
        struct sator_disorder *disorder, bool *found)
{
    struct sator_order_question question = {
            .domain = workload->domain, .write = conflict->write, .read = conflict->read};
    enum sator_status st = SATOR_OK;

    *found = false;
    for (int kind = SATOR_ORDER_FLOW; kind <= SATOR_ORDER_ANTI && st == SATOR_OK && !*found;
            kind++) {
        question.kind = disorder->kind = kind;
        st = sator_witness_disorder(ctx, &question, time, found, &disorder->pair);
    }
    return st;
}

enum sator_status sator_order_check(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_order *order, const struct sator_relation *time,
        const struct sator_disorder **disorder)
{
    const struct sator_workload *workload = order->workload;
    enum sator_status st = SATOR_OK;

    *disorder = NULL;
    for (int i = 0; i < order->n_conflicts && *disorder == NULL; i++) {
        const struct order_conflict *conflict = &order->conflicts[i];
        struct sator_disorder *made = new_disorder(arena, conflict, workload->n_loops, time->n_out);
        enum order_answer answer = conflict->distance == NULL
                ? ORDER_UNKNOWN
                : check_distance(arena, workload, conflict, time, made);
        bool found = answer == ORDER_BROKEN;
        if (answer == ORDER_UNKNOWN)
            SATOR_TRY(check_general(ctx, workload, conflict, time, made, &found));
        *disorder = found ? made : NULL;
    }
done:
    return st;
}

/* ---- an analysis ---- */

/* "S[i=1] in PE[0] T[3]" */
static void write_side(struct sator_text *text, const struct analysis *analysis,
        const struct sator_order_pair *pair, int side)
{
    const struct sator_relation *space = analysis->dataflow->space;
    const struct sator_piece *piece = sator_relation_function(space);

    legal_write_instance(text, analysis->workload, pair->instance[side]);
    sator_text_put(text, " at ");
    if (piece != NULL) {
        int64_t *stamp = SATOR_NEW_ARRAY(analysis->arena, int64_t, space->n_out + 1);
        for (int d = 0; d < space->n_out; d++)
            sator_expr_value(piece->out[d], pair->instance[side], &stamp[d]);
        legal_write_point(text, space->out_name, space->n_out, stamp);
        sator_text_put(text, " ");
    }
    legal_write_point(text, analysis->dataflow->time->out_name, analysis->dataflow->time->n_out,
            pair->time[side]);
}

static enum sator_status say(struct analysis *analysis, const struct sator_disorder *disorder)
{
    struct sator_text text = {0};
    bool flow = disorder->kind == SATOR_ORDER_FLOW;

    write_side(&text, analysis, &disorder->pair, 1);
    sator_text_put(&text, flow ? " reads " : " overwrites ");
    legal_write_point(&text, disorder->tensor, disorder->n_index, disorder->pair.element);
    sator_text_put(&text, " before ");
    write_side(&text, analysis, &disorder->pair, 0);
    sator_text_put(&text, flow ? " has written it" : " has read it");
    sator_error(analysis->ctx, analysis->dataflow->time_loc, "%s", text.data);
    sator_help(analysis->ctx,
            flow ? "in the nest the write comes first: it needs an earlier time-stamp, as a stamp "
                   "reads before it writes"
                 : "in the nest the read comes first: it needs an earlier time-stamp, or the same");
    sator_text_clear(&text);
    return SATOR_INPUT;
}

enum sator_status analysis_check_order(struct analysis *analysis)
{
    const struct sator_order *order;
    const struct sator_disorder *disorder = NULL;
    enum sator_status st;

    if (analysis->in_order)
        return SATOR_OK;
    sator_work_begin(analysis->ctx);
    SATOR_TRY(sator_order_new(analysis->ctx, analysis->arena, analysis->workload, &order));
    if (order == NULL)
        return SATOR_OK;
    SATOR_TRY(sator_order_check(
            analysis->ctx, analysis->arena, order, analysis->dataflow->time, &disorder));
    if (disorder != NULL)
        return say(analysis, disorder);
done:
    if (st == SATOR_LIMIT)
        sator_error(analysis->ctx, analysis->dataflow->time_loc,
                "whether this order of instances is legal was not decided within the work limit: "
                "'%s' reads elements that other instances write",
                analysis->workload->name);
    return st;
}
