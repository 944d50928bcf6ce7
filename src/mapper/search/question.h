/* A question to the mapper, and its answer: the best mapping over all choices of what bypasses
 * what, and over all skews of the arrays. */
#ifndef SATOR_MAPPER_QUESTION_H
#define SATOR_MAPPER_QUESTION_H

#include "mapper/problem/skew.h"
#include "mapper/search/search.h"

/* One question: a problem for every choice and every skew, all with the same constraints. */
struct mapper_question {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct sator_map_options *options;
    double start, deadline; /* as sator_mapper_now; the latter INFINITY where there is no budget */
    double cycle_limit; /* look only for faster mappings; 0: for any */
    bool only_starts; /* by the roofline: the best of a short search, for one by scheduled times */
    struct mapper_watch *watch; /* where some transfer is counted */
    struct mapper_choices choices;
    struct mapper_skews skews;
    int n_problems, n_unskewed; /* the first ones, one a choice */
    int n_apart; /* those come first whose loops are not joined across memories, and in which all
                    words have a formula or no array is skewed; then those where others count */
    int n_counted; /* up to these */
    int n_short; /* up to these, skewed ones whose factors need not divide; then those joined */
    int n_skewed; /* skews of choices of either kind */
    bool leaves_counted; /* there are none of the latter, by other strategies */
    struct mapper_problem *problems;
    int *choice; /* of each problem */
};

/* question.c: make the problems of a question whose fields down to "cycle_limit" are set.
 * SATOR_INPUT with a message for what the mapper does not map, SATOR_INFEASIBLE where no mapping is
 * legal, SATOR_LIMIT where the strategy may not try as many. The watch is to be freed, whatever the
 * answer (sator_mapper_watch_free). */
enum sator_status sator_mapper_ask(struct mapper_question *question);
/* The number of mappings of all problems; NAN where only a limit of it is known. */
double sator_mapper_size(const struct mapper_question *question);

/* climb_choices.c: where there are many choices of what bypasses what, a good mapping over all of
 * them, in choice "*best", before any is searched; "order" is then of what they are worth. */
void sator_mapper_climb_choices(const struct mapper_question *question,
        struct mapper_search *search, int *order, int *best);

/* skew_groups.c: the group of problem "first", one of a skew under which words are counted, and of
 * those that can be searched with it, all of which are then "taken": skews between which bounds see
 * no difference but in how far links lead and how long runs take. NULL: there are no others. */
const struct mapper_group *sator_mapper_group_skews(
        const struct mapper_question *question, const bool *possible, bool *taken, int first);

/* climb_choices.c: a good mapping over the skews under which words are counted, before any of them
 * is searched. */
void sator_mapper_start_skews(
        const struct mapper_question *question, struct mapper_search *search, int *best);

struct mapper_answer {
    struct mapper_search search; /* with the best mapping, its problem, and the words to count it */
    int best; /* the number of that problem */
    double unskewed; /* what it would be worth if no array were skewed; NAN where none is */
    bool is_timed; /* its cost has the scheduled time */
    /* the strategies' */
    struct sator_map_options options;
    struct mapper_timer timer;
};

/* answer.c: search all problems of a question by the strategy of its options. Where no mapping was
 * found ("search.found"), the status and a message say why, but for questions that only ask for
 * faster ones. Free the answer's words (sator_mapper_words_free), whatever the status. */
enum sator_status sator_mapper_answer(
        struct mapper_question *question, struct mapper_answer *answer);

#endif
