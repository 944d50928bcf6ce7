/* A dataflow gives every loop instance one space-stamp and one time-stamp. A map that is one
 * unconditional function does so by its form; others are looked into with isl. */
#include "model/analysis.h"
#include "model/legal.h"

#include "base/text.h"
#include "relation/witness.h"

void legal_write_point(
        struct sator_text *text, const char *name, int n_values, const int64_t *values)
{
    sator_text_add(text, "%s[", name == NULL ? "" : name);
    for (int i = 0; i < n_values; i++)
        sator_text_add(text, "%s%lld", i == 0 ? "" : ", ", (long long)values[i]);
    sator_text_put(text, "]");
}

void legal_write_instance(
        struct sator_text *text, const struct sator_workload *workload, const int64_t *instance)
{
    sator_text_put(text, "S[");
    for (int i = 0; i < workload->n_loops; i++)
        sator_text_add(text, "%s%s=%lld", i == 0 ? "" : ", ", workload->loop_names[i],
                (long long)instance[i]);
    sator_text_put(text, "]");
}

/* One of the two maps, as messages speak of it. */
struct placing {
    struct analysis *analysis;
    const struct sator_relation *map;
    struct sator_loc loc;
    const char *what; /* "space" or "time" */
};

static enum sator_status say_unplaced(const struct placing *p, const int64_t *instance)
{
    struct sator_text text = {0};

    legal_write_instance(&text, p->analysis->workload, instance);
    sator_error(p->analysis->ctx, p->loc, "the %s map gives %s no stamp", p->what, text.data);
    sator_help(p->analysis->ctx,
            "a dataflow places every instance exactly once; what is not to run is left out by the "
            "workload's own conditions ('where' or the domain)");
    sator_text_clear(&text);
    return SATOR_INPUT;
}

static enum sator_status say_doubled(const struct placing *p, const int64_t *instance,
        const int64_t *first, const int64_t *second)
{
    struct sator_text text = {0};

    legal_write_instance(&text, p->analysis->workload, instance);
    sator_text_put(&text, " two stamps, ");
    legal_write_point(&text, p->map->out_name, p->map->n_out, first);
    sator_text_put(&text, " and ");
    legal_write_point(&text, p->map->out_name, p->map->n_out, second);
    sator_error(p->analysis->ctx, p->loc, "the %s map gives %s", p->what, text.data);
    sator_help(p->analysis->ctx, "a dataflow places every instance exactly once");
    sator_text_clear(&text);
    return SATOR_INPUT;
}

static enum sator_status check_map(const struct placing *p)
{
    struct sator_ctx *ctx = p->analysis->ctx;
    const struct sator_relation *domain = p->analysis->workload->domain;
    int n_out = p->map->n_out;
    bool found = false;
    enum sator_status st;

    if (sator_relation_function(p->map) != NULL)
        return SATOR_OK;
    int64_t *instance = SATOR_NEW_ARRAY(p->analysis->arena, int64_t, domain->n_in + 1);
    int64_t *stamps = SATOR_NEW_ARRAY(p->analysis->arena, int64_t, 2 * n_out + 1);
    sator_work_begin(ctx);
    SATOR_TRY(sator_witness_unplaced(ctx, domain, p->map, &found, instance));
    if (found)
        return say_unplaced(p, instance);
    if (p->map->n_pieces == 1 && p->map->pieces[0].n_free == 0)
        return SATOR_OK; /* a function where its condition holds */
    sator_work_begin(ctx);
    SATOR_TRY(sator_witness_doubled(ctx, domain, p->map, &found, instance, stamps, stamps + n_out));
    if (found)
        return say_doubled(p, instance, stamps, stamps + n_out);
done:
    if (st == SATOR_LIMIT)
        sator_error(ctx, p->loc,
                "whether the %s map places every instance exactly once was not decided within the "
                "work limit",
                p->what);
    return st;
}

enum sator_status analysis_check_placement(struct analysis *analysis)
{
    const struct sator_bound_dataflow *dataflow = analysis->dataflow;
    const struct placing space = {.analysis = analysis,
            .map = dataflow->space,
            .loc = dataflow->space_loc,
            .what = "space"};
    const struct placing time = {
            .analysis = analysis, .map = dataflow->time, .loc = dataflow->time_loc, .what = "time"};
    enum sator_status in_space = check_map(&space);

    if (in_space != SATOR_OK && in_space != SATOR_INPUT)
        return in_space;
    enum sator_status in_time = check_map(&time);
    return in_time == SATOR_OK ? in_space : in_time;
}
