/* Typed access to the nodes of a tree. */
#include "frontend/yaml/yaml.h"

#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sator_yaml_reader_init(struct sator_yaml_reader *reader, struct sator_ctx *ctx,
        const struct sator_settings *settings)
{
    *reader = (struct sator_yaml_reader){.ctx = ctx,
            .arena = sator_arena_new(),
            .scratch = sator_arena_new(),
            .settings = settings,
            .errors_before = ctx->n_errors};
}

bool sator_yaml_failed(const struct sator_yaml_reader *reader)
{
    return reader->ctx->n_errors != reader->errors_before;
}

bool sator_yaml_full(const struct sator_yaml_reader *reader)
{
    return reader->full || reader->stopped != SATOR_OK ||
            reader->ctx->n_errors - reader->errors_before >= SATOR_YAML_MOST_ERRORS;
}

enum sator_status sator_yaml_reader_end(struct sator_yaml_reader *reader)
{
    sator_arena_free(reader->scratch);
    reader->scratch = NULL;
    if (!sator_yaml_failed(reader) && reader->stopped == SATOR_OK)
        return SATOR_OK;
    sator_arena_free(reader->arena);
    reader->arena = NULL;
    return reader->stopped != SATOR_OK ? reader->stopped : SATOR_INPUT;
}

/* ---- keys ---- */

void sator_yaml_check_keys(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const char *where, const char *const *keys, int n_keys)
{
    for (int i = 0; i < map->n_pairs && !sator_yaml_full(reader); i++) {
        const struct sator_yaml_node *key = map->pairs[i].key;
        if (sator_lists(key->text, n_keys, keys))
            continue;
        sator_error(reader->ctx, key->loc, "%s has no key '%s'", where,
                sator_yaml_clip(reader->scratch, key->text));
        sator_help_names(reader->ctx, key->text, keys, n_keys);
    }
}

static bool is_null(const struct sator_yaml_node *node)
{
    return node->kind == SATOR_YAML_SCALAR && !node->quoted &&
            (strcmp(node->text, "null") == 0 || strcmp(node->text, "~") == 0);
}

static bool is_empty(const struct sator_yaml_node *node)
{
    return node->kind == SATOR_YAML_SCALAR && !node->quoted && *node->text == '\0';
}

const struct sator_yaml_node *sator_yaml_get(
        struct sator_yaml_reader *reader, const struct sator_yaml_node *map, const char *key)
{
    const struct sator_yaml_node *value = sator_yaml_find(map, key);

    if (value == NULL || is_null(value))
        return NULL;
    if (is_empty(value)) {
        for (int i = 0; i < map->n_pairs; i++) {
            if (map->pairs[i].value == value)
                sator_error(reader->ctx, map->pairs[i].key->loc, "'%s' has no value", key);
        }
        return NULL;
    }
    return value;
}

const struct sator_yaml_node *sator_yaml_need(struct sator_yaml_reader *reader,
        const struct sator_yaml_node *map, const char *where, const char *key)
{
    const struct sator_yaml_node *value = sator_yaml_get(reader, map, key);
    const struct sator_yaml_node *there = sator_yaml_find(map, key);

    if (value == NULL && (there == NULL || is_null(there))) {
        struct sator_loc loc = map->n_pairs == 0 ? map->loc : map->pairs[0].key->loc;
        sator_error(reader->ctx, loc, "%s needs '%s'", where, key);
    }
    return value;
}

/* ---- values ---- */

static const char *describe(
        struct sator_yaml_reader *reader, const struct sator_yaml_node *node, const char *expected)
{
    if (node->kind == SATOR_YAML_MAP)
        return sator_arena_printf(reader->scratch, "%s is expected, not a map", expected);
    if (node->kind == SATOR_YAML_LIST)
        return sator_arena_printf(reader->scratch, "%s is expected, not a list", expected);
    return sator_arena_printf(reader->scratch, "%s is expected, not '%s'", expected,
            sator_yaml_clip(reader->scratch, node->text));
}

static bool mismatch(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, const char *expected)
{
    struct sator_loc loc = node->loc;

    if (node->kind != SATOR_YAML_SCALAR)
        loc.length = 1; /* the bracket, or the first key: not page after page of carets */
    sator_error(reader->ctx, loc, "%s: %s", what, describe(reader, node, expected));
    return false;
}

bool sator_yaml_is(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        enum sator_yaml_kind kind, const char *what)
{
    static const char *const names[] = {"text", "a list", "a map"};

    if (node->kind == kind)
        return true;
    mismatch(reader, node, what, names[kind]);
    if (kind == SATOR_YAML_SCALAR)
        sator_help(reader->ctx, "put text that begins with a brace or bracket into quotes");
    return false;
}

bool sator_yaml_int(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, int64_t least, int64_t most, int64_t *value)
{
    const char *text = node->kind == SATOR_YAML_SCALAR ? node->text : "";
    bool negative = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+');
    size_t length = strlen(digits);
    int64_t read = 0;
    bool fits = true;

    if (length == 0 || strspn(digits, "0123456789") != length)
        return mismatch(reader, node, what, "a whole number");
    for (; *digits != '\0' && fits; digits++)
        fits = !__builtin_mul_overflow(read, 10, &read) &&
                !__builtin_add_overflow(read, *digits - '0', &read);
    if (negative && fits)
        read = -read;
    if (fits && read >= least && read <= most) {
        *value = read;
        return true;
    }
    sator_error(reader->ctx, node->loc, "%s is %s: it must be between %lld and %lld", what,
            sator_yaml_clip(reader->scratch, text), (long long)least, (long long)most);
    return false;
}

/* A decimal number as people write it: no hexadecimal, no "nan", no "inf". */
static bool is_decimal(const char *text)
{
    text += *text == '-' || *text == '+';
    size_t whole = strspn(text, "0123456789");
    text += whole;
    size_t fraction = 0;
    if (*text == '.') {
        fraction = strspn(text + 1, "0123456789");
        text += 1 + fraction;
    }
    if (whole + fraction == 0)
        return false;
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '-' || *text == '+';
        size_t exponent = strspn(text, "0123456789");
        if (exponent == 0)
            return false;
        text += exponent;
    }
    return *text == '\0';
}

bool sator_yaml_number(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, bool positive, double *value)
{
    if (node->kind != SATOR_YAML_SCALAR || !is_decimal(node->text))
        return mismatch(reader, node, what, "a number");
    double read = strtod(node->text, NULL);
    if (!isfinite(read) || read > 1e30) {
        sator_error(reader->ctx, node->loc, "%s is %s: too large", what,
                sator_yaml_clip(reader->scratch, node->text));
        return false;
    }
    if (read < 0 || (positive && !(read > 0))) {
        sator_error(reader->ctx, node->loc, "%s is %s: it must %s", what,
                sator_yaml_clip(reader->scratch, node->text),
                positive ? "be more than 0" : "not be negative");
        return false;
    }
    *value = read;
    return true;
}

bool sator_yaml_bool(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, bool *value)
{
    if (node->kind != SATOR_YAML_SCALAR ||
            (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0))
        return mismatch(reader, node, what, "true or false");
    *value = *node->text == 't';
    return true;
}

bool sator_yaml_string(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, const char **value)
{
    if (!sator_yaml_is(reader, node, SATOR_YAML_SCALAR, what))
        return false;
    if (node->text[strspn(node->text, " \t\r\n")] == '\0')
        return mismatch(reader, node, what, "text");
    *value = sator_arena_strdup(reader->arena, node->text);
    return true;
}

bool sator_yaml_identifier(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, const char **value)
{
    if (!sator_yaml_is(reader, node, SATOR_YAML_SCALAR, what))
        return false;
    bool valid = isalpha((unsigned char)*node->text) || *node->text == '_';
    for (const char *c = node->text; *c != '\0' && valid; c++)
        valid = isalnum((unsigned char)*c) || *c == '_';
    if (!valid)
        return mismatch(reader, node, what, "a name of letters, digits and '_'");
    if (sator_is_notation(node->text) || strcmp(node->text, "true") == 0 ||
            strcmp(node->text, "false") == 0) {
        sator_error(reader->ctx, node->loc, "%s: '%s' is a word of the notation", what, node->text);
        return false;
    }
    *value = sator_arena_strdup(reader->arena, node->text);
    return true;
}

bool sator_yaml_names(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, int *n_names, const char *const **names)
{
    int n_read = 0;
    const char **read = NULL;
    const char *name;
    bool valid = true;

    if (node->kind == SATOR_YAML_MAP)
        return mismatch(reader, node, what, "a list of names");
    int n_items = node->kind == SATOR_YAML_SCALAR ? 1 : node->n_items;
    for (int i = 0; i < n_items && !sator_yaml_full(reader); i++) {
        const struct sator_yaml_node *item =
                node->kind == SATOR_YAML_SCALAR ? node : node->items[i];
        if (sator_yaml_identifier(reader, item, what, &name))
            SATOR_PUSH(reader->arena, read, n_read, name);
        else
            valid = false;
    }
    *n_names = n_read;
    *names = read;
    return valid;
}
