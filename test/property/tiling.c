/* Tilings, digit by digit from inside out, against brute force.
 *
 * Each case is a small access (loops alone, windows, quotients, several places) and a chain of
 * digits of any sizes, so that any tile of tiles may be cut short. What is kept step by step, and
 * what is left of all words, is compared with the definition: words that some PE of a group touches
 * in a time-stamp and did not touch in the one before. Digits are placed and taken back at random.
 */
#include "count/tiled/tiling.h"

#include "oracle/generate.h"
#include "oracle/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LOOPS = 4,
    MOST_CHAIN = 12,
    MOST_WORDS = 700,
    MOST_HOLDS = 81 * MOST_WORDS
};

enum kind {
    STEP,
    APART,
    SHARED
};

struct link_of_chain {
    int loop;
    int64_t size;
    enum kind kind;
};

struct nest {
    int n_loops;
    int64_t extent[MOST_LOOPS], tile[MOST_LOOPS];
    int n_indices;
    struct sator_tiling_index index[MOST_LOOPS];
    int loop[MOST_LOOPS][MOST_LOOPS];
    int64_t coef[MOST_LOOPS][MOST_LOOPS], place[MOST_LOOPS][3];
    int n_chain;
    struct link_of_chain chain[MOST_CHAIN];
};

static struct random numbers;

static int pick(int n)
{
    return (int)random_below(&numbers, n);
}

static bool chance(int percent)
{
    return random_chance(&numbers, percent);
}

static void make_access(struct nest *nest)
{
    int64_t volume = 1;
    int next = 0;

    *nest = (struct nest){.n_loops = 1 + pick(MOST_LOOPS)};
    for (int l = 0; l < nest->n_loops; l++) {
        int64_t most = MOST_WORDS / volume;
        nest->extent[l] = 1 + pick(chance(30) ? 20 : 8);
        nest->extent[l] = nest->extent[l] < most ? nest->extent[l] : most;
        volume *= nest->extent[l];
    }
    while (next < nest->n_loops && chance(85)) {
        int e = nest->n_indices++;
        int n = 1 + pick(nest->n_loops - next > 2 ? 3 : nest->n_loops - next);
        for (int i = 0; i < n; i++) {
            nest->loop[e][i] = next++;
            nest->coef[e][i] = chance(60) ? 1 : chance(80) ? 1 + pick(4) : -1 - pick(2);
        }
        nest->index[e] = (struct sator_tiling_index){.n_loops = n,
                .loop = nest->loop[e],
                .coef = nest->coef[e],
                .divisor = chance(75) ? 1 : 2 + pick(3),
                .n_places = chance(80) ? 1 : 1 + pick(3),
                .place = nest->place[e]};
        for (int p = 0; p < 3; p++)
            nest->place[e][p] = chance(50) ? pick(7) - 3 : 0;
        next += chance(20); /* a loop that indexes nothing */
    }
}

/* Digits until all loops are covered, in any order. */
static void make_chain(struct nest *nest)
{
    int64_t left[MOST_LOOPS];
    int n_left = 0;
    bool early = chance(50); /* digits of PEs all inside those of time */

    for (int l = 0; l < nest->n_loops; l++) {
        nest->tile[l] = chance(40) ? 1 : 1 + pick((int)nest->extent[l]);
        left[l] = (nest->extent[l] + nest->tile[l] - 1) / nest->tile[l];
        n_left += left[l] > 1;
    }
    while (n_left > 0) {
        int l = pick(nest->n_loops);
        if (left[l] == 1)
            continue;
        int64_t size = 2 + pick((int)left[l] - 1);
        if (nest->n_chain + n_left >= MOST_CHAIN)
            size = left[l];
        bool apart = chance(50);
        enum kind kind = chance(early && nest->n_chain > 2 ? 100 : 55) ? STEP
                : apart                                                ? APART
                                                                       : SHARED;
        if (early && nest->n_chain > 0 && nest->chain[nest->n_chain - 1].kind == STEP)
            kind = STEP;
        nest->chain[nest->n_chain++] = (struct link_of_chain){l, size, kind};
        left[l] = (left[l] + size - 1) / size;
        n_left -= left[l] == 1;
    }
}

/* ---- brute force ---- */

/* An element that a PE touches in a time-stamp. */
struct hold {
    int64_t time, group, pe, element;
};

static int compare_holds(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct hold)); /* any order will do */
}

static int n_holds;
static struct hold hold[MOST_HOLDS];
static int n_times;
static int64_t stamp[MOST_WORDS];

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t divide(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/* Add what iteration "n" touches, as numbers in mixed radix; places one by one from "e" on. */
static void touch(const struct nest *nest, const int64_t *n, int e, struct hold *one)
{
    if (e == nest->n_indices || e == MOST_LOOPS) {
        hold[n_holds++] = *one;
        return;
    }
    const struct sator_tiling_index *index = &nest->index[e];
    for (int p = 0; p < index->n_places; p++) {
        struct hold made = *one;
        int64_t sum = index->place[p];
        for (int i = 0; i < index->n_loops; i++)
            sum += index->coef[i] * n[index->loop[i]];
        made.element = made.element * 1024 + 512 + divide(sum, index->divisor);
        touch(nest, n, e + 1, &made);
    }
}

static void list_holds(const struct nest *nest)
{
    int64_t n[MOST_LOOPS] = {0};
    int at = 0;

    n_holds = n_times = 0;
    while (at >= 0) {
        struct hold one = {0};
        int64_t place[MOST_LOOPS], weight[3] = {1, 1, 1}, number[3] = {0};
        memcpy(place, nest->tile, sizeof place);
        for (int k = 0; k < nest->n_chain; k++) { /* outer ones weigh more */
            const struct link_of_chain *c = &nest->chain[k];
            number[c->kind] += weight[c->kind] * (n[c->loop] / place[c->loop] % c->size);
            weight[c->kind] *= c->size;
            place[c->loop] *= c->size;
        }
        one.time = number[STEP];
        one.group = number[APART];
        one.pe = number[SHARED];
        stamp[n_times++] = one.time;
        touch(nest, n, 0, &one);
        for (at = nest->n_loops - 1; at >= 0 && ++n[at] == nest->extent[at]; at--)
            n[at] = 0;
    }
    qsort(stamp, (size_t)n_times, sizeof *stamp, compare_numbers);
    int kept = 0;
    for (int i = 0; i < n_times; i++) {
        if (kept == 0 || stamp[kept - 1] != stamp[i])
            stamp[kept++] = stamp[i];
    }
    n_times = kept;
    for (int i = 0; i < n_holds; i++) /* times by their numbers */
        hold[i].time = (int64_t *)bsearch(&hold[i].time, stamp, (size_t)n_times, sizeof *stamp,
                               compare_numbers) -
                stamp;
    qsort(hold, (size_t)n_holds, sizeof *hold, compare_holds);
    kept = 0;
    for (int i = 0; i < n_holds; i++) {
        if (kept == 0 || compare_holds(&hold[kept - 1], &hold[i]) != 0)
            hold[kept++] = hold[i];
    }
    n_holds = kept;
}

/* The words that some PE of a group did not hold before; the largest tile of a PE. */
static int64_t count_words(int64_t *most)
{
    static struct hold fresh[MOST_HOLDS];
    int n = 0, distinct = 0;
    int64_t tile = 0;

    for (int i = 0; i < n_holds; i++) {
        struct hold before = hold[i];
        before.time--;
        if (bsearch(&before, hold, (size_t)n_holds, sizeof *hold, compare_holds) != NULL)
            continue;
        fresh[n] = hold[i];
        fresh[n++].pe = 0;
    }
    qsort(fresh, (size_t)n, sizeof *fresh, compare_holds);
    for (int i = 0; i < n; i++)
        distinct += i == 0 || compare_holds(&fresh[i - 1], &fresh[i]) != 0;
    *most = 0;
    for (int i = 0; i < n_holds; i++) {
        tile = 1;
        for (int k = 0; k < n_holds && n_holds < 400; k++)
            tile += k != i && hold[k].time == hold[i].time && hold[k].group == hold[i].group &&
                    hold[k].pe == hold[i].pe;
        *most = tile > *most ? tile : *most;
    }
    return distinct;
}

/* ---- the tiling ---- */

/* The words that cross, step by step. Say how loops are divided and put the digits of time in
 * order, in one pass or in two: all is said before, or no digit of PEs stands outside one of time.
 * Now and then something else is said first and taken back. */
static int64_t count_tiling(const struct nest *nest, struct sator_tiling *tiling)
{
    int64_t kept = 0;
    bool has_steps = false, is_known = chance(50);

    for (int k = 0; k < nest->n_chain; k++) {
        is_known |= has_steps && nest->chain[k].kind != STEP;
        has_steps |= nest->chain[k].kind == STEP;
    }
    sator_tiling_begin(tiling, nest->tile);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < nest->n_chain; k++) {
            const struct link_of_chain *c = &nest->chain[k];
            if (chance(30) && (!is_known || pass == 0)) {
                int loop = pick(nest->n_loops);
                sator_tiling_divide(tiling, loop, 2 + pick(3));
                sator_tiling_step(tiling, loop);
                sator_tiling_back(tiling);
                sator_tiling_back(tiling);
            }
            if (pass == 0 && c->kind == STEP)
                sator_tiling_divide(tiling, c->loop, c->size);
            else if (pass == 0)
                sator_tiling_spread(
                        tiling, c->loop, c->size, c->kind == SHARED ? TILING_SHARED : TILING_APART);
            if (pass == is_known && c->kind == STEP)
                kept += sator_tiling_step(tiling, c->loop);
        }
    }
    return sator_tiling_all(tiling) - kept;
}

static bool check_case(struct sator_ctx *ctx)
{
    struct nest nest;
    int64_t most;
    bool fine = true;

    make_access(&nest);
    struct sator_tiling *tiling =
            sator_tiling_new(ctx, nest.n_loops, nest.extent, nest.n_indices, nest.index);
    for (int chains = 0; chains < 4 && fine; chains++) {
        nest.n_chain = 0;
        make_chain(&nest);
        list_holds(&nest);
        int64_t expected = count_words(&most);
        int64_t got = count_tiling(&nest, tiling);
        int64_t tile = sator_tiling_most(tiling);
        fine = got == expected && (n_holds >= 400 || tile == most);
        if (!fine)
            printf("words %" PRId64 ", brute force %" PRId64 "; tile %" PRId64 ", %" PRId64 "\n",
                    got, expected, tile, most);
    }
    for (int l = 0; l < nest.n_loops && !fine; l++)
        printf("loop %d: %" PRId64 " by %" PRId64 "\n", l, nest.extent[l], nest.tile[l]);
    for (int e = 0; e < nest.n_indices && !fine; e++) {
        for (int i = 0; i < nest.index[e].n_loops; i++)
            printf(" + %" PRId64 " x loop %d", nest.coef[e][i], nest.loop[e][i]);
        printf(" over %" PRId64 " at", nest.index[e].divisor);
        for (int p = 0; p < nest.index[e].n_places; p++)
            printf(" %" PRId64, nest.place[e][p]);
        printf("\n");
    }
    for (int k = 0; k < nest.n_chain && !fine; k++)
        printf("digit %d: loop %d, %" PRId64 " values, kind %d\n", k, nest.chain[k].loop,
                nest.chain[k].size, (int)nest.chain[k].kind);
    sator_tiling_free(tiling);
    return fine;
}

int main(int argc, char **argv)
{
    struct run_options options;
    struct sator_ctx *ctx = sator_ctx_new();
    int failures = 0;

    if (!run_options(argc, argv, 3000, &options))
        return 2;
    for (int64_t i = options.first_case; i < options.first_case + options.n_cases && failures < 5;
            i++) {
        numbers.state = run_case_seed(&options, i);
        if (check_case(ctx))
            continue;
        printf("again with: property_tiling --seed %" PRIu64 " --case %" PRId64 "\n\n",
                options.seed, i);
        failures++;
    }
    sator_ctx_free(ctx);
    return failures > 0;
}
