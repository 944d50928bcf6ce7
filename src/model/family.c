/* What the points of one family are told: polynomials through the corners of their box.
 *
 * A polynomial that is linear in each of n extents is kept by its differences: entry c of 2^n is
 * the difference along the extents whose bits c has, a period each, at the least corner. */
#include "base/checked.h"
#include "base/memo.h"
#include "model/analysis.h"
#include "model/families.h"

#include <string.h>

enum {
    MOST_CORNERS = 1 << FAMILY_LOOPS,
    MOST_KEPT = 1 << 22 /* numbers of all families together: 64 MB */
};

struct answer {
    bool is_found, is_known;
    int n_asked; /* of a study, until it is found */
    const struct family_box *box; /* whose corners these are: */
    sator_int *rows; /* a row of numbers an entry */
};

/* ---- corners ---- */

/* Where corner "corner" of a box is along loop number "i" of the family, in periods from the least;
 * beyond the last corner, the point in the middle. */
static int64_t find_place(
        const struct sator_family *family, const struct family_box *box, int corner, int i)
{
    int64_t steps = corner == family->n_corners ? box->width[i] / 2
            : corner >> i & 1                   ? box->width[i]
                                                : 0;

    return box->first[i] + steps * box->step[i];
}

/* The workload with the extents of a corner. */
static const struct sator_workload *make_workload(
        const struct sator_family *family, const struct family_box *box, int corner)
{
    const struct sator_workload *workload = family->all->question->workload;
    struct sator_arena *arena = family->arena;
    struct sator_workload *made = sator_arena_copy(arena, workload, sizeof *workload);
    int64_t *upper = SATOR_NEW_ARRAY(arena, int64_t, workload->n_loops + 1);

    for (int l = 0; l < workload->n_loops; l++)
        upper[l] = workload->lower[l] + family->least[l];
    for (int i = 0; i < family->n_loops; i++)
        upper[family->loops[i].loop] +=
                find_place(family, box, corner, i) * family->loops[i].period;
    made->upper = upper;
    made->domain = sator_set_box(arena, workload->domain->in_name, workload->n_loops,
            workload->loop_names, workload->lower, upper);
    return made;
}

/* Corners, and with them the point in the middle where there is one. */
static int count_domains(const struct sator_family *family)
{
    return family->n_loops == 0 ? 1 : family->n_corners + 1;
}

void family_open(struct sator_family *family)
{
    family->arena = sator_arena_new();
    family->answers = sator_memo_new(sizeof(struct answer));
    family->domains =
            SATOR_NEW_ARRAY(family->arena, const struct sator_relation *, count_domains(family));
    for (int c = 0; c < count_domains(family); c++)
        family->domains[c] = make_workload(family, &family->box, c)->domain;
}

void family_close(struct sator_family *family)
{
    if (family->arena == NULL)
        return;
    sator_memo_free(family->answers);
    sator_arena_free(family->arena);
    family->answers = NULL;
    family->arena = NULL;
}

/* ---- polynomials ---- */

/* From values at the corners to differences; false where these are no whole numbers, so that the
 * values are not those of such a polynomial. */
static bool find_differences(const struct sator_family *family, const struct family_box *box,
        int n_numbers, sator_int *rows)
{
    for (int i = 0; i < family->n_loops; i++) {
        for (int c = 0; c < family->n_corners; c++) {
            sator_int *upper = rows + c * n_numbers, *lower = upper - (n_numbers << i);
            if (!(c >> i & 1))
                continue;
            for (int k = 0; k < n_numbers; k++) {
                sator_int rise;
                if (!sator_sub(upper[k], lower[k], &rise) || rise % box->width[i] != 0)
                    return false;
                upper[k] = rise / box->width[i];
            }
        }
    }
    return true;
}

/* The numbers "at" so many steps from the least corner. No sum leaves what the numbers and their
 * differences are elsewhere in the box. */
static void evaluate(const struct sator_family *family, const int64_t *at, int n_numbers,
        const sator_int *rows, sator_int *numbers)
{
    sator_int sums[MOST_CORNERS];

    for (int k = 0; k < n_numbers; k++) {
        for (int c = 0; c < family->n_corners; c++)
            sums[c] = rows[c * n_numbers + k];
        for (int i = family->n_loops - 1; i >= 0; i--) {
            for (int c = 0; c < 1 << i; c++)
                sums[c] += at[i] * sums[c + (1 << i)];
        }
        numbers[k] = sums[0];
    }
}

/* Whether the polynomial through the corners meets the numbers in the middle: then the greatest of
 * several such polynomials is this one throughout. */
static bool meets_middle(const struct sator_family *family, const struct family_box *box,
        int n_numbers, const sator_int *rows, const sator_int *middle, sator_int *numbers)
{
    int64_t at[FAMILY_LOOPS];

    for (int i = 0; i < family->n_loops; i++)
        at[i] = box->width[i] / 2;
    evaluate(family, at, n_numbers, rows, numbers);
    return memcmp(numbers, middle, sizeof *numbers * (size_t)n_numbers) == 0;
}

/* ---- questions ---- */

/* The counter of a corner and the question's prefix, which goes on where it was last asked. The
 * corners of small boxes have several: questions about one memory and about another take turns. */
static struct sator_counter *counter_of(
        const struct sator_family *family, const struct question *question, int corner)
{
    struct sator_families *all = family->all;
    const struct sator_stamping stamping = {.domain = family->domains[corner],
            .space = all->question->dataflow->space,
            .time = all->question->dataflow->time,
            .n_space = question->n_space,
            .n_time = question->n_time,
            .shape = all->model->shape};
    const int n_domains = count_domains(family), n_each = FAMILY_COUNTERS / n_domains;
    const int prefix = question->n_time * (all->model->n_space + 1) + question->n_space;
    struct family_counter *own = &all->counters[corner + prefix % n_each * n_domains];

    if (own->counter == NULL)
        (void)sator_counter_new(all->ctx, SATOR_ENGINE_CLOSED, &stamping, &own->counter);
    else if (own->family != family || own->corner != corner || own->n_time != question->n_time ||
            own->n_space != question->n_space)
        sator_counter_restart(own->counter, all->ctx, SATOR_ENGINE_CLOSED, &stamping);
    own->family = family;
    own->corner = corner;
    own->n_time = question->n_time;
    own->n_space = question->n_space;
    return own->counter;
}

static enum sator_status ask_corner(const struct sator_family *family,
        const struct question *question, int corner, sator_int *numbers)
{
    struct sator_ctx *ctx = family->all->ctx;
    struct sator_counter *counter = counter_of(family, question, corner);
    struct sator_transport transport;
    struct question asked = *question;
    struct sator_hush before;

    if (question->transport != NULL) {
        transport = *question->transport;
        transport.footprint = 0; /* is that of the point */
        asked.transport = &transport;
    }
    sator_ctx_hush(ctx, &before); /* a refusal is an answer */
    enum sator_status st = question_put(&asked, counter, numbers);
    sator_ctx_unhush(ctx, &before);
    return st;
}

/* Room for the numbers of all corners, of the middle, and of what it should be. */
static sator_int *make_rows(struct sator_family *family, int n_numbers)
{
    int n = n_numbers * (count_domains(family) + 1);

    family->all->n_kept += (size_t)n;
    return SATOR_NEW_ARRAY(family->arena, sator_int, n);
}

/* From the numbers at the corners of the answer's box, and in the middle, to the polynomials; false
 * where they are none. */
static bool finish(const struct sator_family *family, int n_numbers, const struct answer *answer)
{
    const int n_domains = count_domains(family);
    sator_int *rows = answer->rows;

    return find_differences(family, answer->box, n_numbers, rows) &&
            (n_domains == family->n_corners ||
                    meets_middle(family, answer->box, n_numbers, rows,
                            rows + family->n_corners * n_numbers, rows + n_domains * n_numbers));
}

/* The answer's numbers at the point that was taken. */
static void tell(const struct sator_family *family, const struct answer *answer, int n_numbers,
        sator_int *numbers)
{
    int64_t at[FAMILY_LOOPS];

    for (int i = 0; i < family->n_loops; i++)
        at[i] = (family->loops[i].at - answer->box->first[i]) / answer->box->step[i];
    evaluate(family, at, n_numbers, answer->rows, numbers);
}

/* Ask at all corners and in the middle. */
static enum sator_status learn(
        struct sator_family *family, const struct question *question, struct answer *answer)
{
    const int n = question->n_numbers, n_domains = count_domains(family);
    enum sator_status st = SATOR_OK;

    answer->rows = make_rows(family, n);
    answer->box = &family->box;
    for (int c = 0; c < n_domains && st == SATOR_OK; c++)
        st = ask_corner(family, question, c, answer->rows + c * n);
    if (st != SATOR_OK)
        return st == SATOR_INTERRUPTED ? st : SATOR_OK;
    answer->is_known = finish(family, n, answer);
    return SATOR_OK;
}

enum sator_status sator_family_answer(struct sator_family *family, const struct question *question,
        sator_int *numbers, bool *known)
{
    const size_t length = (size_t)question->n_name;
    const struct answer *found = sator_memo_find(family->answers, question->name, length);
    bool is_new;

    *known = false;
    if (found == NULL) {
        struct answer made = {.is_found = true};
        if (length == 0 || family->all->n_kept > MOST_KEPT)
            return SATOR_OK;
        enum sator_status st = learn(family, question, &made);
        if (st != SATOR_OK)
            return st;
        struct answer *place = sator_memo_place(family->answers, question->name, length, &is_new);
        *place = made;
        found = place;
    }
    *known = found->is_known;
    if (*known)
        tell(family, found, question->n_numbers, numbers);
    return SATOR_OK;
}

/* ---- studies ---- */

/* From how many periods from the least on a study follows the law (doc/counting.md, "Many
 * extents").
 */
static int64_t studied_from(const struct sator_family *family, const struct family_study *study,
        const struct family_loop *loop)
{
    const int64_t reach = family->all->back + study->looks_around;
    const int64_t periods = loop->blur + 2 * reach + 4;

    return periods > loop->n_least ? periods - loop->n_least : 0;
}

/* The points that lie steps of the study apart from the one that was taken, as a box that has a
 * point inside; false: the study does not follow the law there. */
static bool find_box(
        const struct sator_family *family, const struct family_study *study, struct family_box *box)
{
    for (int i = 0; i < family->n_loops; i++) {
        const struct family_loop *loop = &family->loops[i];
        int64_t from = studied_from(family, study, loop);
        int64_t above = loop->at - from, step = study->step[i];
        if (above < 0)
            return false;
        box->first[i] = from + above % step;
        box->step[i] = step;
        int64_t width = (family->box.width[i] - box->first[i]) / step;
        box->width[i] = width < 2 ? 2 : width;
    }
    return true;
}

/* The study's name among the answers: with the box that it is about. */
static size_t name_study(const struct sator_family *family, const struct family_study *study,
        const struct family_box *box, int64_t *name)
{
    size_t n = 0;

    for (int i = 0; i < study->n_name; i++)
        name[n++] = study->name[i];
    for (int i = 0; i < family->n_loops; i++)
        name[n++] = box->first[i];
    return n;
}

/* How many points of the box have to ask before its corners are: each of these takes as long as a
 * point by itself. Of points that are all alike there are more than enough. */
static int worth(const struct sator_family *family, const struct family_study *study)
{
    bool some = false;

    for (int i = 0; i < family->n_loops; i++)
        some |= study->step[i] > 1;
    return some ? count_domains(family) : 1;
}

static enum sator_status study_corner(struct sator_family *family, const struct family_study *study,
        const struct family_box *box, int corner, sator_int *numbers, bool *known)
{
    int64_t before[FAMILY_LOOPS];
    bool is_inside = true;
    struct sator_hush messages;

    if (family->all->workspace == NULL)
        family->all->workspace = sator_workspace_own();
    for (int i = 0; i < family->n_loops; i++) {
        before[i] = family->loops[i].at;
        family->loops[i].at = find_place(family, box, corner, i);
        is_inside &= family->loops[i].at <= family->box.width[i];
    }
    sator_ctx_hush(family->all->ctx, &messages);
    enum sator_status st = study->find(study->of, make_workload(family, box, corner),
            is_inside ? family : NULL, family->all->workspace, numbers, known);
    sator_ctx_unhush(family->all->ctx, &messages);
    for (int i = 0; i < family->n_loops; i++)
        family->loops[i].at = before[i];
    return st;
}

static enum sator_status learn_study(struct sator_family *family, const struct family_study *study,
        const struct family_box *box, struct answer *answer)
{
    const int n = study->n_numbers;
    bool known = true;

    *answer = (struct answer){.is_found = true,
            .box = sator_arena_copy(family->arena, box, sizeof *box),
            .rows = make_rows(family, n)};
    for (int c = 0; c < count_domains(family) && known; c++) {
        enum sator_status st = study_corner(family, study, box, c, answer->rows + c * n, &known);
        if (st != SATOR_OK)
            return st == SATOR_INTERRUPTED ? st : SATOR_OK;
    }
    answer->is_known = known && finish(family, n, answer);
    return SATOR_OK;
}

enum sator_status sator_family_study(struct sator_family *family, const struct family_study *study,
        sator_int *numbers, bool *known)
{
    int64_t name[QUESTION_NAME + FAMILY_LOOPS];
    struct family_box box = {0};
    bool is_new;

    *known = false;
    if (study->n_name > QUESTION_NAME || family->all->n_kept > MOST_KEPT ||
            !find_box(family, study, &box))
        return SATOR_OK;
    const size_t length = name_study(family, study, &box, name);
    struct answer *answer = sator_memo_place(family->answers, name, length, &is_new);
    if (!answer->is_found && ++answer->n_asked >= worth(family, study)) {
        struct answer made;
        enum sator_status st = learn_study(family, study, &box, &made);
        if (st != SATOR_OK)
            return st;
        answer = sator_memo_place(family->answers, name, length, &is_new); /* it may have moved */
        *answer = made;
    }
    *known = answer->is_known;
    if (*known)
        tell(family, answer, study->n_numbers, numbers);
    return SATOR_OK;
}
