/* SPDX-License-Identifier: Apache-2.0 */
#include "file/file_worker.h"

#include <signal.h>
#include <stdlib.h>

struct file_worker {
    cor_file *file;
    cor_device *device;
    pthread_t thread;
    pthread_mutex_t mutex; /* of the next five */
    pthread_cond_t condition;
    cor_list added, finished;
    int is_sleeping, is_stopping;
    _Atomic uint32_t has_finished; /* a hint for the hook: some are */

    /* Under the rank's lock. */
    cor_follower hook;
    uint32_t open; /* tasks added and not done */
};

/* ---- the thread ------------------------------------------------------------------------------------------------- */

/* The next task, or NULL: there will be none. */
static file_task *worker_next(file_worker *worker)
{
    file_task *task = NULL;
    pthread_mutex_lock(&worker->mutex);
    while (cor_list_is_empty(&worker->added) && !worker->is_stopping) {
        worker->is_sleeping = 1;
        pthread_cond_wait(&worker->condition, &worker->mutex);
        worker->is_sleeping = 0;
    }
    if (!cor_list_is_empty(&worker->added)) {
        task = COR_OWNER(worker->added.next, file_task, link);
        cor_list_remove(&task->link);
    }
    pthread_mutex_unlock(&worker->mutex);
    return task;
}

static void worker_finish(file_worker *worker, file_task *task)
{
    pthread_mutex_lock(&worker->mutex);
    cor_list_append(&worker->finished, &task->link);
    /* relaxed: who reads it takes the mutex, or has seen the post. */
    atomic_store_explicit(&worker->has_finished, 1, memory_order_relaxed);
    pthread_mutex_unlock(&worker->mutex);
    cor_device_post(worker->device);
}

static void *worker_run(void *subject)
{
    file_worker *worker = subject;
    for (file_task *task; (task = worker_next(worker)) != NULL;) {
        task->run(task);
        worker_finish(worker, task);
    }
    return NULL;
}

/* ---- the hook --------------------------------------------------------------------------------------------------- */

static void worker_enter(file_worker *worker)
{
    if (worker->open++ > 0)
        return;
    cor_list_append(&worker->device->followers, &worker->hook.link);
    cor_device_add_helper(worker->device);
}

static void worker_leave(file_worker *worker)
{
    if (--worker->open > 0)
        return;
    cor_list_remove(&worker->hook.link);
    cor_device_remove_helper(worker->device);
}

static file_task *worker_take(file_worker *worker)
{
    file_task *task = NULL;
    pthread_mutex_lock(&worker->mutex);
    if (cor_list_is_empty(&worker->finished)) {
        atomic_store_explicit(&worker->has_finished, 0, memory_order_relaxed);
    } else {
        task = COR_OWNER(worker->finished.next, file_task, link);
        cor_list_remove(&task->link);
    }
    pthread_mutex_unlock(&worker->mutex);
    return task;
}

static int worker_step(cor_follower *follower)
{
    file_worker *worker = COR_OWNER(follower, file_worker, hook);
    int count = 0;
    if (!atomic_load_explicit(&worker->has_finished, memory_order_relaxed))
        return 0;
    for (file_task *task; (task = worker_take(worker)) != NULL; count++) {
        worker_leave(worker);
        task->done(task);
    }
    return count;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Signals are for the threads of the program. */
static int worker_start(file_worker *worker)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&worker->thread, NULL, worker_run, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void worker_free(file_worker *worker)
{
    pthread_cond_destroy(&worker->condition);
    pthread_mutex_destroy(&worker->mutex);
    free(worker);
}

static int worker_create(cor_file *file)
{
    file_worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return COR_ERR_MEMORY;
    worker->file = file;
    worker->device = file->comm->device;
    worker->hook.step = worker_step;
    pthread_mutex_init(&worker->mutex, NULL);
    pthread_cond_init(&worker->condition, NULL);
    cor_list_init(&worker->added);
    cor_list_init(&worker->finished);
    if (worker_start(worker) != 0) {
        worker_free(worker);
        return COR_ERR_SYSTEM;
    }
    file->worker = worker;
    return COR_OK;
}

int file_worker_add(cor_file *file, file_task *task)
{
    if (COR_UNLIKELY(file->comm->device->ops->pass != NULL)) {
        task->run(task);
        task->done(task);
        return COR_OK;
    }
    int rc = file->worker ? COR_OK : worker_create(file);
    if (rc != COR_OK)
        return rc;
    file_worker *worker = file->worker;
    worker_enter(worker);
    pthread_mutex_lock(&worker->mutex);
    cor_list_append(&worker->added, &task->link);
    if (worker->is_sleeping)
        pthread_cond_signal(&worker->condition);
    pthread_mutex_unlock(&worker->mutex);
    return COR_OK;
}

void file_worker_stop(cor_file *file)
{
    file_worker *worker = file->worker;
    if (!worker)
        return;
    pthread_mutex_lock(&worker->mutex);
    worker->is_stopping = 1;
    pthread_cond_signal(&worker->condition);
    pthread_mutex_unlock(&worker->mutex);
    pthread_join(worker->thread, NULL);
    cor_comm_enter(file->comm);
    if (worker->open > 0) {
        worker->open = 1;
        worker_leave(worker);
    }
    file->worker = NULL;
    cor_comm_leave(file->comm);
    worker_free(worker);
}
