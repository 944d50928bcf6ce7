/* ZigZag's files while they are read: workloads, hardware and mappings in YAML. */
#ifndef SATOR_FRONTEND_ZIGZAG_ZIGZAG_H
#define SATOR_FRONTEND_ZIGZAG_ZIGZAG_H

#include "base/text.h"
#include "frontend/yaml/yaml.h"

enum {
    ZIGZAG_MOST_DIMS = 8 /* of an array */
};

struct zigzag {
    struct sator_yaml_reader reader;
    const struct sator_source *source;
    struct sator_yaml_node *root;
    int n_unused; /* keys that have no counterpart here, each once */
    const char **unused;
};

/* Remember that "key" is not honoured. */
void zigzag_unused(struct zigzag *z, const char *key);
/* The same for the keys of "map" that are not among "known". */
void zigzag_check(
        struct zigzag *z, const struct sator_yaml_node *map, const char *const *known, int n_known);
/* What must be in "map" under "key" as "kind"; NULL after an error, which calls the map "what". */
const struct sator_yaml_node *zigzag_need(struct zigzag *z, const struct sator_yaml_node *map,
        const char *what, const char *key, enum sator_yaml_kind kind);
/* The tensor that an operand is in Sator's library: I (I1) is A, W (I2) is B, O is Y. */
const char *zigzag_tensor(const char *operand);
/* A name in small letters, as loops are called here: "OX" is ox. */
const char *zigzag_loop(struct zigzag *z, const char *name);

void zigzag_write_workload(struct zigzag *z, struct sator_text *text);
void zigzag_write_machine(struct zigzag *z, struct sator_text *text);
void zigzag_write_mapping(struct zigzag *z, struct sator_text *text);

#endif
