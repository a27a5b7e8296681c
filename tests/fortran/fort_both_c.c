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
