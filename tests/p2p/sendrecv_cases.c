/* SPDX-License-Identifier: Apache-2.0 */
/* Sendrecv and Sendrecv_replace: rings of every size, open chains, and partners that use plain sends. */
#include "suite.h"

static size_t sendrecv_largest(const suite *s)
{
    return s->size > 16 ? 16385 : s->size > 4 ? 131073 : 1048579;
}

void case_sendrecv_ring(suite *s)
{
    size_t count;
    const size_t *sizes = suite_sizes(sendrecv_largest(s), &count);
    for (size_t i = 0; i < count; i++)
        for (int step = 1; step <= s->size && step <= 3; step++) {
            int dest = (s->rank + step) % s->size, source = (s->rank - step % s->size + s->size) % s->size;
            /* Neighbours send messages of different sizes. */
            size_t out_bytes = sizes[(i + (size_t)s->rank) % count], in_bytes = sizes[(i + (size_t)source) % count];
            char *out = suite_alloc(out_bytes), *in = suite_alloc(in_bytes);
            MPI_Status status;
            suite_fill(out, out_bytes, suite_key(s, (uint64_t)s->rank, i, (uint64_t)step, 0));
            CHECK_OK(MPI_Sendrecv(out, (int)out_bytes, MPI_BYTE, dest, step, in, (int)in_bytes, MPI_BYTE, source, step,
                                  s->comm, &status));
            CHECK_STATUS(&status, source, step, in_bytes);
            CHECK_BYTES(in, in_bytes, suite_key(s, (uint64_t)source, i, (uint64_t)step, 0));
            suite_free(out);
            suite_free(in);
        }
}

/* The buffer wanders once around and comes home. */
void case_sendrecv_replace(suite *s)
{
    size_t count;
    const size_t *sizes = suite_sizes(sendrecv_largest(s), &count);
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    for (size_t i = 0; i<count; i += s->size> 4 ? 5 : 1) {
        char *buffer = suite_alloc(sizes[i]);
        suite_fill(buffer, sizes[i], suite_key(s, (uint64_t)s->rank, i, 0, 0));
        for (int step = 1; step <= s->size; step++) {
            int owner = (s->rank - step + s->size) % s->size;
            MPI_Status status;
            CHECK_OK(MPI_Sendrecv_replace(buffer, (int)sizes[i], MPI_BYTE, dest, 2, source, 2, s->comm, &status));
            CHECK_STATUS(&status, source, 2, sizes[i]);
            CHECK_BYTES(buffer, sizes[i], suite_key(s, (uint64_t)owner, i, 0, 0));
        }
        suite_free(buffer);
    }
}

/* A chain whose ends have MPI_PROC_NULL as neighbours. */
void case_sendrecv_open_ends(suite *s)
{
    int dest = s->rank + 1 < s->size ? s->rank + 1 : MPI_PROC_NULL, source = s->rank > 0 ? s->rank - 1 : MPI_PROC_NULL;
    int out = s->rank, in = -5;
    MPI_Status status;
    CHECK_OK(MPI_Sendrecv(&out, 1, MPI_INT, dest, 1, &in, 1, MPI_INT, source, 1, s->comm, &status));
    CHECK_EQUAL(s->rank > 0 ? s->rank - 1 : -5, in);
    CHECK_STATUS(&status, source, s->rank > 0 ? 1 : MPI_ANY_TAG, s->rank > 0 ? sizeof in : 0);
}

/* One partner uses Sendrecv, the other Send and Recv. */
void case_sendrecv_with_plain(suite *s)
{
    int partner = s->rank ^ 1, out = s->rank + 40, in = -1;
    if (partner >= s->size)
        return;
    for (int i = 0; i < 50; i++) {
        if ((s->rank + i) % 2 == 0) {
            CHECK_OK(MPI_Sendrecv(&out, 1, MPI_INT, partner, i, &in, 1, MPI_INT, partner, i + 1, s->comm,
                                  MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(MPI_Recv(&in, 1, MPI_INT, partner, i, s->comm, MPI_STATUS_IGNORE));
            CHECK_OK(MPI_Send(&out, 1, MPI_INT, partner, i + 1, s->comm));
        }
        CHECK_EQUAL(partner + 40, in);
        in = -1;
    }
}
