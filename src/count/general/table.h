/* Counting by listing: every instance of a small domain, its stamps and elements, in sorted arrays.
 *
 * For programs whose relations are too entangled for algebra although their domain is small. Exact
 * like the rest.
 */
#ifndef SATOR_COUNT_GENERAL_TABLE_H
#define SATOR_COUNT_GENERAL_TABLE_H

#include "count/general/stamps.h"

enum {
    SATOR_TABLE_TICKS = 64 /* units of work an instance takes, at least */
};

struct sator_table;

/* The points of the box around the domain, an upper bound of what is listed; -1 when that is too
 * much to list. */
enum sator_status sator_table_size_ub(struct sator_stamps *stamps, sator_int *size);

/* List the domain of "stamps", which must outlive the table (GIVE: sator_table_close). */
enum sator_status sator_table_open(
        struct sator_stamps *stamps, SATOR_GIVE struct sator_table **result);
void sator_table_close(SATOR_TAKE struct sator_table *table);

/* Questions of count.h. */
enum sator_status sator_table_stamps(struct sator_table *table, struct sator_stamp_counts *counts);
enum sator_status sator_table_max_per_stamp(
        struct sator_table *table, sator_int *most, int64_t *instance);
enum sator_status sator_table_tile(
        struct sator_table *table, const struct sator_relation *access, sator_int *words);
/* by_link and by_bus must not be NULL when there are links and buses. */
enum sator_status sator_table_volumes(struct sator_table *table,
        const struct sator_relation *access, const struct sator_transport *transport,
        struct sator_volumes *volumes);

#endif
