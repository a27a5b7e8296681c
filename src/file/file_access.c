/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses: where the pointers are, which bytes of the view that means, and how the access is carried out. A
 * collective access that cannot be carried out takes part nevertheless, with an error, so that no other member waits
 * for it.
 */
#include "file/file_convert.h"
#include "file/file_worker.h"

#include <stdlib.h>
#include <string.h>

/* ---- checks ----------------------------------------------------------------------------------------------------- */

static int access_check(file_job *job, const cor_file_access *access)
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
    return job->result.error;
}

static void access_check_end(file_job *job)
{
    if (job->view.tile_bytes > 0 && !file_walk_fits(&job->view, job->position, job->bytes))
        file_job_fail(job, COR_ERR_ARG,
                      "rank %d moves %llu bytes from position %llu of its view on, beyond the end of any file",
                      job->file->me, (unsigned long long)job->bytes, (unsigned long long)job->position);
}

/* ---- where it begins -------------------------------------------------------------------------------------------- */

static void access_explicit(file_job *job, int64_t offset)
{
    if (offset < 0 || __builtin_mul_overflow((uint64_t)offset, job->view.etype_bytes, &job->position))
        file_job_fail(job, COR_ERR_ARG, "rank %d accesses it at the offset %lld, which is not inside of a file",
                      job->file->me, (long long)offset);
}

/* The next access begins behind this one. */
static void access_individual(file_job *job)
{
    cor_comm_enter(job->file->comm);
    job->position = job->file->position;
    if (job->result.error == COR_OK && job->position + job->bytes >= job->position)
        job->file->position += job->bytes;
    cor_comm_leave(job->file->comm);
}

static void access_shared(file_job *job)
{
    int64_t before = 0, elements = 0;
    cor_fault fault;
    if (job->result.error == COR_OK && job->view.etype_bytes > 0)
        elements = (int64_t)(job->bytes / job->view.etype_bytes);
    int rc = job->is_collective ? file_pointer_advance_ordered(job->file, elements, &before)
                                : file_pointer_advance(job->file, elements, &before);
    if (rc == COR_OK) {
        access_explicit(job, before);
        return;
    }
    cor_rank_copy_fault(file_rank(job->file), &fault);
    file_job_fail(job, rc, "rank %d cannot move the shared pointer: %s", job->file->me,
                  fault.code == rc ? fault.text : cor_error_text(rc));
}

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

static void access_fini(file_job *job)
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
static void access_describe(file_job *job, const cor_file_access *access)
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
static int access_buffer(file_job *job)
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
    return is_native ? COR_OK : access_buffer(job);
}

/* Fill in a job that is all zero. COR_ERR_FINALIZED: it stays so; all other errors are the job's. */
static int access_init(file_job *job, cor_file *file, const cor_file_access *access)
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
    access_describe(job, access);
    if (job->result.error == COR_OK)
        access_check(job, access);
    if (access->pointer == COR_FILE_INDIVIDUAL)
        access_individual(job);
    else if (access->pointer == COR_FILE_EXPLICIT)
        access_explicit(job, access->offset);
    else if (access->pointer == COR_FILE_SHARED && (job->is_collective || job->result.error == COR_OK))
        access_shared(job);
    if (job->result.error == COR_OK)
        access_check_end(job);
    if (job->result.error == COR_OK && job->convert && job->bytes > 0 && file_convert_is_coarse(job->convert))
        access_buffer(job);
    return COR_OK;
}

/* What was moved, as the program counts it, once the job is over. */
static void access_settle(file_job *job)
{
    if (job->buffer && !job->is_write && job->result.bytes > 0) {
        cor_payload to = job->convert ? file_convert_payload(job->convert) : job->given;
        cor_payload_write(&to, 0, job->buffer, job->result.bytes);
    }
    job->given_bytes = job->convert ? file_convert_memory_bytes(job->convert, job->result.bytes) : job->result.bytes;
    file_job_check_memory(job);
}

void file_job_end(file_job *job)
{
    cor_file *file = job->file;
    access_settle(job);
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

static void access_free(void *subject)
{
    file_job *job = subject;
    if (!job->is_done) { /* the rank is being destroyed */
        cor_list_remove(&job->link);
        job->file->active--;
    }
    access_fini(job);
    free(job);
}

void file_jobs_abandon(cor_file *file)
{
    while (!cor_list_is_empty(&file->jobs)) {
        file_job *job = COR_OWNER(file->jobs.next, file_job, link);
        cor_list_remove(&job->link);
        access_fini(job);
        if (job != file->spare)
            free(job);
    }
}

/* ---- the end of a blocking access ------------------------------------------------------------------------------- */

/* Its error, with its sentence in the rank's fault. */
static int access_result(file_job *job, cor_status *status_p)
{
    int error = job->result.error;
    if (status_p) {
        *status_p = cor_status_empty;
        status_p->error = error;
        status_p->bytes = status_p->message_bytes = job->given_bytes;
    }
    if (error != COR_OK && job->fault)
        cor_rank_set_fault(file_rank(job->file), job->fault);
    return error;
}

/* ---- blocking --------------------------------------------------------------------------------------------------- */

static int access_run_alone(cor_file *file, const cor_file_access *access, cor_status *status_p)
{
    file_job job;
    void *mine;
    int rc = access_init(&job, file, access);
    if (rc != COR_OK)
        return rc;
    if (job.result.error == COR_OK)
        rc = file_step_away(file, &mine);
    if (rc == COR_OK && job.result.error == COR_OK) {
        file_independent_run(&job);
        rc = file_step_back(file, mine);
    }
    if (rc == COR_OK) {
        access_settle(&job);
        rc = access_result(&job, status_p);
    }
    access_fini(&job);
    return rc;
}

static int access_wait(file_job *job)
{
    const cor_comm *comm = job->file->comm;
    cor_idle_state idle = {0};
    cor_activity activity;
    cor_comm_enter(comm);
    cor_comm_wait_begin(comm, &activity);
    while (!job->is_done && !cor_device_is_closed(comm->device))
        cor_comm_progress(comm, -1, &idle);
    cor_activity_end(comm->monitor, &activity);
    cor_comm_flush(comm);
    cor_comm_leave(comm);
    return job->is_done ? COR_OK : COR_ERR_FINALIZED;
}

/* From here on the job is under way. */
static void access_enlist(file_job *job)
{
    cor_comm_enter(job->file->comm);
    cor_payload_hold(&job->given);
    if (!job->convert && !job->buffer)
        job->memory = job->given;
    cor_list_append(&job->file->jobs, &job->link);
    job->file->active++;
    cor_comm_leave(job->file->comm);
}

static void access_delist(file_job *job)
{
    cor_comm_enter(job->file->comm);
    cor_list_remove(&job->link);
    job->file->active--;
    cor_comm_leave(job->file->comm);
}

static int access_run_together(cor_file *file, const cor_file_access *access, cor_status *status_p)
{
    file_job *job = file->spare;
    int rc = access_init(job, file, access);
    if (rc != COR_OK)
        return rc;
    access_enlist(job);
    rc = file_collective_start(job);
    if (rc != COR_OK) {
        access_delist(job);
    } else {
        rc = access_wait(job);
        if (rc == COR_ERR_FINALIZED)
            return rc; /* the job is freed with the file */
        rc = access_result(job, status_p);
    }
    access_fini(job);
    return rc;
}

int cor_file_run(cor_file *file, const cor_file_access *access, cor_status *status_p)
{
    if (!access->is_collective)
        return access_run_alone(file, access, status_p);
    return access_run_together(file, access, status_p);
}

/* ---- in the background ------------------------------------------------------------------------------------------ */

typedef struct access_task {
    file_task task;
    file_job *job;
} access_task;

static void access_task_run(file_task *task)
{
    file_independent_run(COR_OWNER(task, access_task, task)->job);
}

static void access_task_done(file_task *task)
{
    file_job_end(COR_OWNER(task, access_task, task)->job);
}

/* A request that has a job, which is all zero but for that. The call is outside from here on, since Finalize frees
 * requests when no call is under way any more (closing.h). */
static int access_job_create(cor_file *file, file_job **job_p, cor_request **request_p)
{
    file_job *job = calloc(1, sizeof *job);
    int rc = cor_comm_enter_open(file->comm);
    if (rc == COR_OK) {
        *request_p = job ? cor_job_create(file->comm, job, access_free) : NULL;
        if (*request_p)
            cor_device_step_out(file->comm->device);
        cor_comm_leave(file->comm);
        if (*request_p) {
            *job_p = job;
            return COR_OK;
        }
        rc = file_fail(file, COR_ERR_MEMORY, "rank %d has no memory for a request", file->me);
    }
    free(job);
    return rc;
}

/* It has not begun: the request never was. */
static void access_job_destroy(file_job *job, cor_request *request)
{
    access_fini(job);
    cor_comm_enter(job->file->comm);
    cor_job_detach(request);
    cor_job_end(request, COR_OK, NULL); /* else it would be freed only when it is done */
    cor_comm_leave(job->file->comm);
    cor_request_free(&request);
    free(job);
}

static int access_start_alone(file_job *job)
{
    cor_file *file = job->file;
    access_task *task = malloc(sizeof *task);
    if (!task)
        file_job_fail(job, COR_ERR_MEMORY, "rank %d has no memory for an access", file->me);
    else if (file_job_make_native(job) == COR_OK)
        access_enlist(job);
    if (job->result.error != COR_OK) {
        free(task);
        return access_result(job, NULL);
    }
    *task = (access_task){.task = {.run = access_task_run, .done = access_task_done}, .job = job};
    job->task = &task->task;
    cor_comm_enter(file->comm);
    int rc = cor_device_is_closed(file->comm->device) ? COR_ERR_FINALIZED : file_worker_add(file, job->task);
    cor_comm_leave(file->comm);
    if (rc == COR_OK)
        return COR_OK;
    access_delist(job);
    return rc == COR_ERR_FINALIZED ? rc : file_fail(file, rc, "rank %d cannot start the thread of the file", file->me);
}

static int access_start_together(file_job *job)
{
    access_enlist(job);
    int rc = file_collective_start(job);
    if (rc != COR_OK)
        access_delist(job);
    return rc;
}

static int access_start(cor_file *file, const cor_file_access *access, file_job *job, cor_request *request)
{
    int rc = access_init(job, file, access);
    if (rc != COR_OK) {
        job->file = file;
        return rc;
    }
    job->request = request;
    cor_comm_enter(file->comm);
    cor_job_begin(request);
    cor_comm_leave(file->comm);
    return access->is_collective ? access_start_together(job) : access_start_alone(job);
}

int cor_file_start(cor_file *file, const cor_file_access *access, cor_request **request_p)
{
    cor_request *request;
    file_job *job = NULL;
    int rc = access_job_create(file, &job, &request);
    if (rc != COR_OK)
        return rc;
    rc = access_start(file, access, job, request);
    if (rc == COR_OK)
        *request_p = request;
    else
        access_job_destroy(job, request);
    cor_comm_enter(file->comm);
    cor_device_step_in(file->comm->device);
    cor_comm_leave(file->comm);
    return rc;
}

/* ---- split collective ------------------------------------------------------------------------------------------- */

int cor_file_begin(cor_file *file, const cor_file_access *access)
{
    cor_file_access collective = *access;
    collective.is_collective = 1;
    if (file->split)
        return file_fail(file, COR_ERR_FILE_BUSY, "rank %d begins a split collective access before the last has ended",
                         file->me);
    int rc = cor_file_start(file, &collective, &file->split);
    if (rc == COR_OK)
        file->split_access = collective;
    return rc;
}

int cor_file_end(cor_file *file, const cor_file_access *access, cor_status *status_p)
{
    const cor_file_access *begun = &file->split_access;
    if (!file->split)
        return file_fail(file, COR_ERR_ARG, "rank %d ends a split collective access, but has begun none", file->me);
    if (begun->is_write != access->is_write || begun->pointer != access->pointer || begun->base != access->base)
        return file_fail(file, COR_ERR_ARG, "rank %d ends another split collective access than it has begun",
                         file->me);
    return cor_wait(file_rank(file), &file->split, status_p);
}
