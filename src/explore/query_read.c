#include "explore/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum sator_status damaged(struct query_source *source, const char *what)
{
    struct sator_source *file = SATOR_NEW(source->ctx->arena, struct sator_source);

    file->path = sator_arena_strdup(source->ctx->arena, sator_store_path(source->store));
    return sator_error(
            source->ctx, (struct sator_loc){.source = file}, "the database is damaged: %s", what);
}

/* ---- the description ---- */

static const char *text_at(
        const struct query_source *source, const struct sator_cursor *cursor, int column)
{
    struct sator_cell cell = sator_cursor_cell(cursor, column, false);

    return sator_arena_strdup(source->arena, cell.kind == SATOR_CELL_TEXT ? cell.text : "");
}

/* A small number, or -1 for anything else. */
static int number_at(const struct sator_cursor *cursor, int column)
{
    struct sator_cell cell = sator_cursor_cell(cursor, column, true);

    return cell.kind == SATOR_CELL_COUNT && cell.count >= 0 && cell.count <= INT32_MAX
            ? (int)cell.count
            : -1;
}

static enum sator_status read_layers(struct query_source *source)
{
    struct sator_cursor *cursor = NULL;
    bool found;
    enum sator_status st;

    SATOR_TRY(sator_store_scan(source->ctx, source->store, "layer",
            "layer, family, name, repeat, same_as", "layer", &cursor));
    for (;;) {
        SATOR_TRY(sator_cursor_next(source->ctx, cursor, &found));
        if (!found)
            break;
        struct query_layer layer = {.family = number_at(cursor, 1),
                .name = text_at(source, cursor, 2),
                .repeat = number_at(cursor, 3),
                .same_as = number_at(cursor, 4)};
        if (number_at(cursor, 0) != source->n_layers || layer.family < 0 || layer.repeat < 0 ||
                layer.same_as < 0 || layer.same_as > source->n_layers)
            SATOR_TRY(damaged(source, "a layer makes no sense"));
        if (layer.family >= source->n_families)
            source->n_families = layer.family + 1;
        SATOR_PUSH(source->arena, source->layers, source->n_layers, layer);
    }
    if (source->n_families > source->n_layers)
        st = damaged(source, "a layer makes no sense");
done:
    sator_cursor_close(cursor);
    return st;
}

static void name_families(struct query_source *source)
{
    source->family_names = SATOR_NEW_ARRAY(source->arena, const char *, source->n_families + 1);
    for (int i = source->n_layers - 1; i >= 0; i--)
        source->family_names[source->layers[i].family] = source->n_families == 1
                ? "all"
                : sator_arena_printf(source->arena, "all like %s", source->layers[i].name);
    for (int f = 0; f < source->n_families; f++) {
        if (source->family_names[f] == NULL)
            source->family_names[f] = "";
    }
}

static struct explore_value value_at(
        const struct sator_cursor *cursor, int column, enum explore_kind kind)
{
    struct sator_cell cell = sator_cursor_cell(cursor, column, kind == EXPLORE_COUNT);
    struct explore_value value = {.kind = kind, .number = NAN};

    if (kind == EXPLORE_COUNT)
        value.count = cell.kind == SATOR_CELL_COUNT ? cell.count : 0;
    else if (cell.kind == SATOR_CELL_REAL)
        value.number = cell.real;
    else if (cell.kind == SATOR_CELL_COUNT)
        value.number = (double)cell.count;
    return value;
}

static enum sator_status read_hardware(struct query_source *source)
{
    struct sator_cursor *cursor = NULL;
    bool found;
    enum sator_status st;

    SATOR_TRY(sator_store_scan(source->ctx, source->store, "hardware",
            "hardware, name, settings, area_um2", "hardware", &cursor));
    for (;;) {
        SATOR_TRY(sator_cursor_next(source->ctx, cursor, &found));
        if (!found)
            break;
        struct query_hardware hardware = {text_at(source, cursor, 1), text_at(source, cursor, 2),
                value_at(cursor, 3, EXPLORE_NUMBER).number};
        if (number_at(cursor, 0) != source->n_hardware)
            SATOR_TRY(damaged(source, "the hardware is not numbered"));
        SATOR_PUSH(source->arena, source->hardware, source->n_hardware, hardware);
    }
done:
    sator_cursor_close(cursor);
    return st;
}

/* "A.read,Y.write" */
static void split_tensors(struct query_source *source, const char *list)
{
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        char *name = sator_arena_strndup(source->arena, list, length);
        char *dot = strrchr(name, '.');
        struct query_tensor tensor = {.name = name};
        if (dot != NULL) {
            tensor.role = strcmp(dot + 1, "write") == 0 ? SATOR_WRITE : SATOR_READ;
            *dot = '\0';
        }
        SATOR_PUSH(source->arena, source->tensors, source->n_tensors, tensor);
        list += length + (list[length] == ',');
    }
    const char **names = SATOR_NEW_ARRAY(source->arena, const char *, source->n_tensors + 1);
    for (int i = 0; i < source->n_tensors; i++)
        names[i] = source->tensors[i].name;
    source->names.n_tensors = source->n_tensors;
    source->names.tensors = names;
}

/* A name a line: the columns that this database has besides the usual ones. */
static void split_figures(struct query_source *source, const char *list)
{
    struct explore_names *names = &source->names;

    for (size_t length; *list != '\0' && names->n_figures < EXPLORE_MOST_FIGURES;
            list += length + (list[length] == '\n')) {
        length = strcspn(list, "\n");
        const char *name = sator_arena_strndup(source->arena, list, length);
        SATOR_PUSH(source->arena, names->known, names->n_known, (struct explore_known){name, true});
        SATOR_PUSH(source->arena, names->figures, names->n_figures, name);
    }
}

static enum sator_status get(struct query_source *source, const char *key, const char **value)
{
    enum sator_status st = sator_store_get(source->ctx, source->store, source->arena, key, value);

    if (st == SATOR_OK && *value == NULL)
        return damaged(source, "its description is incomplete");
    return st;
}

enum sator_status query_open(struct sator_ctx *ctx, const char *path, struct query_source *source)
{
    const char *tensors, *figures, *points, *shard, *shards;
    enum sator_status st;

    *source = (struct query_source){.ctx = ctx, .arena = sator_arena_new()};
    SATOR_TRY(sator_store_open(ctx, path, SATOR_STORE_READ, &source->store));
    SATOR_TRY(get(source, "network", &source->network));
    SATOR_TRY(get(source, "objective", &source->objective));
    SATOR_TRY(get(source, "input_sha256", &source->digest));
    SATOR_TRY(explore_origin_read(ctx, source->store, source->arena, &source->origin));
    SATOR_TRY(get(source, "program", &source->program));
    SATOR_TRY(get(source, "tensors", &tensors));
    SATOR_TRY(get(source, "figures", &figures));
    SATOR_TRY(get(source, "points", &points));
    SATOR_TRY(get(source, "shard", &shard));
    SATOR_TRY(get(source, "shards", &shards));
    source->are_mappings = strcmp(points, "mappings") == 0;
    source->shard = atoi(shard);
    source->n_shards = atoi(shards);
    split_tensors(source, tensors);
    split_figures(source, figures);
    SATOR_TRY(read_layers(source));
    name_families(source);
    SATOR_TRY(read_hardware(source));
done:
    return st;
}

void query_close(struct query_source *source)
{
    sator_store_close(source->store);
    sator_arena_free(source->arena);
}

/* ---- rows ---- */

/* Where results come from: with their mappings, if they have them. */
static const char *result_table(const struct query_source *source)
{
    return source->are_mappings ? "result LEFT JOIN mapping USING (layer, hardware, point)"
                                : "result";
}

static void add_column(struct sator_text *text, const char *name)
{
    sator_text_add(text, ", \"");
    for (const char *at = name; *at != '\0'; at++)
        sator_text_add(text, *at == '"' ? "\"\"" : "%c", *at);
    sator_text_add(text, "\"");
}

/* Key, maps, figures, the loops of a mapping, and those of the tensors if they are wanted. */
static const char *result_columns(const struct query_source *source, bool with_tensors)
{
    struct sator_text text = {0};

    sator_text_add(&text, "layer, hardware, point, space, time, bound_by, cuts");
    for (int i = 0; i < EXPLORE_N_FIELDS; i++) {
        size_t at = text.length + 2;
        sator_text_add(&text, ", %s", explore_fields[i].key);
        for (; at < text.length; at++) {
            if (text.data[at] == '.')
                text.data[at] = '_';
        }
    }
    for (int i = 0; i < source->names.n_figures; i++)
        add_column(&text, source->names.figures[i]);
    if (source->are_mappings)
        sator_text_add(&text, ", loops");
    for (int t = 0; t < source->n_tensors && with_tensors; t++) {
        for (int f = 0; f < EXPLORE_N_TENSOR_FIELDS; f++)
            add_column(&text,
                    explore_tensor_column(
                            source->arena, source->tensors[t].name, source->tensors[t].role, f));
    }
    return sator_text_keep(&text, source->arena);
}

/* A figure that this result has not is the number NAN. */
static struct explore_value figure_at(
        const struct sator_cursor *cursor, int column, const char *name)
{
    enum explore_kind kind = explore_figure_kind(name);
    bool missing = sator_cursor_cell(cursor, column, false).kind == SATOR_CELL_NULL;

    return value_at(cursor, column, missing ? EXPLORE_NUMBER : kind);
}

static const char *words_at(const struct sator_cursor *cursor, int column)
{
    struct sator_cell cell = sator_cursor_cell(cursor, column, false);

    return cell.kind == SATOR_CELL_TEXT ? cell.text : "";
}

/* The tensors that the result has, from column "first" on. */
static void read_tensors(struct query_reader *reader, int first, struct explore_record *record)
{
    const struct query_source *source = reader->source;

    record->n_tensors = 0;
    record->tensors = reader->tensors;
    for (int t = 0; t < source->n_tensors && reader->with_tensors; t++) {
        int column = first + t * EXPLORE_N_TENSOR_FIELDS;
        if (sator_cursor_cell(reader->results, column, false).kind == SATOR_CELL_NULL)
            continue;
        struct explore_tensor *tensor = &reader->tensors[record->n_tensors++];
        tensor->name = source->tensors[t].name;
        tensor->role = source->tensors[t].role;
        for (int v = 0; v < EXPLORE_N_TENSOR_FIELDS; v++)
            tensor->volumes[v] = value_at(reader->results, column + v, EXPLORE_COUNT).count;
    }
}

static enum sator_status read_row(struct query_reader *reader, struct query_row *row)
{
    struct query_source *source = reader->source;
    const struct sator_cursor *cursor = reader->results;
    int n = 7;

    row->record.layer = number_at(cursor, 0);
    row->record.hardware = number_at(cursor, 1);
    row->record.point = (uint64_t)sator_cursor_cell(cursor, 2, true).count;
    if (row->record.layer < 0 || row->record.layer >= source->n_layers ||
            row->record.hardware < 0 || row->record.hardware >= source->n_hardware)
        return damaged(source, "a result is of no layer or hardware");
    row->family = source->layers[row->record.layer].family;
    row->no_point = false;
    row->space = words_at(cursor, 3);
    row->time = words_at(cursor, 4);
    row->bound_by = words_at(cursor, 5);
    row->cuts = words_at(cursor, 6);
    for (int i = 0; i < EXPLORE_N_FIELDS; i++)
        row->record.fields[i] = value_at(cursor, n++, explore_fields[i].kind);
    row->record.n_figures = source->names.n_figures;
    row->record.figures = reader->figures;
    for (int i = 0; i < row->record.n_figures; i++)
        reader->figures[i] = figure_at(cursor, n++, source->names.figures[i]);
    row->loops = source->are_mappings ? words_at(cursor, n++) : NULL;
    read_tensors(reader, n, &row->record);
    return SATOR_OK;
}

static void reader_init(struct query_source *source, bool with_tensors, struct query_reader *reader)
{
    *reader = (struct query_reader){.source = source,
            .with_tensors = with_tensors,
            .tensors =
                    SATOR_NEW_ARRAY(source->arena, struct explore_tensor, source->n_tensors + 1)};
}

enum sator_status query_reader_open(struct query_source *source, bool with_tensors,
        const char *order, struct query_reader *reader)
{
    const char *table = result_table(source);

    reader_init(source, with_tensors, reader);
    if (strstr(order, "family") != NULL)
        table = sator_arena_printf(source->arena, "%s JOIN layer USING (layer)", table);
    return sator_store_scan(source->ctx, source->store, table, result_columns(source, with_tensors),
            order, &reader->results);
}

enum sator_status query_reader_next(struct query_reader *reader, struct query_row *row, bool *found)
{
    enum sator_status st;

    SATOR_TRY(sator_cursor_next(reader->source->ctx, reader->results, found));
    if (*found)
        SATOR_TRY(read_row(reader, row));
done:
    return st;
}

void query_reader_close(struct query_reader *reader)
{
    sator_cursor_close(reader->results);
}

enum sator_status query_finder_open(struct query_source *source, struct query_reader *finder)
{
    reader_init(source, true, finder);
    return sator_store_lookup(source->ctx, source->store, result_table(source),
            result_columns(source, true), "layer = ? AND hardware = ? AND point = ?", "point",
            &finder->results);
}

enum sator_status query_find(struct query_reader *finder, int layer, int hardware, uint64_t point,
        struct query_row *row, bool *found)
{
    const int64_t key[] = {layer, hardware, (int64_t)point};

    sator_cursor_seek(finder->results, 3, key);
    return query_reader_next(finder, row, found);
}
