/* SPDX-License-Identifier: Apache-2.0 */
/* select, by poll where a fast descriptor is in the sets. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "net/preload/sock.h"

#include <stdlib.h>

/* Sets may be larger than FD_SETSIZE where the program says so by its limit. */
enum { SELECT_BITS = 8 * sizeof(fd_mask), SELECT_FEW = 64 };

static int select_has(const fd_set *set, int fd)
{
    const fd_mask *words = (const fd_mask *)(const void *)set;
    return set && ((unsigned long)words[fd / SELECT_BITS] >> fd % SELECT_BITS & 1);
}

static void select_clear(fd_set *set, int fd)
{
    fd_mask *words = (fd_mask *)(void *)set;
    words[fd / SELECT_BITS] &= ~(fd_mask)(1ul << fd % SELECT_BITS);
}

static int select_is_bad(int limit, const fd_set *set)
{
    return set && sock_is_bad(set, (size_t)(limit + 7) / 8);
}

/* How many descriptors are in the sets. */
static int select_count(int limit, const fd_set *in, const fd_set *out, const fd_set *other)
{
    int count = 0;
    for (int fd = 0; fd < limit; fd++)
        count += select_has(in, fd) || select_has(out, fd) || select_has(other, fd);
    return count;
}

static int select_to_poll(int limit, const fd_set *in, const fd_set *out, const fd_set *other, struct pollfd *fds)
{
    int count = 0;
    for (int fd = 0; fd < limit; fd++) {
        short events = 0;
        if (select_has(in, fd))
            events |= POLLIN;
        if (select_has(out, fd))
            events |= POLLOUT;
        if (select_has(other, fd))
            events |= POLLPRI;
        if (events)
            fds[count++] = (struct pollfd){fd, events, 0};
    }
    return count;
}

/* What the kernel leaves in a set of this descriptor; 1: it stays there. */
static int select_settle(fd_set *set, const struct pollfd *one, short asked, short reasons)
{
    if (!set || !(one->events & asked))
        return 0;
    if (one->revents & reasons)
        return 1;
    select_clear(set, one->fd);
    return 0;
}

/* As the kernel fills the sets; -1 for a descriptor that is none. */
static int select_from_poll(const struct pollfd *fds, int count, fd_set *in, fd_set *out, fd_set *other)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        if (fds[i].revents & POLLNVAL) {
            errno = EBADF;
            return -1;
        }
    for (int i = 0; i < count; i++) {
        found += select_settle(in, &fds[i], POLLIN, POLLIN | POLLHUP | POLLERR);
        found += select_settle(out, &fds[i], POLLOUT, POLLOUT | POLLERR);
        found += select_settle(other, &fds[i], POLLPRI, POLLPRI);
    }
    return found;
}

/* The kernel looks at no more descriptors than this process has had places for, whatever the limit says, and neither
 * may we read more of the sets. */
static int select_clamp(int limit)
{
    char line[128];
    int most = limit;
    FILE *status = limit > FD_SETSIZE ? fopen("/proc/self/status", "re") : NULL;
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "FDSize: %d", &most) == 1)
            break;
    if (status)
        fclose(status);
    return most < limit ? most : limit;
}

static int select_poll(int limit, fd_set *in, fd_set *out, fd_set *other, int64_t timeout_ns, const sigset_t *mask,
                       struct pollfd *fds, int *rc_p)
{
    int count = select_to_poll(limit, in, out, other, fds);
    int rc;
    if (!sock_poll(fds, (nfds_t)count, timeout_ns, mask, &rc))
        return 0;
    *rc_p = rc < 0 ? rc : select_from_poll(fds, count, in, out, other);
    return 1;
}

static void select_free(struct pollfd **fds_p)
{
    int saved = errno;
    free(*fds_p);
    errno = saved;
}

/* 1: done, *rc_p is the result; 0: no fast descriptor is in the sets. */
static int select_fast(int limit, fd_set *in, fd_set *out, fd_set *other, int64_t timeout_ns, const sigset_t *mask,
                       int *rc_p)
{
    struct pollfd few[SELECT_FEW]; /* threads and coroutines have small stacks */
    if (!sock_net_if_any() || limit <= 0 || select_is_bad(limit, in) || select_is_bad(limit, out) ||
        select_is_bad(limit, other))
        return 0;
    limit = select_clamp(limit);
    int count = select_count(limit, in, out, other);
    if (count <= SELECT_FEW)
        return select_poll(limit, in, out, other, timeout_ns, mask, few, rc_p);
    __attribute__((cleanup(select_free))) struct pollfd *fds = malloc((size_t)count * sizeof *fds);
    if (!fds) {
        errno = ENOMEM;
        *rc_p = -1;
        return 1;
    }
    return select_poll(limit, in, out, other, timeout_ns, mask, fds, rc_p);
}

/* Negative: no limit. More microseconds than a second has are no mistake. */
static int64_t select_time_ns(const struct timeval *timeout)
{
    if (!timeout)
        return -1;
    if (timeout->tv_sec > INT64_MAX / 4000000000 || timeout->tv_usec > INT64_MAX / 4000)
        return INT64_MAX / 2;
    return timeout->tv_sec * (int64_t)1000000000 + timeout->tv_usec * (int64_t)1000;
}

SOCK_EXPORT int select(int limit, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
    int rc;
    if (!sock_net_if_any() || (timeout && sock_is_bad(timeout, sizeof *timeout)))
        return sock_real()->select(limit, in, out, other, timeout);
    int64_t timeout_ns = select_time_ns(timeout);
    uint64_t begin = cor_clock_ns();
    if ((timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0)) ||
        !select_fast(limit, in, out, other, timeout_ns, NULL, &rc))
        return sock_real()->select(limit, in, out, other, timeout);
    if (timeout) {
        int64_t left = timeout_ns - (int64_t)(cor_clock_ns() - begin);
        left = left < 0 ? 0 : left;
        *timeout = (struct timeval){left / 1000000000, left % 1000000000 / 1000};
    }
    return rc;
}

SOCK_EXPORT int pselect(int limit, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout,
                        const sigset_t *mask)
{
    int rc;
    if (sock_time_is_wrong(timeout) || !select_fast(limit, in, out, other, sock_time_ns(timeout), mask, &rc))
        return sock_real()->pselect(limit, in, out, other, timeout, mask);
    return rc;
}
