/* SPDX-License-Identifier: Apache-2.0 */
/* The barrier. It has no counts, hence three functions and not six. */
#include "mpi/face_coll.h"

COR_API(int, Barrier, (MPI_Comm comm))
{
    face_comm *face = face_comm_find(face_get(), comm);
    if (COR_UNLIKELY(!face))
        return face_fail_comm("MPI_Barrier", "comm", comm);
    int code = cor_barrier(face->comm);
    if (COR_UNLIKELY(code != COR_OK))
        return face_fail_engine("MPI_Barrier", face, code, NULL);
    return MPI_SUCCESS;
}

static int barrier_request(const coll_form *form, MPI_Comm comm)
{
    coll_frame frame;
    cor_call call;
    return coll_begin(&frame, &call, form, COR_BARRIER, comm) ?: coll_finish(form, &frame, &call);
}

COR_API(int, Ibarrier, (MPI_Comm comm, MPI_Request *request))
{
    return barrier_request(&(coll_form){"MPI_Ibarrier", COLL_START, 0, MPI_INFO_NULL, request}, comm);
}

COR_API(int, Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request *request))
{
    return barrier_request(&(coll_form){"MPI_Barrier_init", COLL_INIT, 0, info, request}, comm);
}
