/* SPDX-License-Identifier: Apache-2.0 */
/* What the cases about sessions share. A case is the whole life of a rank, since MPI_Init comes at most once in it. */
#ifndef CFACE_SESSIONS_H
#define CFACE_SESSIONS_H

#include "check.h"

#include <mpi.h>

/* A library that knows nothing of the others: its session, and a communicator of all ranks. */
typedef struct library {
    MPI_Session session;
    MPI_Comm comm;
    int rank, ranks;
    const char *tag;
} library;

/* Errors of both are returned. */
library library_open(const char *tag);
/* Every kind of communication once, with its results checked. */
void library_use(const library *self);
void library_close(library *self);

MPI_Session session_open(void);
MPI_Comm session_comm(MPI_Session session, const char *pset, const char *tag);

/* The code's class, and a piece of its sentence. */
void expect_error(int code, int error_class, const char *fragment);

/* How many ranks the job has, without asking MPI for its world. */
int job_size(MPI_Session session);

/* ---- sessions_objects.c ------------------------------------------------------------------------------------------ */

int case_psets(void);
int case_subgroups(void);
int case_handlers(void);
int case_buffers(void);
int case_windows(void);
int case_left(void);
int case_many_left(void);

/* ---- sessions_ends.c --------------------------------------------------------------------------------------------- */

int case_levels(void);
int case_several_threads(void);
int case_waiting_thread(void);
int case_fork(void);
int case_world(void);
int case_abort(void);
int case_open(void);
int case_death(void);
int case_status(void);
int case_early(void);
int case_check(void);

#endif
