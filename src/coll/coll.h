/* Collective operations over mp. Today: the barrier. */
#ifndef COR_COLL_COLL_H
#define COR_COLL_COLL_H

#include "mp/mp.h"

/* Returns when every rank of the communicator has come. */
int cor_barrier(cor_comm *comm);

#endif
