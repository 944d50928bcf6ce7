/* A mapping as a nest of digits, and what moves when each of them steps. */
#include "mapper/phases/phases_nest.h"

#include "mapper/problem/skew.h"

#include <limits.h>
#include <string.h>

/* Whether sums run over the loop: PEs along it have parts of the same ones. */
static bool sums_over(const struct mapper_phases *phases, int loop)
{
    return phases->output >= 0 && !(phases->problem->access[phases->output].relevant >> loop & 1);
}

static bool list_digits(struct nest *nest, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int *cut)
{
    const struct mapper_problem *p = nest->phases->problem;

    for (int m = 0; m < p->n_memories; m++) {
        int row = p->memory[m].row;
        cut[m] = nest->n_digits;
        for (int k = 0; k < p->n_loops; k++) {
            int loop = mapping->order[m][k];
            if (mapping->factor[row][loop] == 1)
                continue;
            if (nest->n_digits == MOST_DIGITS)
                return false;
            nest->digit[nest->n_digits].loop = loop;
            nest->digit[nest->n_digits].factor = mapping->factor[row][loop];
            nest->digit[nest->n_digits].step = shape->inside[row + 1][loop];
            nest->digit[nest->n_digits++].sums = sums_over(nest->phases, loop);
        }
    }
    cut[p->n_memories] = nest->n_digits;
    return true;
}

/* The different cuts. The values of a skewed row, that of memory "skewed", are a level of their own
 * whatever digits it joins; what is inside of them has no part. */
static void list_levels(struct nest *nest, const int *cut, int skewed)
{
    int n = nest->phases->problem->n_memories;

    for (int m = 0; m <= n; m++) {
        bool is_new = nest->n_levels == 0 || cut[m] != nest->length[nest->n_levels - 1];
        if (skewed < 0 || m <= skewed ? is_new : m == skewed + 1)
            nest->length[nest->n_levels++] = cut[m];
        nest->level_of[m] = nest->n_levels - 1;
    }
}

/* The rows that "t" merges sums along: by trees or by wires. */
static unsigned merged_rows(const struct mapper_transfer *t, bool by_wires)
{
    return (t->link != NULL || t->links_alone != NULL) == by_wires ? t->collapsed : 0;
}

/* The outermost row along which PEs have parts of sums, and wires hand these on, or nothing merges
 * them; n_rows: none. */
static int find_carried(
        const struct mapper_phases *phases, const struct mapper_shape *shape, bool by_wires)
{
    const struct mapper_problem *p = phases->problem;
    unsigned wired = 0, merged = 0;

    for (int i = 0; i < p->n_transfers; i++) {
        if (p->transfer[i].access != phases->output)
            continue;
        wired |= merged_rows(&p->transfer[i], true);
        merged |= merged_rows(&p->transfer[i], false);
    }
    for (int k = 0; k < shape->n_digits; k++) {
        int row = shape->digit[k].row;
        bool carries = ((by_wires ? wired : ~(wired | merged)) >> row & 1) != 0;
        if (carries && sums_over(phases, shape->digit[k].loop))
            return row;
    }
    return p->n_rows;
}

/* Wires to the next PE merge none where the order on the row parts those of a sum. */
int64_t sator_mapper_phase_split(const struct mapper_phases *phases,
        const struct mapper_shape *shape, const struct mapper_transfer *t,
        const struct mapper_walk *walk, int64_t words)
{
    int64_t parts = 1, elements = walk->tile_words;

    for (int k = 0; k < shape->n_digits && t->access == phases->output; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        bool is_inside = t->between >> digit->row & 1;
        bool merges = (t->collapsed >> digit->row & 1) &&
                !((t->wired >> digit->row & 1) && sator_mapper_has_inside(walk->access, shape, k));
        if (is_inside && !sums_over(phases, digit->loop))
            elements *= digit->count;
        else if (is_inside && !merges)
            parts *= digit->count;
    }
    /* where wires cross, each PE that no other one hands the sum has a part */
    return t->access == phases->output && t->links_alone != NULL ? words / elements : parts;
}

/* The parallel positions outside row "row". */
static int64_t instances_used(const struct mapper_shape *shape, int row)
{
    int64_t n = 1;

    for (int k = 0; k < shape->n_digits && shape->digit[k].row < row; k++)
        n *= shape->digit[k].count;
    return n;
}

static bool passes_port(const struct mapper_manner *manner)
{
    return manner->send.port >= 0 || manner->take.port >= 0 || manner->arrive.port >= 0;
}

/* What the last movement moves when each of the digits from "first" to "n_time" - 1 steps; those
 * before keep nothing. */
static bool find_steps(struct nest *nest, struct mapper_words *words, struct mapper_walk *walk,
        int64_t groups, int n_time, int first)
{
    struct movement *movement = &nest->movement[nest->n_movements - 1];
    bool crosses = nest->is_skewed && movement->level == nest->n_levels - 1;
    struct mapper_pace pace;

    walk->stamps = 1;
    for (int g = 0; g < n_time; g++)
        walk->stamps *= nest->digit[g].factor;
    sator_mapper_pace_init(&pace);
    for (int g = n_time - 1; g >= OUTSIDE; g--) {
        struct mapper_pace before = pace;
        if (g >= first && !pace.dead) {
            int64_t factor = nest->digit[g].factor, times = walk->stamps / (pace.inside * factor);
            times *= factor - 1;
            sator_mapper_pace_place(
                    walk, words, &pace, nest->digit[g].loop, factor, nest->digit[g].step);
            movement->out[g + 1] =
                    groups * (walk->group_words - (pace.kept_unique - before.kept_unique) / times);
            movement->in[g + 1] =
                    walk->tile_words - (pace.kept_arriving - before.kept_arriving) / times;
        } else {
            movement->out[g + 1] = movement->out[0];
            movement->in[g + 1] = movement->in[0];
        }
        bool joined = g >= first || g == OUTSIDE;
        if (crosses && joined && !sator_mapper_phase_enter(nest, words, walk, &before, g))
            return false;
    }
    return true;
}

/* Of words that links bring from further back than the stamp before, as few as enter when each of
 * the "n_time" digits steps. */
static void find_least_steps(struct movement *movement, struct mapper_words *words,
        const struct mapper_walk *walk, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int64_t groups, int n_time)
{
    int64_t least[MOST_DIGITS];

    sator_mapper_least_steps(walk, words, mapping, shape, least);
    for (int g = 0; g < n_time; g++)
        movement->out[g + 1] = groups * least[n_time - 1 - g];
}

/* What transfer "t" moves when each digit outside its child steps. False: it is of another form. */
static bool find_movement(struct nest *nest, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, const int *cut,
        int t)
{
    const struct mapper_problem *p = nest->phases->problem;
    const struct mapper_transfer *transfer = &p->transfer[t];
    struct movement *movement = &nest->movement[nest->n_movements];
    int n_time = cut[transfer->child];
    bool crosses = nest->is_skewed && nest->level_of[transfer->child] == nest->n_levels - 1;
    struct mapper_walk walk;

    if (crosses && !passes_port(&nest->phases->manner[t]))
        return true;
    sator_mapper_walk_open(p, words, shape, t, mapper_passing_of(transfer), &walk);
    if (transfer->links_alone != NULL && sator_mapper_goes_round(words, &walk))
        return false;
    int64_t groups = walk.groups / instances_used(shape, p->memory[transfer->parent].row);
    bool all_time = n_time == nest->n_digits && (crosses || !nest->is_skewed);
    movement->transfer = t;
    movement->level = nest->level_of[transfer->child];
    movement->tile_time = cut[transfer->parent];
    movement->kind =
            all_time ? nest->phases->manner[t].kind_of_stamps : nest->phases->manner[t].kind;
    movement->out[0] = groups * walk.group_words;
    movement->parts =
            sator_mapper_phase_split(nest->phases, shape, transfer, &walk, movement->out[0]);
    movement->in[0] = walk.tile_words;
    nest->n_movements++;
    if (!crosses) {
        find_steps(nest, words, &walk, groups, n_time, 0);
        if (transfer->reaches_back)
            find_least_steps(movement, words, &walk, mapping, shape, groups, n_time);
        return true;
    }
    return n_time == nest->length[movement->level] &&
            sator_mapper_phase_places(nest, shape, &walk) &&
            find_steps(nest, words, &walk, groups, n_time, nest->first_joined);
}

/* Whether stamps of level "l" move as much inside the digits "g" and "like". */
static bool moves_alike(const struct nest *nest, int l, int g, int like)
{
    for (int i = 0; i < nest->n_movements; i++) {
        const struct movement *m = &nest->movement[i];
        if (m->level > l &&
                (m->out[g] != m->out[like] || m->in[g] != m->in[like] ||
                        (g - 1 < m->tile_time) != (like - 1 < m->tile_time)))
            return false;
    }
    return true;
}

/* Digits further out than the stamps of a level that move as much inside of them are alike. */
static void find_alike(struct nest *nest)
{
    for (int l = 0; l < nest->n_levels; l++) {
        for (int g = 0; g <= nest->length[l]; g++) {
            int like = 0;
            while (like < g && !moves_alike(nest, l, g, like))
                like++;
            nest->alike[l][g] = (int8_t)like;
        }
    }
}

/* Set which memory's row is skewed in the mapping, -1: none; false where several are, or what is
 * inside a skewed one has limited ports. */
static bool find_skewed(
        const struct mapper_phases *phases, const struct mapper_mapping *mapping, int *skewed)
{
    const struct mapper_problem *p = phases->problem;

    *skewed = -1;
    for (int m = 0; m < p->n_memories && p->skew != NULL; m++) {
        if (sator_mapper_span(p, mapping, m) == 0)
            continue;
        if (*skewed >= 0)
            return false;
        *skewed = m;
    }
    for (int m = *skewed + 1; m < p->n_memories && *skewed >= 0; m++) {
        if (p->memory[m].holds_idle) /* when idle PEs let go of sums is not followed */
            return false;
    }
    if (*skewed < 0)
        return true;
    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_manner *manner = &phases->manner[t];
        if (p->transfer[t].child > *skewed &&
                (manner->arrive.port >= 0 ||
                        (p->transfer[t].parent > *skewed && passes_port(manner))))
            return false;
    }
    for (int i = 0; i < phases->n_own; i++) {
        if (phases->own[i].read.port >= 0 || phases->own[i].write.port >= 0)
            return false;
    }
    return true;
}

bool sator_mapper_phase_digits(struct nest *nest, const struct mapper_phases *phases,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int skewed,
        int *cut)
{
    int wired = find_carried(phases, shape, true), parted = find_carried(phases, shape, false);

    nest->phases = phases;
    nest->carried_row = wired < parted ? wired : parted;
    nest->n_digits = nest->n_levels = nest->n_movements = nest->n_runs = 0;
    if (!list_digits(nest, mapping, shape, cut))
        return false;
    list_levels(nest, cut, skewed);
    return true;
}

bool sator_mapper_phase_nest(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, bool at_least, struct nest *nest)
{
    const struct mapper_problem *p = phases->problem;
    struct mapper_shape shape;
    int cut[MAPPER_MEMORIES + 1], skewed;

    if (sator_mapper_counts_skew(p) || sator_mapper_is_ragged(p, mapping, UINT_MAX) ||
            !find_skewed(phases, mapping, &skewed))
        return false;
    sator_mapper_shape_init(p, mapping, &shape);
    nest->at_least = at_least;
    /* the first of a chain of sums takes what comes from outside, the others start nothing from
     * zero: a port of reads and writes there has no instance that is the busiest in both */
    if ((phases->mixed_row >= 0 && phases->mixed_row > find_carried(phases, &shape, true)) ||
            !sator_mapper_phase_digits(nest, phases, mapping, &shape, skewed, cut) ||
            !sator_mapper_phase_skew(nest, mapping, skewed, cut))
        return false;
    for (int t = 0; t < p->n_transfers; t++) {
        if (!find_movement(nest, words, mapping, &shape, cut, t))
            return false;
    }
    find_alike(nest);
    return true;
}
