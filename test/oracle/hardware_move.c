/* One tensor in one role, moved stamp by stamp.
 *
 * At every change of a memory's prefix stamp, what its instances need no more leaves, innermost
 * memories first; then what they need and do not hold arrives, outermost first; then the compute
 * units run the stamp.
 *
 * Sums of outputs are carried: whoever takes an element up for a tree, a link or itself opens a
 * carrier, which goes up as one word when the last instance that adds to it has let go of the
 * element. An instance's part of the sum stays in the instance until then. A sum that is taken away
 * leaves zero behind, and what goes up is added to what is there.
 */
#include "oracle/hardware_move.h"

#include "oracle/tuples.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An element in an instance. */
struct slot {
    bool present;
    bool untouched; /* started from zero, and nobody inside has taken it up since */
    bool passed_on; /* its sum has left over a link in this very change */
    int64_t value;
    int64_t carrier;
    int64_t since; /* the prefix stamp in which it was taken up */
};

struct carrier {
    int64_t parent; /* slot of the stay outside */
    int64_t parent_instance;
    int64_t parent_since;
    int64_t value;
    int64_t members; /* instances that hold the element, and words of it on their way over links */
    bool is_up;
};

/* How an element that is needed comes to be there. */
enum way {
    WAY_HELD, /* it is there */
    WAY_LINK, /* from an earlier stamp of a neighbour */
    WAY_WIRE, /* from a neighbour in the same stamp */
    WAY_FETCHED /* from outside, perhaps over a bus */
};

struct holder {
    const struct stay *stay;
    struct stay_counts *counts;
    struct tuples tile; /* (prefix stamp, instance, element), in the order of the stamps */
    int64_t n_stamps;
    int64_t *first; /* tile entries of a prefix stamp: first[x] .. first[x + 1] - 1 */
    struct tuples keys; /* (instance, element): slots */
    struct slot *slots;
    enum way *way; /* of each tile entry */
    int64_t *from; /* the tile entry that WAY_LINK and WAY_WIRE come from */
    int64_t *carrier; /* of each tile entry, once it is there */
    bool *is_idle; /* the tile entry is what an instance has that runs nothing in the stamp */
    bool *is_on_its_way; /* a WAY_LINK whose provider has let go of the element */
    struct carrier *carriers;
    int64_t n_carriers, room;
};

struct mover {
    const struct hardware *hardware;
    const struct schedule *schedule;
    const struct touched *touched;
    const struct oracle_access *access;
    int n_holders;
    int alone; /* space dimensions of the one instance that runs; 0: all run */
    struct holder *holders;
    struct sum_counts *sums;
};

/* ---- instances ---- */

static int64_t instance_number(const struct hardware *hardware, int n_space, const int64_t *place)
{
    int64_t number = 0;
    for (int d = 0; d < n_space; d++)
        number = number * hardware->program.shape[d] + place[d];
    return number;
}

static void instance_place(
        const struct hardware *hardware, int n_space, int64_t number, int64_t *place)
{
    for (int d = n_space - 1; d >= 0; d--) {
        place[d] = number % hardware->program.shape[d];
        number /= hardware->program.shape[d];
    }
}

/* Of the dimensions of a space-stamp, the first of the array at "level". */
static int first_dim(const struct hardware *hardware, int level)
{
    int dim = 0;
    for (int l = 0; l < level; l++)
        dim += hardware->levels[l].is_array ? hardware->levels[l].n_dims : 0;
    return dim;
}

static bool serves(unsigned tensors, int tensor)
{
    return (tensors >> tensor & 1) != 0;
}

/* ---- wires ---- */

static bool is_step(const int64_t *step, const int64_t *other, int n_dims, int sign)
{
    for (int d = 0; d < n_dims; d++)
        if (step[d] != sign * other[d])
            return false;
    return true;
}

/* Whether a PE provides within the stamp over this step: not to itself, and of two PEs that are
 * joined both ways only the smaller. */
static bool provides(const struct hardware_level *array, int tensor, const int64_t *step)
{
    int leading = 0;

    while (leading < array->n_dims && step[leading] == 0)
        leading++;
    if (leading == array->n_dims)
        return false;
    if (step[leading] > 0)
        return true;
    for (int l = 0; l < array->n_links; l++)
        for (int s = 0; s < array->links[l].n_steps; s++)
            if (array->links[l].interval == 0 && serves(array->links[l].tensors, tensor) &&
                    is_step(array->links[l].steps[s], step, array->n_dims, -1))
                return false;
    return true;
}

/* The neighbour "step" before "number" in the array whose dimensions begin at "dim"; -1: none. */
static int64_t neighbour(const struct hardware *hardware, int n_space, int64_t number, int dim,
        int n_dims, const int64_t *step)
{
    int64_t place[ORACLE_SPACE];

    instance_place(hardware, n_space, number, place);
    for (int d = 0; d < n_dims; d++) {
        place[dim + d] -= step[d];
        if (place[dim + d] < 0 || place[dim + d] >= hardware->program.shape[dim + d])
            return -1;
    }
    return instance_number(hardware, n_space, place);
}

/* Whether some PE of "left" gets the value of "tensor" within the stamp from another of them. */
static bool is_fed(const struct hardware *hardware, int level, int tensor, const bool *left,
        int64_t n_pes, int64_t pe)
{
    const struct hardware_level *array = &hardware->levels[level];
    int dim = first_dim(hardware, level), n_space = dim + array->n_dims;

    for (int l = 0; l < array->n_links; l++)
        for (int s = 0; s < array->links[l].n_steps; s++) {
            const int64_t *step = array->links[l].steps[s];
            if (array->links[l].interval != 0 || !serves(array->links[l].tensors, tensor) ||
                    !provides(array, tensor, step))
                continue;
            int64_t from = neighbour(hardware, n_space, pe, dim, array->n_dims, step);
            assert(from < n_pes);
            if (from >= 0 && left[from])
                return true;
        }
    return false;
}

bool hardware_is_cyclic(const struct hardware *hardware, int level, int tensor)
{
    int n_space = first_dim(hardware, level) + hardware->levels[level].n_dims;
    int64_t n_pes = 1, n_left;

    for (int d = 0; d < n_space; d++)
        n_pes *= hardware->program.shape[d];
    bool *left = tuples_must(calloc((size_t)n_pes, sizeof *left));
    memset(left, true, (size_t)n_pes);
    n_left = n_pes;
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t pe = 0; pe < n_pes; pe++)
            if (left[pe] && !is_fed(hardware, level, tensor, left, n_pes, pe)) {
                left[pe] = false;
                n_left--;
                changed = true;
            }
    }
    free(left);
    return n_left > 0;
}

/* ---- tiles ---- */

static void gather(const struct mover *mover, struct holder *holder)
{
    const struct schedule *schedule = mover->schedule;
    const int64_t *prefix = schedule->prefix[holder->stay->n_time];

    tuples_init(&holder->tile, 3);
    tuples_init(&holder->keys, 2);
    holder->n_stamps = prefix[schedule->n_ranks - 1] + 1;
    holder->first = tuples_must(calloc((size_t)holder->n_stamps + 2, sizeof(int64_t)));
    for (int64_t i = 0; i < schedule->n; i++) {
        int64_t x = prefix[schedule->ranks[i]];
        int64_t instance = instance_number(
                mover->hardware, holder->stay->n_space, schedule->places + i * ORACLE_SPACE);
        for (int64_t e = mover->touched->first[i]; e < mover->touched->first[i + 1]; e++) {
            int64_t element = mover->touched->element[e];
            tuples_add(&holder->tile, (int64_t[]){x, instance, element});
            tuples_add(&holder->keys, (int64_t[]){instance, element});
        }
        holder->first[x + 1] = holder->tile.n;
    }
    for (int64_t x = 0; x < holder->n_stamps; x++) /* nothing runs in some stamps */
        if (holder->first[x + 1] < holder->first[x])
            holder->first[x + 1] = holder->first[x];
}

static void make_room(struct holder *holder)
{
    holder->slots = tuples_must(calloc((size_t)holder->keys.n + 1, sizeof *holder->slots));
    holder->way = tuples_must(calloc((size_t)holder->tile.n + 1, sizeof *holder->way));
    holder->from = tuples_must(calloc((size_t)holder->tile.n + 1, sizeof *holder->from));
    holder->carrier = tuples_must(calloc((size_t)holder->tile.n + 1, sizeof *holder->carrier));
    holder->is_on_its_way = tuples_must(calloc((size_t)holder->tile.n + 1, sizeof(bool)));
}

static int64_t most_in_one(const struct tuples *tile)
{
    struct tuples places;
    int64_t *count = tuples_must(calloc((size_t)tile->n + 1, sizeof *count));
    int64_t most = 0;

    tuples_init(&places, 2);
    for (int64_t i = 0; i < tile->n; i++) {
        int64_t now = ++count[tuples_add(&places, tuples_at(tile, i))];
        most = now > most ? now : most;
    }
    free(count);
    tuples_clear(&places);
    return most;
}

static void holder_clear(struct holder *holder)
{
    tuples_clear(&holder->tile);
    tuples_clear(&holder->keys);
    free(holder->first);
    free(holder->slots);
    free(holder->way);
    free(holder->from);
    free(holder->carrier);
    free(holder->is_idle);
    free(holder->is_on_its_way);
    free(holder->carriers);
}

static struct slot *slot_of(struct holder *holder, int64_t entry)
{
    int64_t key = tuples_find(&holder->keys, tuples_at(&holder->tile, entry) + 1);
    return &holder->slots[key];
}

static int64_t instance_of(const struct holder *holder, int64_t entry)
{
    return tuples_at(&holder->tile, entry)[1];
}

static int64_t element_of(const struct holder *holder, int64_t entry)
{
    return tuples_at(&holder->tile, entry)[2];
}

/* ---- carriers ---- */

static int64_t parent_instance(
        const struct mover *mover, const struct holder *holder, int64_t instance)
{
    int64_t place[ORACLE_SPACE];
    instance_place(mover->hardware, holder->stay->n_space, instance, place);
    return instance_number(mover->hardware, holder[-1].stay->n_space, place);
}

/* Open a carrier for what tile entry "entry" adds. */
static int64_t open_carrier(const struct mover *mover, struct holder *holder, int64_t entry)
{
    struct holder *parent = holder - 1;
    int64_t instance = parent_instance(mover, holder, instance_of(holder, entry));
    int64_t key = tuples_find(&parent->keys, (int64_t[]){instance, element_of(holder, entry)});

    assert(key >= 0 && parent->slots[key].present);
    if (holder->n_carriers == holder->room) {
        holder->room = 2 * holder->room + 64;
        holder->carriers = tuples_must(
                realloc(holder->carriers, (size_t)holder->room * sizeof *holder->carriers));
    }
    holder->carriers[holder->n_carriers] = (struct carrier){
            .parent = key, .parent_instance = instance, .parent_since = parent->slots[key].since};
    return holder->n_carriers++;
}

static void go_up(struct mover *mover, struct holder *holder, struct carrier *carrier)
{
    struct holder *parent = holder - 1;

    assert(parent->slots[carrier->parent].present || parent->stay->n_space < mover->alone);
    parent->slots[carrier->parent].value += carrier->value;
    parent->counts->of_instance[carrier->parent_instance].updates++;
    carrier->is_up = true;
    mover->sums->gone_up++;
}

static void join(struct holder *holder, int64_t entry, int64_t carrier)
{
    slot_of(holder, entry)->carrier = carrier;
    holder->carrier[entry] = carrier;
    holder->carriers[carrier].members += !holder->is_on_its_way[entry];
}

/* ---- what leaves ---- */

/* The prefix stamp of the holder outside in which prefix stamp "x" of "holder" lies. */
static int64_t stamp_outside(const struct mover *mover, const struct holder *holder, int64_t x)
{
    const int64_t *prefix = mover->schedule->prefix[holder->stay->n_time];
    int64_t rank = 0;

    while (prefix[rank] != x)
        rank++;
    return mover->schedule->prefix[holder[-1].stay->n_time][rank];
}

/* Whether the holder outside has a sum from prefix stamp "from" of "holder" to stamp "to": when it
 * lets go of the element, the sum goes up, and what is on a link then is in nobody's hands. */
static bool stays_outside(const struct mover *mover, const struct holder *holder, int64_t instance,
        int64_t element, int64_t from, int64_t to)
{
    const struct holder *outside = holder - 1;
    int64_t place = parent_instance(mover, holder, instance);

    for (int64_t x = stamp_outside(mover, holder, from); x <= stamp_outside(mover, holder, to); x++)
        if (tuples_find(&outside->tile, (int64_t[]){x, place, element}) < 0)
            return false;
    return true;
}

/* The tile entry that serves "entry" over a link, or -1: the first link that can. */
static int64_t find_link(const struct mover *mover, struct holder *holder, int64_t entry)
{
    const int64_t *pair = tuples_at(&holder->tile, entry);

    for (int level = holder->stay->first_level; level < holder->stay->end_level; level++) {
        const struct hardware_level *array = &mover->hardware->levels[level];
        int dim = first_dim(mover->hardware, level);
        for (int l = 0; array->is_array && l < array->n_links; l++) {
            const struct hardware_link *link = &array->links[l];
            for (int s = 0; serves(link->tensors, mover->access->tensor) && s < link->n_steps;
                    s++) {
                if (link->interval == 0 && !provides(array, mover->access->tensor, link->steps[s]))
                    continue;
                int64_t from = neighbour(mover->hardware, holder->stay->n_space, pair[1], dim,
                        array->n_dims, link->steps[s]);
                int64_t found = from < 0
                        ? -1
                        : tuples_find(&holder->tile,
                                  (int64_t[]){pair[0] - link->interval, from, pair[2]});
                if (found < 0 ||
                        (mover->access->is_write &&
                                !stays_outside(mover, holder, pair[1], pair[2],
                                        pair[0] - link->interval, pair[0])))
                    continue;
                holder->counts->link_words[level][l]++;
                holder->way[entry] = link->interval == 0 ? WAY_WIRE : WAY_LINK;
                return found;
            }
        }
    }
    return -1;
}

/* Say of everything that is needed how it comes. */
static void find_ways(const struct mover *mover, struct holder *holder)
{
    for (int64_t i = 0; i < holder->tile.n; i++) {
        const int64_t *pair = tuples_at(&holder->tile, i);
        holder->from[i] = -1;
        if (tuples_find(&holder->tile, (int64_t[]){pair[0] - 1, pair[1], pair[2]}) >= 0) {
            holder->way[i] = WAY_HELD;
            holder->counts->temporal += !holder->is_idle[i];
            continue;
        }
        holder->way[i] = WAY_FETCHED;
        holder->from[i] = find_link(mover, holder, i);
    }
}

/* Whether the holder outside has the element of a sum in prefix stamp "x" of "holder". */
static bool is_outside(const struct mover *mover, const struct holder *holder, int64_t instance,
        int64_t element, int64_t x)
{
    return holder[-1].stay->n_space < mover->alone ||
            stays_outside(mover, holder, instance, element, x, x);
}

/* (prefix stamp, instance) of what runs. */
static void list_active(
        const struct mover *mover, const struct holder *holder, struct tuples *active)
{
    const struct schedule *schedule = mover->schedule;
    const int64_t *prefix = schedule->prefix[holder->stay->n_time];

    tuples_init(active, 2);
    for (int64_t i = 0; i < schedule->n; i++)
        tuples_add(active,
                (int64_t[]){prefix[schedule->ranks[i]],
                        instance_number(mover->hardware, holder->stay->n_space,
                                schedule->places + i * ORACLE_SPACE)});
}

static void add_entry(struct holder *holder, const int64_t *entry, bool is_idle)
{
    int64_t number = tuples_add(&holder->tile, entry);

    holder->is_idle = tuples_must(realloc(holder->is_idle, (size_t)number + 1));
    holder->is_idle[number] = is_idle;
}

/* Add to the tile of each stamp what instances that run nothing in it had in the stamp before. */
static void keep_idle(const struct mover *mover, struct holder *holder)
{
    struct tuples active, was = holder->tile;
    int64_t before = 0; /* where the stamp before begins */

    list_active(mover, holder, &active);
    tuples_init(&holder->tile, 3);
    for (int64_t x = 0, i = 0; x < holder->n_stamps; x++) {
        int64_t first = holder->tile.n;
        for (; i < was.n && tuples_at(&was, i)[0] == x; i++)
            add_entry(holder, tuples_at(&was, i), false);
        for (int64_t k = before; k < first; k++) {
            const int64_t *entry = tuples_at(&holder->tile, k);
            const int64_t had[3] = {x, entry[1], entry[2]};
            if (tuples_find(&active, had) < 0 &&
                    (!mover->access->is_write || is_outside(mover, holder, had[1], had[2], x)))
                add_entry(holder, had, true);
        }
        holder->first[x] = before = first;
        holder->first[x + 1] = holder->tile.n;
    }
    tuples_clear(&active);
    tuples_clear(&was);
}

static void holder_init(const struct mover *mover, struct holder *holder, const struct stay *stay,
        struct stay_counts *counts)
{
    int64_t n_instances = 1;

    *holder = (struct holder){.stay = stay, .counts = counts};
    for (int d = 0; d < stay->n_space; d++)
        n_instances *= mover->hardware->program.shape[d];
    *counts = (struct stay_counts){.n_instances = n_instances};
    counts->of_instance = tuples_must(calloc((size_t)n_instances + 1, sizeof *counts->of_instance));
    gather(mover, holder);
    counts->total = holder->tile.n;
    holder->is_idle = tuples_must(calloc((size_t)holder->tile.n + 1, sizeof(bool)));
    if (stay->holds_idle)
        keep_idle(mover, holder);
    make_room(holder);
    find_ways(mover, holder);
    counts->tile = most_in_one(&holder->tile);
}

/* Sums move on over links, before anything leaves. */
static void pass_on(struct holder *holder, int64_t x, int alone)
{
    for (int64_t i = holder->first[x]; i < holder->first[x + 1]; i++) {
        struct slot *slot = slot_of(holder, i);
        if (holder->way[i] == WAY_HELD)
            holder->carrier[i] = slot->carrier;
        if (holder->way[i] != WAY_LINK)
            continue;
        struct slot *from = slot_of(holder, holder->from[i]);
        int64_t carrier = holder->carrier[holder->from[i]];
        const struct slot *parent = &holder[-1].slots[holder->carriers[carrier].parent];
        assert(!holder->carriers[carrier].is_up);
        assert((parent->present && parent->since == holder->carriers[carrier].parent_since) ||
                holder[-1].stay->n_space < alone);
        *slot = (struct slot){.present = true, .since = x};
        join(holder, i, carrier);
        if (tuples_at(&holder->tile, holder->from[i])[0] == x - 1) {
            slot->value = from->value;
            from->value = 0;
            from->passed_on = true;
        }
    }
}

/* Of "entries", those on one bus of array "level" with one element keep the smallest instance; the
 * others point to it. Returns how many do. */
static int64_t share(const struct mover *mover, struct holder *holder, int level,
        const struct hardware_bus *bus, const int64_t *entries, int64_t n, int64_t *rep)
{
    const struct hardware *hardware = mover->hardware;
    int dim = first_dim(hardware, level), n_dims = hardware->levels[level].n_dims;
    struct tuples groups;
    int64_t *smallest = tuples_must(calloc((size_t)n + 1, sizeof *smallest)); /* number + 1 */
    int64_t merged = 0;

    tuples_init(&groups, 2 * ORACLE_SPACE + 1);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < n; i++) {
            int64_t place[ORACLE_SPACE] = {0}, key[2 * ORACLE_SPACE + 1] = {0};
            if (rep[i] != i)
                continue;
            instance_place(hardware, holder->stay->n_space, instance_of(holder, entries[i]), place);
            for (int o = 0; o < bus->n_out; o++) {
                int64_t at = place[dim + bus->out[o].dim], divisor = bus->out[o].divisor;
                key[o] = bus->out[o].is_remainder ? at % divisor : at / divisor;
            }
            for (int d = 0; d < holder->stay->n_space; d++)
                key[ORACLE_SPACE + d] = d >= dim && d < dim + n_dims ? 0 : place[d];
            key[2 * ORACLE_SPACE] = element_of(holder, entries[i]);
            int64_t group = tuples_add(&groups, key);
            if (pass == 0) {
                int64_t best = smallest[group] - 1;
                if (best < 0 ||
                        instance_of(holder, entries[i]) < instance_of(holder, entries[best]))
                    smallest[group] = i + 1;
            } else if (smallest[group] - 1 != i) {
                rep[i] = smallest[group] - 1;
                merged++;
            }
        }
    free(smallest);
    tuples_clear(&groups);
    return merged;
}

/* Merge "entries" over all buses of the role that lead to "holder", one after the other. */
static void share_all(const struct mover *mover, struct holder *holder, const int64_t *entries,
        int64_t n, int64_t *rep, bool counted)
{
    for (int64_t i = 0; i < n; i++)
        rep[i] = i;
    for (int level = holder->stay->first_level; level < holder->stay->end_level; level++) {
        const struct hardware_level *array = &mover->hardware->levels[level];
        for (int b = 0; array->is_array && b < array->n_buses; b++)
            if (array->buses[b].is_reduction == mover->access->is_write &&
                    serves(array->buses[b].tensors, mover->access->tensor)) {
                int64_t merged = share(mover, holder, level, &array->buses[b], entries, n, rep);
                holder->counts->bus_words[level][b] += counted ? merged : 0;
            }
    }
}

/* Whether a wire leads from "entry" to another that leaves in the same change. */
static bool leaves_by_wire(
        const struct mover *mover, struct holder *holder, int64_t entry, int64_t x)
{
    const int64_t *pair = tuples_at(&holder->tile, entry);

    for (int level = holder->stay->first_level; level < holder->stay->end_level; level++) {
        const struct hardware_level *array = &mover->hardware->levels[level];
        int dim = first_dim(mover->hardware, level), tensor = mover->access->tensor;
        for (int l = 0; array->is_array && l < array->n_links; l++)
            for (int s = 0; s < array->links[l].n_steps; s++) {
                int64_t back[ORACLE_SPACE];
                if (array->links[l].interval != 0 || !serves(array->links[l].tensors, tensor) ||
                        !provides(array, tensor, array->links[l].steps[s]))
                    continue;
                for (int d = 0; d < array->n_dims; d++)
                    back[d] = -array->links[l].steps[s][d];
                int64_t to = neighbour(
                        mover->hardware, holder->stay->n_space, pair[1], dim, array->n_dims, back);
                if (to >= 0 && tuples_find(&holder->tile, (int64_t[]){pair[0], to, pair[2]}) >= 0 &&
                        tuples_find(&holder->tile, (int64_t[]){x, to, pair[2]}) < 0)
                    return true;
            }
    }
    return false;
}

/* Words of an element that "instance" lets go of at prefix stamp "x", and that links bring to
 * others later: they are on their way. */
static int64_t send_off(struct holder *holder, int64_t instance, int64_t element, int64_t x)
{
    int64_t n = 0;

    for (int64_t i = x < holder->n_stamps ? holder->first[x + 1] : holder->tile.n;
            i < holder->tile.n; i++) {
        if (holder->way[i] != WAY_LINK)
            continue;
        const int64_t *from = tuples_at(&holder->tile, holder->from[i]);
        if (from[0] < x && from[1] == instance && from[2] == element && !holder->is_on_its_way[i]) {
            holder->is_on_its_way[i] = true;
            n++;
        }
    }
    return n;
}

/* The sum of a tile entry that is needed no more. */
static void let_go(struct mover *mover, struct holder *holder, int64_t entry, int64_t x)
{
    struct slot *slot = slot_of(holder, entry);
    struct carrier *carrier = &holder->carriers[slot->carrier];

    carrier->value += slot->value;
    slot->value = 0;
    carrier->members +=
            send_off(holder, instance_of(holder, entry), element_of(holder, entry), x) - 1;
    if (carrier->members == 0)
        go_up(mover, holder, carrier);
}

/* Before prefix stamp "x": sums move on over links, what is not needed leaves. */
static void depart(struct mover *mover, struct holder *holder, int64_t x)
{
    bool is_write = mover->access->is_write;
    int64_t first = x > 0 ? holder->first[x - 1] : 0, end = holder->first[x];
    int64_t *leavers = tuples_must(calloc((size_t)(end - first) + 1, sizeof *leavers));
    int64_t *rep = tuples_must(calloc((size_t)(end - first) + 1, sizeof *rep));
    int64_t n = 0;

    if (is_write && x < holder->n_stamps)
        pass_on(holder, x, mover->alone);
    for (int64_t i = first; x > 0 && i < end; i++) {
        struct slot *slot = slot_of(holder, i);
        const int64_t *pair = tuples_at(&holder->tile, i);
        if (tuples_find(&holder->tile, (int64_t[]){x, pair[1], pair[2]}) < 0) {
            if (is_write && !slot->passed_on && !leaves_by_wire(mover, holder, i, x))
                leavers[n++] = i;
            if (is_write)
                let_go(mover, holder, i, x);
            slot->present = false;
        }
        slot->passed_on = false;
    }
    if (is_write) {
        share_all(mover, holder, leavers, n, rep, false);
        for (int64_t i = 0; i < n; i++)
            mover->sums->left += rep[i] == i;
    }
    free(leavers);
    free(rep);
}

/* ---- what arrives ---- */

/* One word from the nearest holder outside, or the start of a sum. */
static void fetch(struct mover *mover, struct holder *holder, int64_t entry)
{
    struct holder *parent = holder - 1;
    int64_t instance = instance_of(holder, entry);
    int64_t from = parent_instance(mover, holder, instance);
    struct slot *slot = slot_of(holder, entry);
    int64_t key = tuples_find(&parent->keys, (int64_t[]){from, element_of(holder, entry)});
    struct slot *parent_slot = &parent->slots[key];

    assert(key >= 0 && parent_slot->present);
    holder->counts->unique++;
    *slot = (struct slot){.present = true, .since = tuples_at(&holder->tile, entry)[0]};
    if (mover->access->is_write) {
        join(holder, entry, open_carrier(mover, holder, entry));
        if (parent_slot->untouched) {
            parent_slot->untouched = false;
            slot->untouched = true;
            return;
        }
        slot->value = parent_slot->value;
        parent_slot->value = 0;
        holder->counts->of_instance[instance].writes++;
    }
    parent->counts->of_instance[from].reads++;
    holder->counts->of_instance[instance].fills++;
}

/* Entries that come from outside or share with one that does: (instance, element) ascending. */
static struct holder *sorted_holder; /* qsort takes no argument for its comparison */

static int compare_entries(const void *a, const void *b)
{
    const int64_t *x = tuples_at(&sorted_holder->tile, *(const int64_t *)a);
    const int64_t *y = tuples_at(&sorted_holder->tile, *(const int64_t *)b);

    for (int i = 1; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void fetch_all(struct mover *mover, struct holder *holder, int64_t x)
{
    int64_t first = holder->first[x], end = holder->first[x + 1], n = 0;
    int64_t *entries = tuples_must(calloc((size_t)(end - first) + 1, sizeof *entries));
    int64_t *rep = tuples_must(calloc((size_t)(end - first) + 1, sizeof *rep));

    for (int64_t i = first; i < end; i++)
        if (holder->way[i] == WAY_FETCHED)
            entries[n++] = i;
    sorted_holder = holder;
    qsort(entries, (size_t)n, sizeof *entries, compare_entries);
    share_all(mover, holder, entries, n, rep, true);
    for (int64_t i = 0; i < n; i++)
        if (rep[i] == i)
            fetch(mover, holder, entries[i]);
    for (int64_t i = 0; i < n; i++) {
        int64_t to = i;
        if (rep[i] == i)
            continue;
        while (rep[to] != to)
            to = rep[to];
        struct slot *slot = slot_of(holder, entries[i]);
        *slot = (struct slot){.present = true, .untouched = mover->access->is_write, .since = x};
        if (mover->access->is_write)
            join(holder, entries[i], slot_of(holder, entries[to])->carrier);
    }
    free(entries);
    free(rep);
}

/* Sums come over wires from those that have one, and then from those that got one. */
static void take_from_wires(struct mover *mover, struct holder *holder, int64_t x)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t i = holder->first[x]; i < holder->first[x + 1]; i++) {
            struct slot *slot = slot_of(holder, i);
            if (holder->way[i] != WAY_WIRE || slot->present)
                continue;
            struct slot *from = slot_of(holder, holder->from[i]);
            if (!from->present)
                continue;
            *slot = (struct slot){.present = true, .since = x};
            if (mover->access->is_write)
                join(holder, i, from->carrier);
            changed = true;
        }
    }
}

static void arrive(struct mover *mover, struct holder *holder, int64_t x)
{
    fetch_all(mover, holder, x);
    if (!mover->access->is_write)
        for (int64_t i = holder->first[x]; i < holder->first[x + 1]; i++) {
            if (holder->way[i] == WAY_LINK)
                slot_of(holder, i)->present = true;
            if (holder->way[i] != WAY_HELD)
                holder->counts->of_instance[instance_of(holder, i)].writes++;
        }
    take_from_wires(mover, holder, x);
    for (int64_t i = holder->first[x]; i < holder->first[x + 1]; i++)
        assert(slot_of(holder, i)->present);
}

/* ---- the run ---- */

/* What instance "i" adds to "element": any number that is easily mistaken for no other. */
static int64_t contribution(int64_t i, int64_t element)
{
    uint64_t h = (uint64_t)i * 0x9e3779b97f4a7c15u ^ (uint64_t)(element + 1) * 0xbf58476d1ce4e5b9u;
    h ^= h >> 29;
    h *= 0x94d049bb133111ebu;
    return (int64_t)(h >> 30);
}

static void execute(struct mover *mover, int64_t i)
{
    struct holder *inner = &mover->holders[mover->n_holders - 1];
    bool is_own = inner->stay->level >= 0;
    int64_t instance = instance_number(
            mover->hardware, inner->stay->n_space, mover->schedule->places + i * ORACLE_SPACE);
    struct moves *moves = &inner->counts->of_instance[instance];

    for (int64_t e = mover->touched->first[i]; e < mover->touched->first[i + 1]; e++) {
        int64_t element = mover->touched->element[e];
        int64_t key = tuples_find(&inner->keys, (int64_t[]){instance, element});
        struct slot *slot = &inner->slots[key];
        assert(key >= 0 && slot->present);
        if (mover->access->is_write) {
            moves->reads += is_own && !slot->untouched;
            moves->updates += is_own;
            slot->untouched = false;
            slot->value += contribution(i, element);
        } else {
            moves->reads += is_own;
        }
    }
}

static bool are_sums_right(const struct mover *mover)
{
    struct holder *outside = &mover->holders[0];
    int64_t *sums = tuples_must(calloc((size_t)mover->touched->n_elements + 1, sizeof *sums));
    bool right = true;

    for (int64_t i = 0; i < mover->schedule->n; i++)
        for (int64_t e = mover->touched->first[i]; e < mover->touched->first[i + 1]; e++)
            sums[mover->touched->element[e]] += contribution(i, mover->touched->element[e]);
    for (int64_t k = 0; k < outside->keys.n; k++)
        right = right && outside->slots[k].value == sums[tuples_at(&outside->keys, k)[1]];
    free(sums);
    return right;
}

static int64_t stamp_at(const struct mover *mover, const struct holder *holder, int64_t rank)
{
    return rank < 0 ? -1
            : rank == mover->schedule->n_ranks
            ? holder->n_stamps
            : mover->schedule->prefix[holder->stay->n_time][rank];
}

static void run(struct mover *mover)
{
    int64_t next = 0;

    for (int64_t k = 0; k < mover->holders[0].keys.n; k++)
        mover->holders[0].slots[k] = (struct slot){.present = true, .untouched = true};
    for (int64_t rank = 0; rank <= mover->schedule->n_ranks; rank++) {
        for (int h = mover->n_holders - 1; h > 0; h--) {
            struct holder *holder = &mover->holders[h];
            int64_t x = stamp_at(mover, holder, rank);
            if (x != stamp_at(mover, holder, rank - 1))
                depart(mover, holder, x);
        }
        for (int h = 1; h < mover->n_holders && rank < mover->schedule->n_ranks; h++) {
            struct holder *holder = &mover->holders[h];
            int64_t x = stamp_at(mover, holder, rank);
            if (x != stamp_at(mover, holder, rank - 1))
                arrive(mover, holder, x);
        }
        for (; next < mover->schedule->n && mover->schedule->ranks[next] == rank; next++)
            execute(mover, next);
    }
}

void hardware_move(const struct hardware *hardware, const struct schedule *schedule,
        const struct touched *touched, const struct oracle_access *access, const struct stay *stays,
        int n_stays, int alone, struct stay_counts *counts, struct sum_counts *sums)
{
    struct mover mover = {.hardware = hardware,
            .schedule = schedule,
            .touched = touched,
            .access = access,
            .n_holders = n_stays,
            .alone = alone,
            .sums = sums};

    *sums = (struct sum_counts){.are_right = true};
    mover.holders = tuples_must(calloc((size_t)n_stays, sizeof *mover.holders));
    for (int s = 0; s < n_stays; s++)
        holder_init(&mover, &mover.holders[s], &stays[s], &counts[s]);
    run(&mover);
    if (access->is_write)
        sums->are_right = are_sums_right(&mover);
    for (int s = 0; s < n_stays; s++)
        holder_clear(&mover.holders[s]);
    free(mover.holders);
}

int64_t hardware_tile(const struct hardware *hardware, const struct schedule *schedule,
        const struct touched *touched, int n_space, int n_time)
{
    struct stay stay = {.n_space = n_space, .n_time = n_time};
    struct holder holder = {.stay = &stay};
    struct mover mover = {.hardware = hardware, .schedule = schedule, .touched = touched};

    gather(&mover, &holder);
    int64_t most = most_in_one(&holder.tile);
    holder_clear(&holder);
    return most;
}
