/* Communicators: a group of ranks and a pair of contexts of its own. */
#include "mp/internal.h"
#include "mp/mp_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- making and dropping ----------------------------------------------------------------------------------------- */

cor_group *cor_comm_make_group(cor_rank *owner, int size, const int *peers)
{
    return cor_group_make(owner->boot->size, owner->boot->rank, size, peers);
}

cor_comm *cor_comm_make(cor_rank *owner, cor_group *group, cor_group *remote_group, uint32_t number)
{
    cor_comm *comm = group && remote_group ? calloc(1, sizeof *comm) : NULL;
    if (!comm) {
        if (group)
            cor_group_unref(group);
        if (remote_group)
            cor_group_unref(remote_group);
        return NULL;
    }
    comm->owner = owner;
    comm->device = owner->device;
    comm->context = number * 2;
    comm->group = group;
    comm->remote_group = remote_group;
    comm->size = group->size;
    comm->rank = group->rank;
    comm->peers = remote_group->peers;
    comm->ranks = remote_group->ranks;
    comm->remote_size = remote_group->size;
    comm->references = 1;
    return comm;
}

/* A communicator among the members of one group; takes over the reference. */
static cor_comm *comm_make_intra(cor_rank *owner, cor_group *group, uint32_t number)
{
    if (group)
        cor_group_ref(group);
    return cor_comm_make(owner, group, group, number);
}

cor_comm *cor_comm_make_first(cor_rank *owner, int size, const int *peers, uint32_t number)
{
    return comm_make_intra(owner, cor_comm_make_group(owner, size, peers), number);
}

void cor_comm_ref(cor_comm *comm)
{
    comm->references++;
}

void cor_comm_drop_locked(cor_comm *comm)
{
    if (--comm->references > 0)
        return;
    uint32_t number = comm->context / 2;
    comm->owner->contexts[number / 64] |= (uint64_t)1 << number % 64;
    if (comm->face_free)
        comm->face_free(comm->face);
    cor_group_unref(comm->group);
    cor_group_unref(comm->remote_group);
    free(comm);
}

void cor_comm_unref(cor_comm *comm)
{
    cor_device *device = comm->device;
    cor_device_enter(device);
    cor_comm_drop_locked(comm);
    cor_device_leave(device);
}

/* ---- dup and split ----------------------------------------------------------------------------------------------- */

static int comm_no_memory(cor_rank *owner)
{
    return cor_fault_set(&owner->fault, COR_ERR_MEMORY, "no memory for a communicator");
}

int cor_comm_dup(cor_comm *comm, cor_comm **dup_p)
{
    uint32_t number;
    int rc = cor_context_agree(comm, &number);
    if (rc != COR_OK)
        return rc;
    cor_group_ref(comm->group);
    cor_group_ref(comm->remote_group);
    cor_comm *dup = cor_comm_make(comm->owner, comm->group, comm->remote_group, number);
    if (!dup)
        return comm_no_memory(comm->owner);
    *dup_p = dup;
    return COR_OK;
}

typedef struct comm_vote {
    int colour, key, rank;
} comm_vote;

static int comm_compare_votes(const void *left, const void *right)
{
    const comm_vote *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Keep the votes for one colour, in the order of the new ranks. Returns how many. */
static int comm_members(comm_vote *votes, int count, int colour)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (votes[i].colour == colour)
            votes[kept++] = votes[i];
    qsort(votes, (size_t)kept, sizeof *votes, comm_compare_votes);
    return kept;
}

static cor_comm *comm_from_votes(cor_comm *parent, const comm_vote *votes, int count, uint32_t number)
{
    int *peers = malloc((size_t)count * sizeof *peers);
    if (!peers)
        return NULL;
    for (int i = 0; i < count; i++)
        peers[i] = cor_group_peer(parent->group, votes[i].rank);
    cor_group *group = cor_comm_make_group(parent->owner, count, peers);
    free(peers);
    return comm_make_intra(parent->owner, group, number);
}

int cor_comm_split(cor_comm *comm, int colour, int key, cor_comm **split_p)
{
    comm_vote mine = {colour, key, comm->rank};
    comm_vote *votes = malloc((size_t)comm->size * sizeof *votes);
    if (!votes)
        return comm_no_memory(comm->owner);
    /* Everybody agrees on one number; groups that do not overlap may share it. */
    uint32_t number;
    int rc = cor_internal_gather_all(comm, &mine, sizeof mine, votes);
    if (rc == COR_OK)
        rc = cor_context_agree(comm, &number);
    if (rc == COR_OK && colour == COR_UNDEFINED) {
        cor_context_release(comm->owner, number);
        *split_p = NULL;
    } else if (rc == COR_OK) {
        int count = comm_members(votes, comm->size, colour);
        cor_comm *split = comm_from_votes(comm, votes, count, number);
        rc = split ? COR_OK : comm_no_memory(comm->owner);
        if (split)
            *split_p = split;
    }
    free(votes);
    return rc;
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

static cor_comparison comm_worse(cor_comparison a, cor_comparison b)
{
    return a > b ? a : b;
}

cor_comparison cor_comm_compare(const cor_comm *a, const cor_comm *b)
{
    if (a == b)
        return COR_IDENT;
    if (cor_comm_is_inter(a) != cor_comm_is_inter(b))
        return COR_UNEQUAL;
    cor_comparison groups =
        comm_worse(cor_group_compare(a->group, b->group), cor_group_compare(a->remote_group, b->remote_group));
    return groups == COR_IDENT ? COR_CONGRUENT : groups;
}

int cor_comm_is_inter(const cor_comm *comm)
{
    return comm->group != comm->remote_group;
}

int cor_comm_remote_size(const cor_comm *comm)
{
    return comm->remote_size;
}

cor_group *cor_comm_group(const cor_comm *comm)
{
    return comm->group;
}

cor_group *cor_comm_remote_group(const cor_comm *comm)
{
    return comm->remote_group;
}

int cor_comm_size(const cor_comm *comm)
{
    return comm->size;
}

int cor_comm_rank(const cor_comm *comm)
{
    return comm->rank;
}

cor_rank *cor_comm_owner(const cor_comm *comm)
{
    return comm->owner;
}

uint32_t cor_comm_context(const cor_comm *comm)
{
    return comm->context;
}

void cor_comm_set_face(cor_comm *comm, void *data, void (*free_fn)(void *data))
{
    comm->face = data;
    comm->face_free = free_fn;
}

void *cor_comm_face(const cor_comm *comm)
{
    return comm->face;
}
