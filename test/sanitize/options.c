/* What the sanitizers are told, in every program of a build with them.
 *
 * isl 0.25 leaks 24 bytes when its parametric integer programming (isl_map_compute_divs, lexmax)
 * runs out of operations in the middle, which the work limit and Ctrl-C make happen: a program of
 * isl calls alone does it too, and never without a limit. The functions at fault have no names in
 * the library and the quick unwinder ends at isl's allocator, so that is what can be named. An isl
 * object that Sator forgets is found by other means: it keeps its isl_ctx from being freed, at
 * which free_isl of relation/bridge.c aborts in these builds.
 */
#include <stdint.h>
#include <sys/mman.h>

const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

extern char __bss_start, _end; /* the linker's */

/* The search for leaks at the end of each program reads all variables, of which the sanitizer has
 * 5 MB that are hardly used: as huge pages, where the system has them, they are there at once. They
 * were two fifths of what a short program took.
 *
 * The state of a large array is set to zero in place, whose pages would be given back and asked for
 * again: each analysis of closed/ has one.
 *
 * The trap of undefined behaviour shows its stack. Memory that was freed is used anew after 16 MB,
 * not 256: a program that has so much of it would wait for pages most of its time. */
const char *__asan_default_options(void)
{
    const uintptr_t page = 4096, from = (uintptr_t)&__bss_start & ~(page - 1);
    (void)madvise((void *)from, (uintptr_t)&_end - from, MADV_HUGEPAGE);
    return "handle_sigill=1:quarantine_size_mb=16:clear_shadow_mmap_threshold=100000000";
}

const char *__lsan_default_suppressions(void)
{
    return "leak:isl_malloc_or_die\n";
}

/* Programs' stderr is compared. */
const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}
