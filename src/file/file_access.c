/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses: blocking, in the background, and in two halves. A collective access that cannot be carried out takes part
 * nevertheless, with an error, so that no other member waits for it.
 */
#include "file/file_job.h"
#include "file/file_worker.h"

#include <stdlib.h>

static void access_free(void *subject)
{
    file_job *job = subject;
    if (!job->is_done) { /* the rank is being destroyed */
        cor_list_remove(&job->link);
        job->file->active--;
    }
    file_job_fini(job);
    free(job);
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
    int rc = file_job_init(&job, file, access);
    if (rc != COR_OK)
        return rc;
    if (job.result.error == COR_OK)
        rc = file_step_away(file, &mine);
    if (rc == COR_OK && job.result.error == COR_OK) {
        file_independent_run(&job);
        rc = file_step_back(file, mine);
    }
    if (rc == COR_OK) {
        file_job_settle(&job);
        rc = access_result(&job, status_p);
    }
    file_job_fini(&job);
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
    int rc = file_job_init(job, file, access);
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
    file_job_fini(job);
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
    file_job_fini(job);
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
    int rc = file_job_init(job, file, access);
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
