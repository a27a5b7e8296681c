/* SPDX-License-Identifier: Apache-2.0 */
/* The values that the ranks of a node combine, and where they are read. See board.h. */
#ifndef COR_COLL_BOARD_VALUES_H
#define COR_COLL_BOARD_VALUES_H

#include "coll/board/board_area.h"
#include "coll/board/board_stream.h"

/* Threads of one process may read each other's values where they are (`is_offered`), in the program's own memory; all
 * others, and short ones, find them in the halves of the board. */
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
/* The bytes of the whole elements that fit into `bytes`, one at least. */
size_t cor_board_whole_elements(const cor_board_values *values, size_t bytes);

/* Offer this rank's values and wait until all have offered theirs; cor_board_end_values withdraws them. COR_ERR_PEER;
 * COR_ERR_TRUNCATE, at all ranks: the lengths do not fit. */
int cor_board_offer_values(cor_board_values *values);
/* Look up where the others have their values, while none of them can have left the operation. */
void cor_board_find_values(cor_board_values *values);

/* End the operation, whose result is `rc`. Returns that, or the error of an operator. */
int cor_board_end_values(cor_board_values *values, int rc);

/* While values are mapped, no wait is allowed, and copies only from or to plain memory. Returns 0 if the values cannot
 * be mapped; then none is. */
int cor_board_map_values(cor_board_values *values);
void cor_board_unmap_values(cor_board_values *values);

/* Combine bytes [offset, offset + bytes), at most half of a half in the second case; if the values are in the halves,
 * they are at `place` there. `out` overlaps none of them, or is the place of the last rank. */
void cor_board_combine_mapped(cor_board_values *values, size_t offset, size_t place, char *out, size_t bytes);
void cor_board_combine_copied(cor_board_values *values, size_t offset, char *out, size_t bytes);

#endif
