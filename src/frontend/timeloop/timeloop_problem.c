/* A problem's shape and instance as an einsum. */
#include "frontend/timeloop/timeloop.h"

#include <string.h>

/* The shape that problems without one have (Timeloop's problem-shapes/cnn-layer.yaml). */
static const char cnn_layer[] =
        "dimensions: [C, K, R, S, N, P, Q]\n"
        "coefficients:\n"
        "- {name: Wstride, default: 1}\n- {name: Hstride, default: 1}\n"
        "- {name: Wdilation, default: 1}\n- {name: Hdilation, default: 1}\n"
        "data_spaces:\n"
        "- {name: Weights, projection: [[[C]], [[K]], [[R]], [[S]]]}\n"
        "- {name: Inputs, projection: [[[N]], [[C]], [[R, Wdilation], [P, Wstride]], "
        "[[S, Hdilation], [Q, Hstride]]]}\n"
        "- {name: Outputs, projection: [[[N]], [[K]], [[Q]], [[P]]], read_write: true}\n";

static const struct sator_yaml_node *shape_of(struct timeloop *t)
{
    const struct sator_yaml_node *problem = timeloop_get(t->root, "problem");
    struct sator_yaml_node *shape = timeloop_get(problem, "shape");
    const struct sator_source *source;

    if (shape != NULL && shape->kind == SATOR_YAML_MAP)
        return shape;
    if (shape != NULL && !sator_yaml_is(&t->reader, shape, SATOR_YAML_SCALAR, "a shape's name"))
        return NULL;
    if (shape != NULL && strcmp(shape->text, "cnn-layer") != 0 &&
            strcmp(shape->text, "cnn_layer") != 0) {
        sator_error(t->reader.ctx, shape->loc, "the shape '%s' is not known; give it in full",
                sator_yaml_clip(t->reader.scratch, shape->text));
        return NULL;
    }
    source = sator_source_from_text(t->reader.ctx, "cnn-layer", cnn_layer);
    sator_yaml_parse(t->reader.ctx, t->reader.scratch, source, 0, source->length, &shape);
    return shape;
}

static const struct sator_yaml_node *instance_of(struct timeloop *t)
{
    const struct sator_yaml_node *problem = timeloop_get(t->root, "problem");
    const struct sator_yaml_node *instance = timeloop_get(problem, "instance");

    return instance == NULL ? problem : instance;
}

int timeloop_tensors(struct timeloop *t, const char *const **names)
{
    static const char *const convolution[] = {"Weights", "Inputs", "Outputs"};
    const struct sator_yaml_node *shape = timeloop_get(timeloop_get(t->root, "problem"), "shape");
    const struct sator_yaml_node *spaces = timeloop_get(shape, "data_spaces");
    const char **found = NULL;
    int n = 0;

    for (int i = 0; spaces != NULL && i < spaces->n_items; i++) {
        const struct sator_yaml_node *name = timeloop_get(spaces->items[i], "name");
        if (name != NULL && name->kind == SATOR_YAML_SCALAR)
            SATOR_PUSH(t->reader.scratch, found, n, name->text);
    }
    *names = n == 0 ? convolution : found;
    return n == 0 ? 3 : n;
}

int timeloop_dimensions(struct timeloop *t, const char *const **names)
{
    static const char *const convolution[] = {"C", "K", "R", "S", "N", "P", "Q"};
    const struct sator_yaml_node *shape = timeloop_get(timeloop_get(t->root, "problem"), "shape");
    const struct sator_yaml_node *list = timeloop_get(shape, "dimensions");
    const char **found = NULL;
    int n = 0;

    for (int i = 0; list != NULL && i < list->n_items; i++) {
        if (list->items[i]->kind == SATOR_YAML_SCALAR)
            SATOR_PUSH(t->reader.scratch, found, n, list->items[i]->text);
    }
    *names = n == 0 ? convolution : found;
    return n == 0 ? SATOR_YAML_COUNT(convolution) : n;
}

/* The value of a coefficient: the instance's, or its default. */
static bool coefficient(struct timeloop *t, const struct sator_yaml_node *shape,
        const struct sator_yaml_node *name, int64_t *value)
{
    const struct sator_yaml_node *list = timeloop_get(shape, "coefficients");
    const struct sator_yaml_node *given = timeloop_get(instance_of(t), name->text);

    for (int i = 0; list != NULL && i < list->n_items; i++) {
        const struct sator_yaml_node *one = timeloop_get(list->items[i], "name");
        if (one == NULL || one->kind != SATOR_YAML_SCALAR || strcmp(one->text, name->text) != 0)
            continue;
        if (given == NULL)
            given = timeloop_get(list->items[i], "default");
        return given != NULL &&
                sator_yaml_int(&t->reader, given, name->text, 1, INT64_C(1) << 40, value);
    }
    return false;
}

static bool is_dimension(const struct sator_yaml_node *shape, const char *name)
{
    const struct sator_yaml_node *list = timeloop_get(shape, "dimensions");

    for (int i = 0; list != NULL && i < list->n_items; i++) {
        if (list->items[i]->kind == SATOR_YAML_SCALAR && strcmp(list->items[i]->text, name) == 0)
            return true;
    }
    return false;
}

/* A product [R, Wdilation]: one dimension, and coefficients. */
static void write_product(struct timeloop *t, const struct sator_yaml_node *shape,
        const struct sator_yaml_node *product, struct sator_text *text)
{
    int64_t factor = 1, value;
    const char *dimension = NULL;

    if (!sator_yaml_is(&t->reader, product, SATOR_YAML_LIST, "a product of a projection"))
        return;
    for (int i = 0; i < product->n_items; i++) {
        const struct sator_yaml_node *name = product->items[i];
        if (!sator_yaml_is(&t->reader, name, SATOR_YAML_SCALAR, "a dimension or coefficient"))
            return;
        if (is_dimension(shape, name->text) && dimension == NULL) {
            dimension = name->text;
        } else if (!coefficient(t, shape, name, &value) ||
                __builtin_mul_overflow(factor, value, &factor)) {
            sator_error(t->reader.ctx, name->loc,
                    "'%s' is neither the product's dimension nor a coefficient with a value",
                    sator_yaml_clip(t->reader.scratch, name->text));
            return;
        }
    }
    if (factor != 1 || dimension == NULL)
        sator_text_add(text, dimension == NULL ? "%lld" : "%lld*", (long long)factor);
    sator_text_put(text, dimension == NULL ? "" : dimension);
}

static void write_space(struct timeloop *t, const struct sator_yaml_node *shape,
        const struct sator_yaml_node *space, struct sator_text *text)
{
    const struct sator_yaml_node *name = timeloop_get(space, "name");
    const struct sator_yaml_node *projection = timeloop_get(space, "projection");

    if (name == NULL || projection == NULL) {
        sator_error(t->reader.ctx, space->loc, "a data space needs 'name' and 'projection'");
        return;
    }
    if (!sator_yaml_is(&t->reader, name, SATOR_YAML_SCALAR, "the name of a data space") ||
            !sator_yaml_is(&t->reader, projection, SATOR_YAML_LIST, "a projection"))
        return;
    sator_text_add(text, "%s[", name->text);
    for (int r = 0; r < projection->n_items; r++) {
        const struct sator_yaml_node *sum = projection->items[r];
        sator_text_put(text, r == 0 ? "" : ", ");
        if (!sator_yaml_is(&t->reader, sum, SATOR_YAML_LIST, "a sum of a projection"))
            return;
        for (int i = 0; i < sum->n_items; i++) {
            sator_text_put(text, i == 0 ? "" : " + ");
            write_product(t, shape, sum->items[i], text);
        }
    }
    sator_text_put(text, projection->n_items == 0 ? "0]" : "]");
}

static bool is_written(const struct sator_yaml_node *space)
{
    const struct sator_yaml_node *flag = timeloop_get(space, "read_write");

    return flag != NULL && flag->kind == SATOR_YAML_SCALAR &&
            (strcmp(flag->text, "true") == 0 || strcmp(flag->text, "True") == 0);
}

static void write_sizes(
        struct timeloop *t, const struct sator_yaml_node *shape, struct sator_text *text)
{
    const struct sator_yaml_node *list = timeloop_get(shape, "dimensions");
    const struct sator_yaml_node *instance = instance_of(t);

    sator_text_put(text, "sizes: {");
    for (int i = 0; i < list->n_items; i++) {
        const struct sator_yaml_node *name = list->items[i], *size;
        int64_t value = 1;
        if (!sator_yaml_is(&t->reader, name, SATOR_YAML_SCALAR, "a dimension"))
            continue;
        size = timeloop_get(instance, name->text);
        if (size == NULL)
            sator_error(t->reader.ctx, instance->loc, "the instance has no size for dimension '%s'",
                    sator_yaml_clip(t->reader.scratch, name->text));
        else
            sator_yaml_int(&t->reader, size, name->text, 1, INT64_C(1) << 40, &value);
        sator_text_add(text, "%s%s: %lld", i == 0 ? "" : ", ", name->text, (long long)value);
    }
    sator_text_put(text, "}\n");
}

/* The written data space first, then those that are read. */
static void write_op(struct timeloop *t, const struct sator_yaml_node *spaces,
        const struct sator_yaml_node *shape, struct sator_text *text)
{
    int n_written = 0, n_read = 0;

    sator_text_put(text, "op: \"");
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < spaces->n_items; i++) {
            if (is_written(spaces->items[i]) != (pass == 0))
                continue;
            if (pass == 0 && n_written++ > 0)
                sator_error(t->reader.ctx, spaces->items[i]->loc,
                        "a second data space is written: one is possible");
            if (pass == 1)
                sator_text_put(text, n_read++ == 0 ? " += " : " * ");
            write_space(t, shape, spaces->items[i], text);
        }
    }
    sator_text_put(text, "\"\n");
    if (n_written == 0 || n_read == 0)
        sator_error(t->reader.ctx, spaces->loc, "no data space is %s",
                n_written == 0 ? "written: one needs 'read_write: true'" : "read");
}

void timeloop_write_problem(struct timeloop *t, struct sator_text *text)
{
    const struct sator_yaml_node *problem = timeloop_get(t->root, "problem");
    const struct sator_yaml_node *shape, *spaces, *densities;

    if (!sator_yaml_is(&t->reader, problem, SATOR_YAML_MAP, "a problem"))
        return;
    shape = shape_of(t);
    if (shape == NULL)
        return;
    spaces = timeloop_get(shape, "data_spaces");
    const struct sator_yaml_node *dimensions = timeloop_get(shape, "dimensions");
    if (spaces == NULL || dimensions == NULL) {
        sator_error(t->reader.ctx, shape->loc, "a shape needs 'dimensions' and 'data_spaces'");
        return;
    }
    if (!sator_yaml_is(&t->reader, spaces, SATOR_YAML_LIST, "data_spaces") ||
            !sator_yaml_is(&t->reader, dimensions, SATOR_YAML_LIST, "dimensions"))
        return;
    densities = timeloop_get(instance_of(t), "densities");
    if (densities != NULL && (densities->n_pairs > 0 || densities->kind != SATOR_YAML_MAP))
        timeloop_unused(t, "densities");
    sator_text_put(text, "name: ");
    sator_text_add_yaml(text, sator_yaml_base_name(t->reader.scratch, t->source->path));
    sator_text_put(text, "\n");
    write_sizes(t, shape, text);
    write_op(t, spaces, shape, text);
}
