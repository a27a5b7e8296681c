/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls by number: a program that makes them so, as libuv closes descriptors, gets what it gets by name. This
 * library's own are the kernel's: the linker calls __wrap_syscall for them.
 */
#define _GNU_SOURCE
#include "net/preload/sock.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
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
    if (rc < 0)
        sock_fork_failed();
    return rc;
}

/* ---- what has a name -------------------------------------------------------------------------------------------- */

#define SYSCALL_AT(type, i) ((type)words[i])

/* Life, options, and descriptors. 1: *rc_p is the result. */
static int syscall_of_life(long number, const long *words, long *rc_p)
{
    int fd = (int)words[0];
    switch (number) {
    case SYS_connect:
        *rc_p = connect(fd, SYSCALL_AT(const struct sockaddr *, 1), SYSCALL_AT(socklen_t, 2));
        return 1;
    case SYS_listen:
        *rc_p = listen(fd, SYSCALL_AT(int, 1));
        return 1;
    case SYS_accept:
        *rc_p = accept(fd, SYSCALL_AT(struct sockaddr *, 1), SYSCALL_AT(socklen_t *, 2));
        return 1;
    case SYS_accept4:
        *rc_p = accept4(fd, SYSCALL_AT(struct sockaddr *, 1), SYSCALL_AT(socklen_t *, 2), SYSCALL_AT(int, 3));
        return 1;
    case SYS_close:
        *rc_p = close(fd);
        return 1;
#ifdef SYS_close_range
    case SYS_close_range:
        *rc_p = close_range(SYSCALL_AT(unsigned, 0), SYSCALL_AT(unsigned, 1), SYSCALL_AT(int, 2));
        return 1;
#endif
    case SYS_shutdown:
        *rc_p = shutdown(fd, SYSCALL_AT(int, 1));
        return 1;
    case SYS_dup:
        *rc_p = dup(fd);
        return 1;
#ifdef SYS_dup2
    case SYS_dup2:
        *rc_p = dup2(fd, SYSCALL_AT(int, 1));
        return 1;
#endif
    case SYS_dup3:
        *rc_p = dup3(fd, SYSCALL_AT(int, 1), SYSCALL_AT(int, 2));
        return 1;
    case SYS_fcntl:
        *rc_p = fcntl(fd, SYSCALL_AT(int, 1), words[2]);
        return 1;
    case SYS_ioctl:
        *rc_p = ioctl(fd, SYSCALL_AT(unsigned long, 1), words[2]);
        return 1;
    case SYS_setsockopt:
        *rc_p = setsockopt(fd, SYSCALL_AT(int, 1), SYSCALL_AT(int, 2), SYSCALL_AT(const void *, 3),
                           SYSCALL_AT(socklen_t, 4));
        return 1;
    case SYS_getsockopt:
        *rc_p =
            getsockopt(fd, SYSCALL_AT(int, 1), SYSCALL_AT(int, 2), SYSCALL_AT(void *, 3), SYSCALL_AT(socklen_t *, 4));
        return 1;
    default:
        return 0;
    }
}

/* Waits. The kernel's own forms of them have the length of a mask besides, and may store the time that is left. */
static int syscall_of_waits(long number, const long *words, long *rc_p)
{
    int fd = (int)words[0];
    switch (number) {
#ifdef SYS_epoll_create
    case SYS_epoll_create:
        *rc_p = epoll_create(fd);
        return 1;
#endif
    case SYS_epoll_create1:
        *rc_p = epoll_create1(fd);
        return 1;
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
#endif
#ifdef SYS_poll
    case SYS_poll:
        *rc_p = poll(SYSCALL_AT(struct pollfd *, 0), SYSCALL_AT(nfds_t, 1), SYSCALL_AT(int, 2));
        return 1;
#endif
#ifdef SYS_select
    case SYS_select:
        *rc_p = select(fd, SYSCALL_AT(fd_set *, 1), SYSCALL_AT(fd_set *, 2), SYSCALL_AT(fd_set *, 3),
                       SYSCALL_AT(struct timeval *, 4));
        return 1;
#endif
    case SYS_ppoll:
        *rc_p = ppoll(SYSCALL_AT(struct pollfd *, 0), SYSCALL_AT(nfds_t, 1), SYSCALL_AT(const struct timespec *, 2),
                      SYSCALL_AT(const sigset_t *, 3));
        return 1;
    case SYS_pselect6:
        if (sock_is_bad((const void *)words[5], 2 * sizeof(long)) && words[5])
            return 0;
        *rc_p = pselect(fd, SYSCALL_AT(fd_set *, 1), SYSCALL_AT(fd_set *, 2), SYSCALL_AT(fd_set *, 3),
                        SYSCALL_AT(const struct timespec *, 4), words[5] ? *(const sigset_t *const *)words[5] : NULL);
        return 1;
    default:
        return 0;
    }
}

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
    case SYS_recvfrom:
        *rc_p = recvfrom(fd, SYSCALL_AT(void *, 1), SYSCALL_AT(size_t, 2), SYSCALL_AT(int, 3),
                         SYSCALL_AT(struct sockaddr *, 4), SYSCALL_AT(socklen_t *, 5));
        return 1;
    case SYS_sendto:
        *rc_p = sendto(fd, SYSCALL_AT(const void *, 1), SYSCALL_AT(size_t, 2), SYSCALL_AT(int, 3),
                       SYSCALL_AT(const struct sockaddr *, 4), SYSCALL_AT(socklen_t, 5));
        return 1;
    case SYS_recvmsg:
        *rc_p = recvmsg(fd, SYSCALL_AT(struct msghdr *, 1), SYSCALL_AT(int, 2));
        return 1;
    case SYS_sendmsg:
        *rc_p = sendmsg(fd, SYSCALL_AT(const struct msghdr *, 1), SYSCALL_AT(int, 2));
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
    case SYS_execve:
        *rc_p = execve(SYSCALL_AT(const char *, 0), SYSCALL_AT(char *const *, 1), SYSCALL_AT(char *const *, 2));
        return 1;
    case SYS_execveat:
        *rc_p = execveat(fd, SYSCALL_AT(const char *, 1), SYSCALL_AT(char *const *, 2), SYSCALL_AT(char *const *, 3),
                         SYSCALL_AT(int, 4));
        return 1;
    default:
        return syscall_of_life(number, words, rc_p) || syscall_of_waits(number, words, rc_p);
    }
}

long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    va_list list;
    syscall_words words;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    return sock_real()->syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
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
    if ((number == SYS_seccomp && words[0] != SECCOMP_GET_ACTION_AVAIL) ||
        (number == SYS_prctl && words[0] == PR_SET_SECCOMP))
        sock_stop("the program filters its system calls");
    else if (number == SYS_io_uring_setup)
        sock_stop("the program uses io_uring");
    else if (number == SYS_io_submit)
        sock_prepare_iocbs(words[1], (struct iocb **)words[2]);
    return sock_real()->syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
