/* SPDX-License-Identifier: Apache-2.0 */
/* Combining on a board: all values at once for short ones, along a chain of ranks for long ones. */
#include "coll/board/board_reduce.h"

#include "coll/board/board_area.h"
#include "coll/board/board_stream.h"

int cor_board_combine(const cor_board *board, const cor_reducer *reducer, const void *own, void *out, size_t bytes)
{
    int last = board->size - 1;
    const void *result = last == board->rank ? own : cor_board_place(board, last, bytes);
    cor_board_prefetch(result, bytes);
    /* From the right: what is combined so far is then the right operand, which may be overwritten. */
    for (int i = last - 1; i >= 0; i--) {
        const void *values = i == board->rank ? own : cor_board_place(board, i, bytes);
        cor_board_prefetch(values, bytes);
        int rc = cor_reduce_packed(reducer, values, result, out, bytes);
        if (rc != COR_OK)
            return rc;
        result = out;
    }
    if (last == 0)
        cor_copy(out, own, bytes);
    return COR_OK;
}

int cor_board_await_values(cor_board *board, uint64_t word)
{
    int rc = COR_OK;
    for (int i = 0; i < board->size && rc == COR_OK; i++) {
        if (i == board->rank)
            continue;
        rc = cor_board_await_line(board, i);
        if (rc == COR_OK)
            rc = cor_board_check(board, i, word);
    }
    if (COR_UNLIKELY(rc != COR_OK && rc != COR_ERR_PEER))
        cor_board_give_up(board, 0);
    return rc;
}

/* ---- the chain -------------------------------------------------------------------------------------------------- */

/*
 * The data go in pieces from the last member to the first, each combining what comes with its own values: that is as
 * few copies as there can be, and all ranks are busy once the first piece has come through. Where every rank wants
 * the result, it is copied from the first member's buffers as soon as it is there.
 *
 * A member does whatever can be done: hand on the next piece, fetch the next piece of the result. With fewer CPUs than
 * ranks it does as much of both as there is in one turn.
 */
typedef struct board_chain {
    cor_board *board;
    const cor_call *call;
    const cor_payload *own; /* the values of this rank */
    size_t bytes, buffer_bytes, pieces;
    int behind, ahead;      /* the rank whose pieces this one reads, and the one that reads its pieces; -1 */
    int first;              /* rank that has the result in its buffers */
    int reader, reader_end; /* at the first: ranks that fetch the result; none if both are the same */
    int is_reader;          /* we fetch it */
    size_t handed, fetched; /* pieces */
    int seen;               /* at the first: readers that are known to have made room for the next piece */
    int error;
    char *own_map, *recv_map; /* memory of our values and of the result, while it is mapped */
} board_chain;

static int chain_has_room(board_chain *chain)
{
    cor_board *board = chain->board;
    if (chain->handed < COR_BOARD_BUFFERS)
        return 1;
    uint64_t count = cor_board_count(board, chain->handed - COR_BOARD_BUFFERS + 1);
    if (chain->ahead >= 0)
        return cor_board_has_come(&board->taken[chain->ahead], count);
    while (chain->seen < chain->reader_end &&
           (chain->seen == board->rank || cor_board_has_come(&board->got[chain->seen], count)))
        chain->seen++;
    return chain->seen >= chain->reader_end;
}

static int chain_can_hand(board_chain *chain)
{
    cor_board *board = chain->board;
    return chain->handed < chain->pieces &&
           (chain->behind < 0 || cor_board_has_round(board, chain->behind, chain->handed)) && chain_has_room(chain);
}

static int chain_can_fetch(board_chain *chain)
{
    cor_board *board = chain->board;
    return chain->is_reader && chain->fetched < chain->pieces &&
           cor_board_has_round(board, chain->first, chain->fetched);
}

static int chain_can_move(void *subject)
{
    return chain_can_hand(subject) || chain_can_fetch(subject);
}

static uint64_t chain_word(const board_chain *chain)
{
    return cor_board_word(chain->bytes, COR_BOARD_CHAIN);
}

/* A piece of a rank has arrived: with the first one, check whether that rank has the same length as this one. */
static int chain_fits(board_chain *chain, int rank, size_t piece)
{
    return rank < 0 || piece > 0 ? COR_OK : cor_board_check(chain->board, rank, chain_word(chain));
}

static size_t chain_piece(const board_chain *chain, size_t offset)
{
    size_t left = chain->bytes - offset;
    return left < chain->buffer_bytes ? left : chain->buffer_bytes;
}

/* May the combined piece go to the result itself? Yes if no other rank needs it. Values that are in place may be
 * overwritten only by an operator that takes its operands in any order. */
static int chain_is_result(const board_chain *chain)
{
    const cor_call *call = chain->call;
    int is_for_others = chain->ahead >= 0 || chain->reader < chain->reader_end;
    return !is_for_others && (!call->is_in_place || call->reducer.op->is_commutative);
}

/* Mapping costs more than a short piece does, so what is mapped stays so until there is something to wait for, or for
 * some pieces: a garbage collector may wait for us. Returns the values of this rank, or NULL: they must be copied. */
static const char *chain_map(board_chain *chain)
{
    if (!chain->own_map)
        chain->own_map = cor_board_map(chain->own, &chain->call->reducer);
    return chain->own_map;
}

static void chain_unmap(board_chain *chain)
{
    cor_board_unmap(&chain->call->recv.payload, chain->recv_map, 1);
    cor_board_unmap(chain->own, chain->own_map, 0);
    chain->own_map = chain->recv_map = NULL;
}

/* Combine what came with our own values. Returns whether the result is where it belongs. */
static int chain_combine(board_chain *chain, size_t offset, size_t bytes, char *target)
{
    cor_board *board = chain->board;
    const cor_reducer *reducer = &chain->call->reducer;
    const cor_payload *recv = &chain->call->recv.payload;
    const char *theirs = cor_board_buffer(board, chain->behind, chain->handed, chain->buffer_bytes);
    const char *mapped = chain_map(chain), *own = mapped ? mapped + offset : board->scratch;
    if (!mapped)
        chain->own->ops->read(chain->own, offset, board->scratch, bytes);
    /* Only beside values that are mapped too, or plain: reading them is over. */
    if (!chain->recv_map && chain_is_result(chain))
        chain->recv_map = cor_board_map(recv, reducer);
    char *result = chain->recv_map;
    int rc = cor_reduce_packed(reducer, own, theirs, result ? result + offset : target, bytes);
    if (!mapped)
        chain_unmap(chain);
    chain->error = chain->error == COR_OK ? rc : chain->error;
    return result != NULL;
}

static void chain_copy(board_chain *chain, size_t offset, char *target, size_t bytes)
{
    const char *mapped = chain_map(chain);
    if (mapped)
        cor_copy(target, mapped + offset, bytes);
    else
        chain->own->ops->read(chain->own, offset, target, bytes);
}

static int chain_hand(board_chain *chain)
{
    cor_board *board = chain->board;
    const cor_call *call = chain->call;
    size_t offset = chain->handed * chain->buffer_bytes, bytes = chain_piece(chain, offset);
    int is_result = 0;
    char *target = cor_board_buffer(board, board->rank, chain->handed, chain->buffer_bytes);
    if (chain->behind < 0)
        chain_copy(chain, offset, target, bytes);
    else
        is_result = chain_combine(chain, offset, bytes, target);
    chain->handed++;
    chain->seen = chain->reader;
    uint64_t count = cor_board_count(board, chain->handed);
    if (chain->behind >= 0)
        cor_board_raise(&board->taken[board->rank], count);
    int rc = cor_board_post_round(board, chain->handed - 1, chain_word(chain));
    int is_written =
        chain->ahead < 0 && !is_result && (board->rank == call->root || chain->reader_end - chain->reader > 1);
    if (is_written || chain->handed % COR_BOARD_BUFFERS == 0)
        chain_unmap(chain);
    if (is_written)
        cor_payload_write(&call->recv.payload, offset, target, bytes);
    return rc;
}

static void chain_fetch(board_chain *chain)
{
    cor_board *board = chain->board;
    size_t offset = chain->fetched * chain->buffer_bytes;
    const char *result = cor_board_buffer(board, chain->first, chain->fetched, chain->buffer_bytes);
    chain_unmap(chain);
    cor_payload_write(&chain->call->recv.payload, offset, result, chain_piece(chain, offset));
    chain->fetched++;
    cor_board_raise(&board->got[board->rank], cor_board_count(board, chain->fetched));
    cor_board_tell(board);
}

static int chain_run(board_chain *chain)
{
    size_t to_fetch = chain->is_reader ? chain->pieces : 0;
    int rc = COR_OK;
    while (rc == COR_OK && (chain->handed < chain->pieces || chain->fetched < to_fetch)) {
        int is_moved = 0;
        if (chain_can_hand(chain)) {
            rc = chain_fits(chain, chain->behind, chain->handed);
            if (rc == COR_OK)
                rc = chain_hand(chain);
            is_moved = 1;
        }
        if (rc == COR_OK && chain_can_fetch(chain)) {
            rc = chain_fits(chain, chain->first, chain->fetched);
            if (rc == COR_OK)
                chain_fetch(chain);
            is_moved = 1;
        }
        if (!is_moved) {
            chain_unmap(chain);
            rc = cor_board_wait(chain->board, chain_can_move, chain);
        }
    }
    chain_unmap(chain);
    return rc;
}

/* The order of the ranks is kept if the chain ends at rank 0. An operator that does not need it lets the chain end at
 * the root, which then has the result at once. */
static void chain_arrange(board_chain *chain, int root)
{
    const cor_board *board = chain->board;
    int size = board->size, rank = board->rank;
    chain->first = root >= 0 && chain->call->reducer.op->is_commutative ? root : 0;
    int place = (rank - chain->first + size) % size;
    chain->behind = place + 1 < size ? (rank + 1) % size : -1;
    chain->ahead = place > 0 ? (rank - 1 + size) % size : -1;
    chain->is_reader = rank != chain->first && (root < 0 || root == rank);
    if (rank == chain->first && root < 0)
        chain->reader_end = size;
    if (rank == chain->first && root >= 0 && root != rank) {
        chain->reader = root;
        chain->reader_end = root + 1;
    }
    chain->seen = chain->reader;
}

int cor_board_chain(cor_board *board, const cor_call *call, int root, size_t wanted_bytes)
{
    const cor_stream *in = call->is_in_place ? &call->recv : &call->send;
    board_chain chain = {.board = board, .call = call, .own = &in->payload, .bytes = in->payload.bytes};
    chain.buffer_bytes = cor_board_buffer_bytes(board, wanted_bytes, in->payload.bytes, call->reducer.type->size);
    chain.pieces = (chain.bytes + chain.buffer_bytes - 1) / chain.buffer_bytes;
    chain_arrange(&chain, root);
    int rc = cor_board_await_half(board);
    /* Here, since nothing may be waited for while something is mapped. */
    if (rc == COR_OK)
        rc = cor_board_await_row(board);
    if (rc == COR_OK)
        rc = chain_run(&chain);
    if (rc == COR_OK)
        cor_board_end(board);
    else if (rc != COR_ERR_PEER)
        cor_board_give_up(board, 0);
    return rc != COR_OK ? rc : chain.error;
}
