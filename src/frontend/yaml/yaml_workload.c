/* One workload from its map: the einsum form or the isl form (doc/formats.md). */
#include "frontend/yaml/yaml_workload.h"

#include "base/text.h"
#include "frontend/yaml/yaml_activity.h"
#include "frontend/yaml/yaml_runs.h"

#include <string.h>

enum {
    MOST_LOOPS = 32,
    MOST_TENSORS = 256,
    MOST_WORD_BITS = 4096,
    DEFAULT_WORD_BITS = 16
};

static const int64_t most_size = INT64_C(1) << 40;

/* An access while its pieces are collected. */
struct group {
    const char *tensor;
    enum sator_role role;
    int n_index;
    int n_pieces;
    struct sator_piece *pieces;
    struct sator_loc loc;
};

struct lowering {
    struct sator_yaml_reader *reader;
    const struct sator_yaml_node *map;
    struct sator_workload *workload;
    const char *statement; /* the domain's tuple name */
    int errors_before;
    int n_groups;
    struct group *groups;
};

/* ---- accesses ---- */

static void add_piece(struct lowering *l, const char *tensor, enum sator_role role, int n_index,
        const struct sator_piece *piece, struct sator_loc loc)
{
    struct group *group = NULL;

    for (int i = 0; i < l->n_groups; i++) {
        struct group *other = &l->groups[i];
        if (strcmp(other->tensor, tensor) != 0)
            continue;
        if (other->n_index != n_index) {
            sator_error(l->reader->ctx, loc, "%s has %d %s here but %d elsewhere",
                    sator_yaml_clip(l->reader->scratch, tensor), n_index,
                    n_index == 1 ? "index" : "indices", other->n_index);
            return;
        }
        if (other->role == role)
            group = other;
    }
    if (group == NULL) {
        if (l->n_groups == MOST_TENSORS) {
            sator_error(l->reader->ctx, loc, "more than %d tensors", MOST_TENSORS);
            l->reader->full = true;
            return;
        }
        SATOR_PUSH(l->reader->arena, l->groups, l->n_groups,
                (struct group){.tensor = tensor, .role = role, .n_index = n_index, .loc = loc});
        group = &l->groups[l->n_groups - 1];
    }
    SATOR_PUSH(l->reader->arena, group->pieces, group->n_pieces, *piece);
}

static int word_bits_of(struct lowering *l, const struct sator_yaml_node *node, const char *tensor)
{
    int64_t bits = DEFAULT_WORD_BITS;

    if (node != NULL && node->kind == SATOR_YAML_MAP)
        node = sator_yaml_find(node, tensor);
    if (node != NULL)
        sator_yaml_int(l->reader, node,
                sator_arena_printf(l->reader->scratch, "the word size of '%s'",
                        sator_yaml_clip(l->reader->scratch, tensor)),
                1, MOST_WORD_BITS, &bits);
    return (int)bits;
}

static void check_word_bits(struct lowering *l, const struct sator_yaml_node *node)
{
    const char **names = SATOR_NEW_ARRAY(l->reader->scratch, const char *, l->n_groups + 1);

    if (node == NULL || node->kind == SATOR_YAML_SCALAR)
        return;
    if (node->kind == SATOR_YAML_LIST) {
        sator_error(l->reader->ctx, (struct sator_loc){node->loc.source, node->loc.offset, 1},
                "word_bits: a number, or a map such as {A: 8, Y: 32}, is expected, not a list");
        return;
    }
    for (int i = 0; i < l->n_groups; i++)
        names[i] = l->groups[i].tensor;
    for (int i = 0; i < node->n_pairs && l->n_groups > 0 && !sator_yaml_full(l->reader); i++) {
        const struct sator_yaml_node *key = node->pairs[i].key;
        if (sator_lists(key->text, l->n_groups, names))
            continue;
        sator_error(l->reader->ctx, key->loc, "word_bits: the operation has no tensor '%s'",
                sator_yaml_clip(l->reader->scratch, key->text));
        sator_help_names(l->reader->ctx, key->text, names, l->n_groups);
    }
}

static void finish_accesses(struct lowering *l)
{
    struct sator_workload *w = l->workload;
    struct sator_arena *arena = l->reader->arena;
    const struct sator_yaml_node *bits = sator_yaml_get(l->reader, l->map, "word_bits");
    struct sator_access *accesses = NULL;

    check_word_bits(l, bits);
    if (bits != NULL && bits->kind == SATOR_YAML_LIST)
        bits = NULL;
    for (int role = SATOR_READ; role <= SATOR_WRITE; role++) {
        for (int i = 0; i < l->n_groups; i++) {
            const struct group *group = &l->groups[i];
            if (group->role != (enum sator_role)role)
                continue;
            struct sator_relation *relation = SATOR_NEW(arena, struct sator_relation);
            *relation = (struct sator_relation){.in_name = l->statement,
                    .out_name = group->tensor,
                    .n_in = w->n_loops,
                    .n_out = group->n_index,
                    .n_pieces = group->n_pieces,
                    .pieces = group->pieces,
                    .loc = group->loc};
            SATOR_PUSH(arena, accesses, w->n_accesses,
                    (struct sator_access){.tensor = group->tensor,
                            .role = group->role,
                            .word_bits = word_bits_of(l, bits, group->tensor),
                            .relation = relation});
        }
    }
    sator_yaml_densities(
            l->reader, sator_yaml_get(l->reader, l->map, "density"), w->n_accesses, accesses);
    w->accesses = accesses;
    if (w->domain != NULL && l->reader->ctx->n_errors == l->errors_before &&
            (w->n_accesses == 0 || accesses[w->n_accesses - 1].role != SATOR_WRITE))
        sator_error(l->reader->ctx, w->loc, "the operation writes no tensor");
}

/* ---- the einsum form ---- */

static bool read_sizes(struct lowering *l, const struct sator_yaml_node *sizes)
{
    struct sator_yaml_reader *reader = l->reader;
    struct sator_workload *w = l->workload;
    bool valid = true;

    if (sizes == NULL || !sator_yaml_is(reader, sizes, SATOR_YAML_MAP, "sizes"))
        return false;
    if (sizes->n_pairs == 0 || sizes->n_pairs > MOST_LOOPS) {
        sator_error(reader->ctx, (struct sator_loc){sizes->loc.source, sizes->loc.offset, 1},
                "%d loops: there must be between 1 and %d", sizes->n_pairs, MOST_LOOPS);
        return false;
    }
    const char **names = SATOR_NEW_ARRAY(reader->arena, const char *, sizes->n_pairs);
    int64_t *lower = SATOR_NEW_ARRAY(reader->arena, int64_t, sizes->n_pairs);
    int64_t *upper = SATOR_NEW_ARRAY(reader->arena, int64_t, sizes->n_pairs);
    for (int i = 0; i < sizes->n_pairs; i++) {
        const struct sator_yaml_pair *pair = &sizes->pairs[i];
        const char *what = sator_arena_printf(reader->scratch, "the size of '%s'",
                sator_yaml_clip(reader->scratch, pair->key->text));
        valid &= sator_yaml_identifier(reader, pair->key, "a loop's name", &names[i]);
        upper[i] = 1;
        valid &= sator_yaml_int(reader, pair->value, what, 1, most_size, &upper[i]);
        if (names[i] == NULL)
            names[i] = sator_arena_strdup(reader->arena, "?");
    }
    w->n_loops = sizes->n_pairs;
    w->loop_names = names;
    w->lower = lower;
    w->upper = upper;
    return valid;
}

static void read_op(struct lowering *l, const struct sator_yaml_node *op)
{
    struct sator_workload *w = l->workload;
    struct sator_yaml_reader *reader = l->reader;
    struct sator_einsum_access *accesses;
    int n_accesses;

    if (op == NULL || !sator_yaml_is(reader, op, SATOR_YAML_SCALAR, "op"))
        return;
    if (sator_einsum_read(reader->ctx, reader->arena, op->text_loc, w->n_loops, w->loop_names,
                &n_accesses, &accesses) != SATOR_OK)
        return;
    for (int i = 0; i < n_accesses && !sator_yaml_full(reader); i++) {
        const struct sator_einsum_access *a = &accesses[i];
        const struct sator_relation *relation = sator_relation_make(reader->arena, l->statement,
                w->n_loops, w->loop_names, a->tensor, a->n_index, a->index, NULL);
        struct sator_piece piece = relation->pieces[0];
        piece.loc = a->loc;
        add_piece(l, a->tensor, a->is_write ? SATOR_WRITE : SATOR_READ, a->n_index, &piece, a->loc);
    }
}

/* Sizes that a setting changes may make a condition hold that the file's do not. */
static void warn_of_vain_condition(
        struct lowering *l, const struct sator_yaml_node *where, const struct sator_cond *cond)
{
    const struct sator_workload *w = l->workload;
    const struct sator_yaml_node *sizes = sator_yaml_find(l->map, "sizes");
    const struct sator_settings *settings = l->reader->settings;
    int64_t *last = SATOR_NEW_ARRAY(l->reader->arena, int64_t, w->n_loops);
    bool is_set = settings != NULL && settings->is_rewritten;

    for (int i = 0; i < w->n_loops; i++) {
        last[i] = w->upper[i] - 1;
        is_set |= sizes->pairs[i].value->loc.source != where->loc.source;
    }
    if (!is_set && sator_cond_holds_within(cond, w->lower, last))
        sator_warn(l->reader->ctx, where->loc,
                "'where' has no effect: all of the box that 'sizes' says fulfils it");
}

static void restrict_domain(struct lowering *l, const struct sator_yaml_node *where)
{
    struct sator_workload *w = l->workload;
    struct sator_arena *arena = l->reader->arena;
    const struct sator_cond *cond;

    if (where == NULL || !sator_yaml_is(l->reader, where, SATOR_YAML_SCALAR, "where"))
        return;
    if (sator_cond_read(l->reader->ctx, arena, where->text_loc, w->n_loops, w->loop_names, &cond) !=
            SATOR_OK)
        return;
    warn_of_vain_condition(l, where, cond);
    const struct sator_cond *kids[] = {w->domain->pieces[0].cond, cond};
    const struct sator_cond *both = sator_cond_and(arena, 2, kids);
    struct sator_relation *domain = SATOR_NEW(arena, struct sator_relation);
    *domain = *sator_relation_make(
            arena, l->statement, w->n_loops, w->loop_names, NULL, 0, NULL, both);
    domain->loc = where->loc;
    w->domain = domain;
}

/* Whether an index of some tensor has loop "loop". */
static bool indexes(const struct lowering *l, int loop)
{
    for (int g = 0; g < l->n_groups; g++) {
        const struct group *group = &l->groups[g];
        for (int i = 0; i < group->n_pieces * group->n_index; i++) {
            if (sator_expr_has_var(group->pieces[i / group->n_index].out[i % group->n_index], loop))
                return true;
        }
    }
    return false;
}

/* Whether some tensor is read and written: a loop that no index has may then be one over time. */
static bool is_in_place(const struct lowering *l)
{
    for (int a = 0; a < l->n_groups; a++) {
        for (int b = 0; b < l->n_groups; b++) {
            if (l->groups[a].role != l->groups[b].role &&
                    strcmp(l->groups[a].tensor, l->groups[b].tensor) == 0)
                return true;
        }
    }
    return false;
}

/* A loop that no index has is legal, and more often a name that was written wrong. */
static void warn_of_repeats(struct lowering *l)
{
    const struct sator_yaml_node *sizes = sator_yaml_find(l->map, "sizes");
    const struct sator_settings *settings = l->reader->settings;

    if (sator_yaml_failed(l->reader) || is_in_place(l) ||
            (settings != NULL && settings->is_rewritten))
        return; /* a loop over time in a C file is what that file says */
    for (int i = 0; i < l->workload->n_loops; i++) {
        if (indexes(l, i))
            continue;
        sator_warn(l->reader->ctx, sizes->pairs[i].key->loc,
                "no tensor is indexed by loop '%s': its iterations repeat the same work",
                l->workload->loop_names[i]);
    }
}

static void lower_einsum(struct lowering *l)
{
    struct sator_workload *w = l->workload;
    struct sator_yaml_reader *reader = l->reader;
    const struct sator_yaml_node *sizes = sator_yaml_need(reader, l->map, "a workload", "sizes");
    const struct sator_yaml_node *op = sator_yaml_need(reader, l->map, "a workload", "op");

    l->statement = "S";
    bool valid = read_sizes(l, sizes);
    if (w->n_loops == 0)
        return; /* every name in the op would be unknown */
    read_op(l, op);
    if (valid)
        w->domain = sator_set_box(
                reader->arena, l->statement, w->n_loops, w->loop_names, w->lower, w->upper);
    if (w->domain != NULL)
        restrict_domain(l, sator_yaml_get(reader, l->map, "where"));
    warn_of_repeats(l);
}

/* ---- the isl form ---- */

static void lower_domain(struct lowering *l, const struct sator_yaml_node *node)
{
    struct sator_workload *w = l->workload;
    struct sator_ctx *ctx = l->reader->ctx;
    const struct sator_relation *domain;

    if (node == NULL || !sator_yaml_is(l->reader, node, SATOR_YAML_SCALAR, "domain"))
        return;
    if (sator_relation_read(ctx, l->reader->arena, node->text_loc, &domain) != SATOR_OK)
        return;
    if (!domain->is_set) {
        sator_error(ctx, node->loc,
                "domain: a set such as { S[i] : 0 <= i < 4 } is expected, not "
                "a relation");
        return;
    }
    if (domain->n_in == 0 || domain->n_in > MOST_LOOPS) {
        sator_error(ctx, node->loc, "%d loops: there must be between 1 and %d", domain->n_in,
                MOST_LOOPS);
        return;
    }
    w->n_loops = domain->n_in;
    w->loop_names = domain->pieces[0].names;
    w->domain = domain;
    l->statement = domain->in_name;
}

static bool same_name(const char *a, const char *b)
{
    return strcmp(a == NULL ? "" : a, b == NULL ? "" : b) == 0;
}

static void lower_access(
        struct lowering *l, const struct sator_yaml_node *node, enum sator_role role)
{
    struct sator_ctx *ctx = l->reader->ctx;
    const struct sator_relation *relation;

    if (!sator_yaml_is(l->reader, node, SATOR_YAML_SCALAR, role == SATOR_READ ? "reads" : "writes"))
        return;
    if (sator_relation_read(ctx, l->reader->arena, node->text_loc, &relation) != SATOR_OK)
        return;
    if (relation->is_set || same_name(relation->out_name, NULL)) {
        sator_error(ctx, node->loc, "a relation such as { S[i] -> A[i] } is expected");
        return;
    }
    if (l->workload->n_loops == 0)
        return; /* the domain is at fault, and says so */
    if (!same_name(relation->in_name, l->statement) || relation->n_in != l->workload->n_loops) {
        sator_error(ctx, node->loc,
                "the relation starts from %s with %d %s; the domain is %s with %d",
                relation->in_name == NULL ? "a tuple" : relation->in_name, relation->n_in,
                relation->n_in == 1 ? "dimension" : "dimensions",
                l->statement == NULL ? "a tuple" : l->statement, l->workload->n_loops);
        return;
    }
    for (int i = 0; i < relation->n_pieces; i++)
        add_piece(l, relation->out_name, role, relation->n_out, &relation->pieces[i], node->loc);
}

static void lower_accesses(struct lowering *l, const char *key, enum sator_role role)
{
    const struct sator_yaml_node *node = sator_yaml_need(l->reader, l->map, "a workload", key);

    if (node == NULL)
        return;
    if (node->kind != SATOR_YAML_LIST) {
        lower_access(l, node, role);
        return;
    }
    for (int i = 0; i < node->n_items && !sator_yaml_full(l->reader); i++)
        lower_access(l, node->items[i], role);
}

static void lower_isl(struct lowering *l)
{
    static const char *const others[] = {"sizes", "op", "where"};

    for (int i = 0; i < SATOR_YAML_COUNT(others); i++) {
        const struct sator_yaml_node *other = sator_yaml_get(l->reader, l->map, others[i]);
        if (other == NULL)
            continue;
        sator_error(l->reader->ctx, (struct sator_loc){other->loc.source, other->loc.offset, 1},
                "'%s' cannot be given together with 'domain'", others[i]);
        sator_help(l->reader->ctx, "a workload has sizes and an op, or domain, reads and writes");
    }
    lower_domain(l, sator_yaml_need(l->reader, l->map, "a workload", "domain"));
    lower_accesses(l, "reads", SATOR_READ);
    lower_accesses(l, "writes", SATOR_WRITE);
}

/* ---- both ---- */

/* The bounds, unless the work limit or a cancel comes between: then the reading as a whole ends so.
 */
static void find_bounds(struct lowering *l)
{
    enum sator_status st =
            sator_workload_find_bounds(l->reader->ctx, l->reader->arena, l->workload);

    if (st != SATOR_OK && st != SATOR_INPUT)
        l->reader->stopped = st;
}

bool sator_yaml_lower_workload(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const char *default_name, struct sator_workload *workload)
{
    struct lowering l = {.reader = reader,
            .map = map,
            .workload = workload,
            .errors_before = reader->ctx->n_errors};
    const struct sator_yaml_node *node;
    int64_t repeat = 1;

    *workload = (struct sator_workload){.name = default_name, .loc = map->loc};
    workload->loc.length = 1;
    if ((node = sator_yaml_get(reader, map, "name")) != NULL)
        sator_yaml_string(reader, node, "name", &workload->name);
    if ((node = sator_yaml_get(reader, map, "repeat")) != NULL)
        sator_yaml_int(reader, node, "repeat", 1, 1000000000, &repeat);
    workload->repeat = (int)repeat;
    bool isl = sator_yaml_find(map, "domain") != NULL || sator_yaml_find(map, "reads") != NULL ||
            sator_yaml_find(map, "writes") != NULL;
    if (isl)
        lower_isl(&l);
    else
        lower_einsum(&l);
    finish_accesses(&l);
    sator_yaml_lower_runs(reader, map, workload);
    if (workload->domain != NULL && reader->ctx->n_errors == l.errors_before)
        find_bounds(&l);
    return reader->ctx->n_errors == l.errors_before;
}
