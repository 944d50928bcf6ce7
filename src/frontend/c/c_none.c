/* A build without libclang's headers. */
#include "frontend/c/c_tree.h"

#if !SATOR_HAVE_CLANG

enum sator_status c_parse(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_source *source, const struct sator_input_options *options,
        struct c_file **file)
{
    (void)arena;
    (void)options;
    (void)file;
    sator_error(ctx, (struct sator_loc){source, 0, 0}, "this build cannot read C files");
    sator_help(ctx, "install libclang-dev and build again; or write the workload as YAML");
    return SATOR_INPUT;
}

#endif
