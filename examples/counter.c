/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks draw the numbers of tasks from a counter in the memory of rank 0, which takes no part in it. A task is the
 * sequence that begins with its number: halved while it is even, else three times as large and one more, down to 1.
 *
 *     mpicc -O2 counter.c -o counter && mpirun -n 4 ./counter 10000
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int steps_from(int64_t number)
{
    int steps = 0;
    for (; number != 1; steps++)
        number = number % 2 ? 3 * number + 1 : number / 2;
    return steps;
}

int main(int argc, char **argv)
{
    int rank, size;
    int64_t tasks = argc > 1 ? atoll(argv[1]) : 10000, one = 1, drawn = 0, mine = 0, *counter;
    int64_t done[2] = {0, 0}, all[2]; /* tasks and steps */
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(rank == 0 ? sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    if (rank == 0)
        *counter = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (;;) {
        MPI_Fetch_and_op(&one, &drawn, MPI_INT64_T, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win); /* from here on the number is in `drawn` */
        if (drawn > tasks)
            break;
        done[0]++;
        done[1] += steps_from(drawn);
    }
    MPI_Win_unlock_all(win);
    mine = done[0];
    MPI_Reduce(done, all, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%lld tasks: %lld steps, drawn from one counter by %d ranks, %lld by rank 0\n", (long long)all[0],
               (long long)all[1], size, (long long)mine);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
