/* sator_map against an enumeration that knows nothing of it: small random problems, every mapping
 * of the space of doc/mapper.md written as a `loops:` dataflow and costed by sator_analyze. None
 * may be better than a proved optimum or bound, for any objective, by the roofline or, every other
 * problem, by the scheduled time, and none may lie beyond a front;
 * what is found costs what sator_analyze says of its own file, and is one of those enumerated (of
 * some machines with links all mappings are, with their arrays under every skew; of the others
 * skews are not); where there is no mapping, sator_map says so, and sator_map_why_not calls legal
 * what sator_analyze takes. What a result names under "left_out" is left out of the comparison in
 * that dimension alone, and a phrase that is new to this test fails it.
 *
 *     property_map_space [--seed N] [--cases N] [--case N]
 */
#include "oracle/run.h"
#include "property/map_space_walk.h"

#include "sator/build.h"

#include <inttypes.h>
#include <math.h>

enum {
    LEAST_SHARE = 16, /* of the most mappings that a problem may have */
    MOST_FAILURES = 5,
    N_PROBLEMS = 1000
};

/* ---- what is found ---- */

struct judge {
    struct sator_ctx *ctx;
    const struct problem *problem;
    struct sator_network *network;
    struct sator_arch *arch;
    enum sator_timing_choice timing;
    struct sator_map_options options;
    enum sator_status status; /* of the search */
    struct sator_map_result *alone, **results; /* the best mapping, or a front */
    int n_results;
    bool is_proved, is_skewed, has_unknown;
    unsigned excused; /* what is left out */
    int n_legal, n_compared;
    double least; /* objective of those compared */
    struct text dataflow;
    struct text fault; /* "" when nothing is wrong */
};

struct figures {
    double pj, cycles;
    double fills; /* of the memories outside all arrays */
};

static void forget_messages(struct judge *judge)
{
    free(sator_ctx_take_messages(judge->ctx, false));
}

static double fills_of(const struct sator_result *result)
{
    double fills = 0;

    for (int i = 0; i < result->n_levels; i++) {
        for (int k = 0; k < result->levels[i].n_tensors && result->levels[i].space_cut == 0; k++)
            fills += (double)result->levels[i].tensors[k].fills;
    }
    return fills;
}

/* What sator_analyze says of a file; false when it refuses it. Cycles are NAN where its scheduled
 * time, asked for, is not counted. */
static bool analyze(struct judge *judge, const char *text, struct figures *figures)
{
    struct sator_dataflow *dataflow = NULL;
    struct sator_result *result = NULL;
    const struct sator_analyze_options options = {.size = sizeof options, .timing = judge->timing};
    enum sator_status status = sator_dataflow_parse(judge->ctx, "nest", text, NULL, &dataflow);

    if (status == SATOR_OK)
        status = sator_analyze(
                judge->ctx, judge->network, 0, judge->arch, dataflow, &options, &result);
    if (status == SATOR_OK)
        *figures = (struct figures){result->energy_pj, result->total_cycles, fills_of(result)};
    if (status == SATOR_OK && judge->timing == SATOR_TIMING_SCHEDULED)
        figures->cycles = result->scheduled_cycles;
    else
        forget_messages(judge);
    sator_result_free(result);
    sator_dataflow_free(dataflow);
    return status == SATOR_OK;
}

static double objective(const struct problem *p, const struct figures *figures)
{
    return p->objective == SATOR_MAP_EDP       ? figures->pj * figures->cycles
            : p->objective == SATOR_MAP_ENERGY ? figures->pj
                                               : figures->cycles;
}

static bool is_less(double a, double b)
{
    return a < b - 1e-9 * fabs(b);
}

static bool is_beaten(const struct judge *judge, const struct figures *figures)
{
    if (judge->status == SATOR_INFEASIBLE)
        return true;
    if (!judge->problem->pareto)
        return is_less(objective(judge->problem, figures), judge->alone->bound);
    for (int i = 0; i < judge->n_results; i++) {
        const struct sator_map_result *r = judge->results[i];
        bool is_last = judge->status == SATOR_LIMIT && i == judge->n_results - 1;
        if (is_last && is_less(figures->cycles, r->total_cycles))
            return is_less(figures->pj, r->energy_pj); /* what is faster still was not searched */
        if (!is_less(figures->pj, r->energy_pj) && !is_less(figures->cycles, r->total_cycles))
            return false;
    }
    return true;
}

/* Whether sator_map_why_not calls the mapping legal. */
static bool is_called_legal(struct judge *judge)
{
    struct sator_dataflow *dataflow = NULL;
    char *text = NULL;
    enum sator_status status =
            sator_dataflow_parse(judge->ctx, "nest", judge->dataflow.chars, NULL, &dataflow);

    if (status == SATOR_OK)
        status = sator_map_why_not(judge->ctx, judge->network, 0, judge->arch, dataflow,
                &judge->options, judge->alone, &text);
    free(text);
    sator_dataflow_free(dataflow);
    forget_messages(judge);
    return status == SATOR_OK;
}

/* Whether the joined mapping, whose figures these are, spares words of the same one with a run for
 * each tile, or room. */
static bool spares_words(
        struct judge *judge, const struct mapping *m, const struct figures *figures)
{
    struct mapping apart = *m;
    struct figures own;

    memset(apart.joined, 0, sizeof apart.joined);
    bool fits = write_mapping(judge->problem, &apart, &judge->dataflow) &&
            analyze(judge, judge->dataflow.chars, &own);
    write_mapping(judge->problem, m, &judge->dataflow);
    return !fits || own.fills > figures->fills;
}

static void look_at(struct walk *walk)
{
    struct judge *judge = walk->judge;
    struct figures figures;

    if ((walk->mapping.uses & judge->excused) != 0 ||
            !write_mapping(judge->problem, &walk->mapping, &judge->dataflow))
        return;
    bool is_legal = analyze(judge, judge->dataflow.chars, &figures);
    if (is_legal && (walk->mapping.uses & JOINED) && (judge->excused & SPARES) &&
            spares_words(judge, &walk->mapping, &figures))
        return;
    judge->n_compared++;
    judge->n_legal += is_legal;
    bool is_timed = is_legal && !isnan(figures.cycles);
    if (is_timed)
        judge->least = fmin(judge->least, objective(judge->problem, &figures));
    if (is_timed && is_beaten(judge, &figures)) {
        add(&judge->fault, "a better mapping: %.17g pJ, %.17g cycles", figures.pj, figures.cycles);
    } else if (walk->n_mappings % 128 == 1 && is_called_legal(judge) != is_legal) {
        add(&judge->fault, "why_not does not agree that this is %slegal", is_legal ? "" : "not ");
    }
    walk->is_done |= judge->fault.length > 0;
}

/* What a phrase of "left_out" excuses. */
static const struct phrase {
    const char *words;
    unsigned excuses;
} phrases[] = {
        {"factors that do not divide a loop's extent", REMAINDER},
        {"most mappings: their words have no formula, and each takes counting; the bound is of all",
                0},
        {"most mappings with remainders: too many", REMAINDER},
        {"most mappings with remainders at several levels", DEEP},
        {"most mappings with remainders of loops whose words pass", SPREAD},
        {"remainders outside the innermost tiles of loops over links", SPREAD_DEEP},
        {"factors larger than as many tiles need", 0}, /* none is drawn */
        {"remainders where links of several costs, or beside", SPREAD},
        {"most other orders of the loops that share an array dimension", ORDER},
        {"loops on several array dimensions with an outer digit on a later", DIGITS},
        {"factors that multiply to more than a loop's extent", 0}, /* none is drawn */
        {"more tiles along an array dimension than it has PEs", 0}, /* none is drawn */
        {"PEs that run the nest at shifted times (skewed)", SKEW},
        {"skews that make no link a wire", USELESS},
        {"skews under which some words have no formula", SKEW},
        {"skewed arrays with a remainder of a loop that several memories split", SKEWED_SPLIT},
        {"skewed arrays with remainders where PEs run several stamps apart", SKEWED_AHEAD},
        {"skewed arrays with remainders where links bring words late", SKEWED_COUNTED},
        {"most mappings with remainders on skewed arrays", SKEWED_REMAINDER},
        {"skews along dimensions whose PEs share words on a bus or a tree", SHARED},
        {"what links bring late, or from PEs ahead", LATE},
        {"loops at a memory inside a skewed array that some tensor bypasses", PASSED_BY},
        {"skews of an array inside a skewed one", SKEW},
        {"skews where PEs keep sums while idle", SKEW},
        {"skewed loops joined across a memory's tiles where windows hold or bring", SPARES},
        {"skewed loops joined across a memory's tiles", JOINED},
        {"orders of loops along a skewed dimension that move no fewer words", SKEWED_ORDER},
        {"skews by more stamps than the loops outside", GAPS},
        {"skews by more stamps from one PE to the next", 0}, /* none is drawn */
        {"skews beyond the first 64 combinations of coefficients", SKEW},
        {"nests with a loop twice at one memory or array dimension", 0},
};

static void excuse(struct judge *judge, const char *left_out)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        if (strncmp(left_out, phrases[i].words, strlen(phrases[i].words)) == 0) {
            judge->excused |= phrases[i].excuses;
            return;
        }
    }
    add(&judge->fault, "this test does not know what is left out by '%s'", left_out);
}

static void look_at_result(struct judge *judge, const struct sator_map_result *r)
{
    struct figures figures, own = {r->energy_pj, r->total_cycles, 0};

    judge->is_proved &= r->proved;
    judge->is_skewed |= r->skew != NULL;
    for (int i = 0; i < r->n_left_out; i++)
        excuse(judge, r->left_out[i]);
    if (!analyze(judge, r->yaml, &figures))
        add(&judge->fault, "sator_analyze refuses what is found");
    else if (fabs(figures.pj - own.pj) > 1e-9 * own.pj ||
            (figures.cycles != own.cycles && strcmp(r->timing, "scheduled") == 0) ||
            (isnan(figures.cycles) !=
                    (judge->timing == SATOR_TIMING_SCHEDULED &&
                            strcmp(r->timing, "scheduled") != 0)))
        add(&judge->fault, "what is found costs %.17g pJ, %.17g cycles", figures.pj,
                figures.cycles);
    else if (!judge->problem->pareto &&
            fabs(objective(judge->problem, &own) - r->value) > 1e-9 * r->value)
        add(&judge->fault, "the value is not that of the figures");
}

static void search(struct judge *judge)
{
    const struct problem *p = judge->problem;

    judge->options = (struct sator_map_options){.size = sizeof judge->options,
            .objective = p->objective,
            .imperfect = p->imperfect,
            .timing = judge->timing};
    if (p->pareto)
        judge->status = sator_map_pareto(judge->ctx, judge->network, 0, judge->arch,
                &judge->options, &judge->results, &judge->n_results);
    else
        judge->status = sator_map(
                judge->ctx, judge->network, 0, judge->arch, &judge->options, &judge->alone);
    if (judge->alone != NULL)
        look_at_result(judge, judge->alone);
    for (int i = 0; i < judge->n_results; i++)
        look_at_result(judge, judge->results[i]);
}

static void show_result(const struct sator_map_result *r)
{
    printf("--- found: %.17g pJ, %.17g cycles, value %.17g, bound %.17g, proved %d\n%s",
            r->energy_pj, r->total_cycles, r->value, r->bound, r->proved, r->yaml);
    for (int i = 0; i < r->n_left_out; i++)
        printf("# left out: %s\n", r->left_out[i]);
}

static void show(const struct judge *judge)
{
    static const char *const objectives[] = {"edp", "energy", "latency"};
    const struct problem *p = judge->problem;

    printf("%s\n--- objective %s%s%s%s\n--- workload\n%s--- architecture\n%s--- mapping\n%s",
            judge->fault.chars, objectives[p->objective], p->pareto ? ", a front" : "",
            p->imperfect ? ", imperfect" : "",
            judge->timing == SATOR_TIMING_SCHEDULED ? ", scheduled" : "", p->workload.chars,
            p->arch.chars, judge->dataflow.chars);
    if (judge->alone != NULL)
        show_result(judge->alone);
    for (int i = 0; i < judge->n_results; i++)
        show_result(judge->results[i]);
}

/* ---- cases ---- */

struct tally {
    int n_problems, n_declined, n_infeasible, n_unproved, n_fronts, n_imperfect, n_skewed, n_failed;
    int n_excused[19];
    int n_with_skews, n_timed, n_timed_proved;
    int64_t n_mappings, n_legal;
};

static void finish(struct judge *judge, struct tally *tally)
{
    const struct problem *p = judge->problem;

    walk_space(p, look_at, judge);
    bool knows_skew = p->skews || !judge->is_skewed;
    if (judge->fault.length == 0 && judge->status == SATOR_OK && judge->n_legal == 0 && knows_skew)
        add(&judge->fault, "no mapping of those enumerated is legal");
    /* of what is not enumerated, or excused, some may be better than all that are enumerated */
    unsigned excused = p->skews ? judge->excused & ~(unsigned)(USELESS | SPARES | SKEWED_SPLIT)
                                : judge->excused & (SKEW - 1U);
    if (judge->fault.length == 0 && judge->alone != NULL && knows_skew && excused == 0 &&
            is_less(judge->alone->value, judge->least))
        add(&judge->fault, "better than all that are enumerated, the least of which is %.17g",
                judge->least);
    tally->n_problems++;
    tally->n_infeasible += judge->status == SATOR_INFEASIBLE;
    tally->n_unproved += !judge->is_proved || judge->status == SATOR_LIMIT;
    tally->n_fronts += p->pareto;
    tally->n_imperfect += p->imperfect;
    tally->n_skewed += judge->is_skewed;
    tally->n_with_skews += p->skews;
    tally->n_timed += judge->timing == SATOR_TIMING_SCHEDULED;
    tally->n_timed_proved += judge->timing == SATOR_TIMING_SCHEDULED && judge->is_proved;
    for (int bit = 0; bit < 19; bit++)
        tally->n_excused[bit] += (judge->excused >> bit & 1) != 0;
    tally->n_mappings += judge->n_compared;
    tally->n_legal += judge->n_legal;
}

static void run_problem(struct problem *p, bool timed, struct tally *tally)
{
    struct judge judge = {.ctx = sator_ctx_new(),
            .problem = p,
            .timing = timed && !p->pareto ? SATOR_TIMING_SCHEDULED : SATOR_TIMING_ROOFLINE,
            .is_proved = true,
            .least = INFINITY};

    if (sator_network_parse(judge.ctx, "workload", p->workload.chars, NULL, &judge.network) !=
                    SATOR_OK ||
            sator_arch_parse(judge.ctx, "arch", p->arch.chars, NULL, &judge.arch) != SATOR_OK) {
        char *messages = sator_ctx_take_messages(judge.ctx, false);
        add(&judge.fault, "cannot be read: %.2000s", messages);
        free(messages);
    } else {
        search(&judge);
        if (judge.status == SATOR_INPUT && p->imperfect) { /* not for all accesses */
            p->imperfect = false;
            search(&judge);
        }
        forget_messages(&judge);
        if (judge.status == SATOR_OK || judge.status == SATOR_INFEASIBLE || judge.n_results > 0)
            finish(&judge, tally);
        else
            tally->n_declined++;
    }
    if (judge.fault.length > 0) {
        tally->n_failed++;
        show(&judge);
    }
    for (int i = 0; i < judge.n_results; i++)
        sator_map_result_free(judge.results[i]);
    free(judge.results);
    sator_map_result_free(judge.alone);
    sator_network_free(judge.network);
    sator_arch_free(judge.arch);
    sator_ctx_free(judge.ctx);
}

int main(int argc, char **argv)
{
    static struct problem problem;
    struct run_options options;
    struct tally tally = {0};

    if (!run_options(argc, argv, N_PROBLEMS, &options))
        return 2;
    for (int64_t k = 0; k < options.n_cases && tally.n_failed < MOST_FAILURES; k++) {
        int64_t number = options.first_case + k;
        int n_failed = tally.n_failed, n_mappings;
        uint64_t seed = run_case_seed(&options, number);
        do
            n_mappings = (draw_problem(&problem, seed++), walk_space(&problem, NULL, NULL));
        while (n_mappings < problem.most_mappings / LEAST_SHARE ||
                n_mappings > problem.most_mappings);
        run_problem(&problem, number % 2 == 1, &tally);
        if (tally.n_failed > n_failed)
            printf("FAILED: --seed %" PRIu64 " --case %" PRId64 "\n", options.seed, number);
        fflush(stdout);
    }
    printf("%d problems (%d without a mapping, %d declined, %d fronts, %d with remainders, %d best "
           "skewed, %d with all skews, %d not proved; %d by the scheduled time, %d of them "
           "proved), "
           "%" PRId64 " mappings, %" PRId64 " legal\n",
            tally.n_problems, tally.n_infeasible, tally.n_declined, tally.n_fronts,
            tally.n_imperfect, tally.n_skewed, tally.n_with_skews, tally.n_unproved, tally.n_timed,
            tally.n_timed_proved, tally.n_mappings, tally.n_legal);
    printf("excused: remainders %d, deep ones %d, orders %d, digits %d, on arrays %d %d; skews %d, "
           "of "
           "no use %d, with buses %d, late %d, around bypassed memories %d; joined across memories "
           "%d, where "
           "that spares words %d\n",
            tally.n_excused[0], tally.n_excused[1], tally.n_excused[2], tally.n_excused[3],
            tally.n_excused[4], tally.n_excused[5], tally.n_excused[6], tally.n_excused[7],
            tally.n_excused[8], tally.n_excused[9], tally.n_excused[10], tally.n_excused[12],
            tally.n_excused[13]);
    return tally.n_failed > 0;
}
