/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing. Names with _chk are what programs call that are compiled with _FORTIFY_SOURCE. */
#define _GNU_SOURCE
#include "net/preload/sock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>

_Noreturn void __chk_fail(void);

enum { BYTES_COPY = 16 << 10 };

static ssize_t bytes_read(cor_conn *conn, int fd, void *buffer, size_t length, int flags)
{
    struct iovec part = {buffer, length};
    ssize_t rc = cor_conn_read(conn, fd, &part, 1, flags);
    cor_conn_unref(conn);
    return rc;
}

static ssize_t bytes_write(cor_conn *conn, int fd, const void *buffer, size_t length, int flags)
{
    struct iovec part = {(void *)buffer, length};
    ssize_t rc = cor_conn_write(conn, fd, &part, 1, flags);
    cor_conn_unref(conn);
    return rc;
}

/* Urgent data and queues of errors are the kernel's. */
static cor_conn *bytes_get(int fd, int flags)
{
    return flags & (MSG_OOB | MSG_ERRQUEUE) ? NULL : sock_get(fd);
}

/* An urgent byte stands in the stream: the rest must go the same way. */
static cor_conn *bytes_get_to_send(int fd, int flags)
{
    cor_conn *conn = sock_get(fd);
    if (conn && (flags & MSG_OOB)) {
        sock_withdraw(conn, fd, "urgent data");
        cor_conn_unref(conn);
        return NULL;
    }
    return conn;
}

SOCK_EXPORT ssize_t read(int fd, void *buffer, size_t length)
{
    cor_conn *conn = sock_get(fd);
    return conn ? bytes_read(conn, fd, buffer, length, 0) : sock_real()->read(fd, buffer, length);
}

SOCK_EXPORT ssize_t write(int fd, const void *buffer, size_t length)
{
    cor_conn *conn = sock_get(fd);
    return conn ? bytes_write(conn, fd, buffer, length, 0) : sock_real()->write(fd, buffer, length);
}

SOCK_EXPORT ssize_t recv(int fd, void *buffer, size_t length, int flags)
{
    cor_conn *conn = bytes_get(fd, flags);
    return conn ? bytes_read(conn, fd, buffer, length, flags) : sock_real()->recv(fd, buffer, length, flags);
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
    if (address && address_length_p)
        *address_length_p = 0; /* as TCP does */
    return bytes_read(conn, fd, buffer, length, flags);
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
    ssize_t rc = cor_conn_read(conn, fd, parts, count, 0);
    cor_conn_unref(conn);
    return rc;
}

SOCK_EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
    cor_conn *conn = count >= 0 && count <= IOV_MAX ? sock_get(fd) : NULL;
    if (!conn)
        return sock_real()->writev(fd, parts, count);
    ssize_t rc = cor_conn_write(conn, fd, parts, count, 0);
    cor_conn_unref(conn);
    return rc;
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
    cor_conn *conn = sock_get(fd);
    if (!conn)
        return;
    sock_withdraw(conn, fd, "it was sent to another process");
    cor_conn_unref(conn);
}

static void bytes_got_right(int fd)
{
    cor_conn *old = sock_forget(fd); /* closed by a way that we do not see */
    if (old)
        cor_conn_unref(old);
}

SOCK_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    cor_conn *conn = bytes_get(fd, flags);
    if (!conn) {
        ssize_t rc = sock_real()->recvmsg(fd, message, flags);
        if (rc >= 0 && message->msg_controllen > 0)
            bytes_each_right(message, bytes_got_right);
        return rc;
    }
    ssize_t rc = cor_conn_read(conn, fd, message->msg_iov, (int)message->msg_iovlen, flags);
    cor_conn_unref(conn);
    if (rc >= 0) {
        message->msg_namelen = 0;
        message->msg_controllen = 0;
        message->msg_flags = 0;
    }
    return rc;
}

SOCK_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    cor_conn *conn = bytes_get_to_send(fd, flags);
    if (!conn) {
        if (message && message->msg_control && message->msg_controllen > 0)
            bytes_each_right(message, bytes_send_right);
        return sock_real()->sendmsg(fd, message, flags);
    }
    ssize_t rc = cor_conn_write(conn, fd, message->msg_iov, (int)message->msg_iovlen, flags);
    cor_conn_unref(conn);
    return rc;
}

SOCK_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
    cor_conn *conn = bytes_get(fd, flags);
    if (!conn)
        return sock_real()->recvmmsg(fd, messages, count, flags, timeout);
    cor_conn_unref(conn);
    unsigned done = 0;
    while (done < count) {
        int is_last = done > 0 && (flags & MSG_WAITFORONE);
        ssize_t rc = recvmsg(fd, &messages[done].msg_hdr, (flags & ~MSG_WAITFORONE) | (is_last ? MSG_DONTWAIT : 0));
        if (rc < 0)
            return done > 0 ? (int)done : -1;
        messages[done++].msg_len = (unsigned)rc;
        if (rc == 0)
            break;
    }
    return (int)done;
}

SOCK_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    cor_conn *conn = sock_get(fd);
    if (!conn) {
        for (unsigned i = 0; i < count; i++)
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

/* ---- from descriptor to descriptor ------------------------------------------------------------------------------ */

/* From a file to a connection, by a copy. `from` is where to begin; what the connection took is returned. */
static ssize_t bytes_send_file(cor_conn *conn, int out, int in, off_t from, size_t count)
{
    char buffer[BYTES_COPY];
    size_t done = 0;
    while (done < count) {
        size_t wanted = count - done < sizeof buffer ? count - done : sizeof buffer;
        ssize_t got = pread(in, buffer, wanted, from + (off_t)done);
        if (got < 0 && done == 0)
            return -1;
        if (got <= 0)
            break;
        struct iovec part = {buffer, (size_t)got};
        ssize_t sent = cor_conn_write(conn, out, &part, 1, 0);
        if (sent < 0)
            return done > 0 ? (ssize_t)done : -1;
        done += (size_t)sent;
        if (sent < got)
            break;
    }
    return (ssize_t)done;
}

SOCK_EXPORT ssize_t sendfile(int out, int in, off_t *offset_p, size_t count)
{
    cor_conn *conn = sock_get(out);
    if (!conn)
        return sock_real()->sendfile(out, in, offset_p, count);
    off_t from = offset_p ? *offset_p : lseek(in, 0, SEEK_CUR);
    ssize_t rc = from < 0 ? -1 : bytes_send_file(conn, out, in, from, count);
    if (rc > 0 && offset_p)
        *offset_p = from + rc;
    else if (rc > 0)
        lseek(in, from + rc, SEEK_SET);
    cor_conn_unref(conn);
    return rc;
}

SOCK_EXPORT ssize_t sendfile64(int out, int in, off64_t *offset_p, size_t count)
{
    _Static_assert(sizeof(off_t) == sizeof(off64_t), "one sendfile");
    return sendfile(out, in, (off_t *)offset_p, count);
}

/* Pages cannot be moved through the ring. */
static void bytes_make_plain(int fd)
{
    cor_conn *conn = sock_get(fd);
    if (!conn)
        return;
    sock_withdraw(conn, fd, "splice");
    cor_conn_unref(conn);
}

SOCK_EXPORT ssize_t splice(int in, off_t *in_offset_p, int out, off_t *out_offset_p, size_t length, unsigned flags)
{
    bytes_make_plain(in);
    bytes_make_plain(out);
    return sock_real()->splice(in, in_offset_p, out, out_offset_p, length, flags);
}
