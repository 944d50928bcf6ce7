#include "base/context.h"

#if SATOR_HAVE_CLANG

#include "frontend/c/libclang.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The versions tried; Debian names the library after its own version or the one of its interface.
 */
enum {
    NEWEST = 22,
    OLDEST = 12
};

static void *open_library(void)
{
    void *library = dlopen("libclang.so.1", RTLD_NOW | RTLD_LOCAL);
    char name[64];

    for (int version = NEWEST; !library && version >= OLDEST; version--) {
        snprintf(name, sizeof name, "libclang-%d.so.1", version);
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library)
            break;
        snprintf(name, sizeof name, "libclang-%d.so.%d", version, version);
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library)
            break;
        snprintf(name, sizeof name, "/usr/lib/llvm-%d/lib/libclang.so.1", version);
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    return library ? library : dlopen("libclang.so", RTLD_NOW | RTLD_LOCAL);
}

enum sator_status sator_libclang_load(
        struct sator_ctx *ctx, struct sator_loc loc, struct sator_libclang *clang)
{
    /* Never closed: a second C file finds it loaded, and its code registers handlers at exit. */
    void *library = open_library();

    if (!library) {
        loc.length = 0;
        sator_error(ctx, loc, "reading C needs libclang, which is not installed");
        sator_help(ctx,
                "on Debian or Ubuntu: apt install libclang1 (or libclang-dev); or write "
                "the workload as YAML");
        return SATOR_INPUT;
    }
#define X(name)                                                                                    \
    {                                                                                              \
        void *symbol = dlsym(library, "clang_" #name);                                             \
        if (!symbol)                                                                               \
            return sator_error(                                                                    \
                    ctx, loc, "the installed libclang is too old: it has no clang_" #name);        \
        memcpy(&clang->name, &symbol, sizeof symbol);                                              \
    }
#include "frontend/c/libclang.def"
#undef X
    return SATOR_OK;
}

#endif
