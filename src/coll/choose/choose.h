/* SPDX-License-Identifier: Apache-2.0 */
/* Which algorithm a call gets. */
#ifndef COR_COLL_CHOOSE_H
#define COR_COLL_CHOOSE_H

#include "coll/choose/rules.h"

/* The rule for this call. NULL, with the sentence in the rank's fault: a forced algorithm cannot be used, no rule fits.
 * Under the lock. Budget: a few comparisons. */
const cor_rule *cor_choose(const cor_call *call, int is_blocking);

/* The bytes of a call as rules count them: the same on all ranks, and 0 where not every rank knows them. */
size_t cor_choose_bytes(const cor_call *call);
/* The need of an algorithm that the call itself does not meet, if all other needs are met; or 0. */
uint32_t cor_choose_lacks(const cor_call *call, const cor_algorithm *algorithm);

/* Shared memory is not available on this communicator: choose without it from now on. Under the lock. */
void cor_choose_without_board(cor_comm *comm);

/* Force an algorithm for a primitive, "mst segment=64k", as the knob coll.<primitive> does; "": the rules choose again.
 * To be called by all ranks, between collective calls. */
int cor_coll_force(cor_rank *rank, cor_primitive primitive, const char *text, cor_fault *fault);

/* The facts of this communicator, for rules. COR_ERR_MEMORY. */
int cor_situation_of(cor_comm *comm, int is_commutative, int is_blocking, cor_situation *situation_p);

#endif
