/* Accesses whose dimensions are quotients of sums: A[c, floor((x + r) / 2)].
 *
 * Where no coefficient exceeds the divisor, the quotients of a tile are all from the least to the
 * greatest. How many they are depends on the remainder of the tile's first sum, and so does what
 * two tiles share. No two dimensions read the same loop, so over all stamps and PEs together each
 * dimension meets its remainders independently of the others: the words are products, by
 * dimension, of sums over remainders. All of it is exact; the word counts are those of
 * doc/mapper.md, "Counting", summed over the places where a tile may be.
 */
#include "mapper/mapper.h"

#include <stdlib.h>
#include <string.h>

/* A digit of a loop outside the tile: a temporal one, or parallel. */
struct digit {
    int64_t step, count; /* of the dimension's sum */
};

/* One dimension while a transfer is counted. */
struct counted_dim {
    const struct mapper_quotient *quotient;
    int64_t below, above; /* how far a tile's sums reach from its first */
    int n_apart; /* parallel digits of PEs that share nothing */
    struct digit apart[MAPPER_ROWS * MAPPER_LOOPS];
    int n_shared; /* places of the PEs that share: offsets, ascending */
    int64_t *shared;
};

/* The temporal loops outside the tile, innermost first. */
struct temporal {
    int dim; /* -1: none reads it */
    struct digit digit;
};

struct counted {
    int n_dims, n_temporal;
    struct counted_dim dim[MAPPER_INDICES];
    struct temporal temporal[MAPPER_MEMORIES * MAPPER_LOOPS];
    int64_t apart; /* PEs along loops that no dimension reads, which share nothing */
};

static int64_t floor_of(int64_t a, int64_t d)
{
    return a >= 0 ? a / d : -((-a + d - 1) / d);
}

static int64_t remainder_of(int64_t a, int64_t d)
{
    return a - d * floor_of(a, d);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    b = llabs(b);
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t quotient_coef(const struct mapper_quotient *q, int loop)
{
    int i = 0;

    while (q->loop[i] != loop)
        i++;
    return q->coef[i];
}

int64_t sator_mapper_least_quotients(
        const struct mapper_index *index, const struct mapper_steps *steps)
{
    int64_t d = index->divisor, width = 0;
    bool used[MAPPER_SPREADS] = {false};

    for (int i = 0; i < index->n_parts; i++)
        width += llabs(index->coef[i]) * (steps->tile[i] - 1);
    for (int k = 0; k < steps->n_spread; k++) { /* the nearest places first */
        int next = -1;
        for (int i = 0; i < steps->n_spread; i++) {
            if (!used[i] &&
                    (next < 0 || llabs(steps->spread_step[i]) < llabs(steps->spread_step[next])))
                next = i;
        }
        used[next] = true;
        if (llabs(steps->spread_step[next]) > width + d)
            break; /* values may lie between them that none takes */
        width += llabs(steps->spread_step[next]) * (steps->spread_count[next] - 1);
    }
    return width / d + 1;
}

/* ---- tiles ---- */

/* Of sums with these remainders (bits), those "start", "start" + "step" ... further, "count" of
 * them. */
static uint64_t move_remainders(
        uint64_t remainders, int64_t d, int64_t start, int64_t step, int64_t count)
{
    uint64_t moved = 0;

    for (int64_t k = 0; k < count && k < d; k++) {
        for (int64_t r = 0; r < d; r++) {
            if (remainders >> r & 1)
                moved |= UINT64_C(1) << remainder_of(r + start + step * k, d);
        }
    }
    return moved;
}

/* The most quotients of a tile, of all places where one is: those along the parts before "part" are
 * known by their remainders, and how far the tile's sums reach below its first and above. */
static int64_t most_quotients(const struct mapper_problem *p, const struct mapper_quotient *q,
        const int64_t *tile, int part, uint64_t remainders, int64_t below, int64_t above)
{
    int64_t d = q->divisor, most = 0;

    for (int64_t r = 0; r < d && part == q->n_parts; r++) {
        int64_t values = floor_of(r + above, d) - floor_of(r - below, d) + 1;
        if ((remainders >> r & 1) && values > most)
            most = values;
    }
    if (part == q->n_parts)
        return most;
    int64_t extent = p->extent[q->loop[part]], coef = q->coef[part];
    int64_t size = tile[q->loop[part]] < extent ? tile[q->loop[part]] : extent;
    for (int is_last = 0; is_last < (extent % size != 0 ? 2 : 1); is_last++) {
        int64_t here = is_last ? extent % size : size; /* the last tile may be short */
        int64_t reach = (here - 1) * llabs(coef);
        uint64_t moved = move_remainders(remainders, d, is_last ? coef * (extent - here) : 0,
                coef * size, is_last ? 1 : extent / size);
        int64_t values = most_quotients(p, q, tile, part + 1, moved, below + (coef < 0 ? reach : 0),
                above + (coef < 0 ? 0 : reach));
        most = values > most ? values : most;
    }
    return most;
}

int64_t sator_mapper_quotient_tile(
        const struct mapper_problem *p, const struct mapper_access *access, const int64_t *tile)
{
    int64_t words = 1;

    for (int e = 0; e < access->n_quotients; e++) {
        const struct mapper_quotient *q = &access->quotient[e];
        words *= most_quotients(
                p, q, tile, 0, UINT64_C(1) << remainder_of(q->constant, q->divisor), 0, 0);
    }
    return words;
}

/* ---- what is outside the tile ---- */

static int by_offset(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Add the parallel digits of the transfer's rows: "grouped" where PEs share words, those that do
 * are one group. */
static void add_parallel(struct counted *c, const struct mapper_transfer *t,
        const struct mapper_shape *shape, const int8_t *dim_of, bool grouped)
{
    for (int k = 0; k < shape->n_digits; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        bool shared = grouped && (t->collapsed >> digit->row & 1);
        int e = dim_of[digit->loop];
        if (digit->row >= t->child_row)
            continue;
        if (e < 0) {
            c->apart *= shared ? 1 : digit->count;
            continue;
        }
        struct counted_dim *dim = &c->dim[e];
        struct digit moved = {quotient_coef(dim->quotient, digit->loop) *
                        shape->inside[digit->row + 1][digit->loop],
                digit->count};
        if (!shared) {
            dim->apart[dim->n_apart++] = moved;
            continue;
        }
        int64_t *all = sator_alloc(sizeof *all * (size_t)(dim->n_shared * (int)digit->count));
        for (int i = 0; i < dim->n_shared * (int)digit->count; i++)
            all[i] = dim->shared[i / (int)digit->count] + moved.step * (i % (int)digit->count);
        free(dim->shared);
        dim->shared = all;
        dim->n_shared *= (int)digit->count;
    }
    for (int e = 0; e < c->n_dims; e++)
        qsort(c->dim[e].shared, (size_t)c->dim[e].n_shared, sizeof(int64_t), by_offset);
}

/* Add the temporal loops outside the transfer's child, innermost first. */
static void add_temporal(struct counted *c, const struct mapper_problem *p,
        const struct mapper_transfer *t, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, const int8_t *dim_of)
{
    for (int r = t->child_row - 1; r >= 0; r--) {
        for (int k = p->n_loops - 1; k >= 0 && !p->row[r].is_space; k--) {
            int loop = mapping->order[p->row[r].memory][k], e = dim_of[loop];
            if (mapping->factor[r][loop] == 1)
                continue;
            int64_t coef = e < 0 ? 0 : quotient_coef(c->dim[e].quotient, loop);
            c->temporal[c->n_temporal++] = (struct temporal){
                    e, {coef * shape->inside[r + 1][loop], mapping->factor[r][loop]}};
        }
    }
}

static void open_counted(struct counted *c, const struct mapper_problem *p,
        const struct mapper_transfer *t, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, bool grouped)
{
    const struct mapper_access *access = &p->access[t->access];
    int8_t dim_of[MAPPER_LOOPS];

    memset(dim_of, -1, sizeof dim_of);
    c->n_dims = access->n_quotients;
    c->n_temporal = 0;
    c->apart = 1;
    for (int e = 0; e < c->n_dims; e++) {
        struct counted_dim *dim = &c->dim[e];
        const struct mapper_quotient *q = &access->quotient[e];
        dim->quotient = q;
        dim->below = dim->above = 0;
        dim->n_apart = 0;
        dim->n_shared = 1;
        dim->shared = sator_alloc(sizeof *dim->shared);
        dim->shared[0] = 0;
        for (int i = 0; i < q->n_parts; i++) {
            int64_t reach = q->coef[i] * (shape->inside[t->child_row][q->loop[i]] - 1);
            *(reach < 0 ? &dim->below : &dim->above) += reach < 0 ? -reach : reach;
            dim_of[q->loop[i]] = (int8_t)e;
        }
    }
    add_parallel(c, t, shape, dim_of, grouped);
    add_temporal(c, p, t, mapping, shape, dim_of);
}

static void close_counted(struct counted *c)
{
    for (int e = 0; e < c->n_dims; e++)
        free(c->dim[e].shared);
}

/* ---- the words of one dimension ---- */

/* The values that tiles at the group's places take, the first sum being "base": intervals whose
 * ends ascend. With "shift", only those that some place takes that did not when all sums were so
 * much less. */
static int64_t union_of(const struct counted_dim *dim, int64_t base, const int64_t *shift)
{
    int64_t d = dim->quotient->divisor, last = INT64_MIN, values = 0;

    for (int i = 0; i < dim->n_shared; i++) {
        int64_t first_sum = base + dim->shared[i] - dim->below;
        int64_t last_sum = base + dim->shared[i] + dim->above;
        int64_t from = floor_of(first_sum, d), to = floor_of(last_sum, d);
        if (shift != NULL && *shift >= 0) { /* moved up: new ones are above */
            int64_t above = floor_of(last_sum - *shift, d) + 1;
            from = from > above ? from : above;
        } else if (shift != NULL) {
            int64_t under = floor_of(first_sum - *shift, d) - 1;
            to = to < under ? to : under;
        }
        from = from > last ? from : last + 1;
        if (from > to)
            continue;
        values += to - from + 1;
        last = to;
    }
    return values;
}

/* Spread counts over remainders by a digit: its values "from" to count - 1. */
static void spread_remainders(const struct digit *digit, int64_t from, int64_t d, int64_t *count)
{
    int64_t spread[MAPPER_MOST_DIVISOR] = {0}, turn = d / common_divisor(d, digit->step);
    int64_t n = digit->count - from;

    for (int64_t k = 0; k < turn && k < n; k++) { /* remainders come again after a turn */
        int64_t times = (n - k + turn - 1) / turn;
        for (int64_t r = 0; r < d; r++)
            spread[remainder_of(r + digit->step % d * ((from + k) % d), d)] += times * count[r];
    }
    memcpy(count, spread, sizeof *count * (size_t)d);
}

/* The words of dimension "e" of all groups and stamps together: with "step" < 0 those that are
 * there, else those kept of the stamp before in the stamps where the temporal loop "step" does. */
static int64_t words_of(const struct counted *c, int e, int step)
{
    const struct counted_dim *dim = &c->dim[e];
    int64_t d = dim->quotient->divisor, count[MAPPER_MOST_DIVISOR] = {0}, shift = 0, words = 0;

    count[remainder_of(dim->quotient->constant, d)] = 1;
    for (int i = 0; i < dim->n_apart; i++)
        spread_remainders(&dim->apart[i], 0, d, count);
    for (int k = 0; k < c->n_temporal; k++) {
        const struct temporal *loop = &c->temporal[k];
        if (loop->dim != e)
            continue;
        if (k < step) /* back to its start */
            shift -= loop->digit.step * (loop->digit.count - 1);
        else
            spread_remainders(&loop->digit, k == step ? 1 : 0, d, count);
        shift += k == step ? loop->digit.step : 0;
    }
    for (int64_t r = 0; r < d; r++) {
        if (count[r] == 0)
            continue;
        int64_t values = union_of(dim, r, NULL);
        if (step >= 0 && shift != 0)
            values -= union_of(dim, r, &shift);
        words += count[r] * values;
    }
    return words;
}

/* All words of a transfer that are not kept. */
static int64_t moved_words(const struct counted *c)
{
    int64_t moved = 0;

    for (int step = -1; step < c->n_temporal; step++) {
        int64_t words = c->apart;
        for (int e = 0; e < c->n_dims && words != 0; e++)
            words *= words_of(c, e, step);
        for (int k = step < 0 ? 0 : step; k < c->n_temporal; k++) { /* those that move nothing */
            if (c->temporal[k].dim < 0)
                words *= c->temporal[k].digit.count - (k == step ? 1 : 0);
        }
        moved += step < 0 ? words : -words;
    }
    return moved;
}

void sator_mapper_count_quotients(const struct mapper_problem *p,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int transfer,
        struct mapper_traffic *traffic)
{
    const struct mapper_transfer *t = &p->transfer[transfer];
    struct counted c;

    open_counted(&c, p, t, mapping, shape, false);
    traffic->unique[transfer] = traffic->arriving[transfer] = moved_words(&c);
    close_counted(&c);
    if (t->collapsed == 0)
        return;
    open_counted(&c, p, t, mapping, shape, true);
    traffic->unique[transfer] = moved_words(&c);
    close_counted(&c);
}
