/* Words of a mapping counted from their definition (doc/model.md, sections 2 and 4): stamp by
 * stamp, PE by PE, a bit for each element of a tile. What is alike is followed once: the runs of a
 * row that begin with nothing held, the instances of the memory outside, PEs that have the same
 * neighbours, and the elements of a tile that differ in an index of one loop.
 */
#include "base/memo.h"
#include "base/memory.h"
#include "certificate/cert_bound.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORK = 1 << 22, /* looks: at 64 elements, by everything that may bring them */
    MOST_MARKS = 1 << 22,
    MOST_BACK = 8, /* stamps: of a link */
    MOST_KINDS = 64 /* of PEs */
};

/* A memory's loops, which with the skew of the arrays directly inside are a digit of the stamp. */
struct digit {
    int row;
    int64_t steps, values; /* of one PE; of all together */
    int64_t begin; /* of the PE at the origin */
    int64_t (*at)[CERT_DIMS]; /* by step: where the tile lies */
};

struct pe {
    double alike; /* PEs that have as many words at the same own times; 0: another one stands for it
                   */
    int64_t at[CERT_DIMS];
    int64_t later[CERT_MEMORIES]; /* by digit */
    int from[CERT_LINKS]; /* by link: the PE at its other end; -1 */
    int bus[CERT_BUSES];
};

/* The values of each dimension in a tile, from the least on. */
struct values {
    int64_t least[CERT_DIMS], span[CERT_DIMS];
    unsigned char *is_one[CERT_DIMS];
};

/* Some stamps ago. */
struct past {
    bool is_any;
    int64_t digit[CERT_MEMORIES];
    bool has_parent; /* the memory outside holds something */
    int64_t parent_at[CERT_DIMS];
};

struct walk {
    struct sator_arena *arena;
    const struct cert_problem *p;
    const struct cert_part *part;
    const struct cert_move *move;
    const struct cert_tensor *tensor;
    int n_digits, n_outer; /* of these, those outside of the parent */
    struct digit digit[CERT_MEMORIES];
    double runs, copies, alike, stamps; /* that are alike, elements too; followed */
    int n_along[CERT_ROWS], along[CERT_ROWS][CERT_LOOPS]; /* innermost first */
    int n_pes, n_followed;
    struct pe *pe;
    struct values tile, parent;
    int64_t n_elements, (*element)[CERT_DIMS];
    size_t n_words; /* of 64 elements */
    uint64_t *left, *brought; /* elements that nothing has brought yet; that something has */
    struct sator_memo *common; /* elements that what lies elsewhere has, too: words, by where */
    int64_t least[CERT_DIMS], span[CERT_DIMS], unit[CERT_DIMS]; /* of the tensor's tiles */
    int64_t n_names;
    uint32_t *seen[CERT_BUSES]; /* by bus and element, the latest stamp */
    bool is_back[MOST_BACK + 1]; /* stamps that are looked at */
    struct past past[MOST_BACK + 1];
};

/* ---- the nest ---- */

static int64_t used_along(const struct walk *w, int row)
{
    int64_t used = 1;

    for (int i = 0; i < w->p->n_loops; i++)
        used *= w->part->factor[row][i];
    return used;
}

/* Add what "steps" iterations of a loop move the tile by. */
static void move_by(const struct cert_tensor *t, int loop, int64_t steps, int64_t *at)
{
    for (int e = 0; e < t->n_dims; e++) {
        for (int k = 0; k < t->dim[e].n; k++)
            at[e] += t->dim[e].loop[k] == loop ? t->dim[e].coef[k] * steps : 0;
    }
}

static void add_digit(struct walk *w, int m, int cold, const struct cert_order *order)
{
    const struct cert_problem *p = w->p;
    struct digit *d = &w->digit[w->n_digits++];
    int64_t stride[CERT_LOOPS], span = 0;

    *d = (struct digit){.row = p->memory[m].row, .steps = 1};
    for (int k = 0; k < order->n; k++)
        d->steps *= w->part->factor[d->row][order->loop[k]];
    if (d->row < cold) { /* each step is a run */
        w->runs *= (double)d->steps;
        d->steps = 1;
    }
    for (int r = d->row + 1; r < w->move->child_row && p->row[r].is_space && d->row >= cold; r++) {
        int64_t later = p->row[r].step * (used_along(w, r) - 1);
        span += later < 0 ? -later : later;
        d->begin += later < 0 ? -later : 0;
    }
    d->values = d->steps + span;
    w->stamps *= (double)d->values;
    cert_inside(p, w->part, d->row + 1, stride);
    if (d->steps > MOST_WORK)
        return; /* too many stamps */
    d->at = sator_arena_alloc(w->arena, sizeof *d->at * (size_t)d->steps);
    memset(d->at, 0, sizeof *d->at * (size_t)d->steps);
    for (int64_t step = 0; step < d->steps; step++) {
        int64_t rest = step;
        for (int k = order->n - 1; k >= 0; k--) {
            int loop = order->loop[k];
            int64_t factor = w->part->factor[d->row][loop];
            move_by(w->tensor, loop, rest % factor * stride[loop], d->at[step]);
            rest /= factor;
        }
    }
}

/* ---- tiles ---- */

/* Mark the values of each dimension over "extent"; false where they are too far apart. */
static bool list_values(struct walk *w, const int64_t *extent, struct values *v)
{
    const struct cert_tensor *t = w->tensor;

    for (int e = 0; e < t->n_dims; e++) {
        int64_t reach = 0;
        v->least[e] = v->span[e] = 0;
        for (int k = 0; k < t->dim[e].n; k++) {
            int64_t far = t->dim[e].coef[k] * (extent[t->dim[e].loop[k]] - 1);
            v->least[e] += far < 0 ? far : 0;
            v->span[e] += llabs(far);
        }
        if (v->span[e] > MOST_WORK)
            return false;
        v->is_one[e] = sator_arena_alloc(w->arena, (size_t)v->span[e] + 1);
        memset(v->is_one[e], 0, (size_t)v->span[e] + 1);
        v->is_one[e][0] = 1;
        for (int k = 0; k < t->dim[e].n; k++) {
            int64_t step = llabs(t->dim[e].coef[k]), n = extent[t->dim[e].loop[k]];
            for (int64_t at = reach; at >= 0; at--) { /* those below are as before */
                for (int64_t j = 1; v->is_one[e][at] && j < n; j++)
                    v->is_one[e][at + j * step] = 1;
            }
            reach += step * (n - 1);
        }
    }
    return true;
}

static bool list_elements(struct walk *w)
{
    const struct values *v = &w->tile;
    int64_t at[CERT_DIMS] = {0}, n = 1;

    for (int e = 0; e < w->tensor->n_dims; e++) {
        int64_t here = 0;
        for (int64_t k = 0; k <= v->span[e]; k++)
            here += v->is_one[e][k];
        n *= here;
        if (n > MOST_WORK)
            return false;
    }
    w->element = sator_arena_alloc(w->arena, sizeof *w->element * (size_t)n);
    for (;;) {
        bool is_one = true;
        int e = 0;
        for (int d = 0; d < w->tensor->n_dims; d++)
            is_one &= v->is_one[d][at[d]] != 0;
        if (is_one) {
            for (int d = 0; d < w->tensor->n_dims; d++)
                w->element[w->n_elements][d] = v->least[d] + at[d];
            w->n_elements++;
        }
        while (e < w->tensor->n_dims && at[e] == v->span[e])
            at[e++] = 0;
        if (e == w->tensor->n_dims)
            break;
        at[e]++;
    }
    w->n_words = (size_t)(w->n_elements + 63) / 64;
    w->left = sator_arena_alloc(w->arena, sizeof *w->left * w->n_words);
    w->brought = sator_arena_alloc(w->arena, sizeof *w->left * w->n_words);
    w->common = sator_memo_new(sizeof *w->left * w->n_words);
    return true;
}

static bool is_within(const struct values *v, int n_dims, const int64_t *at, const int64_t *element)
{
    for (int e = 0; e < n_dims; e++) {
        int64_t place = element[e] - at[e] - v->least[e];
        if (place < 0 || place > v->span[e] || !v->is_one[e][place])
            return false;
    }
    return true;
}

/* The elements of a tile that lies at "own" that the values "v" at "other" have, too, a bit each;
 * valid until the next call. */
static const uint64_t *common(
        struct walk *w, const struct values *v, const int64_t *own, const int64_t *other)
{
    const int n_dims = w->tensor->n_dims;
    int64_t key[1 + CERT_DIMS] = {v == &w->tile};
    bool is_new;

    for (int e = 0; e < n_dims; e++)
        key[1 + e] = other[e] - own[e];
    uint64_t *bits = sator_memo_place(w->common, key, 1 + (size_t)n_dims, &is_new);
    for (int64_t k = 0; k < w->n_elements && is_new; k++) {
        if (is_within(v, n_dims, &key[1], w->element[k]))
            bits[k / 64] |= UINT64_C(1) << k % 64;
    }
    return bits;
}

/* ---- PEs ---- */

/* Set how loops stand along arrays; false where that is not decided and tells. */
static bool set_along(struct walk *w)
{
    bool known = true;

    for (unsigned left = w->move->between; left != 0; left &= left - 1) {
        int r = __builtin_ctz(left);
        bool tells = w->p->row[r].step != 0, is_ordered = w->part->ordered >> r & 1;
        for (int i = w->p->n_loops - 1; i >= 0; i--) {
            if (w->part->factor[r][i] > 1)
                w->along[r][w->n_along[r]++] = i;
        }
        if (is_ordered)
            memcpy(w->along[r], w->part->along[r], sizeof w->along[r]);
        for (int k = 0; k < w->move->n_hops; k++)
            tells |= w->move->hop[k].shift[r] != 0;
        tells |= w->move->group[r] > 0;
        known &= is_ordered || !tells || w->n_along[r] < 2;
    }
    return known;
}

/* The digit whose stamps row "row" shifts. */
static int digit_of(const struct walk *w, int row)
{
    int k = w->n_digits - 1;

    while (k > 0 && w->digit[k].row > row)
        k--;
    return k;
}

/* Set where the PE of these coordinates, by row, holds its tiles. */
static void set_pe(const struct walk *w, const int64_t *at, struct pe *pe)
{
    const struct cert_problem *p = w->p;
    int64_t stride[CERT_LOOPS];

    *pe = (struct pe){.alike = 1};
    for (int k = 0; k < w->n_digits; k++)
        pe->later[k] = w->digit[k].begin;
    for (unsigned left = w->move->between; left != 0; left &= left - 1) {
        int r = __builtin_ctz(left);
        int64_t rest = at[r];
        pe->later[digit_of(w, r)] += p->row[r].step * at[r];
        cert_inside(p, w->part, r + 1, stride);
        for (int k = 0; k < w->n_along[r]; k++) {
            int loop = w->along[r][k];
            int64_t factor = w->part->factor[r][loop];
            move_by(w->tensor, loop, rest % factor * stride[loop], pe->at);
            rest /= factor;
        }
    }
}

/* The number of the PE of these coordinates among those of "rows" (-1: not in use). */
static int number_of(const struct walk *w, unsigned rows, const int64_t *at)
{
    int64_t number = 0;

    for (int r = 0; r < w->p->n_rows; r++) {
        int64_t used = used_along(w, r);
        if (!(rows >> r & 1))
            continue;
        if (at[r] < 0 || at[r] >= used)
            return -1;
        number = number * used + at[r];
    }
    return (int)number;
}

/* The number of the bus that joins PEs along "joined" rows, or parts of them. */
static int bus_of(const struct walk *w, unsigned joined, const int64_t *at)
{
    int64_t place[CERT_ROWS];

    for (int r = 0; r < w->p->n_rows; r++) {
        const int64_t group = joined >> r & 1 ? w->move->group[r] : 1;
        place[r] = group == 0 ? 0 : at[r] / group;
    }
    return number_of(w, w->move->between, place);
}

/* Whether the same links lead to both PEs, from tiles that lie and run alike from theirs. */
static bool is_alike(const struct walk *w, const struct pe *a, const struct pe *b)
{
    bool alike = true;

    for (int k = 0; k < w->move->n_hops && alike; k++) {
        const struct pe *from_a = &w->pe[a->from[k]], *from_b = &w->pe[b->from[k]];
        alike = (a->from[k] < 0) == (b->from[k] < 0);
        for (int e = 0; e < w->tensor->n_dims && alike && a->from[k] >= 0; e++)
            alike = from_a->at[e] - a->at[e] == from_b->at[e] - b->at[e];
        for (int d = 0; d < w->n_digits && alike && a->from[k] >= 0; d++)
            alike = from_a->later[d] - a->later[d] == from_b->later[d] - b->later[d];
    }
    return alike;
}

/* Let the first of PEs that have as many words stand for all: not where buses join PEs that want a
 * word at the same time, or a sum waits on a link for what is outside at some time. */
static void join_pes(struct walk *w)
{
    int first[MOST_KINDS], n = 0; /* of each kind */
    bool may = w->move->n_buses == 0;

    for (int k = 0; k < w->move->n_hops; k++)
        may &= !w->tensor->is_output || w->move->hop[k].interval < 2;
    w->n_followed = w->n_pes;
    for (int i = 0; i < w->n_pes && may; i++) {
        int k = 0;
        while (k < n && !is_alike(w, &w->pe[first[k]], &w->pe[i]))
            k++;
        if (k < n) {
            w->pe[first[k]].alike++;
            w->pe[i].alike = 0;
            w->n_followed--;
        } else if (n < MOST_KINDS) {
            first[n++] = i;
        }
    }
}

/* Of wires that lead both ways those from the later of two PEs bring nothing. */
static void cut_wires(struct walk *w)
{
    const struct cert_move *move = w->move;

    for (int k = 0; k < move->n_hops; k++) {
        bool is_both = false;
        for (int other = 0; other < move->n_hops && move->hop[k].interval == 0; other++) {
            bool is_back = move->hop[other].interval == 0;
            for (int r = 0; r < w->p->n_rows; r++)
                is_back &= move->hop[other].shift[r] == -move->hop[k].shift[r];
            is_both |= is_back;
        }
        for (int i = 0; i < w->n_pes && is_both; i++)
            w->pe[i].from[k] = w->pe[i].from[k] > i ? -1 : w->pe[i].from[k];
    }
}

static bool list_pes(struct walk *w)
{
    const struct cert_move *move = w->move;
    int64_t at[CERT_ROWS] = {0}, n = 1;

    for (int r = 0; r < w->p->n_rows; r++) {
        n *= move->between >> r & 1 ? used_along(w, r) : 1;
        if (n > MOST_WORK)
            return false;
    }
    w->pe = sator_arena_alloc(w->arena, sizeof *w->pe * (size_t)n);
    for (w->n_pes = 0; w->n_pes < n; w->n_pes++) { /* the last row's coordinate first */
        struct pe *pe = &w->pe[w->n_pes];
        set_pe(w, at, pe);
        for (int k = 0; k < move->n_hops; k++) {
            int64_t from[CERT_ROWS];
            for (int r = 0; r < w->p->n_rows; r++)
                from[r] = at[r] - move->hop[k].shift[r];
            pe->from[k] = number_of(w, move->between, from);
        }
        for (int k = 0; k < move->n_buses; k++)
            pe->bus[k] = bus_of(w, move->bus[k].joined, at);
        for (int r = w->p->n_rows - 1; r >= 0; r--) {
            if (!(move->between >> r & 1))
                continue;
            if (++at[r] < used_along(w, r))
                break;
            at[r] = 0;
        }
    }
    cut_wires(w);
    join_pes(w);
    return true;
}

/* Whether no word can pass round in a circle of wires, of which the model cuts one: all that join
 * PEs in use lead the same way. */
static bool has_no_circle(const struct walk *w)
{
    bool ahead = false, back = false;

    for (int k = 0; k < w->move->n_hops; k++) {
        bool leads = false;
        for (int i = 0; i < w->n_pes && w->move->hop[k].interval == 0; i++)
            leads |= w->pe[i].from[k] >= 0;
        for (int i = 0; i < w->n_pes && leads; i++) {
            ahead |= w->pe[i].from[k] >= 0 && w->pe[i].from[k] < i;
            back |= w->pe[i].from[k] > i;
        }
    }
    return !ahead || !back;
}

/* ---- stamps ---- */

/* Names of elements for buses; those of a tile that are alike have one. */
static bool list_names(struct walk *w, const int64_t *alike)
{
    const struct cert_tensor *t = w->tensor;

    w->n_names = 1;
    for (int e = 0; e < t->n_dims && w->move->n_buses > 0; e++) {
        w->least[e] = w->span[e] = 0;
        w->unit[e] = t->dim[e].n > 1 ? 1 : llabs(t->dim[e].coef[0]) * alike[t->dim[e].loop[0]];
        for (int k = 0; k < t->dim[e].n; k++) {
            int loop = t->dim[e].loop[k];
            int64_t far = t->dim[e].coef[k] * (w->p->extent[loop] - alike[loop]);
            w->least[e] += far < 0 ? far : 0;
            w->span[e] += llabs(far) / w->unit[e];
        }
        if (w->span[e] >= MOST_MARKS / w->n_names)
            return false;
        w->n_names *= w->span[e] + 1;
    }
    for (int k = 0; k < w->move->n_buses; k++) {
        if (w->n_names > MOST_MARKS / w->n_pes)
            return false;
        size_t n = (size_t)w->n_names * (size_t)w->n_pes;
        w->seen[k] = sator_arena_alloc(w->arena, sizeof *w->seen[k] * n);
        memset(w->seen[k], 0, sizeof *w->seen[k] * n);
    }
    return true;
}

/* Look at stamp "stamp". */
static void look_back(const struct walk *w, int64_t stamp, struct past *past)
{
    past->is_any = stamp >= 0;
    if (!past->is_any)
        return;
    for (int k = w->n_digits - 1; k >= 0; k--) {
        past->digit[k] = stamp % w->digit[k].values;
        stamp /= w->digit[k].values;
    }
    past->has_parent = true;
    memset(past->parent_at, 0, sizeof past->parent_at);
    for (int k = 0; k < w->n_outer && past->has_parent; k++) {
        int64_t step = past->digit[k] - w->digit[k].begin;
        past->has_parent = step >= 0 && step < w->digit[k].steps;
        for (int e = 0; e < w->tensor->n_dims && past->has_parent; e++)
            past->parent_at[e] += w->digit[k].at[step][e];
    }
}

/* Where the PE's tile lies some stamps ago; false where it holds none. */
static bool find_tile(const struct walk *w, int back, int pe, int64_t *at)
{
    const struct past *past = &w->past[back];
    bool active = past->is_any;

    memcpy(at, w->pe[pe].at, sizeof w->pe[pe].at);
    for (int k = 0; k < w->n_digits && active; k++) {
        int64_t step = past->digit[k] - w->pe[pe].later[k];
        active = step >= 0 && step < w->digit[k].steps;
        for (int e = 0; e < w->tensor->n_dims && active; e++)
            at[e] += w->digit[k].at[step][e];
    }
    return active;
}

/* Take what the tile at "from" and, of a sum that is on a link for "back" stamps, the memory
 * outside have in all of them away from what is left of the one at "own"; how many that are. */
static int64_t take(struct walk *w, const int64_t *own, const int64_t *from, int back)
{
    const struct past *past = w->past;
    const int waits = back > 1 && w->tensor->is_output ? back : 0;
    uint64_t *brought = w->brought;
    int64_t n = 0;

    memcpy(brought, common(w, &w->tile, own, from), sizeof *brought * w->n_words);
    for (int k = 1; k <= waits; k++) {
        if (!past[k].is_any || !past[k].has_parent)
            return 0;
        const uint64_t *held = common(w, &w->parent, own, past[k].parent_at);
        for (size_t i = 0; i < w->n_words; i++)
            brought[i] &= held[i];
    }
    for (size_t i = 0; i < w->n_words; i++) {
        n += __builtin_popcountll(w->left[i] & brought[i]);
        w->left[i] &= ~brought[i];
    }
    return n;
}

/* The bus that has had the element in this stamp; -1: none, and now all of the PE's have. */
static int find_bus(
        struct walk *w, int pe, uint32_t stamp, const int64_t *at, const int64_t *element)
{
    int64_t name = 0;

    for (int e = 0; e < w->tensor->n_dims; e++)
        name = name * (w->span[e] + 1) + (at[e] + element[e] - w->least[e]) / w->unit[e];
    for (int k = 0; k < w->move->n_buses; k++) {
        uint32_t *seen = &w->seen[k][w->pe[pe].bus[k] * w->n_names + name];
        if (*seen == stamp)
            return k;
        *seen = stamp;
    }
    return -1;
}

/* Count what a PE takes up whose tile lies at "own". */
static void count_tile(
        struct walk *w, int pe, uint32_t stamp, const int64_t *own, struct cert_words *words)
{
    const struct cert_move *move = w->move;
    int64_t from[CERT_DIMS], left = w->n_elements;
    const double alike = w->pe[pe].alike;

    for (size_t i = 0; i < w->n_words; i++)
        w->left[i] = ~UINT64_C(0) >> (i + 1 < w->n_words ? 0 : 63 - (w->n_elements - 1) % 64);
    if (find_tile(w, 1, pe, from))
        left -= take(w, own, from, 1);
    words->arriving += alike * (double)left;
    for (int k = 0; k < move->n_hops && left > 0; k++) {
        int back = (int)move->hop[k].interval, there = w->pe[pe].from[k];
        if (there < 0 || !find_tile(w, back, there, from))
            continue;
        int64_t n = take(w, own, from, back);
        words->wire_pj += alike * (double)n * move->hop[k].pj;
        left -= n;
    }
    for (int64_t k = 0; k < w->n_elements && left > 0 && move->n_buses > 0; k++) {
        int bus = w->left[k / 64] >> k % 64 & 1 ? find_bus(w, pe, stamp, own, w->element[k]) : -1;
        left -= bus >= 0;
        words->merged += bus >= 0 && w->tensor->is_output;
        words->wire_pj += bus >= 0 ? move->bus[bus].pj : 0;
    }
    words->unique += alike * (double)left;
}

static void count_stamps(struct walk *w, struct cert_words *words)
{
    for (int64_t stamp = 0; stamp < (int64_t)w->stamps; stamp++) {
        int64_t own[CERT_DIMS];
        for (int back = 0; back <= MOST_BACK; back++) {
            if (w->is_back[back])
                look_back(w, stamp - back, &w->past[back]);
        }
        for (int i = 0; i < w->n_pes; i++) {
            if (w->pe[i].alike > 0 && find_tile(w, 0, i, own))
                count_tile(w, i, (uint32_t)stamp + 1, own, words);
        }
    }
}

/* ---- all of it ---- */

static bool list_backs(struct walk *w)
{
    w->is_back[0] = w->is_back[1] = true;
    for (int k = 0; k < w->move->n_hops; k++) {
        int64_t interval = w->move->hop[k].interval;
        if (interval > MOST_BACK)
            return false;
        w->is_back[interval] = true;
        for (int64_t back = 2; back < interval && w->tensor->is_output; back++)
            w->is_back[back] = true;
    }
    return true;
}

static bool set_up(struct walk *w, const struct cert_order *order)
{
    const struct cert_problem *p = w->p;
    const int cold = cert_counted_cold_row(p, w->part, w->move);
    int64_t extent[CERT_LOOPS], alike[CERT_LOOPS];

    for (int m = 0; m < p->n_memories && p->memory[m].row < w->move->child_row; m++) {
        w->n_outer += p->memory[m].row < p->memory[w->move->parent].row;
        add_digit(w, m, cold, &order[m]);
        if (w->stamps > MOST_WORK)
            return false;
    }
    for (int i = 0; i < p->n_loops; i++)
        w->copies *= (double)cert_spread(p, w->part, w->move->outer, i);
    cert_inside(p, w->part, w->move->child_row, extent);
    for (int i = 0; i < p->n_loops; i++) { /* what stands alone in an index differs in nothing */
        alike[i] = w->tensor->plain >> i & 1 ? extent[i] : 1;
        extent[i] /= alike[i];
        w->alike *= (double)alike[i];
    }
    if (!set_along(w) || !list_values(w, extent, &w->tile) || !list_elements(w) || !list_pes(w))
        return false;
    cert_inside(p, w->part, p->memory[w->move->parent].row, extent);
    double looks = (double)w->n_words * (2 + w->move->n_hops);
    looks += (double)w->n_elements * w->move->n_buses;
    double work = w->stamps * w->n_followed * looks;
    if (work > MOST_WORK || !list_values(w, extent, &w->parent) || !list_names(w, alike) ||
            !list_backs(w) || !has_no_circle(w))
        return false;
    *p->counting += (uint64_t)work;
    return true;
}

bool cert_count_words(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, const struct cert_order *order, struct cert_words *words)
{
    struct walk w = {.arena = sator_arena_new(),
            .p = p,
            .part = part,
            .move = move,
            .tensor = &p->tensor[move->tensor],
            .runs = 1,
            .copies = 1,
            .alike = 1,
            .stamps = 1};

    bool counts = !p->holds_idle && !p->across && !p->fills && !move->has_more &&
            !move->is_blurred && set_up(&w, order);
    *words = (struct cert_words){0};
    if (counts)
        count_stamps(&w, words);
    double times = w.runs * w.copies * w.alike;
    words->unique *= times;
    words->arriving *= times;
    words->merged *= times;
    words->wire_pj *= times;
    sator_memo_free(w.common);
    sator_arena_free(w.arena);
    return counts;
}
