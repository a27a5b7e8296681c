/* SPDX-License-Identifier: Apache-2.0 */
/* Combining on a board. See board.h. */
#ifndef COR_COLL_BOARD_REDUCE_H
#define COR_COLL_BOARD_REDUCE_H

#include "coll/board/board.h"

/* out = values of rank 0 op ... op values of the last rank, from the places of this operation; `own` are this rank's.
 * `out` overlaps none of them. */
int cor_board_combine(const cor_board *board, const cor_reducer *reducer, const void *own, void *out, size_t bytes);

/* At a root: wait until all others have written values of the length in `word`. COR_ERR_PEER; COR_ERR_TRUNCATE: a
 * length differs, and the operation is abandoned. */
int cor_board_await_values(cor_board *board, uint64_t word);

/* Long reductions; the result goes to the root, or to every rank: root < 0. wanted_bytes: of a piece, as the rule has
 * it. */

/* From rank to rank, each combining its own values with those of the ranks behind it. */
int cor_board_chain(cor_board *board, const cor_call *call, int root, size_t wanted_bytes);
/* Each rank takes the next share that no rank has taken, and combines that. */
int cor_board_shares(cor_board *board, const cor_call *call, int root, size_t wanted_bytes);

/* ---- board_rooted.c: every rank leaves its values, the root combines them ---------------------------------------- */

/* Values longer than a half are combined by shares. */
int cor_board_rooted(cor_board *board, const cor_call *call, int root, size_t wanted_bytes);

/* ---- board_direct.c: threads, directly from each other's buffers ------------------------------------------------ */

/* Each rank combines everything, for itself. At most COR_FEW_RANKS. */
int cor_board_direct(cor_board *board, const cor_call *call);

#endif
