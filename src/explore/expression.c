/* Expressions over the figures of a result: a recursive-descent reader. */
#include "explore/expression.h"
#include "base/checked.h"
#include "explore/figures.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const struct explore_expression *make(struct reader *r, enum explore_op op,
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

static const struct explore_expression *read_call(
        struct reader *r, enum explore_op op, size_t start)
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
        enum explore_op op;
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
