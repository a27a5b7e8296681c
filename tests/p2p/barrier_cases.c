/* SPDX-License-Identifier: Apache-2.0 */
/* The barrier: no rank leaves before all have entered. The ranks share one host, so their clocks agree. */
#include "suite.h"

#include <stdlib.h>

void case_barrier_nobody_leaves_early(suite *s)
{
    enum { ROUNDS = 12 };
    for (int round = 0; round < ROUNDS; round++) {
        double times[2], other[2], last_enter = 0, first_leave = 1e30;
        if (s->rank == round % s->size) /* the late one */
            suite_sleep_ms(round % 3 * 5);
        times[0] = suite_seconds();
        CHECK_OK(MPI_Barrier(s->comm));
        times[1] = suite_seconds();
        if (s->rank != 0) {
            CHECK_OK(MPI_Send(times, 2, MPI_DOUBLE, 0, 1, s->comm));
            continue;
        }
        for (int source = 0; source < s->size; source++) {
            other[0] = times[0];
            other[1] = times[1];
            if (source > 0)
                CHECK_OK(MPI_Recv(other, 2, MPI_DOUBLE, source, 1, s->comm, MPI_STATUS_IGNORE));
            last_enter = other[0] > last_enter ? other[0] : last_enter;
            first_leave = other[1] < first_leave ? other[1] : first_leave;
        }
        if (first_leave < last_enter)
            CHECK_FAIL("round %d: somebody left %.6f s before the last one came", round, last_enter - first_leave);
    }
}

/* Barriers are not disturbed by messages under way, nor these by barriers, whatever their tags. */
void case_barrier_with_traffic(suite *s)
{
    enum { COUNT = 50 };
    int dest = (s->rank + 1) % s->size;
    for (int i = 0; i < COUNT; i++) {
        int in = -1;
        MPI_Request requests[2];
        CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &requests[0]));
        CHECK_OK(MPI_Barrier(s->comm));
        CHECK_OK(MPI_Isend(&i, 1, MPI_INT, dest, i, s->comm, &requests[1]));
        if (i % 2)
            CHECK_OK(MPI_Barrier(s->comm));
        CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK_EQUAL(i, in);
    }
}
