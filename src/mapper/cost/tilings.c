/* Transfers as tilings (count/tiled/tiling.h): all digits outside the child's tile, row by row from
 * inside out; compute units have tiles of one iteration.
 *
 * Counted in this way are accesses that are quotients of sums, all transfers where tiles are cut
 * short, and, of whole tiles, what enters PEs in one stamp where words pass on between them.
 */
#include "count/tiled/tiling.h"

#include "mapper/cost/cost.h"
#include "mapper/problem/skew.h"

#include <stdlib.h>
#include <string.h>

struct mapper_tilings {
    const struct mapper_problem *problem;
    struct sator_ctx *ctx;
    /* where PEs share words, and where not; those that stay open while others are counted */
    struct sator_tiling *tiling[MAPPER_TRANSFERS][2], *open[MAPPER_TRANSFERS][2];
    struct sator_tiling *tile[MAPPER_ACCESSES]; /* nothing outside */
};

static void *tilings_new(const struct mapper_problem *problem)
{
    struct mapper_tilings *tilings = sator_alloc(sizeof *tilings);

    *tilings = (struct mapper_tilings){.problem = problem, .ctx = sator_ctx_own()};
    return tilings;
}

static void tilings_free(void *state)
{
    struct mapper_tilings *tilings = state;

    for (int t = 0; t < MAPPER_TRANSFERS; t++) {
        sator_tiling_free(tilings->tiling[t][0]);
        sator_tiling_free(tilings->tiling[t][1]);
        sator_tiling_free(tilings->open[t][0]);
        sator_tiling_free(tilings->open[t][1]);
    }
    for (int a = 0; a < MAPPER_ACCESSES; a++)
        sator_tiling_free(tilings->tile[a]);
    sator_ctx_free(tilings->ctx);
    free(tilings);
}

static struct mapper_tilings *tilings_of(struct mapper_words *words)
{
    return sator_mapper_words_state(words, MAPPER_KEEPS_TILINGS, tilings_new, tilings_free);
}

/* The tiling of access "a" in "slot", made when it is first asked for. */
static struct sator_tiling *find_tiling(
        const struct mapper_tilings *tilings, struct sator_tiling **slot, int a)
{
    if (*slot != NULL)
        return *slot;
    const struct mapper_problem *p = tilings->problem;
    const struct mapper_access *access = &p->access[a];
    struct sator_tiling_index index[MAPPER_INDICES];

    for (int e = 0; e < access->n_indices; e++) {
        const struct mapper_index *i = &access->index[e];
        const struct mapper_joint *joint = i->joint;
        index[e] = (struct sator_tiling_index){i->n_parts, i->loop, i->coef,
                i->divisor == 0 ? 1 : i->divisor, joint == NULL ? 1 : joint->n_places,
                joint == NULL ? &i->constant : joint->place};
    }
    *slot = sator_tiling_new(tilings->ctx, p->n_loops, p->extent, access->n_indices, index);
    return *slot;
}

int64_t sator_mapper_tiling_most(struct mapper_words *words, int access, const int64_t *tile)
{
    struct mapper_tilings *tilings = tilings_of(words);
    struct sator_tiling *tiling = find_tiling(tilings, &tilings->tile[access], access);

    sator_tiling_begin(tiling, tile);
    int64_t most = sator_tiling_most(tiling);
    return most == TILING_UNKNOWN ? INT64_MAX : most; /* it fits nowhere */
}

/* How the PEs along row "r" share the words of a transfer. */
static enum sator_tiling_pes pes_of(const struct mapper_sharing *sharing, int r, int loop)
{
    if (sharing->alone != NULL && r < sharing->alone->row)
        return sharing->alone->last >> loop & 1 ? TILING_LAST : TILING_FIRST;
    if (!(sharing->rows >> r & 1))
        return TILING_APART;
    return sharing->n_ways > 0 ? TILING_JOINED : TILING_SHARED;
}

/* Say what divides loops on row "r", from inside out. */
static void divide_row(struct sator_tiling *tiling, const struct mapper_problem *p,
        const struct mapper_mapping *mapping, const struct mapper_sharing *sharing, int r)
{
    bool is_space = p->row[r].is_space;

    for (int k = p->n_loops - 1; k >= 0; k--) {
        int i = is_space ? mapping->along[r][k] : k;
        int64_t factor = mapping->factor[r][i];
        if (factor == 1)
            continue;
        enum sator_tiling_pes pes = is_space ? pes_of(sharing, r, i) : TILING_APART;
        if (!is_space)
            sator_tiling_divide(tiling, i, factor);
        else if (pes == TILING_JOINED)
            sator_tiling_spread_along(tiling, i, factor, r);
        else
            sator_tiling_spread(tiling, i, factor, pes);
    }
}

/* Join the PEs by the ways of the transfer from "first" to before "end", those of buses over some
 * of "rows"; "net" says the rest. */
static void join(struct sator_tiling *tiling, const struct mapper_problem *p,
        const struct mapper_transfer *t, int first, int end, unsigned rows,
        struct sator_tiling_net *net)
{
    struct sator_tiling_link link[MAPPER_SOURCES];
    unsigned bus_rows[MAPPER_ROWS];
    int64_t shape[MAPPER_ROWS];

    for (int i = first; i < end && i < t->n_passes; i++) {
        int interval = t->passes[i].interval;
        if (!t->passes[i].is_idle)
            link[net->n_links++] = (struct sator_tiling_link){
                    interval < 0 ? MAPPER_LATEST - interval : interval, t->passes[i].shift};
    }
    for (int i = t->n_passes; i < end; i++)
        bus_rows[net->n_buses++] = t->bus_rows[i - t->n_passes] & rows;
    for (int r = 0; r < t->child_row; r++)
        shape[r] = p->row[r].shape;
    net->n_rows = t->child_row;
    net->link = link;
    net->bus_rows = bus_rows;
    net->bus_of = t->bus_of;
    net->shape = shape;
    sator_tiling_join(tiling, net);
}

struct sator_tiling *sator_mapper_tiling_open(struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int transfer,
        const struct mapper_sharing *sharing, bool stays)
{
    struct mapper_tilings *tilings = tilings_of(words);
    const struct mapper_problem *p = tilings->problem;
    const struct mapper_transfer *t = &p->transfer[transfer];
    struct sator_tiling **slot = stays ? tilings->open[transfer] : tilings->tiling[transfer];
    struct sator_tiling *tiling = find_tiling(tilings, &slot[sharing->rows != 0], t->access);

    sator_tiling_begin(
            tiling, t->child == p->n_memories ? mapper_ones : shape->inside[t->child_row]);
    for (int r = t->child_row - 1; r >= 0; r--)
        divide_row(tiling, p, mapping, sharing, r);
    if (sharing->n_ways > 0)
        join(tiling, p, t, 0, sharing->n_ways, sharing->rows,
                &(struct sator_tiling_net){.held = 3});
    return tiling;
}

int64_t sator_mapper_tiling_entering(
        struct mapper_words *words, const struct mapper_walk *walk, const struct mapper_past *past)
{
    struct mapper_tilings *tilings = tilings_of(words);
    const struct mapper_access *access = walk->access;
    int a = walk->transfer->access;
    struct sator_tiling *tiling = find_tiling(tilings, &tilings->tile[a], a);
    int64_t covered[MAPPER_LOOPS];
    const int64_t *moved[MAPPER_PAST];

    memcpy(covered, mapper_ones, sizeof covered);
    for (int e = 0; e < access->n_indices; e++) {
        const struct mapper_index *index = &access->index[e];
        for (int i = 0; i < index->n_parts && index->closed != 1; i++)
            covered[index->loop[i]] = walk->steps[e].tile[i];
    }
    sator_tiling_begin(tiling, covered);
    for (int k = walk->n_net_digits - 1; k >= 0; k--) {
        const struct mapper_net_digit *d = &walk->net_digit[k];
        bool slides = d->index >= 0 && access->index[d->index].closed != 1;
        int64_t step = slides ? d->step / access->coef_of[d->loop] : 0;
        if (d->count == 1)
            continue;
        if (step >
                covered[d->loop]) /* other loops lie between; it does not matter where they are */
            sator_tiling_spread(tiling, d->loop, step / covered[d->loop], TILING_FIRST);
        sator_tiling_spread_along(tiling, d->loop, d->count, d->row);
        covered[d->loop] = (slides ? step : covered[d->loop]) * d->count;
    }
    join(tiling, tilings->problem, walk->transfer, walk->first_way, walk->n_ways, ~0U,
            &(struct sator_tiling_net){.is_stamp = true,
                    .number = walk->number << 16 | walk->first_way << 8 | walk->n_ways,
                    .held = 1 | past->held << 1});
    for (int k = 0; k < MAPPER_PAST; k++)
        moved[k] = past->shift[k];
    return sator_tiling_entering(tiling, moved);
}

int64_t sator_mapper_tiling_words(struct mapper_words *words, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int transfer, const struct mapper_sharing *sharing)
{
    const struct mapper_problem *p = sator_mapper_words_problem(words);
    struct sator_tiling *tiling =
            sator_mapper_tiling_open(words, mapping, shape, transfer, sharing, false);
    int64_t crossing = sator_tiling_all(tiling);
    int cold_row = sator_mapper_cold_row(p, shape, &p->transfer[transfer]);

    for (int r = p->transfer[transfer].child_row - 1; r >= cold_row; r--) {
        for (int k = p->n_loops - 1; k >= 0 && !p->row[r].is_space; k--) {
            int loop = mapping->order[p->row[r].memory][k];
            if (mapping->factor[r][loop] == 1 || crossing == TILING_UNKNOWN)
                continue;
            int64_t kept = sator_tiling_step(tiling, loop);
            crossing = kept == TILING_UNKNOWN ? TILING_UNKNOWN : crossing - kept;
        }
    }
    return crossing;
}

int64_t sator_mapper_tiling_touched(struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int access,
        const struct mapper_alone *alone)
{
    struct mapper_tilings *tilings = tilings_of(words);
    const struct mapper_problem *p = tilings->problem;
    struct sator_tiling *tiling = find_tiling(tilings, &tilings->tile[access], access);

    sator_tiling_begin(tiling, shape->inside[alone->row]);
    for (int r = alone->row - 1; r >= 0; r--) {
        for (int k = p->n_loops - 1; k >= 0; k--) {
            int i = p->row[r].is_space ? mapping->along[r][k] : k;
            enum sator_tiling_pes pes = !p->row[r].is_space ? TILING_SHARED
                    : alone->last >> i & 1                  ? TILING_LAST
                                                            : TILING_FIRST;
            if (mapping->factor[r][i] > 1)
                sator_tiling_spread(tiling, i, mapping->factor[r][i], pes);
        }
    }
    return sator_tiling_all(tiling);
}

bool sator_mapper_count_tiling(struct mapper_words *words, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int transfer, const struct mapper_sharing *sharing,
        int64_t *unique, int64_t *arriving)
{
    static const struct mapper_sharing apart;

    *unique = sator_mapper_tiling_words(words, mapping, shape, transfer, sharing);
    *arriving = sharing->rows == 0
            ? *unique
            : sator_mapper_tiling_words(words, mapping, shape, transfer, &apart);
    bool is_known = *unique >= 0 && *arriving >= 0;
    if (!is_known)
        *unique = *arriving = 0;
    return is_known;
}
