/* What enters joined PEs in one stamp, where no tile is ever cut short.
 *
 * No pattern of time is asked here: how far a tile has moved since the stamps before is given, and
 * so how far the numbers of each source lie behind. Where no bus joins PEs, a holder is looked at
 * by itself, and whether a source has its word is said by each digit of PEs for itself (is there
 * such a PE?) and by the tile (is the number in a tile so far away?): all of these are parts. Buses
 * join the holders of a number, so an index and its digits are one part. What a part says is
 * remembered, so that a stamp is a product.
 */
#include "count/tiled/stamp.h"

#include "base/arena.h"
#include "base/context.h"
#include "base/memo.h"
#include "count/tiled/joined.h"

#include <assert.h>
#include <stdlib.h>

/* Digits of PEs as a net joins them. */
struct joint {
    int number;
    struct tiling_network *network;
    struct tiled_word word; /* one at a PE that all sources have, the product of no parts */
    struct tiled_holder holder;
    struct tiled_tally digits; /* words of all digits that are parts by themselves */
};

struct sator_stamps {
    struct sator_ctx *ctx;
    struct sator_arena *arena, *scratch; /* of all stamps, of one */
    int n_joints;
    struct sator_memo *joints; /* const struct joint *: by net and digits */
    struct sator_memo *tallies; /* const struct tiled_tally *: by joint, tile and moves */
};

/* A question. */
struct asked {
    struct sator_stamps *stamps;
    const struct sator_stamp *stamp;
    const struct joint *joint;
};

struct sator_stamps *sator_stamps_new(void)
{
    struct sator_stamps *stamps = sator_alloc(sizeof *stamps);

    *stamps = (struct sator_stamps){.ctx = sator_ctx_own(),
            .arena = sator_arena_new(),
            .scratch = sator_arena_new(),
            .joints = sator_memo_new(sizeof(const struct joint *)),
            .tallies = sator_memo_new(sizeof(const struct tiled_tally *))};
    return stamps;
}

void sator_stamps_free(struct sator_stamps *stamps)
{
    if (stamps == NULL)
        return;
    sator_memo_free(stamps->joints);
    sator_memo_free(stamps->tallies);
    sator_arena_free(stamps->arena);
    sator_arena_free(stamps->scratch);
    sator_ctx_free(stamps->ctx);
    free(stamps);
}

/* ---- parts ---- */

/* The digit that joints have at "k": the innermost of the last row first. */
static const struct sator_stamp_digit *digit_of(const struct sator_stamp *stamp, int k)
{
    return &stamp->digit[stamp->n_digits - 1 - k];
}

static bool is_named(const struct sator_stamp *stamp, int k)
{
    int e = digit_of(stamp, k)->index;

    return e >= 0 && stamp->index[e].is_named;
}

/* Part e is index e; part n_indices + k is digit k by itself. */
static int part_of(const struct sator_stamp *stamp, int k)
{
    const struct sator_stamp_digit *digit = digit_of(stamp, k);
    bool is_placed = tiling_net_grouped(stamp->net) >> digit->row & 1;
    bool is_alone =
            digit->index < 0 || stamp->net->n_buses == 0 || (is_named(stamp, k) && !is_placed);

    return is_alone ? stamp->n_indices + k : digit->index;
}

static void add_digit(struct tiled_nest *nest, enum tiled_kind kind, int64_t size, int64_t step)
{
    assert(nest->n_digits < TILED_DIGITS);
    nest->digit[nest->n_digits] = (struct tiled_digit){
            .place = 1, .size = size, .top = size - 1, .kind = kind, .fixed = -1};
    nest->step[nest->n_digits++] = step;
}

/* Make the nest of part "p": its digits of PEs, the outermost first, then what is inside; "at" is
 * where the joint's digits are. */
static void make_nest(const struct asked *asked, int p, struct tiled_nest *nest, int *at)
{
    const struct sator_stamp *stamp = asked->stamp;
    const struct sator_stamp_index *index = p < stamp->n_indices ? &stamp->index[p] : NULL;

    nest->is_whole = true;
    nest->n_digits = 0;
    for (int k = stamp->n_digits - 1; k >= 0; k--) {
        const struct sator_stamp_digit *digit = digit_of(stamp, k);
        if (part_of(stamp, k) == p)
            add_digit(nest, TILED_SPACE, digit->size, index == NULL ? 0 : digit->step);
    }
    for (int k = 0; k < nest->n_digits; k++)
        at[k] = nest->n_digits - 1 - k;
    for (int i = 0; index != NULL && !index->is_named && i < index->n_parts; i++)
        add_digit(nest, TILED_INSIDE, index->tile[i], index->coef[i]);
    if (nest->n_digits == 0) /* places alone */
        add_digit(nest, TILED_INSIDE, 1, 0);
    nest->loop[0] = (struct tiled_loop){.extent = 1, .n_digits = nest->n_digits};
}

/* How far the numbers of index "e" that each source had lie behind those of now; of digits that are
 * parts by themselves, too. */
static void find_distances(
        const struct asked *asked, int e, const int64_t *const *moved, int64_t *behind)
{
    const struct sator_stamp *stamp = asked->stamp;
    const struct tiling_network *network = asked->joint->network;

    for (int s = 0; s < network->n_sources; s++) {
        int back = network->source[s].back;
        behind[s] = back == 0 || stamp->index[e].is_named ? 0 : moved[back - 1][e];
    }
    for (int k = 0; k < stamp->n_digits; k++) {
        const struct sator_stamp_digit *digit = digit_of(stamp, k);
        int p = part_of(stamp, k);
        for (int s = 0; s < network->n_sources && digit->index == e && p != e; s++)
            behind[s] += network->part[p].shift[s] * digit->step;
    }
}

/* The words of part "p" by their holders, whose sources' lie so far behind. */
static struct tiled_tally tally_of(const struct asked *asked, int p, const int64_t *behind)
{
    static const int64_t origin;
    const struct sator_stamp *stamp = asked->stamp;
    const struct sator_stamp_index *index = p < stamp->n_indices ? &stamp->index[p] : NULL;
    struct tiled_nest *nest = sator_arena_take(asked->stamps->scratch, sizeof *nest);
    int at[TILED_DIGITS];
    struct tiled_question q = {.ctx = asked->stamps->ctx,
            .arena = asked->stamps->arena,
            .nest = nest,
            .behind = behind};
    const struct tiled_part part = {.n_loops = 1,
            .is_indexed = index != NULL,
            .is_named = index != NULL && index->is_named,
            .divisor = 1,
            .n_places = index == NULL ? 1 : index->n_places,
            .place = index == NULL ? &origin : index->place};
    struct tiled_tally tally = {0};
    const struct sator_decline *reason;

    make_nest(asked, p, nest, at);
    tiling_network_ask(asked->joint->network, asked->stamps->scratch, p, at, &q);
    enum sator_status st = tiled_walk(&q, &part, &tally, &reason);
    assert(st == SATOR_OK && tally.n > 0); /* it is whole: nothing is declined */
    (void)st;
    return tally;
}

/* The words of two parts together, in "arena". */
static struct tiled_tally multiply(const struct asked *asked, struct sator_arena *arena,
        const struct tiled_tally *a, const struct tiled_tally *b)
{
    static const struct tiled_nest whole = {.is_whole = true};
    struct tiled_question q = {.ctx = asked->stamps->ctx,
            .arena = arena,
            .nest = &whole,
            .aspect = asked->joint->network->aspect};
    const struct sator_decline *reason;
    struct tiled_tally both;

    (void)tiled_tally_multiply(&q, a, b, &both, &reason);
    return both;
}

/* ---- what is remembered ---- */

static struct joint *make_joint(struct asked *asked)
{
    const struct sator_stamp *stamp = asked->stamp;
    struct sator_stamps *stamps = asked->stamps;
    struct joint *joint = SATOR_NEW(stamps->arena, struct joint);
    static const int64_t nothing[TILED_SOURCES];
    struct tiling_joined joined[TILING_DIGITS];
    struct tiling_joined_kind kind[TILING_LOOPS + TILING_DIGITS];

    for (int e = 0; e < stamp->n_indices; e++)
        kind[e] = (struct tiling_joined_kind){true, stamp->index[e].is_named};
    for (int k = 0; k < stamp->n_digits; k++) {
        const struct sator_stamp_digit *digit = digit_of(stamp, k);
        joined[k] = (struct tiling_joined){
                .part = part_of(stamp, k), .row = digit->row, .size = digit->size};
        kind[stamp->n_indices + k] =
                (struct tiling_joined_kind){digit->index >= 0, is_named(stamp, k)};
    }
    joint->number = stamps->n_joints++;
    joint->network = tiling_network_new(stamps->arena, stamp->net, stamp->n_digits, joined,
            stamp->n_indices + stamp->n_digits, kind, true);
    assert(!joint->network->is_unknown);
    asked->joint = joint;
    joint->holder.sources = tiled_bit(joint->network->n_sources) - 1;
    joint->word = (struct tiled_word){.times = 1, .n = 1, .holder = &joint->holder};
    joint->digits = (struct tiled_tally){.n = 1, .word = &joint->word};
    for (int k = 0; k < stamp->n_digits; k++) {
        if (part_of(stamp, k) < stamp->n_indices || is_named(stamp, k))
            continue; /* of a word at one of its positions it says nothing */
        struct tiled_tally tally = tally_of(asked, stamp->n_indices + k, nothing);
        joint->digits = multiply(asked, stamps->arena, &joint->digits, &tally);
    }
    return joint;
}

static const struct joint *find_joint(struct asked *asked)
{
    const struct sator_stamp *stamp = asked->stamp;
    int64_t key[2 + 2 * TILING_DIGITS];
    int n = 0;
    bool is_new;

    key[n++] = stamp->net->number;
    key[n++] = stamp->net->held;
    for (int k = 0; k < stamp->n_digits; k++) {
        key[n++] = stamp->digit[k].size;
        key[n++] = (int64_t)stamp->digit[k].row << 32 | (stamp->digit[k].index + 1);
    }
    const struct joint **joint = sator_memo_place(asked->stamps->joints, key, (size_t)n, &is_new);
    if (is_new)
        *joint = make_joint(asked);
    return *joint;
}

/* What the words of index "e" depend on: its tile, how far the sources' lie behind it, and its
 * digits where they are of its part. */
static int tally_key(const struct asked *asked, int e, const int64_t *behind, int64_t *key)
{
    const struct sator_stamp *stamp = asked->stamp;
    const struct sator_stamp_index *index = &stamp->index[e];
    bool has_digits = stamp->net->n_buses > 0;
    int n = 0;

    key[n++] = has_digits ? asked->joint->number : -1;
    key[n++] = stamp->net->number;
    key[n++] = (int64_t)e << 32 | asked->joint->network->n_sources;
    for (int i = 0; i < index->n_parts; i++)
        key[n++] = index->is_named ? 0 : index->tile[i];
    for (int s = 0; s < asked->joint->network->n_sources; s++)
        key[n++] = behind[s];
    for (int k = 0; k < stamp->n_digits && has_digits; k++) {
        if (stamp->digit[k].index == e)
            key[n++] = stamp->digit[k].step;
    }
    return n;
}

/* The words of index "e" by their holders. */
static const struct tiled_tally *find_tally(
        const struct asked *asked, int e, const int64_t *const *moved)
{
    int64_t key[3 + TILING_LOOPS + TILED_SOURCES + TILING_DIGITS], behind[TILED_SOURCES];
    bool is_new;

    find_distances(asked, e, moved, behind);
    int n = tally_key(asked, e, behind, key);
    const struct tiled_tally **tally =
            sator_memo_place(asked->stamps->tallies, key, (size_t)n, &is_new);
    if (is_new) {
        struct tiled_tally *made = SATOR_NEW(asked->stamps->arena, struct tiled_tally);
        *made = tally_of(asked, e, behind);
        *tally = made;
    }
    return *tally;
}

/* Whether index "e" says anything: not where each of its words has a PE, and it matters to nobody
 * which. */
static bool is_told(const struct sator_stamp *stamp, int e)
{
    bool is_told = !stamp->index[e].is_named;

    for (int k = 0; k < stamp->n_digits; k++)
        is_told |= part_of(stamp, k) == e;
    return is_told;
}

int64_t sator_stamp_entering(
        struct sator_stamps *stamps, const struct sator_stamp *stamp, const int64_t *const *moved)
{
    struct asked asked = {stamps, stamp, NULL};

    sator_arena_clear(stamps->scratch);
    asked.joint = find_joint(&asked);
    struct tiled_tally words = asked.joint->digits;
    for (int e = 0; e < stamp->n_indices; e++) {
        if (is_told(stamp, e))
            words = multiply(&asked, stamps->scratch, &words, find_tally(&asked, e, moved));
    }
    const struct tiling_network *network = asked.joint->network;
    return (int64_t)tiled_tally_fetched(
            network->aspect, &words, tiled_every_bit(), &network->families);
}
