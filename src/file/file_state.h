/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internals of files, shared by the files of this folder.
 *
 * From an access to the disk:
 *
 *   access  -> file_walk      the bytes of the view's stream it moves, as pieces of the file in rising order
 *           -> file_transfer  pieces of the file and the memory beside them; runs without the rank's lock, in the calling
 *                             thread or in the file's worker, and says how far it came and why not farther
 *           -> status         through the format back to bytes of the program's memory
 *
 * Only file_transfer.c makes the system calls that move data. It knows no views, ranks or locks.
 */
#ifndef COR_FILE_STATE_H
#define COR_FILE_STATE_H

#include "file/file.h"
#include "mp/collective.h"
#include "win/win.h"

#include <pthread.h>

/* ---- file_walk.c: the pieces of a view ---------------------------------------------------------------------------- */

typedef struct file_piece {
    int64_t at; /* in the file */
    size_t bytes;
} file_piece;

/* A position in the stream of a view. The stream has the bytes of the file: with a format that converts, not those of
 * memory. Copied freely. */
typedef struct file_walk {
    const struct file_view *view;
    uint64_t position; /* in the stream */
} file_walk;

/* The view as it is used: types are those of the file, their data the file's bytes. */
typedef struct file_view {
    cor_file_view given;
    const cor_dtype *tile; /* the filetype with the extents of the format */
    uint64_t etype_bytes;  /* of the stream */
    int64_t tile_extent;
    uint64_t tile_bytes;
    int is_contiguous; /* the stream is the file from the displacement on */
} file_view;

/* The next pieces, adjacent ones joined: at most `room`, fewer where they hold `bytes` together. Returns how many, and
 * moves on; *bytes_p is how many bytes they hold. */
size_t file_walk_next(file_walk *walk, file_piece *pieces, size_t room, size_t bytes, size_t *bytes_p);
/* Where in the file the byte `position` of the stream lies. */
int64_t file_walk_offset(const file_view *view, uint64_t position);
/* The first position of the stream that is not before the byte `at` of the file. */
uint64_t file_walk_position(const file_view *view, int64_t at);

/* ---- file_transfer.c: reading and writing ------------------------------------------------------------------------- */

/* What came of a transfer. */
typedef struct file_result {
    uint64_t bytes; /* moved, from the beginning without a gap */
    int error;      /* COR_OK also at the end of the file; else of the file's group */
    int os_error;   /* errno */
    int64_t at;     /* where in the file it failed */
} file_result;

/* Read or write the pieces one after the other from or to `memory`, which holds their bytes in their order. Short moves
 * and EINTR are gone on with; a write of nothing is an error; reading stops at the end of the file. */
void file_transfer_run(int fd, int is_write, const file_piece *pieces, size_t count, void *memory, file_result *result);

/* ---- file_worker.c: in the background ----------------------------------------------------------------------------- */

/* A task for the thread of a file. `run` is called by it without the rank's lock, `done` later by a thread that makes
 * progress, with it: the thread wakes those that sleep. Tasks run in the order in which they were added. */
typedef struct file_task file_task;
struct file_task {
    void (*run)(file_task *task);
    void (*done)(file_task *task);
    cor_link link;
};

/* ---- the file ------------------------------------------------------------------------------------------------------ */

typedef struct file_hints {
    int cb_nodes;            /* aggregators; 0: by rule */
    size_t cb_buffer_size;   /* of an aggregator */
    uint8_t cb_read, cb_write; /* file_choice */
    uint8_t ds_read, ds_write;
    size_t ind_rd_buffer_size;
    /* What is only kept, to be told: striping_factor, striping_unit, access_style, ... */
    cor_info *others;
} file_hints;

typedef enum file_choice { FILE_AUTOMATIC, FILE_ENABLE, FILE_DISABLE } file_choice;

typedef struct file_worker file_worker;

struct cor_file {
    cor_comm *comm; /* the file's own */
    int size, me;
    char *name;
    int mode;
    int fd;
    int has_locks; /* of the file system; found out when the file is opened */
    int is_atomic;
    file_hints hints;
    file_view view;
    uint64_t position; /* the individual pointer, in bytes of the stream */
    cor_win *pointer;  /* an int64_t of member 0, in elements of the etype; NULL: not made yet, or one member */
    int64_t own_pointer;
    file_worker *worker; /* NULL: not started */
    uint32_t active;     /* requests that are not complete */
    cor_request *split;  /* of cor_file_begin; NULL: none */
    cor_file_access split_access;
};

/* Set the sentence of the rank's fault, which begins with the file's name, and return the code. Not under the lock. */
int file_fail(cor_file *file, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The code for an errno of the system. */
int file_error_of(int os_error);

/* ---- between an access and those that carry it out ---------------------------------------------------------------- */

/* One access under way: what file_access.c makes of a cor_file_access when it begins. All of it is fixed then: a view or a
 * hint that changes later does not change it (types are referenced). */
typedef struct file_job {
    cor_file *file;
    uint8_t is_write, is_collective, is_atomic;
    file_view view;         /* types referenced */
    uint64_t position;      /* of its first byte in the stream */
    uint64_t bytes;         /* of the stream */
    cor_payload memory;     /* its bytes as the file has them: the program's payload, or a buffer with what was converted */
    void *converted;        /* that buffer, or NULL */
    cor_file_access access; /* held */
    file_result result;
    cor_fault *fault; /* the sentence of a failure, allocated; NULL: none */
    cor_request *request; /* NULL: a blocking call waits */
} file_job;

/* file_independent.c: carry out a job on this member alone, in this thread and without the lock. */
void file_independent_run(file_job *job);
/* file_collective.c: carry out a job together with the other members. Begins it; *is_done_p is set by progress, under the
 * lock, when `result` (and `fault`) are final and the same error is known to all members. */
int file_collective_start(file_job *job, int *is_done_p);

#endif
