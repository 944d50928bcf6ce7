/* The lines of a file of the TENET program: blank ones are skipped, ends may be LF or CRLF or
 * missing. */
#ifndef SATOR_FRONTEND_TENET_LINES_H
#define SATOR_FRONTEND_TENET_LINES_H

#include "base/context.h"
#include "relation/relation.h"

struct sator_tenet_lines {
    const struct sator_source *source;
    int n_lines;
    struct sator_loc *lines; /* without surrounding blanks, never empty */
};

/* Split "source" into its lines that are not blank. */
struct sator_tenet_lines sator_tenet_split(
        struct sator_arena *arena, const struct sator_source *source);

/* The place just behind the last line, for what is missing there. */
struct sator_loc sator_tenet_end(const struct sator_tenet_lines *lines);

/* The words of "line", separated by blanks, into "words" (room for "most"). Return how many there
 * are, also when that is more than "most". */
int sator_tenet_words(struct sator_loc line, int most, struct sator_loc *words);

/* Whether "word" is a decimal integer that fits; its value into "*value". */
bool sator_tenet_number(struct sator_loc word, int64_t *value);

/* The text of "loc" as a string of the arena. */
char *sator_tenet_string(struct sator_arena *arena, struct sator_loc loc);

/* The file's name without its folders and its ending. */
char *sator_tenet_stem(struct sator_arena *arena, const struct sator_source *source);

/* Read the line as a set ("is_set") or a relation; "what" says in a message what it should have
 * been. */
enum sator_status sator_tenet_relation(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc line, bool is_set, const char *what,
        const struct sator_relation **relation);

/* The union of two relations with equal tuples. */
const struct sator_relation *sator_tenet_unite(
        struct sator_arena *arena, const struct sator_relation *a, const struct sator_relation *b);

#endif
