/* Timeloop's files while they are read: the problem, the architecture and the mapping of one YAML
 * text (versions 0.2 to 0.4, also as its front end dumps them). */
#ifndef SATOR_FRONTEND_TIMELOOP_TIMELOOP_H
#define SATOR_FRONTEND_TIMELOOP_TIMELOOP_H

#include "base/text.h"
#include "frontend/yaml/yaml.h"

struct timeloop {
    struct sator_yaml_reader reader;
    const struct sator_source *source;
    struct sator_yaml_node *root;
    /* keys that have no counterpart here, each once */
    int n_unused;
    const char **unused;
    bool has_constraints; /* on loops, which are a search's */
};

/* A level of the architecture, outermost first; the last is the arithmetic. */
struct timeloop_level {
    const char *name;
    struct sator_loc loc;
    const struct sator_yaml_node *attributes; /* or NULL */
    int n_inherited; /* attributes of the containers around it, the outermost first */
    const struct sator_yaml_node *const *inherited;
    const struct sator_yaml_node *constraints; /* at the node itself; or NULL */
    int64_t instances, mesh_x; /* all of them; of these along X */
    bool is_dummy; /* holds nothing: its fan-out alone counts */
    bool is_dram;
};

enum {
    TIMELOOP_MOST_FACTORS = 64
};

struct timeloop_factor {
    const char *dimension;
    int64_t value; /* 0: the whole dimension */
    bool placed; /* by the permutation */
};

struct timeloop_factors {
    int n;
    struct timeloop_factor factors[TIMELOOP_MOST_FACTORS];
};

/* "key" of a map, with '-' taken for '_' in the file's keys; NULL when it is not there. */
struct sator_yaml_node *timeloop_get(const struct sator_yaml_node *map, const char *key);
/* Remember that "key" is not honoured. */
void timeloop_unused(struct timeloop *t, const char *key);
/* The same for the keys of "map" that are not among "known". */
void timeloop_check(struct timeloop *t, const struct sator_yaml_node *map, const char *const *known,
        int n_known);
/* "NAME[lo..hi]" as NAME and the number of its instances; 1 without a range. */
const char *timeloop_name(
        struct timeloop *t, const struct sator_yaml_node *node, int64_t *instances);
/* The levels of the file's architecture; NULL, after an error or when it has none. */
struct timeloop_level *timeloop_levels(struct timeloop *t, int *n_levels);
/* The names of the file's data spaces; those of a convolution when it has no problem. */
int timeloop_tensors(struct timeloop *t, const char *const **names);

/* The dimensions of the file's problem, or of a convolution; how many. */
int timeloop_dimensions(struct timeloop *t, const char *const **names);
/* The factors "R=3 P16" of a directive; false after an error. */
bool timeloop_read_factors(
        struct timeloop *t, const struct sator_yaml_node *node, struct timeloop_factors *factors);
/* The list of constraints on targets; NULL when there is none. */
const struct sator_yaml_node *timeloop_targets(struct timeloop *t);

/* Set the root to what a file in libconfig's notation says; NULL after an error. */
void timeloop_parse_libconfig(struct timeloop *t);

void timeloop_write_problem(struct timeloop *t, struct sator_text *text);
void timeloop_write_arch(struct timeloop *t, struct sator_text *text);
void timeloop_write_mapping(struct timeloop *t, struct sator_text *text);
/* Constraints on loops as --constraint takes them, into "arena". */
void timeloop_constraints(
        struct timeloop *t, struct sator_arena *arena, int *n_texts, const char *const **texts);

#endif
