/* The state of a run, passed along its steps. Private to this folder. */
#ifndef SATOR_SIMULATE_RUN_H
#define SATOR_SIMULATE_RUN_H

#include "simulate/machine.h"
#include "simulate/phases.h"
#include "simulate/record.h"

enum {
    MOST_KEPT = 16 /* differences that are reported one by one */
};

struct run {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct simulate_question *question;
    struct machine machine;
    struct phases phases;
    struct record record;
    struct walk *walk; /* of all instances */
    struct simulate_outcome *outcome;
    struct sator_simulation_difference *kept;
    int64_t instances, stamps;
    int changed; /* the first row of the time-stamp that changes at the boundary at hand */
    bool at_end; /* it is the last */
    int64_t part_room;
    uint64_t *products; /* of the instances of a part */
    int64_t *per_pe, *per_pe_stamp; /* instances of each PE in the stamp */
    int64_t most_per_pe;
    int64_t *active, n_active; /* PEs that run something in the stamp */
    struct later {
        const struct access_way *way;
        uint64_t element, product;
    } * later; /* what tensors in place become when the stamp is over */
    int64_t n_later, later_room;
    bool has_room; /* false: memory has run out */
};

/* ---- moves.c ---- */
/* What the instances of "holder" need in the stamp that comes. */
enum sator_status moves_gather(struct run *run, struct holder *holder);
/* The new stamp begins: what is still there stays, what links bring comes, what nobody needs any
 * more leaves for the holder outside. "at_end": nothing is needed any more. */
void moves_pass_on(struct run *run, struct holder *holder, bool at_end);
/* What is needed and not there comes from the holder outside, over buses, and over wires. */
void moves_arrive(struct run *run, struct holder *holder);
/* Before the holder outside lets go of elements: sums of them that are on their way over links go
 * out. */
void moves_recall(struct run *run, struct holder *holder);

/* ---- compute.c ---- */
/* Run the stamp at hand. */
void compute_stamp(struct run *run);

/* ---- nest.c ---- */
/* The loop nest in order: what the outputs must be, compared with what they are. */
enum sator_status nest_compare(struct run *run);

/* ---- run.c ---- */
/* Note a difference. "holder" or NULL, "instance" of it or -1; "pe" -1: none. */
__attribute__((format(printf, 5, 6))) void run_differ(struct run *run, const struct holder *holder,
        int64_t instance, const char *port, const char *format, ...);
/* "Y[3, 4]" in the arena. */
const char *run_element(struct run *run, int access, uint64_t element);

#endif
