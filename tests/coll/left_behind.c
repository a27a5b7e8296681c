/* SPDX-License-Identifier: Apache-2.0 */
/* A wrong call that no rank can see: the first rank sends a block of which the last one does not know. It stays behind,
 * and the right calls that follow do not find it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 4, MOST = 64 };

int main(int argc, char **argv)
{
    int size, rank, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (size > MOST)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int round = 0; round < ROUNDS; round++) {
        int in[MOST], out[MOST], sent[MOST], received[MOST], places[MOST];
        int is_unaware = round == 0 && rank == size - 1;
        for (int i = 0; i < size; i++) {
            in[i] = 100 * round + rank;
            out[i] = -1;
            sent[i] = 1;
            received[i] = is_unaware && i == 0 ? 0 : 1;
            places[i] = i;
        }
        MPI_Alltoallv(in, sent, places, MPI_INT, out, received, places, MPI_INT, MPI_COMM_WORLD);
        for (int i = is_unaware ? 1 : 0; i < size; i++)
            if (out[i] != 100 * round + i) {
                printf("rank %d, round %d: %d from rank %d\n", rank, round, out[i], i);
                wrong = 1;
            }
    }
    if (wrong)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
