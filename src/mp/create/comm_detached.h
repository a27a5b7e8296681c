/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A communicator of no job, for plans that are built and inspected but not run by a rank. It has a size and nodes of
 * node_ranks consecutive ranks, and is seen from one rank, which cor_comm_turn_detached changes. It has no device and
 * no owner, so it cannot be passed to a function that sends, waits or fails.
 */
#ifndef COR_MP_COMM_DETACHED_H
#define COR_MP_COMM_DETACHED_H

#include "mp/mp.h"

/* Seen from rank 0. NULL: no memory. */
cor_comm *cor_comm_make_detached(int size, int node_ranks);
void cor_comm_turn_detached(cor_comm *comm, int rank);
void cor_comm_free_detached(cor_comm *comm);

#endif
