/* SPDX-License-Identifier: Apache-2.0 */
/* poll: what the rings say, and for the rest, and for sleeping, the kernel. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/cpu.h"
#include "net/preload/sock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void __chk_fail(void);

enum { POLL_FEW = 64, POLL_SPINS_A_LOOK = 32 };

typedef struct poll_set {
    struct pollfd *fds; /* the caller's */
    nfds_t count;
    cor_conn **conns;      /* NULL: plain, or young */
    cor_conn **young;      /* NULL: not young */
    struct pollfd *kernel; /* what the kernel is asked */
    int fast_count;
    int wants_urgent; /* one of the fast: what the kernel alone knows */
    int limit_ms;     /* of a sleep, for members that are sets; -1: none */
    int is_asleep;    /* between the begin and the end of a sleep */
    sock_epoll_sleeper sleeper;
    const sigset_t *mask;
    void *memory; /* of conns and kernel, where there are many */
} poll_set;

/* ---- the set ---------------------------------------------------------------------------------------------------- */

/* The kernel does not see all of its members, or will not. A filter of system calls may know the one that the program
 * makes, and no other: then only if it must be. */
static int poll_is_fast_set(int fd)
{
    int limit_ms = -1;
    return sock_epoll_find(fd) && (!sock_is_stopped() || sock_epoll_is_ready(fd, &limit_ms) || limit_ms >= 0);
}

/* Not const: libc says that poll() only writes to its array, and the compiler that this would read it. */
static int poll_has_fast(struct pollfd *fds, nfds_t count)
{
    if (!sock_net_if_any() || sock_is_bad(fds, count * sizeof *fds))
        return 0;
    for (nfds_t i = 0; i < count; i++) {
        cor_conn *conn = sock_get(fds[i].fd);
        if (conn) {
            cor_conn_unref(conn);
            return 1;
        }
        if (poll_is_fast_set(fds[i].fd))
            return 1;
    }
    return 0;
}

/* Also where the thread is cancelled while it sleeps. */
static void poll_leave(poll_set *set)
{
    int saved = errno;
    sock_epoll_rely_no_more(&set->sleeper);
    for (nfds_t i = 0; i < set->count; i++) {
        if (set->conns[i] && set->is_asleep)
            cor_conn_sleep_end(set->conns[i], set->fds[i].fd, 0);
        if (set->conns[i])
            cor_conn_unref(set->conns[i]);
        if (set->young[i]) {
            cor_conn_leave(set->young[i]);
            cor_conn_unref(set->young[i]);
        }
    }
    free(set->memory);
    errno = saved;
}

static short poll_mask(const struct pollfd *one, unsigned ready)
{
    unsigned wanted = (unsigned)(unsigned short)one->events;
    unsigned found = ready & (wanted | POLLERR | POLLHUP | POLLNVAL);
    if ((ready & POLLIN) && (wanted & POLLRDNORM))
        found |= POLLRDNORM;
    if ((ready & POLLOUT) && (wanted & POLLWRNORM))
        found |= POLLWRNORM;
    return (short)found;
}

static unsigned poll_wanted(const struct pollfd *one)
{
    unsigned wanted = (unsigned)(unsigned short)one->events, events = 0;
    if (wanted & (POLLIN | POLLRDNORM)) /* POLLRDHUP is the kernel's: FIN goes by TCP */
        events |= POLLIN;
    if (wanted & (POLLOUT | POLLWRNORM))
        events |= POLLOUT;
    return events;
}

/* How many fast descriptors have something. */
static int poll_look(poll_set *set, int may_ask_kernel)
{
    int found = 0;
    set->limit_ms = -1;
    for (nfds_t i = 0; i < set->count; i++) {
        if (set->conns[i]) {
            unsigned ready = cor_conn_ready(set->conns[i], set->fds[i].fd, may_ask_kernel);
            ready |= (unsigned)set->kernel[i].revents & POLLPRI; /* urgent data are the kernel's */
            set->fds[i].revents = poll_mask(&set->fds[i], ready);
            /* After the end the kernel's connection may be dead, which it says to a caller that waits for nothing
             * else. */
            if (set->fds[i].revents == 0 && (ready & POLLRDHUP))
                set->fds[i].revents = (short)(set->kernel[i].revents & (POLLHUP | POLLERR));
            found += set->fds[i].revents != 0;
        } else if (set->fds[i].fd >= 0 && (set->fds[i].events & (POLLIN | POLLRDNORM)) &&
                   sock_epoll_is_ready(set->fds[i].fd, &set->limit_ms)) {
            set->fds[i].revents = poll_mask(&set->fds[i], POLLIN);
            found++;
        }
    }
    return found;
}

static int poll_spin(poll_set *set)
{
    cor_conn *first = NULL;
    for (nfds_t i = 0; i < set->count && !first; i++)
        first = set->conns[i];
    if (!first || !cor_conn_may_spin(first))
        return 0;
    uint64_t limit = cor_clock_ns() + (uint64_t)cor_net_get_config(sock_net_if_any())->spin_us * 1000;
    for (uint32_t round = 1;; round++) {
        for (nfds_t i = 0; i < set->count; i++)
            if (set->conns[i] && (poll_wanted(&set->fds[i]) & POLLIN) && cor_conn_has_bytes(set->conns[i])) {
                cor_conn_spun(first, 1);
                return 1;
            }
        cor_cpu_relax();
        if (round % POLL_SPINS_A_LOOK == 0 && cor_clock_ns() > limit)
            break;
    }
    cor_conn_spun(first, 0);
    return 0;
}

/* ---- the kernel ------------------------------------------------------------------------------------------------- */

static short poll_events(const poll_set *set, nfds_t i)
{
    return (short)(set->fds[i].events | (short)poll_wanted(&set->fds[i]));
}

/* What the kernel says of plain ones. Their number, or -1. */
static int poll_kernel(poll_set *set, int64_t timeout_ns)
{
    struct timespec limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    int rc = sock_real()->ppoll(set->kernel, set->count, timeout_ns < 0 ? NULL : &limit, set->mask);
    if (rc < 0)
        return -1;
    int found = 0;
    for (nfds_t i = 0; i < set->count; i++)
        if (!set->conns[i]) {
            set->fds[i].revents |= set->kernel[i].revents; /* beside what a set of epoll was found to have */
            found += set->fds[i].revents != 0;
        }
    return found;
}

/* Now, and take the bells. */
static int poll_kernel_now(poll_set *set)
{
    memcpy(set->kernel, set->fds, set->count * sizeof *set->fds);
    for (nfds_t i = 0; i < set->count; i++)
        if (set->conns[i])
            set->kernel[i].events = cor_conn_kernel_events(set->conns[i], poll_events(set, i));
    int rc = poll_kernel(set, 0);
    for (nfds_t i = 0; i < set->count && rc >= 0; i++)
        if (set->conns[i] && set->kernel[i].revents)
            cor_conn_take_bells(set->conns[i], set->fds[i].fd,
                                set->kernel[i].revents & (POLLRDHUP | POLLHUP | POLLERR));
    return rc;
}

/* It sleeps on these sets until it is told; or for a limited time. 0: one of them has something. */
static int poll_rely_on_sets(poll_set *set, int *limit_ms)
{
    int is_quiet = 1;
    for (nfds_t i = 0; i < set->count && *limit_ms < 0; i++) {
        int is_wanted = !set->conns[i] && (set->fds[i].events & (POLLIN | POLLRDNORM));
        sock_epoll *one = is_wanted ? sock_epoll_find(set->fds[i].fd) : NULL;
        if (!one)
            continue;
        *limit_ms = sock_epoll_rely(&set->sleeper, one);
        is_quiet &= !sock_epoll_is_ready(set->fds[i].fd, limit_ms);
    }
    if (*limit_ms >= 0)
        sock_epoll_rely_no_more(&set->sleeper);
    return is_quiet;
}

/* Asleep until something comes, unless there is something already. The number of plain ones that have something, or
 * -1. */
static int poll_sleep(poll_set *set, int64_t timeout_ns)
{
    int is_quiet = 1, limit_ms = set->limit_ms, rc = 0;
    memcpy(set->kernel, set->fds, set->count * sizeof *set->fds);
    set->is_asleep = 1;
    for (nfds_t i = 0; i < set->count; i++)
        if (set->conns[i]) {
            set->kernel[i].events = poll_events(set, i);
            is_quiet &= cor_conn_sleep_begin(set->conns[i], &set->kernel[i], &limit_ms);
        }
    is_quiet &= poll_rely_on_sets(set, &limit_ms);
    if (limit_ms >= 0 && (timeout_ns < 0 || timeout_ns > limit_ms * (int64_t)1000000))
        timeout_ns = limit_ms * (int64_t)1000000;
    if (is_quiet)
        rc = poll_kernel(set, timeout_ns);
    sock_epoll_rely_no_more(&set->sleeper);
    for (nfds_t i = 0; i < set->count; i++)
        if (set->conns[i])
            cor_conn_sleep_end(set->conns[i], set->fds[i].fd, is_quiet && rc >= 0 ? set->kernel[i].revents : 0);
    set->is_asleep = 0;
    return rc;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

static int poll_count(const poll_set *set)
{
    int found = 0;
    for (nfds_t i = 0; i < set->count; i++)
        found += set->fds[i].revents != 0;
    return found;
}

static int poll_wait(poll_set *set, int64_t timeout_ns)
{
    uint64_t begin = timeout_ns > 0 ? cor_clock_ns() : 0;
    for (int is_first = 1;; is_first = 0) {
        if (poll_look(set, !is_first) > 0) {
            /* The plain ones must not starve, and urgent data are told beside the rest. */
            if ((set->fast_count < (int)set->count || set->wants_urgent) && poll_kernel_now(set) < 0)
                return -1;
            if (set->wants_urgent)
                poll_look(set, 0);
            return poll_count(set);
        }
        int64_t left = timeout_ns;
        if (timeout_ns > 0) {
            left = timeout_ns - (int64_t)(cor_clock_ns() - begin);
            left = left < 0 ? 0 : left;
        }
        if (is_first && left != 0 && poll_spin(set))
            continue;
        if ((left == 0 ? poll_kernel_now(set) : poll_sleep(set, left)) < 0)
            return -1;
        if (poll_look(set, left == 0) > 0 || poll_count(set) > 0)
            return poll_count(set);
        if (left == 0)
            return 0;
    }
}

static int poll_fast(struct pollfd *fds, nfds_t count, int64_t timeout_ns, const sigset_t *mask)
{
    cor_conn *few_conns[2 * POLL_FEW];
    struct pollfd few_kernel[POLL_FEW];
    __attribute__((cleanup(poll_leave)))
    poll_set set = {.fds = fds, .conns = few_conns, .young = few_conns + POLL_FEW, .kernel = few_kernel, .mask = mask};
    if (count > POLL_FEW) {
        set.memory = malloc(count * (2 * sizeof *set.conns + sizeof *set.kernel));
        if (!set.memory) {
            errno = ENOMEM;
            return -1;
        }
        set.conns = set.memory;
        set.young = set.conns + count;
        set.kernel = (void *)(set.young + count);
    }
    set.count = count;
    for (nfds_t i = 0; i < count; i++) {
        fds[i].revents = set.kernel[i].revents = 0;
        set.conns[i] = sock_get(fds[i].fd);
        set.young[i] = set.conns[i] && cor_conn_enter(set.conns[i]) ? set.conns[i] : NULL;
        if (set.young[i])
            set.conns[i] = NULL;
        set.fast_count += set.conns[i] != NULL;
        set.wants_urgent |= set.conns[i] && (fds[i].events & POLLPRI);
    }
    return poll_wait(&set, timeout_ns);
}

SOCK_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    if (!poll_has_fast(fds, count))
        return sock_real()->poll(fds, count, timeout_ms);
    return poll_fast(fds, count, timeout_ms < 0 ? -1 : timeout_ms * (int64_t)1000000, NULL);
}

int sock_time_is_wrong(const struct timespec *timeout)
{
    return timeout && (sock_is_bad(timeout, sizeof *timeout) || timeout->tv_sec < 0 || timeout->tv_nsec < 0 ||
                       timeout->tv_nsec >= 1000000000);
}

int64_t sock_time_ns(const struct timespec *timeout)
{
    if (!timeout)
        return -1;
    return timeout->tv_sec > INT64_MAX / 2000000000 ? INT64_MAX / 2
                                                    : timeout->tv_sec * (int64_t)1000000000 + timeout->tv_nsec;
}

SOCK_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    if (sock_time_is_wrong(timeout) || !poll_has_fast(fds, count))
        return sock_real()->ppoll(fds, count, timeout, mask);
    return poll_fast(fds, count, sock_time_ns(timeout), mask);
}

SOCK_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t room);
SOCK_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t room)
{
    if (room / sizeof *fds < count)
        __chk_fail();
    return poll(fds, count, timeout_ms);
}

SOCK_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
                            size_t room);
SOCK_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
                            size_t room)
{
    if (room / sizeof *fds < count)
        __chk_fail();
    return ppoll(fds, count, timeout, mask);
}

int sock_poll(struct pollfd *fds, nfds_t count, int64_t timeout_ns, const sigset_t *mask, int *rc_p)
{
    if (!poll_has_fast(fds, count))
        return 0;
    *rc_p = poll_fast(fds, count, timeout_ns, mask);
    return 1;
}
