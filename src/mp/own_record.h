/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of ranks whose launcher makes none. Their own process reads it, and writes the files that the settings
 * trace.* ask for.
 *
 * - A team, all ranks as threads of one process: the first rank that opens makes the record, a thread of its own checks
 *   for a stall, the last rank that closes writes.
 * - A rank that another launcher has started (srun, Hydra): only if something is to be written. It has no data of the
 *   others, so each rank writes files of its own, whose names have its number: trace.json becomes trace.3.json.
 */
#ifndef COR_MP_OWN_RECORD_H
#define COR_MP_OWN_RECORD_H

#include "mp/mp.h"

/* A rank opens: the descriptor of its record, or -1 where there is none, for which a warning gives the reason if it was
 * asked for. Sets rank->own_record. */
int cor_own_record_join(cor_rank *rank);
/* The rank has closed its part. */
void cor_own_record_leave(cor_rank *rank);
/* The process is about to end: write what there is. */
void cor_own_record_abort(cor_rank *rank);

#endif
