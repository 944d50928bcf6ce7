/* Certificates: that a mapping is the best of all, written down so that a program which shares
 * nothing with the search can check it (doc/certificate.md). */
#ifndef SATOR_CERTIFICATE_H
#define SATOR_CERTIFICATE_H

#include "sator/map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was checked. */
struct sator_certificate_count {
    uint64_t mappings; /* certificates in the file: one a layer */
    uint64_t verified, total; /* parts of the spaces, and the values of the mappings */
    uint64_t pieces; /* that were bounded on the way */
};

/* Whether what sator_map finds for layer "layer" of "network" on "arch" can be certified, as far as
 * it is known before the search: SATOR_INPUT with a message for spaces that certificates do not
 * cover. */
SATOR_API enum sator_status sator_certificate_covers(struct sator_ctx *ctx,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_map_options *options);

/* What latencies are in a search with "options" whose results are certified, where these do not say
 * (SATOR_TIMING_AUTO): as in any search, unless certificates cover layer "layer" of "network" (-1:
 * some layer) on "arch" by the roofline alone, or its arrays may be skewed. */
SATOR_API enum sator_timing_choice sator_certificate_timing(struct sator_ctx *ctx,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_map_options *options);

/* A certificate of "result", the answer for layer "layer" of "network" on "arch" (GIVE: free).
 * "count" (may be NULL) says how many of its parts are proved: all of them, or the certificate is
 * not worth the name. SATOR_INPUT with a message for spaces that certificates do not cover;
 * SATOR_LIMIT where the cover is too large, or a choice of what bypasses what takes longer than the
 * options' budget. */
SATOR_API enum sator_status sator_certificate_write(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, int layer,
        SATOR_KEEP const struct sator_arch *arch, const struct sator_map_options *options,
        SATOR_KEEP const struct sator_map_result *result, struct sator_certificate_count *count,
        SATOR_GIVE char **text);

/* Whether a text is one, as far as its first line says. */
SATOR_API bool sator_certificate_is_one(const char *text);

/* Check the certificates in "text", which is called "name" in messages. SATOR_INPUT with a message
 * for what is no certificate. "count" has what was verified: what is not has a warning. "report"
 * (GIVE: free; may be NULL) has a line for each mapping: what is claimed of it, and how much of
 * that is verified. */
SATOR_API enum sator_status sator_certificate_check(struct sator_ctx *ctx, const char *name,
        const char *text, struct sator_certificate_count *count, SATOR_GIVE char **report);

#ifdef __cplusplus
}
#endif
#endif
