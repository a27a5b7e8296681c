/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the tool information interface, and how its functions return strings and infos. */
#include "mpi/face_tool.h"

#include "mpi/face_comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

face_tool *face_tool_enter(face_rank *rank)
{
    pthread_mutex_lock(&rank->tool_lock);
    if (rank->tool && rank->tool->users > 0)
        return rank->tool;
    pthread_mutex_unlock(&rank->tool_lock);
    return NULL;
}

void face_tool_leave(face_rank *rank)
{
    pthread_mutex_unlock(&rank->tool_lock);
}

int face_tool_is_ready(face_rank *rank)
{
    int is_ready = face_tool_enter(rank) != NULL;
    if (is_ready)
        face_tool_leave(rank);
    return is_ready;
}

static face_tool *tool_create(void)
{
    face_tool *tool = calloc(1, sizeof *tool);
    if (!tool)
        return NULL;
    cor_list_init(&tool->cvars);
    cor_list_init(&tool->sessions);
    cor_list_init(&tool->registrations);
    cor_list_init(&tool->deliveries);
    return tool;
}

/* Threads that call at once need a lock in the engine, which it has or has not once it is open. */
static int tool_level(const face_rank *rank, int required)
{
    if (required >= MPI_THREAD_MULTIPLE && face_tool_is_open(rank) && !rank->life.has_threads)
        return MPI_THREAD_SERIALIZED;
    return required <= MPI_THREAD_SINGLE       ? MPI_THREAD_SINGLE
           : required <= MPI_THREAD_FUNNELED   ? MPI_THREAD_FUNNELED
           : required <= MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED
                                               : MPI_THREAD_MULTIPLE;
}

static int tool_init_thread(const char *call, int required, int *provided)
{
    face_rank *rank = face_get();
    pthread_mutex_lock(&rank->tool_lock);
    if (!rank->tool)
        rank->tool = tool_create();
    face_tool *tool = rank->tool;
    if (tool) {
        int level = tool_level(rank, required);
        tool->users++;
        tool->level = level > tool->level ? level : tool->level;
        face_tool_int(tool->level, provided);
    }
    pthread_mutex_unlock(&rank->tool_lock);
    return tool ? MPI_SUCCESS : MPI_T_ERR_MEMORY;
}

FACE_API(T_init_thread, tool_init_thread)

static int tool_finalize(const char *call)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    if (--tool->users == 0) {
        face_tool_free_cvars(tool);
        face_tool_free_sessions(tool);
        face_tool_free_registrations(tool);
        tool->level = MPI_THREAD_SINGLE;
        face_tool_listen(rank, tool);
    }
    face_tool_leave(rank);
    return MPI_SUCCESS;
}

FACE_API(T_finalize, tool_finalize)

/* ---- with MPI_Init and MPI_Finalize ----------------------------------------------------------------------------- */

void face_tool_listen(face_rank *rank, const face_tool *tool)
{
    if (face_tool_is_open(rank))
        cor_rank_listen(rank->rank, tool->timed > 0, face_tool_has_callbacks(tool) ? face_tool_event_report : NULL,
                        rank);
}

const char *const *face_tool_overrides(face_rank *rank)
{
    const char *const *overrides = NULL;
    pthread_mutex_lock(&rank->tool_lock);
    if (rank->tool) {
        rank->tool->is_taken = 1;
        overrides = (const char *const *)rank->tool->overrides;
    }
    pthread_mutex_unlock(&rank->tool_lock);
    return overrides;
}

int face_tool_is_threaded(face_rank *rank)
{
    pthread_mutex_lock(&rank->tool_lock);
    int is_threaded = rank->tool && rank->tool->level == MPI_THREAD_MULTIPLE;
    pthread_mutex_unlock(&rank->tool_lock);
    return is_threaded;
}

int face_tool_is_inside(face_rank *rank)
{
    pthread_mutex_lock(&rank->tool_lock);
    int is_inside = rank->tool && face_tool_is_delivering(rank->tool);
    pthread_mutex_unlock(&rank->tool_lock);
    return is_inside;
}

void face_tool_opened(face_rank *rank)
{
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return;
    face_tool_listen(rank, tool);
    face_tool_leave(rank);
}

void face_tool_finalize(face_rank *rank)
{
    pthread_mutex_lock(&rank->tool_lock);
    if (rank->tool) {
        face_tool_keep_values(rank, rank->tool);
        cor_rank_listen(rank->rank, 0, NULL, NULL);
    }
    /* With the lock held: a value that was kept is not counted once more. */
    atomic_store_explicit(&rank->life.is_running, 0, memory_order_relaxed);
    face_tool_leave(rank);
}

void face_tool_free(face_rank *rank)
{
    face_tool *tool = rank->tool;
    if (!tool)
        return;
    face_tool_free_cvars(tool);
    face_tool_free_sessions(tool);
    face_tool_free_registrations(tool);
    for (size_t i = 0; i < tool->override_count; i++)
        free(tool->overrides[i]);
    free(tool->overrides);
    free(tool);
    rank->tool = NULL;
}

/* ---- what functions return -------------------------------------------------------------------------------------- */

void face_tool_string(const char *text, char *out, int *length)
{
    if (!length)
        return;
    if (out && *length > 0)
        snprintf(out, (size_t)*length, "%s", text);
    *length = (int)strlen(text) + 1;
}

int face_tool_no_hints(face_rank *rank, const char *call, MPI_Info *info_p)
{
    cor_info *info = cor_info_create();
    face_info *made = info ? face_object_create(rank, FACE_INFO, call) : NULL;
    if (!made) {
        cor_info_destroy(info);
        return MPI_T_ERR_MEMORY;
    }
    made->info = info;
    *info_p = (MPI_Info)made;
    return MPI_SUCCESS;
}

int face_tool_is_info(face_rank *rank, MPI_Info info)
{
    return info == MPI_INFO_NULL || face_info_find(rank, info) != NULL;
}
