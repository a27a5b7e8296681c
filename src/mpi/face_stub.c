/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/face_stub.h"

#include <stdio.h>

/* Is it the first call of this function? */
static int stub_is_first(face_rank *rank, int number)
{
    uint64_t bit = (uint64_t)1 << number % 64;
    pthread_mutex_lock(&rank->lock);
    int is_first = !(rank->stubs_told[number / 64] & bit);
    rank->stubs_told[number / 64] |= bit;
    pthread_mutex_unlock(&rank->lock);
    return is_first;
}

static void stub_tell(const char *call, int number)
{
    face_rank *rank = face_get();
    char who[288] = "";
    if (!stub_is_first(rank, number))
        return;
    if (face_is_open(rank))
        snprintf(who, sizeof who, "rank %d on %s: ", cor_rank_number(rank->rank), cor_rank_host(rank->rank));
    else if (rank->team)
        snprintf(who, sizeof who, "rank %d: ", rank->team_rank);
    fprintf(stderr,
            "corunna: %s%s: not implemented in Corunna %s; it does nothing and returns "
            "MPI_ERR_UNSUPPORTED_OPERATION\n",
            who, call, COR_VERSION);
}

int face_unsupported(const char *call, int number, face_comm *comm)
{
    face_rank *rank = face_get();
    if (!face_is_open(rank) || !face_handler_is_fatal(face_handler_comm(comm)->errhandler))
        stub_tell(call, number);
    if (face_is_open(rank))
        return face_fail(call, comm, MPI_ERR_UNSUPPORTED_OPERATION, "not implemented in Corunna %s", COR_VERSION);
    return face_note(call, MPI_ERR_UNSUPPORTED_OPERATION, "not implemented in Corunna %s", COR_VERSION);
}
