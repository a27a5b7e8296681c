/* SPDX-License-Identifier: Apache-2.0 */
/* Partitioned communication. */
#include "mpi/face_part.h"

#include "mpi/face_comm.h"
#include "mpi/face_p2p.h"

#include "part/part.h"

#include <stdio.h>

/* ---- making requests --------------------------------------------------------------------------------------------- */

/* Its address marks the requests of partitioned messages. */
static const char part_mark;

int part_request_is_ours(const cor_request *request)
{
    return cor_request_face(request) == &part_mark;
}

static int part_check(const char *call, face_comm *comm, int partitions, MPI_Info info, const MPI_Request *request)
{
    if (partitions < 0)
        return face_fail_negative(call, comm, MPI_ERR_ARG, "partitions", partitions);
    if (info != MPI_INFO_NULL && !face_info_find(face_get(), info))
        return face_fail_info(call, comm, "info", info);
    return request ? MPI_SUCCESS : face_fail_null(call, comm, "request");
}

typedef int (*part_init_fn)(cor_comm *comm, const cor_payload *payload, int partitions, int peer, int tag,
                            cor_request **request_p);

static int part_make(const char *call, const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype,
                     int dest, int tag, MPI_Comm handle, MPI_Info info, MPI_Request *request, part_init_fn init)
{
    face_comm *comm = face_comm_find(face_get(), handle);
    cor_payload payload;
    cor_request *made;
    MPI_Count elements;
    /* Both have one peer and one tag: MPI_ANY_SOURCE and MPI_ANY_TAG are wrong. */
    const p2p_names *names = init == cor_part_send_init ? &p2p_names_send : &p2p_names_recv;
    int error = comm ? part_check(call, comm, partitions, info, request) : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        return error;
    if (__builtin_mul_overflow((MPI_Count)partitions, count, &elements))
        return face_fail(call, comm, MPI_ERR_COUNT, "%d partitions of %lld elements are too many", partitions,
                         (long long)count);
    error =
        p2p_check_send(call, names, buf, count < 0 ? count : elements, datatype, dest, tag, handle, &comm, &payload);
    if (error == MPI_SUCCESS && init == cor_part_recv_init && p2p_is_overlapping(face_type_find(datatype), elements))
        error = p2p_explain_overlap(call, names, comm, elements, datatype);
    if (error != MPI_SUCCESS)
        return error;
    int code = init(comm->comm, &payload, partitions, dest, tag, &made);
    if (code != COR_OK)
        return face_fail_engine(call, comm, code, NULL);
    cor_request_set_face(made, (void *)(uintptr_t)&part_mark, NULL);
    *request = face_request_new(call, made);
    return MPI_SUCCESS;
}

FACE_API(Psend_init, part_make, cor_part_send_init)
FACE_API(Precv_init, part_make, cor_part_recv_init)

/* ---- partitions -------------------------------------------------------------------------------------------------- */

/* A partitioned request of this side, and partitions that it has. */
static int part_check_request(const char *call, MPI_Request request, int is_send, int is_active)
{
    const cor_request *found = face_request_in(request);
    if (!part_request_is_ours(found) || cor_part_is_send(found) != is_send)
        return face_fail(call, face_request_comm(request), MPI_ERR_REQUEST, "request is not a partitioned %s",
                         is_send ? "send" : "receive");
    if (is_active && !cor_request_is_active(found))
        return face_fail(call, face_request_comm(request), MPI_ERR_REQUEST, "request is not active");
    return MPI_SUCCESS;
}

static int part_check_number(const char *call, MPI_Request request, const char *argument, int partition)
{
    int count = cor_part_count(face_request_in(request));
    if (partition >= 0 && partition < count)
        return MPI_SUCCESS;
    return face_fail(call, face_request_comm(request), MPI_ERR_ARG, "%s is %d, but the request has %d partitions",
                     argument, partition, count);
}

static int part_mark_ready(const char *call, MPI_Request request, int first, int last)
{
    int wrong;
    if (cor_part_ready(face_request_in(request), first, last, &wrong) == COR_OK)
        return MPI_SUCCESS;
    return face_fail(call, face_request_comm(request), MPI_ERR_ARG, "partition %d was marked before", wrong);
}

static int part_ready(const char *call, int partition, MPI_Request request)
{
    return part_check_request(call, request, 1, 1)
               ?: part_check_number(call, request, "partition", partition)
               ?: part_mark_ready(call, request, partition, partition);
}

FACE_API(Pready, part_ready)

static int part_ready_range(const char *call, int partition_low, int partition_high, MPI_Request request)
{
    int error = part_check_request(call, request, 1, 1)
                    ?: part_check_number(call, request, "partition_low", partition_low)
                    ?: part_check_number(call, request, "partition_high", partition_high);
    if (error != MPI_SUCCESS || partition_low > partition_high)
        return error;
    return part_mark_ready(call, request, partition_low, partition_high);
}

FACE_API(Pready_range, part_ready_range)

static int part_ready_list(const char *call, int length, const int array_of_partitions[], MPI_Request request)
{
    int error = part_check_request(call, request, 1, 1);
    for (int i = 0; i < length && error == MPI_SUCCESS; i++) {
        char argument[40];
        snprintf(argument, sizeof argument, "array_of_partitions[%d]", i);
        error = part_check_number(call, request, argument, array_of_partitions[i]);
    }
    for (int i = 0; i < length && error == MPI_SUCCESS; i++)
        error = part_mark_ready(call, request, array_of_partitions[i], array_of_partitions[i]);
    return error;
}

FACE_API(Pready_list, part_ready_list)

static int part_arrived(const char *call, MPI_Request request, int partition, int *flag)
{
    if (request == MPI_REQUEST_NULL) {
        *flag = 1;
        return MPI_SUCCESS;
    }
    int error = part_check_request(call, request, 0, 0) ?: part_check_number(call, request, "partition", partition);
    if (error != MPI_SUCCESS)
        return error;
    int code = cor_part_arrived(face_request_in(request), partition, flag);
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine(call, face_request_comm(request), code, NULL);
}

FACE_API(Parrived, part_arrived)
