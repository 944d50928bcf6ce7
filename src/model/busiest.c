/* Which instance of a memory moves most, and what (doc/model.md, section 3).
 *
 * The words of one instance are those of section 4 when every access is cut to the loop instances
 * that run there: { S[n] -> F[f] : space prefix of n = p }. Instances that differ in whole steps of
 * a loop alone move the same, so one of each class is asked: where stamps are made of digits of
 * loops from 0, each apart from the others, and elements move along with the loops, a digit's
 * values below, at and above that of the loop's last iteration are classes. (Of a loop that the
 * domain's conditions join with others each value is one.) What the classes move has to add up to
 * what all instances move; where it does not, or the stamps have another form, every instance is
 * asked, if they are few. Where there is one class, time does not know the digits that tell
 * instances apart, and elements move along with them, all that is moved divided by the instances is
 * what each moves: nothing is asked.
 */
#include "base/checked.h"
#include "model/analysis.h"

#include <string.h>

enum {
    MOST_ASKED = 1024, /* instances or classes of a memory: a 32 x 32 array */
    MOST_SLOW = 256, /* of them where the closed form leaves some to the other engines */
    MOST_DIGITS = 16
};

static const char too_many[] =
        "which of so many instances is the busiest is not known: their mean is taken";

/* One or more instances that move the same. */
struct class
{
    int64_t *coordinates, *last; /* the first and the last of them */
    sator_int size;
    bool is_used, takes_up; /* an instance of the class takes up all its sums by itself */
    struct flow *flows; /* by access, what that instance moves */
};

struct instances {
    int n;
    sator_int n_used;
    bool takes_up; /* what is moved is known: each of them surely takes up all its sums by itself,
                      or one does that otherwise moves as much as any */
    struct class *classes;
    const char *why; /* they cannot be told apart; NULL: they can */
};

/* A digit floor(u / stride) % modulus of a loop, u = 0 .. last; modulus 0: none. */
struct digit {
    int loop;
    int64_t factor, stride, modulus, last;
    int64_t count; /* of its values, 0 .. count - 1 */
    int n_classes;
    int64_t first[4]; /* value of each class, and the end; not where "is_tied": */
    bool is_tied; /* the domain's conditions join the loop with others: each value is a class */
};

struct row {
    int64_t constant;
    int n_digits;
    struct digit digit[MOST_DIGITS];
};

/* ---- digits ---- */

/* Whether "expr" is a loop plus a constant that is 0 at the loop's first iteration. */
static bool is_loop(
        const struct analysis *analysis, const struct sator_expr *expr, struct digit *digit)
{
    const struct sator_workload *w = analysis->workload;

    if (expr->n_terms != 1 || expr->terms[0].atom != SATOR_ATOM_VAR || expr->terms[0].factor != 1)
        return false;
    digit->loop = expr->terms[0].var;
    digit->last = w->upper[digit->loop] - 1 - w->lower[digit->loop];
    return w->lower[digit->loop] + expr->constant == 0;
}

static bool is_floor(
        const struct analysis *analysis, const struct sator_term *term, struct digit *digit)
{
    digit->stride = term->divisor;
    return term->atom == SATOR_ATOM_FLOOR && is_loop(analysis, term->argument, digit);
}

static bool read_digit(
        const struct analysis *analysis, const struct sator_term *term, struct digit *digit)
{
    const struct sator_expr *inner = term->argument;

    *digit = (struct digit){.factor = term->factor, .stride = 1};
    if (term->atom == SATOR_ATOM_VAR) {
        struct sator_term plain = *term;
        const struct sator_expr loop = {.n_terms = 1, .terms = &plain};
        plain.factor = 1;
        return is_loop(analysis, &loop, digit);
    }
    if (term->atom == SATOR_ATOM_FLOOR)
        return is_floor(analysis, term, digit);
    digit->modulus = term->divisor;
    if (is_loop(analysis, inner, digit))
        return true;
    return inner->n_terms == 1 && inner->constant == 0 && inner->terms[0].factor == 1 &&
            is_floor(analysis, &inner->terms[0], digit);
}

static void add_class(struct digit *digit, int64_t end)
{
    if (end > digit->first[digit->n_classes])
        digit->first[++digit->n_classes] = end;
}

/* Values below, at and above the last iteration's; it is like those below when its run is whole. */
static void find_classes(const struct sator_relation *domain, struct digit *digit)
{
    int64_t quotient = digit->last / digit->stride;
    bool whole = (digit->last + 1) % digit->stride == 0;
    bool wraps = digit->modulus > 0 && quotient >= digit->modulus;
    int64_t at = wraps ? quotient % digit->modulus : quotient;

    digit->count = wraps ? digit->modulus : quotient + 1;
    digit->is_tied = sator_set_ties(domain, digit->loop);
    if (digit->is_tied) {
        digit->n_classes = digit->count < MOST_ASKED ? (int)digit->count : MOST_ASKED + 1;
        return;
    }
    if (!whole)
        add_class(digit, at);
    add_class(digit, at + 1);
    add_class(digit, digit->count);
}

/* Whether different digits give different coordinates: a mixed radix, in some order. */
static bool is_injective(const struct row *row)
{
    int64_t reach = 0; /* greatest sum of the digits so far, in ascending order of their factors */
    bool used[MOST_DIGITS] = {false};

    for (int k = 0; k < row->n_digits; k++) {
        int least = -1;
        for (int i = 0; i < row->n_digits; i++) {
            if (!used[i] && (least < 0 || row->digit[i].factor < row->digit[least].factor))
                least = i;
        }
        const struct digit *digit = &row->digit[least];
        used[least] = true;
        if (digit->factor <= reach)
            return false;
        reach += digit->factor * (digit->count - 1);
    }
    return true;
}

static bool read_row(
        const struct analysis *analysis, const struct sator_expr *expr, struct row *row)
{
    row->constant = expr->constant;
    row->n_digits = expr->n_terms;
    if (expr->n_terms > MOST_DIGITS)
        return false;
    for (int i = 0; i < expr->n_terms; i++) {
        if (!read_digit(analysis, &expr->terms[i], &row->digit[i]))
            return false;
        find_classes(analysis->workload->domain, &row->digit[i]);
    }
    return is_injective(row);
}

/* ---- instances ---- */

static bool add_instance(struct analysis *analysis, struct instances *all, int n, const int64_t *at,
        const int64_t *last, sator_int size)
{
    size_t bytes = sizeof *at * (size_t)(n == 0 ? 1 : n);
    struct class made = {.coordinates = sator_arena_copy(analysis->arena, at, bytes),
            .last = sator_arena_copy(analysis->arena, last, bytes),
            .size = size};

    if (all->n == MOST_ASKED)
        return false;
    SATOR_PUSH(analysis->arena, all->classes, all->n, made);
    return true;
}

/* All combinations of the classes of the digits from number "d" of row "r" on. */
static bool add_classes(struct analysis *analysis, struct instances *all, const struct row *rows,
        int n_rows, int r, int d, int64_t *at, int64_t *last, sator_int size)
{
    if (r == n_rows)
        return add_instance(analysis, all, n_rows, at, last, size);
    if (d == 0)
        at[r] = last[r] = rows[r].constant;
    if (d == rows[r].n_digits)
        return add_classes(analysis, all, rows, n_rows, r + 1, 0, at, last, size);
    const struct digit *digit = &rows[r].digit[d];
    int64_t before = at[r], last_before = last[r];
    for (int c = 0; c < digit->n_classes; c++) {
        const int64_t first = digit->is_tied ? c : digit->first[c];
        const int64_t end = digit->is_tied ? c + 1 : digit->first[c + 1];
        at[r] = before + digit->factor * first;
        last[r] = last_before + digit->factor * (end - 1);
        if (!add_classes(analysis, all, rows, n_rows, r, d + 1, at, last, size * (end - first)))
            return false;
    }
    at[r] = before;
    last[r] = last_before;
    return true;
}

static bool find_by_classes(
        struct analysis *analysis, const struct row *rows, int n, struct instances *all)
{
    int64_t *at = SATOR_NEW_ARRAY(analysis->arena, int64_t, n + 1);
    int64_t *last = SATOR_NEW_ARRAY(analysis->arena, int64_t, n + 1);

    return add_classes(analysis, all, rows, n, 0, 0, at, last, 1);
}

/* Whether a digit and another of the same loop are of different decimal places, as it were. */
static bool are_apart(const struct digit *a, const struct digit *b)
{
    const struct digit *fine = a->stride < b->stride ? a : b;
    const struct digit *coarse = a->stride < b->stride ? b : a;

    return fine->loop != coarse->loop ||
            (fine->modulus > 0 && coarse->stride % (fine->stride * fine->modulus) == 0);
}

static bool is_same(const struct digit *a, const struct digit *b)
{
    return a->loop == b->loop && a->stride == b->stride && a->modulus == b->modulus;
}

/* Whether a quotient or remainder moves by a constant with every step of the rows' digits: its
 * argument moves by multiples of the divisor. */
static bool steps_evenly(const struct sator_term *term, const struct row *rows, int n)
{
    for (int t = 0; t < term->argument->n_terms; t++) {
        const struct sator_term *part = &term->argument->terms[t];
        if (part->atom != SATOR_ATOM_VAR)
            return false;
        for (int r = 0; r < n; r++) {
            for (int d = 0; d < rows[r].n_digits; d++) {
                const struct digit *digit = &rows[r].digit[d];
                if (digit->loop == part->var &&
                        part->factor % term->divisor * (digit->stride % term->divisor) %
                                        term->divisor !=
                                0)
                    return false;
            }
        }
    }
    return true;
}

/* Whether all elements of "access" move by a constant with every step of the rows' digits: indices
 * are sums of loops, or quotients that step evenly, the same of its pieces but for constants. */
static bool moves_along(const struct analysis *analysis, const struct sator_relation *access,
        const struct row *rows, int n)
{
    for (int p = 0; p < access->n_pieces; p++) {
        const struct sator_piece *piece = &access->pieces[p];
        if (piece->n_free > 0 || piece->cond->op != SATOR_COND_TRUE)
            return false;
        for (int i = 0; i < access->n_out; i++) {
            const struct sator_expr *gap =
                    sator_expr_add(analysis->arena, piece->out[i], -1, access->pieces[0].out[i]);
            if (gap == NULL || !sator_expr_is_constant(gap))
                return false;
            for (int t = 0; t < piece->out[i]->n_terms; t++) {
                const struct sator_term *term = &piece->out[i]->terms[t];
                if (term->atom != SATOR_ATOM_VAR && !steps_evenly(term, rows, n))
                    return false;
            }
        }
    }
    return true;
}

/* Whether the digits of "expr" are those of the rows, or apart from them. */
static bool keeps_digits(const struct analysis *analysis, const struct sator_expr *expr,
        const struct row *rows, int n)
{
    struct digit other;

    for (int i = 0; i < expr->n_terms; i++) {
        if (!read_digit(analysis, &expr->terms[i], &other))
            return false;
        for (int r = 0; r < n; r++) {
            for (int d = 0; d < rows[r].n_digits; d++) {
                const struct digit *digit = &rows[r].digit[d];
                if (!is_same(digit, &other) && !are_apart(digit, &other))
                    return false;
            }
        }
    }
    return true;
}

/* Whether all digits of the rows are apart from each other: each chooses among the instances alone.
 */
static bool are_independent(const struct row *rows, int n)
{
    for (int r = 0; r < n; r++) {
        for (int d = 0; d < rows[r].n_digits; d++) {
            for (int i = 0; i < (r + 1) * MOST_DIGITS; i++) {
                int row = i / MOST_DIGITS, digit = i % MOST_DIGITS;
                bool before = digit < rows[row].n_digits && (row < r || digit < d);
                if (before && !are_apart(&rows[r].digit[d], &rows[row].digit[digit]))
                    return false;
            }
        }
    }
    return true;
}

/* Whether moving an instance's loop instances by whole steps of its digits, to another instance,
 * changes nothing but constants: of the stamps, and of the elements that "memory" holds. */
static bool are_regular(
        const struct analysis *analysis, const struct memory *memory, const struct row *rows, int n)
{
    const struct sator_piece *time = sator_relation_function(analysis->dataflow->time);
    const struct sator_piece *space = sator_relation_function(analysis->dataflow->space);

    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        if (memory->held[i] &&
                !moves_along(analysis, analysis->workload->accesses[i].relation, rows, n))
            return false;
    }
    for (int t = 0; time != NULL && t < analysis->n_time; t++) {
        if (!keeps_digits(analysis, time->out[t], rows, n))
            return false;
    }
    for (int d = n; d < analysis->n_space; d++) {
        if (!keeps_digits(analysis, space->out[d], rows, n))
            return false;
    }
    return time != NULL && are_independent(rows, n);
}

/* The rows of the memory's space dimensions in digits; NULL when they, or what is moved, have
 * another form. */
static const struct row *read_rows(
        struct analysis *analysis, const struct memory *memory, const struct sator_piece *space)
{
    const int n = memory->space_cut;
    struct row *rows = SATOR_NEW_ARRAY(analysis->arena, struct row, n + 1);

    for (int d = 0; d < n; d++) {
        if (!read_row(analysis, space->out[d], &rows[d]))
            return NULL;
    }
    return are_regular(analysis, memory, rows, n) ? rows : NULL;
}

/* Those that the bounds of the loops let work reach. */
static bool find_one_by_one(struct analysis *analysis, const struct sator_piece *space, int n,
        int d, int64_t *at, struct instances *all)
{
    const struct sator_workload *w = analysis->workload;
    int64_t first, last;

    if (d == n)
        return add_instance(analysis, all, n, at, at, 1);
    int64_t *upper = SATOR_NEW_ARRAY(analysis->arena, int64_t, w->n_loops + 1);
    for (int i = 0; i < w->n_loops; i++)
        upper[i] = w->upper[i] - 1;
    if (!sator_expr_range(space->out[d], w->lower, upper, &first, &last)) {
        first = 0;
        last = analysis->shape[d] - 1;
    }
    last = last < analysis->shape[d] - 1 ? last : analysis->shape[d] - 1;
    for (at[d] = first > 0 ? first : 0; at[d] <= last; at[d]++) {
        if (!find_one_by_one(analysis, space, n, d + 1, at, all))
            return false;
    }
    return true;
}

/* ---- all alike ---- */

/* Whether "expr" is made of digits apart from "digit". */
static bool ignores(
        const struct analysis *analysis, const struct sator_expr *expr, const struct digit *digit)
{
    struct digit other;

    for (int i = 0; i < expr->n_terms; i++) {
        if (!read_digit(analysis, &expr->terms[i], &other) || !are_apart(digit, &other))
            return false;
    }
    return true;
}

static bool are_alike(const struct analysis *analysis, const struct row *rows, int n)
{
    const struct sator_piece *time = sator_relation_function(analysis->dataflow->time);
    const struct sator_piece *space = sator_relation_function(analysis->dataflow->space);

    for (int r = 0; r < n; r++) {
        for (int d = 0; d < rows[r].n_digits; d++) {
            const struct digit *digit = &rows[r].digit[d];
            if (digit->n_classes > 1)
                return false;
            for (int t = 0; time != NULL && t < analysis->n_time; t++) {
                if (!ignores(analysis, time->out[t], digit))
                    return false;
            }
            for (int o = n; o < analysis->n_space; o++) {
                if (!ignores(analysis, space->out[o], digit))
                    return false;
            }
        }
    }
    return time != NULL;
}

/* What one of the memory's instances moves, all being alike; false when it does not divide. */
static enum sator_status share_out(
        struct analysis *analysis, int m, struct instances *all, bool *divides)
{
    const struct memory *memory = &analysis->memories[m];
    struct class *class = &all->classes[0];
    enum sator_status st = SATOR_OK;

    class->flows =
            SATOR_NEW_ARRAY(analysis->arena, struct flow, analysis->workload->n_accesses + 1);
    *divides = true;
    for (int i = 0; i < analysis->workload->n_accesses && *divides; i++) {
        const struct sator_level_tensor *tensor = &memory->tensors[i];
        sator_int fresh = 0;
        if (!memory->held[i])
            continue;
        struct flow *flow = &class->flows[i];
        *divides = memory->entries[i] % class->size == 0 && tensor->updates % class->size == 0;
        *flow = (struct flow){.entries = memory->entries[i] / class->size,
                .updates = tensor->updates / class->size};
        if (tensor->role == SATOR_WRITE) {
            SATOR_TRY(analysis_tile(analysis, 0, memory->space_cut, i, &fresh));
            flow->writes = flow->entries - fresh;
            flow->reads = flow->updates - fresh;
        } else {
            *divides &= tensor->reads % class->size == 0;
            flow->writes = flow->entries;
            flow->reads = tensor->reads / class->size;
        }
    }
done:
    return st;
}

/* ---- what one moves ---- */

/* "access" of the loop instances that run at the instance "at"; NULL where a number does not fit.
 */
static const struct access_part *part_of(struct analysis *analysis,
        const struct sator_relation *access, const struct sator_piece *space, int n,
        const int64_t *at)
{
    struct sator_arena *arena = analysis->arena;
    struct access_part *made = SATOR_NEW(arena, struct access_part);
    const struct sator_cond **kids = SATOR_NEW_ARRAY(arena, const struct sator_cond *, n + 1);
    struct sator_relation *part = sator_arena_copy(arena, access, sizeof *access);
    struct sator_piece *pieces = SATOR_NEW_ARRAY(arena, struct sator_piece, access->n_pieces);

    for (int d = 0; d < n; d++) {
        const struct sator_expr *gap =
                sator_expr_add(arena, space->out[d], -1, sator_expr_constant(arena, at[d]));
        if (gap == NULL)
            return NULL;
        kids[d] = sator_cond_compare(arena, SATOR_COND_EQUAL, gap);
    }
    for (int i = 0; i < access->n_pieces; i++) {
        pieces[i] = access->pieces[i];
        kids[n] = pieces[i].cond;
        pieces[i].cond = sator_cond_and(arena, n + 1, kids);
    }
    part->pieces = pieces;
    *made = (struct access_part){.relation = part, .n_space = n, .at = at};
    return made;
}

static enum sator_status ask(
        struct analysis *analysis, int m, const struct sator_piece *space, struct class *class)
{
    const struct sator_workload *w = analysis->workload;
    const struct memory *memory = &analysis->memories[m];
    struct flow *flows = SATOR_NEW_ARRAY(analysis->arena, struct flow, analysis->n_memories + 1);
    enum sator_status st = SATOR_OK;

    class->flows = SATOR_NEW_ARRAY(analysis->arena, struct flow, w->n_accesses + 1);
    for (int i = 0; i < w->n_accesses; i++) {
        if (!memory->held[i])
            continue;
        const struct access_part *part = part_of(
                analysis, w->accesses[i].relation, space, memory->space_cut, class->coordinates);
        if (part == NULL)
            return SATOR_OVERFLOW;
        SATOR_TRY(analysis_flows(analysis, i, part, flows));
        class->flows[i] = flows[m];
    }
done:
    return st;
}

/* Whether the classes' entries add up to those of all instances. */
static bool adds_up(
        const struct analysis *analysis, const struct memory *memory, const struct instances *all)
{
    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        sator_int sum = 0;
        for (int k = 0; k < all->n && memory->held[i]; k++)
            sum += all->classes[k].size * all->classes[k].flows[i].entries;
        if (memory->held[i] && sum != memory->entries[i])
            return false;
    }
    return true;
}

static bool all_in_closed_form(const struct analysis *analysis)
{
    bool all = true;

    for (int i = 0; i < analysis->n_counters; i++)
        all = all && sator_counter_declined(analysis->counters[i].counter) == NULL;
    return all;
}

static enum sator_status ask_all(
        struct analysis *analysis, int m, const struct sator_piece *space, struct instances *all)
{
    enum sator_status st = SATOR_OK;

    for (int k = 0; k < all->n; k++) {
        if (k > 0 && all->n > MOST_SLOW && !all_in_closed_form(analysis)) {
            *all = (struct instances){.why = too_many};
            return SATOR_OK;
        }
        SATOR_TRY(ask(analysis, m, space, &all->classes[k]));
    }
done:
    return st;
}

/* ---- sums ---- */

/* The coordinates between which instances are in use. */
static void find_span(
        struct analysis *analysis, int n, const struct instances *all, struct model_span *span)
{
    span->least = SATOR_NEW_ARRAY(analysis->arena, int64_t, n + 1);
    span->greatest = SATOR_NEW_ARRAY(analysis->arena, int64_t, n + 1);
    for (int d = 0; d < n; d++) {
        span->least[d] = analysis->shape[d];
        for (int k = 0; k < all->n; k++) {
            const struct class *class = &all->classes[k];
            if (!class->is_used)
                continue;
            if (class->coordinates[d] < span->least[d])
                span->least[d] = class->coordinates[d];
            if (class->last[d] > span->greatest[d])
                span->greatest[d] = class->last[d];
        }
    }
}

/* Whether an instance of "class" takes up its sums of "access" by itself: one of those at the
 * corners of the box that the class spans. */
static enum sator_status has_taker(struct analysis *analysis, int m, int access,
        const struct model_span *span, const struct class *class, bool *result)
{
    const int n = analysis->memories[m].space_cut;
    int64_t *at = SATOR_NEW_ARRAY(analysis->arena, int64_t, n + 1);
    bool is_over = false;
    enum sator_status st = SATOR_OK;

    memcpy(at, class->coordinates, sizeof *at * (size_t)n);
    for (*result = false; !*result && !is_over;) {
        int d = 0;
        SATOR_TRY(analysis_takes_up(analysis, m, access, at, span, result));
        for (; d < n && at[d] == class->last[d]; d++) /* the next corner */
            at[d] = class->coordinates[d];
        is_over = d == n;
        if (!is_over)
            at[d] = class->last[d];
    }
done:
    return st;
}

/* What an instance surely moves of the sums that others may have for it. */
static enum sator_status settle_class(
        struct analysis *analysis, int m, const struct model_span *span, struct class *class)
{
    const struct memory *memory = &analysis->memories[m];
    enum sator_status st = SATOR_OK;

    class->takes_up = class->is_used;
    for (int i = 0; i < analysis->workload->n_accesses && class->is_used; i++) {
        struct flow *flow = &class->flows[i];
        bool is_taker;
        if (!memory->held[i] || analysis->workload->accesses[i].role == SATOR_READ)
            continue;
        SATOR_TRY(has_taker(analysis, m, i, span, class, &is_taker));
        if (is_taker)
            continue;
        class->takes_up = false;
        flow->writes = 0;
        flow->reads = flow->updates > flow->entries ? flow->updates - flow->entries : 0;
    }
done:
    return st;
}

/* Whether an instance of "class" moves no less than any other would by itself. */
static bool moves_most(const struct analysis *analysis, const struct memory *memory,
        const struct instances *all, const struct class *class)
{
    bool most = true;

    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        const bool is_read = analysis->workload->accesses[i].role == SATOR_READ;
        for (int k = 0; k < all->n && memory->held[i]; k++) {
            const struct flow *own = &class->flows[i], *other = &all->classes[k].flows[i];
            most &= own->entries >= other->entries && own->updates >= other->updates &&
                    (!is_read || own->reads >= other->reads);
        }
    }
    return most;
}

static enum sator_status settle(struct analysis *analysis, int m, struct instances *all)
{
    const struct memory *memory = &analysis->memories[m];
    struct model_span span;
    enum sator_status st = SATOR_OK;

    for (int k = 0; k < all->n; k++) {
        struct class *class = &all->classes[k];
        for (int i = 0; i < analysis->workload->n_accesses; i++)
            class->is_used |= memory->held[i] && class->flows[i].entries > 0;
        all->n_used += class->is_used ? class->size : 0;
    }
    find_span(analysis, memory->space_cut, all, &span);
    bool each = true, one = false;
    for (int k = 0; k < all->n; k++) {
        const struct class *class = &all->classes[k];
        SATOR_TRY(settle_class(analysis, m, &span, &all->classes[k]));
        each &= class->takes_up || !class->is_used;
        one |= class->takes_up && moves_most(analysis, memory, all, class);
    }
    all->takes_up = each || one;
done:
    return st;
}

/* Set the memory's instances apart. */
static enum sator_status separate(struct analysis *analysis, int m)
{
    struct memory *memory = &analysis->memories[m];
    const struct sator_piece *space = sator_relation_function(analysis->dataflow->space);
    struct instances *all = SATOR_NEW(analysis->arena, struct instances);
    int64_t *at = SATOR_NEW_ARRAY(analysis->arena, int64_t, memory->space_cut + 1);
    enum sator_status st = SATOR_OK;

    *all = (struct instances){0};
    memory->apart = all;
    if (space == NULL) {
        all->why = "which instance is the busiest is not known, the space-stamp having conditions: "
                   "their mean is taken";
        return SATOR_OK;
    }
    const struct row *rows = read_rows(analysis, memory, space);
    if (rows != NULL && find_by_classes(analysis, rows, memory->space_cut, all)) {
        bool done = false;
        if (all->n == 1 && are_alike(analysis, rows, memory->space_cut))
            SATOR_TRY(share_out(analysis, m, all, &done));
        if (done)
            return SATOR_OK;
        SATOR_TRY(ask_all(analysis, m, space, all));
        if (all->why != NULL || adds_up(analysis, memory, all))
            return SATOR_OK;
    }
    *all = (struct instances){0};
    if (!find_one_by_one(analysis, space, memory->space_cut, 0, at, all)) {
        *all = (struct instances){.why = too_many};
        return SATOR_OK;
    }
    SATOR_TRY(ask_all(analysis, m, space, all));
done:
    return st;
}

static bool add_bits(const struct analysis *analysis, const struct memory *memory,
        const struct sator_lane *lane, int access, const struct flow *flow, sator_int *bits)
{
    const struct sator_access *what = &analysis->workload->accesses[access];
    bool reads = sator_lane_serves(&memory->level->memory, lane, what->tensor, false);
    bool writes = sator_lane_serves(&memory->level->memory, lane, what->tensor, true);
    sator_int words = (reads ? flow->reads : 0) + (writes ? flow->writes + flow->updates : 0), more;

    return sator_mul(words, memory->named->word_bits[access], &more) &&
            sator_add(*bits, more, bits);
}

enum sator_status analysis_busiest(struct analysis *analysis, int m, const struct sator_lane *lane,
        sator_int *bits, const char **why)
{
    struct memory *memory = &analysis->memories[m];

    if (memory->apart == NULL) {
        enum sator_status st = separate(analysis, m);
        if (st == SATOR_OK)
            st = settle(analysis, m, memory->apart);
        if (st != SATOR_OK)
            return st;
    }
    const sator_int together = *bits;
    *bits = 0;
    *why = memory->apart->why;
    for (int k = 0; k < memory->apart->n; k++) {
        sator_int sum = 0;
        for (int i = 0; i < analysis->workload->n_accesses; i++) {
            if (memory->held[i] &&
                    !add_bits(analysis, memory, lane, i, &memory->apart->classes[k].flows[i], &sum))
                return analysis_too_many(analysis, memory);
        }
        *bits = sum > *bits ? sum : *bits;
    }
    sator_int n = memory->apart->n_used; /* the busiest moves no less than the mean */
    if (*why != NULL) { /* of those in use, which are no more than PEs are */
        const sator_int instances = memory->result->instances, pes = analysis->result->active_pes;
        n = pes < instances ? pes : instances;
    }
    if (n > 0 && (*why != NULL || !memory->apart->takes_up) && (together + n - 1) / n > *bits)
        *bits = (together + n - 1) / n;
    return SATOR_OK;
}
