/* Expressions over the figures of a result: their values, and what is known of them without one. */
#include "base/checked.h"
#include "explore/expression.h"
#include "explore/figures.h"

#include <math.h>
#include <string.h>

/* ---- values ---- */

static struct explore_value truth(bool value)
{
    return (struct explore_value){.kind = EXPLORE_COUNT, .count = value, .number = NAN};
}

static bool holds(const struct explore_value *value)
{
    return value->kind == EXPLORE_COUNT ? value->count != 0
                                        : value->number != 0 && !isnan(value->number);
}

/* Counts are compared exactly, past 2^53 too. */
static bool compare(
        enum explore_op op, const struct explore_value *a, const struct explore_value *b)
{
    bool counts = a->kind == EXPLORE_COUNT && b->kind == EXPLORE_COUNT;
    double x = explore_value_number(a), y = explore_value_number(b);

    if (isnan(x) || isnan(y))
        return false;
    bool less = counts ? a->count < b->count : x < y;
    bool equal = counts ? a->count == b->count : x == y;
    switch (op) {
    case OP_LESS:
        return less;
    case OP_AT_MOST:
        return less || equal;
    case OP_MORE:
        return !less && !equal;
    case OP_AT_LEAST:
        return !less;
    case OP_EQUAL:
        return equal;
    default:
        return !equal;
    }
}

static struct explore_value calculate(
        enum explore_op op, const struct explore_value *a, const struct explore_value *b)
{
    struct explore_value result = {.kind = EXPLORE_COUNT, .number = NAN};
    double x = explore_value_number(a), y = explore_value_number(b);
    bool counts = a->kind == EXPLORE_COUNT && b->kind == EXPLORE_COUNT;

    if (counts && op == OP_ADD && sator_add(a->count, b->count, &result.count))
        return result;
    if (counts && op == OP_SUBTRACT && sator_sub(a->count, b->count, &result.count))
        return result;
    if (counts && op == OP_MULTIPLY && sator_mul(a->count, b->count, &result.count))
        return result;
    result.kind = EXPLORE_NUMBER;
    result.number = op == OP_ADD ? x + y
            : op == OP_SUBTRACT  ? x - y
            : op == OP_MULTIPLY  ? x * y
                                 : x / y;
    return result;
}

static struct explore_value tensor_value(
        const struct explore_expression *e, const struct explore_record *record)
{
    struct explore_value sum = {.kind = EXPLORE_NUMBER, .number = NAN};

    for (int i = 0; i < record->n_tensors; i++) {
        const struct explore_tensor *tensor = &record->tensors[i];
        if (strcmp(tensor->name, e->tensor) != 0 || (e->role >= 0 && (int)tensor->role != e->role))
            continue;
        struct explore_value one = {.kind = EXPLORE_COUNT, .count = tensor->volumes[e->field]};
        sum = isnan(explore_value_number(&sum)) ? one : calculate(OP_ADD, &sum, &one);
    }
    return sum;
}

struct explore_value explore_expression_value(
        const struct explore_expression *e, const struct explore_record *record)
{
    struct explore_value a = {.number = NAN}, b = {.number = NAN};

    if (e->kids[0] != NULL)
        a = explore_expression_value(e->kids[0], record);
    if (e->kids[1] != NULL)
        b = explore_expression_value(e->kids[1], record);
    switch (e->op) {
    case OP_NUMBER:
        return e->value;
    case OP_FIELD:
        return record->fields[e->field];
    case OP_TENSOR:
        return tensor_value(e, record);
    case OP_FIGURE:
        return record->figures[e->field];
    case OP_NEGATE:
        return calculate(OP_SUBTRACT, &(struct explore_value){.kind = EXPLORE_COUNT}, &a);
    case OP_NOT:
        return truth(!holds(&a));
    case OP_AND:
        return truth(holds(&a) && holds(&b));
    case OP_OR:
        return truth(holds(&a) || holds(&b));
    case OP_MIN:
        return compare(OP_LESS, &b, &a) || isnan(explore_value_number(&b)) ? b : a;
    case OP_MAX:
        return compare(OP_LESS, &a, &b) || isnan(explore_value_number(&b)) ? b : a;
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
    case OP_DIVIDE:
        return calculate(e->op, &a, &b);
    default:
        return truth(compare(e->op, &a, &b));
    }
}

bool explore_expression_holds(
        const struct explore_expression *expression, const struct explore_record *record)
{
    struct explore_value value = explore_expression_value(expression, record);

    return holds(&value);
}

/* The first figure named that the record lacks. */
static int missing_figure(const struct explore_expression *e, const struct explore_record *record)
{
    int missing = -1;

    if (e->op == OP_FIELD)
        return isnan(explore_value_number(&record->fields[e->field])) ? e->field : -1;
    if (e->op == OP_FIGURE)
        return e->field < record->n_figures &&
                        isnan(explore_value_number(&record->figures[e->field]))
                ? EXPLORE_N_FIELDS + e->field
                : -1;
    for (int i = 0; i < 2 && missing < 0; i++)
        missing = e->kids[i] == NULL ? -1 : missing_figure(e->kids[i], record);
    return missing;
}

int explore_expression_unknown(
        const struct explore_expression *e, const struct explore_record *record)
{
    int unknown = -1;

    if (explore_expression_holds(e, record))
        return -1;
    if (e->op != OP_AND && e->op != OP_OR)
        return missing_figure(e, record);
    for (int i = 0; i < 2; i++) {
        int kid = explore_expression_unknown(e->kids[i], record);
        if (e->op == OP_AND && kid < 0 && !explore_expression_holds(e->kids[i], record))
            return -1; /* this half alone refuses it */
        unknown = unknown < 0 ? kid : unknown;
    }
    return unknown;
}

const char *explore_unknown_name(const struct explore_names *names, int unknown)
{
    if (unknown >= EXPLORE_N_FIELDS)
        return names->figures[unknown - EXPLORE_N_FIELDS];
    return explore_fields[unknown].alias != NULL ? explore_fields[unknown].alias
                                                 : explore_fields[unknown].key;
}

bool explore_expression_names_tensors(const struct explore_expression *e)
{
    return e->op == OP_TENSOR ||
            (e->kids[0] != NULL && explore_expression_names_tensors(e->kids[0])) ||
            (e->kids[1] != NULL && explore_expression_names_tensors(e->kids[1]));
}

bool explore_expression_tells_names(
        const struct explore_expression *e, const struct explore_names *names)
{
    if (e->op == OP_FIGURE)
        return !explore_figure_is_symmetric(names, e->field);
    return (e->kids[0] != NULL && explore_expression_tells_names(e->kids[0], names)) ||
            (e->kids[1] != NULL && explore_expression_tells_names(e->kids[1], names));
}

static bool names_only(const struct explore_expression *e, int n_keys, const char *const *keys)
{
    if (e->op == OP_TENSOR || e->op == OP_FIGURE)
        return false;
    if (e->op == OP_FIELD) {
        bool found = false;
        for (int i = 0; i < n_keys; i++)
            found = found || strcmp(explore_fields[e->field].key, keys[i]) == 0;
        return found;
    }
    for (int i = 0; i < 2; i++) {
        if (e->kids[i] != NULL && !names_only(e->kids[i], n_keys, keys))
            return false;
    }
    return true;
}

bool explore_expression_refuses(
        const struct explore_expression *e, const struct explore_record *machine)
{
    static const char *const known[] = {"pes", "area_um2.total"};

    if (names_only(e, 2, known))
        return !explore_expression_holds(e, machine);
    if (e->op == OP_AND)
        return explore_expression_refuses(e->kids[0], machine) ||
                explore_expression_refuses(e->kids[1], machine);
    return e->op == OP_OR && explore_expression_refuses(e->kids[0], machine) &&
            explore_expression_refuses(e->kids[1], machine);
}

/* All figures are positive, so sums, products and the like of them grow with each. */
bool explore_expression_is_monotone(const struct explore_expression *e)
{
    static const char *const growing[] = {"latency_cycles.total", "energy_pj.total", "edp"};

    switch (e->op) {
    case OP_NUMBER:
        return true; /* never negative: a minus is an operator */
    case OP_FIELD:
        return names_only(e, 3, growing);
    case OP_ADD:
    case OP_MULTIPLY:
    case OP_MIN:
    case OP_MAX:
        return explore_expression_is_monotone(e->kids[0]) &&
                explore_expression_is_monotone(e->kids[1]);
    default:
        return false;
    }
}

bool explore_expression_is_bound(const struct explore_expression *e)
{
    static const char *const constant[] = {
            "instances", "pes", "area_um2.total"}; /* the same for all points of a space */

    if (names_only(e, 3, constant))
        return true;
    switch (e->op) {
    case OP_AND:
    case OP_OR:
        return explore_expression_is_bound(e->kids[0]) && explore_expression_is_bound(e->kids[1]);
    case OP_LESS:
    case OP_AT_MOST:
        return explore_expression_is_monotone(e->kids[0]) && names_only(e->kids[1], 3, constant);
    case OP_MORE:
    case OP_AT_LEAST:
        return explore_expression_is_monotone(e->kids[1]) && names_only(e->kids[0], 3, constant);
    default:
        return false;
    }
}

int explore_expression_field(const struct explore_expression *expression)
{
    return expression->op == OP_FIELD ? expression->field : -1;
}

int explore_objective_unknown(
        const struct explore_objective *objective, const struct explore_record *record)
{
    struct explore_value value = explore_expression_value(objective->expression, record);

    return isnan(explore_value_number(&value)) ? missing_figure(objective->expression, record) : -1;
}

double explore_objective_cost(
        const struct explore_objective *objective, const struct explore_record *record)
{
    struct explore_value value = explore_expression_value(objective->expression, record);
    double cost = explore_value_number(&value);

    return isnan(cost) ? INFINITY : objective->maximize ? -cost : cost;
}
