#include "simulate/touch.h"

bool touch_element(const struct touch *touch, const int64_t *point, uint64_t *element)
{
    const struct sator_piece *piece = touch->piece;
    const struct numbering *numbering = touch->numbering;
    bool holds = false;

    *element = 0;
    if (!sator_cond_holds(piece->cond, point, &holds) || !holds)
        return false;
    for (int d = 0; d < numbering->n_dims; d++) {
        int64_t value = 0;
        if (!sator_expr_value(piece->out[d], point, &value))
            return false;
        *element |= (uint64_t)(value - numbering->least[d]) << numbering->shift[d];
    }
    return true;
}

bool touch_is_inside(const struct sator_relation *set, const int64_t *point)
{
    for (int p = 0; p < set->n_pieces; p++) {
        bool holds = false;
        if (sator_cond_holds(set->pieces[p].cond, point, &holds) && holds)
            return true;
    }
    return false;
}
