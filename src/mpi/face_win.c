/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: making and freeing them, attaching memory, their group and their names. */
#include "mpi/face_win.h"

#include "mpi/face_comm.h"
#include "mpi/face_name.h"
#include "mpi/face_session.h"

#include <stdlib.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* A window to be made. */
typedef struct win_plan {
    cor_win_flavour flavour;
    void *base; /* CREATED: the program's; else the result */
    size_t bytes, unit;
} win_plan;

static int win_flavour_out(cor_win_flavour flavour)
{
    switch (flavour) {
    case COR_WIN_CREATED:
        return MPI_WIN_FLAVOR_CREATE;
    case COR_WIN_ALLOCATED:
        return MPI_WIN_FLAVOR_ALLOCATE;
    case COR_WIN_SHARED:
        return MPI_WIN_FLAVOR_SHARED;
    case COR_WIN_DYNAMIC:
        return MPI_WIN_FLAVOR_DYNAMIC;
    }
    return MPI_UNDEFINED;
}

static int win_open(cor_comm *comm, win_plan *plan, const cor_win_options *options, cor_win **made_p)
{
    switch (plan->flavour) {
    case COR_WIN_CREATED:
        return cor_win_create(comm, plan->base, plan->bytes, plan->unit, options, made_p);
    case COR_WIN_ALLOCATED:
        return cor_win_allocate(comm, plan->bytes, plan->unit, options, &plan->base, made_p);
    case COR_WIN_SHARED:
        return cor_win_allocate_shared(comm, plan->bytes, plan->unit, options, &plan->base, made_p);
    case COR_WIN_DYNAMIC:
        return cor_win_create_dynamic(comm, options, made_p);
    }
    return COR_ERR_ARG;
}

/* The struct of a window comes first: a rank that had none when the others have theirs could not tell them. */
static int win_make(const char *call, face_comm *comm, const cor_info *info, win_plan *plan, MPI_Win *win)
{
    face_rank *rank = comm->owner;
    face_win *face = face_object_create(rank, FACE_WIN, call);
    cor_win *made;
    if (!face)
        return face_fail(call, comm, MPI_ERR_NO_MEM, "no memory for a window handle");
    face->as.owner = rank;
    face->as.handle = (MPI_Comm)(void *)face;
    face->as.errhandler = MPI_ERRORS_ARE_FATAL;
    face->flavour = win_flavour_out(plan->flavour);
    face->model = MPI_WIN_UNIFIED;
    face->size = (MPI_Aint)plan->bytes;
    face->unit = face_to_int((MPI_Count)plan->unit);
    int code = info ? face_win_take_hints(face, info, 1) : COR_OK;
    cor_win_options options = face_win_options(face);
    if (code == COR_OK)
        code = win_open(comm->comm, plan, &options, &made);
    if (code != COR_OK) {
        cor_info_destroy(face->as.hints);
        face_object_destroy(rank, face);
        return face_fail_engine(call, comm, code, NULL);
    }
    face->win = made;
    face->as.comm = cor_win_comm(made);
    face->as.size = cor_comm_size(face->as.comm);
    face->as.rank = cor_comm_rank(face->as.comm);
    cor_comm_set_face(face->as.comm, face, face_comm_free);
    face_scope_add(comm->scope, &face->as);
    *win = (MPI_Win)face;
    return MPI_SUCCESS;
}

static int win_create(const char *call, void *base, MPI_Aint size, MPI_Count disp_unit, cor_info *info,
                      face_comm *comm, MPI_Win *win)
{
    win_plan plan = {COR_WIN_CREATED, base, (size_t)size, (size_t)disp_unit};
    if (!base && size > 0)
        return face_fail(call, comm, MPI_ERR_BASE, "base is a NULL pointer, but size is %td", size);
    return win_make(call, comm, info, &plan, win);
}

FACE_API(Win_create, win_create)

static int win_allocate(const char *call, MPI_Aint size, MPI_Count disp_unit, cor_info *info, face_comm *comm,
                        void *baseptr, MPI_Win *win, cor_win_flavour flavour)
{
    win_plan plan = {flavour, NULL, (size_t)size, (size_t)disp_unit};
    int error = win_make(call, comm, info, &plan, win);
    if (error == MPI_SUCCESS)
        *(void **)baseptr = plan.base;
    return error;
}

FACE_API(Win_allocate, win_allocate, COR_WIN_ALLOCATED)
FACE_API(Win_allocate_shared, win_allocate, COR_WIN_SHARED)

static int win_create_dynamic(const char *call, cor_info *info, face_comm *comm, MPI_Win *win)
{
    win_plan plan = {COR_WIN_DYNAMIC, NULL, 0, 1};
    return win_make(call, comm, info, &plan, win);
}

FACE_API(Win_create_dynamic, win_create_dynamic)

int face_win_free(const char *call, MPI_Win *win)
{
    face_rank *rank = face_get();
    face_win *face = face_win_find(rank, *win);
    int code = cor_win_check_free(face->win);
    if (code != COR_OK) /* the delete functions of attributes are called for a window that is freed */
        return face_win_outcome(call, face, code);
    code = cor_attributes_discard(rank->keys, &face->as.attributes, face);
    if (code != MPI_SUCCESS)
        return face_fail_callback(call, &face->as, code, "the delete function of an attribute");
    /* The struct lives as long as the communicator, and an error handler still needs it. */
    cor_comm *comm = face->as.comm;
    cor_comm_hold(comm);
    code = cor_win_free(&face->win);
    if (!face->win) { /* else the window is as before */
        face->as.kind = FACE_FREE;
        face_check_forget(rank, face);
        *win = MPI_WIN_NULL;
    }
    int error = face_win_outcome(call, face, code);
    cor_comm_unref(comm);
    return error;
}

FACE_API(Win_free, face_win_free)

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static const char *win_flavour_name(const face_win *win)
{
    switch (win->flavour) {
    case MPI_WIN_FLAVOR_CREATE:
        return "MPI_Win_create";
    case MPI_WIN_FLAVOR_ALLOCATE:
        return "MPI_Win_allocate";
    case MPI_WIN_FLAVOR_SHARED:
        return "MPI_Win_allocate_shared";
    default:
        return "MPI_Win_create_dynamic";
    }
}

static int win_fail_flavour(const char *call, face_win *win, const char *right)
{
    return face_fail(call, &win->as, MPI_ERR_RMA_FLAVOR, "win was made by %s, but must be %s", win_flavour_name(win),
                     right);
}

static int win_attach(const char *call, face_win *win, void *base, MPI_Aint size)
{
    if (win->flavour != MPI_WIN_FLAVOR_DYNAMIC)
        return win_fail_flavour(call, win, "by MPI_Win_create_dynamic");
    if (!base && size > 0)
        return face_fail(call, &win->as, MPI_ERR_BASE, "base is a NULL pointer, but size is %td", size);
    return face_win_outcome(call, win, cor_win_attach(win->win, base, (size_t)size));
}

FACE_API(Win_attach, win_attach)

static int win_detach(const char *call, face_win *win, const void *base)
{
    if (win->flavour != MPI_WIN_FLAVOR_DYNAMIC)
        return win_fail_flavour(call, win, "by MPI_Win_create_dynamic");
    return face_win_outcome(call, win, cor_win_detach(win->win, base));
}

FACE_API(Win_detach, win_detach)

/* Memory that this rank cannot access is none. */
static int win_shared_query(const char *call, face_win *win, int rank, MPI_Aint *size, MPI_Count *disp_unit,
                            void *baseptr)
{
    size_t bytes, unit;
    void *base;
    if (win->flavour == MPI_WIN_FLAVOR_DYNAMIC)
        return win_fail_flavour(call, win, "by MPI_Win_allocate_shared, MPI_Win_allocate or MPI_Win_create");
    if (rank != MPI_PROC_NULL && (unsigned)rank >= (unsigned)win->as.size)
        return face_fail_rank(call, &win->as, MPI_ERR_RANK, "rank", rank);
    cor_win_shared_query(win->win, rank, &bytes, &unit, &base);
    *size = base ? (MPI_Aint)bytes : 0;
    *disp_unit = (MPI_Count)unit;
    *(void **)baseptr = base;
    return MPI_SUCCESS;
}

FACE_API(Win_shared_query, win_shared_query)

/* ---- group and name --------------------------------------------------------------------------------------------- */

static int win_get_group(const char *call, face_win *win, MPI_Group *group)
{
    return face_group_handle_of(call, &win->as, cor_comm_group(win->as.comm), group);
}

FACE_API(Win_get_group, win_get_group)

static int win_set_name(const char *call, face_win *win, const char *win_name)
{
    if (!face_name_set(win->as.owner, &win->as.name, win_name))
        return face_fail(call, &win->as, MPI_ERR_NO_MEM, "no memory for the name");
    return MPI_SUCCESS;
}

FACE_API(Win_set_name, win_set_name)

static int win_get_name(const char *call, face_win *win, char *win_name, int *resultlen)
{
    *resultlen = face_name_get(face_get(), win ? win->as.name : NULL, win ? "" : "MPI_WIN_NULL", win_name);
    return MPI_SUCCESS;
}

FACE_API(Win_get_name, win_get_name)
