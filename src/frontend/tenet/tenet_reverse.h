/* The inverse of a relation, one piece at a time. */
#ifndef SATOR_FRONTEND_TENET_REVERSE_H
#define SATOR_FRONTEND_TENET_REVERSE_H

#include "relation/relation.h"

/* The relation { Out[q] -> In[p] } for piece "piece" of "relation" { In[p] -> Out[q] }, which has
 * as many inputs as outputs; NULL when a number overflows. A permutation of the inputs with offsets
 * added becomes such an expression again ("offsets", n_in numbers, is then how far In[p] lies from
 * Out[q] when nothing is permuted, and
 * "*is_shift" is set); any other piece becomes a condition on its result. With "proper" pairs of
 * equal tuples are left out; "*is_identity" says that nothing else was in the piece. */
const struct sator_relation *sator_tenet_reverse(struct sator_arena *arena,
        const struct sator_relation *relation, const struct sator_piece *piece, bool proper,
        bool *is_shift, bool *is_identity, int64_t *offsets);

#endif
