/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: libc reads and writes them by calls that no preload sees, so a stream on a fast connection is one with functions
 * of its own. */
#define _GNU_SOURCE
#include "net/preload/sock.h"

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

static int stdio_close(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

SOCK_EXPORT FILE *fdopen(int fd, const char *mode)
{
    cor_conn *conn = sock_get(fd);
    if (!conn)
        return sock_real()->fdopen(fd, mode);
    cor_conn_unref(conn);
    FILE *stream =
        fopencookie((void *)(intptr_t)fd, mode, (cookie_io_functions_t){stdio_read, stdio_write, NULL, stdio_close});
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
