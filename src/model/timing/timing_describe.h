/* Classes of stamps (timing_classes.c has the idea): what stamps are described by, and what is
 * known of equal ones. */
#ifndef SATOR_MODEL_TIMING_DESCRIBE_H
#define SATOR_MODEL_TIMING_DESCRIBE_H

#include "model/timing/timing_nest.h"

enum {
    CLASS_WINDOW = 2 * NEST_INTERVAL + 5
};

/* What is known of one class: of the stamps of a level, or of what a prefix of their digits has
 * inside. */
struct class
{
    int length;
    int64_t *description;
    uint64_t hash;
    struct timing_sum sum;
};

struct classes {
    struct timing *timing;
    struct nest nest;
    int reach; /* stamps on either side that a summand may depend on */
    int n;
    struct class *list;
    int n_buckets;
    int *bucket; /* index + 1 into the list; open addressing */
    int64_t pairs;
    int first_fixed[NEST_DIGITS]; /* of each loop: the first time digit that is of it */
    int n_starts;
    uint64_t *starts; /* of each output: loops that do not run over its elements */
    int length; /* of the description that is being written */
    int64_t *description;
    bool not_by_rows; /* skewed rows cannot be followed all at once */
    bool failed;
    enum sator_status st;
};

/* Stamps that follow each other. */
struct class_window {
    int n, centre;
    struct nest_stamp *stamps;
    int stepped[CLASS_WINDOW]; /* the digit that goes on between each and its neighbour next to the
                                 centre */
    struct nest_stamp room[CLASS_WINDOW];
};

/* What descriptions are made of, once "timing" and "nest" are set. */
void timing_prepare_classes(struct classes *classes);

/* Values of the skewed row that are far from both ends for every PE: [*low, *high). */
void timing_middle(
        const struct classes *classes, const struct nest_stamp *stamp, int64_t *low, int64_t *high);
/* The stamps around "stamp", itself in the middle of them. */
void timing_window_around(const struct classes *classes, int n_fixed, bool full, int reach,
        const struct nest_stamp *stamp, struct class_window *window);
/* Describe the prefix of "n_fixed" digits: "kind" tells apart what is said of equal ones. */
void timing_describe(
        struct classes *classes, int kind, int n_fixed, bool full, const struct nest_stamp *stamp);
/* The index of the class that was described, which is new when nothing is known of it: "*known". */
int timing_find_class(struct classes *classes, bool *known);

/* ---- timing_classes.c ---- */

/* What "transfer" moves in the stamps of which "pairs" says what they hold, pair by pair, within
 * the work limit; "listed": whether they could be listed. Sets classes->failed where it cannot be
 * said; the pairs are freed. */
void timing_follow_pairs(struct classes *classes, const struct timing_transfer *transfer,
        bool listed, struct timing_window *pairs, struct timing_movement *movement);

/* ---- timing_windows.c ---- */

/* What the windows of the skewed row under a prefix take, and the stamps in them; "around" has the
 * prefixes next to it. False: something has another form. */
bool timing_measure_windows(struct classes *classes, const struct class_window *around,
        const struct nest_pace *pace, struct timing_sum *sum);
/* How long the description of a window may be. */
int timing_windows_room(const struct nest *nest, int n_starts);

#endif
