/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PROCESS_STAT_BYTES = 1024, PROCESS_PATH_MAX = 64 };

typedef struct process_state {
    char state;
    int parent;
    long threads;
    unsigned long long started; /* in ticks since boot */
} process_state;

/* Read a file of /proc about a process. Returns 0: there is none. */
static int process_read(const char *path, process_state *process_p)
{
    char text[PROCESS_STAT_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    text[length > 0 ? length : 0] = 0;
    /* The name is set by the program and may contain anything, but it ends at the last bracket. */
    const char *rest = strrchr(text, ')');
    return rest && sscanf(rest, ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu",
                          &process_p->state, &process_p->parent, &process_p->threads, &process_p->started) == 4;
}

uint64_t cor_process_started(void)
{
    process_state own;
    char path[PROCESS_PATH_MAX];
    /* An emulator of another processor fakes /proc/self/stat, so other processes would read another start time. The
     * file of the first thread, which is as old, comes from the kernel. */
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)getpid(), (int)getpid());
    return process_read(path, &own) ? own.started : 0;
}

/* A zombie has ended too, unless only its first thread has. */
static int process_has_ended(const process_state *process)
{
    return (process->state == 'Z' || process->state == 'X') && process->threads <= 1;
}

int cor_process_is_gone(pid_t pid, uint64_t started)
{
    process_state now;
    char path[PROCESS_PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (process_read(path, &now))
        return process_has_ended(&now) || (started != 0 && now.started != started);
    /* The process could not read its start time in /proc; perhaps we cannot either. */
    return started != 0 || (kill(pid, 0) != 0 && errno == ESRCH);
}

/* 0: none visible. */
static pid_t process_parent(pid_t pid)
{
    process_state process;
    char path[PROCESS_PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    return process_read(path, &process) ? process.parent : 0;
}

static int process_is_below(pid_t pid, pid_t ancestor)
{
    while (pid > 1 && pid != ancestor)
        pid = process_parent(pid);
    return pid == ancestor;
}

pid_t cor_process_common_ancestor(const pid_t *pids, int count)
{
    pid_t ancestor = getpid();
    for (int i = 0; i < count; i++)
        while (ancestor > 1 && !process_is_below(pids[i], ancestor))
            ancestor = process_parent(ancestor);
    return ancestor > 1 ? ancestor : 0;
}

int cor_process_open(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

void cor_process_where(char host[COR_PROCESS_HOST_MAX], char space[COR_PROCESS_SPACE_MAX])
{
    snprintf(host, COR_PROCESS_HOST_MAX, "unknown");
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t length = read(fd, host, COR_PROCESS_HOST_MAX - 1);
        close(fd);
        host[length > 0 ? length : 0] = 0;
        host[strcspn(host, "\n")] = 0;
    }
    char link[64];
    ssize_t length = readlink("/proc/self/ns/pid", link, sizeof link - 1);
    link[length > 0 ? length : 0] = 0;
    unsigned long number = 0;
    sscanf(link, "pid:[%lu", &number);
    snprintf(space, COR_PROCESS_SPACE_MAX, "%lu", number);
}
