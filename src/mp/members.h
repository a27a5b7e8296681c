/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members: some ranks of the job that agree on something, in an order that all of them know: that of one group, or of
 * two, one behind the other. Their messages use a context and a tag that no other rank among them uses at the time.
 *
 * A ballot is a vote under way: every rank contributes words, every rank gets the AND of all. cor_ballot_step makes
 * progress on it, under the rank's lock, and never waits. The other functions block and take the lock themselves.
 */
#ifndef COR_MP_CIRCLE_H
#define COR_MP_CIRCLE_H

#include "mp/group.h"
#include "xxdev/xxdev.h"

typedef struct cor_members {
    cor_rank *owner;
    uint32_t context;
    int tag;
    const cor_group *first, *second; /* second: NULL if there is none */
    int index;                       /* this rank's place in the order */
    struct cor_activity *outer;      /* of the collective call that needs them, or NULL (activity.h) */
} cor_members;

static inline int cor_members_size(const cor_members *members)
{
    return members->first->size + (members->second ? members->second->size : 0);
}

/* The member at this place, as a rank of the job. */
static inline int cor_members_peer(const cor_members *members, int index)
{
    return index < members->first->size ? cor_group_peer(members->first, index)
                                        : cor_group_peer(members->second, index - members->first->size);
}

/* All members of a communicator, of both sides of an intercommunicator. */
cor_members cor_members_of_comm(cor_comm *comm, int tag);

/* ---- a ballot --------------------------------------------------------------------------------------------------- */

typedef struct cor_ballot cor_ballot;

/* `words` stay the caller's and hold the result in the end. NULL: no memory. */
cor_ballot *cor_ballot_create(const cor_members *members, uint64_t *words, size_t count);
/* Make progress. Returns whether anything happened. */
int cor_ballot_step(cor_ballot *ballot);
int cor_ballot_is_done(const cor_ballot *ballot);
int cor_ballot_error(const cor_ballot *ballot);
/* Begin again with other words; the ballot is done. */
void cor_ballot_restart(cor_ballot *ballot, uint64_t *words, size_t count);
void cor_ballot_destroy(cor_ballot *ballot); /* the ballot is done */

/* ---- blocking --------------------------------------------------------------------------------------------------- */

int cor_members_all_and(const cor_members *members, uint64_t *words, size_t count);
/* Every rank gets every rank's block, in the members' order. */
int cor_members_gather_all(const cor_members *members, const void *block, size_t bytes, void *all);

#endif
