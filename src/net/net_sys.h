/* SPDX-License-Identifier: Apache-2.0 */
/* System calls by number: where this code runs below a program that it was preloaded into, the functions of these names
 * are the preload's own. */
#ifndef COR_NET_NET_SYS_H
#define COR_NET_NET_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline ssize_t net_sys_recv(int fd, void *buffer, size_t length, int flags)
{
    return syscall(SYS_recvfrom, fd, buffer, length, flags, NULL, NULL);
}

static inline ssize_t net_sys_send(int fd, const void *buffer, size_t length, int flags)
{
    return syscall(SYS_sendto, fd, buffer, length, flags, NULL, 0);
}

static inline ssize_t net_sys_recvmsg(int fd, struct msghdr *message, int flags)
{
    return syscall(SYS_recvmsg, fd, message, flags);
}

static inline ssize_t net_sys_sendmsg(int fd, const struct msghdr *message, int flags)
{
    return syscall(SYS_sendmsg, fd, message, flags);
}

static inline int net_sys_poll(struct pollfd *fds, unsigned count, int timeout_ms)
{
    struct timespec limit = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    return (int)syscall(SYS_ppoll, fds, count, timeout_ms < 0 ? NULL : &limit, NULL, 8);
}

static inline uint32_t net_sys_thread(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

/* What the kernel says of one descriptor now. */
static inline short net_sys_ready(int fd, short events)
{
    struct pollfd one = {fd, events, 0};
    int saved = errno;
    int found = net_sys_poll(&one, 1, 0);
    errno = saved;
    return found > 0 ? one.revents : 0;
}

static inline int net_sys_connect(int fd, const struct sockaddr *to, socklen_t length)
{
    return (int)syscall(SYS_connect, fd, to, length);
}

static inline int net_sys_accept(int fd, int flags)
{
    return (int)syscall(SYS_accept4, fd, NULL, NULL, flags);
}

static inline int net_sys_open(const char *path, int flags)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
}

static inline ssize_t net_sys_read(int fd, void *buffer, size_t length)
{
    return syscall(SYS_read, fd, buffer, length);
}

static inline int net_sys_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

static inline int net_sys_fcntl(int fd, int command, long argument)
{
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

static inline int net_sys_ioctl(int fd, unsigned long command, void *argument)
{
    return (int)syscall(SYS_ioctl, fd, command, argument);
}

static inline int net_sys_getsockopt(int fd, int level, int name, void *value, socklen_t *length_p)
{
    return (int)syscall(SYS_getsockopt, fd, level, name, value, length_p);
}

static inline int net_sys_setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
    return (int)syscall(SYS_setsockopt, fd, level, name, value, length);
}

static inline int net_sys_shutdown(int fd, int how)
{
    return (int)syscall(SYS_shutdown, fd, how);
}

#endif
