/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: libc reads and writes them by calls that no preload sees, so a stream on a fast connection is one with
 * functions of its own. */
#define _GNU_SOURCE
#include "net/preload/sock.h"

#include <netinet/in.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

static ssize_t stdio_read(void *cookie, char *buffer, size_t length)
{
    return read((int)(intptr_t)cookie, buffer, length);
}

static ssize_t stdio_write(void *cookie, const char *buffer, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t sent = write((int)(intptr_t)cookie, buffer + done, length - done);
        if (sent < 0)
            return (ssize_t)done;
        done += (size_t)sent;
    }
    return (ssize_t)done;
}

/* So that a flush of a stream for both directions knows why there is no way back. */
static int stdio_seek(void *cookie, off64_t *offset_p, int whence)
{
    (void)cookie;
    (void)offset_p;
    (void)whence;
    errno = ESPIPE;
    return -1;
}

static int stdio_close(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

/* It is a fast connection, or may become one by connect(). */
static int stdio_is_tcp(int fd)
{
    int protocol = 0, saved = errno;
    socklen_t length = sizeof protocol;
    int is_tcp = !sock_is_stopped() && net_sys_getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) == 0 &&
                 protocol == IPPROTO_TCP;
    errno = saved;
    return is_tcp;
}

SOCK_EXPORT FILE *fdopen(int fd, const char *mode)
{
    if (!stdio_is_tcp(fd))
        return sock_real()->fdopen(fd, mode);
    const cookie_io_functions_t calls = {stdio_read, stdio_write, stdio_seek, stdio_close};
    FILE *stream = fopencookie((void *)(intptr_t)fd, mode, calls);
    if (stream)
        stream->_fileno = fd; /* for fileno() */
    return stream;
}

static int stdio_vdprintf(int fd, const char *format, va_list arguments)
{
    cor_conn *conn = sock_get(fd);
    if (!conn)
        return sock_real()->vdprintf(fd, format, arguments);
    cor_conn_unref(conn);
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    if (length > 0 && stdio_write((void *)(intptr_t)fd, text, (size_t)length) != length)
        length = -1;
    free(text);
    return length;
}

SOCK_EXPORT int vdprintf(int fd, const char *format, va_list arguments)
{
    return stdio_vdprintf(fd, format, arguments);
}

SOCK_EXPORT int dprintf(int fd, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int rc = stdio_vdprintf(fd, format, arguments);
    va_end(arguments);
    return rc;
}

SOCK_EXPORT int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);
SOCK_EXPORT int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
    (void)flag;
    return stdio_vdprintf(fd, format, arguments);
}

SOCK_EXPORT int __dprintf_chk(int fd, int flag, const char *format, ...);
SOCK_EXPORT int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    int rc = stdio_vdprintf(fd, format, arguments);
    va_end(arguments);
    return rc;
}
