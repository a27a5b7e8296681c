/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls by number: the same as by name, where this library makes them by other names itself (net_sys.h makes the rest,
 * for which a program's syscall() goes to the kernel).
 */
#define _GNU_SOURCE
#include "net/preload/sock.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

typedef long syscall_words[6];

/* ---- forks ------------------------------------------------------------------------------------------------------ */

/* A child with memory of its own, which goes on from here. */
static int syscall_is_fork(long number, const long *words)
{
#ifdef SYS_fork
    if (number == SYS_fork)
        return 1;
#endif
    if (number == SYS_clone)
        return !(words[0] & (CLONE_VM | CLONE_FILES)) && words[1] == 0;
#ifdef SYS_clone3
    if (number == SYS_clone3 && !sock_is_bad((const void *)words[0], sizeof(uint64_t)))
        return !(*(const uint64_t *)words[0] & (CLONE_VM | CLONE_FILES));
#endif
    return 0;
}

static long syscall_fork(long number, const long *words)
{
    sock_before_fork();
    long rc = sock_real()->syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    int saved = errno;
    sock_after_fork(rc == 0);
    errno = saved;
    return rc;
}

/* ---- what has a name -------------------------------------------------------------------------------------------- */

#define SYSCALL_AT(type, i) ((type)words[i])

/* 1: *rc_p is the result. */
static int syscall_by_name(long number, const long *words, long *rc_p)
{
    int fd = (int)words[0];
    switch (number) {
    case SYS_read:
        *rc_p = read(fd, SYSCALL_AT(void *, 1), SYSCALL_AT(size_t, 2));
        return 1;
    case SYS_write:
        *rc_p = write(fd, SYSCALL_AT(const void *, 1), SYSCALL_AT(size_t, 2));
        return 1;
    case SYS_readv:
        *rc_p = readv(fd, SYSCALL_AT(const struct iovec *, 1), SYSCALL_AT(int, 2));
        return 1;
    case SYS_writev:
        *rc_p = writev(fd, SYSCALL_AT(const struct iovec *, 1), SYSCALL_AT(int, 2));
        return 1;
    case SYS_recvmmsg:
        *rc_p = recvmmsg(fd, SYSCALL_AT(struct mmsghdr *, 1), SYSCALL_AT(unsigned, 2), SYSCALL_AT(int, 3),
                         SYSCALL_AT(struct timespec *, 4));
        return 1;
    case SYS_sendmmsg:
        *rc_p = sendmmsg(fd, SYSCALL_AT(struct mmsghdr *, 1), SYSCALL_AT(unsigned, 2), SYSCALL_AT(int, 3));
        return 1;
    case SYS_sendfile:
        *rc_p = sendfile(fd, SYSCALL_AT(int, 1), SYSCALL_AT(off_t *, 2), SYSCALL_AT(size_t, 3));
        return 1;
    case SYS_splice:
        *rc_p = splice(fd, SYSCALL_AT(off_t *, 1), SYSCALL_AT(int, 2), SYSCALL_AT(off_t *, 3), SYSCALL_AT(size_t, 4),
                       SYSCALL_AT(unsigned, 5));
        return 1;
    case SYS_preadv2: /* the offset has two words */
        *rc_p = preadv2(fd, SYSCALL_AT(const struct iovec *, 1), SYSCALL_AT(int, 2), words[3], SYSCALL_AT(int, 5));
        return 1;
    case SYS_pwritev2:
        *rc_p = pwritev2(fd, SYSCALL_AT(const struct iovec *, 1), SYSCALL_AT(int, 2), words[3], SYSCALL_AT(int, 5));
        return 1;
    case SYS_accept:
        *rc_p = accept(fd, SYSCALL_AT(struct sockaddr *, 1), SYSCALL_AT(socklen_t *, 2));
        return 1;
    case SYS_dup:
        *rc_p = dup(fd);
        return 1;
    case SYS_dup3:
        *rc_p = dup3(fd, SYSCALL_AT(int, 1), SYSCALL_AT(int, 2));
        return 1;
#ifdef SYS_close_range
    case SYS_close_range:
        *rc_p = close_range(SYSCALL_AT(unsigned, 0), SYSCALL_AT(unsigned, 1), SYSCALL_AT(int, 2));
        return 1;
#endif
    case SYS_epoll_ctl:
        *rc_p = epoll_ctl(fd, SYSCALL_AT(int, 1), SYSCALL_AT(int, 2), SYSCALL_AT(struct epoll_event *, 3));
        return 1;
    case SYS_epoll_pwait:
        *rc_p = epoll_pwait(fd, SYSCALL_AT(struct epoll_event *, 1), SYSCALL_AT(int, 2), SYSCALL_AT(int, 3),
                            SYSCALL_AT(const sigset_t *, 4));
        return 1;
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
        *rc_p = epoll_pwait2(fd, SYSCALL_AT(struct epoll_event *, 1), SYSCALL_AT(int, 2),
                             SYSCALL_AT(const struct timespec *, 3), SYSCALL_AT(const sigset_t *, 4));
        return 1;
#endif
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
        *rc_p = epoll_wait(fd, SYSCALL_AT(struct epoll_event *, 1), SYSCALL_AT(int, 2), SYSCALL_AT(int, 3));
        return 1;
    case SYS_dup2:
        *rc_p = dup2(fd, SYSCALL_AT(int, 1));
        return 1;
    case SYS_poll:
        *rc_p = poll(SYSCALL_AT(struct pollfd *, 0), SYSCALL_AT(nfds_t, 1), SYSCALL_AT(int, 2));
        return 1;
#endif
    case SYS_execve:
        *rc_p = execve(SYSCALL_AT(const char *, 0), SYSCALL_AT(char *const *, 1), SYSCALL_AT(char *const *, 2));
        return 1;
    case SYS_execveat:
        *rc_p = execveat(fd, SYSCALL_AT(const char *, 1), SYSCALL_AT(char *const *, 2), SYSCALL_AT(char *const *, 3),
                         SYSCALL_AT(int, 4));
        return 1;
    default:
        return 0;
    }
}

SOCK_EXPORT long syscall(long number, ...)
{
    va_list list;
    syscall_words words;
    long rc;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    if (syscall_by_name(number, words, &rc))
        return rc;
    if (syscall_is_fork(number, words))
        return syscall_fork(number, words);
    if (number == SYS_seccomp && words[0] != SECCOMP_GET_ACTION_AVAIL)
        sock_stop("the program filters its system calls");
    else if (number == SYS_io_uring_setup)
        sock_stop("the program uses io_uring");
    else if (number == SYS_io_submit)
        sock_prepare_iocbs(words[1], (struct iocb **)words[2]);
    return sock_real()->syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
