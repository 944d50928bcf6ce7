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
    bool is_known;
    sator_int *rows; /* a row of numbers an entry */
};

/* ---- corners ---- */

/* Corner "corner" as a domain; beyond the last one, the point in the middle. */
static const struct sator_relation *make_domain(const struct sator_family *family, int corner)
{
    const struct sator_workload *workload = family->all->question->workload;
    struct sator_arena *arena = family->arena;
    int64_t *upper = SATOR_NEW_ARRAY(arena, int64_t, workload->n_loops + 1);

    for (int l = 0; l < workload->n_loops; l++)
        upper[l] = workload->lower[l] + family->least[l];
    for (int i = 0; i < family->n_loops; i++) {
        const struct family_loop *loop = &family->loops[i];
        int64_t periods = corner == family->n_corners ? loop->width / 2
                : corner >> i & 1                     ? loop->width
                                                      : 0;
        upper[loop->loop] += periods * loop->period;
    }
    return sator_set_box(arena, workload->domain->in_name, workload->n_loops, workload->loop_names,
            workload->lower, upper);
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
        family->domains[c] = make_domain(family, c);
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
static bool find_differences(const struct sator_family *family, int n_numbers, sator_int *rows)
{
    for (int i = 0; i < family->n_loops; i++) {
        for (int c = 0; c < family->n_corners; c++) {
            sator_int *upper = rows + c * n_numbers, *lower = upper - (n_numbers << i);
            if (!(c >> i & 1))
                continue;
            for (int k = 0; k < n_numbers; k++) {
                sator_int rise;
                if (!sator_sub(upper[k], lower[k], &rise) || rise % family->loops[i].width != 0)
                    return false;
                upper[k] = rise / family->loops[i].width;
            }
        }
    }
    return true;
}

/* The numbers "at" so many periods from the least corner. No sum leaves what the numbers and their
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
static bool meets_middle(const struct sator_family *family, int n_numbers, const sator_int *rows,
        const sator_int *middle, sator_int *numbers)
{
    int64_t at[FAMILY_LOOPS];

    for (int i = 0; i < family->n_loops; i++)
        at[i] = family->loops[i].width / 2;
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

/* Ask at all corners and in the middle. */
static enum sator_status learn(
        struct sator_family *family, const struct question *question, struct answer *answer)
{
    const int n = question->n_numbers, n_domains = count_domains(family);
    sator_int *rows = SATOR_NEW_ARRAY(family->arena, sator_int, n * (n_domains + 1));
    enum sator_status st = SATOR_OK;

    answer->rows = rows;
    family->all->n_kept += (size_t)(n * (n_domains + 1));
    for (int c = 0; c < n_domains && st == SATOR_OK; c++)
        st = ask_corner(family, question, c, rows + c * n);
    if (st != SATOR_OK)
        return st == SATOR_INTERRUPTED ? st : SATOR_OK;
    answer->is_known = find_differences(family, n, rows) &&
            (n_domains == family->n_corners ||
                    meets_middle(
                            family, n, rows, rows + family->n_corners * n, rows + n_domains * n));
    return SATOR_OK;
}

enum sator_status sator_family_answer(struct sator_family *family, const struct question *question,
        sator_int *numbers, bool *known)
{
    int64_t at[FAMILY_LOOPS];
    const size_t length = (size_t)question->n_name;
    const struct answer *found = sator_memo_find(family->answers, question->name, length);
    bool is_new;

    *known = false;
    if (found == NULL) {
        struct answer made = {0};
        if (length == 0 || family->all->n_kept > MOST_KEPT)
            return SATOR_OK;
        enum sator_status st = learn(family, question, &made);
        if (st != SATOR_OK)
            return st;
        struct answer *place = sator_memo_place(family->answers, question->name, length, &is_new);
        *place = made;
        found = place;
    }
    if (!found->is_known)
        return SATOR_OK;
    for (int i = 0; i < family->n_loops; i++)
        at[i] = family->loops[i].at;
    evaluate(family, at, question->n_numbers, found->rows, numbers);
    *known = true;
    return SATOR_OK;
}
