/* What the files of provenance share. */
#ifndef SATOR_MODEL_PROVENANCE_PARTS_H
#define SATOR_MODEL_PROVENANCE_PARTS_H

#include "model/provenance/provenance.h"
#include "model/provenance/visit.h"

/* For each PE the others that a map joins it with: providers of a link, numbers of bus lines. */
struct pe_pairs {
    const int64_t *starts; /* n_pes + 1 */
    const int64_t *others;
};

/* One access: what the caller gets, and what serves it. */
struct access_words {
    struct sator_access_words is; /* its words in memory of their own, history included */
    int64_t room;
    int64_t *starts;
    bool registers;
    int n_links, n_buses;
    const struct pe_pairs **wires, **lines;
    int *intervals, *link_sources, *bus_sources;
};

struct provenance {
    struct sator_arena *arena;
    struct visit visit;
    int n_space, n_pes;
    const int64_t *shape;
    int look_back; /* how many stamps a register or a link looks back at most */
    int n_stamps, n_before; /* with those before the window */
    int64_t *stamps;
    bool at_start, at_end, is_short;
    int64_t n_listed;
    int n_sources;
    struct sator_word_source *sources;
    struct access_words *accesses;
    int64_t *tuple; /* room for one */
};

/* The number of a source, which is added when it is new. */
int provenance_source(struct provenance *p, enum sator_source_kind kind, const char *name);

/* provenance_wires.c: the maps of links, consumer to providers, and of buses, PE to lines. */
enum sator_status pe_pairs_of_link(
        struct provenance *p, const struct sator_relation *map, const struct pe_pairs **pairs);
enum sator_status pe_pairs_of_bus(
        struct provenance *p, const struct sator_relation *map, const struct pe_pairs **pairs);

/* provenance_memories.c: a memory for every word of "access" that has no source yet. */
enum sator_status provenance_memories(
        struct provenance *p, int access, const struct sator_result *result);

#endif
