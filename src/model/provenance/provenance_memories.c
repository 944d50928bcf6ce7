/* Which memory has a word: the innermost of those that hold its tensor whose instance has had the
 * element since before this stamp, in the tile that it holds now or in the one before (what a tile
 * keeps from the one before is not sent again); the outermost where none has.
 */
#include "base/context.h"
#include "base/memo.h"
#include "model/provenance/provenance_parts.h"

#include <stdlib.h>
#include <string.h>

/* A memory that holds the tensor. */
struct holder {
    int source;
    int time_cut, space_cut;
    int64_t instance_pes; /* PEs below one instance */
    int *tiles; /* number of the tile that each stamp of the window lies in */
    struct sator_memo
            *had; /* int64_t: (instance, element) -> 1 + the latest tile that it was touched in */
};

struct memories {
    struct provenance *p;
    int access;
    int n_holders;
    struct holder *holders; /* innermost first */
};

static bool names_access(const struct sator_level_result *level, const struct sator_access *access)
{
    for (int t = 0; t < level->n_tensors; t++) {
        if (level->tensors[t].role == access->role &&
                strcmp(level->tensors[t].name, access->tensor) == 0)
            return true;
    }
    return false;
}

static const int64_t *stamp(const struct provenance *p, int number)
{
    return p->stamps + (size_t)number * (size_t)p->visit.n_time;
}

static void add_holder(struct memories *m, const struct sator_level_result *level)
{
    struct provenance *p = m->p;
    struct holder holder = {.source = provenance_source(p, SATOR_FROM_MEMORY, level->name),
            .time_cut = level->time_cut,
            .space_cut = level->space_cut,
            .instance_pes = 1,
            .tiles = SATOR_NEW_ARRAY(p->arena, int, p->n_stamps + 1),
            .had = sator_memo_new(sizeof(int64_t))};

    for (int i = level->space_cut; i < p->n_space; i++)
        holder.instance_pes *= p->shape[i];
    for (int s = 1; s < p->n_stamps; s++)
        holder.tiles[s] = holder.tiles[s - 1] +
                (visit_compare(stamp(p, s - 1), stamp(p, s), level->time_cut) != 0);
    SATOR_PUSH(p->arena, m->holders, m->n_holders, holder);
}

/* Whether the instance had the element before the first stamp that is known, in tile 0 or, where
 * the stamp lies in that, in the tile before. */
static enum sator_status had_before(const struct memories *m, const struct holder *holder,
        const struct sator_traced_word *word, bool *had)
{
    const struct provenance *p = m->p;
    const struct sator_access_words *words = &p->accesses[m->access].is;
    const struct visit *visit = &p->visit;
    int n = visit->n_time;
    size_t room = sizeof(int64_t) * (size_t)(2 * n + p->n_space + words->n_index + 1);
    int64_t *from = sator_alloc(room), *to = from + n, *pe = to + n, *element = pe + p->n_space;
    int64_t number = word->pe, rest = word->element;
    bool found = true;
    enum sator_status st = SATOR_OK;

    memcpy(from, stamp(p, 0), sizeof *from * (size_t)n);
    memcpy(to, from, sizeof *to * (size_t)n);
    if (holder->tiles[word->stamp] == 0 && holder->time_cut > 0) {
        from[holder->time_cut - 1]--;
        int64_t *tile = sator_alloc(room);
        st = visit_nearest(visit, holder->time_cut, from, true, tile, &found);
        memcpy(from, found ? tile : stamp(p, 0), sizeof *from * (size_t)holder->time_cut);
        free(tile);
    }
    for (int i = holder->time_cut; i < n; i++)
        from[i] = INT64_MIN;
    to[n - 1]--;
    for (int i = p->n_space - 1; i >= 0; i--, number /= p->shape[i + 1])
        pe[i] = number % p->shape[i];
    for (int i = words->n_index - 1; i >= 0; i--, rest /= words->extents[i + 1])
        element[i] = words->origin[i] + rest % words->extents[i];
    const struct visit_demand demands[] = {{visit->space, holder->space_cut, pe},
            {visit->workload->accesses[m->access].relation, words->n_index, element}};
    if (st == SATOR_OK)
        st = visit_any(visit, from, to, 2, demands, had);
    free(from);
    return st;
}

static int64_t *latest_tile(
        const struct holder *holder, const struct sator_traced_word *word, bool *is_new)
{
    int64_t key[] = {word->pe / holder->instance_pes, word->element};

    return sator_memo_place(holder->had, key, 2, is_new);
}

static enum sator_status find_memory(struct memories *m, struct sator_traced_word *word)
{
    const struct provenance *p = m->p;
    enum sator_status st = SATOR_OK;

    for (int h = 0; h < m->n_holders; h++) {
        struct holder *holder = &m->holders[h];
        int tile = holder->tiles[word->stamp];
        bool is_new, had = h == m->n_holders - 1;
        if (!had) {
            int64_t *latest = latest_tile(holder, word, &is_new);
            had = *latest >= tile; /* one is added: in this tile or the one before */
            bool reaches_back = *latest == 0 && tile <= 1 && !p->at_start;
            had = had && *latest > 0;
            if (reaches_back && p->visit.n_time > 0)
                SATOR_TRY(had_before(m, holder, word, &had));
        }
        if (had) {
            word->source = holder->source;
            break;
        }
    }
done:
    return st;
}

/* Note that the words of a stamp were touched. */
static void note(struct memories *m, int64_t from, int64_t to)
{
    const struct sator_traced_word *words = m->p->accesses[m->access].is.words;

    for (int h = 0; h < m->n_holders - 1; h++) {
        struct holder *holder = &m->holders[h];
        for (int64_t i = from; i < to; i++) {
            bool is_new;
            *latest_tile(holder, &words[i], &is_new) = 1 + holder->tiles[words[i].stamp];
        }
    }
}

enum sator_status provenance_memories(
        struct provenance *p, int access, const struct sator_result *result)
{
    struct memories m = {.p = p, .access = access};
    struct access_words *words = &p->accesses[access];
    enum sator_status st = SATOR_OK;

    for (int l = result->n_levels - 1; l >= 0; l--) {
        if (names_access(&result->levels[l], &p->visit.workload->accesses[access]))
            add_holder(&m, &result->levels[l]);
    }
    int outside = m.n_holders > 0
            ? -1
            : provenance_source(p, SATOR_FROM_MEMORY, "outside"); /* the machine has none for it */
    for (int s = 0; s < p->n_stamps; s++) {
        for (int64_t i = words->starts[s]; i < words->starts[s + 1] && s >= p->n_before; i++) {
            struct sator_traced_word *word = &words->is.words[i];
            if (word->source < 0 && outside >= 0)
                word->source = outside;
            else if (word->source < 0)
                SATOR_TRY(find_memory(&m, word));
        }
        note(&m, words->starts[s], words->starts[s + 1]);
    }
done:
    for (int h = 0; h < m.n_holders; h++)
        sator_memo_free(m.holders[h].had);
    return st;
}
