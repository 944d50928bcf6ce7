#include "oracle/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_NAMES = 16,
    NAME_LENGTH = 12
};

struct parser {
    struct oracle_program *program;
    const char *at;
    bool failed;
    int n_names; /* variables in scope: number of the variable that each stands for */
    char names[MAX_NAMES][NAME_LENGTH];
    int vars[MAX_NAMES];
};

static void skip(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

static bool eat(struct parser *parser, const char *token)
{
    size_t length = strlen(token);

    skip(parser);
    if (strncmp(parser->at, token, length) != 0 ||
            (isalpha((unsigned char)*token) && isalnum((unsigned char)parser->at[length])))
        return false;
    parser->at += length;
    return true;
}

static void need(struct parser *parser, const char *token)
{
    if (!eat(parser, token))
        parser->failed = true;
}

static void read_name(struct parser *parser, char *name)
{
    int length = 0;

    skip(parser);
    while (isalnum((unsigned char)*parser->at) || *parser->at == '_') {
        if (length < NAME_LENGTH - 1)
            name[length++] = *parser->at;
        parser->at++;
    }
    name[length] = '\0';
    parser->failed = parser->failed || length == 0;
}

static void declare(struct parser *parser, const char *name, int var)
{
    if (parser->n_names == MAX_NAMES) {
        parser->failed = true;
        return;
    }
    strcpy(parser->names[parser->n_names], name);
    parser->vars[parser->n_names++] = var;
}

/* The variable that "name" stands for, or -1. */
static int lookup(const struct parser *parser, const char *name)
{
    for (int i = 0; i < parser->n_names; i++)
        if (strcmp(parser->names[i], name) == 0)
            return parser->vars[i];
    return -1;
}

/* ---- expressions ---- */

static int read_sum(struct parser *parser);

static int64_t read_number(struct parser *parser)
{
    char *end;
    int64_t value;

    skip(parser);
    value = strtoll(parser->at, &end, 10);
    parser->failed = parser->failed || end == parser->at;
    parser->at = end;
    return value;
}

static int read_factor(struct parser *parser)
{
    char name[NAME_LENGTH];
    int expr;

    skip(parser);
    if (parser->failed)
        return oracle_const(parser->program, 0);
    if (isdigit((unsigned char)*parser->at)) {
        int64_t value = read_number(parser);
        if (eat(parser, "*"))
            return oracle_mul(parser->program, value, read_factor(parser));
        return oracle_const(parser->program, value);
    }
    if (eat(parser, "(")) {
        expr = read_sum(parser);
        need(parser, ")");
        return expr;
    }
    if (eat(parser, "floor")) {
        need(parser, "(");
        expr = read_sum(parser);
        need(parser, "/");
        expr = oracle_div(parser->program, expr, read_number(parser));
        need(parser, ")");
        return expr;
    }
    read_name(parser, name);
    if (lookup(parser, name) < 0)
        parser->failed = true;
    return oracle_var(parser->program, lookup(parser, name) < 0 ? 0 : lookup(parser, name));
}

static int read_product(struct parser *parser)
{
    int expr = read_factor(parser);

    for (;;) {
        if (eat(parser, "*"))
            expr = oracle_mul(parser->program, read_number(parser), expr);
        else if (eat(parser, "%"))
            expr = oracle_mod(parser->program, expr, read_number(parser));
        else
            return expr;
    }
}

static bool is_minus(struct parser *parser)
{
    skip(parser);
    return parser->at[0] == '-' && parser->at[1] != '>' && eat(parser, "-");
}

static int read_sum(struct parser *parser)
{
    struct oracle_program *program = parser->program;
    bool negative = is_minus(parser);
    int expr = read_product(parser);

    if (negative)
        expr = oracle_mul(program, -1, expr);
    for (;;) {
        if (eat(parser, "+"))
            expr = oracle_add(program, expr, read_product(parser));
        else if (is_minus(parser))
            expr = oracle_add(program, expr, oracle_mul(program, -1, read_product(parser)));
        else
            return expr;
    }
}

/* ---- conditions ---- */

static void add_cond(
        struct parser *parser, struct oracle_conds *conds, enum oracle_relop op, int expr)
{
    if (conds->n == ORACLE_CONDS) {
        parser->failed = true;
        return;
    }
    conds->of[conds->n++] = (struct oracle_cond){op, expr};
}

/* The greater side minus the smaller one, less 1 when they must differ. */
static void add_comparison(
        struct parser *parser, struct oracle_conds *conds, int less, int greater, bool strict)
{
    struct oracle_program *program = parser->program;
    int expr = oracle_add(program, greater, oracle_mul(program, -1, less));

    if (strict)
        expr = oracle_add(program, expr, oracle_const(program, -1));
    add_cond(parser, conds, ORACLE_AT_LEAST_0, expr);
}

/* "a <= b < c" */
static void read_chain(struct parser *parser, struct oracle_conds *conds)
{
    struct oracle_program *program = parser->program;
    int left = read_sum(parser);
    int n = 0;

    for (; !parser->failed; n++) {
        static const char *const operators[] = {"<=", ">=", "!=", "<", ">", "="};
        int op = 0, right;
        while (op < 6 && !eat(parser, operators[op]))
            op++;
        if (op == 6)
            break;
        right = read_sum(parser);
        if (op == 0 || op == 3)
            add_comparison(parser, conds, left, right, op == 3);
        else if (op == 1 || op == 4)
            add_comparison(parser, conds, right, left, op == 4);
        else
            add_cond(parser, conds, op == 2 ? ORACLE_NOT_0 : ORACLE_EQUAL_0,
                    oracle_add(program, left, oracle_mul(program, -1, right)));
        left = right;
    }
    parser->failed = parser->failed || n == 0;
}

static void read_conds(struct parser *parser, struct oracle_conds *conds)
{
    if (!eat(parser, ":"))
        return;
    do
        read_chain(parser, conds);
    while (!parser->failed && eat(parser, "and"));
}

/* ---- tuples ---- */

/* "S[i,j]" declares i and j as variables from "first_var" on. */
static int read_variables(struct parser *parser, int first_var)
{
    char name[NAME_LENGTH];
    int n = 0;

    read_name(parser, name);
    need(parser, "[");
    do {
        read_name(parser, name);
        declare(parser, name, first_var + n++);
    } while (!parser->failed && eat(parser, ","));
    need(parser, "]");
    return n;
}

static int read_exprs(struct parser *parser, int *exprs, int room)
{
    char name[NAME_LENGTH];
    int n = 0;

    read_name(parser, name);
    need(parser, "[");
    do {
        if (n == room) {
            parser->failed = true;
            return n;
        }
        exprs[n++] = read_sum(parser);
    } while (!parser->failed && eat(parser, ","));
    need(parser, "]");
    return n;
}

static struct parser begin(struct oracle_program *program, const char *text)
{
    struct parser parser = {.program = program, .at = text};
    need(&parser, "{");
    return parser;
}

static bool end(struct parser *parser)
{
    need(parser, "}");
    skip(parser);
    return !parser->failed && *parser->at == '\0';
}

/* ---- the parts of a program ---- */

/* Whether "expr" is +x + c or -x + c in the variable x alone, of n. */
static bool is_bound(const struct oracle_program *program, int expr, int n, int *var,
        int64_t *factor, int64_t *constant)
{
    int64_t point[MAX_NAMES] = {0};
    int n_used = 0;

    *constant = oracle_value(program, expr, point);
    for (int v = 0; v < n; v++) {
        point[v] = 1;
        int64_t slope = oracle_value(program, expr, point) - *constant;
        point[v] = 1000;
        if (oracle_value(program, expr, point) - *constant != 1000 * slope)
            return false;
        point[v] = 0;
        if (slope == 0)
            continue;
        *var = v;
        *factor = slope;
        n_used++;
    }
    return n_used == 1 && (*factor == 1 || *factor == -1);
}

/* Read "n" variables and their bounds; other conditions go to "conds". */
static bool read_box(struct oracle_program *program, const char *text, int *n, int64_t *lower,
        int64_t *upper, struct oracle_conds *conds)
{
    struct parser parser = begin(program, text);
    int64_t most = INT64_MIN;

    *n = read_variables(&parser, 0);
    for (int v = 0; v < ORACLE_LOOPS; v++) {
        lower[v] = INT64_MIN;
        upper[v] = INT64_MAX;
    }
    if (*n > ORACLE_LOOPS || parser.failed || !eat(&parser, ":"))
        return false;
    do {
        struct oracle_conds chain = {0};
        read_chain(&parser, &chain);
        for (int c = 0; c < chain.n && !parser.failed; c++) {
            int64_t factor, constant;
            int var;
            if (chain.of[c].op != ORACLE_AT_LEAST_0 ||
                    !is_bound(program, chain.of[c].expr, *n, &var, &factor, &constant))
                add_cond(&parser, conds, chain.of[c].op, chain.of[c].expr);
            else if (factor == 1)
                lower[var] = -constant > lower[var] ? -constant : lower[var];
            else
                upper[var] = constant + 1 < upper[var] ? constant + 1 : upper[var];
        }
    } while (!parser.failed && eat(&parser, "and"));
    /* A loop that another one bounds, as in j <= i, runs to the greatest bound there is. */
    for (int v = 0; v < *n; v++)
        if (upper[v] != INT64_MAX && upper[v] > most)
            most = upper[v];
    for (int v = 0; v < *n; v++) {
        if (upper[v] == INT64_MAX)
            upper[v] = most;
        if (lower[v] == INT64_MIN)
            return false;
    }
    return end(&parser);
}

bool parse_domain(struct oracle_program *program, const char *text)
{
    return read_box(
            program, text, &program->n_loops, program->lower, program->upper, &program->domain);
}

bool parse_shape(struct oracle_program *program, const char *text)
{
    int64_t lower[ORACLE_LOOPS], upper[ORACLE_LOOPS];
    struct oracle_conds conds = {0};
    int n;

    if (!read_box(program, text, &n, lower, upper, &conds) || n != program->n_space || conds.n > 0)
        return false;
    for (int d = 0; d < n; d++) {
        if (lower[d] != 0)
            return false;
        program->shape[d] = upper[d];
    }
    return true;
}

bool parse_space(struct oracle_program *program, const char *text)
{
    struct parser parser = begin(program, text);

    read_variables(&parser, 0);
    need(&parser, "->");
    program->n_space = read_exprs(&parser, program->space, ORACLE_SPACE);
    return end(&parser);
}

bool parse_time(struct oracle_program *program, const char *text)
{
    struct parser parser = begin(program, text);

    read_variables(&parser, 0);
    need(&parser, "->");
    program->n_time = read_exprs(&parser, program->time, ORACLE_TIME);
    return end(&parser);
}

bool parse_access(struct oracle_program *program, const char *text, struct oracle_access *access)
{
    struct parser parser = begin(program, text);

    do {
        int piece = access->n_pieces;
        if (piece == ORACLE_PIECES)
            return false;
        access->n_pieces++;
        parser.n_names = 0;
        read_variables(&parser, 0);
        need(&parser, "->");
        access->n_index = read_exprs(&parser, access->pieces[piece].index, ORACLE_INDEX);
        read_conds(&parser, &access->pieces[piece].conds);
    } while (!parser.failed && eat(&parser, ";"));
    return end(&parser);
}

/* The provider's tuple: a new name is a new variable, anything else an equation. */
static void read_provider(struct parser *parser, struct oracle_conds *conds)
{
    struct oracle_program *program = parser->program;
    char name[NAME_LENGTH];

    read_name(parser, name);
    need(parser, "[");
    for (int d = 0; d < program->n_space && !parser->failed; d++) {
        const char *before = parser->at;
        if (d > 0)
            need(parser, ",");
        before = parser->at;
        skip(parser);
        if (isalpha((unsigned char)*parser->at)) {
            read_name(parser, name);
            skip(parser);
            if (lookup(parser, name) < 0 && (*parser->at == ',' || *parser->at == ']')) {
                declare(parser, name, d);
                continue;
            }
        }
        parser->at = before;
        int expr = read_sum(parser);
        add_cond(parser, conds, ORACLE_EQUAL_0,
                oracle_add(program, oracle_var(program, d), oracle_mul(program, -1, expr)));
    }
    need(parser, "]");
}

bool parse_consumer_link(struct oracle_program *program, const char *text, struct oracle_link *link)
{
    struct parser parser = begin(program, text);

    do {
        int piece = link->n_pieces;
        if (piece == ORACLE_LINK_PIECES)
            return false;
        link->n_pieces++;
        parser.n_names = 0;
        if (read_variables(&parser, program->n_space) != program->n_space)
            return false;
        need(&parser, "->");
        read_provider(&parser, &link->pieces[piece].conds);
        read_conds(&parser, &link->pieces[piece].conds);
    } while (!parser.failed && eat(&parser, ";"));
    return end(&parser);
}
