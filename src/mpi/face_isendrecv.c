/* SPDX-License-Identifier: Apache-2.0 */
/* A send and a receive as one request. */
#include "mpi/face_p2p.h"

static int isendrecv(const char *call, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                     int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                     MPI_Comm handle, MPI_Request *request)
{
    face_comm *comm;
    cor_payload out, in;
    cor_request *started;
    int error = p2p_check_send(call, &p2p_names_sendrecv_send, sendbuf, sendcount, sendtype, dest, sendtag, handle,
                               &comm, &out)
                    ?: p2p_check_recv(call, &p2p_names_sendrecv_recv, recvbuf, recvcount, recvtype, source, recvtag,
                                      handle, &comm, &in);
    if (error != MPI_SUCCESS)
        return error;
    if (!request)
        return face_fail_null(call, comm, "request");
    int code = cor_isendrecv(comm->comm, &out, dest, sendtag, &in, source, recvtag, &started);
    if (code != COR_OK)
        return face_fail_engine(call, comm, code, NULL);
    *request = face_request_new(call, started);
    return MPI_SUCCESS;
}

static int isendrecv_replace(const char *call, void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                             int sendtag, int source, int recvtag, MPI_Comm handle, MPI_Request *request)
{
    face_comm *comm;
    cor_payload payload;
    cor_request *started;
    int error = p2p_check_replace(call, buf, count, datatype, dest, sendtag, source, recvtag, handle, &comm, &payload);
    if (error != MPI_SUCCESS)
        return error;
    if (!request)
        return face_fail_null(call, comm, "request");
    int code = cor_isendrecv_replace(comm->comm, &payload, dest, sendtag, source, recvtag, &started);
    if (code != COR_OK)
        return face_fail_engine(call, comm, code, NULL);
    *request = face_request_new(call, started);
    return MPI_SUCCESS;
}

FACE_API(Isendrecv, isendrecv)
FACE_API(Isendrecv_replace, isendrecv_replace)
