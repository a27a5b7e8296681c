/* SPDX-License-Identifier: Apache-2.0 */
/* The internals of an MPI_Status: MPI_internal[0] is whether it was cancelled, [1] and [2] the bytes received. */
#ifndef COR_MPI_FACE_STATUS_H
#define COR_MPI_FACE_STATUS_H

#include "mpi/face.h"

#include <string.h>

static inline void face_status_set_bytes(MPI_Status *status, uint64_t bytes)
{
    memcpy(&status->MPI_internal[1], &bytes, sizeof bytes);
}

static inline uint64_t face_status_bytes(const MPI_Status *status)
{
    uint64_t bytes;
    memcpy(&bytes, &status->MPI_internal[1], sizeof bytes);
    return bytes;
}

/* All but MPI_ERROR, which only calls that complete several requests may touch. */
static inline void face_status_out(MPI_Status *out, const cor_status *in)
{
    if (out != MPI_STATUS_IGNORE) {
        out->MPI_SOURCE = in->source;
        out->MPI_TAG = in->tag;
        out->MPI_internal[0] = in->is_cancelled;
        face_status_set_bytes(out, in->bytes);
    }
}

/* The status of nothing: no request, or an inactive one. */
static inline void face_status_empty(MPI_Status *out)
{
    if (out != MPI_STATUS_IGNORE) {
        face_status_out(out, &cor_status_empty);
        out->MPI_ERROR = MPI_SUCCESS;
    }
}

#endif
