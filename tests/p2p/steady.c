/* SPDX-License-Identifier: Apache-2.0 */
/* Two ranks that send long and short messages to and fro and look at every byte. Argument: for how many seconds, or the
 * path of a file, whose appearance ends it. Rank 0 says `begun` after the first round, and `round` after each. What a
 * cut network does to it is the business of cut_network_test.sh. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEADY_BYTES = 1 << 20, STEADY_TAG = 3 };

static void steady_fill(unsigned char *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(seed * 2654435761u + i * 40503u + (i >> 8));
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *until = argc > 1 ? argv[1] : "1";
    double limit = MPI_Wtime() + atof(until);
    unsigned char *out = malloc(STEADY_BYTES), *in = malloc(STEADY_BYTES);
    unsigned round = 0;
    int is_over = 0, partner = rank ^ 1;
    while (partner < size && !is_over) {
        int bytes = round % 3 ? STEADY_BYTES : 8 + (int)(round % 4000);
        steady_fill(out, (size_t)bytes, 2 * round + (unsigned)rank);
        MPI_Sendrecv(out, bytes, MPI_BYTE, partner, STEADY_TAG, in, bytes, MPI_BYTE, partner, STEADY_TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        steady_fill(out, (size_t)bytes, 2 * round + (unsigned)partner);
        if (memcmp(in, out, (size_t)bytes) != 0) {
            fprintf(stderr, "FAILED rank %d: round %u of %d bytes came changed\n", rank, round, bytes);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        round++;
        is_over = *until == '/' ? access(until, F_OK) == 0 : MPI_Wtime() > limit;
        MPI_Allreduce(MPI_IN_PLACE, &is_over, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (rank == 0) {
            puts(round == 1 ? "begun\nround" : "round");
            fflush(stdout);
        }
    }
    if (rank == 0)
        printf("%u rounds came whole\n", round);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
