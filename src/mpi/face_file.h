/* SPDX-License-Identifier: Apache-2.0 */
/* Files: what their handles stand for, the requests of their accesses, and data representations. */
#ifndef COR_MPI_FACE_FILE_H
#define COR_MPI_FACE_FILE_H

#include "mpi/face_error.h"

#include "file/file.h"

/* NULL for anything but an open file. */
static inline face_file *face_file_find(const face_rank *rank, MPI_File handle)
{
    face_file *file = (face_file *)handle;
    if (COR_UNLIKELY(!face_is_open(rank) || !face_is_object(rank, handle)))
        return NULL;
    return file->as.kind == FACE_FILE ? file : NULL;
}

/* Where the errors of a file go (face_error.h); NULL: those of no file, to MPI_FILE_NULL. */
static inline face_comm *face_file_hearer(face_file *file)
{
    return file ? &file->as : &face_get()->no_file;
}

/* MPI_File_close (face_file.c). */
int face_file_close(const char *call, MPI_File *fh);

/* The outcome of a call of the engine. */
static inline int face_file_outcome(const char *call, face_file *file, int code)
{
    return COR_LIKELY(code == COR_OK) ? MPI_SUCCESS : face_fail_engine(call, &file->as, code, NULL);
}

/* ---- requests (face_file_access.c) ------------------------------------------------------------------------------- */

/* Is it of an access to a file, and of a collective one? */
int file_request_is_ours(const cor_request *request);
int file_request_is_collective(const cor_request *request);

/* ---- data representations (face_datarep.c) ----------------------------------------------------------------------- */

/* The one of this name; NULL: there is none. */
const cor_file_format *face_format_find(face_rank *rank, const char *name);

#endif
