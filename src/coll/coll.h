/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective operations over mp: what the faces call.
 *
 * A face describes its call once, in a cor_call (call.h); cor_coll_run runs it blocking, cor_coll_start in the
 * background, cor_coll_init as often as it is started. Which algorithm does it is decided by rules (rules.h).
 *
 * Arguments are checked by the faces, except what only the ranks together can check: lengths that do not fit give
 * COR_ERR_TRUNCATE wherever data are read. With the knob check every call first compares the arguments of all ranks,
 * and COR_ERR_ARG names the rank that differs.
 *
 * Errors: as in mp.h. A call that fails has still exchanged all its messages, so that no other rank waits for it.
 * Exception: a block of the v and w forms, over messages, that is empty only at its sender; no rank notices that, and
 * the rank that expects the data waits for them.
 */
#ifndef COR_COLL_COLL_H
#define COR_COLL_COLL_H

#include "coll/plan/call.h"

/*
 * A blocking call. A face begins it as soon as it knows the communicator, and describes it while the memory that the
 * call is going to write is fetched into the cache; a call that was not begun is correct, but slower.
 *
 * Both functions take the rank's lock; cor_coll_begin only for a moment, because another thread may finalise the rank.
 * The thread that calls cor_coll_begin then calls cor_coll_run. No thread calls it while another collective call on the
 * communicator runs.
 */
void cor_coll_begin(cor_comm *comm);
/* Everything in the call, arrays and payloads included, may be freed once the function has returned; memory under the
 * payloads, and their datatypes, when the operation is complete. Operators and datatypes are kept by the request. */
int cor_coll_run(const cor_call *call);
int cor_coll_start(const cor_call *call, cor_request **request_p);
/* Persistent: made inactive, started with cor_start, freed with cor_request_free. */
int cor_coll_init(const cor_call *call, cor_request **request_p);

/* Where the caller may write, and the memory that all such places are in, received data included. NULL: the members
 * share no memory, or not before their first call. Both are valid as long as the communicator. */
const cor_zcopy *cor_coll_zcopy(cor_comm *comm, void **memory_p, size_t *bytes_p);

/* The `prepare` of cor_rank_open: read the rules and forced choices. COR_ERR_KNOB, COR_ERR_MEMORY. */
int cor_coll_open(cor_rank *rank, cor_fault *fault);

/* Before cor_rank_close. With the knob check: compare the end of the program, too. A rank that still calls collective
 * operations on the world gets the error that this rank does not, and is then waited for. With coll.learn: write what
 * was learnt. COR_ERR_PEER, COR_ERR_MEMORY. */
int cor_coll_close(cor_rank *rank, cor_fault *fault);

/* A barrier alone, the call that every program makes. */
int cor_barrier(cor_comm *comm);

#endif
