/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/face_life.h"

#include "mpi/face_errhandler.h"
#include "mpi/face_session.h"
#include "mpi/face_tool.h"

#include "coll/coll.h"
#include "dynamic/dynamic.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static void life_open_comm(face_rank *rank, face_comm *face, cor_comm *comm, MPI_Comm handle)
{
    *face = (face_comm){
        .kind = FACE_COMM,
        .size = cor_comm_size(comm),
        .rank = cor_comm_rank(comm),
        .comm = comm,
        .owner = rank,
        .handle = handle,
        .errhandler = MPI_ERRORS_ARE_FATAL,
        .scope = &rank->world_scope,
    };
    cor_list_init(&face->in_scope);
    cor_comm_set_face(comm, face, NULL);
}

/* What handles of groups and attributes need. MPI_INFO_ENV, if it exists already, has more keys now. */
static int life_open_tables(face_rank *rank)
{
    const int none = 0;
    cor_info_destroy(rank->env_info);
    rank->env_info = NULL;
    rank->empty_group = cor_rank_make_group(rank->rank, 0, &none);
    return rank->empty_group && cor_keys_create(&rank->keys) == COR_OK && cor_dynamic_open(rank->rank, NULL) == COR_OK;
}

/* What the program was given hangs no longer on anything; then the keys go. */
static void life_close_tables(face_rank *rank)
{
    cor_attributes_drop(rank->keys, &rank->world_comm.attributes);
    cor_attributes_drop(rank->keys, &rank->self_comm.attributes);
    for (int row = 0; row < COR_DTYPE_ROWS; row++)
        cor_attributes_drop(rank->keys, &rank->type_attributes[row]);
    cor_keys_destroy(rank->keys);
    rank->keys = NULL;
    cor_group_unref(rank->empty_group);
    rank->empty_group = NULL;
}

/* Tools read the settings of a rank that is closed, with their lock held. Returns the former rank. */
static cor_rank *life_set_rank(face_rank *rank, cor_rank *engine)
{
    pthread_mutex_lock(&rank->tool_lock);
    cor_rank *former = rank->rank;
    rank->rank = engine;
    pthread_mutex_unlock(&rank->tool_lock);
    return former;
}

/* The engine's rank that MPI_Finalize has closed goes, with all communicators. */
static int life_forget_closed(face_rank *rank, cor_fault *fault)
{
    if (!cor_rank_may_reopen(rank->rank))
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "MPI_Finalize has ended this rank's part in the job; a session may follow it only where "
                             "one was initialised before it, or in a job of one process without a launcher");
    cor_rank_destroy(life_set_rank(rank, NULL));
    return COR_OK;
}

static int life_open(face_rank *rank, const char *call, int is_threaded, cor_fault *fault)
{
    cor_rank_options options = {
        .team = rank->team,
        .team_rank = rank->team_rank,
        .is_threaded = is_threaded || face_tool_is_threaded(rank),
        .long_double_bits = LDBL_MANT_DIG,
        .overrides = face_tool_overrides(rank),
        .call = call,
        .prepare = cor_coll_open,
    };
    cor_rank *opened;
    int code = rank->rank ? life_forget_closed(rank, fault) : COR_OK;
    if (code == COR_OK)
        code = cor_rank_open(&options, &opened, fault);
    if (code != COR_OK)
        return code;
    life_set_rank(rank, opened);
    rank->life.has_threads = options.is_threaded;
    face_scope_init(&rank->world_scope, NULL);
    cor_list_init(&rank->retired);
    if (!life_open_tables(rank)) {
        /* The other ranks wait for no one now; this one cannot tell them better. */
        fprintf(stderr, "corunna: %s: no memory for the tables of handles\n", call);
        face_quit(MPI_ERR_NO_MEM);
    }
    life_open_comm(rank, &rank->world_comm, cor_rank_world(rank->rank), MPI_COMM_WORLD);
    life_open_comm(rank, &rank->self_comm, cor_rank_self(rank->rank), MPI_COMM_SELF);
    rank->no_file =
        (face_comm){.owner = rank, .handle = (MPI_Comm)(void *)MPI_FILE_NULL, .errhandler = MPI_ERRORS_RETURN};
    rank->attributes = (face_attributes){
        .tag_ub = cor_rank_tag_max(rank->rank),
        .io = MPI_ANY_SOURCE,
        .host = MPI_PROC_NULL,
        .wtime_is_global = 0,
        .universe_size = cor_rank_universe(rank->rank),
        .appnum = cor_rank_appnum(rank->rank),
        .last_used_code = rank->attributes.last_used_code ? rank->attributes.last_used_code : MPI_ERR_LASTCODE,
    };
    rank->parent = MPI_COMM_NULL;
    rank->is_checked = cor_rank_is_checked(rank->rank);
    /* release: what opening wrote comes before, for tools (face_tool.h). */
    atomic_store_explicit(&rank->life.is_running, 1, memory_order_release);
    face_tool_opened(rank);
    return COR_OK;
}

/* ---- the end of the process ------------------------------------------------------------------------------------- */

static void life_at_exit(void)
{
    /* A child that the process has forked inherits this function, but is no rank. */
    if (getpid() == face_process.life.process)
        face_life_end(&face_process);
}

/* After the engine has opened: libraries that it loads end after it. */
static int life_keep(face_rank *rank, cor_fault *fault)
{
    if (rank->life.has_sessions)
        return COR_OK;
    if (!rank->team && atexit(life_at_exit) != 0)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for what is to be done at the end of the process");
    rank->life.process = getpid();
    rank->life.has_sessions = 1;
    return COR_OK;
}

/* ---- users ------------------------------------------------------------------------------------------------------ */

int face_life_enter(face_rank *rank, const char *call, face_user user, int *level_p, cor_fault *fault)
{
    int is_threaded = user == FACE_USER_SESSION ? *level_p != MPI_THREAD_SINGLE : *level_p == MPI_THREAD_MULTIPLE;
    int code = COR_OK;
    pthread_mutex_lock(&rank->life.mutex);
    if (!rank->life.is_running)
        code = life_open(rank, call, is_threaded, fault);
    if (code == COR_OK && user == FACE_USER_SESSION)
        code = life_keep(rank, fault);
    if (code == COR_OK) {
        if (!rank->life.has_threads && *level_p > MPI_THREAD_SERIALIZED)
            *level_p = MPI_THREAD_SERIALIZED;
        rank->life.users++;
        /* release: what opening wrote comes before. */
        atomic_store_explicit(&rank->is_open, 1, memory_order_release);
    }
    pthread_mutex_unlock(&rank->life.mutex);
    return code;
}

/* Under the mutex. */
static void life_leave(face_rank *rank)
{
    if (--rank->life.users > 0)
        return;
    /* From here on no call makes progress. */
    cor_rank_settle(rank->rank);
    atomic_store_explicit(&rank->is_open, 0, memory_order_release);
}

void face_life_leave(face_rank *rank)
{
    pthread_mutex_lock(&rank->life.mutex);
    life_leave(rank);
    pthread_mutex_unlock(&rank->life.mutex);
}

/* ---- closing ---------------------------------------------------------------------------------------------------- */

static void life_end_world(face_rank *rank)
{
    atomic_store_explicit(&rank->world, NULL, memory_order_relaxed);
    atomic_store_explicit(&rank->self, NULL, memory_order_relaxed);
}

/* Close the engine. `when`: the call, or what else ends the rank. */
static void life_close(face_rank *rank, const char *when)
{
    cor_fault fault = {0};
    int code = cor_coll_close(rank->rank, &fault);
    if (rank->is_checked && code == COR_OK)
        face_check_finish(rank, when);
    if (rank->is_checked) /* other threads may read it */
        rank->is_checked = 0;
    cor_dynamic_close(rank->rank);
    face_tool_finalize(rank);
    life_end_world(rank);
    atomic_store_explicit(&rank->is_open, 0, memory_order_relaxed);
    /* release: who hears of the end finds no communicator. */
    if (rank->state == FACE_OPEN)
        atomic_store_explicit(&rank->state, FACE_FINALIZED, memory_order_release);
    rank->life.users = 0;
    int closed = cor_rank_finalize(rank->rank, &fault);
    code = closed != COR_OK ? closed : code;
    face_errhandler_unref(rank, rank->no_file.errhandler);
    rank->no_file.errhandler = MPI_ERRORS_RETURN;
    face_store_finalize(rank);
    face_check_free(rank);
    life_close_tables(rank);
    if (code != COR_OK) {
        fprintf(stderr, "corunna: rank %d on %s: %s: %s\n", cor_rank_number(rank->rank), cor_rank_host(rank->rank),
                when, fault.text[0] ? fault.text : cor_error_text(code));
        face_quit(face_class_of(code));
    }
}

/* Their memory is the program's again when MPI_Finalize returns. */
static void life_end_buffers(face_rank *rank)
{
    cor_buffer_end(rank->rank, NULL);
    cor_buffer_end(rank->rank, rank->world_comm.comm);
    cor_buffer_end(rank->rank, rank->self_comm.comm);
}

/* Errors that belong to nothing go where they went before MPI_Init. */
static void life_reset_handler(face_rank *rank, face_comm *first)
{
    face_errhandler_unref(rank, first->errhandler);
    first->errhandler = MPI_ERRORS_ARE_FATAL;
    first->has_own_handler = 0;
}

void face_life_finalize(face_rank *rank, const char *call)
{
    pthread_mutex_lock(&rank->life.mutex);
    if (rank->life.has_sessions) {
        life_end_world(rank);
        life_end_buffers(rank);
        face_scope_end(call, rank, &rank->world_scope);
        cor_attributes_drop(rank->keys, &rank->world_comm.attributes);
        life_reset_handler(rank, &rank->world_comm);
        life_reset_handler(rank, &rank->self_comm);
        atomic_store_explicit(&rank->state, FACE_FINALIZED, memory_order_release);
        life_leave(rank);
    } else {
        life_close(rank, call);
    }
    pthread_mutex_unlock(&rank->life.mutex);
}

void face_life_end(face_rank *rank)
{
    if (rank->life.is_running && rank->life.users == 0)
        life_close(rank, "the end of the program");
    else if (rank->life.is_running && rank->is_checked)
        face_check_tell_sessions(rank);
}
