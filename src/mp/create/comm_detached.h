/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A communicator of no job, for plans that are built and looked at but not run by a rank: it has a size and nodes of so
 * many consecutive ranks, and is seen from whichever rank it was last turned to. It has no device and no owner, so
 * nothing that sends, waits or fails may be asked of it.
 */
#ifndef COR_MP_COMM_DETACHED_H
#define COR_MP_COMM_DETACHED_H

#include "mp/mp.h"

/* Seen from rank 0. NULL: no memory. */
cor_comm *cor_comm_make_detached(int size, int node_ranks);
void cor_comm_turn_detached(cor_comm *comm, int rank);
void cor_comm_free_detached(cor_comm *comm);

#endif
