/* SCALE-Sim's files: a topology (CSV, a layer a line: convolutions, or products with -i gemm) and a
 * configuration (INI: an array and three scratchpads). */
#include "base/context.h"
#include "base/text.h"
#include "frontend/frontend.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A line of a file as its fields, without the blanks around them. */
struct line {
    int n;
    struct sator_loc *fields;
};

struct scalesim {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_source *source;
    size_t at; /* of the next line */
    int errors_before;
};

static struct sator_loc trimmed(const struct sator_source *source, size_t begin, size_t end)
{
    while (begin < end && isspace((unsigned char)source->text[begin]))
        begin++;
    while (end > begin && isspace((unsigned char)source->text[end - 1]))
        end--;
    return (struct sator_loc){source, begin, end - begin};
}

/* The next line that is not blank, split at "separators"; false at the end. */
static bool next_line(struct scalesim *s, const char *separators, struct line *line)
{
    const char *text = s->source->text;

    while (s->at < s->source->length) {
        size_t begin = s->at, length = strcspn(text + begin, "\n"), end = begin + length;
        s->at = end + 1;
        if (trimmed(s->source, begin, end).length == 0)
            continue;
        for (*line = (struct line){0}; begin <= end;) {
            size_t part = strcspn(text + begin, separators);
            part = part > end - begin ? end - begin : part;
            SATOR_PUSH(s->arena, line->fields, line->n, trimmed(s->source, begin, begin + part));
            begin += part + 1;
        }
        if (line->n > 1 && line->fields[line->n - 1].length == 0)
            line->n--; /* a separator ends the line */
        return true;
    }
    return false;
}

static char *string(struct scalesim *s, struct sator_loc loc)
{
    return sator_arena_strndup(s->arena, loc.source->text + loc.offset, loc.length);
}

static bool is(struct scalesim *s, struct sator_loc loc, const char *word)
{
    return strcasecmp(string(s, loc), word) == 0;
}

/* A whole number from 1 to 2^40; 0 after an error. */
static int64_t count(struct scalesim *s, struct sator_loc loc, const char *what)
{
    char *word = string(s, loc), *end;
    long long value = strtoll(word, &end, 10);

    if (end != word && *end == '\0' && value >= 1 && value <= INT64_C(1) << 40)
        return value;
    sator_error(
            s->ctx, loc, "%s: a whole number from 1 to 2^40 is expected, not '%.40s'", what, word);
    return 0;
}

/* ---- what a file is ---- */

static bool begins(const struct sator_source *source, const char *word)
{
    const char *text = source->text + strspn(source->text, " \t\r\n");

    return strncasecmp(text, word, strlen(word)) == 0;
}

static bool is_topology(const struct sator_source *source)
{
    size_t line = strcspn(source->text, "\n");

    return begins(source, "layer") && memchr(source->text, ',', line) != NULL &&
            memchr(source->text, ':', line) == NULL;
}

static bool is_configuration(const struct sator_source *source)
{
    return begins(source, "[general]") || strstr(source->text, "[architecture_presets]") != NULL;
}

bool sator_scalesim_is(const struct sator_source *source)
{
    return is_topology(source) || is_configuration(source);
}

bool sator_scalesim_has(const struct sator_source *source, enum sator_document kind)
{
    return kind == SATOR_DOCUMENT_WORKLOAD ? is_topology(source)
            : kind == SATOR_DOCUMENT_ARCH  ? is_configuration(source)
                                           : false;
}

/* ---- topologies ---- */

static void write_name(struct scalesim *s, struct sator_text *text, struct sator_loc name, int n)
{
    sator_text_put(text, "  - name: ");
    sator_text_add_yaml(
            text, name.length > 0 ? string(s, name) : sator_arena_printf(s->arena, "layer%d", n));
}

static void write_product(
        struct scalesim *s, struct sator_text *text, const struct line *line, int n)
{
    write_name(s, text, line->fields[0], n);
    sator_text_add(text,
            "\n    sizes: {i: %lld, j: %lld, k: %lld}\n    op: \"Y[i,j] += A[i,k] * B[k,j]\"\n",
            (long long)count(s, line->fields[1], "M"), (long long)count(s, line->fields[2], "N"),
            (long long)count(s, line->fields[3], "K"));
}

/* SCALE-Sim pads nothing: (input - filter) / stride + 1 outputs, rounded up as the program does. */
static int64_t outputs(
        struct scalesim *s, struct sator_loc loc, int64_t input, int64_t filter, int64_t stride)
{
    if (filter == 0 || input == 0 || stride == 0)
        return 0; /* said already */
    if (filter > input) {
        sator_error(s->ctx, loc, "the filter's %lld is more than the input's %lld",
                (long long)filter, (long long)input);
        return 1;
    }
    return (input - filter + stride) / stride;
}

static void write_convolution(
        struct scalesim *s, struct sator_text *text, const struct line *line, int n, bool has_batch)
{
    static const char *const what[] = {"name", "the input's height", "the input's width",
            "the filter's height", "the filter's width", "channels", "filters", "stride"};
    int64_t v[8] = {0}, batch = 1;

    for (int i = 1; i < 8; i++)
        v[i] = count(s, line->fields[i], what[i]);
    if (has_batch && line->n > 8 && line->fields[8].length > 0)
        batch = count(s, line->fields[8], "batch size");
    int64_t height = outputs(s, line->fields[3], v[1], v[3], v[7]);
    int64_t width = outputs(s, line->fields[4], v[2], v[4], v[7]);
    write_name(s, text, line->fields[0], n);
    sator_text_add(text,
            "\n    sizes: {n: %lld, k: %lld, c: %lld, ox: %lld, oy: %lld, rx: %lld, ry: %lld}\n",
            (long long)batch, (long long)v[6], (long long)v[5], (long long)width, (long long)height,
            (long long)v[4], (long long)v[3]);
    sator_text_add(text,
            "    op: \"Y[n,k,ox,oy] += A[n,c,%lld*ox+rx,%lld*oy+ry] * B[k,c,rx,ry]\"\n",
            (long long)v[7], (long long)v[7]);
}

static bool is_empty(const struct line *line)
{
    for (int i = 0; i < line->n; i++) {
        if (line->fields[i].length > 0)
            return false;
    }
    return true;
}

/* Columns behind those that are read, as far as they are headed. */
static void warn_of_columns(struct scalesim *s, const struct line *header, int known)
{
    for (int i = known; i < header->n; i++) {
        if (header->fields[i].length > 0) {
            sator_warn(s->ctx, header->fields[i], "from column '%s' on nothing is honoured",
                    string(s, header->fields[i]));
            return;
        }
    }
}

static void write_topology(struct scalesim *s, struct sator_text *text)
{
    struct line header, line;
    int n = 0;

    if (!next_line(s, ",", &header))
        return;
    bool products = header.n > 3 && is(s, header.fields[1], "M");
    bool has_batch = header.n > 8 && is(s, header.fields[8], "Batch Size");
    int needed = products ? 4 : 8;
    if (header.n < needed)
        sator_error(s->ctx, header.fields[0],
                "a topology has the columns Layer, M, N, K, or Layer, IFMAP Height, IFMAP Width, "
                "Filter Height, Filter Width, Channels, Num Filter, Strides");
    warn_of_columns(s, &header, needed + has_batch);
    sator_text_put(text, "layers:\n");
    while (s->ctx->n_errors - s->errors_before < 20 && next_line(s, ",", &line)) {
        if (is_empty(&line))
            continue;
        n++;
        if (line.n < needed) {
            sator_error(s->ctx, line.fields[0], "a layer has %d columns here: %d are needed",
                    line.n, needed);
        } else if (products) {
            write_product(s, text, &line, n);
        } else {
            write_convolution(s, text, &line, n, has_batch);
        }
    }
    if (n == 0 && s->ctx->n_errors == s->errors_before)
        sator_error(s->ctx, (struct sator_loc){s->source, s->source->length, 0},
                "the topology has no layers");
}

/* ---- configurations ---- */

struct configuration {
    int64_t rows, columns, kilobytes[3];
    double bandwidth;
    bool has_bandwidth;
    struct sator_loc dataflow;
};

static void read_key(struct scalesim *s, const struct line *line, struct configuration *c,
        struct sator_text *unused)
{
    static const char *const sizes[] = {
            "ArrayHeight", "ArrayWidth", "IfmapSramSzkB", "FilterSramSzkB", "OfmapSramSzkB"};
    int64_t *const values[] = {
            &c->rows, &c->columns, &c->kilobytes[0], &c->kilobytes[1], &c->kilobytes[2]};
    char *end;

    for (int i = 0; i < 5; i++) {
        if (is(s, line->fields[0], sizes[i])) {
            *values[i] = count(s, line->fields[1], sizes[i]);
            return;
        }
    }
    if (is(s, line->fields[0], "Bandwidth")) {
        char *word = string(s, line->fields[1]);
        c->bandwidth = strtod(word, &end);
        c->has_bandwidth = end != word && *end == '\0' && c->bandwidth > 0 && c->bandwidth < 1e12;
        if (!c->has_bandwidth)
            sator_error(
                    s->ctx, line->fields[1], "Bandwidth: a number of words a cycle is expected");
    } else if (is(s, line->fields[0], "Dataflow")) {
        c->dataflow = line->fields[1];
        if (!is(s, c->dataflow, "os") && !is(s, c->dataflow, "ws") && !is(s, c->dataflow, "is"))
            sator_error(s->ctx, c->dataflow, "Dataflow is os, ws or is");
    } else if (!is(s, line->fields[0], "run_name") &&
            !is(s, line->fields[0], "InterfaceBandwidth")) {
        sator_text_add(unused, "%s%s", unused->length == 0 ? "" : ", ", string(s, line->fields[0]));
    }
}

static void write_configuration(struct scalesim *s, struct sator_text *text)
{
    struct configuration c = {.rows = 0};
    struct sator_text unused = {0};
    struct line line;
    bool calculates = false;

    while (next_line(s, ":=", &line)) {
        if (s->source->text[line.fields[0].offset] == '[' ||
                s->source->text[line.fields[0].offset] == '#')
            continue;
        if (line.n < 2) {
            sator_error(s->ctx, line.fields[0], "a line 'KEY : VALUE' or '[SECTION]' is expected");
            continue;
        }
        calculates |= is(s, line.fields[0], "InterfaceBandwidth") && is(s, line.fields[1], "CALC");
        read_key(s, &line, &c, &unused);
    }
    if (s->ctx->n_errors == s->errors_before && (c.rows == 0 || c.columns == 0))
        sator_error(s->ctx, (struct sator_loc){s->source, 0, 0},
                "the configuration has no ArrayHeight or no ArrayWidth");
    if (unused.length > 0)
        sator_warn(s->ctx, (struct sator_loc){s->source, 0, 0},
                "of this configuration these are not honoured: %s", unused.data);
    sator_text_clear(&unused);
    static const char *const names[] = {"ifmap", "filter", "ofmap"},
                             *const tensors[] = {"A", "B", "Y"};
    sator_text_put(text, "levels:\n  - {memory: DRAM");
    if (c.has_bandwidth && !calculates)
        sator_text_add(text, ", bandwidth_bits: %.17g", c.bandwidth * 16);
    sator_text_put(text, "}\n");
    for (int i = 0; i < 3; i++) {
        if (c.kilobytes[i] > 0)
            sator_text_add(text,
                    "  - {memory: %s, capacity_bytes: %lld, double_buffered: true, tensors: "
                    "[%s]}\n",
                    names[i], (long long)c.kilobytes[i] * 1024, tensors[i]);
    }
    sator_text_add(text,
            "  - {array: PE, shape: [%lld, %lld], topology: systolic-2d}\n"
            "  - {memory: registers, capacity_words: {A: 1, B: 1, Y: 1}}\n  - {compute: mac}\n",
            (long long)c.rows, (long long)c.columns);
}

enum sator_status sator_scalesim_read(struct sator_ctx *ctx, const struct sator_source *source,
        enum sator_document kind, struct sator_text *text)
{
    struct scalesim s = {.ctx = ctx,
            .arena = sator_arena_new(),
            .source = source,
            .errors_before = ctx->n_errors};
    const char *slash = strrchr(source->path, '/'),
               *base = slash == NULL ? source->path : slash + 1;

    sator_text_put(text, "name: ");
    sator_text_add_yaml(text, sator_arena_strndup(s.arena, base, strcspn(base, ".")));
    sator_text_put(text, "\n");
    if (!sator_scalesim_has(source, kind))
        sator_error(ctx, (struct sator_loc){source, 0, 0}, "this SCALE-Sim file has no %s",
                kind == SATOR_DOCUMENT_WORKLOAD       ? "layers"
                        : kind == SATOR_DOCUMENT_ARCH ? "array"
                                                      : "mapping: its dataflows os, ws and is are "
                                                        "those of the library for gemm");
    else if (kind == SATOR_DOCUMENT_WORKLOAD)
        write_topology(&s, text);
    else
        write_configuration(&s, text);
    sator_arena_free(s.arena);
    return ctx->n_errors == s.errors_before ? SATOR_OK : SATOR_INPUT;
}
