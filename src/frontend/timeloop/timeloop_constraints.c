/* Constraints of a search as the texts of --constraint: "L1: k 8, c 4", "L1: order ... k c"
 * (outermost first, where Timeloop's permutations begin with the innermost), "L1_fanout: only k c".
 */
#include "frontend/timeloop/timeloop.h"

#include <string.h>

struct constraints {
    struct timeloop *t;
    struct sator_arena *arena;
    int n_texts;
    const char **texts;
    int n_levels;
    const struct timeloop_level *levels; /* NULL: the file has no architecture */
};

static void add(struct constraints *c, const struct sator_text *text)
{
    const char *copy = sator_arena_strdup(c->arena, text->data);

    SATOR_PUSH(c->arena, c->texts, c->n_texts, copy);
}

/* The extent that the file's problem gives a dimension; 0 when it gives none. */
static int64_t extent_of(struct constraints *c, const char *dimension)
{
    const struct sator_yaml_node *problem = timeloop_get(c->t->root, "problem");
    const struct sator_yaml_node *instance = timeloop_get(problem, "instance");
    const struct sator_yaml_node *size =
            timeloop_get(instance != NULL ? instance : problem, dimension);
    int64_t value = 0;

    if (size != NULL)
        sator_yaml_int(&c->t->reader, size, dimension, 1, INT64_C(1) << 40, &value);
    return value;
}

/* A constraint's factors: all exact ones; "C<=4" and the like are named as not honoured. */
static bool read_factors(struct constraints *c, const struct sator_yaml_node *constraint,
        struct timeloop_factors *factors)
{
    const struct sator_yaml_node *node = timeloop_get(constraint, "factors");
    struct sator_yaml_node exact = {.kind = SATOR_YAML_LIST};

    factors->n = 0;
    if (node == NULL)
        return true;
    if (node->kind != SATOR_YAML_LIST)
        return timeloop_read_factors(c->t, node, factors);
    exact.loc = node->loc;
    for (int i = 0; i < node->n_items; i++) {
        if (node->items[i]->kind == SATOR_YAML_SCALAR && strpbrk(node->items[i]->text, "<>"))
            timeloop_unused(c->t, node->items[i]->text);
        else
            SATOR_PUSH(c->t->reader.scratch, exact.items, exact.n_items, node->items[i]);
    }
    return timeloop_read_factors(c->t, &exact, factors);
}

static void add_temporal(
        struct constraints *c, const char *level, const struct sator_yaml_node *constraint)
{
    const struct sator_yaml_node *order = timeloop_get(constraint, "permutation");
    struct timeloop_factors factors;
    struct sator_text text = {0};
    const char *const *dims;
    int n_dims = timeloop_dimensions(c->t, &dims), n_placed = 0;

    if (!read_factors(c, constraint, &factors))
        return;
    for (int i = 0; i < factors.n; i++) {
        struct timeloop_factor *f = &factors.factors[i];
        int64_t value = f->value > 0 ? f->value : extent_of(c, f->dimension);
        if (value == 0)
            timeloop_unused(c->t, "factors of a whole dimension (the file has no problem)");
        else
            sator_text_add(&text, "%s%s %lld", text.length == 0 ? "" : ", ", f->dimension,
                    (long long)value);
    }
    if (text.length > 0) {
        struct sator_text whole = {0};
        sator_text_add(&whole, "%s: %s", level, text.data);
        add(c, &whole);
        sator_text_clear(&whole);
    }
    sator_text_clear(&text);
    for (int at = order == NULL || order->kind == SATOR_YAML_MAP ? -1
                    : order->kind == SATOR_YAML_LIST             ? order->n_items - 1
                                                                 : (int)strlen(order->text) - 1;
            at >= 0; at--) {
        for (int d = 0; d < n_dims; d++) {
            const char *name = order->kind == SATOR_YAML_LIST ? order->items[at]->text
                                                              : (char[]){order->text[at], '\0'};
            if (name == NULL || strcmp(name, dims[d]) != 0)
                continue;
            sator_text_add(&text, " %s", dims[d]);
            n_placed++;
        }
    }
    if (n_placed > 0) {
        struct sator_text whole = {0};
        sator_text_add(&whole, "%s: order%s%s", level, n_placed < n_dims ? " ..." : "", text.data);
        add(c, &whole);
        sator_text_clear(&whole);
    }
    sator_text_clear(&text);
}

/* Loops whose factor is 1 do not run across the fan-out. */
static void add_spatial(
        struct constraints *c, const char *level, const struct sator_yaml_node *constraint)
{
    struct timeloop_factors factors;
    struct sator_text text = {0};
    const char *const *dims;
    int n_dims = timeloop_dimensions(c->t, &dims);

    if (timeloop_get(constraint, "split") != NULL)
        timeloop_unused(c->t, "split");
    if (!read_factors(c, constraint, &factors))
        return;
    sator_text_add(&text, "%s_fanout: only", level);
    for (int d = 0; d < n_dims; d++) {
        bool is_one = false;
        for (int i = 0; i < factors.n; i++) {
            if (strcmp(factors.factors[i].dimension, dims[d]) != 0)
                continue;
            is_one = factors.factors[i].value == 1;
            if (!is_one)
                timeloop_unused(c->t, "spatial factors other than 1");
        }
        if (!is_one)
            sator_text_add(&text, " %s", dims[d]);
    }
    if (factors.n > 0)
        add(c, &text);
    sator_text_clear(&text);
}

static const struct timeloop_level *find_level(const struct constraints *c, const char *name)
{
    for (int i = 0; i < c->n_levels; i++) {
        if (strcmp(c->levels[i].name, name) == 0)
            return &c->levels[i];
    }
    return NULL;
}

/* A constraint of "type" at a target; at a level that has no fan-out, or holds nothing, it says
 * nothing. */
static void add_constraint(struct constraints *c, const char *target, const char *type,
        const struct sator_yaml_node *constraint)
{
    const struct timeloop_level *level = find_level(c, target);
    bool has_fanout = level == NULL ||
            (level + 1 < c->levels + c->n_levels && level[1].instances > level->instances);

    if (strcmp(type, "temporal") == 0 && (level == NULL || !level->is_dummy))
        add_temporal(c, target, constraint);
    if (strcmp(type, "spatial") == 0 && has_fanout)
        add_spatial(c, target, constraint);
}

void timeloop_constraints(
        struct timeloop *t, struct sator_arena *arena, int *n_texts, const char *const **texts)
{
    struct constraints c = {.t = t, .arena = arena};
    const struct sator_yaml_node *targets = timeloop_targets(t);

    c.levels = timeloop_levels(t, &c.n_levels);
    for (int i = 0; targets != NULL && i < targets->n_items; i++) {
        const struct sator_yaml_node *target = timeloop_get(targets->items[i], "target");
        const struct sator_yaml_node *type = timeloop_get(targets->items[i], "type");
        if (target != NULL && target->kind == SATOR_YAML_SCALAR && type != NULL &&
                type->kind == SATOR_YAML_SCALAR)
            add_constraint(&c, target->text, type->text, targets->items[i]);
    }
    for (int i = 0; i < c.n_levels && c.levels != NULL; i++) {
        static const char *const types[] = {"temporal", "spatial"};
        for (int k = 0; k < 2; k++) {
            const struct sator_yaml_node *own = timeloop_get(c.levels[i].constraints, types[k]);
            if (own != NULL)
                add_constraint(&c, c.levels[i].name, types[k], own);
        }
    }
    if (c.n_texts == 0 && !sator_yaml_failed(&t->reader))
        sator_error(t->reader.ctx, (struct sator_loc){t->source, 0, 0},
                "this Timeloop file has no constraints on loops");
    *n_texts = c.n_texts;
    *texts = c.texts;
}
