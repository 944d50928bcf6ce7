/* Binding a dataflow to a workload's loops: texts are read, "loops:" forms become relations and
 * cuts. */
#include "relation/workload.h"

#include "base/text.h"
#include "relation/nest_time.h"

#include <stdlib.h>
#include <string.h>

struct binder {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_dataflow *dataflow;
    const struct sator_workload *workload;
    int n_levels;
    const struct sator_bind_level *levels;
    struct sator_bound_dataflow *bound;
    int *rows_outside; /* of a nest: rows of time of the levels outside each */
};

/* ---- maps ---- */

static int find_loop(const struct binder *b, const char *name)
{
    for (int i = 0; i < b->workload->n_loops; i++) {
        if (strcmp(b->workload->loop_names[i], name) == 0)
            return i;
    }
    return -1;
}

static const struct sator_relation *make_map(struct binder *b, const char *name, int n_exprs,
        const struct sator_expr *const *exprs, struct sator_loc loc)
{
    const struct sator_workload *w = b->workload;
    struct sator_relation *map = SATOR_NEW(b->arena, struct sator_relation);

    *map = *sator_relation_make(
            b->arena, w->domain->in_name, w->n_loops, w->loop_names, name, n_exprs, exprs, NULL);
    map->loc = loc;
    return map;
}

/* The arrays of the architecture, whose extents a stamp may name. */
static struct sator_extents extents_of(const struct binder *b)
{
    struct sator_extent_array *arrays =
            SATOR_NEW_ARRAY(b->arena, struct sator_extent_array, b->n_levels + 1);
    int n = 0;

    for (int i = 0; i < b->n_levels; i++) {
        const struct sator_bind_level *level = &b->levels[i];
        if (level->n_dims > 0)
            arrays[n++] = (struct sator_extent_array){level->name, level->n_dims, level->shape};
    }
    return (struct sator_extents){.n_arrays = n, .arrays = arrays};
}

/* Whether the architecture is a single compute unit and its memories: stamps then name no PE. */
static bool has_no_array(const struct binder *b)
{
    return b->n_levels > 0 && extents_of(b).n_arrays == 0;
}

static enum sator_status read_map(struct binder *b, struct sator_loc loc, const char *what,
        const char *default_name, const struct sator_relation **map)
{
    enum sator_status st;
    const char *name;
    int n_exprs;
    const struct sator_expr *const *exprs;
    const struct sator_extents extents = extents_of(b);

    SATOR_TRY(sator_tuple_read(b->ctx, b->arena, loc, b->workload->n_loops, b->workload->loop_names,
            &extents, &name, &n_exprs, &exprs));
    if (n_exprs == 0 && !(what[0] == 's' && has_no_array(b)))
        return sator_error(b->ctx, loc, "the %s-stamp has no dimensions: write 0 for a single %s",
                what, what[0] == 's' ? "PE" : "time-stamp");
    *map = make_map(b, name == NULL ? default_name : name, n_exprs, exprs, loc);
done:
    return st;
}

/* Whether "name" is one of the piece's variables, the first "n" of them taken as the loops. */
static bool is_taken(
        const struct binder *b, const char *const *names, int n_names, const char *name)
{
    for (int i = 0; i < n_names; i++) {
        const char *taken = i < b->workload->n_loops ? b->workload->loop_names[i] : names[i];
        if (strcmp(taken, name) == 0)
            return true;
    }
    return false;
}

/* The names of the piece's variables: the workload's loops, and further variables by names that
 * none of these has. */
static const char *const *rename_loops(struct binder *b, const struct sator_piece *piece)
{
    int n_loops = b->workload->n_loops, n = n_loops + piece->n_free;
    const char **names = SATOR_NEW_ARRAY(b->arena, const char *, n + 1);

    for (int v = 0; v < n; v++) {
        names[v] = v < n_loops ? b->workload->loop_names[v] : piece->names[v];
        for (int again = 1; v >= n_loops && is_taken(b, names, v, names[v]); again++)
            names[v] = sator_arena_printf(b->arena, "%s_%d", piece->names[v], again);
    }
    return names;
}

/* Where the tuple has the name of a loop that stands elsewhere in the workload, the position is
 * what counts, and may not be what was meant. */
static void warn_of_names(struct binder *b, const struct sator_relation *relation,
        struct sator_loc loc, const char *what)
{
    const struct sator_workload *w = b->workload;

    for (int i = 0; i < relation->n_pieces * w->n_loops; i++) {
        int v = i % w->n_loops;
        const char *name = relation->pieces[i / w->n_loops].names[v];
        int other = find_loop(b, name);
        if (other < 0 || other == v)
            continue;
        sator_warn(b->ctx, loc, "the %s map's '%s' is loop '%s' of '%s', not its loop '%s'", what,
                name, w->loop_names[v], w->name, name);
        sator_help(b->ctx,
                "maps in isl notation take the loops by position; without \"{ S[...] -> }\" they "
                "are taken by name");
        return;
    }
}

/* A relation in isl notation names its loops as it likes; position counts. Bound, it has the
 * workload's names. */
static enum sator_status bind_relation(struct binder *b, const struct sator_relation *relation,
        struct sator_loc loc, const char *what, const struct sator_relation **map)
{
    if (relation->n_in != b->workload->n_loops) {
        enum sator_status st = sator_error(b->ctx, loc,
                "the %s map is over %d %s; workload '%s' has %d", what, relation->n_in,
                relation->n_in == 1 ? "loop" : "loops", b->workload->name, b->workload->n_loops);
        sator_help(b->ctx, "maps in isl notation take the workload's loops by position");
        return st;
    }
    if (relation->n_out == 0 && !(what[0] == 's' && has_no_array(b)))
        return sator_error(b->ctx, loc, "the %s-stamp has no dimensions", what);
    warn_of_names(b, relation, loc, what);
    struct sator_relation *copy = SATOR_NEW(b->arena, struct sator_relation);
    struct sator_piece *pieces = sator_arena_copy(
            b->arena, relation->pieces, sizeof *pieces * (size_t)relation->n_pieces);
    for (int i = 0; i < relation->n_pieces; i++)
        pieces[i].names = rename_loops(b, &pieces[i]);
    *copy = *relation;
    copy->in_name = b->workload->domain->in_name;
    copy->pieces = pieces;
    *map = copy;
    return SATOR_OK;
}

static enum sator_status bind_side(struct binder *b, const struct sator_relation *relation,
        struct sator_loc loc, const char *what, const char *default_name,
        const struct sator_relation **map)
{
    return relation != NULL ? bind_relation(b, relation, loc, what, map)
                            : read_map(b, loc, what, default_name, map);
}

/* ---- levels ---- */

static int find_level(const struct binder *b, const char *name)
{
    for (int i = 0; i < b->n_levels; i++) {
        if (strcmp(b->levels[i].name, name) == 0)
            return i;
    }
    return -1;
}

static enum sator_status unknown_level(struct binder *b, const char *name, struct sator_loc loc)
{
    const char **names = SATOR_NEW_ARRAY(b->arena, const char *, b->n_levels + 1);

    for (int i = 0; i < b->n_levels; i++)
        names[i] = b->levels[i].name;
    enum sator_status st = sator_error(b->ctx, loc, "the architecture has no level '%s'", name);
    sator_help_names(b->ctx, name, names, b->n_levels);
    return st;
}

/* ---- the "loops:" form ---- */

/* Entries name levels of the architecture from the outside in; parallel loops stand at arrays. */
static enum sator_status check_entries(struct binder *b)
{
    const struct sator_loop_nest *nest = b->dataflow->loops;
    enum sator_status st = SATOR_OK;
    int outer = -1;

    for (int i = 0; i < nest->n_entries; i++) {
        const struct sator_loop_entry *entry = &nest->entries[i];
        int level = find_level(b, entry->level);
        if (level < 0) {
            st = unknown_level(b, entry->level, entry->loc);
            continue;
        }
        if (level < outer) {
            st = sator_error(b->ctx, entry->loc, "'%s' is outside '%s' in the architecture",
                    entry->level, b->levels[outer].name);
            sator_help(b->ctx, "entries go from the outermost level to the innermost");
        }
        outer = level;
        if (entry->n_bypass > 0 && !b->levels[level].is_memory)
            st = sator_error(
                    b->ctx, entry->loc, "'%s' is no memory: no tensor can bypass it", entry->level);
        for (int k = 0; k < entry->n_loops; k++) {
            const struct sator_nest_loop *loop = &entry->loops[k];
            int n_dims = b->levels[level].n_dims;
            if (loop->dim < n_dims)
                continue;
            if (n_dims == 0)
                st = sator_error(b->ctx, loop->loc,
                        "'%s' is not an array: loops run one after "
                        "the other there",
                        entry->level);
            else
                st = sator_error(b->ctx, loop->loc, "array '%s' has %d %s, counted from 0",
                        entry->level, n_dims, n_dims == 1 ? "dimension" : "dimensions");
        }
    }
    enum sator_status skews = sator_nest_time_check(b->ctx, nest, b->n_levels, b->levels);
    return st == SATOR_OK ? skews : st;
}

static enum sator_status check_names(struct binder *b)
{
    const struct sator_loop_nest *nest = b->dataflow->loops;
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < nest->n_entries; i++) {
        for (int k = 0; k < nest->entries[i].n_loops; k++) {
            const struct sator_nest_loop *loop = &nest->entries[i].loops[k];
            if (find_loop(b, loop->loop) >= 0)
                continue;
            st = sator_error(b->ctx, loop->loc, "workload '%s' has no loop '%s'", b->workload->name,
                    loop->loop);
            sator_help_names(b->ctx, loop->loop, b->workload->loop_names, b->workload->n_loops);
        }
    }
    return st;
}

/* A product that stays at the first number beyond any extent. */
static int64_t times(int64_t a, int64_t factor)
{
    const int64_t most = INT64_C(1) << 42;

    return a > most / factor ? most : a * factor;
}

/* The product of all factors of loop "loop" inside the "k"-th loop of entry "entry". */
static int64_t stride_inside(const struct binder *b, int entry, int k, const char *loop)
{
    const struct sator_loop_nest *nest = b->dataflow->loops;
    int64_t stride = 1;

    for (int i = entry; i < nest->n_entries; i++) {
        for (int j = i == entry ? k + 1 : 0; j < nest->entries[i].n_loops; j++) {
            if (strcmp(nest->entries[i].loops[j].loop, loop) == 0)
                stride = times(stride, nest->entries[i].loops[j].extent);
        }
    }
    return stride;
}

/* Where the nest begins. */
static struct sator_loc nest_loc(const struct binder *b)
{
    const struct sator_loop_nest *nest = b->dataflow->loops;

    return nest->n_entries > 0 ? nest->entries[0].loc : b->dataflow->loc;
}

static void add_ragged(struct binder *b, const char *loop, const char *factors, int64_t extent)
{
    const char *before = b->bound->ragged;

    b->bound->ragged =
            sator_arena_printf(b->arena, "%s%s%s %s over %lld", before == NULL ? "" : before,
                    before == NULL ? "" : ", ", loop, factors, (long long)extent);
}

/* The factors of each loop cover its extent; where they cover more, that is noted. */
static enum sator_status check_covered(struct binder *b)
{
    const struct sator_loop_nest *nest = b->dataflow->loops;
    const struct sator_workload *w = b->workload;
    enum sator_status st = SATOR_OK;

    for (int l = 0; l < w->n_loops; l++) {
        int64_t extent = w->upper[l] - w->lower[l];
        struct sator_text factors = {0};
        struct sator_loc loc = nest_loc(b);
        int64_t product = 1;
        for (int i = nest->n_entries - 1; i >= 0; i--) {
            for (int k = nest->entries[i].n_loops - 1; k >= 0; k--) {
                if (strcmp(nest->entries[i].loops[k].loop, w->loop_names[l]) != 0)
                    continue;
                product = times(product, nest->entries[i].loops[k].extent);
                loc = nest->entries[i].loops[k].loc;
            }
        }
        if (product == extent)
            continue;
        for (int i = 0; i < nest->n_entries; i++) {
            for (int k = 0; k < nest->entries[i].n_loops; k++) {
                if (strcmp(nest->entries[i].loops[k].loop, w->loop_names[l]) == 0)
                    sator_text_add(&factors, "%s%lld", factors.length == 0 ? "" : " x ",
                            (long long)nest->entries[i].loops[k].extent);
            }
        }
        if (product > extent && factors.length > 0)
            add_ragged(b, w->loop_names[l], factors.data, extent);
        else if (product < extent && factors.length == 0)
            st = sator_error(b->ctx, loc, "loop '%s' of extent %lld has no factor",
                    w->loop_names[l], (long long)extent);
        else if (product < extent)
            st = sator_error(b->ctx, loc, "loop '%s' has extent %lld, its factors %s cover %lld",
                    w->loop_names[l], (long long)extent, factors.data, (long long)product);
        sator_text_clear(&factors);
    }
    return st;
}

/* The digit of loop "loop" that the "k"-th loop of entry "entry" counts. */
static const struct sator_expr *digit(
        struct binder *b, int entry, int k, const struct sator_nest_loop *loop)
{
    const struct sator_workload *w = b->workload;
    int var = find_loop(b, loop->loop);
    int64_t stride = stride_inside(b, entry, k, loop->loop);
    int64_t extent = w->upper[var] - w->lower[var];

    if (loop->extent == 1 || stride >= extent)
        return sator_expr_constant(b->arena, 0);
    const struct sator_expr *value = sator_expr_add(b->arena,
            sator_expr_constant(b->arena, -w->lower[var]), 1, sator_expr_var(b->arena, var));
    value = sator_expr_floor(b->arena, value, stride);
    if (times(stride, loop->extent) < extent)
        value = sator_expr_mod(b->arena, value, loop->extent);
    return value;
}

/* The dimensions of the arrays outside level "level": the first of that level's own. */
static int dims_before(const struct binder *b, int level)
{
    int n_dims = 0;

    for (int i = 0; i < level; i++)
        n_dims += b->levels[i].n_dims;
    return n_dims;
}

/* Add the digit of a parallel loop to the coordinate of its dimension, which the ones before it
 * begin. */
static enum sator_status add_coordinate(struct binder *b, const struct sator_nest_loop *loop,
        const struct sator_expr *value, const struct sator_expr **coordinate)
{
    const struct sator_expr *scaled =
            sator_expr_add(b->arena, sator_expr_constant(b->arena, 0), loop->extent, *coordinate);

    *coordinate = scaled == NULL ? NULL : sator_expr_add(b->arena, scaled, 1, value);
    if (*coordinate == NULL)
        return sator_error(b->ctx, loop->loc, "the array's coordinate does not fit into 64 bits");
    return SATOR_OK;
}

static enum sator_status make_maps(struct binder *b)
{
    const struct sator_loop_nest *nest = b->dataflow->loops;
    int n_space = dims_before(b, b->n_levels);
    const struct sator_expr **space = SATOR_NEW_ARRAY(b->arena, const struct sator_expr *, n_space);
    const struct sator_expr *const **digits =
            SATOR_NEW_ARRAY(b->arena, const struct sator_expr *const *, nest->n_entries + 1);
    struct sator_loc *locs = SATOR_NEW_ARRAY(b->arena, struct sator_loc, n_space + 1);
    enum sator_status st = SATOR_OK;

    b->rows_outside = SATOR_NEW_ARRAY(b->arena, int, b->n_levels + 1);
    for (int d = 0; d < n_space; d++)
        space[d] = sator_expr_constant(b->arena, 0);
    for (int i = 0; i < nest->n_entries; i++) {
        const struct sator_loop_entry *entry = &nest->entries[i];
        int first_dim = dims_before(b, find_level(b, entry->level));
        const struct sator_expr **own =
                SATOR_NEW_ARRAY(b->arena, const struct sator_expr *, entry->n_loops + 1);
        for (int k = 0; k < entry->n_loops; k++) {
            const struct sator_nest_loop *loop = &entry->loops[k];
            int d = first_dim + loop->dim;
            own[k] = digit(b, i, k, loop);
            if (loop->dim < 0)
                continue;
            if (locs[d].source == NULL)
                locs[d] = loop->loc;
            SATOR_TRY(add_coordinate(b, loop, own[k], &space[d]));
        }
        digits[i] = own;
    }
    struct sator_nest_time time = {.ctx = b->ctx,
            .arena = b->arena,
            .nest = nest,
            .n_levels = b->n_levels,
            .levels = b->levels,
            .space = space,
            .digits = digits,
            .rows_outside = b->rows_outside};
    SATOR_TRY(sator_nest_time_make(&time));
    b->bound->dim_locs = locs;
    b->bound->space = make_map(b, "PE", n_space, space, b->dataflow->loc);
    b->bound->time = make_map(b, "T", time.n_rows, time.rows, b->dataflow->loc);
done:
    return st;
}

static void make_cuts(struct binder *b)
{
    const struct sator_loop_nest *nest = b->dataflow->loops;
    struct sator_cut *cuts = NULL;
    int entry = 0;

    for (int level = 0; level < b->n_levels; level++) {
        /* entries outside this level; both go outermost first */
        while (entry < nest->n_entries && find_level(b, nest->entries[entry].level) < level)
            entry++;
        struct sator_cut cut = {.level = b->levels[level].name,
                .time = b->rows_outside[level],
                .space = dims_before(b, level),
                .loc = nest->entries[entry < nest->n_entries ? entry : nest->n_entries - 1].loc};
        if (entry < nest->n_entries && find_level(b, nest->entries[entry].level) == level) {
            cut.n_bypass = nest->entries[entry].n_bypass;
            cut.bypass = nest->entries[entry].bypass;
        }
        if (b->levels[level].is_memory)
            SATOR_PUSH(b->arena, cuts, b->bound->n_cuts, cut);
    }
    b->bound->cuts = cuts;
}

static enum sator_status bind_nest(struct binder *b)
{
    enum sator_status st;

    if (b->workload->lower == NULL || b->workload->upper == NULL) {
        st = sator_error(b->ctx, nest_loc(b),
                "'loops' needs constant bounds for each loop, which workload '%s' does not have",
                b->workload->name);
        sator_help(b->ctx, "give the dataflow as 'space' and 'time'");
        return st;
    }
    enum sator_status levels = check_entries(b);
    SATOR_TRY(check_names(b));
    SATOR_TRY(check_covered(b));
    SATOR_TRY(levels);
    SATOR_TRY(make_maps(b));
    make_cuts(b);
done:
    return st;
}

/* "dataflow" with its nest's entries in the order of the levels, where its own means nothing. */
static const struct sator_dataflow *in_order(struct sator_arena *arena,
        const struct sator_dataflow *dataflow, int n_levels, const struct sator_bind_level *levels)
{
    struct sator_dataflow *sorted = SATOR_NEW(arena, struct sator_dataflow);
    struct sator_loop_nest *nest = SATOR_NEW(arena, struct sator_loop_nest);

    if (!dataflow->any_order || dataflow->loops == NULL)
        return dataflow;
    int n = dataflow->loops->n_entries;
    nest->entries = SATOR_NEW_ARRAY(arena, struct sator_loop_entry, n + 1);
    for (int l = 0; l <= n_levels; l++) { /* the last pass: entries of no level */
        for (int i = 0; i < n; i++) {
            const struct sator_loop_entry *entry = &dataflow->loops->entries[i];
            int level = find_level(
                    &(struct binder){.n_levels = n_levels, .levels = levels}, entry->level);
            if ((level < 0 ? n_levels : level) == l)
                nest->entries[nest->n_entries++] = *entry;
        }
    }
    *sorted = *dataflow;
    sorted->loops = nest;
    return sorted;
}

enum sator_status sator_dataflow_of(struct sator_ctx *ctx, const struct sator_dataflow *dataflow,
        const struct sator_workload *workload, const struct sator_dataflow **own)
{
    if (dataflow->n_layers == 0) {
        *own = dataflow;
        return SATOR_OK;
    }
    for (int i = 0; i < dataflow->n_layers; i++) {
        if (strcmp(dataflow->layers[i].layer, workload->name) == 0) {
            *own = dataflow->layers[i].dataflow;
            return SATOR_OK;
        }
    }
    const char **names = sator_alloc(sizeof *names * (size_t)dataflow->n_layers);
    for (int i = 0; i < dataflow->n_layers; i++)
        names[i] = dataflow->layers[i].layer;
    enum sator_status st = sator_error(ctx, dataflow->loc,
            "the dataflow is for the layers of a network, none of which is '%s'", workload->name);
    sator_help_names(ctx, workload->name, names, dataflow->n_layers);
    free(names);
    return st;
}

enum sator_status sator_dataflow_bind(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_dataflow *given, const struct sator_workload *workload, int n_levels,
        const struct sator_bind_level *levels, const struct sator_bound_dataflow **bound)
{
    const struct sator_dataflow *dataflow;
    enum sator_status st = sator_dataflow_of(ctx, given, workload, &dataflow);
    if (st != SATOR_OK)
        return st;
    struct binder b = {.ctx = ctx,
            .arena = arena,
            .dataflow = in_order(arena, dataflow, n_levels, levels),
            .workload = workload,
            .n_levels = n_levels,
            .levels = levels,
            .bound = SATOR_NEW(arena, struct sator_bound_dataflow)};

    *b.bound = (struct sator_bound_dataflow){.name = given->name,
            .n_cuts = dataflow->n_cuts,
            .cuts = dataflow->cuts,
            .space_loc = dataflow->space_loc,
            .time_loc = dataflow->time_loc};
    if (b.dataflow->loops != NULL) {
        b.bound->space_loc = b.bound->time_loc = nest_loc(&b);
        SATOR_TRY(bind_nest(&b));
    } else {
        enum sator_status space =
                bind_side(&b, dataflow->space, dataflow->space_loc, "space", "PE", &b.bound->space);
        SATOR_TRY(bind_side(&b, dataflow->time, dataflow->time_loc, "time", "T", &b.bound->time));
        SATOR_TRY(space);
    }
    *bound = b.bound;
    st = SATOR_OK;
done:
    return st;
}

enum sator_status sator_dataflow_check_names(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_dataflow *given, const struct sator_workload *workload, int n_levels,
        const struct sator_bind_level *levels)
{
    const struct sator_dataflow *dataflow;
    enum sator_status st = sator_dataflow_of(ctx, given, workload, &dataflow);
    if (st != SATOR_OK)
        return st;
    struct binder b = {.ctx = ctx,
            .arena = arena,
            .dataflow = in_order(arena, dataflow, n_levels, levels),
            .workload = workload,
            .n_levels = n_levels,
            .levels = levels};
    enum sator_status names;

    st = check_entries(&b);
    names = check_names(&b);
    return st == SATOR_OK ? names : st;
}

int sator_time_reach(struct sator_arena *arena, const struct sator_workload *w,
        const struct sator_relation *time, int n_time)
{
    int64_t *last = SATOR_NEW_ARRAY(arena, int64_t, w->n_loops + 1);
    int64_t least, greatest, value = 0;

    for (int i = 0; i < w->n_loops && n_time < time->n_out; i++)
        last[i] = w->upper[i] - 1;
    for (; n_time < time->n_out; n_time++) {
        for (int p = 0; p < time->n_pieces; p++) {
            if (!sator_expr_range(time->pieces[p].out[n_time], w->lower, last, &least, &greatest) ||
                    least != greatest || (p > 0 && least != value))
                return n_time;
            value = least;
        }
    }
    return n_time;
}

struct sator_loc sator_dataflow_dim_loc(const struct sator_bound_dataflow *bound, int dim)
{
    bool known = bound->dim_locs != NULL && bound->dim_locs[dim].source != NULL;

    return known ? bound->dim_locs[dim] : bound->space_loc;
}

struct sator_loc sator_access_loc(
        const struct sator_workload *workload, const struct sator_access *access)
{
    struct sator_loc loc = access->relation->loc;

    return loc.source == NULL ? workload->loc : loc;
}
