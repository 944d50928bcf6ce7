/* Which points of a plan are of one family.
 *
 * An expression steps evenly along a loop when a period of the loop moves it by a constant: all of
 * i%8, i/8, (i+j)/8 step evenly along i, with a period of 8, by 0, 1 and 1. A loop is free where
 * all rows of stamps and elements step evenly along it, space not at all, and the others not where
 * another free loop moves them. What else is in a row blurs where in its loop an instance is, by
 * some periods; a loop is long from a little more than that on. The families are those of the
 * points whose free long loops agree but for whole periods, and whose other loops agree. */
#include "model/families.h"

#include "base/checked.h"
#include "base/memo.h"
#include "model/analysis.h"

#include <limits.h>
#include <string.h>

enum {
    MOST_LOOPS = 32,
    LONGEST = 1 << 20 /* period */
};
#define MOST_EXTENT (INT64_C(1) << 40)
#define MOST_STEP ((sator_int)1 << 60)

/* An expression of a stamp or of an element. */
struct row {
    const struct sator_expr *expr;
    const struct sator_expr *first; /* of the access's first piece, NULL: of a stamp */
    bool is_space;
    int number; /* among those of time */
    int owner; /* the free loop that moves it; -1: none */
};

struct behaviour {
    bool is_free;
    int64_t period;
    int64_t least, greatest; /* extents of all points */
    int first_row; /* of time, that it moves */
    int64_t blur, long_from; /* periods */
};

struct sorter {
    struct sator_arena *arena;
    const struct sator_model *model;
    const struct sator_model_question *question;
    int64_t n_points;
    const int64_t *extents;
    int64_t back; /* stamps that a count looks back */
    int n_loops;
    struct behaviour loops[MOST_LOOPS];
    int n_rows;
    struct row *rows;
};

/* ---- rows ---- */

static void add_row(struct sorter *s, struct row row)
{
    row.owner = -1;
    SATOR_PUSH(s->arena, s->rows, s->n_rows, row);
}

static bool add_stamps(struct sorter *s, const struct sator_relation *map, bool is_space)
{
    const struct sator_piece *piece = sator_relation_function(map);

    for (int i = 0; piece != NULL && i < map->n_out; i++)
        add_row(s, (struct row){.expr = piece->out[i], .is_space = is_space, .number = i});
    return piece != NULL;
}

static bool add_access(struct sorter *s, const struct sator_relation *access)
{
    for (int p = 0; p < access->n_pieces; p++) {
        const struct sator_piece *piece = &access->pieces[p];
        if (piece->n_free > 0 || piece->cond->op != SATOR_COND_TRUE)
            return false;
        for (int i = 0; i < access->n_out; i++)
            add_row(s, (struct row){.expr = piece->out[i], .first = access->pieces[0].out[i]});
    }
    return true;
}

static bool find_rows(struct sorter *s)
{
    const struct sator_workload *workload = s->question->workload;
    bool fine = add_stamps(s, s->question->dataflow->space, true) &&
            add_stamps(s, s->question->dataflow->time, false);

    for (int a = 0; fine && a < workload->n_accesses; a++)
        fine = add_access(s, workload->accesses[a].relation);
    return fine;
}

/* ---- even steps ---- */

/* Multiply "*period" until it moves "expr" by a constant, "*step"; false when it gets too long. */
static bool find_step(const struct sator_expr *expr, int loop, int64_t *period, sator_int *step)
{
    *step = 0;
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        const int64_t before = *period;
        sator_int inner;
        if (term->factor > MOST_EXTENT || term->factor < -MOST_EXTENT)
            return false; /* far from where numbers do not fit */
        if (term->atom == SATOR_ATOM_VAR) {
            *step += term->var == loop ? (sator_int)term->factor * *period : 0;
            continue;
        }
        if (!find_step(term->argument, loop, period, &inner))
            return false;
        int64_t rest = (int64_t)(inner % term->divisor);
        int64_t more = term->divisor / sator_gcd(rest, term->divisor);
        if (more > LONGEST / *period)
            return false;
        *period *= more;
        *step *= *period / before;
        if (term->atom == SATOR_ATOM_FLOOR)
            *step += term->factor * (inner * more / term->divisor);
    }
    return *step<MOST_STEP && * step> - MOST_STEP;
}

/* The step of one of the rows in a period that is known to be one of all of them. */
static sator_int step_of(const struct sator_expr *expr, int loop, int64_t period)
{
    sator_int step;

    find_step(expr, loop, &period, &step);
    return step;
}

static bool steps_evenly(const struct sorter *s, int loop, int64_t *period)
{
    sator_int step;

    *period = 1;
    for (int r = 0; r < s->n_rows; r++) {
        if (!find_step(s->rows[r].expr, loop, period, &step))
            return false;
    }
    for (int r = 0; r < s->n_rows; r++) {
        const struct row *row = &s->rows[r];
        step = step_of(row->expr, loop, *period);
        if ((row->is_space && step != 0) ||
                (row->first != NULL && step_of(row->first, loop, *period) != step))
            return false;
    }
    return true;
}

/* Free "loop" if no row that it moves is another's. */
static void free_loop(struct sorter *s, int loop)
{
    struct behaviour *b = &s->loops[loop];
    bool is_free = steps_evenly(s, loop, &b->period);

    for (int r = 0; r < s->n_rows && is_free; r++)
        is_free = s->rows[r].owner < 0 || step_of(s->rows[r].expr, loop, b->period) == 0;
    for (int r = 0; r < s->n_rows && is_free; r++) {
        if (step_of(s->rows[r].expr, loop, b->period) != 0)
            s->rows[r].owner = loop;
    }
    b->is_free = is_free;
    b->first_row = s->question->dataflow->time->n_out;
    for (int r = s->n_rows - 1; r >= 0 && is_free; r--) {
        const struct row *row = &s->rows[r];
        if (row->owner == loop && !row->is_space && row->first == NULL)
            b->first_row = row->number;
    }
}

/* Of loops that move the same row, the one with more extents is free. */
static void free_loops(struct sorter *s)
{
    bool tried[MOST_LOOPS] = {false};

    for (int n = 0; n < s->n_loops; n++) {
        int next = -1;
        for (int l = 0; l < s->n_loops; l++) {
            const struct behaviour *b = &s->loops[l];
            if (!tried[l] && b->greatest > b->least &&
                    (next < 0 || b->greatest > s->loops[next].greatest))
                next = l;
        }
        if (next < 0)
            return;
        tried[next] = true;
        free_loop(s, next);
    }
}

/* ---- long loops ---- */

/* The most stamps back that a count looks. */
static int64_t look_back(const struct sator_model *model)
{
    int64_t most = 1;

    for (int n = 0; n < model->n_networks; n++) {
        const struct sator_model_network *network = &model->networks[n].network;
        for (int i = 0; i < network->n_links; i++)
            most = network->links[i].interval > most ? network->links[i].interval : most;
    }
    return most;
}

/* How many periods of its owner a row is blurred by: what else is in it, over a period. */
static bool find_blur(const struct sorter *s, const struct row *row, int64_t *blur)
{
    int64_t lower[MOST_LOOPS], upper[MOST_LOOPS], least, greatest, width;

    for (int l = 0; l < s->n_loops; l++) {
        const struct behaviour *b = &s->loops[l];
        lower[l] = s->question->workload->lower[l];
        upper[l] = lower[l] + (b->is_free ? b->period : b->greatest) - 1;
    }
    if (!sator_expr_range(row->expr, lower, upper, &least, &greatest) ||
            __builtin_sub_overflow(greatest, least, &width))
        return false;
    sator_int step = step_of(row->expr, row->owner, s->loops[row->owner].period);
    *blur = (int64_t)(width / (step < 0 ? -step : step));
    return *blur < MOST_EXTENT;
}

/* From how many periods on the counts follow the law: doc/counting.md, "Many extents". */
static bool find_lengths(struct sorter *s)
{
    int64_t time[MOST_LOOPS] = {0}, index[MOST_LOOPS] = {0}; /* the greatest blurs of each loop */

    for (int r = 0; r < s->n_rows; r++) {
        const struct row *row = &s->rows[r];
        int64_t blur;
        if (row->owner < 0)
            continue;
        if (!find_blur(s, row, &blur))
            return false;
        int64_t *most = row->first == NULL ? &time[row->owner] : &index[row->owner];
        *most = blur > *most ? blur : *most;
    }
    for (int l = 0; l < s->n_loops; l++) {
        s->loops[l].blur = time[l] + index[l];
        s->loops[l].long_from = s->loops[l].blur + s->back + 3;
    }
    return true;
}

/* ---- sorting ---- */

static bool is_extent(int64_t extent)
{
    return extent >= 1 && extent <= MOST_EXTENT;
}

static bool is_long(const struct behaviour *b, int64_t extent)
{
    return b->is_free && (extent - 1) / b->period + 1 >= b->long_from;
}

/* What the point has in common with its family; false for one that is none. */
static bool name_point(const struct sorter *s, const int64_t *extents, int64_t *name)
{
    for (int l = 0; l < s->n_loops; l++) {
        const struct behaviour *b = &s->loops[l];
        if (!is_extent(extents[l]))
            return false;
        name[l] = is_long(b, extents[l]) ? extents[l] % b->period : -extents[l];
    }
    return true;
}

static void find_extents(struct sorter *s)
{
    for (int l = 0; l < s->n_loops; l++) {
        struct behaviour *b = &s->loops[l];
        b->least = MOST_EXTENT;
        for (int64_t i = 0; i < s->n_points; i++) {
            int64_t extent = s->extents[i * s->n_loops + l];
            if (!is_extent(extent))
                continue;
            b->least = extent < b->least ? extent : b->least;
            b->greatest = extent > b->greatest ? extent : b->greatest;
        }
    }
}

static struct sator_family *place(
        struct sator_families *all, const int64_t *name, const int64_t *extents)
{
    const size_t size = sizeof *extents * (size_t)all->n_loops;
    bool is_new;
    int *index = sator_memo_place(all->names, name, (size_t)all->n_loops, &is_new);

    if (is_new) {
        struct sator_family made = {.all = all,
                .least = sator_arena_copy(all->arena, extents, size),
                .greatest = sator_arena_copy(all->arena, extents, size)};
        *index = all->n_families;
        SATOR_PUSH(all->arena, all->list, all->n_families, made);
    }
    return &all->list[*index];
}

static void sort(const struct sorter *s, struct sator_families *all)
{
    int64_t name[MOST_LOOPS];

    for (int64_t i = 0; i < s->n_points; i++) {
        const int64_t *extents = &s->extents[i * s->n_loops];
        all->family_of[i] = -1;
        if (!name_point(s, extents, name))
            continue;
        struct sator_family *family = place(all, name, extents);
        all->family_of[i] = (int)(family - all->list);
        family->n_points++;
        for (int l = 0; l < s->n_loops; l++) {
            if (extents[l] < family->least[l])
                family->least[l] = extents[l];
            if (extents[l] > family->greatest[l])
                family->greatest[l] = extents[l];
        }
    }
}

/* See whether the family has enough points, and span their box: two periods long at least, for
 * there is to be a point inside. */
static void span(const struct sorter *s, struct sator_family *family)
{
    struct family_loop loops[FAMILY_LOOPS];
    int n = 0;

    for (int l = 0; l < s->n_loops; l++) {
        const struct behaviour *b = &s->loops[l];
        if (family->least[l] == family->greatest[l])
            continue;
        if (n == FAMILY_LOOPS)
            return;
        int64_t width = (family->greatest[l] - family->least[l]) / b->period;
        family->box.step[n] = 1;
        family->box.width[n] = width < 2 ? 2 : width;
        loops[n++] = (struct family_loop){.loop = l,
                .period = b->period,
                .first_row = b->first_row,
                .n_least = (family->least[l] - 1) / b->period + 1,
                .blur = b->blur};
    }
    const int n_corners = 1 << n;
    if (family->n_points < (n == 0 ? 2 : (n_corners + 1) * 3 / 2))
        return;
    family->n_corners = n_corners;
    family->n_loops = n;
    family->loops = sator_arena_copy(s->arena, loops, sizeof *loops * (size_t)n);
}

/* ---- the whole ---- */

static struct sator_families *make(struct sator_ctx *ctx, const struct sorter *s)
{
    struct sator_families *all = SATOR_NEW(s->arena, struct sator_families);
    bool any = false;

    *all = (struct sator_families){.ctx = ctx,
            .model = s->model,
            .question = s->question,
            .arena = s->arena,
            .n_loops = s->n_loops,
            .back = s->back,
            .n_points = s->n_points};
    all->family_of = SATOR_NEW_ARRAY(s->arena, int, s->n_points + 1);
    all->names = sator_memo_new(sizeof(int));
    sort(s, all);
    for (int f = 0; f < all->n_families; f++) {
        span(s, &all->list[f]);
        any = any || all->list[f].n_corners > 0;
    }
    sator_memo_free(all->names);
    all->names = NULL;
    if (any)
        return all;
    sator_families_free(all);
    return NULL;
}

struct sator_families *sator_families_new(struct sator_ctx *ctx, const struct sator_model *model,
        const struct sator_model_question *question, int64_t n_points, const int64_t *extents)
{
    const struct sator_workload *workload = question->workload;
    const enum sator_engine_choice engine = question->options->engine;

    if (n_points < 2 || n_points >= INT_MAX || workload->n_loops > MOST_LOOPS ||
            !workload->is_box || (engine != SATOR_ENGINE_AUTO && engine != SATOR_ENGINE_CLOSED))
        return NULL;
    struct sorter s = {.arena = sator_arena_new(),
            .model = model,
            .question = question,
            .n_points = n_points,
            .extents = extents,
            .back = look_back(model),
            .n_loops = workload->n_loops};
    find_extents(&s);
    struct sator_families *made = NULL;
    if (find_rows(&s)) {
        free_loops(&s);
        if (find_lengths(&s))
            return make(ctx, &s);
    }
    sator_arena_free(s.arena);
    return made;
}

void sator_families_free(struct sator_families *families)
{
    if (families == NULL)
        return;
    for (int f = 0; f < families->n_families; f++)
        family_close(&families->list[f]);
    sator_memo_free(families->names);
    for (int i = 0; i < FAMILY_COUNTERS; i++)
        sator_counter_free(families->counters[i].counter);
    sator_workspace_free(families->workspace);
    sator_arena_free(families->arena);
}

struct sator_family *sator_families_take(
        struct sator_families *families, int64_t point, const int64_t *extents)
{
    if (families == NULL || families->family_of[point] < 0)
        return NULL;
    struct sator_family *family = &families->list[families->family_of[point]];
    if (family->n_corners == 0)
        return NULL;
    if (family->arena == NULL)
        family_open(family);
    for (int i = 0; i < family->n_loops; i++) {
        struct family_loop *loop = &family->loops[i];
        loop->at = (extents[loop->loop] - family->least[loop->loop]) / loop->period;
    }
    return family;
}
