/* Sets less what is taken from them, as disjoint systems. */
#ifndef SATOR_COUNT_GENERAL_LEFT_H
#define SATOR_COUNT_GENERAL_LEFT_H

#include "count/general/served.h"
#include "count/general/stamps.h"

/* The pieces less what "taken", over the same leading variables, has of them: disjoint systems of
 * which none is empty (GIVE: sator_pieces_clear). SATOR_DECLINED when a variable that the leading
 * ones determine is not one division of others. */
enum sator_status sator_left_find(struct sator_points *points, const struct sator_pieces *pieces,
        int n_taken, const struct sator_served *taken, int n_leading, struct sator_pieces *left);

#endif
