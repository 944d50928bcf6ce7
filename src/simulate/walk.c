/* Stamps in order by inverting sums of digits.
 *
 * The rows of the time-stamp are solved for one digit each, its pivot, by elimination over the
 * integers; what is left over, the free digits, is tried in every stamp. With the free digits
 * numbered r, every quantity is base(stamp) + delta[r]: pivots, which must be digits; loops, which
 * must be in their bounds; places and elements.
 */
#include "simulate/walk.h"
#include "base/room.h"

#include "base/checked.h"
#include "simulate/digits.h"
#include "simulate/sorted.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_INNER = SATOR_ROOM(1 << 13, 4), /* free digits that are numbered together */
    WASTE = 24, /* trials an instance, above which sorting is better */
    LONG = SATOR_ROOM(8, 2) /* values of a digit: their range is solved for, not tried */
};

/* A quantity over stamps and free digits. */
struct quantity {
    int64_t base; /* at the stamp and the outer free digits at hand */
    int64_t *by_row; /* one step of each row of the time-stamp */
    int64_t *by_digit; /* one step of each free digit */
    int64_t *deltas; /* of the inner free digits, numbered; NULL: all 0 */
    int64_t least;
    uint64_t span; /* least <= value <= least + span */
};

struct walk {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct walk_question *question;
    struct sorted *sorted; /* in place of all that follows */
    struct digits digits;
    int n_rows;
    int64_t *row_least, *row_most, *row_factor, *row_constant; /* t = constant + factor * row */
    int64_t *row, *stamp;
    int n_free, n_inner; /* the first n_inner are numbered */
    int *free_digits;
    int64_t *outer; /* of the free digits from n_inner on */
    int64_t n_r;
    int n_checks;
    struct quantity *checks;
    struct quantity place;
    struct quantity elements[WALK_TOUCHES];
    struct quantity *loops; /* values of the loops, where "needs_points" */
    bool needs_points, is_filtered, is_general[WALK_TOUCHES];
    bool begun, is_done, has_part, is_at_first; /* is_at_first: of the outer free digits */
    struct walk_part part;
    int64_t *chosen; /* r of the part's instances */
    int64_t *places;
    uint64_t *columns[WALK_TOUCHES];
    bool *holds[WALK_TOUCHES];
};

/* ---- equations ---- */

/* rows . digits = their values; "inverse" says which combination of the first rows each is. */
struct equations {
    int n_rows, n_digits;
    int64_t *factors, *inverse; /* n_rows x n_digits, n_rows x n_rows */
    int *pivots; /* digit, or -1: a row that must be 0 */
};

static bool scale_add(int64_t *a, int64_t factor, int64_t b)
{
    int64_t product;

    return !__builtin_mul_overflow(factor, b, &product) && !__builtin_add_overflow(*a, product, a);
}

static bool eliminate(struct equations *e, int row, int pivot)
{
    int64_t *own = e->factors + row * e->n_digits, *own_inverse = e->inverse + row * e->n_rows;

    if (own[pivot] < 0) {
        for (int j = 0; j < e->n_digits; j++)
            own[j] = -own[j];
        for (int j = 0; j < e->n_rows; j++)
            own_inverse[j] = -own_inverse[j];
    }
    for (int i = 0; i < e->n_rows; i++) {
        int64_t *other = e->factors + i * e->n_digits, factor = -other[pivot];
        if (i == row || factor == 0)
            continue;
        for (int j = 0; j < e->n_digits; j++) {
            if (!scale_add(&other[j], factor, own[j]))
                return false;
        }
        for (int j = 0; j < e->n_rows; j++) {
            if (!scale_add(&e->inverse[i * e->n_rows + j], factor, own_inverse[j]))
                return false;
        }
    }
    return true;
}

/* The digit to solve a row for: one of factor 1, rather one that places nothing, the longest. */
static int choose_pivot(
        const struct digits *digits, const struct equations *e, int row, const int64_t *places)
{
    const int64_t *own = e->factors + row * e->n_digits;
    int best = -1;

    for (int j = 0; j < e->n_digits; j++) {
        if (own[j] != 1 && own[j] != -1)
            continue;
        if (best < 0 || (places[j] == 0) > (places[best] == 0) ||
                ((places[j] == 0) == (places[best] == 0) &&
                        digits->digits[j].extent > digits->digits[best].extent))
            best = j;
    }
    return best;
}

static bool solve(const struct digits *digits, struct equations *e, const int64_t *places)
{
    for (int row = 0; row < e->n_rows; row++) {
        bool empty = true;
        for (int j = 0; j < e->n_digits; j++)
            empty = empty && e->factors[row * e->n_digits + j] == 0;
        e->pivots[row] = empty ? -1 : choose_pivot(digits, e, row, places);
        if (!empty && (e->pivots[row] < 0 || !eliminate(e, row, e->pivots[row])))
            return false;
    }
    return true;
}

/* ---- making ---- */

static bool note(struct walk *walk, const struct sator_relation *relation, int n_out)
{
    const struct sator_piece *piece = sator_relation_function(relation);

    for (int d = 0; d < n_out && piece != NULL; d++) {
        if (!digits_note(walk->arena, &walk->digits, piece->out[d]))
            return false;
    }
    return piece != NULL;
}

/* The digits; false where the stamps are no sums of them. What an access needs beyond is asked for
 * point by point. */
static bool find_digits(struct walk *walk)
{
    const struct walk_question *q = walk->question;

    walk->digits.n_loops = q->workload->n_loops;
    walk->digits.loops = SATOR_NEW_ARRAY(walk->arena, struct digit_loop, q->workload->n_loops + 1);
    walk->needs_points = walk->is_filtered = !q->workload->is_box;
    if (!note(walk, q->time, q->n_time) || !note(walk, q->space, q->n_space))
        return false;
    for (int t = 0; t < q->n_touches; t++) {
        const struct touch *touch = &q->touches[t];
        bool linear = touch->piece->cond->op == SATOR_COND_TRUE;
        for (int d = 0; d < touch->numbering->n_dims && linear; d++)
            linear = digits_note(walk->arena, &walk->digits, touch->piece->out[d]);
        walk->is_general[t] = !linear;
        walk->needs_points |= !linear;
    }
    return digits_make(walk->arena, &walk->digits, q->workload);
}

static bool place_factors(struct walk *walk, struct linear *place)
{
    const struct walk_question *q = walk->question;
    const struct sator_piece *piece = sator_relation_function(q->space);
    int64_t stride = 1;

    *place = (struct linear){0, SATOR_NEW_ARRAY(walk->arena, int64_t, walk->digits.n_digits + 1)};
    for (int d = q->n_space - 1; d >= 0; d--) {
        struct linear one;
        if (!digits_linear(walk->arena, &walk->digits, piece->out[d], &one) ||
                !scale_add(&place->constant, stride, one.constant))
            return false;
        for (int j = 0; j < walk->digits.n_digits; j++) {
            if (!scale_add(&place->factors[j], stride, one.factors[j]))
                return false;
        }
        stride *= q->shape[d];
    }
    return true;
}

/* Elements are numbered modulo 2^64: what is in between may leave the fields, the sum does not. */
static void element_factors(struct walk *walk, int t, struct linear *element)
{
    const struct touch *touch = &walk->question->touches[t];
    uint64_t constant = 0;

    *element = (struct linear){0, SATOR_NEW_ARRAY(walk->arena, int64_t, walk->digits.n_digits + 1)};
    for (int d = 0; d < touch->numbering->n_dims && !walk->is_general[t]; d++) {
        int shift = touch->numbering->shift[d];
        struct linear one;
        if (!digits_linear(walk->arena, &walk->digits, touch->piece->out[d], &one)) {
            walk->is_general[t] = walk->needs_points = true;
            return;
        }
        constant += ((uint64_t)one.constant - (uint64_t)touch->numbering->least[d]) << shift;
        for (int j = 0; j < walk->digits.n_digits; j++)
            element->factors[j] =
                    (int64_t)((uint64_t)element->factors[j] + ((uint64_t)one.factors[j] << shift));
    }
    element->constant = (int64_t)constant;
}

/* The rows of the time-stamp, each divided by what its factors have in common. */
static bool find_rows(struct walk *walk, struct equations *e)
{
    const struct walk_question *q = walk->question;
    const struct sator_piece *piece = sator_relation_function(q->time);
    int n = q->n_time, m = walk->digits.n_digits;

    *e = (struct equations){n, m, SATOR_NEW_ARRAY(walk->arena, int64_t, n * m + 1),
            SATOR_NEW_ARRAY(walk->arena, int64_t, n * n + 1),
            SATOR_NEW_ARRAY(walk->arena, int, n + 1)};
    walk->n_rows = n;
    walk->row_least = SATOR_NEW_ARRAY(walk->arena, int64_t, n + 1);
    walk->row_most = SATOR_NEW_ARRAY(walk->arena, int64_t, n + 1);
    walk->row_factor = SATOR_NEW_ARRAY(walk->arena, int64_t, n + 1);
    walk->row_constant = SATOR_NEW_ARRAY(walk->arena, int64_t, n + 1);
    for (int k = 0; k < n; k++) {
        struct linear row;
        int64_t common = 0;
        if (!digits_linear(walk->arena, &walk->digits, piece->out[k], &row))
            return false;
        for (int j = 0; j < m; j++)
            common = sator_gcd(common, row.factors[j]);
        common += common == 0;
        for (int j = 0; j < m; j++) {
            int64_t factor = row.factors[j] / common;
            int64_t *end = factor < 0 ? &walk->row_least[k] : &walk->row_most[k];
            e->factors[k * m + j] = factor;
            if (!scale_add(end, factor, walk->digits.digits[j].extent - 1))
                return false;
        }
        e->inverse[k * n + k] = 1;
        walk->row_factor[k] = common;
        walk->row_constant[k] = row.constant;
    }
    return true;
}

/* Whether digit "j" makes a difference to what is asked for. */
static bool matters(const struct walk *walk, const struct equations *e, const struct linear *place,
        const struct linear *elements, int j)
{
    const struct walk_question *q = walk->question;
    const struct digit *digit = &walk->digits.digits[j];
    bool matter = q->is_whole || walk->is_filtered || place->factors[j] != 0 ||
            walk->digits.loops[digit->loop].least > 0;

    for (int k = 0; k < e->n_rows; k++)
        matter |= e->factors[k * e->n_digits + j] != 0;
    for (int t = 0; t < q->n_touches; t++) {
        const struct sator_piece *piece = q->touches[t].piece;
        matter |= elements[t].factors[j] != 0;
        for (int d = 0; d < q->touches[t].numbering->n_dims && walk->is_general[t]; d++)
            matter |= sator_expr_has_var(piece->out[d], digit->loop);
        matter |= walk->is_general[t] && piece->cond->op != SATOR_COND_TRUE;
    }
    return matter;
}

static struct quantity quantity_new(struct walk *walk)
{
    return (struct quantity){.by_row = SATOR_NEW_ARRAY(walk->arena, int64_t, walk->n_rows + 1),
            .by_digit = SATOR_NEW_ARRAY(walk->arena, int64_t, walk->n_free + 1)};
}

/* A sum over the digits as a quantity at the first row values and free digits of 0. */
static bool quantity_from(struct walk *walk, const struct equations *e, const struct linear *linear,
        struct quantity *quantity)
{
    *quantity = quantity_new(walk);
    uint64_t base = (uint64_t)linear->constant;
    for (int f = 0; f < walk->n_free; f++)
        quantity->by_digit[f] = linear->factors[walk->free_digits[f]];
    for (int k = 0; k < e->n_rows; k++) {
        int pivot = e->pivots[k];
        uint64_t factor = pivot < 0 ? 0 : (uint64_t)linear->factors[pivot];
        for (int i = 0; i < e->n_rows; i++)
            quantity->by_row[i] = (int64_t)((uint64_t)quantity->by_row[i] +
                    factor * (uint64_t)e->inverse[k * e->n_rows + i]);
        for (int f = 0; f < walk->n_free; f++)
            quantity->by_digit[f] = (int64_t)((uint64_t)quantity->by_digit[f] -
                    factor * (uint64_t)e->factors[k * e->n_digits + walk->free_digits[f]]);
    }
    for (int i = 0; i < e->n_rows; i++)
        base += (uint64_t)quantity->by_row[i] * (uint64_t)walk->row_least[i];
    quantity->base = (int64_t)base;
    return true;
}

static struct linear unit(struct walk *walk, int digit)
{
    struct linear linear = {0, SATOR_NEW_ARRAY(walk->arena, int64_t, walk->digits.n_digits + 1)};

    linear.factors[digit] = 1;
    return linear;
}

/* Rows that must be 0, pivots that must be digits. */
static void check_pivots(struct walk *walk, const struct equations *e)
{
    for (int k = 0; k < e->n_rows; k++) {
        struct quantity *check = &walk->checks[walk->n_checks];
        if (e->pivots[k] >= 0) {
            struct linear own = unit(walk, e->pivots[k]);
            quantity_from(walk, e, &own, check);
            check->span = (uint64_t)walk->digits.digits[e->pivots[k]].extent - 1;
        } else {
            *check = quantity_new(walk);
            for (int i = 0; i < e->n_rows; i++) {
                check->by_row[i] = e->inverse[k * e->n_rows + i];
                check->base += check->by_row[i] * walk->row_least[i];
            }
        }
        walk->n_checks++;
    }
}

static void check_loops(struct walk *walk, const struct equations *e)
{
    for (int l = 0; l < walk->digits.n_loops; l++) {
        const struct digit_loop *loop = &walk->digits.loops[l];
        struct linear value = {0, SATOR_NEW_ARRAY(walk->arena, int64_t, walk->digits.n_digits + 1)};
        int64_t most = 0;
        for (int i = 0; i < loop->n_weights; i++) {
            value.factors[loop->first + i] = loop->weights[i];
            most += loop->weights[i] * (walk->digits.digits[loop->first + i].extent - 1);
        }
        if (walk->needs_points) {
            value.constant = -loop->base;
            quantity_from(walk, e, &value, &walk->loops[l]);
            value.constant = 0;
        }
        if (most < loop->end && loop->least == 0)
            continue;
        struct quantity *check = &walk->checks[walk->n_checks++];
        quantity_from(walk, e, &value, check);
        check->least = loop->least;
        check->span = (uint64_t)(loop->end - 1 - loop->least);
    }
}

/* Let places ascend with the numbers of the inner free digits, as far as they can. */
static void order_inner(struct walk *walk, const struct linear *place)
{
    for (int i = 1; i < walk->n_inner; i++)
        for (int k = i; k > 0; k--) {
            int *a = &walk->free_digits[k - 1], *b = &walk->free_digits[k], moved = *a;
            if (llabs(place->factors[*a]) <= llabs(place->factors[*b]))
                break;
            *a = *b;
            *b = moved;
        }
}

/* The free digits: short ones first, so that many are numbered together. */
static void find_free(struct walk *walk, const struct equations *e, const struct linear *place,
        const struct linear *elements)
{
    walk->free_digits = SATOR_NEW_ARRAY(walk->arena, int, walk->digits.n_digits + 1);
    for (int j = 0; j < walk->digits.n_digits; j++) {
        bool is_pivot = walk->digits.digits[j].extent == 1;
        for (int k = 0; k < e->n_rows; k++)
            is_pivot |= e->pivots[k] == j;
        if (!is_pivot && matters(walk, e, place, elements, j))
            walk->free_digits[walk->n_free++] = j;
    }
    walk->n_r = 1;
    for (; walk->n_inner < walk->n_free; walk->n_inner++) {
        int at = walk->n_inner, digit;
        for (int f = at + 1; f < walk->n_free; f++) {
            if (walk->digits.digits[walk->free_digits[f]].extent <
                    walk->digits.digits[walk->free_digits[at]].extent)
                at = f;
        }
        digit = walk->free_digits[at];
        if (walk->n_r > MOST_INNER / walk->digits.digits[digit].extent)
            break;
        walk->free_digits[at] = walk->free_digits[walk->n_inner];
        walk->free_digits[walk->n_inner] = digit;
        walk->n_r *= walk->digits.digits[digit].extent;
    }
    walk->outer = SATOR_NEW_ARRAY(walk->arena, int64_t, walk->n_free + 1);
    order_inner(walk, place);
}

/* The values of the finest free digit are ranges that are solved for. */
static bool has_ranges(const struct walk *walk)
{
    return walk->n_inner > 0 && walk->digits.digits[walk->free_digits[0]].extent >= LONG;
}

static bool is_wasteful(const struct walk *walk)
{
    double trials = 1, instances = 1;

    for (int k = 0; k < walk->n_rows; k++)
        trials *= (double)(walk->row_most[k] - walk->row_least[k] + 1);
    for (int f = has_ranges(walk); f < walk->n_free; f++)
        trials *= (double)walk->digits.digits[walk->free_digits[f]].extent;
    for (int l = 0; l < walk->digits.n_loops; l++)
        instances *= (double)(walk->digits.loops[l].end - walk->digits.loops[l].least);
    return trials > 1e5 + WASTE * instances;
}

static void number_free(struct walk *walk, struct quantity *quantity)
{
    bool any = false;

    for (int f = 0; f < walk->n_inner; f++)
        any |= quantity->by_digit[f] != 0;
    if (!any)
        return;
    quantity->deltas = SATOR_NEW_ARRAY(walk->arena, int64_t, walk->n_r + 1);
    for (int64_t r = 0; r < walk->n_r; r++) {
        int64_t rest = r;
        uint64_t sum = 0;
        for (int f = 0; f < walk->n_inner; f++) {
            int64_t extent = walk->digits.digits[walk->free_digits[f]].extent;
            sum += (uint64_t)quantity->by_digit[f] * (uint64_t)(rest % extent);
            rest /= extent;
        }
        quantity->deltas[r] = (int64_t)sum;
    }
}

static void make_room(struct walk *walk)
{
    size_t n = (size_t)walk->n_r + 1;

    walk->row = SATOR_NEW_ARRAY(walk->arena, int64_t, walk->n_rows + 1);
    walk->stamp = SATOR_NEW_ARRAY(walk->arena, int64_t, walk->n_rows + 1);
    walk->chosen = SATOR_NEW_ARRAY(walk->arena, int64_t, n);
    walk->places = SATOR_NEW_ARRAY(walk->arena, int64_t, n);
    for (int t = 0; t < walk->question->n_touches; t++) {
        walk->columns[t] = SATOR_NEW_ARRAY(walk->arena, uint64_t, n);
        walk->holds[t] = SATOR_NEW_ARRAY(walk->arena, bool, n);
    }
}

/* Everything for walking by digits; false where that cannot be, or is not worth it. */
static bool make(struct walk *walk)
{
    int n_touches = walk->question->n_touches;
    struct linear place, elements[WALK_TOUCHES];
    struct equations e;

    if (!find_digits(walk) || !place_factors(walk, &place) || !find_rows(walk, &e))
        return false;
    for (int t = 0; t < n_touches; t++)
        element_factors(walk, t, &elements[t]);
    if (!solve(&walk->digits, &e, place.factors))
        return false;
    find_free(walk, &e, &place, elements);
    if (is_wasteful(walk))
        return false;
    walk->checks =
            SATOR_NEW_ARRAY(walk->arena, struct quantity, walk->n_rows + walk->digits.n_loops + 1);
    walk->loops = SATOR_NEW_ARRAY(walk->arena, struct quantity, walk->digits.n_loops + 1);
    check_pivots(walk, &e);
    check_loops(walk, &e);
    quantity_from(walk, &e, &place, &walk->place);
    for (int t = 0; t < n_touches; t++)
        quantity_from(walk, &e, &elements[t], &walk->elements[t]);
    for (int c = 0; c < walk->n_checks; c++)
        number_free(walk, &walk->checks[c]);
    for (int l = 0; l < walk->digits.n_loops && walk->needs_points; l++)
        number_free(walk, &walk->loops[l]);
    number_free(walk, &walk->place);
    for (int t = 0; t < n_touches; t++)
        number_free(walk, &walk->elements[t]);
    make_room(walk);
    return true;
}

enum sator_status walk_new(
        struct sator_ctx *ctx, const struct walk_question *question, struct walk **walk)
{
    struct sator_arena *arena = sator_arena_new();
    struct walk *made = SATOR_NEW(arena, struct walk);
    enum sator_status st = SATOR_OK;

    *made = (struct walk){.ctx = ctx,
            .arena = arena,
            .is_at_first = true,
            .question = sator_arena_copy(arena, question, sizeof *question)};
    if (!make(made))
        st = sorted_new(ctx, made->question, &made->sorted);
    if (st == SATOR_OK)
        *walk = made;
    else
        walk_free(made);
    return st;
}

void walk_free(struct walk *walk)
{
    if (walk == NULL)
        return;
    sorted_free(walk->sorted);
    sator_arena_free(walk->arena);
}

/* ---- walking ---- */

static void step(struct walk *walk, bool is_row, int index, int64_t steps)
{
#define STEP(quantity)                                                                             \
    ((quantity)->base = (int64_t)((uint64_t)(quantity)->base +                                     \
             (uint64_t)steps *                                                                     \
                     (uint64_t)(is_row ? (quantity)->by_row[index]                                 \
                                       : (quantity)->by_digit[index])))
    for (int c = 0; c < walk->n_checks; c++)
        STEP(&walk->checks[c]);
    for (int l = 0; l < walk->digits.n_loops && walk->needs_points; l++)
        STEP(&walk->loops[l]);
    STEP(&walk->place);
    for (int t = 0; t < walk->question->n_touches; t++)
        STEP(&walk->elements[t]);
#undef STEP
}

/* The next values of the rows; the first row that changes, or -1 at the end. */
static int next_rows(struct walk *walk)
{
    for (int k = walk->n_rows - 1; k >= 0; k--) {
        if (walk->row[k] < walk->row_most[k]) {
            walk->row[k]++;
            step(walk, true, k, 1);
            return k;
        }
        step(walk, true, k, walk->row_least[k] - walk->row[k]);
        walk->row[k] = walk->row_least[k];
    }
    return -1;
}

static bool next_outer(struct walk *walk)
{
    for (int f = walk->n_inner; f < walk->n_free; f++) {
        if (walk->outer[f] + 1 < walk->digits.digits[walk->free_digits[f]].extent) {
            walk->outer[f]++;
            step(walk, false, f, 1);
            walk->is_at_first = false;
            return true;
        }
        step(walk, false, f, -walk->outer[f]);
        walk->outer[f] = 0;
    }
    walk->is_at_first = true;
    return false;
}

static void first_outer(struct walk *walk)
{
    while (!walk->is_at_first)
        next_outer(walk);
}

/* Keep of "n" numbers those that pass; at first (n < 0) of all. */
static int64_t pass(const struct quantity *check, int64_t n_r, int64_t n, int64_t *chosen)
{
    const int64_t base = check->base - check->least, *deltas = check->deltas;
    const uint64_t span = check->span;
    int64_t kept = 0;

    if (deltas == NULL)
        return (uint64_t)base <= span ? n : 0;
    if (n < 0) {
        for (int64_t r = 0; r < n_r; r++) {
            chosen[kept] = r;
            kept += (uint64_t)(base + deltas[r]) <= span;
        }
        return kept;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t r = chosen[i];
        chosen[kept] = r;
        kept += (uint64_t)(base + deltas[r]) <= span;
    }
    return kept;
}

static int64_t value_at(const struct quantity *quantity, int64_t r)
{
    return quantity->deltas == NULL
            ? quantity->base
            : (int64_t)((uint64_t)quantity->base + (uint64_t)quantity->deltas[r]);
}

/* What asks for the values of the loops: the domain, and accesses that are no sums. */
static int64_t ask_points(struct walk *walk, int64_t n)
{
    const struct sator_workload *workload = walk->question->workload;
    int64_t point[64], kept = 0; /* readers take fewer loops */

    for (int64_t i = 0; i < n; i++) {
        bool inside = true;
        for (int l = 0; l < workload->n_loops; l++)
            point[l] = value_at(&walk->loops[l], walk->chosen[i]);
        if (walk->is_filtered)
            inside = touch_is_inside(workload->domain, point);
        if (!inside)
            continue;
        walk->chosen[kept] = walk->chosen[i];
        for (int t = 0; t < walk->question->n_touches; t++) {
            if (walk->is_general[t])
                walk->holds[t][kept] =
                        touch_element(&walk->question->touches[t], point, &walk->columns[t][kept]);
        }
        kept++;
    }
    return kept;
}

static void fill(const struct quantity *quantity, int64_t n, const int64_t *chosen, uint64_t *out)
{
    const uint64_t base = (uint64_t)quantity->base;
    const int64_t *deltas = quantity->deltas;

    if (deltas == NULL) {
        for (int64_t i = 0; i < n; i++)
            out[i] = base;
    } else if (chosen == NULL) {
        for (int64_t i = 0; i < n; i++)
            out[i] = base + (uint64_t)deltas[i];
    } else {
        for (int64_t i = 0; i < n; i++)
            out[i] = base + (uint64_t)deltas[chosen[i]];
    }
}

/* Keep of the values [*first, *end) of the finest free digit those that pass, where the others add
 * "delta". */
static void narrow(const struct quantity *check, int64_t delta, int64_t *first, int64_t *end)
{
    int64_t value = check->base + delta - check->least, by = check->by_digit[0];
    int64_t low = by < 0 ? value - (int64_t)check->span : -value; /* low <= |by| digit <= high */
    int64_t high = by < 0 ? value : (int64_t)check->span - value;

    if (by == 0) {
        *end = (uint64_t)value <= check->span ? *end : *first;
        return;
    }
    if (by != 1 && by != -1) {
        low = -sator_floor_div(-low, llabs(by));
        high = sator_floor_div(high, llabs(by));
    }
    *first = low > *first ? low : *first;
    *end = high < *end ? high + 1 : *end;
}

/* The same as to "pass" all checks, by ranges of the finest free digit. */
static int64_t pass_ranges(const struct walk *walk)
{
    const int64_t extent = walk->digits.digits[walk->free_digits[0]].extent;
    int64_t n = 0;

    for (int64_t r = 0; r < walk->n_r; r += extent) {
        int64_t first = 0, end = extent;
        for (int c = 0; c < walk->n_checks && first < end; c++)
            narrow(&walk->checks[c], walk->checks[c].deltas == NULL ? 0 : walk->checks[c].deltas[r],
                    &first, &end);
        for (int64_t d = first; d < end; d++)
            walk->chosen[n++] = r + d;
    }
    return n == walk->n_r ? -1 : n;
}

/* What runs at the stamp and the outer free digits at hand. */
static bool make_part(struct walk *walk)
{
    int64_t n = -1; /* all */

    if (has_ranges(walk))
        n = pass_ranges(walk);
    for (int c = 0; !has_ranges(walk) && c < walk->n_checks && n != 0; c++)
        n = pass(&walk->checks[c], walk->n_r, n, walk->chosen);
    bool all = n < 0;
    if (all && walk->needs_points) {
        for (n = 0; n < walk->n_r; n++)
            walk->chosen[n] = n;
        all = false;
    }
    n = all ? walk->n_r : n;
    if (n > 0 && walk->needs_points)
        n = ask_points(walk, n);
    if (n == 0)
        return false;
    const int64_t *chosen = all ? NULL : walk->chosen;
    walk->part.n = n;
    fill(&walk->place, n, chosen, (uint64_t *)walk->places);
    walk->part.place = walk->places;
    for (int t = 0; t < walk->question->n_touches; t++) {
        walk->part.elements[t] = walk->columns[t];
        walk->part.holds[t] = walk->is_general[t] ? walk->holds[t] : NULL;
        if (!walk->is_general[t])
            fill(&walk->elements[t], n, chosen, walk->columns[t]);
    }
    return true;
}

static bool find_part(struct walk *walk)
{
    do {
        if (make_part(walk))
            return true;
    } while (next_outer(walk));
    return false;
}

enum sator_status walk_next(struct walk *walk, int *changed)
{
    int first = 0;

    if (walk->sorted != NULL)
        return sorted_next(walk->sorted, changed);
    *changed = -1;
    if (!walk->begun) {
        walk->begun = true;
        memcpy(walk->row, walk->row_least, sizeof *walk->row * (size_t)walk->n_rows);
    } else {
        if (walk->is_done)
            return SATOR_OK;
        first_outer(walk);
        first = next_rows(walk);
    }
    for (bool is_first = true; first >= 0; is_first = false) {
        if (!is_first) {
            int row = next_rows(walk);
            first = row < first ? row : first;
            if (row < 0)
                break;
        }
        if (find_part(walk)) {
            for (int k = 0; k < walk->n_rows; k++)
                walk->stamp[k] = walk->row_constant[k] + walk->row_factor[k] * walk->row[k];
            walk->has_part = true;
            *changed = first;
            return SATOR_OK;
        }
        if (sator_work(walk->ctx, 1) == SATOR_INTERRUPTED)
            return SATOR_INTERRUPTED;
    }
    walk->is_done = true;
    return SATOR_OK;
}

bool walk_more(struct walk *walk, struct walk_part *part)
{
    if (walk->sorted != NULL)
        return sorted_more(walk->sorted, part);
    if (!walk->has_part && (!next_outer(walk) || !find_part(walk)))
        return false;
    walk->has_part = false;
    *part = walk->part;
    return true;
}

void walk_again(struct walk *walk)
{
    if (walk->sorted != NULL) {
        sorted_again(walk->sorted);
        return;
    }
    if (walk->n_inner < walk->n_free) {
        first_outer(walk);
        bool found = find_part(walk);
        assert(found);
        (void)found;
    }
    walk->has_part = true;
}

const int64_t *walk_stamp(const struct walk *walk)
{
    return walk->sorted != NULL ? sorted_stamp(walk->sorted) : walk->stamp;
}
