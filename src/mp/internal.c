/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/internal.h"

#include "mp/alive.h"
#include "mp/mp_state.h"

int cor_internal_send(cor_comm *comm, const void *data, size_t bytes, int dest, int tag)
{
    cor_device *device = comm->device;
    cor_members members = cor_members_of_comm(comm, tag);
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_transfer t = {0};
    cor_device_enter(device);
    int rc = device->ops->isend(device, &t, cor_comm_peer(comm, dest), comm->context + 1, tag, &payload);
    if (rc == COR_OK)
        rc = cor_members_wait(&members, &t);
    cor_device_leave(device);
    return rc;
}

int cor_internal_recv(cor_comm *comm, void *data, size_t bytes, int source, int tag)
{
    cor_device *device = comm->device;
    cor_members members = cor_members_of_comm(comm, tag);
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_transfer t = {0};
    cor_device_enter(device);
    int rc = device->ops->irecv(device, &t, cor_comm_peer(comm, source), comm->context + 1, tag, &payload);
    if (rc == COR_OK)
        rc = cor_members_wait(&members, &t);
    cor_device_leave(device);
    return rc;
}

int cor_internal_all_and(cor_comm *comm, uint64_t *words, size_t count)
{
    cor_members members = cor_members_of_comm(comm, COR_INTERNAL_TAG_AND);
    return cor_members_all_and(&members, words, count);
}

int cor_internal_gather_all(cor_comm *comm, const void *block, size_t bytes, void *all)
{
    cor_members members = cor_members_of_comm(comm, COR_INTERNAL_TAG_GATHER);
    return cor_members_gather_all(&members, block, bytes, all);
}
