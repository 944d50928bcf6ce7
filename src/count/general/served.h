/* Sets of pairs ((p,t),f) that sources serve, as systems, and the parts of them that sources
 * before do not serve.
 */
#ifndef SATOR_COUNT_GENERAL_SERVED_H
#define SATOR_COUNT_GENERAL_SERVED_H

#include "count/general/points.h"

/* Disjoint systems whose leading variables say which pair it is, and determine the others; each
 * inside one piece of all pairs. All zero: none. */
struct sator_served {
    int n;
    struct sator_system **systems;
    int *home; /* that piece's number */
    sator_int *counts;
    sator_int count; /* their sum */
};

void sator_served_clear(struct sator_served *served);

/* Add "system" unless it is empty. */
enum sator_status sator_served_push(struct sator_points *points, struct sator_served *served,
        SATOR_TAKE struct sator_system *system, int home, int n_leading);

/* The pairs of "one" that are in none of "before". */
enum sator_status sator_served_added(struct sator_points *points, const struct sator_served *one,
        const struct sator_served *before, int n_before, int n_leading, sator_int *count);

#endif
