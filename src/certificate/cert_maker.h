/* What the parts of cert_problem_init share. */
#ifndef SATOR_CERTIFICATE_CERT_MAKER_H
#define SATOR_CERTIFICATE_CERT_MAKER_H

#include "certificate/certificate.h"

struct cert_maker {
    struct sator_ctx *ctx;
    struct cert_problem *p;
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct cert_space *space;
    int n_pairs; /* of a memory and a tensor that may bypass it, so far */
    const char **why;
    int loop_at[64]; /* of the workload's; -1: one iteration */
};

/* ---- cert_problem.c ---- */
/* SATOR_INPUT: "why" is not covered by certificates. */
enum sator_status cert_refuse(struct cert_maker *k, const char *why);
bool cert_listed(const char *name, int n, const char *const *names);
/* An energy that is not given counts as 0 where none is asked for. */
enum sator_status cert_figure(struct cert_maker *k, double pj, double *known);

/* ---- cert_moves.c ---- */
/* All moves between the problem's memories, and the ports that they pass; rows of loops that no
 * mapping of the space has there are banned, and rows that nothing tells apart become one. */
enum sator_status cert_add_moves(struct cert_maker *k);
void cert_ban_passed(struct cert_problem *p);
void cert_join_rows(struct cert_problem *p, bool apart);

#endif
