/* Where each word of a window of stamps comes from: the register that held it, the link or bus that
 * brings it, the memory that has it (doc/model.md, section 2: the same rules that the counting
 * engines count by, applied word by word). */
#ifndef SATOR_MODEL_PROVENANCE_H
#define SATOR_MODEL_PROVENANCE_H

#include "model/model.h"

enum sator_source_kind {
    SATOR_FROM_REGISTER, /* temporal reuse */
    SATOR_FROM_LINK, /* spatial reuse over a link */
    SATOR_FROM_BUS, /* spatial reuse on a multicast bus or a reduction tree */
    SATOR_FROM_MEMORY /* unique; of the memories that hold the tensor the innermost one that had
                         the element already, or else the outermost */
};

struct sator_word_source {
    enum sator_source_kind kind;
    const char *name; /* of the link, bus or memory; "register" */
};

/* One element of one access that one PE holds in one stamp. */
struct sator_traced_word {
    int32_t stamp; /* index into the window's stamps */
    int32_t pe; /* row-major number in the shape of all arrays */
    int32_t provider; /* over a link: the PE that had it; else -1 */
    int32_t source; /* index into the sources */
    int64_t element; /* row-major number in the box of the access */
};

struct sator_access_words {
    int n_index;
    const int64_t *origin, *extents; /* a box around all elements of the access */
    int64_t n_words;
    struct sator_traced_word *words; /* by stamp, PE, element */
    const int64_t *starts; /* of each stamp in "words", and the end: n_stamps + 1 */
};

struct sator_provenance {
    int n_space, n_time, n_pes;
    const int64_t *shape;
    int n_stamps;
    const int64_t *stamps; /* n_time coordinates each */
    bool at_start, at_end; /* nothing is occupied before, after the window */
    bool is_short; /* fewer stamps than asked for: the words would be too many */
    int n_sources;
    const struct sator_word_source *sources;
    int n_accesses;
    const struct sator_access_words *accesses; /* parallel to the workload's */
};

/* The window: from the first occupied stamp that is not before "from" (its first "n_from"
 * coordinates; 0: the first of all), "n_stamps" of them, as long as there are no more than
 * "most_words" (one stamp is always given). */
struct sator_window {
    int n_from;
    const int64_t *from;
    int n_stamps;
    int64_t most_words;
};

/* The provenance of "window" in "arena". "result" is the analysis of the same question: its levels
 * say what each memory holds. SATOR_INPUT with a message when no stamp lies there, SATOR_DECLINED
 * as visit_open, SATOR_LIMIT. */
enum sator_status sator_model_provenance(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_model *model, const struct sator_workload *workload,
        const struct sator_bound_dataflow *dataflow, const struct sator_result *result,
        const struct sator_window *window, const struct sator_provenance **provenance);

#endif
