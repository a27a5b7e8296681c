/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranks of a node have to combine, and where it is read. See board.h. */
#ifndef COR_COLL_BOARD_VALUES_H
#define COR_COLL_BOARD_VALUES_H

#include "coll/board/board_area.h"
#include "coll/board/board_stream.h"

/* Threads of one process may read each other's values where they are (`is_offered`), in whatever the program has them;
 * all others, and short ones, find them in the halves of the board. */
typedef struct cor_board_values {
    cor_board *board;
    const cor_call *call;
    const cor_payload *own;
    size_t bytes;
    int is_offered;
    const cor_payload *offers[COR_FEW_RANKS];
    const char *mapped[COR_FEW_RANKS];
    int error; /* of an operator, the first */
} cor_board_values;

cor_board_values cor_board_values_of(cor_board *board, const cor_call *call);
/* The largest number of whole elements in so many bytes, one at least. */
size_t cor_board_whole_elements(const cor_board_values *values, size_t bytes);

/* Offer ours and wait until all have offered theirs; cor_board_end_values takes ours back. COR_ERR_PEER;
 * COR_ERR_TRUNCATE: the lengths do not fit, which all ranks see. */
int cor_board_offer_values(cor_board_values *values);
/* Find out where the others have theirs, at a time when none of them can have gone on. */
void cor_board_find_values(cor_board_values *values);

/* The end of the operation, which went as `rc` says. Returns that, or the error of an operator. */
int cor_board_end_values(cor_board_values *values, int rc);

/* While values are mapped nothing may be waited for, nor copied but from or to plain memory. Returns 0: they cannot
 * be, and none is. */
int cor_board_map_values(cor_board_values *values);
void cor_board_unmap_values(cor_board_values *values);

/* Combine bytes [offset, offset + bytes), at most half of a half in the second case, which lie at `place` in the
 * halves if they are there. `out` lies apart from all values, or is the place of the last rank. */
void cor_board_combine_mapped(cor_board_values *values, size_t offset, size_t place, char *out, size_t bytes);
void cor_board_combine_copied(cor_board_values *values, size_t offset, char *out, size_t bytes);

#endif
