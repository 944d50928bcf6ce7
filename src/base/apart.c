#define _GNU_SOURCE 1 /* pipe2 */
#include "base/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TAIL = 1 << 12, /* bytes of what the child said that are looked at */
    NO_MEMORY = 99 /* exit code of a child */
};

/* What the child leaves, in memory that both have. */
struct outcome {
    bool is_done;
    enum sator_status status;
    struct sator_ctx ctx; /* the child's */
    void *made;
};

/* One call. */
struct apart {
    struct sator_arena *shared;
    struct outcome *outcome;
    sator_apart_work *work;
    void *data;
};

/* ---- the child ---- */

static void carry_out(void *data)
{
    struct apart *apart = data;
    struct outcome *outcome = apart->outcome;

    outcome->status = apart->work(&outcome->ctx, apart->shared, apart->data, &outcome->made);
    sator_arena_give(apart->shared);
    outcome->is_done = true;
}

/* Neither handlers at exit nor buffers are the child's to see to. */
_Noreturn static void be_child(struct apart *apart, int said)
{
    if (dup2(said, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0)
        _exit(NO_MEMORY);
    _exit(sator_guarded(&apart->outcome->ctx, carry_out, apart) ? 0 : NO_MEMORY);
}

/* ---- the parent ---- */

/* Wait until the child is gone; its status, 0 where somebody else asked for it first. */
static int wait_for(struct sator_ctx *ctx, pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return 0;
        if (atomic_load(&ctx->cancelled))
            kill(child, SIGKILL);
    }
    return status;
}

/* Whether what the child said last, or how it ended, is that it had no memory. */
static bool lacked_memory(int said, int status)
{
    static const char *const texts[] = {"out of memory", "bad_alloc", "Cannot allocate memory"};
    char text[TAIL + 1];
    ssize_t length = read(said, text, TAIL);

    text[length < 0 ? 0 : length] = '\0';
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strstr(text, texts[i]) != NULL)
            return true;
    }
    return (WIFEXITED(status) && WEXITSTATUS(status) == NO_MEMORY) ||
            (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* the system's way to say so */
}

static enum sator_status explain(
        struct sator_ctx *ctx, struct sator_loc loc, const char *who, int status)
{
    if (atomic_load(&ctx->cancelled))
        return SATOR_INTERRUPTED;
    if (!WIFSIGNALED(status))
        return sator_error(ctx, loc, "%s gave up", who);
    sator_error(ctx, loc, "%s crashed (signal %d)", who, WTERMSIG(status));
    if (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS)
        sator_help(ctx, "its stack may be full: is anything nested thousands deep?");
    return SATOR_INPUT;
}

static enum sator_status cannot_start(struct sator_ctx *ctx, struct sator_loc loc, const char *who)
{
    if (errno == ENOMEM)
        sator_out_of_memory();
    return sator_error(
            ctx, loc, "%s needs a process of its own, and there is none: %s", who, strerror(errno));
}

/* Take over what the child left. */
static enum sator_status receive(
        struct sator_ctx *ctx, struct sator_arena *arena, struct apart *apart, void **made)
{
    const struct outcome *outcome = apart->outcome;

    sator_arena_receive(apart->shared);
    sator_ctx_repeat(ctx, &outcome->ctx);
    enum sator_status st = outcome->status;
    if (st == SATOR_OK)
        *made = outcome->made;
    sator_arena_adopt(arena, apart->shared);
    return st;
}

enum sator_status sator_apart(struct sator_ctx *ctx, struct sator_arena *arena, size_t size,
        sator_apart_work *work, void *data, struct sator_loc loc, const char *who, void **made)
{
    struct sator_arena *shared = sator_arena_new_shared(size);
    struct apart apart = {shared, SATOR_NEW(shared, struct outcome), work, data};
    int said[2];

    apart.outcome->ctx = (struct sator_ctx){.arena = shared,
            .latest = -1,
            .work_limit = ctx->work_limit,
            .words = ctx->words,
            .n_words = ctx->n_words,
            .outputs = ctx->outputs,
            .n_outputs = ctx->n_outputs,
            .output_is_read = ctx->output_is_read};
    if (pipe2(said, O_CLOEXEC | O_NONBLOCK) != 0) {
        sator_arena_free(shared);
        return cannot_start(ctx, loc, who);
    }
    pid_t child = fork();
    if (child == 0)
        be_child(&apart, said[1]);
    close(said[1]);
    int status = child < 0 ? 0 : wait_for(ctx, child);
    bool no_memory = child > 0 && !apart.outcome->is_done && lacked_memory(said[0], status);
    close(said[0]);
    if (apart.outcome->is_done)
        return receive(ctx, arena, &apart, made);
    sator_arena_free(shared);
    if (child < 0)
        return cannot_start(ctx, loc, who);
    if (no_memory && !atomic_load(&ctx->cancelled))
        sator_out_of_memory();
    return explain(ctx, loc, who, status);
}
