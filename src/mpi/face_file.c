/* SPDX-License-Identifier: Apache-2.0 */
/* Files: opening, closing and deleting them, their size, group, mode, hints and atomicity. */
#include "mpi/face_file.h"

#include "mpi/face_comm.h"
#include "mpi/face_errhandler.h"
#include "mpi/face_session.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* What the engine failed at where there is no open file. */
static int file_fail(const char *call, int code)
{
    return face_fail_engine(call, face_file_hearer(NULL), code, NULL);
}

static void file_attach(face_file *face, cor_file *opened)
{
    cor_comm *comm = cor_file_comm(opened);
    face->file = opened;
    face->as.comm = comm;
    face->as.size = cor_comm_size(comm);
    face->as.rank = cor_comm_rank(comm);
    face->as.handle = (MPI_Comm)(void *)face;
    face->as.errhandler = face->as.owner->no_file.errhandler;
    face_errhandler_ref(face->as.owner, face->as.errhandler);
    cor_comm_set_face(comm, face, face_comm_free);
}

/* The struct of a file comes first, as that of a window does. */
static int file_open(const char *call, face_comm *comm, const char *filename, int amode, cor_info *info, MPI_File *fh)
{
    face_rank *rank = comm->owner;
    face_file *face = face_object_create(rank, FACE_FILE, call);
    char *name = strdup(filename);
    cor_file *opened = NULL;
    int code = face && name ? cor_file_open(comm->comm, name, amode, info, &opened) : COR_ERR_MEMORY;
    if (code != COR_OK) {
        cor_comm_name_loss(comm->comm);
        free(name);
        if (face)
            face_object_destroy(rank, face);
        return file_fail(call, code);
    }
    face->as.owner = rank;
    face->as.name = name;
    file_attach(face, opened);
    face_scope_add(comm->scope, &face->as);
    *fh = (MPI_File)face;
    return MPI_SUCCESS;
}

FACE_API(File_open, file_open)

int face_file_close(const char *call, MPI_File *fh)
{
    face_rank *rank = face_get();
    face_file *face = face_file_find(rank, *fh);
    /* The struct lives as long as the communicator, and an error handler still needs it. */
    cor_comm *comm = face->as.comm;
    cor_comm_hold(comm);
    int code = cor_file_close(&face->file);
    if (!face->file) { /* else the file is as before */
        face->as.kind = FACE_FREE;
        face_check_forget(rank, face);
        *fh = MPI_FILE_NULL;
    }
    int error = face_file_outcome(call, face, code);
    cor_comm_unref(comm);
    return error;
}

FACE_API(File_close, face_file_close)

static int file_delete(const char *call, const char *filename, cor_info *info)
{
    int code = cor_file_delete(face_get()->rank, filename);
    return code == COR_OK ? MPI_SUCCESS : file_fail(call, code);
}

FACE_API(File_delete, file_delete)

/* ---- size ------------------------------------------------------------------------------------------------------- */

static int file_change_size(const char *call, face_file *file, MPI_Offset size,
                            int (*change)(cor_file *file, int64_t bytes))
{
    return face_file_outcome(call, file, change(file->file, size));
}

FACE_API(File_set_size, file_change_size, cor_file_set_size)
FACE_API(File_preallocate, file_change_size, cor_file_preallocate)

static int file_get_size(const char *call, face_file *file, MPI_Offset *size)
{
    return face_file_outcome(call, file, cor_file_size(file->file, size));
}

FACE_API(File_get_size, file_get_size)

static int file_sync(const char *call, face_file *file)
{
    return face_file_outcome(call, file, cor_file_sync(file->file));
}

FACE_API(File_sync, file_sync)

/* ---- properties ------------------------------------------------------------------------------------------------- */

static int file_get_group(const char *call, face_file *file, MPI_Group *group)
{
    return face_group_handle_of(call, &file->as, cor_comm_group(file->as.comm), group);
}

FACE_API(File_get_group, file_get_group)

static int file_get_mode(const char *call, face_file *file, int *amode)
{
    *amode = cor_file_mode(file->file);
    return MPI_SUCCESS;
}

FACE_API(File_get_amode, file_get_mode)

static int file_set_hints(const char *call, face_file *file, cor_info *info)
{
    return face_file_outcome(call, file, cor_file_set_hints(file->file, info));
}

FACE_API(File_set_info, file_set_hints)

static int file_get_hints(const char *call, face_file *file, MPI_Info *info_used)
{
    cor_info *info = cor_info_create();
    int code = info ? cor_file_hints(file->file, info) : COR_ERR_MEMORY;
    if (code == COR_OK)
        return face_info_used(call, info, info_used);
    cor_info_destroy(info);
    return face_file_outcome(call, file, code);
}

FACE_API(File_get_info, file_get_hints)

static int file_set_atomic(const char *call, face_file *file, int flag)
{
    return face_file_outcome(call, file, cor_file_set_atomic(file->file, flag != 0));
}

FACE_API(File_set_atomicity, file_set_atomic)

static int file_get_atomic(const char *call, face_file *file, int *flag)
{
    *flag = cor_file_is_atomic(file->file);
    return MPI_SUCCESS;
}

FACE_API(File_get_atomicity, file_get_atomic)
