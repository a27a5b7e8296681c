/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, ending, and asking about the library. */
#include "mpi/face_comm.h"
#include "mpi/face_errhandler.h"
#include "mpi/face_name.h"
#include "mpi/face_tool.h"

#include "base/clock.h"
#include "coll/coll.h"
#include "dynamic/dynamic.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Init and Finalize ------------------------------------------------------------------------------------------ */

static void env_open_comm(face_rank *rank, face_comm *face, cor_comm *comm, MPI_Comm handle)
{
    *face = (face_comm){
        .kind = FACE_COMM,
        .size = cor_comm_size(comm),
        .rank = cor_comm_rank(comm),
        .comm = comm,
        .owner = rank,
        .handle = handle,
        .errhandler = MPI_ERRORS_ARE_FATAL,
    };
    cor_comm_set_face(comm, face, NULL);
}

/* What handles of groups and attributes need. MPI_INFO_ENV, if it exists already, has more keys now. */
static int env_open_tables(face_rank *rank)
{
    const int none = 0;
    cor_info_destroy(rank->env_info);
    rank->env_info = NULL;
    rank->empty_group = cor_rank_make_group(rank->rank, 0, &none);
    return rank->empty_group && cor_keys_create(&rank->keys) == COR_OK;
}

/* What the program was given hangs no longer on anything; then the keys go. */
static void env_close_tables(face_rank *rank)
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
    rank->parent = MPI_COMM_NULL;
    return parent ? env_keep_parent(rank, call, parent) : MPI_SUCCESS;
}

static int env_init(const char *call, int level)
{
    face_rank *rank = face_get();
    if (face_state_of(rank) == FACE_FINALIZED)
        face_not_open(rank, call);
    if (face_state_of(rank) == FACE_OPEN)
        return face_fail(call, NULL, MPI_ERR_OTHER, "MPI was already initialized");
    cor_rank_options options = {
        .team = rank->team,
        .team_rank = rank->team_rank,
        .is_threaded = level == MPI_THREAD_MULTIPLE || face_tool_is_threaded(rank),
        .long_double_bits = LDBL_MANT_DIG,
        .overrides = face_tool_overrides(rank),
        .call = call,
        .prepare = cor_coll_open,
    };
    cor_fault fault = {0};
    if (cor_rank_open(&options, &rank->rank, &fault) != COR_OK) {
        /* There is no error handler yet. */
        fprintf(stderr, "corunna: %s: %s\n", call, fault.text[0] ? fault.text : cor_error_text(fault.code));
        face_quit(face_class_of(fault.code));
    }
    if (!env_open_tables(rank)) {
        fprintf(stderr, "corunna: %s: no memory for the tables of handles\n", call);
        face_quit(MPI_ERR_NO_MEM);
    }
    env_open_comm(rank, &rank->world_comm, cor_rank_world(rank->rank), MPI_COMM_WORLD);
    env_open_comm(rank, &rank->self_comm, cor_rank_self(rank->rank), MPI_COMM_SELF);
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
    rank->thread_level = level;
    rank->main_thread = pthread_self();
    rank->world = &rank->world_comm;
    rank->self = &rank->self_comm;
    rank->is_checked = cor_rank_is_checked(rank->rank);
    /* release: what MPI_Init wrote comes before. */
    atomic_store_explicit(&rank->state, FACE_OPEN, memory_order_release);
    face_tool_opened(rank);
    return env_meet_parent(rank, call);
}

static int env_init_single(const char *call, int *argc, char ***argv)
{
    return env_init(call, MPI_THREAD_SINGLE);
}

FACE_API(Init, env_init_single)

static int env_init_thread(const char *call, int *argc, char ***argv, int required, int *provided)
{
    int level = required <= MPI_THREAD_SINGLE       ? MPI_THREAD_SINGLE
                : required <= MPI_THREAD_FUNNELED   ? MPI_THREAD_FUNNELED
                : required <= MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED
                                                    : MPI_THREAD_MULTIPLE;
    int error = env_init(call, level);
    if (error == MPI_SUCCESS && provided)
        *provided = level;
    return error;
}

FACE_API(Init_thread, env_init_thread)

static int env_finalize(const char *call)
{
    face_rank *rank = face_open(call);
    cor_fault fault = {0};
    if (face_tool_is_inside(rank))
        return face_fail(call, rank->world, MPI_ERR_OTHER, "called from a callback of an event of MPI_T");
    /* MPI ends with the attributes of MPI_COMM_SELF, while everything still works. */
    int failed = cor_attributes_discard(rank->keys, &rank->self->attributes, rank->self);
    if (failed)
        return face_fail_callback(call, rank->self, failed, "the delete function of an attribute");
    int code = cor_coll_close(rank->rank, &fault);
    if (rank->is_checked && code == COR_OK)
        face_check_finish(rank);
    if (rank->is_checked) /* other threads may read it */
        rank->is_checked = 0;
    cor_dynamic_close(rank->rank);
    face_tool_finalize(rank);
    atomic_store_explicit(&rank->world, NULL, memory_order_relaxed);
    atomic_store_explicit(&rank->self, NULL, memory_order_relaxed);
    /* release: who hears of the end finds no communicator. */
    atomic_store_explicit(&rank->state, FACE_FINALIZED, memory_order_release);
    int closed = cor_rank_finalize(rank->rank, &fault);
    code = closed != COR_OK ? closed : code;
    face_errhandler_unref(rank, rank->no_file.errhandler);
    rank->no_file.errhandler = MPI_ERRORS_RETURN;
    face_store_finalize(rank);
    face_check_free(rank);
    env_close_tables(rank);
    if (code != COR_OK) {
        fprintf(stderr, "corunna: rank %d on %s: MPI_Finalize: %s\n", cor_rank_number(rank->rank),
                cor_rank_host(rank->rank), fault.text[0] ? fault.text : cor_error_text(code));
        face_quit(face_class_of(code));
    }
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
    return (double)(face_state_of(rank) == FACE_OPEN ? cor_rank_clock_ns(rank->rank) : cor_clock_ns()) * 1e-9;
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
