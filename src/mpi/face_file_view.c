/* SPDX-License-Identifier: Apache-2.0 */
/* Where data are in a file: views and pointers. */
#include "mpi/face_comm.h"
#include "mpi/face_file.h"
#include "mpi/face_type.h"

#include <stdio.h>

/* ---- views ------------------------------------------------------------------------------------------------------ */

/* The engine has another number for the place of the shared pointer, and refuses all others below 0. */
static int64_t view_displacement(MPI_Offset disp)
{
    return disp == MPI_DISPLACEMENT_CURRENT ? COR_FILE_HERE : disp < 0 ? -1 : disp;
}

static int view_set(const char *call, face_file *file, MPI_Offset disp, const cor_dtype *etype,
                    const cor_dtype *filetype, const char *datarep, cor_info *info)
{
    const cor_file_format *format = face_format_find(file->as.owner, datarep);
    /* The engine refuses it, since all members have to hear of it. */
    cor_file_format unknown = {.name = datarep, .is_unknown = 1};
    cor_file_view view = {
        .displacement = view_displacement(disp),
        .etype = etype,
        .filetype = filetype,
        .format = format ? format : &unknown,
    };
    int error = face_file_outcome(call, file, cor_file_set_view(file->file, &view));
    return error ?: face_file_outcome(call, file, cor_file_set_hints(file->file, info));
}

FACE_API(File_set_view, view_set)

/* The types get handles of their own, if they are not predefined. */
static int view_get(const char *call, face_file *file, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
                    char *datarep)
{
    const cor_file_view *view = cor_file_view_of(file->file);
    MPI_Datatype first, second;
    int error = face_type_handle_of(call, view->etype, &first);
    if (error != MPI_SUCCESS)
        return error;
    error = face_type_handle_of(call, view->filetype, &second);
    if (error != MPI_SUCCESS) {
        face_type_unref(file->as.owner, first);
        return error;
    }
    *disp = view->displacement;
    *etype = first;
    *filetype = second;
    snprintf(datarep, MPI_MAX_DATAREP_STRING, "%s", view->format->name);
    return MPI_SUCCESS;
}

FACE_API(File_get_view, view_get)

static int view_byte_offset(const char *call, face_file *file, MPI_Offset offset, MPI_Offset *disp)
{
    return face_file_outcome(call, file, cor_file_byte_offset(file->file, offset, disp));
}

FACE_API(File_get_byte_offset, view_byte_offset)

static int view_type_extent(const char *call, face_file *file, const cor_dtype *datatype, MPI_Count *extent)
{
    return face_file_outcome(call, file, cor_file_type_extent(file->file, datatype, extent));
}

FACE_API(File_get_type_extent, view_type_extent)

/* ---- pointers --------------------------------------------------------------------------------------------------- */

static int view_seek(const char *call, face_file *file, MPI_Offset offset, int whence,
                     int (*seek)(cor_file *file, int64_t offset, cor_file_whence whence))
{
    switch (whence) {
    case MPI_SEEK_SET:
        return face_file_outcome(call, file, seek(file->file, offset, COR_FILE_SET));
    case MPI_SEEK_CUR:
        return face_file_outcome(call, file, seek(file->file, offset, COR_FILE_CURRENT));
    case MPI_SEEK_END:
        return face_file_outcome(call, file, seek(file->file, offset, COR_FILE_END));
    default:
        return face_fail(call, &file->as, MPI_ERR_ARG,
                         "whence is %d, but must be MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END", whence);
    }
}

FACE_API(File_seek, view_seek, cor_file_seek)
FACE_API(File_seek_shared, view_seek, cor_file_seek_shared)

static int view_position(const char *call, face_file *file, MPI_Offset *offset)
{
    *offset = cor_file_position(file->file);
    return MPI_SUCCESS;
}

FACE_API(File_get_position, view_position)

static int view_position_shared(const char *call, face_file *file, MPI_Offset *offset)
{
    return face_file_outcome(call, file, cor_file_position_shared(file->file, offset));
}

FACE_API(File_get_position_shared, view_position_shared)
