/* Expressions over the figures of a result: a recursive-descent reader and an evaluator. */
#include "base/checked.h"
#include "explore/figures.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum op {
    OP_NUMBER,
    OP_FIELD,
    OP_TENSOR,
    OP_FIGURE,
    OP_NEGATE,
    OP_NOT,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_LESS,
    OP_AT_MOST,
    OP_MORE,
    OP_AT_LEAST,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_AND,
    OP_OR,
    OP_MIN,
    OP_MAX
};

struct explore_expression {
    enum op op;
    struct explore_value value; /* OP_NUMBER */
    int field; /* OP_FIELD, OP_TENSOR, OP_FIGURE */
    const char *tensor; /* OP_TENSOR */
    int role; /* OP_TENSOR: enum sator_role, or -1 for both together */
    const struct explore_expression *kids[2];
};

enum {
    MOST_DEPTH = 100
};

struct reader {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_source *source;
    size_t at;
    struct explore_names *names;
    int depth;
    bool failed;
};

/* ---- words ---- */

static void skip_blanks(struct reader *r)
{
    while (isspace((unsigned char)r->source->text[r->at]))
        r->at++;
}

static const struct explore_expression *fail(
        struct reader *r, size_t offset, size_t length, const char *what)
{
    if (!r->failed)
        sator_error(r->ctx, (struct sator_loc){r->source, offset, length}, "%s", what);
    r->failed = true;
    return NULL;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Take "word" when it comes next; a word of letters has to end there. */
static bool take(struct reader *r, const char *word)
{
    size_t length = strlen(word);

    skip_blanks(r);
    if (strncmp(r->source->text + r->at, word, length) != 0)
        return false;
    if (isalpha((unsigned char)*word) && is_name(r->source->text[r->at + length]))
        return false;
    r->at += length;
    return true;
}

static const struct explore_expression *make(struct reader *r, enum op op,
        const struct explore_expression *a, const struct explore_expression *b)
{
    struct explore_expression *made = SATOR_NEW(r->arena, struct explore_expression);

    if (r->failed)
        return NULL;
    *made = (struct explore_expression){.op = op, .kids = {a, b}};
    return made;
}

/* ---- reading ---- */

static const struct explore_expression *read_or(struct reader *r);

static const struct explore_expression *unknown_name(
        struct reader *r, size_t start, const char *name, int n_names, const char *const *names)
{
    if (!r->failed) {
        sator_error(r->ctx, (struct sator_loc){r->source, start, strlen(name)},
                "there is no figure '%s'", name);
        sator_help_names(r->ctx, name, names, n_names);
    }
    r->failed = true;
    return NULL;
}

/* tensors.NAME[.read|.write].FIGURE, from after "tensors."; names of tensors have no dots. */
static const struct explore_expression *read_tensor(struct reader *r, const char *name)
{
    static const char *const roles[] = {"read", "write"};
    const char *at = name + strlen("tensors."), *dot = strchr(at, '.');
    struct explore_expression *made = SATOR_NEW(r->arena, struct explore_expression);

    *made = (struct explore_expression){.op = OP_TENSOR, .role = -1, .field = -1};
    for (int i = 0; i < r->names->n_tensors && dot != NULL; i++) {
        const char *tensor = r->names->tensors[i];
        if (strlen(tensor) == (size_t)(dot - at) && strncmp(tensor, at, (size_t)(dot - at)) == 0)
            made->tensor = tensor;
    }
    for (int role = 0; role < 2 && dot != NULL; role++) {
        size_t length = strlen(roles[role]);
        if (strncmp(dot + 1, roles[role], length) == 0 && dot[1 + length] == '.') {
            made->role = role;
            dot += 1 + length;
            break;
        }
    }
    for (int i = 0; i < EXPLORE_N_TENSOR_FIELDS && dot != NULL; i++) {
        if (strcmp(dot + 1, explore_tensor_fields[i]) == 0)
            made->field = i;
    }
    return made->tensor != NULL && made->field >= 0 ? made : NULL;
}

/* All that could be meant. */
static const char **all_names(struct reader *r, int *n)
{
    const char **names = NULL;

    *n = 0;
    for (int i = 0; i < EXPLORE_N_FIELDS; i++) {
        SATOR_PUSH(r->arena, names, *n, explore_fields[i].key);
        if (explore_fields[i].alias != NULL)
            SATOR_PUSH(r->arena, names, *n, explore_fields[i].alias);
    }
    for (int i = 0; i < r->names->n_tensors; i++) {
        for (int j = 0; j < EXPLORE_N_TENSOR_FIELDS; j++)
            SATOR_PUSH(r->arena, names, *n,
                    sator_arena_printf(r->arena, "tensors.%s.%s", r->names->tensors[i],
                            explore_tensor_fields[j]));
    }
    for (int i = 0; i < r->names->n_known; i++)
        SATOR_PUSH(r->arena, names, *n, r->names->known[i].name);
    return names;
}

static const struct explore_expression *read_figure(
        struct reader *r, size_t start, const char *name)
{
    bool too_many;
    int figure = explore_figure_choose(r->arena, r->names, name, &too_many);

    if (figure >= 0) {
        struct explore_expression *made = SATOR_NEW(r->arena, struct explore_expression);
        *made = (struct explore_expression){.op = OP_FIGURE, .field = figure};
        return made;
    }
    if (too_many)
        return fail(r, start, strlen(name),
                sator_arena_printf(
                        r->arena, "more than %d figures are named", EXPLORE_MOST_FIGURES));
    int n;
    const char **names = all_names(r, &n);
    return unknown_name(r, start, name, n, names);
}

static const struct explore_expression *read_name(struct reader *r)
{
    size_t start = r->at;

    while (is_name(r->source->text[r->at]))
        r->at++;
    const char *name = sator_arena_strndup(r->arena, r->source->text + start, r->at - start);
    const struct explore_expression *tensor =
            strncmp(name, "tensors.", 8) == 0 ? read_tensor(r, name) : NULL;
    if (tensor != NULL)
        return tensor;
    int field = explore_field_index(name);
    if (field >= 0) {
        struct explore_expression *made = SATOR_NEW(r->arena, struct explore_expression);
        *made = (struct explore_expression){.op = OP_FIELD, .field = field};
        return made;
    }
    return read_figure(r, start, name);
}

/* A number; one without a point or an exponent is a count. */
static const struct explore_expression *read_number(struct reader *r)
{
    const char *text = r->source->text + r->at;
    size_t digits = strspn(text, "0123456789");
    struct explore_expression *made = SATOR_NEW(r->arena, struct explore_expression);
    char *end;

    *made = (struct explore_expression){.op = OP_NUMBER};
    errno = 0;
    double number = strtod(text, &end);
    if (end == text || !isfinite(number) || isalpha((unsigned char)*end))
        return fail(r, r->at, end == text ? 1 : (size_t)(end - text), "this is no number");
    made->value = (struct explore_value){.kind = EXPLORE_NUMBER, .number = number};
    if (text + digits == end && digits <= 18)
        made->value = (struct explore_value){
                .kind = EXPLORE_COUNT, .count = strtoll(text, NULL, 10), .number = NAN};
    r->at += (size_t)(end - text);
    return made;
}

static const struct explore_expression *close_bracket(
        struct reader *r, size_t open, const struct explore_expression *inside)
{
    return take(r, ")") ? inside : fail(r, open, 1, "this '(' is not closed");
}

static const struct explore_expression *read_call(struct reader *r, enum op op, size_t start)
{
    size_t open = r->at;

    if (!take(r, "("))
        return fail(r, start, 3, "min and max take two arguments or more: min(a, b)");
    const struct explore_expression *a = read_or(r);
    if (!r->failed && !take(r, ","))
        return fail(r, start, 3, "min and max take two arguments or more: min(a, b)");
    do
        a = make(r, op, a, read_or(r));
    while (!r->failed && take(r, ","));
    return close_bracket(r, open, a);
}

static const struct explore_expression *read_atom(struct reader *r)
{
    skip_blanks(r);
    size_t start = r->at;
    char c = r->source->text[start];

    if (r->failed || ++r->depth > MOST_DEPTH)
        return fail(r, start, 1, "the expression is nested too deeply");
    const struct explore_expression *made = NULL;
    if (take(r, "("))
        made = close_bracket(r, start, read_or(r));
    else if (take(r, "-"))
        made = make(r, OP_NEGATE, read_atom(r), NULL);
    else if (take(r, "min"))
        made = read_call(r, OP_MIN, start);
    else if (take(r, "max"))
        made = read_call(r, OP_MAX, start);
    else if (isdigit((unsigned char)c) || c == '.')
        made = read_number(r);
    else if (isalpha((unsigned char)c) || c == '_')
        made = read_name(r);
    else
        made = fail(r, start, 1,
                c == '\0' ? "the expression ends too early"
                          : "a figure, a number or '(' is expected here");
    r->depth--;
    return made;
}

static const struct explore_expression *read_product(struct reader *r)
{
    const struct explore_expression *a = read_atom(r);

    for (;;) {
        if (take(r, "*"))
            a = make(r, OP_MULTIPLY, a, read_atom(r));
        else if (take(r, "/"))
            a = make(r, OP_DIVIDE, a, read_atom(r));
        else
            return a;
    }
}

static const struct explore_expression *read_sum(struct reader *r)
{
    const struct explore_expression *a = read_product(r);

    for (;;) {
        if (take(r, "+"))
            a = make(r, OP_ADD, a, read_product(r));
        else if (take(r, "-"))
            a = make(r, OP_SUBTRACT, a, read_product(r));
        else
            return a;
    }
}

static const struct explore_expression *read_comparison(struct reader *r)
{
    static const struct {
        const char *word;
        enum op op;
    } operators[] = {{"<=", OP_AT_MOST}, {">=", OP_AT_LEAST}, {"==", OP_EQUAL},
            {"!=", OP_NOT_EQUAL}, {"<", OP_LESS}, {">", OP_MORE}, {"=", OP_EQUAL}};
    const struct explore_expression *a = read_sum(r);

    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (take(r, operators[i].word))
            return make(r, operators[i].op, a, read_sum(r));
    }
    return a;
}

static const struct explore_expression *read_not(struct reader *r)
{
    const struct explore_expression *made;

    if (!take(r, "not"))
        return read_comparison(r);
    if (++r->depth > MOST_DEPTH)
        return fail(r, r->at, 1, "the expression is nested too deeply");
    made = make(r, OP_NOT, read_not(r), NULL);
    r->depth--;
    return made;
}

static const struct explore_expression *read_and(struct reader *r)
{
    const struct explore_expression *a = read_not(r);

    while (take(r, "and"))
        a = make(r, OP_AND, a, read_not(r));
    return a;
}

static const struct explore_expression *read_or(struct reader *r)
{
    const struct explore_expression *a = read_and(r);

    while (take(r, "or"))
        a = make(r, OP_OR, a, read_and(r));
    return a;
}

static enum sator_status finish(struct reader *r, const struct explore_expression *made,
        const struct explore_expression **result)
{
    if (r->failed)
        return SATOR_INPUT;
    *result = made;
    return SATOR_OK;
}

static struct reader new_reader(struct sator_ctx *ctx, struct sator_arena *arena,
        const char *option, const char *text, struct explore_names *names)
{
    return (struct reader){.ctx = ctx,
            .arena = arena,
            .source = sator_source_from_field(ctx, option, text),
            .names = names};
}

enum sator_status explore_expression_read(struct sator_ctx *ctx, struct sator_arena *arena,
        const char *option, const char *text, struct explore_names *names,
        const struct explore_expression **expression)
{
    struct reader r = new_reader(ctx, arena, option, text, names);
    const struct explore_expression *made = read_or(&r);

    skip_blanks(&r);
    if (!r.failed && r.at != r.source->length)
        fail(&r, r.at, 1, "an operator is expected here");
    return finish(&r, made, expression);
}

enum sator_status explore_objectives_read(struct sator_ctx *ctx, struct sator_arena *arena,
        const char *option, const char *text, struct explore_names *names, int *n_objectives,
        struct explore_objective **objectives)
{
    struct reader r = new_reader(ctx, arena, option, text, names);
    struct explore_objective *list = NULL;
    int n = 0;

    do {
        skip_blanks(&r);
        size_t start = r.at;
        struct explore_objective made = {.expression = read_or(&r)};
        if (r.failed)
            return SATOR_INPUT;
        made.text = sator_arena_strndup(arena, r.source->text + start, r.at - start);
        int field = explore_expression_field(made.expression);
        made.maximize = field >= 0 && explore_fields[field].better == EXPLORE_HIGH;
        SATOR_PUSH(arena, list, n, made);
    } while (take(&r, ","));
    skip_blanks(&r);
    if (r.at != r.source->length) {
        fail(&r, r.at, 1, "an operator or ',' is expected here");
        return SATOR_INPUT;
    }
    *n_objectives = n;
    *objectives = list;
    return SATOR_OK;
}

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
static bool compare(enum op op, const struct explore_value *a, const struct explore_value *b)
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
        enum op op, const struct explore_value *a, const struct explore_value *b)
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
