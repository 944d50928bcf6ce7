/* Which nests of digits have stamps that fall into classes (timing_classes.c). */
#include "model/timing/timing_nest.h"

#include <stdlib.h>

bool nest_spreads(const struct nest *nest, const struct timing_transfer *transfer, int digit)
{
    return nest->digits[digit].extent > 1 &&
            !nest->accesses[transfer->access].uses[nest->digits[digit].loop] &&
            nest_is_along(nest, digit, transfer->fresh_space, transfer->n_space);
}

int64_t nest_start(
        const struct nest *nest, const struct timing_transfer *transfer, int digit, int64_t extent)
{
    const struct timing_transfer *outermost = nest->timing->transfers, *at = transfer;

    if (nest->digits[digit].skew >= 0 || !nest_is_full(nest, transfer->n_time))
        return 0;
    for (; at > outermost && at[-1].access == transfer->access; at--) {
        if (!nest_is_full(nest, at[-1].n_time) && nest_spreads(nest, &at[-1], digit))
            return 0;
    }
    return extent - 1;
}

bool nest_is_late(const struct nest *nest, const struct timing_transfer *transfer, int digit)
{
    return transfer->late_time > 0 && nest->digits[digit].extent > 1 &&
            !nest->accesses[transfer->access].uses[nest->digits[digit].loop] &&
            nest_is_along(nest, digit, transfer->late_space, transfer->fresh_space);
}

bool nest_goes_on(const struct nest *nest, const struct nest_access *access, int first, int end,
        const struct nest_stamp *stamp)
{
    for (int k = first; k < end; k++) {
        if (stamp->v[k] > 0 && !access->uses[nest->digits[nest->order[k]].loop])
            return true;
    }
    return false;
}

/* Whether the prefix of "n_fixed" digits has other elements than the one before. */
static bool has_new_elements(const struct nest *nest, const struct nest_access *access, int n_fixed,
        const struct nest_stamp *stamp)
{
    struct nest_stamp before = *stamp;

    if (nest_step(nest, n_fixed, false, -1, &before) < 0)
        return true;
    for (int k = 0; k < n_fixed; k++) {
        if (before.v[k] != stamp->v[k] && access->uses[nest->digits[nest->order[k]].loop])
            return true;
    }
    return false;
}

enum nest_starts nest_who_starts(const struct nest *nest, const struct timing_transfer *transfer,
        int n_fixed, const struct nest_stamp *stamp)
{
    const struct nest_access *access = &nest->accesses[transfer->access];
    int n_late = nest_fixed(nest, transfer->late_time);

    if (transfer->by_chain)
        return nest_goes_on(nest, access, nest_fixed(nest, transfer->tile_time), n_fixed, stamp)
                ? NEST_GOES_ON
                : NEST_UNKNOWN;
    if (!nest_goes_on(nest, access, 0, n_fixed, stamp))
        return NEST_ALL_START;
    if (transfer->late_time == 0 || n_fixed < n_late ||
            nest_goes_on(nest, access, n_late, n_fixed, stamp))
        return NEST_GOES_ON;
    return has_new_elements(nest, access, n_late, stamp) ? NEST_OTHERS_START : NEST_GOES_ON;
}

/* Whether the index has another value for all values of its loops: each steps further than those of
 * smaller steps reach together. */
static bool is_mixed_radix(const struct nest *nest, const struct sator_expr *index)
{
    bool is_told = true;

    for (int i = 0; i < index->n_terms; i++) {
        const int64_t step = llabs(index->terms[i].factor);
        int64_t below = 0;
        for (int k = 0; k < index->n_terms; k++) {
            const struct sator_term *other = &index->terms[k];
            if (k != i && llabs(other->factor) <= step)
                below += llabs(other->factor) * (nest->size[other->var] - 1);
        }
        is_told &= step > below;
    }
    return is_told;
}

bool nest_tells_loops(const struct nest *nest, int access)
{
    const struct sator_relation *map = nest->timing->analysis->workload->accesses[access].relation;
    uint64_t seen = 0;

    if (map->n_pieces != 1)
        return false;
    for (int d = 0; d < map->n_out; d++) {
        const struct sator_expr *index = map->pieces[0].out[d];
        for (int i = 0; i < index->n_terms; i++) {
            if ((seen >> index->terms[i].var & 1) != 0)
                return false;
            seen |= UINT64_C(1) << index->terms[i].var;
        }
        if (!is_mixed_radix(nest, index))
            return false;
    }
    return true;
}

/* Whether a loop that sums run over is outside of what the transfer's memory holds. */
static bool sums_outside(const struct nest *nest, const struct timing_transfer *transfer)
{
    for (int k = 0; k < nest_fixed(nest, transfer->n_time); k++) {
        const struct nest_digit *digit = &nest->digits[nest->order[k]];
        if (digit->extent > 1 && !nest->accesses[transfer->access].uses[digit->loop])
            return true;
    }
    return false;
}

/* Whether some of the transfer's instances may take an element up while others go on with it, as
 * not all values of the loop are there: where its digits begin anew, for one outside of them that
 * tells no elements apart goes on, and no digit of the elements begins anew with them. */
static bool may_come_in(const struct nest *nest, const struct timing_transfer *transfer, int loop)
{
    const struct nest_access *access = &nest->accesses[transfer->access];
    const int n_fixed = nest_fixed(nest, transfer->n_time);
    bool is_within = false, renews = false; /* digits further inside: of the loop, of elements */

    for (int k = n_fixed - 1; k >= 0; k--) {
        const struct nest_digit *digit = &nest->digits[nest->order[k]];
        if (digit->extent == 1)
            continue;
        if (digit->loop == loop)
            is_within = true;
        else if (!access->uses[digit->loop] && is_within && !renews)
            return true;
        renews |= access->uses[digit->loop] && nest->loops[digit->loop].is_whole;
    }
    return false;
}

/* Whether a tree adds up all that the instances of the transfer's memory have of an element: those
 * that hold the same lie on one tree. Each time that they take it up, all of them then start from
 * zero, but where loops of the sum are outside ("is_late"): there the first of them takes the old
 * sum up. */
static bool adds_up_all(
        const struct nest *nest, const struct timing_transfer *transfer, bool is_late)
{
    bool keeps[NEST_DIGITS];

    if (nest->is_skewed || transfer->transport.n_links > 0 || transfer->transport.n_buses != 1 ||
            !nest_read_bus(transfer, keeps))
        return false;
    if (is_late && (transfer->late_time > 0 || !transfer->transport.registers))
        return false;
    for (int l = 0; l < nest->n_loops && is_late; l++) {
        if (!nest->loops[l].is_whole && !nest->accesses[transfer->access].uses[l] &&
                may_come_in(nest, transfer, l))
            return false;
    }
    for (int i = 0; i < nest->n_digits; i++) {
        for (int d = transfer->fresh_space; d < transfer->n_space; d++) {
            int64_t factor = nest->space_factor[d * NEST_DIGITS + i];
            if (factor != 0 && nest_spreads(nest, transfer, i) &&
                    (keeps[d] || (is_late && factor < 0)))
                return false;
        }
    }
    return true;
}

/* Whether links of the same stamp serve the transfer. */
static bool has_wires(const struct timing_transfer *transfer)
{
    for (int k = 0; k < transfer->transport.n_links; k++) {
        if (transfer->transport.links[k].interval == 0)
            return true;
    }
    return false;
}

/* Whether instances that hold one sum may have it over wires from greater ones: the last of them
 * starts it then, whenever its own instances run. */
static bool starts_at_end(const struct nest *nest, const struct timing_transfer *transfer)
{
    for (int k = 0; k < transfer->transport.n_links; k++) {
        const struct sator_network_link *link = &transfer->transport.links[k];
        const struct sator_piece *piece = sator_relation_function(link->map);
        for (int d = 0; link->interval == 0 && d < transfer->n_space; d++) {
            if (piece != NULL && piece->out[d]->constant >= 0)
                continue;
            for (int i = 0; i < nest->n_digits; i++) {
                if (nest_spreads(nest, transfer, i) && nest->space_factor[d * NEST_DIGITS + i] != 0)
                    return true;
            }
        }
    }
    return false;
}

/* What of "transfer" trees outside of it add up; "outer" is the one outside. Where that is not the
 * same for all, what the outer one takes up from zero is to be followed. */
static void find_trees(const struct nest *nest, const struct timing_transfer *outer,
        struct timing_transfer *transfer)
{
    transfer->fresh_space = outer == NULL ? 0 : outer->fresh_space;
    transfer->late_time = outer == NULL ? 0 : outer->late_time;
    transfer->late_space = outer == NULL ? 0 : outer->late_space;
    transfer->by_chain = outer != NULL && (outer->by_chain || starts_at_end(nest, outer));
    if (outer == NULL || outer->transport.n_buses == 0 || transfer->by_chain)
        return;
    bool is_late = sums_outside(nest, outer);
    transfer->by_chain = !adds_up_all(nest, outer, is_late);
    transfer->fresh_space = transfer->by_chain ? 0 : outer->n_space;
    transfer->late_time = is_late && !transfer->by_chain ? outer->n_time : 0;
    transfer->late_space = transfer->by_chain ? 0 : outer->fresh_space;
}

/* Whether all PEs run as many instances in a stamp, as far as the loop is concerned: where it has
 * digits both inside the stamps and in the skewed row, all of their values are there. */
static bool runs_evenly(const struct nest *nest, int loop)
{
    const struct nest_loop *own = &nest->loops[loop];
    bool within = false, skewed = false;

    for (int i = 0; i < own->n; i++) {
        const struct nest_digit *digit = &nest->digits[own->digits[i]];
        if (digit->extent == 1)
            continue;
        skewed |= nest_row_factor(digit) != 0;
        within |= !digit->is_space && digit->order < 0 && digit->run == 0 && !digit->is_inner;
    }
    return !within || !skewed || own->is_whole;
}

/* Whether what the access touches moves as a whole from stamp to stamp: its pieces step alike with
 * every loop that time has digits of. Else the same word may serve two of them in one stamp, and
 * not in the next. */
static bool moves_together(const struct nest *nest, const struct nest_access *access)
{
    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        bool is_time = digit->order >= 0 || digit->run != 0 || digit->is_inner;
        for (int p = 1; p < access->n_pieces && is_time && digit->extent > 1; p++) {
            if (access->factor[p * nest->n_loops + digit->loop] != access->factor[digit->loop])
                return false;
        }
    }
    return true;
}

bool nest_is_counted(struct nest *nest, int *reach)
{
    const struct timing *timing = nest->timing;

    *reach = 1;
    for (int i = 0; i < timing->n_transfers; i++) {
        struct timing_transfer *transfer = &timing->transfers[i];
        bool is_output = timing->analysis->workload->accesses[transfer->access].role == SATOR_WRITE;
        bool is_first = i == 0 || transfer->access != timing->transfers[i - 1].access;
        if (!moves_together(nest, &nest->accesses[transfer->access]))
            return false;
        if (transfer->n_time > nest->full_length && transfer->asks)
            return false; /* operands that move inside a value of the skewed row */
        for (int k = 0; k < transfer->transport.n_links; k++) {
            int interval = transfer->transport.links[k].interval;
            *reach = interval > *reach ? interval : *reach;
            if (is_output && interval > 1 && transfer->tile_time > 0)
                return false; /* what the holder has decides what such a link brings */
        }
        if (is_output)
            find_trees(nest, is_first ? NULL : transfer - 1, transfer);
        /* sums start from zero where no stamp before touched them */
        if (is_output && transfer->asks && !nest_tells_loops(nest, transfer->access))
            return false;
        for (int k = 0; k < nest->n_digits; k++) {
            const struct nest_digit *digit = &nest->digits[k];
            if (transfer->asks && is_output && digit->skew < 0 && has_wires(transfer) &&
                    !nest->accesses[transfer->access].uses[digit->loop])
                return false;
        }
    }
    for (int l = 0; l < nest->n_loops; l++) {
        if (runs_evenly(nest, l))
            continue;
        if (nest->uneven >= 0)
            return false;
        nest->uneven = l;
    }
    nest->reach = *reach;
    return *reach <= NEST_INTERVAL && nest_windows_fit(nest);
}
