/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short values: every rank writes its own and combines those of the ranks up to itself. Long ones go from rank to
 * rank, in pieces, each adding its own.
 */
#include "coll/board/board_area.h"
#include "coll/board/board_stream.h"

static const cor_payload *scan_board_in(const cor_call *call)
{
    return call->is_in_place ? &call->recv.payload : &call->send.payload;
}

/* out = values of rank 0 op ... op values of the rank `last`, which are all written. */
static int scan_board_combine(const cor_board *board, const cor_call *call, int last, char *out, size_t bytes)
{
    const char *result = cor_board_place(board, last, bytes);
    int rc = COR_OK;
    for (int i = last - 1; i >= 0 && rc == COR_OK; i--) {
        rc = cor_reduce_packed(&call->reducer, cor_board_place(board, i, bytes), result, out, bytes);
        result = out;
    }
    cor_payload_write(&call->recv.payload, 0, result, bytes);
    return rc;
}

static int scan_board_short(cor_board *board, const cor_call *call, size_t bytes)
{
    int last = call->primitive == COR_SCAN ? board->rank : board->rank - 1;
    char result[COR_BOARD_SLOT_BYTES];
    uint64_t word = cor_board_word(bytes, COR_BOARD_SHORT);
    int rc = cor_board_await_place(board, bytes);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    cor_board_put(scan_board_in(call), cor_board_place(board, board->rank, bytes), bytes);
    cor_board_post(board, word);
    rc = cor_board_await(board, cor_board_row(board), 0, board->rank, board->op);
    for (int i = 0; i < board->rank && rc == COR_OK; i++)
        rc = cor_board_check(board, i, word);
    if (last >= 0 && rc == COR_OK)
        rc = scan_board_combine(board, call, last, result, bytes);
    cor_board_end(board);
    return rc;
}

/* ---- from rank to rank ------------------------------------------------------------------------------------------ */

/* Add our own to what came, in our buffer, and take from the two what is our result. */
static int scan_board_add(cor_board *board, const cor_call *call, size_t round, size_t offset, size_t bytes,
                          size_t buffer_bytes)
{
    const cor_payload *in = scan_board_in(call);
    char *buffer = cor_board_buffer(board, board->rank, round, buffer_bytes);
    int is_scan = call->primitive == COR_SCAN, rc = COR_OK;
    if (board->rank == 0) {
        cor_payload_read(in, offset, buffer, bytes);
        if (is_scan && !call->is_in_place)
            cor_payload_write(&call->recv.payload, offset, buffer, bytes);
        return COR_OK;
    }
    const char *before = cor_board_buffer(board, board->rank - 1, round, buffer_bytes);
    cor_payload_read(in, offset, buffer, bytes);
    rc = cor_reduce_packed(&call->reducer, before, buffer, buffer, bytes);
    cor_payload_write(&call->recv.payload, offset, is_scan ? buffer : before, bytes);
    return rc;
}

static int scan_board_long(cor_board *board, const cor_call *call, size_t bytes, size_t buffer_bytes)
{
    int rank = board->rank, is_last = rank == board->size - 1, error = COR_OK, rc = cor_board_await_half(board);
    uint64_t word = cor_board_word(bytes, COR_BOARD_CHAIN);
    size_t round = 0;
    for (size_t done = 0; done < bytes && rc == COR_OK; done += buffer_bytes, round++) {
        if (rank > 0)
            rc = cor_board_await_round(board, rank - 1, round);
        if (rank > 0 && round == 0 && rc == COR_OK)
            error = cor_board_check(board, rank - 1, word);
        if (round == 0 && error != COR_OK) {
            cor_board_give_up(board, 0);
            return error;
        }
        if (!is_last && round >= COR_BOARD_BUFFERS && rc == COR_OK)
            rc = cor_board_await(board, board->taken, rank + 1, rank + 2,
                                 cor_board_count(board, round - COR_BOARD_BUFFERS + 1));
        if (rc != COR_OK)
            return rc;
        size_t piece = bytes - done < buffer_bytes ? bytes - done : buffer_bytes;
        rc = scan_board_add(board, call, round, done, piece, buffer_bytes);
        error = error == COR_OK ? rc : error;
        cor_board_raise(&board->taken[rank], cor_board_count(board, round + 1));
        rc = cor_board_post_round(board, round, word);
    }
    cor_board_end(board);
    return rc != COR_OK ? rc : error;
}

static int scan_board_run(const cor_call *call, const size_t *parameters)
{
    cor_board *board;
    int rc = cor_board_of(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    size_t bytes = scan_board_in(call)->bytes;
    size_t buffer_bytes = cor_board_buffer_bytes(board, parameters[0], bytes, call->reducer.type->size);
    if (buffer_bytes == 0)
        return COR_AGAIN;
    board->op++;
    return bytes <= COR_BOARD_SLOT_BYTES ? scan_board_short(board, call, bytes)
                                         : scan_board_long(board, call, bytes, buffer_bytes);
}

#define SCAN_BOARD_ROW                                                                                                \
    .name = "board_chain",                                                                                            \
    .summary = "shared memory: all write, every rank combines what it needs; long ones along a chain",                \
    .cost = "a + n b + (p - 1) n g; long: n (2 b + g)", .needs = COR_BOARD_ROOM_NEEDS,                                \
    .parameters = {COR_BOARD_PIECE_PARAMETER}, .run = scan_board_run

const cor_algorithm cor_scan_board_chain_row = {.primitive = COR_SCAN, SCAN_BOARD_ROW};
const cor_algorithm cor_exscan_board_chain_row = {.primitive = COR_EXSCAN, SCAN_BOARD_ROW};
