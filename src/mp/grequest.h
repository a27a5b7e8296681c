/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests whose work is done outside the engine: made here, waited for and tested like any other, complete after
 * cor_grequest_complete. Java's and C's generalized requests.
 *
 * Completing one (cor_wait and so on) gives the empty status and writes NULL over the handle, as with any request that
 * is not persistent, but the request itself stays until cor_grequest_release: the face, which keeps a second copy of
 * the pointer, asks the program for the status meanwhile, without any lock. cor_request_free and cor_cancel must not be
 * called on these requests.
 */
#ifndef COR_MP_GREQUEST_H
#define COR_MP_GREQUEST_H

#include "mp/mp.h"

int cor_grequest_start(cor_rank *rank, cor_request **request_p);
/* From any thread. Returns 1 if the handle was freed before (then the caller releases), else 0. */
int cor_grequest_complete(cor_request *request);
int cor_grequest_is_complete(const cor_request *request);
/* Drop the handle: 1 if the request was complete (then the caller releases), else 0. */
int cor_grequest_abandon(cor_request *request);
void cor_grequest_release(cor_request *request);

int cor_request_is_general(const cor_request *request);

#endif
