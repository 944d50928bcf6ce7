/* The comparison of test/oracle's judge with an analysis. */
#include "support/judge.h"

#include "oracle/notation.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct check {
    char *difference; /* what is wrong, "" when nothing */
    size_t size;
    bool other_cuts;
};

__attribute__((format(printf, 2, 3))) static void differ(
        struct check *check, const char *format, ...)
{
    va_list arguments;

    if (check->difference[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(check->difference, check->size, format, arguments);
    va_end(arguments);
}

static void expect(
        struct check *check, const char *of, const char *field, sator_int got, int64_t expected)
{
    char text[48];

    if (got != expected)
        differ(check, "%s: %s is %s, must be %" PRId64, of, field, sator_int_format(got, 0, text),
                expected);
}

static void expect_number(
        struct check *check, const char *of, const char *field, double got, double expected)
{
    if (!(isnan(got) && isnan(expected)) && !(fabs(got - expected) <= 1e-12 * fabs(expected)))
        differ(check, "%s: %s is %.17g, must be %.17g", of, field, got, expected);
}

/* ---- one result ---- */

static void compare_volumes(struct check *check, const struct hardware *hardware,
        const struct hardware_result *expected, const struct sator_result *got)
{
    expect(check, "analysis", "instances", got->instances, expected->instances);
    expect(check, "analysis", "stamps", got->stamps, expected->stamps);
    expect(check, "analysis", "time_stamps", got->time_stamps, expected->time_stamps);
    for (int a = 0; a < hardware->program.n_accesses; a++) {
        const struct oracle_access *access = &hardware->program.accesses[a];
        const struct hardware_volumes *volumes = &expected->volumes[a];
        for (int t = 0; t < got->n_tensors; t++) {
            const struct sator_tensor_result *tensor = &got->tensors[t];
            if (strcmp(tensor->name, notation_tensor(access->tensor)) != 0 ||
                    (tensor->role == SATOR_WRITE) != access->is_write)
                continue;
            expect(check, tensor->name, "access_volume", tensor->access_volume, volumes->access);
            expect(check, tensor->name, "total_volume", tensor->total_volume, volumes->total);
            expect(check, tensor->name, "temporal_reuse", tensor->temporal_reuse,
                    volumes->temporal);
            expect(check, tensor->name, "spatial_reuse", tensor->spatial_reuse, volumes->spatial);
            expect(check, tensor->name, "unique_volume", tensor->unique_volume, volumes->unique);
            expect(check, tensor->name, "footprint", tensor->footprint, volumes->footprint);
        }
    }
}

static void compare_level(struct check *check, const struct hardware *hardware, int level,
        const struct hardware_result *expected, const struct sator_level_result *got)
{
    int n_held = 0, space = 0;

    for (int l = 0; l < level; l++)
        space += hardware->levels[l].n_dims;
    expect(check, got->name, "time_cut", got->time_cut, expected->cuts[level]);
    expect(check, got->name, "space_cut", got->space_cut, space);
    if (!check->other_cuts)
        expect(check, got->name, "cut_declared", got->cut_declared,
                hardware->levels[level].cut >= 0);
    for (int a = 0; a < hardware->program.n_accesses; a++) {
        const struct oracle_access *access = &hardware->program.accesses[a];
        const struct hardware_words *words = &expected->words[level][a];
        const struct sator_level_tensor *here = NULL;
        char of[64];
        for (int t = 0; t < got->n_tensors; t++)
            if (strcmp(got->tensors[t].name, notation_tensor(access->tensor)) == 0 &&
                    (got->tensors[t].role == SATOR_WRITE) == access->is_write)
                here = &got->tensors[t];
        n_held += words->held;
        snprintf(of, sizeof of, "%s, %s %s", got->name, notation_tensor(access->tensor),
                access->is_write ? "written" : "read");
        if (!words->held || !here) {
            if (words->held || here)
                differ(check, "%s: %s", of, here ? "is held" : "is not held");
            continue;
        }
        expect(check, of, "tile_words", here->tile_words, words->tile);
        expect(check, of, "fills", here->fills, words->fills);
        expect(check, of, "writes", here->writes, words->writes);
        expect(check, of, "reads", here->reads, words->reads);
        expect(check, of, "updates", here->updates, words->updates);
    }
    expect(check, got->name, "tensors", got->n_tensors, n_held);
}

/* Whether the term is that of "component", or of it and a tensor. */
static bool is_term(const struct sator_energy_term *term, const char *component)
{
    size_t length = strlen(component);

    return strncmp(term->component, component, length) == 0 &&
            (term->component[length] == '\0' || term->component[length] == '.');
}

/* The actions of all terms of "component". */
static sator_int actions(const struct sator_result *result, const char *component)
{
    sator_int sum = 0;
    for (int t = 0; t < result->n_energy_terms; t++)
        if (is_term(&result->energy_terms[t], component))
            sum += result->energy_terms[t].actions;
    return sum;
}

static double energy_of(const struct sator_result *result, const char *component)
{
    double sum = 0;
    for (int t = 0; t < result->n_energy_terms; t++)
        if (is_term(&result->energy_terms[t], component))
            sum += result->energy_terms[t].pj;
    return sum;
}

static void compare_networks(struct check *check, const struct hardware *hardware,
        const struct hardware_result *expected, const struct sator_result *got)
{
    char name[HARDWARE_NAME];

    for (int level = 0; level < hardware->n_levels; level++) {
        for (int l = 0; l < hardware->levels[level].n_links; l++) {
            hardware_link_name(hardware, level, l, name);
            expect(check, name, "words", actions(got, name), expected->link_words[level][l]);
        }
        for (int b = 0; b < hardware->levels[level].n_buses; b++) {
            hardware_bus_name(hardware, level, b, name);
            expect(check, name, "words", actions(got, name), expected->bus_words[level][b]);
        }
    }
}

/* Add what moving "words" words of "tensor" takes. */
static void add_actions(const struct hardware *hardware, int level, int tensor, int direction,
        int64_t words, int64_t *count, double *pj)
{
    const struct hardware_level *memory = &hardware->levels[level];
    const struct hardware_energy *energy =
            memory->own_tensor == tensor ? &memory->own_energy : &memory->energy;
    int width = hardware_width(hardware, level, tensor);
    double each = (double)energy->pj[direction];

    if (!energy->is_row) {
        *count += words;
        *pj += (double)words * each * width / energy->bits;
    } else if (width > energy->bits) {
        *count += words * ((width + energy->bits - 1) / energy->bits);
        *pj += (double)words * ((width + energy->bits - 1) / energy->bits) * each;
    } else {
        int together = energy->bits / width;
        *count += (words + together - 1) / together;
        *pj += (double)words * each / together;
    }
}

static void compare_energies(struct check *check, const struct hardware *hardware,
        const struct hardware_result *expected, const struct sator_result *got)
{
    for (int level = 0; level < hardware->n_levels; level++) {
        char name[HARDWARE_NAME], term[2 * HARDWARE_NAME];
        int64_t sums[2] = {0, 0};
        double pj[2] = {0, 0};
        if (hardware->levels[level].is_array)
            continue;
        for (int a = 0; a < hardware->program.n_accesses; a++) {
            const struct hardware_words *words = &expected->words[level][a];
            int tensor = hardware->program.accesses[a].tensor;
            add_actions(hardware, level, tensor, 0, words->reads, &sums[0], &pj[0]);
            add_actions(
                    hardware, level, tensor, 1, words->writes + words->updates, &sums[1], &pj[1]);
        }
        hardware_level_name(hardware, level, name);
        for (int d = 0; d < 2; d++) {
            snprintf(term, sizeof term, "%s.%s", name, d == 0 ? "read" : "write");
            expect(check, term, "actions", actions(got, term), sums[d]);
            expect_number(check, term, "pj", energy_of(got, term), pj[d]);
        }
    }
}

/* The bits of the busiest instance: what it moves by itself, where no sums pass from PE to PE; in
 * no case more than really passes. */
static void compare_bits(struct check *check, const struct hardware_port_result *expected,
        const struct sator_port_result *port, bool sums_pass)
{
    if (port->bits > expected->moved_bits)
        differ(check, "%s: more bits than the %" PRId64 " that pass", port->name,
                expected->moved_bits);
    if (!sums_pass)
        expect(check, port->name, "bits", port->bits, expected->bits);
}

static void compare_port(struct check *check, const struct hardware_port_result *expected,
        const struct sator_result *got, bool sums_pass)
{
    const struct sator_port_result *port = NULL;

    for (int p = 0; p < got->n_ports; p++)
        if (strcmp(got->ports[p].name, expected->name) == 0)
            port = &got->ports[p];
    if (!port) {
        differ(check, "%s: not in the result", expected->name);
        return;
    }
    if (port->bits >= 0 || expected->bandwidth > 0)
        compare_bits(check, expected, port, sums_pass);
    expect(check, port->name, "reads", port->reads, expected->direction != HARDWARE_WRITE);
    expect(check, port->name, "writes", port->writes, expected->direction != HARDWARE_READ);
    expect_number(check, port->name, "bandwidth_bits", port->bandwidth_bits,
            expected->bandwidth > 0 ? (double)expected->bandwidth : NAN);
    expect_number(check, port->name, "cycles", port->cycles,
            expected->bandwidth == 0 ? NAN : (double)port->bits / (double)expected->bandwidth);
    expect(check, port->name, "unknown", port->unknown != NULL, expected->bandwidth == 0);
}

/* Whether the roofline is that of what is said to bind, and nothing is slower; in phases what is
 * busy for longest binds, and the roofline is no more than the whole. */
static bool is_bound(const struct sator_result *got)
{
    bool named = strcmp(got->timing, "scheduled") == 0
            ? got->roofline_cycles <= got->total_cycles * (1 + 1e-12)
            : strcmp(got->bound_by, "compute") == 0 && got->roofline_cycles == got->compute_cycles;

    for (int p = 0; p < got->n_ports; p++) {
        const struct sator_port_result *port = &got->ports[p];
        named |= strcmp(got->bound_by, port->name) == 0 && got->roofline_cycles == port->cycles;
        if (port->cycles > got->roofline_cycles)
            return false;
    }
    return named && got->compute_cycles <= got->roofline_cycles;
}

static void compare_time(
        struct check *check, const struct hardware_result *expected, const struct sator_result *got)
{
    for (int p = 0; p < expected->n_ports; p++)
        compare_port(check, &expected->ports[p], got, expected->sums_pass);
    for (int g = 0; g < got->n_ports; g++) {
        bool known = got->ports[g].bits <= 0 && got->ports[g].unknown == NULL;
        for (int p = 0; p < expected->n_ports; p++)
            known = known || strcmp(expected->ports[p].name, got->ports[g].name) == 0;
        if (!known)
            differ(check, "%s: nothing passes there", got->ports[g].name);
    }
    if (got->compute_cycles > expected->compute_cycles ||
            got->compute_cycles < (double)expected->time_stamps)
        differ(check, "%g cycles of compute, must be %g", got->compute_cycles,
                expected->compute_cycles);
    if (!is_bound(got))
        differ(check, "the roofline is not that of '%s'", got->bound_by);
}

bool judge_agrees(const struct hardware *hardware, const struct hardware_result *expected,
        const struct sator_result *got, bool other_cuts, char *text, size_t size)
{
    struct check checked = {text, size, other_cuts}, *check = &checked;
    int next = 0;

    text[0] = '\0';
    compare_volumes(check, hardware, expected, got);
    for (int level = 0; level < hardware->n_levels; level++)
        if (!hardware->levels[level].is_array && next < got->n_levels)
            compare_level(check, hardware, level, expected, &got->levels[next++]);
    expect(check, "analysis", "levels", got->n_levels, next);
    compare_networks(check, hardware, expected, got);
    compare_energies(check, hardware, expected, got);
    compare_time(check, expected, got);
    return text[0] == '\0';
}
