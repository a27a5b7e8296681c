/* SPDX-License-Identifier: Apache-2.0 */
/* The barrier. It has no counts, hence three functions and not six. */
#include "mpi/face_coll.h"

static int barrier(const char *call, face_comm *comm)
{
    int code = cor_barrier(comm->comm);
    return COR_LIKELY(code == COR_OK) ? MPI_SUCCESS : face_fail_engine(call, comm, code, NULL);
}

FACE_API(Barrier, barrier)

static int barrier_request(const face_form *form, MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    return coll_begin(&frame, &call, form, COR_BARRIER, comm) ?: coll_finish(form, &frame, &call);
}

FACE_API(Ibarrier, barrier_request)
FACE_API(Barrier_init, barrier_request)
