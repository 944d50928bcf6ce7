/* What the instances of a memory hold: words by instance and element.
 *
 * A plane is the contents at one prefix stamp. A table has a plane for the stamp at hand and for as
 * many before it as links look back; a word counts where its stamp is the plane's, so nothing is
 * ever cleared. Slots are chosen by some bits of the element, as in a memory that is addressed
 * modulo its size: two elements that meet in a slot add the lowest bit in which they differ. Where
 * so many bits are needed that most slots are empty, words are found by hashing instead.
 */
#ifndef SATOR_SIMULATE_TABLE_H
#define SATOR_SIMULATE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct word {
    uint64_t element;
    int64_t stamp; /* at which it is held; -1: never */
    int64_t value;
    uint32_t chain; /* of outputs: the taking-up that it belongs to */
    bool untouched; /* started from zero, and nobody inside has taken it up since */
    bool stayed; /* is there in the next stamp, too */
    bool present; /* has arrived */
    uint8_t awaited; /* the longest interval of a link that looks for it, above 1 */
    uint8_t brought; /* the same of one that will bring it: the holder outside keeps it meanwhile */
};

enum {
    TABLE_RUNS = 12 /* of neighbouring bits in the mask */
};

struct table {
    int64_t n_instances;
    int n_planes; /* a power of two */
    int bits; /* log2 of the slots of an instance */
    bool is_hashed;
    uint64_t mask; /* the bits of elements that choose a slot */
    int n_runs;
    struct table_run {
        int down, up;
        uint64_t mask;
    } runs[TABLE_RUNS];
    struct word *words; /* plane, instance, slot */
    int64_t *counts; /* words of each instance at the latest stamp */
    int64_t counted; /* that stamp */
    int64_t most; /* the largest of all counts ever */
};

/* A table of "n_instances" that keeps "n_planes" stamps at least. False when there is no memory. */
bool table_init(struct table *table, int64_t n_instances, int n_planes);
void table_clear(struct table *table);

/* Add ("instance", "element") at "stamp", which is at least that of the last call; "*is_new" unless
 * it is there. NULL when there is no memory. Words may move when a slot is taken. */
struct word *table_put_slowly(
        struct table *table, int64_t instance, uint64_t element, int64_t stamp, bool *is_new);
struct word *table_find_hashed(
        const struct table *table, int64_t instance, uint64_t element, int64_t stamp);

static inline struct word *table_plane(const struct table *table, int64_t stamp)
{
    uint64_t plane = (uint64_t)stamp & (uint64_t)(table->n_planes - 1);

    return table->words + ((plane * (uint64_t)table->n_instances) << table->bits);
}

static inline uint64_t table_slot(const struct table *table, int64_t instance, uint64_t element)
{
    uint64_t slot = (uint64_t)instance << table->bits;

    for (int r = 0; r < table->n_runs; r++)
        slot |= (element >> table->runs[r].down & table->runs[r].mask) << table->runs[r].up;
    return slot;
}

/* The word, or NULL where the instance does not hold the element at "stamp". */
static inline struct word *table_find(
        const struct table *table, int64_t instance, uint64_t element, int64_t stamp)
{
    if (table->is_hashed)
        return table_find_hashed(table, instance, element, stamp);
    struct word *word = table_plane(table, stamp) + table_slot(table, instance, element);
    return word->stamp == stamp && word->element == element ? word : (struct word *)0;
}

/* Count one more word of "instance" at "stamp". */
void table_new_stamp(struct table *table, int64_t stamp);
static inline void table_count(struct table *table, int64_t instance, int64_t stamp)
{
    if (table->counted != stamp)
        table_new_stamp(table, stamp);
    int64_t count = ++table->counts[instance];
    if (count > table->most)
        table->most = count;
}

static inline struct word *table_put(
        struct table *table, int64_t instance, uint64_t element, int64_t stamp, bool *is_new)
{
    if (!table->is_hashed) {
        struct word *word = table_plane(table, stamp) + table_slot(table, instance, element);
        if (word->stamp != stamp) {
            if (table->bits > 0)
                table_count(table, instance, stamp);
            else
                table->most = 1; /* an instance has one slot */
            *word = (struct word){.element = element, .stamp = stamp};
            *is_new = true;
            return word;
        }
        if (word->element == element) {
            *is_new = false;
            return word;
        }
    }
    return table_put_slowly(table, instance, element, stamp, is_new);
}

/* The words of a table at one stamp. What it is made of is copied, so that a loop keeps it at hand;
 * it is made anew when the table has grown. */
struct view {
    const struct table *table;
    struct word *plane;
    int64_t stamp;
    int bits, n_runs;
    bool is_hashed;
};

static inline struct view view_of(const struct table *table, int64_t stamp)
{
    return (struct view){
            table, table_plane(table, stamp), stamp, table->bits, table->n_runs, table->is_hashed};
}

/* The slot of an element in instance 0. */
static inline uint64_t view_slot(const struct view *view, uint64_t element)
{
    return view->n_runs == 0 ? 0 : table_slot(view->table, 0, element);
}

static inline struct word *view_at(const struct view *view, int64_t instance, uint64_t slot)
{
    return view->plane + ((uint64_t)instance << view->bits | slot);
}

/* The word of "element", whose slot in instance 0 is "slot", in "instance"; or NULL. */
static inline struct word *view_find(
        const struct view *view, int64_t instance, uint64_t element, uint64_t slot)
{
    if (view->is_hashed)
        return table_find_hashed(view->table, instance, element, view->stamp);
    struct word *word = view_at(view, instance, slot);
    return word->stamp == view->stamp && word->element == element ? word : (struct word *)0;
}

#endif
