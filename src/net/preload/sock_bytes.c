/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing. Names with _chk are what programs call that are compiled with _FORTIFY_SOURCE. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "net/preload/sock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void __chk_fail(void);

enum { BYTES_NS_A_S = 1000 * 1000 * 1000 };

/* 0, or the error with which the kernel refuses these. */
static int bytes_wrong(const struct iovec *parts, size_t count)
{
    if (count > IOV_MAX)
        return EMSGSIZE;
    if (sock_is_bad(parts, count * sizeof *parts))
        return EFAULT;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].iov_len > SSIZE_MAX)
            return EINVAL;
        if (sock_is_bad(parts[i].iov_base, parts[i].iov_len))
            return EFAULT;
    }
    return 0;
}

/* A read that cannot be: it waits as others do, and takes nothing. */
static ssize_t bytes_refuse(cor_conn *conn, int fd, int flags, int wrong)
{
    char byte;
    struct iovec part = {&byte, 1};
    ssize_t rc = wrong == EFAULT ? cor_conn_read(conn, fd, &part, 1, (flags & MSG_DONTWAIT) | MSG_PEEK) : 1;
    if (rc <= 0)
        return rc;
    errno = wrong;
    return -1;
}

static size_t bytes_count(const struct iovec *parts, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += parts[i].iov_len;
    return total;
}

/* A message of no bytes waits as others do; a read of none, and a vector, returns at once. */
static ssize_t bytes_get_nothing(cor_conn *conn, int fd, int flags)
{
    ssize_t rc = bytes_refuse(conn, fd, flags, EFAULT);
    return rc < 0 && errno == EFAULT ? 0 : rc;
}

/* To wait for bytes that are not taken is the kernel's; the rings wait for any that are new. */
static ssize_t bytes_peek_all(cor_conn *conn, int fd, const struct iovec *parts, int count, int flags)
{
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
    size_t wanted = bytes_count(parts, (size_t)count);
    ssize_t got = cor_conn_read(conn, fd, parts, count, flags & ~MSG_WAITALL);
    if (got <= 0 || (size_t)got == wanted || (flags & MSG_DONTWAIT) || (net_sys_fcntl(fd, F_GETFL, 0) & O_NONBLOCK))
        return got;
    sock_withdraw(conn, fd, COR_NET_WHY_OPTION, "a peek that waits for all");
    return cor_conn_is_plain(conn) ? net_sys_recvmsg(fd, &message, flags) : got;
}

/* A call that succeeds leaves errno as it was, as those of libc do. */
static ssize_t bytes_done(ssize_t rc, int saved)
{
    if (COR_LIKELY(rc >= 0))
        errno = saved;
    return rc;
}

/* These take over the reference. */
static ssize_t bytes_read_parts(cor_conn *conn, int fd, const struct iovec *parts, size_t count, int flags)
{
    SOCK_HELD cor_conn *held = conn;
    int saved = errno, wrong = bytes_wrong(parts, count);
    int is_whole = (flags & (MSG_PEEK | MSG_WAITALL)) == (MSG_PEEK | MSG_WAITALL);
    return bytes_done(wrong      ? bytes_refuse(held, fd, flags, wrong)
                      : is_whole ? bytes_peek_all(held, fd, parts, (int)count, flags)
                                 : cor_conn_read(held, fd, parts, (int)count, flags),
                      saved);
}

static ssize_t bytes_write_parts(cor_conn *conn, int fd, const struct iovec *parts, size_t count, int flags)
{
    SOCK_HELD cor_conn *held = conn;
    int saved = errno, wrong = bytes_wrong(parts, count);
    ssize_t rc = wrong ? -1 : cor_conn_write(held, fd, parts, (int)count, flags);
    if (wrong)
        errno = wrong;
    return bytes_done(rc, saved);
}

enum { BYTES_MOST = 0x7ffff000 }; /* of a call, as the kernel has it */

/* As a message, by recv and its kin, and of no bytes. Takes over the reference. */
static ssize_t bytes_read_empty(cor_conn *conn, int fd, int flags)
{
    SOCK_HELD cor_conn *held = conn;
    int saved = errno;
    return bytes_done(bytes_get_nothing(held, fd, flags), saved);
}

static ssize_t bytes_read_message(cor_conn *conn, int fd, const struct iovec *parts, size_t count, int flags)
{
    if (!bytes_wrong(parts, count) && bytes_count(parts, count) == 0)
        return bytes_read_empty(conn, fd, flags);
    return bytes_read_parts(conn, fd, parts, count, flags);
}

static ssize_t bytes_read(cor_conn *conn, int fd, void *buffer, size_t length, int flags)
{
    struct iovec part = {buffer, length < BYTES_MOST ? length : BYTES_MOST};
    return bytes_read_parts(conn, fd, &part, 1, flags);
}

static ssize_t bytes_recv(cor_conn *conn, int fd, void *buffer, size_t length, int flags)
{
    return COR_UNLIKELY(length == 0) ? bytes_read_empty(conn, fd, flags) : bytes_read(conn, fd, buffer, length, flags);
}

static ssize_t bytes_write(cor_conn *conn, int fd, const void *buffer, size_t length, int flags)
{
    struct iovec part = {(void *)buffer, length < BYTES_MOST ? length : BYTES_MOST};
    return bytes_write_parts(conn, fd, &part, 1, flags);
}

/* Urgent data and queues of errors are the kernel's. */
static cor_conn *bytes_get(int fd, int flags)
{
    return flags & (MSG_OOB | MSG_ERRQUEUE) ? NULL : sock_get(fd);
}

/* An urgent byte stands in the stream: the rest must go the same way. */
static cor_conn *bytes_get_to_send(int fd, int flags)
{
    if (flags & MSG_OOB)
        sock_make_plain(fd, COR_NET_WHY_URGENT, "urgent data");
    return flags & MSG_OOB ? NULL : sock_get(fd);
}

SOCK_EXPORT ssize_t read(int fd, void *buffer, size_t length)
{
    cor_conn *conn = length <= SSIZE_MAX ? sock_get(fd) : NULL;
    return conn ? bytes_read(conn, fd, buffer, length, 0) : sock_real()->read(fd, buffer, length);
}

SOCK_EXPORT ssize_t write(int fd, const void *buffer, size_t length)
{
    cor_conn *conn = length <= SSIZE_MAX ? sock_get(fd) : NULL;
    return conn ? bytes_write(conn, fd, buffer, length, 0) : sock_real()->write(fd, buffer, length);
}

SOCK_EXPORT ssize_t recv(int fd, void *buffer, size_t length, int flags)
{
    cor_conn *conn = bytes_get(fd, flags);
    return conn ? bytes_recv(conn, fd, buffer, length, flags) : sock_real()->recv(fd, buffer, length, flags);
}

SOCK_EXPORT ssize_t send(int fd, const void *buffer, size_t length, int flags)
{
    cor_conn *conn = bytes_get_to_send(fd, flags);
    return conn ? bytes_write(conn, fd, buffer, length, flags) : sock_real()->send(fd, buffer, length, flags);
}

SOCK_EXPORT ssize_t recvfrom(int fd, void *buffer, size_t length, int flags, struct sockaddr *address,
                             socklen_t *address_length_p)
{
    cor_conn *conn = bytes_get(fd, flags);
    if (!conn)
        return sock_real()->recvfrom(fd, buffer, length, flags, address, address_length_p);
    if (address && !sock_is_bad(address_length_p, sizeof *address_length_p))
        *address_length_p = 0; /* as TCP does */
    return bytes_recv(conn, fd, buffer, length, flags);
}

SOCK_EXPORT ssize_t sendto(int fd, const void *buffer, size_t length, int flags, const struct sockaddr *address,
                           socklen_t address_length)
{
    cor_conn *conn = bytes_get_to_send(fd, flags);
    return conn ? bytes_write(conn, fd, buffer, length, flags)
                : sock_real()->sendto(fd, buffer, length, flags, address, address_length);
}

SOCK_EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
    cor_conn *conn = count >= 0 && count <= IOV_MAX ? sock_get(fd) : NULL;
    if (!conn)
        return sock_real()->readv(fd, parts, count);
    return bytes_read_parts(conn, fd, parts, (size_t)count, 0);
}

SOCK_EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
    cor_conn *conn = count >= 0 && count <= IOV_MAX ? sock_get(fd) : NULL;
    if (!conn)
        return sock_real()->writev(fd, parts, count);
    return bytes_write_parts(conn, fd, parts, (size_t)count, 0);
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* Descriptors in a message, sent or received. */
static void bytes_each_right(const struct msghdr *message, void (*each)(int fd))
{
    struct msghdr *readable = (struct msghdr *)message;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(readable); part; part = CMSG_NXTHDR(readable, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS || part->cmsg_len < CMSG_LEN(0))
            continue;
        size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
            each(fd);
        }
    }
}

/* The receiver has no part in our memory. */
static void bytes_send_right(int fd)
{
    sock_make_plain(fd, COR_NET_WHY_RIGHTS, "it was sent to another process");
}

static void bytes_got_right(int fd)
{
    cor_conn *old = sock_forget(fd); /* closed by a way that we do not see */
    if (old)
        cor_conn_unref(old);
}

/* A young connection whose program asks for messages beside the bytes: TCP may have some. 1: done, and the reference is
 * given up; 0: it has moved. */
static int bytes_recv_beside(cor_conn *conn, int fd, struct msghdr *message, int flags, ssize_t *rc_p)
{
    cor_conn_look_due(conn, fd);
    if (!cor_conn_enter(conn))
        return 0;
    SOCK_HELD cor_conn *held = conn;
    *rc_p = sock_real()->recvmsg(fd, message, flags);
    cor_conn_count(held, flags & MSG_PEEK ? 0 : *rc_p, 0);
    cor_conn_leave(held);
    return 1;
}

SOCK_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    cor_conn *conn = sock_is_bad(message, sizeof *message) ? NULL : bytes_get(fd, flags);
    ssize_t beside;
    if (conn && message->msg_controllen > 0 && bytes_recv_beside(conn, fd, message, flags, &beside))
        return beside;
    if (!conn) {
        ssize_t rc = sock_real()->recvmsg(fd, message, flags);
        if (rc >= 0 && message->msg_controllen > 0)
            bytes_each_right(message, bytes_got_right);
        return rc;
    }
    ssize_t rc = bytes_read_message(conn, fd, message->msg_iov, message->msg_iovlen, flags);
    if (rc >= 0) {
        message->msg_namelen = 0;
        message->msg_controllen = 0;
        message->msg_flags = 0;
    }
    return rc;
}

SOCK_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    int is_bad = sock_is_bad(message, sizeof *message);
    cor_conn *conn = is_bad ? NULL : bytes_get_to_send(fd, flags);
    if (conn)
        return bytes_write_parts(conn, fd, message->msg_iov, message->msg_iovlen, flags);
    if (!is_bad && message->msg_controllen > 0 && !sock_is_bad(message->msg_control, message->msg_controllen))
        bytes_each_right(message, bytes_send_right);
    return sock_real()->sendmsg(fd, message, flags);
}

/* The time is looked at after each message, and stored, as the kernel does. */
static int bytes_is_late(struct timespec *timeout, uint64_t end_ns)
{
    uint64_t now = cor_clock_ns(), left = now < end_ns ? end_ns - now : 0;
    *timeout = (struct timespec){(time_t)(left / BYTES_NS_A_S), (long)(left % BYTES_NS_A_S)};
    return left == 0;
}

SOCK_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
    int is_bad = sock_is_bad(messages, count * sizeof *messages) || sock_time_is_wrong(timeout);
    cor_conn *conn = is_bad ? NULL : bytes_get(fd, flags);
    if (!conn)
        return sock_real()->recvmmsg(fd, messages, count, flags, timeout);
    cor_conn_unref(conn);
    uint64_t end_ns = timeout ? cor_clock_ns() + (uint64_t)sock_time_ns(timeout) : 0;
    unsigned done = 0;
    while (done < count) {
        int is_last = done > 0 && (flags & MSG_WAITFORONE);
        ssize_t rc = recvmsg(fd, &messages[done].msg_hdr, (flags & ~MSG_WAITFORONE) | (is_last ? MSG_DONTWAIT : 0));
        if (rc < 0)
            return done > 0 ? (int)done : -1;
        messages[done++].msg_len = (unsigned)rc;
        if (timeout && bytes_is_late(timeout, end_ns))
            break;
    }
    return (int)done;
}

SOCK_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    int is_bad = sock_is_bad(messages, count * sizeof *messages);
    cor_conn *conn = is_bad ? NULL : sock_get(fd);
    if (!conn) {
        for (unsigned i = 0; i < count && !is_bad; i++)
            if (messages[i].msg_hdr.msg_control && messages[i].msg_hdr.msg_controllen > 0)
                bytes_each_right(&messages[i].msg_hdr, bytes_send_right);
        return sock_real()->sendmmsg(fd, messages, count, flags);
    }
    cor_conn_unref(conn);
    unsigned done = 0;
    for (; done < count; done++) {
        ssize_t rc = sendmsg(fd, &messages[done].msg_hdr, flags);
        if (rc < 0)
            return done > 0 ? (int)done : -1;
        messages[done].msg_len = (unsigned)rc;
    }
    return (int)done;
}

/* ---- fortified -------------------------------------------------------------------------------------------------- */

SOCK_EXPORT ssize_t __read_chk(int fd, void *buffer, size_t length, size_t room);
SOCK_EXPORT ssize_t __read_chk(int fd, void *buffer, size_t length, size_t room)
{
    if (length > room)
        __chk_fail();
    return read(fd, buffer, length);
}

SOCK_EXPORT ssize_t __recv_chk(int fd, void *buffer, size_t length, size_t room, int flags);
SOCK_EXPORT ssize_t __recv_chk(int fd, void *buffer, size_t length, size_t room, int flags)
{
    if (length > room)
        __chk_fail();
    return recv(fd, buffer, length, flags);
}

SOCK_EXPORT ssize_t __recvfrom_chk(int fd, void *buffer, size_t length, size_t room, int flags,
                                   struct sockaddr *address, socklen_t *address_length_p);
SOCK_EXPORT ssize_t __recvfrom_chk(int fd, void *buffer, size_t length, size_t room, int flags,
                                   struct sockaddr *address, socklen_t *address_length_p)
{
    if (length > room)
        __chk_fail();
    return recvfrom(fd, buffer, length, flags, address, address_length_p);
}

/* ---- at no offset ----------------------------------------------------------------------------------------------- */

enum { BYTES_RWF_NOWAIT = 8, BYTES_RWF_KNOWN = 0x1f }; /* the others are for files */

static cor_conn *bytes_get_at(int fd, int count, off_t offset, int flags)
{
    return offset == -1 && count >= 0 && count <= IOV_MAX && !(flags & ~BYTES_RWF_KNOWN) ? sock_get(fd) : NULL;
}

SOCK_EXPORT ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    cor_conn *conn = bytes_get_at(fd, count, offset, flags);
    return conn ? bytes_read_parts(conn, fd, parts, (size_t)count, flags & BYTES_RWF_NOWAIT ? MSG_DONTWAIT : 0)
                : sock_real()->preadv2(fd, parts, count, offset, flags);
}

SOCK_EXPORT ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    cor_conn *conn = bytes_get_at(fd, count, offset, flags);
    return conn ? bytes_write_parts(conn, fd, parts, (size_t)count, flags & BYTES_RWF_NOWAIT ? MSG_DONTWAIT : 0)
                : sock_real()->pwritev2(fd, parts, count, offset, flags);
}

SOCK_EXPORT ssize_t preadv64v2(int fd, const struct iovec *parts, int count, off64_t offset, int flags)
{
    return preadv2(fd, parts, count, offset, flags);
}

SOCK_EXPORT ssize_t pwritev64v2(int fd, const struct iovec *parts, int count, off64_t offset, int flags)
{
    return pwritev2(fd, parts, count, offset, flags);
}
