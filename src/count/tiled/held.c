/* What the cells of a walk hold: the values of their tiles, and of their sources' tiles, compared.
 */
#include "base/arena.h"
#include "base/checked.h"
#include "count/tiled/value_set.h"
#include "count/tiled/walk.h"

#include <stdlib.h>
#include <string.h>

/* A part that indexes nothing, or whose numbers name the digits: all cells hold all there is. */
static void emit_alike(struct tiled_walker *w, size_t first, size_t n, sator_int times)
{
    struct tiled_holder *holder = sator_alloc(sizeof *holder * n);

    for (size_t c = 0; c < n; c++)
        holder[c] = (struct tiled_holder){
                tiled_cell_at(w, first + c)->pe, tiled_cell_at(w, first + c)->sources};
    tiled_tally_add(w->q, w->tally, times, (int)n, holder);
    free(holder);
}

/* Where, in the order of runs, a set begins or ends: of cell "cell", its own or a source's. */
struct event {
    int64_t class, place;
    int32_t cell;
    int16_t source; /* -1: its own */
    int16_t change;
};

struct events {
    size_t n, room;
    struct event *event;
};

static bool is_before(const struct event *x, const struct event *y)
{
    return x->class != y->class ? x->class < y->class : x->place < y->place;
}

/* Where the events that ascend from "first" on end. */
static size_t end_of(const struct events *events, size_t first)
{
    size_t end = first + 1;

    while (end < events->n && !is_before(&events->event[end], &events->event[end - 1]))
        end++;
    return end < events->n ? end : events->n;
}

/* Merge the events from "first" to "middle" and on to "end", which ascend each, into "to". */
static void merge(
        const struct event *from, size_t first, size_t middle, size_t end, struct event *to)
{
    size_t a = first, b = middle;

    for (size_t at = first; at < end; at++) {
        bool second = a == middle || (b < end && is_before(&from[b], &from[a]));
        to[at] = from[second ? b++ : a++];
    }
}

/* Sort them: those of one set ascend, so these are merged by twos. */
static void sort_events(struct events *events)
{
    struct event *other = sator_alloc(sizeof *other * events->room);

    while (end_of(events, 0) < events->n) {
        for (size_t first = 0, end; first < events->n; first = end) {
            size_t middle = end_of(events, first);
            end = middle < events->n ? end_of(events, middle) : middle;
            merge(events->event, first, middle, end, other);
        }
        struct event *sorted = other;
        other = events->event;
        events->event = sorted;
    }
    free(other);
}

/* Add the runs of the tile of "shape" whose sums begin at "base"; false: of too many runs. */
static bool add_events(struct tiled_walker *w, struct events *events, const uint8_t *shape,
        int64_t base, size_t cell, int source)
{
    int64_t lead;
    const struct sator_value_set *set = tiled_sets_find(w->sets, shape, base, &lead);

    if (set == NULL)
        return false;
    if (events->n + 2 * (size_t)set->n_runs > events->room) {
        events->room = 2 * (events->n + 2 * (size_t)set->n_runs) + 64;
        events->event = sator_realloc(events->event, sizeof *events->event * events->room);
    }
    for (int64_t k = 0; k < set->n_runs; k++) {
        const struct sator_value_run *run = &set->run[k];
        int64_t class = sator_floor_mod(run->class + lead, set->modulus);
        int64_t by = (run->class + lead - class) / set->modulus;
        events->event[events->n++] =
                (struct event){class, run->first + by, (int32_t)cell, (int16_t)source, 1};
        events->event[events->n++] =
                (struct event){class, run->last + 1 + by, (int32_t)cell, (int16_t)source, -1};
    }
    return true;
}

/* The cells that hold the values between two events. */
struct sweep {
    size_t n_active;
    size_t *active; /* cells */
    size_t *position; /* of a cell among these, one more; 0: it is not */
    tiled_bits *sources; /* of a cell: those that have the value */
    struct tiled_holder *holder;
};

static void apply(struct sweep *sweep, const struct event *event)
{
    size_t c = (size_t)event->cell;

    if (event->source >= 0) {
        sweep->sources[c] ^= tiled_bit(event->source);
    } else if (event->change > 0) {
        sweep->active[sweep->n_active++] = c;
        sweep->position[c] = sweep->n_active;
    } else {
        size_t at = sweep->position[c] - 1, last = sweep->active[--sweep->n_active];
        sweep->active[at] = last;
        sweep->position[last] = at + 1;
        sweep->position[c] = 0;
    }
}

static void sweep_open(struct sweep *sweep, size_t n)
{
    *sweep = (struct sweep){.active = sator_alloc(sizeof *sweep->active * n),
            .position = sator_alloc(sizeof *sweep->position * n),
            .sources = sator_alloc(sizeof *sweep->sources * n),
            .holder = sator_alloc(sizeof *sweep->holder * n)};
    memset(sweep->position, 0, sizeof *sweep->position * n);
    memset(sweep->sources, 0, sizeof *sweep->sources * n);
}

static void sweep_close(struct sweep *sweep)
{
    free(sweep->active);
    free(sweep->position);
    free(sweep->sources);
    free(sweep->holder);
}

/* Between two events all values have the same holders. */
static void sweep_values(
        struct tiled_walker *w, struct events *events, size_t first, size_t n, sator_int times)
{
    struct sweep sweep;

    sweep_open(&sweep, n);
    sort_events(events);
    for (size_t e = 0; e < events->n && w->st == SATOR_OK;) {
        const struct event *here = &events->event[e];
        for (; e < events->n && !is_before(here, &events->event[e]); e++)
            apply(&sweep, &events->event[e]);
        if (sweep.n_active == 0)
            continue;
        for (size_t a = 0; a < sweep.n_active; a++) {
            size_t c = sweep.active[a];
            sweep.holder[a] =
                    (struct tiled_holder){tiled_cell_at(w, first + c)->pe, sweep.sources[c]};
        }
        sator_int values = events->event[e].place - here->place; /* what is held ends further on */
        w->st = tiled_spend(w->q, sweep.n_active);
        tiled_tally_add(w->q, w->tally, times * values, (int)sweep.n_active, sweep.holder);
    }
    sweep_close(&sweep);
}

/* A part whose indices slide: the numbers of all cells and their sources against each other. */
static void emit_sets(struct tiled_walker *w, size_t first, size_t n, sator_int times)
{
    struct events events = {0};
    bool fits = true;

    for (size_t c = 0; c < n && fits; c++) {
        const struct tiled_cell *cell = tiled_cell_at(w, first + c);
        fits = add_events(w, &events, cell->shape, cell->base, c, -1);
        for (tiled_bits rest = cell->sources; rest != 0 && fits; rest &= rest - 1) {
            int s = tiled_first_bit(rest);
            fits = add_events(
                    w, &events, cell->source[s].shape, cell->base + cell->source[s].distance, c, s);
        }
    }
    if (fits) {
        sweep_values(w, &events, first, n, times);
    } else {
        w->reason = DECLINE("an index takes values with too many gaps");
        w->st = SATOR_DECLINED;
    }
    free(events.event);
}

static int64_t tile_size(struct tiled_walker *w, const struct tiled_cell *cell)
{
    int64_t lead, size = 1;

    if (!w->part->is_indexed)
        return 1;
    if (!w->part->is_named) {
        const struct sator_value_set *set =
                tiled_sets_find(w->sets, cell->shape, cell->base, &lead);
        if (set != NULL)
            return sator_value_set_size(set);
        w->reason = DECLINE("an index takes values with too many gaps");
        w->st = SATOR_DECLINED;
        return 0;
    }
    for (int i = 0; i < w->part->n_loops; i++)
        size *= tiled_shape_size(w->q->nest, w->part->loop[i], cell->shape[i]);
    return size;
}

void tiled_emit(struct tiled_walker *w, size_t first, size_t n, sator_int times)
{
    bool is_one = n == 1 && tiled_cell_at(w, first)->sources == 0;

    for (size_t c = first; c < first + n && w->most != NULL; c++) {
        int64_t size = tile_size(w, tiled_cell_at(w, c));
        *w->most = size > *w->most ? size : *w->most;
    }
    if (w->most != NULL || w->st != SATOR_OK)
        return;
    if (w->part->is_named || is_one)
        times *= tile_size(w, tiled_cell_at(w, first));
    if (!w->part->is_indexed || w->part->is_named || is_one)
        emit_alike(w, first, n, times);
    else
        emit_sets(w, first, n, times);
}
