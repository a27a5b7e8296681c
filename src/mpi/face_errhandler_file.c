/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error handlers of files. Files cannot be opened yet, so that MPI_FILE_NULL is the only object they can be attached
 * to: its handler gets all errors of files, and is MPI_ERRORS_RETURN initially.
 */
#include "mpi/face_errhandler.h"

#include "mpi/face_error.h"

#include <stdarg.h>
#include <stdio.h>

MPI_Errhandler face_file_handler(const face_rank *rank)
{
    return rank->file_errhandler ? rank->file_errhandler : MPI_ERRORS_RETURN;
}

static int file_handle(face_rank *rank, int code)
{
    MPI_File nothing = MPI_FILE_NULL;
    return face_state_of(rank) == FACE_OPEN ? face_run_handler(face_file_handler(rank), &nothing, code) : code;
}

int face_fail_file(const char *call, int error_class, const char *format, ...)
{
    char sentence[FACE_SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return file_handle(face_get(), face_note(call, error_class, "%s", sentence));
}

static void file_set_handler(face_rank *rank, MPI_Errhandler handler)
{
    MPI_Errhandler old = face_file_handler(rank);
    face_errhandler_ref(rank, handler);
    rank->file_errhandler = handler;
    face_errhandler_unref(rank, old);
}

void face_file_handler_reset(face_rank *rank)
{
    file_set_handler(rank, MPI_ERRORS_RETURN);
}

static int file_check(const char *call, const char *argument, MPI_File file)
{
    if (file == MPI_FILE_NULL)
        return MPI_SUCCESS;
    return face_fail_file(call, MPI_ERR_FILE, "%s is %p, which is neither a file nor MPI_FILE_NULL", argument,
                          (void *)file);
}

static int file_create_handler(const char *call, MPI_File_errhandler_function *function, MPI_Errhandler *errhandler)
{
    return face_errhandler_create(call, FACE_FOR_FILE, (void (*)(void))function, errhandler);
}

FACE_API(File_create_errhandler, file_create_handler)

static int file_set_errhandler(const char *call, MPI_File file, MPI_Errhandler errhandler)
{
    int error = file_check(call, "file", file);
    if (error == MPI_SUCCESS)
        file_set_handler(face_get(), errhandler);
    return error;
}

FACE_API(File_set_errhandler, file_set_errhandler)

static int file_get_errhandler(const char *call, MPI_File file, MPI_Errhandler *errhandler)
{
    int error = file_check(call, "file", file);
    if (error != MPI_SUCCESS)
        return error;
    *errhandler = face_file_handler(face_get());
    face_errhandler_ref(face_get(), *errhandler);
    return MPI_SUCCESS;
}

FACE_API(File_get_errhandler, file_get_errhandler)

static int file_call_errhandler(const char *call, MPI_File fh, int errorcode)
{
    int error = file_check(call, "fh", fh);
    if (error != MPI_SUCCESS)
        return error;
    if (face_code_class(face_get(), errorcode) < 0)
        return face_fail_file(call, MPI_ERR_ARG, "errorcode is %d, which is not an error code", errorcode);
    file_handle(face_get(), errorcode);
    return MPI_SUCCESS;
}

FACE_API(File_call_errhandler, file_call_errhandler)
