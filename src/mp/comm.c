/* Communicators: a group of ranks and a pair of contexts of its own. */
#include "mp/internal.h"
#include "mp/mp_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- making and dropping ----------------------------------------------------------------------------------------- */

static int *comm_way_back(const int *peers, int size, int job_size)
{
    int *ranks = malloc((size_t)job_size * sizeof *ranks);
    if (!ranks)
        return NULL;
    for (int i = 0; i < job_size; i++)
        ranks[i] = COR_UNDEFINED;
    for (int i = 0; i < size; i++)
        ranks[peers[i]] = i;
    return ranks;
}

/* peers is copied; NULL: rank i is job rank i. */
cor_comm *cor_comm_make(cor_rank *owner, int size, int rank, const int *peers, uint32_t number)
{
    cor_comm *comm = calloc(1, sizeof *comm);
    int *own_peers = NULL, *ranks = NULL;
    if (comm && peers) {
        own_peers = malloc((size_t)size * sizeof *own_peers);
        if (own_peers)
            memcpy(own_peers, peers, (size_t)size * sizeof *own_peers);
        ranks = comm_way_back(peers, size, owner->boot->size);
    }
    if (!comm || (peers && (!own_peers || !ranks))) {
        free(comm);
        free(own_peers);
        free(ranks);
        return NULL;
    }
    comm->owner = owner;
    comm->device = owner->device;
    comm->size = size;
    comm->rank = rank;
    comm->context = number * 2;
    comm->peers = own_peers;
    comm->ranks = ranks;
    comm->references = 1;
    return comm;
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
    free((void *)(uintptr_t)comm->peers);
    free(comm->ranks);
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
    cor_comm *dup = cor_comm_make(comm->owner, comm->size, comm->rank, comm->peers, number);
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
    int me = 0;
    for (int i = 0; i < count; i++) {
        peers[i] = cor_comm_peer(parent, votes[i].rank);
        if (votes[i].rank == parent->rank)
            me = i;
    }
    cor_comm *comm = cor_comm_make(parent->owner, count, me, peers, number);
    free(peers);
    return comm;
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

cor_comparison cor_comm_compare(const cor_comm *a, const cor_comm *b)
{
    if (a == b)
        return COR_IDENT;
    if (a->size != b->size)
        return COR_UNEQUAL;
    int is_same_order = 1;
    for (int i = 0; i < a->size; i++) {
        int peer = cor_comm_peer(a, i);
        int there = b->ranks ? b->ranks[peer] : peer < b->size ? peer : COR_UNDEFINED;
        if (there == COR_UNDEFINED)
            return COR_UNEQUAL;
        is_same_order = is_same_order && there == i;
    }
    return is_same_order ? COR_CONGRUENT : COR_SIMILAR;
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
