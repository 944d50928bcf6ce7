/* Pages that carry a checksum: what SQLite writes to a store goes through a file system layer that
 * ends every page with a digest of its number and content, and refuses a page that comes back
 * different. So a byte that a disk or a copy changed is noticed, wherever it lies.
 */
#ifndef SATOR_STORE_PAGES_H
#define SATOR_STORE_PAGES_H

#include <sqlite3.h>

enum {
    STORE_PAGE_BYTES = 4096,
    STORE_RESERVED_BYTES = 8, /* of every page: its digest (SQLITE_FCNTL_RESERVE_BYTES) */
    STORE_APPLICATION_ID = 0x5361746f /* "Sato" */
};

/* The layer's name for sqlite3_open_v2, which is registered on the first call; NULL when there is
 * no memory for it. A database of another program is read and written as it is. */
const char *store_pages_layer(void);
/* Read every page of "database", in which a read transaction is open: SQLITE_OK; SQLITE_IOERR_DATA
 * with "*page", the first (from 1) that is not what was written, 0: the file has another length
 * than it says; another code where reading fails. */
int store_pages_check(sqlite3 *database, long long n_pages, long long *page);

#endif
