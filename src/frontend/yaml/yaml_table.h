/* Tables of energies and areas, as files have them (doc/formats.md, "Energy tables"). */
#ifndef SATOR_FRONTEND_YAML_YAML_TABLE_H
#define SATOR_FRONTEND_YAML_YAML_TABLE_H

#include "frontend/yaml/yaml_arch.h"

/* One published point: what an action of a component costs, or how large it is. */
struct sator_table_entry {
    const char *component;
    const char *action; /* the areas' and the leakage's keys are actions, too */
    double value; /* pJ, um2, nW */
    double capacity_bytes; /* of the memory that it is for; NAN: whatever its size */
    int64_t word_bits;
    const char *source;
};

struct sator_table {
    struct sator_yaml_reader *reader;
    const char *name;
    int64_t word_bits; /* that figures are wanted for */
    bool is_width_said; /* by who asks for the table */
    bool is_reference; /* an Accelergy file: components have the names of the levels */
    int n_entries;
    struct sator_table_entry *entries;
};

/* Read the entries of "source": Sator's own form, or Accelergy's ERT or ART. */
void sator_table_read(struct sator_table *table, const struct sator_source *source);
bool sator_table_has(const struct sator_table *table, const char *component);

/* What "action" of "component" costs in a memory of "capacity_bytes" (NAN: not known): "value" and
 * the bits that it is for, with the source in the reader's arena. Between two points of the table
 * the power law through both; beyond them the nearest point times (capacity ratio)^"exponent".
 * False when the table does not tell. */
bool sator_table_find(const struct sator_table *table, const char *component, const char *action,
        double capacity_bytes, double exponent, struct sator_energy *found);
/* An area by the width of words, the same between widths. */
bool sator_table_find_by_width(const struct sator_table *table, const char *component,
        const char *action, struct sator_figure *found);

#endif
