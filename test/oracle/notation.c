#include "oracle/notation.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const loop_names[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
/* Variables of a link over n dimensions: the first n of these for the provider, then n of the other
 * row. */
static const char *const provider_names[] = {"a", "b", "c", "d"};
static const char *const consumer_names[] = {"w", "x", "y", "z"};

const char *notation_tensor(int tensor)
{
    static const char *const names[] = {"A", "B", "C", "D", "E", "F"};
    return names[tensor];
}

const char *notation_link_name(int number)
{
    static const char *const names[] = {"link0", "link1", "link2", "link3", "link4", "link5"};
    return names[number];
}

const char *notation_bus_name(int number)
{
    static const char *const names[] = {"bus0", "bus1", "bus2", "bus3"};
    return names[number];
}

static void put_expr(FILE *out, const struct oracle_program *program, int expr,
        const char *const *names, enum notation notation)
{
    const struct oracle_expr *e = &program->exprs[expr];

    switch (e->op) {
    case ORACLE_CONST:
        fprintf(out, "%" PRId64, e->value);
        return;
    case ORACLE_VAR:
        fputs(names[e->a], out);
        return;
    case ORACLE_ADD:
        put_expr(out, program, e->a, names, notation);
        if (program->exprs[e->b].op == ORACLE_CONST && program->exprs[e->b].value < 0) {
            fprintf(out, " - %" PRId64, -program->exprs[e->b].value);
            return;
        }
        if (program->exprs[e->b].op == ORACLE_MUL && program->exprs[e->b].value == -1) {
            fputs(" - (", out);
            put_expr(out, program, program->exprs[e->b].a, names, notation);
            fputs(")", out);
            return;
        }
        fputs(" + ", out);
        put_expr(out, program, e->b, names, notation);
        return;
    case ORACLE_MUL:
        fprintf(out, "%" PRId64 "*(", e->value);
        put_expr(out, program, e->a, names, notation);
        fputs(")", out);
        return;
    case ORACLE_DIV:
        fputs(notation == NOTATION_ISL ? "floor((" : "((", out);
        put_expr(out, program, e->a, names, notation);
        fprintf(out, ")/%" PRId64 ")", e->value);
        return;
    case ORACLE_MOD:
        fputs("((", out);
        put_expr(out, program, e->a, names, notation);
        fprintf(out, ") %% %" PRId64 ")", e->value);
        return;
    }
    abort();
}

static void put_conds(FILE *out, const struct oracle_program *program,
        const struct oracle_conds *conds, const char *const *names, const char *separator)
{
    for (int c = 0; c < conds->n; c++) {
        static const char *const relations[] = {" >= 0", " = 0", " != 0"};
        fputs(separator, out);
        put_expr(out, program, conds->of[c].expr, names, NOTATION_ISL);
        fputs(relations[conds->of[c].op], out);
        separator = " and ";
    }
}

static void put_tuple(FILE *out, const char *name, int n, const char *const *names)
{
    fprintf(out, "%s[", name);
    for (int d = 0; d < n; d++)
        fprintf(out, "%s%s", d > 0 ? ", " : "", names[d]);
    fputs("]", out);
}

static void put_exprs(FILE *out, const struct oracle_program *program, const char *name, int n,
        const int *exprs, const int64_t *offsets, const char *const *names, enum notation notation)
{
    fprintf(out, "%s[", name);
    for (int d = 0; d < n; d++) {
        if (d > 0)
            fputs(", ", out);
        put_expr(out, program, exprs[d], names, notation);
        if (offsets && offsets[d] != 0)
            fprintf(out, " %c %" PRId64, offsets[d] < 0 ? '-' : '+',
                    offsets[d] < 0 ? -offsets[d] : offsets[d]);
    }
    fputs("]", out);
}

static void put_instance(FILE *out, const struct oracle_program *program)
{
    put_tuple(out, "S", program->n_loops, loop_names);
}

void notation_domain(FILE *out, const struct oracle_program *program)
{
    fputs("{ ", out);
    put_instance(out, program);
    for (int loop = 0; loop < program->n_loops; loop++)
        fprintf(out, "%s%" PRId64 " <= %s < %" PRId64, loop == 0 ? " : " : " and ",
                program->lower[loop], loop_names[loop], program->upper[loop]);
    put_conds(out, program, &program->domain, loop_names, program->n_loops == 0 ? " : " : " and ");
    fputs(" }", out);
}

void notation_space(FILE *out, const struct oracle_program *program)
{
    fputs("{ ", out);
    put_instance(out, program);
    fputs(" -> ", out);
    put_exprs(out, program, "PE", program->n_space, program->space, program->space_offset,
            loop_names, NOTATION_ISL);
    fputs(" }", out);
}

void notation_time(FILE *out, const struct oracle_program *program)
{
    fputs("{ ", out);
    put_instance(out, program);
    fputs(" -> ", out);
    put_exprs(out, program, "T", program->n_time, program->time, NULL, loop_names, NOTATION_ISL);
    fputs(" }", out);
}

void notation_access(FILE *out, const struct oracle_program *program, int access)
{
    const struct oracle_access *a = &program->accesses[access];

    fputs("{ ", out);
    for (int piece = 0; piece < a->n_pieces; piece++) {
        if (piece > 0)
            fputs("; ", out);
        put_instance(out, program);
        fputs(" -> ", out);
        put_exprs(out, program, notation_tensor(a->tensor), a->n_index, a->pieces[piece].index,
                NULL, loop_names, NOTATION_ISL);
        put_conds(out, program, &a->pieces[piece].conds, loop_names, " : ");
    }
    fputs(" }", out);
}

void notation_link(FILE *out, const struct oracle_program *program, int n_space, int link)
{
    const struct oracle_link *l = &program->links[link];
    const char *names[2 * ORACLE_SPACE];

    for (int d = 0; d < n_space; d++) {
        names[d] = provider_names[d];
        names[n_space + d] = consumer_names[d];
    }
    fputs("{ ", out);
    for (int piece = 0; piece < l->n_pieces; piece++) {
        if (piece > 0)
            fputs("; ", out);
        put_tuple(out, "PE", n_space, names);
        fputs(" -> ", out);
        if (!l->pieces[piece].functional) {
            put_tuple(out, "PE", n_space, names + n_space);
            put_conds(out, program, &l->pieces[piece].conds, names, " : ");
            continue;
        }
        /* Conditions of a functional piece may speak of the consumer: give it by equations then. */
        if (l->pieces[piece].conds.n == 0) {
            put_exprs(out, program, "PE", n_space, l->pieces[piece].out, NULL, names, NOTATION_ISL);
            continue;
        }
        put_tuple(out, "PE", n_space, names + n_space);
        for (int d = 0; d < n_space; d++) {
            fprintf(out, "%s%s = ", d == 0 ? " : " : " and ", names[n_space + d]);
            put_expr(out, program, l->pieces[piece].out[d], names, NOTATION_ISL);
        }
        put_conds(out, program, &l->pieces[piece].conds, names, " and ");
    }
    fputs(" }", out);
}

void notation_bus(FILE *out, const struct oracle_program *program, int n_space, int bus)
{
    const struct oracle_bus *b = &program->buses[bus];

    fputs("{ ", out);
    put_tuple(out, "PE", n_space, provider_names);
    fputs(" -> ", out);
    put_exprs(out, program, b->is_reduction ? "TREE" : "BUS", b->n_out, b->out, NULL,
            provider_names, NOTATION_ISL);
    put_conds(out, program, &b->conds, provider_names, " : ");
    fputs(" }", out);
}

void notation_relations(FILE *out, const struct oracle_program *program, int n_space)
{
    fputs("domain: ", out);
    notation_domain(out, program);
    fputs("\nspace:  ", out);
    notation_space(out, program);
    fputs("\ntime:   ", out);
    notation_time(out, program);
    fputs("\nshape: ", out);
    for (int d = 0; d < program->n_space; d++)
        fprintf(out, " %" PRId64, program->shape[d]);
    for (int a = 0; a < program->n_accesses; a++) {
        fprintf(out, "\n%s:  ", program->accesses[a].is_write ? "write" : "read ");
        notation_access(out, program, a);
    }
    fprintf(out, "\nregisters: %s", program->registers ? "yes" : "no");
    for (int l = 0; l < program->n_links; l++) {
        fprintf(out, "\nlink, interval %d, tensors %x: ", program->links[l].interval,
                program->links[l].tensors);
        notation_link(out, program, n_space, l);
    }
    for (int b = 0; b < program->n_buses; b++) {
        fprintf(out, "\n%s, tensors %x: ", program->buses[b].is_reduction ? "tree" : "bus",
                program->buses[b].tensors);
        notation_bus(out, program, n_space, b);
    }
    fputs("\n", out);
}

/* ---- YAML ---- */

static bool is_affine(const struct oracle_program *program, int expr)
{
    const struct oracle_expr *e = &program->exprs[expr];
    if (e->op == ORACLE_DIV || e->op == ORACLE_MOD)
        return false;
    if (e->op == ORACLE_ADD)
        return is_affine(program, e->a) && is_affine(program, e->b);
    return e->op != ORACLE_MUL || is_affine(program, e->a);
}

bool notation_is_einsum(const struct oracle_program *program)
{
    int n_writes = 0;

    for (int loop = 0; loop < program->n_loops; loop++)
        if (program->lower[loop] != 0)
            return false;
    for (int a = 0; a < program->n_accesses; a++) {
        const struct oracle_access *access = &program->accesses[a];
        n_writes += access->is_write;
        if (access->is_write && access->n_pieces > 1)
            return false;
        for (int piece = 0; piece < access->n_pieces; piece++) {
            if (access->pieces[piece].conds.n > 0)
                return false;
            for (int d = 0; d < access->n_index; d++)
                if (!is_affine(program, access->pieces[piece].index[d]))
                    return false;
        }
    }
    return n_writes == 1;
}

static void put_einsum(FILE *out, const struct oracle_program *program)
{
    const char *separator = " += ";

    fputs("sizes: {", out);
    for (int loop = 0; loop < program->n_loops; loop++)
        fprintf(out, "%s%s: %" PRId64, loop > 0 ? ", " : "", loop_names[loop],
                program->upper[loop]);
    fputs("}\nop: \"", out);
    for (int a = 0; a < program->n_accesses; a++)
        if (program->accesses[a].is_write)
            put_exprs(out, program, notation_tensor(program->accesses[a].tensor),
                    program->accesses[a].n_index, program->accesses[a].pieces[0].index, NULL,
                    loop_names, NOTATION_SATOR);
    for (int a = 0; a < program->n_accesses; a++)
        for (int piece = 0; piece < program->accesses[a].n_pieces; piece++) {
            const struct oracle_access *access = &program->accesses[a];
            if (access->is_write)
                continue;
            fputs(separator, out);
            put_exprs(out, program, notation_tensor(access->tensor), access->n_index,
                    access->pieces[piece].index, NULL, loop_names, NOTATION_SATOR);
            separator = " * ";
        }
    fputs("\"\n", out);
    if (program->domain.n > 0) {
        fputs("where: \"", out);
        put_conds(out, program, &program->domain, loop_names, "");
        fputs("\"\n", out);
    }
}

static void put_accesses(FILE *out, const struct oracle_program *program, bool writes)
{
    fprintf(out, "%s:\n", writes ? "writes" : "reads");
    for (int a = 0; a < program->n_accesses; a++)
        if (program->accesses[a].is_write == writes) {
            fputs("  - \"", out);
            notation_access(out, program, a);
            fputs("\"\n", out);
        }
}

void notation_workload(FILE *out, const struct oracle_program *program, bool einsum)
{
    fputs("name: random\n", out);
    if (einsum) {
        put_einsum(out, program);
        return;
    }
    fputs("domain: \"", out);
    notation_domain(out, program);
    fputs("\"\n", out);
    put_accesses(out, program, false);
    put_accesses(out, program, true);
}

static void put_tensors(FILE *out, const struct oracle_program *program, unsigned tensors)
{
    const char *separator = ", tensors: [";

    if (tensors == (1u << program->n_tensors) - 1)
        return;
    for (int tensor = 0; tensor < program->n_tensors && tensor < ORACLE_TENSORS; tensor++)
        if ((tensors >> tensor & 1) != 0) {
            fprintf(out, "%s%s", separator, notation_tensor(tensor));
            separator = ", ";
        }
    fputs("]", out);
}

static void put_buses(FILE *out, const struct oracle_program *program, bool is_reduction)
{
    bool first = true;

    for (int b = 0; b < program->n_buses; b++) {
        if (program->buses[b].is_reduction != is_reduction)
            continue;
        if (first)
            fprintf(out, "    %s:\n", is_reduction ? "reduction" : "multicast");
        first = false;
        fprintf(out, "      - {name: %s, map: \"", notation_bus_name(b));
        notation_bus(out, program, program->n_space, b);
        fputs("\"", out);
        put_tensors(out, program, program->buses[b].tensors);
        fputs("}\n", out);
    }
}

void notation_arch(
        FILE *out, const struct oracle_program *program, const struct notation_levels *levels)
{
    fprintf(out, "name: random\nlevels:\n%s  - {memory: scratchpad}\n  - array: PE\n    shape: [",
            levels->dram ? "  - {memory: dram}\n" : "");
    for (int d = 0; d < program->n_space; d++)
        fprintf(out, "%s%" PRId64, d > 0 ? ", " : "", program->shape[d]);
    fputs("]\n", out);
    for (int l = 0; l < program->n_links; l++) {
        if (l == 0)
            fputs("    links:\n", out);
        fprintf(out, "      - {name: %s, map: \"", notation_link_name(l));
        notation_link(out, program, program->n_space, l);
        fprintf(out, "\", interval: %d", program->links[l].interval);
        put_tensors(out, program, program->links[l].tensors);
        fputs("}\n", out);
    }
    put_buses(out, program, false);
    put_buses(out, program, true);
    fprintf(out, "%s  - {compute: mac}\n", levels->local ? "  - {memory: local}\n" : "");
}

void notation_dataflow(FILE *out, const struct oracle_program *program,
        const struct notation_levels *levels, enum notation notation)
{
    const char *separator = "cuts: {";

    fputs("name: random\nspace: \"", out);
    put_exprs(out, program, "PE", program->n_space, program->space, program->space_offset,
            loop_names, notation);
    fputs("\"\ntime: \"", out);
    if (program->n_time == 0)
        fputs("T[0]", out); /* the readers want a time-stamp */
    else
        put_exprs(out, program, "T", program->n_time, program->time, NULL, loop_names, notation);
    fputs("\"\n", out);
    if (levels->scratchpad_cut >= 0) {
        fprintf(out, "%sscratchpad: {time: %d, space: 0}", separator, levels->scratchpad_cut);
        separator = ", ";
    }
    if (levels->local && levels->local_cut >= 0) {
        fprintf(out, "%slocal: {time: %d, space: %d}", separator, levels->local_cut,
                program->n_space);
        separator = ", ";
    }
    if (*separator == ',')
        fputs("}\n", out);
}
