/* What the writers of reports share: figures by name, and tables of text. */
#ifndef SATOR_REPORT_REPORT_H
#define SATOR_REPORT_REPORT_H

#include "base/context.h"
#include "base/grid.h"
#include "base/text.h"
#include "sator/report.h"

/* Whether "n" results are there, none of them NULL. */
bool report_has_results(const void *const *results, int n);

/* ---- figures (metrics.c) ---- */

enum value_kind {
    VALUE_NONE,
    VALUE_COUNT,
    VALUE_NUMBER,
    VALUE_WORD
};

/* A figure; a number that is NAN is VALUE_NONE. */
struct value {
    enum value_kind kind;
    sator_int count;
    double number;
    const char *word;
};

enum metric_format {
    FORMAT_COUNT,
    FORMAT_CYCLES,
    FORMAT_PERCENT,
    FORMAT_RATE,
    FORMAT_ENERGY,
    FORMAT_PRODUCT,
    FORMAT_WORD
};
enum metric_better {
    BETTER_LOW,
    BETTER_HIGH,
    BETTER_NEITHER
};

struct metric {
    const char *key, *alias, *header, *unit;
    enum metric_format format;
    enum metric_better better;
    struct value (*of_result)(const struct sator_result *r);
    struct value (*of_network)(const struct sator_network_result *n);
};
extern const struct metric report_metrics[];
extern const int report_metric_count;

struct tensor_field {
    const char *key;
    enum metric_better better;
    struct value (*of_tensor)(const struct sator_tensor_result *t);
};
extern const struct tensor_field report_tensor_fields[];
extern const int report_tensor_field_count;

/* What --sort names: a metric, or a field of the tensor labelled "tensor". */
struct sort_key {
    const struct metric *metric;
    const struct tensor_field *field;
    const char *tensor;
};
/* SATOR_USAGE with a message that has the nearest key when "text" is none. NULL text: an empty key.
 */
enum sator_status report_sort_key(struct sator_ctx *ctx, struct sator_arena *arena,
        const char *text, bool networks, struct sort_key *key);
/* The same for any figure of a result that is no word; SATOR_USAGE when "text" is none, with a
 * message unless "ctx" is NULL. */
enum sator_status report_figure_key(
        struct sator_ctx *ctx, struct sator_arena *arena, const char *text, struct sort_key *key);
/* Whether a network's totals have this figure. */
bool report_network_has(const struct metric *metric);
/* The number of bandwidths that every layer of a network was swept over, and the latency of the
 * network, repeats included, at one of them. */
int report_network_points(const struct sator_network_result *network);
double report_network_cycles(const struct sator_network_result *network, int point);
/* The key of a row of metrics.def, by its full name. */
struct sort_key report_metric_key(const char *name);
struct value report_key_value(const struct sort_key *key, const struct sator_result *result);
enum metric_better report_key_better(const struct sort_key *key);
/* Whether "a" comes before "b": better, and any value before none. Equal values: neither. */
bool report_value_before(const struct value *a, const struct value *b, enum metric_better better);
/* Stable: order[] (0 .. n-1 on entry) by values[order[i]], the best first. */
void report_sort_order(int *order, int n, const struct value *values, enum metric_better better);

const char *report_role_name(enum sator_role role);
/* What would decide the latency if what does took no time, with its delay. NULL: nothing else has
 * one, or delays add up (transfers that wait for each other, the scheduled latency). */
const char *report_next_bound(const struct sator_result *result, double *cycles);
/* A tensor's name in "result", with its role where it has two: "C", or "C(write)". */
const char *report_tensor_label(
        struct sator_arena *arena, const struct sator_result *result, int tensor);

/* ---- text (table.c) ---- */

/* "text" fit for one line of a terminal: control characters and broken UTF-8 become '?'. NULL is
 * "-". */
const char *report_clean(struct sator_arena *arena, const char *text);
/* "text" with broken UTF-8 replaced by U+FFFD, for JSON. */
const char *report_utf8(struct sator_arena *arena, const char *text);

const char *report_count(struct sator_arena *arena, sator_int count); /* 1,234,567 */
/* "1,234.50" with "decimals" digits after the point; "-" for NAN. */
const char *report_fixed(struct sator_arena *arena, double number, int decimals);
/* The same, but without a fraction for a whole number. */
const char *report_number(struct sator_arena *arena, double number, int decimals);
/* The same with what is counted, in the singular or, with an s, the plural: "1 cycle". */
const char *report_counted(struct sator_arena *arena, sator_int count, const char *noun);
const char *report_quantity(
        struct sator_arena *arena, double number, int decimals, const char *noun);
/* The room that advice about a memory asks for: "1.50 MiB", "68 words". */
const char *report_room(struct sator_arena *arena, const struct sator_advice *item);
/* Whether "number" is whole but for rounding errors. */
bool report_is_whole(double number);
/* The energy unit that suits values of which "least_pj" is the least positive one, and its size in
 * pJ. */
const char *report_energy_unit(double least_pj, double *unit_pj);
/* A value as its metric is shown; energies in "unit_pj", rates and cycles with "decimals". */
const char *report_value(struct sator_arena *arena, const struct value *value,
        enum metric_format format, double unit_pj, int decimals);

/* How text looks: tables (base/grid.h) and lines. */
struct look {
    bool color; /* of a terminal */
    int width; /* of a line; 0: any */
};
struct look report_look(const struct sator_report_options *options);

/* "text" as a string (TAKE, GIVE: free) whose lines are broken at blanks where they are wider than
 * "look" has it; what follows is indented to where the line's value begins. */
char *report_take(struct sator_text *text, struct look look);

/* The title of a section, after an empty line. */
void report_section(struct sator_text *text, const char *title, struct look look);
/* A line "  name         value". */
__attribute__((format(printf, 3, 4))) void report_line(
        struct sator_text *text, const char *name, const char *format, ...);

/* ---- writers ---- */

/* A comparison: results in the order to be shown, or networks. */
struct comparison {
    struct sator_arena *arena;
    struct sator_ctx *ctx;
    const struct sator_report_options *options;
    struct sort_key key; /* empty: as given */
    int n_results;
    const struct sator_result *const *results;
    int n_networks;
    const struct sator_network_result *const *networks;
};

void report_text_result(struct sator_text *text, struct sator_arena *arena,
        const struct sator_result *result, struct look look);
void report_text_results(struct sator_text *text, const struct comparison *comparison);
void report_text_networks(struct sator_text *text, const struct comparison *comparison);
char *report_json_results(const struct comparison *comparison);
char *report_json_networks(const struct comparison *comparison);
char *report_json_library(
        struct sator_arena *arena, const char *const *kinds, int n_kinds, int schema);
/* Whether CSV is written: Markdown and LaTeX are tables of its main columns. */
bool report_is_csv(enum sator_format format);
/* What was written, empty then, in the format and the look of "options" (GIVE: free). */
char *report_finish(struct sator_text *text, const struct sator_report_options *options);
void report_csv_results(struct sator_text *text, const struct comparison *comparison);
void report_csv_networks(struct sator_text *text, const struct comparison *comparison);
/* One CSV field, quoted where necessary (RFC 4180), and the separator before it unless it is the
 * first. */
void report_csv_field(struct sator_text *text, bool first, const char *field);

#endif
