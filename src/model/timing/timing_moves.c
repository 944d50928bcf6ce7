/* What the transfers of one access move, element by element (doc/model.md, sections 2 and 4): where
 * each pair of an instance and an element comes from, which sums start from zero, and when a sum
 * that was taken up leaves. */
#include "model/timing/timing_follow.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- sorting ---- */

static int compare_words(const void *a, const void *b)
{
    const struct timing_words *x = a, *y = b;

    if (x->stamp != y->stamp)
        return x->stamp < y->stamp ? -1 : 1;
    return (x->instance > y->instance) - (x->instance < y->instance);
}

void timing_moves_reserve(struct timing_moves *moves, struct sator_arena *arena, int64_t n)
{
    struct timing_words *rows = moves->rows;

    if (n <= moves->room)
        return;
    if (n > INT_MAX)
        sator_out_of_memory();
    moves->room = (int)n;
    moves->rows = sator_arena_take(arena, sizeof *rows * (size_t)n);
    if (moves->n > 0)
        memcpy(moves->rows, rows, sizeof *rows * (size_t)moves->n);
}

void timing_moves_push(
        struct timing_moves *moves, struct sator_arena *arena, struct timing_words row)
{
    if (moves->n == moves->room)
        timing_moves_reserve(moves, arena, 2 * (int64_t)moves->room + 1);
    moves->rows[moves->n++] = row;
}

void timing_moves_add(struct timing_moves *moves, struct sator_arena *arena, int64_t stamp,
        int64_t instance, int64_t words)
{
    struct timing_words *last = moves->n > 0 ? &moves->rows[moves->n - 1] : NULL;

    if (last != NULL && last->stamp == stamp && last->instance == instance)
        last->words += words;
    else if (words > 0)
        timing_moves_push(moves, arena,
                (struct timing_words){.stamp = stamp, .instance = instance, .words = words});
}

/* Sort the rows, and join those that are of one instance in one stamp. */
static void sort_moves(struct timing_moves *moves)
{
    int n = 0;

    if (moves->n > 0)
        qsort(moves->rows, (size_t)moves->n, sizeof *moves->rows, compare_words);
    for (int i = 0; i < moves->n; i++) {
        if (n > 0 && compare_words(&moves->rows[n - 1], &moves->rows[i]) == 0)
            moves->rows[n - 1].words += moves->rows[i].words;
        else
            moves->rows[n++] = moves->rows[i];
    }
    moves->n = n;
}

/* ---- outputs ---- */

/* Of the pairs of a window that nobody touched before, one of an element starts from zero in each
 * of "n_groups" groups of instances: the first that takes it up by itself. */
static void find_fresh(const struct follower *f, int64_t n_groups, struct stays *stays,
        const struct origins *origins)
{
    int64_t ratio = stays->n_instances / n_groups;
    struct left *left = SATOR_NEW_ARRAY(f->arena, struct left, stays->n + 1);

    for (int64_t x = 0; x < stays->n_stamps; x++) {
        int64_t n = 0;
        for (int64_t e = stays->first[x]; e < stays->first[x + 1]; e++) {
            if (stays->fresh[e] && origins->way[e] == WAY_SENT)
                left[n++] = (struct left){.bus = stays_instance(stays, e) / ratio,
                        .element = stays_element(stays, e),
                        .pair = e};
            stays->fresh[e] = false;
        }
        if (n > 0)
            qsort(left, (size_t)n, sizeof *left, left_compare);
        for (int64_t i = 0; i < n; i++)
            stays->fresh[left[i].pair] = i == 0 || left[i].element != left[i - 1].element ||
                    left[i].bus != left[i - 1].bus;
    }
}

/* Whether the pair "e" starts from zero because the stay outside does, and nobody has touched it
 * since: then that is over. */
static bool take_fresh(const struct follower *f, struct stays *outside, int64_t ratio,
        const struct stays *stays, int64_t stamp, int64_t instance, int64_t element)
{
    stamp = stays_outer(f, stays, outside, stamp);
    int64_t at = stays_find(outside, stamp, instance / ratio, element);

    if (at < 0 || !outside->fresh[at])
        return false;
    outside->fresh[at] = false;
    return true;
}

/* The words of sums: read back unless they start from zero, and sent up when their chain ends.
 * Without "outside", "stays" has what starts from zero already. */
static void move_sums(const struct follower *f, const struct crossing *crossing, int64_t ratio,
        struct stays *outside, struct stays *stays, const struct origins *origins,
        struct timing_movement *movement)
{
    const struct timing_transfer *transfer = crossing->transfer;
    int n_trees = transfer->transport.n_buses;
    struct sator_arena *arena = f->timing->arena;
    int64_t *root = SATOR_NEW_ARRAY(f->arena, int64_t, stays->n + 1);
    int64_t *last = SATOR_NEW_ARRAY(f->arena, int64_t, stays->n + 1);

    timing_moves_reserve(&movement->sent, arena, stays->n);
    timing_moves_reserve(&movement->arrived, arena, stays->n);
    timing_moves_reserve(&movement->stored, arena, stays->n);
    for (int64_t e = 0; e < stays->n; e++) {
        int64_t stamp = stays_stamp(stays, e), instance = stays_instance(stays, e), from = e;
        if (origins->way[e] == WAY_MERGED)
            stays->fresh[e] = true;
        if (origins->way[e] == WAY_SENT) {
            if (outside != NULL)
                stays->fresh[e] = take_fresh(
                        f, outside, ratio, stays, stamp, instance, stays_element(stays, e));
            if (!stays->fresh[e]) {
                timing_moves_add(&movement->sent, arena, stamp, instance / ratio,
                        stays_words(f, transfer, transfer->holder_space, stays, e));
                timing_moves_add(&movement->arrived, arena, stamp, instance,
                        stays_words(f, transfer, transfer->n_space, stays, e));
            }
        }
        while (from >= e && origins->way[from] != WAY_SENT)
            from = origins->from[from];
        root[e] = from < e ? root[from] : from;
        if (last[root[e]] == 0 || stays_stamp(stays, last[root[e]] - 1) < stamp)
            last[root[e]] = e + 1; /* the first instance of the latest stamp; 0: none yet */
    }
    for (int64_t e = 0; e < stays->n; e++) {
        if (root[e] != e)
            continue;
        int64_t stamp = stays_stamp(stays, last[e] - 1),
                instance = stays_instance(stays, last[e] - 1),
                words = stays_words(f, transfer, transfer->holder_space, stays, e);
        timing_moves_add(&movement->stored, arena, stamp, instance / ratio, words);
        for (int b = 0; b < n_trees; b++)
            crossing_add_bus(crossing, origins, b, stamp, origins->buses[b].to[instance], words);
    }
    sort_moves(&movement->stored);
}

static void move_inputs(const struct follower *f, const struct timing_transfer *transfer,
        int64_t ratio, const struct stays *stays, const struct origins *origins,
        struct timing_movement *movement)
{
    struct sator_arena *arena = f->timing->arena;

    timing_moves_reserve(&movement->sent, arena, stays->n);
    timing_moves_reserve(&movement->arrived, arena, stays->n);
    for (int64_t e = 0; e < stays->n; e++) {
        int64_t stamp = stays_stamp(stays, e), instance = stays_instance(stays, e);
        if (origins->way[e] == WAY_HELD)
            continue;
        if (origins->way[e] == WAY_SENT)
            timing_moves_add(&movement->sent, arena, stamp, instance / ratio,
                    stays_words(f, transfer, transfer->holder_space, stays, e));
        timing_moves_add(&movement->arrived, arena, stamp, instance,
                stays_words(f, transfer, transfer->n_space, stays, e));
    }
}

/* Room for what goes over limited wires. */
static struct crossing new_crossing(const struct follower *f,
        const struct timing_transfer *transfer, struct timing_movement *movement)
{
    int n = timing_n_ways(transfer) - 3;

    if (n > 0)
        movement->wires = SATOR_NEW_ARRAY(f->timing->arena, struct timing_moves, n);
    return (struct crossing){f, transfer, f->timing->analysis->shape, movement->wires};
}

static void sort_crossing(const struct crossing *crossing)
{
    for (int i = 0; i < timing_n_ways(crossing->transfer) - 3; i++)
        sort_moves(&crossing->wires[i]);
}

/* ---- operands of a PE's own memory ---- */

static bool move_operands(const struct follower *f, struct stays *outside, bool is_output,
        struct timing_movement *movement)
{
    struct sator_arena *arena = f->timing->arena;
    struct stays stays;

    if (!stays_list(f, f->timing->n_levels - 1, f->timing->analysis->n_space, &stays))
        return false;
    timing_moves_reserve(&movement->sent, arena, stays.n);
    timing_moves_reserve(&movement->stored, arena, is_output ? stays.n : 0);
    for (int64_t e = 0, next; e < stays.n; e = next) {
        int64_t stamp = stays_stamp(&stays, e), pe = stays_instance(&stays, e);
        for (next = e + 1; next < stays.n && stays.key[next] == stays.key[e];)
            next++;
        bool fresh = is_output &&
                take_fresh(f, outside, stays.n_instances / outside->n_instances, &stays, stamp, pe,
                        stays_element(&stays, e));
        timing_moves_add(&movement->sent, arena, stamp, pe, next - e - fresh);
        if (is_output)
            timing_moves_add(&movement->stored, arena, stamp, pe, next - e);
    }
    return true;
}

/* ---- all transfers of an access ---- */

static bool follow_transfer(const struct follower *f, const struct timing_transfer *transfer,
        struct stays *outside, struct timing_movement *movement)
{
    bool is_output = f->timing->analysis->workload->accesses[f->access].role == SATOR_WRITE;
    struct origins origins;
    struct stays stays;

    if (transfer->is_own)
        return move_operands(f, outside, is_output, movement);
    struct crossing crossing = new_crossing(f, transfer, movement);
    if (!stays_make(f, timing_level_of(f->timing, transfer->n_time), transfer->n_space, &stays) ||
            (transfer->holds_idle &&
                    !stays_keep_idle(f, transfer->n_space, is_output ? outside : NULL, &stays)) ||
            !origins_make(f, &crossing, is_output ? outside : NULL, &stays, &origins))
        return false;
    int64_t ratio =
            f->list->space_below[transfer->holder_space] / f->list->space_below[transfer->n_space];
    if (is_output)
        move_sums(f, &crossing, ratio, outside, &stays, &origins, movement);
    else
        move_inputs(f, transfer, ratio, &stays, &origins, movement);
    sort_crossing(&crossing);
    *outside = stays;
    return true;
}

/* The pairs of a window as stays: a key is there once, first where any of its copies is. */
static struct stays stays_of(const struct follower *f, const struct timing_window *window)
{
    struct stays stays = {.level = -1,
            .n_instances = window->n_instances,
            .n_elements = window->n_elements,
            .n_stamps = window->n_stamps,
            .key = window->key,
            .fresh = SATOR_NEW_ARRAY(f->arena, bool, window->n + 1)};

    stays_sort(f, window->n, window->key);
    for (int64_t e = 0; e < window->n; e++) {
        uint64_t key = window->key[e] / 2;
        bool first = window->key[e] % 2 == 1;
        if (stays.n > 0 && stays.key[stays.n - 1] == key) {
            stays.fresh[stays.n - 1] |= first;
            continue;
        }
        stays.fresh[stays.n] = first;
        stays.key[stays.n++] = key;
    }
    stays_index(f, &stays);
    return stays;
}

/* A PE's own memory serves every instance: the pairs as often as they are there. */
static void count_operands(const struct follower *f, const struct timing_window *window,
        bool is_output, struct timing_movement *movement)
{
    struct sator_arena *arena = f->timing->arena;
    uint64_t *keys = sator_arena_copy(f->arena, window->key, sizeof *keys * (size_t)window->n);
    struct stays stays = stays_of(f, window);
    struct origins all_sent = {.way = SATOR_NEW_ARRAY(f->arena, enum way, stays.n + 1)};
    int64_t at = 0;

    for (int64_t e = 0; e < stays.n; e++)
        all_sent.way[e] = WAY_SENT;
    find_fresh(f, window->fresh_instances, &stays, &all_sent);
    stays_sort(f, window->n, keys);
    for (int64_t e = 0; e < stays.n; e++) {
        int64_t stamp = stays_stamp(&stays, e), pe = stays_instance(&stays, e), first = at;
        while (at < window->n && keys[at] / 2 == stays.key[e])
            at++;
        timing_moves_add(
                &movement->sent, arena, stamp, pe, at - first - (is_output && stays.fresh[e]));
        if (is_output)
            timing_moves_add(&movement->stored, arena, stamp, pe, at - first);
    }
}

bool timing_follow_window(struct timing *timing, const struct timing_transfer *transfer,
        const struct timing_window *window, struct timing_movement *movement)
{
    struct follower f = {.timing = timing, .arena = sator_arena_new(), .access = transfer->access};
    bool is_output = timing->analysis->workload->accesses[transfer->access].role == SATOR_WRITE;
    struct origins origins;
    bool fits = true;

    *movement = (struct timing_movement){0};
    if (transfer->is_own) {
        count_operands(&f, window, is_output, movement);
    } else {
        struct stays stays = stays_of(&f, window);
        int64_t ratio = window->n_instances / window->holder_instances;
        struct crossing crossing = new_crossing(&f, transfer, movement);
        fits = origins_make(&f, &crossing, NULL, &stays, &origins);
        if (fits && is_output) {
            find_fresh(&f, window->fresh_instances, &stays, &origins);
            move_sums(&f, &crossing, ratio, NULL, &stays, &origins, movement);
        } else if (fits) {
            move_inputs(&f, transfer, ratio, &stays, &origins, movement);
        }
        sort_crossing(&crossing);
    }
    sator_arena_free(f.arena);
    return fits;
}

bool timing_follow_starts(struct timing *timing, const struct timing_transfer *transfer,
        const struct timing_window *window, struct timing_sums *sums)
{
    struct follower f = {.timing = timing, .arena = sator_arena_new(), .access = transfer->access};
    struct crossing crossing = {.f = &f, .transfer = transfer, .shape = timing->analysis->shape};
    struct stays stays = stays_of(&f, window);
    struct origins origins;

    *sums = (struct timing_sums){0};
    bool fits = origins_make(&f, &crossing, NULL, &stays, &origins);
    if (fits)
        find_fresh(&f, window->fresh_instances, &stays, &origins);
    for (int64_t e = stays.first[stays.n_stamps - 1]; fits && e < stays.n; e++) {
        if (stays.fresh[e] || origins.way[e] == WAY_MERGED)
            SATOR_PUSH(timing->arena, sums->key, sums->n,
                    stays_instance(&stays, e) * stays.n_elements + stays_element(&stays, e));
    }
    sator_arena_free(f.arena);
    return fits;
}

enum sator_status timing_follow(struct timing *timing, const struct timing_list *list,
        const struct timing_stamps *stamps, int access, struct timing_movement *movements)
{
    struct follower f = {.timing = timing,
            .arena = sator_arena_new(),
            .list = list,
            .stamps = stamps,
            .access = access};
    struct stays outside;
    bool fits = stays_make(&f, -1, 0, &outside); /* the outside world */

    for (int64_t e = 0; fits && e < outside.n; e++)
        outside.fresh[e] = true;
    for (int i = 0; fits && i < timing->n_transfers; i++) {
        if (timing->transfers[i].access == access)
            fits = follow_transfer(&f, &timing->transfers[i], &outside, &movements[i]);
    }
    if (!fits)
        timing->why = "what the instances hold cannot be followed one by one";
    sator_arena_free(f.arena);
    return SATOR_OK;
}
