/* The store: what goes in comes out, files that are no stores, two writers, what a closed
 * transaction leaves. */
#include "store/store.h"
#include "store/pages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    char directory[32], path[64];
    struct sator_ctx *ctx;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    strcpy(fixture->directory, "/tmp/sator-store-XXXXXX");
    if (mkdtemp(fixture->directory) == NULL)
        return -1;
    snprintf(fixture->path, sizeof fixture->path, "%s/a.db", fixture->directory);
    fixture->ctx = sator_ctx_new();
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    sator_ctx_free(fixture->ctx);
    unlink(fixture->path);
    rmdir(fixture->directory);
    free(fixture);
    return 0;
}

static struct sator_store *must_open(struct fixture *fixture, enum sator_store_mode mode)
{
    struct sator_store *store = NULL;

    assert_int_equal(sator_store_open(fixture->ctx, fixture->path, mode, &store), SATOR_OK);
    return store;
}

/* Opening fails, and the message has "part". */
static void must_refuse(struct fixture *fixture, enum sator_store_mode mode, const char *part)
{
    struct sator_store *store = NULL;

    assert_int_equal(sator_store_open(fixture->ctx, fixture->path, mode, &store), SATOR_INPUT);
    assert_null(store);
    char *messages = sator_ctx_take_messages(fixture->ctx, false);
    assert_non_null(messages);
    if (strstr(messages, part) == NULL)
        fail_msg("no '%s' in: %s", part, messages);
    assert_non_null(strstr(messages, fixture->path));
    free(messages);
}

static void write_bytes(const struct fixture *fixture, long at, const char *bytes, size_t length)
{
    FILE *file = fopen(fixture->path, at < 0 ? "wb" : "r+b");

    assert_non_null(file);
    assert_int_equal(fseek(file, at < 0 ? 0 : at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

enum {
    RESULT_COLUMNS = 27
};

static void insert_result(struct fixture *fixture, struct sator_store *store, int point,
        sator_int volume, enum sator_status expected)
{
    struct sator_cell cells[RESULT_COLUMNS] = {{.kind = SATOR_CELL_COUNT},
            {.kind = SATOR_CELL_COUNT}, {.kind = SATOR_CELL_COUNT, .count = point},
            {.kind = SATOR_CELL_TEXT, .text = "PE[i]"}, {.kind = SATOR_CELL_TEXT, .text = "T[j]"},
            {.kind = SATOR_CELL_TEXT, .text = "compute"}, {.kind = SATOR_CELL_TEXT, .text = "[]"}};

    for (int i = 7; i < RESULT_COLUMNS; i++)
        cells[i] = (struct sator_cell){.kind = SATOR_CELL_COUNT, .count = volume};
    assert_int_equal(
            sator_store_insert(fixture->ctx, store, "result", false, RESULT_COLUMNS, cells),
            expected);
}

static int count_rows(struct fixture *fixture, struct sator_store *store, const char *table)
{
    struct sator_cursor *cursor = NULL;
    bool found = true;
    int n = -1;

    assert_int_equal(sator_store_scan(fixture->ctx, store, table, "*", "1", &cursor), SATOR_OK);
    for (; found; n++)
        assert_int_equal(sator_cursor_next(fixture->ctx, cursor, &found), SATOR_OK);
    sator_cursor_close(cursor);
    return n;
}

static void counts_of_any_size_come_back(void **state)
{
    struct fixture *fixture = *state;
    static const int shifts[] = {0, 31, 52, 53, 62, 63, 64, 100, 125};
    enum {
        N = sizeof shifts / sizeof *shifts
    };
    struct sator_store *store = must_open(fixture, SATOR_STORE_CREATE);
    struct sator_cursor *cursor = NULL;
    bool found;

    assert_true(sator_store_is_new(store));
    for (int i = 0; i < N; i++)
        insert_result(fixture, store, i, ((sator_int)1 << shifts[i]) + 1, SATOR_OK);
    sator_store_close(store);
    store = must_open(fixture, SATOR_STORE_READ);
    assert_int_equal(sator_store_scan(fixture->ctx, store, "result", "point, unique_volume",
                             "layer, hardware, point", &cursor),
            SATOR_OK);
    for (int i = 0; i < N; i++) {
        assert_int_equal(sator_cursor_next(fixture->ctx, cursor, &found), SATOR_OK);
        assert_true(found);
        struct sator_cell cell = sator_cursor_cell(cursor, 1, true);
        assert_int_equal(cell.kind, SATOR_CELL_COUNT);
        assert_true(cell.count == ((sator_int)1 << shifts[i]) + 1);
    }
    sator_cursor_close(cursor);
    sator_store_close(store);
}

static void missing_numbers_are_null(void **state)
{
    struct fixture *fixture = *state;
    struct sator_store *store = must_open(fixture, SATOR_STORE_CREATE);
    struct sator_cell cells[RESULT_COLUMNS] = {{.kind = SATOR_CELL_COUNT},
            {.kind = SATOR_CELL_COUNT}, {.kind = SATOR_CELL_COUNT},
            {.kind = SATOR_CELL_TEXT, .text = "PE[i]"}, {.kind = SATOR_CELL_TEXT, .text = "T[j]"},
            {.kind = SATOR_CELL_TEXT, .text = "compute"}, {.kind = SATOR_CELL_TEXT, .text = "[]"}};
    struct sator_cursor *cursor = NULL;
    bool found;

    for (int i = 7; i < 14; i++)
        cells[i] = (struct sator_cell){.kind = SATOR_CELL_COUNT, .count = 1};
    for (int i = 14; i < RESULT_COLUMNS; i++)
        cells[i] = (struct sator_cell){.kind = SATOR_CELL_REAL, .real = i == 14 ? 1.0 / 3 : NAN};
    assert_int_equal(
            sator_store_insert(fixture->ctx, store, "result", false, RESULT_COLUMNS, cells),
            SATOR_OK);
    assert_int_equal(sator_store_scan(fixture->ctx, store, "result",
                             "space, utilization_average, edp", "point", &cursor),
            SATOR_OK);
    assert_int_equal(sator_cursor_next(fixture->ctx, cursor, &found), SATOR_OK);
    assert_string_equal(sator_cursor_cell(cursor, 0, false).text, "PE[i]");
    assert_true(sator_cursor_cell(cursor, 1, false).real == 1.0 / 3);
    assert_int_equal(sator_cursor_cell(cursor, 2, false).kind, SATOR_CELL_NULL);
    sator_cursor_close(cursor);
    sator_store_close(store);
}

static void meta_is_kept(void **state)
{
    struct fixture *fixture = *state;
    struct sator_store *store = must_open(fixture, SATOR_STORE_WRITE);
    struct sator_arena *arena = sator_arena_new();
    const char *value = "untouched";

    assert_int_equal(sator_store_put(fixture->ctx, store, "key", "it's"), SATOR_OK);
    assert_int_equal(sator_store_get(fixture->ctx, store, arena, "key", &value), SATOR_OK);
    assert_string_equal(value, "it's");
    assert_int_equal(sator_store_get(fixture->ctx, store, arena, "other", &value), SATOR_OK);
    assert_null(value);
    assert_int_equal(sator_store_check(fixture->ctx, store), SATOR_OK);
    sator_arena_free(arena);
    sator_store_close(store);
}

static void an_open_transaction_leaves_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct sator_store *store = must_open(fixture, SATOR_STORE_CREATE);

    assert_int_equal(sator_store_begin(fixture->ctx, store), SATOR_OK);
    insert_result(fixture, store, 1, 1, SATOR_OK);
    assert_int_equal(sator_store_commit(fixture->ctx, store), SATOR_OK);
    assert_int_equal(sator_store_begin(fixture->ctx, store), SATOR_OK);
    insert_result(fixture, store, 2, 2, SATOR_OK);
    sator_store_close(store);
    store = must_open(fixture, SATOR_STORE_WRITE);
    assert_false(sator_store_is_new(store));
    assert_int_equal(count_rows(fixture, store, "result"), 1);
    sator_store_close(store);
}

static void a_row_is_added_once(void **state)
{
    struct fixture *fixture = *state;
    struct sator_store *store = must_open(fixture, SATOR_STORE_CREATE);

    insert_result(fixture, store, 1, 1, SATOR_OK);
    insert_result(fixture, store, 1, 2, SATOR_INPUT);
    assert_int_equal(count_rows(fixture, store, "result"), 1);
    sator_store_close(store);
}

static void two_writers_never_meet(void **state)
{
    struct fixture *fixture = *state;
    struct sator_store *store = must_open(fixture, SATOR_STORE_CREATE);

    must_refuse(fixture, SATOR_STORE_WRITE, "another run is writing this file");
    struct sator_store *reader = must_open(fixture, SATOR_STORE_READ);
    assert_int_equal(count_rows(fixture, reader, "result"), 0);
    insert_result(fixture, reader, 1, 1, SATOR_INPUT); /* readers cannot write */
    free(sator_ctx_take_messages(fixture->ctx, false));
    sator_store_close(reader);
    must_refuse(fixture, SATOR_STORE_WRITE, "another run is writing this file");
    sator_store_close(store);
    sator_store_close(must_open(fixture, SATOR_STORE_WRITE));
}

/* What another version of this program might do to a store. */
static void run_sql(const struct fixture *fixture, const char *sql)
{
    sqlite3 *database = NULL;

    assert_int_equal(
            sqlite3_open_v2(fixture->path, &database, SQLITE_OPEN_READWRITE, store_pages_layer()),
            SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

static void other_files_are_refused(void **state)
{
    struct fixture *fixture = *state;

    must_refuse(fixture, SATOR_STORE_READ, "No such file");
    write_bytes(fixture, -1, "", 0);
    must_refuse(fixture, SATOR_STORE_READ, "empty");
    write_bytes(fixture, -1, "layer,point\n1,2\n", 16);
    must_refuse(fixture, SATOR_STORE_WRITE, "no SQLite database");
    unlink(fixture->path);
    sator_store_close(must_open(fixture, SATOR_STORE_CREATE));
    must_refuse(fixture, SATOR_STORE_CREATE, "exists already");
    run_sql(fixture, "PRAGMA user_version = 7");
    must_refuse(fixture, SATOR_STORE_WRITE, "schema version 7");
    write_bytes(fixture, 68, "ABCD", 4); /* the file format's place of application_id */
    must_refuse(fixture, SATOR_STORE_WRITE, "not made by sator");
}

static long file_size(const struct fixture *fixture)
{
    FILE *file = fopen(fixture->path, "rb");

    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    fclose(file);
    return size;
}

static void flip_bit(const struct fixture *fixture, long at, int bit)
{
    FILE *file = fopen(fixture->path, "r+b");

    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    fputc(byte ^ 1 << bit, file);
    fclose(file);
}

/* Every byte counts, wherever it lies. */
static void damage_is_found(void **state)
{
    struct fixture *fixture = *state;
    struct sator_store *store = must_open(fixture, SATOR_STORE_CREATE);

    assert_int_equal(sator_store_begin(fixture->ctx, store), SATOR_OK);
    for (int i = 0; i < 2000; i++)
        insert_result(fixture, store, i, i, SATOR_OK);
    assert_int_equal(sator_store_commit(fixture->ctx, store), SATOR_OK);
    sator_store_close(store);
    long size = file_size(fixture);
    srand(1);
    for (int i = 0; i < 300; i++) {
        long at = rand() % size; /* NOLINT: any byte will do */
        flip_bit(fixture, at, i % 8);
        must_refuse(fixture, i % 2 == 0 ? SATOR_STORE_READ : SATOR_STORE_WRITE, "");
        flip_bit(fixture, at, i % 8);
    }
    flip_bit(fixture, size - 5000, 3);
    must_refuse(fixture, SATOR_STORE_READ, "the database is damaged: page");
    flip_bit(fixture, size - 5000, 3);
    assert_int_equal(truncate(fixture->path, size - STORE_PAGE_BYTES), 0);
    must_refuse(fixture, SATOR_STORE_READ, "damaged");
}

/* The digests of FIPS 180-4's examples and of a million times "a". */
static void digests_are_those_of_the_standard(void **state)
{
    static const struct {
        const char *text, *digest;
    } cases[] = {{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
            {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
            {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    char digest[65];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sator_sha256(cases[i].text, strlen(cases[i].text), digest);
        assert_string_equal(digest, cases[i].digest);
    }
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    sator_sha256(million, 1000000, digest);
    assert_string_equal(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {CASE(counts_of_any_size_come_back),
            CASE(missing_numbers_are_null), CASE(meta_is_kept),
            CASE(an_open_transaction_leaves_nothing), CASE(a_row_is_added_once),
            CASE(two_writers_never_meet), CASE(other_files_are_refused), CASE(damage_is_found),
            cmocka_unit_test(digests_are_those_of_the_standard)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
