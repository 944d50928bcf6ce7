/* The reader of the TENET program's files: what is understood, what is refused, and every published
 * file. */
#define _GNU_SOURCE 1 /* nftw, for the walk over the published files */
#include "unit/inputs.h"

#include <ftw.h>
#include <stdio.h>

static void write_relation(struct sator_text *text, const struct sator_relation *relation)
{
    sator_relation_write(text, relation);
    sator_text_add(text, "\n");
}

/* Relations of a statement, a mapping or a PE array, a line each; NULL when it was refused. */
static char *understood(const char *name, const char *input, int interval)
{
    const struct sator_source *source = sator_source_from_text(ctx, name, input);
    const char *ending = strrchr(name, '.');
    struct sator_text text = {NULL, 0, 0};
    struct sator_network *network = NULL;
    struct sator_dataflow *dataflow = NULL;
    struct sator_arch *arch = NULL;

    if (strcmp(ending, ".s") == 0 && sator_tenet_statement(ctx, source, &network) == SATOR_OK) {
        const struct sator_workload *layer = &network->layers[0];
        write_relation(&text, layer->domain);
        for (int i = 0; i < layer->n_accesses; i++) {
            sator_text_add(&text, "%s %s %d ",
                    layer->accesses[i].role == SATOR_READ ? "read" : "write",
                    layer->accesses[i].tensor, layer->accesses[i].word_bits);
            write_relation(&text, layer->accesses[i].relation);
        }
        sator_arena_free(network->arena);
        return sator_text_take(&text);
    }
    if (strcmp(ending, ".m") == 0 && sator_tenet_mapping(ctx, source, &dataflow) == SATOR_OK) {
        write_relation(&text, dataflow->space);
        write_relation(&text, dataflow->time);
        sator_arena_free(dataflow->arena);
        return sator_text_take(&text);
    }
    if (strcmp(ending, ".p") == 0 &&
            sator_tenet_pe_array(ctx, source, interval, &arch) == SATOR_OK) {
        const struct sator_array *array = &arch->levels[1].array;
        for (int d = 0; d < array->n_dims; d++)
            sator_text_add(&text, "%s%lld", d ? "x" : "", (long long)array->shape[d]);
        sator_text_add(&text, " %g\n", arch->levels[0].memory.read_bits);
        for (int i = 0; i < array->n_links; i++) {
            sator_text_add(&text, "%s %d ", array->links[i].name, array->links[i].interval);
            write_relation(&text, array->links[i].map);
        }
        sator_arena_free(arch->arena);
        return sator_text_take(&text);
    }
    return NULL;
}

/* "expected" with its relations read and written again: what counts is what they say. */
static char *normal(const char *expected)
{
    const struct sator_source *source = sator_source_from_text(ctx, "expected", expected);
    struct sator_arena *arena = sator_arena_new();
    struct sator_text text = {NULL, 0, 0};
    const char *at = expected;

    for (const char *open = strchr(at, '{'); open; open = strchr(at, '{')) {
        const char *close = strchr(open, '}');
        const struct sator_relation *relation = NULL;

        assert_non_null(close);
        sator_text_add_bytes(&text, at, (size_t)(open - at));
        assert_int_equal(sator_relation_read(ctx, arena,
                                 (struct sator_loc){source, (size_t)(open - expected),
                                         (size_t)(close + 1 - open)},
                                 &relation),
                SATOR_OK);
        sator_relation_write(&text, relation);
        at = close + 1;
    }
    sator_text_add(&text, "%s", at);
    sator_arena_free(arena);
    return sator_text_take(&text);
}

struct accepted {
    const char *name;
    int interval;
    const char *input;
    const char *expected;
};

static const struct accepted accepted[] = {
        {"gemm.s", 0,
                "2 1\n{S[i,j,k]: 0<=i<2 and 0<=j<3 and 0<=k<4}\n{S[i,j,k]->A[i,k]}\n"
                "{S[i,j,k]->B[k,j]}\n{S[i,j,k]->C[i,j]}",
                "{ S[i, j, k] : 0 <= i < 2 and 0 <= j < 3 and 0 <= k < 4 }\n"
                "read A 16 { S[i, j, k] -> A[i, k] }\n"
                "read B 16 { S[i, j, k] -> B[k, j] }\n"
                "write C 16 { S[i, j, k] -> C[i, j] }\n"},
        /* CRLF, blank lines, blanks around, a union in one line. */
        {"jacobi.s", 0,
                "\r\n1 1\r\n\r\n {S[i,j]: 1<=i<5 and 1<=j<5} \r\n"
                "{S[i,j]-> A[i,j]; S[i,j]->A[i+1,j] ; S[i,j] -> "
                "A[i-1,j]}\r\n{S[i,j]->B[i,j]}\r\n\r\n",
                "{ S[i, j] : 1 <= i < 5 and 1 <= j < 5 }\n"
                "read A 16 { S[i, j] -> A[i, j]; S[i, j] -> A[i + 1, j]; S[i, j] -> A[i - 1, j] }\n"
                "write B 16 { S[i, j] -> B[i, j] }\n"},
        /* Lines of one tensor and role are united, one read and written has two entries. */
        {"sweep.s", 0, "2 1\n{S[i]: 1<=i<9}\n{S[i]->A[i-1]}\n{S[i]->A[i+1]}\n{S[i]->A[i]}",
                "{ S[i] : 1 <= i < 9 }\n"
                "read A 16 { S[i] -> A[i - 1]; S[i] -> A[i + 1] }\n"
                "write A 16 { S[i] -> A[i] }\n"},
        {"transposed.s", 0,
                "1 1\n{S[x,r]:0<=x<8 and 0<=r<3 and "
                "x+r<9}\n{S[x,r]->I[floor((r+x)/2)]}\n{S[x,r]->O[x%4]}",
                "{ S[x, r] : 0 <= x < 8 and 0 <= r < 3 and x + r < 9 }\n"
                "read I 16 { S[x, r] -> I[floor((x + r)/2)] }\n"
                "write O 16 { S[x, r] -> O[x%4] }\n"},
        {"os.m", 0, "{S[i,j,k]->PE[i%8,j%8]}\n{S[i,j,k]->T[floor(i/8),floor(j/8),i%8+j%8+k]}",
                "{ S[i, j, k] -> PE[i%8, j%8] }\n"
                "{ S[i, j, k] -> T[floor(i/8), floor(j/8), k + i%8 + j%8] }\n"},
        {"rows.m", 0, "{S[c,y]->PE[y+3*(c%4)]}\r\n\r\n{S[c,y]->T[floor(c/4)]}\r\n",
                "{ S[c, y] -> PE[y + 3*(c%4)] }\n"
                "{ S[c, y] -> T[floor(c/4)] }\n"},
        /* "i may take from i+1" leads from i+1 to i: the provider comes first here. */
        {"line.p", 1, "{PE[i]:0<=i<64}\n{PE[i]->PE[i+1]}\n256 1024 64 16",
                "64 64\nwest 1 { PE[i] -> PE[i - 1] }\n"},
        {"line.p", 0, "{PE[i]:0<=i<64}\n{PE[i]->PE[i+1]}\n256 1024 64 16",
                "64 64\nwest-wire 0 { PE[i] -> PE[i - 1] }\nwest 1 { PE[i] -> PE[i - 1] }\n"},
        {"mesh.p", 1,
                "{PE[i,j]:0<=i<4 and 0<=j<5}\n{PE[i,j]->PE[i-1,j] ; PE[i,j]->PE[i,j-1] ; "
                "PE[i,j]->PE[i+1,j-1] ; PE[i,j]->PE[i-1,j-1]}\n\n600 110592 128 2",
                "4x5 128\nsouth 1 { PE[i, j] -> PE[i + 1, j] }\n"
                "east 1 { PE[i, j] -> PE[i, j + 1] }\n"
                "north-east 1 { PE[i, j] -> PE[i - 1, j + 1] }\n"
                "south-east 1 { PE[i, j] -> PE[i + 1, j + 1] }\n"},
        {"hop.p", 1, "{PE[i,j]:0<=i<4 and 0<=j<5}\n{PE[i,j]->PE[i,j-2]}\n1 1 1 1",
                "4x5 1\nlink-1 1 { PE[i, j] -> PE[i, j + 2] }\n"},
        {"cube.p", 1, "{PE[i,j,k]:0<=i<3 and 0<=j<3 and 0<=k<7}\n{PE[i,j,k]->PE[i,j,k-1]}\n1 1 1 1",
                "3x3x7 1\nlink-1 1 { PE[i, j, k] -> PE[i, j, k + 1] }\n"},
        /* A condition stands on the consumer of the file; it moves along. */
        {"part.p", 1, "{PE[i]:0<=i<8}\n{PE[i]->PE[i-1]:i>=4}\n1 1 1 1",
                "8 1\neast 1 { PE[i] -> PE[i + 1] : i >= 3 }\n"},
        /* Two conditions on one offset are one link. */
        {"parts.p", 1, "{PE[i]:0<=i<8}\n{PE[i]->PE[i-1]:i<=2;PE[i]->PE[i-1]:i>=6}\n1 1 1 1",
                "8 1\neast 1 { PE[i] -> PE[i + 1] : i < 2; PE[i] -> PE[i + 1] : i >= 5 }\n"},
        {"self.p", 0, "{PE[i]:0<=i<8}\n{PE[i]->PE[i]}\n1 1 1 1", "8 1\n"},
        {"alone.p", 0, "{PE[i]:0<=i<8}\n{}\n1 1 1 1", "8 1\n"},
};

static void accepts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        char *text = understood(accepted[i].name, accepted[i].input, accepted[i].interval);

        if (!text) {
            char *messages = sator_ctx_take_messages(ctx, false);
            fail_msg("%s refused:\n%s", accepted[i].name, messages ? messages : "no message");
        }
        char *expected = normal(accepted[i].expected);
        if (strcmp(text, expected) != 0)
            fail_msg("%s: understood\n%sexpected\n%s", accepted[i].name, text, expected);
        free(expected);
        free(text);
    }
}

/* A reversed link holds the pairs of the file, each turned round: checked point by point on a small
 * array, for pieces whose inverse is no expression. */
struct reversed {
    const char *interconnect;
    bool (*joined)(int consumer, int provider);
};

static bool to_half(int consumer, int provider)
{
    return provider == consumer / 2;
}

static bool to_first(int consumer, int provider)
{
    (void)consumer;
    return provider == 0;
}

static bool to_ring(int consumer, int provider)
{
    return provider == (consumer + 1) % 8;
}

/* Whether piece "piece" joins "from" with "to": every further variable takes its values over the
 * array in turn. */
static bool holds(const struct sator_cond *cond, const int64_t *point)
{
    int64_t value = 0;

    switch (cond->op) {
    case SATOR_COND_TRUE:
        return true;
    case SATOR_COND_EQUAL:
    case SATOR_COND_NOT_EQUAL:
        assert_true(sator_expr_value(cond->expr, point, &value));
        return (value == 0) == (cond->op == SATOR_COND_EQUAL);
    case SATOR_COND_AT_LEAST:
        assert_true(sator_expr_value(cond->expr, point, &value));
        return value >= 0;
    case SATOR_COND_AND:
        for (int i = 0; i < cond->n_kids; i++)
            if (!holds(cond->kids[i], point))
                return false;
        return true;
    case SATOR_COND_OR:
        for (int i = 0; i < cond->n_kids; i++)
            if (holds(cond->kids[i], point))
                return true;
        return false;
    case SATOR_COND_NOT:
        return !holds(cond->kids[0], point);
    case SATOR_COND_EXISTS:
        break;
    }
    fail_msg("a condition that these tests have no use for");
    return false;
}

static bool joins(const struct sator_relation *map, int from, int to)
{
    for (int i = 0; i < map->n_pieces; i++) {
        const struct sator_piece *piece = &map->pieces[i];
        for (int free_value = 0; free_value < 8; free_value++) {
            int64_t point[2] = {from, free_value};
            int64_t out = 0;
            assert_true(piece->n_free <= 1);
            assert_true(sator_expr_value(piece->out[0], point, &out));
            if (out == to && holds(piece->cond, point))
                return true;
        }
    }
    return false;
}

static void reverses_what_is_no_translation(void **state)
{
    static const struct reversed cases[] = {{"{PE[i]->PE[floor(i/2)]}", to_half},
            {"{PE[i]->PE[0]}", to_first}, {"{PE[i]->PE[(i+1)%8]}", to_ring}};

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct sator_arch *arch = NULL;
        char *input = NULL;

        assert_true(asprintf(&input, "{PE[i]:0<=i<8}\n%s\n1 1 1 1", cases[c].interconnect) > 0);
        assert_int_equal(
                sator_tenet_pe_array(ctx, sator_source_from_text(ctx, "x.p", input), 0, &arch),
                SATOR_OK);
        free(input);
        assert_int_equal(arch->levels[1].array.n_links, 2);
        for (int l = 0; l < 2; l++) {
            const struct sator_link *link = &arch->levels[1].array.links[l];
            for (int from = 0; from < 8; from++)
                for (int to = 0; to < 8; to++) {
                    /* A wire of the same stamp never leads a PE to itself. */
                    bool expected =
                            cases[c].joined(to, from) && (link->interval == 1 || from != to);
                    assert_int_equal(joins(link->map, from, to), expected);
                }
        }
        sator_arena_free(arch->arena);
    }
}

struct refused {
    const char *name;
    const char *input;
    const char *message;
};

static const struct refused refused[] = {
        {"x.s", "", "x.s:1:1: error: the statement file is empty"},
        {"x.s", "{S[i]: 0<=i<2}\n", "x.s:1:1: error: the first line must be the number"},
        {"x.s", "2 1\n{S[i]: 0<=i<2}\n{S[i]->A[i]}", "x.s:3:13: error: the file ends too early"},
        {"x.s", "1 1\n{S[i]: 0<=i<2}\n{S[i]->A[i]}\n{S[i]->B[i]}\n{S[i]->C[i]}",
                "x.s:5:1: error: a line too many"},
        {"x.s", "-1 1\n{S[i]: 0<=i<2}\n", "x.s:1:1: error: the number of reads must be 0 to"},
        {"x.s", "99999999999999999999 1\n", "x.s:1:1: error: the first line must be the number"},
        {"x.s", "0 0\n{S[i]: 0<=i<2}\n", "x.s:1:1: error: a statement must read or write"},
        {"x.s", "1 1\n{S[i]->A[i]}\n{S[i]->A[i]}\n{S[i]->B[i]}",
                "x.s:2:1: error: expected the domain"},
        {"x.s", "1 1\n{S[i]: 0<=i<2}\n{S[i]: i<3}\n{S[i]->B[i]}",
                "x.s:3:1: error: expected an access"},
        {"x.s", "1 1\n{S[i]: 0<=i<2}\n{S[i,j]->A[i,j]}\n{S[i]->B[i]}",
                "x.s:3:1: error: the access starts from S with 2 loops, the domain is S with 1"},
        {"x.s", "1 1\n{S[i]: 0<=i<2}\n{Q[i]->A[i]}\n{S[i]->B[i]}",
                "x.s:3:1: error: the access starts from Q with 1 loops, the domain is S with 1"},
        {"x.s", "2 1\n{S[i]: 0<=i<2}\n{S[i]->A[i]}\n{S[i]->A[i,i]}\n{S[i]->B[i]}",
                "x.s:4:1: error: tensor 'A' has 2 subscripts here and 1 in an earlier line"},
        {"x.m", "{S[i]->PE[i]}", "x.m:1:14: error: a mapping is a space map and a time map"},
        {"x.m", "{S[i]->PE[i]}\n{S[i,j]->T[j]}", "x.m:2:1: error: the time map has 2 loops"},
        {"x.m", "{S[i]->PE[i]}\n{S[i]->T[i]}\n{S[i]->T[i]}", "x.m:3:1: error: a line too many"},
        {"x.p", "{PE[i]:0<=i<8}\n{PE[i]->PE[i+1]}\n", "x.p:2:17: error: the file ends too early"},
        {"x.p", "{PE[i]:1<=i<8}\n{PE[i]->PE[i+1]}\n1 1 1 1",
                "x.p:1:1: error: dimension 'i' of the array starts at 1"},
        {"x.p", "{PE[i]:0<=i<0}\n{PE[i]->PE[i+1]}\n1 1 1 1",
                "x.p:1:1: error: dimension 'i' of the array is empty"},
        {"x.p", "{PE[i,j]:0<=i<8 and 0<=j<=i}\n{PE[i,j]->PE[i,j+1]}\n1 1 1 1",
                "x.p:1:1: error: the PEs must form a box"},
        {"x.p", "{PE[i,j]:0<=i,j<8}\n{PE[i]->PE[i+1]}\n1 1 1 1",
                "x.p:2:1: error: the interconnect has 1 dimensions, the array 2"},
        {"x.p", "{PE[i]:0<=i<8}\n{PE[i]->PE[i,0]}\n1 1 1 1",
                "x.p:2:1: error: the interconnect leads from 1 to 2 dimensions"},
        {"x.p", "{PE[i]:0<=i<8}\n{PE[i]->PE[i+1]}\n256 1024 64",
                "x.p:3:1: error: expected four numbers, found 3 words"},
        {"x.p", "{PE[i]:0<=i<8}\n{PE[i]->PE[i+1]}\n256 1024 0 16",
                "x.p:3:10: error: the bandwidth must be at least 1"},
        {"x.p", "{PE[i]:0<=i<8}\n{PE[i]->PE[i+1]}\n256 1024 6.4 16",
                "x.p:3:10: error: the bandwidth must be an integer"},
};

static void refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *text = understood(refused[i].name, refused[i].input, 0);
        char *messages = sator_ctx_take_messages(ctx, false);

        if (text)
            fail_msg("accepted: %s", refused[i].input);
        if (!messages || !strstr(messages, refused[i].message))
            fail_msg("expected %s\nfound %s", refused[i].message, messages ? messages : "nothing");
        free(messages);
    }
}

static int n_statements, n_mappings, n_arrays, n_experiments;

static void read_published(const char *path)
{
    const struct sator_source *source = NULL;
    const char *ending = strrchr(path, '.');
    struct sator_network *network = NULL;
    struct sator_dataflow *dataflow = NULL;
    struct sator_arch *arch = NULL;
    struct sator_arena *arena = sator_arena_new();
    const char *parts[3];
    enum sator_status st;

    assert_int_equal(sator_source_read(ctx, path, &source), SATOR_OK);
    if (ending && strcmp(ending, ".s") == 0) {
        st = sator_tenet_statement(ctx, source, &network);
        n_statements++;
    } else if (ending && strcmp(ending, ".m") == 0) {
        st = sator_tenet_mapping(ctx, source, &dataflow);
        n_mappings++;
    } else if (ending && strcmp(ending, ".p") == 0) {
        st = sator_tenet_pe_array(ctx, source, 0, &arch);
        n_arrays++;
    } else {
        st = sator_tenet_experiment(ctx, source, arena, &parts[0], &parts[1], &parts[2]);
        n_experiments++;
    }
    if (st != SATOR_OK) {
        char *messages = sator_ctx_take_messages(ctx, false);
        fail_msg("%s", messages ? messages : "no message");
    }
    if (network) {
        /* All published domains are boxes. */
        assert_true(network->layers[0].is_box);
        sator_arena_free(network->arena);
    }
    if (dataflow)
        sator_arena_free(dataflow->arena);
    if (arch)
        sator_arena_free(arch->arena);
    sator_arena_free(arena);
}

static int visit(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)where;
    if (type == FTW_F && strstr(path, "/data/"))
        read_published(path);
    return 0;
}

static void reads_every_published_file(void **state)
{
    (void)state;
    assert_int_equal(nftw("test/tenet/published", visit, 16, 0), 0);
    assert_int_equal(n_statements, 55);
    assert_int_equal(n_mappings, 45);
    assert_int_equal(n_arrays, 21);
    assert_int_equal(n_experiments, 52);
}

static void experiments_find_their_files(void **state)
{
    const struct sator_source *source = NULL;
    struct sator_arena *arena = sator_arena_new();
    const char *mapping = NULL;
    const char *pe_array = NULL;
    const char *statement = NULL;
    char *messages;

    (void)state;
    assert_int_equal(sator_source_read(ctx,
                             "test/tenet/published/data/alexnet/experiment/experiment_3", &source),
            SATOR_OK);
    assert_int_equal(
            sator_tenet_experiment(ctx, source, arena, &mapping, &pe_array, &statement), SATOR_OK);
    assert_string_equal(mapping, "test/tenet/published/data/mapping/conv2d_rs_alexnet3.m");
    assert_string_equal(pe_array, "test/tenet/published/data/pe_array/pe_12_14.p");
    assert_string_equal(statement, "test/tenet/published/data/statement/conv3_alexnet.s");

    /* On one line, and from a folder above "data". */
    source = sator_source_from_text(ctx, "test/tenet/published/list",
            "mapping/conv2d_os.m pe_array/mesh9.p statement/conv2d.s");
    assert_int_equal(sator_tenet_experiment(ctx, source, arena, &mapping, &pe_array, &statement),
            SATOR_INPUT);
    messages = sator_ctx_take_messages(ctx, false);
    assert_non_null(
            strstr(messages, "list:1:21: error: the PE array 'pe_array/mesh9.p' cannot be found"));
    assert_int_equal(sator_ctx_error_count(ctx), 1);
    free(messages);
    sator_arena_free(arena);
}

static void sweeps_join_mappings_and_arrays(void **state)
{
    static const struct {
        const char *path;
        int n_cases;
    } sweeps[] = {{"conv2d", 3 * 1 + 5 * 8}, {"jacobi", 1 + 8}, {"matmul", 2 * 1 + 3 * 8},
            {"mttkrp", 3 * 8}};
    const struct sator_source *source = NULL;
    const struct sator_experiment *cases = NULL;
    int n_cases = 0;
    struct sator_arena *arena = sator_arena_new();
    char *messages;

    (void)state;
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        char path[80];
        snprintf(path, sizeof path, "test/tenet/published/interconnect_experiment/%s",
                sweeps[i].path);
        assert_int_equal(sator_source_read(ctx, path, &source), SATOR_OK);
        assert_true(sator_tenet_is_sweep(source));
        assert_int_equal(sator_tenet_sweep(ctx, source, arena, &n_cases, &cases), SATOR_OK);
        assert_int_equal(n_cases, sweeps[i].n_cases);
    }
    /* The last group of the last file: its third mapping on the eighth array. */
    assert_string_equal(cases[23].mapping, "test/tenet/published/data/mapping/mttkrp_systolic3.m");
    assert_string_equal(cases[23].pe_array, "test/tenet/published/data/pe_array/1d_systolic4.p");
    assert_string_equal(cases[23].statement, "test/tenet/published/data/statement/mttkrp.s");
    assert_string_equal(cases[15].mapping, "test/tenet/published/data/mapping/mttkrp_systolic2.m");

    source = sator_source_from_text(ctx, "test/tenet/published/interconnect_experiment/x",
            "matmul.s 1\n2\n1d_interconnects ncf_rs.m\n");
    assert_int_equal(sator_tenet_sweep(ctx, source, arena, &n_cases, &cases), SATOR_INPUT);
    messages = sator_ctx_take_messages(ctx, false);
    assert_non_null(
            strstr(messages, "x:3:26: error: the file ends where this mapping should follow"));
    free(messages);
    source = sator_source_from_text(ctx, "x", "mapping/a.m\npe_array/b.p\nstatement/c.s\n");
    assert_false(sator_tenet_is_sweep(source));
    sator_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(accepts, set_up, tear_down),
            cmocka_unit_test_setup_teardown(reverses_what_is_no_translation, set_up, tear_down),
            cmocka_unit_test_setup_teardown(refuses, set_up, tear_down),
            cmocka_unit_test_setup_teardown(reads_every_published_file, set_up, tear_down),
            cmocka_unit_test_setup_teardown(experiments_find_their_files, set_up, tear_down),
            cmocka_unit_test_setup_teardown(sweeps_join_mappings_and_arrays, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
