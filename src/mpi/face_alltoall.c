/* SPDX-License-Identifier: Apache-2.0 */
/* From all to all, and its v and w forms. */
#include "mpi/face_coll.h"

static inline __attribute__((always_inline)) int alltoall(const face_form *form, const void *sendbuf,
                                                          MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                                                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    int error = coll_begin(&frame, &call, form, COR_ALLTOALL, comm)
                    ?: coll_check_stream(&frame, &coll_names_recv, recvbuf, recvcount, recvtype, frame.comm->size, 1,
                                         &call.recv);
    if (COR_LIKELY(!error) && !coll_is_in_place(&frame, &call, sendbuf))
        error = coll_check_stream(&frame, &coll_names_send, sendbuf, sendcount, sendtype, frame.comm->size, 0,
                                  &call.send)
                    ?: coll_check_lengths(&frame, call.send.bytes, call.recv.bytes)
                    ?: coll_check_disjoint(&frame, &call.send.payload, &call.recv.payload);
    return error ?: coll_finish(form, &frame, &call);
}

COLL_FORMS(alltoall, Alltoall, Ialltoall)

/* ---- v and w forms ---------------------------------------------------------------------------------------------- */

/* Block by block: a block to a rank must not overlap the block from it. */
static int alltoall_check_pairs(coll_frame *frame, const coll_room *send, const coll_room *recv)
{
    int error = MPI_SUCCESS;
    if (!frame->comm->is_inter)
        error = coll_check_lengths(frame, send->parts[frame->comm->rank].bytes, recv->parts[frame->comm->rank].bytes);
    for (int i = 0; !error && i < frame->comm->size; i++)
        error = coll_check_disjoint(frame, &send->parts[i], &recv->parts[i]);
    return error;
}

static int alltoall_blocks(const face_form *form, cor_primitive primitive, const coll_blocks *send,
                           const coll_blocks *recv, MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    coll_room send_room, recv_room;
    coll_room_init(&send_room);
    coll_room_init(&recv_room);
    int error = coll_begin(&frame, &call, form, primitive, comm)
                    ?: coll_check_blocks(&frame, recv, frame.comm->size, 1, &recv_room, &call.recv);
    if (!error && !coll_is_in_place(&frame, &call, send->buffer))
        error = coll_check_blocks(&frame, send, frame.comm->size, 0, &send_room, &call.send)
                    ?: alltoall_check_pairs(&frame, &send_room, &recv_room);
    error = error ?: coll_finish(form, &frame, &call);
    coll_room_fini(&send_room);
    coll_room_fini(&recv_room);
    return error;
}

static int alltoallv(const face_form *form, const void *sendbuf, const face_array *sendcounts,
                     const face_array *sdispls, MPI_Datatype sendtype, void *recvbuf, const face_array *recvcounts,
                     const face_array *rdispls, MPI_Datatype recvtype, MPI_Comm comm)
{
    const coll_blocks send = coll_send_blocks(sendbuf, sendcounts, sdispls, sendtype);
    const coll_blocks recv = coll_recv_blocks(recvbuf, recvcounts, rdispls, recvtype);
    return alltoall_blocks(form, COR_ALLTOALLV, &send, &recv, comm);
}

COLL_FORMS(alltoallv, Alltoallv, Ialltoallv)

static int alltoallw(const face_form *form, const void *sendbuf, const face_array *sendcounts,
                     const face_array *sdispls, const MPI_Datatype sendtypes[], void *recvbuf,
                     const face_array *recvcounts, const face_array *rdispls, const MPI_Datatype recvtypes[],
                     MPI_Comm comm)
{
    const coll_blocks send = coll_send_typed(sendbuf, sendcounts, sdispls, sendtypes);
    const coll_blocks recv = coll_recv_typed(recvbuf, recvcounts, rdispls, recvtypes);
    return alltoall_blocks(form, COR_ALLTOALLW, &send, &recv, comm);
}

COLL_FORMS(alltoallw, Alltoallw, Ialltoallw)
