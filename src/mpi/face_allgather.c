/* SPDX-License-Identifier: Apache-2.0 */
/* Gather to all, and its v form. */
#include "mpi/face_coll.h"

static inline __attribute__((always_inline)) int allgather(const face_form *form, const void *sendbuf,
                                                           MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                                                           MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    int error = coll_begin(&frame, &call, form, COR_ALLGATHER, comm)
                    ?: coll_check_stream(&frame, &coll_names_recv, recvbuf, recvcount, recvtype, frame.comm->size, 1,
                                         &call.recv);
    if (COR_LIKELY(!error) && !coll_is_in_place(&frame, &call, sendbuf))
        error = coll_check_stream(&frame, &coll_names_send, sendbuf, sendcount, sendtype, 1, 0, &call.send)
                    ?: coll_check_lengths(&frame, call.send.bytes, call.recv.bytes)
                    ?: coll_check_disjoint(&frame, &call.send.payload, &call.recv.payload);
    return error ?: coll_finish(form, &frame, &call);
}

COLL_FORMS(allgather, Allgather, Iallgather)

static int allgatherv(const face_form *form, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void *recvbuf, const face_array *recvcounts, const face_array *displs, MPI_Datatype recvtype,
                      MPI_Comm comm)
{
    const coll_blocks blocks = coll_recv_blocks(recvbuf, recvcounts, displs, recvtype);
    coll_frame frame;
    cor_call call;
    coll_room room;
    coll_room_init(&room);
    int error = coll_begin(&frame, &call, form, COR_ALLGATHERV, comm)
                    ?: coll_check_blocks(&frame, &blocks, frame.comm->size, 1, &room, &call.recv);
    if (!error && !coll_is_in_place(&frame, &call, sendbuf)) {
        error = coll_check_stream(&frame, &coll_names_send, sendbuf, sendcount, sendtype, 1, 0, &call.send);
        if (!error && !frame.comm->is_inter)
            error = coll_check_lengths(&frame, call.send.bytes, room.parts[frame.comm->rank].bytes)
                        ?: coll_check_disjoint(&frame, &call.send.payload, &room.parts[frame.comm->rank]);
    }
    error = error ?: coll_finish(form, &frame, &call);
    coll_room_fini(&room);
    return error;
}

COLL_FORMS(allgatherv, Allgatherv, Iallgatherv)
