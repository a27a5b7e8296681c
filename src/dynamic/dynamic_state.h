/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an origin (mp/mp.h) keeps of ports, names, and jobs that it has met. Under `mutex`, which is never held while
 * waiting.
 *
 * MPI_Finalize beside threads in these calls. It stays until the origin is destroyed, so that a thread may look at it
 * whenever it comes back. cor_dynamic_close says first that it is closing. Then who waits for another process, in
 * accept, connect or spawn, returns COR_ERR_FINALIZED; who has come to make a job, on which others count, makes it, and
 * the close waits until that is listed; nobody begins to make one any more. After that the list of jobs is complete,
 * and each is taken off by one thread, which ends it: the close, or a disconnect. What is listed later, a port or a
 * launcher, ends with the process.
 */
#ifndef COR_DYNAMIC_STATE_H
#define COR_DYNAMIC_STATE_H

#include "base/list.h"
#include "dynamic/bridge.h"
#include "dynamic/dynamic.h"

#include <pthread.h>
#include <sys/types.h>

/* A name that this process has published: the lock on its file says that it lives. */
typedef struct dynamic_name {
    cor_link link; /* cor_dynamic.names */
    int fd;
    char *path, *service, *port;
} dynamic_name;

/* A job that was met. */
typedef struct dynamic_job {
    cor_link link; /* cor_dynamic.jobs, the last first: it may have been met by members of an earlier one */
    cor_rank *rank;
} dynamic_job;

/* A launcher that was started by this process. */
typedef struct dynamic_launcher {
    cor_link link; /* cor_dynamic.launchers */
    pid_t pid;
    int leash; /* the launcher ends its job when this is closed */
} dynamic_launcher;

typedef struct cor_dynamic {
    pthread_mutex_t mutex;
    cor_list ports, names, jobs, launchers;
    int is_closing;
    int makers; /* threads that make a job */
} cor_dynamic;

/* Made on first use; NULL: no memory, and the fault says so. */
cor_dynamic *dynamic_of(cor_rank *rank);
/* For a thread that waits for another process: 1, and messages have moved; 0: MPI_Finalize has begun. */
int dynamic_goes_on(cor_rank *rank);
/* The first of a list, taken off it; NULL: it is empty. */
cor_link *dynamic_take(cor_dynamic *dynamic, cor_list *list);
/* A call fails: its sentence becomes cor_rank_fault(). The code. */
int dynamic_fail(cor_rank *rank, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with what another function has said; COR_OK leaves all as it is. */
int dynamic_end(cor_rank *rank, int code, const cor_fault *fault);

/* port.c: wait for a caller that knows the port's secret, for limit_s seconds, 0: for ever. COR_ERR_SPAWN, without a
 * sentence: `pid`, if not 0, has ended before. COR_ERR_PORT: the time is over. */
int port_accept(cor_rank *rank, const char *name, pid_t pid, int limit_s, dynamic_bridge **bridge_p);
void port_close_all(cor_dynamic *dynamic);

/* names.c */
void name_withdraw_all(cor_dynamic *dynamic);

/* meet.c: with `refused` (dynamic.h), its code, and it becomes the rank's fault; else COR_OK. */
int meet_take_refusal(cor_rank *rank, const cor_fault *refused);
/* May jobs meet that of this communicator? Asked before anything is waited for or started. */
int meet_check(cor_comm *comm);
/* Both sides have a connection between their roots: make one job of them. Collective. The bridge counts at the root
 * only, and is taken over; NULL: the root has failed with `code`, as all are told. is_first: this side's members come
 * first in it. */
int meet_jobs(cor_comm *comm, int root, dynamic_bridge *bridge, int code, int is_first, cor_comm **inter_p);

/* spawn.c: wait until all launchers have ended. */
void spawn_wait_all(cor_rank *rank, cor_dynamic *dynamic);

#endif
