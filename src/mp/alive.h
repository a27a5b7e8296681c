/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of many ranks when one of them is lost.
 *
 * A rank that waits for the lost rank itself gets an error from the device. A rank that waits for another member, which
 * got that error and left the operation, would wait for ever. So an operation of all members of a communicator fails at
 * each member as soon as that member knows of the loss, and later operations fail at their start.
 *
 * Everything here except the last function is called with the rank's lock held.
 */
#ifndef COR_MP_ALIVE_H
#define COR_MP_ALIVE_H

#include "mp/collective.h"
#include "mp/members.h"

/* As cor_comm_find_lost. */
int cor_members_find_lost(const cor_members *members);

static inline int cor_comm_check_alive(const cor_comm *comm)
{
    return COR_LIKELY(comm->device->losses.count == 0) ? COR_OK : cor_comm_find_lost(comm);
}

/* Wait for a transfer between members. COR_ERR_PEER: the transfer has failed, or was abandoned because a member is
 * lost. */
int cor_members_wait(const cor_members *members, cor_transfer *t);

/* The last barrier of a job that has lost a rank: wait until all remaining ranks have called it, because a rank that
 * leaves earlier is lost to those that still work. Takes the lock itself. */
void cor_rank_meet_survivors(cor_rank *rank);

#endif
