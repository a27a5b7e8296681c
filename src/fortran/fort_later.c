/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that are done when a request is complete: a copy is written back, memory that the operation reads is freed. The
 * procedures that complete requests look here only while steps wait; they take the steps of their requests before, and
 * give back those of requests that are not complete. A request that is freed with steps is completed here. If C
 * completes a request, its steps are dropped when its handle is used again: the program may not have the buffer then.
 */
#include "fort.h"

#include <pthread.h>

int fort_later_count;

static pthread_mutex_t later_lock = PTHREAD_MUTEX_INITIALIZER;
static fort_later *later_waiting;
/* Requests that the program has freed: each is the request of the steps in `taken`. */
typedef struct later_alone later_alone;
struct later_alone {
    later_alone *next;
    MPI_Request request;
    fort_later *taken;
};
static later_alone *later_freed;

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

static void later_count(int steps)
{
    __atomic_add_fetch(&fort_later_count, steps, __ATOMIC_RELAXED);
}

static void later_move(fort_later **from, MPI_Request request, fort_later **to)
{
    while (*from)
        if ((*from)->request == request) {
            fort_later *later = *from;
            *from = later->next;
            fort_later_add(to, later);
        } else
            from = &(*from)->next;
}

void fort_later_run(fort_later **taken, MPI_Request request)
{
    fort_later *found = NULL;
    later_move(taken, request, &found);
    later_run_all(found, 1);
}

static int later_is_one_of(const fort_later *later, const int *requests, size_t count)
{
    int request = PMPI_Request_toint(later->request);
    for (size_t i = 0; i < count; i++)
        if (requests[i] == request)
            return 1;
    return 0;
}

/* Complete what can be completed of the freed requests; at the end, leave the others to C, with their memory. */
static void later_progress(int is_end)
{
    pthread_mutex_lock(&later_lock);
    later_alone *list = later_freed, *kept = NULL;
    later_freed = NULL;
    pthread_mutex_unlock(&later_lock);
    while (list) {
        later_alone *one = list;
        int is_complete = 0;
        list = one->next;
        PMPI_Test(&one->request, &is_complete, MPI_STATUS_IGNORE);
        if (!is_complete && !is_end) {
            one->next = kept;
            kept = one;
            continue;
        }
        if (is_complete)
            later_run_all(one->taken, 1);
        else
            PMPI_Request_free(&one->request);
        free(one);
        later_count(-1);
    }
    pthread_mutex_lock(&later_lock);
    while (kept) {
        later_alone *next = kept->next;
        kept->next = later_freed;
        later_freed = kept;
        kept = next;
    }
    pthread_mutex_unlock(&later_lock);
}

void fort_later_end(void)
{
    later_progress(1);
}

void fort_later_finish_alone(MPI_Request request, fort_later *taken)
{
    later_alone *one = fort_room(NULL, 0, 1, sizeof *one);
    one->request = request;
    one->taken = taken;
    pthread_mutex_lock(&later_lock);
    one->next = later_freed;
    later_freed = one;
    later_count(1);
    pthread_mutex_unlock(&later_lock);
}

fort_later *fort_later_take(const int *requests, size_t count)
{
    fort_later *taken = NULL;
    later_progress(0);
    pthread_mutex_lock(&later_lock);
    for (fort_later **at = &later_waiting; *at;) {
        fort_later *later = *at;
        if (!later_is_one_of(later, requests, count)) {
            at = &later->next;
            continue;
        }
        *at = later->next;
        fort_later_add(&taken, later);
        later_count(-1);
    }
    pthread_mutex_unlock(&later_lock);
    return taken;
}

void fort_later_give_back(fort_later *taken)
{
    pthread_mutex_lock(&later_lock);
    while (taken) {
        fort_later *next = taken->next;
        fort_later_add(&later_waiting, taken);
        later_count(1);
        taken = next;
    }
    pthread_mutex_unlock(&later_lock);
}

void fort_later_see(const int *requests, size_t count)
{
    fort_later *taken = fort_later_take(requests, count), *done = NULL, **at = &taken;
    while (*at) {
        fort_later *later = *at;
        if (later->is_persistent) {
            at = &later->next;
            continue;
        }
        *at = later->next;
        fort_later_add(&done, later);
    }
    fort_later_give_back(taken);
    later_run_all(done, 1);
}

void fort_later_drop(MPI_Request request)
{
    int number = PMPI_Request_toint(request);
    if (request != MPI_REQUEST_NULL)
        later_run_all(fort_later_take(&number, 1), 0);
}

void fort_later_keep(MPI_Request request, fort_later *list, int is_persistent)
{
    if (request == MPI_REQUEST_NULL) {
        later_run_all(list, 1);
        return;
    }
    fort_started(request);
    for (fort_later *later = list; later; later = later->next) {
        later->request = request;
        later->is_persistent = is_persistent;
    }
    fort_later_give_back(list);
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
        fort_later_keep(request, &made->later, 0);
}
