/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of a file, which reads and writes in the background.
 *
 * It is started with the first task and ends with the file, or in Finalize. It never takes the rank's lock.
 */
#ifndef COR_FILE_WORKER_H
#define COR_FILE_WORKER_H

#include "file/file_state.h"

/* `run` is called by the thread, without the rank's lock and in the order in which tasks were added; `done` later, with
 * the lock, by a thread of the rank that makes progress. The task is its owner's again when `done` is called. */
typedef struct file_task file_task;
struct file_task {
    void (*run)(file_task *task);
    void (*done)(file_task *task);
    cor_link link;
};

/* Under the lock. COR_ERR_SYSTEM: the thread cannot be started; COR_ERR_MEMORY. Then nothing was added. */
int file_worker_add(cor_file *file, file_task *task);
/* Without the lock: run all tasks, end the thread, and free all. `done` is called no more. */
void file_worker_stop(cor_file *file);

#endif
