/* Which instances take up their sums by themselves (doc/model.md, section 3): what a wire or a tree
 * brings to the others does not pass their ports. */
#include "model/analysis.h"

/* The provider of the instance "at" by "piece", a shift of all "n" coordinates; false: of another
 * form. */
static bool find_provider(
        const struct sator_piece *piece, int n, const int64_t *at, int64_t *provider)
{
    for (int d = 0; d < n; d++) {
        const struct sator_expr *out = piece->out[d];
        if (out->n_terms != 1 || out->terms[0].atom != SATOR_ATOM_VAR || out->terms[0].var != d ||
                out->terms[0].factor != 1)
            return false;
        provider[d] = at[d] - out->constant;
    }
    return piece->n_free == 0;
}

static bool is_within(const struct model_span *span, int n, const int64_t *at)
{
    for (int d = 0; d < n; d++) {
        if (at[d] < span->least[d] || at[d] > span->greatest[d])
            return false;
    }
    return true;
}

/* Whether "link" leads to "at" from an instance in use; true where that is not known. */
static bool leads_to(struct analysis *analysis, const struct sator_relation *link, int n,
        const int64_t *at, const struct model_span *span)
{
    int64_t *provider = SATOR_NEW_ARRAY(analysis->arena, int64_t, n + 1);
    bool holds;

    for (int p = 0; p < link->n_pieces; p++) {
        const struct sator_piece *piece = &link->pieces[p];
        if (!find_provider(piece, n, at, provider))
            return true;
        if (is_within(span, n, provider) &&
                (sator_cond_has_exists(piece->cond) ||
                        !sator_cond_holds(piece->cond, provider, &holds) || holds))
            return true;
    }
    return false;
}

/* Whether "at" is the smallest instance in use on its bus: all that are on one have the coordinates
 * that tell buses apart as they are; of the others "at" has the least. */
static bool is_first(struct analysis *analysis, const struct sator_relation *bus, int n,
        const int64_t *at, const struct model_span *span)
{
    const struct sator_piece *piece = sator_relation_function(bus);
    bool *keeps = SATOR_NEW_ARRAY(analysis->arena, bool, n + 1);
    bool is_least = true;

    for (int o = 0; piece != NULL && o < bus->n_out; o++) {
        const struct sator_expr *out = piece->out[o];
        if (out->n_terms == 1 && out->terms[0].atom == SATOR_ATOM_VAR)
            keeps[out->terms[0].var] = true;
    }
    for (int d = 0; d < n; d++)
        is_least &= at[d] == span->least[d] || keeps[d];
    return is_least;
}

static bool takes_up(struct analysis *analysis, const struct transfer *transfer, const int64_t *at,
        const struct model_span *span)
{
    const struct sator_model_network *network = transfer->network;
    const struct sator_volumes *volumes = &transfer->volumes;

    for (int k = 0; k < network->n_links; k++) {
        if (volumes->by_link[k] > 0 &&
                leads_to(analysis, network->links[k].map, transfer->n_space, at, span))
            return false;
    }
    for (int b = 0; b < network->n_buses; b++) {
        if (volumes->by_bus[b] > 0 &&
                !is_first(analysis, network->buses[b], transfer->n_space, at, span))
            return false;
    }
    return true;
}

enum sator_status analysis_takes_up(struct analysis *analysis, int memory, int access,
        const int64_t *at, const struct model_span *span, bool *result)
{
    enum sator_status st = SATOR_OK;
    int holder = -1;

    *result = true;
    for (int m = 0; m <= memory && *result; m++) {
        const struct memory *own = &analysis->memories[m];
        const struct transfer *transfer;
        if (!own->held[access])
            continue;
        if (holder >= 0 || !analysis_is_whole(analysis, own)) {
            const struct transfer_end end = analysis_memory_end(own);
            SATOR_TRY(analysis_transfer(analysis, &end, holder, access, NULL, &transfer));
            *result = takes_up(analysis, transfer, at, span);
        }
        holder = m;
    }
done:
    return st;
}
