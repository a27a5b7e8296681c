/* SPDX-License-Identifier: Apache-2.0 */
/* Other images: a connection that a new image, or a filter of system calls, would not find again goes back to TCP. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "net/preload/sock.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

extern char **environ;

/* ---- before another image --------------------------------------------------------------------------------------- */

typedef struct exec_reason {
    const char *name;
    uint64_t limit_ns; /* for all connections together */
    int is_own;        /* this process becomes the other image */
} exec_reason;

static void exec_prepare_one(int fd, cor_conn *conn, void *context)
{
    const exec_reason *reason = context;
    int flags = net_sys_fcntl(fd, F_GETFD, 0);
    if (flags < 0)
        return;
    if (flags & FD_CLOEXEC) {
        /* It ends with this image, which would leave the link of an offer behind; after vfork it is the parent's. */
        if (reason->is_own && !sock_is_borrowed()) {
            cor_conn_abandon(conn);
            cor_conn_flush(conn, fd, 0);
        }
        return;
    }
    uint64_t now = cor_clock_ns();
    sock_withdraw_found(conn, fd, COR_NET_WHY_IMAGE, reason->name,
                        now < reason->limit_ns ? (int)((reason->limit_ns - now) / 1000000) : 0);
}

/* The new image gets every descriptor that is not close-on-exec, up to `last`, and finds no connection of ours behind
 * it. Peers that answer do so at once; those that do not are waited for together. */
static void exec_prepare_until(int last, const char *name, int is_own)
{
    int saved = errno;
    if (sock_net_if_any()) {
        exec_reason reason = {name, cor_clock_ns() + COR_NET_PATIENCE_MS * (uint64_t)1000000, is_own};
        sock_each(0, last, exec_prepare_one, &reason);
    }
    errno = saved;
}

static void exec_prepare(const char *name)
{
    exec_prepare_until(INT32_MAX, name, 0);
}

static void exec_prepare_own(void)
{
    exec_prepare_until(INT32_MAX, "exec", 1);
}

/* ---- exec ------------------------------------------------------------------------------------------------------- */

SOCK_EXPORT int execve(const char *path, char *const *arguments, char *const *environment)
{
    exec_prepare_own();
    return sock_real()->execve(path, arguments, environment);
}

SOCK_EXPORT int execv(const char *path, char *const *arguments)
{
    exec_prepare_own();
    return sock_real()->execv(path, arguments);
}

SOCK_EXPORT int execvp(const char *file, char *const *arguments)
{
    exec_prepare_own();
    return sock_real()->execvp(file, arguments);
}

SOCK_EXPORT int execvpe(const char *file, char *const *arguments, char *const *environment)
{
    exec_prepare_own();
    return sock_real()->execvpe(file, arguments, environment);
}

SOCK_EXPORT int fexecve(int fd, char *const *arguments, char *const *environment)
{
    exec_prepare_own();
    return sock_real()->fexecve(fd, arguments, environment);
}

SOCK_EXPORT int execveat(int folder, const char *path, char *const *arguments, char *const *environment, int flags)
{
    exec_prepare_own();
    return (int)sock_real()->syscall(SYS_execveat, folder, path, arguments, environment, flags);
}

/* Arguments of a list become an array, with the NULL at its end: on the stack, since a child of vfork, and a handler on
 * a small stack of its own, have no other memory. -1: errno. */
enum { EXEC_FEW = 64, EXEC_MOST = 1024 };

typedef int (*exec_fn)(const char *path, char *const *arguments, char *const *environment);

static int exec_by_list(exec_fn run, const char *path, const char *first, va_list *list, int has_environment, int most,
                        char **arguments)
{
    int count = 0;
    for (const char *next = first; next; next = va_arg(*list, const char *)) {
        if (count == most) {
            errno = E2BIG;
            return -1;
        }
        arguments[count++] = (char *)next;
    }
    arguments[count] = NULL;
    return run(path, arguments, has_environment ? va_arg(*list, char *const *) : environ);
}

__attribute__((noinline)) static int exec_by_long_list(exec_fn run, const char *path, const char *first, va_list *list,
                                                       int has_environment)
{
    char *arguments[EXEC_MOST + 1];
    return exec_by_list(run, path, first, list, has_environment, EXEC_MOST, arguments);
}

__attribute__((noinline)) static int exec_by_short_list(exec_fn run, const char *path, const char *first,
                                                        va_list *list, int has_environment)
{
    char *arguments[EXEC_FEW + 1];
    return exec_by_list(run, path, first, list, has_environment, EXEC_FEW, arguments);
}

static int exec_is_short(const char *first, va_list *list)
{
    int count = 0;
    for (const char *next = first; next && count <= EXEC_FEW; next = va_arg(*list, const char *))
        count++;
    return count <= EXEC_FEW;
}

static int exec_list(exec_fn run, const char *path, const char *first, va_list *list, int has_environment)
{
    va_list again;
    va_copy(again, *list);
    int is_short = exec_is_short(first, &again);
    va_end(again);
    return is_short ? exec_by_short_list(run, path, first, list, has_environment)
                    : exec_by_long_list(run, path, first, list, has_environment);
}

SOCK_EXPORT int execl(const char *path, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    int rc = exec_list(execve, path, first, &list, 0);
    va_end(list);
    return rc;
}

SOCK_EXPORT int execlp(const char *file, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    int rc = exec_list(execvpe, file, first, &list, 0);
    va_end(list);
    return rc;
}

SOCK_EXPORT int execle(const char *path, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    int rc = exec_list(execve, path, first, &list, 1);
    va_end(list);
    return rc;
}

/* ---- what forks and execs inside libc --------------------------------------------------------------------------- */

/* The program by which a JVM starts others. It closes all descriptors but the standard streams before that; the JVM's
 * sockets are not close-on-exec. */
static int exec_closes_all(const char *path)
{
    const char *name = strrchr(path, '/');
    return name && strcmp(name, "/jspawnhelper") == 0;
}

SOCK_EXPORT int posix_spawn(pid_t *child_p, const char *path, const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    exec_prepare_until(exec_closes_all(path) ? STDERR_FILENO : INT32_MAX, "posix_spawn", 0);
    return sock_real()->posix_spawn(child_p, path, actions, attributes, arguments, environment);
}

SOCK_EXPORT int posix_spawnp(pid_t *child_p, const char *file, const posix_spawn_file_actions_t *actions,
                             const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    exec_prepare("posix_spawn");
    return sock_real()->posix_spawnp(child_p, file, actions, attributes, arguments, environment);
}

/* Of newer C libraries. */
SOCK_EXPORT int pidfd_spawn(int *child_p, const char *path, const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment);
SOCK_EXPORT int pidfd_spawn(int *child_p, const char *path, const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    if (!sock_late()->pidfd_spawn)
        return ENOSYS;
    exec_prepare("pidfd_spawn");
    return sock_late()->pidfd_spawn(child_p, path, actions, attributes, arguments, environment);
}

SOCK_EXPORT int pidfd_spawnp(int *child_p, const char *file, const posix_spawn_file_actions_t *actions,
                             const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment);
SOCK_EXPORT int pidfd_spawnp(int *child_p, const char *file, const posix_spawn_file_actions_t *actions,
                             const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    if (!sock_late()->pidfd_spawnp)
        return ENOSYS;
    exec_prepare("pidfd_spawn");
    return sock_late()->pidfd_spawnp(child_p, file, actions, attributes, arguments, environment);
}

/* Runs a shell for what stands in $(...) or `...`. */
SOCK_EXPORT int wordexp(const char *words, wordexp_t *found, int flags)
{
    if (!(flags & WRDE_NOCMD) && strpbrk(words, "$`"))
        exec_prepare("wordexp");
    return sock_real()->wordexp(words, found, flags);
}

/* The copy in the child is not close-on-exec, whatever the original is. */
SOCK_EXPORT int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int from, int to)
{
    sock_make_plain(from, COR_NET_WHY_IMAGE, "posix_spawn");
    return sock_real()->posix_spawn_file_actions_adddup2(actions, from, to);
}

/* NULL asks whether there is a shell. */
SOCK_EXPORT int system(const char *command)
{
    if (command)
        exec_prepare("system");
    return sock_real()->system(command);
}

SOCK_EXPORT FILE *popen(const char *command, const char *mode)
{
    exec_prepare("popen");
    return sock_real()->popen(command, mode);
}

/* ---- filters of system calls ------------------------------------------------------------------------------------ */

SOCK_EXPORT int prctl(int option, ...)
{
    va_list list;
    unsigned long values[4];
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        values[i] = va_arg(list, unsigned long);
    va_end(list);
    if (option == PR_SET_SECCOMP)
        sock_stop("the program filters its system calls");
    return sock_real()->prctl(option, values[0], values[1], values[2], values[3]);
}
