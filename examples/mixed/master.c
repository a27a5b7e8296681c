/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One job of C, Java and Fortran: this program, rank 0, hands out blocks of numbers, and the other ranks (Worker.java,
 * worker.f90) count the primes in them.
 *
 *     mpicc master.c -o master && mpijavac Worker.java
 *     mpirun -n 1 ./master 100 : -n 3 java -cp . Worker
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 1, RESULT = 2, STOP = 3 };

int main(int argc, char **argv)
{
    int size, length = 1000, next = 0, pending = 0;
    long primes = 0, found[2]; /* which block, and how many primes it has */
    MPI_Init(&argc, &argv);
    int blocks = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        puts("master needs workers: mpirun -n 1 ./master : -n 3 java -cp . Worker");
        MPI_Finalize();
        return 1;
    }
    /* Collective operations span both languages, too. */
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int worker = 1; worker < size && next < blocks; worker++, next++, pending++)
        MPI_Send(&next, 1, MPI_INT, worker, BLOCK, MPI_COMM_WORLD);
    while (pending > 0) {
        MPI_Status status;
        MPI_Recv(found, 2, MPI_LONG, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        primes += found[1];
        if (next < blocks) {
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, BLOCK, MPI_COMM_WORLD);
            next++;
        } else {
            pending--;
        }
    }
    for (int worker = 1; worker < size; worker++)
        MPI_Send(&next, 1, MPI_INT, worker, STOP, MPI_COMM_WORLD);
    printf("%ld primes below %d, counted by %d ranks for a C rank\n", primes, blocks * length, size - 1);
    MPI_Finalize();
    return 0;
}
