/* Exploring: 25,920 dataflows of VGG16's CONV3_2 on an 8x8 systolic array with two threads, the
 * store included; and a space of more than a million points, symmetry and safe rules on. */
#include "sator/explore.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum {
    WANTED = 25920,
    N_RUNS = 3
};

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double processor_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
            (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static double peak_mb(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* What one run did; it ends the program when it cannot be done. */
static struct sator_explore_summary explore(
        const struct sator_explore_options *options, double *wall, double *processor)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    struct sator_exploration *exploration = NULL;
    const struct sator_explore_summary *made = NULL;
    struct sator_explore_summary summary = {0};
    double start = seconds(), start_processor = processor_seconds();

    enum sator_status st = sator_network_load(ctx, "vgg16-conv3_2", NULL, &network);
    if (st == SATOR_OK)
        st = sator_exploration_new(ctx, network, 0, "systolic-2d-8x8", NULL, options, &exploration);
    if (st == SATOR_OK)
        st = sator_explore_run(ctx, exploration, NULL, NULL, &made);
    *wall = seconds() - start;
    *processor = processor_seconds() - start_processor;
    if (st != SATOR_OK) {
        char *messages = sator_ctx_take_messages(ctx, false);
        fprintf(stderr, "bench_explore: %s\n", messages == NULL ? "failed" : messages);
        exit(1);
    }
    summary = *made; /* its texts go with the exploration: its numbers are asked for */
    sator_exploration_free(exploration);
    sator_network_free(network);
    sator_ctx_free(ctx);
    return summary;
}

int main(void)
{
    static const char *const varies[] = {"scratchpad.bandwidth_bits=64:160:8"};
    struct sator_explore_options paper = {.prune = SATOR_PRUNE_NONE,
            .no_symmetry = true,
            .n_points = WANTED,
            .timing = SATOR_TIMING_ROOFLINE};
    struct sator_explore_options million = {
            .n_varies = 1, .varies = varies, .threads = 2, .timing = SATOR_TIMING_ROOFLINE};
    double best[3] = {0, INFINITY, INFINITY}, wall, processor;

    for (int threads = 1; threads <= 2; threads++) {
        for (int run = 0; run < N_RUNS; run++) {
            paper.threads = threads;
            struct sator_explore_summary summary = explore(&paper, &wall, &processor);
            if (summary.results != WANTED) {
                fprintf(stderr, "bench_explore: %llu results\n",
                        (unsigned long long)summary.results);
                return 1;
            }
            fprintf(stderr, "  %d dataflows, %d thread%s: %.2f s, %.2f s of processors\n", WANTED,
                    threads, threads == 1 ? " " : "s", wall, processor);
            best[threads] = fmin(best[threads], wall);
        }
    }
    struct sator_explore_summary summary = explore(&million, &wall, &processor);
    fprintf(stderr, "  %llu points, %llu results, 2 threads: %.2f s, %.2f s of processors\n",
            (unsigned long long)summary.points, (unsigned long long)summary.results, wall,
            processor);
    printf("{\"explore_25920_one_thread_s\": %.3f,\n \"explore_25920_two_threads_s\": "
           "%.3f,\n"
           " \"explore_points_per_s\": %.0f,\n \"explore_million_s\": %.3f,\n \"explore_peak_mb\": "
           "%.1f}\n",
            best[1], best[2], WANTED / best[2], wall, peak_mb());
    return 0;
}
