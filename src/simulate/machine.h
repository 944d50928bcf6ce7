/* The machine as an execution sees it: for each access of the workload the holders of its tensor,
 * outermost first, and the wires between them. */
#ifndef SATOR_SIMULATE_MACHINE_H
#define SATOR_SIMULATE_MACHINE_H

#include "simulate/simulate.h"
#include "simulate/table.h"
#include "simulate/walk.h"

/* Words that pass a port in one phase, by instance of what has the port. */
struct use {
    int port; /* -1: none that limits anything */
    int word_bits; /* as wide as words are there */
    int64_t *words;
    int64_t *touched; /* instances with words */
    int64_t n_touched;
};

static inline void use_port(struct use *use, int64_t instance)
{
    if (use->words != NULL && use->words[instance]++ == 0)
        use->touched[use->n_touched++] = instance;
}

/* PEs of an array within the instances of a holder: instance = (outer * n + local) * inner + rest.
 */
struct place {
    int64_t n, inner;
    bool is_all; /* instances are the PEs of one array */
};

static inline int64_t place_local(const struct place *place, int64_t instance)
{
    return place->is_all ? instance : instance / place->inner % place->n;
}

/* The number of the copy of the array. */
static inline int64_t place_outer(const struct place *place, int64_t instance)
{
    return place->is_all ? 0 : instance / place->inner / place->n;
}

/* The number of PE or bus "local" of "n" in the place of "instance". */
static inline int64_t place_at(
        const struct place *place, int64_t instance, int64_t local, int64_t n)
{
    return place->is_all
            ? local
            : (place_outer(place, instance) * n + local) * place->inner + instance % place->inner;
}

struct machine_link {
    const struct sator_link *link;
    int level; /* of the array */
    struct place place;
    int *first, *providers; /* of local PE p: providers[first[p]] .. providers[first[p + 1] - 1] */
    int *wires; /* parallel to "providers": numbers of the wires, as they are declared */
    int n_wires;
    int64_t words;
    int *singles; /* the provider of each local PE, -1: none; NULL: some have several */
    struct view view; /* what it brings to the stamp at hand is from there */
    struct use use; /* by wire, in every copy of the array */
};

struct machine_bus {
    const struct sator_bus *bus;
    int level;
    struct place place;
    int n_buses;
    int *bus_of; /* of each local PE; -1: on none */
    int64_t words; /* that shared another's way */
    struct use use;
};

struct pair {
    int64_t instance;
    uint64_t element;
};

struct pairs {
    struct pair *all;
    int64_t n, room;
};

/* What a taking-up became: the parts of one sum, which leave together. */
struct chain {
    uint64_t element;
    int64_t parent_instance, value, members;
    int64_t from; /* the smallest instance that let go of it last */
    int64_t last; /* stamp at which an instance held it last */
    int64_t brought, until; /* links bring it on, and look for it, until these stamps */
    uint32_t next; /* of those that are on their way over links, or free */
    bool is_on_its_way, is_gone; /* is_gone: went out, though links look for it yet */
};

struct holder {
    int access, level; /* level: of the architecture; -1: the outside, or the PEs for a stamp */
    int n_time, n_space;
    int64_t n_instances, below; /* below: instances in one of the holder outside */
    struct holder *parent; /* NULL: this is the outside */
    bool is_loaded; /* has all words from the start */
    bool is_stamp; /* holds one stamp's */
    bool is_write;
    int n_links, n_buses;
    struct machine_link *links;
    struct machine_bus *buses;
    int longest; /* interval of the links */
    bool holds_idle; /* contents stay while an instance idles */
    int64_t *active; /* by instance, the last stamp in which it is active; NULL: nobody asks */
    bool has_wires;
    struct table table;
    int64_t stamp; /* the number of the prefix stamp */
    struct pairs now, before; /* what the instances hold at this stamp, and held at the last */
    int ahead; /* stamps that are looked at before their time: whether a link will take a sum */
    struct pairs *coming; /* of stamp s: coming[s % (ahead + 1)] */
    int64_t looked_at; /* the last stamp in "coming" */
    int64_t *outer; /* of stamp s, as far as tables go back: outer[s % (longest + 1 + ahead)], the
                       number of the stamp of the holder outside */
    int64_t *fetched, *from_wire, *standing; /* indices into "now" */
    int64_t n_fetched, n_from_wire, list_room;
    struct table groups; /* of buses */
    int64_t group_stamp;
    struct chain *chains;
    uint32_t n_chains, chain_room, free_chain, on_their_way; /* 0: none */
    struct walk *walk; /* NULL: the run's */
    int64_t fills, writes, reads, updates, tile;
    struct use load_parent, load_own, store_parent; /* of transfers with the holder outside */
    struct use operand_reads, operand_writes; /* of compute */
};

struct access_way {
    const struct sator_access *access;
    int n_holders;
    struct holder *holders; /* the outside first */
    int first_touch, n_touches;
    bool *is_update; /* of each touch: reads what the instance itself updates */
    bool in_place; /* read, and written by another access */
    struct numbering *numbering;
    uint64_t salt; /* of its tensor's values */
    struct table *current; /* in place: the tensor's values; shared by its accesses */
    struct holder *inner; /* serves compute */
    bool is_own; /* that is a memory of the PE */
};

struct machine {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct simulate_question *question;
    int n_space, n_time;
    int64_t *shape;
    int64_t n_pes;
    int n_accesses;
    struct access_way *ways;
    int n_touches;
    struct touch touches[WALK_TOUCHES];
    int n_currents;
    struct table *currents;
};

/* Make all of it in "machine->arena"; machine_clear frees what is not there, also after a failure.
 */
enum sator_status machine_make(struct machine *machine);
void machine_clear(struct machine *machine);

/* The value that an input's element has. */
static inline int64_t machine_value(uint64_t salt, uint64_t element)
{
    uint64_t h = (element + salt) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
    return (int64_t)((h ^ h >> 29) | 1); /* odd: products keep all bits */
}

/* Room for "n" elements in an array of "*room" that malloc made. */
void *machine_room(void *array, int64_t n, int64_t *room, size_t size);

#endif
