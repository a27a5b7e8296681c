/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: what their handles stand for, and their hints. */
#ifndef COR_MPI_FACE_WIN_H
#define COR_MPI_FACE_WIN_H

#include "mpi/face_error.h"

#include "win/win.h"

/* NULL for anything but a live window. */
static inline face_win *face_win_find(const face_rank *rank, MPI_Win handle)
{
    face_win *win = (face_win *)handle;
    if (COR_UNLIKELY(!face_is_open(rank) || !face_is_object(rank, handle)))
        return NULL;
    return win->as.kind == FACE_WIN ? win : NULL;
}

/* Where the errors of a window go (face_error.h). */
static inline face_comm *face_win_hearer(face_win *win)
{
    return win ? &win->as : NULL;
}

/* MPI_Win_free (face_win.c). */
int face_win_free(const char *call, MPI_Win *win);

/* The outcome of a call of the engine. */
static inline int face_win_outcome(const char *call, face_win *win, int code)
{
    return COR_LIKELY(code == COR_OK) ? MPI_SUCCESS : face_fail_engine(call, &win->as, code, NULL);
}

/* ---- hints (face_win_info.c) ------------------------------------------------------------------------------------ */

/* Keep the known hints of an info that is not NULL; is_new: the window is being made. COR_OK or COR_ERR_MEMORY. */
int face_win_take_hints(face_win *win, const cor_info *info, int is_new);
/* What the engine needs to know of them. */
cor_win_options face_win_options(const face_win *win);

#endif
