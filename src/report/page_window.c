/* A window of stamps as JSON. Words come in runs: PEs side by side that get elements one step apart
 * in the same way, which is what a dataflow of expressions gives; so 65,536 PEs are some hundred
 * runs. Stamps whose runs differ by the same step in all elements share one pattern: most do, for
 * tiles are alike; so hundreds of stamps are some tens of patterns. */
#include "report/page.h"

#include "base/json.h"

#include <string.h>

struct run {
    int64_t pe, length, source, element, step, provider; /* provider: 0, or its distance */
};

/* The runs of one access: those of all patterns one after the other, and of the stamp at hand. */
struct runs {
    struct sator_arena *arena;
    int n_known, n_patterns;
    struct run *known;
    int64_t *starts; /* of each pattern in "known" */
    uint64_t *hashes;
    int n_stamp, n_open, room;
    struct run *stamp, *open, *next; /* "open": that the last PE, and this one, are part of */
};

static void write_run(struct runs *runs, const struct run *run)
{
    SATOR_PUSH(runs->arena, runs->stamp, runs->n_stamp, *run);
}

static bool goes_on(const struct run *run, const struct run *word)
{
    int64_t step = word->element - run->element - (run->length - 1) * run->step;

    return run->pe + run->length == word->pe && run->source == word->source &&
            run->provider == word->provider && (run->length == 1 || step == run->step);
}

/* The words of one PE: each goes on with one of the open runs, or opens one. */
static void add_pe(struct runs *runs, const struct sator_traced_word *words, int n)
{
    if (n > runs->room) {
        struct run *open = SATOR_NEW_ARRAY(runs->arena, struct run, 2 * n);
        if (runs->n_open > 0)
            memcpy(open, runs->open, sizeof *open * (size_t)runs->n_open);
        runs->open = open;
        runs->next = SATOR_NEW_ARRAY(runs->arena, struct run, 2 * n);
        runs->room = 2 * n;
    }
    int taken = 0;
    for (int i = 0; i < n; i++) {
        struct run word = {words[i].pe, 1, words[i].source, words[i].element, 0,
                words[i].provider < 0 ? 0 : words[i].provider - words[i].pe};
        int k = taken;
        while (k < runs->n_open && !goes_on(&runs->open[k], &word))
            k++;
        if (k < runs->n_open) {
            for (; taken < k; taken++)
                write_run(runs, &runs->open[taken]);
            taken = k + 1;
            word.step = word.element - runs->open[k].element -
                    (runs->open[k].length - 1) * runs->open[k].step;
            word.pe = runs->open[k].pe;
            word.element = runs->open[k].element;
            word.length = runs->open[k].length + 1;
        }
        runs->next[i] = word;
    }
    for (; taken < runs->n_open; taken++)
        write_run(runs, &runs->open[taken]);
    struct run *open = runs->next;
    runs->next = runs->open;
    runs->open = open;
    runs->n_open = n;
}

static void find_runs(struct runs *runs, const struct sator_access_words *words, int stamp)
{
    runs->n_stamp = 0;
    for (int64_t i = words->starts[stamp], n; i < words->starts[stamp + 1]; i += n) {
        for (n = 1;
                i + n < words->starts[stamp + 1] && words->words[i + n].pe == words->words[i].pe;)
            n++;
        add_pe(runs, &words->words[i], (int)n);
    }
    for (int k = 0; k < runs->n_open; k++)
        write_run(runs, &runs->open[k]);
    runs->n_open = 0;
}

static uint64_t hash_of(const struct run *runs, int n)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a over the numbers */

    for (int i = 0; i < n; i++) {
        const int64_t all[] = {runs[i].pe, runs[i].length, runs[i].source, runs[i].element,
                runs[i].step, runs[i].provider};
        for (int k = 0; k < 6; k++)
            hash = (hash ^ (uint64_t)all[k]) * 1099511628211u;
    }
    return hash;
}

/* The number of the pattern that the stamp's runs are, their elements counted from the first one's,
 * which is "*shift"; a new pattern where there is none. */
static int64_t find_pattern(struct runs *runs, int64_t *shift)
{
    const size_t size = sizeof *runs->stamp * (size_t)runs->n_stamp;
    int n = runs->n_patterns;

    *shift = runs->n_stamp == 0 ? 0 : runs->stamp[0].element;
    for (int i = 0; i < runs->n_stamp; i++)
        runs->stamp[i].element -= *shift;
    uint64_t hash = hash_of(runs->stamp, runs->n_stamp);
    for (int p = 0; p < n; p++) {
        int64_t end = p + 1 < n ? runs->starts[p + 1] : runs->n_known;
        if (runs->hashes[p] == hash && end - runs->starts[p] == runs->n_stamp &&
                (size == 0 || memcmp(runs->known + runs->starts[p], runs->stamp, size) == 0))
            return p;
    }
    SATOR_PUSH(runs->arena, runs->hashes, n, hash);
    SATOR_PUSH(runs->arena, runs->starts, runs->n_patterns, runs->n_known);
    for (int i = 0; i < runs->n_stamp; i++)
        SATOR_PUSH(runs->arena, runs->known, runs->n_known, runs->stamp[i]);
    return runs->n_patterns - 1;
}

static void add_runs(struct sator_json *out, const struct runs *runs)
{
    sator_json_open(out, "runs", '[');
    for (int i = 0; i < runs->n_known; i++) {
        const struct run *run = &runs->known[i];
        const int64_t numbers[] = {
                run->pe, run->length, run->source, run->element, run->step, run->provider};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            sator_json_small(out, NULL, numbers[k]);
    }
    sator_json_close(out, ']');
}

static void write_access(struct sator_json *out, struct sator_arena *arena,
        const struct page_window *window, int access)
{
    const struct sator_provenance *is = window->is.is;
    const struct sator_access *named = &window->is.workload->accesses[access];
    const struct sator_access_words *words = &is->accesses[access];
    int64_t *patterns = SATOR_NEW_ARRAY(arena, int64_t, is->n_stamps + 1);
    int64_t *shifts = SATOR_NEW_ARRAY(arena, int64_t, is->n_stamps + 1);
    struct runs runs = {.arena = arena};

    sator_json_open(out, NULL, '{');
    sator_json_text(out, "name", report_utf8(arena, named->tensor));
    sator_json_text(out, "role", report_role_name(named->role));
    sator_json_small_array(out, "origin", words->n_index, words->origin);
    sator_json_small_array(out, "extents", words->n_index, words->extents);
    sator_json_small(out, "words", words->n_words);
    for (int s = 0; s < is->n_stamps; s++) {
        find_runs(&runs, words, s);
        patterns[s] = find_pattern(&runs, &shifts[s]);
    }
    add_runs(out, &runs);
    SATOR_PUSH(arena, runs.starts, runs.n_patterns, runs.n_known);
    sator_json_small_array(out, "starts", runs.n_patterns, runs.starts);
    sator_json_small_array(out, "patterns", is->n_stamps, patterns);
    sator_json_small_array(out, "shifts", is->n_stamps, shifts);
    sator_json_close(out, '}');
}

char *page_window_json(struct sator_arena *arena, const struct page_window *window)
{
    static const char *const kinds[] = {"register", "link", "bus", "memory"};
    const struct sator_provenance *is = window->is.is;
    struct sator_text text = {0};
    struct sator_json out = {.text = &text};

    sator_json_open(&out, NULL, '{');
    sator_json_small(&out, "result", window->result);
    sator_json_text(&out, "space_name", report_utf8(arena, window->is.space_name));
    sator_json_text(&out, "time_name", report_utf8(arena, window->is.time_name));
    sator_json_small_array(&out, "shape", is->n_space, is->shape);
    sator_json_small(&out, "n_time", is->n_time);
    sator_json_bool(&out, "at_start", is->at_start);
    sator_json_bool(&out, "at_end", is->at_end);
    sator_json_bool(&out, "is_short", is->is_short);
    sator_json_small_array(&out, "stamps", is->n_stamps * is->n_time, is->stamps);
    sator_json_open(&out, "sources", '[');
    for (int i = 0; i < is->n_sources; i++) {
        sator_json_open(&out, NULL, '{');
        sator_json_text(&out, "kind", kinds[is->sources[i].kind]);
        sator_json_text(&out, "name", report_utf8(arena, is->sources[i].name));
        sator_json_close(&out, '}');
    }
    sator_json_close(&out, ']');
    sator_json_open(&out, "tensors", '[');
    for (int a = 0; a < is->n_accesses; a++)
        write_access(&out, arena, window, a);
    sator_json_close(&out, ']');
    sator_json_close(&out, '}');
    return sator_text_take(&text);
}
