/* SPDX-License-Identifier: Apache-2.0 */
/* Reduce, reduce to all, and reduce with the result scattered. */
#include "mpi/face_coll.h"

/* ---- reduce ----------------------------------------------------------------------------------------------------- */

static const p2p_names reduce_names_send = {.buffer = "sendbuf", .count = "count", .type = "datatype"};
static const p2p_names reduce_names_recv = {.buffer = "recvbuf", .count = "count", .type = "datatype"};

static inline __attribute__((always_inline)) int reduce(const face_form *form, const void *sendbuf, void *recvbuf,
                                                        MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
                                                        MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    int error = coll_begin(&frame, &call, form, COR_REDUCE, comm) ?: coll_check_root(&frame, &call, root);
    if (COR_UNLIKELY(error))
        return error;
    int is_root = frame.role == COLL_ROOT;
    if (is_root)
        error = coll_check_stream(&frame, &reduce_names_recv, recvbuf, count, datatype, 1, 1, &call.recv);
    if (COR_LIKELY(!error && coll_is_partner(&frame)) && !(is_root && coll_is_in_place(&frame, &call, sendbuf)))
        error = coll_check_stream(&frame, &reduce_names_send, sendbuf, count, datatype, 1, 0, &call.send);
    if (COR_LIKELY(!error) && is_root)
        error = coll_check_disjoint(&frame, &call.send.payload, &call.recv.payload);
    if (COR_LIKELY(!error && frame.role != COLL_IDLE))
        error = face_op_check(form->name, frame.comm, op, datatype, &call.reducer);
    return error ?: coll_finish(form, &frame, &call);
}

COLL_FORMS(reduce, Reduce, Ireduce)

static inline __attribute__((always_inline)) int allreduce(const face_form *form, const void *sendbuf, void *recvbuf,
                                                           MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                                                           MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    int error = coll_begin(&frame, &call, form, COR_ALLREDUCE, comm)
                    ?: coll_check_stream(&frame, &reduce_names_recv, recvbuf, count, datatype, 1, 1, &call.recv);
    if (COR_LIKELY(!error) && !coll_is_in_place(&frame, &call, sendbuf))
        error = coll_check_stream(&frame, &reduce_names_send, sendbuf, count, datatype, 1, 0, &call.send)
                    ?: coll_check_disjoint(&frame, &call.send.payload, &call.recv.payload);
    return error
               ?: face_op_check(form->name, frame.comm, op, datatype, &call.reducer)
               ?: coll_finish(form, &frame, &call);
}

COLL_FORMS(allreduce, Allreduce, Iallreduce)

/* ---- the result in blocks --------------------------------------------------------------------------------------- */

static int reduce_scatter_block(const face_form *form, const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    static const p2p_names send_names = {.buffer = "sendbuf", .count = "recvcount", .type = "datatype"};
    static const p2p_names recv_names = {.buffer = "recvbuf", .count = "recvcount", .type = "datatype"};
    coll_frame frame;
    cor_call call;
    int error = coll_begin(&frame, &call, form, COR_REDUCE_SCATTER_BLOCK, comm);
    if (error != MPI_SUCCESS)
        return error;
    cor_stream *send = &call.send, *recv = &call.recv;
    int blocks = cor_comm_size(frame.comm->comm); /* of this side */
    /* In place the values for all ranks are where the result goes. */
    int own_blocks = coll_is_in_place(&frame, &call, sendbuf) ? blocks : 1;
    error = face_op_check(form->name, frame.comm, op, datatype, &call.reducer)
                ?: coll_check_stream(&frame, &recv_names, recvbuf, recvcount, datatype, own_blocks, 1, recv);
    if (!error && !call.is_in_place)
        error = coll_check_stream(&frame, &send_names, sendbuf, recvcount, datatype, blocks, 0, send)
                    ?: coll_check_disjoint(&frame, &send->payload, &recv->payload);
    return error ?: coll_finish(form, &frame, &call);
}

COLL_FORMS(reduce_scatter_block, Reduce_scatter_block, Ireduce_scatter_block)

/* The buffers of reduce_scatter, once it is known where the blocks of the result begin. */
static int reduce_scatter_check_buffers(coll_frame *frame, cor_call *call, const void *sendbuf, void *recvbuf,
                                        const size_t *starts, MPI_Datatype datatype)
{
    static const p2p_names send_names = {.buffer = "sendbuf", .count = "the sum of recvcounts", .type = "datatype"};
    static const p2p_names all_names = {.buffer = "recvbuf", .count = "the sum of recvcounts", .type = "datatype"};
    static const p2p_names own_names = {.buffer = "recvbuf", .count = "this rank's of recvcounts", .type = "datatype"};
    cor_stream *send = &call->send, *recv = &call->recv;
    size_t element_bytes = call->reducer.type->size;
    int rank = frame->comm->rank, blocks = cor_comm_size(frame->comm->comm);
    MPI_Count all = element_bytes ? (MPI_Count)(starts[blocks] / element_bytes) : 0;
    MPI_Count own = element_bytes ? (MPI_Count)((starts[rank + 1] - starts[rank]) / element_bytes) : 0;
    if (coll_is_in_place(frame, call, sendbuf)) {
        /* The values for all ranks are where the result goes. */
        int error = coll_check_stream(frame, &all_names, recvbuf, all, datatype, 1, 1, recv);
        recv->bytes = starts[rank + 1] - starts[rank];
        return error;
    }
    int error = coll_check_stream(frame, &own_names, recvbuf, own, datatype, 1, 1, recv)
                    ?: coll_check_stream(frame, &send_names, sendbuf, all, datatype, 1, 0, send);
    send->bytes = 0; /* blocks differ */
    return error ?: coll_check_disjoint(frame, &send->payload, &recv->payload);
}

static int reduce_scatter(const face_form *form, const void *sendbuf, void *recvbuf, const face_array *recvcounts,
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    coll_room room;
    coll_room_init(&room);
    int error = coll_begin(&frame, &call, form, COR_REDUCE_SCATTER, comm)
                    ?: face_op_check(form->name, frame.comm, op, datatype, &call.reducer)
                    ?: coll_check_starts(&frame, recvcounts, cor_comm_size(frame.comm->comm), call.reducer.type->size,
                                         &room, &call.send)
                    ?: reduce_scatter_check_buffers(&frame, &call, sendbuf, recvbuf, room.starts, datatype)
                    ?: coll_finish(form, &frame, &call);
    coll_room_fini(&room);
    return error;
}

COLL_FORMS(reduce_scatter, Reduce_scatter, Ireduce_scatter)
