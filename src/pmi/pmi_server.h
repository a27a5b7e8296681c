/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher's side of PMI-1: a state machine that never blocks. The owner passes in the bytes from a rank's socket
 * and sends the pending bytes of each rank. The server bounds what it stores for a rank. Used by one thread.
 *
 * Besides PMI-1 it has one request, by which Corunna's ranks get the values of all ranks at once (pmi_table.h):
 *
 *     cmd=gather kvsname=<space> key=<key>                 the values of <key>0, <key>1, and so on
 *     cmd=gather_result rc=0 offset=<bytes> bytes=<bytes>  where the table has them, in order, each with a zero behind
 *                                                          it; bytes=0: it has not, ask for one after the other
 *
 * Values stay until the job has ended, on every host of it, so there are limits, in bytes of memory: a value, its key
 * and its part of the hash table.
 *
 *   COR_PMI_RANK_MAX   of one rank. Corunna's put some hundred bytes for each MPI_Init, those of MPICH a few KiB; a
 *                      rank that puts more by orders of magnitude is in a loop.
 *   COR_PMI_JOB_MAX    of all ranks: 128 thousand ranks with 2 KiB each.
 */
#ifndef COR_PMI_SERVER_H
#define COR_PMI_SERVER_H

#include "base/error.h"

#include <stddef.h>

enum { COR_PMI_RANK_MAX = 1 << 20, COR_PMI_JOB_MAX = 256 << 20 };

typedef struct cor_pmi_server cor_pmi_server;

/* A rank asked to end the job; `reason` may be empty and is valid during the call. */
typedef void (*cor_pmi_abort_fn)(void *context, int rank, int status, const char *reason);

/* `name` distinguishes this job's key-value spaces from other jobs'. */
int cor_pmi_server_create(int size, const char *name, cor_pmi_abort_fn on_abort, void *context,
                          cor_pmi_server **server_p, cor_fault *fault);
void cor_pmi_server_destroy(cor_pmi_server *server);

/* Which of several programs a rank runs; 0 unless this is called. */
void cor_pmi_server_set_appnum(cor_pmi_server *server, int rank, int appnum);

/* How many processes the hosts have slots for, this job's included; 0, the default: unknown. */
void cor_pmi_server_set_universe(cor_pmi_server *server, int slots);

/* Offer a table to ranks that start from now on. Returns its descriptor, which the server owns; the owner of the server
 * lets the ranks of its host inherit it under the same number. -1: the kernel does not support it. */
int cor_pmi_server_open_table(cor_pmi_server *server);

/* Announce to ranks that start from now on that the owner notices a dead rank, reports it, and ends the job. Ranks
 * that notice the loss then wait for the owner for a while. */
void cor_pmi_server_announce_failures(cor_pmi_server *server);

/* Bytes from a rank. COR_ERR_BOOT: invalid PMI-1; the connection cannot be used any more. COR_ERR_MEMORY: a value
 * could not be stored; the rank gets an error by PMI, and the fault names rank and limit. */
int cor_pmi_server_feed(cor_pmi_server *server, int rank, const char *bytes, size_t length, cor_fault *fault);

/* The bytes to send to a rank, and that `length` of them were sent. */
const char *cor_pmi_server_pending(const cor_pmi_server *server, int rank, size_t *length_p);
void cor_pmi_server_sent(cor_pmi_server *server, int rank, size_t length);
/* Is there anything to send to any rank? */
int cor_pmi_server_has_pending(const cor_pmi_server *server);

/* Is the rank between init and finalize? If it ends then, it has ended too early. */
int cor_pmi_server_is_active(const cor_pmi_server *server, int rank);

/* A rank's process has ended; it enters no more barriers. */
void cor_pmi_server_rank_ended(cor_pmi_server *server, int rank);

/* A rank that has ended while another waits for it in a barrier, or -1. */
int cor_pmi_server_missing(const cor_pmi_server *server);

/* ---- one of several servers ------------------------------------------------------------------------------------- */

/*
 * A job over several hosts has a server on each, in a tree: every server serves the ranks of its host and counts the
 * servers below it as one party each. A get is answered from the local store; values are sent to the other servers in
 * the next barrier, before a rank leaves it.
 */

/* All ranks served here and below are in the barrier. `updates` are the values put since the last barrier, for the
 * owner to send up, or, at the root, down to all. */
typedef void (*cor_pmi_fence_fn)(void *context, const char *updates, size_t length);

/* Barriers end when the owner releases them, after `parties` have entered, and no longer when `size` ranks have
 * entered. */
void cor_pmi_server_share(cor_pmi_server *server, int parties, cor_pmi_fence_fn on_fence);

/* All ranks of a server below are in the barrier, and these are its values. COR_ERR_BOOT: they are malformed. */
int cor_pmi_server_arrive(cor_pmi_server *server, const char *updates, size_t length, cor_fault *fault);

/* The barrier ends, and these are the values of all servers. */
int cor_pmi_server_release(cor_pmi_server *server, const char *updates, size_t length, cor_fault *fault);

#endif
