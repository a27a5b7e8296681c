/* SPDX-License-Identifier: Apache-2.0 */
/* The part of fort_both in C. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* ---- statuses --------------------------------------------------------------------------------------------------- */

/* Which constant of Fortran is this status? */

int ignored_(const MPI_Fint *status);
int ignored_(const MPI_Fint *status)
{
    MPI_Status in_c;
    if (MPI_Status_f2c(status, &in_c) == MPI_SUCCESS)
        return 0;
    return status == MPI_F_STATUS_IGNORE ? 1 : status == MPI_F_STATUSES_IGNORE ? 2 : 3;
}

/* ---- attributes ------------------------------------------------------------------------------------------------- */

/* A key of C whose copies share what Fortran has set, and count it. */
static int share(MPI_Comm comm, int key, void *state, void *in, void *out_p, int *flag)
{
    (void)comm, (void)key, (void)state;
    ++*(MPI_Aint *)in;
    *(void **)out_p = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int unshare(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)state;
    --*(MPI_Aint *)value;
    return MPI_SUCCESS;
}

int key_of_c_(void);
int key_of_c_(void)
{
    int key;
    MPI_Comm_create_keyval(share, unshare, &key, NULL);
    return key;
}

/* What C finds behind the attribute: a number as wide as an address, or a default integer. */
MPI_Aint seen_by_c_(const int *comm, const int *key, const int *is_narrow);
MPI_Aint seen_by_c_(const int *comm, const int *key, const int *is_narrow)
{
    void *value = NULL;
    int flag = 0;
    if (MPI_Comm_get_attr(MPI_Comm_f2c(*comm), *key, &value, &flag) != MPI_SUCCESS || !flag)
        return -1;
    return *is_narrow ? *(int *)value : *(MPI_Aint *)value;
}

/* Sets it to an address, which it returns. */
MPI_Aint set_by_c_(const int *comm, const int *key);
MPI_Aint set_by_c_(const int *comm, const int *key)
{
    static MPI_Aint cell = 77;
    MPI_Comm_set_attr(MPI_Comm_f2c(*comm), *key, &cell);
    return (MPI_Aint)&cell;
}

/* ---- operators -------------------------------------------------------------------------------------------------- */

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
