/* SPDX-License-Identifier: Apache-2.0 */
/* A direction's ring: positions grow without end, and only their differences count. Where a position is in memory follows
 * from the direction's base, which the writer moves while the ring is empty: so messages that are answered one by one need
 * some pages of a ring, and not all in turn. */
#ifndef COR_NET_NET_RING_H
#define COR_NET_NET_RING_H

#include "base/copy.h"
#include "net/net_state.h"

/* Parts of memory of the caller, and how far they are done. */
typedef struct net_cursor {
    const struct iovec *parts;
    int count, at;
    size_t offset; /* in parts[at] */
    size_t left;   /* in all of them */
} net_cursor;

static inline void net_cursor_init(net_cursor *cursor, const struct iovec *parts, int count)
{
    *cursor = (net_cursor){.parts = parts, .count = count};
    for (int i = 0; i < count; i++)
        cursor->left += parts[i].iov_len;
}

/* The next piece, at most `most` bytes. */
static inline char *net_cursor_piece(net_cursor *cursor, size_t most, size_t *length_p)
{
    while (cursor->at < cursor->count && cursor->offset == cursor->parts[cursor->at].iov_len) {
        cursor->at++;
        cursor->offset = 0;
    }
    if (cursor->at == cursor->count) {
        *length_p = 0;
        return NULL;
    }
    size_t length = cursor->parts[cursor->at].iov_len - cursor->offset;
    *length_p = length < most ? length : most;
    return (char *)cursor->parts[cursor->at].iov_base + cursor->offset;
}

static inline void net_cursor_advance(net_cursor *cursor, size_t length)
{
    cursor->offset += length;
    cursor->left -= length;
}

/* The parts that are left, for a system call; at most `room` of them and `most` bytes. Returns how many. */
int net_cursor_rest(net_cursor *cursor, struct iovec *rest, int room, size_t most);
/* The system call has done so many bytes. */
void net_cursor_skip(net_cursor *cursor, size_t length);

/* Bytes in the ring that are not read yet; -1: the positions are nonsense. acquire: the bytes themselves are seen. */
static inline int64_t net_ring_used(const net_dir *dir, uint64_t ring_bytes)
{
    uint64_t head = atomic_load_explicit(&dir->head, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&dir->tail, memory_order_acquire);
    uint64_t used = tail - head;
    return COR_LIKELY(used <= ring_bytes) ? (int64_t)used : -1;
}

enum { NET_RING_REWIND = 16 << 10 };

/* Where a position is. relaxed: the base of bytes that are in the ring was stored before the tail that tells of them, and
 * stays until they have been read. */
static inline size_t net_ring_at(const net_dir *dir, uint64_t position, uint64_t ring_bytes)
{
    return (position - atomic_load_explicit(&dir->base, memory_order_relaxed)) & (ring_bytes - 1);
}

/* By the writer, with an empty ring. */
static inline void net_ring_rewind(net_dir *dir, uint64_t tail)
{
    if (tail - atomic_load_explicit(&dir->base, memory_order_relaxed) >= NET_RING_REWIND)
        atomic_store_explicit(&dir->base, tail, memory_order_relaxed);
}

/* Bytes are in the ring, or it is broken, which a read finds out. */
static inline int net_ring_has_bytes(const cor_conn *conn)
{
    return atomic_load_explicit(&conn->in->tail, memory_order_acquire) !=
           atomic_load_explicit(&conn->in->head, memory_order_relaxed);
}

/* Room that a waiting writer is told of: a quarter, so that it is not woken for every byte. */
static inline int net_ring_has_room(const cor_conn *conn)
{
    int64_t used = net_ring_used(conn->out, conn->ring_bytes);
    return used < 0 || (uint64_t)used <= conn->ring_bytes - conn->ring_bytes / 4;
}

#endif
