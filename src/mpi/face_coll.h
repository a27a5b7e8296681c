/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the collective operations: the forms of a call, the checks of its arguments, and how it is passed to the
 * engine.
 *
 * A primitive is one body (api.h) that checks its arguments, describes the call (cor_call) and ends with coll_finish().
 * COLL_FORMS makes MPI's six functions out of it.
 *
 * Only arguments that are significant on this rank are checked. As for sends, the fast path makes one test per buffer,
 * and a separate function finds the invalid argument.
 *
 * Budget: 10 ns of checks for predefined datatypes on MPI_COMM_WORLD, 16 with an operator, where no arrays are passed.
 */
#ifndef COR_MPI_FACE_COLL_H
#define COR_MPI_FACE_COLL_H

#include "mpi/face_op.h"
#include "mpi/face_p2p.h"

#include "coll/coll.h"

/* ---- forms ------------------------------------------------------------------------------------------------------ */

/* The six functions over one primitive: blocking, non-blocking, persistent, and each with large counts. */
#define COLL_FORMS(primitive, Name, Iname)                                                                            \
    FACE_API(Name, primitive)                                                                                         \
    FACE_API(Iname, primitive)                                                                                        \
    FACE_API(Name##_init, primitive)

/* ---- the call under way ----------------------------------------------------------------------------------------- */

typedef enum coll_role {
    COLL_EQUAL,  /* there is no root */
    COLL_MEMBER, /* not the root */
    COLL_ROOT,
    COLL_IDLE, /* in the root's group of an intercommunicator: only root and comm are significant */
} coll_role;

/* The call and its communicator. The description of the call (cor_call) is separate: only the engine reads it, so that
 * the compiler may keep it in registers until then. */
typedef struct coll_frame {
    const face_form *form;
    face_comm *comm;
    coll_role role;
    cor_primitive primitive;
} coll_frame;

extern const p2p_names coll_names_send; /* sendbuf, sendcount, sendtype */
extern const p2p_names coll_names_recv; /* recvbuf, recvcount, recvtype */

/* All of these return MPI_SUCCESS or the error, already reported; as MPI_SUCCESS is 0, `check ?: next` continues with
 * the next one on success. */
int coll_explain_root(coll_frame *frame, int root) __attribute__((cold, noinline));
int coll_explain_stream(const coll_frame *frame, const p2p_names *names, const void *buffer, MPI_Count count,
                        MPI_Datatype datatype, int blocks, int is_written) __attribute__((cold, noinline));
int coll_fail_lengths(const coll_frame *frame, size_t sent, size_t expected) __attribute__((cold, noinline));
int coll_fail_overlap(const coll_frame *frame) __attribute__((cold, noinline));
int coll_fail_in_place(const coll_frame *frame, const char *buffer_name) __attribute__((cold, noinline));
int coll_fail_inter(const coll_frame *frame) __attribute__((cold, noinline));
/* The ways other than blocking. */
int coll_finish_request(const coll_frame *frame, const cor_call *call);

/* Field by field, so that what is set later is not written twice. */
static inline void coll_clear_stream(cor_stream *stream)
{
    stream->payload.ops = NULL;
    stream->payload.base = NULL;
    stream->payload.bytes = 0;
    stream->payload.owner = NULL;
    stream->payload.kind = 0;
    stream->payload.is_held = 0;
    stream->payload.type_class = 0;
    stream->bytes = 0;
    stream->parts = NULL;
    stream->starts = NULL;
    stream->type = NULL;
    stream->types = NULL;
}

/* Find the communicator; everything else in the call is zero. */
static inline int coll_begin(coll_frame *frame, cor_call *call, const face_form *form, cor_primitive primitive,
                             MPI_Comm handle)
{
    face_comm *comm = face_comm_find(face_get(), handle);
    if (COR_UNLIKELY(!comm))
        return face_fail_comm(form->name, NULL, "comm", handle);
    if (form->way == FACE_RUN)
        cor_coll_begin(comm->comm);
    frame->form = form;
    frame->comm = comm;
    frame->role = COLL_EQUAL;
    frame->primitive = primitive;
    call->primitive = primitive;
    call->comm = comm->comm;
    call->root = 0;
    call->is_in_place = 0;
    call->is_unforced = 0;
    coll_clear_stream(&call->send);
    coll_clear_stream(&call->recv);
    call->reducer.op = NULL;
    call->reducer.type = NULL;
    call->reducer.handle = NULL;
    call->reducer.combine = NULL;
    call->zcopy_p = NULL;
    return MPI_SUCCESS;
}

/* Check the root, and set the role of this rank. */
static inline int coll_check_root(coll_frame *frame, cor_call *call, int root)
{
    call->root = root;
    if (COR_UNLIKELY((unsigned)root >= (unsigned)frame->comm->size))
        return coll_explain_root(frame, root);
    frame->role = !frame->comm->is_inter && root == frame->comm->rank ? COLL_ROOT : COLL_MEMBER;
    return MPI_SUCCESS;
}

/* Does this rank send to the root's gather or reduce, or receive from its scatter? The root of an intercommunicator is
 * on the other side. */
static inline int coll_is_partner(const coll_frame *frame)
{
    return frame->role == COLL_MEMBER || (frame->role == COLL_ROOT && !frame->comm->is_inter);
}

/* Is the buffer MPI_IN_PLACE where that is allowed? Elsewhere the check of the buffer reports it. */
static inline int coll_is_in_place(const coll_frame *frame, cor_call *call, const void *buffer)
{
    return call->is_in_place = COR_UNLIKELY(buffer == MPI_IN_PLACE) && !frame->comm->is_inter;
}

/* A buffer of `blocks` blocks of `count` elements. is_written: it is received into. */
static inline __attribute__((always_inline)) int coll_check_stream(coll_frame *frame, const p2p_names *names,
                                                                   const void *buffer, MPI_Count count,
                                                                   MPI_Datatype datatype, int blocks, int is_written,
                                                                   cor_stream *stream)
{
    const cor_dtype *type = face_type_find(datatype);
    int64_t elements = 0, bytes = 0, all = 0;
    if (COR_UNLIKELY(!type || count < 0 || __builtin_mul_overflow(count, (int64_t)type->size, &bytes) ||
                     __builtin_mul_overflow(count, (int64_t)blocks, &elements) ||
                     __builtin_mul_overflow(bytes, (int64_t)blocks, &all) ||
                     ((uintptr_t)buffer <= (uintptr_t)MPI_BUFFER_AUTOMATIC && all > 0) ||
                     (is_written && p2p_is_overlapping(type, elements)))) {
        int error = coll_explain_stream(frame, names, buffer, count, datatype, blocks, is_written);
        if (error != MPI_SUCCESS)
            return error;
    }
    p2p_payload(type, buffer, elements, all, &stream->payload);
    stream->bytes = (size_t)bytes;
    stream->type = type;
    return MPI_SUCCESS;
}

/* Do two buffers share memory? Detected if both have no gaps, or are the same memory under the same datatype. */
static inline int coll_is_overlapping(const cor_payload *a, const cor_payload *b)
{
    if (a->bytes == 0 || b->bytes == 0)
        return 0;
    if (COR_LIKELY(!a->ops && !b->ops))
        return (uintptr_t)a->base < (uintptr_t)b->base + b->bytes &&
               (uintptr_t)b->base < (uintptr_t)a->base + a->bytes;
    return a->ops == b->ops && a->base == b->base && a->owner == b->owner;
}

/* Send and receive buffer must not share memory. */
static inline int coll_check_disjoint(const coll_frame *frame, const cor_payload *send, const cor_payload *recv)
{
    return COR_UNLIKELY(coll_is_overlapping(send, recv)) ? coll_fail_overlap(frame) : MPI_SUCCESS;
}

/* A rank that sends itself a block must receive as many bytes as it sends; on an intercommunicator no rank has both.
 */
static inline int coll_check_lengths(const coll_frame *frame, size_t sent, size_t expected)
{
    return COR_UNLIKELY(sent != expected && !frame->comm->is_inter) ? coll_fail_lengths(frame, sent, expected)
                                                                    : MPI_SUCCESS;
}

/* The form is known where the primitive is inlined, the one in the frame is not. */
static inline int coll_finish(const face_form *form, const coll_frame *frame, const cor_call *call)
{
    if (form->way != FACE_RUN)
        return coll_finish_request(frame, call);
    int code = cor_coll_run(call);
    return COR_LIKELY(code == COR_OK) ? MPI_SUCCESS : face_fail_engine(form->name, frame->comm, code, NULL);
}

/* ---- v and w forms: blocks with counts and places of their own -------------------------------------------------- */

/* A buffer in blocks, as it was passed. */
typedef struct coll_blocks {
    const char *name; /* of the buffer */
    const void *buffer;
    face_array counts;
    face_array places; /* displacements: in elements; in w forms in bytes */
    const char *type_name;
    MPI_Datatype type;
    int is_typed; /* w forms: every block has its own datatype */
    const MPI_Datatype *types;
} coll_blocks;

/* As the calls name them. */
static inline coll_blocks coll_send_blocks(const void *buffer, const face_array *counts, const face_array *places,
                                           MPI_Datatype type)
{
    return (coll_blocks){.name = "sendbuf",
                         .buffer = buffer,
                         .counts = *counts,
                         .places = *places,
                         .type_name = "sendtype",
                         .type = type};
}

static inline coll_blocks coll_recv_blocks(const void *buffer, const face_array *counts, const face_array *places,
                                           MPI_Datatype type)
{
    return (coll_blocks){.name = "recvbuf",
                         .buffer = buffer,
                         .counts = *counts,
                         .places = *places,
                         .type_name = "recvtype",
                         .type = type};
}

/* w forms. */
static inline coll_blocks coll_send_typed(const void *buffer, const face_array *counts, const face_array *places,
                                          const MPI_Datatype types[])
{
    return (coll_blocks){.name = "sendbuf",
                         .buffer = buffer,
                         .counts = *counts,
                         .places = *places,
                         .type_name = "sendtypes",
                         .is_typed = 1,
                         .types = types};
}

static inline coll_blocks coll_recv_typed(const void *buffer, const face_array *counts, const face_array *places,
                                          const MPI_Datatype types[])
{
    return (coll_blocks){.name = "recvbuf",
                         .buffer = buffer,
                         .counts = *counts,
                         .places = *places,
                         .type_name = "recvtypes",
                         .is_typed = 1,
                         .types = types};
}

/* Memory for the descriptions of blocks: on the caller's stack if there are few. */
enum { COLL_FEW = 64 };
typedef struct coll_room {
    cor_payload few_parts[COLL_FEW];
    size_t few_starts[COLL_FEW + 1];
    const cor_dtype *few_types[COLL_FEW];
    cor_payload *parts;
    size_t *starts;
    const cor_dtype **types; /* w forms */
    void *many;              /* NULL: the array for few blocks is enough */
} coll_room;

static inline void coll_room_init(coll_room *room)
{
    room->many = NULL;
}

void coll_room_fini(coll_room *room);

/* Describe `count` blocks. */
int coll_check_blocks(coll_frame *frame, const coll_blocks *blocks, int count, int is_written, coll_room *room,
                      cor_stream *stream);
/* Only where they begin, for elements of `element_bytes`: the blocks of reduce_scatter. */
int coll_check_starts(coll_frame *frame, const face_array *counts, int count, size_t element_bytes, coll_room *room,
                      cor_stream *stream);

/* ---- requests --------------------------------------------------------------------------------------------------- */

/* Is it the request of a collective operation? */
int coll_request_is_ours(const cor_request *request);

#endif
