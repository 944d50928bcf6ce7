#include "golden/golden.h"

#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

cJSON *golden_load(const char *path)
{
    FILE *in = fopen(path, "rb");
    struct sator_text text = {0};
    char buffer[1 << 16];
    char *whole;
    cJSON *json;

    if (!in)
        die("cannot open %s", path);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
        sator_text_add_bytes(&text, buffer, n);
    fclose(in);
    whole = sator_text_take(&text);
    json = cJSON_Parse(whole);
    free(whole);
    if (!json)
        die("%s is not JSON", path);
    return json;
}

const char *golden_string(const struct golden_case *golden, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(golden->json, key));
    if (!text)
        die("a case has no text '%s'", key);
    return text;
}

const struct sator_relation *golden_relation(const struct golden_case *golden, const char *text)
{
    const struct sator_source *source = sator_source_from_text(golden->ctx, golden->id, text);
    const struct sator_relation *relation;

    if (sator_relation_read(golden->ctx, golden->arena,
                (struct sator_loc){.source = source, .length = source->length},
                &relation) != SATOR_OK)
        die("%s", sator_ctx_take_messages(golden->ctx, false));
    return relation;
}

void golden_open(const cJSON *json, struct golden_case *golden)
{
    const struct sator_relation *array;
    int64_t lower[GOLDEN_DIMS];

    *golden =
            (struct golden_case){.json = json, .ctx = sator_ctx_new(), .arena = sator_arena_new()};
    golden->id = golden_string(golden, "id");
    golden->metrics = cJSON_GetObjectItemCaseSensitive(json, "metrics");
    golden->tensors = cJSON_GetObjectItemCaseSensitive(json, "tensors");
    golden->inside = cJSON_IsTrue(
            cJSON_GetObjectItemCaseSensitive(golden->metrics, "space_inside_pe_domain"));
    array = golden_relation(golden, golden_string(golden, "array"));
    golden->n_dims = array->n_in;
    if (array->n_in > GOLDEN_DIMS || !sator_set_is_box(array, lower, golden->shape))
        die("%s: the array is no box", golden->id);
    for (int d = 0; d < array->n_in; d++)
        if (lower[d] != 0)
            die("%s: the array does not begin at 0", golden->id);
}

void golden_close(struct golden_case *golden)
{
    sator_arena_free(golden->arena);
    sator_ctx_free(golden->ctx);
}

/* ---- texts ---- */

/* What stands between the outer braces. */
static void add_inside(struct sator_text *text, const char *relation)
{
    const char *begin = strchr(relation, '{'), *end = strrchr(relation, '}');

    if (!begin || !end)
        die("no braces: %s", relation);
    sator_text_add_bytes(text, begin + 1, (size_t)(end - begin - 1));
}

char *golden_access(const struct golden_case *golden, const char *tensor, const char *role)
{
    struct sator_text text = {0};
    const cJSON *line;
    const char *separator = "{ ";

    cJSON_ArrayForEach(line, cJSON_GetObjectItemCaseSensitive(golden->json, "accesses"))
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetArrayItem(line, 0)), tensor) != 0 ||
                strcmp(cJSON_GetStringValue(cJSON_GetArrayItem(line, 1)), role) != 0)
            continue;
        sator_text_add(&text, "%s", separator);
        add_inside(&text, cJSON_GetStringValue(cJSON_GetArrayItem(line, 2)));
        separator = "; ";
    }
    sator_text_add(&text, " }");
    return sator_text_take(&text);
}

enum {
    MAX_PIECES = 8,
    MAX_NAME = 16
};

/* One piece of an interconnect, as written: consumer tuple -> provider tuple : condition. */
struct piece {
    char consumer[GOLDEN_DIMS][MAX_NAME], provider[GOLDEN_DIMS][MAX_NAME];
    int n_dims;
    const char *condition; /* NULL: a translation by "offset" */
    size_t condition_length;
    int64_t offset[GOLDEN_DIMS];
};

/* Read "PE[a,b]" at *at into names, without blanks. */
static int read_tuple(const char **at, char names[GOLDEN_DIMS][MAX_NAME])
{
    const char *c = strchr(*at, '[') + 1;
    int n = 0, length = 0;

    memset(names, 0, GOLDEN_DIMS * MAX_NAME);
    for (; *c != ']'; c++) {
        if (*c == ',') {
            n++;
            length = 0;
        } else if (!isspace((unsigned char)*c) && length < MAX_NAME - 1) {
            names[n][length++] = *c;
        }
    }
    *at = c + 1;
    return n + 1;
}

static int read_pieces(const struct golden_case *golden, struct piece *pieces)
{
    const char *at = strchr(golden_string(golden, "links"), '{') + 1;
    int n = 0;

    while (n < MAX_PIECES && *at != '}') {
        struct piece *piece = &pieces[n++];
        const char *end = at + strcspn(at, ";}");
        const char *colon;
        piece->condition = NULL;
        piece->n_dims = read_tuple(&at, piece->consumer);
        read_tuple(&at, piece->provider);
        colon = strchr(at, ':');
        if (colon && colon < end) {
            piece->condition = colon + 1;
            piece->condition_length = (size_t)(end - colon - 1);
        }
        for (int d = 0; d < piece->n_dims && !piece->condition; d++) {
            size_t length = strlen(piece->consumer[d]);
            if (strncmp(piece->provider[d], piece->consumer[d], length) != 0)
                die("%s: not a translation", golden->id);
            piece->offset[d] = strtoll(piece->provider[d] + length, NULL, 10);
        }
        at = *end == ';' ? end + 1 : end;
    }
    return n;
}

static void add_tuple(
        struct sator_text *text, int n_dims, const char (*names)[MAX_NAME], const char *separator)
{
    sator_text_add(text, "%sPE[", separator);
    for (int d = 0; d < n_dims; d++)
        sator_text_add(text, "%s%s", d > 0 ? "," : "", names[d]);
    sator_text_add(text, "]");
}

/* provider -> consumer under the piece's condition, between different PEs. */
static void add_conditional(
        struct sator_text *text, const struct piece *piece, const char *separator)
{
    const char * or = "";

    add_tuple(text, piece->n_dims, piece->provider, separator);
    add_tuple(text, piece->n_dims, piece->consumer, " -> ");
    sator_text_add(text, " : ");
    sator_text_add_bytes(text, piece->condition, piece->condition_length);
    sator_text_add(text, " and (");
    for (int d = 0; d < piece->n_dims; d++)
        if (strcmp(piece->provider[d], piece->consumer[d]) != 0) {
            sator_text_add(text, "%s%s != %s", or, piece->provider[d], piece->consumer[d]);
            or = " or ";
        }
    sator_text_add(text, ")");
}

static bool is_zero(const int64_t *offset, int n_dims)
{
    for (int d = 0; d < n_dims; d++)
        if (offset[d] != 0)
            return false;
    return true;
}

/* " 0 <= p0 + c < 8 and ...": the declared array, with the coordinates moved by -offset. */
static void add_in_array(
        struct sator_text *text, const struct golden_case *golden, const int64_t *offset)
{
    for (int d = 0; d < golden->n_dims; d++)
        sator_text_add(text, "%s0 <= p%d + %lld < %lld", d > 0 ? " and " : "", d,
                (long long)-offset[d], (long long)golden->shape[d]);
}

/* A consumer takes from the PE that is "offset" away: provider PE[p] -> consumer PE[p - offset].
 * With "touching", only where one of the two is in the declared array. */
static void add_translation(struct sator_text *text, const struct golden_case *golden,
        const int64_t *offset, bool touching, const char *separator)
{
    static const int64_t nowhere[GOLDEN_DIMS] = {0};

    for (int out = 0; out < 2; out++) {
        sator_text_add(text, "%sPE[", out ? "] -> " : separator);
        for (int d = 0; d < golden->n_dims; d++) {
            sator_text_add(text, "%sp%d", d > 0 ? "," : "", d);
            if (out && offset[d] != 0)
                sator_text_add(
                        text, " %c %lld", offset[d] > 0 ? '-' : '+', llabs((long long)offset[d]));
        }
    }
    sator_text_add(text, "]");
    if (touching) {
        sator_text_add(text, " : (");
        add_in_array(text, golden, nowhere);
        sator_text_add(text, ") or (");
        add_in_array(text, golden, offset);
        sator_text_add(text, ")");
    }
}

static char *self_links(const struct golden_case *golden, bool in_array)
{
    static const int64_t nowhere[GOLDEN_DIMS] = {0};
    struct sator_text text = {0};

    add_translation(&text, golden, nowhere, false, "{ ");
    if (in_array) {
        sator_text_add(&text, " : ");
        add_in_array(&text, golden, nowhere);
    }
    sator_text_add(&text, " }");
    return sator_text_take(&text);
}

static bool is_one_step(const struct piece *pieces, int n, const int64_t *offset)
{
    for (int i = 0; i < n; i++)
        if (memcmp(pieces[i].offset, offset, (size_t)pieces[i].n_dims * sizeof *offset) == 0)
            return true;
    return false;
}

/* Two steps and not one, as translations. */
static const char *add_two_steps(struct sator_text *text, const struct golden_case *golden,
        const struct piece *pieces, int n, const char *separator)
{
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            int64_t offset[GOLDEN_DIMS];
            for (int d = 0; d < golden->n_dims; d++)
                offset[d] = pieces[i].offset[d] + pieces[j].offset[d];
            if (is_zero(offset, golden->n_dims) || is_one_step(pieces, n, offset))
                continue;
            add_translation(text, golden, offset, false, separator);
            separator = "; ";
        }
    return separator;
}

char *golden_links(const struct golden_case *golden, enum golden_reach reach)
{
    struct piece pieces[MAX_PIECES];
    struct sator_text text = {0};
    const char *separator = "{ ";
    int n;

    if (reach == GOLDEN_SELF || reach == GOLDEN_SELF_IN_ARRAY)
        return self_links(golden, reach == GOLDEN_SELF_IN_ARRAY);
    n = read_pieces(golden, pieces);
    for (int i = 0; i < n; i++)
        if (reach != GOLDEN_ONE_STEP && pieces[i].condition)
            return NULL;
    for (int i = 0; i < n && reach != GOLDEN_EXACTLY_TWO; i++) {
        if (pieces[i].condition)
            add_conditional(&text, &pieces[i], separator);
        else
            add_translation(&text, golden, pieces[i].offset,
                    reach == GOLDEN_TWO_STEPS && !golden->inside, separator);
        separator = "; ";
    }
    if (reach != GOLDEN_ONE_STEP)
        separator = add_two_steps(&text, golden, pieces, n, separator);
    sator_text_add(&text, " }");
    return sator_text_take(&text);
}
