/* A YAML document as a tree in which every node knows its place in the source.
 *
 * Scalars stay text: whether "y" is a loop or a truth value is the lowering's to say. What the
 * format allows but no input of ours needs (anchors, aliases, tags, several documents, maps as
 * keys) is a located error, so a tree is never larger than its text and never cyclic. Depth and
 * size are bounded.
 */
#ifndef SATOR_FRONTEND_YAML_TREE_H
#define SATOR_FRONTEND_YAML_TREE_H

#include "base/context.h"

enum sator_yaml_kind {
    SATOR_YAML_SCALAR,
    SATOR_YAML_LIST,
    SATOR_YAML_MAP
};

struct sator_yaml_pair {
    struct sator_yaml_node *key; /* a scalar */
    struct sator_yaml_node *value;
    bool is_merged; /* from "<<", so a key of the map itself takes its place */
};

struct sator_yaml_node {
    enum sator_yaml_kind kind;
    struct sator_loc loc; /* all of the node, quotes included */
    bool quoted; /* scalar: in quotes or a block */
    const char *tag; /* "!Component", of a document of another tool; else NULL */
    const char *text; /* scalar: the decoded text */
    struct sator_loc
            text_loc; /* scalar: where the text can be read; in the file itself when it stands there
                         as it is but for white space, else in a source made of the decoded text */
    int n_items;
    struct sator_yaml_node **items; /* list */
    int n_pairs;
    struct sator_yaml_pair *pairs; /* map, in the order of the text; no key twice */
};

/* Parse the only document in the "length" bytes of "source" from "offset" on. Nodes live in
 * "arena". After an error in a document that could be read to its end "*root" is still set, so that
 * the caller can go on to find more errors; otherwise it is NULL then. */
enum sator_status sator_yaml_parse(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_source *source, size_t offset, size_t length,
        struct sator_yaml_node **root);

/* The same for a document of another tool, which may have what ours may not: tags are kept, an
 * alias is the node that it names (the tree's nodes, counted as often as they are met, are
 * bounded), "<<" merges a map, and of a key that is given twice the last counts, with a warning. */
enum sator_status sator_yaml_parse_foreign(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_source *source, struct sator_yaml_node **root);

/* The value of "key" in a map, or NULL. */
struct sator_yaml_node *sator_yaml_find(const struct sator_yaml_node *map, const char *key);

/* "text" cut and cleaned so that it can be quoted in a message. */
const char *sator_yaml_clip(struct sator_arena *arena, const char *text);

#endif
