/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rank writes its block, the root reads all. How a sender's data come depends on its own length, which the root
 * knows too, so gatherv uses this as well.
 */
#include "coll/board/board_area.h"
#include "coll/board/board_stream.h"

static int gather_board_send_short(cor_board *board, const cor_call *call, size_t bytes)
{
    int rc = cor_board_await_place(board, bytes);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    cor_board_put(&call->send.payload, cor_board_place(board, board->rank, bytes), bytes);
    cor_board_post(board, cor_board_word(bytes, COR_BOARD_SHORT));
    return COR_OK;
}

static int gather_board_send(cor_board *board, const cor_call *call, size_t bytes, size_t buffer_bytes)
{
    if (bytes <= COR_BOARD_SLOT_BYTES)
        return gather_board_send_short(board, call, bytes);
    int rc = cor_board_await_half(board);
    size_t round = 0;
    for (size_t done = 0; done < bytes && rc == COR_OK; done += buffer_bytes, round++) {
        size_t piece = bytes - done < buffer_bytes ? bytes - done : buffer_bytes;
        if (round >= COR_BOARD_BUFFERS)
            rc = cor_board_await(board, board->taken, call->root, call->root + 1,
                                 cor_board_count(board, round - COR_BOARD_BUFFERS + 1));
        if (rc != COR_OK)
            return rc;
        cor_payload_read(&call->send.payload, done, cor_board_buffer(board, board->rank, round, buffer_bytes), piece);
        rc = cor_board_post_round(board, round, cor_board_word(bytes, COR_BOARD_ROUNDS));
    }
    return rc;
}

/* Keeps the first error. Returns whether there was none now. */
static int gather_board_is_fine(int rc, int *error_p)
{
    *error_p = *error_p == COR_OK ? rc : *error_p;
    return rc == COR_OK;
}

/* Wait for what one rank says in its line. Returns whether that is what it should say. */
static int gather_board_fits(cor_board *board, int rank, uint64_t word, int *error_p)
{
    int rc = cor_board_await_line(board, rank);
    return gather_board_is_fine(rc != COR_OK ? rc : cor_board_check(board, rank, word), error_p);
}

/* A round of all ranks that have that much. Returns whether any had. A rank whose length does not fit has nothing. */
static int gather_board_take(cor_board *board, const cor_call *call, size_t round, size_t buffer_bytes, int *error_p)
{
    size_t done = round * buffer_bytes;
    int has_any = 0;
    for (int i = 0; i < board->size; i++) {
        size_t bytes = cor_board_block_bytes(&call->recv, i);
        uint64_t word = cor_board_word(bytes, COR_BOARD_ROUNDS);
        if (i == board->rank || bytes <= COR_BOARD_SLOT_BYTES || bytes <= done)
            continue;
        size_t piece = bytes - done < buffer_bytes ? bytes - done : buffer_bytes;
        if (!gather_board_fits(board, i, word, error_p) ||
            !gather_board_is_fine(cor_board_await_round(board, i, round), error_p))
            continue;
        cor_board_write(&call->recv, i, done, cor_board_buffer(board, i, round, buffer_bytes), piece);
        has_any = 1;
    }
    if (has_any) {
        cor_board_raise(&board->taken[board->rank], cor_board_count(board, round + 1));
        cor_board_tell(board);
    }
    return has_any;
}

/* Of gatherv, a rank that has nothing is not waited for. */
static void gather_board_take_short(cor_board *board, const cor_call *call, int *error_p)
{
    for (int i = 0; i < board->size; i++) {
        size_t bytes = cor_board_block_bytes(&call->recv, i);
        if (i == board->rank || (bytes == 0 && call->primitive == COR_GATHERV) || bytes > COR_BOARD_SLOT_BYTES)
            continue;
        if (gather_board_fits(board, i, cor_board_word(bytes, COR_BOARD_SHORT), error_p))
            cor_board_write(&call->recv, i, 0, cor_board_place(board, i, bytes), bytes);
    }
}

/* Threads: the root copies from the others' buffers. */
static int gather_board_offer(cor_board *board, const cor_call *call)
{
    int rc = cor_board_offer_stream(board, &call->send, 0);
    if (rc == COR_OK)
        rc = cor_board_await(board, board->taken, call->root, call->root + 1, cor_board_done_count(board->op));
    cor_board_withdraw(board);
    return rc;
}

static void gather_board_fetch(cor_board *board, const cor_call *call, int *error_p)
{
    for (int i = 0; i < board->size; i++) {
        if (i == board->rank || cor_board_block_bytes(&call->recv, i) <= COR_BOARD_SLOT_BYTES)
            continue;
        int rc = cor_board_await_line(board, i);
        gather_board_is_fine(rc != COR_OK ? rc : cor_board_fetch(board, i, 0, &call->recv, i), error_p);
    }
}

static int gather_board_run(const cor_call *call, size_t piece, int is_direct)
{
    cor_board *board;
    int rc = cor_board_begin(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    size_t own_bytes = call->send.payload.bytes;
    size_t block_bytes = board->rank == call->root ? call->recv.bytes : own_bytes;
    size_t buffer_bytes = cor_board_buffer_bytes(board, piece, call->primitive == COR_GATHER ? block_bytes : 0, 0);
    if (board->rank != call->root) {
        if (is_direct && own_bytes > COR_BOARD_SLOT_BYTES)
            rc = gather_board_offer(board, call);
        else
            rc = gather_board_send(board, call, own_bytes, buffer_bytes);
    } else {
        if (!call->is_in_place)
            rc = cor_board_copy_own(board, &call->recv, board->rank, &call->send, 0);
        gather_board_take_short(board, call, &rc);
        if (is_direct)
            gather_board_fetch(board, call, &rc);
        else
            for (size_t round = 0; gather_board_take(board, call, round, buffer_bytes, &rc); round++)
                continue;
    }
    cor_board_end(board);
    return rc;
}

static int gather_board_rounds_run(const cor_call *call, const size_t *parameters)
{
    return gather_board_run(call, parameters[0], 0);
}

static int gather_board_direct_run(const cor_call *call, const size_t *parameters)
{
    (void)parameters;
    return gather_board_run(call, 0, 1);
}

#define GATHER_BOARD_ROUNDS_ROW                                                                                       \
    .name = "board_rounds", .summary = "shared memory: all write, the root reads, long blocks in rounds",             \
    .cost = "a + p n b", .needs = COR_BOARD_NEEDS, .parameters = {COR_BOARD_PIECE_PARAMETER},                         \
    .run = gather_board_rounds_run

#define GATHER_BOARD_DIRECT_ROW                                                                                       \
    .name = "board_direct", .summary = "shared memory: the root reads long blocks straight from the others' buffers", \
    .cost = "a + p n b", .needs = COR_BOARD_NEEDS | COR_NEEDS_THREADS, .run = gather_board_direct_run

const cor_algorithm cor_gather_board_rounds_row = {.primitive = COR_GATHER, GATHER_BOARD_ROUNDS_ROW};
const cor_algorithm cor_gather_board_direct_row = {.primitive = COR_GATHER, GATHER_BOARD_DIRECT_ROW};
const cor_algorithm cor_gatherv_board_rounds_row = {.primitive = COR_GATHERV, GATHER_BOARD_ROUNDS_ROW};
const cor_algorithm cor_gatherv_board_direct_row = {.primitive = COR_GATHERV, GATHER_BOARD_DIRECT_ROW};
