/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcast. */
#include "mpi/face_coll.h"

static inline __attribute__((always_inline)) int bcast(const face_form *form, void *buffer, MPI_Count count,
                                                       MPI_Datatype datatype, int root, MPI_Comm comm)
{
    static const p2p_names names = {.buffer = "buffer", .count = "count", .type = "datatype"};
    coll_frame frame;
    cor_call call;
    int error = coll_begin(&frame, &call, form, COR_BCAST, comm) ?: coll_check_root(&frame, &call, root);
    if (COR_LIKELY(!error && frame.role != COLL_IDLE))
        error = coll_check_stream(&frame, &names, buffer, count, datatype, 1, frame.role != COLL_ROOT, &call.recv);
    return error ?: coll_finish(form, &frame, &call);
}

COLL_FORMS(bcast, Bcast, Ibcast)
