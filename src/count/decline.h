/* Why an engine does not answer (README.md): a clause for the user, and an object to ask for.
 *
 * What may meet an input outside its engine's class returns NULL where it goes on, or a reason,
 * which every caller hands on as it is. One that a caller acts upon has a name and is asked for by
 * it: why == &closed_image_empty.
 */
#ifndef SATOR_COUNT_DECLINE_H
#define SATOR_COUNT_DECLINE_H

struct sator_decline {
    const char *text; /* as in "the engine does not count this: %s" */
};

/* A reason that nobody asks for by name, where it is found; it lives as long as the program. */
#define DECLINE(clause)                                                                            \
    (__extension__({                                                                               \
        static const struct sator_decline decline_here = {clause};                                 \
        &decline_here;                                                                             \
    }))

#endif
