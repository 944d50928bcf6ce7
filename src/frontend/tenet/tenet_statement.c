/* `.s` and `.m` files: a statement's domain and accesses; where and when it runs. */
#include "frontend/frontend.h"
#include "frontend/tenet/tenet_lines.h"

#include <string.h>

/* The program counts 16 bits an element, whatever the tensor. */
enum {
    TENET_WORD_BITS = 16
};

struct statement {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    struct sator_tenet_lines lines;
    const struct sator_relation *domain; /* NULL when it could not be read */
    int n_accesses;
    struct sator_access *accesses;
};

static bool same_name(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* The line "READS WRITES". */
static enum sator_status read_counts(struct statement *s, int *n_reads, int *n_writes)
{
    struct sator_loc line = s->lines.lines[0];
    struct sator_loc words[2];
    int64_t counts[2];

    if (sator_tenet_words(line, 2, words) != 2 || !sator_tenet_number(words[0], &counts[0]) ||
            !sator_tenet_number(words[1], &counts[1])) {
        sator_error(s->ctx, line, "the first line must be the number of reads and of writes");
        sator_help(s->ctx,
                "for example '2 1': two lines of reads and one of writes follow the "
                "domain");
        return SATOR_INPUT;
    }
    for (int i = 0; i < 2; i++)
        if (counts[i] < 0 || counts[i] > INT16_MAX)
            return sator_error(s->ctx, words[i], "the number of %s must be 0 to %d",
                    i ? "writes" : "reads", INT16_MAX);
    if (counts[0] + counts[1] == 0)
        return sator_error(s->ctx, line, "a statement must read or write something");
    *n_reads = (int)counts[0];
    *n_writes = (int)counts[1];
    return SATOR_OK;
}

static enum sator_status check_line_count(struct statement *s, int n_reads, int n_writes)
{
    int expected = 2 + n_reads + n_writes;

    if (s->lines.n_lines < expected) {
        sator_error(s->ctx, sator_tenet_end(&s->lines), "the file ends too early");
        sator_help(s->ctx,
                "after the first line: 1 domain, %d reads and %d writes, a line each; found %d "
                "lines",
                n_reads, n_writes, s->lines.n_lines - 1);
        return SATOR_INPUT;
    }
    if (s->lines.n_lines > expected) {
        sator_error(s->ctx, s->lines.lines[expected], "a line too many");
        sator_help(s->ctx, "the first line announces %d reads and %d writes", n_reads, n_writes);
        return SATOR_INPUT;
    }
    return SATOR_OK;
}

static enum sator_status add_access(
        struct statement *s, enum sator_role role, const struct sator_relation *relation)
{
    for (int i = 0; i < s->n_accesses; i++) {
        struct sator_access *other = &s->accesses[i];

        if (strcmp(other->tensor, relation->out_name) != 0)
            continue;
        if (other->relation->n_out != relation->n_out)
            return sator_error(s->ctx, relation->loc,
                    "tensor '%s' has %d subscripts here and %d in an earlier line",
                    relation->out_name, relation->n_out, other->relation->n_out);
        if (other->role == role) {
            other->relation = sator_tenet_unite(s->arena, other->relation, relation);
            return SATOR_OK;
        }
    }
    SATOR_PUSH(s->arena, s->accesses, s->n_accesses,
            (struct sator_access){.tensor = relation->out_name,
                    .role = role,
                    .word_bits = TENET_WORD_BITS,
                    .relation = relation});
    return SATOR_OK;
}

static enum sator_status read_access(
        struct statement *s, struct sator_loc line, enum sator_role role)
{
    const struct sator_relation *relation = NULL;
    enum sator_status st = sator_tenet_relation(
            s->ctx, s->arena, line, false, "an access such as {S[i,j] -> A[i,j]}", &relation);

    if (st != SATOR_OK)
        return st;
    if (!relation->out_name)
        return sator_error(s->ctx, line, "the access names no tensor");
    if (s->domain &&
            (relation->n_in != s->domain->n_in ||
                    !same_name(relation->in_name, s->domain->in_name)))
        return sator_error(s->ctx, line,
                "the access starts from %s with %d loops, the domain is %s with %d",
                relation->in_name ? relation->in_name : "a tuple", relation->n_in,
                s->domain->in_name ? s->domain->in_name : "a tuple", s->domain->n_in);
    return add_access(s, role, relation);
}

/* A network of one layer from a domain and accesses that were read. */
static struct sator_network *make_network(
        struct statement *s, struct sator_network *network, const struct sator_source *source)
{
    struct sator_arena *arena = s->arena;
    struct sator_workload *layer = SATOR_NEW(arena, struct sator_workload);
    int n_loops = s->domain->n_in;
    int64_t *lower = SATOR_NEW_ARRAY(arena, int64_t, n_loops + 1);
    int64_t *upper = SATOR_NEW_ARRAY(arena, int64_t, n_loops + 1);

    *layer = (struct sator_workload){.name = sator_tenet_stem(arena, source),
            .n_loops = n_loops,
            .loop_names = s->domain->pieces[0].names,
            .domain = s->domain,
            .is_box = sator_set_is_box(s->domain, lower, upper),
            .n_accesses = s->n_accesses,
            .accesses = s->accesses,
            .repeat = 1,
            .loc = s->domain->loc};
    if (layer->is_box) {
        layer->lower = lower;
        layer->upper = upper;
    }
    *network = (struct sator_network){.arena = arena,
            .name = layer->name,
            .n_layers = 1,
            .layers = layer,
            .loc = {source, 0, 0}};
    return network;
}

enum sator_status sator_tenet_statement(
        struct sator_ctx *ctx, const struct sator_source *source, struct sator_network **network)
{
    enum sator_status st = SATOR_OK;
    struct sator_arena *arena = sator_arena_new();
    struct statement s = {ctx, arena, sator_tenet_split(arena, source), NULL, 0, NULL};
    int n_reads = 0;
    int n_writes = 0;

    if (s.lines.n_lines == 0) {
        st = sator_error(ctx, sator_tenet_end(&s.lines), "the statement file is empty");
        goto done;
    }
    SATOR_TRY(read_counts(&s, &n_reads, &n_writes));
    st = check_line_count(&s, n_reads, n_writes);
    /* Even when lines are missing, those that are there are checked. */
    if (s.lines.n_lines > 1) {
        enum sator_status line_st = sator_tenet_relation(ctx, arena, s.lines.lines[1], true,
                "the domain, a set such as {S[i,j] : 0 <= i,j < 4}", &s.domain);
        st = st == SATOR_OK ? line_st : st;
    }
    for (int i = 2; i < s.lines.n_lines && i < 2 + n_reads + n_writes; i++) {
        enum sator_role role = i < 2 + n_reads ? SATOR_READ : SATOR_WRITE;
        enum sator_status line_st = read_access(&s, s.lines.lines[i], role);
        st = st == SATOR_OK ? line_st : st;
    }
    if (st != SATOR_OK)
        goto done;
    *network = make_network(&s, SATOR_NEW(arena, struct sator_network), source);
    return SATOR_OK;
done:
    sator_arena_free(arena);
    return st;
}

static enum sator_status read_maps(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_tenet_lines *lines, struct sator_dataflow *dataflow)
{
    enum sator_status st = sator_tenet_relation(ctx, arena, lines->lines[0], false,
            "the space map, such as {S[i,j] -> PE[i%8]}", &dataflow->space);
    enum sator_status time_st = sator_tenet_relation(ctx, arena, lines->lines[1], false,
            "the time map, such as {S[i,j] -> T[floor(i/8), j]}", &dataflow->time);

    st = st == SATOR_OK ? time_st : st;
    if (st == SATOR_OK &&
            (dataflow->space->n_in != dataflow->time->n_in ||
                    !same_name(dataflow->space->in_name, dataflow->time->in_name)))
        st = sator_error(ctx, lines->lines[1],
                "the time map has %d loops, the space map %d: both must start from the same "
                "statement",
                dataflow->time->n_in, dataflow->space->n_in);
    if (lines->n_lines > 2)
        st = sator_error(ctx, lines->lines[2],
                "a line too many: a mapping is a space map and a time map, a line each");
    return st;
}

enum sator_status sator_tenet_mapping(
        struct sator_ctx *ctx, const struct sator_source *source, struct sator_dataflow **dataflow)
{
    enum sator_status st = SATOR_OK;
    struct sator_arena *arena = sator_arena_new();
    struct sator_tenet_lines lines = sator_tenet_split(arena, source);
    struct sator_dataflow *read = SATOR_NEW(arena, struct sator_dataflow);

    if (lines.n_lines < 2) {
        st = sator_error(ctx, sator_tenet_end(&lines),
                "a mapping is a space map and a time map, a line each; found %d", lines.n_lines);
        goto done;
    }
    SATOR_TRY(read_maps(ctx, arena, &lines, read));
    read->arena = arena;
    read->name = sator_tenet_stem(arena, source);
    read->loc = (struct sator_loc){source, 0, 0};
    read->space_loc = lines.lines[0];
    read->time_loc = lines.lines[1];
    *dataflow = read;
    return SATOR_OK;
done:
    sator_arena_free(arena);
    return st;
}
