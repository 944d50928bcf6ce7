#define _GNU_SOURCE 1 /* qsort_r */
/* Instances are visited in the order of the nest and kept as rows of numbers: the time-stamp, the
 * place, the elements. Only the smallest stamps that fit are kept at a time; the nest is visited
 * again for those that follow. */
#include "simulate/sorted.h"
#include "base/room.h"
#include "relation/explicit.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROWS = SATOR_ROOM(1 << 19, 8) /* kept at a time, unless one stamp has more */
};

struct sorted {
    struct sator_ctx *ctx;
    const struct walk_question *question;
    int width; /* numbers a row: stamp, place, elements, which of them hold */
    int64_t n, room, most;
    int64_t *rows;
    int64_t *from; /* stamps from here on are still to come */
    bool has_from, is_last;
    int64_t first, end; /* rows of the stamp at hand */
    int64_t *last; /* the stamp before */
    bool begun, given;
    int64_t *places;
    uint64_t *columns[WALK_TOUCHES];
    bool *holds[WALK_TOUCHES];
    int64_t part_room;
};

enum sator_status sorted_new(
        struct sator_ctx *ctx, const struct walk_question *question, struct sorted **sorted)
{
    struct sorted *made = sator_alloc(sizeof *made);

    if (!sator_relation_is_explicit(question->time) ||
            !sator_relation_is_explicit(question->space)) {
        static const struct sator_loc nowhere;
        free(made);
        sator_error(ctx, nowhere,
                "the dataflow's stamps are given by conditions that have to be solved");
        sator_help(ctx, "an execution needs them as expressions of the loops");
        return SATOR_DECLINED;
    }
    *made = (struct sorted){.ctx = ctx,
            .question = question,
            .width = question->n_time + 2 + question->n_touches,
            .most = ROWS};
    size_t stamp = sizeof(int64_t) * (size_t)(question->n_time + 1);
    made->from = sator_alloc(stamp);
    made->last = sator_alloc(stamp);
    *sorted = made;
    return SATOR_OK;
}

void sorted_free(struct sorted *sorted)
{
    if (sorted == NULL)
        return;
    for (int t = 0; t < sorted->question->n_touches; t++) {
        free(sorted->columns[t]);
        free(sorted->holds[t]);
    }
    free(sorted->places);
    free(sorted->rows);
    free(sorted->from);
    free(sorted->last);
    free(sorted);
}

static int compare(const int64_t *a, const int64_t *b, int n)
{
    for (int k = 0; k < n; k++) {
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    }
    return 0;
}

static int compare_rows(const void *a, const void *b, void *n_time)
{
    return compare(a, b, *(const int *)n_time);
}

static void sort(struct sorted *sorted)
{
    int n_time = sorted->question->n_time;

    if (sorted->n > 0 && n_time > 0)
        qsort_r(sorted->rows, (size_t)sorted->n, sizeof(int64_t) * (size_t)sorted->width,
                compare_rows, &n_time);
}

static int64_t *row_at(const struct sorted *sorted, int64_t i)
{
    return sorted->rows + i * sorted->width;
}

/* Keep the rows before the stamp of row "at", or of all that have the first stamp. */
static void keep_first(struct sorted *sorted, int64_t at, int64_t *limit, bool *has_limit)
{
    int n_time = sorted->question->n_time;

    sort(sorted);
    while (at > 0 && compare(row_at(sorted, at), row_at(sorted, at - 1), n_time) == 0)
        at--;
    if (at == 0) { /* one stamp has so many: those after it go */
        while (at < sorted->n && compare(row_at(sorted, at), row_at(sorted, 0), n_time) == 0)
            at++;
        sorted->most *= 2;
    }
    if (at == sorted->n)
        return;
    memcpy(limit, row_at(sorted, at), sizeof(int64_t) * (size_t)n_time);
    *has_limit = true;
    sorted->n = at;
}

static int64_t *new_row(struct sorted *sorted)
{
    if (sorted->n == sorted->room) {
        sorted->room = 2 * sorted->room + 1024;
        sorted->rows = sator_realloc(
                sorted->rows, sizeof(int64_t) * (size_t)sorted->width * (size_t)sorted->room);
    }
    return row_at(sorted, sorted->n);
}

static const struct sator_piece *piece_at(
        const struct sator_relation *relation, const int64_t *point)
{
    for (int p = 0; p < relation->n_pieces; p++) {
        bool holds = false;
        if (sator_cond_holds(relation->pieces[p].cond, point, &holds) && holds)
            return &relation->pieces[p];
    }
    return NULL;
}

static bool stamp_at(const struct sorted *sorted, const int64_t *point, int64_t *row)
{
    const struct walk_question *q = sorted->question;
    const struct sator_piece *time = piece_at(q->time, point), *space = piece_at(q->space, point);
    int64_t place = 0;

    if (time == NULL || space == NULL)
        return false; /* the analysis has found every instance placed */
    for (int k = 0; k < q->n_time; k++) {
        if (!sator_expr_value(time->out[k], point, &row[k]))
            return false;
    }
    for (int d = 0; d < q->n_space; d++) {
        int64_t value;
        if (!sator_expr_value(space->out[d], point, &value))
            return false;
        place = place * q->shape[d] + value;
    }
    row[q->n_time] = place;
    return true;
}

static void add(struct sorted *sorted, const int64_t *point, const int64_t *limit, bool *has_limit,
        int64_t *limit_out)
{
    const struct walk_question *q = sorted->question;
    int64_t *row = new_row(sorted), holds = 0;

    if (!stamp_at(sorted, point, row) ||
            (sorted->has_from && compare(row, sorted->from, q->n_time) < 0) ||
            (*has_limit && compare(row, limit, q->n_time) >= 0))
        return;
    for (int t = 0; t < q->n_touches; t++) {
        uint64_t element;
        holds |= (int64_t)touch_element(&q->touches[t], point, &element) << t;
        row[q->n_time + 1 + t] = (int64_t)element;
    }
    row[q->n_time + 1 + q->n_touches] = holds;
    if (++sorted->n == 2 * sorted->most)
        keep_first(sorted, sorted->most, limit_out, has_limit);
}

static bool next_point(const struct sator_workload *workload, int64_t *point)
{
    for (int l = workload->n_loops - 1; l >= 0; l--) {
        if (++point[l] < workload->upper[l])
            return true;
        point[l] = workload->lower[l];
    }
    return false;
}

/* The stamps that come next, as many as are kept at a time. */
static enum sator_status collect(struct sorted *sorted)
{
    const struct walk_question *q = sorted->question;
    const struct sator_workload *workload = q->workload;
    int64_t *point = sator_alloc(sizeof *point * (size_t)(workload->n_loops + 1));
    int64_t *limit = sator_alloc(sizeof *limit * (size_t)(q->n_time + 1)), visited = 0;
    bool has_limit = false;
    enum sator_status st = SATOR_OK;

    memcpy(point, workload->lower, sizeof *point * (size_t)workload->n_loops);
    sorted->n = 0;
    do {
        if (workload->is_box || touch_is_inside(workload->domain, point))
            add(sorted, point, limit, &has_limit, limit);
        if ((++visited & 0xffff) == 0 && sator_work(sorted->ctx, 1) == SATOR_INTERRUPTED)
            st = SATOR_INTERRUPTED;
    } while (next_point(workload, point) && st == SATOR_OK);
    sort(sorted);
    sorted->is_last = !has_limit;
    sorted->has_from = true;
    if (has_limit)
        memcpy(sorted->from, limit, sizeof *limit * (size_t)q->n_time);
    sorted->first = sorted->end = 0;
    free(point);
    free(limit);
    return st;
}

enum sator_status sorted_next(struct sorted *sorted, int *changed)
{
    int n_time = sorted->question->n_time;

    *changed = -1;
    sorted->first = sorted->end;
    if (!sorted->begun || (sorted->first == sorted->n && !sorted->is_last)) {
        enum sator_status st = collect(sorted);
        if (st != SATOR_OK)
            return st;
    }
    if (sorted->first == sorted->n)
        return SATOR_OK;
    const int64_t *row = row_at(sorted, sorted->first);
    for (sorted->end = sorted->first + 1; sorted->end < sorted->n; sorted->end++) {
        if (compare(row_at(sorted, sorted->end), row, n_time) != 0)
            break;
    }
    *changed = 0;
    while (sorted->begun && *changed < n_time - 1 && row[*changed] == sorted->last[*changed])
        ++*changed;
    sorted->begun = true;
    memcpy(sorted->last, row, sizeof *row * (size_t)n_time);
    sorted->given = false;
    return SATOR_OK;
}

static void part_room(struct sorted *sorted, int64_t n)
{
    if (n <= sorted->part_room)
        return;
    sorted->part_room = 2 * n;
    size_t room = (size_t)sorted->part_room;
    sorted->places = sator_realloc(sorted->places, room * sizeof *sorted->places);
    for (int t = 0; t < sorted->question->n_touches; t++) {
        sorted->columns[t] = sator_realloc(sorted->columns[t], room * sizeof(uint64_t));
        sorted->holds[t] = sator_realloc(sorted->holds[t], room * sizeof(bool));
    }
}

bool sorted_more(struct sorted *sorted, struct walk_part *part)
{
    const struct walk_question *q = sorted->question;
    int64_t n = sorted->end - sorted->first;

    if (sorted->given)
        return false;
    part_room(sorted, n);
    for (int64_t i = 0; i < n; i++) {
        const int64_t *row = row_at(sorted, sorted->first + i);
        sorted->places[i] = row[q->n_time];
        for (int t = 0; t < q->n_touches; t++) {
            sorted->columns[t][i] = (uint64_t)row[q->n_time + 1 + t];
            sorted->holds[t][i] = (row[q->n_time + 1 + q->n_touches] >> t & 1) != 0;
        }
    }
    part->n = n;
    part->place = sorted->places;
    for (int t = 0; t < q->n_touches; t++) {
        part->elements[t] = sorted->columns[t];
        part->holds[t] = sorted->holds[t];
    }
    sorted->given = true;
    return true;
}

void sorted_again(struct sorted *sorted)
{
    sorted->given = false;
}

const int64_t *sorted_stamp(const struct sorted *sorted)
{
    return sorted->last;
}
