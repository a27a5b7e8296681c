/* SPDX-License-Identifier: Apache-2.0 */
/* Probes, and receives of messages found by a matched probe. */
#include "mpi/face_p2p.h"

/* Check source, tag and communicator; on MPI_SUCCESS *comm_p is set. */
static int probe_check(const char *call, int source, int tag, MPI_Comm handle, face_comm **comm_p)
{
    face_comm *comm = face_comm_find(face_get(), handle);
    if (!comm)
        return face_fail_comm(call, NULL, "comm", handle);
    *comm_p = comm;
    if (!p2p_is_source_wrong(comm, source, tag))
        return MPI_SUCCESS;
    return p2p_explain_source(call, &p2p_names_recv, comm, source, tag);
}

static int probe_blocking(const char *call, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    face_comm *face = NULL;
    cor_status found;
    int error = probe_check(call, source, tag, comm, &face);
    if (error != MPI_SUCCESS)
        return error;
    int code = cor_probe(face->comm, source, tag, &found);
    if (code != COR_OK)
        return face_fail_engine(call, face, code, NULL);
    face_status_out(status, &found);
    return MPI_SUCCESS;
}

FACE_API(Probe, probe_blocking)

static int probe_now(const char *call, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    face_comm *face = NULL;
    cor_status found;
    int error = probe_check(call, source, tag, comm, &face);
    if (error != MPI_SUCCESS)
        return error;
    if (!flag)
        return face_fail_null(call, face, "flag");
    int code = cor_iprobe(face->comm, source, tag, flag, &found);
    if (code != COR_OK)
        return face_fail_engine(call, face, code, NULL);
    if (*flag)
        face_status_out(status, &found);
    return MPI_SUCCESS;
}

FACE_API(Iprobe, probe_now)

/* ---- matched probes --------------------------------------------------------------------------------------------- */

/* A handle for what a matched probe found; NULL from MPI_PROC_NULL. The message is not lost when memory is out: there
 * is none before the probe. */
static MPI_Message probe_handle(face_message *object, face_comm *comm, cor_message *message)
{
    if (!message) {
        face_object_destroy(comm->owner, object);
        return MPI_MESSAGE_NO_PROC;
    }
    object->comm = comm;
    object->message = message;
    return (MPI_Message)object;
}

static int probe_matched(const char *call, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                         MPI_Status *status)
{
    face_comm *face = NULL;
    cor_status found;
    cor_message *taken = NULL;
    int is_found = 1;
    int error = probe_check(call, source, tag, comm, &face);
    if (error != MPI_SUCCESS)
        return error;
    if (!message)
        return face_fail_null(call, face, "message");
    face_message *object = face_object_create(face->owner, FACE_MESSAGE, call);
    if (!object)
        return face_fail(call, face, MPI_ERR_NO_MEM, "no memory for a message handle");
    int code = flag ? cor_improbe(face->comm, source, tag, &is_found, &taken, &found)
                    : cor_mprobe(face->comm, source, tag, &taken, &found);
    if (code != COR_OK || !is_found)
        face_object_destroy(face->owner, object);
    if (code != COR_OK)
        return face_fail_engine(call, face, code, NULL);
    if (flag)
        *flag = is_found;
    *message = is_found ? probe_handle(object, face, taken) : MPI_MESSAGE_NULL;
    if (is_found)
        face_status_out(status, &found);
    return MPI_SUCCESS;
}

static int probe_matched_blocking(const char *call, int source, int tag, MPI_Comm comm, MPI_Message *message,
                                  MPI_Status *status)
{
    return probe_matched(call, source, tag, comm, NULL, message, status);
}

FACE_API(Mprobe, probe_matched_blocking)

static int probe_matched_now(const char *call, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                             MPI_Status *status)
{
    return flag ? probe_matched(call, source, tag, comm, flag, message, status) : face_fail_null(call, NULL, "flag");
}

FACE_API(Improbe, probe_matched_now)

/* ---- receives of matched messages ------------------------------------------------------------------------------- */

/* Check the arguments; on MPI_SUCCESS *object_p (NULL from MPI_PROC_NULL) and *payload_p are set. */
static int mrecv_check(const char *call, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
                       face_message **object_p, cor_payload *payload_p)
{
    face_open(call);
    if (!message)
        return face_fail_null(call, NULL, "message");
    face_message *object = (face_message *)*message;
    if (*message == MPI_MESSAGE_NO_PROC)
        object = NULL;
    else if (*message == MPI_MESSAGE_NULL)
        return face_fail(call, NULL, MPI_ERR_REQUEST, "message is MPI_MESSAGE_NULL");
    else if (!face_is_object(face_get(), object) || object->kind != FACE_MESSAGE)
        return face_fail(call, NULL, MPI_ERR_REQUEST, "message is %p, which is not a message or was already received",
                         (void *)object);
    const cor_dtype *type = face_type_find(datatype);
    int64_t bytes = 0;
    if (p2p_is_buffer_wrong(buf, count, type, &bytes) || p2p_is_overlapping(type, count)) {
        face_comm *comm = object ? object->comm : NULL;
        int error = p2p_explain_buffer(call, &p2p_names_recv, comm, buf, count, datatype)
                        ?: p2p_explain_overlap(call, &p2p_names_recv, comm, count, datatype);
        if (error != MPI_SUCCESS)
            return error;
    }
    *object_p = object;
    p2p_payload(type, buf, count, bytes, payload_p);
    return MPI_SUCCESS;
}

/* The message is received, or from MPI_PROC_NULL. The communicator goes with it if it was freed before. */
static void mrecv_forget(face_message *object)
{
    if (!object)
        return;
    cor_comm *comm = object->comm->comm;
    face_object_destroy(object->comm->owner, object);
    cor_comm_unref(comm);
}

static int mrecv_blocking(const char *call, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
                          MPI_Status *status)
{
    face_message *object = NULL;
    cor_payload payload;
    cor_status received;
    int error = mrecv_check(call, buf, count, datatype, message, &object, &payload);
    if (error != MPI_SUCCESS)
        return error;
    face_comm *comm = object ? object->comm : face_get()->self;
    int code = object ? cor_mrecv(comm->comm, object->message, &payload, &received)
                      : cor_recv(comm->comm, &payload, MPI_PROC_NULL, MPI_ANY_TAG, &received);
    *message = MPI_MESSAGE_NULL;
    if (code == COR_OK)
        face_status_out(status, &received);
    else
        error = p2p_recv_failed(call, comm, code, &received, status);
    mrecv_forget(object);
    return error;
}

static int mrecv_request(const char *call, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
                         MPI_Request *request)
{
    face_message *object = NULL;
    cor_payload payload;
    cor_request *started;
    int error = mrecv_check(call, buf, count, datatype, message, &object, &payload);
    if (error != MPI_SUCCESS)
        return error;
    face_comm *comm = object ? object->comm : face_get()->self;
    if (!request)
        return face_fail_null(call, comm, "request");
    int code = object ? cor_imrecv(comm->comm, object->message, &payload, &started)
                      : cor_irecv(comm->comm, &payload, MPI_PROC_NULL, MPI_ANY_TAG, &started);
    if (code != COR_OK)
        return face_fail_engine(call, comm, code, NULL);
    *message = MPI_MESSAGE_NULL;
    *request = face_request_new(call, started);
    mrecv_forget(object);
    return MPI_SUCCESS;
}

FACE_API(Mrecv, mrecv_blocking)
FACE_API(Imrecv, mrecv_request)
