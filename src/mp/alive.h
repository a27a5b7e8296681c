/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of many ranks when one of them is lost.
 *
 * A rank that waits for the lost rank itself gets an error from the device. A rank that waits for another member, which
 * has got that error and gone its way, would wait for ever: so everything that all members of a communicator do
 * together fails as soon as one of them is known to be lost, at every member that comes to know of it, and from the
 * start from then on.
 *
 * Everything here but the last is called with the rank's lock held.
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

/* Wait for a transfer between members. COR_ERR_PEER: it has failed, or it was given up because a member is lost. */
int cor_members_wait(const cor_members *members, cor_transfer *t);

/* The last meeting where a rank is lost: wait until all others that are left have come to their end, too, because one
 * that leaves is lost to those who still work. Takes the lock itself. */
void cor_rank_meet_survivors(cor_rank *rank);

#endif
