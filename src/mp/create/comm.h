/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making communicators from others, and from groups.
 *
 * All are collective over `comm` unless said otherwise, may block until the other members have called, and give a
 * communicator with one reference (cor_comm_unref). A failure leaves *comm_p unchanged and its sentence in
 * cor_rank_fault(): COR_ERR_MEMORY, COR_ERR_EXHAUSTED (no context left), COR_ERR_PEER.
 *
 * Several threads of a rank may make communicators at once, each from a communicator of its own, in any order: no rank
 * waits for an agreement that another thread has under way.
 *
 * A dup (of any kind) inherits the topology (topology.h); the others do not.
 */
#ifndef COR_MP_COMM_H
#define COR_MP_COMM_H

#include "mp/group.h"
#include "mp/mp.h"

/* A copy, with a context of its own. */
int cor_comm_dup(cor_comm *comm, cor_comm **dup_p);
/* Colour COR_UNDEFINED gives *split_p = NULL. */
int cor_comm_split(cor_comm *comm, int colour, int key, cor_comm **split_p);

/* The members of comm that have these numbers (group.h), as a group of its job. Not collective. COR_ERR_ARG: a number
 * is no member's. */
int cor_comm_pick(cor_comm *comm, int count, const int *numbers, cor_group **group_p);

/* A communicator of the members of `group`, which is part of comm's own group; NULL for the callers that are no
 * members. The callers' groups are the same, or have no member in common. On an intercommunicator each side names its
 * own members, and the result is NULL everywhere if one side names none. */
int cor_comm_create(cor_comm *comm, const cor_group *group, cor_comm **comm_p);

/* The same, but only the members of `group` call. Two threads that do this at once on one communicator pass different
 * tags. Not for intercommunicators. A caller that is no member gets NULL at once. */
int cor_comm_create_group(cor_comm *comm, const cor_group *group, int tag, cor_comm **comm_p);
/* The same without a communicator: all members are in one job (cor_rank_in_job_of), else COR_ERR_ARG. `name` replaces
 * the tag; devices may use only its lower bits. */
int cor_comm_create_from_group(cor_rank *rank, const cor_group *group, uint32_t name, cor_comm **comm_p);

/* A communicator of members that share memory: those on this host, ordered by key, then by rank. COR_UNDEFINED as
 * colour gives NULL, any other colour the communicator. On an intercommunicator each side's members on this host; NULL
 * if a side has none. */
int cor_comm_split_host(cor_comm *comm, int colour, int key, cor_comm **comm_p);

/* Starts a dup and returns. *dup_p is set at once but may be used only when the request is complete. Any call of the
 * library makes progress on it. If the request fails, *dup_p can only be freed. */
int cor_comm_idup(cor_comm *comm, cor_comm **dup_p, cor_request **request_p);

#endif
