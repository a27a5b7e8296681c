/* SPDX-License-Identifier: Apache-2.0 */
/* How a read that blocks sleeps first: on a futex in the segment, which costs both sides less than a bell. See "Futex"
 * in net.h. After net.futex_ms the thread sleeps on the descriptor, where the kernel tells of ends. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/futex.h"
#include "net/net_ring.h"

#include <limits.h>
#include <pthread.h>

enum { FUTEX_NS_A_MS = 1000 * 1000 };

/* Nothing but bytes in the ring is to be waited for, as far as memory tells. */
static int futex_is_enough(const cor_conn *conn)
{
    const net_local *local = conn->local;
    return net_load(&local->in_phase) == NET_RING && net_load(&local->out_phase) == NET_RING &&
           !net_load(&local->is_marked) && !net_load(&local->in_end) && !net_load(&local->in_shut) &&
           !net_load(&local->has_limit) && !net_load(&conn->in->is_back) && !net_load(&conn->in->is_shut) &&
           !net_load(&conn->in->is_ending) && net_load(&conn->out->wants_back) == NET_BACK_NONE;
}

static uint64_t futex_limit_ns(const cor_conn *conn)
{
    return (uint64_t)conn->net->config.futex_ms * FUTEX_NS_A_MS;
}

/* A thread that is cancelled ends here, as in any recv. Its bit in the word costs the writer one call. */
static int futex_block(cor_conn *conn, uint32_t news)
{
    int type, saved = errno;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    cor_futex_wait_as_call(&conn->in->news, news, futex_limit_ns(conn));
    pthread_setcanceltype(type, &type);
    int error = errno;
    errno = error == EINTR ? error : saved;
    return error;
}

int net_futex_sleep(cor_conn *conn, net_limit *limit)
{
    if (!conn->net->can_sleep_on_futex || !futex_is_enough(conn))
        return 1;
    /* First: the bit that is set then may be another thread's, after a wake that came too early for this one. */
    uint32_t news = net_load(&conn->in->news);
    atomic_fetch_or_explicit(&conn->in->reader_armed, NET_ARMED_FUTEX, memory_order_relaxed);
    /* As in cor_conn_arm: the bit is set before the look. */
    atomic_thread_fence(memory_order_seq_cst);
    if (net_ring_has_bytes(conn) || !futex_is_enough(conn))
        return 0;
    NET_COUNT(conn, sleeps, 1);
    int error = futex_block(conn, news);
    if (error == EINTR)
        return -1;
    if (error != ETIMEDOUT)
        return 0;
    if (limit->begin_ns == 0)
        limit->begin_ns = cor_clock_ns() - futex_limit_ns(conn);
    return 1;
}

void net_futex_ring(cor_conn *conn, net_dir *dir)
{
    atomic_fetch_add(&dir->news, 1);
    cor_futex_wake(&dir->news, INT_MAX);
    NET_COUNT(conn, wakes, 1);
}

void net_futex_wake(cor_conn *conn, net_dir *dir)
{
    int saved = errno;
    /* What the sleepers are to see, before the look at the word: they set their bit, then looked. */
    atomic_thread_fence(memory_order_seq_cst);
    if ((atomic_load_explicit(&dir->reader_armed, memory_order_relaxed) & NET_ARMED_FUTEX) &&
        (atomic_fetch_and(&dir->reader_armed, ~(uint32_t)NET_ARMED_FUTEX) & NET_ARMED_FUTEX))
        net_futex_ring(conn, dir);
    errno = saved;
}

void cor_conn_set_receive_limit(cor_conn *conn, int has_one)
{
    net_store(&conn->local->has_limit, has_one);
}
