/* The loop instances of a nest one by one, with numbers for their stamps, PEs and elements; of
 * steps that are alike the first alone (timing_folds.c). */
#include "model/timing/timing.h"

#include "base/checked.h"
#include "relation/explicit.h"

#include <string.h>

enum {
    MOST_INSTANCES = 1 << 21,
    MOST_POINTS = 1 << 23, /* of the loops' values, whether in the domain or not */
    TICKS_PER_INSTANCE = 40
};

bool timing_number_tuple(
        struct timing *timing, const struct sator_relation *map, struct timing_numbering *numbering)
{
    const struct sator_workload *w = timing->analysis->workload;
    int64_t *last = SATOR_NEW_ARRAY(timing->arena, int64_t, w->n_loops + 1);

    for (int i = 0; i < w->n_loops; i++)
        last[i] = w->upper[i] - 1;
    *numbering = (struct timing_numbering){.n = map->n_out,
            .least = SATOR_NEW_ARRAY(timing->arena, int64_t, map->n_out + 1),
            .extent = SATOR_NEW_ARRAY(timing->arena, int64_t, map->n_out + 1),
            .below = SATOR_NEW_ARRAY(timing->arena, int64_t, map->n_out + 1),
            .range = 1};
    for (int d = map->n_out - 1; d >= 0; d--) {
        int64_t least = INT64_MAX, greatest = INT64_MIN;
        for (int p = 0; p < map->n_pieces; p++) {
            int64_t low, high;
            if (!sator_expr_range(map->pieces[p].out[d], w->lower, last, &low, &high))
                return false;
            least = low < least ? low : least;
            greatest = high > greatest ? high : greatest;
        }
        numbering->least[d] = least;
        numbering->extent[d] = greatest - least + 1;
        numbering->below[d + 1] = numbering->range;
        if (__builtin_mul_overflow(numbering->range, numbering->extent[d], &numbering->range))
            return false;
    }
    numbering->below[0] = numbering->range;
    return true;
}

/* The number of the tuple that "piece" gives "point"; -1 when the piece is for other points. */
static int64_t number_of(const struct timing_numbering *numbering, const struct sator_piece *piece,
        const int64_t *point)
{
    int64_t number = 0, value = 0;
    bool holds = true;

    if (!sator_cond_holds(piece->cond, point, &holds) || !holds)
        return -1;
    for (int d = 0; d < numbering->n; d++) {
        sator_expr_value(piece->out[d], point, &value); /* in range: it does not overflow */
        number = number * numbering->extent[d] + (value - numbering->least[d]);
    }
    return number;
}

static int64_t number_in(const struct timing_numbering *numbering, const struct sator_relation *map,
        const int64_t *point)
{
    int64_t number = -1;

    for (int p = 0; p < map->n_pieces && number < 0; p++)
        number = number_of(numbering, &map->pieces[p], point);
    return number;
}

static bool is_inside(const struct sator_relation *domain, const int64_t *point)
{
    bool holds = false;

    for (int p = 0; p < domain->n_pieces && !holds; p++) {
        if (!sator_cond_holds(domain->pieces[p].cond, point, &holds))
            holds = false;
    }
    return holds;
}

/* What is needed to evaluate an instance. */
struct lister {
    struct timing *timing;
    const struct sator_workload *workload;
    struct timing_numbering time, space;
    struct timing_numbering *elements;
    struct timing_list *list;
    struct values { /* of each loop, that are in the list */
        int n;
        int64_t *value;
    } * values;
};

/* The number of a PE is over the arrays' extents, not over the values of the stamps. */
static void number_space(struct lister *lister)
{
    const struct analysis *analysis = lister->timing->analysis;
    struct timing_numbering *space = &lister->space;

    space->range = 1;
    for (int d = analysis->n_space - 1; d >= 0; d--) {
        space->least[d] = 0;
        space->extent[d] = analysis->shape[d];
        space->below[d + 1] = space->range;
        space->range *= analysis->shape[d];
    }
    space->below[0] = space->range;
}

static const char *prepare(struct lister *lister)
{
    struct timing *timing = lister->timing;
    const struct sator_workload *w = lister->workload;
    const struct sator_bound_dataflow *dataflow = timing->analysis->dataflow;

    if (w->lower == NULL || !sator_relation_is_explicit(w->domain) ||
            !sator_relation_is_explicit(dataflow->time) ||
            !sator_relation_is_explicit(dataflow->space))
        return "the domain or the stamps have conditions that cannot be followed one by one";
    if (!timing_number_tuple(timing, dataflow->time, &lister->time) ||
            !timing_number_tuple(timing, dataflow->space, &lister->space))
        return "the time-stamps do not fit into 64 bits";
    number_space(lister);
    lister->elements = SATOR_NEW_ARRAY(timing->arena, struct timing_numbering, w->n_accesses + 1);
    for (int i = 0; i < w->n_accesses; i++) {
        if (!sator_relation_is_explicit(w->accesses[i].relation))
            return "an access has conditions that cannot be followed one by one";
        if (!timing_number_tuple(timing, w->accesses[i].relation, &lister->elements[i]))
            return "the elements do not fit into 64 bits";
    }
    return NULL;
}

static void add_instance(struct lister *lister, const int64_t *point)
{
    const struct sator_bound_dataflow *dataflow = lister->timing->analysis->dataflow;
    struct timing_list *list = lister->list;
    int64_t n = list->n++;

    list->time[n] = number_in(&lister->time, dataflow->time, point);
    list->pe[n] = number_in(&lister->space, dataflow->space, point);
    for (int i = 0; i < lister->workload->n_accesses; i++) {
        const struct sator_relation *access = lister->workload->accesses[i].relation;
        struct timing_elements *elements = &list->elements[i];
        int64_t *own = elements->element + n * elements->n_each;
        for (int p = 0; p < access->n_pieces; p++) {
            own[p] = number_of(&lister->elements[i], &access->pieces[p], point);
            for (int k = 0; k < p; k++)
                own[p] = own[k] == own[p] ? -1 : own[p];
        }
    }
}

static void reserve(struct lister *lister, int64_t n)
{
    struct sator_arena *arena = lister->timing->arena;
    const struct sator_workload *w = lister->workload;
    struct timing_list *list = lister->list;

    list->time = SATOR_NEW_ARRAY(arena, int64_t, n + 1);
    list->pe = SATOR_NEW_ARRAY(arena, int64_t, n + 1);
    for (int i = 0; i < w->n_accesses; i++)
        list->elements[i].element =
                SATOR_NEW_ARRAY(arena, int64_t, n * list->elements[i].n_each + 1);
}

static void open_list(struct lister *lister)
{
    struct sator_arena *arena = lister->timing->arena;
    const struct sator_workload *w = lister->workload;
    struct timing_list *list = lister->list;

    *list = (struct timing_list){.times = 1,
            .n_time = lister->time.n,
            .time_below = lister->time.below,
            .space_below = lister->space.below,
            .pes = lister->space.range,
            .elements = SATOR_NEW_ARRAY(arena, struct timing_elements, w->n_accesses + 1)};
    for (int i = 0; i < w->n_accesses; i++)
        list->elements[i] = (struct timing_elements){
                .n_each = w->accesses[i].relation->n_pieces, .numbering = &lister->elements[i]};
    timing_find_folds(lister->timing, list);
}

/* List the values of each loop, which make "*n" points; false: too many. */
static bool list_values(struct lister *lister, int64_t *n)
{
    const struct sator_workload *w = lister->workload;

    *n = 1;
    lister->values = SATOR_NEW_ARRAY(lister->timing->arena, struct values, w->n_loops + 1);
    for (int i = 0; i < w->n_loops; i++) {
        struct values *values = &lister->values[i];
        const int64_t size = w->upper[i] - w->lower[i];
        for (int64_t v = 0; (v = timing_next_value(lister->list, i, v)) < size; v++) {
            if (values->n == MOST_POINTS)
                return false;
            SATOR_PUSH(lister->timing->arena, values->value, values->n, w->lower[i] + v);
        }
        if (__builtin_mul_overflow(*n, values->n, n) || *n > MOST_POINTS)
            return false;
    }
    return true;
}

/* Visit every point of the loops' listed values that is in the domain. */
static void walk(struct lister *lister, void (*visit)(struct lister *, const int64_t *point))
{
    const struct sator_workload *w = lister->workload;
    int64_t *point = SATOR_NEW_ARRAY(lister->timing->arena, int64_t, w->n_loops + 1);
    int *at = SATOR_NEW_ARRAY(lister->timing->arena, int, w->n_loops + 1);
    int loop = 0;

    for (int i = 0; i < w->n_loops; i++)
        point[i] = lister->values[i].value[0];
    while (loop >= 0) {
        if (w->is_box || is_inside(w->domain, point))
            visit(lister, point);
        for (loop = w->n_loops - 1; loop >= 0; loop--) {
            at[loop] = at[loop] + 1 == lister->values[loop].n ? 0 : at[loop] + 1;
            point[loop] = lister->values[loop].value[at[loop]];
            if (at[loop] > 0)
                break;
        }
    }
}

static void count_instance(struct lister *lister, const int64_t *point)
{
    (void)point;
    lister->list->n++;
}

/* List the instances of "n" points; false: there are too many. */
static bool list_instances(struct lister *lister, int64_t n)
{
    if (!lister->workload->is_box) {
        walk(lister, count_instance);
        n = lister->list->n;
        lister->list->n = 0;
    }
    if (n > MOST_INSTANCES)
        return false;
    reserve(lister, n);
    walk(lister, add_instance);
    return true;
}

enum sator_status timing_list_all(struct timing *timing, struct timing_list *list)
{
    struct lister lister = {.timing = timing, .workload = timing->analysis->workload, .list = list};
    int64_t n;

    timing->why = prepare(&lister);
    if (timing->why != NULL)
        return SATOR_OK;
    open_list(&lister);
    bool fits = list_values(&lister, &n);
    if (fits) {
        enum sator_status st = sator_work(timing->analysis->ctx, (uint64_t)n * TICKS_PER_INSTANCE);
        if (st != SATOR_OK)
            return st;
        fits = list_instances(&lister, n);
    }
    if (!fits)
        timing->why = timing->cut_short != NULL
                ? timing->cut_short
                : "the stamps fall into no classes that are counted, and are too many to be "
                  "followed one by one";
    return SATOR_OK;
}
