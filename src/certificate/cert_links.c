/* What links bring (doc/certificate.md, "Links").
 *
 * Before the order of loops along an array dimension is known, PEs along a wire are one pool, and
 * so are those along a link from the stamp before that differ in loops that index the tensor: a
 * word that nobody held in the stamp before is fetched by each PE, or each chain of wires, that
 * wants it. Once it is known, PEs fall into few places: where a step to the next PE leads depends
 * on the lowest digit of the coordinate that is not 0. What enters at a place is what neither the
 * PE itself nor one of its sources holds.
 */
#include "certificate/cert_bound.h"

#include <math.h>
#include <string.h>

/* ---- pools ---- */

/* Whether some loop that stands alone in an index of the tensor stands inside of "loop" on the row:
 * the next PE along the row has another digit of it wherever it has another one of "loop". */
static bool is_cut_off(const struct cert_tensor *t, const struct cert_part *part, int row, int loop)
{
    bool any = false;

    for (int k = 0; k < part->n_along[row] && part->along[row][k] != loop; k++)
        any |= (t->plain >> part->along[row][k] & 1) != 0;
    return any;
}

static bool shares(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, bool is_counted, int row, int loop)
{
    const struct cert_tensor *t = &p->tensor[move->tensor];
    bool indexes = t->relevant >> loop & 1;

    if (is_counted)
        return (move->connected >> row & 1) &&
                (indexes || (cert_level_rows(p, part, move) >> row & 1));
    if (move->passed >> row & 1)
        return indexes;
    if (!(move->shared >> row & 1))
        return false;
    return indexes || !(move->wired & part->ordered & 1U << row) || !is_cut_off(t, part, row, loop);
}

int64_t cert_shared(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, bool is_counted, int row, int loop)
{
    int64_t values[CERT_LOOPS];

    if (!shares(p, part, move, is_counted, row, loop))
        return 1;
    return !is_counted && move->group[row] > 0 && cert_is_aligned(p, part, move, row, values)
            ? values[loop]
            : part->factor[row][loop];
}

int64_t cert_along(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, bool is_counted, int loop, bool shared)
{
    int64_t product = 1;

    for (unsigned left = move->between; left != 0; left &= left - 1) {
        int r = __builtin_ctz(left);
        int64_t together =
                part->factor[r][loop] == 1 ? 1 : cert_shared(p, part, move, is_counted, r, loop);
        product *= shared ? together : part->factor[r][loop] / together;
    }
    return product;
}

/* ---- orders along a row ---- */

int cert_list_along(const struct cert_problem *p, struct cert_part *part, int row)
{
    part->n_along[row] = 0;
    for (int i = p->n_loops - 1; i >= 0; i--) {
        if (part->factor[row][i] > 1)
            part->along[row][part->n_along[row]++] = i;
    }
    return part->n_along[row];
}

/* Where one tensor without windows alone has wires to the next PE of the row, and no tree, the best
 * order has the loops that do not index it inside all others: its PEs then are the pool that they
 * are taken for when the order is not known. */
bool cert_order_matters(const struct cert_problem *p, int row)
{
    unsigned tensors = 0;
    bool matters = false;

    for (int i = 0; i < p->n_moves; i++) {
        const struct cert_move *v = &p->move[i];
        const struct cert_tensor *t = &p->tensor[v->tensor];
        bool leads = false, is_near = (v->wired >> row & 1) != 0;
        for (int l = 0; l < v->n_links && v->is_directed; l++) {
            leads |= v->link[l].shift[row] != 0;
            for (int r = 0; r < p->n_rows && v->link[l].shift[row] != 0; r++)
                is_near &= r == row || v->link[l].shift[r] == 0;
        }
        tensors |= leads ? 1U << v->tensor : 0;
        matters |= leads && (t->relevant != t->plain || v->merges || !is_near);
        for (int l = 0; l < v->n_hops && v->may_count; l++)
            matters |= v->hop[l].shift[row] != 0;
        matters |= v->may_count && (v->between >> row & 1) && p->row[row].step != 0;
        matters |= v->group[row] > 0;
    }
    return matters || __builtin_popcount(tensors) > 1;
}

/* The digit of "row"'s k-th loop at coordinate "at". */
static int64_t digit(const struct cert_part *part, int row, int k, int64_t at)
{
    for (int j = 0; j < k; j++)
        at /= part->factor[row][part->along[row][j]];
    return at % part->factor[row][part->along[row][k]];
}

static int64_t used_along(const struct cert_part *part, int row)
{
    int64_t used = 1;

    for (int k = 0; k < part->n_along[row]; k++)
        used *= part->factor[row][part->along[row][k]];
    return used;
}

/* Whether "shift" leads to PEs in use from both coordinates, and changes all digits alike; or from
 * none. */
static bool leads_alike(const struct cert_part *part, int row, int64_t one, int64_t other,
        int64_t shift, int64_t used)
{
    bool leads = one - shift >= 0 && one - shift < used, alike = true;

    if (leads != (other - shift >= 0 && other - shift < used))
        return false;
    for (int k = 0; k < part->n_along[row] && leads; k++)
        alike &= digit(part, row, k, one - shift) - digit(part, row, k, one) ==
                digit(part, row, k, other - shift) - digit(part, row, k, other);
    return alike;
}

static bool is_alike(const struct cert_problem *p, const struct cert_part *part, int row,
        int64_t one, int64_t other, int64_t used)
{
    bool alike = true;

    for (int i = 0; i < p->n_moves && alike; i++) {
        const struct cert_move *v = &p->move[i];
        for (int l = 0; l < v->n_links && v->is_directed && alike; l++)
            alike = leads_alike(part, row, one, other, v->link[l].shift[row], used);
    }
    return alike;
}

bool cert_order_row(const struct cert_problem *p, struct cert_part *part, int row)
{
    const int64_t used = used_along(part, row);
    int n = 0;

    for (int64_t at = 0; at < used; at++) {
        int same = 0;
        while (same < n && !is_alike(p, part, row, part->kind[row][same].at, at, used))
            same++;
        if (same == CERT_KINDS)
            return false;
        if (same == n)
            part->kind[row][n++] = (struct cert_kind){at, 0};
        part->kind[row][same].count++;
    }
    part->n_kinds[row] = n;
    part->ordered |= 1U << row;
    return true;
}

/* ---- places ---- */

/* Add how far, by dimension of the tensor, the tile of the PE at the other end of each link lies,
 * along a row from coordinate "from"; less what leads nowhere. */
static void lead(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, int row, int64_t from, struct cert_place *place)
{
    const struct cert_tensor *t = &p->tensor[move->tensor];
    const int64_t used = used_along(part, row);
    int64_t stride[CERT_LOOPS];
    int n = 0;

    cert_inside(p, part, row + 1, stride);
    for (int l = 0; l < place->n; l++) {
        struct cert_source source = place->source[l];
        int64_t to = from - source.link->shift[row];
        if (to < 0 || to >= used)
            continue;
        for (int k = 0; k < part->n_along[row]; k++) {
            int loop = part->along[row][k];
            int64_t moved = digit(part, row, k, to) - digit(part, row, k, from);
            for (int e = 0; e < t->n_dims; e++) {
                for (int j = 0; j < t->dim[e].n; j++)
                    source.at[e] += t->dim[e].loop[j] == loop
                            ? t->dim[e].coef[j] * stride[loop] * moved
                            : 0;
            }
        }
        place->source[n++] = source;
    }
    place->n = n;
}

/* As many places for each PE, or bus, along a row without links. */
static void spread(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, int row, struct cert_places *places)
{
    unsigned own = p->tensor[move->tensor].relevant;

    for (int i = 0; i < p->n_loops && ((move->outer | move->between) >> row & 1); i++) {
        for (int k = 0; k < places->n && (!(move->bused >> row & 1) || (own >> i & 1)); k++)
            places->place[k].pes *= (double)part->factor[row][i];
    }
}

void cert_places_init(struct sator_arena *arena, const struct cert_problem *p,
        const struct cert_part *part, const struct cert_move *move, struct cert_places *places)
{
    unsigned rows = 0;

    *places = (struct cert_places){.n = 1, .place = SATOR_NEW(arena, struct cert_place)};
    *places->place = (struct cert_place){.pes = cert_share(p, part, move), .n = move->n_links};
    for (int l = 0; l < move->n_links; l++) {
        places->place->source[l] = (struct cert_source){.link = &move->link[l]};
        for (int r = 0; r < p->n_rows; r++)
            rows |= move->link[l].shift[r] != 0 ? 1U << r : 0;
    }
    for (int r = 0; r < p->n_rows; r++) {
        struct cert_places next = {.n = 0};
        if (!(rows >> r & 1)) {
            spread(p, part, move, r, places);
            continue;
        }
        next.place = SATOR_NEW_ARRAY(arena, struct cert_place, places->n * part->n_kinds[r]);
        for (int k = 0; k < places->n * part->n_kinds[r]; k++) {
            const struct cert_kind *kind = &part->kind[r][k % part->n_kinds[r]];
            next.place[next.n] = places->place[k / part->n_kinds[r]];
            next.place[next.n].pes *= kind->count;
            lead(p, part, move, r, kind->at, &next.place[next.n++]);
        }
        *places = next;
    }
}

/* ---- what enters ---- */

/* A set of places that a tile may lie at, by dimension: the least and the greatest. */
struct overlap {
    int64_t least[CERT_DIMS], most[CERT_DIMS];
};

/* The words that the tile and all tiles from "least" to "most" have, where runs have no gaps. */
static double common(const struct cert_tile *tile, const struct overlap *o)
{
    double words = 1;

    for (int e = 0; e < tile->n_dims && words > 0; e++) {
        int64_t places = (o->most[e] - o->least[e]) / tile->step[e];
        words *= places < tile->length[e] ? (double)(tile->length[e] - places) : 0;
    }
    return words;
}

/* Inclusion and exclusion: the words that the tile and what lies in "o" have in common, less those
 * that one of the sources from "from" on has, too. */
static double alone(const struct cert_tile *tile, const int64_t (*at)[CERT_DIMS], int n, int from,
        const struct overlap *o)
{
    double words = common(tile, o);

    for (int k = from; k < n && words > 0; k++) {
        struct overlap less = *o;
        for (int e = 0; e < tile->n_dims; e++) {
            less.least[e] = at[k][e] < o->least[e] ? at[k][e] : o->least[e];
            less.most[e] = at[k][e] > o->most[e] ? at[k][e] : o->most[e];
        }
        words -= alone(tile, at, n, k + 1, &less);
    }
    return words;
}

/* Where "at" is at none of the first "n" of "list" and has words of the tile, add it. */
static void add(const struct cert_tile *tile, const int64_t *at, int64_t (*list)[CERT_DIMS], int *n)
{
    bool is_new = true;

    for (int e = 0; e < tile->n_dims; e++)
        is_new &= tile->has_gaps || at[e] % tile->step[e] == 0;
    for (int k = 0; k < *n && is_new; k++)
        is_new = memcmp(list[k], at, sizeof list[k]) != 0;
    for (int e = 0; e < tile->n_dims && is_new; e++)
        is_new = cert_common(tile->n_runs[e], tile->run[e], at[e]) > 0;
    if (is_new)
        memcpy(list[(*n)++], at, sizeof list[0]);
}

/* The words of a tile that no source has. Where runs have gaps no source shares words with others.
 */
static double fresh(const struct cert_tile *tile, const int64_t (*at)[CERT_DIMS], int n)
{
    struct overlap own = {.least = {0}};

    if (!tile->has_gaps)
        return alone(tile, at, n, 0, &own);
    double words = tile->words;
    for (int k = 0; k < n; k++) {
        double both = 1;
        for (int e = 0; e < tile->n_dims; e++)
            both *= cert_common(tile->n_runs[e], tile->run[e], at[k][e]);
        words -= both;
    }
    return fmax(words, 0);
}

double cert_fresh(
        const struct cert_places *places, const struct cert_tile *tile, const int64_t *moved)
{
    double words = 0;

    for (int k = 0; k < places->n; k++) {
        const struct cert_place *place = &places->place[k];
        int64_t at[CERT_LINKS + 1][CERT_DIMS] = {{0}}, one[CERT_DIMS] = {0};
        bool is_kept = moved != NULL;
        int n = 0;
        for (int e = 0; e < tile->n_dims && moved != NULL; e++) {
            one[e] = -moved[e];
            is_kept &= moved[e] == 0;
        }
        if (is_kept) /* its own tile, as it was */
            continue;
        if (moved != NULL)
            add(tile, one, at, &n);
        bool has_all = false;
        for (int l = 0; l < place->n; l++) {
            const struct cert_source *source = &place->source[l];
            bool is_own = true;
            if (!source->link->is_wire && moved == NULL)
                continue;
            for (int e = 0; e < tile->n_dims; e++) {
                one[e] = source->at[e] - (source->link->is_wire ? 0 : moved[e]);
                is_own &= one[e] == 0;
            }
            has_all |= is_own;
            add(tile, one, at, &n);
        }
        words += has_all ? 0 : place->pes * fresh(tile, (const int64_t(*)[CERT_DIMS])at, n);
    }
    return words;
}

void cert_tile_init(struct cert_tile *tile)
{
    tile->has_gaps = false;
    tile->words = 1;
    for (int e = 0; e < tile->n_dims; e++) {
        tile->has_gaps |=
                !cert_gapless(tile->n_runs[e], tile->run[e], &tile->step[e], &tile->length[e]);
        tile->words *= cert_sums(tile->n_runs[e], tile->run[e]);
    }
}
