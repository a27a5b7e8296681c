/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that are done when a request is complete: a copy is written back, memory that the operation reads is freed. The
 * procedures that complete requests look here only while steps wait. Requests that C completes, or that are freed, keep
 * theirs until their handle is used again.
 */
#include "fort.h"

#include <pthread.h>

int fort_later_count;

static pthread_mutex_t later_lock = PTHREAD_MUTEX_INITIALIZER;
static fort_later *later_waiting;

void fort_later_add(fort_later **list, fort_later *later)
{
    later->next = *list;
    *list = later;
}

typedef struct later_memory {
    fort_later later;
    void *memory;
} later_memory;

static void memory_run(fort_later *later, int is_complete)
{
    (void)is_complete;
    free(((later_memory *)later)->memory);
    free(later);
}

void fort_later_free(fort_later **list, void *memory)
{
    later_memory *made = fort_room(NULL, 0, 1, sizeof *made);
    made->later.run = memory_run;
    made->memory = memory;
    fort_later_add(list, &made->later);
}

static void later_run_all(fort_later *list, int is_complete)
{
    while (list) {
        fort_later *next = list->next;
        list->run(list, is_complete);
        list = next;
    }
}

void fort_later_run(MPI_Request request)
{
    fort_later *found = NULL;
    pthread_mutex_lock(&later_lock);
    for (fort_later **at = &later_waiting; *at;) {
        fort_later *later = *at;
        if (later->request != request) {
            at = &later->next;
            continue;
        }
        *at = later->next;
        __atomic_sub_fetch(&fort_later_count, 1, __ATOMIC_RELAXED);
        fort_later_add(&found, later);
    }
    pthread_mutex_unlock(&later_lock);
    later_run_all(found, 1);
}

void fort_later_keep(MPI_Request request, fort_later *list)
{
    if (!list)
        return;
    if (request == MPI_REQUEST_NULL) {
        later_run_all(list, 1);
        return;
    }
    fort_later_run(request); /* a handle that is used again: its former operation is complete */
    pthread_mutex_lock(&later_lock);
    while (list) {
        fort_later *next = list->next;
        list->request = request;
        fort_later_add(&later_waiting, list);
        __atomic_add_fetch(&fort_later_count, 1, __ATOMIC_RELAXED);
        list = next;
    }
    pthread_mutex_unlock(&later_lock);
}

/* ---- new communicators ------------------------------------------------------------------------------------------ */

static void new_comm_run(fort_later *later, int is_complete)
{
    fort_new_comm *made = (fort_new_comm *)later;
    if (is_complete && made->handle != MPI_COMM_NULL)
        *made->newcomm = PMPI_Comm_toint(made->handle);
    free(made);
}

fort_new_comm *fort_new_comm_of(int *newcomm)
{
    fort_new_comm *made = fort_room(NULL, 0, 1, sizeof *made);
    made->later.run = new_comm_run;
    made->handle = MPI_COMM_NULL;
    made->newcomm = newcomm;
    return made;
}

void fort_new_comm_keep(fort_new_comm *made, int error, MPI_Request request)
{
    if (error != MPI_SUCCESS)
        free(made);
    else if (made->handle != MPI_COMM_NULL) /* written at once */
        new_comm_run(&made->later, 1);
    else
        fort_later_keep(request, &made->later);
}
