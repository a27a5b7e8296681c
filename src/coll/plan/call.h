/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call of a collective operation, as a face describes it: which primitive, on which communicator, with which data.
 *
 * Data are packed streams (payload.h): a call does not depend on the layout of the elements in memory. A stream is cut
 * into blocks, one for each rank (or neighbour), where the primitive has blocks.
 */
#ifndef COR_COLL_CALL_H
#define COR_COLL_CALL_H

#include "dtype/op.h"
#include "mp/mp.h"
#include "mp/primitive.h"

/* On an intercommunicator `root` is a rank of the other side, COR_ROOT for the root itself, COR_PROC_NULL for those
 * beside it. The numbers are the ABI's. */
enum { COR_ROOT = -4 };

/* One buffer of a call: a packed stream, in one piece or in parts. */
typedef struct cor_stream {
    cor_payload payload;      /* the whole stream, if parts is NULL */
    size_t bytes;             /* of one block; of the whole stream where the primitive has no blocks */
    const cor_payload *parts; /* v and w forms: block i is parts[i] */
    const size_t *starts;     /* with parts: where block i begins in the stream; one more: where the last ends */
    /* The type of its elements, for the knob check; NULL: not known. */
    const cor_dtype *type;
    const cor_dtype *const *types; /* w forms: a type for each part instead */
} cor_stream;

/*
 * Zero copy. Where the members of a communicator share memory, the caller of a blocking call may write the data it
 * sends directly to where the others read them, and read received data where the senders wrote them.
 *
 *   sent      cor_zcopy_place returns where the caller may write the data of its next call. It then passes this address
 *             like any other; a call that does not work in this memory copies the data from there. Not for v and w
 *             forms.
 *   received  A call with zcopy_p may leave the data where they are: *zcopy_p is then the block of rank 0, and the
 *             block of each other rank is `distance` behind the one before. They stay there until the next call.
 *
 * The engine writes this struct and each call updates it; a virtual machine reads it in memory, because a call into
 * native code would cost more than the copy.
 */
typedef struct cor_zcopy {
    uint64_t place, bytes; /* an address, 0: none now; bytes available there */
    uint64_t distance;
} cor_zcopy;

/* Where `bytes` that the next call sends may be written; NULL: nowhere. */
static inline void *cor_zcopy_place(const cor_zcopy *zcopy, size_t bytes)
{
    return bytes <= zcopy->bytes ? (void *)(uintptr_t)zcopy->place : NULL;
}

/*
 * A call. Fields not named here for a primitive are zero.
 *
 *                        send                          recv                          more
 * barrier
 * bcast                                                the data (the root's too)     root
 * gather, gatherv        own block                     root: all blocks              root
 * scatter, scatterv      root: all blocks              own block                     root
 * allgather(v)           own block                     all blocks
 * alltoall(v,w)          a block for each rank         a block from each rank
 * reduce                 own values                    root: the result              root, reducer
 * allreduce, scan        own values                    the result                    reducer
 * exscan                 own values                    the result, but on rank 0     reducer
 * reduce_scatter(_block) values for all ranks          own block of the result       reducer
 * neighbor_allgather(v)  own block                     a block from each source
 * neighbor_alltoall(v,w) a block for each destination  a block from each source
 *
 * reduce_scatter's blocks are those of the result: `send` has starts, also in place, and no parts.
 *
 * is_in_place: the caller has no send buffer, as MPI_IN_PLACE says (scatter's root: no receive buffer); that stream is
 * then zero, except reduce_scatter's starts.
 */
typedef struct cor_call {
    cor_primitive primitive;
    cor_comm *comm;
    int root;
    int is_in_place;
    int is_unforced; /* a call made by the face itself, for which no algorithm is forced */
    cor_stream send, recv;
    cor_reducer reducer;
    /* Of a blocking call, or NULL: *zcopy_p, which is NULL before, may be set to where the received data are, which are
     * then not written to `recv`: see cor_zcopy. */
    const void **zcopy_p;
} cor_call;

/* Where nothing is combined, any order is correct, and a byte is an element. */
static inline int cor_call_is_commutative(const cor_call *call)
{
    return !call->reducer.op || call->reducer.op->is_commutative;
}

static inline size_t cor_call_element_bytes(const cor_call *call)
{
    return call->reducer.type && call->reducer.type->size ? call->reducer.type->size : 1;
}

#endif
