/* SPDX-License-Identifier: Apache-2.0 */
/* Input and output that goes on beside the program, by threads of libc, by the kernel, or by rings of io_uring: TCP. */
#define _GNU_SOURCE
#include "net/preload/sock.h"

#include <aio.h>
#include <dirent.h>
#include <linux/aio_abi.h>
#include <stdatomic.h>
#include <string.h>

/* ---- POSIX ------------------------------------------------------------------------------------------------------ */

static void aio_prepare(const struct aiocb *block)
{
    if (block && !sock_is_bad(block, sizeof *block))
        sock_make_plain(block->aio_fildes, COR_NET_WHY_AIO, "asynchronous input or output");
}

SOCK_EXPORT int aio_read(struct aiocb *block)
{
    aio_prepare(block);
    return sock_late()->aio_read(block);
}

SOCK_EXPORT int aio_write(struct aiocb *block)
{
    aio_prepare(block);
    return sock_late()->aio_write(block);
}

SOCK_EXPORT int lio_listio(int mode, struct aiocb *const list[], int count, struct sigevent *event)
{
    for (int i = 0; i < count; i++)
        aio_prepare(list[i]);
    return sock_late()->lio_listio(mode, list, count, event);
}

_Static_assert(sizeof(off_t) == sizeof(off64_t), "one struct aiocb");

SOCK_EXPORT int aio_read64(struct aiocb64 *block)
{
    return aio_read((struct aiocb *)block);
}

SOCK_EXPORT int aio_write64(struct aiocb64 *block)
{
    return aio_write((struct aiocb *)block);
}

SOCK_EXPORT int lio_listio64(int mode, struct aiocb64 *const list[], int count, struct sigevent *event)
{
    return lio_listio(mode, (struct aiocb *const *)list, count, event);
}

/* ---- of the kernel ---------------------------------------------------------------------------------------------- */

void sock_prepare_iocbs(long count, struct iocb **blocks)
{
    if (!sock_net_if_any() || count <= 0 || sock_is_bad(blocks, (size_t)count * sizeof *blocks))
        return;
    for (long i = 0; i < count; i++)
        if (!sock_is_bad(blocks[i], sizeof **blocks))
            sock_make_plain((int)blocks[i]->aio_fildes, COR_NET_WHY_AIO, "asynchronous input or output");
}

/* libaio's function, which is the system call and returns its error. The library itself may be loaded later. */
SOCK_EXPORT int io_submit(void *context, long count, struct iocb **blocks);
SOCK_EXPORT int io_submit(void *context, long count, struct iocb **blocks)
{
    int saved = errno;
    sock_prepare_iocbs(count, blocks);
    long rc = sock_real()->syscall(SYS_io_submit, context, count, blocks);
    rc = rc < 0 ? -errno : rc;
    errno = saved;
    return (int)rc;
}

/* ---- io_uring --------------------------------------------------------------------------------------------------- */

/* A program that has liburing inside itself makes system calls that none sees. Its rings are among its descriptors. */
static int uring_is_there(void)
{
    DIR *list = opendir("/proc/self/fd");
    const struct dirent *entry;
    int is_found = 0;
    while (list && !is_found && (entry = readdir(list)) != NULL) {
        char target[32];
        ssize_t length = readlinkat(dirfd(list), entry->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        is_found = strcmp(target, "anon_inode:[io_uring]") == 0;
    }
    if (list)
        closedir(list);
    return is_found;
}

enum { URING_FIRST_LOOKS = 8 };

/* Programs make their rings before they have many connections: a look costs as much as there are descriptors, so the
 * more there have been the rarer it is. */
void sock_look_for_uring(cor_net *net)
{
    static _Atomic unsigned connections;
    if (cor_net_is_stopped(net))
        return;
    unsigned count = atomic_fetch_add_explicit(&connections, 1, memory_order_relaxed);
    int saved = errno;
    if ((count < URING_FIRST_LOOKS || (count & (count - 1)) == 0) && uring_is_there())
        sock_stop("the program uses io_uring");
    errno = saved;
}
