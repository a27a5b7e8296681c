/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rank writes its values where all can read them, and combines all of them in the order of the ranks: the same
 * bits everywhere. That needs one turn on the CPU, but p - 1 combinations at each rank, so that for long values of more
 * than two ranks other algorithms are faster (board_reduce.h).
 */
#include "coll/board/board_exchange.h"
#include "coll/board/board_reduce.h"

/*
 * Where ranks share CPUs, the first to find all values there combines them for those that get their turn later. No rank
 * waits for it: one that comes while it is at work does it too, to the same end.
 */
static int allreduce_board_shared(cor_board *board, const cor_call *call, const char *own, char *out, size_t bytes)
{
    cor_board_result *result = &board->results[cor_board_slot_row(board, board->op)];
    /* A count, as shares have them: board_shares.c. */
    uint64_t count = cor_board_count(board, 1);
    /* acquire: the result was written before. */
    if (atomic_load_explicit(&result->ready, memory_order_acquire) == count) {
        cor_copy(out, result->bytes, bytes);
        return COR_OK;
    }
    int rc = cor_board_combine(board, &call->reducer, own, out, bytes);
    /* relaxed: claiming orders nothing. What others read there in an earlier operation they have read, since all were
     * seen to be in this one. */
    uint64_t last = atomic_load_explicit(&result->claimed, memory_order_relaxed);
    if (last != count && rc == COR_OK &&
        atomic_compare_exchange_strong_explicit(&result->claimed, &last, count, memory_order_relaxed,
                                                memory_order_relaxed)) {
        cor_copy(result->bytes, out, bytes);
        /* release: a rank that sees it ready sees the bytes. */
        atomic_store_explicit(&result->ready, count, memory_order_release);
    }
    return rc;
}

static int allreduce_board_short(cor_board *board, const cor_call *call, size_t bytes)
{
    const cor_stream *in = call->is_in_place ? &call->recv : &call->send;
    const cor_payload *out = &call->recv.payload;
    char result[COR_BOARD_SLOT_BYTES], *target = out->ops ? result : out->base;
    char *own = cor_board_place(board, board->rank, bytes);
    uint64_t word = cor_board_word(bytes, COR_BOARD_SHORT);
    int rc = cor_board_await_row(board);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    cor_board_put(&in->payload, own, bytes);
    cor_board_post(board, word);
    rc = cor_board_await_same(board, word);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    int is_shared = board->is_oversubscribed && bytes > COR_BOARD_FLAG_LINE_BYTES;
    rc = is_shared ? allreduce_board_shared(board, call, own, target, bytes)
                   : cor_board_combine(board, &call->reducer, own, target, bytes);
    if (out->ops)
        out->ops->write(out, 0, result, bytes);
    cor_board_end_met(board);
    return rc;
}

/* ---- every rank combines everything, in rounds ------------------------------------------------------------------ */

static size_t allreduce_board_piece(const cor_board_exchange *exchange, size_t offset)
{
    size_t left = exchange->call->recv.payload.bytes - offset;
    return left < exchange->buffer_bytes ? left : exchange->buffer_bytes;
}

static void allreduce_board_fill(cor_board_exchange *exchange, size_t round, char *buffer)
{
    const cor_call *call = exchange->call;
    const cor_stream *in = call->is_in_place ? &call->recv : &call->send;
    size_t offset = round * exchange->buffer_bytes;
    cor_payload_read(&in->payload, offset, buffer, allreduce_board_piece(exchange, offset));
}

static void allreduce_board_empty(cor_board_exchange *exchange, size_t round)
{
    cor_board *board = exchange->board;
    const cor_payload *out = &exchange->call->recv.payload;
    size_t offset = round * exchange->buffer_bytes, bytes = allreduce_board_piece(exchange, offset);
    char *mapped = cor_board_map(out, &exchange->call->reducer);
    char *target = mapped ? mapped + offset : board->scratch;
    const void *result = cor_board_exchange_buffer(exchange, board->size - 1, round);
    for (int i = board->size - 2; i >= 0; i--) {
        const char *values = cor_board_exchange_buffer(exchange, i, round);
        int rc = cor_reduce_packed(&exchange->call->reducer, values, result, target, bytes);
        exchange->error = exchange->error == COR_OK ? rc : exchange->error;
        result = target;
    }
    if (mapped)
        cor_board_unmap(out, mapped, 1);
    else
        cor_payload_write(out, offset, target, bytes);
}

static int allreduce_board_rounds(cor_board *board, const cor_call *call, int root, size_t wanted_bytes)
{
    size_t bytes = call->recv.payload.bytes;
    size_t buffer_bytes = cor_board_buffer_bytes(board, wanted_bytes, bytes, call->reducer.type->size);
    (void)root;
    cor_board_exchange exchange = {
        .board = board,
        .call = call,
        .own_bytes = bytes,
        .buffer_bytes = buffer_bytes,
        .rounds = (bytes + buffer_bytes - 1) / buffer_bytes,
        .fill = allreduce_board_fill,
        .empty = allreduce_board_empty,
    };
    return cor_board_exchange_run(&exchange);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

typedef int (*allreduce_board_long_fn)(cor_board *board, const cor_call *call, int root, size_t wanted_bytes);

static int allreduce_board_run(const cor_call *call, size_t wanted_bytes, allreduce_board_long_fn reduce_long)
{
    cor_board *board;
    int rc = cor_board_of(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    size_t bytes = call->recv.payload.bytes;
    if (cor_board_buffer_bytes(board, wanted_bytes, bytes, call->reducer.type->size) == 0)
        return COR_AGAIN;
    board->op++;
    if (board->size == 1) {
        if (!call->is_in_place)
            cor_payload_copy(&call->recv.payload, &call->send.payload, bytes);
        cor_board_end(board);
        return COR_OK;
    }
    if (bytes <= COR_BOARD_SLOT_BYTES)
        return allreduce_board_short(board, call, bytes);
    return reduce_long(board, call, -1, wanted_bytes);
}

static int allreduce_board_direct(cor_board *board, const cor_call *call, int root, size_t wanted_bytes)
{
    (void)root;
    (void)wanted_bytes;
    return cor_board_direct(board, call);
}

static int allreduce_board_rounds_run(const cor_call *call, const size_t *parameters)
{
    return allreduce_board_run(call, parameters[0], allreduce_board_rounds);
}

static int allreduce_board_direct_run(const cor_call *call, const size_t *parameters)
{
    (void)parameters;
    return allreduce_board_run(call, 0, allreduce_board_direct);
}

static int allreduce_board_chain_run(const cor_call *call, const size_t *parameters)
{
    return allreduce_board_run(call, parameters[0], cor_board_chain);
}

static int allreduce_board_shares_run(const cor_call *call, const size_t *parameters)
{
    return allreduce_board_run(call, parameters[0], cor_board_shares);
}

const cor_algorithm cor_allreduce_board_rounds_row = {
    .primitive = COR_ALLREDUCE,
    .name = "board_rounds",
    .summary = "shared memory: all write, all combine everything, long values in rounds",
    .cost = "a + n b + (p - 1) n g",
    .needs = COR_BOARD_ROOM_NEEDS,
    .parameters = {COR_BOARD_PIECE_PARAMETER},
    .run = allreduce_board_rounds_run,
};

const cor_algorithm cor_allreduce_board_direct_row = {
    .primitive = COR_ALLREDUCE,
    .name = "board_direct",
    .summary = "shared memory: all combine everything, long values straight from each other's buffers",
    .cost = "2 a + (p - 1) n g",
    .needs = COR_BOARD_ROOM_NEEDS | COR_NEEDS_THREADS | COR_NEEDS_FEW_RANKS,
    .run = allreduce_board_direct_run,
};

const cor_algorithm cor_allreduce_board_chain_row = {
    .primitive = COR_ALLREDUCE,
    .name = "board_chain",
    .summary = "shared memory: all combine what all have written; long values go from rank to rank in pieces",
    .cost = "a + n b + (p - 1) n g; long: n (2 b + g)",
    .needs = COR_BOARD_ROOM_NEEDS,
    .parameters = {COR_BOARD_PIECE_PARAMETER},
    .run = allreduce_board_chain_run,
};

const cor_algorithm cor_allreduce_board_shares_row = {
    .primitive = COR_ALLREDUCE,
    .name = "board_shares",
    .summary = "shared memory: all combine what all have written; of long values each rank takes shares",
    .cost = "a + n b + (p - 1) n g; long: 2 n b + n g",
    .needs = COR_BOARD_ROOM_NEEDS,
    .parameters = {COR_BOARD_PIECE_PARAMETER},
    .run = allreduce_board_shares_run,
};
