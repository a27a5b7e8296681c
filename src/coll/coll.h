/*
 * Collective operations over mp: what the faces call.
 *
 * A face describes its call once, in a cor_call; the three functions at the end run it blocking, in the background or
 * as often as it is started. Which algorithm does it is decided by rules (rules.h).
 *
 * Data are packed streams (payload.h): a call never sees how the elements lie in memory. A stream is cut into blocks,
 * one a rank (or neighbour), where the primitive has blocks.
 *
 * Arguments are checked by the faces, except what only the ranks together can see: lengths that do not fit give
 * COR_ERR_TRUNCATE wherever data are read. With the knob check every call first compares what the ranks pass,
 * and COR_ERR_ARG names the rank that differs.
 *
 * Errors: as in mp.h. A call that fails has still exchanged all its messages, so that no other rank waits for it. What is
 * empty on one side only, in the v and w forms over messages, is seen by nobody: who expects data waits for them.
 */
#ifndef COR_COLL_COLL_H
#define COR_COLL_COLL_H

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
    const size_t *starts;     /* with parts: where block i begins in the stream; one more says where the last ends */
    /* What it consists of, for the knob check; NULL: not known. */
    const cor_dtype *type;
    const cor_dtype *const *types; /* w forms: a type for each part instead */
} cor_stream;

/*
 * Zero copy. Where the members of a communicator share memory, the caller of its blocking calls may write what it sends
 * straight to where the others read it, and read what it receives where they wrote it.
 *
 *   sent      cor_zcopy_place says where the caller may write what its next call sends. It then passes this address
 *             like any other; a call that does not work in this memory copies the data from there. Not for v and w
 *             forms.
 *   received  A call with zcopy_p may leave the data where they are: *zcopy_p is the block of rank 0 then, and that of
 *             each other rank lies `distance` behind the one before. They stay there until the next call.
 *
 * The engine writes this and each call renews it; a virtual machine reads it in memory, because a call would cost more
 * than the copy.
 */
typedef struct cor_zcopy {
    uint64_t place, bytes;                   /* for any call: an address, 0: not now; room there */
    uint64_t alltoall_place, alltoall_bytes; /* for an alltoall of more than `bytes` */
    uint64_t distance;
} cor_zcopy;

/* Where so many bytes that the next call sends may be written; NULL: nowhere. */
static inline void *cor_zcopy_place(const cor_zcopy *zcopy, cor_primitive primitive, size_t bytes)
{
    if (bytes <= zcopy->bytes)
        return (void *)(uintptr_t)zcopy->place;
    int is_alltoall = primitive == COR_ALLTOALL && bytes <= zcopy->alltoall_bytes;
    return is_alltoall ? (void *)(uintptr_t)zcopy->alltoall_place : NULL;
}

/*
 * A call. What is not named here for a primitive stays zero.
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
 * zero then, but for reduce_scatter's starts.
 */
typedef struct cor_call {
    cor_primitive primitive;
    cor_comm *comm;
    int root;
    int is_in_place;
    int is_unforced; /* a call of the face's own, for which no algorithm is forced */
    cor_stream send, recv;
    cor_reducer reducer;
    /* Of a blocking call, or NULL: *zcopy_p, which is NULL before, may say where the received data are, instead of
     * their being written to `recv`: see cor_zcopy. */
    const void **zcopy_p;
} cor_call;

/* Where nothing is combined everything may change places, and a byte is an element. */
static inline int cor_call_is_commutative(const cor_call *call)
{
    return !call->reducer.op || call->reducer.op->is_commutative;
}

static inline size_t cor_call_element_bytes(const cor_call *call)
{
    return call->reducer.type && call->reducer.type->size ? call->reducer.type->size : 1;
}

/*
 * A blocking call. A face begins it as soon as it knows the communicator, and describes it while the memory that the call
 * is going to write is fetched into the cache; a call that was not begun is right, but slower.
 *
 * cor_coll_begin does not take the rank's lock: it touches only what belongs to the collective calls of the communicator,
 * which are made one at a time. So it is called by the thread that then calls cor_coll_run, and by none while another
 * collective call on the communicator runs. cor_coll_run takes the lock.
 */
void cor_coll_begin(cor_comm *comm);
/* Everything in the call, arrays and payloads included, may go once the function has returned; memory under the
 * payloads, and their datatypes, when the operation is complete. Operators and datatypes are kept by the request. */
int cor_coll_run(const cor_call *call);
int cor_coll_start(const cor_call *call, cor_request **request_p);
/* Persistent: made inactive, started with cor_start, freed with cor_request_free. */
int cor_coll_init(const cor_call *call, cor_request **request_p);

/* Where the caller may write, and the memory that all such places are in, received data included. NULL: the members share
 * none, or none before their first call. Both stay as long as the communicator. */
const cor_zcopy *cor_coll_zcopy(cor_comm *comm, void **memory_p, size_t *bytes_p);

/* To be the `prepare` of cor_rank_open: read the rules and forced choices. COR_ERR_KNOB, COR_ERR_MEMORY. */
int cor_coll_open(cor_rank *rank, cor_fault *fault);

/* With the knob check, before cor_rank_close: come to the end with all ranks. Who still calls collective operations on
 * the world meanwhile is told that this rank does not, and then waited for. COR_ERR_PEER, COR_ERR_MEMORY. */
int cor_coll_close(cor_rank *rank, cor_fault *fault);

/* A barrier on its own: the call everybody makes. */
int cor_barrier(cor_comm *comm);

#endif
