/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of sends and receives: one test for all of them on the fast path, and a separate function that finds
 * the invalid one and reports it.
 *
 * Budget: the checks and the payload together cost 3 ns for a predefined datatype on MPI_COMM_WORLD.
 */
#ifndef COR_MPI_FACE_P2P_H
#define COR_MPI_FACE_P2P_H

#include "mpi/face_error.h"
#include "mpi/face_status.h"

/* The names of a call's arguments. */
typedef struct p2p_names {
    const char *buffer, *count, *type, *peer, *tag;
} p2p_names;

extern const p2p_names p2p_names_send;          /* buf, count, datatype, dest, tag */
extern const p2p_names p2p_names_recv;          /* buf, count, datatype, source, tag */
extern const p2p_names p2p_names_sendrecv_send; /* sendbuf, sendcount, sendtype, dest, sendtag */
extern const p2p_names p2p_names_sendrecv_recv; /* recvbuf, recvcount, recvtype, source, recvtag */

/* MPI_SUCCESS if the arguments are valid after all (the peer is MPI_PROC_NULL), else the error, already reported. */
int p2p_explain_send(const char *call, const p2p_names *names, const void *buffer, MPI_Count count,
                     MPI_Datatype datatype, int dest, int tag, MPI_Comm handle) __attribute__((cold, noinline));
int p2p_explain_recv(const char *call, const p2p_names *names, const void *buffer, MPI_Count count,
                     MPI_Datatype datatype, int source, int tag, MPI_Comm handle) __attribute__((cold, noinline));
int p2p_explain_source(const char *call, const p2p_names *names, face_comm *comm, int source, int tag)
    __attribute__((cold, noinline));
int p2p_explain_buffer(const char *call, const p2p_names *names, face_comm *comm, const void *buffer, MPI_Count count,
                       MPI_Datatype datatype) __attribute__((cold, noinline));

/* The same for data that is written: is there a byte that `count` elements would write twice? */
int p2p_explain_overlap(const char *call, const p2p_names *names, face_comm *comm, MPI_Count count,
                        MPI_Datatype datatype) __attribute__((cold, noinline));

/* A receive failed: its status where there is one, and the error. */
int p2p_recv_failed(const char *call, face_comm *comm, int code, const cor_status *received, MPI_Status *status)
    __attribute__((cold, noinline));

/* Is the buffer invalid? If not, *bytes_p is set. */
static inline int p2p_is_buffer_wrong(const void *buffer, MPI_Count count, const cor_dtype *type, int64_t *bytes_p)
{
    return !type || count < 0 || __builtin_mul_overflow(count, (int64_t)type->size, bytes_p) ||
           (*bytes_p > 0 && (uintptr_t)buffer <= (uintptr_t)MPI_BUFFER_AUTOMATIC);
}

/* Would a receive write a byte twice? For types without gaps the answer is immediate, for others it is cached in the
 * type. */
static inline int p2p_is_overlapping(const cor_dtype *type, MPI_Count count)
{
    return COR_UNLIKELY(!type->is_contiguous) && (size_t)count > cor_dtype_receive_max(type);
}

static inline int p2p_is_dest_wrong(const face_comm *comm, int dest, int tag)
{
    return (unsigned)dest >= (unsigned)comm->size || tag < 0;
}

static inline int p2p_is_source_wrong(const face_comm *comm, int source, int tag)
{
    /* MPI_ANY_SOURCE is -1, so that one comparison allows it too. */
    return (unsigned)source + 1u > (unsigned)comm->size || (tag < 0 && tag != MPI_ANY_TAG);
}

/* Written in place: copying the struct right after its stores would stall. */
static inline void p2p_payload(const cor_dtype *type, const void *buffer, MPI_Count count, int64_t bytes,
                               cor_payload *payload_p)
{
    if (COR_LIKELY(type->is_contiguous)) {
        payload_p->ops = NULL;
        payload_p->base = (void *)(uintptr_t)buffer;
        payload_p->bytes = (size_t)bytes;
        payload_p->owner = NULL;
        payload_p->kind = 0;
        payload_p->is_held = 0;
        payload_p->type_class = 0;
    } else {
        *payload_p = cor_dtype_payload(type, buffer, (size_t)count);
    }
}

/* Check the arguments of a send; on MPI_SUCCESS *comm_p and *payload_p are set. */
static inline __attribute__((always_inline)) int
p2p_check_send(const char *call, const p2p_names *names, const void *buffer, MPI_Count count, MPI_Datatype datatype,
               int dest, int tag, MPI_Comm handle, face_comm **comm_p, cor_payload *payload_p)
{
    face_comm *comm = face_comm_find(face_get(), handle);
    const cor_dtype *type = face_type_find(datatype);
    int64_t bytes = 0;
    if (COR_UNLIKELY(!comm || p2p_is_buffer_wrong(buffer, count, type, &bytes) ||
                     p2p_is_dest_wrong(comm, dest, tag))) {
        int error = p2p_explain_send(call, names, buffer, count, datatype, dest, tag, handle);
        if (error != MPI_SUCCESS)
            return error;
    }
    *comm_p = comm;
    p2p_payload(type, buffer, count, bytes, payload_p);
    return MPI_SUCCESS;
}

static inline __attribute__((always_inline)) int p2p_check_recv(const char *call, const p2p_names *names, void *buffer,
                                                                MPI_Count count, MPI_Datatype datatype, int source,
                                                                int tag, MPI_Comm handle, face_comm **comm_p,
                                                                cor_payload *payload_p)
{
    face_comm *comm = face_comm_find(face_get(), handle);
    const cor_dtype *type = face_type_find(datatype);
    int64_t bytes = 0;
    if (COR_UNLIKELY(!comm || p2p_is_buffer_wrong(buffer, count, type, &bytes) ||
                     p2p_is_source_wrong(comm, source, tag) || p2p_is_overlapping(type, count))) {
        int error = p2p_explain_recv(call, names, buffer, count, datatype, source, tag, handle);
        if (error != MPI_SUCCESS)
            return error;
    }
    *comm_p = comm;
    p2p_payload(type, buffer, count, bytes, payload_p);
    return MPI_SUCCESS;
}

/* The arguments of a call that sends a buffer and receives into it. */
int p2p_check_replace(const char *call, void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                      int source, int recvtag, MPI_Comm handle, face_comm **comm_p, cor_payload *payload_p);

#endif
