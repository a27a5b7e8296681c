/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's buffers, as operations on a board read and write them. See board.h. */
#ifndef COR_COLL_BOARD_STREAM_H
#define COR_COLL_BOARD_STREAM_H

#include "coll/board/board.h"

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

/* Has the caller written its data to their place on the board itself? */
static inline int cor_board_is_put(const cor_payload *payload, const char *place)
{
    return !payload->ops && payload->base == place;
}

/* Copy all that a rank sends to its place on the board. */
static inline void cor_board_put(const cor_payload *payload, char *place, size_t bytes)
{
    if (!cor_board_is_put(payload, place))
        cor_payload_read(payload, 0, place, bytes);
}

/*
 * Prefetches all that another rank has written at once; a copy would load each line only after the one before. To be
 * called right after the flag of that rank is read, with as little as possible in between: a CPU that predicts the flag
 * to be set runs this while that load is still under way, so that flag and data arrive together; one that predicts a
 * wait does not, and leaves the lines to the writer. Reduce of 1 KiB on two CPUs: 182 -> 166 ns, bcast 142 -> 134;
 * with a call and a test for each line there was no gain.
 */
static inline void cor_board_prefetch(const char *block, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += COR_CACHE_LINE)
        __builtin_prefetch(block + at);
}

/* Zero-copy data are prefetched of this many ranks and this many bytes of each: beyond them the first are read already,
 * and the CPU prefetches by itself. */
enum { COR_BOARD_ZCOPY_RANKS = 8, COR_BOARD_ZCOPY_BYTES = COR_BOARD_SLOT_BYTES };

/* Give the caller the address of its data instead of copying them: a block of each rank, `distance` behind the one
 * before. */
static inline void cor_board_zcopy(cor_board *board, const cor_call *call, const char *blocks, size_t distance,
                                   size_t bytes)
{
    size_t fetched = bytes < COR_BOARD_ZCOPY_BYTES ? bytes : COR_BOARD_ZCOPY_BYTES;
    *call->zcopy_p = blocks;
    board->zcopy.distance = distance;
    /* Right after a context switch so long a loop costs more than it saves: 4 % of an allgather among 8 JVMs. */
    if (board->is_oversubscribed)
        return;
    for (int i = 0; i < board->size && i < COR_BOARD_ZCOPY_RANKS; i++)
        if (i != board->rank)
            cor_board_prefetch(blocks + (size_t)i * distance, fetched);
}

/* Blocks of a stream that are copied one after the other, with no wait between: a stream in one piece is mapped once
 * for all of them. While a view is open, neither this stream nor another one that cannot be mapped is used
 * otherwise. */
typedef struct cor_board_view {
    const cor_stream *stream;
    char *memory; /* of block 0, or NULL: each block is read or written on its own */
} cor_board_view;

static inline cor_board_view cor_board_view_open(const cor_stream *stream)
{
    int is_whole = !stream->parts && cor_payload_is_mappable(&stream->payload);
    return (cor_board_view){stream, is_whole ? cor_payload_map(&stream->payload) : NULL};
}

static inline void cor_board_view_read(const cor_board_view *view, int block, size_t offset, void *to, size_t length)
{
    if (view->memory)
        cor_copy(to, view->memory + (size_t)block * view->stream->bytes + offset, length);
    else
        cor_board_read(view->stream, block, offset, to, length);
}

static inline void cor_board_view_write(const cor_board_view *view, int block, size_t offset, const void *from,
                                        size_t length)
{
    if (view->memory)
        cor_copy(view->memory + (size_t)block * view->stream->bytes + offset, from, length);
    else
        cor_board_write(view->stream, block, offset, from, length);
}

static inline void cor_board_view_close(const cor_board_view *view, int is_written)
{
    if (view->memory)
        cor_payload_unmap(&view->stream->payload, view->memory, is_written);
}

/* Map a whole payload as plain memory while two pieces are combined, and unmap it; NULL: it must be copied. A user's
 * operator may call into a virtual machine; nothing can be mapped meanwhile. */
static inline char *cor_board_map(const cor_payload *payload, const cor_reducer *reducer)
{
    if (!payload->ops)
        return payload->base;
    return reducer->combine && payload->ops->map ? payload->ops->map(payload) : NULL;
}

static inline void cor_board_unmap(const cor_payload *payload, void *memory, int is_written)
{
    if (payload->ops && memory)
        payload->ops->unmap(payload, memory, is_written);
}

/* Copy `from` of one block to a block of another stream of this rank. */
void cor_board_copy_block(const cor_stream *to, int to_block, const cor_stream *from, int from_block);
/* The same; COR_ERR_TRUNCATE: their lengths differ. */
int cor_board_copy_own(cor_board *board, const cor_stream *to, int to_block, const cor_stream *from, int from_block);

/* Offer a stream's blocks (all of it, or one block: block >= 0) to the other threads, until cor_board_withdraw, which
 * must be called also after an error. */
int cor_board_offer_stream(cor_board *board, const cor_stream *stream, int block);
void cor_board_withdraw(cor_board *board);
/* Copy block `theirs` of what a rank offers to a block of this rank, as much as both have. COR_ERR_TRUNCATE: their
 * lengths differ. */
int cor_board_fetch(cor_board *board, int rank, int theirs, const cor_stream *to, int block);

/* Where blocks are of any length, before the line is posted: store how long each is. */
void cor_board_tell_lengths(cor_board *board, const cor_stream *stream);
/* Is the block for this rank, of a rank whose line is published, as long as expected? COR_OK, too, if its length is not
 * announced. */
int cor_board_check_length(cor_board *board, int rank, size_t expected);

#endif
