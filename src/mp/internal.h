/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of the library's own, on a communicator's second context, so that they never match the user's. For the
 * collectives and for agreements among ranks. All functions block, work on plain memory and take the lock themselves.
 *
 * On an intercommunicator send and recv go to the other side, and the agreements are among all ranks of both sides, in
 * one order (cor_intercomm_is_first).
 */
#ifndef COR_MP_INTERNAL_H
#define COR_MP_INTERNAL_H

#include "mp/mp.h"

/* Tags below 16 are mp's own. */
enum {
    COR_INTERNAL_TAG_AND = 1,
    COR_INTERNAL_TAG_GATHER = 2,
    COR_INTERNAL_TAG_IDUP = 3,
    COR_INTERNAL_TAG_GRAPH = 4,
    COR_INTERNAL_TAG_BOARD = 5,
    COR_INTERNAL_TAG_PART = 6,
    COR_INTERNAL_TAG_LEFTOVERS = 7,
    COR_INTERNAL_TAG_JOINED = 8,
};

int cor_internal_send(cor_comm *comm, const void *data, size_t bytes, int dest, int tag);
int cor_internal_recv(cor_comm *comm, void *data, size_t bytes, int source, int tag);

/* Every rank gets the element-wise AND of every rank's words. */
int cor_internal_all_and(cor_comm *comm, uint64_t *words, size_t count);
/* Every rank gets every rank's block, by rank. all has room for size * bytes, of both sides together. */
int cor_internal_gather_all(cor_comm *comm, const void *block, size_t bytes, void *all);

#endif
