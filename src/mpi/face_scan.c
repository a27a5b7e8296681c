/* SPDX-License-Identifier: Apache-2.0 */
/* Scan and exclusive scan. */
#include "mpi/face_coll.h"

static int scan_check(const face_form *form, cor_primitive primitive, const void *sendbuf, void *recvbuf,
                      MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    static const p2p_names send_names = {.buffer = "sendbuf", .count = "count", .type = "datatype"};
    static const p2p_names recv_names = {.buffer = "recvbuf", .count = "count", .type = "datatype"};
    coll_frame frame;
    cor_call call;
    int error = coll_begin(&frame, &call, form, primitive, comm);
    if (error != MPI_SUCCESS)
        return error;
    if (frame.comm->is_inter)
        return coll_fail_inter(&frame);
    cor_stream *send = &call.send, *recv = &call.recv;
    int is_in_place = coll_is_in_place(&frame, &call, sendbuf);
    error = face_op_check(form->name, frame.comm, op, datatype, &call.reducer);
    /* The first rank of an exclusive scan gets nothing. */
    if (!error && (primitive == COR_SCAN || frame.comm->rank > 0 || is_in_place))
        error = coll_check_stream(&frame, &recv_names, recvbuf, count, datatype, 1, 1, recv);
    if (!error && !is_in_place)
        error = coll_check_stream(&frame, &send_names, sendbuf, count, datatype, 1, 0, send);
    return error ?: coll_check_disjoint(&frame, &send->payload, &recv->payload) ?: coll_finish(form, &frame, &call);
}

static int scan(const face_form *form, const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                MPI_Op op, MPI_Comm comm)
{
    return scan_check(form, COR_SCAN, sendbuf, recvbuf, count, datatype, op, comm);
}

static int exscan(const face_form *form, const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Op op, MPI_Comm comm)
{
    return scan_check(form, COR_EXSCAN, sendbuf, recvbuf, count, datatype, op, comm);
}

COLL_FORMS(scan, Scan, Iscan)
COLL_FORMS(exscan, Exscan, Iexscan)
