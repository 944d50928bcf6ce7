/* The cases of relation_centric.json and what is needed to ask our own code about them. README.md
 * says what the fields mean. */
#ifndef SATOR_TEST_GOLDEN_H
#define SATOR_TEST_GOLDEN_H

#include "relation/relation.h"

#include <cjson/cJSON.h>

enum {
    GOLDEN_DIMS = 4
};

/* Relations between PEs that the fields ask for, provider -> consumer. No PE provides for itself
 * except in the first two. */
enum golden_reach {
    GOLDEN_SELF, /* p -> p */
    GOLDEN_SELF_IN_ARRAY, /* p -> p for p in the declared array */
    GOLDEN_ONE_STEP,
    GOLDEN_TWO_STEPS, /* one step or two */
    GOLDEN_EXACTLY_TWO, /* two steps and not one */
    GOLDEN_REACHES
};

struct golden_case {
    const cJSON *json;
    const char *id;
    const cJSON *metrics, *tensors;
    bool inside; /* the space map stays in the declared array */
    int n_dims;
    int64_t shape[GOLDEN_DIMS]; /* the declared array, from 0 */
    struct sator_ctx *ctx;
    struct sator_arena *arena;
};

/* The text of the file, parsed (GIVE: cJSON_Delete); ends the program when that fails. */
cJSON *golden_load(const char *path);

/* A case in a context and an arena of its own; ends the program when the case cannot be read. */
void golden_open(const cJSON *json, struct golden_case *golden);
void golden_close(struct golden_case *golden);

const char *golden_string(const struct golden_case *golden, const char *key);
/* A relation from isl notation; ends the program when it cannot be read. */
const struct sator_relation *golden_relation(const struct golden_case *golden, const char *text);

/* All access lines of a tensor and role as one relation in isl notation (GIVE: free). */
char *golden_access(const struct golden_case *golden, const char *tensor, const char *role);
/* The interconnect, turned round from the file's consumer -> provider, as isl notation (GIVE:
 * free). Reaches beyond one step only for interconnects that are translations; NULL for others. */
char *golden_links(const struct golden_case *golden, enum golden_reach reach);

#endif
