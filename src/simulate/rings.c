/* Rings of wires: PEs that feed each other within a stamp, round and round (doc/model.md, section
 * 2). A value enters a ring once: of the wires that lie on a cycle which values may go round, those
 * from a greater PE to a smaller one do not count. A wire whose offset never joins two PEs that
 * hold the same element in the same stamp is on no such cycle; which do is seen by going through
 * the stamps once before the run. */
#include "simulate/machine.h"
#include "simulate/wiring.h"

#include <stdlib.h>
#include <string.h>

struct wire {
    int provider, consumer, offset; /* offset: consumer - provider, numbered; -1: on no cycle */
};

struct rings {
    struct machine *machine;
    struct holder *holder;
    const struct sator_array *array;
    int level;
    int64_t n_pes;
    struct place place;
    int n_wires;
    struct wire *wires;
    int n_offsets;
    bool *carries;
    int *component;
};

/* ---- components ---- */

/* A search through the wires, forwards or backwards, that numbers PEs as it leaves them. */
struct search {
    const int *first, *next; /* of PE p: next[first[p]] .. */
    int *at; /* where each PE's search is */
    int *stack;
    int *order, n_order; /* PEs as they are left */
    int *component; /* of those that are reached; -1: not yet */
};

static void search_from(struct search *search, int pe, int component)
{
    int n = 0;

    if (search->component[pe] >= 0)
        return;
    search->component[pe] = component;
    search->stack[n++] = pe;
    while (n > 0) {
        int here = search->stack[n - 1];
        if (search->at[here] == search->first[here + 1]) {
            search->order[search->n_order++] = here;
            n--;
            continue;
        }
        int there = search->next[search->at[here]++];
        if (search->component[there] < 0) {
            search->component[there] = component;
            search->stack[n++] = there;
        }
    }
}

/* Index the wires, or those on cycles that carry something, by one end. */
static void index_wires(
        const struct rings *rings, bool forwards, bool carrying, int *first, int *next)
{
    int64_t n = rings->n_pes;

    memset(first, 0, sizeof *first * (size_t)(n + 2));
    for (int round = 0; round < 2; round++) {
        for (int w = 0; w < rings->n_wires; w++) {
            const struct wire *wire = &rings->wires[w];
            int from = forwards ? wire->provider : wire->consumer;
            if (carrying && (wire->offset < 0 || !rings->carries[wire->offset]))
                continue;
            if (round == 0)
                first[from + 2]++;
            else
                next[first[from + 1]++] = forwards ? wire->consumer : wire->provider;
        }
        for (int64_t p = 0; p < n && round == 0; p++)
            first[p + 2] += first[p + 1];
    }
}

/* Two PEs on one cycle get the same component (Kosaraju and Sharir). */
static void find_components(struct rings *rings, bool carrying)
{
    size_t n = (size_t)rings->n_pes + 2;
    int *room = sator_alloc(sizeof *room * (6 * n + (size_t)rings->n_wires + 1));
    int *first = room, *next = room + 6 * n;
    struct search search = {first, next, room + n, room + 2 * n, room + 3 * n, 0, room + 4 * n};
    int *last_order = room + 5 * n;

    for (int pass = 0; pass < 2; pass++) {
        index_wires(rings, pass == 0, carrying, first, next);
        memcpy(search.at, first, sizeof *first * n);
        for (size_t p = 0; p < n; p++)
            search.component[p] = -1;
        if (pass == 1)
            memcpy(last_order, search.order, sizeof *last_order * (size_t)rings->n_pes);
        search.n_order = 0;
        for (int64_t p = 0; p < rings->n_pes; p++) {
            int pe = pass == 0 ? (int)p : last_order[rings->n_pes - 1 - p];
            search_from(&search, pe, pe);
        }
    }
    memcpy(rings->component, search.component, sizeof *room * (size_t)rings->n_pes);
    free(room);
}

static bool is_on_cycle(const struct rings *rings, const struct wire *wire)
{
    return rings->component[wire->provider] == rings->component[wire->consumer];
}

/* ---- offsets ---- */

static bool same_offset(const struct sator_array *array, const struct wire *a, const struct wire *b)
{
    int provider[2] = {a->provider, b->provider}, consumer[2] = {a->consumer, b->consumer};

    for (int d = array->n_dims - 1; d >= 0; d--) {
        int extent = (int)array->shape[d];
        if (consumer[0] % extent - provider[0] % extent !=
                consumer[1] % extent - provider[1] % extent)
            return false;
        for (int i = 0; i < 2; i++) {
            provider[i] /= extent;
            consumer[i] /= extent;
        }
    }
    return true;
}

/* Number the offsets of the wires on cycles; false when there are none. */
static bool number_offsets(struct rings *rings)
{
    int *firsts = sator_alloc(sizeof *firsts * (size_t)(rings->n_wires + 1));

    for (int w = 0; w < rings->n_wires; w++) {
        struct wire *wire = &rings->wires[w];
        int o = 0;
        wire->offset = -1;
        if (!is_on_cycle(rings, wire))
            continue;
        while (o < rings->n_offsets && !same_offset(rings->array, wire, &rings->wires[firsts[o]]))
            o++;
        if (o == rings->n_offsets)
            firsts[rings->n_offsets++] = w;
        wire->offset = o;
    }
    free(firsts);
    rings->carries = sator_alloc((size_t)rings->n_offsets + 1);
    memset(rings->carries, 0, (size_t)rings->n_offsets + 1);
    return rings->n_offsets > 0;
}

/* ---- what goes round ---- */

/* The pairs of one part of a stamp, into "table". */
static bool put_part(
        struct table *table, int64_t stamp, const struct walk_part *part, int n_touches)
{
    for (int t = 0; t < n_touches; t++)
        for (int64_t i = 0; i < part->n; i++) {
            bool is_new;
            if ((part->holds[t] == NULL || part->holds[t][i]) &&
                    table_put(table, part->place[i], part->elements[t][i], stamp, &is_new) == NULL)
                return false;
        }
    return true;
}

static void see_part(struct rings *rings, const struct table *table, int64_t stamp,
        const struct walk_part *part, int n_touches, const int *first, const int *wires)
{
    for (int t = 0; t < n_touches; t++)
        for (int64_t i = 0; i < part->n; i++) {
            if (part->holds[t] != NULL && !part->holds[t][i])
                continue;
            int64_t local = place_local(&rings->place, part->place[i]);
            for (int w = first[local]; w < first[local + 1]; w++) {
                const struct wire *wire = &rings->wires[wires[w]];
                int64_t provider =
                        part->place[i] + (wire->provider - wire->consumer) * rings->place.inner;
                if (!rings->carries[wire->offset] &&
                        table_find(table, provider, part->elements[t][i], stamp) != NULL)
                    rings->carries[wire->offset] = true;
            }
        }
}

/* The wires on cycles by their consumer. */
static void index_consumers(const struct rings *rings, int *first, int *wires)
{
    memset(first, 0, sizeof *first * (size_t)(rings->n_pes + 2));
    for (int w = 0; w < rings->n_wires; w++)
        first[rings->wires[w].consumer + 2] += rings->wires[w].offset >= 0;
    for (int64_t p = 0; p < rings->n_pes; p++)
        first[p + 2] += first[p + 1];
    for (int w = 0; w < rings->n_wires; w++) {
        if (rings->wires[w].offset >= 0)
            wires[first[rings->wires[w].consumer + 1]++] = w;
    }
}

/* The work that is done is no reason to stop: only that somebody asks for it. */
static enum sator_status only_interrupted(struct sator_ctx *ctx)
{
    return sator_work(ctx, 1) == SATOR_INTERRUPTED ? SATOR_INTERRUPTED : SATOR_OK;
}

/* Go through all stamps, and see which offsets join two PEs that hold the same. */
static enum sator_status see_all(struct rings *rings)
{
    const struct machine *machine = rings->machine;
    const struct access_way *way = &machine->ways[rings->holder->access];
    const struct walk_question question = {.workload = machine->question->workload,
            .space = machine->question->dataflow->space,
            .time = machine->question->dataflow->time,
            .shape = machine->shape,
            .n_time = rings->holder->n_time,
            .n_space = rings->holder->n_space,
            .n_touches = way->n_touches,
            .touches = machine->touches + way->first_touch};
    int *first = sator_alloc(sizeof *first * (size_t)(rings->n_pes + 2 + rings->n_wires));
    int *wires = first + rings->n_pes + 2, changed = 0;
    struct walk *walk = NULL;
    struct table table = {0};
    struct walk_part part;
    bool has_room = table_init(&table, rings->holder->n_instances, 1);
    enum sator_status st;

    index_consumers(rings, first, wires);
    SATOR_TRY(walk_new(machine->ctx, &question, &walk));
    SATOR_TRY(walk_next(walk, &changed));
    for (int64_t stamp = 0; changed >= 0 && has_room; stamp++) {
        while (has_room && walk_more(walk, &part)) {
            has_room = put_part(&table, stamp, &part, way->n_touches);
            SATOR_TRY(only_interrupted(machine->ctx));
        }
        walk_again(walk);
        while (has_room && walk_more(walk, &part))
            see_part(rings, &table, stamp, &part, way->n_touches, first, wires);
        SATOR_TRY(walk_next(walk, &changed));
    }
    st = has_room ? SATOR_OK : SATOR_LIMIT;
done:
    walk_free(walk);
    table_clear(&table);
    free(first);
    return st;
}

/* ---- cutting ---- */

/* The wires of the array, in the order of the links and their providers. */
static void list_wires(struct rings *rings)
{
    int64_t room = 0;

    rings->n_wires = 0;
    for (int l = 0; l < rings->holder->n_links; l++) {
        const struct machine_link *link = &rings->holder->links[l];
        if (link->level != rings->level || link->link->interval != 0)
            continue;
        rings->place = link->place;
        for (int p = 0; p < link->place.n; p++)
            for (int i = link->first[p]; i < link->first[p + 1]; i++) {
                rings->wires =
                        machine_room(rings->wires, rings->n_wires + 1, &room, sizeof *rings->wires);
                rings->wires[rings->n_wires++] = (struct wire){link->providers[i], p, -1};
            }
    }
}

static void cut(struct rings *rings)
{
    int at = 0;

    for (int l = 0; l < rings->holder->n_links; l++) {
        struct machine_link *link = &rings->holder->links[l];
        if (link->level != rings->level || link->link->interval != 0)
            continue;
        int n = link->first[link->place.n];
        bool *marks = sator_alloc((size_t)n + 1);
        for (int i = 0; i < n; i++) {
            const struct wire *wire = &rings->wires[at++];
            marks[i] = wire->offset >= 0 && rings->carries[wire->offset] &&
                    wire->provider > wire->consumer && is_on_cycle(rings, wire);
        }
        wiring_drop(link, marks);
        free(marks);
    }
}

static enum sator_status cut_array(struct rings *rings)
{
    enum sator_status st = SATOR_OK;

    list_wires(rings);
    rings->component = sator_alloc(sizeof *rings->component * (size_t)(rings->n_pes + 1));
    find_components(rings, false);
    if (number_offsets(rings)) {
        SATOR_TRY(see_all(rings));
        find_components(rings, true);
        cut(rings);
    }
done:
    free(rings->component);
    free(rings->carries);
    free(rings->wires);
    return st;
}

enum sator_status wiring_cut_rings(struct machine *machine, struct holder *holder)
{
    const struct sator_arch *arch = machine->question->arch;
    enum sator_status st = SATOR_OK;

    for (int level = 0; level < arch->n_levels && st == SATOR_OK; level++) {
        bool any = false;
        struct rings rings = {.machine = machine,
                .holder = holder,
                .array = &arch->levels[level].array,
                .level = level,
                .n_pes = 1};
        for (int l = 0; l < holder->n_links; l++)
            any |= holder->links[l].level == level && holder->links[l].link->interval == 0;
        if (!any)
            continue;
        for (int d = 0; d < rings.array->n_dims; d++)
            rings.n_pes *= rings.array->shape[d];
        st = cut_array(&rings);
    }
    return st;
}
