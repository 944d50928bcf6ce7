/* Skewed arrays (doc/mapper.md, "Skew").
 *
 * The PEs of an array run a row of time later by s.p, p their coordinates. So what the link (o, h)
 * brings PE p at its own time n is what PE p - o had at its own time n - g, g = h - s.o: the
 * mapping problem is that of PEs which are not skewed, over links of interval g. What differs is
 * at the ends of the row, which joins the loops of the memory outside the array: each step of the
 * loops further out is a run of its own, which takes its length and the skew of the PEs in use, and
 * in which no PE holds anything from the run before.
 */
#include "mapper/problem/skew.h"

#include "base/text.h"
#include "count/count.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEP = 3, /* of a coefficient: the space has no greater ones */
    MOST_SKEWS = 64
};

/* ---- a mapping under a skew ---- */

unsigned sator_mapper_skewed_rows(const struct mapper_skew *skew)
{
    unsigned rows = 0;

    for (int r = 0; skew != NULL && r < MAPPER_ROWS; r++)
        rows |= skew->step[r] != 0 ? 1U << r : 0;
    return rows;
}

int64_t sator_mapper_skew_along(const struct mapper_skew *skew, const int64_t *shift)
{
    int64_t sum = 0;

    for (int r = 0; skew != NULL && r < MAPPER_ROWS; r++)
        sum += skew->step[r] * shift[r];
    return sum;
}

bool sator_mapper_counts_skew(const struct mapper_problem *p)
{
    return p->skew != NULL && p->skew->counted;
}

bool sator_mapper_ends_short(const struct mapper_problem *p)
{
    return p->skew != NULL && p->skew->ends_short;
}

static int64_t span_under(const struct mapper_skew *skew, const struct mapper_problem *p,
        const struct mapper_mapping *mapping, int m)
{
    int64_t span = 0;

    for (int r = p->memory[m].row + 1; r < p->n_rows && p->row[r].is_space; r++)
        span += llabs(skew->step[r]) * (mapper_steps_at(p, mapping, r) - 1);
    return span;
}

int64_t sator_mapper_span(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int m)
{
    int64_t least = INT64_MAX;

    if (p->skew == NULL)
        return 0;
    if (p->skew->n_any == 0)
        return span_under(p->skew, p, mapping, m);
    for (int k = 0; k < p->skew->n_any; k++) {
        int64_t span = span_under(p->skew->any[k], p, mapping, m);
        least = span < least ? span : least;
    }
    return least;
}

int sator_mapper_joined_from(const struct mapper_problem *p, int m)
{
    bool is_skewed = false;

    for (int r = p->memory[m].row + 1; r < p->n_rows && p->row[r].is_space; r++)
        is_skewed |= p->skew != NULL && p->skew->step[r] != 0;
    return is_skewed && p->skew->across ? 0 : m;
}

int sator_mapper_row_memory(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int m)
{
    for (int k = m; k < p->n_memories; k++) {
        if (sator_mapper_span(p, mapping, k) > 0 && sator_mapper_joined_from(p, k) <= m)
            return k;
    }
    return -1;
}

bool sator_mapper_has_gaps(const struct mapper_problem *p, const struct mapper_mapping *mapping)
{
    for (int m = 0; m < p->n_memories && p->skew != NULL; m++) {
        int64_t filled = 1; /* consecutive values */
        for (int k = sator_mapper_joined_from(p, m); k <= m; k++)
            filled *= mapper_steps_at(p, mapping, p->memory[k].row);
        unsigned left = 0;
        for (int r = p->memory[m].row + 1; r < p->n_rows && p->row[r].is_space; r++)
            left |= mapper_steps_at(p, mapping, r) > 1 && p->skew->step[r] != 0 ? 1U << r : 0;
        while (left != 0) { /* the smallest steps first */
            int least = __builtin_ctz(left);
            for (unsigned rows = left; rows != 0; rows &= rows - 1) {
                int r = __builtin_ctz(rows);
                least = llabs(p->skew->step[r]) < llabs(p->skew->step[least]) ? r : least;
            }
            int64_t step = llabs(p->skew->step[least]);
            if (step > filled)
                return true;
            filled += step * (mapper_steps_at(p, mapping, least) - 1);
            left &= ~(1U << least);
        }
    }
    return false;
}

/* The steps that the memories outside "first" take, at least. */
static int64_t steps_outside(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int first)
{
    int64_t steps = 1;

    for (int i = 0; i < p->n_loops; i++) {
        int64_t inside = 1;
        for (int r = 0; r < p->n_rows; r++) {
            if (p->row[r].is_space || p->row[r].memory >= first)
                inside *= mapping->factor[r][i];
        }
        steps *= sator_mapper_blocks(p->extent[i], inside);
    }
    return steps;
}

static int64_t count_stamps(const struct mapper_problem *p, const struct mapper_mapping *mapping,
        int first, bool by_order)
{
    int64_t known = 1, spans = 0;

    for (int m = p->n_memories - 1; m >= 0; m--) {
        int64_t span = sator_mapper_span(p, mapping, m);
        bool goes_on = span > 0 && sator_mapper_joined_from(p, m) < m;
        if (span > 0 && p->imperfect)
            span -= sator_mapper_ends_early(p, mapping, m, by_order);
        if (m < first || goes_on)
            spans += span;
        if (goes_on) { /* all loops further out are in this row */
            first = m + 1 > first ? m + 1 : first;
            break;
        }
        if (m < first)
            continue;
        known *= mapper_steps_at(p, mapping, p->memory[m].row) + span;
    }
    return known * (steps_outside(p, mapping, first) + spans);
}

int64_t sator_mapper_skewed_stamps(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int first)
{
    return count_stamps(p, mapping, first, false);
}

int64_t sator_mapper_ordered_stamps(
        const struct mapper_problem *p, const struct mapper_mapping *mapping)
{
    return count_stamps(p, mapping, 0, true);
}

/* The memory outside whose loops end the runs of what row "child_row" holds. */
static int last_run(const struct mapper_problem *p, const struct mapper_shape *shape, int child_row)
{
    int cold = 0, memory = 0;

    for (int k = 0, r = 0; k < shape->n_digits && shape->digit[k].row < child_row; k++) {
        for (; r < shape->digit[k].row; r++)
            memory = p->row[r].is_space ? memory : r;
        if (p->skew->step[shape->digit[k].row] != 0)
            cold = p->skew->across ? 0 : memory;
    }
    return cold;
}

int sator_mapper_cold_row(const struct mapper_problem *p, const struct mapper_shape *shape,
        const struct mapper_transfer *transfer)
{
    int row = transfer->child_row, m = transfer->child;

    if (p->skew == NULL)
        return 0;
    while (m < p->n_memories && p->memory[m].holds_idle) {
        if (p->access[transfer->access].role != SATOR_WRITE)
            return 0;
        do
            m--;
        while (m >= 0 && !(p->memory[m].holds >> transfer->access & 1));
        if (m < 0)
            return 0;
        row = p->memory[m].row;
    }
    return last_run(p, shape, row);
}

/* ---- which skews there are ---- */

static bool serves(const struct mapper_problem *p, const struct sator_link *link)
{
    bool any = false;

    for (int a = 0; a < p->n_accesses; a++)
        any |= sator_serves(link->n_tensors, link->tensors, p->access[a].name);
    return any;
}

/* Whether "bus" spreads words of some tensor that is read, or merges some that is written. */
static bool has_effect(const struct mapper_problem *p, const struct sator_bus *bus)
{
    bool any = false;

    for (int a = 0; a < p->n_accesses; a++) {
        any |= sator_serves(bus->n_tensors, bus->tensors, p->access[a].name) &&
                bus->is_reduction == (p->access[a].role == SATOR_WRITE);
    }
    return any;
}

/* The rows of the array at "level" that may be skewed where words are counted: none where a link
 * leads elsewhere from different PEs. */
static unsigned countable_rows(const struct mapper_problem *p, int level)
{
    const struct sator_array *array = &p->arch->levels[level].array;
    int64_t shift[MAPPER_ROWS];

    for (int i = 0; i < array->n_links; i++) {
        const struct sator_link *link = &array->links[i];
        if (serves(p, link) && !sator_mapper_link_shift(p, level, link, shift))
            return 0;
    }
    return sator_mapper_array_rows(p, level);
}

/* Of these, those with formulas: not those along which a bus shares words, which PEs of one bus
 * then want at different times. */
static unsigned skewable_rows(const struct mapper_problem *p, int level)
{
    const struct sator_array *array = &p->arch->levels[level].array;
    unsigned rows = countable_rows(p, level), shared;

    for (int i = 0; i < array->n_buses; i++) {
        const struct sator_bus *bus = &array->buses[i];
        if (!has_effect(p, bus))
            continue;
        if (!sator_mapper_bus_rows(p, level, bus, &shared))
            return 0;
        rows &= ~shared;
    }
    return rows;
}

/* Whether each row that is skewed has a link along it which the skew makes a wire, or one from the
 * stamp before: else it is of no use. */
static bool is_useful(const struct mapper_problem *p, const struct mapper_skew *skew)
{
    unsigned useful = 0;

    for (int level = 0; level < p->arch->n_levels; level++) {
        const struct sator_array *array = &p->arch->levels[level].array;
        if (p->arch->levels[level].kind != SATOR_LEVEL_ARRAY)
            continue;
        for (int i = 0; i < array->n_links; i++) {
            const struct sator_link *link = &array->links[i];
            int64_t shift[MAPPER_ROWS];
            if (!serves(p, link) || !sator_mapper_link_shift(p, level, link, shift))
                continue;
            int64_t interval = link->interval - sator_mapper_skew_along(skew, shift);
            for (int r = 0; r < p->n_rows && (interval == 0 || interval == 1); r++)
                useful |= shift[r] != 0 ? 1U << r : 0;
        }
    }
    return (sator_mapper_skewed_rows(skew) & ~useful) == 0;
}

/* The longest interval of a link of the array at "level". */
static int64_t longest_interval(const struct mapper_problem *p, int level)
{
    const struct sator_array *array = &p->arch->levels[level].array;
    int64_t longest = 0;

    for (int i = 0; i < array->n_links; i++) {
        if (serves(p, &array->links[i]) && array->links[i].interval > longest)
            longest = array->links[i].interval;
    }
    return longest;
}

/* The greatest coefficient of the row, either way; "counted": where words may be counted. */
static int64_t most_step(const struct mapper_problem *p, int row, bool counted)
{
    const struct mapper_row *r = &p->row[row];

    if (!r->is_space || r->shape == 1 ||
            !((counted ? countable_rows : skewable_rows)(p, r->level) >> row & 1))
        return 0;
    int64_t longest = longest_interval(p, r->level);
    return longest < MOST_STEP ? longest : MOST_STEP;
}

/* The first row that a constraint wants to be skewed; -1: none. */
static int wanted_row(const struct mapper_problem *p)
{
    for (int r = 0; r < p->n_rows; r++) {
        if (p->row[r].has_skew && p->row[r].skew != 0)
            return r;
    }
    return -1;
}

static void leave_out(const struct mapper_problem *p, struct mapper_skews *skews, const char *what)
{
    if (!sator_lists(what, skews->n_left_out, skews->left_out))
        SATOR_PUSH(p->arena, skews->left_out, skews->n_left_out, what);
}

/* The same of what is in a space whose words are counted, unless that is left out, too. */
static void leave_uncounted(
        const struct mapper_problem *p, struct mapper_skews *skews, const char *what)
{
    if (!sator_lists(what, skews->n_counted, skews->counted))
        SATOR_PUSH(p->arena, skews->counted, skews->n_counted, what);
}

/* Whether some row is skewed along which words have no formula for that. */
static bool is_counted(const struct mapper_problem *p, const struct mapper_skew *skew)
{
    bool any = false;

    for (int r = 0; r < p->n_rows; r++)
        any |= skew->step[r] != 0 && !(skewable_rows(p, p->row[r].level) >> r & 1);
    return any;
}

/* Those whose coefficients before row "row" are those of "skew", which is "counted" or not. */
static void list_from(const struct mapper_problem *p, struct mapper_skew *skew, int row,
        struct mapper_skews *skews)
{
    if (row == p->n_rows) {
        if (sator_mapper_skewed_rows(skew) == 0 || is_counted(p, skew) != skew->counted ||
                (wanted_row(p) < 0 && !is_useful(p, skew)))
            return;
        if (skews->n <= MOST_SKEWS)
            SATOR_PUSH(p->arena, skews->skew, skews->n, *skew);
        else
            leave_out(p, skews, "skews beyond the first 64 combinations of coefficients");
        return;
    }
    if (p->row[row].has_skew) {
        skew->step[row] = p->row[row].skew;
        list_from(p, skew, row + 1, skews);
        skew->step[row] = 0;
        return;
    }
    list_from(p, skew, row + 1, skews);
    for (int64_t step = 1; step <= most_step(p, row, skew->counted); step++) {
        for (int sign = 1; sign >= -1; sign -= 2) {
            skew->step[row] = sign * step;
            list_from(p, skew, row + 1, skews);
        }
    }
    skew->step[row] = 0;
}

/* Whether the words of some access have no formula, whatever the links. */
static bool has_no_formula(const struct mapper_problem *p)
{
    bool any = p->in_hull;

    for (int a = 0; a < p->n_accesses; a++)
        any |= p->access[a].is_counted || p->access[a].is_quotient;
    return any;
}

/* Why no array may be skewed; NULL: some may. */
static const char *why_none(const struct mapper_problem *p)
{
    return has_no_formula(p)   ? "some words have no formula"
            : p->order != NULL ? "instances must keep an order"
                               : NULL;
}

static enum sator_status check_wanted(
        struct sator_ctx *ctx, const struct mapper_problem *p, const char *why)
{
    int row = wanted_row(p);

    if (row < 0)
        return SATOR_OK;
    const char *array = p->arch->levels[p->row[row].level].name;
    if (why != NULL)
        return sator_error(ctx, p->row[row].skew_loc,
                "a constraint asks for a skew of '%s', but %s", array, why);
    for (int r = 0; r < p->n_rows; r++) {
        if (p->row[r].has_skew && p->row[r].skew != 0 &&
                !(skewable_rows(p, p->row[r].level) >> r & 1))
            return sator_error(ctx, p->row[r].skew_loc,
                    "a constraint asks for a skew of '%s' along dimension %d, but PEs share words "
                    "there on a bus, or its links lead to different distances",
                    p->arch->levels[p->row[r].level].name, p->row[r].dim);
    }
    return SATOR_OK;
}

/* Whether a coefficient beyond the longest interval of the array at "level" may be of use: along a
 * diagonal two of them undo each other, and against a wire where all are wires -1 makes a link from
 * the stamp before. Elsewhere one is at most the interval of the link that it makes useful. */
static bool may_exceed(const struct mapper_problem *p, int level)
{
    const struct sator_array *array = &p->arch->levels[level].array;
    bool any = false;

    for (int i = 0; i < array->n_links; i++) {
        const struct sator_link *link = &array->links[i];
        int64_t shift[MAPPER_ROWS];
        int n_rows = 0;
        if (!serves(p, link) || !sator_mapper_link_shift(p, level, link, shift))
            continue;
        for (int r = 0; r < p->n_rows; r++)
            n_rows += shift[r] != 0 && p->row[r].shape > 1;
        any |= n_rows > 1 || longest_interval(p, level) == 0;
    }
    return any;
}

/* Say what no skew of the list is about. */
static void say_left_out(
        const struct mapper_problem *p, const char *why, struct mapper_skews *skews)
{
    if (skews->n == 1) {
        for (int r = 0; r < p->n_rows; r++) {
            if (!p->row[r].is_space || p->row[r].shape == 1)
                continue;
            leave_out(p, skews,
                    why == NULL || longest_interval(p, p->row[r].level) == 0
                            ? "PEs that run the nest at shifted times (skewed)"
                            : sator_arena_printf(p->arena,
                                      "PEs that run the nest at shifted times (skewed): %s", why));
        }
        return;
    }
    leave_out(p, skews, "skews that make no link a wire or one from the stamp before");
    for (int k = 1; k < skews->n; k++) {
        for (int r = 0; r < p->n_rows; r++) {
            if (llabs(skews->skew[k].step[r]) > 1)
                leave_out(p, skews, "skews by more stamps than the loops outside the array have");
        }
    }
    for (int r = 0; r < p->n_rows; r++) {
        if (!p->row[r].is_space || p->row[r].shape == 1 || p->row[r].has_skew)
            continue;
        int64_t longest = longest_interval(p, p->row[r].level);
        if (longest > MOST_STEP)
            leave_out(p, skews, "skews by more than 3 stamps from one PE to the next");
        if (may_exceed(p, p->row[r].level))
            leave_out(p, skews,
                    "skews by more stamps from one PE to the next than any link of the array "
                    "takes");
        if (longest > 0 && most_step(p, r, false) == 0)
            (most_step(p, r, true) > 0 ? leave_uncounted : leave_out)(p, skews,
                    "skews along dimensions whose PEs share words on a bus or a tree, or whose "
                    "links lead to different distances");
    }
}

/* None, and those that are searched. */
static void list_skews(const struct mapper_problem *p, const char *why, struct mapper_skews *skews)
{
    struct mapper_skew none = {.step = {0}}, counted = {.counted = true};

    SATOR_PUSH(p->arena, skews->skew, skews->n, none);
    for (int i = 0; i < 2 && why == NULL; i++)
        list_from(p, i == 0 ? &none : &counted, 0, skews);
}

bool sator_mapper_lists_skew(
        const struct mapper_problem *problem, const struct mapper_skew *skew, unsigned used)
{
    struct mapper_skews skews = {0};
    bool any = false;

    list_skews(problem, why_none(problem), &skews);
    for (int k = 0; k < skews.n && !any; k++) {
        any = true;
        for (int r = 0; r < problem->n_rows; r++)
            any &= !(used >> r & 1) || skews.skew[k].step[r] == skew->step[r];
    }
    return any;
}

enum sator_status sator_mapper_find_skews(struct sator_ctx *ctx,
        const struct mapper_problem *problem, const char *none_for, struct mapper_skews *skews)
{
    const char *why = none_for != NULL ? none_for : why_none(problem);
    enum sator_status st;

    *skews = (struct mapper_skews){0};
    SATOR_TRY(check_wanted(ctx, problem, why));
    list_skews(problem, why, skews);
    say_left_out(problem, why, skews);
done:
    return st;
}

bool sator_mapper_wants_skew(const struct mapper_problem *p)
{
    return wanted_row(p) >= 0;
}

static bool is_closed(const struct mapper_row *row)
{
    return row->banned == ~0U;
}

void sator_mapper_close_wanted(struct mapper_problem *p)
{
    assert(p->skew == NULL);
    for (int r = 0; r < p->n_rows; r++) {
        if (p->row[r].has_skew && p->row[r].skew != 0)
            p->row[r].banned = ~0U;
    }
}

bool sator_mapper_has_skew(const struct mapper_problem *p)
{
    for (int r = 0; r < p->n_rows; r++) {
        int64_t step = p->skew == NULL ? 0 : p->skew->step[r];
        if (p->row[r].has_skew && p->row[r].skew != step && !is_closed(&p->row[r]))
            return false;
    }
    return true;
}

/* ---- the problem under a skew ---- */

unsigned sator_mapper_passed_rows(
        const struct mapper_problem *p, const struct mapper_transfer *transfer)
{
    unsigned rows = 0;
    bool skewed = false;

    for (int r = 0; r < transfer->child_row && p->skew != NULL; r++) {
        if (p->row[r].is_space)
            skewed |= (transfer->between >> r & 1) && p->skew->step[r] != 0;
        else
            rows |= skewed ? 1U << r : 0;
    }
    return rows;
}

static unsigned passed_by(const struct mapper_problem *p)
{
    unsigned rows = 0;

    for (int t = 0; t < p->n_transfers; t++)
        rows |= sator_mapper_passed_rows(p, &p->transfer[t]);
    return rows;
}

/* Whether the transfer has links that lead to PEs of "rows" which run at another time. */
static bool has_links_along(
        const struct mapper_problem *p, const struct mapper_transfer *transfer, unsigned rows)
{
    bool any = transfer->has_late;

    for (int k = 0; k < transfer->n_passes; k++) {
        int64_t shift[MAPPER_ROWS] = {0};
        for (int r = 0; r < p->n_rows; r++)
            shift[r] = rows >> r & 1 ? transfer->passes[k].shift[r] : 0;
        any |= sator_mapper_skew_along(p->skew, shift) != 0;
    }
    return any;
}

/* The skewed rows that a transfer passes over whose links along an array further out are skewed,
 * too, past a memory between them: a run of the inner row stands between two steps of the outer
 * one, so that what such a link brings is not of the stamp that its interval says. */
static unsigned skewed_inside(const struct mapper_problem *p)
{
    unsigned inner = 0;

    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_transfer *transfer = &p->transfer[t];
        unsigned here = 0, outside = 0; /* of the arrays since the last memory, and before it */
        for (int r = 0; r < transfer->child_row; r++) {
            if (!p->row[r].is_space) {
                outside |= here;
                here = 0;
            } else if ((transfer->between >> r & 1) && p->skew->step[r] != 0) {
                here |= 1U << r;
                inner |= outside != 0 && has_links_along(p, transfer, outside) ? 1U << r : 0;
            }
        }
    }
    return inner;
}

/* Whether some port counts instances that keep sums while they are idle, inside a memory that does
 * not and lies in a skewed array: the sums have to leave with those of that memory, of which the
 * model, looking at an instance by itself, does not know (doc/model.md, section 3). */
static bool keeps_sums_inside(const struct mapper_problem *p, int access)
{
    bool is_skewed = false, is_forgetful = false, any = false;
    int64_t instances = 0; /* of the forgetful one */

    for (int r = 0; r < p->n_rows && p->access[access].role == SATOR_WRITE; r++) {
        const struct mapper_memory *memory = &p->memory[p->row[r].memory];
        if (p->row[r].is_space) {
            is_skewed |= p->skew->step[r] != 0;
        } else if (memory->holds >> access & 1) {
            any |= memory->holds_idle && is_forgetful && p->has_inner_ports &&
                    p->memory[p->n_memories - 1].instances > instances;
            is_forgetful = is_skewed && (is_forgetful || !memory->holds_idle);
            instances = memory->holds_idle ? instances : memory->instances;
        }
    }
    return any;
}

static bool counts_idle_sums(const struct mapper_problem *p)
{
    bool any = false;

    for (int a = 0; a < p->n_accesses; a++)
        any |= keeps_sums_inside(p, a);
    return any;
}

/* Leave one iteration to all loops of "rows"; false where a constraint wants more. */
static bool close_rows(struct mapper_problem *p, unsigned rows)
{
    for (; rows != 0; rows &= rows - 1) {
        struct mapper_row *row = &p->row[__builtin_ctz(rows)];
        for (int i = 0; i < p->n_loops; i++) {
            if (row->fixed[i] > 1 || row->limits[i].least > 1)
                return false;
            row->fixed[i] = row->is_space ? row->fixed[i] : 1;
        }
        row->banned = row->is_space ? ~0U : row->banned;
        p->has_fixed = true;
    }
    return true;
}

bool sator_mapper_close_skew(struct mapper_problem *p)
{
    if (p->skew == NULL)
        return true;
    if (counts_idle_sums(p))
        return false;
    return p->skew->counted || (!p->has_counted && close_rows(p, passed_by(p) | skewed_inside(p)));
}

/* ---- what is said, and what only the engines count ---- */

bool sator_mapper_skew_left_out(
        const struct mapper_problem *p, bool timed, struct mapper_skews *skews)
{
    if (timed)
        leave_out(p, skews,
                "orders of loops along a skewed dimension that move no fewer words, at other "
                "times");
    if (p->has_counted)
        leave_uncounted(p, skews, "skews under which some words have no formula");
    if (p->has_late)
        leave_uncounted(p, skews,
                "what links bring late, or from PEs ahead, where a skew turns others into wires");
    if (passed_by(p) != 0)
        leave_uncounted(
                p, skews, "loops at a memory inside a skewed array that some tensor bypasses");
    if (skewed_inside(p) != 0)
        leave_uncounted(p, skews,
                "skews of an array inside a skewed one, past a memory that some tensor bypasses");
    if (counts_idle_sums(p))
        leave_out(p, skews, "skews where PEs keep sums while idle inside a memory that does not");
    return p->has_counted || p->has_late || (passed_by(p) | skewed_inside(p)) != 0;
}

bool sator_mapper_is_skewed_row(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int row)
{
    while (row >= 0 && p->row[row].is_space)
        row--;
    return row >= 0 && sator_mapper_span(p, mapping, p->row[row].memory) > 0;
}

const char *sator_mapper_skew_text(const struct mapper_problem *p, struct sator_arena *arena,
        const struct mapper_mapping *mapping)
{
    const char *text = NULL;

    for (int r = 0; p->skew != NULL && r < p->n_rows; r++) {
        if (!p->row[r].is_space || !sator_mapper_is_skewed_row(p, mapping, r))
            continue;
        if (p->row[r].dim == 0)
            text = sator_arena_printf(arena, "%s%s%s", text == NULL ? "" : text,
                    text == NULL ? "" : ", ", p->arch->levels[p->row[r].level].name);
        text = sator_arena_printf(arena, "%s %lld", text, (long long)p->skew->step[r]);
    }
    for (int m = 0; m < p->n_memories && text != NULL; m++) {
        if (sator_mapper_holds_windows(p, mapping, m))
            text = sator_arena_printf(
                    arena, "%s, across %s", text, p->arch->levels[p->memory[m].level].name);
    }
    return text;
}
