/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks in shared memory that do not agree on how long the data are: on both sides of every border between the ways in
 * which data go there, with one rank or several that differ, in all that they pass or only in what they send. Whoever
 * reads something sees it, nobody waits for ever or writes where it should not, and right calls after it are right.
 */
#include "coll_cases.h"

#include "coll/choose/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 64, GUARD = 0x5c };

/* Which ranks differ, and in what. */
typedef enum mismatch {
    MISMATCH_ROOT,
    MISMATCH_LAST,
    MISMATCH_HALF,
    MISMATCH_SENT, /* the last rank, in what it sends only */
    MISMATCHES,
} mismatch;

/* One call of this rank. */
typedef struct odd_call {
    coll_rank *me;
    cor_comm *comm;
    cor_primitive primitive;
    coll_kind kind; /* of reductions */
    int root;
    size_t sent, expected; /* bytes of a block, or of the whole */
    char *send, *recv;
    size_t send_bytes, recv_bytes; /* of the memory */
    cor_payload *send_parts, *recv_parts;
    size_t *starts;
} odd_call;

static int is_reduction(cor_primitive primitive)
{
    return primitive >= COR_REDUCE && primitive <= COR_EXSCAN;
}

static int is_scattered(cor_primitive primitive)
{
    return primitive == COR_REDUCE_SCATTER || primitive == COR_REDUCE_SCATTER_BLOCK;
}

static int has_parts(cor_primitive primitive)
{
    return primitive == COR_GATHERV || primitive == COR_SCATTERV || primitive == COR_ALLGATHERV ||
           primitive == COR_ALLTOALLV || primitive == COR_ALLTOALLW;
}

/* ---- one call --------------------------------------------------------------------------------------------------- */

static cor_stream blocks(const odd_call *odd, char *memory, size_t bytes, cor_payload *parts)
{
    int size = cor_comm_size(odd->comm);
    if (!has_parts(odd->primitive))
        return coll_plain_blocks(memory, bytes, size);
    for (int i = 0; i < size; i++)
        parts[i] = cor_payload_plain(memory + (size_t)i * bytes, bytes);
    for (int i = 0; i <= size; i++)
        odd->starts[i] = (size_t)i * bytes;
    return (cor_stream){.parts = parts, .starts = odd->starts};
}

static void odd_alloc(odd_call *odd)
{
    size_t size = (size_t)cor_comm_size(odd->comm);
    odd->send_bytes = odd->sent * size;
    odd->recv_bytes = odd->expected * size;
    if (is_reduction(odd->primitive)) {
        size_t extent = (size_t)odd->me->kinds.types[odd->kind]->extent, element = coll_kind_bytes(odd->kind);
        size_t times = is_scattered(odd->primitive) ? size : 1;
        odd->send_bytes = odd->sent / element * extent * times;
        odd->recv_bytes = odd->expected / element * extent;
    }
    odd->send = coll_alloc(odd->send_bytes);
    odd->recv = coll_alloc(odd->recv_bytes + GUARD_BYTES);
    memset(odd->recv + odd->recv_bytes, GUARD, GUARD_BYTES);
    odd->send_parts = coll_alloc(size * sizeof *odd->send_parts);
    odd->recv_parts = coll_alloc(size * sizeof *odd->recv_parts);
    odd->starts = coll_alloc((size + 1) * sizeof *odd->starts);
}

static void odd_free(odd_call *odd)
{
    for (size_t i = 0; i < GUARD_BYTES; i++)
        CHECK_EQUAL(GUARD, odd->recv[odd->recv_bytes + i]);
    free(odd->send);
    free(odd->recv);
    free(odd->send_parts);
    free(odd->recv_parts);
    free(odd->starts);
}

static cor_call describe_reduction(odd_call *odd)
{
    const cor_dtype *type = odd->me->kinds.types[odd->kind];
    size_t element = coll_kind_bytes(odd->kind), size = (size_t)cor_comm_size(odd->comm);
    size_t times = is_scattered(odd->primitive) ? size : 1;
    size_t count = odd->sent / element;
    cor_call call = {.primitive = odd->primitive, .comm = odd->comm, .root = odd->root};
    CHECK_OK(cor_reducer_init(&call.reducer, odd->me->kinds.ops[odd->kind], type, NULL));
    call.send = (cor_stream){.payload = cor_dtype_payload(type, odd->send, count * times), .bytes = count * element};
    if (odd->primitive != COR_REDUCE || cor_comm_rank(odd->comm) == odd->root)
        call.recv = (cor_stream){.payload = cor_dtype_payload(type, odd->recv, count), .bytes = count * element};
    if (odd->primitive == COR_REDUCE_SCATTER) {
        for (size_t i = 0; i <= size; i++)
            odd->starts[i] = i * count * element;
        call.send.starts = odd->starts;
    }
    return call;
}

static cor_call describe(odd_call *odd)
{
    cor_call call = {.primitive = odd->primitive, .comm = odd->comm, .root = odd->root};
    int is_root = cor_comm_rank(odd->comm) == odd->root;
    if (is_reduction(odd->primitive))
        return describe_reduction(odd);
    switch (odd->primitive) {
    case COR_BCAST:
        call.recv = coll_plain(odd->recv, odd->expected);
        break;
    case COR_GATHER:
    case COR_GATHERV:
        call.send = coll_plain(odd->send, odd->sent);
        if (is_root)
            call.recv = blocks(odd, odd->recv, odd->expected, odd->recv_parts);
        break;
    case COR_SCATTER:
    case COR_SCATTERV:
        call.recv = coll_plain(odd->recv, odd->expected);
        if (is_root)
            call.send = blocks(odd, odd->send, odd->sent, odd->send_parts);
        break;
    case COR_ALLGATHER:
    case COR_ALLGATHERV:
        call.send = coll_plain(odd->send, odd->sent);
        call.recv = blocks(odd, odd->recv, odd->expected, odd->recv_parts);
        break;
    default:
        call.recv = blocks(odd, odd->recv, odd->expected, odd->recv_parts);
        call.send = blocks(odd, odd->send, odd->sent, odd->send_parts);
        break;
    }
    return call;
}

static int perform(odd_call *odd)
{
    odd_alloc(odd);
    cor_call call = describe(odd);
    int rc = cor_coll_run(&call);
    odd_free(odd);
    return rc;
}

/* ---- afterwards ------------------------------------------------------------------------------------------------- */

/* Everybody's block at everybody: the bytes say whose they are. */
static void right_afterwards(cor_comm *comm, size_t bytes)
{
    int size = cor_comm_size(comm), rank = cor_comm_rank(comm);
    char *in = coll_alloc(bytes), *all = coll_alloc(bytes * (size_t)size);
    memset(in, rank + 1, bytes);
    cor_call call = coll_call_allgather(comm, in, all, bytes);
    CHECK_OK(cor_coll_run(&call));
    for (size_t i = 0; i < bytes * (size_t)size; i++)
        if (all[i] != (char)(i / bytes + 1))
            CHECK_FAIL("after lengths that did not fit, byte %zu of %zu a rank is %d", i, bytes, all[i]);
    free(in);
    free(all);
    coll_still_works(comm);
}

static void judge(odd_call *odd, int rc, int must_be_seen)
{
    int in = rc != COR_OK, seen = 0;
    coll_rank *me = odd->me;
    if (rc != COR_OK && rc != COR_ERR_TRUNCATE)
        CHECK_FAIL("expected success or COR_ERR_TRUNCATE, got %d: %s", rc, cor_rank_fault(me->rank)->text);
    if (rc != COR_OK && !strstr(cor_rank_fault(me->rank)->text, "do not match"))
        CHECK_FAIL("the sentence does not say what is wrong: %s", cor_rank_fault(me->rank)->text);
    cor_call call = coll_call_sum(odd->comm, &in, &seen, 1);
    CHECK_OK(cor_coll_run(&call));
    if (must_be_seen && seen == 0)
        CHECK_FAIL("nobody has seen that the lengths do not fit");
    coll_turn(me);
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

/* One rank, or the ranks of every second number, have `other` where the rest has `most`. */
static void mismatched(odd_call *odd, mismatch who, size_t most, size_t other)
{
    int rank = cor_comm_rank(odd->comm), size = cor_comm_size(odd->comm), is_last = rank == size - 1;
    int is_odd = who == MISMATCH_ROOT ? rank == odd->root : who == MISMATCH_HALF ? rank % 2 : is_last;
    odd->sent = is_odd ? other : most;
    odd->expected = is_odd && who != MISMATCH_SENT ? other : most;
    if (is_reduction(odd->primitive) || odd->primitive == COR_BCAST)
        odd->expected = odd->sent;
    /* Who expects nothing of one rank need not look; and what the last rank sends does not count everywhere. */
    int must_be_seen = !(has_parts(odd->primitive) && (most == 0 || other == 0)) &&
                       !(who == MISMATCH_SENT && odd->root != size - 1 &&
                         (odd->primitive == COR_SCATTER || odd->primitive == COR_SCATTERV));
    snprintf(odd->me->doing, sizeof odd->me->doing, "%s of %zu bytes and of %zu, mismatch %d",
             cor_primitive_name(odd->primitive), most, other, (int)who);
    judge(odd, perform(odd), must_be_seen);
    odd->sent = odd->expected = other;
    CHECK_OK(perform(odd));
    right_afterwards(odd->comm, most + 1);
}

static void all_lengths(coll_rank *me, cor_comm *comm, cor_primitive primitive, const char *algorithm)
{
    static const size_t pairs[][2] = {{0, 8},         {16, 48},         {48, 64},     {192, 400},  {64, 2048},
                                      {1024, 2064},   {48, 4096},       {2048, 4160}, {64, 70000}, {4096, 8192},
                                      {8192, 300000}, {200000, 300000}, {0, 200000}};
    odd_call odd = {.me = me, .comm = comm, .primitive = primitive, .root = cor_comm_size(comm) / 2};
    /* Of many ranks, or where all is slow, only some, each time others; fewer of many slow ones. */
    int is_many = cor_comm_size(comm) > 4;
    size_t stride = is_many && TEST_IS_SANITIZED ? 15 : is_many || TEST_IS_SANITIZED ? 5 : 1;
    size_t number = (size_t)me->seed % stride;
    CHECK_OK(cor_coll_force(me->rank, primitive, algorithm, NULL));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int who = 0; who < MISMATCHES; who++) {
            if (number++ % stride != 0)
                continue;
            size_t one = pairs[i][0] / 16 * 16, two = pairs[i][1] / 16 * 16;
            odd.kind = (i + (size_t)who) % 2 ? KIND_INT_SUM : KIND_AFFINE;
            mismatched(&odd, (mismatch)who, one, two ? two : 16);
            mismatched(&odd, (mismatch)who, two ? two : 16, one);
        }
    CHECK_OK(cor_coll_force(me->rank, primitive, "", NULL));
}

void case_truncate_board_moved(coll_rank *me, cor_comm *comm)
{
    static const cor_primitive primitives[] = {COR_BCAST, COR_GATHER, COR_SCATTER, COR_ALLGATHER, COR_ALLTOALL};
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        all_lengths(me, comm, primitives[i], "board");
}

void case_truncate_board_parts(coll_rank *me, cor_comm *comm)
{
    static const cor_primitive primitives[] = {COR_GATHERV, COR_SCATTERV, COR_ALLGATHERV, COR_ALLTOALLV};
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        all_lengths(me, comm, primitives[i], "board");
}

void case_truncate_board_combined(coll_rank *me, cor_comm *comm)
{
    static const cor_primitive primitives[] = {COR_REDUCE,         COR_ALLREDUCE, COR_REDUCE_SCATTER_BLOCK,
                                               COR_REDUCE_SCATTER, COR_SCAN,      COR_EXSCAN};
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        all_lengths(me, comm, primitives[i], "board");
    /* Long ones in all ways, of which the rules choose one for these ranks. */
    all_lengths(me, comm, COR_REDUCE, "board_chain");
    all_lengths(me, comm, COR_ALLREDUCE, "board_chain");
    all_lengths(me, comm, COR_REDUCE, "board_shares");
    all_lengths(me, comm, COR_ALLREDUCE, "board_shares");
    all_lengths(me, comm, COR_REDUCE, "board_rooted");
    all_lengths(me, comm, COR_ALLREDUCE, "board_rounds");
}

/* As much in sum, but cut into other blocks: that need not be seen, yet everybody comes to its end. */
void case_truncate_board_blocks(coll_rank *me, cor_comm *comm)
{
    static const size_t lengths[] = {32, 512, 20000, 200000};
    size_t size = (size_t)cor_comm_size(comm);
    odd_call odd = {.me = me, .comm = comm, .primitive = COR_REDUCE_SCATTER, .kind = KIND_INT_SUM};
    CHECK_OK(cor_coll_force(me->rank, COR_REDUCE_SCATTER, "board", NULL));
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        snprintf(me->doing, sizeof me->doing, "reduce_scatter of other blocks of %zu bytes", lengths[i]);
        odd.sent = lengths[i];
        /* One rank wants all blocks of the others as its own. */
        odd.expected = cor_comm_rank(comm) == 0 ? lengths[i] * size : lengths[i];
        odd_alloc(&odd);
        cor_call call = describe(&odd);
        if (cor_comm_rank(comm) == 0) {
            const cor_dtype *type = me->kinds.types[odd.kind];
            size_t all = lengths[i] * size;
            for (size_t k = 1; k <= size; k++)
                odd.starts[k] = all;
            call.recv = (cor_stream){.payload = cor_dtype_payload(type, odd.recv, all / sizeof(int)), .bytes = all};
        }
        int rc = cor_coll_run(&call);
        odd_free(&odd);
        judge(&odd, rc, 0);
        right_afterwards(comm, lengths[i]);
    }
    CHECK_OK(cor_coll_force(me->rank, COR_REDUCE_SCATTER, "", NULL));
}

/* ---- elements that are too large -------------------------------------------------------------------------------- */

static void apply_sum_of_bytes(const cor_op *op, const void *in, void *inout, size_t count, const cor_dtype *type,
                               void *handle)
{
    const unsigned char *a = in;
    unsigned char *b = inout;
    (void)op, (void)handle;
    for (size_t i = 0; i < count * type->size; i++)
        b[i] = (unsigned char)(a[i] + b[i]);
}

/* An element that is larger than a buffer: this call goes without shared memory, or says why it cannot be forced; all
 * others keep it. */
void case_truncate_board_room(coll_rank *me, cor_comm *comm)
{
    enum { ELEMENT_INTS = 1 << 20 };
    size_t bytes = ELEMENT_INTS * sizeof(int);
    const cor_dtype *type = NULL;
    cor_op *op = cor_op_create(apply_sum_of_bytes, 1, NULL, NULL);
    char *in = coll_alloc(bytes), *out = coll_alloc(bytes);
    CHECK_OK(cor_dtype_contiguous(ELEMENT_INTS, cor_dtype_predefined(COLL_INT), &type));
    cor_call call = {
        .primitive = COR_ALLREDUCE, .comm = comm, .send = coll_plain(in, bytes), .recv = coll_plain(out, bytes)};
    CHECK_OK(cor_reducer_init(&call.reducer, op, type, NULL));
    memset(in, 1, bytes);
    CHECK_OK(cor_coll_run(&call));
    CHECK_EQUAL(cor_comm_size(comm), out[bytes - 1]);
    CHECK_OK(cor_coll_force(me->rank, COR_ALLREDUCE, "board", NULL));
    CHECK_EQUAL(COR_ERR_KNOB, cor_coll_run(&call));
    if (!strstr(cor_rank_fault(me->rank)->text, "elements that fit"))
        CHECK_FAIL("the sentence does not say what is wrong: %s", cor_rank_fault(me->rank)->text);
    /* Forced as it is, it does for elements of another size. */
    coll_still_works(comm);
    CHECK_OK(cor_coll_force(me->rank, COR_ALLREDUCE, "", NULL));
    cor_dtype_unref(type);
    cor_op_unref(op);
    free(in);
    free(out);
}

/* A few bytes more, up to and over what lies beside a flag and what lies in one slot: the ranks that read see it, and
 * the next call is right again. */
void case_truncate_board_slots(coll_rank *me, cor_comm *comm)
{
    static const size_t lengths[] = {4, 48, 52, 2048};
    char data[2048 + 4] = {0};
    int rank = cor_comm_rank(comm);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        snprintf(me->doing, sizeof me->doing, "a bcast of %zu bytes", lengths[i]);
        cor_call call = coll_call_bcast(comm, data, lengths[i] + (rank == 0 ? 0 : 4), 0);
        CHECK_OK(cor_coll_force(me->rank, COR_BCAST, "board", NULL));
        CHECK_EQUAL(rank == 0 ? COR_OK : COR_ERR_TRUNCATE, cor_coll_run(&call));
        CHECK_OK(cor_coll_force(me->rank, COR_BCAST, "", NULL));
        coll_still_works(comm);
    }
}
