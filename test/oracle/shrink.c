/* Greedy descent: try every simplification of one kind after the other and keep those that make the
 * program cheaper and still fail, until none does. Cheaper is measured on what can be reached, so
 * that it ends. */
#include "oracle/shrink.h"

#include <stdlib.h>

struct search {
    struct oracle_program *best;
    int64_t best_cost;
    shrink_fails fails;
    void *user;
    int trials_left;
    bool improved;
};

/* ---- what a program costs ---- */

static int64_t weight(int64_t value)
{
    int64_t size = llabs(value);
    return size < 100 ? size : 100;
}

static int64_t cost_expr(const struct oracle_program *program, int expr)
{
    const struct oracle_expr *e = &program->exprs[expr];

    switch (e->op) {
    case ORACLE_CONST:
        return 1 + weight(e->value);
    case ORACLE_VAR:
        return 3;
    case ORACLE_ADD:
        return 2 + cost_expr(program, e->a) + cost_expr(program, e->b);
    case ORACLE_MUL:
        return 3 + weight(e->value) + cost_expr(program, e->a);
    case ORACLE_DIV:
    case ORACLE_MOD:
        return 4 + weight(e->value) + cost_expr(program, e->a);
    }
    abort();
}

static int64_t cost_exprs(const struct oracle_program *program, int n, const int *exprs)
{
    int64_t cost = 0;
    for (int i = 0; i < n; i++)
        cost += 5 + cost_expr(program, exprs[i]);
    return cost;
}

static int64_t cost_conds(const struct oracle_program *program, const struct oracle_conds *conds)
{
    int64_t cost = 0;
    for (int c = 0; c < conds->n; c++)
        cost += 10 + cost_expr(program, conds->of[c].expr);
    return cost;
}

static int64_t cost_of(const struct oracle_program *program)
{
    int64_t cost = cost_conds(program, &program->domain) +
            cost_exprs(program, program->n_space, program->space) +
            cost_exprs(program, program->n_time, program->time);

    for (int loop = 0; loop < program->n_loops; loop++)
        cost += 5 + 4 * (program->upper[loop] - program->lower[loop]) +
                weight(program->lower[loop]);
    for (int a = 0; a < program->n_accesses; a++) {
        const struct oracle_access *access = &program->accesses[a];
        cost += 20;
        for (int piece = 0; piece < access->n_pieces; piece++)
            cost += 10 + cost_exprs(program, access->n_index, access->pieces[piece].index) +
                    cost_conds(program, &access->pieces[piece].conds);
    }
    for (int l = 0; l < program->n_links; l++) {
        const struct oracle_link *link = &program->links[l];
        cost += 20 + link->interval;
        for (int piece = 0; piece < link->n_pieces; piece++)
            cost += 10 + cost_conds(program, &link->pieces[piece].conds) +
                    (link->pieces[piece].functional
                                    ? cost_exprs(program, program->n_space, link->pieces[piece].out)
                                    : 0);
    }
    for (int b = 0; b < program->n_buses; b++)
        cost += 20 + cost_exprs(program, program->buses[b].n_out, program->buses[b].out) +
                cost_conds(program, &program->buses[b].conds);
    return cost;
}

/* ---- one step ---- */

/* Keep "candidate" if it is cheaper and fails. */
static bool try_program(struct search *search, struct oracle_program *candidate)
{
    int64_t cost = cost_of(candidate);

    if (cost >= search->best_cost || search->trials_left <= 0)
        return false;
    search->trials_left--;
    if (candidate->fits)
        oracle_fit(candidate);
    if (!search->fails(candidate, search->user))
        return false;
    *search->best = *candidate;
    search->best_cost = cost;
    search->improved = true;
    return true;
}

static void remove_int(int *array, int *n, int at)
{
    for (int i = at; i + 1 < *n; i++)
        array[i] = array[i + 1];
    --*n;
}

static void shrink_parts(struct search *search)
{
    struct oracle_program now;

    for (int l = search->best->n_links - 1; l >= 0; l--) {
        now = *search->best;
        for (int i = l; i + 1 < now.n_links; i++)
            now.links[i] = now.links[i + 1];
        now.n_links--;
        try_program(search, &now);
    }
    for (int b = search->best->n_buses - 1; b >= 0; b--) {
        now = *search->best;
        for (int i = b; i + 1 < now.n_buses; i++)
            now.buses[i] = now.buses[i + 1];
        now.n_buses--;
        try_program(search, &now);
    }
    for (int a = search->best->n_accesses - 1; a >= 0 && search->best->n_accesses > 1; a--) {
        now = *search->best;
        for (int i = a; i + 1 < now.n_accesses; i++)
            now.accesses[i] = now.accesses[i + 1];
        now.n_accesses--;
        try_program(search, &now);
    }
    for (int d = search->best->n_time - 1; d >= 0; d--) {
        now = *search->best;
        remove_int(now.time, &now.n_time, d);
        try_program(search, &now);
    }
    for (int d = search->best->n_space - 1; d >= 0; d--) {
        now = *search->best;
        if (now.n_links > 0 || now.n_buses > 0 || now.n_space == 1 || !now.fits)
            break;
        remove_int(now.space, &now.n_space, d);
        try_program(search, &now);
    }
}

static void shrink_conds(struct search *search, size_t offset)
{
    struct oracle_program now = *search->best;
    struct oracle_conds *conds = (struct oracle_conds *)((char *)&now + offset);

    for (int c = conds->n - 1; c >= 0; c--) {
        now = *search->best;
        for (int i = c; i + 1 < conds->n; i++)
            conds->of[i] = conds->of[i + 1];
        conds->n--;
        try_program(search, &now);
    }
}

static void shrink_pieces(struct search *search)
{
    struct oracle_program now;

    shrink_conds(search, offsetof(struct oracle_program, domain));
    for (int a = 0; a < search->best->n_accesses; a++) {
        for (int piece = search->best->accesses[a].n_pieces - 1; piece >= 0; piece--) {
            now = *search->best;
            shrink_conds(
                    search, (size_t)((char *)&now.accesses[a].pieces[piece].conds - (char *)&now));
            now = *search->best;
            for (int i = piece; i + 1 < now.accesses[a].n_pieces; i++)
                now.accesses[a].pieces[i] = now.accesses[a].pieces[i + 1];
            if (--now.accesses[a].n_pieces > 0)
                try_program(search, &now);
        }
    }
    for (int l = 0; l < search->best->n_links; l++)
        for (int piece = search->best->links[l].n_pieces - 1; piece >= 0; piece--) {
            now = *search->best;
            shrink_conds(
                    search, (size_t)((char *)&now.links[l].pieces[piece].conds - (char *)&now));
            now = *search->best;
            for (int i = piece; i + 1 < now.links[l].n_pieces; i++)
                now.links[l].pieces[i] = now.links[l].pieces[i + 1];
            if (--now.links[l].n_pieces > 0)
                try_program(search, &now);
        }
}

/* Drop index dimensions of a tensor in all its accesses at once, so that ranks stay equal. */
static void shrink_indices(struct search *search)
{
    for (int tensor = 0; tensor < search->best->n_tensors; tensor++)
        for (int d = ORACLE_INDEX - 1; d >= 0; d--) {
            struct oracle_program now = *search->best;
            for (int a = 0; a < now.n_accesses; a++) {
                struct oracle_access *access = &now.accesses[a];
                int n = access->n_index;
                if (access->tensor != tensor || d >= n)
                    continue;
                for (int piece = 0; piece < access->n_pieces; piece++) {
                    n = access->n_index;
                    remove_int(access->pieces[piece].index, &n, d);
                }
                access->n_index = n;
            }
            try_program(search, &now);
        }
}

static void shrink_loops(struct search *search)
{
    for (int loop = 0; loop < search->best->n_loops; loop++) {
        int64_t extent = search->best->upper[loop] - search->best->lower[loop];
        int64_t smaller[] = {1, extent / 2, extent - 1};
        struct oracle_program now;
        for (int i = 0; i < 3; i++) {
            now = *search->best;
            if (smaller[i] < 1)
                continue;
            now.upper[loop] = now.lower[loop] + smaller[i];
            if (try_program(search, &now))
                break;
        }
        now = *search->best;
        now.upper[loop] -= now.lower[loop];
        now.lower[loop] = 0;
        try_program(search, &now);
    }
}

/* Replace a node by one of its operands or by 0; a number by one nearer to 0 (or to 2 for a
 * divisor). */
static void shrink_exprs(struct search *search)
{
    for (int i = search->best->n_exprs - 1; i >= 0; i--) {
        struct oracle_program now = *search->best;
        struct oracle_expr *e = &now.exprs[i];
        bool binary = e->op == ORACLE_ADD;
        bool divides = e->op == ORACLE_DIV || e->op == ORACLE_MOD;
        bool has_kid = binary || divides || e->op == ORACLE_MUL;

        *e = (struct oracle_expr){.op = ORACLE_CONST};
        if (try_program(search, &now))
            continue;
        if (has_kid) {
            now = *search->best;
            *e = now.exprs[e->a];
            if (try_program(search, &now))
                continue;
        }
        if (binary) {
            now = *search->best;
            *e = now.exprs[e->b];
            if (try_program(search, &now))
                continue;
        }
        now = *search->best;
        e->value -= e->value > (divides ? 2 : 0) ? 1 : e->value < 0 ? -1 : 0;
        try_program(search, &now);
    }
}

void shrink(struct oracle_program *program, shrink_fails fails, void *user, int max_trials)
{
    struct search search = {.best = program,
            .best_cost = cost_of(program),
            .fails = fails,
            .user = user,
            .trials_left = max_trials,
            .improved = true};

    while (search.improved && search.trials_left > 0) {
        search.improved = false;
        shrink_parts(&search);
        shrink_pieces(&search);
        shrink_indices(&search);
        shrink_loops(&search);
        shrink_exprs(&search);
    }
}
