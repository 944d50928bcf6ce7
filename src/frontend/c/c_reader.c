#include "frontend/c/c_reader.h"

#include <string.h>

static void fault_obstacle(struct c_reader *reader, const struct c_node *obstacle)
{
    switch (obstacle->kind) {
    case C_IF:
    case C_SWITCH:
        c_fault(reader, obstacle->loc,
                "put the condition into the loops' bounds, or give it as \"where\" in a YAML "
                "workload",
                "conditionals in a nest are not supported: '%s'", obstacle->name);
        return;
    case C_JUMP:
        c_fault(reader, obstacle->loc, "let every loop run to its bound",
                "'%s' in a loop: which instances run is not known", obstacle->name);
        return;
    default:
        c_fault(reader, obstacle->loc, "supported: for loops with affine bounds",
                "how often a '%s' loop runs is not known", obstacle->name);
        return;
    }
}

static bool same_index(const struct sator_relation *relation, const struct c_access *access)
{
    for (int p = 0; p < relation->n_pieces; p++) {
        bool equal = true;
        for (int i = 0; i < access->n_index && equal; i++)
            equal = sator_expr_equal(relation->pieces[p].out[i], access->index[i]);
        if (equal)
            return true;
    }
    return false;
}

/* Add one more element to the accesses of its tensor and role. */
static void add_piece(
        struct c_reader *reader, struct sator_access *access, const struct c_access *element)
{
    static const struct sator_cond always = {.op = SATOR_COND_TRUE};
    struct sator_relation *all = SATOR_NEW(reader->arena, struct sator_relation);
    struct sator_piece *pieces;

    if (!access->relation)
        *all = (struct sator_relation){.in_name = "S",
                .out_name = element->tensor->name,
                .n_in = reader->n_loops,
                .n_out = element->n_index,
                .loc = element->loc};
    else if (same_index(access->relation, element))
        return;
    else
        *all = *access->relation;
    pieces = SATOR_NEW_ARRAY(reader->arena, struct sator_piece, all->n_pieces + 1);
    for (int i = 0; i < all->n_pieces; i++)
        pieces[i] = all->pieces[i];
    pieces[all->n_pieces++] = (struct sator_piece){
            .names = reader->names, .out = element->index, .cond = &always, .loc = element->loc};
    all->pieces = pieces;
    access->relation = all;
}

/* The accesses by tensor, reads first, each in order of first appearance. */
static void gather_accesses(struct c_reader *reader, struct sator_workload *workload)
{
    struct sator_access *accesses =
            SATOR_NEW_ARRAY(reader->arena, struct sator_access, reader->n_accesses + 1);
    int n_accesses = 0;

    for (int role = SATOR_READ; role <= SATOR_WRITE; role++)
        for (int e = 0; e < reader->n_accesses; e++) {
            const struct c_access *element = &reader->accesses[e];
            int at = 0;
            if ((int)element->role != role)
                continue;
            while (at < n_accesses &&
                    ((int)accesses[at].role != role ||
                            strcmp(accesses[at].tensor, element->tensor->name) != 0))
                at++;
            if (at == n_accesses)
                accesses[n_accesses++] = (struct sator_access){.tensor = element->tensor->name,
                        .role = element->role,
                        .word_bits = element->tensor->element_bits};
            add_piece(reader, &accesses[at], element);
        }
    workload->accesses = accesses;
    workload->n_accesses = n_accesses;
}

/* One name for tensors of two kinds of subscripts would be two tensors. */
static void check_tensors(struct c_reader *reader)
{
    for (int a = 0; a < reader->n_accesses; a++) {
        const struct c_access *access = &reader->accesses[a];
        if (access->tensor->element_bits == 0)
            c_fault(reader, access->loc, "supported: elements of integer and floating-point types",
                    "the size of an element of '%s' is not known", access->tensor->name);
        for (int b = 0; b < a; b++) {
            const struct c_access *other = &reader->accesses[b];
            if (other->tensor == access->tensor && other->n_index != access->n_index)
                c_fault(reader, access->loc, NULL, "'%s' has %d subscripts here and %d elsewhere",
                        access->tensor->name, access->n_index, other->n_index);
            if (other->tensor != access->tensor &&
                    strcmp(other->tensor->name, access->tensor->name) == 0)
                c_fault(reader, access->loc, "rename one of them", "two arrays are called '%s'",
                        access->tensor->name);
        }
    }
}

static void make_domain(struct c_reader *reader, struct sator_workload *workload)
{
    struct sator_cond *all = SATOR_NEW(reader->arena, struct sator_cond);
    int n = reader->n_loops;
    int64_t *upper = SATOR_NEW_ARRAY(reader->arena, int64_t, n + 1);
    const struct sator_relation *domain;

    *all = (struct sator_cond){
            .op = SATOR_COND_AND, .n_kids = reader->n_conditions, .kids = reader->conditions};
    domain = sator_relation_make(reader->arena, "S", n, reader->names, NULL, 0, NULL, all);
    for (int i = 0; i < n; i++)
        upper[i] = reader->greatest[i] + 1;
    workload->lower = reader->least;
    workload->upper = upper;
    workload->domain = domain;
    workload->is_box = sator_set_is_box(domain, SATOR_NEW_ARRAY(reader->arena, int64_t, n + 1),
            SATOR_NEW_ARRAY(reader->arena, int64_t, n + 1));
    if (workload->is_box)
        workload->domain = sator_set_box(
                reader->arena, "S", n, reader->names, workload->lower, workload->upper);
}

/* ---- subscripts ---- */

/* The condition that "index" is outside 0 .. extent-1; NULL where a number is too large. */
static const struct sator_cond *outside(
        struct c_reader *reader, const struct sator_expr *index, int64_t extent)
{
    struct sator_arena *arena = reader->arena;
    const struct sator_expr *below =
            sator_expr_add(arena, sator_expr_constant(arena, -1), -1, index);
    const struct sator_expr *above =
            sator_expr_add(arena, index, -1, sator_expr_constant(arena, extent));

    if (below == NULL || above == NULL)
        return NULL;
    const struct sator_cond *kids[] = {sator_cond_compare(arena, SATOR_COND_AT_LEAST, below),
            sator_cond_compare(arena, SATOR_COND_AT_LEAST, above)};
    return sator_cond_or(arena, 2, kids);
}

/* "S[i=9, j=0]" */
static const char *instance_text(struct c_reader *reader, const int64_t *instance)
{
    const char *text = "";

    for (int i = 0; i < reader->n_loops; i++)
        text = sator_arena_printf(reader->arena, "%s%s%s=%lld", text, i == 0 ? "" : ", ",
                reader->names[i], (long long)instance[i]);
    return sator_arena_printf(reader->arena, "S[%s]", text);
}

/* Subscript "i" of an access stays inside the array in every instance; the hull of the loops shows
 * it nearly always, and isl finds the instance otherwise. */
static void check_subscript(struct c_reader *reader, const struct sator_workload *workload,
        const struct c_access *access, int i)
{
    int64_t extent = access->extents[i], least, greatest, value = 0;
    int64_t *instance = SATOR_NEW_ARRAY(reader->arena, int64_t, reader->n_loops + 1);
    bool known =
            sator_expr_range(access->index[i], reader->least, reader->greatest, &least, &greatest);

    if (extent < 0 || (known && least >= 0 && greatest < extent))
        return;
    const struct sator_cond *cond = outside(reader, access->index[i], extent);
    if (cond == NULL ||
            !sator_set_find(reader->ctx, reader->arena, workload->domain, cond, instance))
        return;
    sator_expr_value(access->index[i], instance, &value);
    c_fault(reader, access->index_loc[i], NULL,
            "the subscript is %lld in %s: outside '%s', declared with %lld element%s here, 0 to "
            "%lld",
            (long long)value, instance_text(reader, instance), access->tensor->name,
            (long long)extent, extent == 1 ? "" : "s", (long long)extent - 1);
}

static void check_subscripts(struct c_reader *reader, const struct sator_workload *workload)
{
    for (int a = 0; a < reader->n_accesses; a++) {
        for (int i = 0; i < reader->accesses[a].n_index; i++)
            check_subscript(reader, workload, &reader->accesses[a], i);
    }
}

const struct sator_workload *c_read_nest(struct c_reader *reader, const char *name)
{
    struct sator_workload *workload = SATOR_NEW(reader->arena, struct sator_workload);

    if (reader->nest->obstacle) {
        fault_obstacle(reader, reader->nest->obstacle);
        /* What such a loop counts with would be told as a fault of its own. */
        if (reader->nest->obstacle->kind == C_WHILE || reader->nest->obstacle->kind == C_DO)
            return NULL;
    }
    c_read_loops(reader);
    c_read_statement(reader);
    check_tensors(reader);
    if (reader->n_faults > 0)
        return NULL;
    *workload = (struct sator_workload){.name = name,
            .n_loops = reader->n_loops,
            .loop_names = reader->names,
            .repeat = 1,
            .loc = reader->nest->statement->loc};
    make_domain(reader, workload);
    check_subscripts(reader, workload);
    gather_accesses(reader, workload);
    return reader->n_faults > 0 ? NULL : workload;
}
