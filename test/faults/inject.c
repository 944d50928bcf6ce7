/* A library to preload that lets one call of the C library fail: memory that runs out, a disk that
 * does. The environment says which:
 *
 *     LD_PRELOAD=inject.so SATOR_INJECT=memory:120:once sator ...
 *
 * The 120th call of the class "memory" fails, "once" or from there "on". The classes:
 *
 *     memory  malloc, calloc, realloc, aligned_alloc, mmap      ENOMEM
 *     read    read, pread, fread                                EIO
 *     write   write, pwrite, ftruncate                          EIO, or ENOSPC when on
 *     short   write, pwrite: half is written, the next fails    ENOSPC
 *     sync    fsync, fdatasync                                  EIO
 *     name    open of a file to be made, rename, unlink         EIO
 *
 * What goes to stderr never fails: what the program says is looked at. SATOR_INJECT_COUNT=FILE has
 * the number of calls of the class written there at the end, with which SATOR_INJECT=CLASS:0:once
 * counts.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum fault {
    MEMORY,
    READ,
    WRITE,
    SHORT,
    SYNC,
    NAME
};
static const char *const faults[] = {"memory", "read", "write", "short", "sync", "name"};

static atomic_long *calls; /* of this process and those that it forks */
static long failing; /* 0: none */
static bool from_there_on;
static int injected = -1; /* -1: the environment was not looked at yet */

static void configure(void)
{
    const char *text = getenv("SATOR_INJECT"), *colon = text == NULL ? NULL : strchr(text, ':');

    calls = (atomic_long *)syscall(SYS_mmap, NULL, sizeof *calls, PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0L);
    injected = sizeof faults / sizeof *faults; /* none */
    for (int i = 0; colon != NULL && i < (int)(sizeof faults / sizeof *faults); i++) {
        if (strncmp(text, faults[i], (size_t)(colon - text)) == 0)
            injected = i;
    }
    if (colon != NULL)
        failing = strtol(colon + 1, NULL, 10);
    from_there_on = colon != NULL && strstr(colon, ":on") != NULL && strstr(colon, ":once") == NULL;
}

static bool fails(enum fault fault)
{
    if (injected < 0)
        configure();
    if (injected != (int)fault)
        return false;
    long call = atomic_fetch_add(calls, 1) + 1;
    return failing != 0 && (call == failing || (from_there_on && call > failing));
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("SATOR_INJECT_COUNT");
    char digits[32];
    int fd = path == NULL
            ? -1
            : (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd >= 0)
        syscall(SYS_write, fd, digits,
                snprintf(digits, sizeof digits, "%ld\n", calls == NULL ? 0L : *calls));
}

/* Let "real" be the function of the C library that "name" would be without this file. */
#define REAL(name)                                                                                 \
    static __typeof__(&name) real;                                                                 \
    if (real == NULL)                                                                              \
    real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define ALLOCATES(name, parameters, arguments)                                                     \
    void *name parameters                                                                          \
    {                                                                                              \
        REAL(name);                                                                                \
        if (fails(MEMORY)) {                                                                       \
            errno = ENOMEM;                                                                        \
            return NULL;                                                                           \
        }                                                                                          \
        return real arguments;                                                                     \
    }

ALLOCATES(malloc, (size_t size), (size))
ALLOCATES(calloc, (size_t n, size_t size), (n, size))
ALLOCATES(realloc, (void *old, size_t size), (old, size))
ALLOCATES(aligned_alloc, (size_t alignment, size_t size), (alignment, size))

/* Calls that return "failure" with the errno of the disk. */
#define FAILS(type, name, parameters, arguments, fault, code, failure)                             \
    type name parameters                                                                           \
    {                                                                                              \
        REAL(name);                                                                                \
        if (fails(fault)) {                                                                        \
            errno = code;                                                                          \
            return failure;                                                                        \
        }                                                                                          \
        return real arguments;                                                                     \
    }
#define FULL (from_there_on ? ENOSPC : EIO)

FAILS(void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t from),
        (at, n, prot, flags, fd, from), MEMORY, ENOMEM, MAP_FAILED)
FAILS(void *, mmap64, (void *at, size_t n, int prot, int flags, int fd, off64_t from),
        (at, n, prot, flags, fd, from), MEMORY, ENOMEM, MAP_FAILED)
FAILS(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), READ, EIO, -1)
FAILS(ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), READ, EIO, -1)
FAILS(ssize_t, pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at), READ, EIO, -1)
FAILS(int, ftruncate, (int fd, off_t size), (fd, size), WRITE, FULL, -1)
FAILS(int, ftruncate64, (int fd, off64_t size), (fd, size), WRITE, FULL, -1)
FAILS(int, fsync, (int fd), (fd), SYNC, EIO, -1)
FAILS(int, fdatasync, (int fd), (fd), SYNC, EIO, -1)
FAILS(int, rename, (const char *old, const char *new), (old, new), NAME, EIO, -1)
FAILS(int, unlink, (const char *path), (path), NAME, EIO, -1)

size_t fread(void *to, size_t size, size_t n, FILE *file)
{
    REAL(fread);
    if (fails(READ)) {
        file->_flags |= 0x20; /* what ferror looks at */
        errno = EIO;
        return 0;
    }
    return real(to, size, n, file);
}

/* "half" of the "n" bytes are to be written; -1: the call fails. */
static bool write_fails(int fd, size_t *n)
{
    static atomic_int next_too;

    if (fd == STDERR_FILENO)
        return false;
    if (atomic_exchange(&next_too, 0) != 0) {
        errno = ENOSPC;
        return true;
    }
    if (fails(WRITE)) {
        errno = FULL;
        return true;
    }
    if (*n > 1 && fails(SHORT)) {
        *n /= 2;
        atomic_store(&next_too, 1);
    }
    return false;
}

ssize_t write(int fd, const void *from, size_t n)
{
    REAL(write);
    return write_fails(fd, &n) ? -1 : real(fd, from, n);
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t at)
{
    REAL(pwrite);
    return write_fails(fd, &n) ? -1 : real(fd, from, n, at);
}

ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at)
{
    REAL(pwrite64);
    return write_fails(fd, &n) ? -1 : real(fd, from, n, at);
}

#define OPENS(name)                                                                                \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;                           \
        va_end(more);                                                                              \
        REAL(name);                                                                                \
        if ((flags & O_CREAT) != 0 && fails(NAME)) {                                               \
            errno = EIO;                                                                           \
            return -1;                                                                             \
        }                                                                                          \
        return real(path, flags, mode);                                                            \
    }
OPENS(open)
OPENS(open64)
