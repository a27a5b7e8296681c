/* SPDX-License-Identifier: Apache-2.0 */
/* How a call finds its rank, and the life of the face's own part of a rank. */
#include "mpi/face_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The two agreed exceptions to "nothing mutable is static": which rank this thread is, and the process's one rank. */
_Thread_local face_rank *face_current __attribute__((tls_model("initial-exec")));
face_rank face_process = {.lock = PTHREAD_MUTEX_INITIALIZER,
                          .life.mutex = PTHREAD_MUTEX_INITIALIZER,
                          .tool_lock = PTHREAD_MUTEX_INITIALIZER,
                          .store = {&face_process.store, &face_process.store}};

_Static_assert(sizeof(MPI_Status) == 32, "the ABI fixes the size of a status");
_Static_assert(sizeof(MPI_Aint) == sizeof(void *), "an address fits an MPI_Aint");
_Static_assert((int)COR_ANY_SOURCE == MPI_ANY_SOURCE && (int)COR_PROC_NULL == MPI_PROC_NULL &&
                   (int)COR_UNDEFINED == MPI_UNDEFINED,
               "the engine counts ranks as the ABI does");
_Static_assert((int)COR_BUFFER_OVERHEAD == MPI_BSEND_OVERHEAD, "a buffered message needs what the ABI promises");

void face_quit(int status)
{
    /* Other threads may still run, so no exit handlers run. */
    fflush(NULL);
    _exit(status);
}

void face_not_open(const face_rank *rank, const char *call)
{
    int is_over = rank->state == FACE_FINALIZED;
    const char *when = is_over                                          ? "after MPI_Finalize"
                       : rank->life.has_sessions && !face_is_open(rank) ? "while no session is open"
                                                                        : "before MPI_Init";
    char who[32] = "";
    if (rank->team)
        snprintf(who, sizeof who, "rank %d: ", rank->team_rank);
    fprintf(stderr, "corunna: %s%s: called %s\n", who, call, when);
    face_quit(MPI_ERR_OTHER);
}

face_rank *face_open(const char *call)
{
    face_rank *rank = face_get();
    if (COR_UNLIKELY(!face_is_open(rank)))
        face_not_open(rank, call);
    return rank;
}

void face_rank_init(face_rank *rank, cor_team *team, int team_rank)
{
    memset(rank, 0, sizeof *rank);
    pthread_mutex_init(&rank->lock, NULL);
    pthread_mutex_init(&rank->life.mutex, NULL);
    pthread_mutex_init(&rank->tool_lock, NULL);
    cor_list_init(&rank->store);
    rank->team = team;
    rank->team_rank = team_rank;
}

void face_rank_fini(face_rank *rank)
{
    face_comm *first[] = {&rank->world_comm, &rank->self_comm};
    if (rank->rank)
        cor_rank_destroy(rank->rank);
    for (int i = 0; i < 2; i++) {
        free(first[i]->name);
        cor_info_destroy(first[i]->hints);
    }
    for (int row = 0; row < COR_DTYPE_ROWS; row++)
        free(rank->type_names[row]);
    face_store_free(rank);
    face_formats_free(rank);
    face_codes_free(rank);
    face_numbers_free(rank);
    cor_info_destroy(rank->env_info);
    pthread_mutex_destroy(&rank->life.mutex);
    face_tool_free(rank);
    pthread_mutex_destroy(&rank->tool_lock);
    pthread_mutex_destroy(&rank->lock);
}
