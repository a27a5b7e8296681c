/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intercommunicators: two groups without a common member; messages go from one side to the other.
 *
 * An intercommunicator is a cor_comm like any other: cor_comm_size and cor_comm_rank speak of this side,
 * cor_comm_remote_size and every rank in a point-to-point call of the other. cor_comm_dup, cor_comm_split,
 * cor_comm_create, cor_comm_compare and cor_comm_unref (mp.h, comm.h) take both kinds.
 */
#ifndef COR_MP_INTERCOMM_H
#define COR_MP_INTERCOMM_H

#include "mp/group.h"
#include "mp/mp.h"

/* Collective over both sides. `local` is this side; `local_leader`, a rank of it, is the same for all of this side.
 * Only the leader's `bridge` and `remote_leader` count: a communicator (of any kind) with the other side's leader in
 * it, and its rank there. `tag` keeps apart what two threads do at once over one bridge; both leaders pass the same.
 *
 * The members may belong to any mix of jobs. If the job of the bridge has them all, the new communicator belongs to
 * that job, else to a new one, which the two sides make by cor_meet_fn.
 *
 * COR_ERR_COMM, on both sides: the groups have a member in common. */
int cor_intercomm_create(cor_comm *local, int local_leader, cor_comm *bridge, int remote_leader, int tag,
                         cor_comm **inter_p);

/* The same from groups alone: only the leader's `remote` and `remote_leader`, a rank of it, count. The caller is a
 * member of `local`. Some job must have all members of a side, and some job both leaders. `name`: as for
 * cor_comm_create_from_group. */
int cor_intercomm_create_from_groups(cor_rank *rank, const cor_group *local, int local_leader, const cor_group *remote,
                                     int remote_leader, uint32_t name, cor_comm **inter_p);

/* For cor_meet_fn: the two leaders exchange `bytes` each way, kept apart from all other messages over the bridge. */
int cor_meeting_exchange(const cor_meeting *meeting, const void *out, void *in, size_t bytes);

/* Collective over both sides: one communicator of all. The side that passes is_high = 0 comes first; if both pass the
 * same, the order is the library's choice. COR_ERR_ARG: members of one side passed different values. */
int cor_intercomm_merge(cor_comm *inter, int is_high, cor_comm **merged_p);

#endif
