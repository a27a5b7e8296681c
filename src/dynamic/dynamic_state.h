/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ports, names and joint jobs of an origin (mp/mp.h). Guarded by `mutex`, which is never held while waiting.
 *
 * MPI_Finalize concurrent with threads in these calls. The struct exists until the origin is destroyed, so that a
 * returning thread may read it at any time. cor_dynamic_close first sets is_closing. Then a thread that waits for
 * another process, in accept, connect or spawn, returns COR_ERR_FINALIZED; a thread that has begun to make a job, on
 * which other processes depend, completes it, and the close waits until the job is listed; no thread begins to make one
 * any more. After that the list of jobs is complete, and each is removed by one thread, which ends it: the close, or a
 * disconnect. A port or a launcher that is listed later ends with the process.
 */
#ifndef COR_DYNAMIC_STATE_H
#define COR_DYNAMIC_STATE_H

#include "base/list.h"
#include "dynamic/bridge.h"
#include "dynamic/dynamic.h"

#include <pthread.h>
#include <sys/types.h>

/* A name that this process has published: the lock on its file shows that the process runs. */
typedef struct dynamic_name {
    cor_link link; /* cor_dynamic.names */
    int fd;
    char *path, *service, *port;
} dynamic_name;

/* A joint job. */
typedef struct dynamic_job {
    cor_link link; /* cor_dynamic.jobs, the newest first: members of an earlier one may have made it */
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

/* Made on first use; NULL: no memory, as the fault says. */
cor_dynamic *dynamic_of(cor_rank *rank);
/* For a thread that waits for another process: make progress and return 1, or return 0: MPI_Finalize has begun. */
int dynamic_goes_on(cor_rank *rank);
/* Remove and return the first of a list; NULL: it is empty. */
cor_link *dynamic_take(cor_dynamic *dynamic, cor_list *list);
/* Fail a call: its sentence becomes cor_rank_fault(). Returns the code. */
int dynamic_fail(cor_rank *rank, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with the code and fault of another function; COR_OK changes nothing. */
int dynamic_end(cor_rank *rank, int code, const cor_fault *fault);

/* port.c: wait for a caller that knows the port's secret, for limit_s seconds, 0: for ever. COR_ERR_SPAWN, without a
 * sentence: `pid`, if not 0, has ended before. COR_ERR_PORT: timeout. */
int port_accept(cor_rank *rank, const char *name, pid_t pid, int limit_s, dynamic_bridge **bridge_p);
void port_close_all(cor_dynamic *dynamic);

/* names.c */
void name_withdraw_all(cor_dynamic *dynamic);

/* meet.c: returns the code of `refused` (dynamic.h) and makes it the rank's fault; COR_OK if it is NULL. */
int meet_take_refusal(cor_rank *rank, const cor_fault *refused);
/* May jobs connect to the job of this communicator? Called before anything is waited for or started. */
int meet_check(cor_comm *comm);
/* Make one job of two sides whose roots are connected. Collective. The bridge counts at the root only, and is taken
 * over; NULL: the root has failed with `code`, which all members get. is_first: this side's members come first in
 * it. */
int meet_jobs(cor_comm *comm, int root, dynamic_bridge *bridge, int code, int is_first, cor_comm **inter_p);

/* spawn.c: wait until all launchers have ended. */
void spawn_wait_all(cor_rank *rank, cor_dynamic *dynamic);

#endif
