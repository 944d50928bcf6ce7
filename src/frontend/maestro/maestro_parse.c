/* The text of a network: "Constant NAME 8;", "Network NAME { Layer NAME { ... } }". */
#include "frontend/maestro/maestro.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_CONSTANTS = 1000,
    MOST_ERRORS = 20
};

struct constant {
    const char *name;
    int64_t value;
};

struct parser {
    struct maestro *m;
    size_t at;
    struct sator_loc token; /* length 0 at the end */
    size_t previous_end;
    bool stuck; /* what follows of this layer is not understood */
    int n_constants;
    struct constant *constants;
};

static const char *const dim_names[MAESTRO_DIMS] = {
        "N", "G", "K", "C", "R", "S", "Y", "X", "Y'", "X'", "M"};

const char *maestro_dim_name(enum maestro_dim dim)
{
    return dim_names[dim];
}

/* ---- words ---- */

static size_t skip_blanks(const struct sator_source *source, size_t at)
{
    const char *text = source->text;

    while (at < source->length) {
        if (isspace((unsigned char)text[at]) || text[at] == '\0') {
            at++;
        } else if (text[at] == '/' && text[at + 1] == '/') {
            at += strcspn(text + at, "\n");
        } else if (text[at] == '/' && text[at + 1] == '*') {
            const char *end = strstr(text + at + 2, "*/");
            at = end == NULL ? source->length : (size_t)(end - text) + 2;
        } else {
            break;
        }
    }
    return at < source->length ? at : source->length;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '\'' || c == '.';
}

static void next(struct parser *p)
{
    const struct sator_source *source = p->m->source;
    size_t begin, end;

    p->previous_end = p->token.offset + p->token.length;
    begin = end = skip_blanks(source, p->at);
    while (end < source->length && is_word_char(source->text[end]))
        end++;
    if (end == begin && end < source->length)
        end++;
    p->token = (struct sator_loc){source, begin, end - begin};
    p->at = end;
}

static bool at(const struct parser *p, const char *word)
{
    return strlen(word) == p->token.length &&
            memcmp(p->m->source->text + p->token.offset, word, p->token.length) == 0;
}

static bool accept(struct parser *p, const char *word)
{
    if (!at(p, word))
        return false;
    next(p);
    return true;
}

static const char *shown(const struct parser *p)
{
    size_t length = p->token.length > 40 ? 40 : p->token.length;

    return length == 0 ? "the end of the file"
                       : sator_arena_printf(p->m->arena, "'%.*s'", (int)length,
                                 p->m->source->text + p->token.offset);
}

static bool fail(struct parser *p, const char *expected)
{
    if (!p->stuck)
        sator_error(p->m->ctx, p->token, "expected %s, not %s", expected, shown(p));
    p->stuck = true;
    return false;
}

static bool expect(struct parser *p, const char *word)
{
    return accept(p, word) || fail(p, sator_arena_printf(p->m->arena, "'%s'", word));
}

/* A name of a network, a layer or a constant; layers' have dashes, too. */
static const char *read_name(struct parser *p, const char *what)
{
    const char *text = p->m->source->text + p->token.offset;
    size_t length = p->token.length;

    if (length == 0 || !is_word_char(*text)) {
        fail(p, what);
        return NULL;
    }
    while (p->token.offset + length < p->m->source->length &&
            (is_word_char(text[length]) || text[length] == '-'))
        length++;
    p->token.length = length;
    p->at = p->token.offset + length;
    const char *name = sator_arena_strndup(p->m->arena, text, length);
    next(p);
    return name;
}

/* Past what is left of the block that was entered "depth" braces ago. */
static void leave_block(struct parser *p, int depth)
{
    while (depth > 0 && p->token.length > 0) {
        depth += at(p, "{") - at(p, "}");
        next(p);
    }
}

/* ---- numbers ---- */

static int find_dim(const struct parser *p)
{
    for (int i = 0; i < MAESTRO_DIMS; i++) {
        if (at(p, dim_names[i]))
            return i;
    }
    return -1;
}

static enum maestro_dim read_dim(struct parser *p)
{
    int dim = find_dim(p);

    if (dim < 0) {
        if (!p->stuck) {
            sator_error(p->m->ctx, p->token, "there is no dimension %s", shown(p));
            sator_help(p->m->ctx, "dimensions are N, G, K, C, R, S, Y, X, Y', X' and of GEMM M");
        }
        p->stuck = true;
        return MAESTRO_N;
    }
    next(p);
    return (enum maestro_dim)dim;
}

/* Sz(R), a constant or a number. */
static int64_t read_term(struct parser *p, const struct maestro_layer *layer)
{
    const char *text = p->m->source->text + p->token.offset;
    struct sator_loc loc = p->token;
    int64_t value = 0;

    if (accept(p, "Sz")) {
        expect(p, "(");
        enum maestro_dim dim = read_dim(p);
        expect(p, ")");
        if (p->stuck)
            return 0;
        if (layer == NULL || layer->sizes[dim] == 0) {
            loc.length = p->previous_end - loc.offset;
            sator_error(p->m->ctx, loc, "the layer gives no size for '%s'", dim_names[dim]);
            return 1;
        }
        return layer->sizes[dim];
    }
    for (int i = 0; i < p->n_constants; i++) {
        if (at(p, p->constants[i].name)) {
            next(p);
            return p->constants[i].value;
        }
    }
    for (size_t i = 0; i < loc.length; i++) {
        if (!isdigit((unsigned char)text[i]) || value > INT64_C(1) << 40) {
            const char **names = SATOR_NEW_ARRAY(p->m->arena, const char *, p->n_constants + 1);
            for (int k = 0; k < p->n_constants; k++)
                names[k] = p->constants[k].name;
            bool told = p->stuck;
            fail(p, "a whole number of at most 2^40, a constant or Sz(DIMENSION)");
            if (!told && p->n_constants > 0)
                sator_help_names(p->m->ctx, sator_arena_strndup(p->m->arena, text, loc.length),
                        names, p->n_constants);
            return 0;
        }
        value = value * 10 + (text[i] - '0');
    }
    if (loc.length == 0)
        fail(p, "a number");
    next(p);
    return value;
}

/* Sums and products of these, as in "8 + Sz(S) - 1". */
static int64_t read_value(struct parser *p, const struct maestro_layer *layer, int64_t least)
{
    struct sator_loc loc = p->token;
    int64_t sum = 0, sign = 1;
    bool fits = true;

    for (;;) {
        int64_t product = read_term(p, layer);
        while (accept(p, "*"))
            fits &= !__builtin_mul_overflow(product, read_term(p, layer), &product);
        fits &= !__builtin_add_overflow(sum, sign * (fits ? product : 0), &sum);
        sign = at(p, "-") ? -1 : 1;
        if (!accept(p, "+") && !accept(p, "-"))
            break;
    }
    loc.length = p->previous_end > loc.offset ? p->previous_end - loc.offset : 1;
    if (!p->stuck && (!fits || sum < least || sum > INT64_C(1) << 40)) {
        sator_error(
                p->m->ctx, loc, "a whole number from %lld to 2^40 is expected", (long long)least);
        return least;
    }
    return sum;
}

/* ---- layers ---- */

static void read_directive(struct parser *p, struct maestro_layer *layer)
{
    struct maestro_directive directive = {.loc = p->token};

    if (at(p, "Cluster"))
        directive.class = MAESTRO_CLUSTER;
    else if (at(p, "SpatialMap"))
        directive.class = MAESTRO_SPATIAL;
    else if (!at(p, "TemporalMap")) {
        fail(p, "TemporalMap, SpatialMap or Cluster");
        return;
    }
    next(p);
    expect(p, "(");
    directive.size = read_value(p, layer, 1);
    expect(p, ",");
    if (directive.class == MAESTRO_CLUSTER) {
        if (!accept(p, "P") && !accept(p, "L"))
            fail(p, "P or L, a physical or a logical cluster");
    } else {
        directive.offset = read_value(p, layer, 1);
    }
    expect(p, ")");
    if (directive.class != MAESTRO_CLUSTER)
        directive.dim = read_dim(p);
    directive.loc.length = p->previous_end - directive.loc.offset;
    expect(p, ";");
    if (!p->stuck)
        SATOR_PUSH(p->m->arena, layer->directives, layer->n_directives, directive);
}

static void read_sizes(struct parser *p, struct maestro_layer *layer)
{
    expect(p, "{");
    while (!p->stuck && !accept(p, "}")) {
        struct sator_loc loc = p->token;
        enum maestro_dim dim = read_dim(p);
        accept(p, ":");
        int64_t size = read_value(p, NULL, 1);
        accept(p, ",");
        if (p->stuck)
            return;
        if (layer->sizes[dim] != 0 && layer->sizes[dim] != size)
            sator_error(p->m->ctx, loc, "'%s' is %lld here and %lld before", dim_names[dim],
                    (long long)size, (long long)layer->sizes[dim]);
        layer->sizes[dim] = size;
        layer->size_locs[dim] = loc;
    }
}

static void read_stride(struct parser *p, struct maestro_layer *layer)
{
    expect(p, "{");
    while (!p->stuck && !accept(p, "}")) {
        int64_t *stride = at(p, "Y") ? &layer->stride_y : at(p, "X") ? &layer->stride_x : NULL;
        if (stride == NULL) {
            fail(p, "X or Y");
            return;
        }
        next(p);
        accept(p, ":");
        *stride = read_value(p, NULL, 1);
        accept(p, ",");
    }
}

/* What a layer says but its directives, whose sizes may refer to what stands behind them: these
 * begin at "*dataflow". */
static void read_item(struct parser *p, struct maestro_layer *layer, struct parser *dataflow)
{
    if (accept(p, "Type")) {
        accept(p, ":");
        layer->type_loc = p->token;
        layer->type = read_name(p, "a layer's type");
    } else if (accept(p, "Stride")) {
        read_stride(p, layer);
    } else if (accept(p, "Dimensions")) {
        read_sizes(p, layer);
    } else if (at(p, "Dataflow")) {
        if (layer->has_dataflow)
            fail(p, "one Dataflow");
        layer->has_dataflow = true;
        next(p);
        expect(p, "{");
        *dataflow = *p;
        if (!p->stuck)
            leave_block(p, 1);
    } else {
        fail(p, "Type, Stride, Dimensions, Dataflow or '}'");
    }
}

static void read_layer(struct parser *p)
{
    struct maestro_layer layer = {.stride_y = 1, .stride_x = 1, .loc = p->token};
    struct parser dataflow = {0};

    layer.name = read_name(p, "a layer's name");
    if (layer.name == NULL)
        layer.name = ""; /* said already */
    else
        layer.loc.length = p->previous_end - layer.loc.offset;
    for (int i = 0; *layer.name != '\0' && i < p->m->n_layers; i++) {
        if (strcmp(p->m->layers[i].name, layer.name) == 0) {
            layer.name = sator_arena_printf(p->m->arena, "%s_%d", layer.name, p->m->n_layers + 1);
            i = -1;
        }
    }
    expect(p, "{");
    while (!p->stuck && !at(p, "}") && p->token.length > 0)
        read_item(p, &layer, &dataflow);
    if (!p->stuck)
        expect(p, "}");
    if (!p->stuck && layer.has_dataflow) {
        while (!dataflow.stuck && !at(&dataflow, "}"))
            read_directive(&dataflow, &layer);
    }
    SATOR_PUSH(p->m->arena, p->m->layers, p->m->n_layers, layer);
}

/* On to the next layer, whatever the braces are. */
static void recover(struct parser *p)
{
    while (p->token.length > 0 && !at(p, "Layer") && !at(p, "Network"))
        next(p);
    p->stuck = false;
}

static void read_constant(struct parser *p)
{
    struct sator_loc loc = p->token;
    struct constant constant = {.name = read_name(p, "a constant's name")};

    constant.value = read_value(p, NULL, 0);
    expect(p, ";");
    if (!p->stuck && p->n_constants == MOST_CONSTANTS) {
        sator_error(p->m->ctx, loc, "more than %d constants", MOST_CONSTANTS);
        p->stuck = true;
    }
    if (!p->stuck)
        SATOR_PUSH(p->m->arena, p->constants, p->n_constants, constant);
}

void maestro_parse(struct maestro *m)
{
    struct parser p = {.m = m, .token = {m->source, 0, 0}};

    next(&p);
    while (p.token.length > 0 && m->ctx->n_errors - m->errors_before < MOST_ERRORS) {
        if (accept(&p, "Constant")) {
            read_constant(&p);
        } else if (accept(&p, "Network")) {
            const char *name = read_name(&p, "a network's name");
            m->network = m->network == NULL ? name : m->network;
            expect(&p, "{");
        } else if (accept(&p, "Layer")) {
            read_layer(&p);
        } else if (!accept(&p, "}")) {
            fail(&p, "Network, Layer, Constant or '}'");
        }
        if (p.stuck)
            recover(&p);
    }
    if (m->n_layers == 0 && !maestro_failed(m))
        sator_error(m->ctx, (struct sator_loc){m->source, m->source->length, 0},
                "the network has no layers");
}
