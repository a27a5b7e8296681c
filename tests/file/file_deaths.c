/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A member of a file dies while the others wait (tests/alive/survivor.c) in each collective call, or in the midst of
 * accesses that are made again and again. Each wait ends with MPI_ERR_PROC_ABORTED; all that was told to be written is
 * in the file, independent accesses go on, and the file can be closed.
 */
#define _GNU_SOURCE
#include "survivor.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 5000 };

/* Of the process; one rank. */
static MPI_File deaths_file = MPI_FILE_NULL;
static char deaths_path[PATH_MAX];

void survivor_prepare(survivor *m)
{
    MPI_Errhandler handler;
    snprintf(deaths_path, sizeof deaths_path, "%s/file", m->room ? m->room : "/tmp");
    if (MPI_File_open(MPI_COMM_WORLD, deaths_path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &deaths_file) !=
        MPI_SUCCESS) {
        fprintf(stderr, "file_deaths: rank %d: no file\n", m->rank);
        exit(2);
    }
    MPI_File_write_ordered(deaths_file, &handler, 0, MPI_BYTE, MPI_STATUS_IGNORE); /* the shared pointer is there */
}

/* The file has the handler of MPI_COMM_WORLD, which depends on how the program was called. */
static MPI_File file_of(void)
{
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    MPI_File_set_errhandler(deaths_file, handler);
    MPI_Errhandler_free(&handler);
    return deaths_file;
}

static void fail(const survivor *m, const char *what)
{
    fprintf(stderr, "file_deaths: rank %d: %s\n", m->rank, what);
    exit(4);
}

static MPI_Offset place(const survivor *m, int turn)
{
    return ((MPI_Offset)turn * m->size + m->rank) * BLOCK;
}

static void fill(const survivor *m, char *block, int turn)
{
    for (int i = 0; i < BLOCK; i++)
        block[i] = (char)(turn * 31 + m->rank * 7 + i);
}

/* The blocks of all turns that ended well are there. */
static void check_blocks(const survivor *m)
{
    char expected[BLOCK], got[BLOCK];
    int fd = open(deaths_path, O_RDONLY | O_CLOEXEC);
    for (int turn = 0; turn < m->turn; turn++) {
        fill(m, expected, turn);
        if (pread(fd, got, BLOCK, place(m, turn)) != BLOCK || memcmp(expected, got, BLOCK) != 0)
            fail(m, "a block that was told to be written is not there");
    }
    close(fd);
}

/* The error must say that a process is lost; what needs no other member still works. */
static int told(survivor *m, int code)
{
    int class = MPI_SUCCESS;
    char block[BLOCK], got[BLOCK];
    MPI_Error_class(code, &class);
    if (code == MPI_SUCCESS)
        return code;
    if (class != MPI_ERR_PROC_ABORTED) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(code, text, &length);
        fprintf(stderr, "file_deaths: rank %d: class %d, not MPI_ERR_PROC_ABORTED: %s\n", m->rank, class, text);
        exit(4);
    }
    if (deaths_file == MPI_FILE_NULL)
        return code;
    fill(m, block, -1);
    MPI_File_set_errhandler(deaths_file, MPI_ERRORS_RETURN);
    if (MPI_File_write_at(deaths_file, (1 << 30) + m->rank * BLOCK, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE) !=
            MPI_SUCCESS ||
        MPI_File_read_at(deaths_file, (1 << 30) + m->rank * BLOCK, got, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE) !=
            MPI_SUCCESS ||
        memcmp(block, got, BLOCK) != 0)
        fail(m, "an independent access does not work any more");
    MPI_File_close(&deaths_file);
    return code;
}

/* Of a call that is made in turns: what was written before is there. */
static int told_turn(survivor *m, int code)
{
    if (code != MPI_SUCCESS)
        check_blocks(m);
    return told(m, code);
}

/* ---- waiting for the one that is dead --------------------------------------------------------------------------- */

static int end(survivor *m)
{
    file_of();
    return told(m, MPI_File_close(&deaths_file));
}

static int begin(survivor *m)
{
    MPI_File file;
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler);
    MPI_Errhandler_free(&handler);
    return told(m, MPI_File_open(MPI_COMM_WORLD, deaths_path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
}

static int sync_all(survivor *m)
{
    int rc = MPI_File_sync(file_of());
    return told(m, rc == MPI_SUCCESS ? MPI_File_set_size(deaths_file, 10) : rc);
}

static int view(survivor *m)
{
    return told(m, MPI_File_set_view(file_of(), 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
}

static int size(survivor *m)
{
    return told(m, MPI_File_preallocate(file_of(), 100000));
}

static int read_all(survivor *m)
{
    return told(m, MPI_File_read_all(file_of(), m->data, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE));
}

static int ordered(survivor *m)
{
    return told(m, MPI_File_write_ordered(file_of(), m->data, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE));
}

static int split(survivor *m)
{
    MPI_Status status;
    int rc = MPI_File_write_at_all_begin(file_of(), place(m, 0), m->data, SURVIVOR_LONG / 2, MPI_BYTE);
    return told(m, rc == MPI_SUCCESS ? MPI_File_write_at_all_end(deaths_file, m->data, &status) : rc);
}

static int started(survivor *m)
{
    MPI_Request request;
    int rc = MPI_File_iwrite_at_all(file_of(), place(m, 0), m->data, BLOCK, MPI_BYTE, &request);
    return told(m, rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc);
}

/* ---- in the midst ----------------------------------------------------------------------------------------------- */

static int write_turns(survivor *m)
{
    char block[BLOCK];
    fill(m, block, m->turn);
    return told_turn(m,
                     MPI_File_write_at_all(file_of(), place(m, m->turn), block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE));
}

/* In two phases and many windows: the one that dies has some of them, or sends to those that have. */
static int window_turns(survivor *m)
{
    if (m->turn == 0) {
        MPI_Info info;
        MPI_Info_create(&info);
        MPI_Info_set(info, "romio_cb_write", "enable");
        MPI_Info_set(info, "cb_buffer_size", "1000");
        int rc = MPI_File_set_info(file_of(), info);
        MPI_Info_free(&info);
        if (rc != MPI_SUCCESS)
            return told(m, rc);
    }
    return write_turns(m);
}

static int start_turns(survivor *m)
{
    char block[BLOCK];
    MPI_Request request;
    fill(m, block, m->turn);
    int rc = MPI_File_iwrite_at_all(file_of(), place(m, m->turn), block, BLOCK, MPI_BYTE, &request);
    return told_turn(m, rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc);
}

/* Independent ones fail nobody: the barrier does. */
static int own_turns(survivor *m)
{
    char block[BLOCK];
    fill(m, block, m->turn);
    int rc = MPI_File_write_at(file_of(), place(m, m->turn), block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
    if (rc != MPI_SUCCESS)
        fail(m, "an independent access fails since another rank is dead");
    m->turn++;
    rc = MPI_Barrier(MPI_COMM_WORLD);
    m->turn -= rc == MPI_SUCCESS;
    return told_turn(m, rc);
}

/* Locks of one that died are free. */
static int atomic_turns(survivor *m)
{
    char block[BLOCK];
    if (m->turn == 0) {
        int rc = MPI_File_set_atomicity(file_of(), 1);
        if (rc != MPI_SUCCESS)
            return told(m, rc);
    }
    fill(m, block, m->turn);
    int rc = MPI_File_write_at(file_of(), 1 << 29, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
    if (rc != MPI_SUCCESS)
        fail(m, "an independent access fails since another rank is dead");
    return told(m, MPI_Barrier(MPI_COMM_WORLD));
}

const survivor_case survivor_cases[] = {
    {"open", begin, NULL, 0},           {"close", end, NULL, 0},
    {"sync", sync_all, NULL, 0},        {"set_view", view, NULL, 0},
    {"preallocate", size, NULL, 0},     {"read_all", read_all, NULL, 0},
    {"ordered", ordered, NULL, 0},      {"split", split, NULL, 0},
    {"iwrite_all", started, NULL, 0},   {"writes", write_turns, NULL, 1},
    {"windows", window_turns, NULL, 1}, {"iwrites", start_turns, NULL, 1},
    {"own_writes", own_turns, NULL, 1}, {"atomic_writes", atomic_turns, NULL, 1},
};
const int survivor_case_count = sizeof survivor_cases / sizeof survivor_cases[0];
