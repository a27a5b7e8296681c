/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One-shots. The kernel has a fast one as it has all fast members; that it was reported is known here alone. But a set
 * that several processes have since a fork is one for the kernel, and tells of a one-shot in one of them. There the
 * kernel decides: a member that is off is not in its set, and the process that can remove it reports it.
 */
#define _GNU_SOURCE
#include "net/preload/sock_epoll.h"

#include <stdio.h>

enum { ONCE_PATH_MAX = 64, ONCE_LINE_MAX = 256 };

int sock_epoll_is_over(const sock_epoll *set, const sock_epoll_member *member)
{
    char path[ONCE_PATH_MAX], line[ONCE_LINE_MAX];
    int is_over = 0, fd;
    unsigned events;
    if (!(member->events & EPOLLONESHOT) || member->conn)
        return member->is_off;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", set->fd);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "tfd: %d events: %x", &fd, &events) == 2 && fd == member->fd)
            is_over = !(events & EPOLLHUP);
    if (file)
        fclose(file);
    return is_over;
}

int sock_epoll_claim(sock_epoll *set, const sock_epoll_member *member)
{
    int saved = errno;
    int is_mine = !atomic_load_explicit(&set->is_forked, memory_order_relaxed) ||
                  sock_real()->epoll_ctl(set->fd, EPOLL_CTL_DEL, member->fd, NULL) == 0;
    errno = saved;
    return is_mine;
}

void sock_epoll_claim_off(sock_epoll *set, const sock_epoll_member *member)
{
    if (member && member->conn && member->is_off)
        sock_epoll_claim(set, member);
}

int sock_epoll_kernel_modify(sock_epoll *set, int fd, struct epoll_event *event)
{
    int rc = sock_real()->epoll_ctl(set->fd, EPOLL_CTL_MOD, fd, event);
    return rc != 0 && errno == ENOENT && atomic_load(&set->is_forked)
               ? sock_real()->epoll_ctl(set->fd, EPOLL_CTL_ADD, fd, event)
               : rc;
}
