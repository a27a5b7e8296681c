/* SPDX-License-Identifier: Apache-2.0 */
/* Receives, and sends and receives at once. */
#include "mpi/face_p2p.h"

/* ---- receives --------------------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) int recv_blocking(const char *call, void *buf, MPI_Count count,
                                                               MPI_Datatype datatype, int source, int tag,
                                                               MPI_Comm handle, MPI_Status *status)
{
    face_comm *comm;
    cor_payload payload;
    cor_status received;
    int error = p2p_check_recv(call, &p2p_names_recv, buf, count, datatype, source, tag, handle, &comm, &payload);
    if (COR_UNLIKELY(error != MPI_SUCCESS))
        return error;
    int code = cor_recv(comm->comm, &payload, source, tag, &received);
    if (COR_UNLIKELY(code != COR_OK))
        return p2p_recv_failed(call, comm, code, &received, status);
    face_status_out(status, &received);
    return MPI_SUCCESS;
}

typedef int (*recv_start_fn)(cor_comm *comm, const cor_payload *payload, int source, int tag, cor_request **request_p);

/* `start` is cor_irecv or cor_recv_init, known where this is inlined. */
static inline __attribute__((always_inline)) int recv_request(const char *call, void *buf, MPI_Count count,
                                                              MPI_Datatype datatype, int source, int tag,
                                                              MPI_Comm handle, MPI_Request *request,
                                                              recv_start_fn start)
{
    face_comm *comm;
    cor_payload payload;
    cor_request *started;
    int error = p2p_check_recv(call, &p2p_names_recv, buf, count, datatype, source, tag, handle, &comm, &payload);
    if (COR_UNLIKELY(error != MPI_SUCCESS))
        return error;
    if (COR_UNLIKELY(!request))
        return face_fail_null(call, comm, "request");
    int code = start(comm->comm, &payload, source, tag, &started);
    if (COR_UNLIKELY(code != COR_OK))
        return face_fail_engine(call, comm, code, NULL);
    *request = face_request_new(call, started);
    return MPI_SUCCESS;
}

FACE_API(Recv, recv_blocking)
FACE_API(Irecv, recv_request, cor_irecv)
FACE_API(Recv_init, recv_request, cor_recv_init)

/* ---- both at once ----------------------------------------------------------------------------------------------- */

static int sendrecv(const char *call, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                    int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                    MPI_Comm handle, MPI_Status *status)
{
    face_comm *comm;
    cor_payload out, in;
    cor_status received;
    int error = p2p_check_send(call, &p2p_names_sendrecv_send, sendbuf, sendcount, sendtype, dest, sendtag, handle,
                               &comm, &out)
                    ?: p2p_check_recv(call, &p2p_names_sendrecv_recv, recvbuf, recvcount, recvtype, source, recvtag,
                                      handle, &comm, &in);
    if (error != MPI_SUCCESS)
        return error;
    int code = cor_sendrecv(comm->comm, &out, dest, sendtag, &in, source, recvtag, &received);
    if (code != COR_OK)
        return p2p_recv_failed(call, comm, code, &received, status);
    face_status_out(status, &received);
    return MPI_SUCCESS;
}

static int sendrecv_replace(const char *call, void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                            int source, int recvtag, MPI_Comm handle, MPI_Status *status)
{
    face_comm *comm;
    cor_payload payload;
    cor_status received;
    int error = p2p_check_replace(call, buf, count, datatype, dest, sendtag, source, recvtag, handle, &comm, &payload);
    if (error != MPI_SUCCESS)
        return error;
    int code = cor_sendrecv_replace(comm->comm, &payload, dest, sendtag, source, recvtag, &received);
    if (code != COR_OK)
        return p2p_recv_failed(call, comm, code, &received, status);
    face_status_out(status, &received);
    return MPI_SUCCESS;
}

FACE_API(Sendrecv, sendrecv)
FACE_API(Sendrecv_replace, sendrecv_replace)
