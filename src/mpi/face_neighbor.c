/* SPDX-License-Identifier: Apache-2.0 */
/* Collective operations among neighbours in a topology. */
#include "mpi/face_coll.h"

#include "mp/topology.h"

/* Find the communicator and its neighbourhood. */
static int neighbor_begin(coll_frame *frame, cor_call *call, const face_form *form, cor_primitive primitive,
                          MPI_Comm comm, int *source_count_p, int *destination_count_p)
{
    int error = coll_begin(frame, call, form, primitive, comm);
    if (error != MPI_SUCCESS)
        return error;
    if (cor_topology_kind_of(frame->comm->comm) == COR_TOPOLOGY_NONE)
        return face_fail(form->name, frame->comm, MPI_ERR_TOPOLOGY, "comm has no topology");
    *source_count_p = cor_topology_sources(frame->comm->comm).count;
    *destination_count_p = cor_topology_destinations(frame->comm->comm).count;
    return MPI_SUCCESS;
}

/* ---- the same to every neighbour -------------------------------------------------------------------------------- */

static int neighbor_allgather(const face_form *form, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    int sources = 0, destinations = 0;
    return neighbor_begin(&frame, &call, form, COR_NEIGHBOR_ALLGATHER, comm, &sources, &destinations)
               ?: coll_check_stream(&frame, &coll_names_recv, recvbuf, recvcount, recvtype, sources, 1, &call.recv)
               ?: coll_check_stream(&frame, &coll_names_send, sendbuf, sendcount, sendtype, 1, 0, &call.send)
               ?: coll_check_disjoint(&frame, &call.send.payload, &call.recv.payload)
               ?: coll_finish(form, &frame, &call);
}

COLL_FORMS(neighbor_allgather, Neighbor_allgather, Ineighbor_allgather)

static int neighbor_allgatherv(const face_form *form, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void *recvbuf, const face_array *recvcounts, const face_array *displs,
                               MPI_Datatype recvtype, MPI_Comm comm)
{
    const coll_blocks blocks = coll_recv_blocks(recvbuf, recvcounts, displs, recvtype);
    coll_frame frame;
    cor_call call;
    coll_room room;
    int sources = 0, destinations = 0;
    coll_room_init(&room);
    int error = neighbor_begin(&frame, &call, form, COR_NEIGHBOR_ALLGATHERV, comm, &sources, &destinations)
                    ?: coll_check_blocks(&frame, &blocks, sources, 1, &room, &call.recv)
                    ?: coll_check_stream(&frame, &coll_names_send, sendbuf, sendcount, sendtype, 1, 0, &call.send);
    for (int i = 0; !error && i < sources; i++)
        error = coll_check_disjoint(&frame, &call.send.payload, &room.parts[i]);
    error = error ?: coll_finish(form, &frame, &call);
    coll_room_fini(&room);
    return error;
}

COLL_FORMS(neighbor_allgatherv, Neighbor_allgatherv, Ineighbor_allgatherv)

/* ---- something else to every neighbour -------------------------------------------------------------------------- */

static int neighbor_alltoall(const face_form *form, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    int sources = 0, destinations = 0;
    return neighbor_begin(&frame, &call, form, COR_NEIGHBOR_ALLTOALL, comm, &sources, &destinations)
               ?: coll_check_stream(&frame, &coll_names_recv, recvbuf, recvcount, recvtype, sources, 1, &call.recv)
               ?: coll_check_stream(&frame, &coll_names_send, sendbuf, sendcount, sendtype, destinations, 0,
                                    &call.send)
               ?: coll_check_disjoint(&frame, &call.send.payload, &call.recv.payload)
               ?: coll_finish(form, &frame, &call);
}

COLL_FORMS(neighbor_alltoall, Neighbor_alltoall, Ineighbor_alltoall)

static int neighbor_blocks(const face_form *form, cor_primitive primitive, const coll_blocks *send,
                           const coll_blocks *recv, MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    coll_room send_room, recv_room;
    int sources = 0, destinations = 0;
    coll_room_init(&send_room);
    coll_room_init(&recv_room);
    int error = neighbor_begin(&frame, &call, form, primitive, comm, &sources, &destinations)
                    ?: coll_check_blocks(&frame, recv, sources, 1, &recv_room, &call.recv)
                    ?: coll_check_blocks(&frame, send, destinations, 0, &send_room, &call.send);
    for (int i = 0; !error && i < sources && i < destinations; i++)
        error = coll_check_disjoint(&frame, &send_room.parts[i], &recv_room.parts[i]);
    error = error ?: coll_finish(form, &frame, &call);
    coll_room_fini(&send_room);
    coll_room_fini(&recv_room);
    return error;
}

static int neighbor_alltoallv(const face_form *form, const void *sendbuf, const face_array *sendcounts,
                              const face_array *sdispls, MPI_Datatype sendtype, void *recvbuf,
                              const face_array *recvcounts, const face_array *rdispls, MPI_Datatype recvtype,
                              MPI_Comm comm)
{
    const coll_blocks send = coll_send_blocks(sendbuf, sendcounts, sdispls, sendtype);
    const coll_blocks recv = coll_recv_blocks(recvbuf, recvcounts, rdispls, recvtype);
    return neighbor_blocks(form, COR_NEIGHBOR_ALLTOALLV, &send, &recv, comm);
}

COLL_FORMS(neighbor_alltoallv, Neighbor_alltoallv, Ineighbor_alltoallv)

static int neighbor_alltoallw(const face_form *form, const void *sendbuf, const face_array *sendcounts,
                              const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                              const face_array *recvcounts, const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                              MPI_Comm comm)
{
    /* Displacements are addresses in all forms. */
    const face_array send_places = {"sdispls", sdispls, 1}, recv_places = {"rdispls", rdispls, 1};
    const coll_blocks send = coll_send_typed(sendbuf, sendcounts, &send_places, sendtypes);
    const coll_blocks recv = coll_recv_typed(recvbuf, recvcounts, &recv_places, recvtypes);
    return neighbor_blocks(form, COR_NEIGHBOR_ALLTOALLW, &send, &recv, comm);
}

COLL_FORMS(neighbor_alltoallw, Neighbor_alltoallw, Ineighbor_alltoallw)
