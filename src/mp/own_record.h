/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of a job whose ranks are threads of one process. No launcher looks at it, so the process does so itself: the
 * first rank that opens makes it, a thread of its own looks for a stall, and the last rank that closes writes what the
 * settings trace.* ask for.
 */
#ifndef COR_MP_TEAM_RECORD_H
#define COR_MP_TEAM_RECORD_H

#include "mp/mp.h"

/* A rank opens: the descriptor of its team's record, or -1 where there is none. Sets rank->team_record. */
int cor_team_record_join(cor_rank *rank);
/* It has closed its part. */
void cor_team_record_leave(cor_rank *rank);
/* The process is about to end: write what there is. */
void cor_team_record_abort(cor_rank *rank);

#endif
