/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks that do not agree on how long the data are, with nobody comparing beforehand: whoever sees it says so, and
 * nobody waits for ever. Every algorithm is tried, since each sees it elsewhere. More about those in shared memory in
 * board_cases.c.
 */
#include "coll_cases.h"

#include "coll/choose/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_BYTES = 400, SHORT_BYTES = 200 };

/* What everybody's call came to: who saw it says so, at least one, and nobody anything else. */
static void truncate_judge(coll_rank *me, cor_comm *comm, int rc)
{
    int in = rc != COR_OK, seen = 0;
    if (rc != COR_OK && rc != COR_ERR_TRUNCATE)
        CHECK_FAIL("expected success or COR_ERR_TRUNCATE, got %d: %s", rc, cor_rank_fault(me->rank)->text);
    if (rc != COR_OK)
        CHECK_EQUAL(COR_ERR_TRUNCATE, cor_rank_fault(me->rank)->code);
    cor_call call = coll_call_sum(comm, &in, &seen, 1);
    CHECK_OK(cor_coll_run(&call));
    CHECK(seen > 0);
    coll_turn(me);
}

/* Is the algorithm usable on this communicator, blocking or in the background? */
static int truncate_is_usable(cor_comm *comm, const cor_algorithm *algorithm, int is_blocking)
{
    cor_situation situation;
    CHECK_OK(cor_situation_of(comm, 1, is_blocking, &situation));
    return cor_unmet_needs(algorithm, &situation) == 0;
}

/* ---- the calls -------------------------------------------------------------------------------------------------- */

/* Memory for the call of one rank, and where its blocks are said to lie. */
typedef struct truncate_room {
    cor_comm *comm;
    char *in, *out;
    cor_payload *in_parts, *out_parts;
    size_t *starts;
} truncate_room;

static void truncate_room_init(truncate_room *room, cor_comm *comm)
{
    size_t size = (size_t)cor_comm_size(comm);
    *room = (truncate_room){.comm = comm,
                            .in = coll_alloc(LONG_BYTES * size),
                            .out = coll_alloc(LONG_BYTES * size),
                            .in_parts = coll_alloc(size * sizeof *room->in_parts),
                            .out_parts = coll_alloc(size * sizeof *room->out_parts),
                            .starts = coll_alloc((size + 1) * sizeof *room->starts)};
}

static void truncate_room_fini(truncate_room *room)
{
    free(room->in);
    free(room->out);
    free(room->in_parts);
    free(room->out_parts);
    free(room->starts);
}

/* The root, in the middle, has more than the others. */
static int truncate_root(cor_comm *comm)
{
    return cor_comm_size(comm) / 2;
}

static size_t truncate_bytes(cor_comm *comm, int root_has_more)
{
    return (cor_comm_rank(comm) == truncate_root(comm)) == root_has_more ? LONG_BYTES : SHORT_BYTES;
}

/* A stream in parts of so many bytes. */
static cor_stream truncate_parts(truncate_room *room, char *memory, cor_payload *parts, size_t bytes)
{
    for (int i = 0; i < cor_comm_size(room->comm); i++) {
        parts[i] = cor_payload_plain(memory + LONG_BYTES * i, bytes);
        room->starts[i + 1] = room->starts[i] + bytes;
    }
    return (cor_stream){.parts = parts, .starts = room->starts};
}

static cor_call truncate_parts_call(truncate_room *room, cor_primitive primitive)
{
    cor_comm *comm = room->comm;
    int root = truncate_root(comm), is_root = cor_comm_rank(comm) == root;
    size_t bytes = truncate_bytes(comm, primitive != COR_GATHERV);
    cor_stream in = truncate_parts(room, room->in, room->in_parts, bytes);
    cor_stream out = truncate_parts(room, room->out, room->out_parts, bytes), none = {.bytes = 0};
    cor_call call = {.primitive = primitive, .comm = comm, .root = root, .send = in, .recv = out};
    if (primitive == COR_GATHERV || primitive == COR_ALLGATHERV)
        call.send = coll_plain(room->in, bytes);
    if (primitive == COR_GATHERV && !is_root)
        call.recv = none;
    if (primitive == COR_SCATTERV)
        call.recv = coll_plain(room->out, bytes);
    if (primitive == COR_SCATTERV && !is_root)
        call.send = none;
    return call;
}

/* Of ints. */
static cor_call truncate_reduction_call(truncate_room *room, cor_primitive primitive)
{
    cor_comm *comm = room->comm;
    size_t bytes = truncate_bytes(comm, 1);
    cor_call call = coll_call_reduce(primitive, comm, (const int *)(void *)room->in, (int *)(void *)room->out,
                                     bytes / sizeof(int), COLL_SUM, truncate_root(comm));
    if (primitive == COR_REDUCE_SCATTER || primitive == COR_REDUCE_SCATTER_BLOCK)
        call.send = coll_plain_blocks(room->in, bytes, cor_comm_size(comm));
    if (primitive == COR_REDUCE_SCATTER)
        call.send.starts = truncate_parts(room, room->in, room->in_parts, bytes).starts;
    return call;
}

/* What this rank calls. */
static cor_call truncate_call(truncate_room *room, cor_primitive primitive)
{
    cor_comm *comm = room->comm;
    int root = truncate_root(comm);
    size_t bytes = truncate_bytes(comm, primitive != COR_GATHER);
    switch (primitive) {
    case COR_BCAST:
        return coll_call_bcast(comm, room->out, bytes, root);
    case COR_GATHER:
        return coll_call_gather(comm, room->in, room->out, bytes, root);
    case COR_SCATTER:
        return coll_call_scatter(comm, room->in, room->out, bytes, root);
    case COR_ALLGATHER:
        return coll_call_allgather(comm, room->in, room->out, bytes);
    case COR_ALLTOALL:
        return coll_call_alltoall(comm, room->in, room->out, bytes);
    case COR_GATHERV:
    case COR_SCATTERV:
    case COR_ALLGATHERV:
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
        return truncate_parts_call(room, primitive);
    default:
        return truncate_reduction_call(room, primitive);
    }
}

/* ---- the cases -------------------------------------------------------------------------------------------------- */

/* With every algorithm, blocking and not, then by the rules. */
static void truncate_everywhere(coll_rank *me, cor_comm *comm, cor_primitive primitive)
{
    truncate_room room;
    truncate_room_init(&room, comm);
    for (size_t i = 0; i <= cor_algorithm_count; i++) {
        const cor_algorithm *algorithm = i < cor_algorithm_count ? cor_algorithms[i] : NULL;
        cor_request *request = NULL;
        if (algorithm && (algorithm->primitive != primitive || !truncate_is_usable(comm, algorithm, 1)))
            continue;
        snprintf(me->doing, sizeof me->doing, "truncated %s by %s", cor_primitive_name(primitive),
                 algorithm ? algorithm->name : "the rules");
        CHECK_OK(cor_coll_force(me->rank, primitive, algorithm ? algorithm->name : "", NULL));
        cor_call call = truncate_call(&room, primitive);
        truncate_judge(me, comm, cor_coll_run(&call));
        if (algorithm && !truncate_is_usable(comm, algorithm, 0))
            continue;
        CHECK_OK(cor_coll_start(&call, &request));
        truncate_judge(me, comm, cor_wait(me->rank, &request, NULL));
    }
    CHECK_OK(cor_coll_force(me->rank, primitive, "", NULL));
    truncate_room_fini(&room);
}

#define TRUNCATE_CASE(name, PRIMITIVE)                                                                                \
    void case_truncate_##name(coll_rank *me, cor_comm *comm)                                                          \
    {                                                                                                                 \
        truncate_everywhere(me, comm, COR_##PRIMITIVE);                                                               \
    }
TRUNCATE_CASE(bcast, BCAST)
TRUNCATE_CASE(gather, GATHER)
TRUNCATE_CASE(gatherv, GATHERV)
TRUNCATE_CASE(scatter, SCATTER)
TRUNCATE_CASE(scatterv, SCATTERV)
TRUNCATE_CASE(allgather, ALLGATHER)
TRUNCATE_CASE(allgatherv, ALLGATHERV)
TRUNCATE_CASE(alltoall, ALLTOALL)
TRUNCATE_CASE(alltoallv, ALLTOALLV)
TRUNCATE_CASE(alltoallw, ALLTOALLW)
TRUNCATE_CASE(reduce, REDUCE)
TRUNCATE_CASE(allreduce, ALLREDUCE)
TRUNCATE_CASE(scattered, REDUCE_SCATTER)
TRUNCATE_CASE(scatteredblock, REDUCE_SCATTER_BLOCK)
TRUNCATE_CASE(scan, SCAN)
TRUNCATE_CASE(exscan, EXSCAN)

/* ---- nothing at all --------------------------------------------------------------------------------------------- */

/* The first rank has no values: its messages are empty, not left out. */
static void nothing_combined(coll_rank *me, cor_comm *comm, cor_primitive primitive, const char *algorithm)
{
    int in = 1, out = 0;
    snprintf(me->doing, sizeof me->doing, "nothing in %s by %s", cor_primitive_name(primitive), algorithm);
    CHECK_OK(cor_coll_force(me->rank, primitive, algorithm, NULL));
    cor_call call =
        coll_call_reduce(primitive, comm, &in, &out, cor_comm_rank(comm) == 0 ? 0 : 1, COLL_SUM, truncate_root(comm));
    int rc = cor_coll_run(&call);
    CHECK_OK(cor_coll_force(me->rank, primitive, "", NULL));
    truncate_judge(me, comm, rc);
}

void case_truncate_nothing(coll_rank *me, cor_comm *comm)
{
    static const char *const scans[] = {"linear", "nbft", "doubling"};
    nothing_combined(me, comm, COR_ALLREDUCE, "doubling");
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++) {
        nothing_combined(me, comm, COR_SCAN, scans[i]);
        nothing_combined(me, comm, COR_EXSCAN, scans[i]);
    }
}
