/* The layer between SQLite and the file system's own (sqlite.org/vfs.html). Only the main file of a
 * database has checksums: a journal has SQLite's.
 *
 * Invariants: whether a file is a store is known when it is opened, before anything is written to
 * it: an interrupted program's journal is rolled back through here too. A store's pages are all of
 * STORE_PAGE_BYTES, and SQLite reads and writes them whole.
 */
#include "store/pages.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    HEADER_BYTES = 100,
    HEADER_RESERVED = 20, /* where a header has the reserved bytes of a page */
    HEADER_APPLICATION = 68,
    CONTENT_BYTES = STORE_PAGE_BYTES - STORE_RESERVED_BYTES,
    PENDING_PAGE = 0x40000000 / STORE_PAGE_BYTES + 1 /* holds SQLite's locks and is never written */
};

/* Followed by the file of the layer below. */
struct paged_file {
    sqlite3_file base;
    bool is_store;
    unsigned char page[STORE_PAGE_BYTES]; /* on its way out */
};

static sqlite3_vfs *below(sqlite3_vfs *layer)
{
    return layer->pAppData;
}

static sqlite3_file *file_below(sqlite3_file *file)
{
    return (sqlite3_file *)(void *)((struct paged_file *)file + 1);
}

/* Every step is a bijection of the digest so far: two pages that differ in one word always differ
 * in their digests. (The multiplier is that of Knuth's MMIX generator.) */
static uint64_t digest_of(const unsigned char *page, uint64_t number)
{
    uint64_t digest = number;

    for (size_t at = 0; at < CONTENT_BYTES; at += sizeof digest) {
        uint64_t word;
        memcpy(&word, page + at, sizeof word);
        digest = (digest ^ word) * 6364136223846793005U;
        digest ^= digest >> 32;
    }
    return digest;
}

static bool is_page(sqlite3_file *file, int length, sqlite3_int64 offset)
{
    return ((struct paged_file *)file)->is_store && length == STORE_PAGE_BYTES &&
            offset % STORE_PAGE_BYTES == 0;
}

static uint64_t number_of(sqlite3_int64 offset)
{
    return (uint64_t)(offset / STORE_PAGE_BYTES) + 1;
}

/* Of a disk that fails SQLite would say that the database is malformed, which is as it was. */
static int read_below(sqlite3_file *below, void *page, int length, sqlite3_int64 offset)
{
    int code = below->pMethods->xRead(below, page, length, offset);

    return code == SQLITE_IOERR_CORRUPTFS ? SQLITE_IOERR_READ : code;
}

static int page_read(sqlite3_file *file, void *page, int length, sqlite3_int64 offset)
{
    int code = read_below(file_below(file), page, length, offset);
    uint64_t digest;

    if (code != SQLITE_OK || !is_page(file, length, offset))
        return code;
    memcpy(&digest, (unsigned char *)page + CONTENT_BYTES, sizeof digest);
    return digest == digest_of(page, number_of(offset)) ? SQLITE_OK : SQLITE_IOERR_DATA;
}

static int page_write(sqlite3_file *file, const void *page, int length, sqlite3_int64 offset)
{
    struct paged_file *paged = (struct paged_file *)file;

    if (is_page(file, length, offset)) {
        uint64_t digest = digest_of(page, number_of(offset));
        memcpy(paged->page, page, CONTENT_BYTES);
        memcpy(paged->page + CONTENT_BYTES, &digest, sizeof digest);
        page = paged->page;
    }
    return file_below(file)->pMethods->xWrite(file_below(file), page, length, offset);
}

/* ---- handed on ---- */

static int page_close(sqlite3_file *file)
{
    int code = file_below(file)->pMethods->xClose(file_below(file));

    file->pMethods = NULL;
    return code;
}

static int page_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return file_below(file)->pMethods->xTruncate(file_below(file), size);
}

static int page_sync(sqlite3_file *file, int flags)
{
    return file_below(file)->pMethods->xSync(file_below(file), flags);
}

static int page_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return file_below(file)->pMethods->xFileSize(file_below(file), size);
}

static int page_lock(sqlite3_file *file, int level)
{
    return file_below(file)->pMethods->xLock(file_below(file), level);
}

static int page_unlock(sqlite3_file *file, int level)
{
    return file_below(file)->pMethods->xUnlock(file_below(file), level);
}

static int page_check_lock(sqlite3_file *file, int *result)
{
    return file_below(file)->pMethods->xCheckReservedLock(file_below(file), result);
}

static int page_control(sqlite3_file *file, int operation, void *argument)
{
    return file_below(file)->pMethods->xFileControl(file_below(file), operation, argument);
}

static int page_sector(sqlite3_file *file)
{
    return file_below(file)->pMethods->xSectorSize(file_below(file));
}

/* A file system that writes pages atomically, or appends safely, does so with the checksum too. */
static int page_device(sqlite3_file *file)
{
    return file_below(file)->pMethods->xDeviceCharacteristics(file_below(file));
}

static const sqlite3_io_methods methods = {.iVersion = 1, /* no write-ahead log, no memory map */
        .xClose = page_close,
        .xRead = page_read,
        .xWrite = page_write,
        .xTruncate = page_truncate,
        .xSync = page_sync,
        .xFileSize = page_size,
        .xLock = page_lock,
        .xUnlock = page_unlock,
        .xCheckReservedLock = page_check_lock,
        .xFileControl = page_control,
        .xSectorSize = page_sector,
        .xDeviceCharacteristics = page_device};

/* ---- opening ---- */

/* A file that is still empty becomes a store; another says in its header whether it is one. */
static int look(sqlite3_file *file, bool *is_store)
{
    static const unsigned char application[] = {'S', 'a', 't', 'o'};
    unsigned char header[HEADER_BYTES];
    sqlite3_int64 size = 0;
    int code = file->pMethods->xFileSize(file, &size);

    *is_store = size == 0;
    if (code != SQLITE_OK || size < HEADER_BYTES)
        return code;
    code = read_below(file, header, HEADER_BYTES, 0);
    *is_store = code == SQLITE_OK && header[HEADER_RESERVED] == STORE_RESERVED_BYTES &&
            memcmp(header + HEADER_APPLICATION, application, sizeof application) == 0;
    return code;
}

static int layer_open(
        sqlite3_vfs *layer, const char *path, sqlite3_file *file, int flags, int *out_flags)
{
    struct paged_file *paged = (struct paged_file *)file;

    if ((flags & SQLITE_OPEN_MAIN_DB) == 0)
        return below(layer)->xOpen(below(layer), path, file, flags, out_flags);
    file->pMethods = NULL;
    int code = below(layer)->xOpen(below(layer), path, file_below(file), flags, out_flags);
    if (code != SQLITE_OK)
        return code;
    code = look(file_below(file), &paged->is_store);
    if (code != SQLITE_OK)
        file_below(file)->pMethods->xClose(file_below(file));
    else
        file->pMethods = &methods;
    return code;
}

static sqlite3_vfs page_layer;

static void make_layer(void)
{
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);

    if (system == NULL)
        return;
    page_layer = *system; /* what is not about opening takes no file: the system's own functions */
    page_layer.pNext = NULL;
    page_layer.zName = "sator-pages";
    page_layer.szOsFile = (int)sizeof(struct paged_file) + system->szOsFile;
    page_layer.pAppData = system;
    page_layer.xOpen = layer_open;
    if (sqlite3_vfs_register(&page_layer, 0) != SQLITE_OK)
        page_layer.zName = NULL;
}

const char *store_pages_layer(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_layer);
    return page_layer.zName;
}

int store_pages_check(sqlite3 *database, long long n_pages, long long *page)
{
    unsigned char content[STORE_PAGE_BYTES];
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);

    *page = 0;
    if (code == SQLITE_OK)
        code = file->pMethods->xFileSize(file, &size);
    if (code == SQLITE_OK && size != n_pages * STORE_PAGE_BYTES)
        return SQLITE_IOERR_DATA;
    for (*page = 1; *page <= n_pages && code == SQLITE_OK; ++*page) {
        if (*page != PENDING_PAGE)
            code = file->pMethods->xRead(
                    file, content, STORE_PAGE_BYTES, (*page - 1) * STORE_PAGE_BYTES);
    }
    *page -= 1;
    return code;
}
