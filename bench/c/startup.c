/*
 * A rank that comes and goes. elapsed.sh takes the time of the whole command that starts a job of them, from its first
 * process to the end of its last.
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return MPI_Finalize();
}
