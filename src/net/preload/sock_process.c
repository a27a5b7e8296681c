/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/lock.h"
#include "net/preload/sock.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { SOCK_CHUNKS = 1024, SOCK_CHUNK = 1024 };

typedef _Atomic(cor_conn *) sock_entry;

static struct {
    _Atomic int has_reals, has_lates;
    sock_reals reals;
    sock_lates lates;
    cor_net_log log; /* as it was at the begin */
    cor_lock lock;
    _Atomic int is_tried;
    _Atomic int is_stopped;
    _Atomic int pid; /* of the process that this memory belongs to */
    _Atomic(cor_net *) net;
    _Atomic int stats_fd; /* 0: none */
    _Atomic int own_base; /* the library's own descriptors are not below this */
    _Atomic(sock_entry *) chunks[SOCK_CHUNKS];
    _Atomic uint64_t listeners[SOCK_CHUNKS * SOCK_CHUNK / 64]; /* a bit for each that was announced */
} sock_process;

/* ---- libc ------------------------------------------------------------------------------------------------------- */

#define SOCK_FIND(table, name)                                                                                        \
    {                                                                                                                 \
        void *found = dlsym(RTLD_NEXT, #name);                                                                        \
        memcpy(&sock_process.table.name, &found, sizeof found);                                                       \
    }
#define SOCK_REAL_FIND(result, name, parameters) SOCK_FIND(reals, name)
#define SOCK_LATE_FIND(result, name, parameters) SOCK_FIND(lates, name)

/* Two threads that do this at once store the same. */
const sock_reals *sock_real(void)
{
    if (COR_LIKELY(atomic_load_explicit(&sock_process.has_reals, memory_order_acquire)))
        return &sock_process.reals;
    SOCK_REAL_LIST(SOCK_REAL_FIND)
    atomic_store_explicit(&sock_process.has_reals, 1, memory_order_release);
    return &sock_process.reals;
}

const sock_lates *sock_late(void)
{
    if (COR_LIKELY(atomic_load_explicit(&sock_process.has_lates, memory_order_acquire)))
        return &sock_process.lates;
    SOCK_LATE_LIST(SOCK_LATE_FIND)
    atomic_store_explicit(&sock_process.has_lates, 1, memory_order_release);
    return &sock_process.lates;
}

/* ---- the process's fast sockets --------------------------------------------------------------------------------- */

static void sock_publish(cor_net *net)
{
    int fd = cor_net_publish(net);
    if (fd > 0)
        atomic_store(&sock_process.stats_fd, fd);
}

/* The last fork of this thread. */
static _Thread_local uint64_t sock_fork_number __attribute__((tls_model("initial-exec")));

void sock_before_fork(void)
{
    cor_lock_acquire(&sock_process.lock);
    sock_epoll_before_fork();
    cor_net *net = sock_net_if_any();
    sock_fork_number = net ? cor_net_before_fork(net) : 0;
}

void sock_fork_failed(void)
{
    cor_net *net = sock_net_if_any();
    int saved = errno;
    if (net && sock_fork_number != 0)
        cor_net_fork_failed(net, sock_fork_number);
    errno = saved;
}

void sock_after_fork(int is_child)
{
    cor_net *net = sock_net_if_any();
    if (net)
        cor_net_after_fork(net, is_child);
    sock_epoll_after_fork();
    if (is_child) {
        int fd = atomic_exchange(&sock_process.stats_fd, 0);
        atomic_store(&sock_process.pid, getpid());
        if (fd > 0)
            net_sys_close(fd);
        /* A filter may forbid it to a process that has stopped. */
        if (net && fd > 0 && !cor_net_is_stopped(net))
            sock_publish(net);
    }
    cor_lock_release(&sock_process.lock);
}

static void sock_after_fork_parent(void)
{
    sock_after_fork(0);
}

static void sock_after_fork_child(void)
{
    sock_after_fork(1);
}

static void sock_create(void)
{
    cor_net *net = NULL;
    cor_fault fault = {0};
    if (cor_net_create(&net, NULL, &fault) != COR_OK) {
        cor_net_log_write(&sock_process.log, COR_LOG_ERROR, " are off: %s", fault.text);
        return;
    }
    cor_net_set_log(net, &sock_process.log);
    if (dlsym(RTLD_DEFAULT, "io_uring_queue_init"))
        cor_net_stop(net, "the program uses io_uring");
    cor_net_on_move(net, sock_before_move);
    atomic_store(&sock_process.own_base, cor_net_own_base());
    sock_publish(net);
    atomic_store_explicit(&sock_process.net, net, memory_order_release);
}

cor_net *sock_net_if_any(void)
{
    return atomic_load_explicit(&sock_process.net, memory_order_acquire);
}

cor_net *sock_net(void)
{
    if (!atomic_load_explicit(&sock_process.is_tried, memory_order_acquire)) {
        int saved = errno;
        cor_lock_acquire(&sock_process.lock);
        if (!atomic_load_explicit(&sock_process.is_tried, memory_order_relaxed)) {
            sock_create();
            atomic_store_explicit(&sock_process.is_tried, 1, memory_order_release);
        }
        cor_lock_release(&sock_process.lock);
        errno = saved;
    }
    return sock_net_if_any();
}

__attribute__((constructor)) static void sock_begin(void)
{
    sock_process.log = cor_net_log_begin(COR_LOG_ERROR);
    sock_real();
    sock_late(); /* not in a child of vfork, nor in a signal's handler */
    atomic_store(&sock_process.pid, getpid());
    pthread_atfork(sock_before_fork, sock_after_fork_parent, sock_after_fork_child);
}

static void sock_close_offer(int fd, cor_conn *conn, void *context)
{
    /* Links that no acceptor took; what has switched is left to the kernel, which closes the descriptor. */
    (void)context;
    cor_conn_abandon(conn);
    cor_conn_flush(conn, fd, 1);
}

__attribute__((destructor)) static void sock_end(void)
{
    sock_each(0, SOCK_CHUNKS * SOCK_CHUNK - 1, sock_close_offer, NULL);
}

/* ---- descriptors ------------------------------------------------------------------------------------------------ */

static sock_entry *sock_find(int fd)
{
    if (COR_UNLIKELY((unsigned)fd >= SOCK_CHUNKS * SOCK_CHUNK))
        return NULL;
    sock_entry *chunk = atomic_load_explicit(&sock_process.chunks[fd / SOCK_CHUNK], memory_order_acquire);
    return chunk ? &chunk[fd % SOCK_CHUNK] : NULL;
}

static sock_entry *sock_find_or_make(int fd)
{
    sock_entry *entry = sock_find(fd);
    if (entry || (unsigned)fd >= SOCK_CHUNKS * SOCK_CHUNK)
        return entry;
    void *memory =
        mmap(NULL, SOCK_CHUNK * sizeof(sock_entry), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    sock_entry *none = NULL;
    if (!atomic_compare_exchange_strong(&sock_process.chunks[fd / SOCK_CHUNK], &none, memory))
        munmap(memory, SOCK_CHUNK * sizeof(sock_entry));
    return sock_find(fd);
}

/* The connection turned out to be plain: the descriptor needs nothing of us any more. */
static void sock_drop_plain(int fd, sock_entry *entry, cor_conn *conn)
{
    cor_conn *expected = conn;
    sock_epoll_downgrade(fd);
    if (atomic_compare_exchange_strong(entry, &expected, NULL)) {
        cor_conn_hold(conn, 0);
        cor_conn_unref(conn);
    }
}

void sock_drop_if_plain(int fd, cor_conn *conn)
{
    sock_entry *entry = sock_find(fd);
    /* After a stop a filter may forbid what a close of a connection needs. */
    int is_needed = cor_conn_is_busy(conn) && !cor_net_is_stopped(sock_net_if_any());
    if (entry && cor_conn_is_plain(conn) && !sock_is_borrowed() && !is_needed)
        sock_drop_plain(fd, entry, conn);
}

cor_conn *sock_get(int fd)
{
    sock_entry *entry = sock_find(fd);
    if (!entry)
        return NULL;
    for (;;) {
        cor_conn *conn = atomic_load_explicit(entry, memory_order_acquire);
        if (COR_LIKELY(!conn))
            return NULL;
        if (!cor_conn_ref(conn))
            continue;
        /* seq_cst: after the reference; a close takes the entry away, then looks for references of calls. */
        if (COR_UNLIKELY(atomic_load(entry) != conn)) {
            cor_conn_unref(conn);
            continue;
        }
        if (COR_LIKELY(!cor_conn_is_plain(conn)))
            return conn;
        sock_drop_if_plain(fd, conn);
        cor_conn_unref(conn);
        return NULL;
    }
}

void sock_set(int fd, cor_conn *conn)
{
    sock_entry *entry = sock_find_or_make(fd);
    cor_conn *old = conn;
    cor_conn_hold(conn, 1);
    if (entry)
        old = atomic_exchange(entry, conn);
    if (old) {
        cor_conn_hold(old, 0);
        cor_conn_unref(old);
    }
}

cor_conn *sock_forget(int fd)
{
    sock_entry *entry = sock_find(fd);
    int is_fast = entry && atomic_load_explicit(entry, memory_order_relaxed);
    if ((!is_fast && !sock_epoll_knows(fd)) || sock_is_borrowed())
        return NULL;
    cor_conn *conn = is_fast ? atomic_exchange(entry, NULL) : NULL;
    if (conn)
        cor_conn_hold(conn, 0);
    sock_epoll_forget(fd);
    return conn;
}

int sock_is_listener(int fd)
{
    if ((unsigned)fd >= SOCK_CHUNKS * SOCK_CHUNK)
        return fd >= 0;
    return (int)(atomic_load_explicit(&sock_process.listeners[fd / 64], memory_order_relaxed) >> fd % 64 & 1);
}

void sock_note_listener(int fd, int is_one)
{
    uint64_t bit = UINT64_C(1) << (unsigned)fd % 64;
    if ((unsigned)fd >= SOCK_CHUNKS * SOCK_CHUNK || sock_is_listener(fd) == is_one)
        return;
    if (is_one)
        atomic_fetch_or_explicit(&sock_process.listeners[fd / 64], bit, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(&sock_process.listeners[fd / 64], ~bit, memory_order_relaxed);
}

void sock_each(int first, int last, void (*each)(int fd, cor_conn *conn, void *context), void *context)
{
    int limit = SOCK_CHUNKS * SOCK_CHUNK;
    for (int fd = first; fd < limit && fd <= last; fd++) {
        if (!atomic_load_explicit(&sock_process.chunks[fd / SOCK_CHUNK], memory_order_relaxed)) {
            fd |= SOCK_CHUNK - 1;
            continue;
        }
        cor_conn *conn = sock_get(fd);
        if (conn) {
            each(fd, conn, context);
            cor_conn_unref(conn);
        }
    }
}

static void sock_stop_one(int fd, cor_conn *conn, void *context)
{
    (void)context;
    sock_withdraw_found(conn, fd, COR_NET_WHY_STOPPED, "the program goes on without", COR_NET_PATIENCE_MS);
    sock_drop_if_plain(fd, conn); /* while that is allowed */
}

void sock_stop(const char *reason)
{
    int saved = errno;
    cor_net *net = sock_net(); /* later a filter may forbid what creates it */
    if (net)
        cor_net_stop(net, reason);
    sock_each(0, SOCK_CHUNKS * SOCK_CHUNK - 1, sock_stop_one, NULL);
    atomic_store(&sock_process.is_stopped, 1);
    errno = saved;
}

int sock_is_stopped(void)
{
    return atomic_load_explicit(&sock_process.is_stopped, memory_order_relaxed);
}

int sock_is_borrowed(void)
{
    /* Nothing is noted that matters after a stop, and a filter may forbid to ask. */
    return !atomic_load(&sock_process.is_stopped) && atomic_load(&sock_process.pid) != getpid();
}

static void sock_withdraw_by(cor_conn *conn, int by, int fd, cor_net_why why, const char *before, int patience_ms)
{
    cor_net_note(sock_net_if_any(), why);
    if (cor_conn_withdraw(conn, by, patience_ms) != -1) /* else it is told already, or all is well */
        return;
    cor_net_log_write(
        cor_net_get_log(sock_net_if_any()), COR_LOG_ERROR,
        ": descriptor %d could not return to TCP before %s, because its peer does not answer, or does not "
        "read",
        fd, before);
}

void sock_withdraw(cor_conn *conn, int fd, cor_net_why why, const char *before)
{
    sock_withdraw_by(conn, fd, fd, why, before, COR_NET_PATIENCE_MS);
}

int sock_make_plain(int fd, cor_net_why why, const char *before)
{
    cor_conn *conn = sock_get(fd);
    if (!conn)
        return 1;
    sock_withdraw(conn, fd, why, before);
    int is_plain = cor_conn_is_plain(conn);
    cor_conn_unref(conn);
    return is_plain;
}

void sock_withdraw_found(cor_conn *conn, int fd, cor_net_why why, const char *before, int patience_ms)
{
    /* A copy of our own, since the number may be another connection's soon. A close forgets the connection first, so
     * the copy is of the right socket if the connection is known after it. */
    int copy = net_sys_fcntl(fd, F_DUPFD_CLOEXEC, cor_net_own_base());
    cor_conn *still = sock_get(fd);
    if (still == conn)
        sock_withdraw_by(conn, copy < 0 ? fd : copy, fd, why, before, patience_ms);
    if (still)
        cor_conn_unref(still);
    if (copy >= 0)
        net_sys_close(copy);
}

int sock_next_own(int from)
{
    cor_net *net = sock_net_if_any();
    if (!net)
        return -1;
    int stats = atomic_load(&sock_process.stats_fd), offer = cor_net_next_own(net, from);
    if (stats > 0 && stats >= from && (offer < 0 || stats < offer))
        return stats;
    return offer;
}

int sock_is_own(int fd)
{
    /* The limit of descriptors, and with it the base, may have been lowered since, but not below the first one's
     * half. */
    return sock_net_if_any() && fd >= atomic_load(&sock_process.own_base) / 2 && sock_next_own(fd) == fd;
}

void sock_make_way(int fd)
{
    int stats = fd;
    if (!sock_is_own(fd) || sock_is_borrowed())
        return;
    int moved = net_sys_fcntl(fd, F_DUPFD_CLOEXEC, cor_net_own_base());
    if (moved < 0 || !atomic_compare_exchange_strong(&sock_process.stats_fd, &stats, moved)) {
        if (moved >= 0)
            net_sys_close(moved);
        cor_net_make_way(sock_net_if_any(), fd);
    }
}
