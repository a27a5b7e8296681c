/* SPDX-License-Identifier: Apache-2.0 */
/* Gather and scatter, and their v forms. */
#include "mpi/face_coll.h"

/* ---- gather ----------------------------------------------------------------------------------------------------- */

/* The send buffer of this rank, if it sends; at the root also checked against its block, in `room` for the v form. */
static int gather_check_own(coll_frame *frame, cor_call *call, const void *sendbuf, MPI_Count sendcount,
                            MPI_Datatype sendtype, const coll_room *room)
{
    cor_stream *send = &call->send, *recv = &call->recv;
    int is_root = frame->role == COLL_ROOT;
    if (!coll_is_partner(frame) || (is_root && coll_is_in_place(frame, call, sendbuf)))
        return MPI_SUCCESS;
    int error = coll_check_stream(frame, &coll_names_send, sendbuf, sendcount, sendtype, 1, 0, send);
    if (error || !is_root)
        return error;
    const cor_payload *place = room ? &room->parts[call->root] : &recv->payload;
    return coll_check_lengths(frame, send->bytes, room ? place->bytes : recv->bytes)
               ?: coll_check_disjoint(frame, &send->payload, place);
}

static int gather(const face_form *form, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                  void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    int error = coll_begin(&frame, &call, form, COR_GATHER, comm) ?: coll_check_root(&frame, &call, root);
    if (!error && frame.role == COLL_ROOT)
        error =
            coll_check_stream(&frame, &coll_names_recv, recvbuf, recvcount, recvtype, frame.comm->size, 1, &call.recv);
    return error
               ?: gather_check_own(&frame, &call, sendbuf, sendcount, sendtype, NULL)
               ?: coll_finish(form, &frame, &call);
}

COLL_FORMS(gather, Gather, Igather)

static int gatherv(const face_form *form, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                   void *recvbuf, const face_array *recvcounts, const face_array *displs, MPI_Datatype recvtype,
                   int root, MPI_Comm comm)
{
    const coll_blocks blocks = coll_recv_blocks(recvbuf, recvcounts, displs, recvtype);
    coll_frame frame;
    cor_call call;
    coll_room room;
    coll_room_init(&room);
    int error = coll_begin(&frame, &call, form, COR_GATHERV, comm) ?: coll_check_root(&frame, &call, root);
    if (!error && frame.role == COLL_ROOT)
        error = coll_check_blocks(&frame, &blocks, frame.comm->size, 1, &room, &call.recv);
    error = error
                ?: gather_check_own(&frame, &call, sendbuf, sendcount, sendtype, &room)
                ?: coll_finish(form, &frame, &call);
    coll_room_fini(&room);
    return error;
}

COLL_FORMS(gatherv, Gatherv, Igatherv)

/* ---- scatter ---------------------------------------------------------------------------------------------------- */

/* The reverse: the receive buffer of this rank. */
static int scatter_check_own(coll_frame *frame, cor_call *call, void *recvbuf, MPI_Count recvcount,
                             MPI_Datatype recvtype, const coll_room *room)
{
    cor_stream *send = &call->send, *recv = &call->recv;
    int is_root = frame->role == COLL_ROOT;
    if (!coll_is_partner(frame) || (is_root && coll_is_in_place(frame, call, recvbuf)))
        return MPI_SUCCESS;
    int error = coll_check_stream(frame, &coll_names_recv, recvbuf, recvcount, recvtype, 1, 1, recv);
    if (error || !is_root)
        return error;
    const cor_payload *place = room ? &room->parts[call->root] : &send->payload;
    return coll_check_lengths(frame, room ? place->bytes : send->bytes, recv->bytes)
               ?: coll_check_disjoint(frame, place, &recv->payload);
}

static int scatter(const face_form *form, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                   void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    int error = coll_begin(&frame, &call, form, COR_SCATTER, comm) ?: coll_check_root(&frame, &call, root);
    if (!error && frame.role == COLL_ROOT)
        error =
            coll_check_stream(&frame, &coll_names_send, sendbuf, sendcount, sendtype, frame.comm->size, 0, &call.send);
    return error
               ?: scatter_check_own(&frame, &call, recvbuf, recvcount, recvtype, NULL)
               ?: coll_finish(form, &frame, &call);
}

COLL_FORMS(scatter, Scatter, Iscatter)

static int scatterv(const face_form *form, const void *sendbuf, const face_array *sendcounts, const face_array *displs,
                    MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                    MPI_Comm comm)
{
    const coll_blocks blocks = coll_send_blocks(sendbuf, sendcounts, displs, sendtype);
    coll_frame frame;
    cor_call call;
    coll_room room;
    coll_room_init(&room);
    int error = coll_begin(&frame, &call, form, COR_SCATTERV, comm) ?: coll_check_root(&frame, &call, root);
    if (!error && frame.role == COLL_ROOT)
        error = coll_check_blocks(&frame, &blocks, frame.comm->size, 0, &room, &call.send);
    error = error
                ?: scatter_check_own(&frame, &call, recvbuf, recvcount, recvtype, &room)
                ?: coll_finish(form, &frame, &call);
    coll_room_fini(&room);
    return error;
}

COLL_FORMS(scatterv, Scatterv, Iscatterv)
