#include "report/stamping.h"

isl_map *report_name_tuples(isl_map *map, const char *in, const char *out)
{
    map = isl_map_set_tuple_name(map, isl_dim_in, in);
    return isl_map_set_tuple_name(map, isl_dim_out, out);
}

static const char *name_or(const char *name, const char *otherwise)
{
    return name == NULL ? otherwise : name;
}

static const char *instance_name(const struct sator_workload *workload)
{
    return name_or(workload->domain->in_name, "S");
}

enum sator_status report_stamping_init(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_dataflow *dataflow, struct report_stamping *stamping)
{
    enum sator_status st;
    const struct sator_workload *workload = &network->layers[layer];
    const struct sator_bound_dataflow *bound = NULL;

    *stamping = (struct report_stamping){.workload = workload};
    SATOR_TRY(sator_arch_bind(ctx, arena, arch, dataflow, workload, &bound));
    SATOR_TRY(sator_bridge_begin(ctx));
    stamping->bound = bound;
    stamping->space_name = name_or(bound->space->out_name, "PE");
    stamping->time_name = name_or(bound->time->out_name, "T");
    isl_map *space = report_name_tuples(
            sator_bridge_map(ctx, bound->space), instance_name(workload), stamping->space_name);
    isl_map *time = report_name_tuples(
            sator_bridge_map(ctx, bound->time), instance_name(workload), stamping->time_name);
    isl_set *domain = isl_set_set_tuple_name(
            sator_bridge_set(ctx, workload->domain), instance_name(workload));
    time = isl_map_intersect_domain(time, domain);
    stamping->times = isl_map_range(isl_map_copy(time));
    stamping->dataflow = isl_map_range_product(space, time);
    stamping->stamps = isl_map_range(isl_map_copy(stamping->dataflow));
    sator_bridge_check(ctx);
    if (stamping->stamps == NULL || stamping->times == NULL)
        st = sator_bridge_status(ctx);
done:
    return st;
}

void report_stamping_clear(struct report_stamping *stamping)
{
    isl_map_free(stamping->dataflow);
    isl_set_free(stamping->stamps);
    isl_set_free(stamping->times);
}

isl_map *report_assignment(struct sator_ctx *ctx, const struct report_stamping *stamping,
        const struct sator_access *access)
{
    isl_map *map = report_name_tuples(sator_bridge_map(ctx, access->relation),
            instance_name(stamping->workload), access->tensor);

    return isl_map_apply_domain(map, isl_map_copy(stamping->dataflow));
}
