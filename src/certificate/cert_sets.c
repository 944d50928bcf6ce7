/* Sizes of sums of arithmetic progressions: what a dimension of a tensor takes over a tile.
 *
 * Sums without gaps, { 0, g, .., (L - 1) g }, are known by L alone: another progression of step s,
 * a multiple of g no longer than L g, leaves no gap either. Others are marked one by one, as far as
 * that is possible; beyond it the longest gapless part is a lower bound of their number.
 */
#include "certificate/certificate.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_MARKS = 1 << 13
};

struct sums {
    bool is_gapless;
    int64_t step, length; /* gapless */
    int64_t span; /* from the least to the greatest */
};

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/* The progressions of more than one member, the least step first. */
static int sort(int n, const struct cert_run *runs, struct cert_run *sorted)
{
    int count = 0;

    for (int i = 0; i < n; i++) {
        struct cert_run run = {magnitude(runs[i].step), runs[i].count};
        int at = count;
        if (run.count <= 1)
            continue;
        for (; at > 0 && sorted[at - 1].step > run.step; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = run;
        count++;
    }
    return count;
}

static struct sums gapless_part(int n, const struct cert_run *sorted)
{
    struct sums sums = {true, n > 0 ? sorted[0].step : 1, 1, 0};

    for (int i = 0; i < n; i++) {
        const int64_t times = sums.step == 1 ? sorted[i].step : sorted[i].step / sums.step;
        sums.span += sorted[i].step * (sorted[i].count - 1);
        if (times * sums.step == sorted[i].step && times <= sums.length)
            sums.length += times * (sorted[i].count - 1);
        else
            sums.is_gapless = false;
    }
    return sums;
}

/* Add the runs to what is marked from 0 to "reach". */
static void spread(int n, const struct cert_run *sorted, int64_t reach, unsigned char *marks)
{
    for (int i = 0; i < n; i++) {
        int64_t more = sorted[i].step * (sorted[i].count - 1);
        for (int64_t at = reach; at >= 0; at--) { /* those below are as before */
            for (int64_t k = 1; marks[at] && k < sorted[i].count; k++)
                marks[at + k * sorted[i].step] = 1;
        }
        reach += more;
    }
}

static void mark(int n, const struct cert_run *sorted, int64_t span, unsigned char *marks)
{
    memset(marks, 0, (size_t)span + 1);
    marks[0] = 1;
    spread(n, sorted, 0, marks);
}

double cert_sums(int n, const struct cert_run *runs)
{
    struct cert_run sorted[CERT_RUNS];
    unsigned char marks[MOST_MARKS + 1];
    int count = sort(n, runs, sorted);
    struct sums sums = gapless_part(count, sorted);
    int64_t found = 0;

    if (sums.is_gapless || sums.span > MOST_MARKS)
        return (double)sums.length;
    mark(count, sorted, sums.span, marks);
    for (int64_t at = 0; at <= sums.span; at++)
        found += marks[at];
    return (double)found;
}

bool cert_gapless(int n, const struct cert_run *runs, int64_t *step, int64_t *length)
{
    struct cert_run sorted[CERT_RUNS];
    struct sums sums = gapless_part(sort(n, runs, sorted), sorted);

    *step = sums.step;
    *length = sums.length;
    return sums.is_gapless;
}

double cert_common(int n, const struct cert_run *runs, int64_t shift)
{
    struct cert_run sorted[CERT_RUNS];
    unsigned char marks[MOST_MARKS + 1];
    int count = sort(n, runs, sorted);
    struct sums sums = gapless_part(count, sorted);
    int64_t moved = magnitude(shift), found = 0;

    if (moved > sums.span)
        return 0;
    if (sums.is_gapless) {
        if (moved % sums.step != 0 || moved / sums.step >= sums.length)
            return 0;
        return (double)(sums.length - moved / sums.step);
    }
    if (sums.span > MOST_MARKS) { /* at most all: no more than places, nor than combinations */
        double all = 1;
        for (int i = 0; i < count; i++)
            all *= (double)sorted[i].count;
        return all < (double)sums.span + 1 ? all : (double)sums.span + 1;
    }
    mark(count, sorted, sums.span, marks);
    for (int64_t at = moved; at <= sums.span; at++)
        found += marks[at] & marks[at - moved];
    return (double)found;
}

double cert_both(int n, const struct cert_run *runs, int n_other, const struct cert_run *others,
        int64_t shift)
{
    struct cert_run sorted[CERT_RUNS], other[CERT_RUNS];
    unsigned char marks[MOST_MARKS + 1], moved[MOST_MARKS + 1];
    const int count = sort(n, runs, sorted), n_moved = sort(n_other, others, other);
    const struct sums a = gapless_part(count, sorted), b = gapless_part(n_moved, other);
    const int64_t first = shift > 0 ? shift : 0,
                  last = a.span < b.span + shift ? a.span : b.span + shift;
    int64_t found = 0;

    if (first > last)
        return 0;
    if ((a.is_gapless && b.is_gapless && (a.step == 1 || a.length == 1) &&
                (b.step == 1 || b.length == 1)) ||
            a.span > MOST_MARKS || b.span > MOST_MARKS)
        return (double)(last - first + 1); /* at most, where they are many */
    mark(count, sorted, a.span, marks);
    mark(n_moved, other, b.span, moved);
    for (int64_t at = first; at <= last; at++)
        found += marks[at] & moved[at - shift];
    return (double)found;
}

double cert_most_common(int n, const struct cert_run *runs, int64_t shift)
{
    struct cert_run sorted[CERT_RUNS];
    struct sums sums = gapless_part(sort(n, runs, sorted), sorted);
    int64_t moved = (magnitude(shift) + sums.step - 1) / sums.step;

    if (!sums.is_gapless)
        return cert_sums(n, runs); /* all of them */
    return moved >= sums.length ? 0 : (double)(sums.length - moved);
}

double cert_common_of_all(int n_set, int n, const struct cert_run *runs, int64_t shift)
{
    struct cert_run set[CERT_RUNS], places[CERT_RUNS];
    unsigned char marks[MOST_MARKS + 1], fresh[MOST_MARKS + 1];
    int n_sorted = sort(n_set, runs, set), n_places = sort(n - n_set, runs + n_set, places);
    int64_t span = gapless_part(n_sorted, set).span, moved = magnitude(shift), left = 0;
    int64_t all = span + gapless_part(n_places, places).span;

    if (n_places == 0 || all > MOST_MARKS)
        return cert_common(n, runs, shift);
    mark(n_sorted, set, span, marks);
    memset(fresh, 0, (size_t)all + 1);
    for (int64_t at = 0; at <= span; at++) /* sets are their own mirror images: so is the answer */
        fresh[at] = marks[at] && (at < moved || !marks[at - moved]);
    spread(n_places, places, span, fresh);
    for (int64_t at = 0; at <= all; at++)
        left -= fresh[at];
    return cert_sums(n, runs) + (double)left;
}
