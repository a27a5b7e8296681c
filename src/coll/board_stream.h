/* The caller's buffers, as operations on a board read and write them. See board.h. */
#ifndef COR_COLL_BOARD_STREAM_H
#define COR_COLL_BOARD_STREAM_H

#include "coll/board.h"

static inline size_t cor_board_block_bytes(const cor_stream *stream, int block)
{
    return stream->parts ? stream->parts[block].bytes : stream->bytes;
}

/* Bytes [offset, offset + length) of a block. */
static inline void cor_board_read(const cor_stream *stream, int block, size_t offset, void *to, size_t length)
{
    if (stream->parts)
        cor_payload_read(&stream->parts[block], offset, to, length);
    else
        cor_payload_read(&stream->payload, (size_t)block * stream->bytes + offset, to, length);
}

static inline void cor_board_write(const cor_stream *stream, int block, size_t offset, const void *from, size_t length)
{
    if (stream->parts)
        cor_payload_write(&stream->parts[block], offset, from, length);
    else
        cor_payload_write(&stream->payload, (size_t)block * stream->bytes + offset, from, length);
}

/* Copy `from` of one block to a block of another stream of this rank. */
void cor_board_copy_block(const cor_stream *to, int to_block, const cor_stream *from, int from_block);
/* The same; COR_ERR_TRUNCATE: they are not as long as each other. */
int cor_board_copy_own(cor_board *board, const cor_stream *to, int to_block, const cor_stream *from, int from_block);

/* Offer a stream's blocks (all of it, or one block: block >= 0) to the other threads, until cor_board_withdraw, which
 * is due also after an error. */
int cor_board_offer_stream(cor_board *board, const cor_stream *stream, int block);
void cor_board_withdraw(cor_board *board);
/* Copy block `theirs` of what a rank offers to a block of ours, as much as both have. COR_ERR_TRUNCATE: they are not
 * as long as each other. */
int cor_board_fetch(cor_board *board, int rank, int theirs, const cor_stream *to, int block);

#endif
