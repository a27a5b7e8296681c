/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internals of files, shared by the files of this folder.
 *
 * From an access to the disk:
 *
 *   access  -> file_walk      the bytes of the view's stream it moves, as pieces of the file in rising order
 *           -> file_transfer  pieces of the file and the memory beside them; runs without the rank's lock, in the
 * calling
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
#include <stdatomic.h>

/* ---- file_walk.c: the pieces of a view -------------------------------------------------------------------------- */

typedef struct file_piece {
    int64_t at; /* in the file */
    size_t bytes;
} file_piece;

/* The view as it is used: types are those of the file, their data the file's bytes. */
typedef struct file_view {
    cor_file_view given;
    const cor_dtype *tile; /* the filetype with the extents of the format */
    uint64_t etype_bytes;  /* of the stream */
    int64_t tile_extent;
    uint64_t tile_bytes;
    int is_contiguous; /* the stream is the file from the displacement on */
    int is_mixed;      /* blocks lie before the end of earlier ones: offsets do not rise with positions */
    int is_rising;     /* not those of one filetype: only its repetition mixes them */
} file_view;

/* A position in the stream of a view. The stream has the bytes of the file: with a format that converts, not those of
 * memory. Copied freely. */
typedef struct file_walk {
    const file_view *view;
    uint64_t position; /* in the stream */
} file_walk;

/* Bytes [position, position + bytes) lie in the file, before the largest offset there is. */
int file_walk_fits(const file_view *view, uint64_t position, uint64_t bytes);

/* The next pieces, adjacent ones joined: at most `room`, fewer where they hold `bytes` together. Returns how many, and
 * moves on; *bytes_p is how many bytes they hold. */
size_t file_walk_next(file_walk *walk, file_piece *pieces, size_t room, size_t bytes, size_t *bytes_p);
/* Where in the file the byte `position` of the stream lies. */
int64_t file_walk_offset(const file_view *view, uint64_t position);
/* The first position of the stream that is not before the byte `at` of the file. */
uint64_t file_walk_position(const file_view *view, int64_t at);

/* ---- file_transfer.c: reading and writing ----------------------------------------------------------------------- */

/* What came of a transfer. */
typedef struct file_result {
    uint64_t bytes; /* moved, from the beginning without a gap */
    int error;      /* COR_OK also at the end of the file; else of the file's group */
    int os_error;   /* errno */
    int64_t at;     /* where in the file it failed */
} file_result;

/* Read or write the pieces one after the other from or to `memory`, which holds their bytes in their order. Short
 * moves and EINTR are gone on with; a write of nothing is an error; reading stops at the end of the file. */
void file_transfer_run(int fd, int is_write, const file_piece *pieces, size_t count, void *memory,
                       file_result *result);

/* ---- file_hints.c ----------------------------------------------------------------------------------------------- */

typedef enum file_choice { FILE_AUTOMATIC, FILE_ENABLE, FILE_DISABLE } file_choice;

typedef struct file_hints {
    int cb_nodes;              /* aggregators; 0: by rule */
    size_t cb_buffer_size;     /* of an aggregator */
    uint32_t striping_unit;    /* bytes; windows begin at its multiples; 0: by rule */
    uint8_t cb_read, cb_write; /* file_choice */
    uint8_t ds_read, ds_write;
    size_t ind_rd_buffer_size;
    int permissions; /* of a file that is created */
    /* What is only kept, to be told: striping_factor, access_style, ... */
    cor_info *others;
} file_hints;

/* The defaults, and then what `info` (NULL: nothing) says. COR_ERR_MEMORY. `log` gets what has no effect. */
int file_hints_init(file_hints *hints, const cor_info *info, const cor_log *log);
/* Of a file that is open. */
int file_hints_change(file_hints *hints, const cor_info *info, const cor_log *log);
void file_hints_fini(file_hints *hints);

/* ---- the file --------------------------------------------------------------------------------------------------- */

typedef struct file_worker file_worker;

struct cor_file {
    cor_comm *comm; /* the file's own */
    int size, me;
    char *name;
    int mode;
    int fd;
    int is_atomic;
    file_hints hints;
    file_view view;
    uint64_t position;      /* the individual pointer, in bytes of the stream */
    cor_win *pointer;       /* an int64_t of member 0, in elements of the etype; NULL: one member */
    int64_t own_pointer;    /* instead of it */
    file_worker *worker;    /* NULL: not started */
    cor_list jobs;          /* under way in the background: file_job.link */
    uint32_t active;        /* how many */
    struct file_job *spare; /* for a blocking collective access, which must not fail at one member only */
    cor_request *split;     /* of cor_file_begin; NULL: none */
    cor_file_access split_access;
    pthread_mutex_t atomic; /* held around an access in atomic mode: file_lock.c */
    struct file_collective *collective;
};

static inline cor_rank *file_rank(const cor_file *file)
{
    return cor_comm_owner(file->comm);
}

static inline int file_is_written(const cor_file *file)
{
    return !(file->mode & COR_FILE_RDONLY);
}

/* ---- file_open.c ------------------------------------------------------------------------------------------------ */

/* The path in the name of a file. Programs may name the file system before it ("ufs:"), as ROMIO allows; ours is found
 * out by looking. */
const char *file_path_of(const char *name);

/* ---- file_error.c: sentences, and what the members agree on ----------------------------------------------------- */

/* Set the sentence of the rank's fault, which begins with the file's name, and return the code. Not under the lock. */
int file_fail(cor_file *file, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for a file that is not open (yet). */
int file_fail_name(cor_rank *rank, const char *name, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "cannot truncate it: No space left on device", with the code for this errno. */
int file_fail_system(cor_file *file, int os_error, const char *what);
/* The code for an errno of the system. */
int file_error_of(int os_error);
/* Collective, not under the lock. `rc` is what came of this member's part, with its sentence in the rank's fault if it
 * failed. Returns the error of the first member that failed, with its sentence, at all members. COR_ERR_PEER. */
int file_agree(cor_comm *comm, int rc);
/* The same, and COR_ERR_NOT_SAME if the members' values differ; `what` says of what. A value is at most 4 words. */
int file_agree_same(cor_file *file, int rc, const uint64_t *values, int count, const char *what);

/* ---- around what takes long ------------------------------------------------------------------------------------- */

/* Without the lock, in a call of the program: from now on the thread is in a system call of a file, and Finalize of
 * another thread waits for it (closing.h). The lock is not held between the two. Both return COR_ERR_FINALIZED, the
 * second after the rank has been finalised; then the file may not be used any more. */
int file_step_away(const cor_file *file, void **mine_p);
int file_step_back(const cor_file *file, void *mine);

/* ---- between an access and those that carry it out -------------------------------------------------------------- */

/* One access under way: what file_job.h makes of a cor_file_access when it begins. All of it is fixed then: a
 * view or a hint that changes later does not change it (types are referenced). */
typedef struct file_job {
    cor_file *file;
    uint8_t is_write, is_collective, is_atomic;
    file_view view;
    file_hints hints;  /* without `others` */
    uint64_t position; /* of its first byte in the stream */
    uint64_t bytes;    /* of the stream */
    /* Its bytes as the file has them. Of a collective job it is held. The file's own thread may use it only after
     * file_job_make_native. */
    cor_payload memory;
    file_result result;
    cor_fault *fault; /* the sentence of a failure, allocated; NULL: none, or no memory for it */
    int is_done;      /* under the lock */
    int is_delivered; /* what was read is no longer in the buffer alone */

    /* file_job.c's and file_access.c's own */
    cor_payload given;            /* the program's memory */
    size_t given_bytes;           /* of it that the job moves */
    void *buffer;                 /* instead of it, for the file's thread; or NULL */
    struct file_convert *convert; /* of a format; or NULL */
    cor_request *request;         /* NULL: a blocking call waits */
    struct file_task *task;       /* of the file's thread; or NULL */
    cor_link link;                /* cor_file.jobs */

    cor_link together; /* file_collective.c's own: jobs that wait for their turn */
} file_job;

/* For a thread of the rank, before the file's own thread works on the job: COR_ERR_MEMORY, and then the job has
 * failed. With an error, `bytes` are what they were. */
int file_job_make_native(file_job *job);
/* Whatever reads or writes `memory`: has it been possible? Nothing is written to the file that could not be converted.
 * The job's error. */
int file_job_check_memory(file_job *job);
/* The first `bytes` bytes of a read are there: put them into the program's memory, once, which calls functions of the
 * program where its format converts. The job's error. */
int file_job_deliver(file_job *job, uint64_t bytes);

/* Without the lock: a job has failed. Sets result.error, and a sentence that begins with the file's name, unless it
 * has an error. */
void file_job_fail(file_job *job, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same from the result of a transfer, whose `bytes` are counted from `done` on: adds it to the job's. The
 * sentence: "out.dat: rank 3 wrote 4096 of 65536 bytes at 1048576: No space left on device". */
void file_job_add(file_job *job, const file_result *result);

/* file_independent.c: carry out a job on this member alone, in this thread and without the lock. Sets its result. */
void file_independent_run(file_job *job);

/* file_collective.c: what a file needs for it, made when the file is opened and freed when it is closed.
 * COR_ERR_MEMORY. */
int file_collective_create(cor_file *file);
void file_collective_destroy(cor_file *file);
/* Carry out a job together with the other members; called without the lock. In the end calls file_job_end, when
 * `result` (and `fault`) are final and the same error is known to all members; for a job without a request before
 * it returns. A job that has an error already takes part, and moves nothing. Returns COR_OK; or why it cannot
 * begin: then file_job_end is not called. */
int file_collective_start(file_job *job);

/* Under the lock, by a thread of the rank: the job is over. Sets is_done, completes the request if there is one, and
 * wakes threads that wait. The job may be freed by others as soon as the lock is released. */
void file_job_end(file_job *job);
/* The rank is being destroyed: free the jobs that nobody has waited for. */
void file_jobs_abandon(cor_file *file);

/* ---- file_pointer.c --------------------------------------------------------------------------------------------- */

/* Collective. Make the window of the shared pointer; and free it. */
int file_pointer_open(cor_file *file);
int file_pointer_close(cor_file *file);
/* Not under the lock. Add `elements` of the etype to the shared pointer: where it was. */
int file_pointer_advance(cor_file *file, int64_t elements, int64_t *before_p);
/* Collective: advance it by the members' elements together; *before_p is where this member's begin. */
int file_pointer_advance_ordered(cor_file *file, int64_t elements, int64_t *before_p);
/* Collective, member 0's value. */
int file_pointer_set(cor_file *file, int64_t elements);

/* ---- file_view.c ------------------------------------------------------------------------------------------------ */

/* The view as it is used, with one reference to each type. An error has no sentence in the rank's fault: it is in
 * *why_p. */
int file_view_init(file_view *view, const cor_file_view *given, int is_written, const char **why_p);
void file_view_ref(const file_view *view);
void file_view_fini(file_view *view);
/* Where the bytes [*position_p, *position_p + bytes) lie in one filetype, and only the repetition of it mixes blocks:
 * the view becomes that of this filetype alone, which does not, with the position in it. Programs that describe a whole
 * access by one filetype (HDF5) need not care for its extent. */
void file_view_narrow(file_view *view, uint64_t *position_p, uint64_t bytes);
/* Does a byte of the file, or may it, come twice in [position, position + bytes)? */
int file_view_overlaps(const file_view *view, uint64_t position, uint64_t bytes);

/* ---- file_format.c ---------------------------------------------------------------------------------------------- */

/* A type of the file: as `type`, with the sizes and extents of the format. One reference. */
int file_format_type(const cor_file_format *format, const cor_dtype *type, const cor_dtype **type_p);
/* Do the bytes differ from those in memory? */
static inline int file_format_converts(const cor_file_format *format)
{
    return format->to_file != NULL;
}

/* ---- file_lock.c ------------------------------------------------------------------------------------------------ */

/* The range [first, end) of the file is this member's alone (or, to read, the readers'); 0 or an errno. */
int file_lock_range(cor_file *file, int is_write, int64_t first, int64_t end);
void file_unlock_range(cor_file *file, int64_t first, int64_t end);
/* Has the file system such locks? 0 or an errno. */
int file_lock_probe(int fd, int is_written);

#endif
