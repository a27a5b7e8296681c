/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading and writing files. Every function is one of seven bodies, with a place in the file or without: it moves data,
 * starts to, or begins or ends a split collective access. ACCESS_FORMS makes those that read and that write of it.
 */
#include "mpi/face_file.h"
#include "mpi/face_p2p.h"

/* What an access is; 0: it reads at a place that the program tells. */
enum { ACCESS_WRITE = 1, ACCESS_ALL = 2, ACCESS_OWN = 4, ACCESS_SHARED = 8 };

#define ACCESS_FORMS(body, Read, Write, kind)                                                                         \
    FACE_API(Read, body, kind)                                                                                        \
    FACE_API(Write, body, (kind) | ACCESS_WRITE)

static cor_file_access access_of(const void *buf, int kind)
{
    return (cor_file_access){
        .is_write = (kind & ACCESS_WRITE) != 0,
        .is_collective = (kind & ACCESS_ALL) != 0,
        .pointer = kind & ACCESS_SHARED ? COR_FILE_SHARED
                   : kind & ACCESS_OWN  ? COR_FILE_INDIVIDUAL
                                        : COR_FILE_EXPLICIT,
        .base = buf,
    };
}

/* Check the memory of an access and describe it. */
static __attribute__((noinline)) int access_fill(const char *call, face_file *file, MPI_Offset offset, const void *buf,
                                                 MPI_Count count, MPI_Datatype datatype, int kind,
                                                 cor_file_access *access_p)
{
    const cor_dtype *type = face_type_find(datatype);
    int is_read = !(kind & ACCESS_WRITE), error = MPI_SUCCESS;
    int64_t bytes = 0;
    if (p2p_is_buffer_wrong(buf, count, type, &bytes))
        error = p2p_explain_buffer(call, &p2p_names_recv, &file->as, buf, count, datatype);
    if (error == MPI_SUCCESS && is_read)
        error = p2p_explain_overlap(call, &p2p_names_recv, &file->as, count, datatype);
    if (error != MPI_SUCCESS)
        return error;
    *access_p = access_of(buf, kind);
    access_p->offset = offset;
    access_p->type = type;
    access_p->count = (size_t)count;
    p2p_payload(type, buf, count, bytes, &access_p->memory);
    return MPI_SUCCESS;
}

/* The status tells what was moved, also before a failure. */
static int access_finish(const char *call, face_file *file, int code, const cor_status *moved, MPI_Status *status)
{
    face_status_out(status, moved);
    return face_file_outcome(call, file, code);
}

/* ---- blocking --------------------------------------------------------------------------------------------------- */

static int access_run_at(const char *call, face_file *file, MPI_Offset offset, const void *buf, MPI_Count count,
                         MPI_Datatype datatype, MPI_Status *status, int kind)
{
    cor_file_access access;
    cor_status moved = cor_status_empty;
    int error = access_fill(call, file, offset, buf, count, datatype, kind, &access);
    if (error != MPI_SUCCESS)
        return error;
    return access_finish(call, file, cor_file_run(file->file, &access, &moved), &moved, status);
}

ACCESS_FORMS(access_run_at, File_read_at, File_write_at, 0)
ACCESS_FORMS(access_run_at, File_read_at_all, File_write_at_all, ACCESS_ALL)

static int access_run(const char *call, face_file *file, const void *buf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Status *status, int kind)
{
    return access_run_at(call, file, 0, buf, count, datatype, status, kind);
}

ACCESS_FORMS(access_run, File_read, File_write, ACCESS_OWN)
ACCESS_FORMS(access_run, File_read_all, File_write_all, ACCESS_OWN | ACCESS_ALL)
ACCESS_FORMS(access_run, File_read_shared, File_write_shared, ACCESS_SHARED)
ACCESS_FORMS(access_run, File_read_ordered, File_write_ordered, ACCESS_SHARED | ACCESS_ALL)

/* ---- non-blocking ----------------------------------------------------------------------------------------------- */

/* Their addresses mark the requests of accesses. */
static const char access_mark, access_collective_mark;

int file_request_is_collective(const cor_request *request)
{
    return cor_request_face(request) == &access_collective_mark;
}

int file_request_is_ours(const cor_request *request)
{
    return cor_request_face(request) == &access_mark || file_request_is_collective(request);
}

static int access_start_at(const char *call, face_file *file, MPI_Offset offset, const void *buf, MPI_Count count,
                           MPI_Datatype datatype, MPI_Request *request, int kind)
{
    const char *mark = kind & ACCESS_ALL ? &access_collective_mark : &access_mark;
    cor_file_access access;
    cor_request *started = NULL;
    int error = access_fill(call, file, offset, buf, count, datatype, kind, &access);
    if (error != MPI_SUCCESS)
        return error;
    int code = cor_file_start(file->file, &access, &started);
    if (code != COR_OK)
        return face_file_outcome(call, file, code);
    cor_request_set_face(started, (void *)(uintptr_t)mark, NULL);
    *request = face_request_new(call, started);
    return MPI_SUCCESS;
}

ACCESS_FORMS(access_start_at, File_iread_at, File_iwrite_at, 0)
ACCESS_FORMS(access_start_at, File_iread_at_all, File_iwrite_at_all, ACCESS_ALL)

static int access_start(const char *call, face_file *file, const void *buf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Request *request, int kind)
{
    return access_start_at(call, file, 0, buf, count, datatype, request, kind);
}

ACCESS_FORMS(access_start, File_iread, File_iwrite, ACCESS_OWN)
ACCESS_FORMS(access_start, File_iread_all, File_iwrite_all, ACCESS_OWN | ACCESS_ALL)
ACCESS_FORMS(access_start, File_iread_shared, File_iwrite_shared, ACCESS_SHARED)

/* ---- split collective ------------------------------------------------------------------------------------------- */

static int access_begin_at(const char *call, face_file *file, MPI_Offset offset, const void *buf, MPI_Count count,
                           MPI_Datatype datatype, int kind)
{
    cor_file_access access;
    return access_fill(call, file, offset, buf, count, datatype, kind, &access)
               ?: face_file_outcome(call, file, cor_file_begin(file->file, &access));
}

ACCESS_FORMS(access_begin_at, File_read_at_all_begin, File_write_at_all_begin, ACCESS_ALL)

static int access_begin(const char *call, face_file *file, const void *buf, MPI_Count count, MPI_Datatype datatype,
                        int kind)
{
    return access_begin_at(call, file, 0, buf, count, datatype, kind);
}

ACCESS_FORMS(access_begin, File_read_all_begin, File_write_all_begin, ACCESS_OWN | ACCESS_ALL)
ACCESS_FORMS(access_begin, File_read_ordered_begin, File_write_ordered_begin, ACCESS_SHARED | ACCESS_ALL)

static int access_end(const char *call, face_file *file, const void *buf, MPI_Status *status, int kind)
{
    cor_file_access access = access_of(buf, kind);
    cor_status moved = cor_status_empty;
    return access_finish(call, file, cor_file_end(file->file, &access, &moved), &moved, status);
}

ACCESS_FORMS(access_end, File_read_at_all_end, File_write_at_all_end, ACCESS_ALL)
ACCESS_FORMS(access_end, File_read_all_end, File_write_all_end, ACCESS_OWN | ACCESS_ALL)
ACCESS_FORMS(access_end, File_read_ordered_end, File_write_ordered_end, ACCESS_SHARED | ACCESS_ALL)
