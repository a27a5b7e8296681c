/* Barrier by dissemination: in round k every rank tells the one 2^k further on and hears from the one 2^k back. */
#include "coll/coll.h"
#include "mp/internal.h"

enum { BARRIER_TAG = 16 };

int cor_barrier(cor_comm *comm)
{
    int size = cor_comm_size(comm), rank = cor_comm_rank(comm);
    int rc = COR_OK;
    for (int distance = 1; distance < size && rc == COR_OK; distance *= 2)
        rc = cor_internal_sendrecv(comm, NULL, 0, (rank + distance) % size, NULL, 0, (rank - distance + size) % size,
                                   BARRIER_TAG);
    return rc;
}
