/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, ending, and asking about the library. */
#include "mpi/face_comm.h"
#include "mpi/face_life.h"
#include "mpi/face_name.h"
#include "mpi/face_tool.h"

#include "base/clock.h"
#include "dynamic/dynamic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Init and Finalize ------------------------------------------------------------------------------------------ */

static int env_keep_parent(face_rank *rank, const char *call, cor_comm *parent)
{
    int error = face_comm_handle(call, rank->world, parent, &rank->parent);
    face_comm *face = error == MPI_SUCCESS ? face_comm_find(rank, rank->parent) : NULL;
    if (face && !face_name_set(rank, &face->name, "MPI_COMM_PARENT"))
        error = face_fail(call, rank->world, MPI_ERR_NO_MEM, "no memory for the name of a communicator");
    return error;
}

/* A job that another one has started meets that before the program goes on. */
static int env_meet_parent(face_rank *rank, const char *call)
{
    cor_comm *parent = NULL;
    int code = cor_dynamic_open(rank->rank, &parent);
    if (code != COR_OK)
        return face_fail_engine(call, rank->world, code, NULL);
    return parent ? env_keep_parent(rank, call, parent) : MPI_SUCCESS;
}

/* *level_p: the thread level that the program wants, and on return gets. */
static int env_init(const char *call, int *level_p)
{
    face_rank *rank = face_get();
    cor_fault fault = {0};
    if (rank->state == FACE_FINALIZED)
        face_not_open(rank, call);
    if (rank->state == FACE_OPEN)
        return face_fail(call, NULL, MPI_ERR_OTHER, "MPI was already initialized");
    if (face_life_enter(rank, call, FACE_USER_WORLD, level_p, &fault) != COR_OK) {
        /* There is no error handler yet. */
        fprintf(stderr, "corunna: %s: %s\n", call, fault.text[0] ? fault.text : cor_error_text(fault.code));
        face_quit(face_class_of(fault.code));
    }
    rank->thread_level = *level_p;
    rank->main_thread = pthread_self();
    rank->world = &rank->world_comm;
    rank->self = &rank->self_comm;
    /* release: what MPI_Init wrote comes before. */
    atomic_store_explicit(&rank->state, FACE_OPEN, memory_order_release);
    return env_meet_parent(rank, call);
}

static int env_init_single(const char *call, int *argc, char ***argv)
{
    int level = MPI_THREAD_SINGLE;
    return env_init(call, &level);
}

FACE_API(Init, env_init_single)

static int env_init_thread(const char *call, int *argc, char ***argv, int required, int *provided)
{
    int level = required <= MPI_THREAD_SINGLE       ? MPI_THREAD_SINGLE
                : required <= MPI_THREAD_FUNNELED   ? MPI_THREAD_FUNNELED
                : required <= MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED
                                                    : MPI_THREAD_MULTIPLE;
    int error = env_init(call, &level);
    if (error == MPI_SUCCESS && provided)
        *provided = level;
    return error;
}

FACE_API(Init_thread, env_init_thread)

static int env_finalize(const char *call)
{
    face_rank *rank = face_open(call);
    if (rank->state != FACE_OPEN)
        face_not_open(rank, call);
    if (face_tool_is_inside(rank))
        return face_fail(call, rank->world, MPI_ERR_OTHER, "called from a callback of an event of MPI_T");
    /* MPI ends with the attributes of MPI_COMM_SELF, while everything still works. */
    int failed = cor_attributes_discard(rank->keys, &rank->self->attributes, rank->self);
    if (failed)
        return face_fail_callback(call, rank->self, failed, "the delete function of an attribute");
    face_life_finalize(rank, call);
    return MPI_SUCCESS;
}

FACE_API(Finalize, env_finalize)

static int env_initialized(const char *call, int *flag)
{
    *flag = atomic_load_explicit(&face_get()->state, memory_order_acquire) != FACE_BEFORE_INIT;
    return MPI_SUCCESS;
}

FACE_API(Initialized, env_initialized)

static int env_finalized(const char *call, int *flag)
{
    *flag = atomic_load_explicit(&face_get()->state, memory_order_acquire) == FACE_FINALIZED;
    return MPI_SUCCESS;
}

FACE_API(Finalized, env_finalized)

static int env_abort(const char *call, MPI_Comm comm, int errorcode)
{
    face_rank *rank = face_open(call);
    char reason[96];
    snprintf(reason, sizeof reason, "MPI_Abort: called with error code %d%s", errorcode,
             face_comm_find(rank, comm) ? "" : " and an invalid communicator");
    face_abort(rank, errorcode, reason);
}

FACE_API(Abort, env_abort)

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static int env_query_thread(const char *call, int *provided)
{
    *provided = face_get()->thread_level;
    return MPI_SUCCESS;
}

FACE_API(Query_thread, env_query_thread)

static int env_is_thread_main(const char *call, int *flag)
{
    *flag = pthread_equal(face_get()->main_thread, pthread_self()) != 0;
    return MPI_SUCCESS;
}

FACE_API(Is_thread_main, env_is_thread_main)

/* ---- versions and names ----------------------------------------------------------------------------------------- */

static int env_version(const char *call, int *version, int *subversion)
{
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

FACE_API(Get_version, env_version)

static int env_abi_version(const char *call, int *abi_major, int *abi_minor)
{
    *abi_major = MPI_ABI_VERSION;
    *abi_minor = MPI_ABI_SUBVERSION;
    return MPI_SUCCESS;
}

FACE_API(Abi_get_version, env_abi_version)

static int env_library_version(const char *call, char *version, int *resultlen)
{
    *resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Corunna %s, standard ABI of MPI %d.%d",
                          COR_VERSION, MPI_VERSION, MPI_SUBVERSION);
    return MPI_SUCCESS;
}

FACE_API(Get_library_version, env_library_version)

static int env_processor_name(const char *call, char *name, int *resultlen)
{
    snprintf(name, MPI_MAX_PROCESSOR_NAME, "%s", cor_rank_host(face_get()->rank));
    *resultlen = (int)strlen(name);
    return MPI_SUCCESS;
}

FACE_API(Get_processor_name, env_processor_name)

/* ---- time, memory, profiling ------------------------------------------------------------------------------------ */

COR_API(double, Wtime, (void))
{
    const face_rank *rank = face_get();
    return (double)(face_is_open(rank) ? cor_rank_clock_ns(rank->rank) : cor_clock_ns()) * 1e-9;
}

COR_API(double, Wtick, (void))
{
    return 1e-9;
}

static int env_alloc_mem(const char *call, MPI_Aint size, MPI_Info info, void *baseptr)
{
    void *memory = NULL;
    if (posix_memalign(&memory, COR_CACHE_LINE, size ? (size_t)size : 1) != 0)
        return face_fail(call, NULL, MPI_ERR_NO_MEM, "no memory for %td bytes", size);
    *(void **)baseptr = memory;
    return MPI_SUCCESS;
}

FACE_API(Alloc_mem, env_alloc_mem)

static int env_free_mem(const char *call, void *base)
{
    face_open(call);
    free(base);
    return MPI_SUCCESS;
}

FACE_API(Free_mem, env_free_mem)

COR_API(int, Pcontrol, (const int level, ...))
{
    (void)level;
    return MPI_SUCCESS;
}
