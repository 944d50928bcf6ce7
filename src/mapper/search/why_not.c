/* Why a given mapping is not the answer: the inequalities that it breaks, and what keeps it from
 * the space that is searched.
 *
 * What it breaks is told from the nest as it stands, since a nest that is in no space breaks
 * inequalities, too. Constraints, and the forms of tiles, are about mappings of the space, so only
 * a nest that is one of them can break those. */
#include "base/context.h"
#include "base/text.h"
#include "mapper/cost/cost.h"
#include "mapper/problem/invariants.h"
#include "mapper/problem/skew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The row of a loop of the nest; -1 when there is none. */
static int row_of(const struct mapper_problem *p, const char *level, int dim)
{
    for (int r = 0; r < p->n_rows; r++) {
        const struct mapper_row *row = &p->row[r];
        if (strcmp(p->arch->levels[row->level].name, level) == 0 &&
                (row->is_space ? row->dim == dim : dim < 0))
            return r;
    }
    return -1;
}

static int level_of(const struct mapper_problem *p, const char *name)
{
    int level = 0;

    while (strcmp(p->arch->levels[level].name, name) != 0)
        level++; /* there, as the names have been checked */
    return level;
}

static int loop_of(const struct mapper_problem *p, const char *name)
{
    for (int i = 0; i < p->n_loops; i++) {
        if (strcmp(p->loop_names[i], name) == 0)
            return i;
    }
    return -1;
}

/* How many loops of the nest have a place so far, by row. */
struct placed {
    int n[MAPPER_ROWS];
};

static int8_t *order_of(const struct mapper_problem *p, struct mapper_mapping *mapping, int row)
{
    return p->row[row].is_space ? mapping->along[row] : mapping->order[p->row[row].memory];
}

/* Let "loop" be the next of its row: it changes places with those between. */
static void place_next(const struct mapper_problem *p, int row, int loop, struct placed *placed,
        struct mapper_mapping *mapping)
{
    int8_t *order = order_of(p, mapping, row);
    int at = placed->n[row]++, k = at;

    while (order[k] != loop)
        k++;
    memmove(order + at + 1, order + at, (size_t)(k - at));
    order[at] = (int8_t)loop;
}

/* A product that stays at the first number beyond any extent. */
static int64_t times(int64_t a, int64_t factor)
{
    const int64_t most = INT64_C(1) << 42;

    return a > most / factor ? most : a * factor;
}

/* Add one loop of the nest to the mapping, or say why it has no place there. */
static void place(const struct mapper_problem *p, const char *level,
        const struct sator_nest_loop *loop, struct placed *placed, struct mapper_mapping *mapping,
        struct sator_text *outside)
{
    int row = row_of(p, level, loop->dim), which = loop_of(p, loop->loop);

    if (loop->extent == 1 || which < 0)
        return; /* a loop of one iteration that has a factor is told with the extents */
    if (row < 0) {
        sator_text_add(outside,
                "loop '%s' runs one step after the other at '%s'; in the space loops do so at "
                "memories\n",
                loop->loop, level);
        return;
    }
    bool again = mapping->factor[row][which] > 1;
    if (again && p->row[row].is_space)
        sator_text_add(outside, "loop '%s' stands twice on dimension %d of '%s'\n", loop->loop,
                loop->dim, level);
    else if (again)
        sator_text_add(outside, "loop '%s' stands twice at '%s'\n", loop->loop, level);
    mapping->factor[row][which] = times(mapping->factor[row][which], loop->extent);
    if (!again)
        place_next(p, row, which, placed, mapping);
}

/* A "loops:" dataflow, whose names have been checked, as a mapping; a line in "outside" for each
 * loop that has no place in one. */
static void from_nest(const struct mapper_problem *p, const struct sator_dataflow *dataflow,
        struct mapper_mapping *mapping, struct sator_text *outside)
{
    const struct sator_loop_nest *nest = dataflow->loops;
    struct placed placed = {{0}};

    sator_mapper_mapping_init(p, mapping);
    for (int e = 0; e < nest->n_entries; e++) {
        for (int k = 0; k < nest->entries[e].n_loops; k++)
            place(p, nest->entries[e].level, &nest->entries[e].loops[k], &placed, mapping, outside);
    }
}

/* Whether "outer" may stand outside "inner", both of them on one array: of one loop on two
 * dimensions the outer digit is on the first. */
static bool stands_outside(const struct sator_nest_loop *outer, const struct sator_nest_loop *inner)
{
    return strcmp(outer->loop, inner->loop) != 0 || outer->dim < inner->dim;
}

bool sator_mapper_is_in_order(const struct sator_dataflow *dataflow)
{
    const struct sator_loop_nest *nest = dataflow->loops;
    bool in_order = true;

    for (int e = 0; e < nest->n_entries; e++) {
        const struct sator_nest_loop *loops = nest->entries[e].loops;
        for (int k = 0; k < nest->entries[e].n_loops; k++) {
            for (int i = 0; i < k && loops[k].dim >= 0; i++) {
                if (loops[i].extent > 1 && loops[k].extent > 1)
                    in_order &= stands_outside(&loops[i], &loops[k]);
            }
        }
    }
    return in_order;
}

/* ---- what it breaks ---- */

/* Why the factors of loop "i" are not in the space of an imperfect problem though they cover the
 * extent: the first, from inside, that is more than it need be; or that leaves PEs without a tile
 * where it may not (sator_mapper_unrolled). */
static void say_tiles(const struct mapper_problem *p, const struct mapper_mapping *mapping, int i,
        struct sator_text *text)
{
    struct mapper_unrolled unrolled;
    int64_t left = p->extent[i];

    sator_mapper_unrolled(p, mapping, i, &unrolled);
    for (int r = p->n_rows - 1; r >= 0; r--) {
        int64_t factor = mapping->factor[r][i], number = sator_mapper_blocks(left, factor);
        const char *level = p->arch->levels[p->row[r].level].name;
        if (!p->row[r].is_space && !sator_mapper_is_ceiling(left, factor)) {
            sator_text_add(text,
                    "%lld tile%s of loop '%s' need%s no more than %lld at %s, not %lld\n",
                    (long long)number, number == 1 ? "" : "s", p->loop_names[i],
                    number == 1 ? "s" : "", (long long)sator_mapper_blocks(left, number), level,
                    (long long)factor);
            return;
        }
        left = number;
    }
    sator_text_add(text,
            "the factors of loop '%s' do not divide its extent %lld, or the number of its "
            "innermost tiles, and its PEs may not be without one\n",
            p->loop_names[i], (long long)p->extent[i]);
}

/* The product of the factors of loop "name" in the entries at "from" and inside it; beyond every
 * extent it stops growing. */
static int64_t covered(const struct mapper_problem *p, const struct sator_loop_nest *nest, int from,
        const char *name)
{
    int64_t product = 1;

    for (int e = 0; e < nest->n_entries; e++) {
        if (level_of(p, nest->entries[e].level) < from)
            continue;
        for (int k = 0; k < nest->entries[e].n_loops; k++) {
            if (strcmp(nest->entries[e].loops[k].loop, name) == 0)
                product = times(product, nest->entries[e].loops[k].extent);
        }
    }
    return product;
}

/* The rows along which loops run, and how much later their PEs do with each step. */
static unsigned skewed_by(const struct mapper_problem *p, const struct sator_loop_nest *nest,
        struct mapper_skew *skew)
{
    unsigned used = 0;

    *skew = (struct mapper_skew){.step = {0}};
    for (int e = 0; e < nest->n_entries; e++) {
        const struct sator_loop_entry *entry = &nest->entries[e];
        for (int k = 0; k < entry->n_loops; k++) {
            int dim = entry->loops[k].dim, row = row_of(p, entry->level, dim);
            if (dim < 0 || row < 0 || entry->loops[k].extent == 1)
                continue;
            used |= 1U << row;
            skew->step[row] = dim < entry->n_skew ? entry->skew[dim] : 0;
        }
    }
    return used;
}

static bool is_skewed(const struct mapper_problem *p, const struct sator_loop_nest *nest)
{
    struct mapper_skew skew;
    bool any = false;

    skewed_by(p, nest, &skew);
    for (int r = 0; r < p->n_rows; r++)
        any |= skew.step[r] != 0;
    return any;
}

/* Factors that cover too little are wrong; those that cover more are in the space of no problem, or
 * of an imperfect one. */
static void check_extents(const struct mapper_problem *p, const struct sator_loop_nest *nest,
        struct mapper_faults *faults)
{
    const struct sator_workload *w = p->workload;

    for (int l = 0; l < w->n_loops; l++) {
        int64_t extent = w->upper[l] - w->lower[l];
        int64_t product = covered(p, nest, 0, w->loop_names[l]);
        bool in_space = p->imperfect && loop_of(p, w->loop_names[l]) >= 0;
        if (product < extent || (product > extent && !in_space))
            sator_text_add(product < extent ? &faults->broken : &faults->outside,
                    "the factors of loop '%s' multiply to %lld, not to its extent %lld\n",
                    w->loop_names[l], (long long)product, (long long)extent);
    }
}

/* The remainders of a skewed nest (skew_short.c). */
static void check_short(const struct mapper_problem *p, const struct sator_loop_nest *nest,
        const struct mapper_mapping *mapping, struct sator_text *text)
{
    struct mapper_problem *skewed = sator_alloc(sizeof *skewed);
    struct mapper_skew skew;

    skewed_by(p, nest, &skew);
    skew.ends_short = true;
    *skewed = *p;
    skewed->skew = &skew;
    for (int i = 0; i < p->n_loops; i++) {
        if (mapper_covered(p, mapping, i) > p->extent[i] &&
                !sator_mapper_is_chain(skewed, mapping, i))
            sator_text_add(text,
                    "loop '%s' has a remainder on a skewed array, but not all of its time at the "
                    "memory outside, a dimension of its own, steps of one stamp and the least "
                    "factors\n",
                    p->loop_names[i]);
    }
    if (text->length == 0 && !sator_mapper_runs_apart(skewed, mapping))
        sator_text_add(text, "some PE runs from the first stamp of a run to the last\n");
    free(skewed);
}

/* The chains of an imperfect problem. */
static void check_tiles(const struct mapper_problem *p, const struct sator_loop_nest *nest,
        const struct mapper_mapping *mapping, struct sator_text *text)
{
    if (p->imperfect && is_skewed(p, nest)) {
        check_short(p, nest, mapping, text);
        return;
    }
    for (int i = 0; i < p->n_loops && p->imperfect; i++) {
        int64_t product = 1;
        for (int r = 0; r < p->n_rows; r++)
            product = times(product, mapping->factor[r][i]);
        if (product > p->extent[i] && !sator_mapper_is_chain(p, mapping, i))
            say_tiles(p, mapping, i, text);
    }
}

static void check_arrays(
        const struct mapper_problem *p, const struct sator_loop_nest *nest, struct sator_text *text)
{
    for (int r = 0; r < p->n_rows; r++) {
        const struct mapper_row *row = &p->row[r];
        const char *level = p->arch->levels[row->level].name;
        double used = 1;
        for (int e = 0; e < nest->n_entries && row->is_space; e++) {
            for (int k = 0; k < nest->entries[e].n_loops; k++) {
                const struct sator_nest_loop *loop = &nest->entries[e].loops[k];
                if (loop->dim == row->dim && strcmp(nest->entries[e].level, level) == 0)
                    used *= (double)loop->extent;
            }
        }
        if (row->is_space && used > (double)row->shape)
            sator_text_add(text,
                    "dimension %d of '%s' has %lld PE%s, the factors there multiply to %.0f\n",
                    row->dim, level, (long long)row->shape, row->shape == 1 ? "" : "s", used);
    }
}

/* The bits or words that tiles of "size" words need of "capacity", and in "parts" the words of each
 * tensor. */
static sator_int needed_of(const struct mapper_problem *p, const struct mapper_memory *memory,
        const struct mapper_capacity *capacity, const int64_t *size, struct sator_text *parts)
{
    sator_int needed = 0;
    char number[48];

    for (int a = 0; a < p->n_accesses; a++) {
        if (!(capacity->accesses >> a & 1) || p->access[a].stored_as != a)
            continue;
        int64_t most = mapper_stored_words(p, a, size);
        needed += (sator_int)most * (capacity->in_bits ? memory->word_bits[a] : 1);
        sator_text_add(parts, "%s%s %s", parts->length == 0 ? "" : ", ", p->access[a].name,
                sator_int_format(most, ',', number));
    }
    return needed;
}

void sator_mapper_say_capacities(const struct mapper_problem *p, int m, const int64_t *size,
        const char *purpose, struct sator_text *text)
{
    const struct mapper_memory *memory = &p->memory[m];
    const struct sator_level *level = &p->arch->levels[memory->level];
    char number[48], has[48];

    for (int c = 0; c < memory->n_capacities; c++) {
        const struct mapper_capacity *capacity = &memory->capacity[c];
        struct sator_text parts = {0};
        sator_int needed = needed_of(p, memory, capacity, size, &parts),
                  unit = capacity->in_bits ? 8 : 1;
        if (needed > capacity->available)
            sator_text_add(text, "%s needs %s%s %s%s%s, has %s%s (words: %s)\n", level->name,
                    purpose[0] == '\0' ? "" : "at least ",
                    sator_int_format((needed + unit - 1) / unit, ',', number),
                    capacity->in_bits ? "byte" : "word", needed > unit ? "s" : "", purpose,
                    sator_int_format(capacity->available / unit, ',', has),
                    level->memory.double_buffered ? " in each of two buffers" : "", parts.data);
        sator_text_clear(&parts);
    }
}

/* The tiles are those of the loops at each memory and inside it, the first of them whole. */
static void check_memories(const struct mapper_problem *p, struct mapper_words *words,
        const struct sator_loop_nest *nest, struct sator_text *text)
{
    for (int m = 0; m < p->n_memories; m++) {
        int64_t size[MAPPER_ACCESSES], tile[MAPPER_LOOPS];
        for (int i = 0; i < p->n_loops; i++) {
            int64_t product = covered(p, nest, p->memory[m].level, p->loop_names[i]);
            tile[i] = product < p->extent[i] ? product : p->extent[i];
        }
        sator_mapper_tile_sizes(p, words, m, tile, size);
        sator_mapper_say_capacities(p, m, size, "", text);
    }
}

/* ---- constraints ---- */

/* Who constrains loop "i". */
static const char *who(const struct mapper_problem *p, int i)
{
    return p->ordered >> i & 1 ? "the order of instances" : "a constraint";
}

/* A factor against what constraints leave of it; "there" says where it is. */
static void check_limits(const struct mapper_problem *p, const char *there, int loop,
        const struct mapper_limits *limits, int64_t factor, struct sator_text *text)
{
    bool is_more = limits->most != 0 && factor > limits->most;

    if (!is_more && factor >= limits->least)
        return;
    sator_text_add(text, "%s has %s %lld, %s %s %lld\n", there, p->loop_names[loop],
            (long long)factor, who(p, loop),
            limits->least == limits->most ? "sets"
                    : is_more             ? "allows at most"
                                          : "asks for at least",
            (long long)(is_more ? limits->most : limits->least));
}

static void check_factor(const struct mapper_problem *p, const char *level,
        const struct mapper_row *row, int loop, int64_t factor, struct sator_text *text)
{
    struct mapper_limits fixed = {row->fixed[loop], row->fixed[loop]};

    check_limits(p, level, loop, fixed.most != 0 ? &fixed : &row->limits[loop], factor, text);
}

/* What runs in parallel on arrays, and along their dimensions. */
static void check_spread(const struct mapper_problem *p, const struct mapper_mapping *mapping,
        struct sator_text *text)
{
    for (int k = 0; k < p->n_spread_limits; k++) {
        const struct mapper_spread_limits *spread = &p->spread_limits[k];
        const struct mapper_row *row = &p->row[__builtin_ctz(spread->rows)];
        const struct sator_level *level = &p->arch->levels[row->level];
        struct sator_text there = {0};
        int64_t pes = 1;
        for (unsigned rows = spread->rows; rows != 0; rows &= rows - 1)
            pes = times(pes, mapping->factor[__builtin_ctz(rows)][spread->loop]);
        sator_text_add(&there, "%s", level->name);
        if (__builtin_popcount(spread->rows) < level->array.n_dims)
            sator_text_add(&there, ", dimension %d,", row->dim);
        check_limits(p, there.data, spread->loop, &spread->limits, pes, text);
        sator_text_clear(&there);
    }
}

static void check_factors(const struct mapper_problem *p, const struct mapper_mapping *mapping,
        struct sator_text *text)
{
    double used = 1;

    for (int r = 0; r < p->n_rows; r++) {
        const struct mapper_row *row = &p->row[r];
        const char *level = p->arch->levels[row->level].name;
        for (int i = 0; i < p->n_loops; i++) {
            int64_t factor = mapping->factor[r][i];
            used *= row->is_space ? (double)factor : 1;
            if (!row->is_space)
                check_factor(p, level, row, i, factor, text);
            if (row->is_space && factor > 1 && (row->banned >> i & 1))
                sator_text_add(text, "%s runs '%s' in parallel, which %s excludes\n", level,
                        p->loop_names[i], who(p, i));
        }
    }
    if (used < p->least_pes)
        sator_text_add(text, "%.0f of %lld PEs are used, a constraint asks for %.0f\n", used,
                (long long)p->pes, ceil(p->least_pes));
}

static void check_orders(const struct mapper_problem *p, const struct mapper_mapping *mapping,
        struct sator_text *text)
{
    for (int m = 0; m < p->n_memories; m++) {
        const struct mapper_row *row = &p->row[p->memory[m].row];
        const int64_t *factor = mapping->factor[p->memory[m].row];
        for (int k = 0; k < p->n_loops * p->n_loops; k++) {
            int outer = mapping->order[m][k / p->n_loops],
                inner = mapping->order[m][k % p->n_loops];
            if (k / p->n_loops < k % p->n_loops && factor[outer] > 1 && factor[inner] > 1 &&
                    (row->outside[outer] >> inner & 1))
                sator_text_add(text, "at %s, '%s' stands inside '%s', %s puts it outside\n",
                        p->arch->levels[row->level].name, p->loop_names[inner],
                        p->loop_names[outer], who(p, inner));
        }
    }
}

static void check_skew(
        const struct mapper_problem *p, const struct sator_loop_nest *nest, struct sator_text *text)
{
    struct mapper_skew skew;
    unsigned used = skewed_by(p, nest, &skew);
    bool is_wanted = true;

    for (int r = 0; r < p->n_rows; r++) {
        const struct mapper_row *row = &p->row[r];
        if (!(used >> r & 1) || !row->has_skew || row->skew == skew.step[r])
            continue;
        sator_text_add(text, "%s has the skew %lld along dimension %d, a constraint sets %lld\n",
                p->arch->levels[row->level].name, (long long)skew.step[r], row->dim,
                (long long)row->skew);
        is_wanted = false;
    }
    if (is_wanted && is_skewed(p, nest) && !sator_mapper_lists_skew(p, &skew, used))
        sator_text_add(text, "its skew is none of those that are searched\n");
}

bool sator_mapper_why_not(const struct mapper_problem *problem, struct mapper_words *words,
        const struct sator_dataflow *dataflow, struct mapper_mapping *mapping,
        struct mapper_faults *faults)
{
    if (dataflow->loops == NULL) {
        sator_text_add(&faults->outside,
                "it is not written as 'loops:', the nests of tiles that are searched\n");
        return false;
    }
    from_nest(problem, dataflow, mapping, &faults->outside);
    bool is_mapping = faults->outside.length == 0;
    check_extents(problem, dataflow->loops, faults);
    check_arrays(problem, dataflow->loops, &faults->broken);
    check_memories(problem, words, dataflow->loops, &faults->broken);
    if (is_mapping) {
        check_tiles(problem, dataflow->loops, mapping, &faults->outside);
        check_factors(problem, mapping, &faults->outside);
        check_spread(problem, mapping, &faults->outside);
        check_orders(problem, mapping, &faults->outside);
        check_skew(problem, dataflow->loops, &faults->outside);
    }
    return faults->broken.length == 0 && faults->outside.length == 0;
}
