/* A result as the store keeps it: figures by number, and expressions over them. */
#ifndef SATOR_EXPLORE_RECORD_H
#define SATOR_EXPLORE_RECORD_H

#include "base/context.h"
#include "sator/analyze.h"

enum {
#define FIELD(key, alias, kind, better, value) +1
    EXPLORE_N_FIELDS = 0
#include "explore/fields.def"
#undef FIELD
            ,
#define TENSOR_FIELD(key, value) +1
    EXPLORE_N_TENSOR_FIELDS = 0
#include "explore/tensor_fields.def"
#undef TENSOR_FIELD
};

enum explore_kind {
    EXPLORE_COUNT,
    EXPLORE_NUMBER
};
enum explore_better {
    EXPLORE_LOW,
    EXPLORE_HIGH
};

struct explore_field {
    const char *key, *alias;
    enum explore_kind kind;
    enum explore_better better;
};
enum {
    EXPLORE_MOST_FIGURES = 16
};

extern const struct explore_field explore_fields[EXPLORE_N_FIELDS];
extern const char *const explore_tensor_fields[EXPLORE_N_TENSOR_FIELDS];

/* A figure: a count, or a number, NAN when the architecture does not say. */
struct explore_value {
    enum explore_kind kind;
    sator_int count;
    double number;
};

struct explore_tensor {
    const char *name; /* borrowed */
    enum sator_role role;
    sator_int volumes[EXPLORE_N_TENSOR_FIELDS];
};

struct explore_record {
    int layer, hardware;
    uint64_t point;
    struct explore_value fields[EXPLORE_N_FIELDS];
    int n_figures; /* named ones (figures.h) */
    struct explore_value *figures;
    int n_tensors;
    struct explore_tensor *tensors;
};

/* The column of a tensor's volume number "field": "tensors.A.read.footprint", in "arena". */
const char *explore_tensor_column(
        struct sator_arena *arena, const char *tensor, enum sator_role role, int field);
/* The figures of "result", on a machine of "area" um2, into "record", whose tensors the caller
 * provides (room for all of the result's). */
void explore_record_set(
        struct explore_record *record, const struct sator_result *result, double area);
double explore_value_number(const struct explore_value *value);
/* The number of the field "key"; -1 when there is none. */
int explore_field_index(const char *key);

/* Totals of a network: add "record", "repeat" times, to "total" (zeroed before the first, with
 * room for the record's figures); "figures" are their names. Then derive what is no sum. */
bool explore_record_add(struct explore_record *total, const struct explore_record *record,
        int repeat, const char *const *figures);
void explore_record_finish(struct explore_record *total);

/* ---- expressions: "pes <= 256 and energy_pj.total < 1e9" ---- */

struct explore_expression;
struct explore_names; /* figures.h */

/* Read "text", an option's argument ("option" is its name, for messages). Operators, loosest first:
 * or; and; not; < <= >
 * >= == !=; + -; * /; minus; parentheses, min(a, b), max(a, b), numbers, figures,
 * tensors.NAME.FIGURE and the other names of "names", which notes the figures that are named. The
 * expression lives in "arena". */
enum sator_status explore_expression_read(struct sator_ctx *ctx, struct sator_arena *arena,
        const char *option, const char *text, struct explore_names *names,
        const struct explore_expression **expression);
/* Its value: counts stay counts under + - * where they fit; a truth is the count 0 or 1; a
 * comparison with a missing figure is false. */
struct explore_value explore_expression_value(
        const struct explore_expression *expression, const struct explore_record *record);
bool explore_expression_holds(
        const struct explore_expression *expression, const struct explore_record *record);
/* The number of a figure that the record lacks and that keeps the expression from holding: a
 * field's, or of a named figure EXPLORE_N_FIELDS more. -1: it holds, or fails whatever such figures
 * are. */
int explore_expression_unknown(
        const struct explore_expression *expression, const struct explore_record *record);
/* The name of figure number "unknown". */
const char *explore_unknown_name(const struct explore_names *names, int unknown);
/* Whether no result with the PEs and the area of "machine" fulfils it. */
bool explore_expression_refuses(
        const struct explore_expression *expression, const struct explore_record *machine);
/* Whether it names a figure of a tensor. */
bool explore_expression_names_tensors(const struct explore_expression *expression);
/* Whether it names a figure that points which are the same but for names may differ in. */
bool explore_expression_tells_names(
        const struct explore_expression *expression, const struct explore_names *names);
/* The field that it is, and nothing else; -1 otherwise. */
int explore_expression_field(const struct explore_expression *expression);

/* Whether it cannot fall when latency or energy rise, all else equal ("latency", "edp", "2 * energy
 * + latency"). */
bool explore_expression_is_monotone(const struct explore_expression *expression);
/* Whether a result that is not worse in latency and energy fulfils it wherever one does that is as
 * large. */
bool explore_expression_is_bound(const struct explore_expression *expression);

/* A comma-separated list of objectives. */
struct explore_objective {
    const char *text;
    const struct explore_expression *expression;
    bool maximize; /* a lone figure of which more is better */
};
enum sator_status explore_objectives_read(struct sator_ctx *ctx, struct sator_arena *arena,
        const char *option, const char *text, struct explore_names *names, int *n_objectives,
        struct explore_objective **objectives);
/* What is minimised; INFINITY when it is missing. */
double explore_objective_cost(
        const struct explore_objective *objective, const struct explore_record *record);

/* The number, as above, of the figure for want of which the objective has no value; -1: none. */
int explore_objective_unknown(
        const struct explore_objective *objective, const struct explore_record *record);

/* A set of points none of which is better than another in some of "n" costs and as good in the
 * rest. Equal points all stay. */
struct explore_front {
    int n_costs, n_members, capacity;
    double *costs; /* n_costs a member */
    uint64_t *labels; /* a member's number, as given */
};
/* Try to add a point; "label" is the caller's. false: a member is better. */
bool explore_front_add(struct explore_front *front, const double *costs, uint64_t label);
void explore_front_clear(struct explore_front *front);

#endif
