/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "run/run_reap.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

void cor_run_signal_children(int signal, int (*is_spared)(const void *context, int pid), const void *context)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    int pid;
    while (fscanf(file, "%d", &pid) == 1)
        if (!is_spared || !is_spared(context, pid))
            kill((pid_t)pid, signal);
    fclose(file);
}

void cor_run_kill_descendants(void)
{
    /* Children of a killed process come to us, the subreaper; the next round kills those. */
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
