/* Ctrl-C. The only mutable globals of the program: a signal handler can reach nothing else. */
#include "cli/cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static struct sator_ctx *_Atomic watched[CLI_MAX_THREADS + 1]; /* the threads' and the main one */
static atomic_bool interrupted;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    atomic_store(&interrupted, true);
    for (int i = 0; i <= CLI_MAX_THREADS; i++) {
        struct sator_ctx *ctx = atomic_load(&watched[i]);
        if (ctx != NULL)
            sator_ctx_cancel(ctx);
    }
}

void cli_interrupt_init(void)
{
    struct sigaction action = {0};

    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* the second one has its usual effect */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* writing reports it as EPIPE */
}

bool cli_interrupted(void)
{
    return atomic_load(&interrupted);
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
