/* What the formulas do not cover, counted by the engines (count/count.h): transfers over complex
 * networks, and accesses that are no sums of loops. The questions are those of the model
 * (doc/model.md, section 4) about the same relations and cuts.
 */
#include "base/context.h"
#include "base/memo.h"
#include "count/count.h"
#include "mapper/cost/cost.h"
#include "mapper/problem/domain.h"
#include "mapper/problem/skew.h"
#include "model/model.h"
#include "model/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a transfer brings in a mapping. */
struct counted_words {
    int64_t unique, arriving, merged;
    double extra_pj;
};

enum {
    MOST_KEY = 1 + MAPPER_ROWS * (MAPPER_LOOPS + 1)
};

/* The latest answer about a transfer: what a mapping costs, and its report, ask the same. */
struct counted_answer {
    bool known;
    int64_t key[MOST_KEY]; /* of the mapping */
    struct sator_volumes volumes;
    sator_int *by_link; /* links, then buses */
};

struct mapper_counting {
    const struct mapper_problem *problem;
    struct sator_ctx *ctx; /* its own: threads search one problem */
    struct sator_arena *arena; /* of one question */
    struct sator_counter *counter;
    struct sator_hush before; /* of one question */
    bool is_asked; /* it: there was time for it */
    uint64_t n_questions;
    struct counted_answer *latest; /* of each transfer */
    struct sator_memo *tiles; /* words of the largest, by access and extents */
    struct sator_memo *words; /* of transfers: struct counted_words, by mapping */
};

enum {
    QUESTION_WORK = 1 << 17, /* of a question, beside what the engines count of theirs */
    MOST_WORK = 1 << 28, /* of one question, about a second: a search asks many */
    MOST_WORDS = 1 << 12 /* remembered: orders of one tiling ask alike */
};

static void *counting_new(const struct mapper_problem *problem)
{
    struct mapper_counting *c = sator_alloc(sizeof *c);

    *c = (struct mapper_counting){
            .problem = problem, .ctx = sator_ctx_own(), .arena = sator_arena_new()};
    c->ctx->work_limit = problem->work_limit < MOST_WORK ? problem->work_limit : MOST_WORK;
    (void)sator_counter_new(c->ctx, SATOR_ENGINE_AUTO, &(struct sator_stamping){0}, &c->counter);
    c->tiles = sator_memo_new(sizeof(int64_t));
    c->words = sator_memo_new(sizeof(struct counted_words));
    c->latest = sator_alloc(sizeof *c->latest * (size_t)(problem->n_transfers + 1));
    for (int i = 0; i < problem->n_transfers; i++) {
        const struct sator_model_network *network = problem->transfer[i].network;
        int n = network == NULL ? 0 : network->n_links + network->n_buses;
        c->latest[i] = (struct counted_answer){
                .by_link = sator_alloc(sizeof *c->latest[i].by_link * (size_t)(n + 1))};
    }
    return c;
}

static void counting_free(void *state)
{
    struct mapper_counting *c = state;

    sator_counter_free(c->counter);
    sator_arena_free(c->arena);
    sator_ctx_free(c->ctx);
    for (int i = 0; i < c->problem->n_transfers; i++)
        free(c->latest[i].by_link);
    free(c->latest);
    sator_memo_free(c->tiles);
    sator_memo_free(c->words);
    free(c);
}

static struct mapper_counting *counting_of(struct mapper_words *words)
{
    return sator_mapper_words_state(words, MAPPER_KEEPS_COUNTING, counting_new, counting_free);
}

uint64_t sator_mapper_counting_work(struct mapper_words *words)
{
    const struct mapper_counting *c = counting_of(words);

    return c->n_questions * QUESTION_WORK + c->ctx->all_work;
}

/* ---- questions ---- */

/* Begin a question, to the counter about "stamping" or (NULL) to the model; nothing is said of it.
 * Unless SATOR_OK, it is too late to ask. */
static enum sator_status begin(struct mapper_counting *c, const struct sator_stamping *stamping)
{
    sator_ctx_hush(c->ctx, &c->before);
    c->is_asked = sator_mapper_watch_begin(c->problem->watch, c->ctx);
    if (c->is_asked && stamping != NULL)
        sator_counter_restart(c->counter, c->ctx, SATOR_ENGINE_AUTO, stamping);
    return c->is_asked ? SATOR_OK : SATOR_INTERRUPTED;
}

/* End it, and clear the arena; whether its answer, which is "st", is known. */
static bool end(struct mapper_counting *c, enum sator_status st)
{
    if (c->is_asked) {
        sator_counter_stop(c->counter);
        sator_mapper_watch_end(c->problem->watch, c->ctx);
        c->n_questions++;
    }
    sator_ctx_unhush(c->ctx, &c->before);
    sator_arena_clear(c->arena);
    return st == SATOR_OK;
}

/* The stamping of the workload's domain with "time" as its time-stamp and one PE. */
static struct sator_stamping stamping_of(struct sator_arena *arena,
        const struct sator_workload *workload, int n_time, const struct sator_expr *const *time)
{
    const struct sator_expr **zero = SATOR_NEW_ARRAY(arena, const struct sator_expr *, 1);

    zero[0] = sator_expr_constant(arena, 0);
    return (struct sator_stamping){.domain = workload->domain,
            .space = sator_relation_make(arena, workload->domain->in_name, workload->n_loops,
                    workload->loop_names, "PE", 1, zero, NULL),
            .time = sator_relation_make(arena, workload->domain->in_name, workload->n_loops,
                    workload->loop_names, "T", n_time == 0 ? 1 : n_time, n_time == 0 ? zero : time,
                    NULL),
            .n_space = 0,
            .n_time = n_time};
}

enum sator_status sator_mapper_count_access(
        struct sator_ctx *ctx, const struct mapper_problem *p, struct mapper_access *access)
{
    struct sator_arena *arena = sator_arena_new();
    const struct sator_expr **loops =
            SATOR_NEW_ARRAY(arena, const struct sator_expr *, p->workload->n_loops + 1);
    for (int i = 0; i < p->workload->n_loops; i++)
        loops[i] = sator_expr_var(arena, i);
    struct sator_stamping stamping = stamping_of(arena, p->workload, 0, NULL);
    struct sator_stamping instances = stamping_of(arena, p->workload, p->workload->n_loops, loops);
    struct sator_transport transport = {.registers = true};
    struct sator_counter *counter = NULL;
    struct sator_volumes volumes = {0};
    sator_int most = 0;
    enum sator_status st;

    SATOR_TRY(sator_counter_new(ctx, SATOR_ENGINE_AUTO, &stamping, &counter));
    SATOR_TRY(sator_count_volumes(counter, access->relation, &transport, &volumes));
    sator_counter_stop(counter);
    sator_counter_restart(counter, ctx, SATOR_ENGINE_AUTO, &instances);
    SATOR_TRY(sator_count_tile(counter, access->relation, &most));
    if (volumes.access > INT64_MAX / 64) {
        st = sator_error(ctx, p->workload->loc,
                "all instances of '%s' together touch '%s' more than 2^57 times, too often to map",
                p->workload->name, access->name);
        goto done;
    }
    access->volume = (int64_t)volumes.access;
    access->footprint = (int64_t)volumes.footprint;
    access->instance_words = (int64_t)most; /* at most the volume */
done:
    if (st == SATOR_LIMIT)
        sator_help(ctx, "the question is what all instances of '%s' touch of '%s'",
                p->workload->name, access->name);
    sator_counter_free(counter);
    sator_arena_free(arena);
    return st;
}

enum sator_status sator_mapper_count_instances(struct sator_ctx *ctx, struct mapper_problem *p)
{
    const struct sator_workload *w = p->workload;
    struct sator_arena *arena = sator_arena_new();
    const struct sator_expr **loops =
            SATOR_NEW_ARRAY(arena, const struct sator_expr *, w->n_loops + 1);
    for (int i = 0; i < w->n_loops; i++)
        loops[i] = sator_expr_var(arena, i);
    struct sator_stamping stamping = stamping_of(arena, w, w->n_loops, loops);
    struct sator_counter *counter = NULL;
    struct sator_stamp_counts counts = {0};
    enum sator_status st;

    SATOR_TRY(sator_counter_new(ctx, SATOR_ENGINE_AUTO, &stamping, &counter));
    SATOR_TRY(sator_count_stamps(counter, &counts));
    p->instances = (int64_t)counts.instances; /* at most those of the hull */
done:
    sator_counter_free(counter);
    sator_arena_free(arena);
    return st;
}

/* ---- tiles ---- */

/* The words of the largest tile of "stamping", INT64_MAX when they are not known. */
static int64_t ask_for_tile(
        struct mapper_counting *c, const struct sator_stamping *stamping, int access)
{
    sator_int words = 0;
    enum sator_status st = begin(c, stamping);

    if (st == SATOR_OK)
        st = sator_count_tile(c->counter, c->problem->access[access].relation, &words);
    return end(c, st) && words < INT64_MAX ? (int64_t)words : INT64_MAX;
}

/* Ask the engines for the largest tile: the time-stamp is the number of the tile along each loop.
 */
static int64_t count_tile(struct mapper_counting *c, int access, const int64_t *tile)
{
    const struct mapper_problem *p = c->problem;
    const struct sator_expr **time =
            SATOR_NEW_ARRAY(c->arena, const struct sator_expr *, MAPPER_LOOPS);
    int n_time = 0;

    for (int i = 0; i < p->n_loops; i++) {
        int var = p->loop_of[i];
        if (!(p->access[access].relevant >> i & 1) || tile[i] >= p->extent[i])
            continue;
        time[n_time++] = sator_expr_floor(c->arena,
                sator_expr_add(c->arena, sator_expr_constant(c->arena, -p->workload->lower[var]), 1,
                        sator_expr_var(c->arena, var)),
                tile[i]);
    }
    struct sator_stamping stamping = stamping_of(c->arena, p->workload, n_time, time);
    int64_t words = ask_for_tile(c, &stamping, access);
    if (words == INT64_MAX)
        sator_mapper_watch_note_unknown(p->watch);
    return words;
}

int64_t sator_mapper_counted_tile(struct mapper_words *words, int access, const int64_t *tile)
{
    struct mapper_counting *c = counting_of(words);
    const struct mapper_problem *p = c->problem;
    int64_t key[MAPPER_LOOPS + 1]; /* 1 for loops that do not index the access */
    bool is_new;

    for (int i = 0; i < MAPPER_LOOPS; i++) {
        bool indexes = i < p->n_loops && (p->access[access].relevant >> i & 1);
        key[i] = !indexes ? 1 : tile[i] < p->extent[i] ? tile[i] : p->extent[i];
    }
    key[MAPPER_LOOPS] = access;
    int64_t whole = p->domain == NULL ? 0 : sator_mapper_domain_tile(p, access, key);
    if (whole != 0)
        return whole;
    int64_t *known = sator_memo_place(c->tiles, key, MAPPER_LOOPS + 1, &is_new);
    if (is_new)
        *known = count_tile(c, access, key);
    return *known;
}

/* ---- transfers ---- */

/* What memory "m" holds in a mapping that is "flow"; all of it, and the PEs' own, for the last. */
static struct sator_stamping stamping_at(
        const struct mapper_counting *c, const struct sator_bound_dataflow *flow, int m)
{
    const struct mapper_problem *p = c->problem;
    bool to_compute = m == p->n_memories;

    return (struct sator_stamping){.domain = p->workload->domain,
            .space = flow->space,
            .time = flow->time,
            .n_space = to_compute ? p->n_space_dims : flow->cuts[m].space,
            .n_time = to_compute ? flow->time->n_out : flow->cuts[m].time,
            .shape = p->array_shape};
}

int64_t sator_mapper_counted_window(
        struct mapper_words *words, const struct mapper_mapping *mapping, int m, int access)
{
    struct mapper_counting *c = counting_of(words);
    const struct mapper_problem *p = c->problem;
    const struct sator_bound_dataflow *flow =
            sator_mapper_dataflow(p, c->arena, mapping, "mapping");
    struct sator_stamping stamping = stamping_at(c, flow, m);

    return ask_for_tile(c, &stamping, access);
}

/* What idle children hold, and of sums the memories outside that have to keep them. */
static void add_idle(const struct mapper_problem *p, const struct mapper_transfer *t,
        const struct sator_bound_dataflow *flow, struct sator_arena *arena,
        struct sator_transport *transport)
{
    struct sator_outside *outside = SATOR_NEW_ARRAY(arena, struct sator_outside, p->n_memories + 1);

    transport->holds_idle = t->child < p->n_memories && p->memory[t->child].holds_idle;
    transport->outside = outside;
    for (int m = t->parent; m >= 0 && !t->is_outside; m--) {
        const struct sator_cut *cut = &flow->cuts[m];
        if (p->access[t->access].role == SATOR_WRITE && cut->time > 0 &&
                (p->memory[m].holds >> t->access & 1))
            outside[transport->n_outside++] = (struct sator_outside){
                    .space = cut->space, .time = cut->time, .holds_idle = p->memory[m].holds_idle};
    }
    if (!sator_transport_idles(transport))
        transport->n_outside = 0;
}

static void ask_volumes(
        struct mapper_counting *c, const struct mapper_mapping *mapping, int transfer)
{
    const struct mapper_problem *p = c->problem;
    const struct mapper_transfer *t = &p->transfer[transfer];
    const struct sator_bound_dataflow *flow =
            sator_mapper_dataflow(p, c->arena, mapping, "mapping");
    struct sator_stamping stamping = stamping_at(c, flow, t->child);
    struct sator_transport transport;
    struct counted_answer *latest = &c->latest[transfer];

    latest->volumes = (struct sator_volumes){
            .by_link = latest->by_link, .by_bus = latest->by_link + t->network->n_links};
    enum sator_status st = begin(c, &stamping);
    if (st == SATOR_OK) {
        st = sator_model_cut(c->ctx, c->arena, c->counter, p->access[t->access].relation,
                t->network, &transport);
        transport.footprint = p->access[t->access].footprint;
        if (!t->is_outside) {
            const struct sator_cut *held = &flow->cuts[t->parent];
            transport.held_space = held->space;
            transport.held_time =
                    sator_model_held_time(t->network, p->access[t->access].role, held->time);
        }
        add_idle(p, t, flow, c->arena, &transport);
        if (st == SATOR_OK)
            st = sator_count_volumes(
                    c->counter, p->access[t->access].relation, &transport, &latest->volumes);
    }
    latest->known = end(c, st) && latest->volumes.total <= INT64_MAX;
}

/* The words that a key says a mapping with: factors by row, and an order, four bits a loop. */
static size_t key_of(const struct mapper_problem *p, int transfer,
        const struct mapper_mapping *mapping, int64_t *key)
{
    size_t n = 0;

    key[n++] = transfer;
    for (int r = 0; r < p->n_rows; r++) {
        const struct mapper_row *row = &p->row[r];
        const int8_t *order = row->is_space ? mapping->along[r] : mapping->order[row->memory];
        uint64_t packed = 0;
        for (int i = 0; i < p->n_loops; i++) {
            key[n++] = mapping->factor[r][i];
            packed = packed << 4 | (uint64_t)order[i];
        }
        key[n++] = (int64_t)packed;
    }
    return n;
}

_Static_assert(MAPPER_LOOPS <= 16, "an order in 64 bits");

bool sator_mapper_counted_volumes(struct mapper_words *words, const struct mapper_mapping *mapping,
        int transfer, struct sator_volumes *volumes)
{
    struct mapper_counting *c = counting_of(words);
    struct counted_answer *latest = &c->latest[transfer];
    int64_t key[MOST_KEY];
    size_t size = sizeof *key * key_of(c->problem, transfer, mapping, key);

    if (!latest->known || memcmp(latest->key, key, size) != 0)
        ask_volumes(c, mapping, transfer);
    memcpy(latest->key, key, size);
    *volumes = latest->volumes;
    return latest->known;
}

double sator_mapper_link_pj(
        const struct mapper_problem *p, const struct sator_link *link, int access)
{
    const struct mapper_access *what = &p->access[access];

    return sator_link_action(NULL, link, what->name, what->word_bits).word_pj;
}

double sator_mapper_bus_pj(const struct mapper_problem *p, const struct sator_bus *bus, int access)
{
    const struct mapper_access *what = &p->access[access];

    return sator_bus_action(NULL, bus, what->name, what->word_bits).word_pj;
}

double sator_mapper_tree_pj(
        const struct mapper_problem *p, const struct mapper_transfer *t, int bus)
{
    double pj = sator_mapper_bus_pj(p, t->network->bus_sources[bus], t->access);

    return (isnan(pj) ? 0 : pj) - t->merged_pj;
}

/* The words of an answer. */
static struct counted_words words_of(const struct mapper_problem *p,
        const struct mapper_transfer *t, const struct sator_volumes *volumes)
{
    const struct sator_model_network *network = t->network;
    struct counted_words words = {.unique = (int64_t)volumes->unique,
            .arriving = (int64_t)(volumes->total - volumes->temporal)};

    for (int i = 0; i < network->n_buses; i++)
        words.merged += (int64_t)volumes->by_bus[i];
    bool differs = t->is_complex || t->has_late; /* from "spared_pj" */
    for (int i = 0; i < network->n_links && differs; i++) {
        double pj = sator_mapper_link_pj(p, network->link_sources[i], t->access);
        words.extra_pj += (double)volumes->by_link[i] * ((isnan(pj) ? 0 : pj) - t->spared_pj);
    }
    for (int i = 0; i < network->n_buses && differs; i++)
        words.extra_pj +=
                (double)volumes->by_bus[i] * (sator_mapper_tree_pj(p, t, i) - t->spared_pj);
    return words;
}

/* ---- mappings that are alike to a transfer ---- */

/* Whether all PEs that a skew has run apart stand directly outside the transfer's child: links that
 * have a formula lead from run to run, or not, whatever stands outside of a run. */
static bool has_one_row(const struct mapper_problem *p, const struct mapper_transfer *t)
{
    bool is_one = t->links_alone != NULL;
    int memory = 0;

    for (int r = 0; r < t->child_row && is_one; r++) {
        memory = p->row[r].is_space ? memory : p->row[r].memory;
        is_one = p->skew->step[r] == 0 || memory + 1 == t->child;
    }
    return is_one;
}

/* The same of mappings with whole tiles. */
static bool is_settled_whole(const struct mapper_problem *p, const struct mapper_transfer *t)
{
    return !p->in_hull && (p->skew == NULL || has_one_row(p, t)) &&
            !p->access[t->access].is_counted;
}

bool sator_mapper_is_settled_early(const struct mapper_problem *p, const struct mapper_transfer *t)
{
    return !p->imperfect && is_settled_whole(p, t);
}

/* Put the loops of a memory row into the order of their names where their order does not matter to
 * a tensor: those that do not move its tile, with nothing else between them; those outside of the
 * first that stands alone in an index, whose steps leave nothing, so that what they repeat is what
 * is inside; and those of one step. "*is_settled": there is such a loop further in, or here. */
static void sort_loops(const struct mapper_problem *p, const struct mapper_transfer *t,
        const int64_t *factor, int8_t *order, int64_t *inside, bool *is_settled)
{
    const struct mapper_access *access = &p->access[t->access];
    int n_loops = p->n_loops;
    /* Where only loops further in are placed, these settle it and an order need not have all. */
    int segment[MAPPER_LOOPS] = {0}, last = 0;
    bool moved = false;

    for (int k = n_loops - 1; k >= 0; k--) {
        int loop = order[k];
        bool moves = access->relevant >> loop & 1;
        last += !*is_settled && factor[loop] > 1 && (moves || moved) ? 1 : 0;
        segment[loop] = factor[loop] > 1 ? last : 2 * MAPPER_LOOPS;
        moved = factor[loop] > 1 ? moves : moved;
        if (!*is_settled && factor[loop] > 1 && (access->plain >> loop & 1) &&
                sator_mapper_is_out_of_reach(t, *inside, factor[loop])) {
            *is_settled = true;
            last++;
        }
        *inside *= factor[loop];
    }
    for (int i = 0; i < n_loops; i++) { /* outermost first */
        int at = i;
        for (; at > 0 && segment[order[at - 1]] < segment[i]; at--)
            order[at] = order[at - 1];
        order[at] = (int8_t)i;
    }
}

/* Of all mappings that bring the same words in a transfer, one. */
static void find_alike(const struct mapper_problem *p, int transfer,
        const struct mapper_mapping *mapping, struct mapper_mapping *alike)
{
    const struct mapper_transfer *t = &p->transfer[transfer];
    bool is_settled = false;
    int64_t inside = 1;

    *alike = *mapping;
    bool settles = is_settled_whole(p, t) && !sator_mapper_is_ragged(p, mapping, ~0U);
    for (int r = t->child_row - 1; r >= 0 && settles; r--) {
        if (!p->row[r].is_space)
            sort_loops(
                    p, t, mapping->factor[r], alike->order[p->row[r].memory], &inside, &is_settled);
    }
}

static void set_words(
        int transfer, const struct counted_words *words, struct mapper_traffic *traffic)
{
    traffic->unique[transfer] = words->unique;
    traffic->arriving[transfer] = words->arriving;
    traffic->merged[transfer] = words->merged;
    traffic->extra_pj[transfer] = words->extra_pj;
}

/* Count a transfer by formula; false where there is none. */
static bool count_links(struct mapper_words *words, const struct mapper_mapping *mapping,
        int transfer, struct counted_words *counted)
{
    const struct mapper_problem *p = sator_mapper_words_problem(words);
    const struct mapper_transfer *t = &p->transfer[transfer];
    struct mapper_shape shape;

    if (t->links_alone == NULL || p->in_hull)
        return false;
    if (!sator_mapper_is_ragged(p, mapping, ~0U))
        return sator_mapper_count_links(
                p, words, mapping, transfer, &counted->unique, &counted->arriving);
    if (t->reaches_back || t->links_alone->may_go_round)
        return false;
    const struct mapper_sharing sharing = sator_mapper_sharing_of(t);
    sator_mapper_shape_init(p, mapping, &shape);
    return sator_mapper_count_tiling(
            words, mapping, &shape, transfer, &sharing, &counted->unique, &counted->arriving);
}

void sator_mapper_count_transfer(struct mapper_words *words, const struct mapper_mapping *mapping,
        int transfer, struct mapper_traffic *traffic)
{
    struct mapper_counting *c = counting_of(words);
    const struct mapper_problem *p = c->problem;
    struct counted_words counted = {0}, *remembered;
    int64_t key[MOST_KEY];
    struct mapper_mapping alike;
    struct sator_volumes volumes;
    bool is_new, has_formula = false;

    find_alike(p, transfer, mapping, &alike);
    size_t length = key_of(p, transfer, &alike, key);
    remembered = sator_memo_find(c->words, key, length);
    if (remembered != NULL) {
        counted = *remembered;
    } else if ((has_formula = count_links(words, &alike, transfer, &counted)) ||
            sator_mapper_counted_volumes(words, &alike, transfer, &volumes)) {
        if (!has_formula)
            counted = words_of(p, &p->transfer[transfer], &volumes);
        if (sator_memo_size(c->words) == MOST_WORDS)
            sator_memo_clear(c->words);
        remembered = sator_memo_place(c->words, key, length, &is_new);
        *remembered = counted;
    } else
        traffic->is_unknown = true;
    set_words(transfer, &counted, traffic);
}

void sator_mapper_count_stamps(struct mapper_words *words, const struct mapper_mapping *mapping,
        struct mapper_traffic *traffic)
{
    struct mapper_counting *c = counting_of(words);
    const struct mapper_problem *p = c->problem;
    const struct sator_bound_dataflow *flow =
            sator_mapper_dataflow(p, c->arena, mapping, "mapping");
    struct sator_stamping stamping = stamping_at(c, flow, p->n_memories);
    struct sator_stamp_counts counts = {0};
    enum sator_status st = begin(c, &stamping);

    if (st == SATOR_OK)
        st = sator_count_stamps(c->counter, &counts);
    if (!end(c, st)) {
        traffic->is_unknown = true;
        return;
    }
    traffic->time_stamps = (int64_t)counts.time_stamps; /* at most the instances */
    traffic->active_pes = (int64_t)counts.active_pes;
}

/* Ask the model about a mapping; NULL when it, or the budget, gives up. The caller frees. */
static struct sator_result *ask_model(struct mapper_counting *c,
        const struct mapper_mapping *mapping, const struct sator_analyze_options *options)
{
    const struct mapper_problem *p = c->problem;
    const struct sator_bound_dataflow *flow =
            sator_mapper_dataflow(p, c->arena, mapping, "mapping");
    struct sator_result *result = NULL;
    enum sator_status st = begin(c, NULL);

    if (st == SATOR_OK)
        st = sator_model_analyze(c->ctx, p->workload, p->arch, flow, options, &result);
    return end(c, st) ? result : NULL;
}

double sator_mapper_count_time(struct mapper_words *words, const struct mapper_mapping *mapping,
        uint64_t most_work, uint64_t *work)
{
    static const struct sator_analyze_options options = {.timing = SATOR_TIMING_SCHEDULED};
    struct mapper_counting *c = counting_of(words);
    uint64_t limit = c->ctx->work_limit;

    c->ctx->work_limit = most_work;
    struct sator_result *result = ask_model(c, mapping, &options);
    double cycles = result == NULL ? NAN : result->scheduled_cycles;
    c->ctx->work_limit = limit;
    *work += c->ctx->work_done;
    if (result != NULL)
        sator_result_free(result);
    return cycles;
}

void sator_mapper_count_ports(struct mapper_words *words, const struct mapper_mapping *mapping,
        unsigned memories, struct mapper_traffic *traffic)
{
    const struct mapper_problem *p = sator_mapper_words_problem(words);
    struct sator_result *result = ask_model(counting_of(words), mapping, NULL);

    traffic->is_unknown |= result == NULL;
    if (result == NULL)
        return;
    for (int i = 0; i < p->n_ports; i++) {
        if (!(memories >> p->port[i].memory & 1))
            continue;
        for (int k = 0; k < result->n_ports; k++) {
            double cycles = result->ports[k].cycles;
            if (strcmp(result->ports[k].name, p->port[i].lane->name) == 0)
                traffic->busiest_cycles[i] = isnan(cycles) ? 0 : cycles;
        }
    }
    sator_result_free(result);
}

bool sator_mapper_count_late(const struct mapper_problem *p, struct mapper_words *words,
        const struct mapper_mapping *mapping, struct mapper_traffic *traffic)
{
    struct sator_volumes volumes;

    for (int t = 0; t < p->n_transfers; t++) {
        if (!p->transfer[t].has_late)
            continue;
        if (!sator_mapper_counted_volumes(words, mapping, t, &volumes))
            return false;
        struct counted_words all = words_of(p, &p->transfer[t], &volumes);
        set_words(t, &all, traffic);
    }
    traffic->has_late = true;
    unsigned asked = p->late_ports | (traffic->is_uneven ? p->asked_ports : 0);
    if (traffic->is_uneven && p->imperfect) /* what short tiles make of ports is without these */
        asked = sator_mapper_inner_ports(p);
    if (!p->has_inner_ports || asked == 0)
        return true;
    traffic->is_uneven = false;
    sator_mapper_port_cycles(p, traffic, traffic->busiest_cycles);
    traffic->is_uneven = true;
    sator_mapper_count_ports(words, mapping, asked, traffic);
    return !traffic->is_unknown;
}

/* Whether "link" is one that formulas count. */
static bool is_counted_on(const struct mapper_transfer *t, const struct sator_link *link)
{
    for (int i = 0; i < t->n_passes; i++) {
        if (t->passes[i].link == link)
            return true;
    }
    return false;
}

bool sator_mapper_late_is_idle(const struct mapper_problem *p, struct mapper_words *words,
        const struct mapper_mapping *mapping)
{
    struct sator_volumes volumes;

    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        if (!t->has_late)
            continue;
        if (!sator_mapper_counted_volumes(words, mapping, i, &volumes))
            return false;
        for (int l = 0; l < t->network->n_links; l++) {
            if (volumes.by_link[l] != 0 && !is_counted_on(t, t->network->link_sources[l]))
                return false;
        }
    }
    return true;
}

struct mapper_cost sator_mapper_least_late(
        const struct mapper_problem *p, const struct mapper_traffic *traffic)
{
    struct mapper_traffic least = *traffic;

    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        if (!t->has_late)
            continue;
        int64_t most = traffic->unique[i], few = p->access[t->access].footprint;
        /* what the cheapest link or bus takes beyond the price; a word that none brings */
        double extra = t->least_pj - t->spared_pj, word = t->unique_pj - extra;
        few = few < most ? few : most;
        /* the time is that of few words; the energy that of few or of most */
        least.unique[i] = few;
        least.extra_pj[i] =
                extra * (double)(traffic->arriving[i] - few) + fmin(0, word * (double)(most - few));
    }
    least.has_late = true;
    if (traffic->is_uneven) /* whose busiest instance may have few of them */
        memset(least.busiest_cycles, 0, sizeof least.busiest_cycles);
    return sator_mapper_cost(p, &least);
}
