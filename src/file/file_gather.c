/* SPDX-License-Identifier: Apache-2.0 */
#include "file/file_gather.h"

void file_gather_begin(file_gather *gather, const cor_comm *comm, int tag, void *records, size_t record_bytes)
{
    *gather = (file_gather){.comm = comm, .tag = tag, .record_bytes = record_bytes, .records = records, .has = 1};
}

/* One round: send what there is to the member behind, as far as it lacks it, and receive from the one ahead. */
static int gather_start(file_gather *gather)
{
    const cor_comm *comm = gather->comm;
    cor_device *device = comm->device;
    int distance = gather->has, lacking = comm->size - distance;
    size_t bytes = (size_t)(distance < lacking ? distance : lacking) * gather->record_bytes;
    int to = cor_comm_peer(comm, (comm->rank + comm->size - distance) % comm->size);
    int from = cor_comm_peer(comm, (comm->rank + distance) % comm->size);
    cor_payload in = cor_payload_plain(gather->records + (size_t)distance * gather->record_bytes, bytes);
    cor_payload out = cor_payload_plain(gather->records, bytes);
    int rc = device->ops->irecv(device, &gather->receive, from, comm->context, gather->tag, &in);
    if (rc != COR_OK)
        return rc;
    gather->is_moving = 1;
    rc = device->ops->isend(device, &gather->send, to, comm->context, gather->tag, &out);
    if (rc != COR_OK) {
        gather->send.is_done = 1;
        gather->send.error = rc;
    }
    return COR_OK;
}

static int gather_result(const file_gather *gather)
{
    if (gather->receive.error != COR_OK)
        return gather->receive.error;
    if (gather->receive.is_cancelled || gather->receive.bytes != gather->receive.payload.bytes)
        return COR_ERR_PROTOCOL;
    return gather->send.error;
}

int file_gather_step(file_gather *gather)
{
    while (gather->has < gather->comm->size) {
        int rc = gather->is_moving ? COR_OK : gather_start(gather);
        if (rc != COR_OK)
            return rc;
        if (!gather->send.is_done || !gather->receive.is_done)
            return COR_AGAIN;
        gather->is_moving = 0;
        rc = gather_result(gather);
        if (rc != COR_OK)
            return rc;
        gather->has = 2 * gather->has < gather->comm->size ? 2 * gather->has : gather->comm->size;
    }
    return COR_OK;
}

int file_gather_is_moving(const file_gather *gather)
{
    return gather->is_moving && (!gather->send.is_done || !gather->receive.is_done);
}

void file_gather_cancel(file_gather *gather)
{
    cor_device *device = gather->comm->device;
    if (gather->is_moving && !gather->send.is_done)
        device->ops->cancel(device, &gather->send);
    if (gather->is_moving && !gather->receive.is_done)
        device->ops->cancel(device, &gather->receive);
}
