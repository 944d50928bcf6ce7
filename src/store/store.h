/* Results in a file: a thin layer over SQLite (its only user). The tables are those of schema.sql.
 *
 * A store that is open for writing holds a lock on its file until it is closed, and the system
 * takes the lock away from a process that dies: two writers never meet. Readers may look at any
 * time. What was committed stays, whatever happens to the process after it. Every failure is a
 * message that names the file.
 */
#ifndef SATOR_STORE_STORE_H
#define SATOR_STORE_STORE_H

#include "base/context.h"

enum sator_store_mode {
    SATOR_STORE_READ, /* an existing store */
    SATOR_STORE_WRITE, /* an existing store, or a new one made of nothing or an empty file */
    SATOR_STORE_CREATE /* a new one; an existing one is an error */
};

enum sator_cell_kind {
    SATOR_CELL_NULL,
    SATOR_CELL_COUNT,
    SATOR_CELL_REAL, /* NAN is stored as NULL */
    SATOR_CELL_TEXT
};

/* A value of a row. */
struct sator_cell {
    enum sator_cell_kind kind;
    sator_int count; /* past 63 bits it is stored as decimal text, and read back as a count */
    double real;
    const char *text;
};

struct sator_store;
struct sator_cursor;

/* Open the store at "path" (GIVE: sator_store_close). SATOR_INPUT with a message: no such file, no
 * database, another program's, another version's, a damaged one, one that another run is writing.
 */
enum sator_status sator_store_open(struct sator_ctx *ctx, const char *path,
        enum sator_store_mode mode, SATOR_GIVE struct sator_store **result);
/* Close it; a transaction in progress is undone. NULL is allowed. */
void sator_store_close(SATOR_TAKE struct sator_store *store);
/* Whether this call of sator_store_open made the store. */
bool sator_store_is_new(const struct sator_store *store);
const char *sator_store_path(const struct sator_store *store);
/* Report an error about the file. Returns SATOR_INPUT. */
__attribute__((format(printf, 3, 4))) enum sator_status sator_store_error(
        struct sator_ctx *ctx, const struct sator_store *store, const char *format, ...);
/* Read the whole file and look for damage. */
enum sator_status sator_store_check(struct sator_ctx *ctx, struct sator_store *store);

enum sator_status sator_store_begin(struct sator_ctx *ctx, struct sator_store *store);
enum sator_status sator_store_commit(struct sator_ctx *ctx, struct sator_store *store);
void sator_store_rollback(struct sator_store *store);

/* A value of table meta into "arena"; "*value" is NULL when there is none. */
enum sator_status sator_store_get(struct sator_ctx *ctx, struct sator_store *store,
        struct sator_arena *arena, const char *key, const char **value);
enum sator_status sator_store_put(
        struct sator_ctx *ctx, struct sator_store *store, const char *key, const char *value);

/* Add a column "name" to table result, in the transaction in progress. */
enum sator_status sator_store_add_column(
        struct sator_ctx *ctx, struct sator_store *store, const char *name);

/* Add a row to "table" (a string literal), a cell a column in the schema's order. With
 * "unless_there", a row whose key is there already stays as it is. */
enum sator_status sator_store_insert(struct sator_ctx *ctx, struct sator_store *store,
        const char *table, bool unless_there, int n_cells, const struct sator_cell *cells);

/* The rows of "table", "columns" (both as in SQL), in order of "order" (GIVE: sator_cursor_close).
 */
enum sator_status sator_store_scan(struct sator_ctx *ctx, struct sator_store *store,
        const char *table, const char *columns, const char *order,
        SATOR_GIVE struct sator_cursor **result);
/* Step to the next row; "*found" is false past the last. */
enum sator_status sator_cursor_next(
        struct sator_ctx *ctx, struct sator_cursor *cursor, bool *found);
/* A cell of the row; its text lives until the next step. "count" asks for a count: text is read as
 * digits. */
struct sator_cell sator_cursor_cell(const struct sator_cursor *cursor, int column, bool count);
void sator_cursor_close(SATOR_TAKE struct sator_cursor *cursor);

/* The rows of "table" whose columns "keys" ("a = ? AND b = ?", as in SQL) have the values that
 * sator_cursor_seek gives (GIVE: sator_cursor_close). */
enum sator_status sator_store_lookup(struct sator_ctx *ctx, struct sator_store *store,
        const char *table, const char *columns, const char *keys, const char *order,
        SATOR_GIVE struct sator_cursor **cursor);
void sator_cursor_seek(struct sator_cursor *cursor, int n_keys, const int64_t *keys);

/* Add what the store at "path" has and "store" lacks, in one transaction: results, and for every
 * batch the account of whichever store got further. Both have the same description, as the caller
 * knows. */
enum sator_status sator_store_import(
        struct sator_ctx *ctx, struct sator_store *store, const char *path);

/* The SHA-256 of "text" in hexadecimal digits into "digest" (65 bytes). FIPS 180-4. */
void sator_sha256(const char *text, size_t length, char *digest);

#endif
