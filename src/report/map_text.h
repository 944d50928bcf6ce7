/* What is written of a mapping, alone or in a table. */
#ifndef SATOR_REPORT_MAP_TEXT_H
#define SATOR_REPORT_MAP_TEXT_H

#include "report/map.h"
#include "report/physical.h"

struct map_writer {
    struct sator_text *text;
    struct sator_arena *arena;
    const struct sator_map_result *result;
    struct look look;
};

/* In a unit that suits it; "-" where it is not known. */
const char *map_text_energy(struct map_writer *w, double pj);
const char *map_text_edp(struct map_writer *w, double value);
/* A gap that is there is not 0.0%. */
const char *map_text_percent(struct map_writer *w, double gap);

/* Where times of some mappings have no formula, the search for the best of them ends with the bound
 * of another, which has its proof; and what is said then. */
bool map_text_is_bound_by_rooflines(const struct sator_map_result *r);
extern const char map_text_bound_of_rooflines[];

/* What a reader who knows the machine would miss. */
void map_text_idle_links(struct map_writer *w, const struct sator_map_result *r);
/* What the proofs are not about, each once. */
void map_text_left_out(
        struct map_writer *w, const struct sator_map_result *const *results, int n_results);

struct physical map_text_physical_of(const struct sator_map_result *r);
/* A line of its own, where anything is known. */
void map_text_physical(struct map_writer *w, const struct physical *physical);

/* All of the writer's result. */
void map_text_one(struct map_writer *w);

#endif
