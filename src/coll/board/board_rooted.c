/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reduction to a root among ranks that share CPUs: every other rank copies its values to the board and leaves, and
 * the root combines them all. That is more work for the root than a share would be, but no other rank needs a second
 * turn on a CPU, for which it would wait while others compute. For longer values the time of the root would count more.
 */
#include "coll/board/board_area.h"
#include "coll/board/board_reduce.h"
#include "coll/board/board_stream.h"

enum {
    BOARD_ROOTED_CHUNK = 16 << 10, /* what is combined stays in the nearest cache until all values are in */
    BOARD_ROOTED_STEP = 64 << 10,  /* a garbage collector may have to wait for as long as values are mapped */
};

typedef struct board_rooted {
    cor_board *board;
    const cor_call *call;
    const cor_payload *own;
    size_t bytes, chunk_bytes;
    int error;
} board_rooted;

static size_t rooted_chunk(const board_rooted *rooted, size_t at, size_t end)
{
    return end - at < rooted->chunk_bytes ? end - at : rooted->chunk_bytes;
}

/* From the right: what is combined so far is then the right operand, which may be overwritten. `out` overlaps no
 * values. */
static void rooted_combine(board_rooted *rooted, size_t offset, const char *own, char *out, size_t bytes)
{
    const cor_board *board = rooted->board;
    const char *result = NULL;
    for (int i = board->size - 1; i >= 0; i--) {
        const char *values = i == board->rank ? own : cor_board_half(board, i) + offset;
        if (result) {
            int rc = cor_reduce_packed(&rooted->call->reducer, values, result, out, bytes);
            rooted->error = rooted->error == COR_OK ? rc : rooted->error;
        }
        result = result ? out : values;
    }
}

/* A step with this rank's values and the result mapped. Returns 0 if they cannot be mapped. */
static int rooted_step_mapped(board_rooted *rooted, size_t offset, size_t bytes)
{
    const cor_call *call = rooted->call;
    const cor_payload *recv = &call->recv.payload;
    char *own = cor_board_map(rooted->own, &call->reducer), *scratch = rooted->board->scratch;
    char *result = call->is_in_place || !own ? own : cor_board_map(recv, &call->reducer);
    for (size_t at = offset; result && at < offset + bytes; at += rooted->chunk_bytes) {
        size_t part = rooted_chunk(rooted, at, offset + bytes);
        rooted_combine(rooted, at, own + at, call->is_in_place ? scratch : result + at, part);
        if (call->is_in_place)
            cor_copy(result + at, scratch, part);
    }
    if (!call->is_in_place)
        cor_board_unmap(recv, result, 1);
    cor_board_unmap(rooted->own, own, call->is_in_place);
    return result != NULL;
}

static void rooted_step_copied(board_rooted *rooted, size_t offset, size_t bytes)
{
    char *result = rooted->board->scratch, *own = result + rooted->chunk_bytes;
    for (size_t at = offset; at < offset + bytes; at += rooted->chunk_bytes) {
        size_t part = rooted_chunk(rooted, at, offset + bytes);
        cor_payload_read(rooted->own, at, own, part);
        rooted_combine(rooted, at, own, result, part);
        cor_payload_write(&rooted->call->recv.payload, at, result, part);
    }
}

static int rooted_at_root(board_rooted *rooted, uint64_t word)
{
    cor_board *board = rooted->board;
    int rc = cor_board_await_values(board, word);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    size_t most = BOARD_ROOTED_STEP < rooted->chunk_bytes ? rooted->chunk_bytes : BOARD_ROOTED_STEP;
    size_t step = most - most % rooted->chunk_bytes;
    for (size_t offset = 0; offset < rooted->bytes; offset += step) {
        size_t left = rooted->bytes - offset, bytes = left < step ? left : step;
        if (!rooted_step_mapped(rooted, offset, bytes))
            rooted_step_copied(rooted, offset, bytes);
    }
    return rooted->error;
}

int cor_board_rooted(cor_board *board, const cor_call *call, int root, size_t wanted_bytes)
{
    const cor_payload *own = call->is_in_place ? &call->recv.payload : &call->send.payload;
    if (own->bytes > board->half_bytes)
        return cor_board_shares(board, call, root, wanted_bytes);
    size_t element = call->reducer.type->size, most = board->half_bytes / 2;
    board_rooted rooted = {.board = board, .call = call, .own = own, .bytes = own->bytes};
    rooted.chunk_bytes = most < BOARD_ROOTED_CHUNK ? most : BOARD_ROOTED_CHUNK;
    rooted.chunk_bytes = rooted.chunk_bytes > element ? rooted.chunk_bytes - rooted.chunk_bytes % element : element;
    uint64_t word = cor_board_word(own->bytes, COR_BOARD_ROOTED);
    int is_root = board->rank == root;
    /* As with short values, a rank might wait for the root, if its lengths differ. */
    int is_writer = !is_root || COR_UNLIKELY(!call->reducer.op->is_commutative);
    int rc = cor_board_await_half(board);
    if (rc == COR_OK && is_writer)
        rc = cor_board_await_row(board);
    if (rc != COR_OK)
        return rc;
    if (!is_root)
        cor_payload_read(own, 0, cor_board_half(board, board->rank), own->bytes);
    if (is_writer)
        cor_board_post(board, word);
    if (is_root)
        rc = rooted_at_root(&rooted, word);
    if (rc != COR_ERR_PEER)
        cor_board_end(board);
    return rc;
}
