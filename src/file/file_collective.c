/* SPDX-License-Identifier: Apache-2.0 */
/* Collective accesses: each member does its part, and all agree on what came of it. */
#include "file/file_state.h"

int file_collective_start(file_job *job)
{
    cor_file *file = job->file;
    void *mine;
    int rc = file_step_away(file, &mine);
    if (rc != COR_OK)
        return rc;
    file_independent_run(job);
    rc = file_step_back(file, mine);
    if (rc != COR_OK)
        return rc;
    if (job->fault)
        cor_rank_set_fault(file_rank(file), job->fault);
    rc = file_agree(file->comm, job->result.error);
    if (job->result.error == COR_OK)
        job->result.error = rc;
    cor_comm_enter(file->comm);
    file_job_end(job);
    cor_comm_leave(file->comm);
    return COR_OK;
}
