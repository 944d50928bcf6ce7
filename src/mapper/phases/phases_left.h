/* What is left of each loop in stamps with short last tiles. */
#ifndef SATOR_MAPPER_PHASES_LEFT_H
#define SATOR_MAPPER_PHASES_LEFT_H

#include "mapper/phases/phases_nest.h"

enum {
    MOST_STATES = 48, /* of a loop: what may be left of it */
    MOST_CUTS = 24, /* values of a digit that are told apart */
    MOST_SPLITS = 256
};

/* What PEs have of a loop: so many whole blocks of the digits inside, and the rest of one. */
struct blocks {
    int64_t whole, rest;
};

/* What is left of a loop where its digits so far have their values: in the first instance of each
 * memory, and of the compute units. */
struct state {
    struct blocks of[MAPPER_MEMORIES + 1];
};

/* The values of a digit that are alike, in order: from where, how many, and the states that they,
 * those before and those after them lead to. The first and the last one stand alone. */
struct split {
    int n;
    int64_t from[MOST_CUTS], count[MOST_CUTS];
    uint8_t now[MOST_CUTS], before[MOST_CUTS], next[MOST_CUTS];
};

/* Of a transfer along one loop: the row from which inward its states have not passed, whether it is
 * spread between the memories, along rows over which a word crosses once, or the others; and
 * whether what PEs have of it is no stretch. */
struct spreading {
    int first;
    bool shared, alone, gaps;
};

/* The loops of a mapping. */
struct left {
    struct nest nest; /* its digits and levels */
    const struct mapper_mapping *mapping;
    struct mapper_shape shape;
    struct spreading spread[MAPPER_TRANSFERS][MAPPER_LOOPS];
    int64_t block[MAPPER_ROWS + 1][MAPPER_LOOPS]; /* iterations of the rows from each inward */
    int row[MOST_DIGITS]; /* of each digit; the rows that its state has passed before it */
    int passed[MOST_DIGITS];
    int n_states[MAPPER_LOOPS]; /* the first is where nothing has been chosen */
    struct state state[MAPPER_LOOPS][MOST_STATES];
    int16_t split_of[MOST_DIGITS][MOST_STATES]; /* 1 + index; 0: not asked for yet */
    int n_splits;
    struct split split[MOST_SPLITS];
    bool is_full; /* some table is: what is said then is of no use */
};

/* Open a mapping, which must stay; false where it has too many digits. */
bool sator_mapper_left_open(struct left *left, const struct mapper_phases *phases,
        const struct mapper_mapping *mapping);
/* The values of a digit in state "id" of its loop, by what they and their neighbours leave; NULL
 * where a table is full. */
const struct split *sator_mapper_left_split(struct left *left, int digit, uint8_t id);
/* The iterations of a loop inside of transfer "t" that one instance of memory "m", or a group of
 * those inside it, has in state "id". */
struct blocks sator_mapper_left_at(const struct left *left, int t, int loop, uint8_t id, int m);

#endif
