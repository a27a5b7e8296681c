/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of a file, which reads and writes in the background.
 *
 * It is started with the first task and ends with the file, or in Finalize. It never takes the rank's lock: it shares
 * two lists with the threads of the rank, under a mutex of their own that is held for some instructions only.
 *
 *   added     a thread of the rank appends a task, and wakes the worker if it sleeps on the condition
 *   running   the worker takes the first task and runs it; it appends it to the finished ones and posts (waiter.h): a
 *             thread of the rank that sleeps then makes progress
 *   finished  a progress hook takes them all and calls `done` for each
 *
 * The hook is in the device's list, and the worker counts as a helper of the waiter, only while a task is added and
 * not done: a rank without files under way pays nothing.
 *
 * A device with a time of its own (xxdev.h: pass) stands still for nobody: there a task is run when it is added.
 */
#ifndef COR_FILE_WORKER_H
#define COR_FILE_WORKER_H

#include "file/file_state.h"

/* `run` is called by the thread, without the rank's lock and in the order in which tasks were added; `done` later,
 * with the lock, by a thread of the rank that makes progress. The task is its owner's again when `done` is called. */
typedef struct file_task file_task;
struct file_task {
    void (*run)(file_task *task);
    void (*done)(file_task *task);
    cor_link link;
};

/* Under the lock; both functions may have been called when it returns. COR_ERR_SYSTEM: the thread cannot be
 * started; COR_ERR_MEMORY. Then nothing was added. */
int file_worker_add(cor_file *file, file_task *task);
/* Without the lock: run all tasks, end the thread, and free all. `done` is called no more. */
void file_worker_stop(cor_file *file);

#endif
