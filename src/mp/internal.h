/*
 * Messages of the library's own, on a communicator's second context, so that they never meet the user's. For the
 * collectives and for agreements among ranks. Blocking; plain memory; take the lock themselves.
 */
#ifndef COR_MP_INTERNAL_H
#define COR_MP_INTERNAL_H

#include "mp/mp.h"

int cor_internal_send(cor_comm *comm, const void *data, size_t bytes, int dest, int tag);
int cor_internal_recv(cor_comm *comm, void *data, size_t bytes, int source, int tag);
int cor_internal_sendrecv(cor_comm *comm, const void *out, size_t out_bytes, int dest, void *in, size_t in_bytes,
                          int source, int tag);

/* Everybody gets the element-wise AND of everybody's words. */
int cor_internal_all_and(cor_comm *comm, uint64_t *words, size_t count);
/* Everybody gets everybody's block, by rank. all has room for size * bytes. */
int cor_internal_gather_all(cor_comm *comm, const void *block, size_t bytes, void *all);

#endif
