/*
 * Two barriers. Where every rank has a CPU of its own, dissemination: the shortest path, log2(n) messages deep. Where
 * ranks share CPUs what counts is how often each rank must get a turn: up and down a flat tree needs two, dissemination
 * one a round.
 */
#include "coll/coll.h"
#include "mp/intercomm.h"
#include "mp/internal.h"

enum { BARRIER_TAG = 16, BARRIER_FAN = 16 };

/* In round k every rank tells the one 2^k further on and hears from the one 2^k back. */
static int barrier_dissemination(cor_comm *comm, int size, int rank)
{
    int rc = COR_OK;
    for (int distance = 1; distance < size && rc == COR_OK; distance *= 2)
        rc = cor_internal_sendrecv(comm, NULL, 0, (rank + distance) % size, NULL, 0, (rank - distance + size) % size,
                                   BARRIER_TAG);
    return rc;
}

/* Rank r has the children r * BARRIER_FAN + 1 .. + BARRIER_FAN: hear from all, tell the parent, hear back, tell all. */
static int barrier_tree(cor_comm *comm, int size, int rank)
{
    int first = rank * BARRIER_FAN + 1;
    int end = first + BARRIER_FAN < size ? first + BARRIER_FAN : size;
    int parent = (rank - 1) / BARRIER_FAN;
    int rc = COR_OK;
    for (int child = first; child < end && rc == COR_OK; child++)
        rc = cor_internal_recv(comm, NULL, 0, child, BARRIER_TAG);
    if (rank != 0 && rc == COR_OK)
        rc = cor_internal_send(comm, NULL, 0, parent, BARRIER_TAG);
    if (rank != 0 && rc == COR_OK)
        rc = cor_internal_recv(comm, NULL, 0, parent, BARRIER_TAG);
    for (int child = first; child < end && rc == COR_OK; child++)
        rc = cor_internal_send(comm, NULL, 0, child, BARRIER_TAG);
    return rc;
}

int cor_barrier(cor_comm *comm)
{
    if (cor_comm_is_inter(comm))
        return cor_intercomm_meet(comm);
    int size = cor_comm_size(comm), rank = cor_comm_rank(comm);
    return cor_rank_is_crowded(cor_comm_owner(comm)) ? barrier_tree(comm, size, rank)
                                                     : barrier_dissemination(comm, size, rank);
}
