/* `.p` files: an array of PEs, how they are joined, and four numbers about its memories.
 *
 * What the file says        what becomes of it
 * PE domain                 the array's shape: a box that starts at 0
 * PE[c] -> PE[p]            "c may take data from p": a link that leads from p to c, one a piece of
 * the union L1, L2                    nothing: the published program reads and never uses them, and
 * gives them no unit BANDWIDTH                 bits a cycle between scratchpad and array, each way
 * LATENCY                   nothing: the program adds it, less one, to each of its delays once
 */
#include "frontend/frontend.h"
#include "frontend/tenet/tenet_lines.h"
#include "frontend/tenet/tenet_reverse.h"

#include <math.h>
#include <string.h>

struct pe_array {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_relation *domain; /* NULL when it could not be read */
    int64_t *shape;
    int n_links;
    struct sator_link *links;
    int64_t bandwidth_bits;
};

static const struct sator_figure NOT_GIVEN = {NAN, NULL};

static enum sator_status read_shape(struct pe_array *pe, struct sator_loc line)
{
    const struct sator_relation *domain = NULL;
    int64_t *lower;
    int64_t *upper;
    enum sator_status st = sator_tenet_relation(pe->ctx, pe->arena, line, true,
            "the array's PEs, a set such as {PE[i,j] : 0 <= i,j < 8}", &domain);

    if (st != SATOR_OK)
        return st;
    pe->domain = domain;
    lower = SATOR_NEW_ARRAY(pe->arena, int64_t, domain->n_in + 1);
    upper = SATOR_NEW_ARRAY(pe->arena, int64_t, domain->n_in + 1);
    if (domain->n_in == 0 || !sator_set_is_box(domain, lower, upper)) {
        sator_error(pe->ctx, line, "the PEs must form a box");
        sator_help(pe->ctx,
                "give each dimension its bounds, as in {PE[i,j] : 0 <= i < 12 and "
                "0 <= j < 14}");
        return SATOR_INPUT;
    }
    for (int d = 0; d < domain->n_in; d++) {
        const char *name = domain->pieces[0].names[d];
        if (lower[d] != 0)
            return sator_error(pe->ctx, line,
                    "dimension '%s' of the array starts at %lld, it must start at 0", name,
                    (long long)lower[d]);
        if (upper[d] <= 0)
            return sator_error(pe->ctx, line, "dimension '%s' of the array is empty", name);
    }
    pe->shape = upper;
    return SATOR_OK;
}

/* The name of a link that leads "offsets" away, as on a map whose first dimension runs south and
 * whose last runs east; by number when it has none. */
static const char *link_name(
        struct sator_arena *arena, int n_dims, bool is_shift, const int64_t *offsets, int number)
{
    static const char *const names[3][3] = {{"north-west", "north", "north-east"},
            {"west", NULL, "east"}, {"south-west", "south", "south-east"}};
    int64_t south = n_dims == 2 ? offsets[0] : 0;
    int64_t east = n_dims <= 2 ? offsets[n_dims - 1] : 2;
    const char *name = NULL;

    if (is_shift && south >= -1 && south <= 1 && east >= -1 && east <= 1)
        name = names[south + 1][east + 1];
    return name ? name : sator_arena_printf(arena, "link-%d", number);
}

/* One piece of the interconnect: a link of interval 1, and one of interval 0 ("-wire") in the
 * program's reading. */
static enum sator_status add_links(struct pe_array *pe, const struct sator_relation *interconnect,
        const struct sator_piece *piece, int number, int interval)
{
    int n_dims = interconnect->n_in;
    int64_t *offsets = SATOR_NEW_ARRAY(pe->arena, int64_t, n_dims + 1);
    bool is_shift = false;
    bool is_identity = false;

    for (int i = interval; i <= 1; i++) {
        const struct sator_relation *map = sator_tenet_reverse(
                pe->arena, interconnect, piece, i == 0, &is_shift, &is_identity, offsets);
        struct sator_link link = {.map = map,
                .interval = i,
                .energy = sator_no_energy,
                .bandwidth_bits = NAN,
                .loc = piece->loc};
        struct sator_link *same = NULL;

        if (!map)
            return sator_error(pe->ctx, piece->loc, "a number of the link is too large");
        /* A PE that is its own neighbour: what it holds is temporal reuse already. */
        if (is_identity)
            return SATOR_OK;
        link.name = link_name(pe->arena, n_dims, is_shift, offsets, number);
        for (int other = 0; other < pe->n_links; other++)
            if (pe->links[other].interval == i && strcmp(pe->links[other].name, link.name) == 0)
                same = &pe->links[other];
        /* The same offset under two conditions is one link. */
        if (same) {
            same->map = sator_tenet_unite(pe->arena, same->map, map);
            continue;
        }
        SATOR_PUSH(pe->arena, pe->links, pe->n_links, link);
    }
    return SATOR_OK;
}

/* Interval 0 carries "-wire" in its name, so that names are unique. */
static void name_wires(struct pe_array *pe)
{
    for (int i = 0; i < pe->n_links; i++)
        if (pe->links[i].interval == 0)
            pe->links[i].name = sator_arena_printf(pe->arena, "%s-wire", pe->links[i].name);
}

static enum sator_status read_interconnect(struct pe_array *pe, struct sator_loc line, int interval)
{
    const struct sator_relation *interconnect = NULL;
    enum sator_status st;

    if (line.length == 2 && memcmp(line.source->text + line.offset, "{}", 2) == 0)
        return SATOR_OK; /* PEs that are not joined */
    st = sator_tenet_relation(pe->ctx, pe->arena, line, false,
            "the interconnect, such as {PE[i,j] -> PE[i,j+1]}", &interconnect);

    if (st != SATOR_OK)
        return st;
    if (interconnect->n_in != interconnect->n_out)
        return sator_error(pe->ctx, line,
                "the interconnect leads from %d to %d dimensions: both ends must be PEs",
                interconnect->n_in, interconnect->n_out);
    if (pe->domain && interconnect->n_in != pe->domain->n_in)
        return sator_error(pe->ctx, line, "the interconnect has %d dimensions, the array %d",
                interconnect->n_in, pe->domain->n_in);
    for (int i = 0; i < interconnect->n_pieces; i++)
        if (add_links(pe, interconnect, &interconnect->pieces[i], i + 1, interval) != SATOR_OK)
            st = SATOR_INPUT;
    name_wires(pe);
    return st;
}

static enum sator_status read_numbers(struct pe_array *pe, struct sator_loc line)
{
    static const char *const names[] = {"L1 size", "L2 size", "bandwidth", "latency"};
    enum sator_status st = SATOR_OK;
    struct sator_loc words[4];
    int64_t numbers[4];
    int n_words = sator_tenet_words(line, 4, words);

    if (n_words != 4) {
        sator_error(pe->ctx, line, "expected four numbers, found %d words", n_words);
        sator_help(pe->ctx,
                "L1 size, L2 size, bandwidth in bits a cycle, average latency in "
                "cycles: for example '256 1024 64 16'");
        return SATOR_INPUT;
    }
    for (int i = 0; i < 4; i++) {
        if (!sator_tenet_number(words[i], &numbers[i]))
            st = sator_error(pe->ctx, words[i], "the %s must be an integer", names[i]);
        else if (numbers[i] < (i == 2 ? 1 : 0))
            st = sator_error(pe->ctx, words[i], "the %s must be at least %d", names[i], i == 2);
    }
    if (st == SATOR_OK)
        pe->bandwidth_bits = numbers[2];
    return st;
}

static struct sator_arch *make_arch(struct pe_array *pe, const struct sator_tenet_lines *lines)
{
    struct sator_arena *arena = pe->arena;
    struct sator_arch *arch = SATOR_NEW(arena, struct sator_arch);
    struct sator_level *levels = SATOR_NEW_ARRAY(arena, struct sator_level, 3);
    struct sator_memory no_memory = {.read = sator_no_energy,
            .write = sator_no_energy,
            .read_bits = NAN,
            .write_bits = NAN,
            .leakage_pj = NOT_GIVEN,
            .area_um2 = NOT_GIVEN,
            .area_um2_per_byte = NOT_GIVEN,
            .overlaps = true};
    struct sator_compute no_compute = {
            .energy_pj = NOT_GIVEN, .cycles = 1, .leakage_pj = NOT_GIVEN, .area_um2 = NOT_GIVEN};

    for (int i = 0; i < 3; i++)
        levels[i] = (struct sator_level){.memory = no_memory, .compute = no_compute};
    levels[0].kind = SATOR_LEVEL_MEMORY;
    levels[0].name = "scratchpad";
    levels[0].loc = lines->lines[2];
    levels[0].memory.read_bits = (double)pe->bandwidth_bits;
    levels[0].memory.write_bits = (double)pe->bandwidth_bits;
    levels[1].kind = SATOR_LEVEL_ARRAY;
    levels[1].name = "PE";
    levels[1].loc = lines->lines[0];
    levels[1].array = (struct sator_array){.n_dims = pe->domain->n_in,
            .shape = pe->shape,
            .n_links = pe->n_links,
            .links = pe->links};
    levels[2].kind = SATOR_LEVEL_COMPUTE;
    levels[2].name = "mac";
    levels[2].loc = lines->lines[0];
    *arch = (struct sator_arch){.arena = arena,
            .name = sator_tenet_stem(arena, lines->source),
            .loc = {lines->source, 0, 0},
            .clock_mhz = NAN,
            .technology_nm = NAN,
            .n_levels = 3,
            .levels = levels};
    return arch;
}

enum sator_status sator_tenet_pe_array(struct sator_ctx *ctx, const struct sator_source *source,
        int interval, struct sator_arch **arch)
{
    enum sator_status st = SATOR_OK;
    struct sator_arena *arena = sator_arena_new();
    struct sator_tenet_lines lines = sator_tenet_split(arena, source);
    struct pe_array pe = {.ctx = ctx, .arena = arena};

    if (lines.n_lines < 3) {
        st = sator_error(ctx, sator_tenet_end(&lines), "the file ends too early: found %d lines",
                lines.n_lines);
        sator_help(ctx,
                "a PE array is three lines: the PEs, their interconnect, and the four "
                "numbers L1 size, L2 size, bandwidth, latency");
    }
    if (lines.n_lines > 0 && read_shape(&pe, lines.lines[0]) != SATOR_OK)
        st = SATOR_INPUT;
    if (lines.n_lines > 1 &&
            read_interconnect(&pe, lines.lines[1], interval == 0 ? 0 : 1) != SATOR_OK)
        st = SATOR_INPUT;
    if (lines.n_lines > 2 && read_numbers(&pe, lines.lines[2]) != SATOR_OK)
        st = SATOR_INPUT;
    if (lines.n_lines > 3)
        st = sator_error(ctx, lines.lines[3], "a line too many: a PE array is three lines");
    if (st != SATOR_OK) {
        sator_arena_free(arena);
        return st;
    }
    *arch = make_arch(&pe, &lines);
    return SATOR_OK;
}
