/* The closed form, tiled nests and short lists against brute force on tiny random programs.
 *
 * usage: property_closed_tiny [CASES [SEED [FLAVOUR]]]
 *
 * Each case is a box domain, quasi-affine space and time stamps, an access, links and buses. Brute
 * force enumerates the instances and applies the definitions of doc/model.md word for word; it
 * shares nothing with src/. A question may be declined, but every answer must be right. The share
 * of answers, by flavour of the programs, and the reasons to decline are printed.
 */
#include "count/count.h"
#include "count/engine.h"
#include "oracle/run.h"
#include "property/tiny_program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- brute force ---- */

/* One pair ((p, t), f), everything by number: PEs, stamps and elements are numbered in their order.
 */
struct brute {
    int n_points;
    int point[MOST][LOOPS];
    int n_pes, n_stamps, n_elements, n_pairs, n_slots;
    int pe[MOST][DIMS], stamp[MOST][DIMS], element[MOST * COPIES][DIMS];
    int pe_of[MOST], stamp_of[MOST];
    int64_t pair[MOST * COPIES]; /* (pe * n_stamps + stamp) * n_elements + element, sorted */
    int64_t slot[MOST]; /* pe * n_stamps + stamp, sorted */
    int64_t access;
    int64_t temporal, link[LINKS], bus[BUSES], unique;
    int64_t max_active, max_per_stamp, tile;
    bool outside;
};

static int width_to_compare;

static int compare_tuples(const void *a, const void *b)
{
    const int *x = a;
    const int *y = b;
    for (int i = 0; i < width_to_compare; i++) {
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    }
    return 0;
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int unique_tuples(int (*list)[DIMS], int n, int width)
{
    int kept = 0;
    width_to_compare = width;
    qsort(list, (size_t)n, sizeof *list, compare_tuples);
    for (int i = 0; i < n; i++) {
        if (kept == 0 || compare_tuples(list[kept - 1], list[i]) != 0)
            memcpy(list[kept++], list[i], sizeof *list);
    }
    return kept;
}

static int unique_numbers(int64_t *list, int n)
{
    int kept = 0;
    qsort(list, (size_t)n, sizeof *list, compare_numbers);
    for (int i = 0; i < n; i++) {
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    }
    return kept;
}

static int find_tuple(int (*list)[DIMS], int n, int width, const int *tuple)
{
    width_to_compare = width;
    int(*found)[DIMS] = bsearch(tuple, list, (size_t)n, sizeof *list, compare_tuples);
    return found == NULL ? -1 : (int)(found - list);
}

static void evaluate(const struct expression *e, int n, const int *point, int *out)
{
    for (int i = 0; i < n; i++)
        out[i] = value_of(&e[i], point);
}

/* Whether the access is of the instance "point", too. */
static bool accesses(const struct program *p, const int *point)
{
    for (int i = 0; i < p->n_parts; i++) {
        if (value_of(&p->space[i], point) != p->part[i])
            return false;
    }
    return true;
}

static void number_all(const struct program *p, struct brute *b)
{
    int at[LOOPS];
    memcpy(at, p->lower, sizeof at);
    b->n_points = 0;
    b->n_elements = 0;
    b->outside = false;
    for (bool more = true; more;) {
        int n = b->n_points++;
        memcpy(b->point[n], at, sizeof at);
        evaluate(p->space, p->cut_space, at, b->pe[n]);
        evaluate(p->time, p->cut_time, at, b->stamp[n]);
        for (int i = 0; i < p->cut_space; i++)
            b->outside |= b->pe[n][i] < 0 || b->pe[n][i] >= p->shape[i];
        for (int c = 0; c < p->n_copies && accesses(p, at); c++)
            evaluate(p->index[c], p->n_index, at, b->element[b->n_elements++]);
        int l = p->n_loops - 1;
        while (l >= 0 && ++at[l] == p->upper[l]) {
            at[l] = p->lower[l];
            l--;
        }
        more = l >= 0;
    }
    b->n_pes = unique_tuples(b->pe, b->n_points, p->cut_space);
    b->n_stamps = unique_tuples(b->stamp, b->n_points, p->cut_time);
    b->n_elements = unique_tuples(b->element, b->n_elements, p->n_index);
    b->n_pairs = 0;
    b->access = 0;
    for (int n = 0; n < b->n_points; n++) {
        int out[DIMS];
        int64_t of_point[COPIES];
        evaluate(p->space, p->cut_space, b->point[n], out);
        b->pe_of[n] = find_tuple(b->pe, b->n_pes, p->cut_space, out);
        evaluate(p->time, p->cut_time, b->point[n], out);
        b->stamp_of[n] = find_tuple(b->stamp, b->n_stamps, p->cut_time, out);
        b->slot[n] = (int64_t)b->pe_of[n] * b->n_stamps + b->stamp_of[n];
        for (int c = 0; c < p->n_copies && accesses(p, b->point[n]); c++) {
            evaluate(p->index[c], p->n_index, b->point[n], out);
            of_point[c] = find_tuple(b->element, b->n_elements, p->n_index, out);
            b->pair[b->n_pairs++] = b->slot[n] * b->n_elements + of_point[c];
        }
        if (accesses(p, b->point[n]))
            b->access += unique_numbers(of_point, p->n_copies);
    }
    b->n_pairs = unique_numbers(b->pair, b->n_pairs);
}

static bool has_pair(const struct brute *b, int pe, int stamp, int element)
{
    int64_t key = ((int64_t)pe * b->n_stamps + stamp) * b->n_elements + element;
    return bsearch(&key, b->pair, (size_t)b->n_pairs, sizeof key, compare_numbers) != NULL;
}

/* Whether PE "from" feeds PE "to" over the link. */
static bool feeds(const struct program *p, const struct link *link, const int *from, const int *to)
{
    if (link->kind == LINK_SHIFT) {
        for (int k = 0; k < link->n_offsets; k++) {
            bool equal = true;
            for (int i = 0; i < p->cut_space; i++)
                equal &= to[i] == from[i] + link->offset[k][i];
            if (equal)
                return true;
        }
        return false;
    }
    for (int i = 0; i < p->cut_space; i++) {
        if (i != link->dim && from[i] != to[i])
            return false;
    }
    int a = from[link->dim];
    int b = to[link->dim];
    if (link->kind == LINK_GROUP)
        return a / link->size == b / link->size && b > a;
    return b > a && b - a <= link->size;
}

/* The last stamp up to "stamp" in which the PE is active; -1: none. */
static int last_active(const struct brute *b, int pe, int stamp)
{
    for (; stamp >= 0; stamp--) {
        int64_t slot = (int64_t)pe * b->n_stamps + stamp;
        if (bsearch(&slot, b->slot, (size_t)b->n_slots, sizeof slot, compare_numbers) != NULL)
            break;
    }
    return stamp;
}

/* Whether the PE has the element at the stamp (doc/model.md, section 2, "Idle PEs"). */
static bool holds(const struct program *p, const struct brute *b, int pe, int stamp, int element)
{
    if (p->holds_idle)
        stamp = last_active(b, pe, stamp);
    return stamp >= 0 && has_pair(b, pe, stamp, element);
}

static bool served(const struct program *p, struct brute *b, const struct link *link, int pe,
        int stamp, int element)
{
    if (stamp - link->interval < 0)
        return false;
    for (int q = 0; q < b->n_pes; q++) {
        if (feeds(p, link, b->pe[q], b->pe[pe]) && holds(p, b, q, stamp - link->interval, element))
            return true;
    }
    return false;
}

struct fetch {
    int bus[DIMS];
    int pe, stamp, element;
};

static int compare_fetches(const void *a, const void *b)
{
    const struct fetch *x = a;
    const struct fetch *y = b;
    for (int i = 0; i < DIMS; i++) {
        if (x->bus[i] != y->bus[i])
            return x->bus[i] < y->bus[i] ? -1 : 1;
    }
    if (x->stamp != y->stamp)
        return x->stamp < y->stamp ? -1 : 1;
    if (x->element != y->element)
        return x->element < y->element ? -1 : 1;
    return (x->pe > y->pe) - (x->pe < y->pe);
}

static void count_reuse(const struct program *p, struct brute *b)
{
    static struct fetch fetch[MOST * COPIES];
    int n = 0;
    b->temporal = 0;
    memset(b->link, 0, sizeof b->link);
    memset(b->bus, 0, sizeof b->bus);
    for (int i = 0; i < b->n_pairs; i++) {
        int element = (int)(b->pair[i] % b->n_elements);
        int stamp = (int)(b->pair[i] / b->n_elements % b->n_stamps);
        int pe = (int)(b->pair[i] / b->n_elements / b->n_stamps);
        bool found = p->registers && holds(p, b, pe, stamp - 1, element);
        b->temporal += found;
        for (int k = 0; k < p->n_links && !found; k++) {
            found = served(p, b, &p->link[k], pe, stamp, element);
            b->link[k] += found;
        }
        if (!found)
            fetch[n++] = (struct fetch){.pe = pe, .stamp = stamp, .element = element};
    }
    for (int k = 0; k < p->n_buses; k++) {
        int kept = 0;
        for (int i = 0; i < n; i++) {
            memset(fetch[i].bus, 0, sizeof fetch[i].bus);
            evaluate(p->bus[k], p->n_bus[k], b->pe[fetch[i].pe], fetch[i].bus);
        }
        qsort(fetch, (size_t)n, sizeof *fetch, compare_fetches);
        for (int i = 0; i < n; i++) {
            if (kept > 0 && fetch[kept - 1].stamp == fetch[i].stamp &&
                    fetch[kept - 1].element == fetch[i].element &&
                    memcmp(fetch[kept - 1].bus, fetch[i].bus, sizeof fetch[i].bus) == 0)
                b->bus[k]++;
            else
                fetch[kept++] = fetch[i];
        }
        n = kept;
    }
    b->unique = n;
}

/* The longest run of equal list[i] / divisor in a sorted list. */
static int64_t longest_run(const int64_t *list, int n, int64_t divisor)
{
    int64_t best = 0;
    int64_t run = 0;
    for (int i = 0; i < n; i++) {
        run = i > 0 && list[i] / divisor == list[i - 1] / divisor ? run + 1 : 1;
        best = run > best ? run : best;
    }
    return best;
}

static void brute_force(const struct program *p, struct brute *b)
{
    static int64_t turned[MOST];
    number_all(p, b);
    qsort(b->slot, (size_t)b->n_points, sizeof *b->slot, compare_numbers);
    b->max_per_stamp = longest_run(b->slot, b->n_points, 1);
    b->n_slots = unique_numbers(b->slot, b->n_points);
    for (int i = 0; i < b->n_slots; i++)
        turned[i] = b->slot[i] % b->n_stamps * b->n_pes + b->slot[i] / b->n_stamps;
    qsort(turned, (size_t)b->n_slots, sizeof *turned, compare_numbers);
    b->max_active = longest_run(turned, b->n_slots, b->n_pes);
    b->tile = longest_run(b->pair, b->n_pairs, b->n_elements);
    count_reuse(p, b);
}

/* ---- the engine ---- */

struct reason {
    const char *text;
    int count;
};

struct tally {
    int cases, opened, declined_any;
    int asked[5], answered[5];
    int asked_of[N_FLAVOURS], answered_of[N_FLAVOURS]; /* volumes, by flavour */
    struct reason reasons[5][80];
};

enum {
    ASK_STAMPS,
    ASK_MOST,
    ASK_VOLUMES,
    ASK_TILE,
    ASK_OPEN
};
static const char *const question_names[] = {"stamps", "max_per_stamp", "volumes", "tile", "open"};

static void note(
        struct tally *tally, int question, enum sator_status st, const struct sator_decline *reason)
{
    tally->asked[question]++;
    if (question == ASK_VOLUMES) {
        tally->asked_of[flavour]++;
        tally->answered_of[flavour] += st == SATOR_OK;
    }
    if (st == SATOR_OK) {
        tally->answered[question]++;
        return;
    }
    for (int i = 0; i < 80; i++) {
        struct reason *r = &tally->reasons[question][i];
        if (r->text == NULL)
            r->text = reason->text;
        if (strcmp(r->text, reason->text) == 0) {
            r->count++;
            return;
        }
    }
}

static const struct sator_relation *parse(
        struct sator_ctx *ctx, struct sator_arena *arena, FILE *stream, char **text, size_t *size)
{
    const struct sator_relation *relation = NULL;
    fclose(stream);
    struct sator_loc loc = {
            .source = sator_source_from_text(ctx, "test", *text), .offset = 0, .length = *size};
    if (sator_relation_read(ctx, arena, loc, &relation) != SATOR_OK) {
        char *messages = sator_ctx_take_messages(ctx, false);
        fprintf(stderr, "the generated text is not read: %s\n%s", *text, messages);
        exit(1);
    }
    free(*text);
    return relation;
}

struct inputs {
    const struct sator_relation *domain, *space, *time, *access;
    struct sator_network_link link[LINKS];
    const struct sator_relation *bus[BUSES];
};

static void write_domain(FILE *out, const struct program *p)
{
    fprintf(out, "{ ");
    write_tuple(out, "S", p->n_loops, "n");
    for (int l = 0; l < p->n_loops; l++)
        fprintf(out, "%s %d <= n%d < %d", l == 0 ? " :" : " and", p->lower[l], l, p->upper[l]);
    fprintf(out, " }");
}

static void write_access(FILE *out, const struct program *p)
{
    fprintf(out, "{ ");
    for (int c = 0; c < p->n_copies; c++) {
        fprintf(out, c > 0 ? "; " : "");
        write_map(out, p->n_loops, "S", "n", "F", p->n_index, p->index[c]);
        for (int i = 0; i < p->n_parts; i++) {
            fprintf(out, i > 0 ? " and " : " : ");
            write_expression(out, &p->space[i], "n");
            fprintf(out, " = %d", p->part[i]);
        }
    }
    fprintf(out, " }");
}

static void write_stamp(FILE *out, const struct program *p, bool time)
{
    fprintf(out, "{ ");
    write_map(out, p->n_loops, "S", "n", time ? "T" : "PE", time ? p->n_time : p->n_space,
            time ? p->time : p->space);
    fprintf(out, " }");
}

static void write_bus(FILE *out, const struct program *p, int k)
{
    fprintf(out, "{ ");
    write_map(out, p->cut_space, "PE", "p", "BUS", p->n_bus[k], p->bus[k]);
    fprintf(out, " }");
}

static void print_program(const struct program *p)
{
    printf("domain "), write_domain(stdout, p);
    printf("\nspace "), write_stamp(stdout, p, false);
    printf(" (%d used)\ntime ", p->cut_space), write_stamp(stdout, p, true);
    printf(" (%d used)\naccess ", p->cut_time), write_access(stdout, p);
    printf("\nregisters %d, holds idle %d\n", p->registers, p->holds_idle);
    for (int i = 0; i < p->n_links; i++) {
        printf("link (interval %d) ", p->link[i].interval);
        write_link(stdout, &p->link[i], p->cut_space);
        printf("\n");
    }
    for (int k = 0; k < p->n_buses; k++) {
        printf("bus "), write_bus(stdout, p, k);
        printf("\n");
    }
}

static void read_inputs(struct sator_ctx *ctx, struct sator_arena *arena, const struct program *p,
        struct inputs *in)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    write_domain(out, p);
    in->domain = parse(ctx, arena, out, &text, &size);
    write_stamp(out = open_memstream(&text, &size), p, false);
    in->space = parse(ctx, arena, out, &text, &size);
    write_stamp(out = open_memstream(&text, &size), p, true);
    in->time = parse(ctx, arena, out, &text, &size);
    write_access(out = open_memstream(&text, &size), p);
    in->access = parse(ctx, arena, out, &text, &size);
    for (int i = 0; i < p->n_links; i++) {
        write_link(out = open_memstream(&text, &size), &p->link[i], p->cut_space);
        in->link[i].map = parse(ctx, arena, out, &text, &size);
        in->link[i].interval = p->link[i].interval;
    }
    for (int k = 0; k < p->n_buses; k++) {
        write_bus(out = open_memstream(&text, &size), p, k);
        in->bus[k] = parse(ctx, arena, out, &text, &size);
    }
}

static int failures;

static void expect(const char *what, sator_int got, int64_t expected)
{
    if (got == expected)
        return;
    failures++;
    printf("%s: got %" PRId64 ", brute force %" PRId64 "\n", what, (int64_t)got, expected);
}

/* The engine that is asked. */
static const struct sator_engine *asked;

static void check_stamps(void *engine, const struct brute *b, struct tally *tally)
{
    struct sator_stamp_counts counts;
    const struct sator_decline *reason = NULL;
    enum sator_status st = asked->stamps(engine, &counts, &reason);
    note(tally, ASK_STAMPS, st, reason);
    if (st != SATOR_OK)
        return;
    expect("instances", counts.instances, b->n_points);
    expect("stamps", counts.stamps, b->n_slots);
    expect("time_stamps", counts.time_stamps, b->n_stamps);
    expect("active_pes", counts.active_pes, b->n_pes);
    expect("max_active_pes", counts.max_active_pes, b->max_active);
}

static void check_most(
        void *engine, const struct program *p, const struct brute *b, struct tally *tally)
{
    sator_int most;
    int64_t instance[LOOPS];
    int point[LOOPS];
    int64_t members = 0;
    int pe[DIMS];
    int stamp[DIMS];
    const struct sator_decline *reason = NULL;
    enum sator_status st = asked->max_per_stamp(engine, &most, instance, &reason);
    note(tally, ASK_MOST, st, reason);
    if (st != SATOR_OK)
        return;
    expect("max_per_stamp", most, b->max_per_stamp);
    for (int l = 0; l < p->n_loops; l++) {
        point[l] = (int)instance[l];
        expect("instance in the domain", point[l] >= p->lower[l] && point[l] < p->upper[l], 1);
    }
    evaluate(p->space, p->cut_space, point, pe);
    evaluate(p->time, p->cut_time, point, stamp);
    for (int n = 0; n < b->n_points; n++) {
        int other[DIMS];
        evaluate(p->space, p->cut_space, b->point[n], other);
        bool same = memcmp(other, pe, sizeof *pe * (size_t)p->cut_space) == 0;
        evaluate(p->time, p->cut_time, b->point[n], other);
        members += same && memcmp(other, stamp, sizeof *stamp * (size_t)p->cut_time) == 0;
    }
    expect("instances in the stamp named", members, b->max_per_stamp);
}

/* What idle PEs hold is a question to the interface in front of the engines (count/count.h), which
 * asks those that count it. */
static enum sator_status ask_volumes(struct sator_ctx *ctx, void *engine,
        const struct sator_stamping *stamping, const struct sator_relation *access,
        const struct sator_transport *transport, struct sator_volumes *volumes,
        const struct sator_decline **reason)
{
    static const struct sator_decline idle = {"the work limit, for what idle PEs hold"};
    struct sator_counter *counter;

    if (!transport->holds_idle)
        return asked->volumes(engine, access, transport, volumes, reason);
    *reason = &idle;
    enum sator_status st = sator_counter_new(ctx, SATOR_ENGINE_AUTO, stamping, &counter);
    if (st == SATOR_OK)
        st = sator_count_volumes(counter, access, transport, volumes);
    sator_counter_free(counter);
    free(sator_ctx_take_messages(ctx, false));
    return st;
}

static void check_volumes(struct sator_ctx *ctx, void *engine,
        const struct sator_stamping *stamping, const struct program *p, const struct inputs *in,
        const struct brute *b, struct tally *tally)
{
    sator_int by_link[LINKS] = {0};
    sator_int by_bus[BUSES] = {0};
    struct sator_volumes v = {.by_link = by_link, .by_bus = by_bus};
    struct sator_transport transport = {.registers = p->registers,
            .holds_idle = p->holds_idle,
            .n_links = p->n_links,
            .links = in->link,
            .n_buses = p->n_buses,
            .buses = in->bus};
    const struct sator_decline *reason = NULL;
    int64_t spatial = 0;
    enum sator_status st = ask_volumes(ctx, engine, stamping, in->access, &transport, &v, &reason);
    note(tally, ASK_VOLUMES, st, reason);
    if (st != SATOR_OK)
        return;
    for (int k = 0; k < p->n_links; k++) {
        expect("link", by_link[k], b->link[k]);
        spatial += b->link[k];
    }
    for (int k = 0; k < p->n_buses; k++) {
        expect("bus", by_bus[k], b->bus[k]);
        spatial += b->bus[k];
    }
    expect("access", v.access, b->access);
    expect("total", v.total, b->n_pairs);
    expect("temporal", v.temporal, b->temporal);
    expect("spatial", v.spatial, spatial);
    expect("unique", v.unique, b->unique);
    expect("footprint", v.footprint, b->n_elements);
}

static void check_outside(void *engine, const struct program *p, const struct brute *b)
{
    bool found = false;
    int64_t instance[LOOPS];
    const struct sator_decline *reason = NULL;
    if (asked->outside(engine, &found, instance, &reason) != SATOR_OK)
        return;
    expect("outside", found, b->outside);
    if (!found)
        return;
    int point[LOOPS];
    int pe[DIMS];
    bool outside = false;
    for (int l = 0; l < p->n_loops; l++)
        point[l] = (int)instance[l];
    evaluate(p->space, p->cut_space, point, pe);
    for (int i = 0; i < p->cut_space; i++)
        outside |= pe[i] < 0 || pe[i] >= p->shape[i];
    expect("instance outside", outside, 1);
}

/* Space-stamps must be inside the array: shift them to begin at 0, choose the shape to match. */
static void fit_array(struct program *p, const struct brute *b)
{
    for (int i = 0; i < p->cut_space; i++) {
        int least = b->pe[0][i];
        int greatest = b->pe[0][i];
        for (int q = 0; q < b->n_pes; q++) {
            least = b->pe[q][i] < least ? b->pe[q][i] : least;
            greatest = b->pe[q][i] > greatest ? b->pe[q][i] : greatest;
        }
        p->space[i].constant -= least;
        p->shape[i] = greatest - least + 1 + (chance(20) ? pick(3) : 0);
    }
}

/* Leave an access of the instances at some PEs, now and then of none. */
static void choose_part(struct program *p, const struct brute *b)
{
    int point = pick(b->n_points);
    p->n_parts = chance(25) && p->n_space > 0 ? 1 + pick(p->n_space) : 0;
    for (int i = 0; i < p->n_parts; i++)
        p->part[i] = value_of(&p->space[i], b->point[point]) + (chance(5) ? pick(3) - 1 : 0);
}

static void check_engine(struct sator_ctx *ctx, const struct sator_stamping *stamping,
        const struct program *p, const struct inputs *in, const struct brute *b, bool outside,
        struct tally *tally)
{
    void *engine = asked->create();
    const struct sator_decline *reason = NULL;
    int before = failures;
    enum sator_status st = asked->reopen(ctx, stamping, engine, &reason);
    tally->cases++;
    note(tally, ASK_OPEN, st, reason);
    if (st != SATOR_OK) {
        asked->close(engine);
        return;
    }
    sator_int tile;
    sator_work_begin(ctx);
    check_outside(engine, p, b);
    check_stamps(engine, b, tally);
    check_most(engine, p, b, tally);
    if (!outside)
        check_volumes(ctx, engine, stamping, p, in, b, tally);
    st = asked->tile(engine, in->access, &tile, &reason);
    note(tally, ASK_TILE, st, reason);
    if (st == SATOR_OK)
        expect("tile", tile, b->tile);
    asked->close(engine);
    if (failures > before)
        printf("(engine %s)\n", asked->name);
}

enum {
    N_ASKED = 3
};
static const struct sator_engine *const engines[N_ASKED] = {
        &sator_engine_closed, &sator_engine_tiled, &sator_engine_listed};

static void check_case(struct sator_ctx *ctx, struct tally *tally)
{
    static struct program p;
    static struct brute b;
    struct sator_arena *arena = sator_arena_new();
    struct inputs in = {0};
    int64_t shape[DIMS];
    generate_program(&p);
    number_all(&p, &b);
    fit_array(&p, &b);
    choose_part(&p, &b);
    brute_force(&p, &b);
    read_inputs(ctx, arena, &p, &in);
    if (p.cut_space > 0 && chance(3))
        p.shape[pick(p.cut_space)] = 1;
    for (int i = 0; i < p.cut_space; i++)
        shape[i] = p.shape[i];
    struct sator_stamping stamping = {.domain = in.domain,
            .space = in.space,
            .time = in.time,
            .n_space = p.cut_space,
            .n_time = p.cut_time,
            .shape = shape};
    number_all(&p, &b);
    bool outside = b.outside;
    brute_force(&p, &b);
    int before = failures;
    for (int e = 0; e < N_ASKED; e++) {
        asked = engines[e];
        check_engine(ctx, &stamping, &p, &in, &b, outside, &tally[e]);
    }
    if (failures > before)
        print_program(&p);
    sator_arena_free(arena);
}

static int compare_reasons(const void *a, const void *b)
{
    return ((const struct reason *)b)->count - ((const struct reason *)a)->count;
}

static void report(struct tally *tally)
{
    for (int f = 0; f < N_FLAVOURS; f++)
        printf("volumes, %-10s %d of %d answered (%.2f%%)\n", flavour_names[f],
                tally->answered_of[f], tally->asked_of[f],
                100.0 * tally->answered_of[f] / (tally->asked_of[f] + !tally->asked_of[f]));
    for (int q = 0; q < 5; q++) {
        printf("%-14s %d of %d answered (%.2f%%)\n", question_names[q], tally->answered[q],
                tally->asked[q], 100.0 * tally->answered[q] / (tally->asked[q] + !tally->asked[q]));
        qsort(tally->reasons[q], 80, sizeof tally->reasons[q][0], compare_reasons);
        for (int i = 0; i < 80 && tally->reasons[q][i].text != NULL; i++)
            printf("  %8d %s\n", tally->reasons[q][i].count, tally->reasons[q][i].text);
    }
}

int main(int argc, char **argv)
{
    int64_t cases = argc > 1 ? atoi(argv[1]) : run_count(10000);
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int only = argc > 3 ? atoi(argv[3]) : -1;
    static struct tally tally[N_ASKED];
    struct sator_ctx *ctx = sator_ctx_new();
    printf("%" PRId64 " cases, seed %" PRIu64 "\n", cases, seed);
    for (int i = 0; i < cases && failures < 20; i++) {
        random_state = (seed * UINT64_C(0x9E3779B97F4A7C15)) ^
                ((uint64_t)i * UINT64_C(0xBF58476D1CE4E5B9)) ^ UINT64_C(0x94D049BB133111EB);
        for (int k = 0; k < 4; k++)
            next_random();
        int before = failures;
        flavour = (enum flavour)(only < 0 ? i % N_FLAVOURS : only % N_FLAVOURS);
        check_case(ctx, tally);
        if (failures > before)
            printf("(case %d)\n\n", i);
        if (i % 1000 == 999) {
            sator_ctx_free(ctx);
            ctx = sator_ctx_new();
        }
    }
    sator_ctx_free(ctx);
    for (int e = 0; e < N_ASKED; e++) {
        printf("engine %s\n", engines[e]->name);
        report(&tally[e]);
        /* A test that accepts hardly anything shows nothing. */
        if (tally[e].answered[ASK_VOLUMES] * 2 < tally[e].asked[ASK_VOLUMES])
            failures++;
    }
    return failures > 0;
}
