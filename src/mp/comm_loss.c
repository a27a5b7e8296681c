/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/mp_state.h"

#include <stdio.h>
#include <string.h>

/* How the communicator names the peer; 0: it is no member. */
static int loss_place(const cor_comm *comm, int peer, char *place, size_t room)
{
    int rank = cor_group_rank_of(comm->group, peer);
    int is_inter = cor_comm_is_inter(comm);
    const char *whole = "communicator";
    if (is_inter) {
        int remote = cor_group_rank_of(comm->remote_group, peer);
        whole = remote != COR_UNDEFINED ? "remote group" : "local group";
        rank = remote != COR_UNDEFINED ? remote : rank;
    }
    if (rank == COR_UNDEFINED)
        return 0;
    if (comm->owner != comm->owner->origin)
        snprintf(place, room, "rank %d of the %s", rank, whole);
    else if (rank != peer || is_inter)
        snprintf(place, room, "rank %d of the %s (%d of MPI_COMM_WORLD)", rank, whole, peer);
    else
        return 0;
    return 1;
}

void cor_comm_name_loss_in(const cor_comm *comm, cor_fault *fault)
{
    char before[32], place[96], text[sizeof fault->text];
    const cor_rank *origin = comm->owner->origin;
    int peer = fault->lost - 1;
    fault->lost = 0;
    if (peer < 0)
        return;
    int is_of_origin = fault->lost_by == &origin->device->losses;
    int length = snprintf(before, sizeof before, "rank %d ", peer);
    if (strncmp(fault->text, before, (size_t)length) != 0)
        return;
    /* The failure may be another thread's, in another of the jobs. */
    if (fault->lost_by != &comm->device->losses || !loss_place(comm, peer, place, sizeof place)) {
        if (is_of_origin)
            return;
        snprintf(place, sizeof place, "rank %d of the joined job", peer);
    }
    snprintf(text, sizeof text, "%s %s", place, fault->text + length);
    memcpy(fault->text, text, sizeof text);
}

void cor_comm_name_loss(const cor_comm *comm)
{
    cor_device_enter(comm->device);
    cor_comm_name_loss_in(comm, comm->owner->fault);
    cor_device_leave(comm->device);
}
