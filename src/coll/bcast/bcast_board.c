/* SPDX-License-Identifier: Apache-2.0 */
/* The root writes, the others read, through shared memory; long ones in pieces, so that both sides copy at once. */
#include "coll/board/board_area.h"
#include "coll/board/board_stream.h"

static int bcast_board_short(cor_board *board, const cor_call *call, size_t bytes)
{
    uint64_t word = cor_board_word(bytes, COR_BOARD_SHORT);
    int is_root = board->rank == call->root;
    int rc = is_root ? cor_board_await_place(board, bytes) : cor_board_await_line(board, call->root);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    if (is_root) {
        cor_board_put(&call->recv.payload, cor_board_place(board, board->rank, bytes), bytes);
        cor_board_post(board, word);
    } else {
        const char *place = cor_board_place(board, call->root, bytes);
        cor_board_prefetch(place, bytes);
        rc = cor_board_check(board, call->root, word);
        if (COR_LIKELY(rc == COR_OK) && cor_board_is_zcopy(call, bytes))
            *call->zcopy_p = place;
        else if (COR_LIKELY(rc == COR_OK))
            cor_payload_write(&call->recv.payload, 0, place, bytes);
    }
    cor_board_end_later(board);
    return rc;
}

/* Threads: from the root's buffer. */
static int bcast_board_direct(cor_board *board, const cor_call *call)
{
    int rc;
    if (board->rank == call->root) {
        rc = cor_board_offer_stream(board, &call->recv, 0);
        if (rc == COR_OK)
            rc = cor_board_await(board, board->taken, 0, board->size, cor_board_done_count(board->op));
        cor_board_withdraw(board);
    } else {
        rc = cor_board_await_line(board, call->root);
        if (rc == COR_OK)
            rc = cor_board_fetch(board, call->root, 0, &call->recv, 0);
    }
    cor_board_end(board);
    return rc;
}

/* ---- in pieces -------------------------------------------------------------------------------------------------- */

static int bcast_board_send(cor_board *board, const cor_call *call, size_t bytes, size_t buffer_bytes)
{
    int root = call->root, rc = cor_board_await_half(board);
    size_t round = 0;
    for (size_t done = 0; done < bytes && rc == COR_OK; done += buffer_bytes, round++) {
        size_t piece = bytes - done < buffer_bytes ? bytes - done : buffer_bytes;
        if (round >= COR_BOARD_BUFFERS)
            rc = cor_board_await(board, board->taken, 0, board->size,
                                 cor_board_count(board, round - COR_BOARD_BUFFERS + 1));
        if (rc != COR_OK)
            return rc;
        cor_payload_read(&call->recv.payload, done, cor_board_buffer(board, root, round, buffer_bytes), piece);
        rc = cor_board_post_round(board, round, cor_board_word(bytes, COR_BOARD_ROUNDS));
    }
    return rc;
}

static int bcast_board_receive(cor_board *board, const cor_call *call, size_t bytes, size_t buffer_bytes)
{
    int root = call->root;
    size_t round = 0;
    for (size_t done = 0; done < bytes; done += buffer_bytes, round++) {
        size_t piece = bytes - done < buffer_bytes ? bytes - done : buffer_bytes;
        int rc = cor_board_await_round(board, root, round);
        if (rc == COR_OK && round == 0)
            rc = cor_board_check(board, root, cor_board_word(bytes, COR_BOARD_ROUNDS));
        if (rc != COR_OK)
            return rc;
        cor_payload_write(&call->recv.payload, done, cor_board_buffer(board, root, round, buffer_bytes), piece);
        if (done + piece < bytes) {
            cor_board_raise(&board->taken[board->rank], cor_board_count(board, round + 1));
            cor_board_tell(board);
        }
    }
    return COR_OK;
}

static int bcast_board_long(cor_board *board, const cor_call *call, size_t bytes, size_t buffer_bytes)
{
    int rc = board->rank == call->root ? bcast_board_send(board, call, bytes, buffer_bytes)
                                       : bcast_board_receive(board, call, bytes, buffer_bytes);
    cor_board_end(board);
    return rc;
}

static int bcast_board_rounds_run(const cor_call *call, const size_t *parameters)
{
    cor_board *board;
    int rc = cor_board_begin(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    size_t bytes = call->recv.payload.bytes;
    if (bytes <= COR_BOARD_SLOT_BYTES)
        return bcast_board_short(board, call, bytes);
    return bcast_board_long(board, call, bytes, cor_board_buffer_bytes(board, parameters[0], bytes, 0));
}

static int bcast_board_direct_run(const cor_call *call, const size_t *parameters)
{
    cor_board *board;
    int rc = cor_board_begin(call->comm, &board);
    (void)parameters;
    if (rc != COR_OK)
        return rc;
    size_t bytes = call->recv.payload.bytes;
    return bytes <= COR_BOARD_SLOT_BYTES ? bcast_board_short(board, call, bytes) : bcast_board_direct(board, call);
}

const cor_algorithm cor_bcast_board_rounds_row = {
    .primitive = COR_BCAST,
    .name = "board_rounds",
    .summary = "shared memory: the root writes, all others read, long data in rounds",
    .cost = "a + 2 n b",
    .needs = COR_BOARD_NEEDS,
    .parameters = {COR_BOARD_PIECE_PARAMETER},
    .run = bcast_board_rounds_run,
};

const cor_algorithm cor_bcast_board_direct_row = {
    .primitive = COR_BCAST,
    .name = "board_direct",
    .summary = "shared memory: the root writes, all others read, long data straight from the root's buffer",
    .cost = "a + n b",
    .needs = COR_BOARD_NEEDS | COR_NEEDS_THREADS,
    .run = bcast_board_direct_run,
};
