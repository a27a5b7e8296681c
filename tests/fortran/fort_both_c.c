/* SPDX-License-Identifier: Apache-2.0 */
/* Which constant of Fortran is this status? */
#include <mpi.h>

int ignored_(const MPI_Fint *status);
int ignored_(const MPI_Fint *status)
{
    MPI_Status in_c;
    if (MPI_Status_f2c(status, &in_c) == MPI_SUCCESS)
        return 0;
    return status == MPI_F_STATUS_IGNORE ? 1 : status == MPI_F_STATUSES_IGNORE ? 2 : 3;
}

/* How many different procedures can be operators? These are addresses that nothing calls. */
void mpi_op_create_(void (*procedure)(void), const int *commute, int *op, int *error);
int operators_(void);
int operators_(void)
{
    int count = 0, commute = 0, number, error = MPI_SUCCESS;
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    while (count < 1000) {
        mpi_op_create_((void (*)(void))(uintptr_t)(64 + 64 * count), &commute, &number, &error);
        if (error != MPI_SUCCESS)
            break;
        MPI_Op op = MPI_Op_f2c(number);
        MPI_Op_free(&op);
        count++;
    }
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    return error == MPI_ERR_NO_MEM ? count : -count;
}
