#include "report/report.h"

#include "base/checked.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static struct value count(sator_int value)
{
    return (struct value){.kind = VALUE_COUNT, .count = value};
}

static struct value number(double value)
{
    return (struct value){.kind = isnan(value) ? VALUE_NONE : VALUE_NUMBER, .number = value};
}

static struct value word(const char *value)
{
    return (struct value){.kind = VALUE_WORD, .word = value};
}

const char *report_role_name(enum sator_role role)
{
    return role == SATOR_READ ? "read" : "write";
}

/* The words of all tensors that cross between scratchpad and array. */
static struct value unique_volume(const struct sator_result *result)
{
    sator_int sum = 0;

    for (int i = 0; i < result->n_tensors; i++) {
        if (!sator_add(sum, result->tensors[i].unique_volume, &sum))
            return (struct value){.kind = VALUE_NONE};
    }
    return count(sum);
}

/* Each row becomes two small functions, named by its line. */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define NONE ((struct value){.kind = VALUE_NONE})
#define METRIC(key, alias, header, unit, format, better, of_result, of_network)                    \
    static struct value PASTE(result_, __LINE__)(const struct sator_result *r)                     \
    {                                                                                              \
        return of_result;                                                                          \
    }                                                                                              \
    static struct value PASTE(network_, __LINE__)(const struct sator_network_result *n)            \
    {                                                                                              \
        (void)n;                                                                                   \
        return of_network;                                                                         \
    }
#include "report/metrics.def"
#undef METRIC

const struct metric report_metrics[] = {
#define METRIC(key, alias, header, unit, format, better, of_result, of_network)                    \
    {key, alias, header, unit, FORMAT_##format, BETTER_##better, PASTE(result_, __LINE__),         \
            PASTE(network_, __LINE__)},
#include "report/metrics.def"
#undef METRIC
};
const int report_metric_count = (int)(sizeof report_metrics / sizeof *report_metrics);

#define TENSOR_FIELD(key, better, figure)                                                          \
    static struct value PASTE(tensor_, __LINE__)(const struct sator_tensor_result *t)              \
    {                                                                                              \
        return figure;                                                                             \
    }
#include "report/tensor_fields.def"
#undef TENSOR_FIELD

const struct tensor_field report_tensor_fields[] = {
#define TENSOR_FIELD(key, better, figure) {key, BETTER_##better, PASTE(tensor_, __LINE__)},
#include "report/tensor_fields.def"
#undef TENSOR_FIELD
};
const int report_tensor_field_count =
        (int)(sizeof report_tensor_fields / sizeof *report_tensor_fields);

const char *report_next_bound(const struct sator_result *result, double *cycles)
{
    bool computes = strcmp(result->bound_by, "compute") == 0;
    double bound = result->compute_cycles; /* the delay of what decides */
    const char *next = computes ? NULL : "compute";

    *cycles = computes ? 0 : result->compute_cycles;
    for (int i = 0; i < result->n_ports; i++) {
        const struct sator_port_result *port = &result->ports[i];
        if (strcmp(port->name, result->bound_by) == 0) {
            bound = port->cycles;
        } else if (port->cycles > *cycles) {
            next = port->name;
            *cycles = port->cycles;
        }
    }
    return bound == result->total_cycles && *cycles > 0 ? next : NULL;
}

/* ---- --sort ---- */

/* A network's totals have fewer figures than a result: of the others even a network of zeros has
 * none. */
bool report_network_has(const struct metric *metric)
{
    static const struct sator_network_result zeros;

    return metric->of_network(&zeros).kind != VALUE_NONE;
}

int report_network_points(const struct sator_network_result *network)
{
    int n_points = network->n_layers == 0 ? 0 : network->layers[0].result->n_sweep;

    for (int i = 1; i < network->n_layers; i++) {
        int n = network->layers[i].result->n_sweep;
        n_points = n < n_points ? n : n_points;
    }
    return n_points;
}

double report_network_cycles(const struct sator_network_result *network, int point)
{
    double cycles = 0;

    for (int i = 0; i < network->n_layers; i++)
        cycles += network->layers[i].repeat * network->layers[i].result->sweep[point].total_cycles;
    return cycles;
}

/* "tensors.LABEL.FIELD" */
static bool tensor_key(struct sator_arena *arena, const char *text, struct sort_key *key)
{
    static const char prefix[] = "tensors.";
    const char *dot = strrchr(text, '.');

    if (strncmp(text, prefix, strlen(prefix)) != 0 || dot < text + strlen(prefix))
        return false;
    for (int i = 0; i < report_tensor_field_count; i++) {
        if (strcmp(report_tensor_fields[i].key, dot + 1) != 0)
            continue;
        const char *label = text + strlen(prefix);
        *key = (struct sort_key){.field = &report_tensor_fields[i],
                .tensor = sator_arena_strndup(arena, label, (size_t)(dot - label))};
        return true;
    }
    return false;
}

static enum sator_status unknown_key(
        struct sator_ctx *ctx, struct sator_arena *arena, const char *text, bool networks)
{
    const char **names = NULL;
    int n_names = 0;

    for (int i = 0; i < report_metric_count; i++) {
        const struct metric *metric = &report_metrics[i];
        if (metric->better == BETTER_NEITHER || (networks && !report_network_has(metric)))
            continue;
        SATOR_PUSH(arena, names, n_names, metric->key);
        if (metric->alias != NULL)
            SATOR_PUSH(arena, names, n_names, metric->alias);
    }
    sator_error(ctx, (struct sator_loc){0}, "%s: %s has no figure '%s'", sator_word(ctx, "sort"),
            networks ? "a network" : "a result", report_clean(arena, text));
    sator_help_names(ctx, text, names, n_names);
    if (!networks && sator_nearest(text, names, n_names) == NULL)
        sator_help(
                ctx, "a tensor's figures are tensors.A.unique_volume, tensors.A.reuse_factor, ...");
    return SATOR_USAGE;
}

enum sator_status report_sort_key(struct sator_ctx *ctx, struct sator_arena *arena,
        const char *text, bool networks, struct sort_key *key)
{
    *key = (struct sort_key){0};
    if (text == NULL)
        return SATOR_OK;
    for (int i = 0; i < report_metric_count; i++) {
        const struct metric *metric = &report_metrics[i];
        bool named = strcmp(metric->key, text) == 0 ||
                (metric->alias != NULL && strcmp(metric->alias, text) == 0);
        if (named && metric->better != BETTER_NEITHER &&
                (!networks || report_network_has(metric))) {
            key->metric = metric;
            return SATOR_OK;
        }
    }
    if (!networks && tensor_key(arena, text, key))
        return SATOR_OK;
    return unknown_key(ctx, arena, text, networks);
}

enum sator_status report_figure_key(
        struct sator_ctx *ctx, struct sator_arena *arena, const char *text, struct sort_key *key)
{
    const char **names = NULL;
    int n_names = 0;

    *key = (struct sort_key){0};
    for (int i = 0; i < report_metric_count; i++) {
        const struct metric *metric = &report_metrics[i];
        if (metric->format == FORMAT_WORD)
            continue;
        SATOR_PUSH(arena, names, n_names, metric->key);
        if (metric->alias != NULL)
            SATOR_PUSH(arena, names, n_names, metric->alias);
        if (strcmp(metric->key, text) == 0 ||
                (metric->alias != NULL && strcmp(metric->alias, text) == 0))
            key->metric = metric;
    }
    if (key->metric != NULL || tensor_key(arena, text, key))
        return SATOR_OK;
    if (ctx != NULL) {
        sator_error(ctx, (struct sator_loc){0}, "a result has no figure '%s'",
                report_clean(arena, text));
        sator_help_names(ctx, text, names, n_names);
    }
    return SATOR_USAGE;
}

struct sort_key report_metric_key(const char *name)
{
    for (int i = 0; i < report_metric_count; i++) {
        if (strcmp(report_metrics[i].key, name) == 0)
            return (struct sort_key){.metric = &report_metrics[i]};
    }
    assert(false && "a row of metrics.def");
    return (struct sort_key){0};
}

const char *report_tensor_label(
        struct sator_arena *arena, const struct sator_result *result, int tensor)
{
    const struct sator_tensor_result *this = &result->tensors[tensor];

    for (int i = 0; i < result->n_tensors; i++) {
        if (i != tensor && strcmp(result->tensors[i].name, this->name) == 0)
            return sator_arena_printf(arena, "%s(%s)", this->name, report_role_name(this->role));
    }
    return this->name;
}

struct value report_key_value(const struct sort_key *key, const struct sator_result *result)
{
    struct value value = NONE;
    struct sator_arena *scratch;

    if (key->metric != NULL)
        return key->metric->of_result(result);
    scratch = sator_arena_new();
    for (int i = 0; key->field != NULL && i < result->n_tensors; i++) {
        if (strcmp(report_tensor_label(scratch, result, i), key->tensor) == 0)
            value = key->field->of_tensor(&result->tensors[i]);
    }
    sator_arena_free(scratch);
    return value;
}

enum metric_better report_key_better(const struct sort_key *key)
{
    return key->metric != NULL   ? key->metric->better
            : key->field != NULL ? key->field->better
                                 : BETTER_NEITHER;
}

bool report_value_before(const struct value *a, const struct value *b, enum metric_better better)
{
    if (b->kind == VALUE_NONE)
        return a->kind != VALUE_NONE;
    if (a->kind != b->kind || a->kind == VALUE_WORD)
        return false;
    if (a->kind == VALUE_COUNT)
        return better == BETTER_HIGH ? a->count > b->count : a->count < b->count;
    return better == BETTER_HIGH ? a->number > b->number : a->number < b->number;
}

void report_sort_order(int *order, int n, const struct value *values, enum metric_better better)
{
    for (int i = 1; i < n; i++) {
        int moved = order[i], j = i;
        while (j > 0 && report_value_before(&values[moved], &values[order[j - 1]], better)) {
            order[j] = order[j - 1];
            j--;
        }
        order[j] = moved;
    }
}
