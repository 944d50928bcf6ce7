/* Words that go straight to the compute units, where last tiles may be short (doc/mapper.md,
 * "Factors that do not divide an extent").
 *
 * The loops of the innermost memory stand outside such a transfer, so it is not only tiles that
 * are short: in its last tile a loop takes fewer steps there, and in the last of these fewer lanes
 * have anything to do. What has nothing to do in a stamp keeps nothing for the next one. A loop is
 * counted by phases: over the stamps of a step, what the position that has the last tile runs now
 * and ran before, and how far the loop has moved; loops are independent of each other.
 */
#include "mapper/mapper.h"

#include <string.h>

/* Stamps of a loop: "times" of them, with "now" iterations at the last of the positions that share
 * words ("before" of them in the stamp before, which stood "shift" iterations lower); all other
 * positions run whole blocks. */
struct phase {
    sator_int times;
    int64_t now, before, shift;
};

enum {
    MOST_PHASES = 6
};

struct step {
    int loop; /* -1: none, all stamps */
    bool inner; /* at the innermost memory */
    int64_t factor, length; /* iterations that it skips */
};

static void add(
        struct phase *list, int *count, sator_int times, int64_t now, int64_t before, int64_t shift)
{
    if (times > 0)
        list[(*count)++] = (struct phase){times, now, before, shift};
}

/* The iterations of block "s" of the last tile. */
static int64_t block(const struct mapper_ragged_loop *loop, int64_t s)
{
    return s < loop->last ? loop->lanes : s == loop->last ? loop->last_lanes : 0;
}

/* The last block at which the array is busy when the loop's outer digits over time are at their
 * last: other positions have whole tiles. */
static int64_t top(const struct mapper_ragged_loop *loop)
{
    return loop->spread ? loop->tile - 1 : loop->last;
}

/* No digit of the loop moves, over all its stamps. */
static int stand(const struct mapper_ragged_loop *loop, sator_int tiles, struct phase *list)
{
    int64_t lanes = loop->lanes, last = loop->last;
    int n = 0;

    add(list, &n, (tiles - 1) * loop->tile + last, lanes, lanes, 0);
    add(list, &n, 1, loop->last_lanes, loop->last_lanes, 0);
    add(list, &n, top(loop) - last, 0, 0, 0);
    return n;
}

/* The loop steps from block to block. */
static int step_blocks(const struct mapper_ragged_loop *loop, sator_int tiles, struct phase *list)
{
    int64_t lanes = loop->lanes, last = loop->last, most = top(loop);
    int n = 0;

    add(list, &n, (tiles - 1) * (loop->tile - 1) + (last > 0 ? last - 1 : 0), lanes, lanes, lanes);
    add(list, &n, last > 0, loop->last_lanes, lanes, lanes);
    add(list, &n, most > last, 0, loop->last_lanes, lanes);
    add(list, &n, most - last - 1, 0, 0, lanes);
    return n;
}

/* The phases of loop "i" over the stamps that "step" begins. */
static int phases_of(
        const struct mapper_ragged *r, int i, const struct step *step, struct phase *list)
{
    const struct mapper_ragged_loop *loop = &r->loop[i];
    sator_int tiles = (sator_int)r->outer[i] * r->apart[i];
    int64_t lanes = loop->lanes, fall = r->fall[i] + (loop->tile - 1) * lanes;
    int64_t short_fall = r->fall[i] + top(loop) * lanes;
    int64_t first = r->inner[i] == 1 ? block(loop, 0) : lanes; /* after the last tile */
    int n = 0;

    if (step->loop < 0 || (step->inner && i != step->loop && !loop->placed))
        return stand(loop, tiles, list);
    if (step->inner && i == step->loop)
        return step_blocks(loop, tiles, list);
    if (i == step->loop) { /* a tile that is not the last comes before */
        sator_int steps = tiles * (step->factor - 1);
        bool short_one = r->inner[i] == 1;
        add(list, &n, steps - short_one, lanes, lanes, step->length - fall);
        add(list, &n, short_one, first, lanes, step->length - fall);
        return n;
    }
    add(list, &n, tiles - 1, lanes, lanes, -fall);
    add(list, &n, 1, first, block(loop, top(loop)), -short_fall);
    return n;
}

/* ---- lanes ---- */

static bool is_shared(const struct mapper_ragged *r, int row)
{
    return r->grouped && (r->walk->transfer->collapsed >> row & 1);
}

/* The lanes of "loop" that share words, or that do not, less than "limit" above their first. */
static int64_t below(const struct mapper_ragged *r, int loop, bool shared, int64_t limit)
{
    const struct mapper_shape *shape = r->shape;
    int64_t rest =
            shared ? r->loop[loop].shared_lanes : r->loop[loop].lanes / r->loop[loop].shared_lanes;
    int64_t count = 0;

    if (limit <= 0)
        return 0;
    for (int k = 0; k < shape->n_digits; k++) { /* outermost first */
        const struct mapper_digit *digit = &shape->digit[k];
        if (digit->loop != loop || digit->row < r->walk->problem->innermost ||
                is_shared(r, digit->row) != shared)
            continue;
        int64_t unit = shape->inside[digit->row + 1][loop], whole = limit / unit;
        rest /= digit->count;
        if (whole >= digit->count)
            return count + digit->count * rest;
        count += whole * rest;
        limit -= whole * unit;
        if (limit == 0)
            return count;
    }
    return count + 1;
}

/* Where the "k"-th of the lanes that share no words stands. */
static int64_t lane_at(const struct mapper_ragged *r, int loop, int64_t k)
{
    const struct mapper_shape *shape = r->shape;
    int64_t at = 0;

    for (int d = shape->n_digits - 1; d >= 0; d--) {
        const struct mapper_digit *digit = &shape->digit[d];
        if (digit->loop != loop || digit->row < r->walk->problem->innermost ||
                is_shared(r, digit->row))
            continue;
        at += k % digit->count * shape->inside[digit->row + 1][loop];
        k /= digit->count;
    }
    return at;
}

/* ---- sums ---- */

/* The groups that have anything to do, over the stamps of a loop that indexes nothing; with
 * "only_kept", of these the ones whose positions all had it before. */
static sator_int sum_still(
        const struct mapper_ragged *r, int i, const struct step *step, bool only_kept)
{
    const struct mapper_ragged_loop *loop = &r->loop[i];
    struct phase list[MOST_PHASES];
    int n = phases_of(r, i, step, list);
    int64_t apart = loop->lanes / loop->shared_lanes;
    sator_int sum = 0;

    for (int k = 0; k < n; k++) {
        const struct phase *phase = &list[k];
        int64_t groups = loop->shared > 1 ? apart : below(r, i, false, phase->now);
        for (int64_t a = 0; a < apart && only_kept && phase->now > phase->before; a++) {
            int64_t at = lane_at(r, i, a), now = below(r, i, true, phase->now - at);
            groups -= (loop->shared > 1 || now > 0) && now > below(r, i, true, phase->before - at);
        }
        sum += phase->times * groups;
    }
    return sum;
}

/* The values of an index of one loop. */
static sator_int sum_plain(
        const struct mapper_ragged *r, int i, const struct step *step, bool only_kept)
{
    const struct mapper_ragged_loop *loop = &r->loop[i];
    struct phase list[MOST_PHASES];
    int n = phases_of(r, i, step, list);
    sator_int sum = 0;

    for (int k = 0; k < n; k++) {
        const struct phase *phase = &list[k];
        int64_t there = only_kept && phase->before < phase->now ? phase->before : phase->now;
        if (!only_kept || phase->shift == 0)
            sum += phase->times * ((loop->shared - 1) * loop->lanes + there);
    }
    return sum;
}

/* An index of several loops, whose phases and lanes are chosen one loop after the other. */
struct choice {
    const struct mapper_ragged *r;
    const struct step *step;
    int e;
    bool only_kept;
    int64_t now[MAPPER_PARTS], before[MAPPER_PARTS]; /* cuts */
    int64_t shift;
};

static int64_t values(const struct choice *c)
{
    const struct mapper_ragged *r = c->r;
    int access = r->walk->transfer->access;
    int n_parts = r->walk->access->index[c->e].n_parts;

    if (!c->only_kept ||
            (c->shift == 0 && memcmp(c->now, c->before, sizeof *c->now * (size_t)n_parts) == 0))
        return sator_mapper_words_union_cut(r->words, access, c->e, &r->steps[c->e], c->now);
    return sator_mapper_words_kept_cut(
            r->words, access, c->e, &r->steps[c->e], c->now, c->before, c->shift);
}

static sator_int sum_parts(struct choice *c, int part);

/* The lanes of a part from "at" on. */
static sator_int sum_lanes(
        struct choice *c, int part, const struct phase *phase, int64_t at, int64_t times)
{
    const struct mapper_ragged_loop *loop = &c->r->loop[c->r->walk->access->index[c->e].loop[part]];
    int64_t span = loop->shared_span, now = phase->now - at, before = phase->before - at;

    if (loop->shared == 1 && (now <= 0 || (c->only_kept && before <= 0)))
        return 0;
    c->now[part] = span - (now < 0 ? 0 : now < span ? now : span);
    c->before[part] = span - (before < 0 ? 0 : before < span ? before : span);
    return phase->times * times * sum_parts(c, part + 1);
}

static sator_int sum_parts(struct choice *c, int part)
{
    const struct mapper_index *index = &c->r->walk->access->index[c->e];
    struct phase list[MOST_PHASES];
    sator_int sum = 0;

    if (part == index->n_parts)
        return values(c);
    int i = index->loop[part], n = phases_of(c->r, i, c->step, list);
    const struct mapper_ragged_loop *loop = &c->r->loop[i];
    int64_t apart = loop->lanes / loop->shared_lanes;
    for (int k = 0; k < n; k++) {
        int64_t shift = c->shift;
        c->shift += index->coef[part] * list[k].shift;
        if (list[k].now == list[k].before && (list[k].now == loop->lanes || list[k].now == 0))
            sum += sum_lanes(c, part, &list[k], 0, apart);
        else
            for (int64_t a = 0; a < apart; a++)
                sum += sum_lanes(c, part, &list[k], lane_at(c->r, i, a), 1);
        c->shift = shift;
    }
    return sum;
}

/* The words that all groups touch in the stamps that "step" begins, or those of them that they
 * keep. */
static int64_t sum_words(const struct mapper_ragged *r, const struct step *step, bool only_kept)
{
    const struct mapper_access *access = r->walk->access;
    sator_int product = 1;

    for (int i = 0; i < r->walk->problem->n_loops && product != 0; i++) {
        if (!(access->relevant >> i & 1))
            product *= sum_still(r, i, step, only_kept);
        else if (access->plain >> i & 1)
            product *= sum_plain(r, i, step, only_kept);
    }
    for (int e = 0; e < access->n_indices && product != 0; e++) {
        struct choice choice = {.r = r, .step = step, .e = e, .only_kept = only_kept};
        if (access->index[e].n_parts > 1)
            product *= sum_parts(&choice, 0);
    }
    return (int64_t)product;
}

/* ---- one transfer ---- */

void sator_mapper_direct_init(struct mapper_ragged *ragged, const struct mapper_shape *shape,
        const struct mapper_mapping *mapping, const struct mapper_alone *alone)
{
    const struct mapper_problem *p = ragged->walk->problem;

    ragged->shape = shape;
    for (int i = 0; i < p->n_loops; i++) {
        struct mapper_ragged_loop *loop = &ragged->loop[i];
        *loop = (struct mapper_ragged_loop){.tile = mapping->factor[p->innermost][i],
                .lanes = 1,
                .shared_lanes = 1,
                .shared_span = 1,
                .shared = 1};
        ragged->apart[i] = ragged->outer[i] = ragged->inner[i] = 1;
        ragged->fall[i] = 0;
        int64_t others = 1; /* PEs beside the one that is looked at */
        for (int r = 0; r < p->innermost; r++) {
            if (!p->row[r].is_space)
                ragged->outer[i] *= mapping->factor[r][i];
            else
                *(alone != NULL && r < alone->row      ? &others
                                : is_shared(ragged, r) ? &loop->shared
                                                       : &ragged->apart[i]) *=
                        mapping->factor[r][i];
        }
        for (int r = p->innermost + 1; r < p->n_rows; r++) {
            loop->lanes *= mapping->factor[r][i];
            if (!is_shared(ragged, r))
                continue;
            loop->shared_lanes *= mapping->factor[r][i];
            loop->shared_span += (mapping->factor[r][i] - 1) * shape->inside[r + 1][i];
        }
        int64_t blocks = sator_mapper_blocks(p->extent[i], loop->lanes);
        int64_t number = ragged->outer[i] * ragged->apart[i] * loop->shared * others;
        bool whole = others > 1 && !(alone->last >> i & 1);
        loop->spread = ragged->apart[i] * loop->shared * others > 1;
        loop->last = whole ? loop->tile - 1 : blocks - 1 - (number - 1) * loop->tile;
        loop->last_lanes = whole ? loop->lanes : p->extent[i] - (blocks - 1) * loop->lanes;
    }
}

int64_t sator_mapper_direct_all(const struct mapper_ragged *ragged)
{
    return sum_words(ragged, &(struct step){.loop = -1}, false);
}

int64_t sator_mapper_direct_kept(
        const struct mapper_ragged *ragged, int row, int loop, int64_t factor, int64_t length)
{
    return sum_words(ragged,
            &(struct step){loop, row == ragged->walk->problem->innermost, factor, length}, true);
}
