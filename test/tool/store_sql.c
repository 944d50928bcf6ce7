/* store_sql FILE SQL: run statements on a database as the program itself would write it, which
 * another SQLite shell cannot: every page keeps a checksum. */
#include "store/pages.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    sqlite3 *database = NULL;
    char *why = NULL;

    if (argc != 3)
        return 2;
    int code = sqlite3_open_v2(argv[1], &database, SQLITE_OPEN_READWRITE, store_pages_layer());
    if (code == SQLITE_OK)
        code = sqlite3_exec(database, argv[2], NULL, NULL, &why);
    if (code != SQLITE_OK)
        fprintf(stderr, "%s: %s\n", argv[1], why == NULL ? sqlite3_errstr(code) : why);
    sqlite3_free(why);
    sqlite3_close(database);
    return code == SQLITE_OK ? 0 : 1;
}
