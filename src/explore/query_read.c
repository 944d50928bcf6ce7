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
    SATOR_TRY(get(source, "model_version", &source->model_version));
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

/* Key, maps and figures; a mapping's columns come last. */
static const char *result_columns(const struct query_source *source)
{
    struct sator_text text = {0};

    sator_text_add(&text, "layer, hardware, point, space, time");
    for (int i = 0; i < EXPLORE_N_FIELDS; i++) {
        size_t at = text.length + 2;
        sator_text_add(&text, ", %s", explore_fields[i].key);
        for (; at < text.length; at++)
            text.data[at] = text.data[at] == '.' ? '_' : text.data[at];
    }
    for (int i = 0; i < source->names.n_figures; i++) {
        sator_text_add(&text, ", \"");
        for (const char *at = source->names.figures[i]; *at != '\0'; at++)
            sator_text_add(&text, *at == '"' ? "\"\"" : "%c", *at);
        sator_text_add(&text, "\"");
    }
    if (source->are_mappings)
        sator_text_add(&text, ", cuts, loops");
    const char *columns = sator_arena_strdup(source->arena, text.data);
    sator_text_clear(&text);
    return columns;
}

static const char tensor_columns[] =
        "layer, hardware, point, tensor, role, access_volume, total_volume, temporal_reuse, "
        "spatial_reuse, unique_volume, footprint";

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

enum sator_status query_read_result(
        struct query_source *source, const struct sator_cursor *cursor, struct query_row *row)
{
    row->record.layer = number_at(cursor, 0);
    row->record.hardware = number_at(cursor, 1);
    row->record.point = (uint64_t)sator_cursor_cell(cursor, 2, true).count;
    if (row->record.layer < 0 || row->record.layer >= source->n_layers ||
            row->record.hardware < 0 || row->record.hardware >= source->n_hardware)
        return damaged(source, "a result is of no layer or hardware");
    row->space = words_at(cursor, 3);
    row->time = words_at(cursor, 4);
    int n = 5 + EXPLORE_N_FIELDS;
    row->record.n_figures = source->names.n_figures;
    for (int i = 0; i < row->record.n_figures; i++)
        row->record.figures[i] = figure_at(cursor, n++, source->names.figures[i]);
    row->cuts = source->are_mappings ? words_at(cursor, n++) : NULL;
    row->loops = source->are_mappings ? words_at(cursor, n) : NULL;
    row->family = source->layers[row->record.layer].family;
    for (int i = 0; i < EXPLORE_N_FIELDS; i++)
        row->record.fields[i] = value_at(cursor, 5 + i, explore_fields[i].kind);
    return SATOR_OK;
}

/* Put the tensor row into the record: its place is that of the description. */
static void read_tensor(const struct query_source *source, const struct sator_cursor *cursor,
        struct explore_tensor *volumes, struct explore_record *record)
{
    struct sator_cell name = sator_cursor_cell(cursor, 3, false);
    struct sator_cell role = sator_cursor_cell(cursor, 4, false);

    if (name.kind != SATOR_CELL_TEXT || role.kind != SATOR_CELL_TEXT)
        return;
    for (int i = 0; i < source->n_tensors; i++) {
        const struct query_tensor *tensor = &source->tensors[i];
        if (strcmp(tensor->name, name.text) != 0 ||
                (tensor->role == SATOR_WRITE) != (strcmp(role.text, "write") == 0) ||
                record->n_tensors > source->n_tensors)
            continue;
        struct explore_tensor *entry = &volumes[record->n_tensors++];
        entry->name = tensor->name;
        entry->role = tensor->role;
        for (int v = 0; v < EXPLORE_N_TENSOR_FIELDS; v++)
            entry->volumes[v] = value_at(cursor, 5 + v, EXPLORE_COUNT).count;
    }
}

enum sator_status query_results(
        struct query_source *source, const char *order, struct sator_cursor **results)
{
    const char *table = result_table(source);

    if (strstr(order, "family") != NULL)
        table = sator_arena_printf(source->arena, "%s JOIN layer USING (layer)", table);
    return sator_store_scan(
            source->ctx, source->store, table, result_columns(source), order, results);
}

static void reader_init(struct query_source *source, struct query_reader *reader)
{
    *reader = (struct query_reader){.source = source,
            .volumes =
                    SATOR_NEW_ARRAY(source->arena, struct explore_tensor, source->n_tensors + 2)};
}

enum sator_status query_reader_open(
        struct query_source *source, bool with_tensors, struct query_reader *reader)
{
    enum sator_status st;

    reader_init(source, reader);
    SATOR_TRY(query_results(source, "layer, hardware, point", &reader->results));
    if (!with_tensors)
        return SATOR_OK;
    SATOR_TRY(sator_store_scan(source->ctx, source->store, "tensor", tensor_columns,
            "layer, hardware, point, tensor, role", &reader->tensors));
    SATOR_TRY(sator_cursor_next(source->ctx, reader->tensors, &reader->has_tensor));
done:
    return st;
}

/* The order of the tensor row against the record's key. */
static int compare_keys(const struct sator_cursor *tensor, const struct explore_record *record)
{
    sator_int key[3] = {record->layer, record->hardware, (sator_int)record->point};

    for (int i = 0; i < 3; i++) {
        sator_int value = sator_cursor_cell(tensor, i, true).count;
        if (value != key[i])
            return value < key[i] ? -1 : 1;
    }
    return 0;
}

enum sator_status query_reader_next(struct query_reader *reader, struct query_row *row, bool *found)
{
    struct query_source *source = reader->source;
    enum sator_status st;

    SATOR_TRY(sator_cursor_next(source->ctx, reader->results, found));
    if (!*found)
        return SATOR_OK;
    SATOR_TRY(query_read_result(source, reader->results, row));
    row->record.n_tensors = 0;
    row->record.tensors = reader->volumes;
    while (reader->has_tensor) {
        int order = compare_keys(reader->tensors, &row->record);
        if (order > 0)
            break;
        if (order == 0)
            read_tensor(source, reader->tensors, reader->volumes, &row->record);
        SATOR_TRY(sator_cursor_next(source->ctx, reader->tensors, &reader->has_tensor));
    }
done:
    return st;
}

void query_reader_close(struct query_reader *reader)
{
    sator_cursor_close(reader->results);
    sator_cursor_close(reader->tensors);
}

enum sator_status query_finder_open(struct query_source *source, struct query_reader *finder)
{
    static const char key[] = "layer = ? AND hardware = ? AND point = ?";
    enum sator_status st;

    reader_init(source, finder);
    SATOR_TRY(sator_store_lookup(source->ctx, source->store, result_table(source),
            result_columns(source), key, "point", &finder->results));
    SATOR_TRY(sator_store_lookup(source->ctx, source->store, "tensor", tensor_columns, key,
            "tensor, role", &finder->tensors));
done:
    return st;
}

enum sator_status query_find(struct query_reader *finder, int layer, int hardware, uint64_t point,
        struct query_row *row, bool *found)
{
    struct query_source *source = finder->source;
    const int64_t key[] = {layer, hardware, (int64_t)point};
    bool more = true;
    enum sator_status st;

    sator_cursor_seek(finder->results, 3, key);
    SATOR_TRY(sator_cursor_next(source->ctx, finder->results, found));
    if (!*found)
        return SATOR_OK;
    SATOR_TRY(query_read_result(source, finder->results, row));
    row->record.n_tensors = 0;
    row->record.tensors = finder->volumes;
    sator_cursor_seek(finder->tensors, 3, key);
    while (more) {
        SATOR_TRY(sator_cursor_next(source->ctx, finder->tensors, &more));
        if (more)
            read_tensor(source, finder->tensors, finder->volumes, &row->record);
    }
done:
    return st;
}
