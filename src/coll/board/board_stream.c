/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's buffers: copies inside a rank, and directly from buffer to buffer between threads of one process. */
#include "coll/board/board_stream.h"

#include "dtype/payload_view.h"

#include <string.h>

/* A piece of a payload that is read or written at once. It is never held, so the whole is not changed. */
static cor_payload board_piece(const cor_payload *whole, size_t offset, size_t bytes)
{
    return cor_payload_slice((cor_payload *)(uintptr_t)whole, offset, bytes);
}

static const cor_payload *board_whole(const cor_stream *stream, int block)
{
    return stream->parts ? &stream->parts[block] : &stream->payload;
}

static size_t board_start(const cor_stream *stream, int block)
{
    return stream->parts ? 0 : (size_t)block * stream->bytes;
}

static cor_payload board_block(const cor_stream *stream, int block)
{
    return board_piece(board_whole(stream, block), board_start(stream, block), cor_board_block_bytes(stream, block));
}

/* As much as both have. */
static void board_copy(const cor_payload *to, const cor_payload *from)
{
    cor_payload_copy(to, from, to->bytes < from->bytes ? to->bytes : from->bytes);
}

void cor_board_copy_block(const cor_stream *to, int to_block, const cor_stream *from, int from_block)
{
    cor_payload target = board_block(to, to_block), source = board_block(from, from_block);
    board_copy(&target, &source);
}

int cor_board_copy_own(cor_board *board, const cor_stream *to, int to_block, const cor_stream *from, int from_block)
{
    size_t sent = cor_board_block_bytes(from, from_block), expected = cor_board_block_bytes(to, to_block);
    cor_board_copy_block(to, to_block, from, from_block);
    return COR_LIKELY(sent == expected) ? COR_OK : cor_board_differs(board, board->rank, sent, expected);
}

/* ---- between threads -------------------------------------------------------------------------------------------- */

/* A copy of each payload is held, since the caller's own may live on its stack and cannot be written. */
static void board_hold(cor_board *board, int place, const cor_payload *payload)
{
    board->held[place] = *payload;
    board->held[place].is_held = 0;
    cor_payload_hold(&board->held[place]);
}

int cor_board_offer_stream(cor_board *board, const cor_stream *stream, int block)
{
    board->offer = (cor_board_offer){.payloads = board->held};
    if (block >= 0) {
        board_hold(board, 0, board_whole(stream, block));
        board->offer.offset = board_start(stream, block);
        board->offer.bytes = cor_board_block_bytes(stream, block);
    } else if (stream->parts) {
        board->offer.is_in_parts = 1;
        for (int i = 0; i < board->size; i++)
            board_hold(board, i, &stream->parts[i]);
    } else {
        board_hold(board, 0, &stream->payload);
        board->offer.bytes = stream->bytes;
    }
    const cor_board_offer *offer = &board->offer;
    int rc = cor_board_await_row(board);
    if (rc != COR_OK)
        return rc;
    memcpy(cor_board_row(board)[board->rank].bytes, &offer, sizeof offer);
    cor_board_post(board, cor_board_word(board->offer.bytes, COR_BOARD_OFFERED));
    return COR_OK;
}

void cor_board_withdraw(cor_board *board)
{
    int count = board->offer.is_in_parts ? board->size : 1;
    for (int i = 0; i < count; i++)
        cor_payload_release(&board->held[i]);
}

static cor_payload board_offered(const cor_board_offer *offer, int block)
{
    if (offer->is_in_parts)
        return board_piece(&offer->payloads[block], 0, offer->payloads[block].bytes);
    return board_piece(offer->payloads, offer->offset + (size_t)block * offer->bytes, offer->bytes);
}

int cor_board_fetch(cor_board *board, int rank, int theirs, const cor_stream *to, int block)
{
    const cor_board_flag_line *line = &cor_board_row(board)[rank];
    cor_payload target = board_block(to, block);
    const cor_board_offer *offer;
    /* After an error the operation continues with other ranks. If the error was the end of this rank, their offers may
     * be gone. */
    if (cor_device_is_closed(board->comm->device))
        return cor_board_find_lost(board);
    if (COR_UNLIKELY((line->word & ((1 << COR_BOARD_WAY_BITS) - 1)) != COR_BOARD_OFFERED))
        return cor_board_word_differs(board, rank, cor_board_word(target.bytes, COR_BOARD_OFFERED));
    memcpy(&offer, line->bytes, sizeof offer);
    cor_payload source = board_offered(offer, theirs);
    board_copy(&target, &source);
    return COR_LIKELY(source.bytes == target.bytes) ? COR_OK
                                                    : cor_board_differs(board, rank, source.bytes, target.bytes);
}

/* ---- blocks of any length --------------------------------------------------------------------------------------- */

/* Beside the number of rounds in the flag line, or in the 2 KiB slot; NULL: they are too many. */
static char *board_lengths(const cor_board *board, int rank)
{
    size_t bytes = (size_t)board->size * sizeof(uint64_t);
    if (bytes <= COR_BOARD_FLAG_LINE_BYTES - sizeof(uint64_t))
        return cor_board_row(board)[rank].bytes + sizeof(uint64_t);
    return bytes <= COR_BOARD_SLOT_BYTES ? cor_board_slot(board, rank) : NULL;
}

void cor_board_tell_lengths(cor_board *board, const cor_stream *stream)
{
    char *lengths = board_lengths(board, board->rank);
    for (int i = 0; i < board->size && lengths; i++) {
        uint64_t bytes = cor_board_block_bytes(stream, i);
        memcpy(lengths + (size_t)i * sizeof bytes, &bytes, sizeof bytes);
    }
}

int cor_board_check_length(cor_board *board, int rank, size_t expected)
{
    const char *lengths = board_lengths(board, rank);
    uint64_t bytes = expected;
    if (lengths)
        memcpy(&bytes, lengths + (size_t)board->rank * sizeof bytes, sizeof bytes);
    return COR_LIKELY(bytes == expected) ? COR_OK : cor_board_differs(board, rank, (size_t)bytes, expected);
}
