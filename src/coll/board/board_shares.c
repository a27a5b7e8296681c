/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long reduction whose work the ranks share: a rank that finds all values complete claims the next free share of
 * them, combines it, and so on until none is left. Where ranks share CPUs the first on each CPU do everything, and
 * those that run later find the result: no rank needs more than two turns, one to publish its values and one to fetch
 * the result. Where each has a CPU, all do about as much.
 *
 * Threads leave their values where they are; processes copy them to their halves. The result is in the half of the
 * last rank, in processes over the values of that rank, of which only the rank that combines a share reads it. Data
 * longer than a half are processed in pieces, which use the two halves of the half in turn.
 *
 * All ranks divide the data into the same shares, which are combined in the order of the ranks: the same bits,
 * whichever rank does it.
 */
#include "coll/board/board_reduce.h"
#include "coll/board/board_values.h"

enum {
    BOARD_SHARE_MIN = 8 << 10,
    BOARD_SHARE_MAX = 64 << 10, /* a garbage collector may have to wait for as long as values are mapped */
    BOARD_SHARE_PARTS = 8,      /* of the whole */
};

typedef struct board_shares {
    cor_board_values values;
    size_t piece_bytes, pieces;
    size_t share_bytes, piece_shares; /* the latter: in a piece, but perhaps the last */
    size_t awaited;                   /* shares that must be ready */
    int is_reader;                    /* this rank wants the result */
} board_shares;

static cor_board_result *shares_result(const board_shares *shares)
{
    const cor_board *board = shares->values.board;
    return &board->results[cor_board_slot_row(board, board->op)];
}

static size_t shares_piece_bytes(const board_shares *shares, size_t piece)
{
    size_t left = shares->values.bytes - piece * shares->piece_bytes;
    return left < shares->piece_bytes ? left : shares->piece_bytes;
}

/* Where a piece is in a half. */
static size_t shares_place(const board_shares *shares, size_t piece)
{
    return piece % 2 * shares->piece_bytes;
}

/* All shares up to the end of a piece. */
static size_t shares_up_to(const board_shares *shares, size_t piece)
{
    size_t bytes = shares_piece_bytes(shares, piece);
    return piece * shares->piece_shares + (bytes + shares->share_bytes - 1) / shares->share_bytes;
}

/* Every rank has fetched the result of the pieces before this one. */
static int shares_await_fetched(board_shares *shares, size_t piece)
{
    cor_board *board = shares->values.board;
    return cor_board_await(board, board->taken, 0, board->size, cor_board_count(board, piece));
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static uint64_t shares_word(const board_shares *shares)
{
    return cor_board_word(shares->values.bytes, COR_BOARD_SHARES);
}

/* Values that are offered stay where they are, but the place of the result must be free. */
static int shares_fill(board_shares *shares, size_t piece)
{
    cor_board_values *values = &shares->values;
    cor_board *board = values->board;
    int rc = piece >= 2 ? shares_await_fetched(shares, piece - 1) : COR_OK;
    if (rc != COR_OK || values->is_offered)
        return rc;
    cor_payload_read(values->own, piece * shares->piece_bytes,
                     cor_board_half(board, board->rank) + shares_place(shares, piece),
                     shares_piece_bytes(shares, piece));
    return cor_board_post_round(board, piece, shares_word(shares));
}

/* Wait until every rank has filled a piece; with the first one sees whether all have as much. */
static int shares_await_filled(board_shares *shares, size_t piece)
{
    cor_board *board = shares->values.board;
    if (shares->values.is_offered)
        return COR_OK;
    if (piece > 0)
        return cor_board_await(board, board->posted, 0, board->size, cor_board_count(board, piece + 1));
    int rc = cor_board_await_lines(board);
    return rc != COR_OK ? rc : cor_board_check_lines(board, shares_word(shares));
}

/* ---- combining -------------------------------------------------------------------------------------------------- */

/* Counts begin anew with each operation: what an earlier one left there is less. */
static uint64_t shares_count(uint64_t seen, uint64_t first)
{
    return (int64_t)(seen - first) < 0 ? first : seen;
}

/* The next share that no rank has taken, or `end`: there is none before that. */
static size_t shares_take(board_shares *shares, size_t end)
{
    _Atomic uint64_t *claimed = &shares_result(shares)->claimed;
    uint64_t first = cor_board_count(shares->values.board, 0), next;
    /* relaxed: claiming orders nothing; the values were seen to be there, and `ready` publishes the result. */
    uint64_t seen = atomic_load_explicit(claimed, memory_order_relaxed);
    do {
        next = shares_count(seen, first);
        if (next - first >= end)
            return end;
    } while (
        !atomic_compare_exchange_weak_explicit(claimed, &seen, next + 1, memory_order_relaxed, memory_order_relaxed));
    return (size_t)(next - first);
}

static void shares_tell_ready(board_shares *shares)
{
    cor_board *board = shares->values.board;
    _Atomic uint64_t *ready = &shares_result(shares)->ready;
    uint64_t first = cor_board_count(board, 0), seen = atomic_load_explicit(ready, memory_order_relaxed);
    /* release: the share is combined, and the values are read. A rank that sees a later count sees this one's, too. */
    while (!atomic_compare_exchange_weak_explicit(ready, &seen, shares_count(seen, first) + 1, memory_order_release,
                                                  memory_order_relaxed))
        continue;
    cor_board_tell(board);
}

static int shares_are_ready(void *subject)
{
    board_shares *shares = subject;
    uint64_t count = cor_board_count(shares->values.board, shares->awaited);
    /* acquire: the shares were written before. */
    return (int64_t)(atomic_load_explicit(&shares_result(shares)->ready, memory_order_acquire) - count) >= 0;
}

static void shares_combine(board_shares *shares, size_t piece, size_t share)
{
    cor_board_values *values = &shares->values;
    size_t start = (share - piece * shares->piece_shares) * shares->share_bytes;
    size_t left = shares_piece_bytes(shares, piece) - start, place = shares_place(shares, piece) + start;
    size_t bytes = left < shares->share_bytes ? left : shares->share_bytes;
    char *out = cor_board_half(values->board, values->board->size - 1) + place;
    /* Not earlier: until this share is ready, no rank leaves. A rank that is too late to claim a share may find that
     * all others have left. */
    if (values->is_offered)
        cor_board_find_values(values);
    if (cor_board_map_values(values)) {
        cor_board_combine_mapped(values, piece * shares->piece_bytes + start, place, out, bytes);
        cor_board_unmap_values(values);
    } else {
        cor_board_combine_copied(values, piece * shares->piece_bytes + start, out, bytes);
    }
    shares_tell_ready(shares);
}

static int shares_fetch(board_shares *shares, size_t piece)
{
    cor_board *board = shares->values.board;
    const char *result = cor_board_half(board, board->size - 1) + shares_place(shares, piece);
    shares->awaited = shares_up_to(shares, piece);
    /* A rank that has offered values waits in any case, because others read them. So does one that continues with
     * another piece: a share of that would be counted for one of this piece that is not ready yet. */
    if (shares->is_reader || shares->values.is_offered || piece + 1 < shares->pieces) {
        int rc = cor_board_wait(board, shares_are_ready, shares);
        if (rc != COR_OK)
            return rc;
    }
    if (shares->is_reader)
        cor_payload_write(&shares->values.call->recv.payload, piece * shares->piece_bytes, result,
                          shares_piece_bytes(shares, piece));
    cor_board_raise(&board->taken[board->rank], cor_board_count(board, piece + 1));
    cor_board_tell(board);
    return COR_OK;
}

static int shares_piece(board_shares *shares, size_t piece)
{
    size_t end = shares_up_to(shares, piece), share;
    int rc = piece + 1 < shares->pieces ? shares_fill(shares, piece + 1) : COR_OK;
    if (rc == COR_OK)
        rc = shares_await_filled(shares, piece);
    if (rc != COR_OK)
        return rc;
    while ((share = shares_take(shares, end)) < end)
        shares_combine(shares, piece, share);
    return shares_fetch(shares, piece);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static void shares_cut(board_shares *shares, size_t wanted_bytes)
{
    cor_board_values *values = &shares->values;
    size_t half = values->board->half_bytes, most = wanted_bytes && wanted_bytes < half / 2 ? wanted_bytes : half / 2;
    size_t share = values->bytes / BOARD_SHARE_PARTS;
    int is_one = values->bytes <= half && wanted_bytes == 0;
    shares->piece_bytes = is_one ? values->bytes : cor_board_whole_elements(values, most);
    shares->pieces = (values->bytes + shares->piece_bytes - 1) / shares->piece_bytes;
    share = share < BOARD_SHARE_MIN ? BOARD_SHARE_MIN : share > BOARD_SHARE_MAX ? BOARD_SHARE_MAX : share;
    /* Shares that cannot be mapped are copied to half of the scratch memory, which is as large as a half. */
    share = cor_board_whole_elements(values, share < half / 2 ? share : half / 2);
    shares->share_bytes = share < shares->piece_bytes ? share : shares->piece_bytes;
    shares->piece_shares = (shares->piece_bytes + shares->share_bytes - 1) / shares->share_bytes;
}

int cor_board_shares(cor_board *board, const cor_call *call, int root, size_t wanted_bytes)
{
    board_shares shares = {.values = cor_board_values_of(board, call)};
    shares.is_reader = root < 0 || root == board->rank;
    shares_cut(&shares, wanted_bytes);
    int is_offered = board->is_one_process && board->size <= COR_FEW_RANKS;
    int rc = cor_board_await_half(board);
    if (rc == COR_OK)
        rc = is_offered ? cor_board_offer_values(&shares.values) : shares_fill(&shares, 0);
    for (size_t i = 0; i < shares.pieces && rc == COR_OK; i++)
        rc = shares_piece(&shares, i);
    return cor_board_end_values(&shares.values, rc);
}
