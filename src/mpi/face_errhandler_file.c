/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error handlers of files and of windows. Neither files nor windows can be made yet, so that MPI_FILE_NULL is the only
 * object they can be attached to: its handler gets all errors of files, and is MPI_ERRORS_RETURN initially.
 */
#include "mpi/face_errhandler.h"

#include "mpi/face_error.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- files ------------------------------------------------------------------------------------------------------ */

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

COR_API(int, File_create_errhandler, (MPI_File_errhandler_function * file_errhandler_fn, MPI_Errhandler *errhandler))
{
    face_open("MPI_File_create_errhandler");
    return face_errhandler_create("MPI_File_create_errhandler", FACE_FOR_FILE, "file_errhandler_fn",
                                  (void (*)(void))file_errhandler_fn, errhandler);
}

COR_API(int, File_set_errhandler, (MPI_File file, MPI_Errhandler errhandler))
{
    face_rank *rank = face_open("MPI_File_set_errhandler");
    int error = file_check("MPI_File_set_errhandler", "file", file);
    if (error != MPI_SUCCESS)
        return error;
    char room[96];
    if (!face_errhandler_is_for(errhandler, FACE_FOR_FILE))
        return face_fail_file("MPI_File_set_errhandler", MPI_ERR_ERRHANDLER, "errhandler is %s",
                              face_errhandler_describe(errhandler, FACE_FOR_FILE, room, sizeof room));
    file_set_handler(rank, errhandler);
    return MPI_SUCCESS;
}

COR_API(int, File_get_errhandler, (MPI_File file, MPI_Errhandler *errhandler))
{
    face_rank *rank = face_open("MPI_File_get_errhandler");
    int error = file_check("MPI_File_get_errhandler", "file", file);
    if (error != MPI_SUCCESS)
        return error;
    if (!errhandler)
        return face_fail_file("MPI_File_get_errhandler", MPI_ERR_ARG, "errhandler is a NULL pointer");
    *errhandler = face_file_handler(rank);
    face_errhandler_ref(rank, *errhandler);
    return MPI_SUCCESS;
}

COR_API(int, File_call_errhandler, (MPI_File fh, int errorcode))
{
    face_rank *rank = face_open("MPI_File_call_errhandler");
    int error = file_check("MPI_File_call_errhandler", "fh", fh);
    if (error != MPI_SUCCESS)
        return error;
    if (face_code_class(rank, errorcode) < 0)
        return face_fail_file("MPI_File_call_errhandler", MPI_ERR_ARG, "errorcode is %d, which is not an error code",
                              errorcode);
    file_handle(rank, errorcode);
    return MPI_SUCCESS;
}

/* ---- windows ---------------------------------------------------------------------------------------------------- */

static int win_fail(const char *call, MPI_Win win)
{
    face_open(call);
    if (win == MPI_WIN_NULL)
        return face_fail(call, NULL, MPI_ERR_WIN, "win is MPI_WIN_NULL");
    return face_fail(call, NULL, MPI_ERR_WIN, "win is %p, which is not a window", (void *)win);
}

COR_API(int, Win_create_errhandler, (MPI_Win_errhandler_function * win_errhandler_fn, MPI_Errhandler *errhandler))
{
    face_open("MPI_Win_create_errhandler");
    return face_errhandler_create("MPI_Win_create_errhandler", FACE_FOR_WIN, "win_errhandler_fn",
                                  (void (*)(void))win_errhandler_fn, errhandler);
}

COR_API(int, Win_set_errhandler, (MPI_Win win, MPI_Errhandler errhandler))
{
    (void)errhandler;
    return win_fail("MPI_Win_set_errhandler", win);
}

COR_API(int, Win_get_errhandler, (MPI_Win win, MPI_Errhandler *errhandler))
{
    (void)errhandler;
    return win_fail("MPI_Win_get_errhandler", win);
}

COR_API(int, Win_call_errhandler, (MPI_Win win, int errorcode))
{
    (void)errorcode;
    return win_fail("MPI_Win_call_errhandler", win);
}
