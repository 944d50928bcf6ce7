/* What the lowerings of the YAML documents share: a reader, typed access to nodes, --set. */
#ifndef SATOR_FRONTEND_YAML_YAML_H
#define SATOR_FRONTEND_YAML_YAML_H

#include "frontend/frontend.h"
#include "frontend/yaml/tree.h"

#define SATOR_YAML_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum {
    SATOR_YAML_MOST_ERRORS = 100
};

/* One input being read. Trees live in "scratch", what is read from them in "arena". */
struct sator_yaml_reader {
    struct sator_ctx *ctx;
    struct sator_arena *arena, *scratch;
    const struct sator_settings *settings;
    int errors_before;
    bool full; /* enough is wrong: see sator_yaml_full */
    enum sator_status
            stopped; /* why reading ended early without an error in the input, or SATOR_OK */
};

void sator_yaml_reader_init(struct sator_yaml_reader *reader, struct sator_ctx *ctx,
        const struct sator_settings *settings);
/* Free the trees; and "arena" too when anything was wrong (SATOR_INPUT) or reading was stopped. */
enum sator_status sator_yaml_reader_end(struct sator_yaml_reader *reader);
bool sator_yaml_failed(const struct sator_yaml_reader *reader);
struct sator_arch;
/* Set the architecture's mentions of tensors: all names in the lists and maps of "levels". */
void sator_yaml_mentions(struct sator_yaml_reader *reader, const struct sator_yaml_node *levels,
        struct sator_arch *arch);
/* Whether so many errors were found that going on would help nobody (and might take long). */
bool sator_yaml_full(const struct sator_yaml_reader *reader);

/* Parse "source" and apply the settings that documents of "kind" take. The root is a map, or NULL.
 */
struct sator_yaml_node *sator_yaml_open(struct sator_yaml_reader *reader,
        const struct sator_source *source, enum sator_document kind);
enum sator_document sator_yaml_guess(const struct sator_yaml_node *root);

/* The keys of a kind of document, and what such a document is called. */
const char *const *sator_yaml_keys(enum sator_document kind, int *n_keys);
const char *sator_yaml_kind_name(enum sator_document kind);
/* The name of a document that gives none: its file's, without folder and ending. */
const char *sator_yaml_base_name(struct sator_arena *arena, const char *path);
/* Report every key of "map" that is not among "keys"; "where" says whose keys these are ("a link").
 */
void sator_yaml_check_keys(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const char *where, const char *const *keys, int n_keys);

/* The value of "key"; NULL when it is not there or null. A key without a value is an error. */
const struct sator_yaml_node *sator_yaml_get(
        struct sator_yaml_reader *reader, const struct sator_yaml_node *map, const char *key);
/* The same for a key that must be there; "where" as above. */
const struct sator_yaml_node *sator_yaml_need(struct sator_yaml_reader *reader,
        const struct sator_yaml_node *map, const char *where, const char *key);

/* All of these report what is wrong and return false. "what" names the value: "the size of 'k'". */
bool sator_yaml_is(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        enum sator_yaml_kind kind, const char *what);
bool sator_yaml_int(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, int64_t least, int64_t most, int64_t *value);
/* A finite number >= 0; > 0 when "positive". */
bool sator_yaml_number(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, bool positive, double *value);
bool sator_yaml_bool(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, bool *value);
/* Text that is not empty, copied to the reader's arena. */
bool sator_yaml_string(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, const char **value);
/* A name that expressions can use: a letter or '_', then letters, digits, '_'; no word of the
 * notation. */
bool sator_yaml_identifier(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, const char **value);
/* One name or a list of them. */
bool sator_yaml_names(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, int *n_names, const char *const **names);

/* Apply the settings that documents of "kind" take to the tree; not a network's "sizes", which are
 * its layers'. */
void sator_yaml_apply(
        struct sator_yaml_reader *reader, struct sator_yaml_node *root, enum sator_document kind);
/* Apply setting number "set" to the tree. */
void sator_yaml_apply_one(struct sator_yaml_reader *reader, struct sator_yaml_node *root, int set);

#endif
