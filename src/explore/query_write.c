/* Results as text, CSV and JSON; what a database holds. */
#include "explore/problem.h"
#include "explore/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORTH_WRITING = 1 << 16
};

static const char *role_name(enum sator_role role)
{
    return role == SATOR_READ ? "read" : "write";
}

static void hand_on(struct query_writer *writer, bool all)
{
    if (writer->text.length == 0 || (!all && writer->text.length < WORTH_WRITING))
        return;
    writer->stopped = writer->stopped ||
            !writer->sink->write(writer->sink->data, writer->text.data, writer->text.length);
    writer->text.length = 0;
}

static const char *layer_name(const struct query_source *source, const struct query_row *row)
{
    if (row->record.layer >= 0)
        return source->layers[row->record.layer].name;
    return row->no_point ? "all" : source->family_names[row->family];
}

/* Lines of settings in one line. */
static void add_settings(struct sator_text *text, const char *settings)
{
    for (const char *at = settings; *at != '\0'; at++)
        sator_text_add_bytes(text, *at == '\n' ? " " : at, 1);
}

static void add_point(struct sator_text *text, const struct query_row *row, const char *none)
{
    if (row->no_point)
        sator_text_add(text, "%s", none);
    else
        sator_text_add(text, "%llu", (unsigned long long)row->record.point);
}

/* ---- CSV ---- */

static void csv_header(struct query_writer *writer)
{
    struct sator_text *text = &writer->text;

    sator_text_add(text, "layer,hardware,settings,point,space,time,bound_by");
    for (int i = 0; i < EXPLORE_N_FIELDS; i++)
        sator_text_add(text, ",%s", explore_fields[i].key);
    for (int i = 0; i < writer->source->names.n_figures; i++) {
        sator_text_add(text, ",");
        sator_text_add_csv(text, writer->source->names.figures[i]);
    }
    for (int t = 0; t < writer->source->n_tensors; t++) {
        for (int v = 0; v < EXPLORE_N_TENSOR_FIELDS; v++)
            sator_text_add(text, ",tensors.%s.%s.%s", writer->source->tensors[t].name,
                    role_name(writer->source->tensors[t].role), explore_tensor_fields[v]);
    }
    sator_text_add(text, "\n");
}

static const struct explore_tensor *tensor_of(
        const struct explore_record *record, const struct query_tensor *tensor)
{
    for (int i = 0; i < record->n_tensors; i++) {
        if (record->tensors[i].role == tensor->role &&
                strcmp(record->tensors[i].name, tensor->name) == 0)
            return &record->tensors[i];
    }
    return NULL;
}

static void csv_value(struct sator_text *text, const struct explore_value *value)
{
    sator_text_add(text, ",");
    if (value->kind == EXPLORE_COUNT)
        sator_text_add_int(text, value->count);
    else if (isfinite(value->number))
        sator_text_add_number(text, value->number);
}

static void csv_row(struct query_writer *writer, const struct query_row *row)
{
    const struct query_source *source = writer->source;
    struct sator_text *text = &writer->text, settings = {0};

    add_settings(&settings, source->hardware[row->record.hardware].settings);
    sator_text_add_csv(text, layer_name(source, row));
    sator_text_add(text, ",%d,", row->record.hardware);
    sator_text_add_csv(text, settings.data == NULL ? "" : settings.data);
    sator_text_clear(&settings);
    sator_text_add(text, ",");
    add_point(text, row, "");
    sator_text_add(text, ",");
    sator_text_add_csv(text, row->space);
    sator_text_add(text, ",");
    sator_text_add_csv(text, row->time);
    sator_text_add(text, ",");
    sator_text_add_csv(text, row->bound_by == NULL ? "" : row->bound_by);
    for (int i = 0; i < EXPLORE_N_FIELDS; i++)
        csv_value(text, &row->record.fields[i]);
    for (int i = 0; i < row->record.n_figures; i++)
        csv_value(text, &row->record.figures[i]);
    for (int t = 0; t < source->n_tensors; t++) {
        const struct explore_tensor *tensor = tensor_of(&row->record, &source->tensors[t]);
        for (int v = 0; v < EXPLORE_N_TENSOR_FIELDS; v++) {
            sator_text_add(text, ",");
            if (tensor != NULL)
                sator_text_add_int(text, tensor->volumes[v]);
        }
    }
    sator_text_add(text, "\n");
}

/* ---- JSON ---- */

static void json_settings(struct sator_json *json, const char *settings)
{
    sator_json_open(json, "settings", '[');
    for (const char *at = settings; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        char *line = memcpy(sator_alloc(length + 1), at, length);
        line[length] = '\0';
        sator_json_text(json, NULL, line);
        free(line);
        at += length + (at[length] == '\n');
    }
    sator_json_close(json, ']');
}

/* The value of the figure "name" as the member "key". PEs are few; other counts may pass 2^53. */
static void json_value(struct sator_json *json, const char *name, const char *key,
        const struct explore_value *value)
{
    if (value->kind == EXPLORE_NUMBER)
        sator_json_number(json, key, value->number);
    else if (strstr(name, "pes") != NULL)
        sator_json_small(json, key, (int64_t)value->count);
    else
        sator_json_count(json, key, value->count);
}

/* The figures; keys with a dot in them are objects. */
static void json_fields(struct sator_json *json, const struct explore_record *record)
{
    size_t open = 0; /* length of the open object's name */

    for (int i = 0; i < EXPLORE_N_FIELDS; i++) {
        const char *key = explore_fields[i].key, *dot = strchr(key, '.');
        size_t group = dot == NULL ? 0 : (size_t)(dot - key);
        bool same =
                open != 0 && group == open && strncmp(key, explore_fields[i - 1].key, group) == 0;
        if (open != 0 && !same)
            sator_json_close(json, '}');
        if (group != 0 && !same) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)group, key);
            sator_json_open(json, name, '{');
        }
        json_value(json, key, dot == NULL ? key : dot + 1, &record->fields[i]);
        open = group;
    }
    if (open != 0)
        sator_json_close(json, '}');
}

static void json_tensors(struct sator_json *json, const struct explore_record *record)
{
    if (record->n_tensors == 0)
        return;
    sator_json_open(json, "tensors", '[');
    for (int t = 0; t < record->n_tensors; t++) {
        const struct explore_tensor *tensor = &record->tensors[t];
        sator_json_open(json, NULL, '{');
        sator_json_text(json, "name", tensor->name);
        sator_json_text(json, "role", role_name(tensor->role));
        for (int v = 0; v < EXPLORE_N_TENSOR_FIELDS; v++)
            sator_json_count(json, explore_tensor_fields[v], tensor->volumes[v]);
        sator_json_close(json, '}');
    }
    sator_json_close(json, ']');
}

static void json_start(struct query_writer *writer)
{
    const struct explore_origin *origin = &writer->source->origin;
    struct sator_json *json = &writer->json;

    *json = (struct sator_json){
            .text = &writer->text, .spaced = true, .counts_as_text = writer->schema == 1};
    sator_json_open(json, NULL, '{');
    if (writer->schema != 1)
        sator_json_small(json, "schema", 2);
    sator_json_text(json, "model", origin->model);
    sator_json_text(json, "timing", origin->timing);
    sator_json_open(json, "results", '[');
    sator_text_put(&writer->text, "\n");
}

/* A row stands on a line of its own. */
static void json_row(struct query_writer *writer, const struct query_row *row)
{
    const struct query_source *source = writer->source;
    const struct explore_record *record = &row->record;
    struct sator_json *json = &writer->json;

    sator_text_put(&writer->text, writer->n_rows == 0 ? "  " : ",\n  ");
    json->follows = false;
    sator_json_open(json, NULL, '{');
    sator_json_text(json, "layer", layer_name(source, row));
    sator_json_small(json, "hardware", record->hardware);
    sator_json_text(json, "arch", source->hardware[record->hardware].name);
    json_settings(json, source->hardware[record->hardware].settings);
    if (row->no_point)
        sator_json_text(json, "point", NULL);
    else
        sator_json_small(json, "point", (int64_t)record->point); /* below 2^62 */
    sator_json_open(json, "dataflow", '{');
    sator_json_text(json, "space", row->space);
    sator_json_text(json, "time", row->time);
    if (row->loops != NULL)
        sator_json_text(json, "file", row->loops);
    sator_json_close(json, '}');
    sator_json_text(json, "bound_by", row->bound_by);
    if (row->cuts != NULL)
        sator_json_raw(json, "cuts", row->cuts);
    json_fields(json, record);
    if (record->n_figures > 0) {
        sator_json_open(json, "figures", '{');
        for (int i = 0; i < record->n_figures; i++) {
            const char *name = source->names.figures[i];
            json_value(json, name, name, &record->figures[i]);
        }
        sator_json_close(json, '}');
    }
    json_tensors(json, record);
    sator_json_close(json, '}');
}

/* ---- text ---- */

static const char *const shown_fields[] = {
        "latency_cycles.total", "utilization.average", "energy_pj.total", "edp", "unique_volume"};
static const char *const shown_headers[] = {
        "latency (cycles)", "util", "energy (uJ)", "EDP (pJ x cycles)", "unique (words)"};
enum {
    N_SHOWN = sizeof shown_fields / sizeof *shown_fields
};

static void add_text(struct query_writer *writer, const char *text)
{
    sator_grid_cell(&writer->table, sator_arena_strdup(writer->table.arena, text), false);
}

/* "text" (TAKE) as a cell. */
static void take_cell(struct query_writer *writer, struct sator_text *text)
{
    add_text(writer, text->data == NULL ? "" : text->data);
    sator_text_clear(text);
}

static void text_header(struct query_writer *writer)
{
    struct sator_grid *table = &writer->table;

    writer->shown = SATOR_NEW_ARRAY(writer->source->arena, bool, writer->source->n_hardware + 1);
    table->arena = sator_arena_new();
    sator_grid_column(table, "layer", "", true);
    sator_grid_column(table, "hw", "", false);
    sator_grid_key(table);
    sator_grid_column(table, "point", "", false);
    sator_grid_key(table);
    for (int i = 0; i < N_SHOWN; i++)
        sator_grid_column(table, shown_headers[i], "", false);
    for (int i = 0; i < writer->source->names.n_figures; i++)
        sator_grid_column(table, writer->source->names.figures[i], "", false);
    sator_grid_column(table, "bound by", "", true);
    sator_grid_column(table, "space", "", true);
    sator_grid_column(table, "time", "", true);
}

static void shown_value(struct sator_text *text, const char *key, const struct explore_value *value)
{
    bool is_whole = *key != '\0' || value->number == ceil(value->number); /* no key: any figure */
    char digits[64];

    if (value->kind == EXPLORE_COUNT)
        sator_text_add(text, "%s", sator_int_format(value->count, ',', digits));
    else if (!isfinite(value->number))
        sator_text_add(text, "-");
    else if (strncmp(key, "utilization", 11) == 0)
        sator_text_add(text, "%.1f %%", 100 * value->number);
    else if (strcmp(key, "edp") == 0)
        sator_text_add(text, "%.4g", value->number);
    else if (strncmp(key, "energy", 6) == 0)
        sator_text_add(text, "%.2f", value->number * 1e-6);
    else if (is_whole && value->number < 1e18) /* cycles: whole, up to rounding */
        sator_text_add(
                text, "%s", sator_int_format((sator_int)ceil(value->number - 1e-9), ',', digits));
    else
        sator_text_add(text, "%.6g", value->number);
}

static void text_row(struct query_writer *writer, const struct query_row *row)
{
    struct sator_text text = {0};

    writer->shown[row->record.hardware] = true;
    add_text(writer, layer_name(writer->source, row));
    sator_text_add(&text, "%d", row->record.hardware);
    take_cell(writer, &text);
    add_point(&text, row, "-");
    take_cell(writer, &text);
    for (int i = 0; i < N_SHOWN; i++) {
        shown_value(
                &text, shown_fields[i], &row->record.fields[explore_field_index(shown_fields[i])]);
        take_cell(writer, &text);
    }
    for (int i = 0; i < row->record.n_figures; i++) {
        shown_value(&text, "", &row->record.figures[i]);
        take_cell(writer, &text);
    }
    add_text(writer, row->bound_by == NULL ? "-" : row->bound_by);
    add_text(writer, row->space);
    add_text(writer, row->time);
}

static void write_table(struct query_writer *writer)
{
    struct sator_text *text = &writer->text;

    if (writer->format == SATOR_FORMAT_MARKDOWN)
        sator_grid_markdown(text, &writer->table);
    else if (writer->format == SATOR_FORMAT_LATEX)
        sator_grid_latex(text, &writer->table);
    else
        sator_grid_text(text, &writer->table, writer->width, false);
    sator_arena_free(writer->table.arena);
}

static void write_hardware(struct query_writer *writer)
{
    const struct query_source *source = writer->source;

    if (source->n_hardware < 2 || writer->n_rows == 0)
        return;
    sator_text_add(&writer->text, "\n");
    for (int h = 0; h < source->n_hardware; h++) {
        if (!writer->shown[h])
            continue;
        sator_text_add(&writer->text, "  hw %d: %s ", h, source->hardware[h].name);
        add_settings(&writer->text, source->hardware[h].settings);
        if (!isnan(source->hardware[h].area))
            sator_text_add(&writer->text, "; %.6g mm2", source->hardware[h].area * 1e-6);
        sator_text_add(&writer->text, "\n");
        hand_on(writer, false);
    }
}

/* ---- all formats ---- */

void query_write_start(struct query_writer *writer)
{
    if (writer->format == SATOR_FORMAT_CSV)
        csv_header(writer);
    else if (writer->format == SATOR_FORMAT_JSON)
        json_start(writer);
    else
        text_header(writer);
}

void query_write_row(struct query_writer *writer, const struct query_row *row)
{
    if (writer->format == SATOR_FORMAT_CSV)
        csv_row(writer, row);
    else if (writer->format == SATOR_FORMAT_JSON)
        json_row(writer, row);
    else
        text_row(writer, row);
    writer->n_rows++;
    hand_on(writer, false);
}

void query_write_end(struct query_writer *writer)
{
    if (writer->format == SATOR_FORMAT_JSON) {
        sator_text_put(&writer->text, writer->n_rows == 0 ? "" : "\n");
        sator_json_close(&writer->json, ']');
        sator_json_close(&writer->json, '}');
        sator_text_put(&writer->text, "\n");
    } else if (writer->format != SATOR_FORMAT_CSV) {
        write_table(writer);
        if (writer->format == SATOR_FORMAT_TEXT && writer->n_rows == 0)
            sator_text_add(&writer->text, "  (no results)\n");
        if (writer->format == SATOR_FORMAT_TEXT)
            write_hardware(writer);
    }
    hand_on(writer, true);
    sator_text_clear(&writer->text);
}

/* ---- summaries ---- */

struct coverage {
    sator_int points, done, results;
    uint64_t batches, complete;
};

/* A part of the exploration, as table space has it. */
struct stretch {
    uint64_t points, batch_points, first_batch, n_batches;
};

static enum sator_status read_stretches(
        struct query_source *source, int *n_stretches, struct stretch **stretches)
{
    struct sator_cursor *cursor = NULL;
    bool found;
    enum sator_status st;

    SATOR_TRY(sator_store_scan(source->ctx, source->store, "space",
            "points, batch_points, first_batch", "first_batch, hardware, family", &cursor));
    for (;;) {
        SATOR_TRY(sator_cursor_next(source->ctx, cursor, &found));
        if (!found)
            break;
        struct stretch stretch = {.points = (uint64_t)sator_cursor_cell(cursor, 0, true).count,
                .batch_points = (uint64_t)sator_cursor_cell(cursor, 1, true).count,
                .first_batch = (uint64_t)sator_cursor_cell(cursor, 2, true).count};
        if (stretch.batch_points == 0)
            stretch.batch_points = 1;
        stretch.n_batches = stretch.points / stretch.batch_points +
                (stretch.points % stretch.batch_points != 0);
        SATOR_PUSH(source->arena, *stretches, *n_stretches, stretch);
    }
done:
    sator_cursor_close(cursor);
    return st;
}

static uint64_t expected(const struct stretch *stretch, uint64_t batch)
{
    uint64_t before = (batch - stretch->first_batch) * stretch->batch_points;

    return stretch->points - before < stretch->batch_points ? stretch->points - before
                                                            : stretch->batch_points;
}

/* Go through all batches beside those of the table; count them by shard, "n_shards" of them. */
static enum sator_status cover(struct query_source *source, int n_shards, struct coverage *shards)
{
    struct sator_cursor *cursor = NULL;
    struct stretch *stretches = NULL;
    int n_stretches = 0;
    bool found;
    enum sator_status st;

    SATOR_TRY(read_stretches(source, &n_stretches, &stretches));
    SATOR_TRY(sator_store_scan(source->ctx, source->store, "batch GROUP BY batch",
            "batch, sum(points), sum(results)", "batch", &cursor));
    SATOR_TRY(sator_cursor_next(source->ctx, cursor, &found));
    for (int i = 0; i < n_stretches; i++) {
        const struct stretch *stretch = &stretches[i];
        for (uint64_t b = stretch->first_batch; b < stretch->first_batch + stretch->n_batches;
                b++) {
            struct coverage *shard = &shards[explore_shard_of(b, n_shards)];
            shard->batches++;
            shard->points += (sator_int)expected(stretch, b);
            if (!found || sator_cursor_cell(cursor, 0, true).count != (sator_int)b)
                continue;
            sator_int done = sator_cursor_cell(cursor, 1, true).count;
            shard->done += done;
            shard->results += sator_cursor_cell(cursor, 2, true).count;
            shard->complete += done >= (sator_int)expected(stretch, b);
            SATOR_TRY(sator_cursor_next(source->ctx, cursor, &found));
        }
    }
done:
    sator_cursor_close(cursor);
    return st;
}

static void add_count(struct sator_text *text, sator_int count)
{
    char digits[64];

    sator_text_add(text, "%s", sator_int_format(count, ',', digits));
}

static enum sator_status write_rules(struct query_source *source, struct sator_text *text)
{
    struct sator_cursor *cursor = NULL;
    bool found, any = false;
    enum sator_status st;

    SATOR_TRY(sator_store_scan(source->ctx, source->store, "skipped GROUP BY rule",
            "rule, sum(points)", "rule", &cursor));
    for (;;) {
        SATOR_TRY(sator_cursor_next(source->ctx, cursor, &found));
        if (!found)
            break;
        if (!any)
            sator_text_add(text, "  left out, by rule\n");
        any = true;
        struct sator_cell rule = sator_cursor_cell(cursor, 0, false);
        sator_text_add(text, "    %-20s ", rule.kind == SATOR_CELL_TEXT ? rule.text : "?");
        add_count(text, sator_cursor_cell(cursor, 1, true).count);
        sator_text_add(text, "\n");
    }
done:
    sator_cursor_close(cursor);
    return st;
}

static void write_missing(
        struct sator_text *text, int n_shards, const struct coverage *shards, uint64_t missing)
{
    if (missing == 0)
        return;
    sator_text_add(text, "  missing        %llu batch%s", (unsigned long long)missing,
            missing == 1 ? "" : "es");
    if (n_shards > 1) {
        const char *separator = ", of shards ";
        for (int i = 0; i < n_shards; i++) {
            if (shards[i].complete == shards[i].batches)
                continue;
            sator_text_add(text, "%s%d/%d%s", separator, i + 1, n_shards,
                    shards[i].complete == 0 ? "" : " (in part)");
            separator = ", ";
        }
    }
    sator_text_add(text, "\n");
}

enum sator_status query_write_summary(struct query_source *source, struct sator_text *text)
{
    const char *origin = NULL;
    struct coverage all = {0};
    enum sator_status st;

    SATOR_TRY(sator_store_get(source->ctx, source->store, source->arena, "merged_shards", &origin));
    int n = origin == NULL ? source->n_shards : atoi(origin);
    if (n < 1 || n > 1000000)
        n = 1;
    struct coverage *shards = SATOR_NEW_ARRAY(source->arena, struct coverage, n);
    SATOR_TRY(cover(source, n, shards));
    if (origin == NULL && n > 1 && source->shard >= 1 && source->shard <= n) {
        shards[0] = shards[source->shard - 1]; /* a shard is complete without the others */
        n = 1;
    }
    for (int i = 0; i < n; i++) {
        all.points += shards[i].points;
        all.done += shards[i].done;
        all.results += shards[i].results;
        all.batches += shards[i].batches;
        all.complete += shards[i].complete;
    }
    sator_text_add(text, "  exploration    %s, %d layer%s, %d hardware variant%s\n",
            source->network, source->n_layers, source->n_layers == 1 ? "" : "s", source->n_hardware,
            source->n_hardware == 1 ? "" : "s");
    sator_text_add(text, "  made by        %s, model %s (%s, version %s); input %.16s...\n",
            source->program, source->origin.model, source->origin.timing, source->origin.version,
            source->digest);
    if (source->n_shards > 1)
        sator_text_add(text, "  shard          %d/%d\n", source->shard, source->n_shards);
    sator_text_add(text, "  points         ");
    add_count(text, all.done);
    sator_text_add(text, " of ");
    add_count(text, all.points);
    sator_text_add(text, " done (%.2f %%)\n",
            all.points == 0 ? 100.0 : 100.0 * (double)all.done / (double)all.points);
    write_missing(text, n, shards, all.batches - all.complete);
    sator_text_add(text, "  results        ");
    add_count(text, all.results);
    sator_text_add(text, "\n");
    SATOR_TRY(write_rules(source, text));
done:
    return st;
}
