/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs, from the description of an access to its result. What those need that carry jobs out is in file_state.h.
 */
#ifndef COR_FILE_JOB_H
#define COR_FILE_JOB_H

#include "file/file_state.h"

/* Not under the lock: begin a job that is all zero, and move the pointer that the access uses. COR_ERR_FINALIZED: it
 * stays all zero; all other errors are the job's. */
int file_job_init(file_job *job, cor_file *file, const cor_file_access *access);
/* The job is over: what it has read is in the program's memory, and `given_bytes` are what was moved, as the program
 * counts it. */
void file_job_settle(file_job *job);
void file_job_fini(file_job *job);

#endif
