/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that makes the progress of a rank while its other threads compute: it waits like a call that receives a
 * message, so it sleeps while nothing arrives.
 */
#include "win/win_state.h"

#include <signal.h>
#include <string.h>

static void *thread_run(void *subject)
{
    cor_win *win = subject;
    cor_comm *comm = win->comm;
    cor_device *device = win->device;
    cor_idle_state idle = {0};
    cor_comm_enter(comm);
    while (!win->is_stopping && !cor_device_is_closed(device)) {
        if (cor_device_progress(device, -1) > 0)
            idle = (cor_idle_state){0};
        else
            cor_device_idle(device, &idle);
    }
    cor_comm_leave(comm);
    return NULL;
}

/* Signals are for the threads of the program. */
static int thread_create(cor_win *win)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&win->thread, NULL, thread_run, win);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int win_thread_start(cor_win *win, int is_needed)
{
    const cor_win_config *config = cor_rank_win_config(cor_comm_owner(win->comm));
    if (!is_needed || config->progress != COR_WIN_PROGRESS_THREAD)
        return COR_OK;
    int error = thread_create(win);
    win->has_thread = error == 0;
    if (error == 0)
        return COR_OK;
    cor_comm_enter(win->comm);
    int rc = win_fail(win, COR_ERR_SYSTEM, "the thread of win.progress cannot be started: %s", strerror(error));
    cor_comm_leave(win->comm);
    return rc;
}

void win_thread_stop(cor_win *win)
{
    if (!win->has_thread)
        return;
    cor_comm_enter(win->comm);
    win->is_stopping = 1;
    cor_device_wake(win->device);
    cor_comm_leave(win->comm);
    win_thread_join(win);
}

void win_thread_join(cor_win *win)
{
    if (win->has_thread)
        pthread_join(win->thread, NULL);
    win->has_thread = 0;
}
