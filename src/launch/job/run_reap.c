/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/job/run_reap.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* The children of one thread, which has forked them. */
static FILE *reap_children(pid_t pid, pid_t thread)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)thread);
    return fopen(path, "re");
}

void cor_run_signal_children(int signal, int (*is_spared)(const void *context, int pid), const void *context)
{
    FILE *file = reap_children(getpid(), getpid());
    if (!file)
        return;
    int pid;
    while (fscanf(file, "%d", &pid) == 1)
        if (!is_spared || !is_spared(context, pid))
            kill((pid_t)pid, signal);
    fclose(file);
}

static void reap_signal_group(pid_t pid, int signal)
{
    if (getpgid(pid) == pid)
        kill(-pid, signal == SIGSTOP ? SIGTSTP : signal);
    else
        cor_run_signal_groups_below(pid, signal);
}

void cor_run_signal_groups_below(pid_t pid, int signal)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    struct dirent *thread;
    while (threads && (thread = readdir(threads)) != NULL) {
        FILE *children = atoi(thread->d_name) > 0 ? reap_children(pid, atoi(thread->d_name)) : NULL;
        int child;
        while (children && fscanf(children, "%d", &child) == 1)
            reap_signal_group((pid_t)child, signal);
        if (children)
            fclose(children);
    }
    if (threads)
        closedir(threads);
}

void cor_run_kill_descendants(void)
{
    /* Children of a killed process become children of this one, the subreaper; the next round kills those. */
    for (int idle = 0; idle < 100; idle++) {
        cor_run_signal_children(SIGKILL, NULL, NULL);
        pid_t gone;
        while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
            idle = 0;
        if (gone < 0)
            return;
        poll(NULL, 0, idle < 10 ? 1 : 10);
    }
}
