/* Provenance, stamp by stamp. First the words of the window and of the stamps before it that a link
 * can look back to are listed; then each word asks in the order of doc/model.md, section 2: its own
 * register, the links as they are declared, the buses, the memories (provenance_memories.c).
 */
#include "model/provenance/provenance.h"

#include "base/checked.h"
#include "base/context.h"
#include "base/memo.h"
#include "model/analysis.h"
#include "model/provenance/provenance_parts.h"

#include <stdlib.h>
#include <string.h>

static const struct sator_loc nowhere;

/* ---- the words ---- */

static int word_order(const void *left, const void *right)
{
    const struct sator_traced_word *a = left, *b = right;

    if (a->stamp != b->stamp)
        return a->stamp < b->stamp ? -1 : 1;
    if (a->pe != b->pe)
        return a->pe < b->pe ? -1 : 1;
    return a->element < b->element ? -1 : a->element > b->element;
}

/* The box around the elements of an access, from the bounds of the loops. */
static enum sator_status find_box(
        struct provenance *p, const struct sator_access *access, struct access_words *words)
{
    const struct sator_relation *relation = access->relation;
    int n = relation->n_out;
    int64_t *origin = SATOR_NEW_ARRAY(p->arena, int64_t, n + 1);
    int64_t *extents = SATOR_NEW_ARRAY(p->arena, int64_t, n + 1), all = 1;
    bool fits = true;

    for (int i = 0; i < n; i++) {
        int64_t least = INT64_MAX, greatest = INT64_MIN;
        for (int k = 0; k < relation->n_pieces; k++) {
            int64_t low = 0, high = 0;
            fits &= sator_expr_range(
                    relation->pieces[k].out[i], p->visit.lower, p->visit.upper, &low, &high);
            least = low < least ? low : least;
            greatest = high > greatest ? high : greatest;
        }
        origin[i] = least;
        fits = fits && !__builtin_sub_overflow(greatest, least, &extents[i]) &&
                !__builtin_add_overflow(extents[i], 1, &extents[i]) &&
                !__builtin_mul_overflow(all, extents[i], &all);
    }
    words->is.n_index = n;
    words->is.origin = origin;
    words->is.extents = extents;
    if (fits)
        return SATOR_OK;
    return sator_error(p->visit.ctx, sator_access_loc(p->visit.workload, access),
            "the elements of '%s' cannot be numbered in 64 bits", access->tensor);
}

static void add_word(struct access_words *words, const struct sator_traced_word *word)
{
    if (words->is.n_words == words->room) {
        words->room = words->room == 0 ? 1024 : 2 * words->room;
        words->is.words =
                sator_realloc(words->is.words, sizeof *words->is.words * (size_t)words->room);
    }
    words->is.words[words->is.n_words++] = *word;
}

static int stamp_number(const struct provenance *p, const int64_t *time)
{
    int low = 0, high = p->n_stamps - 1, n = p->visit.n_time;

    while (low < high) {
        int middle = (low + high) / 2;
        if (visit_compare(p->stamps + (size_t)middle * (size_t)n, time, n) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t row_major(int n, const int64_t *origin, const int64_t *extents, const int64_t *at)
{
    int64_t number = 0;

    for (int i = 0; i < n; i++)
        number = number * extents[i] + at[i] - (origin == NULL ? 0 : origin[i]);
    return number;
}

static enum sator_status add_instance(void *user, const int64_t *instance, const int64_t *time)
{
    struct provenance *p = user;
    const struct sator_workload *workload = p->visit.workload;
    struct sator_traced_word word = {.stamp = stamp_number(p, time), .provider = -1, .source = -1};

    if (!visit_image(p->visit.space, instance, p->tuple, NULL))
        return SATOR_OK;
    word.pe = (int32_t)row_major(p->n_space, NULL, p->shape, p->tuple);
    for (int a = 0; a < workload->n_accesses; a++) {
        struct access_words *words = &p->accesses[a];
        int piece = 0;
        while (visit_image(workload->accesses[a].relation, instance, p->tuple, &piece)) {
            word.element =
                    row_major(words->is.n_index, words->is.origin, words->is.extents, p->tuple);
            add_word(words, &word);
            p->n_listed++;
        }
    }
    return SATOR_OK;
}

/* Order the words from "first" on and leave out those that are there twice. */
static void settle(struct access_words *words, int64_t first)
{
    struct sator_traced_word *all = words->is.words + first;
    int64_t n = words->is.n_words - first, kept = 0;

    if (n == 0)
        return;
    qsort(all, (size_t)n, sizeof *all, word_order);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || word_order(&all[kept - 1], &all[i]) != 0)
            all[kept++] = all[i];
    }
    words->is.n_words = first + kept;
}

/* ---- the stamps ---- */

static int64_t *stamp(const struct provenance *p, int number)
{
    return p->stamps + (size_t)number * (size_t)p->visit.n_time;
}

/* The stamp next to "from" in one direction. */
static enum sator_status step(
        struct provenance *p, const int64_t *from, bool backward, int64_t *next, bool *found)
{
    int n = p->visit.n_time;
    int64_t *bound = p->tuple;

    memcpy(bound, from, sizeof *bound * (size_t)n);
    if (n == 0) {
        *found = false;
        return SATOR_OK;
    }
    bound[n - 1] += backward ? -1 : 1;
    return visit_nearest(&p->visit, n, bound, backward, next, found);
}

/* The first stamp of the window, after those before it that links look back to. */
static enum sator_status find_first(struct provenance *p, const struct sator_window *window)
{
    int n = p->visit.n_time;
    int64_t *at = SATOR_NEW_ARRAY(p->arena, int64_t, n + 1);
    int64_t *back = SATOR_NEW_ARRAY(p->arena, int64_t, (p->look_back + 1) * n + 1);
    bool found = false;
    enum sator_status st;

    for (int i = 0; i < n; i++)
        at[i] = i < window->n_from ? window->from[i] : INT64_MIN;
    SATOR_TRY(visit_nearest(&p->visit, n, at, false, back, &found));
    if (!found)
        return sator_error(
                p->visit.ctx, nowhere, "no time-stamp is at or after the window's first");
    int n_back = 1;
    for (bool more = true; n_back <= p->look_back && more; n_back += more)
        SATOR_TRY(step(p, back + (n_back - 1) * n, true, back + n_back * n, &more));
    p->n_before = n_back - 1;
    p->at_start = n_back <= p->look_back;
    for (int i = 0; i < n_back; i++)
        memcpy(stamp(p, n_back - 1 - i), back + i * n, sizeof *back * (size_t)n);
    p->n_stamps = n_back;
done:
    return st;
}

/* List the words of stamps [first, n_stamps). */
static enum sator_status list(struct provenance *p, int first)
{
    int n = p->visit.workload->n_accesses;
    int64_t *starts = SATOR_NEW_ARRAY(p->arena, int64_t, n + 1);

    for (int a = 0; a < n; a++)
        starts[a] = p->accesses[a].is.n_words;
    enum sator_status st =
            visit_between(&p->visit, stamp(p, first), stamp(p, p->n_stamps - 1), add_instance, p);
    for (int a = 0; a < n; a++)
        settle(&p->accesses[a], starts[a]);
    return st;
}

static void find_starts(struct provenance *p, struct access_words *words)
{
    int64_t at = 0;

    words->starts = SATOR_NEW_ARRAY(p->arena, int64_t, p->n_stamps + 1);
    for (int s = 0; s <= p->n_stamps; s++) {
        while (at < words->is.n_words && words->is.words[at].stamp < s)
            at++;
        words->starts[s] = at;
    }
}

/* Leave out the last stamps that make the words too many. */
static void shorten(struct provenance *p, int64_t most)
{
    int64_t n_words = 0;
    int keep = p->n_before + 1;

    for (int s = p->n_before; s < p->n_stamps; s++) {
        for (int a = 0; a < p->visit.workload->n_accesses; a++)
            n_words += p->accesses[a].starts[s + 1] - p->accesses[a].starts[s];
        keep = s == p->n_before || n_words <= most ? s + 1 : keep;
        if (n_words > most)
            break;
    }
    p->is_short = p->is_short || keep < p->n_stamps;
    p->n_stamps = keep;
}

enum {
    STAMPS_AT_ONCE = 16
};

/* The stamps and words of the window, and of what is before it. */
static enum sator_status list_window(struct provenance *p, const struct sator_window *window)
{
    enum sator_status st;
    bool more = true;

    p->stamps = SATOR_NEW_ARRAY(p->arena, int64_t,
            (size_t)(p->look_back + window->n_stamps + 1) * (size_t)p->visit.n_time + 1);
    SATOR_TRY(find_first(p, window));
    for (int first = 0; more && !p->is_short; first = p->n_stamps) {
        int most = p->n_before + window->n_stamps;
        for (int i = 0; i < STAMPS_AT_ONCE && p->n_stamps < most && more; i++) {
            SATOR_TRY(step(p, stamp(p, p->n_stamps - 1), false, stamp(p, p->n_stamps), &more));
            p->n_stamps += more;
        }
        p->at_end = !more;
        if (first < p->n_stamps)
            SATOR_TRY(list(p, first));
        more = more && p->n_stamps < most;
        p->is_short = more && p->n_listed > window->most_words;
    }
    if (!p->at_end) /* room was kept for one stamp more */
        SATOR_TRY(step(p, stamp(p, p->n_stamps - 1), false, stamp(p, p->n_stamps), &more));
    p->at_end = p->at_end || !more;
    for (int a = 0; a < p->visit.workload->n_accesses; a++)
        find_starts(p, &p->accesses[a]);
    int n_stamps = p->n_stamps;
    shorten(p, window->most_words);
    p->at_end = p->at_end && p->n_stamps == n_stamps;
done:
    return st;
}

/* ---- registers and links ---- */

/* Whether "pe" holds "element" in stamp number "stamp". */
static bool holds(const struct access_words *words, int stamp_at, int32_t pe, int64_t element)
{
    const struct sator_traced_word wanted = {.stamp = stamp_at, .pe = pe, .element = element};
    int64_t low = words->starts[stamp_at], high = words->starts[stamp_at + 1];

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        int order = word_order(&words->is.words[middle], &wanted);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Ask the register, then the links in their order. */
static void ask_neighbours(const struct access_words *words, struct sator_traced_word *word)
{
    if (word->stamp > 0 && words->registers &&
            holds(words, word->stamp - 1, word->pe, word->element)) {
        word->source = 0;
        return;
    }
    for (int l = 0; l < words->n_links; l++) {
        const struct pe_pairs *wires = words->wires[l];
        int then = word->stamp - words->intervals[l];
        for (int64_t w = wires->starts[word->pe]; w < wires->starts[word->pe + 1] && then >= 0;
                w++) {
            if (!holds(words, then, (int32_t)wires->others[w], word->element))
                continue;
            word->source = words->link_sources[l];
            word->provider = (int32_t)wires->others[w];
            return;
        }
    }
}

/* ---- buses ---- */

/* Of the words of one stamp that are left, those of one bus cross once: the first PE's stays. */
static void share_bus(struct access_words *words, int bus, int64_t from, int64_t to)
{
    const struct pe_pairs *lines = words->lines[bus];
    struct sator_memo *seen = sator_memo_new(0); /* (line, element) */

    for (int64_t i = from; i < to; i++) {
        struct sator_traced_word *word = &words->is.words[i];
        bool shared = false;
        for (int64_t b = lines->starts[word->pe];
                b < lines->starts[word->pe + 1] && word->source < 0; b++) {
            bool is_new;
            sator_memo_place(seen, (int64_t[]){lines->others[b], word->element}, 2, &is_new);
            shared = shared || !is_new;
        }
        if (shared)
            word->source = words->bus_sources[bus];
    }
    sator_memo_free(seen);
}

static void trace_access(struct provenance *p, struct access_words *words)
{
    for (int s = p->n_before; s < p->n_stamps; s++) {
        for (int64_t i = words->starts[s]; i < words->starts[s + 1]; i++)
            ask_neighbours(words, &words->is.words[i]);
        for (int b = 0; b < words->n_buses; b++)
            share_bus(words, b, words->starts[s], words->starts[s + 1]);
    }
}

/* ---- the networks ---- */

int provenance_source(struct provenance *p, enum sator_source_kind kind, const char *name)
{
    for (int i = 0; i < p->n_sources; i++) {
        if (p->sources[i].kind == kind && strcmp(p->sources[i].name, name) == 0)
            return i;
    }
    SATOR_PUSH(p->arena, p->sources, p->n_sources,
            (struct sator_word_source){kind, sator_arena_strdup(p->arena, name)});
    return p->n_sources - 1;
}

static enum sator_status find_transport(struct provenance *p, int access,
        struct sator_counter *counter, const struct sator_model *model)
{
    struct access_words *words = &p->accesses[access];
    const struct sator_model_network *network = model_network(model, 0, p->n_space, access);
    struct sator_transport transport;
    enum sator_status st;

    SATOR_TRY(sator_model_cut(p->visit.ctx, p->arena, counter,
            p->visit.workload->accesses[access].relation, network, &transport));
    int n_links = transport.n_links, n_buses = transport.n_buses;
    words->registers = transport.registers;
    words->n_links = n_links;
    words->n_buses = n_buses;
    words->wires = SATOR_NEW_ARRAY(p->arena, const struct pe_pairs *, n_links + 1);
    words->lines = SATOR_NEW_ARRAY(p->arena, const struct pe_pairs *, n_buses + 1);
    words->intervals = SATOR_NEW_ARRAY(p->arena, int, n_links + 1);
    words->link_sources = SATOR_NEW_ARRAY(p->arena, int, n_links + 1);
    words->bus_sources = SATOR_NEW_ARRAY(p->arena, int, n_buses + 1);
    for (int l = 0; l < n_links; l++) {
        words->intervals[l] = transport.links[l].interval;
        p->look_back = words->intervals[l] > p->look_back ? words->intervals[l] : p->look_back;
        words->link_sources[l] = provenance_source(p, SATOR_FROM_LINK, network->names[l]);
        SATOR_TRY(pe_pairs_of_link(p, transport.links[l].map, &words->wires[l]));
    }
    for (int b = 0; b < n_buses; b++) {
        words->bus_sources[b] = provenance_source(p, SATOR_FROM_BUS, network->names[n_links + b]);
        SATOR_TRY(pe_pairs_of_bus(p, transport.buses[b], &words->lines[b]));
    }
done:
    return st;
}

static enum sator_status find_transports(struct provenance *p, const struct sator_model *model,
        const struct sator_bound_dataflow *dataflow)
{
    const struct sator_stamping stamping = {.domain = p->visit.workload->domain,
            .space = dataflow->space,
            .time = dataflow->time,
            .n_space = p->n_space,
            .n_time = p->visit.n_time,
            .shape = p->shape};
    struct sator_counter *counter = NULL;
    enum sator_status st;

    SATOR_TRY(sator_counter_new(p->visit.ctx, SATOR_ENGINE_AUTO, &stamping, &counter));
    p->look_back = 1;
    for (int a = 0; a < p->visit.workload->n_accesses; a++)
        SATOR_TRY(find_transport(p, a, counter, model));
done:
    sator_counter_free(counter);
    return st;
}

/* ---- the whole ---- */

enum {
    MOST_PES = 1 << 22
};

static enum sator_status count_pes(struct provenance *p)
{
    int64_t n_pes = 1;

    for (int i = 0; i < p->n_space; i++) {
        if (__builtin_mul_overflow(n_pes, p->shape[i], &n_pes) || n_pes > MOST_PES)
            return sator_error(p->visit.ctx, nowhere,
                    "an array of more than %d PEs is not looked at PE by PE", MOST_PES);
    }
    p->n_pes = (int)n_pes;
    return SATOR_OK;
}

/* What the caller gets: the window alone, its stamps numbered from 0. */
static const struct sator_provenance *finish(struct provenance *p)
{
    int n_accesses = p->visit.workload->n_accesses;
    struct sator_provenance *made = SATOR_NEW(p->arena, struct sator_provenance);
    struct sator_access_words *accesses =
            SATOR_NEW_ARRAY(p->arena, struct sator_access_words, n_accesses + 1);

    *made = (struct sator_provenance){.n_space = p->n_space,
            .n_time = p->visit.n_time,
            .n_pes = p->n_pes,
            .shape = p->shape,
            .n_stamps = p->n_stamps - p->n_before,
            .stamps = stamp(p, p->n_before),
            .at_start = p->at_start && p->n_before == 0,
            .at_end = p->at_end,
            .is_short = p->is_short,
            .n_sources = p->n_sources,
            .sources = p->sources,
            .n_accesses = n_accesses,
            .accesses = accesses};
    for (int a = 0; a < n_accesses; a++) {
        struct access_words *words = &p->accesses[a];
        int64_t first = words->starts[p->n_before], end = words->starts[p->n_stamps];
        int64_t *starts = SATOR_NEW_ARRAY(p->arena, int64_t, made->n_stamps + 1);
        accesses[a] = words->is;
        accesses[a].n_words = end - first;
        accesses[a].words = sator_arena_copy(
                p->arena, words->is.words + first, sizeof *words->is.words * (size_t)(end - first));
        for (int64_t i = 0; i < end - first; i++)
            accesses[a].words[i].stamp -= p->n_before;
        for (int s = 0; s <= made->n_stamps; s++)
            starts[s] = words->starts[p->n_before + s] - first;
        accesses[a].starts = starts;
    }
    return made;
}

enum sator_status sator_model_provenance(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_model *model, const struct sator_workload *workload,
        const struct sator_bound_dataflow *dataflow, const struct sator_result *result,
        const struct sator_window *window, const struct sator_provenance **provenance)
{
    int n_accesses = workload->n_accesses, longest = dataflow->time->n_out + model->n_space;
    struct provenance p = {.arena = arena,
            .n_space = model->n_space,
            .shape = model->shape,
            .accesses = SATOR_NEW_ARRAY(arena, struct access_words, n_accesses + 1)};
    enum sator_status st;

    const struct sator_level *idle = sator_arch_holds_idle(model->arch);
    if (idle != NULL) {
        sator_error(ctx, idle->loc,
                "where words come from is not followed yet with 'holds: idle' of '%s'", idle->name);
        return SATOR_INPUT;
    }
    SATOR_TRY(visit_open(ctx, arena, workload, dataflow, &p.visit));
    SATOR_TRY(count_pes(&p));
    provenance_source(&p, SATOR_FROM_REGISTER, "register");
    SATOR_TRY(find_transports(&p, model, dataflow));
    sator_work_begin(ctx);
    for (int a = 0; a < n_accesses; a++) {
        SATOR_TRY(find_box(&p, &p.visit.workload->accesses[a], &p.accesses[a]));
        longest += p.visit.workload->accesses[a].relation->n_out;
    }
    p.tuple = SATOR_NEW_ARRAY(arena, int64_t, longest + 1);
    SATOR_TRY(list_window(&p, window));
    for (int a = 0; a < n_accesses; a++) {
        trace_access(&p, &p.accesses[a]);
        SATOR_TRY(provenance_memories(&p, a, result));
    }
    *provenance = finish(&p);
done:
    for (int a = 0; a < n_accesses; a++)
        free(p.accesses[a].is.words);
    return st;
}
