#include "explore/batch.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct explore_part *batch_part(const struct sator_exploration *exploration, uint64_t number,
        uint64_t *first, uint64_t *points)
{
    int low = 0, high = exploration->n_parts - 1;

    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (exploration->parts[middle].first_batch <= number)
            low = middle;
        else
            high = middle - 1;
    }
    while (exploration->parts[low].n_batches == 0)
        low--; /* a part without points shares its first batch's number with the one after it */
    const struct explore_part *part = &exploration->parts[low];
    uint64_t offset = (number - part->first_batch) * part->batch_points;
    *first = part->first + offset;
    *points =
            part->points - offset < part->batch_points ? part->points - offset : part->batch_points;
    return part;
}

/* ---- evaluating ---- */

void batch_count_rule(struct sator_arena *arena, int *n_rules, struct batch_rule **rules,
        const char *name, uint64_t points)
{
    for (int i = 0; i < *n_rules; i++) {
        if (strcmp((*rules)[i].name, name) == 0) {
            (*rules)[i].points += points;
            return;
        }
    }
    struct batch_rule made = {sator_arena_strdup(arena, name), points};
    SATOR_PUSH(arena, *rules, *n_rules, made);
}

static void add_row(struct batch *batch, const struct sator_exploration *exploration, int layer,
        uint64_t point, const struct sator_result *result, const struct sator_map_result *mapping)
{
    const struct explore_family *family = &exploration->families[batch->part->family];
    const struct sator_workload *workload = family->workloads[layer];
    const struct sator_arch *arch = exploration->hardware[batch->part->hardware].arch;
    struct batch_row row = {0};
    struct explore_tensor tensors[64];

    row.record.tensors = result->n_tensors <= 64
            ? tensors
            : SATOR_NEW_ARRAY(batch->arena, struct explore_tensor, result->n_tensors);
    explore_record_set(&row.record, result, sator_arch_area(arch));
    row.record.n_figures = exploration->names.n_figures;
    for (int i = 0; i < row.record.n_figures; i++)
        row.record.figures[i] = explore_figure_value(exploration->names.figures[i], result, arch);
    for (int i = 0; i < row.record.n_tensors; i++)
        row.record.tensors[i].name = workload->accesses[i].tensor;
    row.record.layer = family->layers[layer];
    row.record.hardware = batch->part->hardware;
    row.record.point = point;
    if (exploration->where != NULL && !explore_expression_holds(exploration->where, &row.record)) {
        batch_count_rule(batch->arena, &batch->n_rules, &batch->rules, "where", 1);
        return;
    }
    row.record.tensors = sator_arena_copy(
            batch->arena, row.record.tensors, sizeof *tensors * (size_t)row.record.n_tensors);
    row.space = sator_arena_strdup(batch->arena, result->space);
    row.time = sator_arena_strdup(batch->arena, result->time);
    if (mapping != NULL) {
        row.cuts = sator_arena_strdup(batch->arena, mapping->cuts);
        row.loops = sator_arena_strdup(batch->arena, mapping->yaml);
    }
    SATOR_PUSH(batch->arena, batch->rows, batch->n_rows, row);
}

/* One point, all layers. Nothing is kept of it when one of them is interrupted. */
static enum sator_status evaluate_point(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct explore_evaluator *evaluator,
        struct batch *batch, uint64_t index)
{
    const struct explore_family *family = &exploration->families[batch->part->family];
    int n_rows = batch->n_rows;
    struct space_point point;

    sator_space_point(batch->part->space, index, &point);
    const char *rule = sator_space_rule(batch->part->space, index, &point);
    for (int i = 0; i < family->n_layers && rule == NULL; i++) {
        const struct sator_result *result = NULL;
        enum sator_status st = explore_evaluate_next(ctx, evaluator, index, i, &rule, &result);
        if (st != SATOR_OK) {
            batch->n_rows = n_rows;
            return st;
        }
        if (rule == NULL)
            add_row(batch, exploration, i, index, result, NULL);
    }
    if (rule != NULL) {
        batch->n_rows = n_rows; /* a dataflow that some layer cannot have is none of the family's */
        batch_count_rule(batch->arena, &batch->n_rules, &batch->rules, rule, 1);
    }
    return SATOR_OK;
}

/* One layer's mapping. That there is none is an answer: nobody hears what the mapper says to it. */
static enum sator_status evaluate_mapping(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct batch *batch, uint64_t index)
{
    struct sator_map_result *mapping = NULL;
    struct sator_result *result = NULL;
    struct sator_hush before;
    const char *rule = NULL;

    sator_ctx_hush(ctx, &before);
    enum sator_status st =
            explore_map(ctx, exploration, batch->part, index, &rule, &mapping, &result);
    sator_ctx_unhush(ctx, &before);
    if (st == SATOR_OK && rule == NULL)
        add_row(batch, exploration, (int)index, index, result, mapping);
    else if (st == SATOR_OK)
        batch_count_rule(batch->arena, &batch->n_rules, &batch->rules, rule, 1);
    sator_map_result_free(mapping);
    sator_result_free(result);
    return st;
}

struct batch *batch_evaluate(struct sator_ctx *ctx, const struct sator_exploration *exploration,
        uint64_t number, uint64_t done)
{
    struct sator_arena *arena = sator_arena_new();
    struct batch *batch = SATOR_NEW(arena, struct batch);
    uint64_t first, points;

    *batch = (struct batch){.arena = arena, .number = number};
    batch->part = batch_part(exploration, number, &first, &points);
    int n_layers = exploration->families[batch->part->family].n_layers;
    batch->first = first + done;
    if (batch->part->unwanted) {
        batch->points = points - done;
        batch_count_rule(arena, &batch->n_rules, &batch->rules, "where",
                batch->points * (batch->part->space == NULL ? 1 : (uint64_t)n_layers));
        return batch;
    }
    struct explore_evaluator *evaluator =
            batch->part->space == NULL ? NULL : explore_evaluator_new(exploration, batch->part);
    while (batch->points < points - done && batch->status == SATOR_OK) {
        uint64_t index = batch->first + batch->points;
        sator_work_begin(ctx);
        if (sator_work(ctx, 0) != SATOR_OK)
            batch->status = SATOR_INTERRUPTED;
        else if (batch->part->space == NULL)
            batch->status = evaluate_mapping(ctx, exploration, batch, index);
        else
            batch->status = evaluate_point(ctx, exploration, evaluator, batch, index);
        batch->points += batch->status == SATOR_OK;
    }
    explore_evaluator_free(evaluator);
    return batch;
}

void batch_free(struct batch *batch)
{
    if (batch != NULL)
        sator_arena_free(batch->arena);
}

/* ---- storing ---- */

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

static enum sator_status store_row(
        struct sator_ctx *ctx, struct sator_store *store, const struct batch_row *row)
{
    const struct explore_record *record = &row->record;
    struct sator_cell key[3] = {count_cell(record->layer), count_cell(record->hardware),
            count_cell((sator_int)record->point)};
    struct sator_cell cells[5 + EXPLORE_N_FIELDS + EXPLORE_MOST_FIGURES],
            volumes[5 + EXPLORE_N_TENSOR_FIELDS];
    int n = 5;
    enum sator_status st;

    memcpy(cells, key, sizeof key);
    cells[3] = text_cell(row->space);
    cells[4] = text_cell(row->time);
    for (int i = 0; i < EXPLORE_N_FIELDS; i++)
        cells[n++] = value_cell(&record->fields[i]);
    for (int i = 0; i < record->n_figures; i++)
        cells[n++] = value_cell(&record->figures[i]);
    SATOR_TRY(sator_store_insert(ctx, store, "result", false, n, cells));
    if (row->loops != NULL) {
        struct sator_cell mapping[5] = {
                key[0], key[1], key[2], text_cell(row->cuts), text_cell(row->loops)};
        SATOR_TRY(sator_store_insert(ctx, store, "mapping", false, 5, mapping));
    }
    memcpy(volumes, key, sizeof key);
    for (int t = 0; t < record->n_tensors; t++) {
        volumes[3] = text_cell(record->tensors[t].name);
        volumes[4] = text_cell(record->tensors[t].role == SATOR_READ ? "read" : "write");
        for (int i = 0; i < EXPLORE_N_TENSOR_FIELDS; i++)
            volumes[5 + i] = count_cell(record->tensors[t].volumes[i]);
        SATOR_TRY(sator_store_insert(
                ctx, store, "tensor", false, 5 + EXPLORE_N_TENSOR_FIELDS, volumes));
    }
done:
    return st;
}

enum sator_status batch_store(struct sator_ctx *ctx, const struct sator_exploration *exploration,
        struct sator_store *store, const struct batch *batch)
{
    enum sator_status st = SATOR_OK;

    (void)exploration;
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
    for (int i = 0; i < batch->n_rows; i++)
        SATOR_TRY(store_row(ctx, store, &batch->rows[i]));
done:
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

/* "A.read,B.read,Y.write": the tensors of any layer, by role. */
static enum sator_status put_tensors(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct sator_store *store)
{
    static const char *const roles[] = {"read", "write"};
    struct sator_text text = {0};

    for (int role = 0; role < 2; role++) {
        for (int t = 0; t < exploration->n_tensors; t++) {
            bool found = false;
            for (int i = 0; i < exploration->n_layers; i++) {
                const struct sator_workload *layer =
                        &exploration->network->layers[exploration->layers[i]];
                for (int a = 0; a < layer->n_accesses; a++)
                    found = found ||
                            ((int)layer->accesses[a].role == role &&
                                    strcmp(layer->accesses[a].tensor, exploration->tensors[t]) ==
                                            0);
            }
            if (found)
                sator_text_add(&text, "%s%s.%s", text.length == 0 ? "" : ",",
                        exploration->tensors[t], roles[role]);
        }
    }
    enum sator_status st =
            sator_store_put(ctx, store, "tensors", text.data == NULL ? "" : text.data);
    sator_text_clear(&text);
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
    SATOR_TRY(sator_store_put(ctx, store, "model_version", EXPLORE_MODEL_VERSION));
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

static enum sator_status refuse(struct sator_ctx *ctx, struct sator_store *store, const char *what)
{
    struct sator_source *source = SATOR_NEW(ctx->arena, struct sator_source);

    source->path = sator_arena_strdup(ctx->arena, sator_store_path(store));
    return sator_error(ctx, (struct sator_loc){.source = source}, "%s", what);
}

static enum sator_status compare_store(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct sator_store *store)
{
    const struct sator_explore_options *options = &exploration->options;
    struct sator_arena *arena = sator_arena_new();
    const char *digest, *input, *model, *shard, *shards;
    enum sator_status st;

    SATOR_TRY(sator_store_get(ctx, store, arena, "input_sha256", &digest));
    if (digest == NULL) { /* killed before its description was written */
        st = describe_store(ctx, exploration, store);
        goto done;
    }
    SATOR_TRY(sator_store_check(ctx, store));
    SATOR_TRY(sator_store_get(ctx, store, arena, "model_version", &model));
    SATOR_TRY(sator_store_get(ctx, store, arena, "input", &input));
    SATOR_TRY(sator_store_get(ctx, store, arena, "shard", &shard));
    SATOR_TRY(sator_store_get(ctx, store, arena, "shards", &shards));
    if (model == NULL || input == NULL || shard == NULL || shards == NULL)
        SATOR_TRY(refuse(ctx, store, "the database's description is incomplete"));
    if (strcmp(model, EXPLORE_MODEL_VERSION) != 0)
        SATOR_TRY(refuse(ctx, store, "the database was made with another version of the model"));
    if (strcmp(digest, exploration->digest) != 0) {
        st = refuse(ctx, store, "the database belongs to another exploration");
        show_difference(ctx, input, exploration->identity);
        goto done;
    }
    if (atoi(shard) != (options->n_shards == 0 ? 1 : options->shard) ||
            atoi(shards) != (options->n_shards == 0 ? 1 : options->n_shards)) {
        st = refuse(ctx, store, "the database is another shard");
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
        st = sator_store_get(ctx, *store, arena, "input_sha256", &digest);
        if (st == SATOR_OK && (digest == NULL || strcmp(digest, exploration->digest) != 0))
            st = refuse(ctx, *store, "the database belongs to another exploration");
        if (st != SATOR_OK)
            sator_store_close(*store);
    }
    sator_arena_free(arena);
    return st;
}

const char *explore_rank_path(struct sator_arena *arena, const char *database, int rank)
{
    return sator_arena_printf(arena, "%s.rank%d", database, rank);
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
            SATOR_TRY(refuse(ctx, store, "the database has a batch that there is not"));
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
