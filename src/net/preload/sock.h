/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the preloaded library keeps of its process: the functions of libc that it stands before, and a connection for
 * each descriptor that has one. This is the one place with global state, because the functions of libc have no argument
 * for it.
 */
#ifndef COR_NET_PRELOAD_SOCK_H
#define COR_NET_PRELOAD_SOCK_H

#include "base/cpu.h"
#include "net/net.h"
#include "net/net_sys.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <wordexp.h>

struct aiocb;
struct iocb;

#define SOCK_EXPORT __attribute__((visibility("default")))

/* X(result, name, parameters) */
#define SOCK_REAL_LIST(X)                                                                                             \
    X(ssize_t, read, (int, void *, size_t))                                                                           \
    X(ssize_t, write, (int, const void *, size_t))                                                                    \
    X(ssize_t, readv, (int, const struct iovec *, int))                                                               \
    X(ssize_t, writev, (int, const struct iovec *, int))                                                              \
    X(ssize_t, recv, (int, void *, size_t, int))                                                                      \
    X(ssize_t, send, (int, const void *, size_t, int))                                                                \
    X(ssize_t, recvfrom, (int, void *, size_t, int, struct sockaddr *, socklen_t *))                                  \
    X(ssize_t, sendto, (int, const void *, size_t, int, const struct sockaddr *, socklen_t))                          \
    X(ssize_t, recvmsg, (int, struct msghdr *, int))                                                                  \
    X(ssize_t, sendmsg, (int, const struct msghdr *, int))                                                            \
    X(int, recvmmsg, (int, struct mmsghdr *, unsigned, int, struct timespec *))                                       \
    X(int, sendmmsg, (int, struct mmsghdr *, unsigned, int))                                                          \
    X(ssize_t, sendfile, (int, int, off_t *, size_t))                                                                 \
    X(ssize_t, splice, (int, off_t *, int, off_t *, size_t, unsigned))                                                \
    X(int, connect, (int, const struct sockaddr *, socklen_t))                                                        \
    X(int, listen, (int, int))                                                                                        \
    X(int, accept, (int, struct sockaddr *, socklen_t *))                                                             \
    X(int, accept4, (int, struct sockaddr *, socklen_t *, int))                                                       \
    X(int, close, (int))                                                                                              \
    X(int, dup, (int))                                                                                                \
    X(int, dup2, (int, int))                                                                                          \
    X(int, dup3, (int, int, int))                                                                                     \
    X(int, fcntl, (int, int, ...))                                                                                    \
    X(int, ioctl, (int, unsigned long, ...))                                                                          \
    X(int, shutdown, (int, int))                                                                                      \
    X(int, getsockopt, (int, int, int, void *, socklen_t *))                                                          \
    X(int, setsockopt, (int, int, int, const void *, socklen_t))                                                      \
    X(int, poll, (struct pollfd *, nfds_t, int))                                                                      \
    X(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))                               \
    X(int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *))                                             \
    X(int, pselect, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))                   \
    X(int, epoll_create, (int))                                                                                       \
    X(int, epoll_create1, (int))                                                                                      \
    X(int, epoll_ctl, (int, int, int, struct epoll_event *))                                                          \
    X(int, epoll_wait, (int, struct epoll_event *, int, int))                                                         \
    X(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))                                      \
    X(ssize_t, preadv2, (int, const struct iovec *, int, off_t, int))                                                 \
    X(ssize_t, pwritev2, (int, const struct iovec *, int, off_t, int))                                                \
    X(pid_t, fork, (void))                                                                                            \
    X(int, clone, (int (*)(void *), void *, int, void *, ...))                                                        \
    X(int, execve, (const char *, char *const *, char *const *))                                                      \
    X(int, execv, (const char *, char *const *))                                                                      \
    X(int, execvp, (const char *, char *const *))                                                                     \
    X(int, execvpe, (const char *, char *const *, char *const *))                                                     \
    X(int, wordexp, (const char *, wordexp_t *, int))                                                                 \
    X(int, fexecve, (int, char *const *, char *const *))                                                              \
    X(int, posix_spawn,                                                                                               \
      (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,           \
       char *const *))                                                                                                \
    X(int, posix_spawnp,                                                                                              \
      (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,           \
       char *const *))                                                                                                \
    X(int, posix_spawn_file_actions_adddup2, (posix_spawn_file_actions_t *, int, int))                                \
    X(int, system, (const char *))                                                                                    \
    X(FILE *, popen, (const char *, const char *))                                                                    \
    X(FILE *, fdopen, (int, const char *))                                                                            \
    X(int, vdprintf, (int, const char *, va_list))                                                                    \
    X(int, prctl, (int, ...))                                                                                         \
    X(long, syscall, (long, ...))

typedef struct sock_reals {
#define SOCK_REAL_FIELD(result, name, parameters) result(*name) parameters;
    SOCK_REAL_LIST(SOCK_REAL_FIELD)
#undef SOCK_REAL_FIELD
} sock_reals;

/* Those that some C libraries lack. An allocator of memory that is being set up calls some of the others; to look for
 * what is not there needs memory. */
#define SOCK_LATE_LIST(X)                                                                                             \
    X(int, aio_read, (struct aiocb *))                                                                                \
    X(int, aio_write, (struct aiocb *))                                                                               \
    X(int, lio_listio, (int, struct aiocb *const *, int, struct sigevent *))                                          \
    X(pid_t, _Fork, (void))                                                                                           \
    X(int, pidfd_spawn,                                                                                               \
      (int *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,             \
       char *const *))                                                                                                \
    X(int, pidfd_spawnp,                                                                                              \
      (int *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,             \
       char *const *))                                                                                                \
    X(int, close_range, (unsigned, unsigned, int))                                                                    \
    X(int, epoll_pwait2, (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))

typedef struct sock_lates {
#define SOCK_LATE_FIELD(result, name, parameters) result(*name) parameters;
    SOCK_LATE_LIST(SOCK_LATE_FIELD)
#undef SOCK_LATE_FIELD
} sock_lates;

/* Likewise; NULL: there is none of this name. */
const sock_lates *sock_late(void);
/* The functions of libc, found at the first call of any. */
const sock_reals *sock_real(void);

/* The process's fast sockets; created at the first call, which is the first connection. NULL: it has none. */
cor_net *sock_net(void);
/* No connection is fast from now on: no new one will be, and those that are return to TCP. */
void sock_stop(const char *reason);
/* After that: the program's system calls may be filtered, so that it dies of one that it does not make itself. */
int sock_is_stopped(void);
/* Around a fork of this memory, by whichever call: before it, and after it in both processes. */
void sock_before_fork(void);
void sock_after_fork(int is_child);
/* By the same thread, after that: no child was made. */
void sock_fork_failed(void);
/* Before io_submit. */
void sock_prepare_iocbs(long count, struct iocb **blocks);
/* cor_net_on_move: the descriptor is still this connection's, and epoll sets have it so that they understand bells. */
int sock_before_move(cor_conn *conn, int fd, int is_sure);
/* Before a connection is made fast: does the program use io_uring, by calls that none sees? Then no connection is. */
void sock_look_for_uring(cor_net *net);
/* 1: this process runs in the memory of its parent, after vfork. What it does to its descriptors must not be noted: the
 * parent's are as they were. */
int sock_is_borrowed(void);
/* As sock_net, but not created here. */
cor_net *sock_net_if_any(void);

/* ---- pointers --------------------------------------------------------------------------------------------------- */

enum { SOCK_FIRST_PAGE = 4096 };
#if defined __aarch64__
#define SOCK_KERNEL_HALF (UINT64_C(1) << 55) /* the byte above may be a tag */
#else
#define SOCK_KERNEL_HALF (UINT64_C(1) << 63)
#endif

/* 1: no program has memory there: NULL and what is near it, (void *)-1, a length that goes round. Then the kernel is
 * given the call, which says EFAULT. Other addresses without memory are not told from good ones, and used. */
static inline int sock_is_bad(const void *memory, size_t length)
{
    uintptr_t from = (uintptr_t)memory;
    return COR_UNLIKELY(from < SOCK_FIRST_PAGE || (from & SOCK_KERNEL_HALF) || from + length < from) && length > 0;
}

/* ---- descriptors ------------------------------------------------------------------------------------------------ */

/* The connection of a descriptor, with a reference, or NULL: plain. Budget for a plain one: two loads. */
cor_conn *sock_get(int fd);
/* Of a variable with the reference of a call that may wait: it is given back at the end, also that of a cancelled
 * thread. */
#define SOCK_HELD __attribute__((cleanup(sock_give_back)))
static inline void sock_give_back(cor_conn **conn_p)
{
    if (*conn_p)
        cor_conn_unref(*conn_p);
}
/* If the connection has become plain, and no call of others is inside: the descriptor has it no more. The caller has
 * one reference, which stays its own. */
void sock_drop_if_plain(int fd, cor_conn *conn);
/* Takes over the reference. */
void sock_set(int fd, cor_conn *conn);
/* The descriptor is closed or something else now; the connection that it had, with a reference, or NULL. Nothing
 * happens after vfork. */
cor_conn *sock_forget(int fd);
/* A listening socket that was announced. Takes no lock: a signal's handler may close what is none. */
int sock_is_listener(int fd);
void sock_note_listener(int fd, int is_one);
/* Call `each` for every descriptor that has a connection, up to `last`. */
void sock_each(int first, int last, void (*each)(int fd, cor_conn *conn, void *context), void *context);
/* Back to TCP, with a line in the log where that fails, which says before what it was to happen. */
void sock_withdraw(cor_conn *conn, int fd, cor_net_why why, const char *before);
/* The same for a descriptor that may have a connection. 0: it has one that could not return. */
int sock_make_plain(int fd, cor_net_why why, const char *before);
/* The same with a descriptor that the caller did not get from the program: another thread may close it at any moment,
 * and then nothing happens. Waits for the peer at most so long. */
void sock_withdraw_found(cor_conn *conn, int fd, cor_net_why why, const char *before, int patience_ms);
/* The descriptor is one of the library's own. */
int sock_is_own(int fd);
/* The program puts a file of its own there. */
void sock_make_way(int fd);
/* The lowest of these that is `from` or above; -1: none. */
int sock_next_own(int from);

/* ---- poll ------------------------------------------------------------------------------------------------------- */

/* 1: done, *rc_p is the result; 0: no descriptor of these is fast. A negative time: no limit. */
int sock_poll(struct pollfd *fds, nfds_t count, int64_t timeout_ns, const sigset_t *mask, int *rc_p);
/* The kernel refuses it. */
int sock_time_is_wrong(const struct timespec *timeout);
int64_t sock_time_ns(const struct timespec *timeout);

/* ---- epoll ------------------------------------------------------------------------------------------------------ */

/* A descriptor becomes fast, becomes plain, or is closed. 0: a handler of a signal has interrupted what it would have
 * to wait for, and the descriptor may not become fast now. */
int sock_epoll_upgrade(int fd, cor_conn *conn);
void sock_epoll_downgrade(int fd);
void sock_epoll_forget(int fd);
/* The same of all descriptors from `first` to `last`. */
void sock_epoll_forget_range(int first, int last);
/* `to` is a second descriptor of the set of `from`, if that is one. */
void sock_epoll_share(int from, int to);
/* Is it a set, or a member of one? Takes no lock. */
int sock_epoll_knows(int fd);
void sock_epoll_before_fork(void);
void sock_epoll_after_fork(void);
/* An epoll set that another thread's wait looks at from outside: 1 if it has something, else armed. *limit_ms_p is
 * lowered where a member may get something that no bell tells of: look again after that time. */
int sock_epoll_is_ready(int fd, int *limit_ms_p);
typedef struct sock_epoll sock_epoll;
enum { SOCK_EPOLL_RELIES = 32 };
/* A thread that is about to sleep on these sets until they have something. */
typedef struct sock_epoll_sleeper {
    sock_epoll *set; /* in whose wait it is counted; NULL: in none */
    sock_epoll *sets[SOCK_EPOLL_RELIES];
    int count;
} sock_epoll_sleeper;
/* The set of an epoll descriptor; NULL: it was made by a way that we do not see, and nothing was put into it yet. */
sock_epoll *sock_epoll_find(int fd);
/* It will look no more by itself: it is woken when a member comes to need that. After this it looks once more. Returns
 * -1; or, where there are too many sets, the time after which it must look all the same. */
int sock_epoll_rely(sock_epoll_sleeper *me, sock_epoll *set);
void sock_epoll_rely_no_more(sock_epoll_sleeper *me);

#endif
