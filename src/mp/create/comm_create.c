/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators from communicators: dup, create, split. */
#include "base/process.h"
#include "mp/create/comm.h"
#include "mp/create/context.h"
#include "mp/create/intercomm.h"
#include "mp/internal.h"
#include "mp/mp_state.h"
#include "mp/topology_state.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cor_comm_no_memory(cor_rank *owner)
{
    return cor_fault_set(owner->fault, COR_ERR_MEMORY, "no memory for a communicator");
}

/* ---- dup -------------------------------------------------------------------------------------------------------- */

cor_comm *cor_comm_make_dup(cor_comm *comm)
{
    cor_group_ref(comm->group);
    cor_group_ref(comm->remote_group);
    cor_comm *dup = cor_comm_make_bare(comm->owner, comm->group, comm->remote_group);
    if (dup && comm->topology) {
        cor_topology_ref(comm->topology);
        cor_topology_attach(dup, comm->topology);
    }
    return dup;
}

int cor_comm_dup(cor_comm *comm, cor_comm **dup_p)
{
    uint32_t number;
    int rc = cor_context_agree(comm, &number);
    if (rc != COR_OK)
        return rc;
    cor_comm *dup = cor_comm_make_dup(comm);
    if (!dup) {
        cor_context_release(comm->owner, number);
        return cor_comm_no_memory(comm->owner);
    }
    cor_device_enter(comm->device);
    cor_comm_set_context(dup, number);
    cor_device_leave(comm->device);
    *dup_p = dup;
    return COR_OK;
}

/* ---- votes: who goes where, and in which order ------------------------------------------------------------------ */

typedef struct comm_vote {
    int colour, key, index;
} comm_vote;

static int comm_compare_votes(const void *left, const void *right)
{
    const comm_vote *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The members among votes[begin..end) that chose this colour, in the order of their keys; NULL: no memory. */
static cor_group *comm_group_of_votes(const cor_members *members, const comm_vote *votes, int begin, int end,
                                      int colour)
{
    size_t room = (size_t)(end - begin) + 1;
    comm_vote *kept = malloc(room * sizeof *kept);
    int *peers = malloc(room * sizeof *peers);
    cor_group *group = NULL;
    if (kept && peers) {
        int count = 0;
        for (int i = begin; i < end; i++)
            if (votes[i].colour == colour)
                kept[count++] = votes[i];
        qsort(kept, (size_t)count, sizeof *kept, comm_compare_votes);
        for (int i = 0; i < count; i++)
            peers[i] = cor_members_peer(members, kept[i].index);
        group = cor_rank_make_group(members->owner, count, peers);
    }
    free(kept);
    free(peers);
    return group;
}

/* The communicator of all that chose `colour`, *comm_p = NULL if there is none. */
static int comm_from_votes(cor_comm *parent, const comm_vote *votes, int colour, uint32_t number, cor_comm **comm_p)
{
    cor_members members = cor_members_of_comm(parent, COR_INTERNAL_TAG_GATHER);
    cor_comm *made = NULL;
    int is_nobody = colour == COR_UNDEFINED;
    if (!is_nobody && cor_comm_is_inter(parent)) {
        int middle = members.first->size, size = cor_members_size(&members);
        cor_group *first = comm_group_of_votes(&members, votes, 0, middle, colour);
        cor_group *second = comm_group_of_votes(&members, votes, middle, size, colour);
        int is_first = cor_intercomm_is_first(parent);
        is_nobody = first && second && (first->size == 0 || second->size == 0);
        if (!is_nobody) {
            made = cor_comm_make(parent->owner, is_first ? first : second, is_first ? second : first, number);
        } else {
            cor_group_unref(first);
            cor_group_unref(second);
        }
    } else if (!is_nobody) {
        cor_group *group = comm_group_of_votes(&members, votes, 0, cor_members_size(&members), colour);
        made = cor_comm_make_intra(parent->owner, group, number);
    }
    if (!made)
        cor_context_release(parent->owner, number);
    if (!made && !is_nobody)
        return cor_comm_no_memory(parent->owner);
    *comm_p = made;
    return COR_OK;
}

int cor_comm_split(cor_comm *comm, int colour, int key, cor_comm **split_p)
{
    cor_members members = cor_members_of_comm(comm, COR_INTERNAL_TAG_GATHER);
    comm_vote mine = {colour, key, members.index};
    comm_vote *votes = malloc((size_t)cor_members_size(&members) * sizeof *votes);
    if (!votes)
        return cor_comm_no_memory(comm->owner);
    /* Every rank agrees on one number; groups that do not overlap may share it. */
    uint32_t number;
    int rc = cor_members_gather_all(&members, &mine, sizeof mine, votes);
    if (rc == COR_OK)
        rc = cor_context_agree(comm, &number);
    if (rc == COR_OK)
        rc = comm_from_votes(comm, votes, colour, number, split_p);
    free(votes);
    return rc;
}

/* Where a rank runs. Ranks with the same place can share memory. */
typedef struct comm_place {
    char host[COR_HOST_MAX], kernel[COR_PROCESS_HOST_MAX], space[COR_PROCESS_SPACE_MAX];
    int64_t pid; /* where the kernel is unknown: then only threads of one process can */
} comm_place;

static comm_place comm_place_of(const cor_rank *rank)
{
    comm_place place;
    memset(&place, 0, sizeof place);
    memcpy(place.host, rank->host, sizeof place.host);
    cor_process_where(place.kernel, place.space);
    if (strcmp(place.kernel, "unknown") == 0)
        place.pid = getpid();
    return place;
}

int cor_comm_split_host(cor_comm *comm, int colour, int key, cor_comm **comm_p)
{
    cor_members members = cor_members_of_comm(comm, COR_INTERNAL_TAG_GATHER);
    comm_place mine = comm_place_of(comm->owner), *places = calloc((size_t)cor_members_size(&members), sizeof *places);
    if (!places)
        return cor_comm_no_memory(comm->owner);
    int rc = cor_members_gather_all(&members, &mine, sizeof mine, places);
    /* The colour of a place is the first rank there, of both sides in their common row. */
    int first = 0;
    if (rc == COR_OK)
        while (memcmp(&places[first], &mine, sizeof mine) != 0)
            first++;
    free(places);
    return rc == COR_OK ? cor_comm_split(comm, colour == COR_UNDEFINED ? COR_UNDEFINED : first, key, comm_p) : rc;
}

/* ---- create ----------------------------------------------------------------------------------------------------- */

/* A copy of a group as this rank sees it: the caller's may have been made by another rank object. */
static cor_group *comm_copy_group(cor_rank *owner, const cor_group *group)
{
    return cor_rank_make_group(owner, group->size, group->peers);
}

/* A group of another job becomes one of the communicator's. *own_p: for the caller to release, or NULL. */
static int comm_take_group(cor_comm *comm, const cor_group **group_p, cor_group **own_p)
{
    *own_p = NULL;
    if ((*group_p)->job == comm->group->job)
        return COR_OK;
    int rc = cor_group_move(*group_p, comm->group, own_p);
    *group_p = *own_p;
    if (rc == COR_ERR_MEMORY)
        return cor_comm_no_memory(comm->owner);
    return rc == COR_OK ? rc
                        : cor_fault_set(comm->owner->fault, rc, "a member of the group is not in the communicator");
}

static void comm_return_group(cor_group *own)
{
    if (own)
        cor_group_unref(own);
}

int cor_comm_pick(cor_comm *comm, int count, const int *numbers, cor_group **group_p)
{
    const cor_group *all = comm->group;
    int *peers = malloc(((size_t)count + 1) * sizeof *peers), rc = peers ? COR_OK : cor_comm_no_memory(comm->owner);
    for (int i = 0; rc == COR_OK && i < count; i++) {
        int place = cor_group_find_number(all, numbers[i]);
        if (place == COR_UNDEFINED)
            rc = cor_fault_set(comm->owner->fault, COR_ERR_ARG, "a member of the group is not in the communicator");
        else
            peers[i] = cor_group_peer(all, place);
    }
    if (rc == COR_OK && !(*group_p = cor_rank_make_group(comm->owner, count, peers)))
        rc = cor_comm_no_memory(comm->owner);
    free(peers);
    return rc;
}

static int comm_create_own(cor_comm *comm, const cor_group *group, cor_comm **comm_p)
{
    int place = cor_group_rank_of(group, comm->owner->known.rank);
    if (cor_comm_is_inter(comm))
        return cor_comm_split(comm, place == COR_UNDEFINED ? COR_UNDEFINED : 0, place, comm_p);
    uint32_t number;
    int rc = cor_context_agree(comm, &number);
    if (rc != COR_OK)
        return rc;
    cor_comm *made = NULL;
    if (place != COR_UNDEFINED)
        made = cor_comm_make_intra(comm->owner, comm_copy_group(comm->owner, group), number);
    if (!made)
        cor_context_release(comm->owner, number);
    if (!made && place != COR_UNDEFINED)
        return cor_comm_no_memory(comm->owner);
    *comm_p = made;
    return COR_OK;
}

int cor_comm_create(cor_comm *comm, const cor_group *group, cor_comm **comm_p)
{
    cor_group *own;
    int rc = comm_take_group(comm, &group, &own);
    if (rc == COR_OK)
        rc = comm_create_own(comm, group, comm_p);
    comm_return_group(own);
    return rc;
}

/* Only the members of the group talk, in this context. */
static int comm_create_among(cor_rank *owner, uint32_t context, const cor_group *group, int tag, cor_comm **comm_p)
{
    int place = cor_group_rank_of(group, owner->known.rank);
    *comm_p = NULL;
    if (place == COR_UNDEFINED)
        return COR_OK;
    cor_members members = {.owner = owner, .context = context, .tag = tag, .first = group, .index = place};
    uint32_t number;
    int rc = cor_context_agree_in(&members, &number);
    if (rc != COR_OK)
        return rc;
    *comm_p = cor_comm_make_intra(owner, comm_copy_group(owner, group), number);
    if (*comm_p)
        return COR_OK;
    cor_context_release(owner, number);
    return cor_comm_no_memory(owner);
}

int cor_comm_create_group(cor_comm *comm, const cor_group *group, int tag, cor_comm **comm_p)
{
    cor_group *own;
    int rc = comm_take_group(comm, &group, &own);
    if (rc == COR_OK)
        rc = comm_create_among(comm->owner, comm->context | COR_CONTEXT_GROUP, group, tag, comm_p);
    comm_return_group(own);
    return rc;
}

int cor_comm_create_from_group(cor_rank *rank, const cor_group *group, uint32_t name, cor_comm **comm_p)
{
    cor_rank *owner = cor_rank_in_job_of(rank, group);
    cor_group *own;
    if (!owner)
        return cor_fault_set(rank->fault, COR_ERR_ARG,
                             "no communicator ever had all %d members of the group: connect their jobs first, by "
                             "MPI_Intercomm_create for instance",
                             group->size);
    int rc = comm_take_group(owner->world, &group, &own);
    if (rc == COR_OK)
        rc = comm_create_among(owner, owner->world->context | COR_CONTEXT_NAMED, group,
                               (int)(name & (uint32_t)owner->device->tag_max), comm_p);
    comm_return_group(own);
    return rc;
}
