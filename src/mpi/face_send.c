/* Sends: four modes, each blocking, non-blocking and persistent, each with an int and with an MPI_Count. */
#include "mpi/face_p2p.h"

/* ---- blocking --------------------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) int send_blocking(const char *call, const void *buf, MPI_Count count,
                                                               MPI_Datatype datatype, int dest, int tag,
                                                               MPI_Comm handle, cor_send_mode mode)
{
    face_comm *comm;
    cor_payload payload;
    int error = p2p_check_send(call, &p2p_names_send, buf, count, datatype, dest, tag, handle, &comm, &payload);
    if (COR_UNLIKELY(error != MPI_SUCCESS))
        return error;
    int code = cor_send(comm->comm, &payload, dest, tag, mode);
    if (COR_UNLIKELY(code != COR_OK))
        return face_fail_engine(call, comm, code, NULL);
    return MPI_SUCCESS;
}

COR_API(int, Send, (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
{
    return send_blocking("MPI_Send", buf, count, datatype, dest, tag, comm, COR_STANDARD);
}

COR_API(int, Send_c, (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
{
    return send_blocking("MPI_Send_c", buf, count, datatype, dest, tag, comm, COR_STANDARD);
}

COR_API(int, Bsend, (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
{
    return send_blocking("MPI_Bsend", buf, count, datatype, dest, tag, comm, COR_BUFFERED);
}

COR_API(int, Bsend_c, (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
{
    return send_blocking("MPI_Bsend_c", buf, count, datatype, dest, tag, comm, COR_BUFFERED);
}

COR_API(int, Ssend, (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
{
    return send_blocking("MPI_Ssend", buf, count, datatype, dest, tag, comm, COR_SYNCHRONOUS);
}

COR_API(int, Ssend_c, (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
{
    return send_blocking("MPI_Ssend_c", buf, count, datatype, dest, tag, comm, COR_SYNCHRONOUS);
}

COR_API(int, Rsend, (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
{
    return send_blocking("MPI_Rsend", buf, count, datatype, dest, tag, comm, COR_READY);
}

COR_API(int, Rsend_c, (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
{
    return send_blocking("MPI_Rsend_c", buf, count, datatype, dest, tag, comm, COR_READY);
}

/* ---- non-blocking and persistent -------------------------------------------------------------------------------- */

typedef int (*send_start_fn)(cor_comm *comm, const cor_payload *payload, int dest, int tag, cor_send_mode mode,
                             cor_request **request_p);

/* `start` is cor_isend or cor_send_init, known where this is inlined. */
static inline __attribute__((always_inline)) int send_request(const char *call, send_start_fn start, const void *buf,
                                                              MPI_Count count, MPI_Datatype datatype, int dest,
                                                              int tag, MPI_Comm handle, cor_send_mode mode,
                                                              MPI_Request *request)
{
    face_comm *comm;
    cor_payload payload;
    cor_request *started;
    int error = p2p_check_send(call, &p2p_names_send, buf, count, datatype, dest, tag, handle, &comm, &payload);
    if (COR_UNLIKELY(error != MPI_SUCCESS))
        return error;
    if (COR_UNLIKELY(!request))
        return face_fail_null(call, comm, "request");
    int code = start(comm->comm, &payload, dest, tag, mode, &started);
    if (COR_UNLIKELY(code != COR_OK))
        return face_fail_engine(call, comm, code, NULL);
    *request = face_request_new(call, started);
    return MPI_SUCCESS;
}

COR_API(int, Isend,
        (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request))
{
    return send_request("MPI_Isend", cor_isend, buf, count, datatype, dest, tag, comm, COR_STANDARD, request);
}

COR_API(int, Isend_c,
        (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request))
{
    return send_request("MPI_Isend_c", cor_isend, buf, count, datatype, dest, tag, comm, COR_STANDARD, request);
}

COR_API(int, Ibsend,
        (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request))
{
    return send_request("MPI_Ibsend", cor_isend, buf, count, datatype, dest, tag, comm, COR_BUFFERED, request);
}

COR_API(int, Ibsend_c,
        (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request))
{
    return send_request("MPI_Ibsend_c", cor_isend, buf, count, datatype, dest, tag, comm, COR_BUFFERED, request);
}

COR_API(int, Issend,
        (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request))
{
    return send_request("MPI_Issend", cor_isend, buf, count, datatype, dest, tag, comm, COR_SYNCHRONOUS, request);
}

COR_API(int, Issend_c,
        (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request))
{
    return send_request("MPI_Issend_c", cor_isend, buf, count, datatype, dest, tag, comm, COR_SYNCHRONOUS, request);
}

COR_API(int, Irsend,
        (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request))
{
    return send_request("MPI_Irsend", cor_isend, buf, count, datatype, dest, tag, comm, COR_READY, request);
}

COR_API(int, Irsend_c,
        (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request))
{
    return send_request("MPI_Irsend_c", cor_isend, buf, count, datatype, dest, tag, comm, COR_READY, request);
}

COR_API(int, Send_init,
        (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request))
{
    return send_request("MPI_Send_init", cor_send_init, buf, count, datatype, dest, tag, comm, COR_STANDARD, request);
}

COR_API(int, Send_init_c,
        (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request))
{
    return send_request("MPI_Send_init_c", cor_send_init, buf, count, datatype, dest, tag, comm, COR_STANDARD,
                        request);
}

COR_API(int, Bsend_init,
        (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request))
{
    return send_request("MPI_Bsend_init", cor_send_init, buf, count, datatype, dest, tag, comm, COR_BUFFERED, request);
}

COR_API(int, Bsend_init_c,
        (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request))
{
    return send_request("MPI_Bsend_init_c", cor_send_init, buf, count, datatype, dest, tag, comm, COR_BUFFERED,
                        request);
}

COR_API(int, Ssend_init,
        (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request))
{
    return send_request("MPI_Ssend_init", cor_send_init, buf, count, datatype, dest, tag, comm, COR_SYNCHRONOUS,
                        request);
}

COR_API(int, Ssend_init_c,
        (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request))
{
    return send_request("MPI_Ssend_init_c", cor_send_init, buf, count, datatype, dest, tag, comm, COR_SYNCHRONOUS,
                        request);
}

COR_API(int, Rsend_init,
        (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request))
{
    return send_request("MPI_Rsend_init", cor_send_init, buf, count, datatype, dest, tag, comm, COR_READY, request);
}

COR_API(int, Rsend_init_c,
        (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request))
{
    return send_request("MPI_Rsend_init_c", cor_send_init, buf, count, datatype, dest, tag, comm, COR_READY, request);
}
