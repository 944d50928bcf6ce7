/* Batches into a database, and the database's description. */
#include "explore/batch.h"

#include "base/text.h"
#include "explore/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

static struct sator_cell count_cell(sator_int count)
{
    return (struct sator_cell){.kind = SATOR_CELL_COUNT, .count = count};
}

static struct sator_cell text_cell(const char *text)
{
    return (struct sator_cell){.kind = SATOR_CELL_TEXT, .text = text};
}

static struct sator_cell value_cell(const struct explore_value *value)
{
    return value->kind == EXPLORE_COUNT
            ? count_cell(value->count)
            : (struct sator_cell){.kind = SATOR_CELL_REAL, .real = value->number};
}

/* What is there of the tensor in this role, after "cells"; NULLs when the layer has it not. */
static void add_volumes(struct sator_cell *cells, const struct explore_volumes *volumes,
        const struct explore_record *record)
{
    const struct explore_tensor *found = NULL;

    for (int t = 0; t < record->n_tensors && found == NULL; t++) {
        if (record->tensors[t].role == volumes->role &&
                strcmp(record->tensors[t].name, volumes->tensor) == 0)
            found = &record->tensors[t];
    }
    for (int i = 0; i < EXPLORE_N_TENSOR_FIELDS; i++)
        cells[i] = found == NULL ? (struct sator_cell){.kind = SATOR_CELL_NULL}
                                 : count_cell(found->volumes[i]);
}

/* "cells" has room for a row of table result. */
static enum sator_status store_row(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct sator_store *store,
        const struct batch_row *row, struct sator_cell *cells)
{
    const struct explore_record *record = &row->record;
    struct sator_cell key[3] = {count_cell(record->layer), count_cell(record->hardware),
            count_cell((sator_int)record->point)};
    int n = 7;
    enum sator_status st;

    memcpy(cells, key, sizeof key);
    cells[3] = text_cell(row->space);
    cells[4] = text_cell(row->time);
    cells[5] = text_cell(row->bound_by);
    cells[6] = text_cell(row->cuts);
    for (int i = 0; i < EXPLORE_N_FIELDS; i++)
        cells[n++] = value_cell(&record->fields[i]);
    for (int i = 0; i < exploration->n_volumes; i++, n += EXPLORE_N_TENSOR_FIELDS)
        add_volumes(&cells[n], &exploration->volumes[i], record);
    for (int i = 0; i < record->n_figures; i++)
        cells[n++] = value_cell(&record->figures[i]);
    SATOR_TRY(sator_store_insert(ctx, store, "result", false, n, cells));
    if (row->loops != NULL) {
        struct sator_cell mapping[4] = {key[0], key[1], key[2], text_cell(row->loops)};
        SATOR_TRY(sator_store_insert(ctx, store, "mapping", false, 4, mapping));
    }
done:
    return st;
}

enum sator_status batch_store(struct sator_ctx *ctx, const struct sator_exploration *exploration,
        struct sator_store *store, const struct batch *batch)
{
    int n_cells = 7 + EXPLORE_N_FIELDS + EXPLORE_N_TENSOR_FIELDS * exploration->n_volumes +
            exploration->names.n_figures;
    struct sator_cell *row = NULL;
    enum sator_status st = SATOR_OK;

    if (batch->points == 0)
        return SATOR_OK;
    struct sator_cell cells[] = {count_cell((sator_int)batch->number),
            count_cell((sator_int)batch->first), count_cell((sator_int)batch->points),
            count_cell(batch->part->family), count_cell(batch->part->hardware),
            count_cell(batch->n_rows)};
    SATOR_TRY(sator_store_insert(ctx, store, "batch", false, 6, cells));
    for (int i = 0; i < batch->n_rules; i++) {
        struct sator_cell rule[] = {count_cell((sator_int)batch->number),
                count_cell((sator_int)batch->first), text_cell(batch->rules[i].name),
                count_cell((sator_int)batch->rules[i].points)};
        SATOR_TRY(sator_store_insert(ctx, store, "skipped", false, 4, rule));
    }
    row = sator_alloc(sizeof *row * (size_t)n_cells);
    for (int i = 0; i < batch->n_rows; i++)
        SATOR_TRY(store_row(ctx, exploration, store, &batch->rows[i], row));
done:
    free(row);
    return st;
}

/* ---- the database's description ---- */

static enum sator_status put_count(
        struct sator_ctx *ctx, struct sator_store *store, const char *key, uint64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return sator_store_put(ctx, store, key, text);
}

/* The figures that are columns of their own, a name a line. */
static enum sator_status put_figures(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct sator_store *store)
{
    struct sator_text text = {0};
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < exploration->names.n_figures; i++) {
        sator_text_add(&text, "%s\n", exploration->names.figures[i]);
        SATOR_TRY(sator_store_add_column(ctx, store, exploration->names.figures[i]));
    }
    st = sator_store_put(ctx, store, "figures", text.data == NULL ? "" : text.data);
done:
    sator_text_clear(&text);
    return st;
}

/* "A.read,B.read,Y.write": the tensors of any layer, by role, with their columns. */
static enum sator_status put_tensors(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct sator_store *store)
{
    struct sator_arena *arena = sator_arena_new();
    struct sator_text text = {0};
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < exploration->n_volumes; i++) {
        const struct explore_volumes *volumes = &exploration->volumes[i];
        sator_text_add(&text, "%s%s.%s", i == 0 ? "" : ",", volumes->tensor,
                volumes->role == SATOR_READ ? "read" : "write");
        for (int f = 0; f < EXPLORE_N_TENSOR_FIELDS; f++)
            SATOR_TRY(sator_store_add_column(
                    ctx, store, explore_tensor_column(arena, volumes->tensor, volumes->role, f)));
    }
    st = sator_store_put(ctx, store, "tensors", text.data == NULL ? "" : text.data);
done:
    sator_text_clear(&text);
    sator_arena_free(arena);
    return st;
}

static enum sator_status put_tables(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct sator_store *store)
{
    enum sator_status st = SATOR_OK;

    for (int f = 0; f < exploration->n_families; f++) {
        for (int i = 0; i < exploration->n_layers; i++) {
            const struct sator_workload *layer =
                    &exploration->network->layers[exploration->layers[i]];
            bool member = false;
            for (int k = 0; k < exploration->families[f].n_layers; k++)
                member = member || exploration->families[f].layers[k] == exploration->same_as[i];
            struct sator_cell cells[] = {count_cell(i), count_cell(f), text_cell(layer->name),
                    count_cell(layer->repeat), count_cell(exploration->same_as[i])};
            if (member)
                SATOR_TRY(sator_store_insert(ctx, store, "layer", false, 5, cells));
        }
    }
    for (int h = 0; h < exploration->n_hardware; h++) {
        struct sator_cell cells[] = {count_cell(h), text_cell(exploration->hardware[h].arch->name),
                text_cell(exploration->hardware[h].settings),
                {.kind = SATOR_CELL_REAL, .real = sator_arch_area(exploration->hardware[h].arch)}};
        SATOR_TRY(sator_store_insert(ctx, store, "hardware", false, 4, cells));
    }
    for (int p = 0; p < exploration->n_parts; p++) {
        const struct explore_part *part = &exploration->parts[p];
        struct sator_cell cells[] = {count_cell(part->family), count_cell(part->hardware),
                count_cell((sator_int)part->size), count_cell((sator_int)part->first),
                count_cell((sator_int)part->points), count_cell((sator_int)part->batch_points),
                count_cell((sator_int)part->first_batch)};
        SATOR_TRY(sator_store_insert(ctx, store, "space", false, 7, cells));
    }
done:
    return st;
}

static enum sator_status describe_store(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct sator_store *store)
{
    const struct sator_explore_options *options = &exploration->options;
    enum sator_status st;

    SATOR_TRY(sator_store_begin(ctx, store));
    SATOR_TRY(sator_store_put(ctx, store, "program", "sator " SATOR_VERSION));
    const struct explore_origin origin = explore_origin_of(options->timing);
    SATOR_TRY(explore_origin_write(ctx, store, &origin));
    SATOR_TRY(sator_store_put(ctx, store, "network", exploration->network->name));
    SATOR_TRY(sator_store_put(ctx, store, "input", exploration->identity));
    SATOR_TRY(sator_store_put(ctx, store, "input_sha256", exploration->digest));
    SATOR_TRY(sator_store_put(
            ctx, store, "objective", options->objective == NULL ? "latency" : options->objective));
    SATOR_TRY(sator_store_put(ctx, store, "points",
            options->space == SATOR_SPACE_MAPPINGS ? "mappings" : "dataflows"));
    SATOR_TRY(put_tensors(ctx, exploration, store));
    SATOR_TRY(put_figures(ctx, exploration, store));
    SATOR_TRY(put_count(ctx, store, "batches", exploration->n_batches));
    SATOR_TRY(put_count(
            ctx, store, "shard", (uint64_t)(options->n_shards == 0 ? 1 : options->shard)));
    SATOR_TRY(put_count(
            ctx, store, "shards", (uint64_t)(options->n_shards == 0 ? 1 : options->n_shards)));
    SATOR_TRY(put_tables(ctx, exploration, store));
    SATOR_TRY(sator_store_commit(ctx, store));
done:
    return st;
}

/* The first line in which two descriptions differ, for a message. */
static void show_difference(struct sator_ctx *ctx, const char *stored, const char *asked)
{
    while (*stored != '\0' && *asked != '\0') {
        size_t a = strcspn(stored, "\n"), b = strcspn(asked, "\n");
        if (a != b || strncmp(stored, asked, a) != 0)
            break;
        stored += a + (stored[a] == '\n');
        asked += b + (asked[b] == '\n');
    }
    sator_help(ctx, "the database: %.*s", (int)strcspn(stored, "\n"), stored);
    sator_help(ctx, "this run:     %.*s", (int)strcspn(asked, "\n"), asked);
}

static enum sator_status compare_store(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct sator_store *store)
{
    const struct sator_explore_options *options = &exploration->options;
    struct sator_arena *arena = sator_arena_new();
    const char *digest, *input, *shard, *shards;
    enum sator_status st;

    SATOR_TRY(sator_store_get(ctx, store, arena, "input_sha256", &digest));
    if (digest == NULL) { /* killed before its description was written */
        st = describe_store(ctx, exploration, store);
        goto done;
    }
    SATOR_TRY(sator_store_check(ctx, store));
    const struct explore_origin origin = explore_origin_of(exploration->options.timing);
    SATOR_TRY(explore_origin_check(ctx, store, &origin, "this run's"));
    SATOR_TRY(sator_store_get(ctx, store, arena, "input", &input));
    SATOR_TRY(sator_store_get(ctx, store, arena, "shard", &shard));
    SATOR_TRY(sator_store_get(ctx, store, arena, "shards", &shards));
    if (input == NULL || shard == NULL || shards == NULL)
        SATOR_TRY(sator_store_error(ctx, store, "the database's description is incomplete"));
    if (strcmp(digest, exploration->digest) != 0) {
        st = sator_store_error(ctx, store, "the database belongs to another exploration");
        show_difference(ctx, input, exploration->identity);
        goto done;
    }
    if (atoi(shard) != (options->n_shards == 0 ? 1 : options->shard) ||
            atoi(shards) != (options->n_shards == 0 ? 1 : options->n_shards)) {
        st = sator_store_error(ctx, store, "the database is another shard");
        sator_help(ctx, "it is shard %s/%s", shard, shards);
    }
done:
    sator_arena_free(arena);
    return st;
}

enum sator_status batch_open_store(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, const char *path, bool resume,
        struct sator_store **store)
{
    enum sator_status st =
            sator_store_open(ctx, path, resume ? SATOR_STORE_WRITE : SATOR_STORE_CREATE, store);

    if (st != SATOR_OK)
        return st;
    st = sator_store_is_new(*store) ? describe_store(ctx, exploration, *store)
                                    : compare_store(ctx, exploration, *store);
    if (st != SATOR_OK) {
        sator_store_close(*store);
        *store = NULL;
    }
    return st;
}

enum sator_status batch_open_other(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, const char *path, struct sator_store **store)
{
    struct sator_arena *arena = sator_arena_new();
    const char *digest = NULL;
    enum sator_status st = sator_store_open(ctx, path, SATOR_STORE_READ, store);

    if (st == SATOR_OK) {
        const struct explore_origin origin = explore_origin_of(exploration->options.timing);
        st = explore_origin_check(ctx, *store, &origin, "this run's");
        if (st == SATOR_OK)
            st = sator_store_get(ctx, *store, arena, "input_sha256", &digest);
        if (st == SATOR_OK && (digest == NULL || strcmp(digest, exploration->digest) != 0))
            st = sator_store_error(ctx, *store, "the database belongs to another exploration");
        if (st != SATOR_OK)
            sator_store_close(*store);
    }
    sator_arena_free(arena);
    return st;
}

enum sator_status batch_read_done(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct sator_store *store, uint64_t *done,
        uint64_t *results, struct sator_arena *arena, int *n_rules, struct batch_rule **rules)
{
    struct sator_cursor *cursor = NULL;
    bool found;
    enum sator_status st;

    SATOR_TRY(sator_store_scan(
            ctx, store, "batch", "batch, points, results", "batch, first", &cursor));
    for (;;) {
        SATOR_TRY(sator_cursor_next(ctx, cursor, &found));
        if (!found)
            break;
        sator_int number = sator_cursor_cell(cursor, 0, true).count;
        if (number < 0 || (uint64_t)number >= exploration->n_batches)
            SATOR_TRY(sator_store_error(ctx, store, "the database has a batch that there is not"));
        done[number] += (uint64_t)sator_cursor_cell(cursor, 1, true).count;
        if (results != NULL)
            *results += (uint64_t)sator_cursor_cell(cursor, 2, true).count;
    }
    sator_cursor_close(cursor);
    cursor = NULL;
    if (n_rules == NULL)
        goto done;
    SATOR_TRY(sator_store_scan(
            ctx, store, "skipped GROUP BY rule", "rule, sum(points)", "rule", &cursor));
    for (;;) {
        SATOR_TRY(sator_cursor_next(ctx, cursor, &found));
        if (!found)
            break;
        struct sator_cell name = sator_cursor_cell(cursor, 0, false);
        if (name.kind == SATOR_CELL_TEXT)
            batch_count_rule(arena, n_rules, rules, name.text,
                    (uint64_t)sator_cursor_cell(cursor, 1, true).count);
    }
done:
    sator_cursor_close(cursor);
    return st;
}
