/* Boxes: which of the elements that a place holds come from the holder, and which of its sums leave
 * (doc/model.md, sections 2 and 4). The element sets are products of progressions: cut where
 * another set begins or ends, each part is in the same sets. */
#include "model/timing/timing_boxes.h"

enum {
    MOST_SETS = 160
};

/* A set of elements that is in the way. */
struct set {
    int move; /* that it is of; BOX_MOVES: an earlier piece of the place itself */
    const struct box_line *lines;
};

struct sieve {
    struct boxes *boxes;
    bool is_fresh;
    bool is_last; /* of all places that have what this one has */
    int n_out;
    const struct box_line *lines; /* of the piece at hand */
    struct set *sets; /* MOST_SETS */
    struct box_words words;
};

static bool line_has(const struct box_line *line, int64_t value)
{
    return value >= line->low && value <= line->high && (value - line->low) % line->step == 0;
}

static bool lines_meet(const struct box_line *a, const struct box_line *b)
{
    return a->low <= b->high && b->low <= a->high;
}

static bool is_in(uint64_t mask, int move)
{
    return (mask >> move & 1) != 0;
}

/* The link that brings an element; -1: none, -2: it is held already. */
static int link_of(uint64_t mask, int n_links)
{
    if (is_in(mask, BOX_BEFORE))
        return -2;
    for (int k = 0; k < n_links; k++) {
        if (is_in(mask, box_provider(k)))
            return k;
    }
    return -1;
}

/* Whether the consumer over link "k" has its sum from the place at hand. */
static bool takes(uint64_t mask, int n_links, int k)
{
    if (!is_in(mask, box_consumer(n_links, k)) || is_in(mask, box_consumer_before(n_links, k)))
        return false;
    for (int earlier = 0; earlier < k; earlier++) {
        if (is_in(mask, box_consumer_provider(n_links, k, earlier)))
            return false;
    }
    return true;
}

/* Count "n" elements that are in the sets of "mask". */
static void judge(struct sieve *sieve, uint64_t mask, int64_t n)
{
    const struct boxes *b = sieve->boxes;
    int n_links = b->transfer->transport.n_links;
    int link = link_of(mask, n_links);
    bool is_sent = link == -1 && !sieve->is_fresh;

    sieve->words.sent += is_sent ? n : 0;
    sieve->words.arrived += b->is_output ? is_sent ? n : 0 : link != -2 ? n : 0;
    sieve->words.begun += link == -1 ? n : 0;
    if (!b->is_output)
        return;
    uint64_t joined =
            link == -1 ? 0 : UINT64_C(1) << (link == -2 ? BOX_BEFORE : box_provider(link));
    joined |= mask & UINT64_C(1) << box_after(n_links);
    for (int k = 0; k < n_links; k++) {
        if (takes(mask, n_links, k))
            joined |= UINT64_C(1) << box_consumer(n_links, k);
    }
    int n_takers = __builtin_popcountll(joined) - (link != -1);
    bool leaves = b->is_grouped ? sieve->is_last : n_takers == 0;
    sieve->words.stored += leaves ? n : 0;
    sieve->boxes->joined |= joined;
    sieve->boxes->branches |= n_takers > 1; /* the sum leaves from one of them */
}

/* Where the values of "line" begin and cease to be in the sets: sorted, the end included. */
static int cut(struct sieve *sieve, const struct box_line *line, int o, int n, const uint8_t *live,
        int64_t *cuts)
{
    int n_cuts = 0;

    cuts[n_cuts++] = line->low;
    cuts[n_cuts++] = line->high + line->step;
    for (int i = 0; i < n && line->low < line->high; i++) {
        const struct box_line *other = &sieve->sets[live[i]].lines[o];
        bool is_one = other->low == other->high;
        int64_t ends[2] = {other->low, other->high + line->step};
        if ((other->low - line->low) % line->step != 0 && (is_one || other->step == line->step))
            continue; /* they have nothing in common */
        sieve->boxes->failed |= !is_one && other->step != line->step;
        for (int e = 0; e < 2; e++) {
            int at = 0;
            while (at < n_cuts && cuts[at] < ends[e])
                at++;
            if (at == 0 || at == n_cuts || cuts[at] == ends[e])
                continue;
            for (int k = n_cuts++; k > at; k--)
                cuts[k] = cuts[k - 1];
            cuts[at] = ends[e];
        }
    }
    return n_cuts;
}

/* Elements with the values of the indices before "o" that are "n_each" and in the sets "live". */
static void walk(struct sieve *sieve, int o, int64_t n_each, int n, const uint8_t *live)
{
    const struct box_line *line = &sieve->lines[o];
    int64_t cuts[2 * MOST_SETS + 2];
    uint8_t kept[MOST_SETS];
    uint64_t mask = 0;

    if (o == sieve->n_out) {
        for (int i = 0; i < n; i++) {
            if (sieve->sets[live[i]].move == BOX_MOVES)
                return;
            mask |= UINT64_C(1) << sieve->sets[live[i]].move;
        }
        judge(sieve, mask, n_each);
        return;
    }
    int n_cuts = cut(sieve, line, o, n, live, cuts);
    for (int c = 0; c + 1 < n_cuts; c++) {
        int n_kept = 0;
        for (int i = 0; i < n; i++) {
            if (line_has(&sieve->sets[live[i]].lines[o], cuts[c]))
                kept[n_kept++] = live[i];
        }
        walk(sieve, o + 1, n_each * ((cuts[c + 1] - cuts[c]) / line->step), n_kept, kept);
    }
}

/* Add the pieces of a holding that have an index in common with the piece at hand. */
static int add_sets(
        struct sieve *sieve, int n, int move, int n_pieces, const struct box_line *lines)
{
    for (int p = 0; p < n_pieces; p++, lines += sieve->n_out) {
        bool meet = true;
        for (int o = 0; o < sieve->n_out && meet; o++)
            meet = lines_meet(&lines[o], &sieve->lines[o]);
        if (!meet)
            continue;
        if (n == MOST_SETS) {
            sieve->boxes->failed = true;
            return n;
        }
        sieve->sets[n++] = (struct set){move, lines};
    }
    return n;
}

/* The same where each place holds one element. */
static struct box_words sift_single(struct boxes *b, bool is_fresh, bool is_last)
{
    struct sieve sieve = {.boxes = b, .is_fresh = is_fresh, .is_last = is_last};
    uint64_t mask = 0;

    for (int m = 0; m < b->n_moves; m++) {
        if (b->others[m].any && b->others[m].element == b->own.element)
            mask |= UINT64_C(1) << m;
    }
    judge(&sieve, mask, 1);
    return sieve.words;
}

struct box_words boxes_sift(struct boxes *b, bool is_fresh, bool is_last)
{
    struct set sets[MOST_SETS];
    struct sieve sieve = {.boxes = b,
            .is_fresh = is_fresh,
            .is_last = is_last,
            .n_out = b->map->n_out,
            .sets = sets};
    uint8_t live[MOST_SETS];

    if (b->is_single)
        return sift_single(b, is_fresh, is_last);
    for (int p = 0; p < b->map->n_pieces; p++) {
        sieve.lines = b->own.lines + p * sieve.n_out;
        int n = add_sets(&sieve, 0, BOX_MOVES, p, b->own.lines);
        for (int m = 0; m < b->n_moves; m++) {
            if (b->others[m].any)
                n = add_sets(&sieve, n, m, b->map->n_pieces, b->others[m].lines);
        }
        for (int i = 0; i < n; i++)
            live[i] = (uint8_t)i;
        walk(&sieve, 0, 1, n, live);
    }
    return sieve.words;
}
