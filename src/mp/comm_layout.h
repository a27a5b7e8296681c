/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The internals of a communicator, apart from mp_state.h so that functions on the short path of collective operations
 * can be inlined (collective.h). Only mp, and the inline functions of its headers, read it.
 */
#ifndef COR_MP_COMM_LAYOUT_H
#define COR_MP_COMM_LAYOUT_H

#include "base/list.h"
#include "mp/group.h"
#include "mp/mp.h"
#include "xxdev/xxdev.h"

typedef struct cor_buffer cor_buffer;
typedef struct cor_monitor cor_monitor;

struct cor_comm {
    cor_rank *owner;
    cor_device *device;   /* the owner's, copied for the fast path */
    cor_monitor *monitor; /* likewise (activity.h) */
    uint32_t context;
    /* The processes that messages go to and come from: `group`, or on an intercommunicator the other side. */
    const int *peers; /* rank -> rank in the job; NULL: the same */
    const int *ranks; /* the inverse; NULL with peers */
    int remote_size;
    int rank, size;                  /* on this side */
    cor_group *group, *remote_group; /* equal except on an intercommunicator */
    int references;                  /* under the owner's lock */
    struct cor_topology *topology;   /* a reference, or NULL */
    cor_list idups;                  /* dups of this one under way: the first moves, the others wait for it */
    cor_buffer *buffer;              /* for buffered sends in this communicator alone; NULL: never had one */
    cor_session *session;            /* a reference; NULL: it is of none */
    uint8_t owns_context;            /* to be released at the end */
    cor_link link;                   /* cor_rank.comms */
    struct cor_nodes *nodes;         /* which ranks are where (nodes.h); NULL until first needed */
    uint16_t coll_call;              /* the current or last collective call: cor_traced */
    int coll_root;
    struct cor_activity *pending; /* of a collective call that has released the lock for a while */
    uint64_t partitioned_tags;    /* how many the partitioned sends of this rank have used */
    cor_list partitioned_sends;   /* those that exist */
    cor_list orphans;             /* partitioned requests that were freed before they had met */
    void (*orphans_free)(cor_list *orphans);
    void *coll; /* coll's: plans, board; freed by coll_free, under the lock */
    void (*coll_free)(void *coll);
    void *subject; /* the window or file that this communicator belongs to, if it is left open */
    void (*subject_end)(void *subject);
    void (*subject_free)(void *subject);
    void *face;
    void (*face_free)(void *data);
};

static inline int cor_comm_peer(const cor_comm *comm, int rank)
{
    return comm->peers ? comm->peers[rank] : rank;
}

static inline int cor_comm_rank_of(const cor_comm *comm, int peer)
{
    return comm->ranks ? comm->ranks[peer] : peer;
}

#endif
