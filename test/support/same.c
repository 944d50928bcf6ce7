#include "support/same.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What was compared so far. */
struct comparison {
    const struct same_options *options;
    char *text;
    size_t size;
    bool same;
    bool is_mapping; /* it says less: not at how many loops of one iteration a cut lies, nor whether
                        a port that nothing uses takes no time or an unknown time */
};

static void say(
        struct comparison *c, const char *of, const char *field, const char *a, const char *b)
{
    if (c->same)
        snprintf(c->text, c->size, "%s %s: %s and %s", of, field, a, b);
    c->same = false;
}

static void count(struct comparison *c, const char *of, const char *field, sator_int a, sator_int b)
{
    char texts[2][48];

    if (a != b)
        say(c, of, field, sator_int_format(a, 0, texts[0]), sator_int_format(b, 0, texts[1]));
}

static void number(struct comparison *c, const char *of, const char *field, double a, double b)
{
    char texts[2][48];
    bool same = (isnan(a) && isnan(b)) || a == b ||
            fabs(a - b) <= c->options->tolerance * fmax(fabs(a), fabs(b));

    snprintf(texts[0], sizeof texts[0], "%.17g", a);
    snprintf(texts[1], sizeof texts[1], "%.17g", b);
    if (!same)
        say(c, of, field, texts[0], texts[1]);
}

static void words(
        struct comparison *c, const char *of, const char *field, const char *a, const char *b)
{
    if (a == NULL || b == NULL ? a != b : strcmp(a, b) != 0)
        say(c, of, field, a ? a : "nothing", b ? b : "nothing");
}

#define COUNT(of, field) count(c, of, #field, a->field, b->field)
#define NUMBER(of, field) number(c, of, #field, a->field, b->field)
#define WORDS(of, field) words(c, of, #field, a->field, b->field)

static void tensor(struct comparison *c, const struct sator_tensor_result *a,
        const struct sator_tensor_result *b)
{
    WORDS("tensor", name);
    COUNT(a->name, role);
    COUNT(a->name, word_bits);
    COUNT(a->name, access_volume);
    COUNT(a->name, total_volume);
    COUNT(a->name, temporal_reuse);
    COUNT(a->name, spatial_reuse);
    COUNT(a->name, reuse_volume);
    COUNT(a->name, unique_volume);
    COUNT(a->name, footprint);
    COUNT(a->name, partial_sum_reads);
    NUMBER(a->name, reuse_factor);
    NUMBER(a->name, interconnect_bits_per_cycle);
    NUMBER(a->name, scratchpad_bits_per_cycle);
    COUNT(a->name, n_links);
    for (int i = 0; c->same && i < a->n_links; i++) {
        WORDS(a->name, links[i].name);
        COUNT(a->links[i].name, links[i].spatial_reuse);
    }
}

static void level(struct comparison *c, const struct sator_level_result *a,
        const struct sator_level_result *b)
{
    WORDS("level", name);
    if (!c->is_mapping)
        COUNT(a->name, time_cut);
    COUNT(a->name, space_cut);
    if (!c->options->other_cuts && !c->is_mapping)
        COUNT(a->name, cut_declared);
    COUNT(a->name, instances);
    NUMBER(a->name, capacity_words);
    NUMBER(a->name, capacity_bytes);
    if (!c->is_mapping || a->read_cycles > 0 || b->read_cycles > 0)
        NUMBER(a->name, read_cycles);
    if (!c->is_mapping || a->write_cycles > 0 || b->write_cycles > 0)
        NUMBER(a->name, write_cycles);
    COUNT(a->name, n_tensors);
    for (int i = 0; c->same && i < a->n_tensors; i++) {
        WORDS(a->name, tensors[i].name);
        COUNT(a->name, tensors[i].role);
        COUNT(a->name, tensors[i].tile_words);
        COUNT(a->name, tensors[i].fills);
        COUNT(a->name, tensors[i].writes);
        COUNT(a->name, tensors[i].reads);
        COUNT(a->name, tensors[i].updates);
    }
}

static void port(
        struct comparison *c, const struct sator_port_result *a, const struct sator_port_result *b)
{
    WORDS("port", name);
    COUNT(a->name, level);
    COUNT(a->name, reads);
    COUNT(a->name, writes);
    COUNT(a->name, n_tensors);
    for (int i = 0; c->same && i < a->n_tensors; i++)
        WORDS(a->name, tensors[i]);
    COUNT(a->name, bits);
    NUMBER(a->name, bandwidth_bits);
    NUMBER(a->name, cycles);
    NUMBER(a->name, busy_cycles);
    NUMBER(a->name, exposed_cycles);
    NUMBER(a->name, stalled_cycles);
    COUNT(a->name, unknown != NULL);
}

static void term(
        struct comparison *c, const struct sator_energy_term *a, const struct sator_energy_term *b)
{
    WORDS("term", component);
    COUNT(a->component, actions);
    NUMBER(a->component, pj_per_action);
    NUMBER(a->component, pj);
    WORDS(a->component, source);
}

/* The terms of "a" in "b", added up by component; those without actions may be left out. */
static void terms(struct comparison *c, const struct sator_energy_term *a, int n_a,
        const struct sator_energy_term *b, int n_b)
{
    for (int i = 0; c->same && i < n_a; i++) {
        sator_int actions[2] = {0, 0};
        double pj[2] = {0, 0};
        for (int k = 0; k < n_a; k++)
            if (strcmp(a[k].component, a[i].component) == 0) {
                actions[0] += a[k].actions;
                pj[0] += a[k].pj;
            }
        for (int k = 0; k < n_b; k++)
            if (strcmp(b[k].component, a[i].component) == 0) {
                actions[1] += b[k].actions;
                pj[1] += b[k].pj;
            }
        count(c, a[i].component, "actions", actions[0], actions[1]);
        number(c, a[i].component, "pj", pj[0], pj[1]);
    }
}

static void totals(struct comparison *c, const struct sator_result *a, const struct sator_result *b)
{
    WORDS("result", model);
    WORDS("result", timing);
    WORDS("result", bound_by);
    if (!c->options->other_engine)
        WORDS("result", engine);
    if (!c->options->other_names) {
        WORDS("result", dataflow);
        WORDS("result", space);
        WORDS("result", time);
    }
    COUNT("result", instances);
    COUNT("result", stamps);
    COUNT("result", time_stamps);
    COUNT("result", pes);
    COUNT("result", active_pes);
    COUNT("result", max_active_pes);
    COUNT("result", max_instances_per_stamp);
    NUMBER("result", utilization_average);
    NUMBER("result", utilization_max);
    NUMBER("result", macs_per_cycle);
    NUMBER("result", compute_cycles);
    NUMBER("result", total_cycles);
    NUMBER("result", scheduled_cycles);
    NUMBER("result", scheduled_compute_cycles);
    NUMBER("result", read_cycles);
    NUMBER("result", write_cycles);
    NUMBER("result", interconnect_bits_per_cycle);
    NUMBER("result", scratchpad_bits_per_cycle);
    NUMBER("result", energy_pj);
    NUMBER("result", edp);
}

bool same_results(const struct sator_result *a, const struct sator_result *b,
        const struct same_options *options, char *text, size_t size)
{
    struct comparison comparison = {options, text, size, true, false}, *c = &comparison;

    COUNT("result", n_tensors);
    COUNT("result", n_levels);
    COUNT("result", n_ports);
    COUNT("result", n_energy_terms);
    for (int i = 0; c->same && i < a->n_tensors; i++)
        tensor(c, &a->tensors[i], &b->tensors[i]);
    for (int i = 0; c->same && i < a->n_levels; i++)
        level(c, &a->levels[i], &b->levels[i]);
    for (int i = 0; c->same && i < a->n_ports; i++)
        port(c, &a->ports[i], &b->ports[i]);
    for (int i = 0; c->same && i < a->n_energy_terms; i++)
        term(c, &a->energy_terms[i], &b->energy_terms[i]);
    if (c->same)
        totals(c, a, b);
    return c->same;
}

bool same_mapping(
        const struct sator_map_result *a, const struct sator_result *b, char *text, size_t size)
{
    static const struct same_options options = {.tolerance = 1e-9};
    struct comparison comparison = {&options, text, size, true, true}, *c = &comparison;
    int next = 0;

    for (int i = 0; c->same && i < a->n_levels; i++)
        if (!a->levels[i].is_array && next < b->n_levels)
            level(c, a->levels[i].contents, &b->levels[next++]);
    count(c, "mapping", "memories", next, b->n_levels);
    terms(c, a->energy_terms, a->n_energy_terms, b->energy_terms, b->n_energy_terms);
    terms(c, b->energy_terms, b->n_energy_terms, a->energy_terms, a->n_energy_terms);
    COUNT("mapping", instances);
    COUNT("mapping", time_stamps);
    COUNT("mapping", pes);
    COUNT("mapping", active_pes);
    number(c, "mapping", "utilization", a->utilization, b->utilization_average);
    NUMBER("mapping", compute_cycles);
    NUMBER("mapping", total_cycles);
    NUMBER("mapping", energy_pj);
    NUMBER("mapping", edp);
    WORDS("mapping", bound_by);
    return c->same;
}
