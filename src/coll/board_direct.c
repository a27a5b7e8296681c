/*
 * Long reductions among threads of one process of which all want the result: values are combined where they are, in
 * the buffers of the program, and not copied to the board first.
 *
 * Everybody offers its values and waits for the offers of all. Two ranks combine everything, each into its own buffer.
 * More ranks combine a share each, into the board's area, and then copy the shares together. Nobody leaves before all
 * have read its values.
 *
 * A rank's buffers are written by that rank alone, as a virtual machine may map a copy.
 */
#include "coll/board_area.h"
#include "coll/board_reduce.h"
#include "coll/board_stream.h"

enum {
    BOARD_DIRECT_RANKS = 64,
    BOARD_DIRECT_CHUNK = 16 << 10, /* what is combined stays in the nearest cache until all values are in */
    BOARD_DIRECT_STEP = 64 << 10,  /* a garbage collector may have to wait for as long as values are mapped */
};

typedef struct board_direct {
    cor_board *board;
    const cor_call *call;
    size_t bytes, piece_bytes, pieces;
    size_t step_bytes; /* what is combined at once, at most half of the scratch memory */
    const cor_payload *offers[BOARD_DIRECT_RANKS];
    const char *mapped[BOARD_DIRECT_RANKS];
    int error;
} board_direct;

int cor_board_can_be_direct(const cor_board *board, size_t bytes)
{
    return board->is_one_process && board->size <= BOARD_DIRECT_RANKS && bytes >= COR_BOARD_LONG_BYTES;
}

static size_t direct_piece(const board_direct *direct, size_t piece)
{
    size_t left = direct->bytes - piece * direct->piece_bytes;
    return left < direct->piece_bytes ? left : direct->piece_bytes;
}

static size_t direct_whole_elements(const board_direct *direct, size_t bytes)
{
    size_t size = direct->call->reducer.type->size;
    return bytes > size ? bytes - bytes % size : size;
}

/* ---- offers ----------------------------------------------------------------------------------------------------- */

static int direct_begin(board_direct *direct)
{
    cor_board *board = direct->board;
    const cor_call *call = direct->call;
    cor_stream own = {.payload = call->is_in_place ? call->recv.payload : call->send.payload, .bytes = direct->bytes};
    int rc = cor_board_await_half(board);
    if (rc == COR_OK)
        rc = cor_board_offer_stream(board, &own, 0);
    if (rc == COR_OK)
        rc = cor_board_await_lines(board);
    /* If one rank has another length than the rest, all see it, and none reads anything. */
    if (rc == COR_OK)
        rc = cor_board_check_lines(board, cor_board_word(direct->bytes, COR_BOARD_OFFERED));
    for (int i = 0; i < board->size && rc == COR_OK; i++) {
        const cor_board_offer *offer;
        memcpy(&offer, cor_board_row(board)[i].bytes, sizeof offer);
        direct->offers[i] = offer->payloads;
    }
    return rc;
}

/* The end, whatever went wrong. */
static int direct_end(board_direct *direct, int rc)
{
    cor_board *board = direct->board;
    cor_board_withdraw(board);
    if (rc == COR_OK) {
        cor_board_end_met(board);
        cor_board_end(board);
    } else if (rc != COR_ERR_PEER) {
        cor_board_give_up(board, 0);
    }
    return rc != COR_OK ? rc : direct->error;
}

/* This rank has combined a piece; have the others? */
static void direct_tell_got(board_direct *direct, size_t piece)
{
    cor_board *board = direct->board;
    cor_board_raise(&board->got[board->rank], cor_board_count(board, piece + 1));
    cor_board_tell(board);
}

static int direct_await_got(board_direct *direct, size_t pieces)
{
    cor_board *board = direct->board;
    return cor_board_await(board, board->got, 0, board->size, cor_board_count(board, pieces));
}

/* ---- combining -------------------------------------------------------------------------------------------------- */

static void direct_unmap(board_direct *direct, int count)
{
    for (int i = count - 1; i >= 0; i--)
        cor_board_unmap(direct->offers[i], (void *)(uintptr_t)direct->mapped[i], 0);
}

/* All or none: beside what is mapped nothing can be read. */
static int direct_map(board_direct *direct)
{
    for (int i = 0; i < direct->board->size; i++) {
        direct->mapped[i] = cor_board_map(direct->offers[i], &direct->call->reducer);
        if (!direct->mapped[i]) {
            direct_unmap(direct, i);
            return 0;
        }
    }
    return 1;
}

static void direct_combine_two(board_direct *direct, const char *left, const char *right, char *out, size_t bytes)
{
    int rc = cor_reduce_packed(&direct->call->reducer, left, right, out, bytes);
    direct->error = direct->error == COR_OK ? rc : direct->error;
}

/* From the right: what is combined so far is then the right operand, which may be overwritten. */
static void direct_combine_mapped(board_direct *direct, size_t offset, char *out, size_t bytes)
{
    size_t chunk = direct_whole_elements(direct, BOARD_DIRECT_CHUNK);
    int last = direct->board->size - 1;
    for (size_t done = 0; done < bytes; done += chunk) {
        size_t part = bytes - done < chunk ? bytes - done : chunk, at = offset + done;
        const char *result = direct->mapped[last] + at;
        for (int i = last - 1; i >= 0; i--) {
            direct_combine_two(direct, direct->mapped[i] + at, result, out + done, part);
            result = out + done;
        }
    }
}

/* The same with values that cannot be mapped. `out` is memory. */
static void direct_combine_copied(board_direct *direct, size_t offset, char *out, size_t bytes)
{
    int last = direct->board->size - 1;
    char *values = direct->board->scratch + direct->board->half_bytes / 2;
    cor_payload_read(direct->offers[last], offset, out, bytes);
    for (int i = last - 1; i >= 0; i--) {
        cor_payload_read(direct->offers[i], offset, values, bytes);
        direct_combine_two(direct, values, out, out, bytes);
    }
}

static void direct_combine(board_direct *direct, size_t offset, char *out, size_t bytes)
{
    for (size_t done = 0; done < bytes; done += direct->step_bytes) {
        size_t step = bytes - done < direct->step_bytes ? bytes - done : direct->step_bytes;
        if (direct_map(direct)) {
            direct_combine_mapped(direct, offset + done, out + done, step);
            direct_unmap(direct, direct->board->size);
        } else {
            direct_combine_copied(direct, offset + done, out + done, step);
        }
    }
}

/* ---- a share each ----------------------------------------------------------------------------------------------- */

/* Where the share of a rank begins in a piece: whole elements, and whole cache lines if they are of such a size. */
static size_t direct_start(const board_direct *direct, size_t piece_bytes, int rank)
{
    size_t size = (size_t)direct->board->size, unit = direct->call->reducer.type->size;
    if (COR_CACHE_LINE % unit == 0)
        unit = COR_CACHE_LINE;
    return rank == direct->board->size ? piece_bytes : piece_bytes / unit * (size_t)rank / size * unit;
}

static void direct_copy(board_direct *direct, size_t piece)
{
    cor_board *board = direct->board;
    size_t piece_bytes = direct_piece(direct, piece), offset = piece * direct->piece_bytes;
    for (int i = 0; i < board->size; i++) {
        size_t start = direct_start(direct, piece_bytes, i), end = direct_start(direct, piece_bytes, i + 1);
        if (end > start)
            cor_payload_write(&direct->call->recv.payload, offset + start, cor_board_half(board, i), end - start);
    }
}

/* A piece: its shares are in the halves until everybody has copied them. */
static int direct_share(board_direct *direct, size_t piece)
{
    cor_board *board = direct->board;
    size_t piece_bytes = direct_piece(direct, piece), start = direct_start(direct, piece_bytes, board->rank);
    size_t bytes = direct_start(direct, piece_bytes, board->rank + 1) - start;
    int rc = piece > 0 ? cor_board_await(board, board->taken, 0, board->size, cor_board_count(board, piece)) : COR_OK;
    if (rc != COR_OK)
        return rc;
    direct_combine(direct, piece * direct->piece_bytes + start, cor_board_half(board, board->rank), bytes);
    direct_tell_got(direct, piece);
    rc = direct_await_got(direct, piece + 1);
    if (rc != COR_OK)
        return rc;
    direct_copy(direct, piece);
    cor_board_raise(&board->taken[board->rank], cor_board_count(board, piece + 1));
    cor_board_tell(board);
    return COR_OK;
}

static board_direct direct_make(cor_board *board, const cor_call *call)
{
    const cor_payload *own = call->is_in_place ? &call->recv.payload : &call->send.payload;
    board_direct direct = {.board = board, .call = call, .bytes = own->bytes};
    size_t most = board->half_bytes / 2;
    direct.step_bytes = direct_whole_elements(&direct, most < BOARD_DIRECT_STEP ? most : BOARD_DIRECT_STEP);
    return direct;
}

static void direct_cut(board_direct *direct, size_t piece_bytes)
{
    direct->piece_bytes = piece_bytes;
    direct->pieces = (direct->bytes + piece_bytes - 1) / piece_bytes;
}

int cor_board_direct_shares(cor_board *board, const cor_call *call)
{
    board_direct direct = direct_make(board, call);
    /* The share of a piece that is not cut evenly may be longer than the others by a cache line. */
    direct_cut(&direct, direct_whole_elements(&direct, board->half_bytes - COR_CACHE_LINE) * (size_t)board->size);
    int rc = direct_begin(&direct);
    for (size_t i = 0; i < direct.pieces && rc == COR_OK; i++)
        rc = direct_share(&direct, i);
    return direct_end(&direct, rc);
}

/* ---- everything each -------------------------------------------------------------------------------------------- */

/* A piece, straight into the result where that can be mapped too. Values that are in place are overwritten when the
 * others have read them. */
static int direct_everything(board_direct *direct, size_t piece)
{
    const cor_call *call = direct->call;
    const cor_payload *recv = &call->recv.payload;
    size_t bytes = direct_piece(direct, piece), offset = piece * direct->piece_bytes;
    char *result = NULL, *target = direct->board->scratch;
    if (direct_map(direct)) {
        result = call->is_in_place ? NULL : cor_board_map(recv, &call->reducer);
        direct_combine_mapped(direct, offset, result ? result + offset : target, bytes);
        cor_board_unmap(recv, result, 1);
        direct_unmap(direct, direct->board->size);
    } else {
        direct_combine_copied(direct, offset, target, bytes);
    }
    direct_tell_got(direct, piece);
    int rc = call->is_in_place ? direct_await_got(direct, piece + 1) : COR_OK;
    if (!result && rc == COR_OK)
        cor_payload_write(recv, offset, target, bytes);
    return rc;
}

int cor_board_direct_everything(cor_board *board, const cor_call *call)
{
    board_direct direct = direct_make(board, call);
    direct_cut(&direct, direct.step_bytes);
    int rc = direct_begin(&direct);
    for (size_t i = 0; i < direct.pieces && rc == COR_OK; i++)
        rc = direct_everything(&direct, i);
    if (rc == COR_OK)
        rc = direct_await_got(&direct, direct.pieces);
    return direct_end(&direct, rc);
}
