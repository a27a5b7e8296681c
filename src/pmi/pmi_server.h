/*
 * The launcher's side of PMI-1: a state machine without any input or output of its own.
 *
 * The owner feeds it the bytes that came from a rank's socket and sends what it has pending for each rank. It never
 * blocks and keeps whatever a rank sends bounded. Used by one thread.
 *
 * What ranks put stays until the job has ended, on every host of it, so there are limits. They count bytes of memory:
 * a value, its key and what it takes to find them.
 *
 *   COR_PMI_RANK_MAX   of one rank. Ours put some hundred bytes for each MPI_Init, those of MPICH a few KiB; a rank
 *                      that puts more by orders of magnitude is in a loop.
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

/* Announce to ranks that come from now on: when a rank dies the owner sees it, tells it, and ends the job. Those that
 * notice the loss leave it to the owner then, for a while. */
void cor_pmi_server_promise(cor_pmi_server *server);

/* Bytes from a rank. COR_ERR_BOOT: what it sent is no PMI-1; the connection is useless from then on. COR_ERR_MEMORY: a
 * value could not be kept; the rank is told so by PMI, and the owner by the fault, which names rank and limit. */
int cor_pmi_server_feed(cor_pmi_server *server, int rank, const char *bytes, size_t length, cor_fault *fault);

/* What is to be sent to a rank, and that so much of it was sent. */
const char *cor_pmi_server_pending(const cor_pmi_server *server, int rank, size_t *length_p);
void cor_pmi_server_sent(cor_pmi_server *server, int rank, size_t length);

/* Between init and finalize? A rank that ends then has ended too early. */
int cor_pmi_server_is_active(const cor_pmi_server *server, int rank);

/* A rank's process has ended, it will not take part in any barrier. */
void cor_pmi_server_gone(cor_pmi_server *server, int rank);

/* A rank that has gone although another waits for it in a barrier, or -1. */
int cor_pmi_server_missing(const cor_pmi_server *server);

/* ---- one of several servers ------------------------------------------------------------------------------------- */

/*
 * A job over several hosts has a server on each, in a tree: every server serves the ranks of its host and counts the
 * servers below it as one party each. A get is answered from what is known here; what was put is told to the others
 * in the next barrier, before anybody leaves it.
 */

/* Everybody has come who is served here or below. `news` is what was put since the last barrier, for the owner to pass
 * up, or, at the root, down to everybody. */
typedef void (*cor_pmi_fence_fn)(void *context, const char *news, size_t length);

/* Barriers are no longer over when `size` ranks have come but when the owner says so; `parties` must come first. */
void cor_pmi_server_share(cor_pmi_server *server, int parties, cor_pmi_fence_fn on_fence);

/* A server below has everybody it serves in the barrier, and this is what was put there. COR_ERR_BOOT: it is none. */
int cor_pmi_server_arrive(cor_pmi_server *server, const char *news, size_t length, cor_fault *fault);

/* The barrier is over, and this is what was put everywhere. */
int cor_pmi_server_release(cor_pmi_server *server, const char *news, size_t length, cor_fault *fault);

#endif
