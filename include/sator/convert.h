/* What was read, in the notations of other tools. */
#ifndef SATOR_CONVERT_H
#define SATOR_CONVERT_H

#include "sator/input.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Write what there is of a network (layer "layer" of it, -1: all), an architecture and a dataflow,
 * each of which may be NULL, as "format" has it: "timeloop", "maestro", "zigzag", "scalesim",
 * "accelergy", "c", "stt", or "sator", this library's own notation (GIVE: free). SATOR_INPUT with
 * located messages where the format cannot say it; a warning names what is left out. */
SATOR_API enum sator_status sator_convert(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, int layer,
        SATOR_KEEP const struct sator_arch *arch, SATOR_KEEP const struct sator_dataflow *dataflow,
        const char *format, SATOR_GIVE char **text);

/* The dataflow of a space-time transformation, "[[1,0,0],[0,1,0],[1,1,1]]": rows times the loops of
 * the layer, the first rows the arrays' dimensions, the others time's (GIVE: sator_dataflow_free).
 */
SATOR_API enum sator_status sator_dataflow_from_stt(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, int layer,
        SATOR_KEEP const struct sator_arch *arch, const char *matrix,
        SATOR_GIVE struct sator_dataflow **dataflow);

#ifdef __cplusplus
}
#endif
#endif
