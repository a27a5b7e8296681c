/* SPDX-License-Identifier: Apache-2.0 */
/* How descriptors become connections and cease to be: connect, accept, close, dup; and what is set on them. */
#define _GNU_SOURCE
#include "net/preload/sock.h"

#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <string.h>

/* ---- connect and accept ----------------------------------------------------------------------------------------- */

static int life_is_ip(const struct sockaddr *address, socklen_t length)
{
    return address && length >= sizeof(sa_family_t) &&
           (address->sa_family == AF_INET || address->sa_family == AF_INET6);
}

/* The connection that the descriptor had is no more. */
static void life_disconnected(cor_conn *conn, int fd)
{
    cor_conn_disconnected(conn);
    sock_drop_if_plain(fd, conn);
}

/* With AF_UNSPEC: the peer gets a reset, and the socket may be connected again. */
static int life_dissolve(int fd, const struct sockaddr *address, socklen_t length)
{
    cor_conn *conn = sock_get(fd);
    if (conn)
        cor_conn_closing(conn, fd, 1);
    int rc = sock_real()->connect(fd, address, length);
    if (conn && rc == 0)
        life_disconnected(conn, fd);
    if (conn)
        cor_conn_unref(conn);
    return rc;
}

int sock_before_move(cor_conn *conn, int fd, int is_sure)
{
    if (!is_sure) {
        sock_look_for_uring(sock_net_if_any());
        return 1;
    }
    cor_conn *still = sock_get(fd); /* another thread may have closed the descriptor */
    int may_move = still == conn && !cor_net_is_stopped(sock_net_if_any());
    if (still)
        cor_conn_unref(still);
    if (may_move) {
        cor_conn_set_tagged(conn);
        may_move = sock_epoll_upgrade(fd, conn);
    }
    return may_move;
}

SOCK_EXPORT int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    if (sock_is_bad(address, length) || length < sizeof address->sa_family)
        return sock_real()->connect(fd, address, length);
    if (address->sa_family == AF_UNSPEC)
        return life_dissolve(fd, address, length);
    /* Streams of libc are on the standard descriptors. Before the call: a server may close its listening socket when it
     * has accepted. */
    int saved = errno;
    cor_net *net = life_is_ip(address, length) && fd > STDERR_FILENO && !sock_is_stopped() ? sock_net() : NULL;
    cor_conn *conn = net ? cor_conn_connecting(net, address, length) : NULL;
    errno = saved;
    int rc = sock_real()->connect(fd, address, length);
    if (rc != 0 && errno != EINPROGRESS && errno != EINTR) {
        saved = errno;
        if (conn)
            cor_conn_unref(conn);
        errno = saved;
        return rc;
    }
    saved = errno;
    cor_conn *old = sock_get(fd);
    if (old) { /* of an attempt that did not block, and failed */
        life_disconnected(old, fd);
        cor_conn_unref(old);
    }
    if (conn)
        sock_set(fd, conn);
    errno = saved;
    return rc;
}

static int life_is_ip_socket(int fd)
{
    struct sockaddr_storage here;
    socklen_t length = sizeof here;
    int saved = errno;
    int is_ip =
        getsockname(fd, (struct sockaddr *)&here, &length) == 0 && life_is_ip((struct sockaddr *)&here, length);
    errno = saved;
    return is_ip;
}

/* Before the kernel listens, if the port is known by then, so that no client comes too early. */
SOCK_EXPORT int listen(int fd, int backlog)
{
    cor_net *net = !sock_is_stopped() && life_is_ip_socket(fd) ? sock_net() : NULL;
    if (net)
        cor_net_announce(net, fd);
    int rc = sock_real()->listen(fd, backlog);
    if (net && rc == 0)
        cor_net_announce(net, fd);
    else if (net)
        cor_net_unannounce(net, fd);
    if (net)
        sock_note_listener(fd, rc == 0);
    return rc;
}

static int life_accepted(int listener, int fd)
{
    if (fd < 0)
        return fd;
    int saved = errno;
    cor_conn *old = sock_forget(fd); /* closed by a way that we do not see */
    if (old)
        cor_conn_unref(old);
    cor_net *net = !sock_is_stopped() && life_is_ip_socket(fd) ? sock_net() : NULL;
    if (net) {
        cor_net_announce(net, listener);
        sock_note_listener(listener, 1);
        cor_conn *conn = fd > STDERR_FILENO ? cor_conn_accepted(net) : NULL; /* as in connect() */
        if (conn)
            sock_set(fd, conn);
    }
    errno = saved;
    return fd;
}

SOCK_EXPORT int accept(int fd, struct sockaddr *address, socklen_t *length_p)
{
    return life_accepted(fd, sock_real()->accept(fd, address, length_p));
}

SOCK_EXPORT int accept4(int fd, struct sockaddr *address, socklen_t *length_p, int flags)
{
    return life_accepted(fd, sock_real()->accept4(fd, address, length_p, flags));
}

/* ---- close ------------------------------------------------------------------------------------------------------ */

static void life_leave(int fd)
{
    cor_conn *conn = sock_forget(fd);
    cor_net *net = conn || !sock_is_listener(fd) ? NULL : sock_net_if_any();
    if (net && !sock_is_borrowed()) {
        cor_net_unannounce(net, fd);
        sock_note_listener(fd, 0);
    }
    if (!conn)
        return;
    struct linger linger = {0};
    socklen_t length = sizeof linger;
    int saved = errno;
    net_sys_getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &length);
    cor_conn_closing(conn, fd, linger.l_onoff && linger.l_linger == 0);
    cor_conn_unref(conn);
    errno = saved;
}

SOCK_EXPORT int close(int fd)
{
    if (sock_is_own(fd)) {
        errno = EBADF;
        return -1;
    }
    life_leave(fd);
    return sock_real()->close(fd);
}

static void life_leave_each(int fd, cor_conn *conn, void *context)
{
    (void)conn;
    (void)context;
    life_leave(fd);
}

enum { LIFE_RANGE_CLOEXEC = 1 << 2 };

SOCK_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    if (!sock_late()->close_range) {
        errno = ENOSYS;
        return -1;
    }
    if ((flags & LIFE_RANGE_CLOEXEC) || first > INT_MAX)
        return sock_late()->close_range(first, last, flags);
    int last_fd = last > INT_MAX ? INT_MAX : (int)last;
    sock_each((int)first, last_fd, life_leave_each, NULL);
    if (!sock_is_borrowed())
        sock_epoll_forget_range((int)first, last_fd);
    /* All but our own. */
    unsigned at = first;
    for (int own = sock_next_own((int)at); own >= 0 && (unsigned)own <= last; own = sock_next_own((int)at)) {
        if ((unsigned)own > at)
            sock_late()->close_range(at, (unsigned)own - 1, flags);
        at = (unsigned)own + 1;
    }
    return at <= last ? sock_late()->close_range(at, last, flags) : 0;
}

SOCK_EXPORT void closefrom(int first)
{
    close_range((unsigned)(first < 0 ? 0 : first), UINT_MAX, 0);
}

/* ---- dup -------------------------------------------------------------------------------------------------------- */

/* `to` is a second descriptor of the connection of `from`. Streams on 0 to 2 are libc's own, which we do not see; and
 * after vfork the descriptor is for another image. */
static int life_copied(int from, int to)
{
    if (to < 0 || from == to)
        return to;
    int saved = errno;
    cor_conn *old = sock_forget(to), *conn = sock_get(from);
    if (old)
        cor_conn_unref(old);
    int is_borrowed = (conn || sock_epoll_knows(from)) && sock_is_borrowed();
    if (conn && (to <= 2 || is_borrowed)) {
        sock_withdraw(conn, from, is_borrowed ? COR_NET_WHY_IMAGE : COR_NET_WHY_STANDARD,
                      is_borrowed ? "exec" : "it became a standard stream");
        if (is_borrowed || cor_conn_is_plain(conn)) {
            cor_conn_unref(conn);
            conn = NULL;
        }
    }
    if (conn) {
        cor_conn_set_tagged(conn);
        sock_epoll_upgrade(from, conn);
        sock_set(to, conn);
    } else if (!is_borrowed) {
        sock_epoll_share(from, to);
    }
    errno = saved;
    return to;
}

SOCK_EXPORT int dup(int fd)
{
    return life_copied(fd, sock_real()->dup(fd));
}

/* `to` will be another file. A call that cannot succeed changes nothing. */
static void life_make_way(int from, int to)
{
    cor_conn *conn = from == to ? NULL : sock_get(to);
    if (from == to || (!conn && !sock_is_own(to)))
        return;
    int is_fast = conn != NULL;
    if (conn)
        cor_conn_unref(conn);
    if (net_sys_fcntl(from, F_GETFD, 0) < 0)
        return;
    sock_make_way(to);
    if (is_fast)
        life_leave(to);
}

SOCK_EXPORT int dup2(int from, int to)
{
    life_make_way(from, to);
    return life_copied(from, sock_real()->dup2(from, to));
}

SOCK_EXPORT int dup3(int from, int to, int flags)
{
    if ((flags & ~O_CLOEXEC) == 0)
        life_make_way(from, to);
    return life_copied(from, sock_real()->dup3(from, to, flags));
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

static void life_set_blocking(int fd, int is_blocking)
{
    cor_conn *conn = sock_get(fd);
    if (!conn)
        return;
    cor_conn_set_blocking(conn, is_blocking);
    cor_conn_unref(conn);
}

/* A signal for every arrival: a bell comes only to a program that waits. */
static void life_set_signals(int fd, int is_wanted)
{
    if (is_wanted)
        sock_make_plain(fd, COR_NET_WHY_SIGNALS, "it asked for signals");
}

static int life_fcntl(int fd, int command, void *argument)
{
    if (command == F_SETFL)
        life_set_signals(fd, ((intptr_t)argument & O_ASYNC) != 0);
    int rc = sock_real()->fcntl(fd, command, argument);
    if (rc >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
        return life_copied(fd, rc);
    if (rc >= 0 && command == F_SETFL)
        life_set_blocking(fd, !((intptr_t)argument & O_NONBLOCK));
    return rc;
}

SOCK_EXPORT int fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return life_fcntl(fd, command, argument);
}

SOCK_EXPORT int fcntl64(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return life_fcntl(fd, command, argument);
}

SOCK_EXPORT int ioctl(int fd, unsigned long command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (sock_is_bad(argument, sizeof(int)))
        return sock_real()->ioctl(fd, command, argument);
    if (command == FIONREAD) {
        cor_conn *conn = sock_get(fd);
        if (conn) {
            int available = cor_conn_available(conn, fd);
            cor_conn_unref(conn);
            if (available < 0)
                return -1;
            *(int *)argument = available;
            return 0;
        }
    }
    if (command == FIOASYNC)
        life_set_signals(fd, *(const int *)argument);
    int rc = sock_real()->ioctl(fd, command, argument);
    if (rc == 0 && command == FIONBIO)
        life_set_blocking(fd, !*(const int *)argument);
    return rc;
}

SOCK_EXPORT int shutdown(int fd, int how)
{
    cor_conn *conn = sock_get(fd);
    if (!conn)
        return sock_real()->shutdown(fd, how);
    int rc = cor_conn_shutdown(conn, fd, how);
    cor_conn_unref(conn);
    return rc;
}

enum { LIFE_RCVTIMEO_NEW = 66 }; /* with seconds of 64 bits, which older headers lack */

static int life_set_receive_limit(int fd, int name, const void *value, socklen_t length)
{
    int rc = sock_real()->setsockopt(fd, SOL_SOCKET, name, value, length);
    cor_conn *conn = rc == 0 ? sock_get(fd) : NULL;
    if (conn) {
        int has_one = 0;
        for (socklen_t i = 0; i < length; i++)
            has_one |= ((const char *)value)[i] != 0;
        cor_conn_set_receive_limit(conn, has_one);
        cor_conn_unref(conn);
    }
    return rc;
}

/* Bells must not wait: on a connection that has switched these two have no other meaning. */
SOCK_EXPORT int setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
    int is_bad = sock_is_bad(value, length);
    if (!is_bad && cor_net_option_is_of_tcp(level, name, value, length) &&
        !sock_make_plain(fd, COR_NET_WHY_OPTION, "it asked for an option")) {
        errno = ENOPROTOOPT;
        return -1;
    }
    if (level == SOL_SOCKET && (name == SO_RCVTIMEO || name == LIFE_RCVTIMEO_NEW) && !is_bad)
        return life_set_receive_limit(fd, name, value, length);
    cor_conn *conn =
        level == IPPROTO_TCP && (name == TCP_CORK || name == TCP_NODELAY) && length >= sizeof(int) && !is_bad
            ? sock_get(fd)
            : NULL;
    if (!conn)
        return sock_real()->setsockopt(fd, level, name, value, length);
    int rc = cor_conn_sends_bells(conn) ? 0 : sock_real()->setsockopt(fd, level, name, value, length);
    cor_conn_unref(conn);
    return rc;
}

enum { LIFE_ZEROCOPY_RECEIVE = 35 }; /* TCP_ZEROCOPY_RECEIVE maps what has come */

/* The kernel's error may be due to bells that the peer did not take. */
SOCK_EXPORT int getsockopt(int fd, int level, int name, void *value, socklen_t *length_p)
{
    if (level == IPPROTO_TCP && name == LIFE_ZEROCOPY_RECEIVE)
        sock_make_plain(fd, COR_NET_WHY_OPTION, "it asked for its pages");
    int rc = sock_real()->getsockopt(fd, level, name, value, length_p);
    if (rc != 0 || level != SOL_SOCKET || name != SO_ERROR || *length_p < sizeof(int) || *(int *)value != ECONNRESET)
        return rc;
    cor_conn *conn = sock_get(fd);
    if (conn) {
        if (cor_conn_is_switched(conn) && !(cor_conn_ready(conn, fd, 0) & POLLERR))
            *(int *)value = 0;
        cor_conn_unref(conn);
    }
    return 0;
}
