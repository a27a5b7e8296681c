/* SPDX-License-Identifier: Apache-2.0 */
/* Error messages for the arguments of collective operations; and operations that are a request. */
#include "mpi/face_coll.h"

#include "mpi/face_comm.h"

const p2p_names coll_names_send = {.buffer = "sendbuf", .count = "sendcount", .type = "sendtype"};
const p2p_names coll_names_recv = {.buffer = "recvbuf", .count = "recvcount", .type = "recvtype"};

/* ---- arguments -------------------------------------------------------------------------------------------------- */

int coll_explain_root(coll_frame *frame, int root)
{
    face_comm *comm = frame->comm;
    if (comm->is_inter && (root == MPI_ROOT || root == MPI_PROC_NULL)) {
        frame->role = root == MPI_ROOT ? COLL_ROOT : COLL_IDLE;
        return MPI_SUCCESS;
    }
    if (comm->is_inter)
        return face_fail(frame->form->name, comm, MPI_ERR_ROOT,
                         "root is %d, but must be MPI_ROOT, MPI_PROC_NULL or a rank of the other group (0..%d)", root,
                         comm->size - 1);
    if (root == MPI_ROOT || root == MPI_PROC_NULL)
        return face_fail(frame->form->name, comm, MPI_ERR_ROOT,
                         "root is %s, which is valid on intercommunicators only; comm has the ranks 0..%d",
                         root == MPI_ROOT ? "MPI_ROOT" : "MPI_PROC_NULL", comm->size - 1);
    return face_fail_rank(frame->form->name, comm, MPI_ERR_ROOT, "root", root);
}

/* MPI_IN_PLACE where it is not allowed. */
int coll_fail_in_place(const coll_frame *frame, const char *buffer_name)
{
    const char *why = "where this call does not allow it";
    if (frame->comm->is_inter)
        why = "which is not allowed on an intercommunicator";
    else if (frame->role == COLL_MEMBER && frame->primitive != COR_BCAST)
        why = "which only the root may pass";
    return face_fail(frame->form->name, frame->comm, MPI_ERR_BUFFER, "%s is MPI_IN_PLACE, %s", buffer_name, why);
}

int coll_explain_stream(const coll_frame *frame, const p2p_names *names, const void *buffer, MPI_Count count,
                        MPI_Datatype datatype, int blocks, int is_written)
{
    const char *call = frame->form->name;
    const cor_dtype *type = face_type_find(datatype);
    int64_t elements, bytes;
    /* Without blocks the buffer does not matter; the other arguments are checked. */
    int error = MPI_SUCCESS;
    if (buffer == MPI_IN_PLACE && blocks > 0)
        return coll_fail_in_place(frame, names->buffer);
    error = p2p_explain_buffer(call, names, frame->comm, blocks > 0 ? buffer : names, count, datatype);
    if (error != MPI_SUCCESS)
        return error;
    if (__builtin_mul_overflow(count, (int64_t)blocks, &elements) ||
        __builtin_mul_overflow(elements, (int64_t)type->size, &bytes))
        return face_fail(call, frame->comm, MPI_ERR_COUNT,
                         "%s is %lld elements of %zu bytes in each of %d blocks, more than memory can hold",
                         names->count, (long long)count, type->size, blocks);
    if (!is_written || !p2p_is_overlapping(type, elements))
        return MPI_SUCCESS;
    if (blocks > 1 && cor_dtype_receive_max(type) > 0)
        return face_fail(call, frame->comm, MPI_ERR_TYPE,
                         "elements of %s overlap when there are more than %zu, and %s is %lld in each of %d blocks",
                         names->type, cor_dtype_receive_max(type), names->count, (long long)count, blocks);
    return p2p_explain_overlap(call, names, frame->comm, elements, datatype);
}

int coll_fail_lengths(const coll_frame *frame, size_t sent, size_t expected)
{
    return face_fail(frame->form->name, frame->comm, sent > expected ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
                     "the counts and datatypes make this rank send %zu bytes to itself, but receive %zu", sent,
                     expected);
}

int coll_fail_overlap(const coll_frame *frame)
{
    return face_fail(frame->form->name, frame->comm, MPI_ERR_BUFFER, "sendbuf and recvbuf overlap; use MPI_IN_PLACE");
}

int coll_fail_inter(const coll_frame *frame)
{
    return face_fail(frame->form->name, frame->comm, MPI_ERR_COMM,
                     "comm is an intercommunicator, which this operation does not support");
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

/* Its address marks the requests of collective operations. */
static const char coll_mark;

int coll_request_is_ours(const cor_request *request)
{
    return cor_request_face(request) == &coll_mark;
}

int coll_finish_request(const coll_frame *frame, const cor_call *call)
{
    const face_form *form = frame->form;
    cor_request *made = NULL;
    int error = MPI_SUCCESS;
    if (form->way == FACE_INIT && !face_info_is_usable(form->name, frame->comm, form->info, &error))
        return error;
    if (!form->request)
        return face_fail_null(form->name, frame->comm, "request");
    int code = form->way == FACE_INIT ? cor_coll_init(call, &made) : cor_coll_start(call, &made);
    if (code != COR_OK)
        return face_fail_engine(form->name, frame->comm, code, NULL);
    cor_request_set_face(made, (void *)(uintptr_t)&coll_mark, NULL);
    *form->request = face_request_new(form->name, made);
    return MPI_SUCCESS;
}
