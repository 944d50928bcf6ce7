/* Builders: calls become a document in Sator's notation, which the reader of files reads. There is
 * one place that checks an input, and one that messages point into.
 *
 * A document is written in parts, which the calls fill in any order and the end joins: lines at the
 * top, and for each kind what its lists hold.
 */
#include "sator/build.h"
#include "sator/input.h"

#include "base/arguments.h"
#include "base/text.h"
#include "frontend/frontend.h"
#include "relation/workload.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DIMS = 64 /* of a stamp */
};

struct sator_builder {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const char *kind, *name;
    enum sator_status status; /* of the first call that was wrong */
    int n_sets;
    const char **sets;
    /* workload */
    int n_loops;
    const char **loops;
    struct sator_text domain, reads, writes, word_bits, density;
    /* network */
    int n_layers;
    struct sator_workload *layers;
    /* architecture */
    struct sator_text levels, links, gates, skips;
    const char *level_kind; /* of the level that was added last */
    int n_dims; /* of the array that is open */
    const char *topology;
    bool in_array;
    /* dataflow */
    struct sator_text stamps[2][MOST_DIMS];
    int n_stamp_dims[2];
    struct sator_text nest, tiles, parallel, bypass;
    const char *level; /* the nest's entry that is open */
};

static struct sator_builder *begin(struct sator_ctx *ctx, const char *kind, const char *name)
{
    if (ctx == NULL)
        return NULL;
    SATOR_CALL(ctx, return NULL)
    struct sator_arena *arena = sator_arena_new();
    struct sator_builder *b = SATOR_NEW(arena, struct sator_builder);

    b->ctx = ctx;
    b->arena = arena;
    b->kind = kind;
    b->name = sator_arena_strdup(arena, name == NULL ? "" : name);
    if (name == NULL)
        b->status = sator_misuse(ctx, "the name of the %s is NULL", kind);
    return b;
}

/* A builder that memory ran out for takes nothing more. */
#define BUILDER_CALL(b, leave)                                                                     \
    SATOR_CALL((b) == NULL ? NULL : (b)->ctx, (b)->status = SATOR_NOMEM; leave)

void sator_builder_free(struct sator_builder *b)
{
    if (b == NULL)
        return;
    struct sator_text *texts[] = {&b->domain, &b->reads, &b->writes, &b->word_bits, &b->density,
            &b->levels, &b->links, &b->gates, &b->skips, &b->nest, &b->tiles, &b->parallel,
            &b->bypass};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        sator_text_clear(texts[i]);
    for (int s = 0; s < 2; s++) {
        for (int d = 0; d < MOST_DIMS; d++)
            sator_text_clear(&b->stamps[s][d]);
    }
    sator_arena_free(b->arena);
}

/* Whether a call goes on: it is one for this kind of builder, which nothing was wrong with yet, and
 * "given" says that its arguments are there. */
static bool enter(struct sator_builder *b, const char *function, const char *kind, bool given)
{
    if (b == NULL || b->status != SATOR_OK)
        return false;
    if (kind != NULL && strcmp(b->kind, kind) != 0)
        b->status = sator_misuse(b->ctx, "%s is called for a builder of a%s %s", function,
                *b->kind == 'a' ? "n" : "", b->kind);
    else if (!given)
        b->status = sator_misuse(b->ctx, "%s is called with NULL", function);
    return b->status == SATOR_OK;
}

void sator_build_set(struct sator_builder *b, const char *path, const char *value)
{
    BUILDER_CALL(b, return )
    if (enter(b, __func__, NULL, path != NULL && value != NULL))
        SATOR_PUSH(
                b->arena, b->sets, b->n_sets, sator_arena_printf(b->arena, "%s=%s", path, value));
}

/* What the end of every kind has in common: the document, whose text is "rest" (cleared) after its
 * name, is read by "parse" as that of the builder, which is freed. */
#define END(b, rest, parse, result)                                                                \
    do {                                                                                           \
        const char *const *sets_ = (b)->sets;                                                      \
        struct sator_input_options options_ = {                                                    \
                .size = sizeof options_, .sets = sets_, .n_sets = (b)->n_sets};                    \
        struct sator_text text_ = {0};                                                             \
        sator_text_add(&text_, "name: ");                                                          \
        sator_text_add_json(&text_, (b)->name);                                                    \
        sator_text_add(&text_, "\n%s", (rest)->data == NULL ? "" : (rest)->data);                  \
        const char *path_ = sator_arena_printf((b)->arena, "<%s %s>", (b)->kind, (b)->name);       \
        st = parse((b)->ctx, path_, text_.data, &options_, result);                                \
        sator_text_clear(&text_);                                                                  \
    } while (0)

static const char *data_of(const struct sator_text *text)
{
    return text->data == NULL ? "" : text->data;
}

/* ---- workloads ---- */

static const char workload[] = "workload";

struct sator_builder *sator_workload_begin(struct sator_ctx *ctx, const char *name)
{
    return begin(ctx, workload, name);
}

void sator_workload_loop(struct sator_builder *b, const char *name, int64_t extent)
{
    BUILDER_CALL(b, return )
    if (!enter(b, __func__, workload, name != NULL))
        return;
    if (b->reads.length + b->writes.length > 0) {
        b->status = sator_misuse(b->ctx, "loop '%s' comes after an access: loops come first", name);
        return;
    }
    SATOR_PUSH(b->arena, b->loops, b->n_loops, sator_arena_strdup(b->arena, name));
    sator_text_add(&b->domain, "%s0 <= %s < %lld", b->n_loops == 1 ? "" : " and ", name,
            (long long)extent);
}

/* "2*i + k - 1" */
static void add_row(struct sator_text *text, const struct sator_builder *b, const int64_t *row)
{
    for (int l = 0; l < b->n_loops; l++) {
        if (row[l] != 0)
            sator_text_add(text, "%lld*%s + ", (long long)row[l], b->loops[l]);
    }
    sator_text_add(text, "%lld", (long long)row[b->n_loops]);
}

/* "S[i, j, k]" */
static void add_instance(struct sator_text *text, const struct sator_builder *b)
{
    sator_text_add(text, "S[");
    for (int l = 0; l < b->n_loops; l++)
        sator_text_add(text, "%s%s", l == 0 ? "" : ", ", b->loops[l]);
    sator_text_add(text, "]");
}

void sator_workload_access(struct sator_builder *b, enum sator_role role, const char *tensor,
        int n_dims, const int64_t *rows)
{
    BUILDER_CALL(b, return )
    struct sator_text relation = {0};

    if (!enter(b, __func__, workload, tensor != NULL && (rows != NULL || n_dims == 0)))
        return;
    if (n_dims < 0 || (role != SATOR_READ && role != SATOR_WRITE)) {
        b->status = sator_misuse(b->ctx,
                "the access of '%s' has %d dimensions and the role %d: at least 0 are expected, "
                "and "
                "0 or 1",
                tensor, n_dims, (int)role);
        return;
    }
    struct sator_text *list = role == SATOR_READ ? &b->reads : &b->writes;
    sator_text_add(&relation, "{ ");
    add_instance(&relation, b);
    sator_text_add(&relation, " -> %s[", tensor);
    for (int d = 0; d < n_dims; d++) {
        sator_text_add(&relation, "%s", d == 0 ? "" : ", ");
        add_row(&relation, b, &rows[d * (b->n_loops + 1)]);
    }
    sator_text_add(&relation, "] }");
    sator_text_add(list, "  - ");
    sator_text_add_json(list, relation.data);
    sator_text_add(list, "\n");
    sator_text_clear(&relation);
}

void sator_workload_condition(struct sator_builder *b, const int64_t *row)
{
    BUILDER_CALL(b, return )
    if (!enter(b, __func__, workload, row != NULL))
        return;
    sator_text_add(&b->domain, "%s", b->domain.length == 0 ? "" : " and ");
    add_row(&b->domain, b, row);
    sator_text_add(&b->domain, " >= 0");
}

void sator_workload_word_bits(struct sator_builder *b, const char *tensor, int bits)
{
    BUILDER_CALL(b, return )
    if (!enter(b, __func__, workload, tensor != NULL))
        return;
    sator_text_add(&b->word_bits, "  ");
    sator_text_add_json(&b->word_bits, tensor);
    sator_text_add(&b->word_bits, ": %d\n", bits);
}

void sator_workload_density(struct sator_builder *b, const char *tensor, double density)
{
    BUILDER_CALL(b, return )
    if (!enter(b, __func__, workload, tensor != NULL))
        return;
    if (!(density >= 0 && density <= 1)) {
        b->status = sator_misuse(b->ctx,
                "the density of '%s' is %g: a share of its elements is from 0 to 1", tensor,
                density);
        return;
    }
    sator_text_add(&b->density, "  ");
    sator_text_add_json(&b->density, tensor);
    sator_text_add(&b->density, ": %.17g\n", density);
}

enum sator_status sator_workload_end(struct sator_builder *b, struct sator_network **network)
{
    BUILDER_CALL(b, return SATOR_NOMEM)
    struct sator_text rest = {0}, domain = {0};
    enum sator_status st;

    if (enter(b, __func__, workload, network != NULL)) {
        sator_text_add(&domain, "{ ");
        add_instance(&domain, b);
        sator_text_add(&domain, " : %s }", data_of(&b->domain));
        sator_text_add(&rest, "domain: ");
        sator_text_add_json(&rest, domain.data);
        sator_text_add(&rest, "\n");
        if (b->reads.length > 0)
            sator_text_add(&rest, "reads:\n%s", b->reads.data);
        if (b->writes.length > 0)
            sator_text_add(&rest, "writes:\n%s", b->writes.data);
        if (b->word_bits.length > 0)
            sator_text_add(&rest, "word_bits:\n%s", b->word_bits.data);
        if (b->density.length > 0)
            sator_text_add(&rest, "density:\n%s", b->density.data);
        END(b, &rest, sator_network_parse, network);
    } else {
        st = b == NULL ? SATOR_USAGE : b->status;
    }
    sator_text_clear(&domain);
    sator_text_clear(&rest);
    sator_builder_free(b);
    return st;
}

/* ---- networks ---- */

static const char network_kind[] = "network";

struct sator_builder *sator_network_begin(struct sator_ctx *ctx, const char *name)
{
    return begin(ctx, network_kind, name);
}

void sator_network_layer(struct sator_builder *b, const char *name,
        const struct sator_network *network, int layer, int repeat)
{
    BUILDER_CALL(b, return )
    if (!enter(b, __func__, network_kind, name != NULL && network != NULL))
        return;
    if (layer < 0 || layer >= network->n_layers || repeat < 1) {
        b->status = sator_misuse(b->ctx,
                "layer %d of '%s', which has %d, is to be run %d times: layers count from 0, and "
                "run once at least",
                layer, network->name, network->n_layers, repeat);
        return;
    }
    struct sator_workload added = network->layers[layer];
    added.name = sator_arena_strdup(b->arena, name);
    added.repeat = repeat;
    SATOR_PUSH(b->arena, b->layers, b->n_layers, added);
}

enum sator_status sator_network_end(struct sator_builder *b, struct sator_network **network)
{
    BUILDER_CALL(b, return SATOR_NOMEM)
    struct sator_text text = {0};
    enum sator_status st;

    if (enter(b, __func__, network_kind, network != NULL) && b->n_layers == 0)
        b->status = sator_misuse(b->ctx, "network '%s' has no layers", b->name);
    if (b != NULL && b->status == SATOR_OK) {
        struct sator_network made = {.name = b->name, .n_layers = b->n_layers, .layers = b->layers};
        struct sator_input_options options = {
                .size = sizeof options, .sets = b->sets, .n_sets = b->n_sets};
        sator_yaml_write_network(&text, &made);
        st = sator_network_parse(b->ctx, sator_arena_printf(b->arena, "<network %s>", b->name),
                text.data, &options, network);
    } else {
        st = b == NULL ? SATOR_USAGE : b->status;
    }
    sator_text_clear(&text);
    sator_builder_free(b);
    return st;
}

/* ---- architectures ---- */

static const char architecture[] = "architecture";

struct sator_builder *sator_arch_begin(struct sator_ctx *ctx, const char *name)
{
    return begin(ctx, architecture, name);
}

/* Write what is left of the level that is open. */
static void close_level(struct sator_builder *b)
{
    if (b->topology != NULL) {
        sator_text_add(&b->levels, "    topology: ");
        sator_text_add_json(&b->levels, b->topology);
        sator_text_add(&b->levels, "\n");
    }
    if (b->links.length > 0)
        sator_text_add(&b->levels, "    links:\n%s", b->links.data);
    if (b->gates.length > 0)
        sator_text_add(&b->levels, "    gating:\n%s", b->gates.data);
    if (b->skips.length > 0)
        sator_text_add(&b->levels, "    skipping:\n%s", b->skips.data);
    sator_text_clear(&b->links);
    sator_text_clear(&b->gates);
    sator_text_clear(&b->skips);
    b->topology = NULL;
    b->in_array = false;
}

static void open_level(struct sator_builder *b, const char *kind, const char *name)
{
    close_level(b);
    b->level_kind = kind;
    sator_text_add(&b->levels, "  - %s: ", kind);
    sator_text_add_json(&b->levels, name);
    sator_text_add(&b->levels, "\n");
}

/* A figure of the level that is open; 0 is none. */
static void add_figure(struct sator_builder *b, const char *path, double value)
{
    if (value == 0)
        return;
    if (!(value > 0) || isinf(value))
        b->status = sator_misuse(b->ctx,
                "%s is %g: a figure is a finite number above 0, or 0 for none", path, value);
    sator_text_add(&b->levels, "    %s: %.17g\n", path, value);
}

/* The two directions of a figure. */
static void add_both(struct sator_builder *b, const char *path, double read, double write)
{
    if (read == 0 && write == 0)
        return;
    sator_text_add(&b->levels, "    %s:\n", path);
    add_figure(b, "  read", read);
    add_figure(b, "  write", write);
}

void sator_arch_memory(
        struct sator_builder *b, const char *name, const struct sator_memory_fields *fields)
{
    BUILDER_CALL(b, return )
    struct sator_memory_fields own;

    if (!enter(b, __func__, architecture, name != NULL))
        return;
    b->status = sator_take_options(b->ctx, fields, &own, sizeof own, sizeof own);
    if (b->status != SATOR_OK)
        return;
    open_level(b, "memory", name);
    add_figure(b, "capacity_bytes", own.capacity_bytes);
    add_figure(b, "capacity_words", own.capacity_words);
    add_both(b, "bandwidth_bits", own.read_bits, own.write_bits);
    add_both(b, "energy_pj", own.read_pj, own.write_pj);
    add_figure(b, "leakage_pj", own.leakage_pj);
    add_figure(b, "area_um2", own.area_um2);
    if (own.double_buffered)
        sator_text_add(&b->levels, "    double_buffered: true\n");
}

void sator_arch_array(struct sator_builder *b, const char *name, int n_dims, const int64_t *shape)
{
    BUILDER_CALL(b, return )
    if (!enter(b, __func__, architecture, name != NULL && shape != NULL))
        return;
    open_level(b, "array", name);
    b->in_array = true;
    b->n_dims = n_dims;
    sator_text_add(&b->levels, "    shape: [");
    for (int d = 0; d < n_dims; d++)
        sator_text_add(&b->levels, "%s%lld", d == 0 ? "" : ", ", (long long)shape[d]);
    sator_text_add(&b->levels, "]\n");
}

/* Whether there is an array to add "what" to. */
static bool has_array(struct sator_builder *b, const char *what)
{
    if (!b->in_array)
        b->status = sator_misuse(b->ctx, "'%s' comes before an array that it could be in", what);
    return b->in_array;
}

void sator_arch_link(
        struct sator_builder *b, const char *name, const int64_t *offset, int interval, double pj)
{
    BUILDER_CALL(b, return )
    struct sator_text *links = b == NULL ? NULL : &b->links;

    if (!enter(b, __func__, architecture, name != NULL && offset != NULL) || !has_array(b, name))
        return;
    sator_text_add(links, "      - name: ");
    sator_text_add_json(links, name);
    sator_text_add(links, "\n        map: \"PE[");
    for (int d = 0; d < b->n_dims; d++)
        sator_text_add(links, "%sp%d", d == 0 ? "" : ", ", d);
    sator_text_add(links, "] -> PE[");
    for (int d = 0; d < b->n_dims; d++)
        sator_text_add(links, "%sp%d + %lld", d == 0 ? "" : ", ", d, (long long)offset[d]);
    sator_text_add(links, "]\"\n        interval: %d\n", interval);
    if (!(pj >= 0) || isinf(pj))
        b->status = sator_misuse(
                b->ctx, "link '%s' takes %g pJ: a figure is finite and not negative", name, pj);
    else if (pj > 0)
        sator_text_add(links, "        energy_pj: %.17g\n", pj);
}

void sator_arch_topology(struct sator_builder *b, const char *topology)
{
    BUILDER_CALL(b, return )
    if (enter(b, __func__, architecture, topology != NULL) && has_array(b, topology))
        b->topology = sator_arena_strdup(b->arena, topology);
}

void sator_arch_compute(struct sator_builder *b, const char *name, double pj, double cycles)
{
    BUILDER_CALL(b, return )
    if (!enter(b, __func__, architecture, name != NULL))
        return;
    open_level(b, "compute", name);
    add_figure(b, "energy_pj", pj);
    add_figure(b, "cycles", cycles);
}

/* Whether the level that was added last is of this kind, as "what" has to be said of one. */
static bool is_after(struct sator_builder *b, const char *kind, const char *what)
{
    if (b->level_kind != NULL && strcmp(b->level_kind, kind) == 0)
        return true;
    b->status = sator_misuse(b->ctx, "%s comes after the %s that it is of", what,
            strcmp(kind, "compute") == 0 ? "compute level" : "memory");
    return false;
}

static void add_zeros(
        struct sator_builder *b, struct sator_text *text, int n_zeros, const char *const *zeros)
{
    for (int i = 0; i < n_zeros; i++) {
        if (zeros[i] == NULL)
            b->status = sator_misuse(b->ctx, "a tensor whose zeros gate is NULL");
        sator_text_add(text, "        - ");
        sator_text_add_json(text, zeros[i] == NULL ? "" : zeros[i]);
        sator_text_add(text, "\n");
    }
}

void sator_arch_gate(
        struct sator_builder *b, const char *tensor, int n_zeros, const char *const *zeros)
{
    BUILDER_CALL(b, return )
    if (!enter(b, __func__, architecture, n_zeros > 0 && zeros != NULL) ||
            !is_after(b, tensor == NULL ? "compute" : "memory",
                    tensor == NULL ? "a gate of loop instances" : "a gate of a tensor"))
        return;
    if (tensor != NULL) {
        sator_text_add(&b->gates, "      ");
        sator_text_add_json(&b->gates, tensor);
        sator_text_add(&b->gates, ":\n");
    }
    add_zeros(b, &b->gates, n_zeros, zeros);
}

void sator_arch_skip(struct sator_builder *b, int n_zeros, const char *const *zeros)
{
    BUILDER_CALL(b, return )
    if (enter(b, __func__, architecture, n_zeros > 0 && zeros != NULL) &&
            is_after(b, "compute", "what is skipped"))
        add_zeros(b, &b->skips, n_zeros, zeros);
}

void sator_arch_hold_idle(struct sator_builder *b)
{
    BUILDER_CALL(b, return )
    if (enter(b, __func__, architecture, true) && is_after(b, "memory", "what idles and holds"))
        sator_text_add(&b->levels, "    holds: idle\n");
}

enum sator_status sator_arch_end(struct sator_builder *b, struct sator_arch **arch)
{
    BUILDER_CALL(b, return SATOR_NOMEM)
    struct sator_text rest = {0};
    enum sator_status st;

    if (enter(b, __func__, architecture, arch != NULL)) {
        close_level(b);
        sator_text_add(
                &rest, "levels:%s%s", b->levels.length == 0 ? " []" : "\n", data_of(&b->levels));
        END(b, &rest, sator_arch_parse, arch);
    } else {
        st = b == NULL ? SATOR_USAGE : b->status;
    }
    sator_text_clear(&rest);
    sator_builder_free(b);
    return st;
}

/* ---- dataflows ---- */

static const char dataflow_kind[] = "dataflow";

struct sator_builder *sator_dataflow_begin(struct sator_ctx *ctx, const char *name)
{
    return begin(ctx, dataflow_kind, name);
}

void sator_dataflow_digit(struct sator_builder *b, enum sator_stamp stamp, int dim,
        int64_t coefficient, const char *loop, int64_t divisor, int64_t modulus)
{
    BUILDER_CALL(b, return )
    if (!enter(b, __func__, dataflow_kind, loop != NULL))
        return;
    if ((stamp != SATOR_SPACE_STAMP && stamp != SATOR_TIME_STAMP) || dim < 0 || dim >= MOST_DIMS ||
            divisor < 1 || modulus < 0) {
        b->status = sator_misuse(b->ctx,
                "a digit of '%s' at stamp %d, dimension %d, by %lld modulo %lld: stamps are 0 and "
                "1, dimensions 0 to %d, a divisor is above 0, a modulus not below",
                loop, (int)stamp, dim, (long long)divisor, (long long)modulus, MOST_DIMS - 1);
        return;
    }
    struct sator_text *sum = &b->stamps[stamp][dim];
    if (dim >= b->n_stamp_dims[stamp])
        b->n_stamp_dims[stamp] = dim + 1;
    sator_text_add(sum, "%s%lld*(floor(%s/%lld)", sum->length == 0 ? "" : " + ",
            (long long)coefficient, loop, (long long)divisor);
    if (modulus > 0)
        sator_text_add(sum, " %% %lld", (long long)modulus);
    sator_text_add(sum, ")");
}

/* Write the nest's entry that is open. */
static void close_entry(struct sator_builder *b)
{
    if (b->level == NULL)
        return;
    sator_text_add(&b->nest, "  - at: ");
    sator_text_add_json(&b->nest, b->level);
    sator_text_add(&b->nest, "\n");
    if (b->bypass.length > 0)
        sator_text_add(&b->nest, "    bypass: [%s]\n", b->bypass.data);
    if (b->tiles.length > 0)
        sator_text_add(&b->nest, "    for: [%s]\n", b->tiles.data);
    if (b->parallel.length > 0)
        sator_text_add(&b->nest, "    parallel: [%s]\n", b->parallel.data);
    sator_text_clear(&b->bypass);
    sator_text_clear(&b->tiles);
    sator_text_clear(&b->parallel);
}

void sator_dataflow_level(struct sator_builder *b, const char *level)
{
    BUILDER_CALL(b, return )
    if (!enter(b, __func__, dataflow_kind, level != NULL))
        return;
    close_entry(b);
    b->level = sator_arena_strdup(b->arena, level);
}

/* One more of a list of the entry that is open. */
static void add_to_entry(struct sator_builder *b, struct sator_text *list, const char *item)
{
    if (b->level == NULL) {
        b->status = sator_misuse(b->ctx, "'%s' comes before a level that it could be at", item);
        return;
    }
    sator_text_add(list, "%s", list->length == 0 ? "" : ", ");
    sator_text_add_json(list, item);
}

void sator_dataflow_tile(struct sator_builder *b, const char *loop, int64_t factor)
{
    BUILDER_CALL(b, return )
    if (enter(b, __func__, dataflow_kind, loop != NULL))
        add_to_entry(
                b, &b->tiles, sator_arena_printf(b->arena, "%s %lld", loop, (long long)factor));
}

void sator_dataflow_parallel(struct sator_builder *b, const char *loop, int64_t factor, int dim)
{
    BUILDER_CALL(b, return )
    if (enter(b, __func__, dataflow_kind, loop != NULL))
        add_to_entry(b, &b->parallel,
                sator_arena_printf(b->arena, "%s %lld -> %d", loop, (long long)factor, dim));
}

void sator_dataflow_bypass(struct sator_builder *b, const char *tensor)
{
    BUILDER_CALL(b, return )
    if (enter(b, __func__, dataflow_kind, tensor != NULL))
        add_to_entry(b, &b->bypass, tensor);
}

/* A stamp's line: space: "PE[...]". */
static void add_stamp(struct sator_text *rest, const struct sator_builder *b,
        enum sator_stamp stamp, const char *key, const char *tuple)
{
    if (b->n_stamp_dims[stamp] == 0)
        return;
    sator_text_add(rest, "%s: \"%s[", key, tuple);
    for (int d = 0; d < b->n_stamp_dims[stamp]; d++) {
        const struct sator_text *sum = &b->stamps[stamp][d];
        sator_text_add(rest, "%s%s", d == 0 ? "" : ", ", sum->length == 0 ? "0" : sum->data);
    }
    sator_text_add(rest, "]\"\n");
}

enum sator_status sator_dataflow_end(struct sator_builder *b, struct sator_dataflow **dataflow)
{
    BUILDER_CALL(b, return SATOR_NOMEM)
    struct sator_text rest = {0};
    enum sator_status st;

    if (enter(b, __func__, dataflow_kind, dataflow != NULL)) {
        close_entry(b);
        add_stamp(&rest, b, SATOR_SPACE_STAMP, "space", "PE");
        add_stamp(&rest, b, SATOR_TIME_STAMP, "time", "T");
        if (b->nest.length > 0)
            sator_text_add(&rest, "loops:\n%s", b->nest.data);
        END(b, &rest, sator_dataflow_parse, dataflow);
    } else {
        st = b == NULL ? SATOR_USAGE : b->status;
    }
    sator_text_clear(&rest);
    sator_builder_free(b);
    return st;
}
