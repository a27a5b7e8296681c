/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C face: MPI's handles over the engine's objects, and how a call finds its rank.
 *
 * A handle is a small number for what MPI predefines and a pointer to one of the structs below for the rest, except
 * requests, which are the engine's own (cor_request). The structs come from a store that never frees memory, so that
 * the kind of a freed handle can still be read for an error message.
 *
 * MPI lets a program use infos, error handlers, error codes and the integers of handles at any time, before MPI_Init
 * and after MPI_Finalize: they live as long as the face_rank. So do the communicators and the engine's rank: other
 * threads may be in a call while MPI_Finalize ends, and then the call fails through the error handler of its
 * communicator (mp.h). MPI_Finalize frees all else.
 *
 * Finding the rank: a thread-local pointer that corunna/threads.h sets; where it is NULL, the process's one rank.
 *
 * Locking. face_rank.lock guards the store, the names, the sentences and the counts of references; no data call takes
 * it. A struct is not changed by one thread while another uses it, other than as MPI allows a program to do.
 */
#ifndef COR_MPI_FACE_H
#define COR_MPI_FACE_H

#include "mpi/api.h"

#include "base/cpu.h"
#include "base/list.h"
#include "dtype/predefined.h"
#include "mp/attribute.h"
#include "mp/group.h"
#include "mp/info.h"
#include "mp/leftovers.h"
#include "mp/mp.h"
#include "mp/session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct face_rank face_rank;

/* Handles up to here are predefined numbers, not pointers. */
#define FACE_RESERVED_MAX ((uintptr_t)4095)

typedef enum face_kind {
    FACE_FREE, /* free in the store, or not a handle of this library */
    FACE_COMM = 0x6d6d6f63,
    FACE_TYPE = 0x65707974,
    FACE_ERRHANDLER = 0x646e6168,
    FACE_MESSAGE = 0x6767736d,
    FACE_GROUP = 0x70756f72,
    FACE_INFO = 0x6f666e69,
    FACE_OP = 0x7265706f,
    FACE_WIN = 0x646e6977,
    FACE_FILE = 0x656c6966,
    FACE_SESSION = 0x73736573,
    FACE_REQUEST = 0x75716572, /* the engine's: only face_check.c uses it */
} face_kind;

/* ---- what handles point to -------------------------------------------------------------------------------------- */

/* What ends together: the communicators, windows and files of the world, from MPI_Init to MPI_Finalize, or of one
 * session (face_session.h). */
typedef struct face_scope {
    cor_list members;     /* face_comm.in_scope, the oldest first; under the lock */
    cor_session *session; /* a reference; NULL: the world */
} face_scope;

/* MPI_Comm. Attached to its cor_comm (cor_comm_face) and lives as long, also after MPI_Comm_free. */
typedef struct face_comm {
    face_kind kind;
    int size; /* of the group that messages go to: on an intercommunicator the other side */
    int rank; /* on this side */
    int is_inter;
    cor_comm *comm;
    face_rank *owner;
    MPI_Comm handle;
    MPI_Errhandler errhandler; /* predefined, or a reference to a face_errhandler */
    int has_own_handler;       /* the program has set one */
    char *name;                /* NULL: none was set */
    cor_attributes attributes;
    cor_info *hints; /* set by MPI_Comm_set_info; NULL: none */
    face_scope *scope;
    cor_link in_scope;
    int is_retired; /* its scope has ended, and the engine's communicator is still to be released */
} face_comm;

/* MPI_Win. Its first part hears of the errors of the window's calls, as a communicator does of others (face_error.h),
 * and has what both have: a name, attributes and hints. Attached to the window's own cor_comm and lives as long, also
 * after MPI_Win_free. */
typedef struct face_win {
    face_comm as; /* its kind is FACE_WIN, so that it is not taken for a communicator */
    struct cor_win *win;
    /* What MPI_Win_get_attr returns pointers to. */
    MPI_Aint size;
    int unit, flavour, model;
} face_win;

/* MPI_File. As a window, but without attributes and hints of its own; its name is the file's. */
typedef struct face_file {
    face_comm as; /* its kind is FACE_FILE */
    struct cor_file *file;
} face_file;

/* MPI_Session. Its first part hears of the errors of its calls, as that of a window does, and has no communicator. */
typedef struct face_session {
    face_comm as; /* its kind is FACE_SESSION */
    face_scope scope;
    int thread_level;
} face_session;

/* MPI_Datatype. */
typedef struct face_type {
    face_kind kind;
    int is_committed;
    int references; /* the program's, and those of reductions with an operator of the program's; under the lock */
    const cor_dtype *type;          /* a reference */
    struct face_type *next_fortran; /* of the types that MPI_Type_create_f90_* made */
    char *name;
    cor_attributes attributes;
} face_type;

/* What an error handler of the program's may be attached to. */
typedef enum face_subject { FACE_FOR_COMM, FACE_FOR_FILE, FACE_FOR_WIN, FACE_FOR_SESSION } face_subject;

/* MPI_Errhandler. */
typedef struct face_errhandler {
    face_kind kind;
    int references;
    face_subject subject;
    void (*function)(void); /* the program's: an MPI_Comm_, _File_, _Win_ or _Session_errhandler_function */
} face_errhandler;

/* MPI_Group. */
typedef struct face_group {
    face_kind kind;
    cor_group *group; /* a reference */
} face_group;

/* MPI_Info. */
typedef struct face_info {
    face_kind kind;
    cor_info *info;
} face_info;

/* MPI_Op. */
typedef struct face_op {
    face_kind kind;
    const struct cor_op *op; /* a reference */
} face_op;

/* MPI_Message. */
typedef struct face_message {
    face_kind kind;
    cor_message *message;
    face_comm *comm;
} face_message;

typedef union face_object {
    struct {
        face_kind kind;
        cor_link link; /* while in the store */
    } stored;
    face_comm comm;
    face_type type;
    face_errhandler errhandler;
    face_message message;
    face_group group;
    face_info info;
    face_op op;
    face_win win;
    face_file file;
    face_session session;
} face_object;

/* ---- the rank --------------------------------------------------------------------------------------------------- */

/* Of the world: what MPI_Initialized and MPI_Finalized tell. Sessions do not change it. */
typedef enum face_state { FACE_BEFORE_INIT, FACE_OPEN, FACE_FINALIZED } face_state;

enum { FACE_CLASSES = MPI_ERR_ABI + 1, FACE_SENTENCE_BYTES = 400 };

/* What MPI_Comm_get_attr returns pointers to. */
typedef struct face_attributes {
    int tag_ub, io, host, wtime_is_global, universe_size /* 0: not known */, last_used_code;
    int appnum;
} face_attributes;

/* face_life.h; under its mutex, but for what a rank's only thread reads. */
typedef struct face_life {
    pthread_mutex_t mutex;
    _Atomic int is_running; /* the engine is open */
    int users;              /* the world, and each open session */
    int has_sessions;       /* it had one: it stays open until the process, or the thread that is the rank, ends */
    int has_threads;        /* it was opened for several threads */
    pid_t process;          /* that had the sessions */
} face_life;

struct face_rank {
    /* Read by every call. The communicators are NULL unless the state is FACE_OPEN; is_open: the world or a session is
     * open, so that the engine may be used. relaxed: the thread of a call has seen MPI_Init or MPI_Session_init return,
     * in this thread or one it has synchronised with since, or has called MPI_Initialized; so it reads that value or a
     * later one, and sees what was written before. A call that reads one just when MPI_Finalize clears it gets
     * COR_ERR_FINALIZED from the engine. */
    face_comm *_Atomic world, *_Atomic self;
    _Atomic int is_open;
    _Atomic int general_count; /* number of generalized requests: completion checks for them if there are any */
    int is_checked;            /* the knob `check`: face_check.c */
    cor_rank *rank;            /* NULL before it is opened (face_life.h) */

    /* Written with release, and read with acquire by MPI_Initialized and MPI_Finalized: a thread that learns from them
     * that MPI is initialised sees all that MPI_Init wrote. */
    _Atomic face_state state;
    face_life life;
    face_scope world_scope;
    cor_list retired; /* face_comm.in_scope: left by scopes that have ended; under the lock */
    int thread_level;
    pthread_t main_thread;
    cor_team *team; /* NULL: found through the environment */
    int team_rank;
    face_comm world_comm, self_comm;
    MPI_Comm parent; /* connects to the job that started this one; MPI_COMM_NULL: none */
    face_attributes attributes;

    pthread_mutex_t lock;
    cor_list store;               /* face_object.stored.link, the longest unused first */
    struct slab *_Atomic slabs;   /* where the objects come from; read without the lock */
    struct face_numbers *numbers; /* handles that have an integer */
    char *type_names[COR_DTYPE_ROWS];
    face_type *fortran_types;                          /* found again by their arguments; under the lock */
    cor_attributes type_attributes[COR_DTYPE_ROWS];    /* of predefined datatypes */
    cor_keys *keys;                                    /* attribute keys; NULL unless the engine is open */
    cor_group *empty_group;                            /* MPI_GROUP_EMPTY */
    cor_info *env_info;                                /* MPI_INFO_ENV; NULL until first used */
    struct face_codes *codes;                          /* error codes that the program added */
    face_comm no_file;                                 /* MPI_FILE_NULL: hears of errors without a file */
    struct face_format *formats;                       /* data representations of the program's (face_datarep.c) */
    struct face_check *check;                          /* with the knob `check`: the handles that the program holds */
    pthread_mutex_t tool_lock;                         /* face_tool.h */
    struct face_tool *tool;                            /* NULL: never used */
    char sentences[FACE_CLASSES][FACE_SENTENCE_BYTES]; /* the last error of each class */
};

/* initial-exec: one load, no call, also inside a shared library. */
extern _Thread_local face_rank *face_current __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern face_rank face_process __attribute__((visibility("hidden")));

static inline face_rank *face_get(void)
{
    face_rank *rank = face_current;
    return rank ? rank : &face_process;
}

/* May the engine be used? */
static inline int face_is_open(const face_rank *rank)
{
    return atomic_load_explicit(&rank->is_open, memory_order_relaxed);
}

/* The rank of a call that needs an open one. Prints a message and ends the process while neither the world nor a
 * session is open. */
face_rank *face_open(const char *call);
_Noreturn void face_not_open(const face_rank *rank, const char *call);
/* End the process after flushing its output. */
_Noreturn void face_quit(int status);

void face_rank_init(face_rank *rank, cor_team *team, int team_rank);
void face_rank_fini(face_rank *rank);

/* ---- store (face_store.c) --------------------------------------------------------------------------------------- */

/* A zeroed object of this kind, or NULL: no memory; and free one. `call` is the MPI function that makes it, for the
 * knob `check`. */
void *face_object_create(face_rank *rank, face_kind kind, const char *call);
void face_object_destroy(face_rank *rank, void *object);
/* Is this the address of an object of the store, in use or not? Reads nothing there; takes no lock. */
int face_store_owns(const face_rank *rank, const void *address) __attribute__((cold));
/* face_store_finalize frees all objects of no use after MPI_Finalize; face_store_free, with the rank itself, the rest
 * and the memory. */
void face_store_finalize(face_rank *rank);
void face_store_free(face_rank *rank);

/* Free the error codes that the program added (face_codes.c). */
void face_codes_free(face_rank *rank);

/* Free the data representations that the program registered (face_datarep.c). */
void face_formats_free(face_rank *rank);

/* Free the integers of handles (face_numbers.c). */
void face_numbers_free(face_rank *rank);

/* ---- the knob `check` (face_check.c)
 * ------------------------------------------------------------------------------ */

/* `call` returns this handle to the program; and: the program has freed it, or its object does not exist any more.
 * Without the knob they do nothing. */
void face_check_note(face_rank *rank, face_kind kind, const void *handle, const char *call) __attribute__((cold));
void face_check_forget(face_rank *rank, const void *handle) __attribute__((cold));
/* Collective over the job: report on stderr messages never received, requests never completed and handles never freed,
 * with the calls that made them. `when`: the call, or what else ends the rank. */
void face_check_finish(face_rank *rank, const char *when);
/* The rank ends with open sessions: report each. Not collective. */
void face_check_tell_sessions(face_rank *rank);
void face_check_free(face_rank *rank);

/* ---- handles ---------------------------------------------------------------------------------------------------- */

/* Can a struct of the store be at this address? Without the knob `check` any address is assumed to be one. */
static inline int face_is_object(const face_rank *rank, const void *handle)
{
    return (uintptr_t)handle > FACE_RESERVED_MAX && (COR_LIKELY(!rank->is_checked) || face_store_owns(rank, handle));
}

/* NULL for anything but a live communicator. Budget: 1 ns for MPI_COMM_WORLD, 2 for others. */
static inline face_comm *face_comm_find(const face_rank *rank, MPI_Comm handle)
{
    if (COR_LIKELY(handle == MPI_COMM_WORLD))
        return atomic_load_explicit(&rank->world, memory_order_relaxed);
    if (face_is_open(rank) && face_is_object(rank, handle)) {
        face_comm *comm = (face_comm *)handle;
        return comm->kind == FACE_COMM ? comm : NULL;
    }
    return handle == MPI_COMM_SELF ? atomic_load_explicit(&rank->self, memory_order_relaxed) : NULL;
}

/* The predefined datatype, or NULL. */
static inline const cor_dtype *face_type_predefined(MPI_Datatype handle)
{
    uintptr_t row = (uintptr_t)handle - COR_DTYPE_FIRST;
    return row < COR_DTYPE_ROWS ? cor_dtype_table[row] : NULL;
}

/* The struct of a made datatype, or NULL. */
static inline face_type *face_type_made(MPI_Datatype handle)
{
    face_type *type = (face_type *)handle;
    return face_is_object(face_get(), handle) && type->kind == FACE_TYPE ? type : NULL;
}

/* The datatype if it may be used in communication, else NULL. */
static inline const cor_dtype *face_type_find(MPI_Datatype handle)
{
    uintptr_t row = (uintptr_t)handle - COR_DTYPE_FIRST;
    if (COR_LIKELY(row < COR_DTYPE_ROWS))
        return cor_dtype_table[row];
    face_type *made = face_type_made(handle);
    return made && made->is_committed ? made->type : NULL;
}

/* The datatype behind a handle, committed or not, or NULL. */
static inline const cor_dtype *face_type_any(MPI_Datatype handle)
{
    const cor_dtype *type = face_type_predefined(handle);
    if (type)
        return type;
    face_type *made = face_type_made(handle);
    return made ? made->type : NULL;
}

/* The communicator of a request of the engine; NULL for MPI_REQUEST_NULL, for an invalid handle, and for a stale one,
 * one of a request that is complete or freed, until its memory is used for another one. */
static inline cor_comm *face_request_find(MPI_Request handle)
{
    if (COR_UNLIKELY(face_get()->is_checked) && !cor_rank_owns_request(face_get()->rank, handle))
        return NULL;
    return (uintptr_t)handle > FACE_RESERVED_MAX ? cor_request_comm((cor_request *)handle) : NULL;
}

/* Is it a request of the engine? */
static inline int face_request_is_real(MPI_Request handle)
{
    return face_request_find(handle) != NULL;
}

static inline cor_request *face_request_in(MPI_Request handle)
{
    return handle == MPI_REQUEST_NULL ? NULL : (cor_request *)handle;
}

static inline MPI_Request face_request_out(cor_request *request)
{
    return request ? (MPI_Request)request : MPI_REQUEST_NULL;
}

/* The handle of a request that `call` has just made. */
static inline MPI_Request face_request_new(const char *call, cor_request *request)
{
    face_rank *rank = face_get();
    if (COR_UNLIKELY(rank->is_checked) && request)
        face_check_note(rank, FACE_REQUEST, request, call);
    return face_request_out(request);
}

/* The communicator whose error handler is called for this request; NULL when there is none. */
static inline face_comm *face_request_comm(MPI_Request handle)
{
    cor_comm *comm = face_request_find(handle);
    return comm ? cor_comm_face(comm) : NULL;
}

#endif
