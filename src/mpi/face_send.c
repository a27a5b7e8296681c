/* SPDX-License-Identifier: Apache-2.0 */
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

/* ---- the functions ---------------------------------------------------------------------------------------------- */

#define SEND_BLOCKING(Name, count_type, mode)                                                                         \
    COR_API(int, Name, (const void *buf, count_type count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))  \
    {                                                                                                                 \
        return send_blocking("MPI_" #Name, buf, count, datatype, dest, tag, comm, mode);                              \
    }

#define SEND_REQUEST(Name, count_type, start, mode)                                                                   \
    COR_API(int, Name,                                                                                                \
            (const void *buf, count_type count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,              \
             MPI_Request *request))                                                                                   \
    {                                                                                                                 \
        return send_request("MPI_" #Name, start, buf, count, datatype, dest, tag, comm, mode, request);               \
    }

#define SEND_FORMS(Name, Iname, mode)                                                                                 \
    SEND_BLOCKING(Name, int, mode)                                                                                    \
    SEND_BLOCKING(Name##_c, MPI_Count, mode)                                                                          \
    SEND_REQUEST(Iname, int, cor_isend, mode)                                                                         \
    SEND_REQUEST(Iname##_c, MPI_Count, cor_isend, mode)                                                               \
    SEND_REQUEST(Name##_init, int, cor_send_init, mode)                                                               \
    SEND_REQUEST(Name##_init_c, MPI_Count, cor_send_init, mode)

SEND_FORMS(Send, Isend, COR_STANDARD)
SEND_FORMS(Bsend, Ibsend, COR_BUFFERED)
SEND_FORMS(Ssend, Issend, COR_SYNCHRONOUS)
SEND_FORMS(Rsend, Irsend, COR_READY)
