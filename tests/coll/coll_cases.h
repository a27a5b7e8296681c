/* SPDX-License-Identifier: Apache-2.0 */
/* What the cases of coll_cases.def share: short ways to describe a call on plain memory. */
#ifndef TESTS_COLL_CASES_H
#define TESTS_COLL_CASES_H

#include "coll_job.h"

#define COLL_CASE(group, name, min_ranks) void case_##group##_##name(coll_rank *me, cor_comm *comm);
#include "coll_cases.def"
#undef COLL_CASE

enum { COLL_INT = 0x209, COLL_SUM = 0x21, COLL_MAX = 0x23 }; /* of the MPI ABI */

static inline cor_stream coll_plain(const void *memory, size_t bytes)
{
    return (cor_stream){.payload = cor_payload_plain(memory, bytes), .bytes = bytes};
}

/* `blocks` blocks of so many bytes. */
static inline cor_stream coll_plain_blocks(const void *memory, size_t bytes, int blocks)
{
    return (cor_stream){.payload = cor_payload_plain(memory, bytes * (size_t)blocks), .bytes = bytes};
}

static inline cor_call coll_call_barrier(cor_comm *comm)
{
    return (cor_call){.primitive = COR_BARRIER, .comm = comm};
}

static inline cor_call coll_call_bcast(cor_comm *comm, void *data, size_t bytes, int root)
{
    return (cor_call){.primitive = COR_BCAST, .comm = comm, .root = root, .recv = coll_plain(data, bytes)};
}

/* `in` NULL: in place. `all` counts at the root only. */
static inline cor_call coll_call_gather(cor_comm *comm, const void *in, void *all, size_t bytes, int root)
{
    int is_root = cor_comm_rank(comm) == root;
    cor_call call = {.primitive = COR_GATHER, .comm = comm, .root = root};
    if (is_root)
        call.recv = coll_plain_blocks(all, bytes, cor_comm_size(comm));
    call.send = coll_plain(in, bytes);
    return call;
}

static inline cor_call coll_call_scatter(cor_comm *comm, const void *all, void *out, size_t bytes, int root)
{
    cor_call call = {.primitive = COR_SCATTER, .comm = comm, .root = root, .recv = coll_plain(out, bytes)};
    if (cor_comm_rank(comm) == root)
        call.send = coll_plain_blocks(all, bytes, cor_comm_size(comm));
    return call;
}

static inline cor_call coll_call_allgather(cor_comm *comm, const void *in, void *all, size_t bytes)
{
    return (cor_call){.primitive = COR_ALLGATHER,
                      .comm = comm,
                      .send = coll_plain(in, bytes),
                      .recv = coll_plain_blocks(all, bytes, cor_comm_size(comm))};
}

static inline cor_call coll_call_alltoall(cor_comm *comm, const void *in, void *out, size_t bytes)
{
    return (cor_call){.primitive = COR_ALLTOALL,
                      .comm = comm,
                      .send = coll_plain_blocks(in, bytes, cor_comm_size(comm)),
                      .recv = coll_plain_blocks(out, bytes, cor_comm_size(comm))};
}

/* Of ints; reduce too, with its root. */
static inline cor_call coll_call_reduce(cor_primitive primitive, cor_comm *comm, const int *in, int *out, size_t count,
                                        uint32_t op, int root)
{
    cor_call call = {.primitive = primitive, .comm = comm, .root = root, .send = coll_plain(in, count * sizeof *in)};
    if (primitive != COR_REDUCE || cor_comm_rank(comm) == root)
        call.recv = coll_plain(out, count * sizeof *out);
    cor_reducer_init(&call.reducer, cor_op_predefined(op), cor_dtype_predefined(COLL_INT), NULL);
    return call;
}

static inline cor_call coll_call_sum(cor_comm *comm, const int *in, int *out, size_t count)
{
    return coll_call_reduce(COR_ALLREDUCE, comm, in, out, count, COLL_SUM, 0);
}

/* A message of one int, for telling each other something. */
void coll_tell(cor_comm *comm, int to, int tag, int value);
int coll_hear(cor_comm *comm, int from, int tag);

/* With the knob check: all are told this, alike, and can go on. */
void coll_expect_refused(coll_rank *me, cor_comm *comm, int rc, const char *sentence);

/* Ranks have not agreed before: does the communicator still work? */
void coll_still_works(cor_comm *comm);

#endif
