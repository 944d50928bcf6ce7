/* Certificates of proofs: whether one is made and verified, in what time and size. */
#include "map_bench.h"

#include "sator/certificate.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static const double MOST_SECONDS = 90; /* of the processor, to write one */

static struct sator_ctx *limited; /* what the timer cancels */

static void cancel(int signal)
{
    (void)signal;
    sator_ctx_cancel(limited); /* NOLINT(bugprone-signal-handler): it may be called from one */
}

/* Cancel what "ctx" does after "seconds" of the processor; 0: no more. */
static void limit(struct sator_ctx *ctx, double seconds)
{
    struct itimerval timer = {.it_value = {(time_t)seconds, 0}};

    limited = ctx;
    signal(SIGPROF, cancel);
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* The first line of the latest messages, which are taken. */
static void print_reason(struct sator_ctx *ctx)
{
    char *messages = sator_ctx_take_messages(ctx, false);
    const char *line = messages == NULL ? "stopped" : messages;
    const char *reason = strstr(line, "not certified: ");

    line = reason == NULL ? line : reason;
    fprintf(stderr, "%.*s\n", (int)strcspn(line, "\n"), line);
    free(messages);
}

void bench_certify(struct sator_ctx *ctx, const char *name, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_map_options *options,
        struct bench_certificates *sum)
{
    struct sator_certificate_count count = {0};
    struct sator_map_result *result = NULL;
    struct sator_map_options long_enough = *options;
    char *text = NULL;

    if (sator_map(ctx, network, layer, arch, options, &result) != SATOR_OK)
        bench_die(ctx, name);
    fprintf(stderr, "%-20s %-14s %-12s %-20s ", name, sator_network_name(network),
            sator_arch_name(arch), sator_network_layer_name(network, layer));
    sum->cases++;
    long_enough.budget_seconds = 0;
    struct sator_ctx *own = sator_ctx_new(); /* that may be cancelled */
    double start = bench_seconds();
    limit(own, MOST_SECONDS);
    enum sator_status st =
            sator_certificate_write(own, network, layer, arch, &long_enough, result, &count, &text);
    limit(own, 0);
    double written = bench_seconds() - start;
    if (st == SATOR_OK &&
            sator_certificate_check(ctx, "certificate", text, &count, NULL) == SATOR_OK) {
        double checked = bench_seconds() - start - written;
        sum->made++;
        sum->verified += (double)count.verified;
        sum->parts += (double)count.total;
        sum->worst_s = fmax(sum->worst_s, checked);
        fprintf(stderr, "written %6.2f s, checked %6.2f s, %7zu bytes, %llu of %llu\n", written,
                checked, strlen(text), (unsigned long long)count.verified,
                (unsigned long long)count.total);
    } else {
        fprintf(stderr, "%6.2f s: ", written);
        print_reason(own);
    }
    sator_ctx_free(own);
    free(sator_ctx_take_messages(ctx, false));
    free(text);
    sator_map_result_free(result);
}
