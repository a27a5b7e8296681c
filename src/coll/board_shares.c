/*
 * A reduction in which every rank combines its share of every piece: for ranks that share CPUs, where what counts is
 * how often each must get a turn.
 *
 * A piece goes through three stages. All ranks fill a buffer with their values; each combines its share of all
 * buffers, in the order of the ranks, over its own share of its own buffer, which nobody else reads before; and
 * whoever wants the result copies the shares together. In one turn a rank fills the next piece, combines its share of
 * the one before and copies the one before that.
 */
#include "coll/board_area.h"
#include "coll/board_reduce.h"

typedef struct board_shares {
    cor_board *board;
    const cor_call *call;
    const cor_payload *own;
    size_t bytes, element_bytes, buffer_bytes;
    int is_reader; /* this rank wants the result */
    int error;
} board_shares;

static size_t shares_piece(const board_shares *shares, size_t piece)
{
    size_t left = shares->bytes - piece * shares->buffer_bytes;
    return left < shares->buffer_bytes ? left : shares->buffer_bytes;
}

/* Where the share of a rank begins in a piece: whole elements, as even as it goes, and whole cache lines if there are
 * many. */
static size_t shares_start(const board_shares *shares, size_t piece_bytes, int rank)
{
    size_t unit = shares->element_bytes;
    if (COR_CACHE_LINE % unit == 0 && piece_bytes >= 2 * COR_CACHE_LINE * (size_t)shares->board->size)
        unit = COR_CACHE_LINE;
    if (rank == shares->board->size)
        return piece_bytes;
    return piece_bytes / unit * (size_t)rank / (size_t)shares->board->size * unit;
}

static uint64_t shares_word(const board_shares *shares)
{
    return cor_board_word(shares->bytes, COR_BOARD_SHARES);
}

static int shares_fill(board_shares *shares, size_t piece)
{
    cor_board *board = shares->board;
    /* Everybody is done with what was in the buffer. */
    int rc = COR_OK;
    if (piece >= COR_BOARD_BUFFERS)
        rc = cor_board_await(board, board->taken, 0, board->size,
                             cor_board_count(board, piece - COR_BOARD_BUFFERS + 1));
    if (rc != COR_OK)
        return rc;
    cor_payload_read(shares->own, piece * shares->buffer_bytes,
                     cor_board_buffer(board, board->rank, piece, shares->buffer_bytes), shares_piece(shares, piece));
    return cor_board_post_round(board, piece, shares_word(shares));
}

/* Wait until everybody has filled a piece; with the first one sees whether all have as much. */
static int shares_await(board_shares *shares, size_t piece)
{
    cor_board *board = shares->board;
    if (piece > 0)
        return cor_board_await(board, board->posted, 0, board->size, cor_board_count(board, piece + 1));
    int rc = cor_board_await_lines(board);
    return rc != COR_OK ? rc : cor_board_check_lines(board, shares_word(shares));
}

static void shares_combine(board_shares *shares, size_t piece)
{
    cor_board *board = shares->board;
    size_t piece_bytes = shares_piece(shares, piece), start = shares_start(shares, piece_bytes, board->rank);
    size_t bytes = shares_start(shares, piece_bytes, board->rank + 1) - start;
    /* Our own values would be overwritten by what is combined before their turn comes. */
    char *target = cor_board_buffer(board, board->rank, piece, shares->buffer_bytes) + start;
    const char *own = target, *result = NULL;
    if (board->rank < board->size - 1) {
        cor_copy(board->scratch, own, bytes);
        own = board->scratch;
    }
    for (int i = board->size - 1; i >= 0 && bytes > 0; i--) {
        const char *values = i == board->rank ? own : cor_board_buffer(board, i, piece, shares->buffer_bytes) + start;
        if (result) {
            int rc = cor_reduce_packed(&shares->call->reducer, values, result, target, bytes);
            shares->error = shares->error == COR_OK ? rc : shares->error;
        }
        result = result ? target : values;
    }
    cor_board_raise(&board->got[board->rank], cor_board_count(board, piece + 1));
    cor_board_tell(board);
}

static int shares_copy(board_shares *shares, size_t piece)
{
    cor_board *board = shares->board;
    size_t piece_bytes = shares_piece(shares, piece), offset = piece * shares->buffer_bytes;
    if (shares->is_reader) {
        int rc = cor_board_await(board, board->got, 0, board->size, cor_board_count(board, piece + 1));
        if (rc != COR_OK)
            return rc;
        for (int i = 0; i < board->size; i++) {
            size_t start = shares_start(shares, piece_bytes, i), end = shares_start(shares, piece_bytes, i + 1);
            const char *buffer = cor_board_buffer(board, i, piece, shares->buffer_bytes);
            if (end > start)
                cor_payload_write(&shares->call->recv.payload, offset + start, buffer + start, end - start);
        }
    }
    cor_board_raise(&board->taken[board->rank], cor_board_count(board, piece + 1));
    cor_board_tell(board);
    return COR_OK;
}

int cor_board_shares(cor_board *board, const cor_call *call, int root, size_t wanted_bytes)
{
    const cor_stream *in = call->is_in_place ? &call->recv : &call->send;
    board_shares shares = {
        .board = board,
        .call = call,
        .own = &in->payload,
        .bytes = in->payload.bytes,
        .element_bytes = call->reducer.type->size,
        .buffer_bytes = cor_board_buffer_bytes(board, wanted_bytes, in->payload.bytes, call->reducer.type->size),
        .is_reader = root < 0 || root == board->rank,
    };
    size_t pieces = (shares.bytes + shares.buffer_bytes - 1) / shares.buffer_bytes;
    int rc = cor_board_await_half(board);
    for (size_t i = 0; i < pieces + 2 && rc == COR_OK; i++) {
        if (i < pieces)
            rc = shares_fill(&shares, i);
        if (i >= 1 && i - 1 < pieces && rc == COR_OK) {
            rc = shares_await(&shares, i - 1);
            if (rc == COR_OK)
                shares_combine(&shares, i - 1);
        }
        if (i >= 2 && rc == COR_OK)
            rc = shares_copy(&shares, i - 2);
    }
    if (rc == COR_OK)
        cor_board_end(board);
    else if (rc != COR_ERR_PEER)
        cor_board_give_up(board, 0);
    return rc != COR_OK ? rc : shares.error;
}
