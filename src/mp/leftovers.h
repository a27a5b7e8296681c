/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the knob `check`: messages that a program has not received when it ends, and handles that are invalid.
 */
#ifndef COR_MP_LEFTOVERS_H
#define COR_MP_LEFTOVERS_H

#include "mp/mp.h"

/* Was the rank opened with the knob? */
int cor_rank_is_checked(const cor_rank *rank);

/* Is this the address of a request of the rank's, or of one joined with it, in use or not? Reads nothing there. */
int cor_rank_owns_request(cor_rank *rank, const void *address);

/* A message that no receive has matched. comm NULL: this rank has freed the communicator. Of the status, source
 * (without a communicator the rank in the job), tag and message_bytes count. Called under the rank's lock. */
typedef void (*cor_leftover_fn)(void *subject, cor_comm *comm, const cor_status *status);

/* Collective over the job, at its end: report every message to this rank that was sent before and not received. Waits
 * until all ranks have called, and for what is under way. COR_ERR_PEER: a rank is lost, and nothing is reported. */
int cor_rank_visit_leftovers(cor_rank *rank, cor_leftover_fn visit, void *subject);

#endif
