/* SPDX-License-Identifier: Apache-2.0 */
/* From descriptor to descriptor: files by a copy, pipes by a copy that is moved. */
#define _GNU_SOURCE
#include "net/preload/sock.h"

#include <stdlib.h>
#include <sys/sendfile.h>

enum { FILES_SHORT = 2 << 10, FILES_COPY = 64 << 10, FILES_PIPE = 64 << 10 };

static int files_is_pipe(int fd)
{
    int saved = errno, is_pipe = net_sys_fcntl(fd, F_GETPIPE_SZ, 0) > 0;
    errno = saved;
    return is_pipe;
}

/* A call that succeeds leaves errno as it was. */
static ssize_t files_done(ssize_t rc, int saved)
{
    if (rc >= 0)
        errno = saved;
    return rc;
}

/* ---- pipes ------------------------------------------------------------------------------------------------------ */

/* A pipe for a moment, with bytes in it. It takes less than it may hold without a wait. */
typedef struct files_stage {
    int fds[2];
    char bytes[FILES_PIPE];
} files_stage;

static void files_stage_close(files_stage **stage_p)
{
    files_stage *stage = *stage_p;
    int saved = errno;
    for (int i = 0; stage && i < 2; i++)
        if (stage->fds[i] >= 0)
            net_sys_close(stage->fds[i]);
    free(stage);
    errno = saved;
}

/* NULL: errno. Both ends block, since the kernel would not wait for another pipe where either does not. */
static files_stage *files_stage_open(void)
{
    files_stage *stage = malloc(sizeof *stage);
    if (!stage || pipe2(stage->fds, O_CLOEXEC) != 0) {
        int cause = stage ? errno : ENOMEM;
        free(stage);
        errno = cause;
        return NULL;
    }
    return stage;
}

/* Takes bytes that were seen. Where the peer has taken back what was in memory they come later, by TCP; else another
 * thread has read them. */
static void files_take(cor_conn *conn, int in, char *bytes, size_t length)
{
    for (size_t taken = 0; taken < length;) {
        struct iovec part = {bytes, length - taken};
        ssize_t got = cor_conn_read(conn, in, &part, 1, MSG_DONTWAIT);
        if (got > 0)
            taken += (size_t)got;
        else if (got == 0 || (errno != EAGAIN && errno != EINTR) || cor_conn_is_switched(conn))
            break;
        else
            net_sys_poll(NULL, 0, 1);
    }
}

/* Bytes of a connection into a pipe: as many as the pipe has room for, which the kernel finds, and those are taken
 * then. */
static ssize_t files_to_pipe(cor_conn *conn, int in, int out, size_t length, unsigned flags)
{
    __attribute__((cleanup(files_stage_close))) files_stage *stage = files_stage_open();
    if (!stage)
        return -1;
    struct iovec part = {stage->bytes, length < FILES_PIPE ? length : FILES_PIPE};
    ssize_t seen = cor_conn_read(conn, in, &part, 1, MSG_PEEK);
    if (seen <= 0)
        return seen;
    net_sys_fcntl(stage->fds[1], F_SETFL, O_NONBLOCK); /* pipes may be small */
    seen = sock_real()->write(stage->fds[1], stage->bytes, (size_t)seen);
    ssize_t moved = seen < 0 ? -1 : sock_real()->splice(stage->fds[0], NULL, out, NULL, (size_t)seen, flags);
    if (moved > 0)
        files_take(conn, in, stage->bytes, (size_t)moved);
    return moved;
}

/* Bytes of a pipe to a connection: those that it has taken leave the pipe then. */
static ssize_t files_from_pipe(cor_conn *conn, int in, int out, size_t length, unsigned flags)
{
    __attribute__((cleanup(files_stage_close))) files_stage *stage = files_stage_open();
    if (!stage)
        return -1;
    ssize_t seen = tee(in, stage->fds[1], length < FILES_PIPE ? length : FILES_PIPE, flags & SPLICE_F_NONBLOCK);
    if (seen > 0)
        seen = sock_real()->read(stage->fds[0], stage->bytes, (size_t)seen);
    if (seen <= 0)
        return seen;
    struct iovec part = {stage->bytes, (size_t)seen};
    ssize_t sent = cor_conn_write(conn, out, &part, 1, flags & SPLICE_F_NONBLOCK ? MSG_DONTWAIT : 0);
    return sent > 0 ? sock_real()->read(in, stage->bytes, (size_t)sent) : sent;
}

static void files_keep_young(int fd)
{
    SOCK_HELD cor_conn *conn = sock_get(fd);
    if (conn && cor_conn_keep_young(conn))
        cor_net_note(sock_net_if_any(), COR_NET_WHY_SPLICE);
}

/* Pages cannot be moved through the ring. What is wrong the kernel refuses before it moves any. */
SOCK_EXPORT ssize_t splice(int in, off_t *in_offset_p, int out, off_t *out_offset_p, size_t length, unsigned flags)
{
    /* A young connection stays one that can be spliced. */
    files_keep_young(in);
    files_keep_young(out);
    SOCK_HELD cor_conn *from = sock_get(in);
    SOCK_HELD cor_conn *to = from ? NULL : sock_get(out);
    if ((!from && !to) || in_offset_p || out_offset_p || length == 0 || !files_is_pipe(from ? out : in))
        return sock_real()->splice(in, in_offset_p, out, out_offset_p, length, flags);
    int saved = errno;
    return files_done(from ? files_to_pipe(from, in, out, length, flags) : files_from_pipe(to, in, out, length, flags),
                      saved);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* From a file to a connection, by a copy. `from` is where to begin; what the connection took is returned. */
static ssize_t files_send_by(cor_conn *conn, int out, int in, off_t from, size_t count, char *buffer, size_t room)
{
    size_t done = 0;
    while (done < count) {
        ssize_t got = pread(in, buffer, count - done < room ? count - done : room, from + (off_t)done);
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

static void files_free(char **memory_p)
{
    free(*memory_p);
}

/* Threads and coroutines have small stacks. */
static ssize_t files_send(cor_conn *conn, int out, int in, off_t from, size_t count)
{
    char few[FILES_SHORT];
    __attribute__((cleanup(files_free))) char *many = count > FILES_SHORT ? malloc(FILES_COPY) : NULL;
    return files_send_by(conn, out, in, from, count, many ? many : few, many ? FILES_COPY : FILES_SHORT);
}

static ssize_t files_send_from(cor_conn *conn, int out, int in, off_t *offset_p, size_t count)
{
    off_t from = offset_p ? *offset_p : lseek(in, 0, SEEK_CUR);
    ssize_t rc = from < 0 ? -1 : files_send(conn, out, in, from, count);
    if (rc > 0 && offset_p)
        *offset_p = from + rc;
    else if (rc > 0)
        lseek(in, from + rc, SEEK_SET);
    if (rc < 0 && errno == ESPIPE && !offset_p)
        errno = EINVAL; /* as the kernel has it */
    return rc;
}

SOCK_EXPORT ssize_t sendfile(int out, int in, off_t *offset_p, size_t count)
{
    SOCK_HELD cor_conn *to = offset_p && sock_is_bad(offset_p, sizeof *offset_p) ? NULL : sock_get(out);
    int saved = errno;
    if (to)
        cor_conn_look_due(to, out);
    if (to && cor_conn_enter(to)) {
        ssize_t sent = sock_real()->sendfile(out, in, offset_p, count);
        cor_conn_count(to, sent, 1);
        cor_conn_leave(to);
        return sent;
    }
    if (to)
        return files_done(files_send_from(to, out, in, offset_p, count), saved);
    SOCK_HELD cor_conn *from = sock_get(in);
    if (from && !offset_p && count > 0 && files_is_pipe(out)) /* newer kernels do that */
        return files_done(files_to_pipe(from, in, out, count, 0), saved);
    return sock_real()->sendfile(out, in, offset_p, count);
}

SOCK_EXPORT ssize_t sendfile64(int out, int in, off64_t *offset_p, size_t count)
{
    _Static_assert(sizeof(off_t) == sizeof(off64_t), "one sendfile");
    return sendfile(out, in, (off_t *)offset_p, count);
}
