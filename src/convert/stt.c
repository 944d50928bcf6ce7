/* Space-time transformation: a matrix M with (p, t) = M n, the arrays' dimensions first. */
#include "convert/convert.h"

static bool write_rows(struct convert *c, const struct sator_workload *layer,
        const struct sator_relation *map, struct sator_loc loc, bool first)
{
    const struct sator_piece *piece = sator_relation_function(map);

    for (int d = 0; d < map->n_out; d++) {
        const struct sator_expr *expr = piece->out[d];
        int64_t *row = SATOR_NEW_ARRAY(c->arena, int64_t, layer->n_loops + 1);
        bool is_linear = expr->constant == 0;
        for (int i = 0; i < expr->n_terms && is_linear; i++) {
            is_linear = expr->terms[i].atom == SATOR_ATOM_VAR;
            if (is_linear)
                row[expr->terms[i].var] += expr->terms[i].factor;
        }
        if (!is_linear) {
            sator_error(c->ctx, loc,
                    "stt cannot say '%s': a matrix has factors of loops alone, no %s",
                    convert_shown(c, layer, expr),
                    expr->constant != 0 ? "constant" : "quotients and remainders");
            return false;
        }
        sator_text_put(c->text, first && d == 0 ? "[[" : ", [");
        for (int l = 0; l < layer->n_loops; l++)
            sator_text_add(c->text, "%s%lld", l == 0 ? "" : ",", (long long)row[l]);
        sator_text_put(c->text, "]");
    }
    return true;
}

void convert_to_stt(struct convert *c)
{
    if (c->network == NULL || c->dataflow == NULL) {
        sator_error(c->ctx, (struct sator_loc){0},
                "stt is a matrix of loops: a workload and a dataflow are needed");
        return;
    }
    for (int i = c->first; i < c->end; i++) {
        const struct sator_workload *layer = &c->network->layers[i];
        const struct sator_bound_dataflow *bound = convert_bind(c, layer);
        if (bound == NULL)
            return;
        if (c->end - c->first > 1)
            sator_text_add(c->text, "# %s\n", layer->name);
        if (!write_rows(c, layer, bound->space, bound->space_loc, true) ||
                !write_rows(c, layer, bound->time, bound->time_loc, bound->space->n_out == 0))
            return;
        sator_text_put(c->text, "]\n");
    }
}
