/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks as threads of one process.
 *
 * corunna_threads_run starts a job inside the calling process: each rank is a thread that runs `body`, and inside it
 * MPI works as in a process of its own, from MPI_Init to MPI_Finalize. Static variables are shared between the ranks.
 */
#ifndef CORUNNA_THREADS_H
#define CORUNNA_THREADS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The rank of a thread. Valid until corunna_threads_run returns. */
typedef struct corunna_thread_rank corunna_thread_rank;

/*
 * Run `body(argc, argv)` on `ranks` threads and wait for all of them. Returns the first result that is not 0, by rank,
 * or 0; -1 with a line on stderr if the threads cannot be started. MPI_Abort, or an error under
 * MPI_ERRORS_ARE_FATAL, ends the process with that status; so does a body that returns between MPI_Init and
 * MPI_Finalize, or with an open session. Each thread has a stack of 2 MiB. Not to be called by two threads at once, nor
 * from inside a body.
 */
int corunna_threads_run(int ranks, int (*body)(int argc, char **argv), int argc, char **argv);

/* The rank of the calling thread; NULL if it belongs to none. */
corunna_thread_rank *corunna_threads_self(void);

/* Make the calling thread, which the rank's body started, a further thread of that rank. NULL leaves the rank. A rank
 * with several threads that call MPI at once asks for MPI_THREAD_MULTIPLE. Such a thread may wait in a call while
 * another one calls MPI_Finalize, and gets an error then; it has left the rank, or ended, before the body returns. */
void corunna_threads_adopt(corunna_thread_rank *rank);

#ifdef __cplusplus
}
#endif

#endif
