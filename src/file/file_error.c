/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of failures, and what the members of a file agree on. */
#include "file/file_state.h"

#include "coll/coll.h"
#include "mp/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ERROR_NAME_MAX = 80,     /* of a file's name, its end, in a sentence */
    ERROR_MEMBERS_MAX = 512, /* words, one bit for each member: more members than these do not share a sentence */
    ERROR_VALUES_MAX = 4,
};

int file_error_of(int os_error)
{
    switch (os_error) {
    case 0:
        return COR_OK;
    case ENOENT:
        return COR_ERR_FILE_MISSING;
    case EEXIST:
        return COR_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM:
        return COR_ERR_FILE_ACCESS;
    case EROFS:
        return COR_ERR_FILE_READ_ONLY;
    case ENOSPC:
        return COR_ERR_FILE_SPACE;
    case EDQUOT:
        return COR_ERR_FILE_QUOTA;
    case ETXTBSY:
    case EBUSY:
        return COR_ERR_FILE_IN_USE;
    case ENAMETOOLONG:
    case EISDIR:
    case ENOTDIR:
    case ELOOP:
        return COR_ERR_FILE_NAME;
    case EOPNOTSUPP:
    case ENOSYS:
    case ESPIPE:
        return COR_ERR_FILE_OPERATION;
    case ENOLCK:
        return COR_ERR_FILE_LOCKS;
    case ENOMEM:
        return COR_ERR_MEMORY;
    default:
        return COR_ERR_FILE_IO;
    }
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

static void error_write(cor_fault *fault, const char *name, int code, const char *format, va_list args)
{
    char text[sizeof fault->text];
    size_t length = strlen(name);
    const char *dots = length > ERROR_NAME_MAX ? "..." : "";
    vsnprintf(text, sizeof text, format, args);
    name += length > ERROR_NAME_MAX ? length - ERROR_NAME_MAX : 0;
    cor_fault_set(fault, code, "%s%s: %s", dots, name, text);
}

int file_fail(cor_file *file, int code, const char *format, ...)
{
    cor_fault fault;
    va_list args;
    va_start(args, format);
    error_write(&fault, file->name, code, format, args);
    va_end(args);
    cor_rank_set_fault(file_rank(file), &fault);
    return code;
}

int file_fail_name(cor_rank *rank, const char *name, int code, const char *format, ...)
{
    cor_fault fault;
    va_list args;
    va_start(args, format);
    error_write(&fault, name, code, format, args);
    va_end(args);
    cor_rank_set_fault(rank, &fault);
    return code;
}

int file_fail_system(cor_file *file, int os_error, const char *what)
{
    return file_fail(file, file_error_of(os_error), "rank %d cannot %s: %s", file->me, what, strerror(os_error));
}

void file_job_fail(file_job *job, int code, const char *format, ...)
{
    if (job->result.error != COR_OK)
        return;
    job->result.error = code;
    free(job->fault); /* of an error that does not count any more */
    job->fault = malloc(sizeof *job->fault);
    if (!job->fault)
        return;
    va_list args;
    va_start(args, format);
    error_write(job->fault, job->file->name, code, format, args);
    va_end(args);
}

void file_job_add(file_job *job, const file_result *result)
{
    job->result.bytes += result->bytes;
    if (result->error == COR_OK)
        return;
    job->result.os_error = result->os_error;
    job->result.at = result->at;
    file_job_fail(job, result->error, "rank %d %s %llu of %llu bytes at %lld: %s", job->file->me,
                  job->is_write ? "wrote" : "read", (unsigned long long)job->result.bytes,
                  (unsigned long long)job->bytes, (long long)result->at, strerror(result->os_error));
}

/* ---- agreement -------------------------------------------------------------------------------------------------- */

/* The first member that has failed, or -1: the members AND one bit of each. */
static int error_first(cor_comm *comm, int has_failed, int *member_p)
{
    uint64_t words[ERROR_MEMBERS_MAX];
    size_t count = (size_t)cor_comm_size(comm) / 64 + 1;
    int me = cor_comm_rank(comm);
    *member_p = -1;
    if (count > ERROR_MEMBERS_MAX)
        return COR_OK;
    memset(words, 0xff, sizeof words);
    if (has_failed)
        words[me / 64] &= ~(UINT64_C(1) << me % 64);
    int rc = cor_internal_all_and(comm, words, count);
    for (size_t i = 0; rc == COR_OK && i < count && *member_p < 0; i++)
        if (~words[i] != 0)
            *member_p = (int)(i * 64) + __builtin_ctzll(~words[i]);
    return rc;
}

/* The error of one member is that of all. */
static int error_share(cor_comm *comm, int rc)
{
    cor_fault fault = {0};
    cor_rank *rank = cor_comm_owner(comm);
    int first, failed = error_first(comm, rc != COR_OK, &first);
    if (failed != COR_OK)
        return failed;
    cor_rank_copy_fault(rank, &fault);
    if (rc == COR_OK || fault.code != rc)
        cor_fault_set(&fault, rc, "%s", cor_error_text(rc));
    if (first < 0) { /* too many members to know which one has failed */
        if (rc == COR_OK)
            cor_fault_set(&fault, COR_ERR_FILE_IO, "another member has failed");
        cor_rank_set_fault(rank, &fault);
        return fault.code;
    }
    fault.lost_by = NULL;
    cor_call call = {.primitive = COR_BCAST, .comm = comm, .root = first, .is_unforced = 1};
    call.send.payload = call.recv.payload = cor_payload_plain(&fault, sizeof fault);
    call.send.bytes = call.recv.bytes = sizeof fault;
    cor_coll_begin(comm);
    failed = cor_coll_run(&call);
    if (failed != COR_OK)
        return failed;
    fault.lost = 0;
    cor_rank_set_fault(rank, &fault);
    return fault.code;
}

/* Words that the members AND: all bits, but that of this member's error. */
static void error_bits(uint64_t words[2], int rc)
{
    words[0] = words[1] = ~UINT64_C(0);
    if (rc != COR_OK)
        words[-rc / 64 % 2] &= ~(UINT64_C(1) << -rc % 64);
}

static int error_of_bits(const uint64_t words[2])
{
    for (int i = 0; i < 2; i++)
        if (~words[i] != 0)
            return -(i * 64 + __builtin_ctzll(~words[i]));
    return COR_OK;
}

int file_agree(cor_comm *comm, int rc)
{
    uint64_t words[2];
    error_bits(words, rc);
    int failed = cor_internal_all_and(comm, words, 2);
    if (failed != COR_OK)
        return failed;
    int common = error_of_bits(words);
    return common == COR_OK ? COR_OK : error_share(comm, rc);
}

int file_agree_same(cor_file *file, int rc, const uint64_t *values, int count, const char *what)
{
    uint64_t words[2 + 2 * ERROR_VALUES_MAX];
    error_bits(words, rc);
    for (int i = 0; i < count; i++) {
        words[2 + 2 * i] = values[i];
        words[3 + 2 * i] = ~values[i];
    }
    int failed = cor_internal_all_and(file->comm, words, 2 + 2 * (size_t)count);
    if (failed != COR_OK)
        return failed;
    if (error_of_bits(words) != COR_OK)
        return error_share(file->comm, rc);
    /* The bits that all have, and those that none has, are all bits if all are the same. */
    for (int i = 0; i < count; i++)
        if ((words[2 + 2 * i] | words[3 + 2 * i]) != ~UINT64_C(0))
            return file_fail(file, COR_ERR_NOT_SAME,
                             "the members do not give the same %s; rank %d gives another than others", what, file->me);
    return COR_OK;
}

/* ---- around what takes long ------------------------------------------------------------------------------------- */

int file_step_away(const cor_file *file, void **mine_p)
{
    int rc = cor_comm_enter_open(file->comm);
    if (rc != COR_OK)
        return rc;
    *mine_p = cor_device_go_away(file->comm->device);
    cor_comm_leave(file->comm);
    return COR_OK;
}

int file_step_back(const cor_file *file, void *mine)
{
    cor_device *device = file->comm->device;
    cor_device_enter(device);
    cor_device_come_back(device, mine);
    int rc = cor_device_is_closed(device) ? COR_ERR_FINALIZED : COR_OK;
    cor_device_leave(device);
    return rc;
}
