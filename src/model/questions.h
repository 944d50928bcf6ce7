/* Questions to the counting engines, and their answers as rows of numbers: so that what keeps
 * answers (families.h) need not know what they are about. */
#ifndef SATOR_MODEL_QUESTIONS_H
#define SATOR_MODEL_QUESTIONS_H

#include "count/count.h"

enum {
    QUESTION_NAME = 16, /* most words of a name */
    QUESTION_STAMP_COUNTS = 5 /* numbers of struct sator_stamp_counts */
};

enum question_kind {
    QUESTION_OUTSIDE, /* whether an instance lies outside the array */
    QUESTION_STAMPS, /* struct sator_stamp_counts */
    QUESTION_MOST, /* instances in a stamp */
    QUESTION_TILE,
    QUESTION_VOLUMES /* struct sator_volumes, links and buses after the rest */
};

struct question {
    enum question_kind kind;
    int n_time, n_space; /* the prefix of the stamps */
    const struct sator_relation *access;
    const struct sator_transport *transport;
    int64_t *instance; /* NULL, or of what is outside, or the most in a stamp */
    int n_numbers; /* of the answer */
    /* Questions of one name have one answer wherever the extents are the same; 0 words: not one
     * that is told from others. */
    int n_name;
    int64_t name[QUESTION_NAME];
};

/* The numbers of an answer to volumes over these wires. */
int question_volumes_length(int n_links, int n_buses);
/* Between the counts and their row; "volumes" has arrays of all its links and buses. */
void question_take_volumes(const struct sator_transport *transport, const sator_int *numbers,
        struct sator_volumes *volumes);
void question_take_stamps(const sator_int *numbers, struct sator_stamp_counts *counts);

/* Ask "counter", which is one of the question's prefix. "numbers" has room for the answer. */
enum sator_status question_put(
        const struct question *question, struct sator_counter *counter, sator_int *numbers);

#endif
