/* Broadcast. */
#include "mpi/face_coll.h"

static inline __attribute__((always_inline)) int bcast(const coll_form *form, void *buffer, MPI_Count count,
                                                       MPI_Datatype datatype, int root, MPI_Comm comm)
{
    static const p2p_names names = {.buffer = "buffer", .count = "count", .type = "datatype"};
    coll_frame frame;
    cor_call call;
    int error = coll_begin(&frame, &call, form, COR_BCAST, comm);
    if (COR_LIKELY(error == MPI_SUCCESS))
        error = coll_check_root(&frame, &call, root);
    if (COR_LIKELY(error == MPI_SUCCESS && frame.role != COLL_IDLE))
        error = coll_check_stream(&frame, &names, buffer, count, datatype, 1, frame.role != COLL_ROOT, &call.recv);
    return COR_LIKELY(error == MPI_SUCCESS) ? coll_finish(form, &frame, &call) : error;
}

#define BCAST_PARAMETERS(count_type, displacement)                                                                    \
    void *buffer, count_type count, MPI_Datatype datatype, int root, MPI_Comm comm

COLL_FORMS(bcast, Bcast, Ibcast, BCAST_PARAMETERS, buffer, count, datatype, root, comm)
