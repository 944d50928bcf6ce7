/* Data-centric directives as stamps.
 *
 * A level of directives, down to the next Cluster, cuts the tile that it gets into tiles: Map(s, o)
 * D takes s of D and moves on by o. The number of the tile is a digit of the stamp: of time for a
 * TemporalMap; for a SpatialMap a unit of the level's, and where there are more tiles than units a
 * digit of time, too, at the directive's place. What is left of the innermost tile runs within one
 * stamp: directives say no order there.
 *
 * Rows Y (columns X) of the input are y = stride * oy + ry. A tile of s rows that holds all of the
 * window that the level above left holds m = (s - R) / stride + 1 outputs, and is a tile of m of
 * oy, if it moves on by so many. Where the level cuts the window as well, Y's digit is one of y
 * itself. Each loop instance is in exactly one tile then; directives for which this is not so are
 * errors.
 */
#include "frontend/maestro/maestro.h"

#include <string.h>

/* A tile's extent in its dimension, and where in it an instance is, as an expression. */
struct tile {
    const char *place;
    int64_t extent;
};

/* One directive of a level, understood: tiles and which of them an instance is in. */
struct cut {
    const struct maestro_directive *directive;
    const char *number; /* of the tile */
    int64_t count;
};

struct writer {
    struct maestro *m;
    const struct maestro_layer *layer;
    struct tile tiles[MAESTRO_DIMS]; /* of Y and X: unused, those of Y' and X' and the windows */
    bool is_skewed[2]; /* rows, columns: outputs and window of a tile are no product any more */
    struct sator_text space, time;
};

static const char *const conv_loops[MAESTRO_DIMS] = {
        "n", "g", "k", "c", "ry", "rx", NULL, NULL, "oy", "ox", NULL};
static const char *const product_loops[MAESTRO_DIMS] = {
        [MAESTRO_N] = "j", [MAESTRO_K] = "k", [MAESTRO_M] = "i"};

static const char *divided(struct maestro *m, const char *place, int64_t by)
{
    return by == 1 ? place
                   : sator_arena_printf(m->arena, strpbrk(place, "+%/*") ? "(%s)/%lld" : "%s/%lld",
                             place, (long long)by);
}

static struct tile inside(struct maestro *m, struct tile tile, int64_t size)
{
    if (size >= tile.extent)
        return tile;
    return (struct tile){.extent = size,
            .place = size == 1 ? "0"
                               : sator_arena_printf(m->arena,
                                         strpbrk(tile.place, "+/*%") ? "(%s)%%%lld" : "%s%%%lld",
                                         tile.place, (long long)size)};
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* ---- one directive ---- */

/* Say why tiles that move by another number than they hold are no partition. */
static void refuse_offset(struct writer *w, const struct maestro_directive *d, int64_t holds,
        int64_t moves, const char *of)
{
    sator_error(w->m->ctx, d->loc, "a tile holds %lld %s and the next begins %lld further on: %s",
            (long long)holds, of, (long long)moves,
            holds > moves ? "some would be computed twice" : "some would be left out");
}

static struct cut plain_cut(struct writer *w, const struct maestro_directive *d)
{
    struct tile *tile = &w->tiles[d->dim];
    struct cut cut = {.directive = d, .count = 1};

    if (d->size >= tile->extent)
        return cut;
    if (d->size != d->offset)
        refuse_offset(w, d, d->size, d->offset,
                sator_arena_printf(w->m->arena, "of %s", maestro_dim_name(d->dim)));
    cut.number = divided(w->m, tile->place, d->size);
    cut.count = ceil_div(tile->extent, d->size);
    *tile = inside(w->m, *tile, d->size);
    return cut;
}

/* Of Y (or X), where "window" is the window's tile above this level, and its own size within it is
 * "cut_to". */
static struct cut input_cut(
        struct writer *w, const struct maestro_directive *d, struct tile window, int64_t cut_to)
{
    bool rows = d->dim == MAESTRO_Y;
    int64_t stride = rows ? w->layer->stride_y : w->layer->stride_x;
    struct tile *output = &w->tiles[rows ? MAESTRO_OY : MAESTRO_OX];
    int64_t extent = (output->extent - 1) * stride + window.extent;
    struct cut cut = {.directive = d, .count = 1};

    if (d->size >= extent)
        return cut;
    if (w->is_skewed[rows ? 0 : 1]) {
        sator_error(w->m->ctx, d->loc,
                "%s is cut again below a level that cuts it and its window: what is left is no "
                "box of loops",
                maestro_dim_name(d->dim));
        return cut;
    }
    if (cut_to == window.extent) {
        int64_t outputs = (d->size - window.extent) / stride + 1;
        int64_t step = d->offset % stride == 0 ? d->offset / stride : 0;
        if (d->size < window.extent) {
            sator_error(w->m->ctx, d->loc, "a tile of %lld of %s holds no window of %lld",
                    (long long)d->size, maestro_dim_name(d->dim), (long long)window.extent);
            return cut;
        }
        /* MAESTRO counts an offset under a stride in outputs, too */
        if (step != outputs && d->offset != outputs)
            refuse_offset(w, d, outputs, step > 0 ? step : d->offset, "outputs");
        cut.number = divided(w->m, output->place, outputs);
        cut.count = ceil_div(output->extent, outputs);
        *output = inside(w->m, *output, outputs);
        return cut;
    }
    if (d->size != d->offset)
        refuse_offset(w, d, d->size, d->offset,
                sator_arena_printf(w->m->arena, "of %s", maestro_dim_name(d->dim)));
    const char *place = output->extent == 1 ? window.place
            : stride == 1 ? sator_arena_printf(w->m->arena, "%s + %s", output->place, window.place)
                          : sator_arena_printf(w->m->arena, "%lld*(%s) + %s", (long long)stride,
                                    output->place, window.place);
    cut.number = divided(w->m, place, d->size);
    cut.count = ceil_div(extent, d->size);
    w->is_skewed[rows ? 0 : 1] = d->size != 1 || cut_to != 1;
    if (d->size == 1 && cut_to == 1)
        *output = (struct tile){"0", 1};
    return cut;
}

/* ---- one level ---- */

/* The directive of "dim" among "n"; NULL when there is none. */
static const struct maestro_directive *find(
        const struct maestro_directive *directives, int n, enum maestro_dim dim)
{
    for (int i = 0; i < n; i++) {
        if (directives[i].dim == dim)
            return &directives[i];
    }
    return NULL;
}

/* Whether the level says this dimension, or the output's for the input's, only once. */
static bool check_once(struct writer *w, const struct maestro_directive *level, int i)
{
    static const enum maestro_dim others[MAESTRO_DIMS] = {[MAESTRO_Y] = MAESTRO_OY,
            [MAESTRO_X] = MAESTRO_OX,
            [MAESTRO_OY] = MAESTRO_Y,
            [MAESTRO_OX] = MAESTRO_X};
    enum maestro_dim dim = level[i].dim, other = others[dim];

    if (find(level, i, dim) != NULL) {
        if (level[i].size < w->layer->sizes[dim])
            sator_error(w->m->ctx, level[i].loc, "'%s' is mapped twice in one level of clusters",
                    maestro_dim_name(dim));
        else if (w->m->n_doubled++ == 0)
            w->m->doubled_loc = level[i].loc; /* all of it: no effect */
        return false;
    }
    if (other != MAESTRO_N && find(level, i, other) != NULL) {
        sator_error(w->m->ctx, level[i].loc, "'%s' is mapped beside '%s', which says the same",
                maestro_dim_name(dim), maestro_dim_name(other));
        return false;
    }
    return true;
}

static bool check_dim(struct writer *w, const struct maestro_directive *d)
{
    bool is_output = d->dim == MAESTRO_OY || d->dim == MAESTRO_OX;
    enum maestro_dim input = d->dim == MAESTRO_OY ? MAESTRO_Y : MAESTRO_X;

    if (w->layer->sizes[is_output ? input : d->dim] > 0)
        return true;
    sator_error(w->m->ctx, d->loc, "the layer gives no size for '%s'", maestro_dim_name(d->dim));
    return false;
}

/* The tiles of a level's directives, in order; inside them is where the level below goes on. */
static int cut_level(
        struct writer *w, const struct maestro_directive *level, int n, struct cut *cuts)
{
    const struct tile windows[] = {w->tiles[MAESTRO_R], w->tiles[MAESTRO_S]};
    int n_cuts = 0;

    for (int i = 0; i < n; i++) {
        if (!check_dim(w, &level[i]) || !check_once(w, level, i))
            continue;
        if (level[i].dim != MAESTRO_Y && level[i].dim != MAESTRO_X) {
            cuts[n_cuts++] = plain_cut(w, &level[i]);
            continue;
        }
        int along = level[i].dim == MAESTRO_X;
        const struct maestro_directive *window = find(level, n, along ? MAESTRO_S : MAESTRO_R);
        int64_t cut_to = window == NULL || window->size > windows[along].extent
                ? windows[along].extent
                : window->size;
        cuts[n_cuts++] = input_cut(w, &level[i], windows[along], cut_to);
    }
    return n_cuts;
}

static void add_time(struct writer *w, const char *number)
{
    sator_text_add(&w->time, "%s%s", w->time.length == 0 ? "" : ", ", number);
}

/* One coordinate for all the level's spatial maps: tile number modulo units, times what a unit
 * holds of PEs. "units" 0: all that the array has. */
static void write_units(struct writer *w, const char *number, int64_t count, int64_t units,
        int64_t pes, bool is_first)
{
    struct maestro *m = w->m;
    const char *many = units > 0 ? sator_arena_printf(m->arena, "%lld", (long long)units)
            : pes > 1            ? sator_arena_printf(m->arena, "(shape.0/%lld)", (long long)pes)
                                 : "shape.0";
    bool folds = units == 0 || count > units;

    if (folds && strpbrk(number, "+/*%") != NULL)
        number = sator_arena_printf(m->arena, "(%s)", number);
    if (folds)
        add_time(w, sator_arena_printf(m->arena, "%s/%s", number, many));
    if (!is_first || units == 1)
        return;
    if (pes > 1 && !folds && strpbrk(number, "+/*%") == NULL)
        sator_text_add(
                &w->space, "%s%lld*%s", w->space.length == 0 ? "" : " + ", (long long)pes, number);
    else if (pes > 1)
        sator_text_add(&w->space, "%s%lld*(%s%s%s)", w->space.length == 0 ? "" : " + ",
                (long long)pes, number, folds ? "%" : "", folds ? many : "");
    else
        sator_text_add(&w->space, "%s%s%s%s", w->space.length == 0 ? "" : " + ", number,
                folds ? "%" : "", folds ? many : "");
}

static void write_level(
        struct writer *w, const struct maestro_directive *level, int n, int64_t units, int64_t pes)
{
    struct cut *cuts = SATOR_NEW_ARRAY(w->m->arena, struct cut, n + 1);
    const struct cut *first = NULL;
    int n_cuts = cut_level(w, level, n, cuts);

    for (int i = 0; i < n_cuts; i++) {
        const struct cut *cut = &cuts[i];
        if (cut->count <= 1 || cut->number == NULL)
            continue;
        if (cut->directive->class == MAESTRO_TEMPORAL) {
            add_time(w, cut->number);
        } else if (first == NULL) {
            first = cut;
            write_units(w, cut->number, cut->count, units, pes, true);
        } else if (strcmp(first->number, cut->number) != 0) {
            sator_error(w->m->ctx, cut->directive->loc,
                    "unit p of a cluster has tile p of %s and tile p of %s: what is in tiles of "
                    "different numbers would never be computed",
                    maestro_dim_name(first->directive->dim), maestro_dim_name(cut->directive->dim));
        }
    }
}

/* ---- a layer ---- */

static void init(struct writer *w)
{
    const char *const *loops = maestro_is_product(w->layer) ? product_loops : conv_loops;

    for (int d = 0; d < MAESTRO_DIMS; d++)
        w->tiles[d] = (struct tile){loops[d], w->layer->sizes[d]};
    if (w->layer->sizes[MAESTRO_Y] > 0)
        w->tiles[MAESTRO_OY].extent = maestro_outputs(w->layer, MAESTRO_Y);
    if (w->layer->sizes[MAESTRO_X] > 0)
        w->tiles[MAESTRO_OX].extent = maestro_outputs(w->layer, MAESTRO_X);
}

void maestro_write_dataflow(
        struct maestro *m, const struct maestro_layer *layer, struct sator_text *text)
{
    struct writer w = {.m = m, .layer = layer};
    static const struct maestro_directive none;
    const struct maestro_directive *directives =
            layer->n_directives == 0 ? &none : layer->directives;
    int64_t pes = 1, units = 0; /* of the outermost level: what the array has */
    int begin = 0;

    for (int i = 0; i < layer->n_directives; i++) {
        const struct maestro_directive *d = &directives[i];
        if (d->class == MAESTRO_CLUSTER &&
                (__builtin_mul_overflow(pes, d->size, &pes) || pes > INT32_MAX)) {
            sator_error(m->ctx, d->loc, "clusters of more than 2^31 PEs");
            return;
        }
    }
    init(&w);
    for (int i = 0; i <= layer->n_directives; i++) {
        const struct maestro_directive *d = &directives[i];
        if (i < layer->n_directives && d->class != MAESTRO_CLUSTER)
            continue;
        write_level(&w, directives + begin, i - begin, units, pes);
        begin = i + 1;
        if (i < layer->n_directives) {
            units = d->size;
            pes /= units;
        }
    }
    sator_text_put(text, "  ");
    sator_text_add_yaml(text, layer->name);
    sator_text_add(text, ": {space: \"PE[%s]\", time: \"T[%s]\"}\n",
            w.space.length == 0 ? "0" : w.space.data, w.time.length == 0 ? "0" : w.time.data);
    sator_text_clear(&w.space);
    sator_text_clear(&w.time);
}
