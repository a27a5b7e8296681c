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
 * Memory of the engine's own that the caller of blocking calls on a communicator may use instead of its own, so that
 * nothing is copied in between.
 *
 *   sent      The lease says where the caller may write what its next call sends: COR_LEAF_BYTES at the leaf,
 *             COR_TRAY_BYTES at the tray; 0: not now. It then passes this address like any other. Whoever sends up to
 *             COR_LEAF_BYTES from the leaf, or more than that in alltoall from the tray, has written the data where
 *             the others read them; other calls copy them from there. Not for v and w forms, which need the leaf.
 *   received  A call with lent_p may say where the data are instead of copying them: the block of each rank
 *             COR_LEAF_BYTES behind the one before, of an alltoall that sends more than COR_LEAF_BYTES in all
 *             COR_TRAY_BYTES. They stay there until the next call.
 *   posted    A bcast of its root and a reduce of all others do nothing but write, if they are short. A virtual machine
 *             calls the engine at a price, and need not do so for these: it writes the data to the leaf, or up to
 *             COR_LINE_BYTES of them into the line instead, then the word, and last the flag. Before the flag it sets
 *             `posted` to 1, and leaf, tray and line to 0: this lease is used up, and the next call is the engine's
 *             again, which counts the posted one first. If the first 32 bits of the memory are not 0 afterwards, others
 *             may sleep: cor_coll_wake. The flag is written, and those bits are read, in sequentially consistent order.
 *             There are data, and of values the operator is commutative and predefined. If a member was lost since the
 *             call before, the call after tells.
 */
enum { COR_LEAF_BYTES = 2 << 10, COR_TRAY_BYTES = 32 << 10, COR_LINE_BYTES = COR_CACHE_LINE - 16 };

typedef struct cor_line {
    _Alignas(COR_CACHE_LINE) _Atomic uint64_t flag;
    uint64_t word;
    char bytes[COR_LINE_BYTES];
} cor_line;

typedef struct cor_lease {
    uint64_t leaf, tray;                /* addresses; 0: not now */
    uint64_t line, flag;                /* an address, or 0: nothing may be posted now; what its flag becomes */
    uint64_t bcast_bytes, reduce_bytes; /* the longest call of each sort that may be posted */
    uint64_t posted;                    /* by the caller */
} cor_lease;

/* Of a call that is posted. */
static inline uint64_t cor_line_word(size_t bytes)
{
    return (uint64_t)bytes << 3 | 1;
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
    /* Of a blocking call, or NULL: *lent_p, which is NULL before, may say where the received data are, instead of their
     * being written to `recv`: see cor_lease. */
    const void **lent_p;
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

/* Everything in the call, arrays and payloads included, may go once the function has returned; memory under the
 * payloads, and their datatypes, when the operation is complete. Operators and datatypes are kept by the request. */
int cor_coll_run(const cor_call *call);
/* Before a blocking call, by the thread that makes it, as early as can be; or not at all. A hint where the call is going
 * to write. cor_barrier gives it itself. */
void cor_coll_ahead(cor_comm *comm);
int cor_coll_start(const cor_call *call, cor_request **request_p);
/* Persistent: made inactive, started with cor_start, freed with cor_request_free. */
int cor_coll_init(const cor_call *call, cor_request **request_p);

/* The lease of a communicator, renewed by every call, and the memory that all leases and all that is lent is in. NULL:
 * there is none, or none yet. */
cor_lease *cor_coll_lease(cor_comm *comm, void **memory_p, size_t *bytes_p);
/* Of a communicator that has a lease: something was posted, and others may sleep. */
void cor_coll_wake(cor_comm *comm);

/* To be the `prepare` of cor_rank_open: read the rules and forced choices. COR_ERR_KNOB, COR_ERR_MEMORY. */
int cor_coll_open(cor_rank *rank, cor_fault *fault);

/* With the knob check, before cor_rank_close: come to the end with all ranks. Who still calls collective operations on
 * the world meanwhile is told that this rank does not, and then waited for. COR_ERR_PEER, COR_ERR_MEMORY. */
int cor_coll_close(cor_rank *rank, cor_fault *fault);

/* A barrier on its own: the call everybody makes. */
int cor_barrier(cor_comm *comm);

#endif
