/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An access of one member alone: the pieces of its view one after the other, from plain memory directly, else through
 * a buffer.
 */
#include "file/file_convert.h"
#include "file/file_sieve.h"

#include <stdlib.h>
#include <string.h>

enum { INDEPENDENT_PIECES = 512, INDEPENDENT_BUFFER = 1 << 20 };

/* Move the next pieces, at most `bytes` of the stream, from or to `memory`. Returns how many bytes were moved, fewer
 * than that at the end of the file or after a failure. */
static size_t independent_batch(file_job *job, file_walk *walk, char *memory, size_t bytes)
{
    file_piece pieces[INDEPENDENT_PIECES];
    size_t done = 0;
    while (done < bytes) {
        file_result result;
        size_t wanted;
        size_t count = file_walk_next(walk, pieces, INDEPENDENT_PIECES, bytes - done, &wanted);
        if (count == 0)
            break; /* the view has no bytes */
        if (!job->is_write && count > 1)
            file_sieve_read(job->file->fd, &job->hints, pieces, count, memory + done, &result);
        else
            file_transfer_run(job->file->fd, job->is_write, pieces, count, memory + done, &result);
        file_job_add(job, &result);
        done += result.bytes;
        if (result.bytes < wanted)
            break;
    }
    return done;
}

static void independent_plain(file_job *job, file_walk *walk)
{
    independent_batch(job, walk, job->memory.base, job->bytes);
}

static void independent_buffered(file_job *job, file_walk *walk)
{
    size_t unit = job->convert ? file_convert_unit_bytes(job->convert) : 1;
    size_t room = unit < INDEPENDENT_BUFFER ? INDEPENDENT_BUFFER - INDEPENDENT_BUFFER % unit : unit;
    room = job->bytes < room ? job->bytes : room;
    char *buffer = malloc(room);
    if (!buffer) {
        file_job_fail(job, COR_ERR_MEMORY, "rank %d has no memory for a buffer of %zu bytes", job->file->me, room);
        return;
    }
    for (size_t at = 0; at < job->bytes;) {
        size_t bytes = job->bytes - at < room ? job->bytes - at : room;
        if (job->is_write)
            cor_payload_read(&job->memory, at, buffer, bytes);
        if (file_job_check_memory(job) != COR_OK)
            break;
        size_t moved = independent_batch(job, walk, buffer, bytes);
        if (!job->is_write)
            cor_payload_write(&job->memory, at, buffer, moved - moved % unit);
        at += moved;
        if (moved < bytes)
            break;
    }
    free(buffer);
}

static void independent_move(file_job *job)
{
    file_walk walk = {&job->view, job->position};
    if (job->memory.ops)
        independent_buffered(job, &walk);
    else
        independent_plain(job, &walk);
}

/* All bytes of the access lie in this range. */
static void independent_range(const file_job *job, int64_t *first_p, int64_t *end_p)
{
    const file_view *view = &job->view;
    uint64_t last = job->position + job->bytes - 1;
    if (!view->is_mixed) {
        *first_p = file_walk_offset(view, job->position);
        *end_p = file_walk_offset(view, last) + 1;
        return;
    }
    /* The tiles overlap: from the begin of the first one to the end of the last. */
    int64_t base = view->given.displacement;
    *first_p = base + (int64_t)(job->position / view->tile_bytes) * view->tile_extent + (int64_t)view->tile->true_lb;
    *end_p = base + (int64_t)(last / view->tile_bytes) * view->tile_extent + (int64_t)view->tile->true_ub;
}

void file_independent_run(file_job *job)
{
    if (job->bytes == 0)
        return;
    if (!job->is_atomic) {
        independent_move(job);
        return;
    }
    int64_t first, end;
    independent_range(job, &first, &end);
    int error = file_lock_range(job->file, job->is_write, first, end);
    if (error) {
        file_job_fail(job, file_error_of(error), "rank %d cannot lock bytes %lld to %lld: %s", job->file->me,
                      (long long)first, (long long)end, strerror(error));
        return;
    }
    independent_move(job);
    file_unlock_range(job->file, first, end);
}
