/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators: a group of ranks and a pair of contexts of its own. comm_create.c makes them from others. */
#include "mp/internal.h"
#include "mp/mp_state.h"
#include "mp/topology_state.h"

#include <stdlib.h>

/* ---- making and dropping ---------------------------------------------------------------------------------------- */

cor_group *cor_rank_make_group(const cor_rank *rank, int size, const int *peers)
{
    return cor_group_make(rank->job, rank->known.size, rank->known.rank, size, peers);
}

static cor_comm *comm_make_one(cor_rank *owner, cor_group *group, cor_group *remote_group)
{
    cor_comm *comm = calloc(1, sizeof *comm);
    if (!comm)
        return NULL;
    comm->owner = owner;
    comm->device = owner->device;
    comm->monitor = &owner->monitor;
    cor_group_ref(group);
    cor_group_ref(remote_group);
    comm->group = group;
    comm->remote_group = remote_group;
    comm->size = group->size;
    comm->rank = group->rank;
    comm->peers = remote_group->peers;
    comm->ranks = remote_group->ranks;
    comm->remote_size = remote_group->size;
    comm->references = 1;
    comm->context = UINT32_MAX - 1; /* none, until it gets one */
    cor_list_init(&comm->idups);
    cor_list_init(&comm->partitioned_sends);
    cor_list_init(&comm->orphans);
    return comm;
}

void cor_comm_set_context(cor_comm *comm, uint32_t number)
{
    comm->context = number * 2;
    comm->owns_context = 1;
    cor_list_append(&comm->owner->comms, &comm->link);
}

cor_comm *cor_comm_make_bare(cor_rank *owner, cor_group *group, cor_group *remote_group)
{
    cor_comm *comm = group && remote_group ? comm_make_one(owner, group, remote_group) : NULL;
    if (group)
        cor_group_unref(group);
    if (remote_group)
        cor_group_unref(remote_group);
    return comm;
}

cor_comm *cor_comm_make(cor_rank *owner, cor_group *group, cor_group *remote_group, uint32_t number)
{
    cor_comm *comm = cor_comm_make_bare(owner, group, remote_group);
    if (comm) {
        cor_device_enter(owner->device);
        cor_comm_set_context(comm, number);
        cor_device_leave(owner->device);
    }
    return comm;
}

cor_comm *cor_comm_make_intra(cor_rank *owner, cor_group *group, uint32_t number)
{
    if (group)
        cor_group_ref(group);
    return cor_comm_make(owner, group, group, number);
}

cor_comm *cor_comm_make_first(cor_rank *owner, int size, const int *peers, uint32_t number)
{
    return cor_comm_make_intra(owner, cor_rank_make_group(owner, size, peers), number);
}

void cor_comm_ref(cor_comm *comm)
{
    comm->references++;
}

/* All that its calls have made; what it is stays, for calls that come late. */
static void comm_empty(cor_comm *comm)
{
    if (comm->buffer)
        cor_buffer_remove(comm);
    if (comm->coll_free)
        comm->coll_free(comm->coll);
    comm->coll = NULL;
    comm->coll_free = NULL;
    free(comm->nodes);
    comm->nodes = NULL;
}

static void comm_destroy(cor_comm *comm)
{
    comm_empty(comm);
    if (comm->topology)
        cor_topology_unref(comm->topology);
    if (comm->subject_free)
        comm->subject_free(comm->subject);
    if (comm->orphans_free)
        comm->orphans_free(&comm->orphans);
    if (comm->face_free)
        comm->face_free(comm->face);
    cor_group_unref(comm->group);
    cor_group_unref(comm->remote_group);
    cor_session_unref(comm->session);
    free(comm);
}

void cor_comm_drop_locked(cor_comm *comm)
{
    int stays = comm->owns_context && cor_device_is_closed(comm->device); /* until cor_comm_destroy_all */
    if (stays || --comm->references > 0)
        return;
    uint32_t number = comm->context / 2;
    if (comm->owns_context) {
        comm->owner->contexts[number / 64] |= (uint64_t)1 << number % 64;
        cor_list_remove(&comm->link);
    }
    comm_destroy(comm);
}

void cor_comm_empty_all(cor_rank *rank)
{
    for (cor_link *link = rank->comms.next; link != &rank->comms; link = link->next)
        comm_empty(COR_OWNER(link, cor_comm, link));
}

void cor_comm_end_subjects(const cor_rank *rank)
{
    for (const cor_link *link = rank->comms.next; link != &rank->comms; link = link->next) {
        const cor_comm *comm = COR_OWNER(link, const cor_comm, link);
        if (comm->subject_end)
            comm->subject_end(comm->subject);
    }
}

void cor_comm_destroy_all(cor_rank *rank)
{
    while (!cor_list_is_empty(&rank->comms)) {
        cor_comm *comm = COR_OWNER(rank->comms.next, cor_comm, link);
        cor_list_remove(&comm->link);
        comm_destroy(comm);
    }
}

void cor_comm_hold(cor_comm *comm)
{
    cor_device_enter(comm->device);
    cor_comm_ref(comm);
    cor_device_leave(comm->device);
}

void cor_comm_unref(cor_comm *comm)
{
    cor_device *device = comm->device;
    cor_device_enter(device);
    cor_comm_drop_locked(comm);
    cor_device_leave(device);
}

int cor_intercomm_is_first(const cor_comm *inter)
{
    /* Both sides get the same result: they are of one job. */
    return cor_group_peer(inter->group, 0) < cor_group_peer(inter->remote_group, 0);
}

int cor_comm_settle(cor_comm *comm)
{
    cor_device *device = comm->device;
    cor_idle_state idle = {0};
    cor_buffer_flush(comm->owner, NULL);
    cor_buffer_flush(comm->owner, comm);
    cor_device_enter(device);
    while (!cor_device_is_closed(device) && cor_request_is_pending(comm)) {
        if (cor_device_progress(device, -1) > 0)
            idle = (cor_idle_state){0};
        else
            cor_device_idle(device, &idle);
    }
    cor_device_leave(device);
    return cor_internal_all_and(comm, NULL, 0);
}

int cor_comm_holds(const void *owner, uint32_t context, int peer)
{
    const cor_rank *rank = owner;
    for (const cor_link *link = rank->comms.next; link != &rank->comms; link = link->next) {
        const cor_comm *comm = COR_OWNER((cor_link *)(uintptr_t)link, cor_comm, link);
        if (comm->context == (context & ~(uint32_t)1))
            return cor_group_rank_of(comm->remote_group, peer) != COR_UNDEFINED;
    }
    return 1; /* no communicator of the program: among ourselves every rank is named */
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

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

void cor_comm_set_face(cor_comm *comm, void *data, void (*free_fn)(void *data))
{
    comm->face = data;
    comm->face_free = free_fn;
}

void *cor_comm_face(const cor_comm *comm)
{
    return comm->face;
}
