/* Certificates as texts: the question, the answer, and a cover of the space (doc/certificate.md).
 *
 *     sator certificate 1
 *     workload:            a document each, in Sator's notation, two spaces to the right
 *     architecture:
 *     mapping:
 *     constraints:         a line each; or none of this
 *     timing: scheduled    or none of this: the roofline
 *     objective: edp
 *     value: 1.5e+12
 *     parts:               of each choice of what bypasses what
 *       choice 0
 *       4.2 cut 1.7e+12
 *     end
 */
#include "sator/certificate.h"
#include "sator/build.h"

#include "api/map.h"
#include "base/arguments.h"
#include "certificate/certificate.h"
#include "frontend/frontend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "sator certificate 1\n";
static const char *const objectives[] = {"edp", "energy", "latency"};
static const char *const units[][2] = {{"pJ x cycles of the roofline", "pJ x cycles"}, {"pJ", "pJ"},
        {"cycles of the roofline", "cycles"}}; /* [objective][by the scheduled time] */
static const char timing_line[] = "timing: scheduled\n", filled_line[] = "factors: filled\n";

enum {
    N_OBJECTIVES = sizeof objectives / sizeof *objectives,
    MOST_BYTES = 64 << 20, /* of a layer's certificate */
    FEW_PARTS = 1 << 19 /* bounds: to prove more than the search, some seconds */
};

/* The same question about all spaces: the mapping may be of one that the proof leaves out. */
static struct cert_question all_of(const struct cert_question *question)
{
    struct cert_question all = *question;

    all.joins_across = all.counts = !question->is_scheduled; /* by which these are not covered */
    return all;
}

/* Whether the nest is a mapping of one of the spaces, whose choice of what bypasses what the model
 * looks at. "*why" (in the arena): of a space that is not covered. */
static enum sator_status find_space(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct cert_question *question, const struct cert_spaces *spaces,
        const struct sator_loop_nest *nest, bool *found, const char **why)
{
    enum sator_status st = SATOR_OK;

    *found = false;
    for (int k = 0; k < spaces->n && !*found && st == SATOR_OK; k++) {
        if (spaces->space[k].choice != 0)
            continue;
        struct cert_problem *p = SATOR_NEW(arena, struct cert_problem);
        st = cert_problem_init(ctx, arena, question, &spaces->space[k], p, why);
        *found = st == SATOR_OK && cert_is_of_space(p, question->arch, &spaces->space[k], nest);
    }
    return st;
}

/* ---- writing ---- */

static const char unproved[] = "a mapping that is not proved to be the best";

/* What of a search no certificate is made of, or NULL. */
static const char *uncovered_search(const struct sator_map_options *options,
        const struct sator_workload *workload, const struct sator_arch *arch)
{
    if (options->imperfect && options->n_constraints > 0)
        return "factors that do not divide beside constraints";
    if (options->strategy == SATOR_MAP_RANDOM || options->strategy == SATOR_MAP_SUNSTONE)
        return unproved; /* these prove nothing */
    if (cert_count_choices(workload, arch) > CERT_CHOICES)
        return "more than 10 choices of what bypasses what";
    for (int i = 0; i < options->n_constraints; i++) {
        if (strchr(options->constraints[i], '\n') != NULL)
            return "constraints of several lines";
    }
    return NULL;
}

static bool is_scheduled(const struct sator_map_result *result)
{
    return strcmp(result->timing, "scheduled") == 0;
}

/* The same of what it found. */
static const char *uncovered_result(const struct sator_map_result *result)
{
    if (!result->proved)
        return unproved;
    if (result->order != NULL)
        return "an operation in place";
    return NULL;
}

/* Whether the proof leaves nothing out that begins with one of "phrases". */
static bool has_all_of(const struct sator_map_result *result, int n, const char *const *phrases)
{
    bool has = true;

    for (int i = 0; i < result->n_left_out; i++) {
        for (int k = 0; k < n; k++)
            has &= strncmp(result->left_out[i], phrases[k], strlen(phrases[k])) != 0;
    }
    return has;
}

/* Whether the proof is over skewed loops that are joined across memories' tiles, too. */
static bool is_joined_across(const struct sator_map_result *result)
{
    static const char open[] = "skewed loops joined across a memory's tiles";
    bool any = true;

    for (int i = 0; i < result->n_left_out; i++)
        any &= strcmp(result->left_out[i], open) != 0;
    return any;
}

/* Whether it is over skews under which words are counted, too. */
static bool is_counted(const struct sator_map_result *result)
{
    static const char *const open[] = {"skews along dimensions whose PEs share words",
            "skews under which some words have no formula", "what links bring late",
            "loops at a memory inside a skewed array", "skews of an array inside a skewed one",
            "skews beyond the first"};

    return has_all_of(result, (int)(sizeof open / sizeof *open), open);
}

static enum sator_status refuse(
        struct sator_ctx *ctx, const struct sator_workload *workload, const char *why)
{
    return sator_error(ctx, workload->loc, "not certified: certificates do not cover %s", why);
}

/* Whether the mapping is of a space that certificates cover. */
static enum sator_status check_covered(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct cert_question *question, const struct sator_map_result *result)
{
    const struct cert_question any = all_of(question);
    struct sator_dataflow *dataflow = NULL;
    struct cert_spaces spaces;
    const char *why = NULL;
    bool found = true;
    enum sator_status st;

    SATOR_TRY(cert_list_spaces(arena, &any, &spaces, &why));
    SATOR_TRY(sator_dataflow_parse(ctx, "the mapping", result->yaml, NULL, &dataflow));
    SATOR_TRY(find_space(ctx, arena, &any, &spaces, dataflow->loops, &found, &why));
    if (!found)
        why = "the best mapping's skew and factors";
done:
    sator_dataflow_free(dataflow);
    return why != NULL ? refuse(ctx, question->workload, why) : st;
}

static void put_indented(struct sator_text *text, const char *name, const char *document)
{
    sator_text_add(text, "%s:\n", name);
    while (*document != '\0') {
        size_t length = strcspn(document, "\n");
        sator_text_put(text, length > 0 ? "  " : "");
        sator_text_add_bytes(text, document, length);
        sator_text_put(text, "\n");
        document += length + (document[length] == '\n');
    }
}

/* "says": what the proof is over beyond the mappings that any is. */
static void put_question(struct sator_text *text, const struct sator_network *network, int layer,
        const struct sator_arch *arch, const struct sator_map_options *options,
        const struct sator_map_result *result, const char *says)
{
    struct sator_network one = *network;
    struct sator_text document = {0};

    one.layers = &network->layers[layer];
    one.n_layers = 1;
    sator_text_put(text, first_line);
    sator_yaml_write_network(&document, &one);
    put_indented(text, "workload", document.data);
    sator_text_clear(&document);
    sator_yaml_write_arch(&document, arch);
    put_indented(text, "architecture", document.data);
    sator_text_clear(&document);
    put_indented(text, "mapping", result->yaml);
    sator_text_put(text, options->n_constraints > 0 ? "constraints:\n" : "");
    for (int i = 0; i < options->n_constraints; i++)
        sator_text_add(text, "  %s\n", options->constraints[i]);
    sator_text_put(text, is_scheduled(result) ? timing_line : "");
    sator_text_put(text, options->imperfect ? filled_line : "");
    sator_text_put(text, says);
    sator_text_add(text, "objective: %s\nvalue: %.17g\nparts:\n", objectives[result->objective],
            result->value);
}

static enum sator_status make_problem(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct cert_question *question, const struct cert_space *space,
        struct cert_problem **made)
{
    const char *why;

    *made = SATOR_NEW(arena, struct cert_problem);
    enum sator_status st = cert_problem_init(ctx, arena, question, space, *made, &why);
    return st == SATOR_INPUT && why != NULL ? refuse(ctx, question->workload, why) : st;
}

static enum sator_status put_cover(struct sator_ctx *ctx, const struct cert_question *question,
        const struct sator_map_result *result, const struct cert_space *space,
        const struct cert_problem *p, const struct cert_limits *limits, struct sator_text *text,
        struct cert_tally *tally)
{
    enum sator_status st;

    sator_text_add(text, "  %s\n", cert_space_text(p->arena, question->arch, space));
    SATOR_TRY(cert_cover_write(ctx, p, result->value, limits, text, tally));
    if (text->length > MOST_BYTES) {
        sator_error(ctx, question->workload->loc,
                "not certified: the certificate is larger than 64 MB");
        st = SATOR_LIMIT;
    }
done:
    return st;
}

/* The cover of one space. Array dimensions that are one row make fewer parts; where not all of them
 * are proved so, the dimensions stand apart. */
static enum sator_status put_space(struct sator_ctx *ctx, const struct cert_question *question,
        const struct sator_map_result *result, const struct cert_space *space,
        const struct cert_limits *limits, struct sator_text *text, struct cert_tally *tally)
{
    const struct cert_limits whole = {limits->seconds, limits->parts, true};
    const struct cert_tally before = *tally;
    struct cert_space own = *space;
    struct sator_arena *arena = sator_arena_new();
    struct sator_text parts = {0};
    struct sator_hush hush;
    struct cert_problem *p;
    enum sator_status st;

    SATOR_TRY(make_problem(ctx, arena, question, &own, &p));
    if (p->is_left_out)
        goto done;
    if (p->is_blurred) {
        sator_ctx_hush(ctx, &hush);
        st = put_cover(ctx, question, result, &own, p, &whole, &parts, tally);
        sator_ctx_unhush(ctx, &hush);
        own.apart = st == SATOR_LIMIT;
        if (own.apart)
            SATOR_TRY(make_problem(ctx, arena, question, &own, &p));
    }
    if (!p->is_blurred) {
        sator_text_clear(&parts);
        *tally = before;
        st = put_cover(ctx, question, result, &own, p, limits, &parts, tally);
    }
    sator_text_add_bytes(text, parts.data, st == SATOR_OK ? parts.length : 0);
done:
    sator_text_clear(&parts);
    sator_arena_free(arena);
    return st;
}

/* The covers of all spaces of the question; "*says": what they are over beyond those that any proof
 * is, in lines. */
static enum sator_status put_spaces(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct cert_question *question, const struct sator_map_result *result,
        const struct cert_limits *limits, struct sator_text *text, struct cert_tally *tally,
        const char **says)
{
    struct cert_spaces spaces;
    const char *why = NULL;
    bool is_joined = false, is_counted;
    enum sator_status st;

    st = cert_list_spaces(arena, question, &spaces, &why);
    is_counted = spaces.has_bused;
    for (int k = 0; k < spaces.n && st == SATOR_OK; k++) {
        struct cert_problem *p = SATOR_NEW(arena, struct cert_problem);
        st = cert_problem_init(ctx, arena, question, &spaces.space[k], p, &why);
        is_joined |= spaces.space[k].across;
        is_counted |= p->has_late || p->has_passed || p->has_odd;
    }
    if (why != NULL)
        refuse(ctx, question->workload, why);
    SATOR_TRY(st);
    *says = sator_arena_printf(arena, "%s%s", is_joined ? "joins: across\n" : "",
            is_counted && question->counts ? "words: counted\n" : "");
    for (int k = 0; k < spaces.n; k++)
        SATOR_TRY(put_space(ctx, question, result, &spaces.space[k], limits, text, tally));
done:
    return st;
}

/* The same of what the search is sure of; but where a proof over all spaces is found in little
 * work, of these. */
static enum sator_status put_proof(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct cert_question *question, const struct sator_map_result *result,
        const struct cert_limits *limits, struct sator_text *text, struct cert_tally *tally,
        const char **says)
{
    const struct cert_question all = all_of(question);
    const struct cert_limits few = {limits->seconds, FEW_PARTS, true};
    struct sator_hush before;
    enum sator_status st = SATOR_LIMIT;

    if (question->counts != all.counts || question->joins_across != all.joins_across) {
        sator_ctx_hush(ctx, &before);
        st = put_spaces(ctx, arena, &all, result, &few, text, tally, says);
        sator_ctx_unhush(ctx, &before);
    }
    if (st == SATOR_OK || st == SATOR_INTERRUPTED)
        return st;
    sator_text_clear(text);
    *tally = (struct cert_tally){0};
    return put_spaces(ctx, arena, question, result, limits, text, tally, says);
}

enum sator_status sator_certificate_covers(struct sator_ctx *ctx,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_map_options *options)
{
    struct sator_map_options own;
    SATOR_NEEDS(ctx, network != NULL && arch != NULL);
    SATOR_NUMBER(ctx, layer, 0, network->n_layers - 1);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_map_take_options(ctx, options, true, &own);
    if (st != SATOR_OK)
        return st;
    const struct sator_workload *workload = &network->layers[layer];
    struct sator_arena *arena = sator_arena_new();
    struct cert_problem *p = SATOR_NEW(arena, struct cert_problem);
    const bool scheduled = own.timing != SATOR_TIMING_ROOFLINE;
    const struct cert_question question = {workload, arch, own.objective, scheduled,
            own.n_constraints, own.constraints, !scheduled, !scheduled, own.imperfect};
    const char *why = uncovered_search(&own, workload, arch);
    struct cert_spaces spaces = {0};
    if (why == NULL)
        st = cert_list_spaces(arena, &question, &spaces, &why);
    if (why == NULL)
        st = cert_problem_init(ctx, arena, &question, &spaces.space[0], p, &why);
    if (why != NULL)
        st = refuse(ctx, workload, why);
    sator_arena_free(arena);
    return st;
}

/* Whether certificates cover the layer by a choice of what latencies are. */
static bool covers_by(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, const struct sator_map_options *options,
        enum sator_timing_choice timing)
{
    struct sator_map_options own = *options;
    struct sator_hush before;

    own.timing = timing;
    sator_ctx_hush(ctx, &before);
    enum sator_status st = sator_certificate_covers(ctx, network, layer, arch, &own);
    sator_ctx_unhush(ctx, &before);
    return st == SATOR_OK;
}

/* Whether some array may be skewed: of most such mappings the scheduled time has bounds alone. */
static bool has_skews(const struct sator_workload *workload, const struct sator_arch *arch)
{
    const struct cert_question question = {.workload = workload, .arch = arch};
    struct sator_arena *arena = sator_arena_new();
    struct cert_spaces spaces;
    const char *why;
    bool any = false;

    cert_list_spaces(arena, &question, &spaces, &why);
    for (int k = 0; k < spaces.n; k++)
        any |= spaces.space[k].is_skewed;
    sator_arena_free(arena);
    return any;
}

enum sator_timing_choice sator_certificate_timing(struct sator_ctx *ctx,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_map_options *options)
{
    struct sator_map_options own;
    SATOR_CALL(ctx, return SATOR_TIMING_SCHEDULED)

    if (sator_take_options(ctx, options, &own, sizeof own, sizeof own) != SATOR_OK ||
            own.timing != SATOR_TIMING_AUTO)
        return own.timing;
    bool any = false;
    for (int i = 0; i < sator_network_layer_count(network); i++) {
        if (layer >= 0 && i != layer)
            continue;
        bool is_one = covers_by(ctx, network, i, arch, &own, SATOR_TIMING_SCHEDULED) &&
                !has_skews(&network->layers[i], arch);
        if (!is_one && covers_by(ctx, network, i, arch, &own, SATOR_TIMING_ROOFLINE))
            return SATOR_TIMING_ROOFLINE;
        any |= is_one;
    }
    return any ? SATOR_TIMING_SCHEDULED : SATOR_TIMING_ROOFLINE; /* which has fewer reasons */
}

enum sator_status sator_certificate_write(struct sator_ctx *ctx,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_map_options *options, const struct sator_map_result *result,
        struct sator_certificate_count *count, char **text)
{
    struct sator_map_options own;
    struct sator_text out = {0}, parts = {0};
    struct cert_tally tally = {0};
    struct sator_arena *arena = NULL;
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && result != NULL && text != NULL);
    SATOR_NUMBER(ctx, layer, 0, network->n_layers - 1);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_map_take_options(ctx, options, true, &own);
    if (st != SATOR_OK)
        return st;

    const struct sator_workload *workload = &network->layers[layer];
    const char *why = uncovered_search(&own, workload, arch);
    why = why == NULL ? uncovered_result(result) : why;
    if (why == NULL && own.timing != SATOR_TIMING_ROOFLINE && !is_scheduled(result))
        why = "a mapping whose phases are not counted";
    if (why != NULL)
        return refuse(ctx, workload, why);
    const bool scheduled = is_scheduled(result);
    const struct cert_question question = {workload, arch, result->objective, scheduled,
            own.n_constraints, own.constraints, !scheduled && is_joined_across(result),
            !scheduled && is_counted(result), own.imperfect};
    arena = sator_arena_new();
    const struct cert_limits limits = {.seconds = own.budget_seconds};
    const char *says = "";
    SATOR_TRY(check_covered(ctx, arena, &question, result));
    SATOR_TRY(put_proof(ctx, arena, &question, result, &limits, &parts, &tally, &says));
    put_question(&out, network, layer, arch, &own, result, says);
    sator_text_put(&out, parts.data);
    sator_text_put(&out, "end\n");
    if (count != NULL)
        *count = (struct sator_certificate_count){
                1, tally.verified + 2, tally.total + 2, tally.parts};
    *text = sator_text_take(&out);
done:
    sator_arena_free(arena);
    sator_text_clear(&parts);
    sator_text_clear(&out);
    return st;
}

/* ---- reading ---- */

/* A certificate taken apart; texts of its own. */
struct reading {
    struct sator_ctx *ctx;
    const char *name;
    const char *at;
    char *workload, *architecture, *mapping;
    char *constraints; /* lines, each ended by NUL; "list" has them */
    int n_list;
    const char **list;
    bool is_scheduled, fills, joins_across, counts;
    bool has_late, has_passed, has_left_out; /* of some space, the proof is not about all */
    bool has_direct; /* words that go straight to compute units */
    enum sator_map_objective objective;
    double value;
};

static enum sator_status malformed(const struct reading *r, const char *what)
{
    return sator_error(r->ctx, (struct sator_loc){0}, "'%s' is no certificate: %s", r->name, what);
}

static bool take(struct reading *r, const char *text)
{
    size_t length = strlen(text);

    if (strncmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* A document whose lines are two spaces to the right. */
static char *take_document(struct reading *r)
{
    struct sator_text text = {0};

    while (strncmp(r->at, "  ", 2) == 0 || *r->at == '\n') {
        size_t indent = *r->at == '\n' ? 0 : 2, length = strcspn(r->at + indent, "\n");
        sator_text_add_bytes(&text, r->at + indent, length);
        sator_text_put(&text, "\n");
        r->at += indent + length;
        r->at += *r->at == '\n';
    }
    sator_text_put(&text, "");
    return sator_text_take(&text);
}

/* The constraints, a line each, where there are any. */
static void take_constraints(struct reading *r)
{
    take(r, "constraints:\n");
    r->constraints = take_document(r);
    for (char *line = r->constraints; *line != '\0';) {
        char *end = strchr(line, '\n');
        *end = '\0';
        SATOR_PUSH(r->ctx->arena, r->list, r->n_list, line);
        line = end + 1;
    }
}

static enum sator_status take_question(struct reading *r)
{
    char *end;

    if (!take(r, first_line))
        return malformed(r, "it does not begin with 'sator certificate 1'");
    if (!take(r, "workload:\n"))
        return malformed(r, "the workload is missing");
    r->workload = take_document(r);
    if (!take(r, "architecture:\n"))
        return malformed(r, "the architecture is missing");
    r->architecture = take_document(r);
    if (!take(r, "mapping:\n"))
        return malformed(r, "the mapping is missing");
    r->mapping = take_document(r);
    take_constraints(r);
    r->is_scheduled = take(r, timing_line);
    r->fills = take(r, filled_line);
    r->joins_across = take(r, "joins: across\n");
    r->counts = take(r, "words: counted\n");
    int objective = N_OBJECTIVES;
    while (objective-- > 0) {
        struct reading ahead = *r;
        if (take(&ahead, "objective: ") && take(&ahead, objectives[objective]) &&
                take(&ahead, "\nvalue: ")) {
            r->at = ahead.at;
            break;
        }
    }
    if (objective < 0)
        return malformed(r, "the objective, edp, energy or latency, or the value is missing");
    r->objective = (enum sator_map_objective)objective;
    r->value = strtod(r->at, &end);
    if (end == r->at || !(r->value > 0) || !isfinite(r->value))
        return malformed(r, "the value is no number above 0");
    r->at = end;
    return take(r, "\nparts:\n") ? SATOR_OK : malformed(r, "the parts are missing");
}

/* ---- checking ---- */

static enum sator_status init(struct reading *r, struct sator_arena *arena,
        const struct cert_question *question, const struct cert_space *space,
        struct cert_problem *p)
{
    const char *why;
    enum sator_status st = cert_problem_init(r->ctx, arena, question, space, p, &why);

    if (st == SATOR_INPUT && why != NULL)
        sator_error(r->ctx, question->workload->loc, "certificates do not cover %s", why);
    return st;
}

/* The energy by which mappings are compared: without that of control. */
static double compared_pj(const struct sator_result *result)
{
    double pj = result->energy_pj;

    for (int i = 0; i < result->n_energy_terms; i++) {
        const struct sator_energy_term *term = &result->energy_terms[i];
        pj -= strncmp(term->component, "control.", strlen("control.")) == 0 ? term->pj : 0;
    }
    return pj;
}

/* Whether the mapping has the value that is claimed, as the model counts it. */
static enum sator_status check_mapping(struct reading *r, struct sator_arena *arena,
        const struct sator_network *network, const struct cert_question *question,
        const struct cert_spaces *spaces, struct cert_tally *tally)
{
    const struct sator_analyze_options options = {
            .timing = r->is_scheduled ? SATOR_TIMING_SCHEDULED : SATOR_TIMING_ROOFLINE};
    struct sator_dataflow *dataflow = NULL;
    struct sator_result *result = NULL;
    const char *why = NULL;
    bool is_one;
    enum sator_status st;

    tally->total += 2;
    SATOR_TRY(sator_dataflow_parse(r->ctx, "the mapping", r->mapping, NULL, &dataflow));
    SATOR_TRY(sator_analyze(r->ctx, network, 0, question->arch, dataflow, &options, &result));
    double value = cert_value(r->objective, compared_pj(result), result->total_cycles);
    if (fabs(value - r->value) <= 1e-9 * r->value)
        tally->verified++;
    else if (result->unscheduled != NULL)
        sator_warn(r->ctx, (struct sator_loc){0},
                "not verified: the model does not know the scheduled time of the mapping: %s",
                result->unscheduled);
    else
        sator_warn(r->ctx, (struct sator_loc){0},
                "not verified: the mapping has the value %.12g, %.12g is claimed", value, r->value);
    st = find_space(r->ctx, arena, question, spaces, dataflow->loops, &is_one, &why);
    if (st == SATOR_INPUT && why != NULL)
        sator_error(r->ctx, question->workload->loc, "certificates do not cover %s", why);
    SATOR_TRY(st);
    if (is_one)
        tally->verified++;
    else
        sator_warn(r->ctx, (struct sator_loc){0},
                "not verified: the mapping is none of those that the parts are of");
done:
    sator_result_free(result);
    sator_dataflow_free(dataflow);
    return st;
}

static enum sator_status check_space(struct reading *r, const struct cert_question *question,
        const struct cert_space *space, struct cert_tally *tally)
{
    struct sator_arena *arena = sator_arena_new();
    struct cert_problem *p = SATOR_NEW(arena, struct cert_problem);
    struct cert_tally here = {0};
    struct cert_space own = *space;
    const char *name = cert_space_text(arena, question->arch, space);
    enum sator_status st;

    own.apart = take(r, sator_arena_printf(arena, "  %s apart\n", name));
    SATOR_TRY(init(r, arena, question, &own, p));
    r->has_late |= p->has_late && !p->is_left_out && !p->counts;
    r->has_passed |= p->has_passed && !p->is_left_out && !p->counts;
    r->has_left_out |= p->is_left_out;
    r->has_direct |= p->allows_short && !p->fills;
    if (p->is_left_out)
        goto done;
    if (own.apart || take(r, sator_arena_printf(arena, "  %s\n", name))) {
        SATOR_TRY(cert_cover_check(r->ctx, p, r->value, r->at, &r->at, &here));
    } else {
        here.total = 1;
        here.first_fault = "is left out";
    }
    if (here.first_fault != NULL)
        sator_warn(r->ctx, (struct sator_loc){0}, "not verified: %s, %s: %s",
                question->workload->name, name, here.first_fault);
    tally->verified += here.verified;
    tally->total += here.total;
    tally->parts += here.parts;
done:
    sator_arena_free(arena);
    return st;
}

/* What the certificate at r->at leaves out, a line each. */
static void note_left_out(const struct reading *r, const struct sator_arch *arch, bool has_joins,
        bool has_bused, struct sator_text *notes)
{
    if (arch->control.instruction_bits > 0 && r->objective != SATOR_MAP_LATENCY)
        sator_text_put(notes, "    left out: the energy of control\n");
    if (r->fills)
        sator_text_put(notes,
                "    left out: remainders but of the innermost memory's tiles, whose number all "
                "other factors divide\n");
    if (r->has_direct)
        sator_text_put(
                notes, "    left out: remainders where words go straight to compute units\n");
    if (has_joins)
        sator_text_put(notes, "    left out: skewed loops joined across memories' tiles\n");
    if (r->has_late)
        sator_text_put(notes,
                "    left out: what links bring late, or from PEs ahead, where PEs are "
                "skewed\n");
    if (has_bused)
        sator_text_put(notes,
                "    left out: skews along dimensions whose PEs share words on a bus or a tree\n");
    if (r->has_passed)
        sator_text_put(notes,
                "    left out: loops inside a skewed array at a memory that some tensor passes by, "
                "and skews further inside\n");
    if (r->has_left_out)
        sator_text_put(notes, "    left out: skews under which sums pass both links and trees\n");
}

/* The certificate at r->at, which is left behind it; a line about it into "report". */
static enum sator_status check_one(
        struct reading *r, struct cert_tally *tally, struct sator_text *report)
{
    struct cert_tally before = *tally;
    struct sator_arena *arena = NULL;
    struct sator_text notes = {0};
    struct cert_spaces spaces;
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;
    enum sator_status st;

    r->has_late = r->has_passed = r->has_left_out = r->has_direct = false;
    SATOR_TRY(take_question(r));
    SATOR_TRY(sator_network_parse(r->ctx, "the workload", r->workload, NULL, &network));
    SATOR_TRY(sator_arch_parse(r->ctx, "the architecture", r->architecture, NULL, &arch));
    int pairs = cert_count_choices(&network->layers[0], arch);
    if (network->n_layers != 1 || pairs > CERT_CHOICES) {
        st = malformed(r, "it is about more than one layer, or too many choices");
        goto done;
    }
    const struct cert_question question = {&network->layers[0], arch, r->objective, r->is_scheduled,
            r->n_list, r->list, r->joins_across, r->counts, r->fills};
    const char *why;
    arena = sator_arena_new();
    st = cert_list_spaces(arena, &question, &spaces, &why);
    if (why != NULL)
        sator_error(r->ctx, network->layers[0].loc, "certificates do not cover %s", why);
    SATOR_TRY(st);
    const struct cert_question any = all_of(&question);
    struct cert_spaces joined, all;
    SATOR_TRY(cert_list_spaces(arena, &any, &all, &why));
    SATOR_TRY(check_mapping(r, arena, network, &any, &all, tally));
    struct cert_question across = question;
    across.joins_across = true;
    SATOR_TRY(cert_list_spaces(arena, &across, &joined, &why));
    for (int k = 0; k < spaces.n; k++)
        SATOR_TRY(check_space(r, &question, &spaces.space[k], tally));
    if (!take(r, "end\n"))
        st = malformed(r, "after its parts there is no 'end'");
    note_left_out(r, arch, joined.n > spaces.n, spaces.has_bused && !question.counts, &notes);
    uint64_t verified = tally->verified - before.verified, total = tally->total - before.total;
    sator_text_add(report,
            "  %s on %s: %sno mapping is below %.10g %s; %llu of %llu parts verified\n",
            network->layers[0].name, arch->name, verified == total ? "" : "not certain that ",
            r->value, units[r->objective][r->is_scheduled], (unsigned long long)verified,
            (unsigned long long)total);
    sator_text_put(report, notes.length > 0 ? notes.data : "");
done:
    sator_arena_free(arena);
    sator_text_clear(&notes);
    sator_network_free(network);
    sator_arch_free(arch);
    free(r->workload);
    free(r->architecture);
    free(r->mapping);
    free(r->constraints);
    r->workload = r->architecture = r->mapping = r->constraints = NULL;
    r->list = NULL;
    r->n_list = 0;
    return st;
}

bool sator_certificate_is_one(const char *text)
{
    return text != NULL && strncmp(text, first_line, strlen(first_line) - 2) == 0;
}

enum sator_status sator_certificate_check(struct sator_ctx *ctx, const char *name, const char *text,
        struct sator_certificate_count *count, char **report)
{
    struct reading r = {.ctx = ctx, .name = name, .at = text};
    struct cert_tally tally = {0};
    struct sator_text lines = {0};
    enum sator_status st;
    SATOR_NEEDS(ctx, name != NULL && text != NULL && count != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)

    *count = (struct sator_certificate_count){0};
    if (strstr(text, "\r\n") != NULL)
        return malformed(&r, "its lines end with CR LF, those of a certificate with LF");
    do {
        st = check_one(&r, &tally, &lines);
        count->mappings++;
    } while (st == SATOR_OK && *r.at != '\0');
    count->verified = tally.verified;
    count->total = tally.total;
    count->pieces = tally.parts;
    if (report != NULL && st == SATOR_OK)
        *report = sator_text_take(&lines);
    sator_text_clear(&lines);
    return st;
}
