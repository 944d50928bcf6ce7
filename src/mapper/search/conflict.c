/* Why there is no legal mapping: a capacity that is too small for one instance, or constraints that
 * leave nothing.
 *
 * A mapping with a given unrolling is legal, if any is, when what the unrolling leaves of each loop
 * stands at the outermost memory whose factor no constraint sets: no other mapping with that
 * unrolling has a smaller tile anywhere. So it is enough to look through the unrollings. In an
 * imperfect problem that holds of the least innermost tile. Not so of gaps in a skewed row, which
 * factors further in may fill: a mapping that has them alone against it leaves the question to the
 * search.
 */
#include "base/context.h"
#include "base/text.h"
#include "mapper/problem/skew.h"
#include "mapper/search/search.h"

#include <math.h>
#include <string.h>

enum {
    MOST_LOOKS = 1 << 20 /* unrollings looked at before the question is left to the search */
};

struct feasibility {
    struct mapper_problem problem; /* without the PEs asked for, */
    struct mapper_problem gapped; /* and without its skew, of which gaps are no matter */
    double needed_pes; /* which are these */
    struct mapper_words *words;
    struct mapper_mapping mapping, found; /* found: with most_pes */
    int64_t left[MAPPER_LOOPS + 1]; /* of each loop, beside the factors set */
    int n_divisors[MAPPER_LOOPS]; /* where factors have limits: all of its extent */
    const int64_t *divisors[MAPPER_LOOPS];
    int64_t number[MAPPER_LOOPS]; /* imperfect problems: product of the factors set further out */
    int free_row[MAPPER_LOOPS]; /* the outermost memory row that may take it; -1: none */
    int broken_loop; /* whose factors do not divide its extent; -1: none */
    double most_pes; /* that a mapping legal in all else uses, as far as looked; 0: none is legal */
    double most_gapped_pes; /* the same, gaps apart */
    int looks;
};

/* The least innermost tile of "loop" that its unrolling allows and that the factors set, "number"
 * together, and one more where a memory is free to have it, cover; sets that one. 0: none. */
static int64_t least_tile(const struct feasibility *f, int loop, int64_t number, int64_t *rest)
{
    const struct mapper_problem *p = &f->problem;
    struct mapper_unrolled unrolled;
    int64_t fixed = p->row[p->innermost].fixed[loop];

    sator_mapper_unrolled(p, &f->mapping, loop, &unrolled);
    int64_t blocks = sator_mapper_blocks(p->extent[loop], unrolled.lanes);
    for (int64_t tile = fixed == 0 ? 1 : fixed; tile != 0;
            tile = fixed == 0 ? sator_mapper_next_ceiling(blocks, tile) : 0) {
        int64_t left = sator_mapper_left(p, loop, &unrolled, tile);
        bool divides = unrolled.form == MAPPER_ANY || left % number == 0;
        *rest = sator_mapper_blocks(left, number);
        if (left != 0 && divides && (f->free_row[loop] >= 0 || *rest == 1))
            return tile;
    }
    return 0;
}

/* Give loop "i" at row "r" the factor that is set there, else 1, and note memories that may take
 * more. Returns the factor that is set at a memory; 1: none is. */
static int64_t set_row(struct feasibility *f, int r, int i)
{
    const struct mapper_row *row = &f->problem.row[r];
    int64_t fixed = row->fixed[i];

    f->mapping.factor[r][i] = fixed == 0 ? 1 : fixed;
    if (!row->is_space && fixed == 0)
        f->free_row[i] = r;
    return row->is_space || fixed == 0 ? 1 : fixed;
}

/* The factors that are set: of an imperfect problem those outside of the innermost tiles, which
 * have what their unrolling leaves. */
static void set_fixed(struct feasibility *f)
{
    const struct mapper_problem *p = &f->problem;

    f->broken_loop = -1;
    for (int i = 0; i < p->n_loops; i++) {
        f->left[i] = p->extent[i];
        f->free_row[i] = -1;
        f->number[i] = 1;
        for (int r = (p->imperfect ? p->innermost : p->n_rows) - 1; r >= 0; r--) {
            int64_t fixed = set_row(f, r, i);
            if (p->imperfect) /* at most 2^48: extents are at most 2^24 */
                f->number[i] *= f->number[i] <= p->extent[i] ? fixed : 1;
            else if (f->left[i] % fixed == 0)
                f->left[i] /= fixed;
            else
                f->broken_loop = i;
        }
    }
}

/* Give each loop its least tile and the rest to its free row; false when that cannot be. */
static bool place_tiles(struct feasibility *f)
{
    const struct mapper_problem *p = &f->problem;

    for (int i = 0; i < p->n_loops; i++) {
        int64_t rest, tile = least_tile(f, i, f->number[i], &rest);
        if (tile == 0)
            return false;
        f->mapping.factor[p->innermost][i] = tile;
        if (f->free_row[i] >= 0)
            f->mapping.factor[f->free_row[i]][i] = rest;
    }
    return true;
}

static bool has_limits(const struct mapper_problem *p, int loop)
{
    bool any = false;

    for (int r = 0; r < p->n_rows; r++)
        any |= p->row[r].fixed[loop] == 0 &&
                (p->row[r].limits[loop].least | p->row[r].limits[loop].most) != 0;
    return any;
}

/* Whether the mapping is legal. One that has gaps is noted: another one with its unrolling may have
 * none. */
static bool is_legal(struct feasibility *f, double pes)
{
    if (sator_mapper_is_legal(&f->problem, f->words, &f->mapping))
        return true;
    if (f->problem.skew != NULL && pes > f->most_gapped_pes &&
            sator_mapper_is_legal(&f->gapped, f->words, &f->mapping))
        f->most_gapped_pes = pes;
    return false;
}

/* Split "left" of loop "i" among the memories from row "row" outward in all ways that its limits
 * leave, and so what is left of the loops after it; those without limits have the least tiles when
 * all of it stands outermost. Whether one way is legal. */
static bool split_limited(struct feasibility *f, double pes, int i, int row, int64_t left)
{
    const struct mapper_problem *p = &f->problem;

    if (f->looks >= MOST_LOOKS)
        return false;
    if (i == p->n_loops) {
        f->looks += p->has_limits; /* else look() counts */
        return is_legal(f, pes);
    }
    if (!has_limits(p, i)) {
        if (f->free_row[i] >= 0)
            f->mapping.factor[f->free_row[i]][i] = left;
        return (f->free_row[i] >= 0 || left == 1) &&
                split_limited(f, pes, i + 1, p->n_rows - 1, f->left[i + 1]);
    }
    while (row >= 0 && (p->row[row].is_space || p->row[row].fixed[i] != 0))
        row--;
    if (row < 0)
        return left == 1 && split_limited(f, pes, i + 1, p->n_rows - 1, f->left[i + 1]);
    for (int k = 0; k < f->n_divisors[i]; k++) {
        int64_t factor = f->divisors[i][k];
        if (left % factor != 0 || !sator_mapper_may_have(p, row, i, factor))
            continue;
        f->mapping.factor[row][i] = factor;
        if (split_limited(f, pes, i, row - 1, left / factor))
            return true;
    }
    return false;
}

static void look(struct feasibility *f, double pes)
{
    const struct mapper_problem *p = &f->problem;

    f->looks++;
    if (pes <= f->most_pes)
        return;
    if (p->imperfect ? place_tiles(f) && is_legal(f, pes)
                     : split_limited(f, pes, 0, p->n_rows - 1, f->left[0])) {
        f->most_pes = pes;
        f->found = f->mapping;
    }
}

static bool is_settled(const struct feasibility *f)
{
    return (f->most_pes > 0 && f->most_pes >= f->needed_pes) || f->looks >= MOST_LOOKS ||
            sator_mapper_watch_has_unknown(f->problem.watch);
}

/* Unroll loops from "loop" on along row "row", then those of the rows further in; "room" is what is
 * free of the row, "beyond" the PEs of the rows after it. */
static void unroll(
        struct feasibility *f, int row, int loop, int64_t room, double beyond, double pes)
{
    const struct mapper_problem *p = &f->problem;

    if (is_settled(f) || pes * (double)room * beyond <= f->most_pes)
        return;
    if (row == p->n_rows) {
        look(f, pes);
        return;
    }
    if (!p->row[row].is_space || loop == p->n_loops) {
        int next = row + 1;
        bool is_space = next < p->n_rows && p->row[next].is_space;
        double shape = is_space ? (double)p->row[next].shape : 1;
        unroll(f, next, 0, is_space ? p->row[next].shape : 1, beyond / shape, pes);
        return;
    }
    int64_t whole = p->imperfect ? p->extent[loop] : f->left[loop];
    bool banned = p->row[row].banned >> loop & 1;
    for (int64_t factor = 1; factor <= whole && factor <= room && !(factor > 1 && banned);
            factor++) {
        if (!p->imperfect && whole % factor != 0)
            continue;
        f->mapping.factor[row][loop] = factor;
        f->left[loop] = p->imperfect ? whole : whole / factor;
        unroll(f, row, loop + 1, room / factor, beyond, pes * (double)factor);
    }
    f->mapping.factor[row][loop] = 1;
    f->left[loop] = whole;
}

/* Forget limits of memories' factors: the least tile of an imperfect problem need not keep them. */
static void forget_limits(struct mapper_problem *p)
{
    for (int r = 0; r < p->n_rows; r++) {
        if (!p->row[r].is_space)
            memset(p->row[r].limits, 0, sizeof p->row[r].limits);
    }
    p->has_limits = false;
}

/* Look for a legal mapping of "problem"; whether there may be one. */
static bool is_feasible(struct feasibility *f, const struct mapper_problem *problem)
{
    memset(f, 0, sizeof *f);
    f->problem = *problem;
    f->problem.least_pes = 0;
    f->needed_pes = problem->least_pes;
    bool forgets = problem->has_limits && problem->imperfect;
    if (forgets)
        forget_limits(&f->problem);
    f->gapped = f->problem;
    f->gapped.skew = NULL;
    sator_mapper_mapping_init(problem, &f->mapping);
    set_fixed(f);
    if (f->broken_loop >= 0)
        return false;
    for (int i = 0; i < problem->n_loops && f->problem.has_limits; i++)
        f->n_divisors[i] =
                sator_mapper_divisors(problem->arena, problem->extent[i], &f->divisors[i]);
    f->words = sator_mapper_words_new(&f->problem);
    unroll(f, 0, 0, 1, (double)problem->pes, 1);
    sator_mapper_words_free(f->words);
    f->words = NULL;
    /* of tiles that are counted the least one need not be the one that fits */
    bool may_be = is_settled(f) || (problem->imperfect && problem->has_counted) ||
            (f->most_gapped_pes > 0 && f->most_gapped_pes >= f->needed_pes);
    f->most_pes = forgets ? 0 : f->most_pes; /* what was found may be beyond the limits */
    return may_be;
}

/* ---- one instance ---- */

/* Whether every memory holds one instance's operands and the outermost one everything: all loops
 * may then stand at the outermost memory. */
static bool has_capacity(struct sator_ctx *ctx, const struct mapper_problem *p)
{
    bool fits = true;

    for (int m = 0; m < p->n_memories; m++) {
        int64_t size[MAPPER_ACCESSES] = {0};
        struct sator_text text = {0};
        const struct sator_level *level = &p->arch->levels[p->memory[m].level];
        for (int a = 0; a < p->n_accesses; a++) {
            if (p->memory[m].holds >> a & 1)
                size[a] = m == 0 ? p->access[a].footprint : p->access[a].instance_words;
        }
        sator_mapper_say_capacities(p, m, size,
                m == 0 ? " for the whole problem" : " for one instance's operands", &text);
        if (text.length > 0) {
            fits = false;
            sator_error(ctx, level->loc, "no mapping: %.*s", (int)text.length - 1, text.data);
            sator_about(ctx, level->name);
        }
        sator_text_clear(&text);
    }
    return fits;
}

/* ---- constraints ---- */

/* Whether the constraints of "which" leave some mapping. */
static bool leaves_some(struct sator_ctx *ctx, struct feasibility *f,
        const struct mapper_problem *plain, const char *const *texts, int n_texts,
        const bool *which)
{
    struct mapper_problem *problem = SATOR_NEW(plain->arena, struct mapper_problem);

    *problem = *plain;
    for (int i = 0; i < n_texts; i++) {
        if (which[i])
            sator_mapper_constrain(ctx, problem, texts[i]); /* read without complaint before */
    }
    return is_feasible(f, problem);
}

/* Whether a mapping was found that has all that was asked for, skews among it. */
static bool has_found(const struct feasibility *f)
{
    return f->most_pes > 0 && f->most_pes >= f->needed_pes && sator_mapper_has_skew(&f->problem);
}

/* How many tiles of "loop", the least or those that are set, are left beside the factors set. */
static void set_left_tiles(struct feasibility *f, int loop)
{
    const struct mapper_problem *p = &f->problem;
    int64_t *tile = &f->mapping.factor[p->innermost][loop], extent = p->extent[loop];

    if (*tile > extent)
        *tile = extent;
    f->left[loop] = sator_mapper_blocks(sator_mapper_blocks(extent, *tile), f->number[loop]);
}

/* What limits ask for together beyond what there is; whether they do. */
static bool say_limits(struct sator_ctx *ctx, const struct mapper_problem *p)
{
    char number[48], other[48];
    bool said = false;

    for (int level = 0; level < p->arch->n_levels; level++) {
        sator_int pes = 1, asked = 1;
        for (int r = 0; r < p->n_rows; r++)
            pes *= p->row[r].is_space && p->row[r].level == level ? p->row[r].shape : 1;
        for (int k = 0; k < p->n_spread_limits; k++) {
            const struct mapper_spread_limits *spread = &p->spread_limits[k];
            if (p->row[__builtin_ctz(spread->rows)].level == level && asked < (sator_int)1 << 60)
                asked *= spread->limits.least;
        }
        if (asked > pes)
            sator_help(ctx, "what is to run in parallel on '%s' takes %s PEs, it has %s",
                    p->arch->levels[level].name, sator_int_format(asked, ',', number),
                    sator_int_format(pes, ',', other));
        said |= asked > pes;
    }
    for (int i = 0; i < p->n_loops; i++) {
        sator_int least = 1;
        for (int r = 0; r < p->n_rows && least < (sator_int)1 << 60; r++) {
            const struct mapper_row *row = &p->row[r];
            least *= row->fixed[i] != 0        ? row->fixed[i]
                    : row->limits[i].least > 1 ? row->limits[i].least
                                               : 1;
        }
        for (int k = 0; k < p->n_spread_limits && least < (sator_int)1 << 60; k++)
            least *= p->spread_limits[k].loop == i ? p->spread_limits[k].limits.least : 1;
        if (least > p->extent[i])
            sator_help(ctx, "the factors of loop '%s' multiply to %s at least, its extent is %lld",
                    p->loop_names[i], sator_int_format(least, ',', number),
                    (long long)p->extent[i]);
        said |= least > p->extent[i];
    }
    return said;
}

/* The inequality that constraints break, after a search that found nothing. */
static void say_obstacle(struct sator_ctx *ctx, struct feasibility *f)
{
    const struct mapper_problem *p = &f->problem;
    struct sator_text text = {0};
    char most[48], all[48], needed[48];

    if (f->broken_loop >= 0) {
        sator_int product = 1;
        for (int r = 0; r < p->n_rows; r++) {
            int64_t fixed = p->row[r].fixed[f->broken_loop];
            product *= fixed == 0 || product > (sator_int)1 << 60 ? 1 : fixed;
        }
        sator_help(ctx, "the factors of loop '%s' multiply to %s, which does not divide %lld",
                p->loop_names[f->broken_loop], sator_int_format(product, ',', all),
                (long long)p->extent[f->broken_loop]);
        return;
    }
    double most_pes = fmax(f->most_pes, f->most_gapped_pes);
    if (most_pes > 0) {
        sator_help(ctx, "at most %s of %s PEs can run in parallel, %s are asked for",
                sator_int_format((sator_int)most_pes, ',', most),
                sator_int_format(p->pes, ',', all),
                sator_int_format((sator_int)ceil(f->needed_pes), ',', needed));
        return;
    }
    if (say_limits(ctx, p))
        return;
    struct mapper_shape shape;
    f->words = sator_mapper_words_new(p);
    for (int i = 0; i < p->n_loops; i++) {
        for (int r = 0; r < p->n_rows; r++)
            f->mapping.factor[r][i] = p->row[r].fixed[i] == 0 ? 1 : p->row[r].fixed[i];
        if (p->imperfect)
            set_left_tiles(f, i);
        if (f->free_row[i] >= 0)
            f->mapping.factor[f->free_row[i]][i] = f->left[i];
        else if (f->left[i] > 1)
            sator_help(ctx,
                    "all memories have set factors of loop '%s': arrays would have to run the "
                    "other %lld iterations in parallel",
                    p->loop_names[i], (long long)f->left[i]);
    }
    sator_mapper_shape_init(p, &f->mapping, &shape);
    for (int m = 0; m < p->n_memories; m++) {
        int64_t size[MAPPER_ACCESSES];
        sator_mapper_tile_sizes(p, f->words, m, shape.inside[p->memory[m].row], size);
        sator_mapper_say_capacities(p, m, size, "", &text);
    }
    if (text.length > 0)
        sator_help(ctx, "%.*s", (int)text.length - 1, text.data);
    sator_text_clear(&text);
    sator_mapper_words_free(f->words);
    f->words = NULL;
}

/* Which constraints are to blame: some that leave nothing together, and none of which can be spared
 * for that, as far as can be told; then each without which something is found. */
static void blame(struct sator_ctx *ctx, struct feasibility *f, const struct mapper_problem *plain,
        const char *const *texts, int n_texts)
{
    bool *which = SATOR_NEW_ARRAY(plain->arena, bool, n_texts);
    struct sator_text others = {0};
    int first = -1;

    memset(which, true, sizeof *which * (size_t)n_texts);
    for (int i = 0; i < n_texts; i++) {
        which[i] = false;
        if (leaves_some(ctx, f, plain, texts, n_texts, which))
            which[i] = true;
    }
    for (int i = 0; i < n_texts; i++) {
        if (which[i] && first < 0)
            first = i;
        else if (which[i])
            sator_text_add(
                    &others, "%s'%s'", others.length == 0 ? " together with " : ", ", texts[i]);
    }
    const struct sator_source *source = sator_source_from_field(ctx, "constraints", texts[first]);
    sator_error(ctx, (struct sator_loc){source, 0, source->length},
            "no mapping of '%s' on '%s' %ssatisfies this%s", plain->workload->name,
            plain->arch->name, sator_mapper_leaves_remainders(plain) ? "that is searched " : "",
            others.data == NULL ? "" : others.data);
    sator_text_clear(&others);
    if (sator_mapper_leaves_remainders(plain))
        sator_help(ctx,
                "not searched: remainders of loops over links of several costs, or beside a tree "
                "for one sum");
    leaves_some(ctx, f, plain, texts, n_texts, which);
    say_obstacle(ctx, f);
    for (int i = 0; i < n_texts; i++) {
        bool *but = SATOR_NEW_ARRAY(plain->arena, bool, n_texts);
        for (int k = 0; k < n_texts; k++)
            but[k] = k != i;
        if (which[i] && leaves_some(ctx, f, plain, texts, n_texts, but) && has_found(f))
            sator_help(ctx, "without '%s' there are valid mappings", texts[i]);
    }
}

bool sator_mapper_is_feasible(const struct mapper_problem *problem)
{
    struct feasibility *f = SATOR_NEW(problem->arena, struct feasibility);

    return is_feasible(f, problem);
}

bool sator_mapper_find_any(const struct mapper_problem *problem, struct mapper_mapping *mapping)
{
    struct feasibility *f = SATOR_NEW(problem->arena, struct feasibility);

    if (!is_feasible(f, problem) || f->most_pes == 0 || f->most_pes < f->needed_pes)
        return false;
    sator_mapper_mapping_init(problem, mapping);
    memcpy(mapping->factor, f->found.factor, sizeof mapping->factor);
    sator_mapper_arrange(problem, mapping);
    return true;
}

enum sator_status sator_mapper_check_feasible(struct sator_ctx *ctx,
        const struct mapper_problem *problem, const struct mapper_problem *plain,
        const char *const *texts, int n_texts)
{
    struct feasibility *f = SATOR_NEW(problem->arena, struct feasibility);

    if (!has_capacity(ctx, plain))
        return SATOR_INFEASIBLE;
    if (n_texts == 0 || is_feasible(f, problem))
        return SATOR_OK;
    blame(ctx, f, plain, texts, n_texts);
    return SATOR_INFEASIBLE;
}
