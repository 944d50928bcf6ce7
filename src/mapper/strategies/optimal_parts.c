/* Problems that are searched together (doc/search.md, "Skews that are searched together").
 *
 * Unrollings and innermost tiles are listed by the bounds of a joint problem, which hold for each.
 * Those that these leave are bounded again in every one of them, and followed there.
 */
#include "mapper/strategies/optimal.h"

#include <string.h>

struct optimal_part {
    struct mapper_words *words; /* NULL: nobody has asked for it yet */
    struct optimal_plan plan;
    struct optimizer *optimizer; /* or NULL */
    bool has_started; /* sator_mapper_start */
};

/* What the search is at while it is at none. */
struct joint {
    const struct mapper_problem *problem;
    struct mapper_words *words;
};

/* Let the search be at the "k"-th part; the second lets it be where it was. */
static struct optimal_part *enter(struct optimizer *o, int k, struct joint *joint)
{
    struct mapper_search *search = o->search;

    if (o->part == NULL)
        o->part = SATOR_NEW_ARRAY(o->arena, struct optimal_part, o->group->n);
    struct optimal_part *part = &o->part[k];
    if (part->words == NULL)
        part->words = sator_mapper_words_new(o->group->part[k]);
    *joint = (struct joint){search->problem, search->words};
    search->problem = o->group->part[k];
    search->words = part->words;
    return part;
}

static void leave(struct optimizer *o, const struct joint *joint)
{
    o->search->problem = joint->problem;
    o->search->words = joint->words;
}

/* The part's optimizer, with what the joint one knows by now. */
static struct optimizer *brief(struct optimizer *o, struct optimal_part *part)
{
    if (part->optimizer == NULL) {
        part->plan = *o->plan;
        part->plan.problem = o->search->problem;
        part->optimizer = optimal_new(o->search, &part->plan);
        part->optimizer->table.climbs_at = UINT64_MAX; /* the joint one lets all of them climb */
    }
    memcpy(part->optimizer->table.outer, o->table.outer, sizeof o->table.outer);
    optimal_find_least(part->optimizer);
    part->optimizer->at.width = o->at.width;
    part->optimizer->at.parts = o->at.parts;
    part->optimizer->at.follows_all = true;
    return part->optimizer;
}

bool optimal_has_parts(const struct optimizer *o)
{
    const struct mapper_group *group = o->group;
    bool any = false;

    for (int k = 0; k < group->n && !any; k++)
        any = !sator_mapper_is_elsewhere(group, k, &o->at.mapping);
    return any;
}

void optimal_follow_parts(struct optimizer *o, const struct visit *visit)
{
    int m = o->problem->n_memories - 1;
    const struct tile_list *tiles = &o->table.tile_list[m];

    for (int k = 0; k < o->group->n && (m == 0 || tiles->count > 0); k++) {
        struct joint joint;
        if (sator_mapper_is_elsewhere(o->group, k, &o->at.mapping))
            continue;
        struct optimizer *part = brief(o, enter(o, k, &joint));
        optimal_visit_orders(part, visit, m > 0 ? tiles : NULL);
        leave(o, &joint);
        o->at.follows_all &= part->at.follows_all;
        o->table.n_listings += part->table.n_listings;
        part->table.n_listings = 0;
    }
}

void optimal_climb_in_part(struct optimizer *o, int tries)
{
    struct joint joint;
    struct optimal_part *part = enter(o, o->table.n_climbs++ % o->group->n, &joint);

    if (!part->has_started)
        sator_mapper_start(o->search, START_TRIES);
    part->has_started = true;
    sator_mapper_climb(o->search, tries);
    leave(o, &joint);
}

void optimal_free_parts(struct optimizer *o)
{
    for (int k = 0; o->part != NULL && k < o->group->n; k++) {
        if (o->part[k].optimizer != NULL)
            optimal_free(o->part[k].optimizer);
        if (o->part[k].words != NULL)
            sator_mapper_words_free(o->part[k].words);
    }
}
