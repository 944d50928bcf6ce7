/* Networks with data-centric directives, and hardware, as MAESTRO takes them.
 *
 * A digit floor(k/a) of time is TemporalMap(a,a) K. A digit floor(k/a) % U across an array of U is
 * SpatialMap(a,a) K with U units; where the loop is longer, the tiles take turns, and the digit of
 * time floor(k/(aU)) stands in the same place. A level of clusters maps a dimension once, so a
 * second digit of it, or a second array dimension, begins a new level.
 */
#include "convert/convert.h"

#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 64
};

/* A directive to be: of time, or across a dimension of the array. */
struct step {
    struct convert_digit digit;
    bool is_spatial;
    int64_t units; /* spatial: what the array has in that dimension */
};

struct plan {
    struct convert *c;
    const struct sator_workload *layer;
    struct convert_shape shape;
    bool is_product;
    int n_steps;
    struct step steps[MOST_STEPS];
    int64_t beside; /* PEs of which one works, the innermost dimension's; 1: all do */
};

/* The dimension that the loop is called by. */
static const char *dim_of(const struct plan *p, int loop)
{
    const struct convert_shape *s = &p->shape;

    if (p->is_product)
        return loop == s->batch ? "M" : loop == s->filter ? "N" : "K";
    bool depthwise = s->group >= 0 && s->filter < 0 && s->channel < 0;
    const struct {
        int loop;
        const char *name;
    } dims[] = {{s->batch, "N"}, {s->group, depthwise ? "C" : "G"}, {s->filter, "K"},
            {s->channel, "C"}, {s->out[0], "Y'"}, {s->out[1], "X'"}, {s->window[0], "R"}};
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        if (dims[i].loop == loop)
            return dims[i].name;
    }
    return "S";
}

static int64_t extent(const struct plan *p, int loop)
{
    return loop < 0 ? 1 : p->layer->upper[loop];
}

/* ---- layers ---- */

static void write_dimensions(struct plan *p)
{
    const struct convert_shape *s = &p->shape;
    struct sator_text *text = p->c->text;
    int64_t rows = (extent(p, s->out[0]) - 1) * s->stride[0] + extent(p, s->window[0]);
    int64_t columns = (extent(p, s->out[1]) - 1) * s->stride[1] + extent(p, s->window[1]);
    bool depthwise = s->group >= 0 && s->filter < 0 && s->channel < 0;

    if (p->is_product) {
        sator_text_add(text, "\t\tType: GEMM\n\t\tDimensions { M: %lld, N: %lld, K: %lld }\n",
                (long long)extent(p, s->batch), (long long)extent(p, s->filter),
                (long long)extent(p, s->channel));
        return;
    }
    sator_text_add(text, "\t\tType: %s\n",
            depthwise               ? "DSCONV"
                    : s->group >= 0 ? "NGCONV"
                                    : "CONV");
    sator_text_add(text, "\t\tStride { X: %lld, Y: %lld }\n\t\tDimensions { ",
            (long long)s->stride[1], (long long)s->stride[0]);
    if (s->batch >= 0)
        sator_text_add(text, "N: %lld, ", (long long)extent(p, s->batch));
    if (s->group >= 0 && !depthwise)
        sator_text_add(text, "G: %lld, ", (long long)extent(p, s->group));
    sator_text_add(text, "K: %lld, C: %lld, R: %lld, S: %lld, Y: %lld, X: %lld }\n",
            (long long)extent(p, s->filter),
            (long long)extent(p, depthwise ? s->group : s->channel),
            (long long)extent(p, s->window[0]), (long long)extent(p, s->window[1]), (long long)rows,
            (long long)columns);
}

/* ---- directives ---- */

static bool add_steps(struct plan *p, const struct sator_expr *expr, int64_t units,
        struct sator_loc loc, bool is_spatial)
{
    struct convert_digit digits[CONVERT_MOST_DIGITS];
    int n = convert_digits(p->layer, expr, digits);

    if (n < 0) {
        sator_error(p->c->ctx, loc,
                "maestro cannot say '%s': a directive takes tiles of one dimension, without %s",
                convert_shown(p->c, p->layer, expr), is_spatial ? "an offset" : "skew");
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (digits[i].count == 1 && is_spatial)
            continue;
        if (p->n_steps == MOST_STEPS)
            return false;
        int64_t room = digits[i].count;
        if (is_spatial)
            room = (i == 0 ? units : digits[i - 1].scale) / digits[i].scale;
        p->steps[p->n_steps++] = (struct step){digits[i], is_spatial, room};
    }
    if (is_spatial)
        p->beside = n > 0 ? digits[n - 1].scale : 1;
    return true;
}

/* Whether time step "t" is spatial step "s" taking turns. */
static bool is_fold(const struct step *t, const struct step *s)
{
    return t->digit.loop == s->digit.loop && t->digit.stride == s->digit.stride * s->units &&
            (s->digit.count == s->units || t->digit.count == 1);
}

static void write_step(struct plan *p, const struct step *step)
{
    sator_text_add(p->c->text, "\t\t\t%sMap(%lld,%lld) %s;\n",
            step->is_spatial ? "Spatial" : "Temporal", (long long)step->digit.stride,
            (long long)step->digit.stride, dim_of(p, step->digit.loop));
}

/* Whether what the step cuts is what the tiles so far leave: each tile of a loop lies inside the
 * one before. "left": of every loop. */
static bool take(struct plan *p, const struct step *step, int64_t turns, int64_t *left)
{
    int64_t of_loop = left[step->digit.loop], held;

    if (__builtin_mul_overflow(step->digit.stride, step->digit.count, &held) ||
            (turns > 1 && __builtin_mul_overflow(held, turns, &held)) || held < of_loop ||
            (held > of_loop && of_loop != extent(p, step->digit.loop))) {
        sator_error(p->c->ctx, p->c->dataflow->loc,
                "maestro cannot say this order: a tile of '%s' is not inside the one before it",
                p->layer->loop_names[step->digit.loop]);
        return false;
    }
    left[step->digit.loop] = step->digit.stride;
    return true;
}

/* A step where it is written, with the turns that it takes. */
struct directive {
    const struct step *step;
    int64_t turns;
};

/* The steps in order; spatial ones stand where their turns do, or in front of the first step of
 * time that is inside them. */
static int order_steps(const struct plan *p, int n_time, struct directive *order)
{
    bool done[MOST_STEPS] = {false};
    int n = 0;

    for (int t = 0; t < n_time; t++) {
        int fold = n_time;
        while (fold < p->n_steps && (done[fold] || !is_fold(&p->steps[t], &p->steps[fold])))
            fold++;
        if (fold < p->n_steps) {
            done[fold] = true;
            order[n++] = (struct directive){&p->steps[fold], p->steps[t].digit.count};
        } else if (p->steps[t].digit.count > 1) { /* one value says nothing */
            order[n++] = (struct directive){&p->steps[t], 1};
        }
    }
    for (int s = n_time; s < p->n_steps; s++) {
        if (!done[s])
            order[n++] = (struct directive){&p->steps[s], 1};
    }
    return n;
}

/* What the level that begins with the first of "order" has of units: its spatial step's. */
static int64_t units_of(const struct directive *order, int n)
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < k; i++) {
            if (order[i].step->digit.loop == order[k].step->digit.loop)
                return 1;
        }
        if (order[k].step->is_spatial)
            return order[k].step->units;
    }
    return 1;
}

static void write_directives(struct plan *p, int n_time)
{
    int64_t *left = SATOR_NEW_ARRAY(p->c->arena, int64_t, p->layer->n_loops + 1);
    bool *mapped = SATOR_NEW_ARRAY(p->c->arena, bool, p->layer->n_loops + 1);
    struct directive order[MOST_STEPS];
    int n = order_steps(p, n_time, order);
    bool has_spatial = false;

    for (int l = 0; l < p->layer->n_loops; l++)
        left[l] = extent(p, l);
    for (int i = 0; i < n; i++) {
        const struct step *step = order[i].step;
        if (mapped[step->digit.loop] || (step->is_spatial && has_spatial)) {
            sator_text_add(
                    p->c->text, "\t\t\tCluster(%lld,P);\n", (long long)units_of(order + i, n - i));
            memset(mapped, 0, sizeof *mapped * (size_t)p->layer->n_loops);
            has_spatial = false;
        }
        if (!take(p, step, order[i].turns, left))
            return;
        write_step(p, step);
        mapped[step->digit.loop] = true;
        has_spatial |= step->is_spatial;
    }
}

static void write_dataflow(struct plan *p)
{
    const struct sator_bound_dataflow *bound = convert_bind(p->c, p->layer);

    if (bound == NULL)
        return;
    const struct sator_piece *space = sator_relation_function(bound->space);
    const struct sator_piece *time = sator_relation_function(bound->time);
    int64_t shape[64] = {0};
    if (p->c->arch == NULL || bound->space->n_out > 64) {
        sator_error(p->c->ctx, p->c->dataflow->loc,
                "maestro's clusters need the extents of the array: give an architecture");
        return;
    }
    sator_arch_shape(p->c->arch, shape);
    for (int d = 0; d < bound->time->n_out; d++) {
        if (!add_steps(p, time->out[d], 0, bound->time_loc, false))
            return;
    }
    int n_time = p->n_steps;
    for (int d = 0; d < bound->space->n_out; d++) {
        if (!add_steps(p, space->out[d], shape[d], bound->space_loc, true))
            return;
        if (p->beside > 1 && d + 1 < bound->space->n_out) {
            sator_error(p->c->ctx, bound->space_loc,
                    "maestro cannot say '%s': PEs between those that work are of another cluster",
                    convert_shown(p->c, p->layer, space->out[d]));
            return;
        }
    }
    if (bound->n_cuts > 0)
        convert_unsaid(p->c, "cuts: buffers hold what fits");
    sator_text_put(p->c->text, "\t\tDataflow {\n");
    write_directives(p, n_time);
    if (p->beside > 1)
        sator_text_add(p->c->text, "\t\t\tCluster(%lld,P);\n", (long long)p->beside);
    sator_text_put(p->c->text, "\t\t}\n");
}

static void write_layer(struct convert *c, const struct sator_workload *layer)
{
    struct plan p = {.c = c, .layer = layer};
    const struct convert_access *accesses;

    if (!convert_accesses(c, layer, &accesses))
        return;
    if (!convert_find_shape(c, layer, accesses, &p.shape)) {
        sator_error(c->ctx, layer->loc,
                "maestro cannot say '%s': it is neither a convolution nor a product of matrices",
                layer->name);
        return;
    }
    p.is_product = p.shape.out[0] < 0 && p.shape.window[0] < 0 && p.shape.group < 0;
    if (layer->repeat > 1)
        convert_unsaid(c, "repeat");
    sator_text_add(c->text, "\tLayer %s {\n", layer->name);
    write_dimensions(&p);
    if (c->dataflow != NULL)
        write_dataflow(&p);
    sator_text_put(c->text, "\t}\n");
}

/* ---- hardware ---- */

static double bytes_of(const struct sator_memory *memory)
{
    double bytes = NAN;

    for (int i = 0; i < memory->n_capacities; i++) {
        const struct sator_capacity *capacity = &memory->capacities[i];
        double one = isnan(capacity->bytes) ? capacity->words : capacity->bytes;
        bytes = isnan(bytes) ? one : bytes + one;
    }
    return bytes;
}

static void unsaid_of_memory(struct convert *c, const struct sator_memory *memory)
{
    if (!isnan(memory->read.pj) || memory->n_own_energies > 0)
        convert_unsaid(c, "energies");
    if (memory->n_ports > 0)
        convert_unsaid(c, "ports");
    if (memory->n_capacities > 1)
        convert_unsaid(c, "capacities of tensors (they are added up)");
    if (!isnan(memory->write_bits) && memory->write_bits != memory->read_bits)
        convert_unsaid(c, "bandwidths of writes (there one is for both directions)");
}

static void write_machine(struct convert *c)
{
    int64_t shape[64] = {0}, pes = 1;
    const struct sator_level *l2 = sator_arch_scratchpad(c->arch), *l1 = NULL, *dram = NULL;
    bool below = false;

    sator_arch_shape(c->arch, shape);
    for (int d = 0; d < sator_arch_space_dims(c->arch); d++)
        pes *= shape[d];
    for (int i = 0; i < c->arch->n_levels; i++) {
        const struct sator_level *level = &c->arch->levels[i];
        below |= level->kind == SATOR_LEVEL_ARRAY;
        if (level->kind == SATOR_LEVEL_ARRAY && level->array.n_links > 0)
            convert_unsaid(c, "links");
        if (level->kind == SATOR_LEVEL_ARRAY)
            convert_unsaid_buses(c, &level->array);
        if (level->kind != SATOR_LEVEL_MEMORY || level == l2)
            continue;
        if (!below && dram == NULL)
            dram = level;
        else if (below && l1 == NULL)
            l1 = level;
        else
            convert_unsaid(c, level->name);
    }
    sator_text_add(c->text, "num_pes: %lld\n", (long long)pes);
    if (l1 != NULL && !isnan(bytes_of(&l1->memory)))
        sator_text_add(c->text, "l1_size_cstr: %.0f\n", floor(bytes_of(&l1->memory)));
    if (l2 != NULL && !isnan(bytes_of(&l2->memory)))
        sator_text_add(c->text, "l2_size_cstr: %.0f\n", floor(bytes_of(&l2->memory)));
    if (l2 != NULL && !isnan(l2->memory.read_bits) && l2->memory.read_bits >= 8)
        sator_text_add(c->text, "noc_bw_cstr: %.0f\n", floor(l2->memory.read_bits / 8));
    if (dram != NULL && !isnan(dram->memory.read_bits) && dram->memory.read_bits >= 8)
        sator_text_add(c->text, "offchip_bw_cstr: %.0f\n", floor(dram->memory.read_bits / 8));
    for (int i = 0; i < c->arch->n_levels; i++) {
        if (c->arch->levels[i].kind == SATOR_LEVEL_MEMORY)
            unsaid_of_memory(c, &c->arch->levels[i].memory);
    }
    convert_unsaid_machine(c);
}

void convert_to_maestro(struct convert *c)
{
    if (c->network == NULL && c->dataflow != NULL) {
        sator_error(c->ctx, c->dataflow->loc,
                "maestro's directives are of a layer: give the workload, too");
        return;
    }
    if (c->network == NULL) {
        write_machine(c);
        return;
    }
    sator_text_add(c->text, "Network %s {\n", c->network->name);
    for (int i = c->first; i < c->end; i++)
        write_layer(c, &c->network->layers[i]);
    sator_text_put(c->text, "}\n");
    if (c->arch != NULL && c->dataflow == NULL)
        convert_unsaid(c, "the architecture, which is a file of its own (without a workload)");
}
