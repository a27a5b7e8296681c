/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening and closing. A file that may have to be created is opened by member 0 first, so that one member alone
 * creates it, or finds that it exists.
 */
#define _GNU_SOURCE
#include "file/file_worker.h"

#include "mp/create/comm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_BYTE = 0x247 };

/* ---- the mode --------------------------------------------------------------------------------------------------- */

static int open_check_mode(cor_file *file)
{
    int mode = file->mode, ways = mode & (COR_FILE_RDONLY | COR_FILE_RDWR | COR_FILE_WRONLY);
    const char *why = NULL;
    if (mode & ~(2 * COR_FILE_WRONLY - 1))
        why = "it has bits that mean nothing";
    else if (ways == 0 || (ways & (ways - 1)) != 0)
        why = "it must have exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY";
    else if (ways == COR_FILE_RDONLY && (mode & (COR_FILE_CREATE | COR_FILE_EXCL)))
        why = "MPI_MODE_RDONLY goes with neither MPI_MODE_CREATE nor MPI_MODE_EXCL";
    else if (ways == COR_FILE_RDWR && (mode & COR_FILE_SEQUENTIAL))
        why = "MPI_MODE_RDWR does not go with MPI_MODE_SEQUENTIAL";
    return why ? file_fail(file, COR_ERR_FILE_MODE, "the mode is %d: %s", mode, why) : COR_OK;
}

/* Only the first opener may create. */
static int open_flags(int mode, int is_first)
{
    int flags = O_CLOEXEC | (mode & COR_FILE_RDONLY ? O_RDONLY : mode & COR_FILE_WRONLY ? O_WRONLY : O_RDWR);
    if (is_first && (mode & COR_FILE_CREATE))
        flags |= O_CREAT;
    if (is_first && (mode & COR_FILE_EXCL))
        flags |= mode & COR_FILE_CREATE ? O_EXCL : 0;
    return flags;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

const char *file_path_of(const char *name)
{
    static const char *const prefixes[] = {
        "file:", "ufs:", "nfs:", "xfs:", "lustre:", "gpfs:", "panfs:", "pvfs:", "pvfs2:", "daos:", "quobyte:"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return name + strlen(prefixes[i]);
    return name;
}

/* A copy of the path; of a file that closing deletes the whole of it, since the program may be in another folder then,
 * where the name is another file's. NULL: no memory. */
static char *open_name(const char *given, int mode)
{
    const char *path = file_path_of(given);
    char *folder, *name = NULL;
    if (!(mode & COR_FILE_DELETE_ON_CLOSE) || *path == '/' || *path == '\0')
        return strdup(path);
    folder = getcwd(NULL, 0);
    if (!folder)
        return errno == ENOMEM ? NULL : strdup(path);
    if (asprintf(&name, "%s/%s", folder, path) < 0)
        name = NULL;
    free(folder);
    return name;
}

/* Is something there that can be no file? A pipe would wait for its other end. An errno, or 0. */
static int open_look(const char *path)
{
    struct stat stat_now;
    if (stat(path, &stat_now) != 0)
        return 0; /* it may be created; else opening it tells */
    return S_ISDIR(stat_now.st_mode) ? EISDIR : S_ISFIFO(stat_now.st_mode) ? ESPIPE : 0;
}

/* ---- one member ------------------------------------------------------------------------------------------------- */

static int open_system(cor_file *file, int is_first)
{
    void *mine;
    int rc = file_step_away(file, &mine);
    if (rc != COR_OK)
        return rc;
    int error = open_look(file->name);
    while (error == 0 && file->fd < 0) {
        file->fd = open(file->name, open_flags(file->mode, is_first), (mode_t)file->hints.permissions);
        if (file->fd < 0 && errno != EINTR)
            error = errno;
    }
    rc = file_step_back(file, mine);
    if (rc != COR_OK || error == 0)
        return rc;
    const char *hint = "";
    if (error == ENOENT && !is_first && (file->mode & COR_FILE_CREATE))
        hint = " (rank 0 has created it: do all ranks see the same file system?)";
    if (error == ESPIPE)
        hint = " (it is a pipe, in which there are no places to read and write at)";
    return file_fail(file, file_error_of(error), "rank %d cannot open it: %s%s", file->me, strerror(error), hint);
}

static int open_view(cor_file *file)
{
    const cor_dtype *byte = cor_dtype_predefined(OPEN_BYTE);
    cor_file_view given = {0, byte, byte, &cor_file_native};
    const char *why;
    return file_view_init(&file->view, &given, file_is_written(file), &why);
}

/* Appending: both pointers begin at the end. */
static int open_at_end(cor_file *file)
{
    int64_t bytes = 0;
    if (!(file->mode & COR_FILE_APPEND))
        return COR_OK;
    int rc = file_agree(file->comm, cor_file_size(file, &bytes));
    file->position = (uint64_t)bytes;
    return rc == COR_OK ? file_pointer_set(file, bytes) : rc;
}

/* ---- all members ------------------------------------------------------------------------------------------------ */

static int open_all(cor_file *file)
{
    int is_shy = file->mode & (COR_FILE_CREATE | COR_FILE_EXCL); /* member 0 first */
    uint64_t mode = (uint64_t)file->mode;
    int rc = file_agree_same(file, open_check_mode(file), &mode, 1, "mode");
    if (rc != COR_OK)
        return rc;
    if (is_shy && file->size > 1) {
        rc = file_agree(file->comm, file->me == 0 ? open_system(file, 1) : COR_OK);
        if (rc != COR_OK)
            return rc;
    }
    if (file->fd < 0)
        rc = open_system(file, file->me == 0);
    rc = file_agree(file->comm, rc);
    if (rc == COR_OK)
        rc = file_pointer_open(file);
    return rc == COR_OK ? open_at_end(file) : rc;
}

/* After a failure, or when the rank is being destroyed: this member's part, without the lock. */
static void open_free(cor_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file_view_fini(&file->view);
    file_hints_fini(&file->hints);
    pthread_mutex_destroy(&file->atomic);
    file_collective_destroy(file);
    free(file->spare);
    free(file->name);
    free(file);
}

static void open_abandon(void *subject)
{
    cor_file *file = subject;
    file_jobs_abandon(file);
    open_free(file);
}

static void open_end(void *subject)
{
    file_worker_stop(subject);
}

static cor_file *open_state(cor_comm *comm, const char *name, int mode, const cor_info *hints)
{
    cor_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->fd = -1;
    file->comm = comm;
    file->size = cor_comm_size(comm);
    file->me = cor_comm_rank(comm);
    file->mode = mode;
    file->name = open_name(name, mode);
    file->spare = calloc(1, sizeof *file->spare);
    cor_list_init(&file->jobs);
    pthread_mutex_init(&file->atomic, NULL);
    if (!file->name || !file->spare || open_view(file) != COR_OK || file_collective_create(file) != COR_OK ||
        file_hints_init(&file->hints, hints, cor_rank_log(cor_comm_owner(comm))) != COR_OK) {
        open_free(file);
        return NULL;
    }
    return file;
}

int cor_file_open(cor_comm *comm, const char *name, int mode, const cor_info *hints, cor_file **file_p)
{
    cor_comm *mine;
    int rc = cor_comm_dup(comm, &mine);
    if (rc != COR_OK)
        return rc;
    cor_file *file = open_state(mine, name, mode, hints);
    if (!file)
        rc = file_fail_name(cor_comm_owner(comm), name, COR_ERR_MEMORY, "rank %d has no memory for the file",
                            cor_comm_rank(comm));
    rc = file_agree(mine, rc);
    if (rc == COR_OK)
        rc = open_all(file);
    if (rc != COR_OK) {
        if (file) {
            file_pointer_close(file);
            open_free(file);
        }
        cor_comm_unref(mine);
        return rc;
    }
    cor_comm_enter(mine);
    cor_comm_set_subject(mine, file, open_end, open_abandon);
    cor_comm_leave(mine);
    *file_p = file;
    return COR_OK;
}

/* ---- closing ---------------------------------------------------------------------------------------------------- */

/* All that is under way here. */
static int close_settle(cor_file *file)
{
    cor_idle_state idle = {0};
    cor_activity activity;
    int rc = cor_comm_enter_open(file->comm);
    if (rc != COR_OK)
        return rc;
    cor_comm_wait_begin(file->comm, &activity);
    while (file->active > 0 && !cor_device_is_closed(file->comm->device))
        cor_comm_progress(file->comm, -1, &idle);
    cor_activity_end(file->comm->monitor, &activity);
    rc = cor_device_is_closed(file->comm->device) ? COR_ERR_FINALIZED : COR_OK;
    cor_comm_leave(file->comm);
    return rc;
}

/* What could not be written is told here at last. */
static int close_system(cor_file *file)
{
    void *mine;
    int fd = file->fd, error = 0;
    int rc = file_step_away(file, &mine);
    if (rc != COR_OK)
        return rc;
    file->fd = -1;
    if (close(fd) != 0 && errno != EINTR)
        error = errno;
    rc = file_step_back(file, mine);
    return rc != COR_OK || error == 0 ? rc : file_fail_system(file, error, "close it");
}

static int close_delete(cor_file *file)
{
    int rc = COR_OK;
    if (!(file->mode & COR_FILE_DELETE_ON_CLOSE))
        return COR_OK;
    if (file->me == 0 && unlink(file->name) != 0 && errno != ENOENT)
        rc = file_fail_system(file, errno, "delete it");
    return file_agree(file->comm, rc);
}

/* From here on the file is this call's alone; else Finalize ends it, and it is freed with the rank. */
static int close_leave(cor_file *file)
{
    int rc = cor_comm_enter_open(file->comm);
    if (rc != COR_OK)
        return rc;
    cor_comm_set_subject(file->comm, NULL, NULL, NULL);
    cor_comm_leave(file->comm);
    return COR_OK;
}

int cor_file_close(cor_file **file_p)
{
    cor_file *file = *file_p;
    if (file->split)
        return file_fail(file, COR_ERR_FILE_BUSY, "rank %d closes it before a split collective access has ended",
                         file->me);
    int rc = close_settle(file);
    if (rc != COR_OK)
        return rc;
    int failed = file_pointer_close(file);
    if (failed == COR_ERR_FINALIZED)
        return failed;
    rc = close_system(file);
    if (rc == COR_ERR_FINALIZED)
        return rc;
    rc = file_agree(file->comm, rc != COR_OK ? rc : failed);
    if (rc == COR_ERR_FINALIZED)
        return rc;
    failed = close_delete(file);
    if (rc == COR_OK)
        rc = failed;
    failed = close_leave(file);
    if (failed != COR_OK)
        return failed;
    cor_comm *comm = file->comm;
    file_worker_stop(file);
    open_free(file);
    cor_comm_unref(comm);
    *file_p = NULL;
    return rc;
}

int cor_file_delete(cor_rank *rank, const char *given)
{
    struct stat stat;
    const char *name = file_path_of(given);
    int error = unlink(name) == 0 ? 0 : errno;
    if (error == EPERM && lstat(name, &stat) == 0 && S_ISDIR(stat.st_mode))
        error = EISDIR;
    if (error == 0)
        return COR_OK;
    return file_fail_name(rank, name, file_error_of(error), "rank %d cannot delete it: %s", cor_rank_number(rank),
                          strerror(error));
}

/* ---- properties ------------------------------------------------------------------------------------------------- */

cor_comm *cor_file_comm(const cor_file *file)
{
    return file->comm;
}

const char *cor_file_name(const cor_file *file)
{
    return file->name;
}

int cor_file_mode(const cor_file *file)
{
    return file->mode;
}

int cor_file_is_atomic(const cor_file *file)
{
    return file->is_atomic;
}
