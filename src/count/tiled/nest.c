/* Reading a stamping's rows as digits. */
#include "count/tiled/nest.h"

#include "base/arena.h"
#include "base/checked.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct sator_decline too_large = {"a row of the nest reaches beyond 64 bits"};
static const struct sator_decline no_digits = {"a row is no sum of loops' digits"};

/* ---- digits of expressions ---- */

/* A single digit plus a constant. */
struct read_digit {
    int loop; /* -1: the constant alone */
    int64_t from, to, constant;
};

static bool read_digit(
        const struct tiled_nest *nest, const struct sator_term *term, struct read_digit *d);

static bool read_argument(
        const struct tiled_nest *nest, const struct sator_expr *expr, struct read_digit *d)
{
    if (expr->n_terms != 1 || expr->terms[0].factor != 1 || !read_digit(nest, &expr->terms[0], d))
        return false;
    return !__builtin_add_overflow(d->constant, expr->constant, &d->constant);
}

/* floor(n / from / divisor) and n / from % divisor keep the digits from a place on, or below it. */
static bool divide(enum sator_atom atom, int64_t divisor, struct read_digit *d)
{
    int64_t place;
    bool beyond = __builtin_mul_overflow(d->from, divisor, &place) || place >= d->to;

    if (d->constant % divisor != 0 || (!beyond && d->to != INT64_MAX && d->to % place != 0))
        return false;
    if (atom == SATOR_ATOM_FLOOR) {
        d->constant /= divisor;
        d->loop = beyond ? -1 : d->loop;
        d->from = place;
    } else {
        d->constant = 0;
        d->to = beyond ? d->to : place;
    }
    return true;
}

static bool read_digit(
        const struct tiled_nest *nest, const struct sator_term *term, struct read_digit *d)
{
    if (term->atom == SATOR_ATOM_VAR) {
        if (term->var >= nest->n_loops)
            return false;
        *d = (struct read_digit){term->var, 1, INT64_MAX, nest->loop[term->var].lower};
        return true;
    }
    if (!read_argument(nest, term->argument, d))
        return false;
    if (d->loop < 0)
        return false; /* folded elsewhere; not worth a case */
    return divide(term->atom, term->divisor, d);
}

bool tiled_nest_reads(const struct tiled_nest *nest, const struct sator_term *term)
{
    struct read_digit d;

    return read_digit(nest, term, &d);
}

static const struct sator_decline *add_term(
        const struct tiled_nest *nest, const struct sator_term *term, struct tiled_row *row)
{
    struct read_digit d;
    int64_t constant;

    if (!read_digit(nest, term, &d))
        return &no_digits;
    if (__builtin_mul_overflow(term->factor, d.constant, &constant) ||
            __builtin_add_overflow(row->constant, constant, &row->constant))
        return &too_large;
    if (d.loop < 0 || d.from >= nest->loop[d.loop].extent)
        return NULL; /* always 0 */
    if (row->n_terms == TILED_TERMS)
        return DECLINE("a row has too many terms");
    row->term[row->n_terms++] = (struct tiled_term){.factor = term->factor,
            .loop = d.loop,
            .from = d.from,
            .to = d.to >= nest->loop[d.loop].extent ? INT64_MAX : d.to};
    return NULL;
}

const struct sator_decline *tiled_nest_add(
        struct tiled_nest *nest, const struct sator_expr *expr, int *row)
{
    const struct sator_decline *why = NULL;

    if (expr == NULL)
        return &too_large;
    if (nest->n_rows == TILED_ROWS)
        return DECLINE("the stamps and the tensor have too many dimensions");
    struct tiled_row *made = SATOR_NEW(nest->arena, struct tiled_row);
    made->constant = expr->constant;
    for (int i = 0; i < expr->n_terms && why == NULL; i++)
        why = add_term(nest, &expr->terms[i], made);
    *row = nest->n_rows;
    nest->row[nest->n_rows++] = made;
    return why;
}

const struct sator_decline *tiled_nest_begin(
        struct tiled_nest *nest, struct sator_arena *arena, const struct sator_stamping *stamping)
{
    const struct sator_piece *space = sator_relation_function(stamping->space);
    const struct sator_piece *time = sator_relation_function(stamping->time);
    const struct sator_relation *domain = stamping->domain;
    int64_t lower[TILED_LOOPS], upper[TILED_LOOPS];
    const struct sator_decline *why = NULL;
    int row;

    nest->arena = arena;
    nest->stamping = stamping;
    nest->is_whole = false;
    nest->n_loops = domain->n_in;
    nest->n_rows = nest->n_digits = nest->n_parts = 0;
    nest->instances = 1;
    if (space == NULL || time == NULL)
        return DECLINE("a stamp is restricted by a condition");
    if (domain->n_in == 0 || domain->n_in > TILED_LOOPS || stamping->n_space > TILED_SPACES)
        return DECLINE("the nest has too many loops, or none");
    if (!sator_set_is_box(domain, lower, upper))
        return DECLINE("the domain is no box");
    for (int l = 0; l < nest->n_loops; l++) {
        int64_t extent;
        if (upper[l] <= lower[l] || __builtin_sub_overflow(upper[l], lower[l], &extent) ||
                extent > INT64_C(1) << 50)
            return DECLINE("the domain is empty, or a loop too long");
        nest->loop[l] = (struct tiled_loop){.lower = lower[l], .extent = extent};
        if (!sator_mul(nest->instances, extent, &nest->instances) ||
                nest->instances >= (sator_int)1 << 100)
            return DECLINE("there are 2^100 instances or more");
    }
    for (int i = 0; i < stamping->n_time && why == NULL; i++)
        why = tiled_nest_add(nest, time->out[i], &row);
    for (int i = 0; i < stamping->n_space && why == NULL; i++)
        why = tiled_nest_add(nest, space->out[i], &row);
    return why;
}

/* ---- places ---- */

void tiled_loop_finish(struct tiled_nest *nest, struct tiled_loop *loop)
{
    int64_t rest = loop->extent - 1;

    loop->whole_from = 0;
    for (int k = 0; k < loop->n_digits; k++) {
        struct tiled_digit *digit = &nest->digit[loop->first + k];
        digit->top = rest / digit->place;
        assert(digit->top < digit->size);
        rest %= digit->place;
        if (digit->top < digit->size - 1)
            loop->whole_from = k + 1;
    }
    assert(rest == 0);
}

/* Split a loop at every place in use. */
static const struct sator_decline *make_digits(struct tiled_nest *nest, int l)
{
    struct tiled_loop *loop = &nest->loop[l];
    int64_t place[2 * TILED_ROWS * 4 + 1];
    int n = 0, distinct = 0;

    place[n++] = 1;
    for (int r = 0; r < nest->n_rows; r++) {
        for (int i = 0; i < nest->row[r]->n_terms && n + 2 < 2 * TILED_ROWS * 4; i++) {
            const struct tiled_term *term = &nest->row[r]->term[i];
            if (term->loop != l)
                continue;
            place[n++] = term->from;
            if (term->to != INT64_MAX)
                place[n++] = term->to;
        }
    }
    qsort(place, (size_t)n, sizeof *place, sator_compare_int64);
    for (int i = 0; i < n; i++) {
        if (distinct > 0 && place[i] == place[distinct - 1])
            continue;
        if (distinct > 0 && place[i] % place[distinct - 1] != 0)
            return DECLINE("divisors of one loop do not divide each other");
        place[distinct++] = place[i];
    }
    if (nest->n_digits + distinct > TILED_DIGITS)
        return DECLINE("the loops have too many digits");
    loop->first = nest->n_digits;
    loop->n_digits = distinct;
    for (int i = distinct - 1; i >= 0; i--) {
        int64_t size =
                i == distinct - 1 ? (loop->extent - 1) / place[i] + 1 : place[i + 1] / place[i];
        nest->digit[nest->n_digits++] =
                (struct tiled_digit){.loop = l, .place = place[i], .size = size, .fixed = -1};
    }
    tiled_loop_finish(nest, loop);
    return NULL;
}

/* ---- rows as numbers of digits ---- */

struct weighted {
    int digit;
    int64_t weight;
};

static void insert(const struct weighted *one, struct weighted *list, int *n)
{
    int at = (*n)++;

    for (; at > 0 && list[at - 1].weight < one->weight; at--)
        list[at] = list[at - 1];
    list[at] = *one;
}

/* The digits of a row, those of greater weight first. */
static const struct sator_decline *digits_of(const struct tiled_nest *nest,
        const struct tiled_row *row, struct weighted *list, int *count)
{
    int n = 0;

    for (int i = 0; i < row->n_terms; i++) {
        const struct tiled_term *term = &row->term[i];
        const struct tiled_loop *loop = &nest->loop[term->loop];
        for (int k = loop->first; k < loop->first + loop->n_digits; k++) {
            const struct tiled_digit *digit = &nest->digit[k];
            struct weighted one = {k, 0};
            if (digit->place < term->from || digit->place >= term->to || digit->size == 1)
                continue;
            if (__builtin_mul_overflow(term->factor, digit->place / term->from, &one.weight))
                return &too_large;
            if (n == TILED_DIGITS)
                return DECLINE("a row has too many digits");
            insert(&one, list, &n);
        }
    }
    *count = n;
    return NULL;
}

/* Whether a row's digits are those of a mixed-radix number: each weighs more than all lighter ones
 * together reach. */
static bool is_number(const struct tiled_nest *nest, const struct weighted *list, int n)
{
    int64_t reach = 0;

    for (int i = n - 1; i >= 0; i--) {
        int64_t more;
        if (list[i].weight <= reach ||
                __builtin_mul_overflow(
                        list[i].weight, nest->digit[list[i].digit].size - 1, &more) ||
                __builtin_add_overflow(reach, more, &reach) || reach > INT64_C(1) << 55)
            return false;
    }
    return true;
}

const struct sator_decline *tiled_nest_names(const struct tiled_nest *nest, int row, bool *named)
{
    struct weighted list[TILED_DIGITS];
    int n;
    const struct sator_decline *why = digits_of(nest, nest->row[row], list, &n);

    if (why == NULL && !is_number(nest, list, n))
        why = DECLINE("a bus's row is no mixed-radix number of digits");
    for (int i = 0; i < n && why == NULL; i++)
        named[list[i].digit] = true;
    return why;
}

void tiled_nest_coordinates(const struct tiled_nest *nest, struct tiled_coordinates *all)
{
    struct weighted list[TILED_DIGITS];

    all->n = 0;
    for (int i = 0; i < nest->stamping->n_space; i++) {
        int n;
        (void)digits_of(nest, nest->row[nest->stamping->n_time + i], list, &n); /* once more */
        all->first[i] = all->n;
        for (int k = 0; k < n; k++)
            all->digit[all->n++] = list[k].digit;
    }
    all->first[nest->stamping->n_space] = all->n;
}

const struct sator_decline *tiled_nest_fix(struct tiled_nest *nest, int row)
{
    struct weighted list[TILED_DIGITS];
    int64_t left = -nest->row[row]->constant;
    int n;
    const struct sator_decline *why = digits_of(nest, nest->row[row], list, &n);

    if (why == NULL && !is_number(nest, list, n))
        why = DECLINE("an access is restricted by a condition that fixes no digits");
    for (int i = 0; i < n && why == NULL && left >= 0; i++) {
        struct tiled_digit *digit = &nest->digit[list[i].digit];
        int64_t value = left / list[i].weight;
        value = value < digit->size ? value : digit->size - 1;
        left -= value * list[i].weight;
        if (digit->fixed >= 0 && digit->fixed != value)
            left = -1;
        digit->fixed = value;
        if (digit->kind == TILED_INSIDE) { /* as good as a coordinate: one value is left of it */
            digit->kind = TILED_SPACE;
            digit->row = TILED_NOWHERE;
        }
    }
    return why == NULL && left != 0 ? DECLINE("no instance has an access") : why;
}

const struct sator_decline *tiled_nest_weigh(const struct tiled_nest *nest, int row, int64_t *step)
{
    struct weighted list[TILED_DIGITS];
    int n;
    const struct sator_decline *why = digits_of(nest, nest->row[row], list, &n);

    for (int i = 0; i < n && why == NULL; i++) {
        int64_t *to = &step[list[i].digit];
        if (__builtin_add_overflow(*to, list[i].weight, to))
            why = &too_large;
    }
    return why;
}

bool tiled_nest_is_named(const struct tiled_nest *nest, unsigned loops, const int64_t *step)
{
    struct weighted list[TILED_DIGITS];
    int n = 0;

    for (int d = 0; d < nest->n_digits; d++) {
        struct weighted one = {d, step[d] < 0 ? -step[d] : step[d]};
        if ((loops >> nest->digit[d].loop & 1) && nest->digit[d].size > 1)
            insert(&one, list, &n);
    }
    return is_number(nest, list, n);
}

static const struct sator_decline *place_row(
        struct tiled_nest *nest, int row, enum tiled_kind kind, int dim)
{
    struct weighted list[TILED_DIGITS];
    int n;
    const struct sator_decline *why = digits_of(nest, nest->row[row], list, &n);

    if (why != NULL)
        return why;
    if (!is_number(nest, list, n))
        return DECLINE("a stamp's row is no mixed-radix number of digits");
    for (int i = 0; i < n; i++) {
        struct tiled_digit *digit = &nest->digit[list[i].digit];
        if (digit->kind != TILED_INSIDE)
            return DECLINE("a digit stands in two rows of the stamps");
        digit->kind = kind;
        digit->order = kind == TILED_TIME ? nest->n_time++ : 0;
        digit->row = dim;
        digit->weight = list[i].weight;
    }
    return NULL;
}

/* Digits of time of a loop that is cut short have to stand in their own order. */
static bool is_in_order(const struct tiled_nest *nest, const struct tiled_loop *loop)
{
    int latest = -1;

    for (int k = 0; k < loop->n_digits; k++) {
        const struct tiled_digit *digit = &nest->digit[loop->first + k];
        if (digit->kind != TILED_TIME)
            continue;
        if (digit->order < latest && loop->whole_from > 1)
            return false;
        latest = digit->order;
    }
    return true;
}

const struct sator_decline *tiled_nest_finish(struct tiled_nest *nest)
{
    const struct sator_stamping *stamping = nest->stamping;
    const struct sator_decline *why = NULL;

    for (int l = 0; l < nest->n_loops && why == NULL; l++)
        why = make_digits(nest, l);
    nest->n_time = 0;
    for (int i = 0; i < stamping->n_time && why == NULL; i++)
        why = place_row(nest, i, TILED_TIME, i);
    for (int i = 0; i < stamping->n_space && why == NULL; i++) {
        nest->origin[i] = nest->row[stamping->n_time + i]->constant;
        why = place_row(nest, stamping->n_time + i, TILED_SPACE, i);
    }
    for (int l = 0; l < nest->n_loops && why == NULL; l++) {
        if (!is_in_order(nest, &nest->loop[l]))
            why = DECLINE("a loop that is cut short runs its inner digit outside its outer one");
    }
    return why;
}

/* ---- numbers of digit vectors ---- */

/* The vectors of digits of "kinds" from digit "k" of the loop on, when nothing is cut short. */
static int64_t count_whole(const struct tiled_nest *nest, int loop, int k, unsigned kinds)
{
    int64_t count = 1;

    for (; k < nest->loop[loop].n_digits; k++) {
        const struct tiled_digit *digit = &nest->digit[nest->loop[loop].first + k];
        count *= kinds >> digit->kind & 1 ? digit->size : 1;
    }
    return count;
}

int64_t tiled_loop_count(const struct tiled_nest *nest, int loop, unsigned kinds)
{
    int64_t count = 0;

    for (int k = 0; k < nest->loop[loop].n_digits; k++) {
        const struct tiled_digit *digit = &nest->digit[nest->loop[loop].first + k];
        if (kinds >> digit->kind & 1)
            count += digit->top * count_whole(nest, loop, k + 1, kinds);
        else if (digit->top > 0) /* where it is 0, nothing further in is cut short */
            return count + count_whole(nest, loop, k + 1, kinds);
    }
    return count + 1;
}

/* The most that digit "k" of a loop can add to a sum of weight x digit, with those further in, when
 * it is below its top and they are free; the value of the loop then. */
static int64_t free_most(const struct tiled_nest *nest, const struct tiled_loop *loop, int k,
        const int64_t *weight, int64_t *value)
{
    int64_t sum = 0;

    *value = 0;
    for (int i = k; i < loop->n_digits; i++) {
        const struct tiled_digit *digit = &nest->digit[loop->first + i];
        int64_t most = i == k ? digit->top - 1 : digit->size - 1;
        if (weight[loop->first + i] <= 0)
            continue;
        sum += weight[loop->first + i] * most;
        *value += digit->place * most;
    }
    return sum;
}

int64_t tiled_nest_most(const struct tiled_nest *nest, const int64_t *weight, int64_t *instance)
{
    int64_t most = 0;

    for (int l = 0; l < nest->n_loops; l++) {
        const struct tiled_loop *loop = &nest->loop[l];
        int64_t on_top = 0, best = 0, value = 0, where = 0; /* along the top's path */
        bool found = false;
        for (int k = 0; k < loop->n_digits; k++) {
            const struct tiled_digit *digit = &nest->digit[loop->first + k];
            int64_t further, here = on_top + free_most(nest, loop, k, weight, &further);
            if (digit->top > 0 && (!found || here > best)) { /* leave the path here */
                best = here;
                where = value + further;
                found = true;
            }
            on_top += weight[loop->first + k] * digit->top;
            value += digit->place * digit->top;
        }
        if (!found || on_top > best) {
            best = on_top;
            where = value;
        }
        most += best;
        instance[l] = loop->lower + where;
    }
    return most;
}

int64_t tiled_nest_reach(const struct tiled_nest *nest, int dim, int64_t *instance)
{
    int64_t weight[TILED_DIGITS] = {0};

    for (int d = 0; d < nest->n_digits; d++) {
        if (nest->digit[d].kind == TILED_SPACE && nest->digit[d].row == dim)
            weight[d] = nest->digit[d].weight;
    }
    return nest->origin[dim] + tiled_nest_most(nest, weight, instance);
}
