/* What is left of each loop in stamps with short last tiles.
 *
 * Of a loop PEs have so many whole blocks of the digits inside, and one of them perhaps the rest of
 * one. A temporal digit's value leaves of each whole block a smaller one, and of the rest a whole
 * one, the rest of one, or nothing; along an array blocks are shared out. So all values of a digit
 * leave the same but for those around the one in which a rest ends.
 */
#include "mapper/phases/phases_left.h"

#include <string.h>

/* Go on inward over rows in which the loop has no temporal digit. */
static void pass_rows(const struct left *left, int loop, int first, int end, struct state *state)
{
    const struct mapper_problem *p = left->nest.phases->problem;

    for (int r = first; r < end; r++) {
        int64_t count = left->mapping->factor[r][loop], block = left->block[r + 1][loop];
        for (int m = 0; m <= p->n_memories && count > 1; m++) {
            struct blocks *b = &state->of[m];
            if (mapper_row_of(p, m) < r)
                *b = (struct blocks){b->whole * count + b->rest / block, b->rest % block};
            else /* the first instance alone */
                *b = b->whole > 0 || b->rest >= block ? (struct blocks){1, 0}
                                                      : (struct blocks){0, b->rest};
        }
    }
}

static int64_t values_of(const struct left *left, const struct state *state, int digit)
{
    const struct blocks *first = &state->of[left->nest.phases->problem->n_memories];
    int64_t block = left->block[left->row[digit] + 1][left->nest.digit[digit].loop];

    return first->whole > 0 ? left->nest.digit[digit].factor : (first->rest + block - 1) / block;
}

static void step(const struct left *left, int digit, int64_t value, struct state *state)
{
    int64_t block = left->block[left->row[digit] + 1][left->nest.digit[digit].loop];

    for (int m = 0; m <= left->nest.phases->problem->n_memories; m++) {
        struct blocks *b = &state->of[m];
        int64_t whole = b->rest / block, rest = b->rest % block;
        b->whole += value < whole;
        b->rest = value == whole ? rest : 0;
    }
}

static uint8_t state_at(struct left *left, const struct state *from, int digit, int64_t value)
{
    int loop = left->nest.digit[digit].loop, n = left->n_states[loop];
    struct state state = *from;

    step(left, digit, value, &state);
    for (int k = 0; k < n; k++) {
        if (memcmp(&left->state[loop][k], &state, sizeof state) == 0)
            return (uint8_t)k;
    }
    if (n == MOST_STATES) {
        left->is_full = true;
        return 0;
    }
    left->state[loop][n] = state;
    left->n_states[loop]++;
    return (uint8_t)n;
}

static void add_cut(int64_t *cuts, int *n, int64_t at, int64_t end)
{
    int k = *n;

    if (at < 0 || at > end)
        return;
    for (int j = 0; j < *n; j++) {
        if (cuts[j] == at)
            return;
    }
    for (; k > 0 && cuts[k - 1] > at; k--)
        cuts[k] = cuts[k - 1];
    cuts[k] = at;
    ++*n;
}

const struct split *sator_mapper_left_split(struct left *left, int digit, uint8_t id)
{
    int loop = left->nest.digit[digit].loop, n_cuts = 0;
    int64_t cuts[4 + 4 * (MAPPER_MEMORIES + 1)];

    if (left->split_of[digit][id] != 0)
        return &left->split[left->split_of[digit][id] - 1];
    if (left->n_splits == MOST_SPLITS) {
        left->is_full = true;
        return NULL;
    }
    struct state state = left->state[loop][id];
    pass_rows(left, loop, left->passed[digit], left->row[digit], &state);
    int64_t count = values_of(left, &state, digit), block = left->block[left->row[digit] + 1][loop];
    add_cut(cuts, &n_cuts, 0, count);
    add_cut(cuts, &n_cuts, 1, count);
    add_cut(cuts, &n_cuts, count - 1, count);
    add_cut(cuts, &n_cuts, count, count);
    for (int m = 0; m <= left->nest.phases->problem->n_memories; m++) {
        int64_t last = state.of[m].rest / block;
        for (int k = -1; k <= 2 && state.of[m].rest > 0; k++)
            add_cut(cuts, &n_cuts, last + k, count);
    }
    if (n_cuts > MOST_CUTS) {
        left->is_full = true;
        return NULL;
    }
    struct split *split = &left->split[left->n_splits++];
    left->split_of[digit][id] = (int16_t)left->n_splits;
    split->n = n_cuts - 1;
    for (int k = 0; k < split->n; k++) {
        int64_t v = cuts[k];
        split->from[k] = v;
        split->count[k] = cuts[k + 1] - v;
        split->now[k] = state_at(left, &state, digit, v);
        split->before[k] = v > 0 ? state_at(left, &state, digit, v - 1) : 0;
        split->next[k] = v < count - 1 ? state_at(left, &state, digit, v + 1) : 0;
    }
    return split;
}

struct blocks sator_mapper_left_at(const struct left *left, int t, int loop, uint8_t id, int m)
{
    struct state state = left->state[loop][id];

    pass_rows(left, loop, left->spread[t][loop].first,
            left->nest.phases->problem->transfer[t].child_row, &state);
    return state.of[m];
}

static void find_spreading(struct left *left, int number, int loop)
{
    const struct mapper_problem *p = left->nest.phases->problem;
    const struct mapper_transfer *t = &p->transfer[number];
    struct spreading *spread = &left->spread[number][loop];

    *spread = (struct spreading){0};
    for (int r = 0; r < t->child_row; r++) {
        bool is_inside = r > p->memory[t->parent].row;
        if (left->mapping->factor[r][loop] == 1)
            continue;
        if (!p->row[r].is_space) {
            spread->first = r + 1;
            spread->gaps |= spread->shared || spread->alone;
        } else if (is_inside)
            *((t->collapsed | t->linked_rows) >> r & 1 ? &spread->shared : &spread->alone) = true;
    }
}

bool sator_mapper_left_open(
        struct left *left, const struct mapper_phases *phases, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = phases->problem;
    int n = 0, cut[MAPPER_MEMORIES + 1];

    left->mapping = mapping;
    sator_mapper_shape_init(p, mapping, &left->shape);
    if (!sator_mapper_phase_digits(&left->nest, phases, mapping, &left->shape, -1, cut))
        return false;
    for (int i = 0; i < p->n_loops; i++) {
        left->block[p->n_rows][i] = 1;
        for (int r = p->n_rows - 1; r >= 0; r--)
            left->block[r][i] = left->block[r + 1][i] * left->mapping->factor[r][i];
        bool is_whole = left->block[0][i] == p->extent[i];
        memset(&left->state[i][0], 0, sizeof left->state[i][0]);
        for (int m = 0; m <= p->n_memories; m++)
            left->state[i][0].of[m] =
                    is_whole ? (struct blocks){1, 0} : (struct blocks){0, p->extent[i]};
        left->n_states[i] = 1;
    }
    for (int t = 0; t < p->n_transfers; t++) {
        for (int i = 0; i < p->n_loops; i++)
            find_spreading(left, t, i);
    }
    for (int m = 0, end; m < p->n_memories; m++) {
        for (end = cut[m + 1]; n < end; n++) {
            left->row[n] = p->memory[m].row;
            left->passed[n] = 0;
            for (int g = 0; g < n; g++)
                left->passed[n] = left->nest.digit[g].loop == left->nest.digit[n].loop
                        ? left->row[g] + 1
                        : left->passed[n];
        }
    }
    memset(left->split_of, 0, sizeof left->split_of);
    left->n_splits = 0;
    left->is_full = false;
    return true;
}
