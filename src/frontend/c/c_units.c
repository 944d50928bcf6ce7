#include "base/text.h"

#if SATOR_HAVE_CLANG

#include "frontend/c/c_units.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
    int n_words;
    const char **words;
};

static void add_word(struct c_units *units, struct arguments *arguments, const char *word)
{
    SATOR_PUSH(units->arena, arguments->words, arguments->n_words, word);
}

/* Folders with the headers that belong to a compiler (stddef.h): libclang's package does not bring
 * its own, and another compiler's serve as well. They come last in the search. */
static void add_compiler_headers(struct c_units *units, struct arguments *arguments)
{
    static const char *const patterns[] = {"/usr/lib/clang/*/include",
            "/usr/lib/llvm-*/lib/clang/*/include", "/usr/lib/gcc/*/*/include"};
    bool found = false;

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !found; i++) {
        glob_t folders;
        if (glob(patterns[i], 0, NULL, &folders) == 0) {
            add_word(units, arguments, "-idirafter");
            add_word(units, arguments,
                    sator_arena_strdup(units->arena, folders.gl_pathv[folders.gl_pathc - 1]));
            found = true;
        }
        globfree(&folders);
    }
}

static struct arguments make_arguments(
        struct c_units *units, const struct sator_input_options *options)
{
    struct arguments arguments = {0, NULL};
    static const char *const always[] = {
            "-xc", "-std=gnu17", "-w", "-fno-spell-checking", "-ferror-limit=50"};

    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        add_word(units, &arguments, always[i]);
#if defined(__x86_64__)
    /* Version 14 has _Float16 on this machine only with the instructions for it. */
    add_word(units, &arguments, "-mavx512fp16");
#endif
    for (int i = 0; options && i < options->n_defines; i++)
        add_word(units, &arguments, sator_arena_printf(units->arena, "-D%s", options->defines[i]));
    for (int i = 0; options && i < options->n_include_dirs; i++) {
        add_word(units, &arguments, "-I");
        add_word(units, &arguments, options->include_dirs[i]);
    }
    add_compiler_headers(units, &arguments);
    return arguments;
}

char *c_string(struct c_units *units, CXString string)
{
    const char *text = units->clang.getCString(string);
    char *copy = sator_arena_strdup(units->arena, text ? text : "");

    units->clang.disposeString(string);
    return copy;
}

/* ---- the file's own errors ---- */

/* The place of a diagnostic: in the user's file, or in a header, which is read for its line. */
static struct sator_loc diagnostic_place(struct c_units *units, CXSourceLocation location)
{
    struct sator_loc place = {units->source, 0, 1};
    const struct sator_source *header = NULL;
    CXFile file = NULL;
    unsigned offset = 0;

    units->clang.getExpansionLocation(location, &file, NULL, NULL, &offset);
    if (!file) {
        place.source = NULL;
        return place;
    }
    place.offset = offset;
    if (units->clang.Location_isFromMainFile(location))
        return place;
    if (sator_source_read(units->ctx, c_string(units, units->clang.getFileName(file)), &header) ==
            SATOR_OK)
        place.source = header;
    else
        place.offset = 0;
    return place;
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void help_diagnostic(struct sator_ctx *ctx, const char *text)
{
    static const char undeclared[] = "use of undeclared identifier '";

    if (strstr(text, "polybench.h' file not found"))
        sator_help(ctx, "pass the folder that it is in: -I polybench/utilities");
    else if (strstr(text, "file not found"))
        sator_help(ctx, "pass the folder that it is in: -I FOLDER");
    else if (begins(text, undeclared)) {
        const char *name = text + strlen(undeclared);
        int length = (int)strcspn(name, "'");
        sator_help(ctx, "declare it; a size can be given as a macro: -D%.*s=64", length, name);
    } else if (begins(text, "unknown type name '")) {
        const char *name = strchr(text, '\'') + 1;
        int length = (int)strcspn(name, "'");
        sator_help(ctx, "a type can be given with -D: -D%.*s=float", length, name);
    }
}

/* The first diagnostic that is worth a message: what is missing, a header say, if anything is, as
 * it makes all else worthless; that there are too many errors is nowhere, and the errors are before
 * it. */
static unsigned first_diagnostic(struct c_units *units, CXTranslationUnit unit)
{
    const struct sator_libclang *clang = &units->clang;
    unsigned n_diagnostics = clang->getNumDiagnostics(unit);

    for (unsigned i = 0; i < n_diagnostics; i++) {
        CXDiagnostic diagnostic = clang->getDiagnostic(unit, i);
        bool is_fatal = clang->getDiagnosticSeverity(diagnostic) == CXDiagnostic_Fatal;
        struct sator_loc place = diagnostic_place(units, clang->getDiagnosticLocation(diagnostic));
        clang->disposeDiagnostic(diagnostic);
        if (is_fatal && place.source != NULL)
            return i;
    }
    return 0;
}

static enum sator_status report_diagnostics(struct c_units *units, CXTranslationUnit unit)
{
    const struct sator_libclang *clang = &units->clang;
    enum sator_status st = SATOR_OK;
    unsigned n_diagnostics = clang->getNumDiagnostics(unit);
    unsigned first = first_diagnostic(units, unit);

    for (unsigned i = first; i < n_diagnostics; i++) {
        CXDiagnostic diagnostic = clang->getDiagnostic(unit, i);
        enum CXDiagnosticSeverity severity = clang->getDiagnosticSeverity(diagnostic);
        if (severity >= CXDiagnostic_Error) {
            char *text = c_string(units, clang->getDiagnosticSpelling(diagnostic));
            st = sator_error(units->ctx,
                    diagnostic_place(units, clang->getDiagnosticLocation(diagnostic)), "%s", text);
            help_diagnostic(units->ctx, text);
        }
        clang->disposeDiagnostic(diagnostic);
        if (severity == CXDiagnostic_Fatal)
            break;
    }
    return st;
}

static bool has_errors(struct c_units *units, CXTranslationUnit unit)
{
    bool found = false;

    for (unsigned i = 0; i < units->clang.getNumDiagnostics(unit); i++) {
        CXDiagnostic diagnostic = units->clang.getDiagnostic(unit, i);
        found = found || units->clang.getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
        units->clang.disposeDiagnostic(diagnostic);
    }
    return found;
}

/* ---- walking ---- */

struct children {
    struct c_units *units;
    int n_children;
    CXCursor *children;
};

static enum CXChildVisitResult add_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct children *list = data;

    (void)parent;
    SATOR_PUSH(list->units->arena, list->children, list->n_children, cursor);
    return CXChildVisit_Continue;
}

CXCursor *c_children(struct c_units *units, CXCursor cursor, int *n_children)
{
    struct children list = {units, 0, NULL};

    units->clang.visitChildren(cursor, add_child, &list);
    *n_children = list.n_children;
    return list.children;
}

static enum CXChildVisitResult add_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct children *list = data;
    const struct sator_libclang *clang = &list->units->clang;

    (void)parent;
    if (clang->getCursorKind(cursor) == CXCursor_FunctionDecl &&
            clang->isCursorDefinition(cursor) &&
            clang->Location_isFromMainFile(clang->getCursorLocation(cursor)))
        SATOR_PUSH(list->units->arena, list->children, list->n_children, cursor);
    return CXChildVisit_Continue;
}

static CXCursor *find_functions(struct c_units *units, CXTranslationUnit unit, int *n_functions)
{
    struct children list = {units, 0, NULL};

    units->clang.visitChildren(units->clang.getTranslationUnitCursor(unit), add_function, &list);
    *n_functions = list.n_children;
    return list.children;
}

void c_extent(struct c_units *units, CXCursor cursor, unsigned *begin, unsigned *end)
{
    CXSourceRange range = units->clang.getCursorExtent(cursor);

    units->clang.getExpansionLocation(units->clang.getRangeStart(range), NULL, NULL, NULL, begin);
    units->clang.getExpansionLocation(units->clang.getRangeEnd(range), NULL, NULL, NULL, end);
}

struct sator_loc c_place(struct c_units *units, CXCursor cursor)
{
    const struct sator_libclang *clang = &units->clang;
    CXSourceRange range = clang->getCursorExtent(cursor);
    struct sator_loc place = {units->source, 0, 1};
    CXFile begin_file = NULL;
    CXFile end_file = NULL;
    unsigned begin = 0;
    unsigned end = 0;

    /* For a macro's argument this is the argument, for anything else from a macro the macro's use.
     */
    clang->getFileLocation(clang->getRangeStart(range), &begin_file, NULL, NULL, &begin);
    clang->getFileLocation(clang->getRangeEnd(range), &end_file, NULL, NULL, &end);
    if (!begin_file || begin >= units->source->length)
        return place;
    place.offset = begin;
    if (end > begin && end <= units->source->length)
        place.length = end - begin;
    return place;
}

/* ---- the printed unit ---- */

static enum CXErrorCode parse(struct c_units *units, const struct arguments *arguments,
        const char *text, size_t length, CXTranslationUnit *unit)
{
    struct CXUnsavedFile file = {units->source->path, text, (unsigned long)length};

    return units->clang.parseTranslationUnit2(units->index, units->source->path, arguments->words,
            arguments->n_words, &file, 1, CXTranslationUnit_None, unit);
}

/* The source with each function printed in its place; false when functions overlap (one made by a
 * macro). */
static bool print_functions(struct c_units *units)
{
    const struct sator_source *source = units->source;
    unsigned at = 0;

    for (int i = 0; i < units->n_functions; i++) {
        CXPrintingPolicy policy = units->clang.getCursorPrintingPolicy(units->functions[i]);
        CXString printed = units->clang.getCursorPrettyPrinted(units->functions[i], policy);
        unsigned begin = 0;
        unsigned end = 0;

        c_extent(units, units->functions[i], &begin, &end);
        units->clang.PrintingPolicy_dispose(policy);
        if (begin < at || end < begin || end > source->length) {
            units->clang.disposeString(printed);
            return false;
        }
        sator_text_add_bytes(&units->text, source->text + at, begin - at);
        sator_text_add(&units->text, "%s\n", units->clang.getCString(printed));
        units->clang.disposeString(printed);
        at = end;
    }
    sator_text_add_bytes(&units->text, source->text + at, source->length - at);
    return true;
}

/* Fall back on the file as it is: then only operators inside macros are unknown. */
static void use_written(struct c_units *units)
{
    sator_text_clear(&units->text);
    sator_text_add_bytes(&units->text, units->source->text, units->source->length);
    units->printed_functions = units->functions;
}

enum sator_status c_units_open(struct c_units *units, struct sator_ctx *ctx,
        struct sator_arena *arena, const struct sator_source *source,
        const struct sator_input_options *options)
{
    enum sator_status st = SATOR_OK;
    struct sator_loc start = {source, 0, 0};
    struct arguments arguments;
    int n_printed = 0;

    *units = (struct c_units){.ctx = ctx, .arena = arena, .source = source};
    SATOR_TRY(sator_libclang_load(ctx, start, &units->clang));
    arguments = make_arguments(units, options);
    units->index = units->clang.createIndex(0, 0);
    units->clang.toggleCrashRecovery(0); /* a crash ends the process, which is there for that */
    if (parse(units, &arguments, source->text, source->length, &units->written) != CXError_Success)
        return sator_error(ctx, start, "libclang cannot parse this file");
    SATOR_TRY(report_diagnostics(units, units->written));
    units->functions = find_functions(units, units->written, &units->n_functions);
    if (print_functions(units) &&
            parse(units, &arguments, units->text.data, units->text.length, &units->printed) ==
                    CXError_Success &&
            !has_errors(units, units->printed))
        units->printed_functions = find_functions(units, units->printed, &n_printed);
    if (n_printed != units->n_functions)
        use_written(units);
done:
    return st;
}

#endif
