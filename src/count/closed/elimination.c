/* The order in which an image's rows are solved for its classes: rows with one unknown first, what
 * they cannot reach by elimination.
 */
#include "count/closed/image.h"

#include "base/checked.h"

#include <string.h>

static const struct sator_decline dependent = {
        "several instances share a stamp in a way that is no sum along one direction"};

static void find_uses(struct closed_image *image, int first, int end)
{
    for (int r = first; r < end; r++) {
        image->uses[r] = 0;
        for (int c = 0; c < image->n_classes; c++)
            image->uses[r] |= (uint32_t)(image->column[r][c] != 0) << c;
    }
}

/* Take rows that give one more class each, as long as there are any. */
static void peel(struct closed_image *image, int first, int end, uint32_t *known)
{
    bool progress = true;
    while (progress && image->n_steps < image->n_classes) {
        progress = false;
        for (int r = first; r < end; r++) {
            uint32_t unknown = image->uses[r] & ~*known;
            if (unknown == 0 || (unknown & (unknown - 1)) != 0)
                continue;
            int class = __builtin_ctz(unknown);
            *known |= unknown;
            image->unsolved &= r < image->n_rows ? ~((uint64_t)1 << r) : ~(uint64_t)0;
            image->step[image->n_steps++] = (struct closed_step){.row = r,
                    .class = class,
                    .others = image->uses[r] & ~unknown,
                    .divisor = image->column[r][class]};
            progress = true;
        }
    }
}

/* Replace combined row "to" by to * a - from * b so that "class" leaves it. */
static const struct sator_decline *eliminate(
        struct closed_image *image, int to, int from, int class)
{
    int64_t *x = image->column[image->n_rows + to];
    const int64_t *y = image->column[image->n_rows + from];
    int64_t common = sator_gcd(x[class], y[class]);
    int64_t a = y[class] / common;
    int64_t b = x[class] / common;
    int64_t unit = 0;
    for (int c = 0; c < image->n_classes; c++) {
        sator_int value = (sator_int)x[c] * a - (sator_int)y[c] * b;
        if (value > CLOSED_BOUND || value < -CLOSED_BOUND)
            return DECLINE("the stamps' equations have too large coefficients");
        x[c] = (int64_t)value;
        unit = sator_gcd(unit, x[c]);
    }
    for (int r = 0; r < image->n_rows; r++) {
        sator_int value =
                (sator_int)image->combine[to][r] * a - (sator_int)image->combine[from][r] * b;
        if (value > CLOSED_BOUND || value < -CLOSED_BOUND)
            return DECLINE("the stamps' equations have too large coefficients");
        image->combine[to][r] = (int64_t)value;
        unit = sator_gcd(unit, image->combine[to][r]);
    }
    for (int c = 0; c < image->n_classes && unit > 1; c++)
        x[c] /= unit;
    for (int r = 0; r < image->n_rows && unit > 1; r++)
        image->combine[to][r] /= unit;
    return NULL;
}

/* The unknown class of greatest span that is not yet "done"; -1 when there is none. */
static int widest(const struct closed_image *image, uint32_t done)
{
    int best = -1;
    for (int c = 0; c < image->n_classes; c++) {
        if (!(done >> c & 1) && (best < 0 || image->span[c] > image->span[best]))
            best = c;
    }
    return best;
}

/* Gauss-Jordan elimination of the classes that peeling could not reach, the widest first. Classes
 * without a pivot become parameters, if the values to try are few. */
static const struct sator_decline *combine_rows(struct closed_image *image, uint32_t *known)
{
    bool is_pivot[CLOSED_ROWS] = {false};
    uint32_t done = *known;
    int64_t tries = 1;
    for (int r = 0; r < image->n_rows; r++) {
        memset(image->combine[r], 0, sizeof *image->combine[r] * (size_t)image->n_rows);
        image->combine[r][r] = 1;
        memcpy(image->column[image->n_rows + r], image->column[r], sizeof image->column[r]);
    }
    for (int c = widest(image, done); c >= 0; c = widest(image, done)) {
        int pivot = -1;
        for (int r = 0; r < image->n_rows && pivot < 0; r++) {
            if (!is_pivot[r] && image->column[image->n_rows + r][c] != 0)
                pivot = r;
        }
        done |= (uint32_t)1 << c;
        if (pivot < 0) {
            if (image->span[c] > CLOSED_TRIES || image->n_parameters == CLOSED_PARAMETERS)
                return &dependent;
            tries *= 2 * image->span[c] + 1;
            image->parameter[image->n_parameters++] = c;
            continue;
        }
        is_pivot[pivot] = true;
        for (int r = 0; r < image->n_rows; r++) {
            if (r == pivot || image->column[image->n_rows + r][c] == 0)
                continue;
            const struct sator_decline *why = eliminate(image, r, pivot, c);
            if (why != NULL)
                return why;
        }
    }
    if (tries > CLOSED_TRIES)
        return &dependent;
    for (int i = 0; i < image->n_parameters; i++)
        *known |= (uint32_t)1 << image->parameter[i];
    find_uses(image, image->n_rows, image->n_rows * 2);
    peel(image, image->n_rows, image->n_rows * 2, known);
    return image->n_steps + image->n_parameters == image->n_classes ? NULL : &dependent;
}

const struct sator_decline *closed_image_order(struct closed_image *image)
{
    uint32_t known = 0;
    image->unsolved = ((uint64_t)1 << image->n_rows) - 1;
    peel(image, 0, image->n_rows, &known);
    if (image->n_steps == image->n_classes)
        return NULL;
    const struct sator_decline *why = combine_rows(image, &known);
    return why != NULL || closed_image_is_bijection(image) ? why : &dependent;
}
