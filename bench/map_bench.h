/* What the parts of bench_map share. */
#ifndef SATOR_BENCH_MAP_BENCH_H
#define SATOR_BENCH_MAP_BENCH_H

#include "sator/map.h"

/* Seconds of the processor that this process has used. */
double bench_seconds(void);
/* Print "what" and the messages of "ctx", and end the program. */
_Noreturn void bench_die(struct sator_ctx *ctx, const char *what);
/* The least time in ms of some proofs of at most "budget" seconds (one, where it takes long); the
 * last result (GIVE: sator_map_result_free). */
double bench_proof(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, const struct sator_map_options *options,
        struct sator_map_result **result);
/* The best value that is found in so many seconds of the processor, the best of some tries: budgets
 * are of the time that passes, in which others may have it. INFINITY: none. */
double bench_within(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, const struct sator_map_options *options, double seconds);
/* How many times as large as "optimal" that is after 10 ms. */
double bench_anytime(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, const struct sator_map_options *options, double optimal);

/* Compare the strategies after 1 ms to 1 s, on machines whose names contain "only" (NULL: all); a
 * line a case and a table on stderr, the keys on stdout. */
void bench_anytimes(const char *only);

/* What the corners came to. */
struct bench_corners {
    double tree_resnet18_s; /* the slower of one tree and a tree a row */
    double row_trees_resnet18_s, five_level_worst_s, anytime, worst_s;
    int unproved;
};
/* Certificates of the cases. */
struct bench_certificates {
    int cases, made; /* within 90 s of the processor */
    double verified, parts, worst_s; /* the longest check */
};
/* Prove a case with "options", write its certificate and check it; a line on stderr. */
void bench_certify(struct sator_ctx *ctx, const char *name, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_map_options *options,
        struct bench_certificates *sum);

/* Prove the cases that are known to be hard, those whose names contain "only" (NULL: all); a line
 * each on stderr. Or, where "certificates" is not NULL, have each of them certified. */
struct bench_corners bench_corners(const char *only, struct bench_certificates *certificates);

/* Arrays whose PEs run at shifted times: seconds to prove a network on a small one, and the longest
 * of some layers on a large one; infinite where one is not proved. */
struct bench_skewed {
    double small_s, large_worst_s;
};
struct bench_skewed bench_skewed(void);

/* Of the published evaluation, weight updates of convolutions first. */
enum {
    BENCH_WEIGHT_UPDATES = 4,
    BENCH_WORKLOADS = 15
};
extern const char *const bench_workloads[BENCH_WORKLOADS];

/* Times with phases, the default: seconds to prove ResNet-18 on the two-level machine, and the
 * longest of its layers on that and eight others, and of these workloads; infinite where one is
 * not proved. */
struct bench_scheduled {
    double resnet18_s, worst_s;
};
struct bench_scheduled bench_scheduled(void);

/* Map all layers of the library's networks onto its machines, those whose name contains "only"
 * (NULL: all); tables on stderr, the keys on stdout. */
void bench_library(const char *only, enum sator_timing_choice timing);

#endif
