/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes between Java arrays and sockets. Short pieces go by way of the stack. Long ones are copied between the array
 * and the ring, or the kernel, in a critical section, in which nothing waits: where there is nothing to read or no room
 * to write, the wait comes outside of it.
 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "jni/jni_face.h"
#include "jni/jni_net.h"
#include "net/net_sys.h"

#include <netinet/in.h>
#include <sys/time.h>

/* Up to here a copy by way of the stack costs less than a critical section. */
enum { BYTES_SHORT = 8192 };

/* The bits of NativeNet. */
enum { BYTES_NO_WAIT = 1, BYTES_ALL = 2 };

enum { BYTES_US_A_S = 1000 * 1000, BYTES_NS_A_US = 1000 };

/* What a call works on. */
typedef struct bytes_part {
    JNIEnv *env;
    int fd;
    cor_conn *conn; /* NULL: plain */
    jarray array;
    int kind;
    int how;
} bytes_part;

static ssize_t bytes_recv_once(const bytes_part *part, void *to, size_t length, int flags)
{
    struct iovec piece = {to, length};
    return part->conn ? cor_conn_read(part->conn, part->fd, &piece, 1, flags)
                      : net_sys_recv(part->fd, to, length, flags);
}

/* A signal has come, of a profiler or after a stop. The call begins again; a time-out goes on from there, so that it
 * ends although signals come again and again. */
static ssize_t bytes_recv_again(const bytes_part *part, void *to, size_t length, int flags)
{
    struct timeval whole = {0};
    socklen_t room = sizeof whole;
    net_sys_getsockopt(part->fd, SOL_SOCKET, SO_RCVTIMEO, &whole, &room);
    int64_t left_us = whole.tv_sec * BYTES_US_A_S + whole.tv_usec, has_limit = left_us > 0;
    uint64_t end_ns = cor_clock_ns() + (uint64_t)left_us * BYTES_NS_A_US;
    ssize_t got;
    do {
        struct timeval left = {left_us / BYTES_US_A_S, left_us % BYTES_US_A_S};
        if (has_limit)
            net_sys_setsockopt(part->fd, SOL_SOCKET, SO_RCVTIMEO, &left, sizeof left);
        got = bytes_recv_once(part, to, length, flags);
        int error = errno;
        left_us = ((int64_t)(end_ns - cor_clock_ns())) / BYTES_NS_A_US;
        errno = error == EINTR && has_limit && left_us <= 0 ? EAGAIN : error;
    } while (got < 0 && errno == EINTR);
    int error = errno;
    if (has_limit)
        net_sys_setsockopt(part->fd, SOL_SOCKET, SO_RCVTIMEO, &whole, sizeof whole);
    errno = error;
    return got;
}

/* Both return bytes or a negative error. */
static ssize_t bytes_recv(const bytes_part *part, void *to, size_t length, int flags)
{
    ssize_t got = bytes_recv_once(part, to, length, flags);
    if (got < 0 && errno == EINTR)
        got = bytes_recv_again(part, to, length, flags);
    return got < 0 ? -errno : got;
}

static ssize_t bytes_send(const bytes_part *part, const void *from, size_t length, int flags)
{
    struct iovec piece = {(void *)(uintptr_t)from, length};
    ssize_t sent;
    flags |= MSG_NOSIGNAL;
    do
        sent = part->conn ? cor_conn_write(part->conn, part->fd, &piece, 1, flags)
                          : net_sys_send(part->fd, from, length, flags);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static ssize_t bytes_read_short(const bytes_part *part, size_t offset, size_t length)
{
    char bytes[BYTES_SHORT];
    int flags = part->how & BYTES_NO_WAIT ? MSG_DONTWAIT : part->how & BYTES_ALL ? MSG_WAITALL : 0;
    ssize_t got = bytes_recv(part, bytes, length, flags);
    if (got > 0)
        jni_array_write(part->env, part->array, part->kind, offset, bytes, (size_t)got);
    return got;
}

/* Straight to the array, what is there now. */
static ssize_t bytes_read_now(const bytes_part *part, size_t offset, size_t length)
{
    JNIEnv *env = part->env;
    char *to = (*env)->GetPrimitiveArrayCritical(env, part->array, NULL);
    if (!to)
        return -ENOMEM;
    ssize_t got = bytes_recv(part, to + offset, length, MSG_DONTWAIT);
    (*env)->ReleasePrimitiveArrayCritical(env, part->array, to, 0);
    return got;
}

static ssize_t bytes_read_long(const bytes_part *part, size_t offset, size_t length)
{
    /* A critical section for nothing, and a question to the kernel, are spared where the ring is known to be empty. */
    int is_empty = part->conn && cor_conn_is_switched(part->conn) && !cor_conn_has_bytes(part->conn) &&
                   !(part->how & BYTES_NO_WAIT);
    ssize_t got = is_empty ? -EAGAIN : bytes_read_now(part, offset, length);
    while (got == -EAGAIN && !(part->how & BYTES_NO_WAIT)) {
        char byte;
        ssize_t seen = bytes_recv(part, &byte, 1, MSG_PEEK);
        if (seen <= 0)
            return seen;
        got = bytes_read_now(part, offset, length);
    }
    return got;
}

jlong JNICALL jni_net_read(JNIEnv *env, jclass type, jint fd, jlong conn, jobject array, jint kind, jlong offset,
                           jlong bytes, jint how)
{
    (void)type;
    const bytes_part part = {env, fd, jni_conn_at(conn), array, kind, how};
    jlong done = 0;
    while (done < bytes) {
        size_t left = (size_t)(bytes - done), at = (size_t)(offset + done);
        ssize_t got = left <= BYTES_SHORT ? bytes_read_short(&part, at, left) : bytes_read_long(&part, at, left);
        if (got <= 0)
            return done > 0 ? done : got; /* the next call tells again */
        done += got;
        if (!(how & BYTES_ALL))
            break;
    }
    return done;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static ssize_t bytes_write_short(const bytes_part *part, size_t offset, size_t length)
{
    char bytes[BYTES_SHORT];
    jni_array_read(part->env, part->array, part->kind, offset, bytes, length);
    return bytes_send(part, bytes, length, part->how & BYTES_NO_WAIT ? MSG_DONTWAIT : 0);
}

/* Straight from the array, what there is room for now. */
static ssize_t bytes_write_now(const bytes_part *part, size_t offset, size_t length)
{
    JNIEnv *env = part->env;
    const char *from = (*env)->GetPrimitiveArrayCritical(env, part->array, NULL);
    if (!from)
        return -ENOMEM;
    ssize_t sent = bytes_send(part, from + offset, length, MSG_DONTWAIT);
    (*env)->ReleasePrimitiveArrayCritical(env, part->array, (void *)(uintptr_t)from, JNI_ABORT);
    return sent;
}

/* Where there is no room, the wait for it is that of the next short piece. A write that does not wait and finds too
 * little room would ask the reader for a bell, so it gets no more than fits. */
static ssize_t bytes_write_long(const bytes_part *part, size_t offset, size_t length)
{
    size_t room = part->conn ? cor_conn_room(part->conn) : SIZE_MAX;
    ssize_t sent = room < BYTES_SHORT ? -EAGAIN : bytes_write_now(part, offset, length < room ? length : room);
    return sent == -EAGAIN ? bytes_write_short(part, offset, BYTES_SHORT) : sent;
}

jlong JNICALL jni_net_write(JNIEnv *env, jclass type, jint fd, jlong conn, jobject array, jint kind, jlong offset,
                            jlong bytes, jint how)
{
    (void)type;
    const bytes_part part = {env, fd, jni_conn_at(conn), array, kind, how};
    jlong done = 0;
    while (done < bytes) {
        size_t left = (size_t)(bytes - done), at = (size_t)(offset + done);
        ssize_t sent = left <= BYTES_SHORT ? bytes_write_short(&part, at, left) : bytes_write_long(&part, at, left);
        if (sent < 0)
            return done > 0 ? done : sent;
        done += sent;
    }
    return done;
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

jint JNICALL jni_net_available(JNIEnv *env, jclass type, jint fd, jlong handle)
{
    (void)env;
    (void)type;
    cor_conn *conn = jni_conn_at(handle);
    int available = 0;
    int rc = conn ? available = cor_conn_available(conn, fd) : net_sys_ioctl(fd, FIONREAD, &available);
    return rc < 0 ? -errno : available;
}

jint JNICALL jni_net_shutdown(JNIEnv *env, jclass type, jint fd, jlong handle, jint how)
{
    (void)env;
    (void)type;
    cor_conn *conn = jni_conn_at(handle);
    int half = how == 0 ? SHUT_RD : SHUT_WR;
    return (conn ? cor_conn_shutdown(conn, fd, half) : net_sys_shutdown(fd, half)) == 0 ? 0 : -errno;
}

jint JNICALL jni_net_urgent(JNIEnv *env, jclass type, jint fd, jlong handle, jbyte data)
{
    (void)env;
    (void)type;
    cor_conn *conn = jni_conn_at(handle);
    /* Whether the peer answers or not, what this side writes goes by TCP from then on. */
    if (conn)
        cor_conn_withdraw(conn, fd, COR_NET_PATIENCE_MS);
    return net_sys_send(fd, &data, 1, MSG_OOB | MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

jboolean JNICALL jni_net_isFast(JNIEnv *env, jclass type, jlong handle)
{
    (void)env;
    (void)type;
    cor_conn *conn = jni_conn_at(handle);
    return conn && !cor_conn_is_plain(conn) && cor_conn_is_switched(conn) ? JNI_TRUE : JNI_FALSE;
}
