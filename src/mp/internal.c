#include "mp/internal.h"

#include "mp/mp_state.h"

#include <stdlib.h>
#include <string.h>

enum { INTERNAL_TAG_AND = 1, INTERNAL_TAG_GATHER = 2 };

int cor_internal_send(cor_comm *comm, const void *data, size_t bytes, int dest, int tag)
{
    cor_device *device = comm->device;
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_transfer t = {0};
    cor_device_enter(device);
    int rc = device->ops->isend(device, &t, cor_comm_peer(comm, dest), comm->context + 1, tag, &payload);
    if (rc == COR_OK)
        cor_device_wait(device, &t);
    cor_device_leave(device);
    return rc != COR_OK ? rc : t.error;
}

int cor_internal_recv(cor_comm *comm, void *data, size_t bytes, int source, int tag)
{
    cor_device *device = comm->device;
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_transfer t = {0};
    cor_device_enter(device);
    int rc = device->ops->irecv(device, &t, cor_comm_peer(comm, source), comm->context + 1, tag, &payload);
    if (rc == COR_OK)
        cor_device_wait(device, &t);
    cor_device_leave(device);
    return rc != COR_OK ? rc : t.error;
}

int cor_internal_sendrecv(cor_comm *comm, const void *out, size_t out_bytes, int dest, void *in, size_t in_bytes,
                          int source, int tag)
{
    cor_device *device = comm->device;
    cor_payload send_payload = cor_payload_plain(out, out_bytes), recv_payload = cor_payload_plain(in, in_bytes);
    cor_transfer send = {0}, recv = {0};
    uint32_t context = comm->context + 1;
    cor_device_enter(device);
    int rc = device->ops->irecv(device, &recv, cor_comm_peer(comm, source), context, tag, &recv_payload);
    if (rc == COR_OK) {
        rc = device->ops->isend(device, &send, cor_comm_peer(comm, dest), context, tag, &send_payload);
        if (rc == COR_OK)
            cor_device_wait(device, &send);
        else
            device->ops->cancel(device, &recv);
        cor_device_wait(device, &recv);
    }
    cor_device_leave(device);
    return rc != COR_OK ? rc : send.error != COR_OK ? send.error : recv.error;
}

/* Up and down a binomial tree rooted at 0: `parent` and the children of a rank. */
static int internal_parent(int rank)
{
    return rank & (rank - 1);
}

static int internal_combine(cor_comm *comm, uint64_t *words, uint64_t *theirs, size_t count)
{
    for (int bit = 1; bit < comm->size && !(comm->rank & bit); bit <<= 1) {
        if ((comm->rank | bit) >= comm->size)
            continue;
        int rc = cor_internal_recv(comm, theirs, count * sizeof *words, comm->rank | bit, INTERNAL_TAG_AND);
        if (rc != COR_OK)
            return rc;
        for (size_t i = 0; i < count; i++)
            words[i] &= theirs[i];
    }
    return COR_OK;
}

static int internal_bcast(cor_comm *comm, void *data, size_t bytes, int tag)
{
    int rc = COR_OK;
    int bit = 1;
    while (bit < comm->size && !(comm->rank & bit))
        bit <<= 1;
    if (comm->rank != 0)
        rc = cor_internal_recv(comm, data, bytes, internal_parent(comm->rank), tag);
    for (bit >>= 1; bit > 0 && rc == COR_OK; bit >>= 1)
        if ((comm->rank | bit) < comm->size)
            rc = cor_internal_send(comm, data, bytes, comm->rank | bit, tag);
    return rc;
}

int cor_internal_all_and(cor_comm *comm, uint64_t *words, size_t count)
{
    uint64_t *theirs = malloc(count * sizeof *theirs + 1);
    if (!theirs)
        return cor_fault_set(&comm->owner->fault, COR_ERR_MEMORY, "no memory to agree with the other ranks");
    int rc = internal_combine(comm, words, theirs, count);
    free(theirs);
    if (rc == COR_OK && comm->rank != 0)
        rc = cor_internal_send(comm, words, count * sizeof *words, internal_parent(comm->rank), INTERNAL_TAG_AND);
    if (rc == COR_OK)
        rc = internal_bcast(comm, words, count * sizeof *words, INTERNAL_TAG_AND);
    return rc;
}

int cor_internal_gather_all(cor_comm *comm, const void *block, size_t bytes, void *all)
{
    char *at = all;
    int rc = COR_OK;
    memcpy(at + (size_t)comm->rank * bytes, block, bytes);
    if (comm->rank != 0)
        rc = cor_internal_send(comm, block, bytes, 0, INTERNAL_TAG_GATHER);
    else
        for (int i = 1; i < comm->size && rc == COR_OK; i++)
            rc = cor_internal_recv(comm, at + (size_t)i * bytes, bytes, i, INTERNAL_TAG_GATHER);
    if (rc == COR_OK)
        rc = internal_bcast(comm, all, (size_t)comm->size * bytes, INTERNAL_TAG_GATHER);
    return rc;
}
