/* Covers of a space: a tree of decisions, cut where a bound reaches the value that is claimed.
 *
 * Parallel factors are decided one after the other, by row and loop; a line of the certificate
 * names those that are decided in a part, in this order. "cut" is a part that one bound settles,
 * "split" a part whose parallel factors are all decided and which is settled tile by tile, inward
 * or outward: the least of the bounds of these pieces stands for them.
 */
#include "base/context.h"
#include "base/memo.h"
#include "certificate/cert_bound.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_DECISIONS = CERT_ROWS * CERT_LOOPS
};

static const double tolerance = 1e-9; /* energies are sums of decimal figures in binary */
static const uint64_t most_pieces = 200000000; /* of a space */
static const uint64_t first_patience = 8; /* pieces */
static const uint64_t piece_work = 2048; /* of counting words: about that of a bound */

/* How the tiles of an unrolling are decided: from the outermost memory inward, or from the
 * innermost outward. Neither is better everywhere: */
enum way {
    INWARD, /* what the outermost memories move may be most of what mappings differ by */
    OUTWARD, /* small memories may leave few tiles */
    N_WAYS
};

struct cover {
    struct sator_ctx *ctx;
    const struct cert_problem *p;
    double goal; /* a part whose bound reaches it is settled */
    struct cert_part part;
    struct cert_view *view; /* of it */
    struct cert_prices exact; /* where all parallel factors and orders along arrays are decided */
    struct sator_memo *seen[CERT_ROWS]; /* orders along a row, by what they bring */
    int loop[CERT_LOOPS]; /* as tiles are decided: those of few factors first */
    int n_decisions;
    struct decision {
        int row, loop;
    } decision[MOST_DECISIONS];
    struct cert_tally *tally;
    struct sator_text *text; /* writing; or NULL */
    const char *at; /* checking: the next line */
    double deadline; /* of the monotonic clock; INFINITY: none */
    uint64_t most_pieces;
    enum way way; /* the one that led to an end last; while splitting, the one that is tried ... */
    uint64_t patience; /* ... until there are more pieces */
    uint64_t usual; /* those that unrollings took lately */
    int same; /* unrollings in a row that the same way led to an end */
    bool only_whole; /* ends at the first part that is not proved */
    double share, settled; /* of all choices of parallel factors: those of the part; behind it */
    enum sator_status stopped;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The bounds that were asked for, and what counting took. */
static uint64_t pieces(const struct cover *c)
{
    return c->tally->parts + *c->p->counting / piece_work;
}

static bool should_stop(struct cover *c)
{
    if (c->stopped == SATOR_OK && atomic_load(&c->ctx->cancelled))
        c->stopped = SATOR_INTERRUPTED;
    if (c->stopped == SATOR_OK && (pieces(c) > c->most_pieces || now() > c->deadline)) {
        sator_error(c->ctx, (struct sator_loc){0},
                "not certified: the parts take more than %s; bounds so far: %" PRIu64
                ", of the parallel factors %.0f %% are settled",
                now() > c->deadline ? "--budget leaves time for" : "200 million bounds", pieces(c),
                floor(100 * c->settled));
        c->stopped = SATOR_LIMIT;
    }
    if (c->stopped == SATOR_OK && c->only_whole && c->tally->verified < c->tally->total) {
        sator_error(c->ctx, (struct sator_loc){0}, "not certified: a part is not proved");
        c->stopped = SATOR_LIMIT;
    }
    return c->stopped != SATOR_OK;
}

/* ---- pieces of an unrolling ---- */

/* What is left of "loop". */
static int64_t left_of(const struct cover *c, int loop)
{
    int64_t left = cert_extent(c->p, &c->part, loop);

    for (int r = 0; r < c->p->n_rows; r++)
        left /= c->part.factor[r][loop];
    return left;
}

static void split(struct cover *c, int m, double *least);
static void split_tiles(struct cover *c, int m, int k, double *least);

/* The outermost memory has what is left of all loops. Inward, the tiles further in take of it. */
static void take_rest(struct cover *c, double *least)
{
    const int row = c->p->memory[0].row;
    const bool inward = c->way == INWARD;

    for (int i = 0; i < c->p->n_loops; i++)
        c->part.factor[row][i] = left_of(c, i);
    c->part.known[row] = (1U << c->p->n_loops) - 1;
    c->part.loose = inward && c->p->n_memories > 1 ? 1U << row : 0;
    if (cert_fits(c->p, &c->part, c->p->n_memories - 1, 0, 1) && cert_may_be(c->p, &c->part))
        split(c, inward ? 1 : c->p->n_memories, least);
    c->part.loose = c->part.known[row] = 0;
    for (int i = 0; i < c->p->n_loops; i++)
        c->part.factor[row][i] = 1;
}

/* Go on with the tile of memory "m": where there is none, with all orders. */
static void split(struct cover *c, int m, double *least)
{
    const unsigned before = c->part.loose;

    if (m == c->p->n_memories) {
        c->exact.cycles = cert_cycles(c->p, &c->part);
        *least = fmin(*least, cert_bound_leaf(c->p, &c->part, &c->exact, c->goal));
    } else if (m == 0) {
        take_rest(c, least);
    } else {
        if (c->way == INWARD && m + 1 < c->p->n_memories)
            c->part.loose |= 1U << c->p->memory[m].row;
        split_tiles(c, m, 0, least);
        c->part.loose = before;
    }
}

/* Decide what the tile of memory "m" has of the loops from the k-th on. Inward, the memory outside
 * of it keeps the rest. */
static void split_tiles(struct cover *c, int m, int k, double *least)
{
    const int row = c->p->memory[m].row, outer = c->p->memory[m - 1].row;
    const bool inward = c->way == INWARD;
    const unsigned before = c->part.loose;

    if (should_stop(c) || pieces(c) > c->patience)
        return;
    if (k == c->p->n_loops) {
        const int next = inward ? m + 1 : m - 1;
        double bound = 0 < next && next < c->p->n_memories
                ? cert_bound_decided(c->p, c->view, c->goal)
                : 0;
        c->tally->parts++;
        if (bound >= c->goal)
            *least = fmin(*least, bound);
        else
            split(c, next, least);
        return;
    }
    const int loop = c->loop[k];
    const bool fills = c->p->fills && m == c->p->n_memories - 1;
    const int64_t spread = cert_spread(c->p, &c->part, ~0U, loop);
    const int64_t left = inward ? c->part.factor[outer][loop] : left_of(c, loop);
    c->part.known[row] |= 1U << loop;
    if (inward && k == c->p->n_loops - 1)
        c->part.loose &= ~(1U << outer);
    for (int d = (fills ? c->p->n_tiles : c->p->n_divisors)[loop] - 1; d >= 0; d--) {
        int64_t factor = (fills ? c->p->tile : c->p->divisors)[loop][d];
        if (fills ? (c->p->extent[loop] + factor - 1) / factor % spread != 0 : left % factor != 0)
            continue;
        c->part.factor[row][loop] = factor;
        if (inward)
            c->part.factor[outer][loop] = left / factor;
        if (!cert_fits(c->p, &c->part, m, loop, 1) || !cert_may_be(c->p, &c->part))
            continue;
        double bound = left > 1 ? cert_view_bound(c->view, c->goal) : 0;
        c->tally->parts++;
        if (bound >= c->goal)
            *least = fmin(*least, bound);
        else
            split_tiles(c, m, k + 1, least);
    }
    c->part.loose = before;
    c->part.factor[row][loop] = 1;
    if (inward)
        c->part.factor[outer][loop] = left;
    c->part.known[row] &= ~(1U << loop);
}

/* All tiles. Which way needs less is not known before: each is tried in turn, for longer and
 * longer, beginning with the one that led to an end last, and twice what it took; 8 times that
 * where it was the first to do so again and again. */
static void split_time(struct cover *c, double *least)
{
    const bool is_usual = c->same >= 8;
    uint64_t most =
            (c->usual > first_patience / 2 ? 2 * c->usual : first_patience) * (is_usual ? 8 : 1);

    for (int tries = 1; !should_stop(c); tries++) {
        const uint64_t before = pieces(c);
        double found = INFINITY;
        c->way = c->p->fills ? OUTWARD : c->way; /* the innermost tiles say what is left */
        c->patience = before + most;
        split(c, c->way == INWARD ? 0 : c->p->n_memories - 1, &found);
        const uint64_t own = pieces(c) - before;
        if (own <= most) {
            c->same = tries == 1 ? c->same + 1 : 0;
            *least = fmin(*least, found);
            c->usual = own > c->usual / 2 ? own : c->usual / 2;
            return;
        }
        c->way = (c->way + 1) % N_WAYS;
        most *= tries % N_WAYS == 0 ? 2 : 1;
    }
}

/* ---- orders along array dimensions ---- */

static void split_orders(struct cover *c, int row, double *least);

/* The row's loops stand in a known order: bound what is left, and go on where that is not enough.
 */
static void settle_row(struct cover *c, int row, double *least)
{
    if (!cert_order_row(c->p, &c->part, row)) {
        *least = 0; /* nothing is known */
        return;
    }
    if (cert_is_known_order(c->p, &c->part, row, c->seen[row])) {
        c->part.ordered &= ~(1U << row);
        return;
    }
    cert_view_unroll(c->view);
    double bound = c->part.n_along[row] > 1 ? cert_view_bound(c->view, c->goal) : 0;
    c->tally->parts++;
    if (bound >= c->goal)
        *least = fmin(*least, bound);
    else
        split_orders(c, row + 1, least);
    c->part.ordered &= ~(1U << row);
}

/* All orders of the row's loops from the k-th on. */
static void permute(struct cover *c, int row, int k, double *least)
{
    int *along = c->part.along[row], n = c->part.n_along[row];

    if (k >= n - 1) {
        settle_row(c, row, least);
        return;
    }
    for (int j = k; j < n && !should_stop(c); j++) {
        int first = along[j];
        along[j] = along[k];
        along[k] = first;
        permute(c, row, k + 1, least);
        along[k] = along[j];
        along[j] = first;
    }
}

static void split_orders(struct cover *c, int row, double *least)
{
    while (row < c->p->n_rows && !(c->p->row[row].is_space && cert_order_matters(c->p, row)))
        row++;
    if (row < c->p->n_rows) {
        c->seen[row] = sator_memo_new(1);
        cert_list_along(c->p, &c->part, row);
        permute(c, row, 0, least);
        sator_memo_free(c->seen[row]);
        return;
    }
    cert_prices_init(c->p, &c->part, true, &c->exact);
    cert_view_unroll(c->view);
    split_time(c, least);
}

/* The least bound of the pieces of an unrolling; INFINITY where nothing fits. */
static double split_all(struct cover *c)
{
    double least = INFINITY;

    split_orders(c, 0, &least);
    return least;
}

/* ---- parallel factors ---- */

/* Whether the factors of loops "loop" and after can be laid along the dimensions of joined rows. */
static bool can_place(const struct cover *c, const struct cert_row *row, const int64_t *factor,
        int loop, int dim, int64_t rest, int64_t *room)
{
    while (loop < c->p->n_loops && rest == 1) {
        if (++loop < c->p->n_loops)
            rest = factor[loop];
        dim = 0;
    }
    if (loop >= c->p->n_loops)
        return true;
    if (dim == row->n_shapes)
        return false;
    for (int k = c->p->n_divisors[loop] - 1; k >= 0; k--) {
        int64_t d = c->p->divisors[loop][k];
        if (rest % d != 0 || d > room[dim])
            continue;
        int64_t before = room[dim];
        room[dim] /= d;
        bool fits = can_place(c, row, factor, loop, dim + 1, rest / d, room);
        room[dim] = before;
        if (fits)
            return true;
    }
    return false;
}

static bool is_placeable(const struct cover *c)
{
    for (int r = 0; r < c->p->n_rows; r++) {
        const struct cert_row *row = &c->p->row[r];
        int64_t room[CERT_SHAPES];
        memcpy(room, row->shape, sizeof room);
        if (row->is_space &&
                !can_place(c, row, c->part.factor[r], 0, 0, c->part.factor[r][0], room))
            return false;
    }
    return true;
}

static void list_decisions(struct cover *c)
{
    for (int r = c->p->n_rows - 1; r >= 0; r--) {
        for (int i = 0; i < c->p->n_loops && c->p->row[r].is_space; i++)
            c->decision[c->n_decisions++] = (struct decision){r, i};
    }
}

/* Call "visit" with each choice of decision "d" that leaves a mapping; the part has it. */
static void for_each_choice(struct cover *c, int d, void (*visit)(struct cover *c, int d))
{
    int row = c->decision[d].row, loop = c->decision[d].loop;
    const int64_t spread = cert_spread(c->p, &c->part, ~0U, loop); /* so far, all along arrays */
    int64_t used = 1;
    double share = c->share, settled = c->settled;
    int n = c->p->n_divisors[loop];

    c->share /= n;
    for (int i = 0; i < c->p->n_loops; i++)
        used *= c->part.factor[row][i];
    c->part.known[row] |= 1U << loop;
    for (int k = n - 1; k >= 0 && !should_stop(c); k--) {
        int64_t factor = c->p->divisors[loop][k];
        c->settled = settled + (n - 1 - k) * c->share;
        if (factor > c->p->row[row].pes / used || !cert_divides(c->p, loop, spread * factor))
            continue;
        if (factor > 1 && (c->p->row[row].banned >> loop & 1))
            continue;
        c->part.factor[row][loop] = factor;
        if (is_placeable(c)) /* then it is with all others 1, too: the part has a mapping */
            visit(c, d + 1);
    }
    c->share = share;
    c->part.factor[row][loop] = 1;
    c->part.known[row] &= ~(1U << loop);
}

/* All factors of a loop are tried in each part that those before it leave open: the more there are,
 * the later. */
static void order_loops(struct cover *c)
{
    const int *n = c->p->fills ? c->p->n_tiles : c->p->n_divisors;

    for (int i = 0; i < c->p->n_loops; i++) {
        int k = i;
        for (; k > 0 && n[c->loop[k - 1]] > n[i]; k--)
            c->loop[k] = c->loop[k - 1];
        c->loop[k] = i;
    }
}

static void begin(struct cover *c, struct sator_ctx *ctx, const struct cert_problem *p,
        double value, struct cert_tally *tally)
{
    *c = (struct cover){.ctx = ctx,
            .p = p,
            .goal = value * (1 - tolerance),
            .tally = tally,
            .deadline = INFINITY,
            .most_pieces = most_pieces,
            .share = 1};
    for (int r = 0; r < p->n_rows; r++) {
        for (int i = 0; i < p->n_loops; i++)
            c->part.factor[r][i] = 1;
    }
    list_decisions(c);
    order_loops(c);
    c->view = cert_view_new(p->arena, p, &c->part);
}

/* The part's name: what is decided. */
static void write_name(const struct cover *c, int d, struct sator_text *text)
{
    if (d == 0)
        sator_text_put(text, "all");
    for (int k = 0; k < d; k++)
        sator_text_add(text, k == 0 ? "%" PRId64 : ".%" PRId64,
                c->part.factor[c->decision[k].row][c->decision[k].loop]);
}

/* Whether the part is settled by its bound, which is set: infinite where constraints leave nothing.
 */
static bool is_cut(struct cover *c, int d, double *bound)
{
    c->part.is_unrolled = d == c->n_decisions;
    c->tally->parts++;
    *bound = INFINITY;
    if (!cert_may_be(c->p, &c->part))
        return true;
    cert_view_unroll(c->view);
    *bound = cert_view_bound(c->view, c->goal);
    return *bound >= c->goal;
}

/* ---- writing ---- */

static void write_part(struct cover *c, int d)
{
    double bound;

    bool cut = is_cut(c, d, &bound);
    if (!cut && d < c->n_decisions) {
        for_each_choice(c, d, write_part);
        return;
    }
    if (c->stopped != SATOR_OK)
        return;
    sator_text_put(c->text, "  ");
    write_name(c, d, c->text);
    if (!cut)
        bound = split_all(c);
    sator_text_add(c->text, " %s %.12g\n", cut ? "cut" : "split", bound);
    c->tally->total++;
    c->tally->verified += bound >= c->goal;
}

enum sator_status cert_cover_write(struct sator_ctx *ctx, const struct cert_problem *p,
        double value, const struct cert_limits *limits, struct sator_text *text,
        struct cert_tally *tally)
{
    struct cover *c = SATOR_NEW(p->arena, struct cover);

    begin(c, ctx, p, value, tally);
    c->deadline = limits->seconds > 0 ? now() + limits->seconds : INFINITY;
    c->most_pieces = limits->parts > 0 ? limits->parts : most_pieces;
    c->only_whole = limits->only_whole;
    c->text = text;
    write_part(c, 0);
    should_stop(c);
    return c->stopped;
}

/* ---- checking ---- */

/* One line of a certificate. */
struct line {
    const char *name; /* its text begins there */
    int name_length;
    bool is_cut;
    double bound;
};

/* Read the line at "at"; false where there is none of this form. */
static bool read_line(const char *at, struct line *line)
{
    char *end;

    if (strncmp(at, "  ", 2) != 0)
        return false;
    line->name = at + 2;
    line->name_length = (int)strcspn(line->name, " \n");
    at = line->name + line->name_length;
    line->is_cut = strncmp(at, " cut ", 5) == 0;
    if (!line->is_cut && strncmp(at, " split ", 7) != 0)
        return false;
    at += line->is_cut ? 5 : 7;
    line->bound = strtod(at, &end);
    return end != at && (*end == '\n' || *end == '\0');
}

static void note_fault(struct cover *c, int d, const char *what)
{
    struct sator_text name = {0};

    write_name(c, d, &name);
    if (c->tally->first_fault == NULL)
        c->tally->first_fault = sator_arena_printf(c->p->arena, "part %s %s", name.data, what);
    sator_text_clear(&name);
}

static void verify(struct cover *c, int d, const struct line *line)
{
    double bound;

    bool cut = is_cut(c, d, &bound);
    if (!line->is_cut && d == c->n_decisions) {
        bound = split_all(c);
    } else if (!line->is_cut) {
        note_fault(c, d, "is split before its parallel factors are decided");
        return;
    } else if (!cut && bound < c->goal) {
        note_fault(c, d,
                sator_arena_printf(c->p->arena, "has the bound %.12g, below the value", bound));
        return;
    }
    if (!(line->bound >= c->goal) || bound < c->goal)
        note_fault(c, d,
                sator_arena_printf(c->p->arena, "may have mappings of %.12g, below the value",
                        fmin(bound, line->bound)));
    else if (bound < line->bound * (1 - tolerance))
        note_fault(c, d,
                sator_arena_printf(c->p->arena, "claims the bound %.12g; what is found is %.12g",
                        line->bound, bound));
    else
        c->tally->verified++;
}

static void check_part(struct cover *c, int d)
{
    struct sator_text name = {0};
    struct line line;

    write_name(c, d, &name);
    bool found = read_line(c->at, &line);
    int length = (int)name.length;
    bool here = found && line.name_length == length &&
            strncmp(line.name, name.data, (size_t)length) == 0;
    bool below = found && d < c->n_decisions &&
            (d == 0 ||
                    (line.name_length > length && line.name[length] == '.' &&
                            strncmp(line.name, name.data, (size_t)length) == 0));
    sator_text_clear(&name);
    if (here) {
        c->at = strchr(line.name, '\n') == NULL ? "" : strchr(line.name, '\n') + 1;
        c->tally->total++;
        verify(c, d, &line);
    } else if (below) {
        for_each_choice(c, d, check_part);
    } else {
        c->tally->total++;
        note_fault(c, d, "is left out");
    }
}

enum sator_status cert_cover_check(struct sator_ctx *ctx, const struct cert_problem *p,
        double value, const char *lines, const char **end, struct cert_tally *tally)
{
    struct cover *c = SATOR_NEW(p->arena, struct cover);
    struct line extra;

    begin(c, ctx, p, value, tally);
    c->at = lines;
    check_part(c, 0);
    while (c->stopped == SATOR_OK && read_line(c->at, &extra)) {
        tally->total++;
        if (tally->first_fault == NULL)
            tally->first_fault = sator_arena_printf(
                    p->arena, "part %.*s is none of the space", extra.name_length, extra.name);
        c->at = strchr(c->at, '\n') == NULL ? "" : strchr(c->at, '\n') + 1;
    }
    *end = c->at;
    return c->stopped;
}
