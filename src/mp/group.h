/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups: ordered sets of ranks of the job. Immutable once made and reference counted; the count is atomic, so groups
 * may be shared by communicators and threads. Members are named by their rank in the job ("peer").
 */
#ifndef COR_MP_GROUP_H
#define COR_MP_GROUP_H

#include "mp/mp.h"

#include <stdatomic.h>

typedef struct cor_group {
    int size;
    int rank;         /* of the rank that made it, COR_UNDEFINED if it is no member */
    int job_size;     /* length of `ranks` */
    const int *peers; /* member -> rank in the job; NULL: the same, all of the job's first `size` ranks */
    const int *ranks; /* the way back, COR_UNDEFINED for others; NULL with peers */
    _Atomic int references;
} cor_group;

/* The members in this order; `peers` is copied, NULL means 0..size-1. `me` is the maker's rank in the job. NULL when
 * memory is out. */
cor_group *cor_group_make(int job_size, int me, int size, const int *peers);
void cor_group_ref(cor_group *group);
void cor_group_unref(cor_group *group);

/* Who has this rank in the group. */
static inline int cor_group_peer(const cor_group *group, int rank)
{
    return group->peers ? group->peers[rank] : rank;
}

/* The rank this member of the job has in the group, or COR_UNDEFINED. */
static inline int cor_group_rank_of(const cor_group *group, int peer)
{
    if (group->ranks)
        return group->ranks[peer];
    return peer < group->size ? peer : COR_UNDEFINED;
}

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
