/* SPDX-License-Identifier: Apache-2.0 */
/* A connection's youth, while it is TCP alone, and its end: see net.h. */
#define _GNU_SOURCE
#include "net/net_state.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

enum {
    YOUNG_BYTES_A_TURN = 16 << 10,
    YOUNG_LATE_TURNS = 64,
    YOUNG_LATE = 1024, /* in bytes, more than the kernel's buffers have */
    YOUNG_YIELDS = 32, /* then a thread that waits for a move sleeps: the one that moves may have a lower priority */
    YOUNG_ESTABLISHED = 1, /* states of TCP as in netinet/tcp.h, which knows fewer counts */
    YOUNG_CLOSE_WAIT = 8,
    YOUNG_AGREE_LOOKS = 16, /* bytes may come between two questions to the kernel */
};

/* cor_conn.gate: how many calls are inside, and these. */
#define YOUNG_MOVING 0x80000000u /* a thread moves the connection: no call enters */
#define YOUNG_NEVER 0x40000000u  /* nor will any */

/* ---- the gate --------------------------------------------------------------------------------------------------- */

/* Another thread moves the connection. */
static void young_wait(int round)
{
    int saved = errno;
    if (round < YOUNG_YIELDS)
        sched_yield();
    else
        net_sys_poll(NULL, 0, 1);
    errno = saved;
}

int cor_conn_enter(cor_conn *conn)
{
    for (int round = 0; net_is_young(conn); round++) {
        /* acq_rel: the connection has not moved before this, or the gate tells; and a mover sees this call. */
        if (!(atomic_fetch_add_explicit(&conn->gate, 1, memory_order_acq_rel) & YOUNG_MOVING) && net_is_young(conn))
            return 1;
        cor_conn_leave(conn);
        young_wait(round);
    }
    return 0;
}

void cor_conn_leave(cor_conn *conn)
{
    /* release: the thread that moves the connection sees what the call has counted. */
    atomic_fetch_sub_explicit(&conn->gate, 1, memory_order_release);
}

/* 1: no call enters from now on. */
static int young_close_gate(cor_conn *conn)
{
    uint32_t none = 0;
    /* acquire: what the last call counted. seq_cst: then the descriptor is looked at; a close takes it away, then looks
     * at the gate. One of them sees the other. */
    return atomic_compare_exchange_strong(&conn->gate, &none, YOUNG_MOVING);
}

static void young_open_gate(cor_conn *conn)
{
    /* release: a call that enters sees whether it has moved. Calls that were turned away may be counted at this
     * moment. */
    atomic_fetch_and_explicit(&conn->gate, ~YOUNG_MOVING, memory_order_release);
}

int cor_conn_keep_young(cor_conn *conn)
{
    for (int round = 0; net_is_young(conn); round++) {
        if (net_load(&conn->local->is_plain))
            return 1;
        uint32_t gate = atomic_load_explicit(&conn->gate, memory_order_relaxed);
        if (!(gate & YOUNG_MOVING) &&
            atomic_compare_exchange_weak_explicit(&conn->gate, &gate, gate | YOUNG_NEVER, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
            net_store(&conn->local->is_plain, 1);
            NET_COUNT(conn, plain, 1);
            return 1;
        }
        young_wait(round);
    }
    return 0;
}

void net_young_settle(cor_conn *conn)
{
    for (int round = 0; atomic_load(&conn->gate) & YOUNG_MOVING; round++)
        young_wait(round);
}

void net_young_forked(cor_conn *conn)
{
    /* Calls stay counted: one may be this thread's, which a handler has interrupted to fork. */
    atomic_fetch_and_explicit(&conn->gate, ~YOUNG_MOVING, memory_order_relaxed);
}

/* ---- counting --------------------------------------------------------------------------------------------------- */

void cor_conn_count(cor_conn *conn, ssize_t bytes, int is_write)
{
    net_local *local = conn->local;
    if (bytes <= 0)
        return;
    if (is_write) {
        atomic_fetch_add_explicit(&local->tcp_sent, (uint64_t)bytes, memory_order_relaxed);
        atomic_store_explicit(&local->has_written, 1, memory_order_relaxed);
        NET_COUNT(conn, tcp_out, (uint64_t)bytes);
    } else {
        atomic_fetch_add_explicit(&local->tcp_taken, (uint64_t)bytes, memory_order_relaxed);
        if (atomic_load_explicit(&local->has_written, memory_order_relaxed)) {
            atomic_store_explicit(&local->has_written, 0, memory_order_relaxed);
            atomic_fetch_add_explicit(&local->turns, 1, memory_order_relaxed);
        }
        NET_COUNT(conn, tcp_in, (uint64_t)bytes);
    }
}

/* Turns so far; bytes count as some, too. */
static uint64_t young_age(const cor_conn *conn)
{
    const net_local *local = conn->local;
    return atomic_load_explicit(&local->turns, memory_order_relaxed) +
           (atomic_load_explicit(&local->tcp_sent, memory_order_relaxed) +
            atomic_load_explicit(&local->tcp_taken, memory_order_relaxed)) /
               YOUNG_BYTES_A_TURN;
}

static int young_is_due(const cor_conn *conn)
{
    return young_age(conn) >= atomic_load_explicit(&conn->due, memory_order_relaxed);
}

void net_young_give_up_late(cor_conn *conn)
{
    uint32_t expected = NET_OFFERED;
    uint64_t begin = 4 * atomic_load_explicit(&conn->due, memory_order_relaxed);
    int is_late = young_age(conn) > begin + YOUNG_LATE ||
                  atomic_load_explicit(&conn->local->turns, memory_order_relaxed) > begin + YOUNG_LATE_TURNS;
    if (is_late && conn->side == NET_CLIENT && !net_load(&conn->local->is_plain) &&
        atomic_compare_exchange_strong(&conn->segment->state, &expected, NET_WITHDRAWN)) {
        cor_net_note(conn->net, COR_NET_WHY_PEER);
        net_stay_plain(conn);
    }
}

/* 1: the kernel has had the same bytes in both directions; older ones do not tell. 0: it has not. -1: it cannot be told
 * now, because bytes stream in, or the connection is not established yet. -2: the peer has ended its half. */
static int young_agrees(cor_conn *conn, int fd)
{
    const net_local *local = conn->local;
    struct tcp_info info = {0};
    int before = 0, after = -1;
    for (int i = 0; i < YOUNG_AGREE_LOOKS && before != after; i++) {
        socklen_t length = sizeof info;
        if (net_sys_ioctl(fd, SIOCINQ, &before) != 0 ||
            net_sys_getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
            return 0;
        /* An acceptor takes what a client that has gone left behind. */
        if (info.tcpi_state != YOUNG_ESTABLISHED && (conn->side == NET_CLIENT || info.tcpi_state != YOUNG_CLOSE_WAIT))
            return info.tcpi_state == YOUNG_CLOSE_WAIT ? -2 : -1;
        if (length < offsetof(struct tcp_info, tcpi_bytes_retrans) + sizeof info.tcpi_bytes_retrans)
            return 1;
        if (net_sys_ioctl(fd, SIOCINQ, &after) != 0)
            return 0;
    }
    if (before != after)
        return -1;
    uint64_t sent = info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes;
    uint64_t taken = atomic_load_explicit(&local->tcp_taken, memory_order_relaxed);
    uint64_t received = info.tcpi_bytes_received - (info.tcpi_state == YOUNG_CLOSE_WAIT); /* the end counts as one */
    return sent == atomic_load_explicit(&local->tcp_sent, memory_order_relaxed) && received == taken + (uint64_t)after;
}

/* ---- moving ----------------------------------------------------------------------------------------------------- */

void net_young_later(cor_conn *conn)
{
    uint64_t age = young_age(conn);
    atomic_store_explicit(&conn->due, age + age / 4 + (age > 0), memory_order_relaxed);
    atomic_store_explicit(&conn->has_looked, 1, memory_order_relaxed);
}

static int young_has_limit(int fd)
{
    struct timeval time = {0};
    socklen_t length = sizeof time;
    return net_sys_getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, &length) == 0 && (time.tv_sec || time.tv_usec);
}

void net_young_learn(cor_conn *conn, int fd)
{
    int is_blocking = -1, has_limit = -1;
    /* Another thread may change them at this moment, and tell of it before this one. */
    for (int now; (now = !(net_sys_fcntl(fd, F_GETFL, 0) & O_NONBLOCK)) != is_blocking; is_blocking = now)
        cor_conn_set_blocking(conn, now);
    for (int now; (now = young_has_limit(fd)) != has_limit; has_limit = now)
        cor_conn_set_receive_limit(conn, now);
}

static void young_stay_for(cor_conn *conn, cor_net_why why)
{
    net_store(&conn->local->is_plain, 1);
    net_count_plain(conn->net, why);
}

int net_young_grown(cor_conn *conn, int fd, cor_net_segment *segment)
{
    if (conn->net->on_move && !conn->net->on_move(conn, fd, 1))
        return 0;
    cor_lock_acquire(&conn->net->lock);
    int is_alone = net_load(&conn->local->users) == 1;
    if (is_alone)
        net_conn_map(conn, segment);
    cor_lock_release(&conn->net->lock);
    return is_alone;
}

/* Under the closed gate. */
static void young_move(cor_conn *conn, int fd)
{
    cor_net *net = conn->net;
    if (cor_net_is_stopped(net)) {
        young_stay_for(conn, COR_NET_WHY_STOPPED);
    } else if (!net_has_maps(net)) {
        young_stay_for(conn, COR_NET_WHY_MEMORY);
    } else if (!cor_net_has_usual_options(fd)) {
        young_stay_for(conn, COR_NET_WHY_OPTION);
    } else {
        int agrees = young_agrees(conn, fd);
        cor_net_why why = agrees == -2               ? COR_NET_WHY_PEER
                          : agrees < 0               ? COR_NET_WHYS
                          : agrees == 0              ? COR_NET_WHY_UNSEEN
                          : conn->side == NET_CLIENT ? net_offer(conn, fd)
                                                     : net_find(conn, fd);
        if (why != COR_NET_WHYS)
            young_stay_for(conn, why);
    }
}

/* Without signals, and not to be cancelled: a handler that made a call on the connection would wait for the thread that
 * it has interrupted. */
static void young_move_alone(cor_conn *conn, int fd)
{
    sigset_t all, before;
    int state;
    sigfillset(&all);
    sigdelset(&all, SIGXFSZ); /* of our own making, and dealt with where it comes */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (young_close_gate(conn)) {
        if (net_is_young(conn)) /* another thread may have moved it since */
            young_move(conn, fd);
        young_open_gate(conn);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_setcancelstate(state, &state);
}

void cor_conn_look_due(cor_conn *conn, int fd)
{
    int saved = errno;
    cor_net_move_fn on_move = conn->net->on_move;
    if (!net_is_young(conn) || !young_is_due(conn) || net_load(&conn->local->is_plain) ||
        atomic_load_explicit(&conn->gate, memory_order_relaxed) != 0) /* another time */
        return;
    /* Copies that a fork has made are left alone; the last of them may move. */
    if (net_load(&conn->local->users) == 1 && (!on_move || on_move(conn, fd, 0)))
        young_move_alone(conn, fd);
    errno = saved;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static void young_cancelled(void *conn)
{
    cor_conn_leave(conn);
}

/* A thread that is cancelled ends here, as in any recv and send. */
static ssize_t young_call(cor_conn *conn, int fd, struct msghdr *message, int flags, int is_write)
{
    int type;
    ssize_t done;
    pthread_cleanup_push(young_cancelled, conn);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    done = is_write ? net_sys_sendmsg(fd, message, flags) : net_sys_recvmsg(fd, message, flags);
    pthread_setcanceltype(type, &type);
    pthread_cleanup_pop(0);
    return done;
}

int net_young_call(cor_conn *conn, int fd, const struct iovec *parts, int count, int flags, int is_write,
                   ssize_t *done_p)
{
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
    cor_conn_look_due(conn, fd);
    if (!cor_conn_enter(conn))
        return 0;
    *done_p = young_call(conn, fd, &message, flags, is_write);
    if (is_write || !(flags & MSG_PEEK))
        cor_conn_count(conn, *done_p, is_write);
    cor_conn_leave(conn);
    return 1;
}
