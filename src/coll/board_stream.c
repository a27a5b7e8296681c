/* The caller's buffers: copies inside a rank, and straight from buffer to buffer between threads of one process. */
#include "coll/board.h"

enum { BOARD_BOUNCE_BYTES = 8192 };

/* A stretch of a payload. */
typedef struct board_stretch {
    const cor_payload *payload;
    size_t offset, bytes; /* what there is from offset on */
} board_stretch;

static board_stretch board_block(const cor_stream *stream, int block)
{
    if (stream->parts)
        return (board_stretch){&stream->parts[block], 0, stream->parts[block].bytes};
    return (board_stretch){&stream->payload, (size_t)block * stream->bytes, stream->bytes};
}

static void board_copy_mapped(board_stretch to, board_stretch from, size_t bytes)
{
    char *source = from.payload->ops->map(from.payload);
    char *target = to.payload->ops->map(to.payload);
    memcpy(target + to.offset, source + from.offset, bytes);
    to.payload->ops->unmap(to.payload, target, 1);
    from.payload->ops->unmap(from.payload, source, 0);
}

static void board_copy_in_pieces(board_stretch to, board_stretch from, size_t bytes)
{
    char bounce[BOARD_BOUNCE_BYTES];
    for (size_t done = 0; done < bytes;) {
        size_t piece = bytes - done < sizeof bounce ? bytes - done : sizeof bounce;
        cor_payload_read(from.payload, from.offset + done, bounce, piece);
        cor_payload_write(to.payload, to.offset + done, bounce, piece);
        done += piece;
    }
}

/* As much as both have. */
static void board_copy(board_stretch to, board_stretch from)
{
    size_t bytes = to.bytes < from.bytes ? to.bytes : from.bytes;
    const cor_payload_ops *to_ops = to.payload->ops, *from_ops = from.payload->ops;
    if (bytes == 0)
        return;
    if (!from_ops)
        cor_payload_write(to.payload, to.offset, (const char *)from.payload->base + from.offset, bytes);
    else if (!to_ops)
        from_ops->read(from.payload, from.offset, (char *)to.payload->base + to.offset, bytes);
    else if (from_ops->map && to_ops->map)
        board_copy_mapped(to, from, bytes);
    else
        board_copy_in_pieces(to, from, bytes);
}

void cor_board_copy_block(const cor_stream *to, int to_block, const cor_stream *from, int from_block)
{
    board_copy(board_block(to, to_block), board_block(from, from_block));
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

void cor_board_offer_stream(cor_board *board, const cor_stream *stream, int block)
{
    board->offer = (cor_board_offer){.payloads = board->held};
    if (block >= 0) {
        board_stretch one = board_block(stream, block);
        board_hold(board, 0, one.payload);
        board->offer.offset = one.offset;
        board->offer.bytes = one.bytes;
    } else if (stream->parts) {
        board->offer.is_in_parts = 1;
        for (int i = 0; i < board->size; i++)
            board_hold(board, i, &stream->parts[i]);
    } else {
        board_hold(board, 0, &stream->payload);
        board->offer.bytes = stream->bytes;
    }
    const cor_board_offer *offer = &board->offer;
    cor_board_await_row(board);
    memcpy(cor_board_row(board)[board->rank].bytes, &offer, sizeof offer);
    cor_board_post(board, cor_board_word(board->offer.bytes, COR_BOARD_OFFERED));
}

void cor_board_withdraw(cor_board *board)
{
    int count = board->offer.is_in_parts ? board->size : 1;
    for (int i = 0; i < count; i++)
        cor_payload_release(&board->held[i]);
}

int cor_board_fetch(cor_board *board, int rank, int theirs, const cor_stream *to, int block)
{
    const cor_board_line *line = &cor_board_row(board)[rank];
    board_stretch target = board_block(to, block);
    const cor_board_offer *offer;
    if (COR_UNLIKELY((line->word & ((1 << COR_BOARD_WAY_BITS) - 1)) != COR_BOARD_OFFERED))
        return cor_board_word_differs(board, rank, cor_board_word(target.bytes, COR_BOARD_OFFERED));
    memcpy(&offer, line->bytes, sizeof offer);
    board_stretch source = {offer->payloads, offer->offset + (size_t)theirs * offer->bytes, offer->bytes};
    if (offer->is_in_parts)
        source = (board_stretch){&offer->payloads[theirs], 0, offer->payloads[theirs].bytes};
    board_copy(target, source);
    return COR_LIKELY(source.bytes == target.bytes) ? COR_OK
                                                    : cor_board_differs(board, rank, source.bytes, target.bytes);
}
