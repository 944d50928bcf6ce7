/* Invariants: a writer's lock is an open file description lock on a byte that SQLite never locks,
 * taken before SQLite opens the file and given back after it has closed it. (Closing any descriptor
 * of a file drops the process's own POSIX locks on it, SQLite's too: hence this order.)
 */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): open file description locks */

#include "store/store.h"

#include "base/text.h"
#include "store/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SCHEMA_VERSION = 4,
    BUSY_MS = 500, /* how long a statement waits for other programs; a commit asks again */
    READER_BUSY_MS = 60000,
    CACHE_KIB = 16384,
    MOST_INSERTS = 16
};

/* schema.sql, embedded by the build. */
extern const char sator_store_schema[];

struct insert {
    const char *table;
    bool unless_there;
    sqlite3_stmt *statement;
};

struct sator_store {
    struct sator_held held; /* first: a pointer to it is one to the store */
    char *path;
    sqlite3 *database;
    int lock; /* descriptor; -1: a reader */
    bool is_new;
    struct insert inserts[MOST_INSERTS];
    int n_inserts;
};

struct sator_cursor {
    struct sator_store *store;
    sqlite3_stmt *statement;
};

/* ---- failures ---- */

static struct sator_loc file_loc(struct sator_ctx *ctx, const char *path)
{
    struct sator_source *source = SATOR_NEW(ctx->arena, struct sator_source);

    source->path = sator_arena_strdup(ctx->arena, path);
    return (struct sator_loc){.source = source};
}

static enum sator_status damaged(
        struct sator_ctx *ctx, const struct sator_store *store, const char *how)
{
    sator_error(ctx, file_loc(ctx, store->path), "the database is damaged: %s", how);
    sator_help(ctx, "`sqlite3 FILE .recover` saves what can be read");
    return SATOR_INPUT;
}

/* What the system said, or else SQLite. */
static const char *reason(const struct sator_store *store, int code)
{
    int error = store->database == NULL ? 0 : sqlite3_system_errno(store->database);

    if (error != 0)
        return strerror(error);
    return store->database == NULL ? sqlite3_errstr(code) : sqlite3_errmsg(store->database);
}

static enum sator_status fail(struct sator_ctx *ctx, const struct sator_store *store, int code)
{
    if (code == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM)
        return SATOR_NOMEM;
    struct sator_loc loc = file_loc(ctx, store->path);
    if (code == SQLITE_IOERR_DATA)
        return damaged(ctx, store, "a page is not what was written");
    switch (code & 0xff) {
    case SQLITE_FULL:
        sator_error(ctx, loc, "the disk is full");
        sator_help(ctx, "all that was stored before is safe; make room and resume");
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        sator_error(ctx, loc, "the file is locked by another program");
        sator_help(ctx, "close what reads it (an SQLite shell in a transaction?) and resume");
        break;
    case SQLITE_NOTADB:
        sator_error(ctx, loc, "this is no SQLite database");
        break;
    case SQLITE_CORRUPT:
        return damaged(ctx, store,
                store->database == NULL ? sqlite3_errstr(code) : sqlite3_errmsg(store->database));
    case SQLITE_READONLY:
        sator_error(ctx, loc, "the file cannot be written");
        break;
    case SQLITE_CANTOPEN:
        sator_error(ctx, loc, "the file or its journal cannot be opened: %s", reason(store, code));
        break;
    case SQLITE_IOERR:
        sator_error(ctx, loc, "reading or writing failed: %s", reason(store, code));
        sator_help(ctx, "all that was stored before is safe; resume when the disk works again");
        break;
    default:
        sator_error(ctx, loc, "%s",
                store->database == NULL ? sqlite3_errstr(code) : sqlite3_errmsg(store->database));
    }
    return SATOR_INPUT;
}

static enum sator_status execute(struct sator_ctx *ctx, struct sator_store *store, const char *sql)
{
    int code = sqlite3_exec(store->database, sql, NULL, NULL, NULL);

    return code == SQLITE_OK ? SATOR_OK : fail(ctx, store, code);
}

/* The integer that "sql" asks for. */
static enum sator_status ask(
        struct sator_ctx *ctx, struct sator_store *store, const char *sql, int64_t *answer)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SATOR_OK : fail(ctx, store, code);
}

/* ---- opening ---- */

/* Take the writer's lock on the file, which is made when there is none. */
static enum sator_status lock_file(struct sator_ctx *ctx, struct sator_store *store)
{
    struct flock lock = {
            .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62, .l_len = 1};

    struct stat status;

    store->lock = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->lock < 0)
        return sator_error(
                ctx, file_loc(ctx, store->path), "cannot open the file: %s", strerror(errno));
    if (fstat(store->lock, &status) != 0 || !S_ISREG(status.st_mode)) {
        sator_error(ctx, file_loc(ctx, store->path), "this is no regular file");
        sator_help(ctx, "a database is a file of its own");
        return SATOR_INPUT;
    }
    if (fcntl(store->lock, F_OFD_SETLK, &lock) == 0)
        return SATOR_OK;
    int error = errno;
    close(store->lock);
    store->lock = -1;
    if (error != EAGAIN && error != EACCES)
        return sator_error(
                ctx, file_loc(ctx, store->path), "cannot lock the file: %s", strerror(error));
    sator_error(ctx, file_loc(ctx, store->path), "another run is writing this file");
    sator_help(ctx, "wait for it or stop it, or write to another file (sator merge joins them)");
    return SATOR_INPUT;
}

/* Read the whole file: no byte of it is other than it was written. */
static enum sator_status check_pages(struct sator_ctx *ctx, struct sator_store *store)
{
    int64_t n_pages = 0;
    long long page = 0;
    char how[80];
    enum sator_status st;

    SATOR_TRY(execute(ctx, store, "BEGIN")); /* nobody writes in between */
    SATOR_TRY(ask(ctx, store, "PRAGMA page_count", &n_pages));
    int code = store_pages_check(store->database, n_pages, &page);
    if (code != SQLITE_IOERR_DATA) {
        st = code == SQLITE_OK ? SATOR_OK : fail(ctx, store, code);
        goto done;
    }
    if (page == 0)
        snprintf(how, sizeof how, "the file is not as long as it says");
    else
        snprintf(how, sizeof how, "page %lld (of %d bytes) is not what was written", page,
                STORE_PAGE_BYTES);
    st = damaged(ctx, store, how);
done:
    sator_store_rollback(store);
    return st;
}

static enum sator_status make_schema(struct sator_ctx *ctx, struct sator_store *store)
{
    struct sator_text sql = {0};

    sator_text_add(&sql,
            "PRAGMA page_size=%d;BEGIN IMMEDIATE;PRAGMA application_id=%d;PRAGMA "
            "user_version=%d;%sCOMMIT;",
            STORE_PAGE_BYTES, STORE_APPLICATION_ID, SCHEMA_VERSION, sator_store_schema);
    int reserved = STORE_RESERVED_BYTES;
    int code = sqlite3_file_control(store->database, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
    enum sator_status st =
            code == SQLITE_OK ? execute(ctx, store, sql.data) : fail(ctx, store, code);
    sator_text_clear(&sql);
    store->is_new = st == SATOR_OK;
    return st;
}

/* Whether the file is a store of this version; a writer makes an empty one into a store. */
static enum sator_status identify(
        struct sator_ctx *ctx, struct sator_store *store, enum sator_store_mode mode)
{
    int64_t pages = 0, application = 0, version = 0;
    enum sator_status st;

    /* The first look into the file: what is no database fails here, before it is called empty. */
    SATOR_TRY(ask(ctx, store, "SELECT count(*) FROM sqlite_master", &pages));
    SATOR_TRY(ask(ctx, store, "PRAGMA page_count", &pages));
    if (pages == 0 && mode != SATOR_STORE_READ)
        return make_schema(ctx, store);
    SATOR_TRY(ask(ctx, store, "PRAGMA application_id", &application));
    SATOR_TRY(ask(ctx, store, "PRAGMA user_version", &version));
    if (pages == 0 || application != STORE_APPLICATION_ID) {
        sator_error(ctx, file_loc(ctx, store->path),
                pages == 0 ? "the file is empty" : "this database was not made by sator explore");
        return SATOR_INPUT;
    }
    if (version != SCHEMA_VERSION) {
        sator_error(ctx, file_loc(ctx, store->path),
                "the database has schema version %lld, this program reads version %d",
                (long long)version, SCHEMA_VERSION);
        sator_help(ctx, "use the version of sator that wrote it, or explore again into a new file");
        return SATOR_INPUT;
    }
    if (mode == SATOR_STORE_CREATE) {
        sator_error(ctx, file_loc(ctx, store->path), "the database exists already");
        sator_help(ctx, "%s goes on with it; or name another file", sator_word(ctx, "resume"));
        return SATOR_INPUT;
    }
    st = check_pages(ctx, store);
done:
    return st;
}

static enum sator_status open_database(
        struct sator_ctx *ctx, struct sator_store *store, enum sator_store_mode mode)
{
    struct sator_text pragmas = {0};
    enum sator_status st;

    /* A reader opens for writing too, where it may: it has to undo what a killed writer left half
     * done. */
    const char *layer = store_pages_layer();
    int code = layer == NULL ? SQLITE_NOMEM
                             : sqlite3_open_v2(store->path, &store->database,
                                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, layer);
    if (code != SQLITE_OK)
        return fail(ctx, store, code);
    sqlite3_extended_result_codes(store->database, 1);
    sqlite3_busy_timeout(store->database, mode == SATOR_STORE_READ ? READER_BUSY_MS : BUSY_MS);
    SATOR_TRY(identify(ctx, store, mode));
    /* A rollback journal that is cut, not deleted, works on network file systems too; every commit
     * is on the disk. */
    sator_text_add(&pragmas, "PRAGMA cache_size=-%d;%s", CACHE_KIB,
            mode == SATOR_STORE_READ ? "PRAGMA query_only=1;"
                                     : "PRAGMA journal_mode=TRUNCATE;PRAGMA synchronous=FULL;");
    st = execute(ctx, store, pragmas.data);
    sator_text_clear(&pragmas);
done:
    return st;
}

static void release(struct sator_held *held)
{
    sator_store_close((struct sator_store *)held);
}

enum sator_status sator_store_open(struct sator_ctx *ctx, const char *path,
        enum sator_store_mode mode, struct sator_store **result)
{
    struct sator_store *store = sator_alloc(sizeof *store);
    enum sator_status st;

    *store = (struct sator_store){.lock = -1, .path = sator_alloc(strlen(path) + 1)};
    memcpy(store->path, path, strlen(path) + 1);
    sator_hold(&store->held, release);
    if (mode != SATOR_STORE_READ) {
        SATOR_TRY(lock_file(ctx, store));
    } else if (access(path, R_OK) != 0) {
        SATOR_TRY(
                sator_error(ctx, file_loc(ctx, path), "cannot read the file: %s", strerror(errno)));
    }
    SATOR_TRY(open_database(ctx, store, mode));
    *result = store;
    return SATOR_OK;
done:
    sator_store_close(store);
    return st;
}

void sator_store_close(struct sator_store *store)
{
    if (store == NULL)
        return;
    sator_let_go(&store->held);
    for (sqlite3_stmt *open;
            store->database != NULL && (open = sqlite3_next_stmt(store->database, NULL)) != NULL;)
        sqlite3_finalize(open);
    if (store->lock >= 0 && store->database != NULL) { /* leave no empty journal behind */
        sator_store_rollback(store);
        sqlite3_exec(store->database, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
    }
    sqlite3_close(store->database);
    if (store->lock >= 0)
        close(store->lock);
    free(store->path);
    free(store);
}

bool sator_store_is_new(const struct sator_store *store)
{
    return store->is_new;
}

const char *sator_store_path(const struct sator_store *store)
{
    return store->path;
}

enum sator_status sator_store_error(
        struct sator_ctx *ctx, const struct sator_store *store, const char *format, ...)
{
    struct sator_text what = {0};
    va_list arguments;

    va_start(arguments, format);
    sator_text_add_v(&what, format, arguments);
    va_end(arguments);
    sator_error(ctx, file_loc(ctx, store->path), "%s", what.data);
    sator_text_clear(&what);
    return SATOR_INPUT;
}

enum sator_status sator_store_check(struct sator_ctx *ctx, struct sator_store *store)
{
    struct sator_cursor *cursor = NULL;
    bool found = false;
    enum sator_status st;

    SATOR_TRY(sator_store_scan(ctx, store, "pragma_quick_check(1)", "*", "1", &cursor));
    SATOR_TRY(sator_cursor_next(ctx, cursor, &found));
    struct sator_cell cell = sator_cursor_cell(cursor, 0, false);
    const char *says = found && cell.kind == SATOR_CELL_TEXT ? cell.text : "the check says nothing";
    if (strstr(says, "error code=") !=
            NULL) /* the check goes on after a page that it cannot read */
        st = fail(ctx, store, SQLITE_IOERR_READ);
    else if (strcmp(says, "ok") != 0)
        st = damaged(ctx, store, says);
done:
    sator_cursor_close(cursor);
    return st;
}

/* ---- writing ---- */

/* A reader may keep a commit waiting for as long as somebody looks at a page of results: wait,
 * unless cancelled. */
static enum sator_status execute_patiently(
        struct sator_ctx *ctx, struct sator_store *store, const char *sql)
{
    int code;

    do
        code = sqlite3_exec(store->database, sql, NULL, NULL, NULL);
    while ((code & 0xff) == SQLITE_BUSY && !atomic_load(&ctx->cancelled));
    return code == SQLITE_OK ? SATOR_OK : fail(ctx, store, code);
}

enum sator_status sator_store_begin(struct sator_ctx *ctx, struct sator_store *store)
{
    return execute_patiently(ctx, store, "BEGIN IMMEDIATE");
}

enum sator_status sator_store_commit(struct sator_ctx *ctx, struct sator_store *store)
{
    return execute_patiently(ctx, store, "COMMIT");
}

void sator_store_rollback(struct sator_store *store)
{
    if (sqlite3_get_autocommit(store->database) == 0)
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
}

enum sator_status sator_store_add_column(
        struct sator_ctx *ctx, struct sator_store *store, const char *name)
{
    char *sql = sqlite3_mprintf("ALTER TABLE result ADD COLUMN \"%w\"", name);
    enum sator_status st = sql == NULL ? fail(ctx, store, SQLITE_NOMEM) : execute(ctx, store, sql);

    sqlite3_free(sql);
    return st;
}

static int bind(sqlite3_stmt *statement, int column, const struct sator_cell *cell)
{
    char digits[48];

    switch (cell->kind) {
    case SATOR_CELL_COUNT:
        if (cell->count >= INT64_MIN && cell->count <= INT64_MAX)
            return sqlite3_bind_int64(statement, column, (int64_t)cell->count);
        return sqlite3_bind_text(
                statement, column, sator_int_format(cell->count, 0, digits), -1, SQLITE_TRANSIENT);
    case SATOR_CELL_REAL:
        return isnan(cell->real) ? sqlite3_bind_null(statement, column)
                                 : sqlite3_bind_double(statement, column, cell->real);
    case SATOR_CELL_TEXT:
        return sqlite3_bind_text(statement, column, cell->text, -1, SQLITE_STATIC);
    case SATOR_CELL_NULL:
        break;
    }
    return sqlite3_bind_null(statement, column);
}

static enum sator_status prepare_insert(struct sator_ctx *ctx, struct sator_store *store,
        const char *table, bool unless_there, int n_cells, sqlite3_stmt **statement)
{
    struct sator_text sql = {0};

    for (int i = 0; i < store->n_inserts; i++) {
        const struct insert *insert = &store->inserts[i];
        if (insert->unless_there == unless_there && strcmp(insert->table, table) == 0) {
            *statement = insert->statement;
            return SATOR_OK;
        }
    }
    if (store->n_inserts == MOST_INSERTS)
        return sator_error(ctx, file_loc(ctx, store->path), "too many tables");
    sator_text_add(&sql, "INSERT %sINTO %s VALUES (", unless_there ? "OR IGNORE " : "", table);
    for (int i = 0; i < n_cells; i++)
        sator_text_add(&sql, "%s?", i == 0 ? "" : ",");
    sator_text_add(&sql, ")");
    int code = sqlite3_prepare_v3(
            store->database, sql.data, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
    sator_text_clear(&sql);
    if (code != SQLITE_OK)
        return fail(ctx, store, code);
    store->inserts[store->n_inserts++] = (struct insert){table, unless_there, *statement};
    return SATOR_OK;
}

enum sator_status sator_store_insert(struct sator_ctx *ctx, struct sator_store *store,
        const char *table, bool unless_there, int n_cells, const struct sator_cell *cells)
{
    sqlite3_stmt *statement = NULL;
    enum sator_status st = prepare_insert(ctx, store, table, unless_there, n_cells, &statement);
    int code = SQLITE_OK;

    if (st != SATOR_OK)
        return st;
    for (int i = 0; i < n_cells && code == SQLITE_OK; i++)
        code = bind(statement, i + 1, &cells[i]);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    st = code == SQLITE_DONE ? SATOR_OK : fail(ctx, store, code);
    sqlite3_reset(statement);
    return st;
}

enum sator_status sator_store_put(
        struct sator_ctx *ctx, struct sator_store *store, const char *key, const char *value)
{
    struct sator_cell cells[] = {
            {.kind = SATOR_CELL_TEXT, .text = key}, {.kind = SATOR_CELL_TEXT, .text = value}};

    return sator_store_insert(ctx, store, "meta", false, 2, cells);
}

/* ---- reading ---- */

enum sator_status sator_store_get(struct sator_ctx *ctx, struct sator_store *store,
        struct sator_arena *arena, const char *key, const char **value)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(
            store->database, "SELECT value FROM meta WHERE key = ?", -1, &statement, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        *value = text == NULL ? NULL : sator_arena_strdup(arena, text);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SATOR_OK : fail(ctx, store, code);
}

enum sator_status sator_store_scan(struct sator_ctx *ctx, struct sator_store *store,
        const char *table, const char *columns, const char *order, struct sator_cursor **result)
{
    struct sator_text sql = {0};
    sqlite3_stmt *statement = NULL;

    sator_text_add(&sql, "SELECT %s FROM %s ORDER BY %s", columns, table, order);
    int code = sqlite3_prepare_v2(store->database, sql.data, -1, &statement, NULL);
    sator_text_clear(&sql);
    if (code != SQLITE_OK)
        return fail(ctx, store, code);
    struct sator_cursor *cursor = sator_alloc(sizeof *cursor);
    *cursor = (struct sator_cursor){.store = store, .statement = statement};
    *result = cursor;
    return SATOR_OK;
}

enum sator_status sator_store_lookup(struct sator_ctx *ctx, struct sator_store *store,
        const char *table, const char *columns, const char *keys, const char *order,
        struct sator_cursor **cursor)
{
    struct sator_text where = {0};

    sator_text_add(&where, "%s WHERE %s", table, keys);
    enum sator_status st = sator_store_scan(ctx, store, where.data, columns, order, cursor);
    sator_text_clear(&where);
    return st;
}

void sator_cursor_seek(struct sator_cursor *cursor, int n_keys, const int64_t *keys)
{
    sqlite3_reset(cursor->statement);
    for (int i = 0; i < n_keys; i++)
        sqlite3_bind_int64(cursor->statement, i + 1, keys[i]);
}

enum sator_status sator_cursor_next(struct sator_ctx *ctx, struct sator_cursor *cursor, bool *found)
{
    int code = sqlite3_step(cursor->statement);

    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return fail(ctx, cursor->store, code);
    *found = code == SQLITE_ROW;
    return SATOR_OK;
}

/* Digits as stored for a count that needs more than 63 bits; false for anything else. */
static bool read_count(const char *text, sator_int *count)
{
    bool negative = *text == '-';
    sator_int value = 0;

    text += negative;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
                __builtin_add_overflow(value, *text - '0', &value))
            return false;
    }
    *count = negative ? -value : value;
    return true;
}

struct sator_cell sator_cursor_cell(const struct sator_cursor *cursor, int column, bool count)
{
    struct sator_cell cell = {.kind = SATOR_CELL_NULL, .real = NAN};

    switch (sqlite3_column_type(cursor->statement, column)) {
    case SQLITE_INTEGER:
        cell.kind = SATOR_CELL_COUNT;
        cell.count = sqlite3_column_int64(cursor->statement, column);
        break;
    case SQLITE_FLOAT:
        cell.kind = SATOR_CELL_REAL;
        cell.real = sqlite3_column_double(cursor->statement, column);
        break;
    case SQLITE_TEXT:
        cell.kind = SATOR_CELL_TEXT;
        cell.text = (const char *)sqlite3_column_text(cursor->statement, column);
        if (cell.text == NULL)
            cell.kind = SATOR_CELL_NULL;
        else if (count && read_count(cell.text, &cell.count))
            cell.kind = SATOR_CELL_COUNT;
        break;
    default:
        break;
    }
    return cell;
}

void sator_cursor_close(struct sator_cursor *cursor)
{
    if (cursor == NULL)
        return;
    sqlite3_finalize(cursor->statement);
    free(cursor);
}

/* ---- joining ---- */

static const char import_sql[] =
        "CREATE TEMP TABLE further AS SELECT batch FROM"
        " (SELECT batch, sum(points) AS points FROM other.batch GROUP BY batch) AS theirs"
        " WHERE points > coalesce((SELECT sum(ours.points) FROM main.batch AS ours"
        "  WHERE ours.batch = theirs.batch), 0);"
        "DELETE FROM main.batch WHERE batch IN (SELECT batch FROM further);"
        "DELETE FROM main.skipped WHERE batch IN (SELECT batch FROM further);"
        "INSERT INTO main.batch SELECT * FROM other.batch"
        " WHERE batch IN (SELECT batch FROM further);"
        "INSERT INTO main.skipped SELECT * FROM other.skipped"
        " WHERE batch IN (SELECT batch FROM further);"
        "INSERT OR IGNORE INTO main.layer SELECT * FROM other.layer;"
        "INSERT OR IGNORE INTO main.hardware SELECT * FROM other.hardware;"
        "INSERT OR IGNORE INTO main.space SELECT * FROM other.space;"
        "INSERT OR IGNORE INTO main.result SELECT * FROM other.result;"
        "INSERT OR IGNORE INTO main.mapping SELECT * FROM other.mapping;"
        "DROP TABLE further;";

enum sator_status sator_store_import(
        struct sator_ctx *ctx, struct sator_store *store, const char *path)
{
    sqlite3_stmt *attach = NULL;
    enum sator_status st;

    int code = sqlite3_prepare_v2(store->database, "ATTACH ? AS other", -1, &attach, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(attach, 1, path, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_step(attach);
    sqlite3_finalize(attach);
    if (code != SQLITE_DONE)
        return fail(ctx, store, code);
    SATOR_TRY(sator_store_begin(ctx, store));
    SATOR_TRY(execute(ctx, store, import_sql));
    SATOR_TRY(sator_store_commit(ctx, store));
done:
    sator_store_rollback(store);
    sqlite3_exec(store->database, "DETACH other", NULL, NULL, NULL);
    return st;
}
