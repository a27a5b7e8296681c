/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion works on units that are converted together: single elements of the predefined type where all elements
 * have the same one, else elements of the access's type. Only whole units are converted: a unit in part, put over what
 * the memory holds, would have to survive being converted forth and back.
 */
#include "file/file_convert.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CONVERT_PORTION = 64 << 10 }; /* of memory, at once */

struct file_convert {
    const cor_file_format *format;
    const cor_payload *memory; /* packed */
    const cor_dtype *unit;     /* a reference */
    size_t memory_bytes;       /* of a unit, packed */
    size_t file_bytes;
    size_t bytes;
    _Atomic int error;
    size_t good; /* with an error: bytes of the file before those that could not be converted */
};

/* ---- units ------------------------------------------------------------------------------------------------------ */

/* A unit at `elements`, from and to its packed bytes. */
static char *convert_room(const file_convert *convert, size_t count, char **base_p)
{
    const cor_dtype *unit = convert->unit;
    ptrdiff_t lb = unit->true_lb < unit->lb ? unit->true_lb : unit->lb;
    ptrdiff_t ub = unit->true_ub > unit->lb + unit->extent ? unit->true_ub : unit->lb + unit->extent;
    size_t bytes = (size_t)(ub - lb) + (count - 1) * (size_t)unit->extent;
    char *room = calloc(1, bytes ? bytes : 1);
    *base_p = room ? room - lb : NULL;
    return room;
}

/* Units are converted in their order, by one thread at a time: the first failure is the one that counts. */
static void convert_result(file_convert *convert, int error, size_t unit)
{
    if (error == COR_OK || atomic_load(&convert->error) != COR_OK)
        return;
    convert->good = unit * convert->file_bytes;
    atomic_store(&convert->error, error);
}

/* Units [first, first + count) of the memory to bytes of the file. */
static int convert_out(file_convert *convert, size_t first, size_t count, void *bytes)
{
    size_t packed_bytes = count * convert->memory_bytes;
    char *base, *packed = malloc(packed_bytes), *room = convert_room(convert, count, &base);
    int rc = packed && room ? COR_OK : COR_ERR_MEMORY;
    if (rc == COR_OK) {
        cor_payload_read(convert->memory, first * convert->memory_bytes, packed, packed_bytes);
        cor_dtype_unpack(convert->unit, base, count, 0, packed, packed_bytes);
        rc = convert->format->to_file(convert->format, base, convert->unit, count, 0, bytes);
    }
    free(room);
    free(packed);
    return rc;
}

static int convert_in(file_convert *convert, size_t first, size_t count, const void *bytes)
{
    size_t packed_bytes = count * convert->memory_bytes;
    char *base, *packed = malloc(packed_bytes), *room = convert_room(convert, count, &base);
    int rc = packed && room ? COR_OK : COR_ERR_MEMORY;
    if (rc == COR_OK)
        rc = convert->format->from_file(convert->format, base, convert->unit, count, 0, bytes);
    if (rc == COR_OK) {
        cor_dtype_pack(convert->unit, base, count, 0, packed, packed_bytes);
        cor_payload_write(convert->memory, first * convert->memory_bytes, packed, packed_bytes);
    }
    free(room);
    free(packed);
    return rc;
}

/* ---- the payload ------------------------------------------------------------------------------------------------ */

/* Bytes [offset, offset + length) of the file, which are whole units, to `to` or from `in`. */
static void convert_move(file_convert *convert, size_t offset, size_t length, char *to, const char *in)
{
    size_t portion = convert->memory_bytes < CONVERT_PORTION ? CONVERT_PORTION / convert->memory_bytes : 1;
    size_t number = offset / convert->file_bytes, end = number + length / convert->file_bytes;
    for (size_t count; number < end; number += count) {
        count = end - number < portion ? end - number : portion;
        int rc = to ? convert_out(convert, number, count, to) : convert_in(convert, number, count, in);
        convert_result(convert, rc, number);
        to = to ? to + count * convert->file_bytes : NULL;
        in = in ? in + count * convert->file_bytes : NULL;
    }
}

static void convert_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    convert_move(p->owner, offset, length, to, NULL);
}

static void convert_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    convert_move(p->owner, offset, length, NULL, from);
}

static const cor_payload_ops convert_ops = {.read = convert_read, .write = convert_write};

cor_payload file_convert_payload(file_convert *convert)
{
    return (cor_payload){.ops = &convert_ops, .owner = convert, .bytes = convert->bytes};
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static int convert_init(file_convert *convert, const file_job *job, const cor_file_access *access, size_t *bytes_p)
{
    const cor_dtype *only = cor_dtype_only(access->type), *in_file;
    convert->format = job->view.given.format;
    convert->memory = &job->given;
    convert->unit = only ? only : access->type;
    cor_dtype_ref(convert->unit);
    convert->memory_bytes = convert->unit->size;
    if (job->given.bytes == 0)
        return COR_OK;
    int rc = file_format_type(convert->format, convert->unit, &in_file);
    if (rc != COR_OK)
        return rc;
    convert->file_bytes = in_file->size;
    cor_dtype_unref(in_file);
    size_t units = job->given.bytes / convert->memory_bytes;
    if (convert->file_bytes == 0)
        return COR_ERR_FILE_CONVERSION;
    if (__builtin_mul_overflow(units, convert->file_bytes, bytes_p))
        return COR_ERR_COUNT;
    return COR_OK;
}

int file_convert_create(file_job *job, const cor_file_access *access)
{
    file_convert *convert = calloc(1, sizeof *convert);
    size_t bytes = 0;
    if (!convert)
        return COR_ERR_MEMORY;
    int rc = convert_init(convert, job, access, &bytes);
    if (rc != COR_OK) {
        file_convert_destroy(convert);
        return rc;
    }
    convert->bytes = bytes;
    job->bytes = bytes;
    job->convert = convert;
    return COR_OK;
}

void file_convert_destroy(file_convert *convert)
{
    cor_dtype_unref(convert->unit);
    free(convert);
}

int file_convert_error(const file_convert *convert)
{
    return atomic_load(&convert->error);
}

size_t file_convert_unit_bytes(const file_convert *convert)
{
    return convert->file_bytes;
}

size_t file_convert_memory_bytes(const file_convert *convert, uint64_t bytes)
{
    if (file_convert_error(convert) != COR_OK && convert->good < bytes)
        bytes = convert->good;
    return convert->file_bytes ? bytes / convert->file_bytes * convert->memory_bytes : 0;
}
