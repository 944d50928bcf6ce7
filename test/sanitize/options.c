/* What the sanitizers are told, in every program of a build with them.
 *
 * isl 0.25 leaks 24 bytes when its parametric integer programming (isl_map_compute_divs, lexmax)
 * runs out of operations in the middle, which the work limit and Ctrl-C make happen: a program of
 * isl calls alone does it too, and never without a limit. The functions at fault have no names in
 * the library and the quick unwinder ends at isl's allocator, so that is what can be named. An isl
 * object that Sator forgets is found by other means: it keeps its isl_ctx from being freed, at
 * which free_isl of relation/bridge.c aborts in these builds.
 */
const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

/* The trap of undefined behaviour shows its stack. Memory that was freed is used anew after 16 MB,
 * not 256: a program that has so much of it would wait for pages most of its time. */
const char *__asan_default_options(void)
{
    return "handle_sigill=1:quarantine_size_mb=16";
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
