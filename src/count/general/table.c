#include "count/general/table.h"

#include "base/arena.h"
#include "count/general/images.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_LISTED = 1 << 20
};

/* PEs, time-stamps, instances and elements are known by their number in lexicographic order. */
struct sator_table {
    struct sator_stamps *stamps;
    struct sator_tuples instances, pes, times;
    struct sator_tuples marks; /* (pe, time, instance), sorted */
};

/* ---- the domain ---- */

/* Ranges of the leading "n" variables of a system. Propagation finds no end where bounds lean on
 * each other alone, as in 5 <= k <= 4 + i, 3 i <= 1 + k: these are projected. */
static enum sator_status find_ranges(struct sator_ctx *ctx, const struct sator_system *system,
        int n, struct sator_range *ranges, bool *empty)
{
    enum sator_status st = SATOR_OK;

    sator_system_ranges(system, ranges, empty);
    for (int v = 0; v < n && !*empty && st == SATOR_OK; v++)
        if (ranges[v].lower == INT64_MIN || ranges[v].upper == INT64_MAX) {
            st = sator_system_project(ctx, system, v, &ranges[v]);
            *empty = ranges[v].lower > ranges[v].upper;
        }
    return st == SATOR_DECLINED ? SATOR_OK : st; /* a range without ends is one, too */
}

/* The box around the domain. */
static enum sator_status domain_box(
        struct sator_stamps *stamps, struct sator_range *box, bool *empty)
{
    int n_loops = stamps->stamping->domain->n_in;
    struct sator_pieces pieces;
    enum sator_status st;

    *empty = true;
    SATOR_TRY(sator_stamps_pieces(stamps, isl_set_copy(stamps->domain), &pieces));
    for (int i = 0; i < pieces.n; i++) {
        struct sator_range *ranges =
                sator_alloc(sizeof *ranges * (size_t)(pieces.systems[i]->n_vars + 1));
        bool none;

        st = find_ranges(stamps->ctx, pieces.systems[i], n_loops, ranges, &none);
        for (int v = 0; v < n_loops && !none && st == SATOR_OK; v++) {
            if (*empty || ranges[v].lower < box[v].lower)
                box[v].lower = ranges[v].lower;
            if (*empty || ranges[v].upper > box[v].upper)
                box[v].upper = ranges[v].upper;
        }
        *empty = *empty && none;
        free(ranges);
        SATOR_TRY(st);
    }
done:
    sator_pieces_clear(&pieces);
    return st;
}

enum sator_status sator_table_size_ub(struct sator_stamps *stamps, sator_int *size)
{
    int n_loops = stamps->stamping->domain->n_in;
    struct sator_range *box = sator_alloc(sizeof *box * (size_t)(n_loops + 1));
    enum sator_status st;
    sator_int product = 1;
    bool empty;

    SATOR_TRY(domain_box(stamps, box, &empty));
    for (int v = 0; v < n_loops && !empty && product >= 0; v++) {
        /* Factors below 2^65, a product below 2^21: no overflow. */
        product *= (sator_int)box[v].upper - box[v].lower + 1;
        if (product > MOST_LISTED)
            product = -1;
    }
    *size = empty ? 0 : product;
done:
    free(box);
    return st;
}

static bool next_point(int64_t *point, const struct sator_range *box, int n_loops)
{
    for (int v = n_loops - 1; v >= 0; v--) {
        if (point[v] < box[v].upper) {
            point[v]++;
            return true;
        }
        point[v] = box[v].lower;
    }
    return false;
}

static enum sator_status list_instances(struct sator_table *table)
{
    struct sator_stamps *stamps = table->stamps;
    int n_loops = stamps->stamping->domain->n_in;
    struct sator_range *box = sator_alloc(sizeof *box * (size_t)(n_loops + 1));
    int64_t *point = sator_alloc(sizeof *point * (size_t)(n_loops + 1));
    struct sator_tuples inside = {.width = 0};
    struct sator_images *domain = NULL;
    enum sator_status st;
    bool empty;

    table->instances.width = n_loops;
    SATOR_TRY(domain_box(stamps, box, &empty));
    SATOR_TRY(sator_images_open(stamps, stamps->stamping->domain, 0, NULL, &domain));
    for (int v = 0; v < n_loops && !empty; v++)
        point[v] = box[v].lower;
    for (bool more = !empty; more; more = next_point(point, box, n_loops)) {
        SATOR_TRY(sator_work(stamps->ctx, SATOR_TABLE_TICKS));
        inside.n = 0;
        SATOR_TRY(sator_images_add(domain, point, &inside));
        if (inside.n > 0)
            memcpy(sator_tuples_add(&table->instances), point, sizeof *point * (size_t)n_loops);
    }
done:
    sator_tuples_clear(&inside);
    sator_images_close(domain);
    free(point);
    free(box);
    return st;
}

/* Number the images of all instances under "relation": "images" become the distinct ones, "pairs"
 * (instance, image). */
static enum sator_status list_images(struct sator_table *table,
        const struct sator_relation *relation, int n_used, struct sator_tuples *images,
        struct sator_tuples *pairs)
{
    struct sator_images *asked = NULL;
    int32_t *ids = NULL;
    enum sator_status st;

    *images = (struct sator_tuples){.width = n_used};
    *pairs = (struct sator_tuples){.width = 2};
    SATOR_TRY(sator_images_open(table->stamps, relation, n_used, NULL, &asked));
    for (size_t i = 0; i < table->instances.n; i++) {
        SATOR_TRY(sator_work(table->stamps->ctx, SATOR_TABLE_TICKS));
        SATOR_TRY(sator_images_add(asked, sator_tuples_get(&table->instances, i), images));
        if (images->n > INT32_MAX)
            SATOR_TRY(SATOR_LIMIT);
        while (pairs->n < images->n)
            sator_tuples_add(pairs)[0] = (int64_t)i;
    }
    ids = sator_alloc(sizeof *ids * (images->n + 1));
    sator_tuples_number(images, ids);
    for (size_t i = 0; i < pairs->n; i++)
        sator_tuples_get(pairs, i)[1] = ids[i];
done:
    free(ids);
    sator_images_close(asked);
    return st;
}

/* Join two lists of (instance, number), each in the order of instances, into (first, second,
 * instance) or, with a list of marks as the first, (pe, time, element). */
static void join_stamps(const struct sator_tuples *spaces, const struct sator_tuples *times,
        struct sator_tuples *marks)
{
    size_t first = 0;

    for (size_t i = 0; i < spaces->n; i++) {
        const int64_t *space = sator_tuples_get(spaces, i);

        while (first < times->n && sator_tuples_get(times, first)[0] < space[0])
            first++;
        for (size_t j = first; j < times->n; j++) {
            const int64_t *time = sator_tuples_get(times, j);
            int64_t *mark;

            if (time[0] != space[0])
                break;
            mark = sator_tuples_add(marks);
            mark[0] = space[1];
            mark[1] = time[1];
            mark[2] = space[0];
        }
    }
}

enum sator_status sator_table_open(struct sator_stamps *stamps, struct sator_table **result)
{
    struct sator_table *table = sator_alloc(sizeof *table);
    struct sator_tuples spaces = {.width = 2}, times = {.width = 2};
    enum sator_status st;

    *table = (struct sator_table){.stamps = stamps};
    SATOR_TRY(list_instances(table));
    SATOR_TRY(list_images(table, stamps->stamping->space, stamps->n_space, &table->pes, &spaces));
    SATOR_TRY(list_images(table, stamps->stamping->time, stamps->n_time, &table->times, &times));
    table->marks.width = 3;
    join_stamps(&spaces, &times, &table->marks);
    sator_tuples_number(&table->marks, NULL);
done:
    sator_tuples_clear(&spaces);
    sator_tuples_clear(&times);
    if (st == SATOR_OK)
        *result = table;
    else
        sator_table_close(table);
    return st;
}

void sator_table_close(struct sator_table *table)
{
    if (!table)
        return;
    sator_tuples_clear(&table->instances);
    sator_tuples_clear(&table->pes);
    sator_tuples_clear(&table->times);
    sator_tuples_clear(&table->marks);
    free(table);
}

/* ---- stamps ---- */

/* The number of distinct values of the leading "width" cells of sorted tuples, the longest run, and
 * its start. */
static size_t runs(const struct sator_tuples *tuples, int width, size_t *longest, size_t *where)
{
    size_t n_runs = 0, length = 0;

    *longest = *where = 0;
    for (size_t i = 0; i < tuples->n; i++) {
        bool same = i > 0 &&
                memcmp(sator_tuples_get(tuples, i), sator_tuples_get(tuples, i - 1),
                        sizeof *tuples->cells * (size_t)width) == 0;

        n_runs += !same;
        length = same ? length + 1 : 1;
        if (length > *longest) {
            *longest = length;
            *where = i + 1 - length;
        }
    }
    return n_runs;
}

enum sator_status sator_table_stamps(struct sator_table *table, struct sator_stamp_counts *counts)
{
    struct sator_tuples stamps = {.width = 2};
    size_t longest, where;

    for (size_t i = 0; i < table->marks.n; i++) {
        const int64_t *mark = sator_tuples_get(&table->marks, i);
        int64_t *stamp = sator_tuples_add(&stamps);

        stamp[0] = mark[1];
        stamp[1] = mark[0];
    }
    sator_tuples_number(&stamps, NULL);
    runs(&stamps, 1, &longest, &where);
    *counts = (struct sator_stamp_counts){.instances = (sator_int)table->instances.n,
            .stamps = (sator_int)stamps.n,
            .time_stamps = (sator_int)table->times.n,
            .active_pes = (sator_int)table->pes.n,
            .max_active_pes = (sator_int)longest};
    sator_tuples_clear(&stamps);
    return SATOR_OK;
}

enum sator_status sator_table_max_per_stamp(
        struct sator_table *table, sator_int *most, int64_t *instance)
{
    size_t longest, where;

    runs(&table->marks, 2, &longest, &where);
    if (instance && longest > 0) {
        size_t number = (size_t)sator_tuples_get(&table->marks, where)[2];

        memcpy(instance, sator_tuples_get(&table->instances, number),
                sizeof *instance * (size_t)table->instances.width);
    }
    *most = (sator_int)longest;
    return SATOR_OK;
}

/* ---- accesses ---- */

/* An access: its pairs (instance, element), distinct, and the data assignment (pe, time, element),
 * sorted. */
struct listed {
    struct sator_tuples elements, pairs, assignment;
    bool holds_idle;
    struct sator_tuples active; /* (pe, time), sorted, where PEs keep what they have */
    int n_outside;
    struct outside {
        struct sator_tuples held; /* (instance, prefix of the stamp, element), by number */
        int64_t *instance, *prefix; /* of each PE and stamp */
        bool holds_idle;
        struct sator_tuples active; /* (instance, prefix) */
    } * outside; /* the memories that have to keep sums, with those that PEs keep */
};

static void clear_listed(struct listed *listed)
{
    sator_tuples_clear(&listed->elements);
    sator_tuples_clear(&listed->pairs);
    sator_tuples_clear(&listed->assignment);
    sator_tuples_clear(&listed->active);
    for (int i = 0; i < listed->n_outside; i++) {
        sator_tuples_clear(&listed->outside[i].held);
        sator_tuples_clear(&listed->outside[i].active);
        free(listed->outside[i].instance);
        free(listed->outside[i].prefix);
    }
    free(listed->outside);
}

static enum sator_status list_access(
        struct sator_table *table, const struct sator_relation *access, struct listed *listed)
{
    size_t *first = sator_alloc(sizeof *first * (table->instances.n + 1));
    enum sator_status st;

    *listed = (struct listed){.assignment = {.width = 3}};
    SATOR_TRY(list_images(table, access, access->n_out, &listed->elements, &listed->pairs));
    sator_tuples_number(&listed->pairs, NULL);
    for (size_t i = 0, at = 0; i < table->instances.n; i++) {
        while (at < listed->pairs.n && sator_tuples_get(&listed->pairs, at)[0] < (int64_t)i)
            at++;
        first[i] = at;
    }
    for (size_t i = 0; i < table->marks.n; i++) {
        const int64_t *mark = sator_tuples_get(&table->marks, i);

        for (size_t j = first[mark[2]]; j < listed->pairs.n; j++) {
            const int64_t *pair = sator_tuples_get(&listed->pairs, j);
            int64_t *assigned;

            if (pair[0] != mark[2])
                break;
            SATOR_TRY(sator_work(table->stamps->ctx, SATOR_TABLE_TICKS));
            assigned = sator_tuples_add(&listed->assignment);
            assigned[0] = mark[0];
            assigned[1] = mark[1];
            assigned[2] = pair[1];
        }
    }
    sator_tuples_number(&listed->assignment, NULL);
done:
    free(first);
    return st;
}

enum sator_status sator_table_tile(
        struct sator_table *table, const struct sator_relation *access, sator_int *words)
{
    struct listed listed;
    enum sator_status st;
    size_t longest, where;

    SATOR_TRY(list_access(table, access, &listed));
    runs(&listed.assignment, 2, &longest, &where);
    *words = (sator_int)longest;
done:
    clear_listed(&listed);
    return st;
}

/* ---- reuse ---- */

static bool in_array(const struct sator_stamps *stamps, const int64_t *pe)
{
    for (int d = 0; d < stamps->n_space; d++)
        if (pe[d] < 0 || pe[d] >= stamps->stamping->shape[d])
            return false;
    return true;
}

/* The pairs (consumer, provider) of PEs in use that a link joins, sorted. */
static enum sator_status list_link(
        struct sator_table *table, const struct sator_relation *map, struct sator_tuples *pairs)
{
    struct sator_tuples consumers = {.width = table->stamps->n_space};
    struct sator_images *asked = NULL;
    enum sator_status st;

    SATOR_TRY(sator_images_open(
            table->stamps, map, table->stamps->n_space, table->stamps->box, &asked));
    for (size_t q = 0; q < table->pes.n; q++) {
        if (!in_array(table->stamps, sator_tuples_get(&table->pes, q)))
            continue;
        consumers.n = 0;
        SATOR_TRY(sator_images_add(asked, sator_tuples_get(&table->pes, q), &consumers));
        for (size_t i = 0; i < consumers.n; i++) {
            const int64_t *pe = sator_tuples_get(&consumers, i);
            int64_t p = in_array(table->stamps, pe) ? sator_tuples_find(&table->pes, pe) : -1;
            int64_t *pair;

            SATOR_TRY(sator_work(table->stamps->ctx, SATOR_TABLE_TICKS));
            if (p < 0)
                continue;
            pair = sator_tuples_add(pairs);
            pair[0] = p;
            pair[1] = (int64_t)q;
        }
    }
    sator_tuples_number(pairs, NULL);
done:
    sator_tuples_clear(&consumers);
    sator_images_close(asked);
    return st;
}

/* The number of the prefix of "n" numbers of each of the sorted "tuples" (GIVE: free). */
static int64_t *number_prefixes(const struct sator_tuples *tuples, int n)
{
    int64_t *number = sator_alloc(sizeof *number * (tuples->n + 1));

    for (size_t i = 0; i < tuples->n; i++) {
        bool same = i > 0 &&
                (n == 0 ||
                        memcmp(sator_tuples_get(tuples, i), sator_tuples_get(tuples, i - 1),
                                sizeof(int64_t) * (size_t)n) == 0);
        number[i] = i == 0 ? 0 : number[i - 1] + !same;
    }
    return number;
}

/* (place, time) of all instances, each once. */
static void list_active(const struct sator_table *table, const int64_t *place, const int64_t *time,
        struct sator_tuples *active)
{
    active->width = 2;
    for (size_t i = 0; i < table->marks.n; i++) {
        const int64_t *mark = sator_tuples_get(&table->marks, i);
        int64_t *stamp = sator_tuples_add(active);

        stamp[0] = place == NULL ? mark[0] : place[mark[0]];
        stamp[1] = time == NULL ? mark[1] : time[mark[1]];
    }
    sator_tuples_number(active, NULL);
}

static void list_outside(const struct sator_table *table, const struct sator_outside *given,
        const struct sator_tuples *assignment, struct outside *outside)
{
    outside->holds_idle = given->holds_idle;
    outside->instance = number_prefixes(&table->pes, given->space);
    outside->prefix = number_prefixes(&table->times, given->time);
    outside->held.width = 3;
    for (size_t i = 0; i < assignment->n; i++) {
        const int64_t *pair = sator_tuples_get(assignment, i);
        int64_t *held = sator_tuples_add(&outside->held);

        held[0] = outside->instance[pair[0]];
        held[1] = outside->prefix[pair[1]];
        held[2] = pair[2];
    }
    sator_tuples_number(&outside->held, NULL);
    if (given->holds_idle)
        list_active(table, outside->instance, outside->prefix, &outside->active);
}

static void list_held(const struct sator_table *table, const struct sator_transport *transport,
        struct listed *listed)
{
    const struct sator_outside nearest = {transport->held_space, transport->held_time, false};
    const struct sator_outside *outside = transport->n_outside > 0 ? transport->outside : &nearest;
    int n = transport->n_outside > 0 ? transport->n_outside : transport->held_time > 0;

    listed->holds_idle = transport->holds_idle;
    if (transport->holds_idle)
        list_active(table, NULL, NULL, &listed->active);
    listed->outside = sator_alloc(sizeof *listed->outside * (size_t)(n + 1));
    for (; listed->n_outside < n; listed->n_outside++) {
        struct outside *made = &listed->outside[listed->n_outside];
        *made = (struct outside){0};
        list_outside(table, &outside[listed->n_outside], &listed->assignment, made);
    }
}

/* The last stamp up to "time" at which "place" is active, of the sorted "active"; -1: none. */
static int64_t last_active(const struct sator_tuples *active, int64_t place, int64_t time)
{
    size_t low = 0, high = active->n; /* those before "low" are at most (place, time) */

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const int64_t *stamp = sator_tuples_get(active, middle);
        if (stamp[0] < place || (stamp[0] == place && stamp[1] <= time))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || sator_tuples_get(active, low - 1)[0] != place)
        return -1;
    return sator_tuples_get(active, low - 1)[1];
}

/* Whether the memory outside that "here" (PE, stamp, element) is in has the element at "prefix". */
static bool has_outside(const struct outside *outside, const int64_t *here, int64_t prefix)
{
    int64_t instance = outside->instance[here[0]];

    if (outside->holds_idle)
        prefix = last_active(&outside->active, instance, prefix);
    return sator_tuples_find(&outside->held, (int64_t[]){instance, prefix, here[2]}) >= 0;
}

/* Whether what is held outside lets the pair "here" come from stamp "from"; at both ends it does.
 */
static enum sator_status is_kept(struct sator_table *table, const struct listed *listed,
        const int64_t *here, int64_t from, bool *kept)
{
    enum sator_status st = SATOR_OK;

    *kept = true;
    for (int i = 0; i < listed->n_outside && *kept; i++) {
        const struct outside *outside = &listed->outside[i];
        for (int64_t y = outside->prefix[from] + 1; y < outside->prefix[here[1]] && *kept; y++) {
            SATOR_TRY(sator_work(table->stamps->ctx, SATOR_TABLE_TICKS));
            *kept = has_outside(outside, here, y);
        }
    }
done:
    return st;
}

/* The stamp whose contents PE "pe" has at stamp "time": -1 where it has nothing. */
static int64_t contents_at(const struct listed *listed, int64_t pe, int64_t time)
{
    return listed->holds_idle && time >= 0 ? last_active(&listed->active, pe, time) : time;
}

/* Of the flagged pairs of the assignment, clear the flags of those which "pairs" (consumer,
 * provider) serve from "interval" time-stamps back, and count them. */
static enum sator_status serve_from(struct sator_table *table, const struct listed *listed,
        const struct sator_tuples *pairs, int interval, bool *left, sator_int *served)
{
    enum sator_status st = SATOR_OK;
    size_t first = 0;

    *served = 0;
    for (size_t i = 0; i < listed->assignment.n; i++) {
        const int64_t *here = sator_tuples_get(&listed->assignment, i);

        while (first < pairs->n && sator_tuples_get(pairs, first)[0] < here[0])
            first++;
        for (size_t j = first; j < pairs->n && left[i]; j++) {
            const int64_t *pair = sator_tuples_get(pairs, j);
            bool kept;

            if (pair[0] != here[0])
                break;
            SATOR_TRY(sator_work(table->stamps->ctx, SATOR_TABLE_TICKS));
            int64_t there[3] = {pair[1], contents_at(listed, pair[1], here[1] - interval), here[2]};
            if (sator_tuples_find(&listed->assignment, there) < 0)
                continue;
            SATOR_TRY(is_kept(table, listed, here, there[1], &kept));
            left[i] = !kept;
            *served += kept;
        }
    }
done:
    return st;
}

static enum sator_status serve_registers(
        struct sator_table *table, const struct listed *listed, bool *left, sator_int *served)
{
    struct sator_tuples pairs = {.width = 2};
    enum sator_status st;

    for (size_t p = 0; p < table->pes.n; p++) {
        int64_t *pair = sator_tuples_add(&pairs);

        pair[0] = pair[1] = (int64_t)p;
    }
    st = serve_from(table, listed, &pairs, 1, left, served);
    sator_tuples_clear(&pairs);
    return st;
}

static enum sator_status serve_link(struct sator_table *table, const struct listed *listed,
        const struct sator_network_link *link, bool *left, sator_int *served)
{
    struct sator_tuples pairs = {.width = 2};
    enum sator_status st;

    SATOR_TRY(list_link(table, link->map, &pairs));
    SATOR_TRY(serve_from(table, listed, &pairs, link->interval, left, served));
done:
    sator_tuples_clear(&pairs);
    return st;
}

/* Of the flagged pairs, keep one of each bus, time-stamp and element: that of the smallest PE. */
static enum sator_status serve_bus(struct sator_table *table, const struct listed *listed,
        const struct sator_relation *bus, bool *left, sator_int *served)
{
    struct sator_tuples buses = {.width = bus->n_out}, groups = {.width = 3};
    struct sator_images *asked = NULL;
    int32_t *bus_of = sator_alloc(sizeof *bus_of * (table->pes.n + 1)), *ids = NULL;
    int64_t *on_bus = sator_alloc(sizeof *on_bus * (table->pes.n + 1));
    size_t *members = sator_alloc(sizeof *members * (listed->assignment.n + 1)), n_members = 0;
    bool *met = NULL;
    enum sator_status st;

    *served = 0;
    SATOR_TRY(sator_images_open(table->stamps, bus, bus->n_out, NULL, &asked));
    for (size_t p = 0; p < table->pes.n; p++) {
        size_t before = buses.n;

        SATOR_TRY(sator_images_add(asked, sator_tuples_get(&table->pes, p), &buses));
        on_bus[p] = buses.n > before ? (int64_t)before : -1;
        buses.n = buses.n > before ? before + 1 : before; /* a bus relation is a function */
    }
    sator_tuples_number(&buses, bus_of);
    for (size_t i = 0; i < listed->assignment.n; i++) {
        const int64_t *here = sator_tuples_get(&listed->assignment, i);
        int64_t *group;

        if (!left[i] || on_bus[here[0]] < 0)
            continue;
        SATOR_TRY(sator_work(table->stamps->ctx, SATOR_TABLE_TICKS));
        group = sator_tuples_add(&groups);
        group[0] = bus_of[on_bus[here[0]]];
        group[1] = here[1];
        group[2] = here[2];
        members[n_members++] = i;
    }
    ids = sator_alloc(sizeof *ids * (n_members + 1));
    sator_tuples_number(&groups, ids);
    met = sator_alloc(sizeof *met * (groups.n + 1));
    memset(met, 0, sizeof *met * (groups.n + 1));
    /* In ascending order of PEs. */
    for (size_t i = 0; i < n_members; i++) {
        left[members[i]] = !met[ids[i]];
        *served += met[ids[i]];
        met[ids[i]] = true;
    }
done:
    sator_images_close(asked);
    sator_tuples_clear(&buses);
    sator_tuples_clear(&groups);
    free(bus_of);
    free(on_bus);
    free(ids);
    free(members);
    free(met);
    return st;
}

enum sator_status sator_table_volumes(struct sator_table *table,
        const struct sator_relation *access, const struct sator_transport *transport,
        struct sator_volumes *volumes)
{
    struct listed listed;
    bool *left = NULL;
    enum sator_status st;

    SATOR_TRY(list_access(table, access, &listed));
    list_held(table, transport, &listed);
    left = sator_alloc(sizeof *left * (listed.assignment.n + 1));
    memset(left, true, sizeof *left * (listed.assignment.n + 1));
    volumes->access = (sator_int)listed.pairs.n;
    volumes->total = (sator_int)listed.assignment.n;
    volumes->footprint = (sator_int)listed.elements.n;
    volumes->temporal = volumes->spatial = 0;
    if (transport->registers)
        SATOR_TRY(serve_registers(table, &listed, left, &volumes->temporal));
    for (int i = 0; i < transport->n_links; i++) {
        SATOR_TRY(serve_link(table, &listed, &transport->links[i], left, &volumes->by_link[i]));
        volumes->spatial += volumes->by_link[i];
    }
    for (int i = 0; i < transport->n_buses; i++) {
        SATOR_TRY(serve_bus(table, &listed, transport->buses[i], left, &volumes->by_bus[i]));
        volumes->spatial += volumes->by_bus[i];
    }
    volumes->unique = volumes->total - volumes->temporal - volumes->spatial;
done:
    clear_listed(&listed);
    free(left);
    return st;
}
