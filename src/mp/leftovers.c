/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/leftovers.h"

#include "mp/alive.h"
#include "mp/internal.h"
#include "mp/mp_state.h"

int cor_rank_is_checked(const cor_rank *rank)
{
    return rank->config.coll.is_checked;
}

int cor_rank_owns_request(cor_rank *rank, const void *address)
{
    const cor_rank *origin = rank->origin;
    cor_device_enter(rank->device);
    int is_owned = cor_pool_owns(&origin->requests, address);
    for (cor_link *link = origin->joined.next; link != &origin->joined && !is_owned; link = link->next)
        is_owned = cor_pool_owns(&COR_OWNER(link, cor_rank, joined_link)->requests, address);
    cor_device_leave(rank->device);
    return is_owned;
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* An empty message to one peer and from another, at once: neither may wait for the other, since a peer with many
 * unreceived messages accepts a further one only when it requests it. */
static int leftovers_exchange(const cor_members *members, int dest, int source)
{
    cor_device *device = members->owner->device;
    cor_payload nothing = cor_payload_plain(NULL, 0);
    cor_transfer send = {0}, recv = {0};
    cor_device_enter(device);
    int rc = device->ops->irecv(device, &recv, source, members->context, members->tag, &nothing);
    if (rc == COR_OK) {
        rc = device->ops->isend(device, &send, dest, members->context, members->tag, &nothing);
        if (rc == COR_OK)
            rc = cor_members_wait(members, &send);
        else
            device->ops->cancel(device, &recv);
        int received = cor_members_wait(members, &recv);
        rc = rc != COR_OK ? rc : received;
    }
    cor_device_leave(device);
    return rc;
}

/* Messages between two ranks, or of a rank to itself, keep their order: once the last one has arrived, all others
 * have. */
static int leftovers_meet(cor_rank *rank)
{
    cor_members members = cor_members_of_comm(rank->world, COR_INTERNAL_TAG_LEFTOVERS);
    int size = rank->known.size, me = rank->known.rank, rc = COR_OK;
    for (int i = 0; i < size && rc == COR_OK; i++)
        rc = leftovers_exchange(&members, (me + i) % size, (me + size - i) % size);
    return rc;
}

typedef struct leftovers_visit {
    cor_rank *rank;
    cor_leftover_fn visit;
    void *subject;
} leftovers_visit;

static cor_comm *leftovers_find_comm(const cor_rank *rank, uint32_t context)
{
    for (cor_link *link = rank->comms.next; link != &rank->comms; link = link->next) {
        cor_comm *comm = COR_OWNER(link, cor_comm, link);
        if (comm->context == context)
            return comm;
    }
    return NULL;
}

static void leftovers_tell(void *subject, uint32_t context, const cor_envelope *envelope)
{
    const leftovers_visit *v = subject;
    /* Of a communicator's two contexts the second is the library's, as are those beside them. */
    if (context & (COR_CONTEXT_GROUP | COR_CONTEXT_BRIDGE | COR_CONTEXT_NAMED | 1))
        return;
    cor_comm *comm = leftovers_find_comm(v->rank, context);
    cor_status status = cor_status_empty;
    status.source = comm ? cor_comm_rank_of(comm, envelope->peer) : envelope->peer;
    status.tag = envelope->tag;
    status.message_bytes = envelope->bytes;
    v->visit(v->subject, comm, &status);
}

int cor_rank_visit_leftovers(cor_rank *rank, cor_leftover_fn visit, void *subject)
{
    leftovers_visit v = {rank, visit, subject};
    int rc = leftovers_meet(rank);
    if (rc != COR_OK)
        return rc;
    cor_device_enter(rank->device);
    rank->device->ops->visit(rank->device, leftovers_tell, &v);
    cor_device_leave(rank->device);
    return COR_OK;
}
