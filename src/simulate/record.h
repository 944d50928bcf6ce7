/* What a run leaves behind to be looked at: a trace of tracks for viewers of the Chrome format, and
 * a record of every stamp with the words that moved before it (doc/simulate.md). */
#ifndef SATOR_SIMULATE_RECORD_H
#define SATOR_SIMULATE_RECORD_H

#include "base/text.h"
#include "simulate/machine.h"
#include "simulate/phases.h"

/* How a word came or went. */
enum move {
    MOVE_FILL, /* from the holder outside */
    MOVE_BUS, /* together with another's, over a bus; of a sum: its part starts from zero */
    MOVE_LINK,
    MOVE_STORE /* to the holder outside */
};

struct record {
    const struct simulate_question *question;
    const struct machine *machine;
    const struct phases *phases;
    bool traces, lists; /* what is asked for */
    int64_t first, last; /* cycles; last: INT64_MAX where nobody said */
    bool any_trace;
    int64_t pes_in_track; /* 1: a track a PE; else those of a row together */
    struct sator_text trace, events, moves;
    int64_t left; /* cycle in which the stamp before was over */
};

void record_begin(struct record *record, const struct simulate_question *question,
        const struct machine *machine, struct phases *phases);
void record_end(struct record *record);

/* Whether moves at the cycle at hand are asked for. */
static inline bool record_moves(const struct record *record)
{
    return record->lists && record->phases->clock <= record->last;
}

/* A word of "element" moved at the holder, from or to "other": an instance of the holder outside,
 * of the holder itself for a bus or a link, which is called "wire". */
void record_move(struct record *record, const struct holder *holder, enum move move,
        int64_t instance, int64_t other, uint64_t element, const char *wire);
/* The stamp ran from "began" until the clock's cycle on "n_active" PEs. */
void record_stamp(struct record *record, const int64_t *stamp, int64_t began, int64_t n_active,
        const int64_t *active);

#endif
