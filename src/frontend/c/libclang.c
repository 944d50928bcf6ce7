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

static const struct {
    const char *name;
    size_t offset; /* of the member that points to it */
} functions[] = {
#define X(name) {"clang_" #name, offsetof(struct sator_libclang, name)},
#include "frontend/c/libclang.def"
#undef X
};

/* The library "name"; after one that is there and cannot be loaded no other is tried, and "*why"
 * says why. dlopen sets no errno: what is the matter is known from its text alone. */
static void *open_named(const char *name, const char **why)
{
    if (*why != NULL)
        return NULL;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const char *text = library == NULL ? dlerror() : NULL;
    size_t length = strlen(name);
    bool absent = text != NULL && strncmp(text, name, length) == 0 &&
            strstr(text + length, "cannot open shared object") != NULL;
    if (text != NULL && !absent)
        *why = text;
    return library;
}

static void *open_version(int version, const char **why)
{
    char names[3][64];
    void *library = NULL;

    (void)snprintf(names[0], sizeof names[0], "libclang-%d.so.1", version);
    (void)snprintf(names[1], sizeof names[1], "libclang-%d.so.%d", version, version);
    (void)snprintf(names[2], sizeof names[2], "/usr/lib/llvm-%d/lib/libclang.so.1", version);
    for (int i = 0; i < 3 && library == NULL; i++)
        library = open_named(names[i], why);
    return library;
}

static void *open_library(const char **why)
{
    void *library = open_named("libclang.so.1", why);

    for (int version = NEWEST; library == NULL && version >= OLDEST; version--)
        library = open_version(version, why);
    return library ? library : open_named("libclang.so", why);
}

static enum sator_status cannot_load(struct sator_ctx *ctx, struct sator_loc loc, const char *why)
{
    static const char *const no_memory[] = {"map segment", "allocate", "zero-fill pages"};

    for (size_t i = 0; why != NULL && i < sizeof no_memory / sizeof *no_memory; i++) {
        if (strstr(why, no_memory[i]) != NULL)
            sator_out_of_memory();
    }
    if (why != NULL)
        return sator_error(ctx, loc, "reading C needs libclang, which cannot be loaded: %s", why);
    sator_error(ctx, loc, "reading C needs libclang, which is not installed");
    sator_help(ctx,
            "on Debian or Ubuntu: apt install libclang1 (or libclang-dev); or write "
            "the workload as YAML");
    return SATOR_INPUT;
}

enum sator_status sator_libclang_load(
        struct sator_ctx *ctx, struct sator_loc loc, struct sator_libclang *clang)
{
    const char *why = NULL;
    /* Never closed: a second C file finds it loaded, and its code registers handlers at exit. */
    void *library = open_library(&why);

    if (library == NULL)
        return cannot_load(ctx, loc, why);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *symbol = dlsym(library, functions[i].name);
        if (!symbol)
            return sator_error(
                    ctx, loc, "the installed libclang is too old: it has no %s", functions[i].name);
        /* A function's address comes as an object's (POSIX, dlsym). */
        memcpy((char *)clang + functions[i].offset, &symbol, sizeof symbol);
    }
    return SATOR_OK;
}

#endif
