/* SPDX-License-Identifier: Apache-2.0 */
/* Where the pointers are, which bytes of the view that means, and what their memory is. */
#include "file/file_job.h"

#include "file/file_convert.h"

#include <stdlib.h>

/* ---- checks ----------------------------------------------------------------------------------------------------- */

static int job_check(file_job *job, const cor_file_access *access)
{
    const cor_file *file = job->file;
    if (job->is_write && !file_is_written(file))
        file_job_fail(job, COR_ERR_FILE_READ_ONLY, "rank %d writes to it, but it is opened for reading only",
                      file->me);
    else if (!job->is_write && (file->mode & COR_FILE_WRONLY))
        file_job_fail(job, COR_ERR_FILE_ACCESS, "rank %d reads from it, but it is opened for writing only", file->me);
    else if (access->pointer != COR_FILE_SHARED && (file->mode & COR_FILE_SEQUENTIAL))
        file_job_fail(job, COR_ERR_FILE_OPERATION,
                      "the file is sequential, but rank %d does not access it by the shared pointer", file->me);
    else if (job->view.etype_bytes > 0 ? job->bytes % job->view.etype_bytes != 0 : job->bytes > 0)
        file_job_fail(job, COR_ERR_TYPE, "rank %d moves %llu bytes, which is no whole number of etypes of %llu bytes",
                      file->me, (unsigned long long)job->bytes, (unsigned long long)job->view.etype_bytes);
    else if (job->is_write && job->view.tile_bytes == 0 && job->bytes > 0)
        file_job_fail(job, COR_ERR_FILE_IO, "rank %d writes %llu bytes, but its view has none", file->me,
                      (unsigned long long)job->bytes);
    if (job->view.tile_bytes == 0)
        job->bytes = 0; /* to be read: as at the end of the file */
    return job->result.error;
}

/* The last check, which needs the position. */
static void job_check_place(file_job *job)
{
    if (!file_walk_fits(&job->view, job->position, job->bytes))
        file_job_fail(job, COR_ERR_ARG,
                      "rank %d moves %llu bytes from position %llu of its view on, beyond the end of any file",
                      job->file->me, (unsigned long long)job->bytes, (unsigned long long)job->position);
    else if (job->is_write && file_view_overlaps(&job->view, job->position, job->bytes))
        file_job_fail(job, COR_ERR_ARG,
                      "rank %d writes %llu bytes, which are more than one filetype of its view has, and the filetype, "
                      "repeated, overlaps itself",
                      job->file->me, (unsigned long long)job->bytes);
    else
        file_view_narrow(&job->view, &job->position, job->bytes);
}

/* ---- where it begins -------------------------------------------------------------------------------------------- */

static void job_explicit(file_job *job, int64_t offset)
{
    if (offset < 0 || __builtin_mul_overflow((uint64_t)offset, job->view.etype_bytes, &job->position))
        file_job_fail(job, COR_ERR_ARG, "rank %d accesses it at the offset %lld, which is not inside of a file",
                      job->file->me, (long long)offset);
}

/* The next access begins behind this one. */
static void job_individual(file_job *job)
{
    cor_comm_enter(job->file->comm);
    job->position = job->file->position;
    if (job->result.error == COR_OK && file_walk_fits(&job->view, job->position, job->bytes))
        job->file->position += job->bytes;
    cor_comm_leave(job->file->comm);
}

static void job_shared(file_job *job)
{
    int64_t before = 0, elements = 0;
    cor_fault fault;
    if (job->result.error == COR_OK && job->view.etype_bytes > 0)
        elements = (int64_t)(job->bytes / job->view.etype_bytes);
    int rc = job->is_collective ? file_pointer_advance_ordered(job->file, elements, &before)
                                : file_pointer_advance(job->file, elements, &before);
    if (rc == COR_OK) {
        job_explicit(job, before);
        return;
    }
    cor_rank_copy_fault(file_rank(job->file), &fault);
    file_job_fail(job, rc, "rank %d cannot move the shared pointer: %s", job->file->me,
                  fault.code == rc ? fault.text : cor_error_text(rc));
}

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

void file_job_fini(file_job *job)
{
    if (job->convert)
        file_convert_destroy(job->convert);
    cor_payload_release(&job->given);
    file_view_fini(&job->view);
    free(job->buffer);
    free(job->task);
    free(job->fault);
}

/* What the memory is in the file. */
static void job_describe(file_job *job, const cor_file_access *access)
{
    job->given = access->memory;
    job->given_bytes = access->memory.bytes;
    job->memory = job->given;
    job->bytes = job->given_bytes;
    if (!file_format_converts(job->view.given.format))
        return;
    int rc = file_convert_create(job, access);
    if (rc == COR_OK)
        job->memory = file_convert_payload(job->convert);
    else
        file_job_fail(job, rc, "rank %d cannot convert its data to the representation %s: %s", job->file->me,
                      job->view.given.format->name, cor_error_text(rc));
}

/* A buffer in the place of the memory. */
static int job_buffer(file_job *job)
{
    job->buffer = malloc(job->bytes);
    if (!job->buffer) {
        file_job_fail(job, COR_ERR_MEMORY, "rank %d has no memory for a buffer of %llu bytes", job->file->me,
                      (unsigned long long)job->bytes);
        return job->result.error;
    }
    if (job->is_write)
        cor_payload_read(&job->memory, 0, job->buffer, job->bytes);
    job->memory = cor_payload_plain(job->buffer, job->bytes);
    return file_job_check_memory(job);
}

int file_job_check_memory(file_job *job)
{
    int error = job->convert ? file_convert_error(job->convert) : COR_OK;
    if (error != COR_OK)
        file_job_fail(job, error, "rank %d cannot convert its data to or from the representation %s", job->file->me,
                      job->view.given.format->name);
    return job->result.error;
}

int file_job_make_native(file_job *job)
{
    if (job->bytes == 0 || job->result.error != COR_OK)
        return job->result.error;
    /* What converts memory of C can be used by any thread, too. */
    int is_native = cor_payload_is_native(&job->memory) || (job->convert && cor_payload_is_native(&job->given));
    return is_native ? COR_OK : job_buffer(job);
}

int file_job_init(file_job *job, cor_file *file, const cor_file_access *access)
{
    int rc = cor_comm_enter_open(file->comm);
    if (rc != COR_OK)
        return rc;
    *job = (file_job){.file = file,
                      .is_write = access->is_write,
                      .is_collective = access->is_collective,
                      .is_atomic = (uint8_t)(file->is_atomic && file->size > 1),
                      .view = file->view,
                      .hints = file->hints};
    cor_list_init(&job->link);
    job->hints.others = NULL;
    file_view_ref(&job->view);
    cor_comm_leave(file->comm);
    job_describe(job, access);
    if (job->result.error == COR_OK)
        job_check(job, access);
    if (access->pointer == COR_FILE_INDIVIDUAL)
        job_individual(job);
    else if (access->pointer == COR_FILE_EXPLICIT)
        job_explicit(job, access->offset);
    else if (access->pointer == COR_FILE_SHARED && (job->is_collective || job->result.error == COR_OK))
        job_shared(job);
    if (job->result.error == COR_OK)
        job_check_place(job);
    /* Where others take part, functions of the program are called here, without the lock, and their errors are known
     * before anything is written. */
    if (job->result.error == COR_OK && job->convert && job->bytes > 0 && job->is_collective)
        job_buffer(job);
    return COR_OK;
}

int file_job_deliver(file_job *job, uint64_t bytes)
{
    if (job->buffer && !job->is_write && !job->is_delivered && bytes > 0) {
        cor_payload to = job->convert ? file_convert_payload(job->convert) : job->given;
        size_t unit = job->convert ? file_convert_unit_bytes(job->convert) : 1;
        cor_payload_write(&to, 0, job->buffer, bytes - bytes % unit);
    }
    job->is_delivered = 1;
    return file_job_check_memory(job);
}

void file_job_settle(file_job *job)
{
    file_job_deliver(job, job->result.bytes);
    job->given_bytes = job->convert ? file_convert_memory_bytes(job->convert, job->result.bytes) : job->result.bytes;
}

void file_job_end(file_job *job)
{
    cor_file *file = job->file;
    file_job_settle(job);
    job->is_done = 1;
    cor_list_remove(&job->link);
    file->active--;
    if (job->request) {
        cor_job_end(job->request, job->result.error, job->fault);
        cor_job_set_bytes(job->request, job->given_bytes);
        if (job->result.error != COR_OK)
            job->fault = NULL; /* the request's */
    }
    cor_device_wake(file->comm->device);
}

void file_jobs_abandon(cor_file *file)
{
    while (!cor_list_is_empty(&file->jobs)) {
        file_job *job = COR_OWNER(file->jobs.next, file_job, link);
        cor_list_remove(&job->link);
        file_job_fini(job);
        if (job != file->spare)
            free(job);
    }
}
