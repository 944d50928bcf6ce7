/* The sets and relations of one stamping (doc/model.md, section 1), as isl objects and as systems.
 * Private to the general engine. */
#ifndef SATOR_COUNT_GENERAL_STAMPS_H
#define SATOR_COUNT_GENERAL_STAMPS_H

#include "count/count.h"
#include "count/general/points.h"
#include "relation/bridge.h"

/* Disjoint systems: the points of a set, its dimensions leading, each point once. */
struct sator_pieces {
    int n;
    struct sator_system **systems;
};

struct sator_stamps {
    struct sator_ctx *ctx;
    const struct sator_stamping *stamping;
    int n_space, n_time;
    isl_set *domain; /* { [n] } */
    isl_map *space, *time, *stamp; /* { [n] -> [p] }, [t], [p, t] over the domain */
    isl_map *any_space, *any_stamp; /* the same of all n: what is put beside a map over the domain,
                                       of as many pieces, without each meeting each */
    isl_set *box; /* { [p] : 0 <= p < shape } */
    isl_map *prev; /* { [t] -> [prev t] }, made on demand */
    struct sator_pieces *chains; /* chains[k-1]: { [t, prev^k t] }, made on demand */
    int n_chains;
    struct sator_points *points;
};

enum sator_status sator_stamps_open(struct sator_ctx *ctx, const struct sator_stamping *stamping,
        SATOR_GIVE struct sator_stamps **result);
void sator_stamps_close(SATOR_TAKE struct sator_stamps *stamps);

/* "set" as disjoint systems, each point once: its dimensions and then the existential variables,
 * which they determine. */
enum sator_status sator_stamps_pieces(
        struct sator_stamps *stamps, SATOR_TAKE isl_set *set, struct sator_pieces *pieces);
void sator_pieces_clear(struct sator_pieces *pieces);

/* The number of points of all pieces, and of "set". */
enum sator_status sator_pieces_count(
        struct sator_stamps *stamps, const struct sator_pieces *pieces, sator_int *count);
enum sator_status sator_stamps_count(
        struct sator_stamps *stamps, SATOR_TAKE isl_set *set, sator_int *count);

/* The access relation { [n] -> [f] } over the domain (GIVE). SATOR_INPUT when it is infinite. */
enum sator_status sator_stamps_access(
        struct sator_stamps *stamps, const struct sator_relation *access, SATOR_GIVE isl_map **map);

/* The data assignment A_{D,F} = { [p, t, f] } of an access relation (GIVE). */
isl_set *sator_stamps_assignment(struct sator_stamps *stamps, SATOR_KEEP isl_map *access);

/* prev as a relation { [t] -> [t'] } (KEEP), and prev^k as systems over (t, prev^k t), k >= 1
 * (KEEP). */
enum sator_status sator_stamps_prev(struct sator_stamps *stamps, isl_map **prev);
enum sator_status sator_stamps_chain(
        struct sator_stamps *stamps, int interval, const struct sator_pieces **chain);

/* A link's relation { [q] -> [p] } inside the array (GIVE). */
isl_map *sator_stamps_link(struct sator_stamps *stamps, const struct sator_relation *map);

#endif
