/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups: ordered sets of processes. Immutable once made and reference counted; the count is atomic, so groups may be
 * shared by communicators and threads. Members are named by their rank in a job ("peer") or, where no job needs to have
 * them all, by the numbers that this process has given to them (identity.h).
 */
#ifndef COR_MP_GROUP_H
#define COR_MP_GROUP_H

#include "mp/mp.h"

#include <stdatomic.h>

typedef struct cor_session cor_session; /* session.h */

/* A job that this process has joined (cor_rank_options.origin): the process has another rank in each. */
typedef struct cor_job {
    _Atomic int references;
    int numbers[]; /* by rank in the job */
} cor_job;

typedef struct cor_group {
    /* A reference; NULL: members are named by their numbers, which in the origin's job are their ranks. */
    cor_job *job;
    int size;
    int rank;         /* of the rank that made it, COR_UNDEFINED if it is no member */
    int job_size;     /* length of `ranks`: no member is named by a larger number */
    const int *peers; /* member -> rank in the job, or number; NULL: the same, all of the job's first `size` ranks */
    const int *ranks; /* the inverse, COR_UNDEFINED for others; NULL with peers */
    /* The session that it was derived from, a reference, which groups made of this one have, too; NULL: none. */
    cor_session *session;
    _Atomic int references;
} cor_group;

/* The members in this order; `peers` is copied, NULL means 0..size-1. `me` is the maker's rank in the job, or its
 * number. NULL: no memory. */
cor_group *cor_group_make(cor_job *job, int job_size, int me, int size, const int *peers);
/* The same in the job of a rank, which makes it. */
cor_group *cor_rank_make_group(const cor_rank *rank, int size, const int *peers);
/* The same members, derived from this session: the group itself if it is, else a copy. A new reference; NULL: no
 * memory. */
cor_group *cor_group_in_session(cor_group *group, cor_session *session);
void cor_group_ref(cor_group *group);
void cor_group_unref(cor_group *group);
void cor_job_unref(cor_job *job); /* NULL is fine */

/* The peer that has this rank in the group. */
static inline int cor_group_peer(const cor_group *group, int rank)
{
    return group->peers ? group->peers[rank] : rank;
}

/* The rank this member of the job has in the group, or COR_UNDEFINED. */
static inline int cor_group_rank_of(const cor_group *group, int peer)
{
    if (group->ranks)
        return peer < group->job_size ? group->ranks[peer] : COR_UNDEFINED;
    return peer < group->size ? peer : COR_UNDEFINED;
}

static inline int cor_group_number(const cor_group *group, int rank)
{
    int peer = cor_group_peer(group, rank);
    return group->job ? group->job->numbers[peer] : peer;
}

/* The rank in `group` of the process with this number, or of the member of `of` that has this rank there; or
 * COR_UNDEFINED. */
int cor_group_find_number(const cor_group *group, int number);
int cor_group_find(const cor_group *group, const cor_group *of, int rank);
/* The same members as ranks of the job of `like`, which has them all: COR_OK, COR_ERR_MEMORY, COR_ERR_ARG. */
int cor_group_move(const cor_group *group, const cor_group *like, cor_group **group_p);

/* Set operations, in MPI's order: a's members first, then b's. All give COR_OK or COR_ERR_MEMORY. */
int cor_group_union(const cor_group *a, const cor_group *b, cor_group **group_p);
int cor_group_intersection(const cor_group *a, const cor_group *b, cor_group **group_p);
int cor_group_difference(const cor_group *a, const cor_group *b, cor_group **group_p);

/* The listed members, in the list's order / all but the listed, in the old order. Ranks are valid and distinct. */
int cor_group_incl(const cor_group *group, int count, const int *ranks, cor_group **group_p);
int cor_group_excl(const cor_group *group, int count, const int *ranks, cor_group **group_p);

/* The same with (first, last, stride) triplets, checked: COR_ERR_RANK or COR_ERR_ARG when one leaves the group, has
 * stride 0 or names a rank twice; *bad_p is then the index of the triplet. */
int cor_group_range_incl(const cor_group *group, int count, const int (*ranges)[3], cor_group **group_p, int *bad_p);
int cor_group_range_excl(const cor_group *group, int count, const int (*ranges)[3], cor_group **group_p, int *bad_p);

/* out[i] is the rank in b of the member that has rank in[i] in a, or COR_UNDEFINED; COR_PROC_NULL stays. */
void cor_group_translate(const cor_group *a, int count, const int *in, const cor_group *b, int *out);

cor_comparison cor_group_compare(const cor_group *a, const cor_group *b); /* IDENT, SIMILAR or UNEQUAL */

/* The groups of a communicator; the second is the other side of an intercommunicator, else the first again. The
 * communicator keeps them; ref what outlives it. */
cor_group *cor_comm_group(const cor_comm *comm);
cor_group *cor_comm_remote_group(const cor_comm *comm);

#endif
