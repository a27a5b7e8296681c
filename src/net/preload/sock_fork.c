/* SPDX-License-Identifier: Apache-2.0 */
/* Forks of which pthread_atfork tells nothing, and those that fail, of which it tells as of others. */
#define _GNU_SOURCE
#include "net/preload/sock.h"

#include <sched.h>
#include <stdarg.h>

SOCK_EXPORT pid_t _Fork(void)
{
    if (!sock_late()->_Fork) {
        errno = ENOSYS;
        return -1;
    }
    sock_before_fork();
    pid_t child = sock_late()->_Fork();
    int saved = errno;
    sock_after_fork(child == 0);
    errno = saved;
    if (child < 0)
        sock_fork_failed();
    return child;
}

SOCK_EXPORT pid_t fork(void)
{
    pid_t child = sock_real()->fork();
    if (child < 0)
        sock_fork_failed();
    return child;
}

/* What the child runs, in a copy of the parent's memory: this too is in it. */
typedef struct fork_start {
    int (*run)(void *);
    void *argument;
} fork_start;

static int fork_begin(void *argument)
{
    const fork_start *start = argument;
    sock_after_fork(1);
    return start->run(start->argument);
}

/* Threads, and children that share memory or descriptors, are as after vfork. */
SOCK_EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
    va_list list;
    void *more[3];
    va_start(list, argument);
    for (int i = 0; i < 3; i++)
        more[i] = va_arg(list, void *);
    va_end(list);
    if ((flags & (CLONE_VM | CLONE_FILES)) || !run || !stack)
        return sock_real()->clone(run, stack, flags, argument, more[0], more[1], more[2]);
    fork_start start = {run, argument};
    sock_before_fork();
    int child = sock_real()->clone(fork_begin, stack, flags, &start, more[0], more[1], more[2]);
    int saved = errno;
    sock_after_fork(0);
    errno = saved;
    if (child < 0)
        sock_fork_failed();
    return child;
}
