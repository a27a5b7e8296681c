/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pointers. The shared one is a number in a window: each access of a member adds its elements and gets where they
 * begin, in one atomic operation.
 */
#include "file/file_state.h"

#include "coll/coll.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { POINTER_INT64 = 0x258, POINTER_SUM = 0x021, POINTER_REPLACE = 0x03c, POINTER_NO_OP = 0x03d };

/* ---- the shared pointer ----------------------------------------------------------------------------------------- */

int file_pointer_open(cor_file *file)
{
    void *base;
    if (file->size == 1)
        return COR_OK;
    int rc = cor_win_allocate(file->comm, file->me == 0 ? sizeof(int64_t) : 0, sizeof(int64_t), NULL, &base,
                              &file->pointer);
    return rc == COR_OK ? cor_win_lock_all(file->pointer, COR_WIN_NOCHECK) : rc;
}

int file_pointer_close(cor_file *file)
{
    if (!file->pointer)
        return COR_OK;
    int rc = cor_win_unlock_all(file->pointer);
    int failed = cor_win_free(&file->pointer);
    return rc != COR_OK ? rc : failed;
}

static int pointer_update(cor_file *file, uint32_t op, int64_t value, int64_t *before_p)
{
    const cor_dtype *type = cor_dtype_predefined(POINTER_INT64);
    cor_win_op described = {.kind = COR_WIN_GET_ACCUMULATE,
                            .target = 0,
                            .count = 1,
                            .type = type,
                            .element = type,
                            .op = cor_op_predefined(op),
                            .result = cor_payload_plain(before_p, sizeof *before_p)};
    if (op != POINTER_NO_OP)
        described.origin = cor_payload_plain(&value, sizeof value);
    int rc = cor_win_start(file->pointer, &described, NULL);
    /* Also when it has failed: nothing may be under way to this memory. */
    int failed = cor_win_flush(file->pointer, 0);
    return rc != COR_OK ? rc : failed;
}

static int pointer_update_own(cor_file *file, int is_added, int64_t value, int64_t *before_p)
{
    int rc = cor_comm_enter_open(file->comm);
    if (rc != COR_OK)
        return rc;
    *before_p = file->own_pointer;
    file->own_pointer = is_added ? file->own_pointer + value : value;
    cor_comm_leave(file->comm);
    return COR_OK;
}

int file_pointer_advance(cor_file *file, int64_t elements, int64_t *before_p)
{
    if (!file->pointer)
        return pointer_update_own(file, 1, elements, before_p);
    return pointer_update(file, elements == 0 ? POINTER_NO_OP : POINTER_SUM, elements, before_p);
}

int file_pointer_set(cor_file *file, int64_t elements)
{
    int64_t before;
    if (!file->pointer)
        return pointer_update_own(file, 0, elements, &before);
    int rc = cor_barrier(file->comm); /* nobody uses the pointer any more as it was */
    if (rc == COR_OK && file->me == 0)
        rc = pointer_update(file, POINTER_REPLACE, elements, &before);
    return file_agree(file->comm, rc);
}

int cor_file_position_shared(cor_file *file, int64_t *offset_p)
{
    return file_pointer_advance(file, 0, offset_p);
}

/* One sum over the members up to this one; the last member, which has the sum of all, advances the pointer. */
int file_pointer_advance_ordered(cor_file *file, int64_t elements, int64_t *before_p)
{
    int64_t sum = elements, begin = 0;
    if (!file->pointer)
        return file_pointer_advance(file, elements, before_p);
    cor_call call = {.primitive = COR_SCAN, .comm = file->comm, .is_unforced = 1};
    call.send.payload = cor_payload_plain(&elements, sizeof elements);
    call.recv.payload = cor_payload_plain(&sum, sizeof sum);
    call.send.bytes = call.recv.bytes = sizeof sum;
    call.send.type = call.recv.type = cor_dtype_predefined(POINTER_INT64);
    cor_reducer_init(&call.reducer, cor_op_predefined(POINTER_SUM), call.send.type, NULL);
    cor_coll_begin(file->comm);
    int rc = cor_coll_run(&call);
    if (rc != COR_OK)
        return rc;
    int failed = file->me == file->size - 1 ? file_pointer_advance(file, sum, &begin) : COR_OK;
    call = (cor_call){.primitive = COR_BCAST, .comm = file->comm, .root = file->size - 1, .is_unforced = 1};
    call.send.payload = call.recv.payload = cor_payload_plain(&begin, sizeof begin);
    call.send.bytes = call.recv.bytes = sizeof begin;
    if (failed != COR_OK)
        begin = -1;
    cor_coll_begin(file->comm);
    rc = cor_coll_run(&call);
    if (rc != COR_OK || failed != COR_OK)
        return failed != COR_OK ? failed : rc;
    if (begin < 0)
        return file_fail(file, COR_ERR_FILE_IO, "the shared pointer could not be advanced by rank %d", file->size - 1);
    *before_p = begin + sum - elements;
    return COR_OK;
}

/* ---- seeking ---------------------------------------------------------------------------------------------------- */

/* The end of the file in elements of the etype: the first that does not begin before it. */
static int pointer_end(cor_file *file, int64_t *elements_p)
{
    int64_t bytes;
    uint64_t unit = file->view.etype_bytes;
    int rc = cor_file_size(file, &bytes);
    if (rc != COR_OK)
        return rc;
    uint64_t position = file_walk_position(&file->view, bytes);
    *elements_p = unit ? (int64_t)(position / unit + (position % unit != 0)) : 0;
    return COR_OK;
}

static int pointer_target(cor_file *file, int64_t from, int64_t offset, int64_t *to_p)
{
    uint64_t position;
    if (__builtin_add_overflow(from, offset, to_p) || *to_p < 0 ||
        __builtin_mul_overflow((uint64_t)*to_p, file->view.etype_bytes, &position))
        return file_fail(file, COR_ERR_ARG, "rank %d seeks %lld elements from %lld, which is not inside of a file",
                         file->me, (long long)offset, (long long)from);
    return COR_OK;
}

int64_t cor_file_position(cor_file *file)
{
    if (cor_comm_enter_open(file->comm) != COR_OK)
        return 0;
    uint64_t unit = file->view.etype_bytes;
    int64_t position = unit ? (int64_t)(file->position / unit) : 0;
    cor_comm_leave(file->comm);
    return position;
}

static int pointer_check_seek(cor_file *file)
{
    if (file->mode & COR_FILE_SEQUENTIAL)
        return file_fail(file, COR_ERR_FILE_OPERATION,
                         "the file is sequential, so only its shared pointer is used, "
                         "and not set");
    return COR_OK;
}

int cor_file_seek(cor_file *file, int64_t offset, cor_file_whence whence)
{
    int64_t from = 0, to = 0;
    int rc = pointer_check_seek(file);
    if (rc == COR_OK && whence == COR_FILE_END)
        rc = pointer_end(file, &from);
    else if (whence == COR_FILE_CURRENT)
        from = cor_file_position(file);
    if (rc == COR_OK)
        rc = pointer_target(file, from, offset, &to);
    if (rc != COR_OK)
        return rc;
    rc = cor_comm_enter_open(file->comm);
    if (rc == COR_OK) {
        file->position = (uint64_t)to * file->view.etype_bytes;
        cor_comm_leave(file->comm);
    }
    return rc;
}

int cor_file_seek_shared(cor_file *file, int64_t offset, cor_file_whence whence)
{
    int64_t from = 0, to = 0;
    uint64_t values[2] = {(uint64_t)offset, whence};
    int rc = file_agree_same(file, pointer_check_seek(file), values, 2, "offset and whence");
    if (rc != COR_OK)
        return rc;
    if (whence == COR_FILE_END)
        rc = pointer_end(file, &from);
    else if (whence == COR_FILE_CURRENT)
        rc = cor_file_position_shared(file, &from);
    if (rc == COR_OK)
        rc = pointer_target(file, from, offset, &to);
    rc = file_agree(file->comm, rc);
    return rc == COR_OK ? file_pointer_set(file, to) : rc;
}
