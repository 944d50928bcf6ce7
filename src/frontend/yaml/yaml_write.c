/* Workloads and dataflows as YAML texts in Sator's notation, and what all texts are made of. What
 * is written reads back to the same thing, places aside. */
#include "frontend/yaml/yaml_write.h"
#include "base/text.h"
#include "frontend/frontend.h"
#include "frontend/yaml/yaml_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scalars ---- */

void yaml_write_number(struct sator_text *text, double value)
{
    char digits[40];

    for (int precision = 6; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    sator_text_add(text, "%s", digits);
}

void yaml_write_names(struct sator_text *text, const char *key, int n, const char *const *names)
{
    if (n == 0)
        return;
    sator_text_add(text, ", %s: [", key);
    for (int i = 0; i < n; i++) {
        sator_text_add(text, i == 0 ? "" : ", ");
        sator_text_add_yaml_name(text, names[i]);
    }
    sator_text_add(text, "]");
}

void yaml_write_relation(struct sator_text *text, const struct sator_relation *relation)
{
    struct sator_text inner = {0};

    sator_relation_write(&inner, relation);
    sator_text_add_yaml(text, inner.data);
    sator_text_clear(&inner);
}

void yaml_write_text(struct sator_text *text, const char *key, const char *value)
{
    if (value == NULL)
        return;
    sator_text_add(text, "\n%s: ", key);
    sator_text_add_yaml(text, value);
}

/* ---- workloads ---- */

/* Whether "sizes" and "op" can say it: loops from 0, one written tensor with one access, accesses
 * that are functions. */
static bool fits_einsum(const struct sator_workload *w)
{
    int n_writes = 0;

    if (!w->is_box || strcmp(w->domain->in_name == NULL ? "" : w->domain->in_name, "S") != 0)
        return false;
    for (int i = 0; i < w->n_loops; i++) {
        if (w->lower[i] != 0 || !sator_text_is_plain_yaml(w->loop_names[i]))
            return false;
    }
    for (int i = 0; i < w->n_accesses; i++) {
        const struct sator_access *access = &w->accesses[i];
        for (int p = 0; p < access->relation->n_pieces; p++) {
            const struct sator_piece *piece = &access->relation->pieces[p];
            if (piece->n_free != 0 || piece->cond->op != SATOR_COND_TRUE)
                return false;
        }
        if (access->role == SATOR_WRITE)
            n_writes += access->relation->n_pieces;
    }
    return n_writes == 1 && w->n_accesses > 1;
}

static void write_op(struct sator_text *text, const struct sator_workload *w)
{
    bool first = true;

    for (int role = SATOR_WRITE; role >= SATOR_READ; role--) {
        for (int i = 0; i < w->n_accesses; i++) {
            const struct sator_access *access = &w->accesses[i];
            for (int p = 0; access->role == (enum sator_role)role && p < access->relation->n_pieces;
                    p++) {
                if (role == SATOR_READ)
                    sator_text_add(text, first ? " += " : " * ");
                first = role == SATOR_WRITE;
                sator_tuple_write(text, access->tensor, access->relation->n_out,
                        access->relation->pieces[p].out, w->loop_names);
            }
        }
    }
}

static void write_accesses(struct sator_text *text, const struct sator_workload *w,
        enum sator_role role, const char *indent)
{
    int n = 0;

    sator_text_add(text, "\n%s%s:", indent, role == SATOR_READ ? "reads" : "writes");
    for (int i = 0; i < w->n_accesses; i++) {
        if (w->accesses[i].role != role)
            continue;
        n++;
        sator_text_add(text, "\n%s  - ", indent);
        yaml_write_relation(text, w->accesses[i].relation);
    }
    if (n == 0)
        sator_text_add(text, " []");
}

static void write_word_bits(
        struct sator_text *text, const struct sator_workload *w, const char *indent)
{
    sator_text_add(text, "\n%sword_bits: {", indent);
    for (int i = 0, n = 0; i < w->n_accesses; i++) {
        bool again = false;
        for (int k = 0; k < i; k++)
            again |= strcmp(w->accesses[k].tensor, w->accesses[i].tensor) == 0;
        if (again)
            continue;
        sator_text_add(text, n++ == 0 ? "" : ", ");
        sator_text_add_yaml_name(text, w->accesses[i].tensor);
        sator_text_add(text, ": %d", w->accesses[i].word_bits);
    }
    sator_text_add(text, "}");
}

static void write_densities(
        struct sator_text *text, const struct sator_workload *w, const char *indent)
{
    int n = 0;

    for (int i = 0; i < w->n_accesses; i++) {
        if (!w->accesses[i].says_density)
            continue;
        sator_text_add(text, n == 0 ? "\n%sdensity: {" : "%s", n == 0 ? indent : ", ");
        n++;
        sator_text_add_yaml_name(text, w->accesses[i].tensor);
        sator_text_add(text, ": ");
        yaml_write_number(text, w->accesses[i].density);
    }
    sator_text_add(text, n > 0 ? "}" : "");
}

/* The keys of a workload, the first of them without its line's beginning. */
static void write_workload(
        struct sator_text *text, const struct sator_workload *w, const char *indent)
{
    sator_text_add(text, "name: ");
    sator_text_add_yaml_name(text, w->name);
    if (fits_einsum(w)) {
        sator_text_add(text, "\n%ssizes: {", indent);
        for (int i = 0; i < w->n_loops; i++)
            sator_text_add(text, "%s%s: %lld", i == 0 ? "" : ", ", w->loop_names[i],
                    (long long)w->upper[i]);
        sator_text_add(text, "}\n%sop: \"", indent);
        write_op(text, w);
        sator_text_add(text, "\"");
    } else {
        sator_text_add(text, "\n%sdomain: ", indent);
        yaml_write_relation(text, w->domain);
        write_accesses(text, w, SATOR_READ, indent);
        write_accesses(text, w, SATOR_WRITE, indent);
    }
    write_word_bits(text, w, indent);
    write_densities(text, w, indent);
    if (w->repeat != 1)
        sator_text_add(text, "\n%srepeat: %d", indent, w->repeat);
    sator_yaml_write_runs(text, w, indent);
    sator_text_add(text, "\n");
}

void sator_yaml_write_network(struct sator_text *text, const struct sator_network *network)
{
    if (network->n_layers == 1 && strcmp(network->name, network->layers[0].name) == 0) {
        write_workload(text, &network->layers[0], "");
        return;
    }
    sator_text_add(text, "name: ");
    sator_text_add_yaml_name(text, network->name);
    sator_text_add(text, "\nlayers:\n");
    for (int i = 0; i < network->n_layers; i++) {
        sator_text_add(text, "  - ");
        write_workload(text, &network->layers[i], "    ");
    }
    sator_yaml_write_others(text, network);
}

/* ---- dataflows ---- */

static void write_stamp(struct sator_text *text, const char *key,
        const struct sator_relation *relation, struct sator_loc loc)
{
    sator_text_add(text, "%s: ", key);
    if (relation != NULL) {
        yaml_write_relation(text, relation);
    } else {
        char *stamp = sator_alloc(loc.length + 1);
        memcpy(stamp, loc.source->text + loc.offset, loc.length);
        stamp[loc.length] = '\0';
        sator_text_add_yaml(text, stamp);
        free(stamp);
    }
    sator_text_add(text, "\n");
}

static void write_loops(
        struct sator_text *text, const struct sator_loop_entry *entry, bool parallel)
{
    int n = 0;

    for (int i = 0; i < entry->n_loops; i++) {
        const struct sator_nest_loop *loop = &entry->loops[i];
        if ((loop->dim >= 0) != parallel)
            continue;
        if (n++ == 0)
            sator_text_add(text, "    %s: [", parallel ? "parallel" : "for");
        else
            sator_text_add(text, ", ");
        sator_text_add(text, "%s %lld", loop->loop, (long long)loop->extent);
        if (parallel)
            sator_text_add(text, " -> %d", loop->dim);
    }
    if (n > 0)
        sator_text_add(text, "]\n");
}

static void write_cuts(struct sator_text *text, const struct sator_dataflow *dataflow)
{
    if (dataflow->n_cuts == 0)
        return;
    sator_text_add(text, "cuts:\n");
    for (int i = 0; i < dataflow->n_cuts; i++) {
        const struct sator_cut *cut = &dataflow->cuts[i];
        const int values[] = {cut->time, cut->space};
        static const char *const keys[] = {"time", "space"};
        sator_text_add(text, "  ");
        sator_text_add_yaml_name(text, cut->level);
        sator_text_add(text, ": {");
        for (int k = cut->time == SATOR_CUT_UNSAID ? 1 : 0; k < 2; k++) {
            sator_text_add(
                    text, "%s%s: ", k == 0 || cut->time == SATOR_CUT_UNSAID ? "" : ", ", keys[k]);
            if (values[k] < 0)
                sator_text_add(text, "all");
            else
                sator_text_add(text, "%d", values[k]);
        }
        yaml_write_names(text, "bypass", cut->n_bypass, cut->bypass);
        sator_text_add(text, "}\n");
    }
}

static void write_dataflow(struct sator_text *text, const struct sator_dataflow *dataflow)
{
    if (dataflow->loops == NULL) {
        write_stamp(text, "space", dataflow->space, dataflow->space_loc);
        write_stamp(text, "time", dataflow->time, dataflow->time_loc);
        write_cuts(text, dataflow);
        return;
    }
    sator_text_add(text, "loops:\n");
    for (int i = 0; i < dataflow->loops->n_entries; i++) {
        const struct sator_loop_entry *entry = &dataflow->loops->entries[i];
        sator_text_add(text, "  - at: ");
        sator_text_add_yaml_name(text, entry->level);
        sator_text_add(text, "\n");
        if (entry->n_bypass > 0) {
            sator_text_add(text, "    bypass: [");
            for (int k = 0; k < entry->n_bypass; k++) {
                sator_text_add(text, k == 0 ? "" : ", ");
                sator_text_add_yaml_name(text, entry->bypass[k]);
            }
            sator_text_add(text, "]\n");
        }
        write_loops(text, entry, false);
        write_loops(text, entry, true);
        for (int d = 0; d < entry->n_skew; d++)
            sator_text_add(text, "%s%lld%s", d == 0 ? "    skew: [" : ", ",
                    (long long)entry->skew[d], d == entry->n_skew - 1 ? "]\n" : "");
        if (entry->says_joined)
            sator_text_add(text, "    joined: %d\n", entry->joined);
    }
}

/* "part", four columns further in. */
static void add_indented(struct sator_text *text, const char *part)
{
    while (*part != '\0') {
        size_t length = strcspn(part, "\n");
        length += part[length] == '\n';
        sator_text_put(text, "    ");
        sator_text_add_bytes(text, part, length);
        part += length;
    }
}

void sator_yaml_write_dataflow(struct sator_text *text, const struct sator_dataflow *dataflow)
{
    sator_text_add(text, "name: ");
    sator_text_add_yaml_name(text, dataflow->name);
    sator_text_add(text, "\n");
    if (dataflow->n_layers == 0) {
        write_dataflow(text, dataflow);
        return;
    }
    sator_text_put(text, "for_layers:\n");
    for (int i = 0; i < dataflow->n_layers; i++) {
        struct sator_text own = {0};
        sator_text_put(text, "  ");
        sator_text_add_yaml_name(text, dataflow->layers[i].layer);
        sator_text_put(text, ":\n");
        write_dataflow(&own, dataflow->layers[i].dataflow);
        add_indented(text, own.data);
        sator_text_clear(&own);
    }
}
