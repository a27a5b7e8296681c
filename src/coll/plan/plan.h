/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan is what one rank does in a collective operation: a list of steps, without branches, that an algorithm appends
 * as it would call functions that do not block. One executor (execute.h) runs it: blocking, in the background or
 * repeatedly.
 *
 *     send, recv   start a transfer with another rank and continue; a later wait names it by the number returned
 *     wait         continue only when that transfer, or every transfer so far, is done
 *     copy, reduce done when reached
 *
 * Order. Between two ranks messages match in the order in which the one appends its sends and the other its receives: a
 * plan needs no tags. A step may use memory of an earlier transfer only after waiting for that transfer. The end of the
 * plan waits for all transfers.
 *
 * Memory is named by slot, not by address, so that a plan can be kept and run on other buffers. Offsets count bytes of
 * the packed stream.
 *
 * In place. is_in_place: some data are already where they belong:
 *   reduce's root, allreduce, scan, exscan, reduce_scatter: SEND is the same memory as RECV; do not write a byte of
 *     RECV while the byte of SEND is still to be read;
 *   gather's root, allgather: SEND is this rank's block of RECV; scatter's root: RECV is its block of SEND;
 *   alltoall: never set, SEND is a copy.
 * cor_plan_copy leaves out a copy of something onto itself.
 *
 * A rest. Where the steps of a rank depend on what another rank must send first, the plan has a function that builds
 * its rest: when all steps are done, a second plan of the same call, for which `starts` is known, is built and run too.
 *
 * Errors. Running out of memory is stored in `error`; after that all functions do nothing, so an algorithm need not
 * check.
 */
#ifndef COR_COLL_PLAN_H
#define COR_COLL_PLAN_H

#include "mp/mp.h"
#include "mp/primitive.h"

enum { COR_SLOT_SEND, COR_SLOT_RECV, COR_SLOT_TEMP, COR_SLOTS };
enum { COR_PARAMETERS_MAX = 4 };

/* Bytes [offset, offset + bytes) of a slot's stream. */
typedef struct cor_ref {
    int slot;
    size_t offset, bytes;
} cor_ref;

/* A whole slot; a part of something, and the block of a rank in it. */
static inline cor_ref cor_ref_slot(int slot, size_t bytes)
{
    return (cor_ref){slot, 0, bytes};
}

static inline cor_ref cor_ref_part(cor_ref whole, size_t offset, size_t bytes)
{
    return (cor_ref){whole.slot, whole.offset + offset, bytes};
}

static inline cor_ref cor_ref_block(cor_ref whole, const size_t *starts, int block)
{
    return cor_ref_part(whole, starts[block], starts[block + 1] - starts[block]);
}

/* The ranks a pattern runs among. */
typedef struct cor_party {
    int size, me;     /* me: -1 if this rank is not one of them */
    const int *ranks; /* member -> rank in the communicator; NULL: the same */
} cor_party;

typedef struct cor_step cor_step; /* plan_step.h */

typedef struct cor_plan cor_plan;

/* Appends the steps of one rank. */
typedef void (*cor_build_fn)(cor_plan *plan);

struct cor_plan {
    /* ---- the call, for algorithms to read ---- */
    cor_primitive primitive;
    cor_comm *comm;
    int rank, size; /* of this side, on an intercommunicator */
    int remote_size;
    int root;
    int is_in_place;
    int is_commutative;
    size_t element_bytes; /* of a reduction, else 1: cut streams at multiples of it */
    /* Of the whole stream; where there are blocks, of one of them, in v forms of this rank's own: the one it sends in
     * gather, allgather and neighbor_allgather, or receives in scatter and reduce_scatter. */
    size_t bytes;
    /* Where the blocks begin, and where the last ends, in the stream of all blocks: gather, scatter, allgather,
     * reduce_scatter. Set on every rank, but for gatherv and scatterv only at the root and in a rest; else NULL. */
    const size_t *starts;
    const size_t *send_starts, *recv_starts; /* the same for alltoall and neighbours: both sides */
    size_t parameters[COR_PARAMETERS_MAX];   /* of the algorithm, in the order of its row */
    cor_party everyone;                      /* the communicator, or this side of it */
    struct cor_plan_tables *tables;          /* shared by the plans of all ranks; NULL: this plan's own */

    /* ---- the result ---- */
    int references; /* a cache and executions share it */
    int error;      /* COR_OK, COR_ERR_MEMORY */
    cor_step *steps;
    size_t step_count, step_room;
    size_t transfer_count;
    size_t temp_bytes;
    void *notes;       /* arrays an algorithm needs while it builds: freed with the plan */
    cor_build_fn rest; /* NULL: there is none */
    cor_ref rest_starts;
};

/* `bytes` of memory of the plan's own, aligned to a cache line. */
cor_ref cor_plan_temp(cor_plan *plan, size_t bytes);

/* Memory for the algorithm itself (lists of ranks, of starts) that lives as long as the plan; zeroed; NULL: no memory,
 * and the plan has failed. */
void *cor_plan_note(cor_plan *plan, size_t bytes);

/* Append a step. Ranks are the party's members; a rank may send to itself, but a copy is faster. */
int cor_plan_send(cor_plan *plan, const cor_party *party, int to, cor_ref from);
int cor_plan_recv(cor_plan *plan, const cor_party *party, int from, cor_ref to);
/* To and from ranks of the other side of an intercommunicator. */
int cor_plan_send_across(cor_plan *plan, int to, cor_ref from);
int cor_plan_recv_across(cor_plan *plan, int from, cor_ref to);
void cor_plan_wait(cor_plan *plan, int transfer);
void cor_plan_wait_all(cor_plan *plan);
/* If the lengths differ, it becomes a message of the rank to itself, which fails as it would between ranks. */
void cor_plan_copy(cor_plan *plan, cor_ref from, cor_ref to);
/* out = a op b, with a from the lower ranks. out may be b; it may be a if the operator is commutative; else it overlaps
 * neither. All have the same length, whole elements. */
void cor_plan_reduce(cor_plan *plan, cor_ref a, cor_ref b, cor_ref out);
/* Do these begin at the same byte of memory? In place SEND and RECV may. */
int cor_plan_is_same(const cor_plan *plan, cor_ref a, cor_ref b);

/* `build` makes the rest when all steps are done; these bytes of TEMP then contain its `starts`. A rest has no rest of
 * its own. */
void cor_plan_set_rest(cor_plan *plan, cor_ref starts, cor_build_fn build);

/* Send and receive at once, and wait for both. */
void cor_plan_exchange(cor_plan *plan, const cor_party *party, int to, cor_ref out, int from, cor_ref in);

#endif
