#define _GNU_SOURCE 1 /* qsort_r */
/* How words come and go at the boundary between two stamps (doc/model.md, section 4).
 *
 * Innermost holders let go first, then the outermost take up first. A sum is carried by its chain:
 * whoever takes an element up opens one; those that a tree merges with it, that get the element
 * over a link, or still hold it, belong to it. When the last of them lets go, one word goes out. An
 * instance's part of the sum stays in the instance until then, and what goes out is added to what
 * is there.
 */
#include "simulate/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The word of a neighbour that "link" brings to "pair" from "view", or NULL; "*from": from which PE
 * of the array. */
static inline struct word *find_provider(const struct machine_link *link, const struct view *view,
        const struct pair *pair, uint64_t slot, int *from)
{
    int local = (int)place_local(&link->place, pair->instance);

    if (link->singles != NULL) {
        *from = link->singles[local];
        return *from < 0 ? NULL
                         : view_find(view, pair->instance + (*from - local) * link->place.inner,
                                   pair->element, slot);
    }
    for (int i = link->first[local]; i < link->first[local + 1]; i++) {
        *from = link->providers[i];
        struct word *word = view_find(
                view, pair->instance + (*from - local) * link->place.inner, pair->element, slot);
        if (word != NULL)
            return word;
    }
    return NULL;
}

/* The number of the wire from PE "from" of the array to the instance. */
static int64_t wire_of(const struct machine_link *link, int64_t instance, int from)
{
    int i = link->first[place_local(&link->place, instance)];

    while (link->providers[i] != from)
        i++;
    return place_outer(&link->place, instance) * link->n_wires + link->wires[i];
}

/* ---- chains ---- */

static uint32_t open_chain(struct holder *holder, int64_t instance, uint64_t element)
{
    uint32_t chain = holder->free_chain;

    if (chain != 0) {
        holder->free_chain = holder->chains[chain].next;
    } else {
        int64_t room = holder->chain_room;
        if (holder->n_chains == 0)
            holder->n_chains = 1; /* 0 is none */
        holder->chains =
                machine_room(holder->chains, holder->n_chains + 1, &room, sizeof *holder->chains);
        holder->chain_room = (uint32_t)room;
        chain = holder->n_chains++;
    }
    holder->chains[chain] = (struct chain){
            .element = element, .parent_instance = instance / holder->below, .from = -1};
    return chain;
}

static void join(struct holder *holder, struct word *word, uint32_t chain)
{
    word->chain = chain;
    holder->chains[chain].members++;
}

static void close_chain(struct holder *holder, uint32_t chain)
{
    holder->chains[chain].next = holder->free_chain;
    holder->free_chain = chain;
}

/* The sum of a chain goes out. */
static void go_out(struct run *run, struct holder *holder, uint32_t index)
{
    struct chain *chain = &holder->chains[index];
    struct holder *parent = holder->parent;
    struct word *word =
            table_find(&parent->table, chain->parent_instance, chain->element, parent->stamp);

    if (word == NULL) {
        run_differ(run, parent, chain->parent_instance, NULL,
                "a sum of %s comes back and finds no place",
                run_element(run, holder->access, chain->element));
        return;
    }
    word->value = (int64_t)((uint64_t)word->value + (uint64_t)chain->value);
    parent->updates++;
    if (!holder->is_loaded && record_moves(&run->record))
        record_move(&run->record, holder, MOVE_STORE, chain->from, chain->parent_instance,
                chain->element, NULL);
    use_port(&holder->store_parent, chain->parent_instance);
    chain->value = 0;
}

/* The trees that a sum from "instance" crosses on its way out. */
static void cross_trees(struct holder *holder, int64_t instance)
{
    for (int b = 0; b < holder->n_buses; b++) {
        struct machine_bus *bus = &holder->buses[b];
        if (bus->use.words == NULL)
            continue;
        int on = bus->bus_of[place_local(&bus->place, instance)];
        if (on >= 0)
            use_port(&bus->use, place_outer(&bus->place, instance) * bus->n_buses + on);
    }
}

static void wait_for_links(struct holder *holder, uint32_t index)
{
    struct chain *chain = &holder->chains[index];

    chain->is_on_its_way = true;
    chain->next = holder->on_their_way;
    holder->on_their_way = index;
}

/* Whether the holder outside still has the chain's word in the stamp that comes. */
static bool keeps_word(
        const struct run *run, const struct holder *holder, const struct chain *chain)
{
    const struct holder *parent = holder->parent;
    bool changes = parent->parent != NULL &&
            (run->at_end || (run->stamps > 0 && parent->n_time > run->changed));

    return !changes ||
            table_find(&parent->table, chain->parent_instance, chain->element, parent->stamp + 1) !=
            NULL;
}

static void finish_chain(struct run *run, struct holder *holder, uint32_t index)
{
    struct chain *chain = &holder->chains[index];

    assert(!chain->is_on_its_way); /* ways are checked after each boundary's words have come */
    if (chain->brought > holder->stamp + 1 && keeps_word(run, holder, chain)) { /* a link has it */
        wait_for_links(holder, index);
        return;
    }
    cross_trees(holder, chain->from);
    go_out(run, holder, index);
    if (chain->until > holder->stamp + 1) { /* words that links look for still name it */
        chain->is_gone = true;
        wait_for_links(holder, index);
    } else {
        close_chain(holder, index);
    }
}

/* Note until which stamp links bring, and look for, what "pair" has held without a break until now.
 */
static void note_links(const struct holder *holder, const struct pair *pair, struct chain *chain)
{
    for (int64_t stamp = holder->stamp; stamp > holder->stamp - holder->longest; stamp--) {
        const struct word *word = table_find(&holder->table, pair->instance, pair->element, stamp);
        if (word == NULL)
            break;
        if (word->awaited > 0 && stamp + word->awaited > chain->until)
            chain->until = stamp + word->awaited;
        if (word->brought > 0 && stamp + word->brought > chain->brought)
            chain->brought = stamp + word->brought;
    }
}

static void let_go(
        struct run *run, struct holder *holder, const struct pair *pair, struct word *word)
{
    struct chain *chain = &holder->chains[word->chain];

    chain->value = (int64_t)((uint64_t)chain->value + (uint64_t)word->value);
    word->value = 0;
    if (chain->last != holder->stamp || chain->from < 0 || pair->instance < chain->from)
        chain->from = pair->instance;
    chain->last = holder->stamp;
    if (holder->ahead > 0)
        note_links(holder, pair, chain);
    if (--chain->members == 0)
        finish_chain(run, holder, word->chain);
}

/* The sums that are on their way over links: those that arrived are forgotten. When the holder
 * outside is about to let go of the element ("parent_changes"), they go out before, and what is on
 * the link belongs to nobody. */
static void check_ways(struct run *run, struct holder *holder, bool parent_changes)
{
    uint32_t *at = &holder->on_their_way;

    while (*at != 0) {
        uint32_t index = *at;
        struct chain *chain = &holder->chains[index];
        if (chain->members > 0 || chain->until <= holder->stamp) {
            *at = chain->next;
            chain->is_on_its_way = false;
            if (chain->members == 0)
                close_chain(holder, index);
            continue;
        }
        if (parent_changes && !chain->is_gone &&
                table_find(&holder->parent->table, chain->parent_instance, chain->element,
                        holder->parent->stamp + 1) == NULL) {
            chain->is_gone = true;
            cross_trees(holder, chain->from);
            go_out(run, holder, index);
        }
        at = &chain->next;
    }
}

void moves_recall(struct run *run, struct holder *holder)
{
    check_ways(run, holder, true);
}

/* ---- what stays, and what links bring ---- */

/* Whether "from" may come over a link: of sums, only while the holder outside has kept their word.
 */
static inline bool may_bring(const struct holder *holder, const struct word *from)
{
    if (!holder->is_write || holder->longest == 1 || from->chain == 0)
        return true;
    const struct chain *chain = &holder->chains[from->chain];
    return !chain->is_gone && chain->element == from->element;
}

/* What a link brings from an earlier stamp. */
static inline void bring(struct holder *holder, struct word *word, struct word *from)
{
    word->present = true;
    if (!holder->is_write) {
        word->value = from->value;
        return;
    }
    if (from->chain == 0)
        return;
    struct chain *chain = &holder->chains[from->chain];
    word->value = from->value;
    from->value = 0;
    join(holder, word, from->chain);
    if (chain->members == 1) { /* it was on its way: what it carries comes along */
        word->value = (int64_t)((uint64_t)word->value + (uint64_t)chain->value);
        chain->value = 0;
    }
}

static inline void list(struct holder *holder, int64_t **indices, int64_t *n, int64_t index)
{
    if (holder->list_room < holder->now.room) {
        holder->list_room = holder->now.room;
        size_t size = sizeof(int64_t) * (size_t)holder->list_room;
        holder->fetched = sator_realloc(holder->fetched, size);
        holder->from_wire = sator_realloc(holder->from_wire, size);
        holder->standing = sator_realloc(holder->standing, size);
    }
    (*indices)[(*n)++] = index;
}

/* How a word that is not there comes. */
enum way {
    WAY_LINK,
    WAY_WIRE, /* when the PE that it leads from has it */
    WAY_FETCHED
};

static inline enum way find_way(struct run *run, struct holder *holder, const struct pair *pair,
        uint64_t slot, struct word *word)
{
    for (int l = 0; l < holder->n_links; l++) {
        struct machine_link *link = &holder->links[l];
        int provider;
        struct word *from = find_provider(link, &link->view, pair, slot, &provider);
        if (from == NULL || (link->link->interval > 1 && !may_bring(holder, from)))
            continue;
        link->words++;
        if (record_moves(&run->record))
            record_move(&run->record, holder, MOVE_LINK, pair->instance,
                    pair->instance +
                            (provider - place_local(&link->place, pair->instance)) *
                                    link->place.inner,
                    pair->element, link->link->name);
        if (link->use.words != NULL)
            use_port(&link->use, wire_of(link, pair->instance, provider));
        if (link->link->interval == 0)
            return WAY_WIRE;
        bring(holder, word, from);
        return WAY_LINK;
    }
    return WAY_FETCHED;
}

/* A word that is needed: whether it is still there, from "old", or else how it comes. */
static inline enum way keep_or_find(struct run *run, struct holder *holder, const struct pair *pair,
        uint64_t slot, struct word *word, struct word *old)
{
    if (old == NULL) {
        if (!holder->is_write) {
            holder->writes++;
            use_port(&holder->load_own, pair->instance);
        }
        return find_way(run, holder, pair, slot, word);
    }
    word->value = old->value;
    word->chain = old->chain;
    word->untouched = old->untouched;
    word->present = old->present;
    old->value = holder->is_write ? 0 : old->value;
    old->stayed = true;
    return WAY_LINK;
}

/* Where each link looks at the stamp that comes. */
static void look_back(struct holder *holder)
{
    for (int l = 0; l < holder->n_links; l++) {
        struct machine_link *link = &holder->links[l];
        link->view = view_of(&holder->table, holder->stamp + 1 - link->link->interval);
    }
}

static void note_way(struct holder *holder, int64_t index, enum way way)
{
    if (way == WAY_WIRE)
        list(holder, &holder->from_wire, &holder->n_from_wire, index);
    else if (way == WAY_FETCHED)
        list(holder, &holder->fetched, &holder->n_fetched, index);
}

static void keep_or_find_all(struct run *run, struct holder *holder)
{
    const struct table *table = &holder->table;
    const struct view now = view_of(table, holder->stamp + 1);
    const struct view before = view_of(table, holder->stamp);

    look_back(holder);
    for (int64_t i = 0; i < holder->now.n; i++) {
        const struct pair *pair = &holder->now.all[i];
        const uint64_t slot = view_slot(&now, pair->element);
        struct word *word = view_find(&now, pair->instance, pair->element, slot);
        struct word *old = view_find(&before, pair->instance, pair->element, slot);
        note_way(holder, i, keep_or_find(run, holder, pair, slot, word, old));
    }
}

/* ---- what is needed ---- */

static inline void add_pair(struct pairs *pairs, struct pair pair)
{
    if (pairs->n == pairs->room)
        pairs->all = machine_room(pairs->all, pairs->n + 1, &pairs->room, sizeof *pairs->all);
    pairs->all[pairs->n++] = pair;
}

static void need(struct run *run, struct holder *holder, int64_t stamp, struct pairs *pairs,
        int64_t instance, uint64_t element)
{
    bool is_new = false;
    struct word *word = table_put(&holder->table, instance, element, stamp, &is_new);

    if (word == NULL) {
        run->has_room = false;
        return;
    }
    if (!is_new)
        return;
    add_pair(pairs, (struct pair){instance, element});
}

static void need_part(struct run *run, struct holder *holder, int64_t stamp, struct pairs *pairs,
        const struct walk_part *part, int first_touch, int64_t divisor)
{
    const struct access_way *way = &run->machine.ways[holder->access];

    for (int64_t i = 0; i < part->n && holder->holds_idle; i++)
        holder->active[part->place[i] / divisor] = stamp;
    for (int t = first_touch; t < first_touch + way->n_touches; t++) {
        const bool *holds = part->holds[t];
        for (int64_t i = 0; i < part->n; i++) {
            if (holds == NULL || holds[i])
                need(run, holder, stamp, pairs,
                        divisor == 1 ? part->place[i] : part->place[i] / divisor,
                        part->elements[t][i]);
        }
    }
}

/* The same at once with how each word comes, for a holder that serves compute and has no wires:
 * nobody inside it has anything to add to what it held, and all that links bring is from before. */
static void settle_part(struct run *run, struct holder *holder, const struct walk_part *part, int t)
{
    struct table *table = &holder->table;
    const int64_t stamp = holder->stamp + 1;
    const bool *holds = part->holds[t];
    struct view now = view_of(table, stamp), before = view_of(table, stamp - 1);

    for (int64_t i = 0; i < part->n; i++) {
        const struct pair pair = {part->place[i], part->elements[t][i]};
        if (holds != NULL && !holds[i])
            continue;
        uint64_t slot = view_slot(&now, pair.element);
        struct word *word = now.is_hashed ? NULL : view_at(&now, pair.instance, slot);
        if (word != NULL && word->stamp == stamp && word->element == pair.element)
            continue;
        if (word != NULL && word->stamp != stamp && now.bits == 0) {
            table->most = 1;
            *word = (struct word){.element = pair.element, .stamp = stamp};
        } else {
            bool is_new = false;
            word = table_put(table, pair.instance, pair.element, stamp, &is_new);
            if (word == NULL) {
                run->has_room = false;
                return;
            }
            if (now.plane != table_plane(table, stamp) || now.is_hashed != table->is_hashed) {
                now = view_of(table, stamp); /* the table has grown */
                before = view_of(table, stamp - 1);
                look_back(holder);
            }
            slot = view_slot(&now, pair.element);
            if (!is_new)
                continue;
        }
        enum way way = keep_or_find(run, holder, &pair, slot, word,
                view_find(&before, pair.instance, pair.element, slot));
        if (way != WAY_FETCHED && !holder->is_write)
            continue;
        add_pair(&holder->now, pair);
        note_way(holder, holder->now.n - 1, way);
    }
}

static int64_t *outer_at(const struct holder *holder, int64_t stamp)
{
    return &holder->outer[stamp % (holder->longest + 1 + holder->ahead)];
}

/* Whether an instance beside that of "pair", in one of the holder outside, holds its element. */
static bool is_held_beside(const struct holder *holder, const struct pair *pair, int64_t stamp)
{
    int64_t first = pair->instance / holder->below * holder->below;
    bool any = false;

    for (int64_t q = first; q < first + holder->below && !any; q++)
        any = table_find(&holder->table, q, pair->element, stamp) != NULL;
    return any;
}

/* Whether the holder outside has the element of "pair" in all stamps from "interval" before "stamp"
 * on: it does at both ends, and between them where something within it does in its stamp. */
static bool keeps_meanwhile(
        const struct holder *holder, const struct pair *pair, int interval, int64_t stamp)
{
    int64_t outer = *outer_at(holder, stamp - interval);
    bool has = true;

    if (holder->parent->parent == NULL || holder->parent->holds_idle) /* then it may keep it idly */
        return true;
    for (int64_t at = stamp - interval + 1; at < stamp; at++) {
        if (*outer_at(holder, at) != outer) {
            if (!has)
                return false;
            outer = *outer_at(holder, at);
            has = outer == *outer_at(holder, stamp);
        }
        has = has || is_held_beside(holder, pair, at);
    }
    return has;
}

/* Note with each word that is looked for over a link of interval 2 or more that it is, and whether
 * it will come: by the pairs of "stamp", which is to come. */
static void await(struct holder *holder, int64_t stamp, const struct pairs *pairs)
{
    for (int64_t i = 0; i < pairs->n; i++) {
        const struct pair *pair = &pairs->all[i];
        if (table_find(&holder->table, pair->instance, pair->element, stamp - 1) != NULL)
            continue;
        for (int l = 0; l < holder->n_links; l++) {
            struct machine_link *link = &holder->links[l];
            const struct view view = view_of(&holder->table, stamp - link->link->interval);
            int provider;
            struct word *from =
                    find_provider(link, &view, pair, view_slot(&view, pair->element), &provider);
            if (from == NULL)
                continue;
            int interval = link->link->interval;
            if (interval > 1 && interval > from->awaited)
                from->awaited = (uint8_t)interval;
            if (interval > from->brought && interval > 1 &&
                    keeps_meanwhile(holder, pair, interval, stamp))
                from->brought = (uint8_t)interval;
            break;
        }
    }
}

/* Whether a loop over what a stamp needs goes on: a tile may have more words than there is time or
 * memory for. */
static bool goes_on(struct run *run, enum sator_status *st)
{
    if (sator_work(run->ctx, 1) == SATOR_INTERRUPTED)
        *st = SATOR_INTERRUPTED;
    return *st == SATOR_OK && run->has_room;
}

/* Look at the stamps up to the one that is as far ahead as links reach. */
static enum sator_status look_ahead(struct run *run, struct holder *holder)
{
    enum sator_status st = SATOR_OK;

    while (holder->looked_at < holder->stamp + 1 + holder->ahead && st == SATOR_OK) {
        int64_t stamp = ++holder->looked_at;
        struct pairs *pairs = &holder->coming[stamp % (holder->ahead + 1)];
        struct walk_part part;
        int changed;
        pairs->n = 0;
        st = walk_next(holder->walk, &changed);
        if (st != SATOR_OK || changed < 0)
            continue;
        *outer_at(holder, stamp) =
                *outer_at(holder, stamp - 1) + (changed < holder->parent->n_time);
        while (goes_on(run, &st) && walk_more(holder->walk, &part))
            need_part(run, holder, stamp, pairs, &part, 0, 1);
        if (holder->ahead > 0 && st == SATOR_OK)
            await(holder, stamp, pairs);
    }
    return st;
}

static void swap(struct pairs *a, struct pairs *b)
{
    struct pairs c = *a;

    *a = *b;
    *b = c;
}

static bool settles_at_once(const struct access_way *way, const struct holder *holder)
{
    return holder == way->inner && holder->walk == NULL && !holder->has_wires &&
            !holder->holds_idle;
}

/* What idle instances had stays with them: of sums, only while the holder outside, which has looked
 * at the stamp already, keeps their word. */
static void keep_idle(struct run *run, struct holder *holder)
{
    const int64_t stamp = holder->stamp + 1;

    for (int64_t i = 0; i < holder->before.n && run->has_room; i++) {
        const struct pair *pair = &holder->before.all[i];
        if (holder->active[pair->instance] == stamp)
            continue;
        const struct chain chain = {
                .element = pair->element, .parent_instance = pair->instance / holder->below};
        if (!holder->is_write || keeps_word(run, holder, &chain))
            need(run, holder, stamp, &holder->now, pair->instance, pair->element);
    }
}

enum sator_status moves_gather(struct run *run, struct holder *holder)
{
    int64_t stamp = holder->stamp + 1;
    struct walk_part part;
    enum sator_status st = SATOR_OK;

    swap(&holder->before, &holder->now);
    holder->now.n = holder->n_fetched = holder->n_from_wire = 0;
    if (holder->walk != NULL) {
        st = look_ahead(run, holder);
        swap(&holder->now, &holder->coming[stamp % (holder->ahead + 1)]);
        if (st == SATOR_OK && holder->holds_idle)
            keep_idle(run, holder);
        return st;
    }
    const struct access_way *way = &run->machine.ways[holder->access];
    walk_again(run->walk);
    look_back(holder);
    while (goes_on(run, &st) && walk_more(run->walk, &part)) {
        if (!settles_at_once(way, holder))
            need_part(run, holder, stamp, &holder->now, &part, way->first_touch,
                    run->machine.n_pes / holder->n_instances);
        for (int t = 0; t < way->n_touches && settles_at_once(way, holder); t++)
            settle_part(run, holder, &part, way->first_touch + t);
    }
    if (st == SATOR_OK && holder->holds_idle)
        keep_idle(run, holder);
    return st;
}

/* ---- passing on ---- */

static void let_all_go(struct run *run, struct holder *holder)
{
    const struct view before = view_of(&holder->table, holder->stamp);

    for (int64_t i = 0; i < holder->before.n; i++) {
        const struct pair *pair = &holder->before.all[i];
        struct word *word = view_find(
                &before, pair->instance, pair->element, view_slot(&before, pair->element));
        if (!word->stayed && word->chain != 0) /* it never came: that was said */
            let_go(run, holder, pair, word);
    }
}

void moves_pass_on(struct run *run, struct holder *holder, bool at_end)
{
    if (at_end) {
        swap(&holder->before, &holder->now);
        holder->now.n = holder->n_fetched = holder->n_from_wire = 0;
    } else if (!settles_at_once(&run->machine.ways[holder->access], holder)) {
        keep_or_find_all(run, holder);
    }
    if (holder->is_write)
        let_all_go(run, holder);
    holder->stamp++;
    check_ways(run, holder, false);
    if (holder->table.most > holder->tile)
        holder->tile = holder->table.most;
}

/* ---- arriving ---- */

/* Of the pairs that lead themselves, let those on one bus with one element follow the smallest
 * instance. Returns how many now do. */
static int64_t merge(struct run *run, struct holder *holder, struct machine_bus *bus,
        const int64_t *indices, int64_t n, int64_t *leader)
{
    int64_t n_groups = holder->n_instances / bus->place.n * (bus->n_buses + 1), merged = 0;

    if (holder->groups.n_instances < n_groups) {
        table_clear(&holder->groups);
        run->has_room &= table_init(&holder->groups, n_groups, 1);
        holder->group_stamp = 0;
        if (!run->has_room)
            return 0;
    }
    holder->group_stamp++;
    for (int round = 0; round < 2; round++)
        for (int64_t i = 0; i < n; i++) {
            const struct pair *pair = &holder->now.all[indices[i]];
            int on = bus->bus_of[place_local(&bus->place, pair->instance)];
            bool is_new = false;
            if (leader[i] != i || on < 0)
                continue;
            int64_t group = place_at(&bus->place, pair->instance, on, bus->n_buses);
            struct word *word =
                    table_put(&holder->groups, group, pair->element, holder->group_stamp, &is_new);
            if (word == NULL) {
                run->has_room = false;
                return merged;
            }
            if (round == 0) {
                if (is_new || pair->instance < holder->now.all[indices[word->value]].instance)
                    word->value = i;
            } else if (word->value != i) {
                leader[i] = word->value;
                merged++;
            } else if (!holder->is_write) {
                use_port(&bus->use, place_outer(&bus->place, pair->instance) * bus->n_buses + on);
            }
        }
    return merged;
}

/* One word from the holder outside, or the start of a sum. */
static void fetch(struct run *run, struct holder *holder, const struct pair *pair)
{
    struct holder *parent = holder->parent;
    int64_t from = pair->instance / holder->below;
    struct word *word = table_find(&holder->table, pair->instance, pair->element, holder->stamp);

    word->present = true;
    if (!holder->is_loaded && record_moves(&run->record))
        record_move(&run->record, holder, MOVE_FILL, pair->instance, from, pair->element, NULL);
    if (parent->parent == NULL && !holder->is_write) { /* from the outside world */
        word->value = machine_value(run->machine.ways[holder->access].salt, pair->element);
        holder->fills++;
        return;
    }
    bool is_new = false;
    struct word *there = parent->parent == NULL
            ? table_put(&parent->table, 0, pair->element, 0, &is_new)
            : table_find(&parent->table, from, pair->element, parent->stamp);
    if (is_new)
        there->untouched = there->present = true;
    if (there == NULL || !there->present) {
        run_differ(run, holder, pair->instance, NULL,
                "%s is needed and the memory outside does not have it",
                run_element(run, holder->access, pair->element));
        return;
    }
    if (holder->is_write) {
        join(holder, word, open_chain(holder, pair->instance, pair->element));
        if (there->untouched) {
            there->untouched = false;
            word->untouched = true;
            return;
        }
        word->value = there->value;
        there->value = 0;
        holder->writes++;
        use_port(&holder->load_own, pair->instance);
    } else {
        word->value = there->value;
    }
    parent->reads++;
    holder->fills++;
    use_port(&holder->load_parent, from);
}

static void follow(struct holder *holder, const struct pair *pair, const struct pair *leader)
{
    struct word *word = table_find(&holder->table, pair->instance, pair->element, holder->stamp);
    struct word *from =
            table_find(&holder->table, leader->instance, leader->element, holder->stamp);

    word->present = from->present;
    word->value = holder->is_write ? 0 : from->value;
    word->untouched = holder->is_write;
    if (holder->is_write && from->chain != 0)
        join(holder, word, from->chain);
}

static int compare_fetched(const void *a, const void *b, void *pairs)
{
    const struct pair *x = (const struct pair *)pairs + *(const int64_t *)a;
    const struct pair *y = (const struct pair *)pairs + *(const int64_t *)b;

    return (x->instance > y->instance) - (x->instance < y->instance);
}

/* Small instances first: of several that take a sum up, the smallest is the first to ask for it. */
static void sort_fetched(struct holder *holder)
{
    bool in_order = true;

    for (int64_t i = 1; i < holder->n_fetched && in_order; i++)
        in_order = holder->now.all[holder->fetched[i - 1]].instance <=
                holder->now.all[holder->fetched[i]].instance;
    if (!in_order)
        qsort_r(holder->fetched, (size_t)holder->n_fetched, sizeof *holder->fetched,
                compare_fetched, holder->now.all);
}

static void fetch_all(struct run *run, struct holder *holder)
{
    int64_t n = holder->n_fetched, *leader = holder->standing;

    if (holder->is_write)
        sort_fetched(holder);
    if (holder->n_buses == 0) {
        for (int64_t i = 0; i < n; i++)
            fetch(run, holder, &holder->now.all[holder->fetched[i]]);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        leader[i] = i;
    for (int b = 0; b < holder->n_buses; b++)
        holder->buses[b].words += merge(run, holder, &holder->buses[b], holder->fetched, n, leader);
    for (int64_t i = 0; i < n; i++) {
        if (leader[i] == i)
            fetch(run, holder, &holder->now.all[holder->fetched[i]]);
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t first = leader[i];
        while (leader[first] != first)
            first = leader[first];
        if (first != i && record_moves(&run->record))
            record_move(&run->record, holder, MOVE_BUS,
                    holder->now.all[holder->fetched[i]].instance,
                    holder->now.all[holder->fetched[first]].instance,
                    holder->now.all[holder->fetched[i]].element, NULL);
        if (first != i)
            follow(holder, &holder->now.all[holder->fetched[i]],
                    &holder->now.all[holder->fetched[first]]);
    }
}

/* Try to take a word from a wire whose provider has it. */
static bool take(struct holder *holder, const struct pair *pair)
{
    struct word *word = table_find(&holder->table, pair->instance, pair->element, holder->stamp);

    for (int l = 0; l < holder->n_links; l++) {
        struct machine_link *link = &holder->links[l];
        int local = (int)place_local(&link->place, pair->instance);
        for (int i = link->first[local]; i < link->first[local + 1]; i++) {
            int64_t provider = pair->instance + (link->providers[i] - local) * link->place.inner;
            struct word *from = link->link->interval > 0
                    ? NULL
                    : table_find(&holder->table, provider, pair->element, holder->stamp);
            if (from == NULL)
                continue;
            if (!from->present)
                return false; /* it is the first that serves: wait for it */
            word->present = true;
            word->value = holder->is_write ? 0 : from->value;
            if (holder->is_write && from->chain != 0)
                join(holder, word, from->chain);
            return true;
        }
    }
    return false;
}

static void take_from_wires(struct run *run, struct holder *holder)
{
    int64_t left = holder->n_from_wire, last = left + 1;

    while (left > 0 && left < last) {
        int64_t kept = 0;
        last = left;
        for (int64_t i = 0; i < left; i++) {
            int64_t index = holder->from_wire[i];
            if (!take(holder, &holder->now.all[index]))
                holder->from_wire[kept++] = index;
        }
        left = kept;
    }
    for (int64_t i = 0; i < left; i++) {
        const struct pair *pair = &holder->now.all[holder->from_wire[i]];
        run_differ(run, holder, pair->instance, NULL,
                "%s is to come over a wire from PEs that wait for each other",
                run_element(run, holder->access, pair->element));
    }
}

void moves_arrive(struct run *run, struct holder *holder)
{
    fetch_all(run, holder);
    take_from_wires(run, holder);
}
