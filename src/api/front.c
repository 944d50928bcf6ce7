/* The front of a whole network: every way to take a mapping of each layer's own front, and of the
 * sums those that none beats in both energy and latency. Sums of fronts are enough: a mapping that
 * another of its layer beats makes no sum better.
 */
#include "sator/map.h"

#include "api/map.h"
#include "base/arguments.h"
#include "base/context.h"
#include "mapper/cost/cost.h"
#include "relation/workload.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST_POINTS = 100000 /* of a sum of fronts; more are thinned out */
};

/* A point of the sum of the first layers' fronts. */
struct sum {
    double cycles, energy_pj;
    int before, choice; /* the point of the sum of the layers before; this layer's mapping */
};

struct stage {
    struct sum *sums; /* by ascending latency, and so by descending energy */
    int n;
};

static int compare_sums(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? -1 : 1;
    if (x->energy_pj != y->energy_pj)
        return x->energy_pj < y->energy_pj ? -1 : 1;
    return x->before != y->before ? x->before - y->before : x->choice - y->choice;
}

/* Of sorted sums those that none before beats. Figures that differ by the rounding of a few dozen
 * additions are equal. */
static int keep_front(struct sum *sums, int n)
{
    static const double rounding = 1e-13;
    int kept = 0;

    for (int i = 0; i < n; i++) {
        if (kept > 0 && sums[i].energy_pj >= sums[kept - 1].energy_pj * (1 - rounding))
            continue;
        if (kept > 0 && sums[i].cycles <= sums[kept - 1].cycles * (1 + rounding))
            kept--;
        sums[kept++] = sums[i];
    }
    return kept;
}

/* Leave out points evenly, but for the first and the last. */
static int thin(struct sum *sums, int n)
{
    for (int i = 1; i < MOST_POINTS; i++)
        sums[i] = sums[(int64_t)i * (n - 1) / (MOST_POINTS - 1)];
    return MOST_POINTS;
}

/* The front of the sums of "before" and a layer's front, which a network runs "repeat" times. */
static struct stage add_layer(const struct stage *before, const struct sator_map_layer_front *layer,
        struct sator_map_front *front)
{
    size_t most = (size_t)before->n * (size_t)layer->n_results;
    struct stage stage = {.sums = sator_alloc(sizeof *stage.sums * (most + 1))};

    for (int i = 0; i < before->n; i++) {
        for (int k = 0; k < layer->n_results; k++)
            stage.sums[stage.n++] = (struct sum){
                    before->sums[i].cycles + layer->repeat * layer->results[k]->total_cycles,
                    before->sums[i].energy_pj + layer->repeat * layer->results[k]->energy_pj, i, k};
    }
    qsort(stage.sums, (size_t)stage.n, sizeof *stage.sums, compare_sums);
    stage.n = keep_front(stage.sums, stage.n);
    front->thinned |= stage.n > MOST_POINTS;
    if (stage.n > MOST_POINTS)
        stage.n = thin(stage.sums, stage.n);
    stage.sums = sator_realloc(stage.sums, sizeof *stage.sums * ((size_t)stage.n + 1));
    return stage;
}

/* The points with what each takes of every layer, the least energy first. */
static void write_points(struct sator_map_front *front, const struct stage *stages)
{
    const struct stage *last = &stages[front->n_layers];
    struct sator_map_point *points =
            SATOR_NEW_ARRAY(front->arena, struct sator_map_point, last->n + 1);

    for (int i = 0; i < last->n; i++) {
        struct sator_map_point *point = &points[last->n - 1 - i];
        int *choices = SATOR_NEW_ARRAY(front->arena, int, front->n_layers + 1);
        *point = (struct sator_map_point){.energy_pj = last->sums[i].energy_pj,
                .total_cycles = last->sums[i].cycles,
                .choices = choices};
        for (int layer = front->n_layers, at = i; layer > 0; layer--) {
            choices[layer - 1] = stages[layer].sums[at].choice;
            at = stages[layer].sums[at].before;
        }
    }
    front->n_points = last->n;
    front->points = points;
}

static void add_up(struct sator_map_front *front)
{
    struct sum nothing = {0};
    struct stage *stages = sator_alloc(sizeof *stages * ((size_t)front->n_layers + 1));

    stages[0] = (struct stage){&nothing, 1};
    for (int i = 0; i < front->n_layers; i++)
        stages[i + 1] = add_layer(&stages[i], &front->layers[i], front);
    write_points(front, stages);
    for (int i = 1; i <= front->n_layers; i++)
        free(stages[i].sums);
    free(stages);
}

/* The different layers, each with all its repeats. */
static void find_layers(struct sator_map_front *front, const struct sator_network *network)
{
    int *places = SATOR_NEW_ARRAY(front->arena, int, network->n_layers + 1);

    front->layers =
            SATOR_NEW_ARRAY(front->arena, struct sator_map_layer_front, network->n_layers + 1);
    for (int i = 0; i < network->n_layers; i++) {
        int same = sator_map_same_layer(network, i);
        places[i] = same == i ? front->n_layers++ : places[same];
        struct sator_map_layer_front *layer = &front->layers[places[i]];
        if (same == i)
            *layer = (struct sator_map_layer_front){
                    .name = sator_arena_strdup(front->arena, network->layers[i].name), .layer = i};
        layer->repeat += network->layers[i].repeat;
    }
}

enum sator_status sator_map_network_front(struct sator_ctx *ctx,
        const struct sator_network *network, const struct sator_arch *arch,
        const struct sator_map_options *options, struct sator_map_front **result)
{
    struct sator_map_options own;
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && result != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_map_take_options(ctx, options, false, &own);
    if (st != SATOR_OK)
        return st;
    struct sator_map_options each = own;
    double start = sator_mapper_now();
    struct sator_arena *arena = sator_arena_new();
    struct sator_map_front *front = SATOR_NEW(arena, struct sator_map_front);

    *front = (struct sator_map_front){.size = sizeof *front,
            .arena = arena,
            .network = sator_arena_strdup(arena, network->name),
            .arch = sator_arena_strdup(arena, arch->name),
            .stopped = SATOR_OK};
    find_layers(front, network);
    for (int i = 0; i < front->n_layers; i++) {
        struct sator_map_layer_front *layer = &front->layers[i];
        struct sator_map_result **results = NULL;
        if (each.budget_seconds > 0) /* what is left, in equal shares */
            each.budget_seconds = fmax(own.budget_seconds - (sator_mapper_now() - start), 1e-6) /
                    (front->n_layers - i);
        st = sator_map_pareto(ctx, network, layer->layer, arch, &each, &results, &layer->n_results);
        layer->results = results;
        if (layer->n_results == 0)
            goto done;
        front->stopped = st == SATOR_OK ? front->stopped : st;
        st = SATOR_OK;
    }
    add_up(front);
    *result = front;
done:
    if (st != SATOR_OK)
        sator_map_front_free(front);
    return st;
}

void sator_map_front_free(struct sator_map_front *front)
{
    if (front == NULL)
        return;
    for (int i = 0; i < front->n_layers; i++) {
        for (int k = 0; k < front->layers[i].n_results; k++)
            sator_map_result_free(front->layers[i].results[k]);
        free(front->layers[i].results);
    }
    sator_arena_free(front->arena);
}
