/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of this library's own, beside those of the program: where they are, and how many there may be. */
#define _GNU_SOURCE
#include "net/net_state.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { OWN_BASE_MAX = 4096, OWN_SHARE = 16, OWN_MOST = 128, OWN_MAPS = 65530, OWN_STRICT = 2 };

static rlim_t own_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

int cor_net_own_base(void)
{
    rlim_t base = own_limit() / 2;
    return base < OWN_BASE_MAX ? (int)base : OWN_BASE_MAX;
}

int net_own_most(void)
{
    rlim_t most = own_limit() / OWN_SHARE;
    return most < OWN_MOST ? (int)most : OWN_MOST;
}

/* 0: it is that, or not readable. */
static long own_setting(const char *path)
{
    char text[32];
    int fd = net_sys_open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : net_sys_read(fd, text, sizeof text - 1);
    if (fd >= 0)
        net_sys_close(fd);
    text[length > 0 ? length : 0] = '\0';
    return atol(text);
}

int net_own_maps_most(void)
{
    long most = own_setting("/proc/sys/vm/max_map_count");
    return (int)((most > 0 && most < INT_MAX ? most : OWN_MAPS) / 4 * 3);
}

int net_own_memory_is_strict(void)
{
    return own_setting("/proc/sys/vm/overcommit_memory") == OWN_STRICT;
}

int net_move_up(int fd)
{
    int moved = net_sys_fcntl(fd, F_DUPFD_CLOEXEC, cor_net_own_base());
    int saved = errno;
    net_sys_close(fd);
    errno = saved;
    return moved;
}

void cor_net_make_way(cor_net *net, int fd)
{
    int saved = errno;
    cor_lock_acquire(&net->lock);
    for (net_announced *one = net->announced; one; one = one->next)
        if (one->fd == fd)
            one->fd = net_move_up(fd);
    net_offer_make_way(net, fd);
    cor_lock_release(&net->lock);
    errno = saved;
}
