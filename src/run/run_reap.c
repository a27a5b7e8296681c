#define _GNU_SOURCE
#include "run/run_reap.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int cor_run_signal_children(int signal)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    int count = 0, pid;
    while (fscanf(file, "%d", &pid) == 1) {
        kill((pid_t)pid, signal);
        count++;
    }
    fclose(file);
    return count;
}

void cor_run_kill_descendants(void)
{
    /* Whoever is killed leaves its own children to us, the subreaper; the next round takes those. */
    for (int round = 0; round < 100; round++) {
        cor_run_signal_children(SIGKILL);
        pid_t gone;
        while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (gone < 0)
            return;
        poll(NULL, 0, round < 10 ? 1 : 10);
    }
}
