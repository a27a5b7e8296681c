/* SPDX-License-Identifier: Apache-2.0 */
// mpi.h as C++ sees it: declarations of C, handles of distinct types, constants usable in every context.
#include <mpi.h>

#include <mpi.h>

template <typename Handle> struct Same {
    static bool test(Handle first, Handle second) { return first == second; }
};

static int room[MPI_SUCCESS + 1];

int main(int argc, char **argv)
{
    int flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Initialized(&flag);
    bool is_same = Same<MPI_Comm>::test(MPI_COMM_WORLD, MPI_COMM_WORLD) &&
                   !Same<MPI_Datatype>::test(MPI_INT, MPI_DOUBLE) && MPI_STATUS_IGNORE == 0;
    MPI_Fint number = MPI_Comm_c2f(MPI_COMM_SELF);
    is_same = is_same && MPI_Comm_f2c(number) == MPI_COMM_SELF && MPI_F_STATUS_IGNORE == 0;
    MPI_Finalize();
    return flag && is_same && sizeof room == sizeof(int) ? 0 : 1;
}
