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
static inline __attribute__((always_inline)) int send_request(const char *call, const void *buf, MPI_Count count,
                                                              MPI_Datatype datatype, int dest, int tag,
                                                              MPI_Comm handle, MPI_Request *request,
                                                              send_start_fn start, cor_send_mode mode)
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

#define SEND_FORMS(Name, Iname, mode)                                                                                 \
    FACE_API(Name, send_blocking, mode)                                                                               \
    FACE_API(Iname, send_request, cor_isend, mode)                                                                    \
    FACE_API(Name##_init, send_request, cor_send_init, mode)

SEND_FORMS(Send, Isend, COR_STANDARD)
SEND_FORMS(Bsend, Ibsend, COR_BUFFERED)
SEND_FORMS(Ssend, Issend, COR_SYNCHRONOUS)
SEND_FORMS(Rsend, Irsend, COR_READY)
