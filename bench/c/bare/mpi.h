/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few calls of MPI that the benchmarks of two ranks need, on nothing but one TCP connection (bare_socket.c). The
 * benchmarks are compiled against it as against any library, so what a bare connection can do is measured by the same
 * loops. There are no tags, no matching, no headers and no order but the connection's: each side has to receive just
 * what the other has sent, in that order, as the tests of pair.c do.
 */
#ifndef COR_BARE_MPI_H
#define COR_BARE_MPI_H

#include <stddef.h>

typedef int MPI_Comm;
typedef int MPI_Datatype;

/* A receive that has not been read yet; a send has no bytes left. */
typedef struct {
    void *buffer;
    size_t bytes;
} MPI_Request;
typedef struct {
    int unused;
} MPI_Status;

#define MPI_COMM_WORLD 0
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)

/* A datatype is its size. */
#define MPI_BYTE 1
#define MPI_INT ((int)sizeof(int))
#define MPI_LONG ((int)sizeof(long))
#define MPI_DOUBLE ((int)sizeof(double))

/*
 * Becomes two processes, rank 0 and rank 1, with one connection between them. From the environment:
 *   BARE_WAIT      spin: non-blocking calls, again and again; block: the kernel puts the caller to sleep
 *   BARE_CPUS      "A B": the CPU that each rank is bound to; not bound without
 */
int MPI_Init(int *argc_p, char ***argv_p);

/* Waits for the other process, and ends with its status if that is not 0. */
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int status);
int MPI_Comm_rank(MPI_Comm comm, int *rank_p);
int MPI_Comm_size(MPI_Comm comm, int *size_p);
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm);
int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status);

/* The bytes are in the kernel when this returns. */
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request);
int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses);

#endif
