/* SPDX-License-Identifier: Apache-2.0 */
/* Pack and unpack: data under a datatype to and from plain memory, as messages carry it or as "external32". */
#include "mpi/face_p2p.h"
#include "mpi/face_type.h"

#include <string.h>

/* The arguments that all of these calls share. */
typedef struct pack_job {
    const char *call;
    face_comm *comm; /* whose error handler is called; NULL where there is none */
    int is_external;
    p2p_names names;  /* of the memory under the datatype */
    const char *room; /* of the packed memory, and of its size */
    const char *room_size;
} pack_job;

static const p2p_names pack_names = {"inbuf", "incount", "datatype", "", ""};
static const p2p_names unpack_names = {"outbuf", "outcount", "datatype", "", ""};

/* The communicator; 0 with the error reported in *error_p. */
static int pack_open(pack_job *job, MPI_Comm handle, int *error_p)
{
    job->comm = face_comm_find(face_open(job->call), handle);
    *error_p = job->comm ? MPI_SUCCESS : face_fail_comm(job->call, NULL, "comm", handle);
    return job->comm != NULL;
}

static int pack_open_external(pack_job *job, const char *datarep, int *error_p)
{
    face_open(job->call);
    job->is_external = 1;
    if (!datarep)
        *error_p = face_fail_null(job->call, NULL, "datarep");
    else if (strcmp(datarep, "external32") != 0)
        *error_p = face_fail(job->call, NULL, MPI_ERR_ARG,
                             "datarep is \"%.40s\", but only \"external32\" is supported", datarep);
    else
        return 1;
    return 0;
}

/* Packed bytes of `count` elements; MPI_SUCCESS, or the error, reported. */
static int pack_bytes(const pack_job *job, MPI_Count count, MPI_Datatype datatype, int64_t *bytes_p)
{
    const cor_dtype *type = face_type_find(datatype);
    if (count < 0)
        return face_fail_negative(job->call, job->comm, MPI_ERR_COUNT, job->names.count, count);
    if (!type)
        return face_fail_type(job->call, job->comm, job->names.type, datatype);
    size_t each = job->is_external ? type->external_bytes : type->size;
    if (__builtin_mul_overflow(count, (int64_t)each, bytes_p))
        return face_fail(job->call, job->comm, MPI_ERR_COUNT,
                         "%s is %lld elements of %zu bytes, more than memory can hold", job->names.count,
                         (long long)count, each);
    return MPI_SUCCESS;
}

/* Check all arguments of a pack or unpack. */
static int pack_check(const pack_job *job, const void *memory, MPI_Count count, MPI_Datatype datatype,
                      const void *room, MPI_Count room_bytes, const MPI_Count *position_p, int64_t *bytes_p)
{
    int error = p2p_explain_buffer(job->call, &job->names, job->comm, memory, count, datatype)
                    ?: pack_bytes(job, count, datatype, bytes_p);
    if (error != MPI_SUCCESS)
        return error;
    if (!position_p)
        return face_fail_null(job->call, job->comm, "position");
    MPI_Count position = *position_p;
    if (room_bytes < 0)
        return face_fail_negative(job->call, job->comm, MPI_ERR_ARG, job->room_size, room_bytes);
    if (position < 0 || position > room_bytes)
        return face_fail(job->call, job->comm, MPI_ERR_ARG, "*position is %lld, but must be 0..%lld",
                         (long long)position, (long long)room_bytes);
    if (*bytes_p > room_bytes - position)
        return face_fail(job->call, job->comm, MPI_ERR_TRUNCATE,
                         "%lld bytes do not fit %s, which has %lld after position %lld", (long long)*bytes_p,
                         job->room, (long long)(room_bytes - position), (long long)position);
    if (*bytes_p > 0 && !room)
        return face_fail_null(job->call, job->comm, job->room);
    return MPI_SUCCESS;
}

static int pack_run(const pack_job *job, const void *inbuf, MPI_Count count, MPI_Datatype datatype, void *outbuf,
                    MPI_Count outsize, MPI_Count *position)
{
    int64_t bytes = 0;
    const cor_dtype *type = face_type_find(datatype);
    int error = pack_check(job, inbuf, count, datatype, outbuf, outsize, position, &bytes);
    if (error != MPI_SUCCESS || bytes == 0)
        return error;
    char *to = (char *)outbuf + *position;
    if (job->is_external)
        cor_dtype_pack_external(type, inbuf, (size_t)count, to);
    else
        cor_dtype_pack(type, inbuf, (size_t)count, 0, to, (size_t)bytes);
    *position += bytes;
    return MPI_SUCCESS;
}

static int unpack_run(const pack_job *job, const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
                      MPI_Count count, MPI_Datatype datatype)
{
    int64_t bytes = 0;
    int error = pack_check(job, outbuf, count, datatype, inbuf, insize, position, &bytes)
                    ?: p2p_explain_overlap(job->call, &job->names, job->comm, count, datatype);
    if (error != MPI_SUCCESS || bytes == 0)
        return error;
    const cor_dtype *type = face_type_find(datatype);
    const char *from = (const char *)inbuf + *position;
    if (job->is_external)
        cor_dtype_unpack_external(type, outbuf, (size_t)count, from);
    else
        cor_dtype_unpack(type, outbuf, (size_t)count, 0, from, (size_t)bytes);
    *position += bytes;
    return MPI_SUCCESS;
}

/* ---- as messages carry it --------------------------------------------------------------------------------------- */

static int pack_slow(const char *call, const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf,
                     MPI_Count outsize, MPI_Count *position, MPI_Comm comm)
{
    pack_job job = {.call = call, .names = pack_names, .room = "outbuf", .room_size = "outsize"};
    int error;
    if (!pack_open(&job, comm, &error))
        return error;
    return pack_run(&job, inbuf, incount, datatype, outbuf, outsize, position);
}

/* Budget: 5 ns beside the copies. Other cases take the slow path. */
static inline __attribute__((always_inline)) int pack(const char *call, const void *inbuf, MPI_Count incount,
                                                      MPI_Datatype datatype, void *outbuf, MPI_Count outsize,
                                                      MPI_Count *position, MPI_Comm comm)
{
    const cor_dtype *type = face_type_find(datatype);
    int64_t bytes = 0;
    if (COR_LIKELY(comm == MPI_COMM_WORLD && face_get()->world && position && outbuf &&
                   !p2p_is_buffer_wrong(inbuf, incount, type, &bytes) && *position >= 0 && *position <= outsize &&
                   bytes <= outsize - *position)) {
        cor_dtype_pack(type, inbuf, (size_t)incount, 0, (char *)outbuf + *position, (size_t)bytes);
        *position += bytes;
        return MPI_SUCCESS;
    }
    return pack_slow(call, inbuf, incount, datatype, outbuf, outsize, position, comm);
}

FACE_API(Pack, pack)

static int unpack(const char *call, const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
                  MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm)
{
    pack_job job = {.call = call, .names = unpack_names, .room = "inbuf", .room_size = "insize"};
    int error;
    if (!pack_open(&job, comm, &error))
        return error;
    return unpack_run(&job, inbuf, insize, position, outbuf, outcount, datatype);
}

FACE_API(Unpack, unpack)

/* ---- external32 ------------------------------------------------------------------------------------------------- */

static int pack_outside(const char *call, const char *datarep, const void *inbuf, MPI_Count incount,
                        MPI_Datatype datatype, void *outbuf, MPI_Count outsize, MPI_Count *position)
{
    pack_job job = {.call = call, .names = pack_names, .room = "outbuf", .room_size = "outsize"};
    int error;
    if (!pack_open_external(&job, datarep, &error))
        return error;
    return pack_run(&job, inbuf, incount, datatype, outbuf, outsize, position);
}

FACE_API(Pack_external, pack_outside)

static int unpack_outside(const char *call, const char *datarep, const void *inbuf, MPI_Count insize,
                          MPI_Count *position, void *outbuf, MPI_Count outcount, MPI_Datatype datatype)
{
    pack_job job = {.call = call, .names = unpack_names, .room = "inbuf", .room_size = "insize"};
    int error;
    if (!pack_open_external(&job, datarep, &error))
        return error;
    return unpack_run(&job, inbuf, insize, position, outbuf, outcount, datatype);
}

FACE_API(Unpack_external, unpack_outside)

/* ---- how much room ---------------------------------------------------------------------------------------------- */

static int pack_size(const char *call, MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size)
{
    pack_job job = {.call = call, .names = pack_names};
    int error;
    if (!pack_open(&job, comm, &error))
        return error;
    if (!size)
        return face_fail_null(call, job.comm, "size");
    return pack_bytes(&job, incount, datatype, size);
}

FACE_API(Pack_size, pack_size)

static int pack_external_size(const char *call, const char *datarep, MPI_Count incount, MPI_Datatype datatype,
                              MPI_Count *size)
{
    pack_job job = {.call = call, .names = pack_names};
    int error;
    if (!pack_open_external(&job, datarep, &error))
        return error;
    return size ? pack_bytes(&job, incount, datatype, size) : face_fail_null(call, NULL, "size");
}

FACE_API(Pack_external_size, pack_external_size)
