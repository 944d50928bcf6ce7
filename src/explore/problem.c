/* Setting up: layers into families, a space for each family on each architecture, batches. */
#include "explore/problem.h"
#include "base/room.h"

#include "base/checked.h"
#include "mapper/problem/mapping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LEAST_BATCH = SATOR_ROOM(256, 3),
    MOST_BATCHES = 1 << 18 /* of a part: their progress is kept in memory */
};

static bool are_mappings(const struct sator_exploration *exploration)
{
    return exploration->options.space == SATOR_SPACE_MAPPINGS;
}

int explore_shard_of(uint64_t batch, int n_shards)
{
    uint64_t n = (uint64_t)n_shards;
    uint64_t state = batch / n; /* the same turn for all of one round */
    uint64_t turn = sator_mapper_random(&state) % n;

    return (int)((batch % n + turn) % n);
}

/* ---- layers ---- */

static bool same_loops(const struct sator_workload *a, const struct sator_workload *b)
{
    bool same = a->n_loops == b->n_loops;

    for (int l = 0; same && l < a->n_loops; l++)
        same = strcmp(a->loop_names[l], b->loop_names[l]) == 0;
    return same;
}

static const struct sator_workload *layer_at(
        const struct sator_exploration *exploration, int position)
{
    return &exploration->network->layers[exploration->layers[position]];
}

static void choose_layers(struct sator_exploration *exploration, int layer)
{
    struct sator_arena *arena = exploration->arena;
    int n = layer >= 0 ? 1 : exploration->network->n_layers;
    int *layers = SATOR_NEW_ARRAY(arena, int, n + 1);
    char **texts = sator_alloc(sizeof *texts * (size_t)(n + 1));

    exploration->n_layers = n;
    exploration->layers = layers;
    exploration->same_as = SATOR_NEW_ARRAY(arena, int, n + 1);
    for (int i = 0; i < n; i++) {
        layers[i] = layer >= 0 ? layer : i;
        texts[i] = sator_workload_key(layer_at(exploration, i));
        exploration->same_as[i] = i;
        for (int j = i - 1; j >= 0; j--) {
            if (strcmp(texts[i], texts[j]) == 0)
                exploration->same_as[i] = j;
        }
    }
    for (int i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
}

static void make_families(struct sator_exploration *exploration)
{
    struct sator_arena *arena = exploration->arena;
    int n = exploration->n_layers;

    exploration->families = SATOR_NEW_ARRAY(arena, struct explore_family, n + 1);
    for (int i = 0; i < n; i++) {
        const struct sator_workload *layer = layer_at(exploration, i);
        struct explore_family *family = exploration->families;
        if (exploration->same_as[i] != i)
            continue;
        while (family->n_layers > 0 && !are_mappings(exploration) &&
                !same_loops(family->workloads[0], layer))
            family++;
        if (family->n_layers == 0) {
            exploration->n_families++;
            family->layers = SATOR_NEW_ARRAY(arena, int, n + 1);
            family->workloads = SATOR_NEW_ARRAY(arena, const struct sator_workload *, n + 1);
        }
        family->layers[family->n_layers] = i;
        family->workloads[family->n_layers++] = layer;
    }
}

static void find_tensors(struct sator_exploration *exploration)
{
    for (int i = 0; i < exploration->n_layers; i++) {
        const struct sator_workload *layer = layer_at(exploration, i);
        for (int a = 0; a < layer->n_accesses; a++) {
            bool known = false;
            for (int t = 0; t < exploration->n_tensors; t++)
                known = known || strcmp(exploration->tensors[t], layer->accesses[a].tensor) == 0;
            if (!known)
                SATOR_PUSH(exploration->arena, exploration->tensors, exploration->n_tensors,
                        layer->accesses[a].tensor);
        }
    }
}

static bool has_role(
        const struct sator_exploration *exploration, const char *tensor, enum sator_role role)
{
    for (int i = 0; i < exploration->n_layers; i++) {
        const struct sator_workload *layer = layer_at(exploration, i);
        for (int a = 0; a < layer->n_accesses; a++) {
            if (layer->accesses[a].role == role && strcmp(layer->accesses[a].tensor, tensor) == 0)
                return true;
        }
    }
    return false;
}

static void find_volumes(struct sator_exploration *exploration)
{
    static const enum sator_role roles[] = {SATOR_READ, SATOR_WRITE};

    for (int r = 0; r < 2; r++) {
        for (int t = 0; t < exploration->n_tensors; t++) {
            if (has_role(exploration, exploration->tensors[t], roles[r]))
                SATOR_PUSH(exploration->arena, exploration->volumes, exploration->n_volumes,
                        (struct explore_volumes){exploration->tensors[t], roles[r]});
        }
    }
}

/* Variants mostly differ in numbers: then the figures of one are those of the other. */
static bool same_parts(const struct sator_arch *a, const struct sator_arch *b)
{
    bool same = a->n_levels == b->n_levels;

    for (int i = 0; same && i < a->n_levels; i++) {
        const struct sator_array *x = &a->levels[i].array, *y = &b->levels[i].array;
        same = a->levels[i].kind == b->levels[i].kind &&
                strcmp(a->levels[i].name, b->levels[i].name) == 0;
        if (!same || a->levels[i].kind != SATOR_LEVEL_ARRAY)
            continue;
        same = x->n_links == y->n_links && x->n_buses == y->n_buses;
        for (int k = 0; same && k < x->n_links; k++)
            same = strcmp(x->links[k].name, y->links[k].name) == 0;
        for (int k = 0; same && k < x->n_buses; k++)
            same = strcmp(x->buses[k].name, y->buses[k].name) == 0;
    }
    return same;
}

static void list_names(struct sator_exploration *exploration)
{
    exploration->names = (struct explore_names){
            .n_tensors = exploration->n_tensors, .tensors = exploration->tensors};
    for (int h = 0; h < exploration->n_hardware; h++) {
        const struct sator_arch *arch = exploration->hardware[h].arch;
        if (h == 0 || !same_parts(exploration->hardware[h - 1].arch, arch))
            explore_figures_list(exploration->arena, arch, &exploration->names);
    }
}

/* ---- options ---- */

static enum sator_status read_expressions(
        struct sator_ctx *ctx, struct sator_exploration *exploration)
{
    const struct sator_explore_options *options = &exploration->options;
    struct explore_objective *kept;
    int n_kept;
    enum sator_status st;

    SATOR_TRY(explore_objectives_read(ctx, exploration->arena, "objective",
            options->objective == NULL ? "latency" : options->objective, &exploration->names,
            &exploration->n_objectives, &exploration->objectives));
    if (options->where != NULL)
        SATOR_TRY(explore_expression_read(ctx, exploration->arena, "where", options->where,
                &exploration->names, &exploration->where));
    if (options->keep != NULL)
        SATOR_TRY(explore_objectives_read(ctx, exploration->arena, "keep", options->keep,
                &exploration->names, &n_kept, &kept));
done:
    return st;
}

/* Whether the safe rules are safe for what is asked: they promise latency and energy, nothing else.
 */
static const char *why_not_prune(struct sator_ctx *ctx, const struct sator_exploration *exploration)
{
    for (int i = 0; i < exploration->n_objectives; i++) {
        if (!explore_expression_is_monotone(exploration->objectives[i].expression))
            return "nothing is pruned: the objective is not made of latency and energy alone";
    }
    if (exploration->where != NULL && !explore_expression_is_bound(exploration->where))
        return sator_arena_printf(exploration->arena,
                "nothing is pruned: %s asks for more than bounds on latency and energy",
                sator_word(ctx, "where"));
    if (exploration->options.ordered)
        return sator_arena_printf(exploration->arena,
                "nothing is pruned: with %s a skew may be what makes a point valid",
                sator_word(ctx, "ordered"));
    if (exploration->options.timing == SATOR_TIMING_SCHEDULED)
        return "nothing is pruned: a skew may spread what a port passes over more stamps";
    return NULL;
}

static bool names_tensors(const struct sator_exploration *exploration)
{
    bool named = exploration->where != NULL && explore_expression_names_tensors(exploration->where);

    for (int i = 0; i < exploration->n_objectives; i++)
        named = named || explore_expression_names_tensors(exploration->objectives[i].expression);
    return named;
}

/* Whether points that are the same but for names are told apart: by the energy of a wire, say. */
static bool tells_names(const struct sator_exploration *exploration)
{
    bool tells = exploration->where != NULL &&
            explore_expression_tells_names(exploration->where, &exploration->names);

    for (int i = 0; i < exploration->n_objectives; i++)
        tells = tells ||
                explore_expression_tells_names(
                        exploration->objectives[i].expression, &exploration->names);
    return tells;
}

static void set_space_options(struct sator_ctx *ctx, struct sator_exploration *exploration)
{
    const struct sator_explore_options *options = &exploration->options;
    static const enum space_prune prunes[] = {
            [SATOR_PRUNE_SAFE] = SPACE_PRUNE_SAFE,
            [SATOR_PRUNE_MOVEMENTS] = SPACE_PRUNE_MOVEMENTS,
            [SATOR_PRUNE_NONE] = SPACE_PRUNE_NONE,
    };

    exploration->space_options = (struct space_options){
            .kind = options->space == SATOR_SPACE_MATRIX ? SPACE_MATRIX : SPACE_TILED,
            .prune = prunes[options->prune],
            .pack = options->pack == 0 ? 1 : options->pack,
            .skew_dims = options->skew == 0 ? 1
                    : options->skew < 0     ? 0
                                            : options->skew,
            .whole = options->whole_skews,
            .idle = options->idle,
            .fold = options->fold,
            .symmetry = !options->no_symmetry && !tells_names(exploration),
            .tensors_matter = names_tensors(exploration)};
    if (options->prune != SATOR_PRUNE_SAFE || options->space == SATOR_SPACE_MATRIX)
        return;
    exploration->prune_note = why_not_prune(ctx, exploration);
    if (exploration->prune_note != NULL)
        exploration->space_options.prune = SPACE_PRUNE_NONE;
}

/* ---- spaces ---- */

static void set_batches(struct sator_exploration *exploration, struct explore_part *part)
{
    const struct sator_explore_options *options = &exploration->options;
    uint64_t least = part->space == NULL ? 1 : LEAST_BATCH; /* a mapping is a search of its own */

    part->first = options->first_point < part->size ? options->first_point : part->size;
    part->points = part->size - part->first;
    if (options->n_points != 0 && options->n_points < part->points)
        part->points = options->n_points;
    part->batch_points = options->batch != 0 ? options->batch : least;
    if (part->batch_points < part->points / MOST_BATCHES + 1)
        part->batch_points = part->points / MOST_BATCHES + 1;
    part->first_batch = exploration->n_batches;
    part->n_batches = part->points / part->batch_points + (part->points % part->batch_points != 0);
    exploration->n_batches += part->n_batches;
}

/* "no_room.L1", for every level. */
static const char *const *name_obstacles(struct sator_arena *arena, const struct sator_arch *arch)
{
    const char **names = SATOR_NEW_ARRAY(arena, const char *, arch->n_levels + 1);

    for (int i = 0; i < arch->n_levels; i++)
        names[i] = sator_arena_printf(arena, "no_room.%s", arch->levels[i].name);
    return names;
}

/* What is known of a machine before anything runs on it may be enough. */
static bool is_unwanted(
        const struct sator_exploration *exploration, const struct sator_arch *arch, int *unknown)
{
    struct explore_record machine = {0};
    struct explore_value *pes = &machine.fields[explore_field_index("pes")];
    struct explore_value *area = &machine.fields[explore_field_index("area")];
    int n = sator_arch_space_dims(arch);
    int64_t shape[64];

    if (exploration->where == NULL || n > 64)
        return false;
    sator_arch_shape(arch, shape);
    *pes = (struct explore_value){.kind = EXPLORE_COUNT, .count = 1, .number = NAN};
    for (int d = 0; d < n; d++) {
        if (!sator_mul(pes->count, shape[d], &pes->count))
            return false;
    }
    *area = (struct explore_value){.kind = EXPLORE_NUMBER, .number = sator_arch_area(arch)};
    if (!explore_expression_refuses(exploration->where, &machine))
        return false;
    if (!isnan(area->number))
        return true;
    for (int i = 0; i < 2; i++) { /* is it for want of an area, or whatever that were? */
        area->number = i == 0 ? 0 : INFINITY;
        if (!explore_expression_refuses(exploration->where, &machine))
            *unknown = explore_field_index("area");
    }
    return true;
}

/* The points of the next part: a space of dataflows, or a mapping a layer. */
static enum sator_status make_part(
        struct sator_ctx *ctx, struct sator_exploration *exploration, int hardware, int number)
{
    const struct explore_family *family = &exploration->families[number];
    const struct sator_arch *arch = exploration->hardware[hardware].arch;
    struct explore_part *part = &exploration->parts[exploration->n_parts];
    enum sator_status st = SATOR_OK;

    *part = (struct explore_part){.family = number,
            .hardware = hardware,
            .size = (uint64_t)family->n_layers,
            .unknown = -1};
    part->unwanted = is_unwanted(exploration, arch, &part->unknown);
    if (!are_mappings(exploration)) {
        SATOR_TRY(sator_space_new(ctx, family->n_layers, family->workloads, arch,
                &exploration->space_options, &part->space));
        part->size = sator_space_size(part->space);
    }
    exploration->n_parts++;
    set_batches(exploration, part);
done:
    return st;
}

/* A stretch that begins past the end of every space is a mistake, not an exploration of nothing. */
static enum sator_status check_stretch(
        struct sator_ctx *ctx, const struct sator_exploration *exploration)
{
    uint64_t first = exploration->options.first_point, most = 0;

    for (int p = 0; p < exploration->n_parts; p++)
        most = exploration->parts[p].size > most ? exploration->parts[p].size : most;
    if (most == 0 || first < most) /* there is nothing at all when --where refuses all machines */
        return SATOR_OK;
    sator_error(ctx, (struct sator_loc){0}, "there is no point %llu", (unsigned long long)first);
    sator_help(ctx, "points are numbered from 0 to %llu", (unsigned long long)most - 1);
    return SATOR_INPUT;
}

static enum sator_status make_spaces(struct sator_ctx *ctx, struct sator_exploration *exploration)
{
    enum sator_status st = SATOR_OK;
    int n_parts = exploration->n_families * exploration->n_hardware;

    exploration->parts = SATOR_NEW_ARRAY(exploration->arena, struct explore_part, n_parts + 1);
    for (int h = 0; h < exploration->n_hardware; h++) {
        for (int f = 0; f < exploration->n_families; f++)
            SATOR_TRY(make_part(ctx, exploration, h, f));
    }
    SATOR_TRY(check_stretch(ctx, exploration));
done:
    return st;
}

enum sator_status explore_new(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        int n_hardware, const struct explore_hardware *hardware,
        const struct sator_explore_options *options, struct sator_exploration **exploration)
{
    struct sator_arena *arena = sator_arena_new();
    struct sator_exploration *made = SATOR_NEW(arena, struct sator_exploration);
    enum sator_status st;

    *made = (struct sator_exploration){
            .arena = arena, .network = network, .n_hardware = n_hardware, .options = *options};
    struct explore_hardware *copies = SATOR_NEW_ARRAY(arena, struct explore_hardware, n_hardware);
    for (int i = 0; i < n_hardware; i++)
        copies[i] = (struct explore_hardware){sator_arena_strdup(arena, hardware[i].settings),
                hardware[i].arch, name_obstacles(arena, hardware[i].arch)};
    made->hardware = copies;
    choose_layers(made, layer);
    make_families(made);
    find_tensors(made);
    find_volumes(made);
    list_names(made);
    SATOR_TRY(read_expressions(ctx, made));
    if (are_mappings(made)) {
        SATOR_TRY(explore_map_options(ctx, made));
    } else {
        set_space_options(ctx, made);
    }
    SATOR_TRY(make_spaces(ctx, made));
    explore_describe(made);
    *exploration = made;
    return SATOR_OK;
done:
    made->n_hardware = 0; /* the caller's, still */
    sator_exploration_free(made);
    return st;
}

void sator_exploration_free(struct sator_exploration *exploration)
{
    if (exploration == NULL)
        return;
    if (exploration->temporary != NULL)
        unlink(exploration->temporary);
    for (int i = 0; i < exploration->n_parts; i++)
        sator_space_free(exploration->parts[i].space);
    for (int i = 0; i < exploration->n_hardware; i++)
        sator_arch_free(exploration->hardware[i].arch);
    sator_arena_free(exploration->arena);
}
