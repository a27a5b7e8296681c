/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The knob `check`: accesses that conflict inside an epoch, and assertions of fences that are not true.
 *
 * A rank keeps the ranges of bytes that its operations access, at each target and in its own buffers, until they are
 * complete. An operation that conflicts with one of these is not started: COR_ERR_RMA_CONFLICT, and a sentence with
 * both operations and ranges. In a fence all ranks exchange their ranges, and all of them learn of a conflict between
 * operations of different ranks in the epoch that it ends.
 *
 * Of two operations on the same bytes of a target, two gets do not conflict, two accumulating ones, nor one that only
 * reads (MPI_NO_OP) with a get. In own buffers two operations conflict unless both only read.
 *
 * Not seen: loads and stores of the program; conflicts between ranks in epochs other than of fences; buffers that are
 * not contiguous. An operation with a request is compared with those before it, but of it only what it puts or updates
 * at its target is kept, because the request may be complete long before the epoch ends.
 *
 * Of the assertions of a fence it is seen that not all ranks say that nothing precedes, or succeeds; that a rank says
 * that nothing precedes after operations of its own; and that a rank says that nobody puts, and somebody does before
 * the next fence.
 *
 * All with the rank's lock held, unless it says otherwise. win->check is NULL without the knob.
 */
#ifndef COR_WIN_CHECK_H
#define COR_WIN_CHECK_H

#include "win/win_state.h"

/* COR_ERR_MEMORY. */
int win_check_open(cor_win *win);
void win_check_close(cor_win *win);

/* An operation begins, whose memory begins `at` bytes (or at this address) of the target's. COR_ERR_RMA_CONFLICT,
 * COR_ERR_MEMORY: it must not. */
int win_check_start(cor_win *win, const cor_win_op *op, uint64_t at, int has_request);
/* What this rank has started at this target, or COR_WIN_ALL, is complete; or is so in its own buffers. */
void win_check_forget(cor_win *win, int target, int is_local);
static inline void win_check_complete(cor_win *win, int target)
{
    if (COR_UNLIKELY(win->check != NULL))
        win_check_forget(win, target, 0);
}
static inline void win_check_complete_local(cor_win *win, int target)
{
    if (COR_UNLIKELY(win->check != NULL))
        win_check_forget(win, target, 1);
}
/* Collective, without the lock: a fence, once everything is complete; did this member have operations since the last
 * one? COR_ERR_RMA_CONFLICT or COR_ERR_RMA_ASSERT at all members or at none. */
int win_check_fence(cor_win *win, int asserts, int has_ops);

#endif
