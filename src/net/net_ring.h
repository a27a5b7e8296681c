/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A direction's rings: positions grow without end, and only their differences count. Where a position is in memory
 * follows from the ring's base, which the writer moves while the direction is empty: so messages that are answered one
 * by one need some pages of a ring, and not all in turn.
 *
 * Turns. The near ring is as large as caches like it. A writer that finds it full, and would wait, turns to the far
 * ring if that is empty; so two programs that both write much before they read go on, as with the kernel's buffers. It
 * turns back when the reader has emptied the near ring and has nearly caught up. A turn is one word, the position from
 * which on the other ring is used: what is before it is in the ring that was used until then. A ring is turned to only
 * when it is empty, so there are two of them in use at most, and a reader that finds a turn which it did not know reads
 * the same bytes as before. Memory of the far ring beyond the size of the near one is given back when the direction has
 * left it.
 *
 * The wire through shared memory has rings of its own (xxdev/soft/sm/sm_layout.h): packets in slots, between two ranks
 * that trust each other and sleep on a futex. Here are streams of bytes, positions that a hostile peer may have
 * written, and programs that sleep in poll on the socket, so that a bell must be a byte on TCP. They share no more than
 * the copy.
 */
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

enum { NET_NEAR, NET_FAR };

typedef struct net_turn {
    uint64_t at;
    int ring; /* of positions from there on; the other one of those before */
} net_turn;

static inline net_turn net_ring_turn(const net_dir *dir)
{
    /* acquire: the base of the ring that it turns to was stored before. */
    uint64_t word = atomic_load_explicit(&dir->turn, memory_order_acquire);
    return (net_turn){word >> 1, (int)(word & 1)};
}

/* Bytes that are not read yet; -1: the positions are nonsense. acquire: the bytes themselves are seen, and the turn. */
static inline int64_t net_ring_used(const cor_conn *conn, const net_dir *dir)
{
    uint64_t head = atomic_load_explicit(&dir->head, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&dir->tail, memory_order_acquire);
    uint64_t used = tail - head;
    return COR_LIKELY(used <= conn->ring_bytes + conn->far_bytes) ? (int64_t)used : -1;
}

static inline uint64_t net_ring_size(const cor_conn *conn, int ring)
{
    return ring == NET_NEAR ? conn->ring_bytes : conn->far_bytes;
}

/* Both far rings, or NULL. */
char *net_far_map(cor_conn *conn);

/* They are there, and this process has found no place for them, as yet. */
static inline int net_far_is_unmapped(const cor_conn *conn)
{
    return conn->far_bytes > 0 && !atomic_load_explicit(&conn->far_map, memory_order_relaxed);
}

/* The memory of a ring; NULL: there is none. */
static inline char *net_ring_memory(cor_conn *conn, const net_dir *dir, int ring)
{
    size_t side = (size_t)(dir - conn->segment->dirs);
    if (COR_LIKELY(ring == NET_NEAR))
        return (char *)conn->segment + NET_SEGMENT_HEADER + side * conn->ring_bytes;
    char *far = net_far_map(conn);
    return far ? far + side * conn->far_bytes : NULL;
}

/* Where a position is, and how many bytes from there on lie together, at most so many. NULL: it cannot be, or
 * net_far_is_unmapped. relaxed: the base of bytes that are in a ring was stored before the tail that tells of them, and
 * stays until they have been read. */
static inline char *net_ring_piece(cor_conn *conn, const net_dir *dir, uint64_t position, size_t most,
                                   size_t *length_p)
{
    net_turn turn = net_ring_turn(dir);
    int is_before = (int64_t)(position - turn.at) < 0, ring = is_before ? !turn.ring : turn.ring;
    uint64_t size = net_ring_size(conn, ring);
    char *memory = net_ring_memory(conn, dir, ring);
    if (COR_UNLIKELY(!memory))
        return NULL;
    if (is_before && turn.at - position < most)
        most = (size_t)(turn.at - position);
    size_t at = (position - atomic_load_explicit(&dir->base[ring], memory_order_relaxed)) & (size - 1);
    *length_p = size - at < most ? size - at : most;
    return memory + at;
}

/* The writer may turn to the far ring. */
static inline int net_ring_may_grow(const cor_conn *conn, const net_dir *dir)
{
    net_turn turn = net_ring_turn(dir);
    return turn.ring == NET_NEAR && conn->far_bytes > 0 &&
           (int64_t)(atomic_load_explicit(&dir->head, memory_order_acquire) - turn.at) >= 0 &&
           !atomic_load_explicit(&conn->has_no_far, memory_order_relaxed);
}

/* Bytes that fit into the ring that is written to. */
static inline size_t net_ring_room(const cor_conn *conn, const net_dir *dir)
{
    net_turn turn = net_ring_turn(dir);
    uint64_t from = atomic_load_explicit(&dir->head, memory_order_acquire), size = net_ring_size(conn, turn.ring);
    if ((int64_t)(turn.at - from) > 0)
        from = turn.at;
    uint64_t filled = atomic_load_explicit(&dir->tail, memory_order_relaxed) - from;
    return filled <= size ? (size_t)(size - filled) : 0;
}

/* By the writer, under out_lock, before it writes: back to the near ring, and to the begin of an empty one. */
void net_ring_tidy(cor_conn *conn, size_t used);
/* By the writer, under out_lock, when there is no room. 0: nor is there another ring. */
int net_ring_grow(cor_conn *conn);

/* Bytes are in the ring, or it is broken, which a read finds out. */
static inline int net_ring_has_bytes(const cor_conn *conn)
{
    return atomic_load_explicit(&conn->in->tail, memory_order_acquire) !=
           atomic_load_explicit(&conn->in->head, memory_order_relaxed);
}

/* Room that a waiting writer is told of: a quarter, so that it is not woken for every byte. */
static inline int net_ring_has_room(const cor_conn *conn, const net_dir *dir)
{
    return net_ring_used(conn, dir) < 0 || net_ring_may_grow(conn, dir) ||
           net_ring_room(conn, dir) >= net_ring_size(conn, net_ring_turn(dir).ring) / 4;
}

#endif
