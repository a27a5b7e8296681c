/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "net/net_ring.h"

#include <sys/mman.h>

enum {
    NET_RING_REWIND = 16 << 10,
    RING_POPULATE_WRITE = 23, /* MADV_POPULATE_WRITE, which older headers lack */
};

/* ---- rings ------------------------------------------------------------------------------------------------------ */

size_t net_near_bytes(uint64_t ring_bytes)
{
    return NET_SEGMENT_HEADER + 2 * (size_t)ring_bytes;
}

size_t net_all_bytes(uint64_t ring_bytes, uint64_t far_bytes)
{
    return net_near_bytes(ring_bytes) + 2 * (size_t)far_bytes;
}

char *net_far_map(cor_conn *conn)
{
    /* acquire: it is mapped. */
    char *map = atomic_load_explicit(&conn->far_map, memory_order_acquire), *none = NULL;
    size_t bytes = net_all_bytes(conn->ring_bytes, conn->far_bytes);
    if (!map && conn->far_bytes == 0)
        return NULL;
    if (!map) {
        int saved = errno;
        /* From 0 bytes: a second mapping of the same file, whose descriptor is closed. */
        map = mremap(conn->segment, 0, bytes, MREMAP_MAYMOVE);
        errno = saved;
        if (map == MAP_FAILED) {
            atomic_store_explicit(&conn->has_no_far, 1, memory_order_relaxed);
            return NULL;
        }
        if (!atomic_compare_exchange_strong(&conn->far_map, &none, map)) {
            munmap(map, bytes);
            return none + net_near_bytes(conn->ring_bytes);
        }
        atomic_fetch_add_explicit(&conn->net->maps, 1, memory_order_relaxed);
    }
    return map + net_near_bytes(conn->ring_bytes);
}

static void ring_turn(net_dir *dir, int ring)
{
    uint64_t tail = atomic_load_explicit(&dir->tail, memory_order_relaxed);
    atomic_store_explicit(&dir->base[ring], tail, memory_order_relaxed);
    /* release: after the base. */
    atomic_store_explicit(&dir->turn, tail << 1 | (uint64_t)ring, memory_order_release);
}

/* Before it is touched; 0: there is not so much, or Linux is older than 5.14. */
static int ring_allocate_far(cor_conn *conn)
{
    int saved = errno;
    int is_there = madvise(net_ring_memory(conn, conn->out, NET_FAR), conn->far_bytes, RING_POPULATE_WRITE) == 0;
    errno = saved;
    return is_there;
}

int net_ring_grow(cor_conn *conn)
{
    if (!net_ring_may_grow(conn, conn->out))
        return 0;
    if (net_far_is_unmapped(conn) && !net_has_maps(conn->net)) {
        atomic_store_explicit(&conn->has_no_far, 1, memory_order_relaxed);
        return 0;
    }
    if (!net_far_map(conn))
        return 0;
    if (conn->net->is_strict && !ring_allocate_far(conn)) {
        atomic_store_explicit(&conn->has_no_far, 1, memory_order_relaxed);
        return 0;
    }
    ring_turn(conn->out, NET_FAR);
    return 1;
}

/* The far ring is empty: give back what is more than a near one. */
static void ring_give_back(cor_conn *conn)
{
    net_local *local = conn->local;
    char *far = net_ring_memory(conn, conn->out, NET_FAR);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (far && local->far_top > conn->ring_bytes) {
        uintptr_t from = ((uintptr_t)far + conn->ring_bytes + page - 1) / page * page;
        uintptr_t to = ((uintptr_t)far + local->far_top) / page * page;
        if (to > from)
            madvise((void *)from, to - from, MADV_REMOVE); /* else it stays until the end */
    }
    local->far_top = 0;
}

void net_ring_tidy(cor_conn *conn, size_t used)
{
    net_dir *out = conn->out;
    net_local *local = conn->local;
    net_turn turn = net_ring_turn(out);
    uint64_t tail = atomic_load_explicit(&out->tail, memory_order_relaxed);
    uint64_t base = atomic_load_explicit(&out->base[turn.ring], memory_order_relaxed);
    int is_other_empty = (int64_t)(tail - used - turn.at) >= 0;
    if (COR_LIKELY(turn.ring == NET_NEAR)) {
        if (COR_UNLIKELY(local->far_top > 0 && is_other_empty))
            ring_give_back(conn);
        if (used == 0 && tail - base >= NET_RING_REWIND)
            atomic_store_explicit(&out->base[NET_NEAR], tail, memory_order_relaxed);
    } else if (is_other_empty && used <= conn->ring_bytes / 2) {
        uint64_t top = tail - base < conn->far_bytes ? tail - base : conn->far_bytes;
        local->far_top = top > local->far_top ? top : local->far_top;
        ring_turn(out, NET_NEAR);
    }
}

/* ---- parts of memory -------------------------------------------------------------------------------------------- */

int net_cursor_rest(net_cursor *cursor, struct iovec *rest, int room, size_t most)
{
    int count = 0;
    size_t offset = cursor->offset;
    for (int i = cursor->at; i < cursor->count && count < room && most > 0; i++, offset = 0) {
        size_t length = cursor->parts[i].iov_len - offset;
        length = length < most ? length : most;
        if (length == 0)
            continue;
        rest[count].iov_base = (char *)cursor->parts[i].iov_base + offset;
        rest[count].iov_len = length;
        most -= length;
        count++;
    }
    return count;
}

void net_cursor_skip(net_cursor *cursor, size_t length)
{
    while (length > 0) {
        size_t piece;
        if (!net_cursor_piece(cursor, length, &piece))
            return;
        net_cursor_advance(cursor, piece);
        length -= piece;
    }
}
