/* libclang, loaded when the first C file is read: the program neither needs it to start nor waits
 * for it. */
#ifndef SATOR_FRONTEND_C_LIBCLANG_H
#define SATOR_FRONTEND_C_LIBCLANG_H

#include "base/context.h"

#include <clang-c/Index.h>

/* clang_NAME as the member NAME. */
struct sator_libclang {
#define X(name) __typeof__(&clang_##name) name;
#include "frontend/c/libclang.def"
#undef X
};

/* Load the library and look up its functions. An error at "loc" says what to install when it is
 * missing. */
enum sator_status sator_libclang_load(
        struct sator_ctx *ctx, struct sator_loc loc, struct sator_libclang *clang);

#endif
