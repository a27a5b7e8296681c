/* SPDX-License-Identifier: Apache-2.0 */
/* Error messages for the arguments of sends and receives. */
#include "mpi/face_p2p.h"

const p2p_names p2p_names_send = {"buf", "count", "datatype", "dest", "tag"};
const p2p_names p2p_names_recv = {"buf", "count", "datatype", "source", "tag"};
const p2p_names p2p_names_sendrecv_send = {"sendbuf", "sendcount", "sendtype", "dest", "sendtag"};
const p2p_names p2p_names_sendrecv_recv = {"recvbuf", "recvcount", "recvtype", "source", "recvtag"};

/* From MPI_BOTTOM the displacements of a type are addresses. */
static int p2p_is_absolute(const cor_dtype *type)
{
    return !type->is_predefined && type->true_lb > (ptrdiff_t)FACE_RESERVED_MAX;
}

int p2p_explain_buffer(const char *call, const p2p_names *names, face_comm *comm, const void *buffer, MPI_Count count,
                       MPI_Datatype datatype)
{
    const cor_dtype *type = face_type_find(datatype);
    int64_t bytes;
    if (count < 0)
        return face_fail_negative(call, comm, MPI_ERR_COUNT, names->count, count);
    if (!type)
        return face_fail_type(call, comm, names->type, datatype);
    if (__builtin_mul_overflow(count, (int64_t)type->size, &bytes))
        return face_fail(call, comm, MPI_ERR_COUNT, "%s is %lld elements of %zu bytes, more than memory can hold",
                         names->count, (long long)count, type->size);
    if (bytes == 0)
        return MPI_SUCCESS;
    if (buffer == MPI_IN_PLACE)
        return face_fail(call, comm, MPI_ERR_BUFFER,
                         "%s is MPI_IN_PLACE, which is valid in collective operations only", names->buffer);
    if (buffer == MPI_BUFFER_AUTOMATIC)
        return face_fail(call, comm, MPI_ERR_BUFFER,
                         "%s is MPI_BUFFER_AUTOMATIC, which is valid for an attached buffer only", names->buffer);
    if (!buffer && !p2p_is_absolute(type))
        return face_fail(call, comm, MPI_ERR_BUFFER, "%s is a NULL pointer, but %s is %lld", names->buffer,
                         names->count, (long long)count);
    return MPI_SUCCESS;
}

int p2p_explain_overlap(const char *call, const p2p_names *names, face_comm *comm, MPI_Count count,
                        MPI_Datatype datatype)
{
    const cor_dtype *type = face_type_find(datatype);
    if (!p2p_is_overlapping(type, count))
        return MPI_SUCCESS;
    if (cor_dtype_receive_max(type) == 0)
        return face_fail(call, comm, MPI_ERR_TYPE, "%s has blocks that overlap, so nothing can be received into it",
                         names->type);
    return face_fail(call, comm, MPI_ERR_TYPE, "elements of %s overlap when %s is more than %zu, and it is %lld",
                     names->type, names->count, cor_dtype_receive_max(type), (long long)count);
}

int p2p_explain_send(const char *call, const p2p_names *names, const void *buffer, MPI_Count count,
                     MPI_Datatype datatype, int dest, int tag, MPI_Comm handle)
{
    face_comm *comm = face_comm_find(face_open(call), handle);
    if (!comm)
        return face_fail_comm(call, NULL, "comm", handle);
    int error = p2p_explain_buffer(call, names, comm, buffer, count, datatype);
    if (error != MPI_SUCCESS)
        return error;
    if (tag < 0)
        return face_fail_tag(call, comm, MPI_ERR_TAG, names->tag, tag);
    if (dest == MPI_PROC_NULL || (dest >= 0 && dest < comm->size))
        return MPI_SUCCESS;
    return face_fail_rank(call, comm, MPI_ERR_RANK, names->peer, dest);
}

int p2p_explain_source(const char *call, const p2p_names *names, face_comm *comm, int source, int tag)
{
    if (tag < 0 && tag != MPI_ANY_TAG)
        return face_fail(call, comm, MPI_ERR_TAG, "%s is %d, but must be 0..%d or MPI_ANY_TAG", names->tag, tag,
                         COR_TAG_MAX);
    if (source == MPI_PROC_NULL || source == MPI_ANY_SOURCE || (source >= 0 && source < comm->size))
        return MPI_SUCCESS;
    return face_fail_rank(call, comm, MPI_ERR_RANK, names->peer, source);
}

int p2p_explain_recv(const char *call, const p2p_names *names, const void *buffer, MPI_Count count,
                     MPI_Datatype datatype, int source, int tag, MPI_Comm handle)
{
    face_comm *comm = face_comm_find(face_open(call), handle);
    if (!comm)
        return face_fail_comm(call, NULL, "comm", handle);
    int error = p2p_explain_buffer(call, names, comm, buffer, count, datatype)
                    ?: p2p_explain_overlap(call, names, comm, count, datatype);
    if (error != MPI_SUCCESS)
        return error;
    return p2p_explain_source(call, names, comm, source, tag);
}

int p2p_recv_failed(const char *call, face_comm *comm, int code, const cor_status *received, MPI_Status *status)
{
    /* A receive that never got a message has no status. */
    if (code == COR_ERR_TRUNCATE)
        face_status_out(status, received);
    return face_fail_engine(call, comm, code, received);
}

int p2p_check_replace(const char *call, void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                      int source, int recvtag, MPI_Comm handle, face_comm **comm_p, cor_payload *payload_p)
{
    static const p2p_names send_names = {"buf", "count", "datatype", "dest", "sendtag"};
    static const p2p_names recv_names = {"buf", "count", "datatype", "source", "recvtag"};
    return p2p_check_send(call, &send_names, buffer, count, datatype, dest, sendtag, handle, comm_p, payload_p)
               ?: p2p_check_recv(call, &recv_names, buffer, count, datatype, source, recvtag, handle, comm_p,
                                 payload_p);
}
