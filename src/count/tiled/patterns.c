/* All stamps of a nest, pattern by pattern of time: the words of parts, multiplied.
 *
 * A stamp and the one before it differ in a known way at each row of time, and so on back. Of a
 * pattern's rows a part sees how many of its own digits stand outside of each, and whether the row
 * is its own; so few patterns look different to a part, and what it has to say is remembered.
 */
#include "base/arena.h"
#include "count/closed/closed.h"
#include "count/tiled/tiled.h"

#include <stdlib.h>
#include <string.h>

struct view {
    int n;
    int16_t row[TILED_BACK];
    struct tiled_tally tally;
};

struct counting {
    struct tiled_question *q;
    int back; /* as far as sources lie */
    int n_views[TILED_LOOPS];
    struct view *view[TILED_LOOPS]; /* by part */
    sator_int *credit;
    sator_int total, unserved, groups; /* of all words; without a source */
    struct tiled_families families; /* of TILED_ALL */
    sator_int *left; /* words, after each bus */
    bool passes; /* a link brings a word past stamps of which more is asked than is known */
    const struct sator_decline *reason;
};

/* ---- one pattern ---- */

/* What "part" sees of a pattern's row. */
static int16_t seen(const struct tiled_nest *nest, const struct tiled_part *part, int row)
{
    int outside = 0;
    bool own = false;

    if (row == TILED_NEVER)
        return TILED_NEVER;
    for (int d = 0; d < nest->n_digits; d++) {
        const struct tiled_digit *digit = &nest->digit[d];
        if (digit->kind != TILED_TIME || !tiled_part_has(part, digit->loop))
            continue;
        outside += digit->order < row;
        own |= digit->order == row;
    }
    return (int16_t)(2 * outside + own);
}

/* The tally of part "p" in the question's pattern. */
static enum sator_status find_tally(struct counting *c, int p, const struct tiled_tally **tally)
{
    const struct tiled_question *q = c->q;
    const struct tiled_nest *nest = q->nest;
    struct view made = {.n = q->n_back};

    for (int j = 0; j < q->n_back; j++)
        made.row[j] = seen(nest, &nest->part[p], q->pattern[j]);
    for (int i = 0; i < c->n_views[p]; i++) {
        const struct view *known = &c->view[p][i];
        if (known->n == made.n && memcmp(known->row, made.row, sizeof made.row) == 0) {
            *tally = &known->tally;
            return SATOR_OK;
        }
    }
    enum sator_status st = tiled_walk(q, &nest->part[p], &made.tally, &c->reason);
    if (st != SATOR_OK)
        return st;
    SATOR_PUSH(q->arena, c->view[p], c->n_views[p], made);
    *tally = &c->view[p][c->n_views[p] - 1].tally;
    return SATOR_OK;
}

/* Whether what is held outside may change twice on the way from a source of the pattern: then it
 * need not hold in between what it does at both ends (sator_transport.held_time). */
static bool passes_stamps(const struct tiled_question *q, const struct tiled_source *source)
{
    int n_changes = 0;

    for (int j = 0; j < source->back; j++)
        n_changes += q->pattern[j] < q->n_held;
    return n_changes > 1;
}

static void credit(struct counting *c, const struct tiled_word *word, int number)
{
    const struct tiled_source *source = &c->q->source[number];

    c->passes |= passes_stamps(c->q, source);
    c->credit[source->credit] += word->times;
}

static void add_word(struct counting *c, const struct tiled_word *word)
{
    tiled_bits sources = word->holder[0].sources;

    switch (c->q->aspect) {
    case TILED_EACH:
        c->total += word->times;
        if (sources != 0)
            credit(c, word, tiled_first_bit(sources));
        else
            c->unserved += word->times;
        return;
    case TILED_LEAST:
        c->groups += sources == 0 ? word->times : 0;
        return;
    case TILED_ALL:
        tiled_word_entering(word, tiled_every_bit(), &c->families, c->left);
        return;
    }
}

static enum sator_status count_pattern(struct counting *c)
{
    const struct tiled_question *q = c->q;
    struct tiled_tally product = {0};
    const struct tiled_tally *tally;

    for (int p = 0; p < q->nest->n_parts; p++) {
        enum sator_status st = find_tally(c, p, &tally);
        if (st == SATOR_OK && tally->n == 0)
            return SATOR_OK; /* there is no such stamp */
        if (st == SATOR_OK)
            st = tiled_tally_multiply(q, &product, tally, &c->reason);
        if (st != SATOR_OK)
            return st;
    }
    for (int i = 0; i < product.n; i++)
        add_word(c, &product.word[i]);
    if (c->passes)
        c->reason = &closed_link_passes;
    return c->passes ? SATOR_DECLINED : SATOR_OK;
}

/* ---- all patterns ---- */

/* Whether the stamp before, which differs from its next one in row "latest", can differ from its
 * own in "row": digits of time inside both go from 0 to their last values, and are 0 again. */
static bool can_follow(const struct tiled_nest *nest, int latest, int row)
{
    for (int d = 0; d < nest->n_digits; d++) {
        const struct tiled_digit *digit = &nest->digit[d];
        if (digit->kind == TILED_TIME && digit->order > latest && digit->order > row &&
                digit->size > 1 && nest->loop[digit->loop].whole_from == 0)
            return false;
    }
    return true;
}

/* Choose the rows of a pattern from the "j"-th on. */
static enum sator_status count_from(struct counting *c, int j)
{
    struct tiled_question *q = c->q;
    enum sator_status st = SATOR_OK;

    q->n_back = j;
    if (j == TILED_BACK || j == c->back || (j > 0 && q->pattern[j - 1] == TILED_NEVER))
        return count_pattern(c);
    for (int row = TILED_NEVER; row < q->nest->n_time && st == SATOR_OK; row++) {
        if (j > 0 && !can_follow(q->nest, q->pattern[j - 1], row))
            continue;
        q->pattern[j] = row;
        st = count_from(c, j + 1);
    }
    return st;
}

static void begin(struct counting *c, enum tiled_aspect aspect)
{
    struct tiled_question *q = c->q;

    q->aspect = aspect;
    memset(c->n_views, 0, sizeof c->n_views);
    memset(q->is_spread, 0, sizeof q->is_spread);
    memset(q->width, 0, sizeof q->width);
    c->back = 0;
    for (int s = 0; s < q->n_sources; s++)
        c->back = q->source[s].back > c->back ? q->source[s].back : c->back;
}

/* ---- buses ---- */

static bool covers(
        const struct tiled_nest *nest, const struct tiled_bus *a, const struct tiled_bus *b)
{
    for (int d = 0; d < nest->n_digits; d++) {
        if (b->spreads[d] && !a->spreads[d])
            return false;
    }
    return true;
}

/* Give the digits that some bus spreads over their bits in the number of a PE: its order is that of
 * space-stamps. */
static const struct sator_decline *number_pes(
        struct tiled_question *q, int n_buses, const struct tiled_bus *bus, tiled_bits *spread)
{
    struct tiled_coordinates all;
    int at = 0;

    tiled_nest_coordinates(q->nest, &all);
    for (int i = all.n - 1; i >= 0; i--) {
        int digit = all.digit[i];
        for (int b = 0; b < n_buses; b++)
            q->is_spread[digit] |= bus[b].spreads[digit];
        if (!q->is_spread[digit])
            continue;
        q->field[digit] = at;
        q->width[digit] = 64 - __builtin_clzll((uint64_t)q->nest->digit[digit].size - 1);
        at += q->width[digit];
        if (at > TILED_SOURCES)
            return DECLINE("the PEs of the buses do not fit into one number");
        for (int b = 0; b < n_buses; b++) {
            if (bus[b].spreads[digit])
                spread[b] |= (tiled_bit(q->width[digit]) - 1) << q->field[digit];
        }
    }
    return NULL;
}

/* Buses of which one does not join whole groups of those before: PE by PE. */
static enum sator_status count_crossing(
        struct counting *c, int n_buses, const struct tiled_bus *bus, sator_int *by_bus)
{
    sator_int left[TILED_BUSES] = {0}, unserved = c->unserved;

    begin(c, TILED_ALL);
    c->families = (struct tiled_families){.n = n_buses};
    c->left = left;
    c->reason = number_pes(c->q, n_buses, bus, c->families.spread);
    enum sator_status st = c->reason == NULL ? count_from(c, 0) : SATOR_DECLINED;
    for (int b = 0; b < n_buses; b++) {
        by_bus[b] = unserved - left[b];
        unserved = left[b];
    }
    return st;
}

static enum sator_status count_buses(
        struct counting *c, int n_buses, const struct tiled_bus *bus, sator_int *by_bus)
{
    const struct tiled_nest *nest = c->q->nest;
    int latest = -1; /* the bus that left one PE of each of its groups */
    sator_int left = c->unserved;

    for (int b = 0; b < n_buses; b++) {
        by_bus[b] = 0;
        if (latest >= 0 && covers(nest, &bus[latest], &bus[b]))
            continue; /* whole groups are there already */
        if (latest >= 0 && !covers(nest, &bus[b], &bus[latest]))
            return count_crossing(c, n_buses, bus, by_bus);
        begin(c, TILED_LEAST);
        memcpy(c->q->is_spread, bus[b].spreads, sizeof c->q->is_spread);
        c->groups = 0;
        enum sator_status st = count_from(c, 0);
        if (st != SATOR_OK)
            return st;
        by_bus[b] = left - c->groups;
        latest = left == c->groups ? latest : b;
        left = c->groups;
    }
    return SATOR_OK;
}

enum sator_status tiled_count_reuse(struct tiled_question *question, int n_buses,
        const struct tiled_bus *bus, struct tiled_volumes *volumes,
        const struct sator_decline **reason)
{
    struct counting c = {.q = question, .credit = volumes->credit};

    begin(&c, TILED_EACH);
    enum sator_status st = count_from(&c, 0);
    volumes->total = c.total;
    if (st == SATOR_OK)
        st = count_buses(&c, n_buses, bus, volumes->by_bus);
    *reason = c.reason;
    return st;
}

enum sator_status tiled_count_kind(const struct tiled_question *question,
        const struct tiled_part *part, enum tiled_kind kind, sator_int *words,
        const struct sator_decline **reason)
{
    struct tiled_nest nest = *question->nest;
    struct tiled_question q = {.ctx = question->ctx,
            .left = question->left,
            .arena = question->arena,
            .nest = &nest,
            .aspect = TILED_EACH};
    struct tiled_tally tally = {0};

    for (int d = 0; d < nest.n_digits; d++)
        nest.digit[d].kind = nest.digit[d].fixed >= 0 ? TILED_SPACE : kind;
    enum sator_status st = tiled_walk(&q, part, &tally, reason);
    *words = 0;
    for (int i = 0; i < tally.n; i++)
        *words += tally.word[i].times;
    return st;
}
