/* SPDX-License-Identifier: Apache-2.0 */
/* Streams cut into pieces for a pipeline. */
#ifndef COR_COLL_PIECES_H
#define COR_COLL_PIECES_H

#include "coll/plan/plan.h"

enum { COR_PIECES_MAX = 4096 }; /* longer streams get longer pieces: a plan has steps for each of them */

typedef struct cor_pieces {
    cor_ref whole;
    size_t bytes; /* of each but the last */
    int count;    /* at least one, which may be empty */
} cor_pieces;

/* Of about `segment` bytes, and whole elements. */
static inline cor_pieces cor_pieces_cut(const cor_plan *plan, cor_ref whole, size_t segment)
{
    size_t element = plan->element_bytes ? plan->element_bytes : 1;
    size_t least = (whole.bytes + COR_PIECES_MAX - 1) / COR_PIECES_MAX;
    size_t bytes = segment > least ? segment : least;
    if (bytes >= whole.bytes)
        return (cor_pieces){whole, whole.bytes, 1};
    bytes = (bytes + element - 1) / element * element;
    return (cor_pieces){whole, bytes, (int)((whole.bytes + bytes - 1) / bytes)};
}

static inline cor_ref cor_piece(const cor_pieces *pieces, int number)
{
    size_t offset = (size_t)number * pieces->bytes, left = pieces->whole.bytes - offset;
    return cor_ref_part(pieces->whole, offset, left < pieces->bytes ? left : pieces->bytes);
}

#endif
