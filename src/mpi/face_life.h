/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a rank's engine. Its users are the world, from MPI_Init to MPI_Finalize, and each open session.
 *
 * The first user opens the engine, together with all other ranks of the job: the first MPI_Init or MPI_Session_init of
 * a rank returns when every other rank has called one of them. Later users find it open.
 *
 * A rank that never had a session closes it in MPI_Finalize, collectively. A rank that has had one leaves it open,
 * idle, when its last user leaves, so that sessions may come and go at no cost; all that was sent has left by then. It
 * is closed when the process ends normally (atexit), or when the thread that is the rank returns. A rank that ends
 * while the world or a session is open ends without notifying anyone, and its launcher ends the job.
 *
 * After MPI_Finalize has closed the engine, a session may open it again only where there is no launcher that was told
 * of the end: a job of one process.
 *
 * Threads. The engine is opened for several threads or not, for good: by MPI_Init_thread if the program asks for
 * MPI_THREAD_MULTIPLE; by a session unless that asks for MPI_THREAD_SINGLE, because sessions of libraries that do not
 * know each other may be used by one thread each. From an engine that was not, a later user gets at most
 * MPI_THREAD_SERIALIZED.
 *
 * All functions but face_life_end may be called by several threads at once.
 *
 * Order of locks, each taken only while those after it are free: life.mutex, tool_lock, the engine's lock and
 * face_rank.lock. Functions of the program are called with none of the first two.
 */
#ifndef COR_MPI_FACE_LIFE_H
#define COR_MPI_FACE_LIFE_H

#include "mpi/face_error.h"

typedef enum face_user { FACE_USER_WORLD, FACE_USER_SESSION } face_user;

/* A user comes. *level_p: the thread level that it wants, and on return gets. COR_OK, or a code with its sentence in
 * *fault, after which the engine is as before. */
int face_life_enter(face_rank *rank, const char *call, face_user user, int *level_p, cor_fault *fault);
/* A session, which has ended all that was derived from it, leaves. */
void face_life_leave(face_rank *rank);
/* MPI_Finalize: the world leaves. Failing to close the engine ends the process with a message. */
void face_life_finalize(face_rank *rank, const char *call);

/* At the end of the rank, when it makes no calls any more: close the engine if it is idle; report, with the knob
 * `check`, sessions that are open. */
void face_life_end(face_rank *rank);

#endif
