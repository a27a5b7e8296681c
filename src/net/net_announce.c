/* SPDX-License-Identifier: Apache-2.0 */
/* Ports whose listeners take offers. The name of one is an abstract socket: it belongs to the network namespace, as the
 * port does, and the kernel removes it with the last process that has it. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "net/net_state.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

enum { ANNOUNCE_KNOWN_NS = 100 * 1000 * 1000 }; /* a port was announced so lately: it is not asked for again */

/* 0: not of TCP, or without a port yet. */
static uint16_t announce_port(int listener)
{
    struct sockaddr_storage here;
    socklen_t length = sizeof here;
    if (getsockname(listener, (struct sockaddr *)&here, &length) != 0)
        return 0;
    if (here.ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)&here)->sin_port);
    return here.ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)&here)->sin6_port) : 0;
}

/* ---- the listener ----------------------------------------------------------------------------------------------- */

/* A socket with the name of this port, or another descriptor of one that this process has: a server may listen on
 * several addresses. -1: there is none to be had, or another process has it. */
static int announce_open(cor_net *net, uint16_t port, uid_t user)
{
    for (const net_announced *one = net->announced; one; one = one->next)
        if (one->port == port && one->user == user)
            return net_sys_fcntl(one->fd, F_DUPFD_CLOEXEC, cor_net_own_base());
    struct sockaddr_un name;
    socklen_t length = cor_net_port_name(&name, user, port);
    int low = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), fd = low < 0 ? -1 : net_move_up(low);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&name, length) == 0)
        return fd;
    if (fd < 0 || errno != EADDRINUSE)
        net_say_once(net, COR_NET_WHY_ANNOUNCE, "cannot announce port %u: %s; its connections stay on TCP", port,
                     strerror(errno));
    if (fd >= 0)
        net_sys_close(fd);
    return -1;
}

static void announce_remove(net_announced **place)
{
    net_announced *one = *place;
    *place = one->next;
    net_sys_close(one->fd);
    free(one);
}

static net_announced **announce_find(cor_net *net, int listener)
{
    net_announced **place = &net->announced;
    while (*place && (*place)->listener != listener)
        place = &(*place)->next;
    return place;
}

/* Removes those whose listener was closed by a way that was not told. */
static void announce_prune(cor_net *net)
{
    for (net_announced **place = &net->announced; *place;)
        if (announce_port((*place)->listener) != (*place)->port)
            announce_remove(place);
        else
            place = &(*place)->next;
}

static int announce_count(const cor_net *net)
{
    int count = 0;
    for (const net_announced *one = net->announced; one; one = one->next)
        count++;
    return count;
}

static void announce_add(cor_net *net, int listener, uint16_t port, uid_t user)
{
    announce_prune(net);
    int fd = announce_count(net) < net_own_most() ? announce_open(net, port, user) : -1;
    if (fd < 0)
        return;
    net_announced *one = malloc(sizeof *one);
    if (!one) {
        net_sys_close(fd);
        return;
    }
    *one = (net_announced){.next = net->announced, .listener = listener, .fd = fd, .port = port, .user = user};
    net->announced = one;
}

void cor_net_announce(cor_net *net, int listener)
{
    int saved = errno;
    uid_t user = geteuid();
    uint16_t port = cor_net_is_stopped(net) ? 0 : announce_port(listener);
    if (port != 0) {
        cor_lock_acquire(&net->lock);
        net_announced **place = announce_find(net, listener);
        if (*place && ((*place)->port != port || (*place)->user != user))
            announce_remove(place);
        if (!*announce_find(net, listener))
            announce_add(net, listener, port, user);
        cor_lock_release(&net->lock);
    }
    errno = saved;
}

int cor_net_is_announcing(cor_net *net, int listener)
{
    cor_lock_acquire(&net->lock);
    int is_found = *announce_find(net, listener) != NULL;
    cor_lock_release(&net->lock);
    return is_found;
}

void cor_net_unannounce(cor_net *net, int listener)
{
    int saved = errno;
    cor_lock_acquire(&net->lock);
    net_announced **place = announce_find(net, listener);
    int is_found = *place != NULL;
    if (is_found)
        announce_remove(place);
    cor_lock_release(&net->lock);
    if (is_found)
        cor_net_name_sweep();
    errno = saved;
}

void net_announce_end(cor_net *net)
{
    while (net->announced)
        announce_remove(&net->announced);
}

/* ---- the client ------------------------------------------------------------------------------------------------- */

int net_is_announced(cor_net *net, const struct sockaddr *to)
{
    uint16_t port = to->sa_family == AF_INET ? ((const struct sockaddr_in *)to)->sin_port
                                             : ((const struct sockaddr_in6 *)to)->sin6_port;
    struct sockaddr_un name;
    uint64_t now = cor_clock_ns();
    if (atomic_load_explicit(&net->announced_port, memory_order_relaxed) == port &&
        now - atomic_load_explicit(&net->announced_ns, memory_order_relaxed) < ANNOUNCE_KNOWN_NS)
        return 1;
    socklen_t length = cor_net_port_name(&name, geteuid(), ntohs(port));
    int saved = errno, fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int is_found = fd >= 0 && net_sys_connect(fd, (struct sockaddr *)&name, length) == 0;
    if (fd >= 0)
        net_sys_close(fd);
    else
        net_say_once(net, COR_NET_WHY_MEMORY, "no socket to look for a fast server with: %s", strerror(errno));
    errno = saved;
    if (is_found) {
        atomic_store_explicit(&net->announced_ns, now, memory_order_relaxed);
        atomic_store_explicit(&net->announced_port, port, memory_order_relaxed);
    }
    return is_found;
}
