/* Skewed arrays (doc/certificate.md, "Skews"): which skews there are, how long the runs of a part
 * take at least, and at which loops they end.
 *
 * Under a skew s PE p runs a row of time later by s.p, so that a link of offset o and interval h
 * brings what the other PE had g = h - s.o stamps before at its own time: a wire where g is 0.
 */
#include "certificate/cert_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEP = 3, /* of a coefficient */
    MOST_SKEWS = 64
};

struct lister {
    struct sator_arena *arena;
    const struct cert_question *question;
    const char **why;
    struct cert_shape {
        int level, dim;
        int64_t most; /* the greatest coefficient, either way */
        bool is_bused; /* only where words are counted */
        bool is_wanted; /* a constraint says "wanted" */
        int64_t wanted;
    } shape[CERT_ROWS]; /* level -1: a memory's row */
    int n_rows;
    int n_skews;
    struct cert_space *skew;
};

/* Whether the network named for "tensors" carries some tensor of the workload: "writes" 1 one that
 * is written, 0 one that is read, -1 any. */
static bool carries(const struct lister *l, int n, const char *const *tensors, int writes)
{
    const struct sator_workload *w = l->question->workload;
    bool any = false;

    for (int a = 0; a < w->n_accesses; a++) {
        bool named = n == 0;
        for (int i = 0; i < n; i++)
            named |= strcmp(tensors[i], w->accesses[a].tensor) == 0;
        any |= named && (writes < 0 || (w->accesses[a].role == SATOR_WRITE) == (writes == 1));
    }
    return any;
}

bool cert_link_shift(const struct sator_link *link, int dim, int64_t *shift)
{
    const struct sator_piece *piece = sator_relation_function(link->map);

    if (piece == NULL || link->map->n_in != link->map->n_out)
        return false;
    const struct sator_expr *out = piece->out[dim];
    *shift = out->constant;
    return out->n_terms == 1 && out->terms[0].atom == SATOR_ATOM_VAR && out->terms[0].var == dim &&
            out->terms[0].factor == 1;
}

/* Whether words cross once for several PEs along dimension "dim" over the bus; also where its map
 * is no choice of dimensions. */
static bool joins(const struct sator_bus *bus, int dim)
{
    const struct sator_piece *piece = sator_relation_function(bus->map);
    bool kept = false;

    for (int i = 0; piece != NULL && i < bus->map->n_out; i++) {
        const struct sator_expr *out = piece->out[i];
        if (out->n_terms > 1 || (out->n_terms == 1 && out->terms[0].atom != SATOR_ATOM_VAR))
            return true;
        kept |= out->n_terms == 1 && out->terms[0].var == dim;
    }
    return !kept;
}

/* Whether PEs along a dimension share words on a bus, which they want at different times under a
 * skew: these words have no formula. */
static bool is_bused(const struct lister *l, const struct sator_array *array, int dim)
{
    bool any = false;

    for (int i = 0; i < array->n_buses; i++) {
        const struct sator_bus *bus = &array->buses[i];
        any |= carries(l, bus->n_tensors, bus->tensors, bus->is_reduction) && joins(bus, dim);
    }
    return any;
}

/* The greatest coefficient of a dimension: the longest interval of the array's links, 3 at most; 0
 * where some lead no constant distance. */
static int64_t most_step(const struct lister *l, const struct sator_array *array, int dim)
{
    int64_t longest = 0, shift;

    for (int i = 0; i < array->n_links; i++) {
        const struct sator_link *link = &array->links[i];
        if (!carries(l, link->n_tensors, link->tensors, -1))
            continue;
        for (int d = 0; d < array->n_dims; d++) {
            if (!cert_link_shift(link, d, &shift))
                return 0;
        }
        longest = link->interval > longest ? link->interval : longest;
    }
    return array->shape[dim] == 1 ? 0 : longest < MOST_STEP ? longest : MOST_STEP;
}

static enum sator_status list_rows(struct lister *l)
{
    const struct sator_arch *arch = l->question->arch;

    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        int n = level->kind == SATOR_LEVEL_ARRAY ? level->array.n_dims
                                                 : level->kind == SATOR_LEVEL_MEMORY;
        for (int d = 0; d < n; d++) {
            if (l->n_rows == CERT_ROWS) {
                *l->why = "more than 24 memories and array dimensions";
                return SATOR_INPUT;
            }
            struct cert_shape *shape = &l->shape[l->n_rows++];
            *shape = (struct cert_shape){.level = -1};
            if (level->kind == SATOR_LEVEL_ARRAY)
                *shape = (struct cert_shape){.level = i,
                        .dim = d,
                        .most = most_step(l, &level->array, d),
                        .is_bused = is_bused(l, &level->array, d)};
        }
    }
    return SATOR_OK;
}

/* What constraints say of the arrays: one coefficient for each dimension, or 0 for all. False where
 * they ask for a skew of what cannot be skewed. */
static bool take_wanted(struct lister *l)
{
    bool can_be = true;

    const struct cert_question *q = l->question;

    for (int i = 0; i < q->n_constraints; i++) {
        int64_t step[CERT_SHAPES];
        int level, n = cert_limits_skew(q->arch, q->constraints[i], &level, step);
        for (int r = 0; r < l->n_rows && n > 0; r++) {
            if (l->shape[r].level != level)
                continue;
            l->shape[r].is_wanted = true;
            l->shape[r].wanted = l->shape[r].dim < n ? step[l->shape[r].dim] : 0;
            can_be &= l->shape[r].wanted == 0 || !l->shape[r].is_bused;
        }
    }
    return can_be;
}

/* Whether each dimension that is skewed has a link along it which is then a wire, or from the stamp
 * before. */
static bool is_useful(const struct lister *l, const struct cert_space *skew)
{
    const struct sator_arch *arch = l->question->arch;
    unsigned useful = 0, skewed = 0;

    for (int r = 0; r < l->n_rows; r++) {
        const struct cert_shape *shape = &l->shape[r];
        skewed |= skew->step[r] != 0 ? 1U << r : 0;
        if (shape->level < 0 || skew->step[r] == 0)
            continue;
        const struct sator_array *array = &arch->levels[shape->level].array;
        for (int i = 0; i < array->n_links; i++) {
            const struct sator_link *link = &array->links[i];
            int64_t own = 0, shift = 0, late = link->interval;
            bool is_one = carries(l, link->n_tensors, link->tensors, -1);
            for (int d = 0; d < array->n_dims && is_one; d++) {
                is_one = cert_link_shift(link, d, &shift);
                late -= skew->step[r - shape->dim + d] * shift;
                own = d == shape->dim ? shift : own;
            }
            useful |= is_one && own != 0 && (late == 0 || late == 1) ? 1U << r : 0;
        }
    }
    return (skewed & ~useful) == 0;
}

static void list_from(struct lister *l, int row, bool any_wanted, struct cert_space *skew)
{
    if (row == l->n_rows) {
        for (int r = 0; r < l->n_rows; r++)
            skew->is_skewed |= skew->step[r] != 0;
        if (skew->is_skewed && (any_wanted || is_useful(l, skew)))
            SATOR_PUSH(l->arena, l->skew, l->n_skews, *skew);
        skew->is_skewed = false;
        return;
    }
    const struct cert_shape *shape = &l->shape[row];
    int64_t most = shape->is_bused && !l->question->counts ? 0 : shape->most;
    int64_t first = shape->is_wanted ? shape->wanted : -most;
    int64_t last = shape->is_wanted ? shape->wanted : most;
    for (int64_t step = first; step <= last; step++) {
        skew->step[row] = step;
        list_from(l, row + 1, any_wanted, skew);
    }
    skew->step[row] = 0;
}

/* Whether the skew makes some link late, or has it lead from a PE that is ahead. */
static bool makes_late(const struct lister *l, const struct cert_space *skew)
{
    bool any = false;

    for (int r = 0; r < l->n_rows; r++) {
        const struct cert_shape *shape = &l->shape[r];
        if (shape->level < 0 || shape->dim > 0)
            continue;
        const struct sator_array *array = &l->question->arch->levels[shape->level].array;
        for (int i = 0; i < array->n_links; i++) {
            const struct sator_link *link = &array->links[i];
            int64_t late = link->interval, shift;
            bool is_one = carries(l, link->n_tensors, link->tensors, -1);
            for (int d = 0; d < array->n_dims && is_one; d++) {
                is_one = cert_link_shift(link, d, &shift);
                late -= is_one ? skew->step[r + d] * shift : 0;
            }
            any |= is_one && (late < 0 || late > 1);
        }
    }
    return any;
}

/* Whether the loops of the memories outside of what is skewed may be joined: that is directly
 * inside one memory, outside all arrays, with another one outside of it, and no link is late and no
 * bus along it. */
static bool may_join_across(const struct lister *l, const struct cert_space *skew)
{
    const struct sator_arch *arch = l->question->arch;
    int outside = -1, memory = 0;
    bool may = !makes_late(l, skew);

    for (int i = 0; i < arch->n_levels; i++)
        may &= arch->levels[i].kind != SATOR_LEVEL_MEMORY || !arch->levels[i].memory.holds_idle;
    for (int r = 0; r < l->n_rows; r++) {
        memory = l->shape[r].level < 0 ? r : memory;
        if (skew->step[r] == 0)
            continue;
        may &= (outside < 0 || outside == memory) && !l->shape[r].is_bused;
        outside = memory;
    }
    for (int r = 0; r < outside; r++)
        may &= l->shape[r].level < 0;
    return may && outside > 0;
}

enum sator_status cert_list_spaces(struct sator_arena *arena, const struct cert_question *question,
        struct cert_spaces *spaces, const char **why)
{
    struct lister l = {.arena = arena, .question = question, .why = why};
    const unsigned choices = 1U << cert_count_choices(question->workload, question->arch);
    struct cert_space none = {0};
    bool any_wanted = false;

    *spaces = (struct cert_spaces){0};
    *why = NULL;
    if (list_rows(&l) != SATOR_OK)
        return SATOR_INPUT;
    if (!take_wanted(&l)) {
        *why = "a constraint that asks for a skew along a bus";
        return SATOR_INPUT;
    }
    for (int r = 0; r < l.n_rows; r++)
        any_wanted |= l.shape[r].is_wanted && l.shape[r].wanted != 0;
    for (int r = 0; r < l.n_rows; r++)
        spaces->has_bused |= l.shape[r].is_bused && l.shape[r].most > 0 && !l.shape[r].is_wanted;
    list_from(&l, 0, any_wanted, &none);
    if (l.n_skews > MOST_SKEWS) {
        *why = "more than 64 skews";
        return SATOR_INPUT;
    }
    for (int k = any_wanted ? 0 : -1; k < l.n_skews; k++) {
        struct cert_space space = k < 0 ? none : l.skew[k];
        int n = k >= 0 && question->joins_across && may_join_across(&l, &space) ? 2 : 1;
        for (space.choice = 0; space.choice < choices; space.choice++) {
            for (int across = 0; across < n; across++) {
                space.across = across == 1;
                SATOR_PUSH(arena, spaces->space, spaces->n, space);
            }
        }
    }
    return SATOR_OK;
}

const char *cert_space_text(
        struct sator_arena *arena, const struct sator_arch *arch, const struct cert_space *space)
{
    const char *text = sator_arena_printf(arena, "choice %u", space->choice);

    for (int i = 0, row = 0; i < arch->n_levels && space->is_skewed; i++) {
        const struct sator_level *level = &arch->levels[i];
        int n = level->kind == SATOR_LEVEL_ARRAY ? level->array.n_dims : 0;
        if (n > 0)
            text = sator_arena_printf(arena, "%s skew %s", text, level->name);
        for (int d = 0; d < n; d++)
            text = sator_arena_printf(arena, "%s %lld", text, (long long)space->step[row + d]);
        row += n + (level->kind == SATOR_LEVEL_MEMORY);
    }
    return sator_arena_printf(
            arena, "%s%s%s", text, space->across ? " across" : "", space->apart ? " apart" : "");
}

/* ---- how long, and where runs end ---- */

/* How much later the last PE in use directly inside memory "m" runs than the first, as far as the
 * parallel factors are decided. */
static double span(const struct cert_problem *p, const struct cert_part *part, int m)
{
    double sum = 0;

    for (int r = p->memory[m].row + 1; r < p->n_rows && p->row[r].is_space; r++) {
        double used = 1;
        for (int i = 0; i < p->n_loops; i++)
            used *= (double)part->factor[r][i];
        sum += (double)llabs(p->row[r].step) * (used - 1);
    }
    return sum;
}

/* How many times longer PEs run than if all of them had as much to do: where a loop runs in
 * parallel, those with a shorter last tile wait for the others. */
static double waiting(const struct cert_problem *p, const struct cert_part *part)
{
    unsigned arrays = 0, open = 0; /* loops whose parallel factors are not all decided */
    double times = 1;

    for (int r = 0; r < p->n_rows; r++) {
        arrays |= p->row[r].is_space ? 1U << r : 0;
        open |= p->row[r].is_space ? ~part->known[r] : 0;
    }
    for (int i = 0; i < p->n_loops && p->fills; i++) {
        const int64_t pes = cert_spread(p, part, arrays, i);
        if (!(open >> i & 1) && pes > 1) {
            const int64_t each = (cert_extent(p, part, i) + pes - 1) / pes;
            times *= (double)(each * pes) / (double)p->extent[i];
        }
    }
    return times;
}

double cert_stamps(const struct cert_problem *p, const struct cert_part *part)
{
    const unsigned all = (1U << p->n_loops) - 1;
    double known = 1, open = p->instances / cert_used(p, part, p->n_rows), spans = 0;
    bool is_known = part->is_unrolled;

    if (p->fills)
        return open * waiting(p, part);
    for (int m = 0; m < p->n_memories; m++) {
        const int row = p->memory[m].row;
        double own = 1, later = span(p, part, m);
        is_known &= part->known[row] == all && !(part->loose >> row & 1);
        for (int i = 0; i < p->n_loops && is_known; i++)
            own *= (double)part->factor[row][i];
        open /= own;
        spans += is_known ? 0 : later;
        if (is_known) /* the loops of all memories further out are in one run with these */
            known = p->across ? known * own + later : known * (own + later);
    }
    return p->across ? known * open + spans : known * (open + spans);
}

/* A PE begins sums in one stamp of as many as there are steps of the loops that index none of them,
 * or in fewer. */
double cert_computing(const struct cert_problem *p, const struct cert_part *part)
{
    const double used = cert_used(p, part, p->n_rows);
    double steps = 1;
    unsigned indexing = 0, arrays = 0;

    for (int a = 0; a < p->n_tensors; a++)
        indexing |= p->tensor[a].is_output ? p->tensor[a].relevant : 0;
    for (int r = 0; r < p->n_rows; r++)
        arrays |= p->row[r].is_space && part->is_unrolled ? 1U << r : 0;
    for (int i = 0; i < p->n_loops; i++) {
        if (!(indexing >> i & 1))
            steps *= (double)(p->extent[i] / cert_spread(p, part, arrays, i));
    }
    if (!part->is_unrolled)
        steps = fmax(1, steps / used);
    return cert_stamps(p, part) * p->begun_cycles +
            p->instances / used * (1 - 1 / steps) * (p->read_cycles - p->begun_cycles);
}

double cert_cycles(const struct cert_problem *p, const struct cert_part *part)
{
    return cert_computing(p, part) + (p->is_scheduled ? cert_exposed(p, part) : 0);
}

int cert_cold_row(const struct cert_problem *p, const struct cert_part *part, int child_row)
{
    int cold = 0, memory = 0;

    for (int r = 0; r < child_row && !p->across && !p->holds_idle && part->is_unrolled; r++) {
        memory = p->row[r].is_space ? memory : r;
        for (int i = 0; i < p->n_loops && p->row[r].step != 0; i++)
            cold = part->factor[r][i] > 1 ? memory : cold;
    }
    return cold;
}
