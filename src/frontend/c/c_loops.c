/* `for` loops: what values the iterator takes.
 *
 * The iterator of the workload is the iterator of the file and takes the same values: for (i = 9; i
 * >= 1; i -= 2) gives { S[i] : 1 <= i <= 9 and (9 - i) % 2 = 0 }. So a dataflow may name i and mean
 * what the file means, and a tile loop for (ii = 0; ii < 64; ii += 8) is divided by 8 as one would
 * write it. The order in which the file runs the instances is not kept: the dataflow gives the
 * order.
 */
#include "frontend/c/c_reader.h"

#include <string.h>

static const char FORM_HELP[] = "supported: for (int i = 0; i < 64; i++) with affine bounds; steps "
                                "i++, i--, i += 2, i -= 3; "
                                "comparisons <, <=, >, >=, !=";

struct loop {
    const struct c_node *node;
    const struct c_symbol *iterator;
    int var;
    const struct sator_expr *start;
    int64_t step;
};

static bool names(const struct c_node *node, const struct c_symbol *symbol)
{
    return node->kind == C_NAME && node->symbol == symbol;
}

/* The iterator and its start value: "i = 0" or "int i = 0". */
static const struct c_node *read_start(
        struct c_reader *reader, const struct c_node *node, const struct c_symbol **iterator)
{
    const struct c_node *start = node->kids[0];

    if (!start) {
        c_fault(reader, node->loc, FORM_HELP, "the loop sets no iterator");
        return NULL;
    }
    if ((start->kind == C_DECLARE && start->n_kids > 1) ||
            (start->kind == C_BINARY && strcmp(start->op, ",") == 0)) {
        c_fault(reader, start->loc, FORM_HELP, "the loop must set one iterator and nothing else");
        start = start->kids[0]; /* so that its uses are no faults of their own */
    } else if (start->kind == C_DECLARE && start->n_kids == 1) {
        start = start->kids[0];
    }
    if (start->kind == C_VARIABLE && start->n_kids == 1) {
        *iterator = start->symbol;
        return start->kids[0];
    }
    if (start->kind == C_ASSIGN && strcmp(start->op, "=") == 0 && start->kids[0]->kind == C_NAME) {
        *iterator = start->kids[0]->symbol;
        return start->kids[1];
    }
    c_fault(reader, start->loc, FORM_HELP, "the loop must set one iterator and nothing else");
    return NULL;
}

/* The constant that a step adds to the iterator, or 0. */
static int64_t added(
        struct c_reader *reader, const struct c_node *step, const struct c_symbol *iterator)
{
    const struct sator_expr *expr;
    const struct c_node *amount = NULL;
    int64_t sign = 1;

    if (step->kind == C_UNARY && names(step->kids[0], iterator))
        return strcmp(step->op, "++") == 0 ? 1 : strcmp(step->op, "--") == 0 ? -1 : 0;
    if (step->kind != C_ASSIGN || !names(step->kids[0], iterator))
        return 0;
    if (strcmp(step->op, "+=") == 0 || strcmp(step->op, "-=") == 0) {
        sign = step->op[0] == '+' ? 1 : -1;
        amount = step->kids[1];
    } else if (strcmp(step->op, "=") == 0 && step->kids[1]->kind == C_BINARY) {
        const struct c_node *sum = step->kids[1];
        bool minus = strcmp(sum->op, "-") == 0;
        if ((minus || strcmp(sum->op, "+") == 0) && names(sum->kids[0], iterator))
            amount = sum->kids[1];
        else if (strcmp(sum->op, "+") == 0 && names(sum->kids[1], iterator))
            amount = sum->kids[0];
        sign = minus ? -1 : 1;
    }
    expr = amount ? c_affine(reader, amount, "step") : NULL;
    if (!expr || !sator_expr_is_constant(expr) || expr->constant == INT64_MIN)
        return 0;
    return sign * expr->constant;
}

static void add_condition(
        struct c_reader *reader, enum sator_cond_op op, const struct sator_expr *expr)
{
    struct sator_cond *cond = SATOR_NEW(reader->arena, struct sator_cond);

    *cond = (struct sator_cond){.op = op, .expr = expr};
    SATOR_PUSH(reader->arena, reader->conditions, reader->n_conditions, cond);
}

static const struct sator_expr *minus(
        struct c_reader *reader, const struct sator_expr *a, const struct sator_expr *b)
{
    return sator_expr_add(reader->arena, a, -1, b);
}

/* The factor of variable "var" in "expr", which holds it nowhere else; false otherwise. */
static bool split_var(const struct sator_expr *expr, int var, int64_t *factor)
{
    *factor = 0;
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        int64_t inside = 0;
        if (term->atom == SATOR_ATOM_VAR) {
            if (term->var == var)
                *factor = term->factor;
        } else if (!split_var(term->argument, var, &inside) || inside != 0) {
            return false;
        }
    }
    return true;
}

/* The condition as "expr >= 0", or for != as "expr != 0". */
static const struct sator_expr *read_condition(
        struct c_reader *reader, const struct loop *loop, bool *is_unequal)
{
    const struct c_node *node = loop->node->kids[1];
    const struct sator_expr *left;
    const struct sator_expr *right;
    const struct sator_expr *gap;
    bool less;

    if (!node) {
        c_fault(reader, loop->node->loc, FORM_HELP, "the loop has no end");
        return NULL;
    }
    if (node->kind == C_BINARY && (strcmp(node->op, "&&") == 0 || strcmp(node->op, "||") == 0)) {
        c_fault(reader, node->loc,
                "split the loop where the two sides meet, or give the domain in a YAML workload: "
                "domain: \"{ S[i] : i < 8 and i < 4 }\"",
                "two conditions on one loop are a minimum or maximum of bounds");
        return NULL;
    }
    if (node->kind != C_BINARY || !strchr("<>!", node->op[0]) || strcmp(node->op, "<<") == 0 ||
            strcmp(node->op, ">>") == 0) {
        c_fault(reader, node->loc, FORM_HELP, "the loop's condition is no comparison with a bound");
        return NULL;
    }
    left = c_affine(reader, node->kids[0], "bound");
    right = c_affine(reader, node->kids[1], "bound");
    if (!left || !right)
        return NULL;
    *is_unequal = node->op[0] == '!';
    less = node->op[0] == '<';
    gap = less || *is_unequal ? minus(reader, right, left) : minus(reader, left, right);
    /* "<" leaves out the bound itself; "!=" is made a "<" when the direction is known. */
    if (gap && !*is_unequal && node->op[1] != '=')
        gap = sator_expr_add(reader->arena, gap, 1, sator_expr_constant(reader->arena, -1));
    if (!gap)
        c_fault(reader, node->loc, NULL, "a number here does not fit into 64 bits");
    return gap;
}

/* "i != u", reached from below or above in steps that hit it, as "expr >= 0". */
static const struct sator_expr *read_unequal(struct c_reader *reader, const struct loop *loop,
        const struct sator_expr *gap, int64_t factor)
{
    const struct c_node *node = loop->node->kids[1];
    const struct sator_expr *distance;
    const struct sator_expr **replacements =
            SATOR_NEW_ARRAY(reader->arena, const struct sator_expr *, loop->var + 1);
    int64_t least = 0;
    int64_t greatest = 0;

    /* Make it "expr" that falls with each step: positive before the end. */
    if ((factor > 0) == (loop->step > 0))
        gap = minus(reader, sator_expr_constant(reader->arena, 0), gap);
    for (int v = 0; v < loop->var; v++)
        replacements[v] = sator_expr_var(reader->arena, v);
    replacements[loop->var] = loop->start;
    distance = gap ? sator_expr_substitute(reader->arena, gap, replacements) : NULL;
    if (!distance || factor < -1 || factor > 1 ||
            (reader->bounded &&
                    !sator_expr_range(
                            distance, reader->least, reader->greatest, &least, &greatest))) {
        c_fault(reader, node->loc, FORM_HELP, "the bound of '!=' is not simple enough");
        return NULL;
    }
    if (least < 0 ||
            (loop->step != 1 && loop->step != -1 &&
                    (!sator_expr_is_constant(distance) || distance->constant % loop->step != 0))) {
        c_fault(reader, node->loc, "write '<' or '>' instead of '!='",
                "steps of %lld from the start may miss the bound: the loop would not end",
                (long long)loop->step);
        return NULL;
    }
    return sator_expr_add(reader->arena, gap, 1, sator_expr_constant(reader->arena, -1));
}

/* The iterator's least and greatest value, from the start and from factor * i + rest >= 0. */
static bool find_hull(struct c_reader *reader, const struct loop *loop,
        const struct sator_expr *condition, int64_t factor)
{
    int64_t start_least = 0;
    int64_t start_greatest = 0;
    int64_t rest_least = 0;
    int64_t rest_greatest = 0;
    const struct sator_expr *rest = sator_expr_add(
            reader->arena, condition, -factor, sator_expr_var(reader->arena, loop->var));
    const int64_t far = INT64_MAX / 2;
    int64_t most = 0;

    if (!rest || factor <= -far || factor >= far ||
            !sator_expr_range(
                    loop->start, reader->least, reader->greatest, &start_least, &start_greatest) ||
            !sator_expr_range(rest, reader->least, reader->greatest, &rest_least, &rest_greatest))
        return false;
    if (start_least <= -far || start_greatest >= far || rest_least <= -far || rest_greatest >= far)
        return false;
    if (factor < 0) { /* i <= rest / -factor */
        most = rest_greatest >= 0 ? rest_greatest / -factor
                                  : -((-rest_greatest + -factor - 1) / -factor);
        reader->least[loop->var] = start_least;
        reader->greatest[loop->var] = most;
    } else { /* i >= -rest / factor */
        most = rest_greatest >= 0 ? -(rest_greatest / factor)
                                  : (-rest_greatest + factor - 1) / factor;
        reader->least[loop->var] = most;
        reader->greatest[loop->var] = start_greatest;
    }
    return true;
}

/* Whether start and end are numbers. */
static bool is_constant(const struct loop *loop, const struct sator_expr *condition)
{
    return sator_expr_is_constant(loop->start) && condition->n_terms == 1;
}

/* The conditions of a loop between numbers, from its first to its last value. */
static void add_constant_range(struct c_reader *reader, const struct loop *loop)
{
    int64_t *least = &reader->least[loop->var];
    int64_t *greatest = &reader->greatest[loop->var];
    int64_t step = loop->step > 0 ? loop->step : -loop->step;
    const struct sator_expr *var = sator_expr_var(reader->arena, loop->var);
    const struct sator_expr *gap;

    if (*greatest > *least && loop->step > 0)
        *greatest -= (*greatest - *least) % step;
    else if (*greatest > *least)
        *least += (*greatest - *least) % step;
    gap = minus(reader, var, sator_expr_constant(reader->arena, *least));
    add_condition(reader, SATOR_COND_AT_LEAST, gap);
    add_condition(reader, SATOR_COND_AT_LEAST,
            minus(reader, sator_expr_constant(reader->arena, *greatest), var));
    if (step > 1 && *greatest > *least)
        add_condition(reader, SATOR_COND_EQUAL, sator_expr_mod(reader->arena, gap, step));
}

/* Add the conditions on the iterator. */
static void bound_loop(struct c_reader *reader, const struct loop *loop)
{
    const struct c_node *node = loop->node->kids[1];
    const struct sator_expr *var = sator_expr_var(reader->arena, loop->var);
    const struct sator_expr *from_start;
    const struct sator_expr *condition;
    bool is_unequal = false;
    int64_t factor = 0;

    condition = read_condition(reader, loop, &is_unequal);
    if (!condition || !loop->start || loop->step == 0) {
        reader->bounded = false;
        return;
    }
    if (!split_var(condition, loop->var, &factor) || factor == 0) {
        c_fault(reader, node->loc, FORM_HELP,
                "the loop's condition does not bound its iterator '%s'", loop->iterator->name);
        reader->bounded = false;
        return;
    }
    if (is_unequal) {
        condition = read_unequal(reader, loop, condition, factor);
        if (!condition) {
            reader->bounded = false;
            return;
        }
        (void)split_var(condition, loop->var, &factor);
    }
    from_start = loop->step > 0 ? minus(reader, var, loop->start) : minus(reader, loop->start, var);
    if ((factor > 0) == (loop->step > 0)) {
        c_fault(reader, node->loc, FORM_HELP,
                "the loop runs away from its bound: '%s' goes %s and the condition stays true",
                loop->iterator->name, loop->step > 0 ? "up" : "down");
        reader->bounded = false;
        return;
    }
    if (!from_start || (reader->bounded && !find_hull(reader, loop, condition, factor))) {
        c_fault(reader, node->loc, NULL, "a number here does not fit into 64 bits");
        reader->bounded = false;
        return;
    }
    if (reader->bounded && is_constant(loop, condition)) {
        add_constant_range(reader, loop);
        return;
    }
    add_condition(reader, SATOR_COND_AT_LEAST, from_start);
    add_condition(reader, SATOR_COND_AT_LEAST, condition);
    if (loop->step != 1 && loop->step != -1)
        add_condition(reader, SATOR_COND_EQUAL,
                sator_expr_mod(
                        reader->arena, from_start, loop->step > 0 ? loop->step : -loop->step));
}

/* The greatest value of the iterator's type, and the least one. */
static int64_t type_most(const struct c_symbol *iterator)
{
    int bits = iterator->element_bits - !iterator->is_unsigned;

    return bits > 0 && bits < 63 ? ((int64_t)1 << bits) - 1 : INT64_MAX;
}

static int64_t type_least(const struct c_symbol *iterator)
{
    return iterator->is_unsigned ? 0 : -type_most(iterator) - 1;
}

/* The loop runs at least once somewhere, and its iterator's type reaches behind its end. */
static void check_hull(struct c_reader *reader, const struct loop *loop)
{
    int64_t least = reader->least[loop->var];

    if (!reader->bounded)
        return;
    if (least > reader->greatest[loop->var]) {
        c_fault(reader, loop->node->loc, NULL, "the loop over '%s' never runs",
                loop->iterator->name);
        reader->bounded = false;
    } else if (loop->iterator->is_unsigned && loop->step < 0 && least + loop->step < 0) {
        c_fault(reader, loop->node->kids[1]->loc, "declare the iterator as int",
                "'%s' is unsigned: it never falls below zero and the loop does not end",
                loop->iterator->name);
        reader->bounded = false;
    } else if (loop->step > 0 &&
            reader->greatest[loop->var] > type_most(loop->iterator) - loop->step) {
        c_fault(reader, loop->node->kids[1]->loc, "declare the iterator as int or long",
                "the type of '%s' ends at %lld: the loop does not end", loop->iterator->name,
                (long long)type_most(loop->iterator));
        reader->bounded = false;
    } else if (loop->step < 0 && least < type_least(loop->iterator) - loop->step) {
        c_fault(reader, loop->node->kids[1]->loc, "declare the iterator as int or long",
                "the type of '%s' begins at %lld: the loop does not end", loop->iterator->name,
                (long long)type_least(loop->iterator));
        reader->bounded = false;
    }
    if (reader->bounded)
        c_check_waiting(reader, loop->step);
}

static bool changes(
        const struct c_node *node, const struct c_symbol *symbol, const struct c_node **where)
{
    if (!node)
        return false;
    if ((node->kind == C_ASSIGN ||
                (node->kind == C_UNARY &&
                        (strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0))) &&
            names(node->kids[0], symbol)) {
        *where = node;
        return true;
    }
    /* A loop inside that counts with the same name is told so itself. */
    for (int i = node->kind == C_FOR ? 3 : 0; i < node->n_kids; i++)
        if (changes(node->kids[i], symbol, where))
            return true;
    return false;
}

/* The iterator and the start of a loop; false after a fault that leaves nothing to go on with. */
static bool begin_loop(struct c_reader *reader, struct loop *loop)
{
    const struct c_node *node = loop->node;
    const struct c_node *start = read_start(reader, node, &loop->iterator);
    bool good = start != NULL;

    if (good && !loop->iterator->is_integer) {
        c_fault(reader, node->kids[0]->loc, FORM_HELP, "the iterator '%s' is no integer",
                loop->iterator->name);
        good = false;
    }
    for (int i = 0; good && i < reader->n_loops; i++)
        if (reader->iterators[i] && strcmp(reader->names[i], loop->iterator->name) == 0) {
            c_fault(reader, node->kids[0]->loc, "give each loop an iterator of its own",
                    "'%s' is the iterator of a loop around this one", loop->iterator->name);
            good = false;
        }
    if (good)
        loop->start = c_affine(reader, start, "bound");
    reader->iterators[loop->var] = loop->iterator;
    reader->names[loop->var] = loop->iterator ? loop->iterator->name : "?";
    reader->n_loops++;
    return good;
}

static void read_loop(struct c_reader *reader, const struct c_node *node)
{
    struct loop loop = {.node = node, .var = reader->n_loops};
    const struct c_node *change = NULL;

    if (!begin_loop(reader, &loop)) {
        reader->bounded = false;
        return;
    }
    if (!node->kids[2]) {
        c_fault(reader, node->loc, FORM_HELP, "the loop has no step");
    } else {
        int n_faults = reader->n_faults;
        loop.step = added(reader, node->kids[2], loop.iterator);
        if (loop.step == 0 && n_faults == reader->n_faults)
            c_fault(reader, node->kids[2]->loc, FORM_HELP,
                    "the step must add a constant other than 0 to '%s'", loop.iterator->name);
    }
    if (changes(node->kids[3], loop.iterator, &change))
        c_fault(reader, change->loc, "leave the iterator to the loop's own step",
                "the iterator '%s' changes inside its loop", loop.iterator->name);
    bound_loop(reader, &loop);
    check_hull(reader, &loop);
}

void c_read_loops(struct c_reader *reader)
{
    int n_loops = reader->nest->n_loops;

    reader->iterators = SATOR_NEW_ARRAY(reader->arena, const struct c_symbol *, n_loops + 1);
    reader->names = SATOR_NEW_ARRAY(reader->arena, const char *, n_loops + 1);
    reader->least = SATOR_NEW_ARRAY(reader->arena, int64_t, n_loops + 1);
    reader->greatest = SATOR_NEW_ARRAY(reader->arena, int64_t, n_loops + 1);
    reader->bounded = true;
    for (int i = 0; i < n_loops; i++)
        read_loop(reader, reader->nest->loops[i]);
}
