/* Skews under which words are counted, searched together (doc/search.md, "Skews that are searched
 * together").
 *
 * Their problems differ in how far their links lead back or ahead, and in how long a run takes.
 * With the most of the one and the least of the other, bounds hold for all of them: these make a
 * joint problem, whose unrollings and tiles are listed once.
 */
#include "mapper/search/question.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* ---- which are searched together ---- */

/* Whether bounds see no difference in how two transfers cross but in how far links lead: all that
 * brings them words does so late, or is no link. */
static bool cross_alike(const struct mapper_transfer *a, const struct mapper_transfer *b)
{
    bool alike = a->is_complex == b->is_complex && a->is_counted == b->is_counted &&
            (a->links_alone == NULL) == (b->links_alone == NULL);

    if (a->links_alone != NULL) /* of which there are as many */
        return alike && a->collapsed == b->collapsed && a->n_passes == b->n_passes;
    return alike && !a->is_counted && a->n_passes == 0 && b->n_passes == 0 &&
            a->n_buses == b->n_buses && a->collapsed == b->collapsed;
}

/* The usual order of loops that share a row may be another one, which bounds over such networks do
 * not see. */
static bool are_alike(const struct mapper_problem *a, const struct mapper_problem *b)
{
    bool alike = a->n_transfers == b->n_transfers && a->has_counted && b->has_counted &&
            a->asked_ports == b->asked_ports && a->late_ports == b->late_ports;

    for (int t = 0; t < a->n_transfers && alike; t++)
        alike = cross_alike(&a->transfer[t], &b->transfer[t]);
    return alike;
}

/* Add what the skew of "p" makes possible to the joint problem. */
static void widen(
        struct mapper_problem *joint, struct mapper_skew *skew, const struct mapper_problem *p)
{
    for (int r = 0; r < p->n_rows; r++)
        skew->step[r] |= p->skew->step[r] != 0;
    for (int t = 0; t < p->n_transfers; t++) {
        struct mapper_transfer *to = &joint->transfer[t];
        const struct mapper_transfer *from = &p->transfer[t];
        to->latest = from->latest > to->latest ? from->latest : to->latest;
        to->ahead = from->ahead > to->ahead ? from->ahead : to->ahead;
        to->reaches_back |= from->reaches_back;
    }
    joint->any_order |= p->any_order;
}

static struct mapper_problem *join(const struct mapper_group *group, struct sator_arena *arena)
{
    struct mapper_problem *joint = SATOR_NEW(arena, struct mapper_problem);
    struct mapper_skew *skew = SATOR_NEW(arena, struct mapper_skew);
    const struct mapper_skew **any = SATOR_NEW_ARRAY(arena, const struct mapper_skew *, group->n);

    *skew = (struct mapper_skew){.counted = true, .n_any = group->n, .any = any};
    *joint = *group->part[0];
    joint->skew = skew;
    for (int k = 0; k < group->n; k++) {
        any[k] = group->part[k]->skew;
        widen(joint, skew, group->part[k]);
    }
    return joint;
}

/* ---- which mappings cost the same ---- */

/* Whether two links bring words alike, but for where they lead. */
static bool are_links_alike(const struct mapper_problem *p, const struct mapper_transfer *t,
        const struct sator_link *a, const struct sator_link *b)
{
    double one = sator_mapper_link_pj(p, a, t->access);
    double other = sator_mapper_link_pj(p, b, t->access);

    return a->interval == b->interval && isnan(a->bandwidth_bits) && isnan(b->bandwidth_bits) &&
            (one == other || (isnan(one) && isnan(other)));
}

/* How far a link leads along row "r" of the array with rows "a" and "b" exchanged, or, if they are
 * the same one, with that row running backwards. */
static int64_t turned(const int64_t *shift, int a, int b, int r)
{
    return a == b && r == a ? -shift[r] : shift[r == a ? b : r == b ? a : r];
}

/* Whether the transfer has a link like "pass" that leads where "pass" does in that array. */
static bool has_image(const struct mapper_problem *p, const struct mapper_transfer *t,
        const struct mapper_pass *pass, int a, int b)
{
    bool any = false;

    for (int i = 0; i < t->n_passes && !any; i++) {
        const struct mapper_pass *other = &t->passes[i];
        any = other->is_constant && are_links_alike(p, t, pass->link, other->link);
        for (int r = 0; r < p->n_rows && any; r++)
            any = other->shift[r] == turned(pass->shift, a, b, r);
    }
    return any;
}

/* Whether that array has the same links. Wires that words go round on are cut at some PE, and then
 * it matters at which. */
static bool has_images(const struct mapper_problem *p, int a, int b)
{
    bool has = true;

    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_transfer *transfer = &p->transfer[t];
        has &= transfer->links_alone == NULL || !transfer->links_alone->may_go_round;
        for (int i = 0; i < transfer->n_passes && has; i++)
            has = !transfer->passes[i].is_idle &&
                    has_image(p, transfer, &transfer->passes[i], a, b);
        for (int i = 0; i < transfer->n_buses; i++)
            has &= (transfer->bus_rows[i] >> a & 1) == (transfer->bus_rows[i] >> b & 1);
    }
    return has;
}

/* Whether rows "a" and "b" have the same room, and constraints leave them the same loops. */
static bool are_rows_alike(const struct mapper_problem *p, int a, int b)
{
    const struct mapper_row *one = &p->row[a], *other = &p->row[b];

    return one->is_space && other->is_space && one->level == other->level &&
            one->shape == other->shape && one->banned == other->banned && !one->has_skew &&
            !other->has_skew && p->n_spread_limits == 0;
}

static bool turns(const struct mapper_group *group, int a, int b)
{
    bool turns = are_rows_alike(group->joint, a, b) && group->joint->skew->step[a] != 0;

    for (int k = 0; k < group->n && turns; k++)
        turns = has_images(group->part[k], a, b);
    return turns;
}

static void find_turns(struct mapper_group *group)
{
    for (int b = 0; b < group->joint->n_rows; b++) {
        group->mirrored |= turns(group, b, b) ? 1U << b : 0;
        for (int a = 0; a < b && group->n_swaps < MAPPER_ROWS; a++) {
            if (!turns(group, a, b))
                continue;
            group->swap[group->n_swaps][0] = a;
            group->swap[group->n_swaps++][1] = b;
        }
    }
}

/* Whether the values of "loop" only name elements: with these exchanged in any way all else is as
 * it was. */
static bool is_name(const struct mapper_problem *p, int loop)
{
    bool is_name = true;

    for (int a = 0; a < p->n_accesses && is_name; a++) {
        const struct mapper_access *access = &p->access[a];
        is_name = !(access->relevant >> loop & 1) ||
                ((access->plain >> loop & 1) &&
                        access->index[access->index_of[loop]].joint == NULL);
    }
    return is_name;
}

/* Whether on rows "a" and "b" both (or the one) there is a loop of which it matters which PE has
 * which values. */
static bool have_windows(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int a, int b)
{
    bool any = false;

    for (int i = 0; i < p->n_loops && !any; i++)
        any = mapping->factor[a][i] > 1 && mapping->factor[b][i] > 1 && !is_name(p, i);
    return any;
}

/* Whether the mapping costs as much under the skew "other" (NULL: none), rows "a" and "b" of the
 * array exchanged: what it costs in the "k"-th part does not depend on skews along rows that it
 * does not use, nor on the sign of others. */
static bool costs_the_same(const struct mapper_group *group, int k, const struct mapper_skew *other,
        int a, int b, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = group->part[k];
    bool same = a == b || !have_windows(p, mapping, a, b);

    for (int r = 0; r < p->n_rows && same; r++) {
        int64_t one = p->skew->step[r];
        int64_t two = other == NULL ? 0 : other->step[r == a ? b : r == b ? a : r];
        if (one == two || mapper_steps_at(p, mapping, r) == 1)
            continue;
        same = one == -two && (group->mirrored >> r & 1) && !have_windows(p, mapping, r, r);
    }
    return same;
}

/* The factors of row "a" against those of row "b": below 0 if an unrolling with these exchanged
 * comes before it, the greater ones first. */
static int against(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int a, int b)
{
    for (int i = 0; i < p->n_loops; i++) {
        if (mapping->factor[a][i] != mapping->factor[b][i])
            return mapping->factor[a][i] < mapping->factor[b][i] ? -1 : 1;
    }
    return 0;
}

bool sator_mapper_is_elsewhere(
        const struct mapper_group *group, int k, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = group->part[k];
    bool is = !sator_mapper_wants_skew(p) && costs_the_same(group, k, NULL, 0, 0, mapping);

    for (int i = 0; i < k && !is; i++)
        is = costs_the_same(group, k, group->part[i]->skew, 0, 0, mapping);
    for (int s = 0; s < group->n_swaps && !is; s++) {
        int a = group->swap[s][0], b = group->swap[s][1];
        int order = against(p, mapping, a, b), n = order < 0 ? group->n : order == 0 ? k : 0;
        for (int i = 0; i < n && !is; i++)
            is = costs_the_same(group, k, group->part[i]->skew, a, b, mapping);
    }
    return is;
}

/* ---- a group ---- */

const struct mapper_group *sator_mapper_group_skews(
        const struct mapper_question *q, const bool *possible, bool *taken, int first)
{
    struct mapper_group *group = SATOR_NEW(q->arena, struct mapper_group);
    const struct mapper_problem *one = &q->problems[first];

    *group = (struct mapper_group){.n = 0};
    group->part = SATOR_NEW_ARRAY(q->arena, const struct mapper_problem *, q->n_problems);
    for (int i = first; i < q->n_counted; i++) {
        if (!possible[i] || taken[i] || q->choice[i] != q->choice[first] ||
                !are_alike(one, &q->problems[i]))
            continue;
        taken[i] = true;
        group->part[group->n++] = &q->problems[i];
    }
    if (group->n <= 1)
        return NULL;
    group->joint = join(group, q->arena);
    find_turns(group);
    return group;
}
