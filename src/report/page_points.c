/* The points of an exploration, read from CSV column by column: numbers go from the one text to the
 * other digit by digit, words become numbers of a list. */
#include "base/text.h"
#include "report/page.h"

#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Words by number, found again by a hash. */
struct page_words {
    int n, room; /* room of "places": a power of two */
    char **words;
    int *places; /* 0: none; else 1 + the word's number */
};

enum {
    FIRST_PLACES = 64
};
/* Above so many rows, columns that are no figures to choose by are left out: of tensors, and maps,
 * which a point's command shows. */
static const int64_t many_rows = 20000;

static size_t hash_of(const char *word)
{
    uint64_t hash = 14695981039346656037u;

    for (; *word != '\0'; word++)
        hash = (hash ^ (unsigned char)*word) * 1099511628211u;
    return (size_t)(hash ^ (hash >> 32));
}

static int *place_of(const struct page_words *words, const char *word)
{
    size_t mask = (size_t)words->room - 1, at = hash_of(word) & mask;

    while (words->places[at] != 0 && strcmp(words->words[words->places[at] - 1], word) != 0)
        at = (at + 1) & mask;
    return &words->places[at];
}

static void grow(struct page_words *words)
{
    words->room = words->room == 0 ? FIRST_PLACES : 2 * words->room;
    words->words = sator_realloc(words->words, sizeof *words->words * (size_t)words->room);
    free(words->places);
    words->places = sator_alloc(sizeof *words->places * (size_t)words->room);
    memset(words->places, 0, sizeof *words->places * (size_t)words->room);
    for (int i = 0; i < words->n; i++)
        *place_of(words, words->words[i]) = i + 1;
}

static int number_of(struct page_words *words, const char *word)
{
    if (2 * (words->n + 1) > words->room)
        grow(words);
    int *place = place_of(words, word);
    if (*place == 0) {
        size_t size = strlen(word) + 1;
        words->words[words->n] = memcpy(sator_alloc(size), word, size);
        *place = ++words->n;
    }
    return *place - 1;
}

static void clear_words(struct page_words *words)
{
    for (int w = 0; w < words->n; w++)
        free(words->words[w]);
    free(words->words);
    free(words->places);
    *words = (struct page_words){0};
}

/* ---- reading ---- */

static bool is_word_column(const char *name)
{
    static const char *const names[] = {"layer", "settings", "space", "time", "bound_by", "cuts",
            "network", "arch", "mapping", "dataflow", "loops", "name", "nest"};

    return sator_lists(name, sizeof names / sizeof *names, names);
}

static void add_column(struct page_points *points, const char *name)
{
    points->columns = sator_realloc(
            points->columns, sizeof *points->columns * ((size_t)points->n_columns + 1));
    struct page_column *column = &points->columns[points->n_columns++];
    size_t size = strlen(name) + 1;
    *column = (struct page_column){
            .name = memcpy(sator_alloc(size), name, size), .is_text = is_word_column(name)};
    column->words = sator_alloc(sizeof *column->words);
    *column->words = (struct page_words){0};
}

/* Whether "field" is a number of JSON; what is none makes its column one of words. */
static bool is_number(const char *field)
{
    char *end;

    strtod(field, &end);
    return end != field && *end == '\0' &&
            ((*field >= '0' && *field <= '9') ||
                    (*field == '-' && field[1] >= '0' && field[1] <= '9'));
}

static void end_field(struct page_points *points)
{
    const char *field = points->field.data == NULL ? "" : points->field.data;

    if (!points->past_header) {
        add_column(points, field);
    } else if (points->column < points->n_columns) {
        struct page_column *column = &points->columns[points->column];
        const char *comma = points->n_rows == 0 ? "" : ",";
        if (column->is_text)
            sator_text_add(&column->items, "%s%d", comma, number_of(column->words, field));
        else
            sator_text_add(&column->items, "%s%s", comma, is_number(field) ? field : "null");
    }
    points->column++;
    points->field.length = 0;
    if (points->field.data != NULL)
        points->field.data[0] = '\0';
}

static void end_row(struct page_points *points)
{
    end_field(points);
    points->n_rows += points->past_header;
    points->past_header = true;
    points->column = 0;
}

static bool read_csv(void *data, const char *text, size_t length)
{
    struct page_points *points = data;

    SATOR_CALL(NULL, points->lost = true; return false)
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (points->quoted && c == '"' && !points->was_quote) {
            points->was_quote = true; /* the end, or the first of two */
            continue;
        }
        if (points->was_quote) {
            points->was_quote = false;
            points->quoted = c == '"';
        } else if (!points->quoted && c == '"') {
            points->quoted = true;
            continue;
        }
        if (points->quoted || (c != ',' && c != '\n' && c != '\r'))
            sator_text_add_bytes(&points->field, &c, 1);
        else if (c == ',')
            end_field(points);
        else if (c == '\n')
            end_row(points);
    }
    return true;
}

static bool read_nothing(void *data, const char *text, size_t length)
{
    (void)data, (void)text, (void)length;
    return false;
}

struct sator_sink sator_page_points(struct sator_page *page, const char *make)
{
    if (page->points == NULL) {
        SATOR_CALL(NULL, page->lost = true; return (struct sator_sink){.write = read_nothing})
        char *copy = make == NULL ? NULL : sator_arena_strdup(page->arena, make);
        page->points = sator_alloc(sizeof *page->points);
        *page->points = (struct page_points){.make = copy};
    }
    return (struct sator_sink){.write = read_csv, .data = page->points};
}

void page_points_free(struct page_points *points)
{
    for (int i = 0; points != NULL && i < points->n_columns; i++) {
        struct page_column *column = &points->columns[i];
        clear_words(column->words);
        free(column->words);
        free(column->name);
        sator_text_clear(&column->items);
    }
    if (points == NULL)
        return;
    sator_text_clear(&points->field);
    free(points->columns);
    free(points);
}

/* ---- writing ---- */

static bool is_left_out(const struct page_points *points, const struct page_column *column)
{
    static const char *const names[] = {"space", "time", "instances", "stamps", "pes",
            "max_active_pes", "macs_per_cycle", "latency_cycles.compute", "latency_cycles.read",
            "latency_cycles.write", "time_stamps"};

    if (points->n_rows <= many_rows)
        return false;
    return sator_lists(column->name, sizeof names / sizeof *names, names) ||
            strncmp(column->name, "tensors.", 8) == 0;
}

/* How long the item of a column is that has the same in all rows; 0 where there are several. */
static size_t same_item(const struct page_column *column)
{
    const char *items = column->items.data == NULL ? "" : column->items.data;
    size_t length = strcspn(items, ",");

    for (const char *at = items; *at != '\0'; at += at[length] == ',' ? length + 1 : length) {
        if (strncmp(at, items, length) != 0 || (at[length] != ',' && at[length] != '\0'))
            return 0;
    }
    return length;
}

/* The different items of a column into "values", and into "places" which of them each row has;
 * false where too few are equal for that to be shorter. */
static bool find_equal(const struct page_column *column, int64_t n_rows, struct page_words *values,
        struct sator_text *places)
{
    const char *at = column->items.data == NULL ? "" : column->items.data;
    char item[64];

    for (int64_t r = 0; r < n_rows && values->n <= n_rows / 8; r++) {
        size_t length = strcspn(at, ",");
        if (length >= sizeof item)
            return false;
        memcpy(item, at, length);
        item[length] = '\0';
        sator_text_add(places, "%s%d", r == 0 ? "" : ",", number_of(values, item));
        at += length + (at[length] == ',');
    }
    return values->n <= n_rows / 8;
}

/* An array of "items", which commas divide already. */
static void write_list(struct sator_json *out, const char *key, const char *items)
{
    sator_json_open(out, key, '[');
    sator_text_put(out->text, items == NULL ? "" : items);
    sator_json_close(out, ']');
}

/* "same", "values" and "at", or "items", whichever is short. */
static void write_items(
        struct sator_json *out, const struct page_points *points, const struct page_column *column)
{
    const char *items = column->items.data == NULL ? "" : column->items.data;
    size_t same = points->n_rows > 1 ? same_item(column) : 0;
    struct page_words values = {0};
    struct sator_text places = {0};

    if (same > 0) {
        char *item = memcpy(sator_alloc(same + 1), items, same);
        item[same] = '\0';
        sator_json_raw(out, "same", item);
        free(item);
    } else if (!column->is_text && points->n_rows > many_rows &&
            find_equal(column, points->n_rows, &values, &places)) {
        sator_json_open(out, "values", '[');
        for (int w = 0; w < values.n; w++)
            sator_json_raw(out, NULL, values.words[w]);
        sator_json_close(out, ']');
        write_list(out, "at", places.data);
    } else {
        write_list(out, "items", items);
    }
    clear_words(&values);
    sator_text_clear(&places);
}

char *page_points_json(const struct page_points *points)
{
    struct sator_text text = {0};
    struct sator_json out = {.text = &text};

    sator_json_open(&out, NULL, '{');
    sator_json_small(&out, "rows", points->n_rows);
    sator_json_text(&out, "make", points->make);
    sator_json_open(&out, "columns", '[');
    for (int i = 0; i < points->n_columns; i++) {
        const struct page_column *column = &points->columns[i];
        if (is_left_out(points, column))
            continue;
        sator_json_open(&out, NULL, '{');
        sator_json_text(&out, "name", column->name);
        if (column->is_text) {
            sator_json_open(&out, "words", '[');
            for (int w = 0; w < column->words->n; w++)
                sator_json_text(&out, NULL, column->words->words[w]);
            sator_json_close(&out, ']');
        }
        write_items(&out, points, column);
        sator_json_close(&out, '}');
    }
    sator_json_close(&out, ']');
    sator_json_close(&out, '}');
    return sator_text_take(&text);
}

const double *page_points_column(
        struct sator_arena *arena, const struct page_points *points, const char *name)
{
    for (int i = 0; i < points->n_columns; i++) {
        const struct page_column *column = &points->columns[i];
        if (column->is_text || strcmp(column->name, name) != 0)
            continue;
        double *values = SATOR_NEW_ARRAY(arena, double, points->n_rows + 1);
        const char *at = column->items.data == NULL ? "" : column->items.data;
        for (int64_t r = 0; r < points->n_rows; r++) {
            char *end = NULL;
            values[r] = *at == 'n' ? NAN : strtod(at, &end);
            at = *at == 'n' ? at + strlen("null") : end;
            at += *at == ',';
        }
        return values;
    }
    return NULL;
}
