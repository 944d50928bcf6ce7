/* Ctrl-C and what else asks to stop. The only mutable globals of the program: a signal handler can
 * reach nothing else. */
#include "cli/cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static struct sator_ctx *_Atomic watched[CLI_MAX_THREADS + 1]; /* the threads' and the main one */
static atomic_int interrupted; /* the signal's number; 0: none */

/* Signals closer together than this are one: timeout(1) sends its signal twice, to the process and
 * to its group. */
enum {
    ONE_SIGNAL_MS = 200
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now); /* allowed in a handler */
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void on_interrupt(int signal_number)
{
    static atomic_llong first_ms;

    int none = 0;

    if (atomic_compare_exchange_strong(&interrupted, &none, signal_number)) {
        atomic_store(&first_ms, now_ms());
    } else if (now_ms() - atomic_load(&first_ms) > ONE_SIGNAL_MS) {
        signal(signal_number, SIG_DFL);
        raise(signal_number); /* delivered when this returns */
        return;
    }
    for (int i = 0; i <= CLI_MAX_THREADS; i++) {
        struct sator_ctx *ctx = atomic_load(&watched[i]);
        if (ctx != NULL)
            sator_ctx_cancel(ctx);
    }
}

void cli_interrupt_init(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {0}, before;

    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN); /* writing reports it as EPIPE */
    signal(SIGXFSZ, SIG_IGN); /* and this as EFBIG: what was begun is taken away, and it is said */
}

bool cli_interrupted(void)
{
    return atomic_load(&interrupted) != 0;
}

int cli_interrupt_exit(void)
{
    return 128 + atomic_load(&interrupted);
}

void cli_watch(struct sator_ctx *ctx)
{
    for (int i = 0; i <= CLI_MAX_THREADS; i++) {
        struct sator_ctx *nobody = NULL;
        if (atomic_compare_exchange_strong(&watched[i], &nobody, ctx))
            break;
    }
    if (cli_interrupted())
        sator_ctx_cancel(ctx);
}

void cli_unwatch(struct sator_ctx *ctx)
{
    for (int i = 0; i <= CLI_MAX_THREADS; i++) {
        struct sator_ctx *expected = ctx;
        atomic_compare_exchange_strong(&watched[i], &expected, NULL);
    }
}
