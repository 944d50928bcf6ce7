/* From a tensor's access relation to indices that tiles have closed forms for.
 *
 * Where an element's coordinates are sums of loops, a tile of loops touches the same elements as
 * any other tile of this size, moved by a constant distance. Dimensions that share no loop are
 * independent: an index each. Those that do, and those along which an instance touches several
 * places, make one index of vectors.
 */
#include "base/checked.h"
#include "base/context.h"
#include "count/tiled/tiling.h"
#include "mapper/cost/cost.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_VALUES = 1 << 22, /* of an index with several loops, or ... */
    MOST_RUNS = 1 << 20 /* ... of a set of its values */
};

/* Dimensions that make one index: by part what its loop adds, and the places that an instance
 * touches. */
struct vectors {
    int n_dims, n_places;
    int64_t coef[MAPPER_PARTS][MAPPER_INDICES];
    int64_t (*place)[MAPPER_INDICES];
};

struct access_builder {
    struct sator_ctx *ctx;
    struct mapper_problem *problem;
    const int *loop_at;
    const struct sator_access *access;
    struct mapper_access *made;
};

static enum sator_status unsupported(const struct access_builder *b, const char *why)
{
    const struct sator_workload *workload = b->problem->workload;

    sator_error(b->ctx, sator_access_loc(workload, b->access),
            "the mapper cannot tile tensor '%s' of '%s': %s", b->access->tensor,
            b->problem->workload->name, why);
    sator_help(b->ctx,
            "it maps accesses whose indices are sums of loops; 'sator analyze' takes any under a "
            "given dataflow");
    return SATOR_INPUT;
}

/* ---- what the relation is ---- */

static bool is_sum(const struct sator_expr *expr)
{
    for (int i = 0; i < expr->n_terms; i++) {
        if (expr->terms[i].atom != SATOR_ATOM_VAR)
            return false;
    }
    return true;
}

/* Whether two sums differ in their constants only. */
static bool is_translate(const struct sator_expr *a, const struct sator_expr *b)
{
    if (a->n_terms != b->n_terms)
        return false;
    for (int i = 0; i < a->n_terms; i++) {
        if (a->terms[i].var != b->terms[i].var || a->terms[i].factor != b->terms[i].factor)
            return false;
    }
    return true;
}

bool sator_mapper_is_translated(const struct sator_relation *relation)
{
    for (int k = 0; k < relation->n_pieces; k++) {
        const struct sator_piece *piece = &relation->pieces[k];
        if (piece->n_free != 0 || piece->cond->op != SATOR_COND_TRUE)
            return false;
        for (int d = 0; d < relation->n_out; d++) {
            if (!is_sum(piece->out[d]) || !is_translate(piece->out[d], relation->pieces[0].out[d]))
                return false;
        }
    }
    return relation->n_pieces > 0;
}

/* The problem's loops in a sum. */
static unsigned loops_of(const struct access_builder *b, const struct sator_expr *expr)
{
    unsigned loops = 0;

    for (int i = 0; i < expr->n_terms; i++) {
        int loop = b->loop_at[expr->terms[i].var];
        loops |= loop >= 0 ? 1U << loop : 0;
    }
    return loops;
}

static bool varies(const struct sator_relation *relation, int dim)
{
    for (int k = 1; k < relation->n_pieces; k++) {
        if (relation->pieces[k].out[dim]->constant != relation->pieces[0].out[dim]->constant)
            return true;
    }
    return false;
}

/* ---- indices ---- */

static void place_part(
        struct mapper_access *made, struct mapper_index *index, int loop, int64_t coef)
{
    index->loop[index->n_parts] = loop;
    index->coef[index->n_parts++] = coef;
    made->relevant |= 1U << loop;
    made->index_of[loop] = (int8_t)made->n_indices;
    made->coef_of[loop] = coef;
}

/* Whether sets of an index's values have few runs (value_set.h), whatever the tile: a loop repeats
 * them as often as it steps, but no more often than the largest coefficient when runs are longer
 * than that, and runs are as long as the longest loop. */
static bool has_few_runs(
        const struct mapper_problem *p, const struct mapper_index *index, int n_places)
{
    int64_t largest = 0;
    sator_int runs = n_places;
    int longest = 0;

    for (int i = 0; i < index->n_parts; i++) {
        largest = llabs(index->coef[i]) > largest ? llabs(index->coef[i]) : largest;
        if (p->extent[index->loop[i]] > p->extent[index->loop[longest]])
            longest = i;
    }
    for (int i = 0; i < index->n_parts && runs <= MOST_RUNS; i++) {
        int64_t extent = p->extent[index->loop[i]];
        if (i != longest)
            runs *= extent < largest ? extent : largest;
    }
    return runs <= MOST_RUNS;
}

/* The loops of a sum and what they add; an error when it leaves 64 bits. */
static enum sator_status read_parts(
        const struct access_builder *b, const struct sator_expr *expr, struct mapper_index *parts)
{
    int64_t values = 1, width;

    *parts = (struct mapper_index){0};
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        int loop = b->loop_at[term->var];
        if (loop < 0)
            continue;
        if (term->factor == INT64_MIN ||
                __builtin_mul_overflow(llabs(term->factor), b->problem->extent[loop] - 1, &width) ||
                __builtin_add_overflow(values, width, &values))
            return unsupported(b, "an index leaves 64 bits");
        parts->loop[parts->n_parts] = loop;
        parts->coef[parts->n_parts++] = term->factor;
    }
    return SATOR_OK;
}

/* Divide the parts of a sum into groups whose values are told apart, whatever the others are, so
 * that each is an index of its own: 2 x + r with r below 2 has another value for every x and r.
 * Where all parts of a group and those above it are multiples of g, sums of these that differ do so
 * by g at least; if those below it reach less far than that, both have to be equal for the whole to
 * be. Set the group of each part, and return how many there are, at most "most". */
static int group_parts(
        const struct mapper_problem *p, const struct mapper_index *parts, int most, int *group)
{
    int by_size[MAPPER_PARTS], n = parts->n_parts, n_groups = 1;
    int64_t multiple[MAPPER_PARTS + 1], reach = 0;

    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && llabs(parts->coef[by_size[at - 1]]) > llabs(parts->coef[i]); at--)
            by_size[at] = by_size[at - 1];
        by_size[at] = i;
    }
    multiple[n] = 0;
    for (int k = n - 1; k >= 0; k--)
        multiple[k] = sator_gcd(llabs(parts->coef[by_size[k]]), multiple[k + 1]);
    for (int k = 0; k < n; k++) {
        int i = by_size[k];
        assert(parts->coef[i] != 0);
        n_groups += k > 0 && multiple[k] > reach && n_groups < most;
        group[i] = n_groups - 1;
        reach += llabs(parts->coef[i]) * (p->extent[parts->loop[i]] - 1);
    }
    return n_groups;
}

/* An index of the parts of one group. */
static enum sator_status add_group(
        struct access_builder *b, const struct mapper_index *parts, const int *group, int number)
{
    struct mapper_access *made = b->made;
    struct mapper_index *index = &made->index[made->n_indices];
    int64_t values = 1;

    *index = (struct mapper_index){0};
    for (int i = 0; i < parts->n_parts; i++) {
        if (group[i] != number)
            continue;
        place_part(made, index, parts->loop[i], parts->coef[i]);
        values += llabs(parts->coef[i]) * (b->problem->extent[parts->loop[i]] - 1);
    }
    if (index->n_parts == 1)
        made->plain |= 1U << index->loop[0];
    else
        made->is_sliding = true;
    if (values > MOST_VALUES && !has_few_runs(b->problem, index, 1))
        return unsupported(b, "an index that adds loops takes too many values, with gaps between");
    index->closed = index->n_parts <= 2 ? index->n_parts : 0;
    if (index->n_parts == 2) {
        int64_t one = llabs(index->coef[0]), other = llabs(index->coef[1]),
                common = sator_gcd(one, other);
        index->reduced[0] = one / common;
        index->reduced[1] = other / common;
    }
    made->n_indices++;
    return SATOR_OK;
}

/* The indices of one dimension, after which there are "others" to come. */
static enum sator_status add_index(
        struct access_builder *b, const struct sator_expr *expr, int others)
{
    struct mapper_index parts;
    int group[MAPPER_PARTS];
    enum sator_status st;

    SATOR_TRY(read_parts(b, expr, &parts));
    if (parts.n_parts == 0)
        return SATOR_OK;
    int n = group_parts(b->problem, &parts, MAPPER_INDICES - b->made->n_indices - others, group);
    for (int number = 0; number < n; number++)
        SATOR_TRY(add_group(b, &parts, group, number));
done:
    return st;
}

static int by_place(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    for (int d = 0; d < MAPPER_INDICES; d++) {
        if (x[d] != y[d])
            return x[d] < y[d] ? -1 : 1;
    }
    return 0;
}

/* What the loops "loops" add along the dimensions "dims", and the distinct places. */
static struct vectors read_vectors(
        const struct access_builder *b, unsigned dims, const struct mapper_index *index)
{
    const struct sator_relation *relation = b->access->relation;
    struct vectors v = {0};
    int distinct = 0;

    v.place = sator_arena_alloc(b->problem->arena, sizeof *v.place * (size_t)relation->n_pieces);
    for (int d = 0; d < relation->n_out; d++) {
        const struct sator_expr *expr = relation->pieces[0].out[d];
        if (!(dims >> d & 1))
            continue;
        for (int i = 0; i < expr->n_terms; i++) {
            for (int part = 0; part < index->n_parts; part++) {
                if (b->loop_at[expr->terms[i].var] == index->loop[part])
                    v.coef[part][v.n_dims] = expr->terms[i].factor;
            }
        }
        for (int k = 0; k < relation->n_pieces; k++)
            v.place[k][v.n_dims] = relation->pieces[k].out[d]->constant;
        v.n_dims++;
    }
    qsort(v.place, (size_t)relation->n_pieces, sizeof *v.place, by_place);
    for (int k = 0; k < relation->n_pieces; k++) {
        if (k == 0 || by_place(v.place[k], v.place[distinct - 1]) != 0)
            memmove(v.place[distinct++], v.place[k], sizeof *v.place);
    }
    v.n_places = distinct;
    return v;
}

/* Number the vectors in mixed radix: coordinate d of a difference of two values, of tiles anywhere
 * in the domain (or beyond it by a tile), is less than half its radix. Set the numbers' weight by
 * dimension; false when they are too large. */
static bool number_vectors(const struct access_builder *b, const struct mapper_index *index,
        const struct vectors *v, int64_t *weight, sator_int *values)
{
    sator_int next = 1;

    *values = 1;
    for (int d = v->n_dims - 1; d >= 0; d--) {
        sator_int width = 1, least = v->place[0][d], most = least;
        for (int k = 1; k < v->n_places; k++) {
            least = v->place[k][d] < least ? v->place[k][d] : least;
            most = v->place[k][d] > most ? v->place[k][d] : most;
        }
        width += most - least;
        for (int i = 0; i < index->n_parts; i++) {
            sator_int coef = v->coef[i][d];
            width += (coef < 0 ? -coef : coef) * b->problem->extent[index->loop[i]];
        }
        if (width > INT64_MAX / 1024 / next)
            return false;
        *values *= width;
        weight[d] = (int64_t)next;
        next *= 8 * width;
    }
    return true;
}

static int64_t number_of(const struct vectors *v, const int64_t *vector, const int64_t *weight)
{
    int64_t number = 0;

    for (int d = 0; d < v->n_dims; d++)
        number += vector[d] * weight[d];
    return number;
}

/* One index of the dimensions "dims", which read "loops". */
static enum sator_status add_joint(struct access_builder *b, unsigned dims, unsigned loops)
{
    struct mapper_problem *p = b->problem;
    struct mapper_access *made = b->made;
    struct mapper_index *index = &made->index[made->n_indices];
    struct mapper_joint *joint = SATOR_NEW(p->arena, struct mapper_joint);
    int64_t weight[MAPPER_INDICES], least = 0, most = 0;
    sator_int values;

    *index = (struct mapper_index){.joint = joint};
    for (int l = 0; l < p->n_loops; l++) {
        if (loops >> l & 1)
            place_part(made, index, l, 0);
    }
    struct vectors v = read_vectors(b, dims, index);
    if (!number_vectors(b, index, &v, weight, &values))
        return unsupported(b, "indices that share loops take too many values");
    for (int i = 0; i < index->n_parts; i++) {
        index->coef[i] = number_of(&v, v.coef[i], weight);
        made->coef_of[index->loop[i]] = index->coef[i];
    }
    int64_t *place = SATOR_NEW_ARRAY(p->arena, int64_t, v.n_places);
    for (int k = 0; k < v.n_places; k++) {
        for (int d = 0; d < v.n_dims && k > 0; d++)
            v.place[k][d] -= v.place[0][d];
        place[k] = k == 0 ? 0 : number_of(&v, v.place[k], weight);
        least = place[k] < least ? place[k] : least;
        most = place[k] > most ? place[k] : most;
    }
    *joint = (struct mapper_joint){
            .n_places = v.n_places, .place = place, .places_reach = most - least};
    if (values > MOST_VALUES && !has_few_runs(p, index, v.n_places))
        return unsupported(b, "indices that share loops take too many values");
    made->is_sliding |= loops != 0;
    made->n_indices++;
    return SATOR_OK;
}

/* Join dimensions that share a loop, and all those along which the places differ. */
static enum sator_status add_indices(struct access_builder *b)
{
    const struct sator_relation *relation = b->access->relation;
    unsigned dims[MAPPER_INDICES], loops[MAPPER_INDICES];
    bool vary[MAPPER_INDICES];
    enum sator_status st = SATOR_OK;

    for (int d = 0; d < relation->n_out; d++) {
        dims[d] = 1U << d;
        loops[d] = loops_of(b, relation->pieces[0].out[d]);
        vary[d] = varies(relation, d);
        sator_tiling_join_dims(d, dims, loops, vary);
    }
    for (int d = 0; d < relation->n_out; d++) {
        if (dims[d] == 0)
            continue;
        bool is_one = dims[d] == 1U << d || __builtin_popcount(loops[d]) == 1; /* A[i,i] */
        if (is_one && !vary[d])
            SATOR_TRY(add_index(b, relation->pieces[0].out[d], relation->n_out - 1 - d));
        else
            SATOR_TRY(add_joint(b, dims[d], loops[d]));
    }
done:
    return st;
}

/* ---- accesses without a formula ---- */

/* Mark the variables of an expression that are loops. */
static void add_variables(const struct sator_expr *expr, int n_loops, bool *used)
{
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        if (term->atom != SATOR_ATOM_VAR)
            add_variables(term->argument, n_loops, used);
        else if (term->var < n_loops)
            used[term->var] = true;
    }
}

static void add_cond_variables(const struct sator_cond *cond, int n_loops, bool *used)
{
    if (cond->expr != NULL)
        add_variables(cond->expr, n_loops, used);
    for (int i = 0; i < cond->n_kids; i++)
        add_cond_variables(cond->kids[i], n_loops, used);
}

/* The problem's loops that dimensions other than "but" of any piece, or its conditions, read. */
static unsigned read_loops(const struct access_builder *b, int but)
{
    const struct sator_relation *relation = b->access->relation;
    bool *used = SATOR_NEW_ARRAY(b->problem->arena, bool, relation->n_in + 1);
    unsigned loops = 0;

    for (int k = 0; k < relation->n_pieces; k++) {
        for (int d = 0; d < relation->n_out; d++) {
            if (d != but)
                add_variables(relation->pieces[k].out[d], relation->n_in, used);
        }
        add_cond_variables(relation->pieces[k].cond, relation->n_in, used);
    }
    for (int v = 0; v < relation->n_in; v++)
        loops |= used[v] && b->loop_at[v] >= 0 ? 1U << b->loop_at[v] : 0;
    return loops;
}

/* Whether dimension "dim" is one loop, the same in all pieces, that nothing else reads. */
static bool stands_alone(const struct access_builder *b, int dim)
{
    const struct sator_relation *relation = b->access->relation;
    const struct sator_expr *expr = relation->pieces[0].out[dim];

    for (int k = 0; k < relation->n_pieces; k++) {
        const struct sator_expr *other = relation->pieces[k].out[dim];
        if (!is_sum(other) || !sator_expr_equal(other, expr))
            return false;
    }
    for (int i = 0; i < expr->n_terms; i++) {
        if (expr->terms[i].var >= relation->n_in)
            return false; /* given by a condition */
    }
    unsigned loops = loops_of(b, expr);
    return __builtin_popcount(loops) == 1 && (loops & read_loops(b, dim)) == 0;
}

/* Take dimension "dim" as a quotient, or as one loop, when its loops are read by nothing else. */
static bool read_quotient(const struct access_builder *b, int dim, struct mapper_index *q)
{
    const struct sator_relation *relation = b->access->relation;
    const struct sator_expr *sum = relation->pieces[0].out[dim];

    *q = (struct mapper_index){.is_core = true, .divisor = 1};
    if (sum->n_terms == 1 && sum->terms[0].atom == SATOR_ATOM_FLOOR) {
        q->divisor = sum->terms[0].divisor;
        sum = sum->terms[0].argument;
    }
    if (!is_sum(sum) || q->divisor > MAPPER_MOST_DIVISOR)
        return false;
    q->constant = sum->constant;
    for (int i = 0; i < sum->n_terms; i++) {
        const struct sator_term *term = &sum->terms[i];
        if (term->var >= relation->n_in)
            return false;
        int64_t first, lower = b->problem->workload->lower[term->var];
        if (__builtin_mul_overflow(term->factor, lower, &first) ||
                __builtin_add_overflow(q->constant, first, &q->constant))
            return false;
        int loop = b->loop_at[term->var];
        if (loop < 0)
            continue;
        if (read_loops(b, dim) >> loop & 1)
            return false;
        q->loop[q->n_parts] = loop;
        q->coef[q->n_parts++] = term->factor;
    }
    if (q->n_parts == 1 && q->divisor == 1) /* whatever the stride */
        *q = (struct mapper_index){.n_parts = 1, .closed = 1, .loop = {q->loop[0]}, .coef = {1}};
    for (int i = 0; i < q->n_parts && q->is_core; i++) {
        if (q->coef[i] < -q->divisor || q->coef[i] > q->divisor)
            return false;
    }
    return llabs(q->constant) < INT64_C(1) << 48;
}

/* Add the indices of an access all of whose dimensions are quotients; false where some is none. */
static bool add_quotients(struct access_builder *b)
{
    const struct sator_relation *relation = b->access->relation;
    struct mapper_access *made = b->made;
    struct mapper_index q[MAPPER_INDICES];

    if (relation->n_pieces != 1 || relation->pieces[0].n_free != 0 || made->may_be_empty)
        return false;
    for (int d = 0; d < relation->n_out; d++) {
        if (!read_quotient(b, d, &q[d]))
            return false;
    }
    for (int d = 0; d < relation->n_out; d++) {
        struct mapper_index *index = &made->index[made->n_indices];
        *index = q[d];
        index->n_parts = 0;
        for (int i = 0; i < q[d].n_parts; i++)
            place_part(made, index, q[d].loop[i], q[d].coef[i]);
        made->plain |= q[d].closed == 1 ? 1U << q[d].loop[0] : 0;
        made->n_indices += q[d].n_parts > 0;
    }
    made->is_sliding = made->plain != made->relevant;
    return relation->n_out > 0;
}

/* Indices of the loops that stand alone, and one of all others. */
static enum sator_status add_counted(struct access_builder *b)
{
    const struct sator_relation *relation = b->access->relation;
    struct mapper_access *made = b->made;
    unsigned rest = b->problem->in_hull ? (1U << b->problem->n_loops) - 1 : read_loops(b, -1);
    enum sator_status st = SATOR_OK;

    made->is_counted = true;
    made->may_be_empty = b->problem->in_hull;
    for (int k = 0; k < relation->n_pieces; k++)
        made->may_be_empty |= relation->pieces[k].cond->op != SATOR_COND_TRUE;
    made->is_quotient = add_quotients(b);
    if (made->is_quotient)
        return sator_mapper_count_access(b->ctx, b->problem, made);
    for (int d = 0; d < relation->n_out && !made->may_be_empty; d++) {
        if (!stands_alone(b, d))
            continue;
        rest &= ~loops_of(b, relation->pieces[0].out[d]);
        SATOR_TRY(add_index(b, relation->pieces[0].out[d], 0)); /* of one loop */
    }
    struct mapper_index *core = &made->index[made->n_indices];
    *core = (struct mapper_index){.is_core = true};
    for (int l = 0; l < b->problem->n_loops; l++) {
        if (rest >> l & 1)
            place_part(made, core, l, 1);
    }
    made->n_indices++;
    made->is_sliding = true;
    SATOR_TRY(sator_mapper_count_access(b->ctx, b->problem, made));
done:
    return st;
}

enum sator_status sator_mapper_access_init(struct sator_ctx *ctx, struct mapper_problem *problem,
        const int *loop_at, const struct sator_access *access)
{
    struct mapper_access *made = &problem->access[problem->n_accesses];
    struct access_builder b = {ctx, problem, loop_at, access, made};
    sator_int volume = problem->instances, places = 1;
    enum sator_status st;

    if (problem->n_accesses == MAPPER_ACCESSES)
        return unsupported(&b, "the statement has more than eight accesses");
    if (access->relation->n_out > MAPPER_INDICES)
        return unsupported(&b, "it has more than eight dimensions");
    *made = (struct mapper_access){
            .name = access->tensor, .role = access->role, .word_bits = access->word_bits};
    while (strcmp(problem->access[made->stored_as].name, made->name) != 0)
        made->stored_as++; /* ends at the access itself */
    made->relation = access->relation;
    if (problem->in_hull || !sator_mapper_is_translated(access->relation)) {
        SATOR_TRY(add_counted(&b));
        problem->n_accesses++;
        return SATOR_OK;
    }
    SATOR_TRY(add_indices(&b));
    for (int e = 0; e < made->n_indices; e++) {
        if (made->index[e].joint != NULL)
            places *= made->index[e].joint->n_places;
    }
    volume *= places;
    if (volume > INT64_MAX / 64)
        return unsupported(&b, "all instances together touch it more than 2^57 times");
    made->volume = (int64_t)volume;
    made->instance_words = (int64_t)places;
    problem->n_accesses++;
done:
    return st;
}
