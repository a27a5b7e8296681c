/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles and statuses as Fortran holds them, for C programs that are called from Fortran or hand a handle on as an
 * integer. The standard ABI leaves these names to the Fortran side of a library. Here they are inline functions over
 * the ABI's own MPI_*_toint and MPI_*_fromint, so a program that uses them runs on every library that keeps to the ABI.
 * A Fortran INTEGER is an int of C. Parameters have long names so that they do not shadow those of a program.
 *
 * mpi.h includes this file, unless CORUNNA_ABI_ONLY is defined before. Each function exists also as PMPI_*. The
 * functions of statuses return MPI_ERR_ARG for a null pointer, MPI_F_STATUS_IGNORE and MPI_F08_STATUS_IGNORE included:
 * MPI does not allow these as arguments.
 */
#ifndef CORUNNA_FORTRAN_H
#define CORUNNA_FORTRAN_H

#include "../mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int MPI_Fint;

/* A status in Fortran: an array of MPI_F_STATUS_SIZE integers in `mpif.h` and `mpi`, a structure in `mpi_f08`. */
typedef struct MPI_F08_status {
    MPI_Fint MPI_SOURCE;
    MPI_Fint MPI_TAG;
    MPI_Fint MPI_ERROR;
    MPI_Fint MPI_internal[5];
} MPI_F08_status;

/* Common blocks of Corunna's Fortran interface. In a program without it, these addresses are null. */
extern MPI_Fint corunna_status_ignore_[] __attribute__((__weak__));
extern MPI_Fint corunna_statuses_ignore_[] __attribute__((__weak__));
#define MPI_F_STATUS_IGNORE corunna_status_ignore_
#define MPI_F_STATUSES_IGNORE corunna_statuses_ignore_
#define MPI_F08_STATUS_IGNORE ((MPI_F08_status *)corunna_status_ignore_)
#define MPI_F08_STATUSES_IGNORE ((MPI_F08_status *)corunna_statuses_ignore_)

/* ---- handles ---------------------------------------------------------------------------------------------------- */

/* NAME is the part of a function's name that says of which handle, TYPE the handle. */
#define CORUNNA_FORTRAN_HANDLE_(CALL, NAME, TYPE)                                                                     \
    static __inline__ MPI_Fint CALL##NAME##_c2f(TYPE corunna_handle)                                                  \
    {                                                                                                                 \
        return CALL##NAME##_toint(corunna_handle);                                                                    \
    }                                                                                                                 \
    static __inline__ TYPE CALL##NAME##_f2c(MPI_Fint corunna_handle)                                                  \
    {                                                                                                                 \
        return CALL##NAME##_fromint(corunna_handle);                                                                  \
    }
#define CORUNNA_FORTRAN_HANDLE(NAME, TYPE)                                                                            \
    CORUNNA_FORTRAN_HANDLE_(MPI_, NAME, TYPE)                                                                         \
    CORUNNA_FORTRAN_HANDLE_(PMPI_, NAME, TYPE)

CORUNNA_FORTRAN_HANDLE(Comm, MPI_Comm)
CORUNNA_FORTRAN_HANDLE(Errhandler, MPI_Errhandler)
CORUNNA_FORTRAN_HANDLE(File, MPI_File)
CORUNNA_FORTRAN_HANDLE(Group, MPI_Group)
CORUNNA_FORTRAN_HANDLE(Info, MPI_Info)
CORUNNA_FORTRAN_HANDLE(Message, MPI_Message)
CORUNNA_FORTRAN_HANDLE(Op, MPI_Op)
CORUNNA_FORTRAN_HANDLE(Request, MPI_Request)
CORUNNA_FORTRAN_HANDLE(Session, MPI_Session)
CORUNNA_FORTRAN_HANDLE(Type, MPI_Datatype)
CORUNNA_FORTRAN_HANDLE(Win, MPI_Win)

#undef CORUNNA_FORTRAN_HANDLE
#undef CORUNNA_FORTRAN_HANDLE_

/* ---- statuses --------------------------------------------------------------------------------------------------- */

/* All three forms are the same eight integers in the same order, as MPI_F_SOURCE, MPI_F_TAG and MPI_F_ERROR say. */
static __inline__ int corunna_status_copy(const void *corunna_from, void *corunna_to)
{
    const void *corunna_one = corunna_status_ignore_, *corunna_all = corunna_statuses_ignore_;
    if (!corunna_from || !corunna_to || corunna_from == corunna_one || corunna_from == corunna_all ||
        corunna_to == corunna_one || corunna_to == corunna_all)
        return MPI_ERR_ARG;
    __builtin_memcpy(corunna_to, corunna_from, sizeof(MPI_Status)); /* without string.h, whose names programs use */
    return MPI_SUCCESS;
}

#define CORUNNA_FORTRAN_STATUS_(CALL, WAY, FROM, TO)                                                                  \
    static __inline__ int CALL##Status_##WAY(const FROM *corunna_from, TO *corunna_to)                                \
    {                                                                                                                 \
        return corunna_status_copy(corunna_from, corunna_to);                                                         \
    }
#define CORUNNA_FORTRAN_STATUS(WAY, FROM, TO)                                                                         \
    CORUNNA_FORTRAN_STATUS_(MPI_, WAY, FROM, TO)                                                                      \
    CORUNNA_FORTRAN_STATUS_(PMPI_, WAY, FROM, TO)

CORUNNA_FORTRAN_STATUS(c2f, MPI_Status, MPI_Fint)
CORUNNA_FORTRAN_STATUS(f2c, MPI_Fint, MPI_Status)
CORUNNA_FORTRAN_STATUS(c2f08, MPI_Status, MPI_F08_status)
CORUNNA_FORTRAN_STATUS(f082c, MPI_F08_status, MPI_Status)
CORUNNA_FORTRAN_STATUS(f2f08, MPI_Fint, MPI_F08_status)
CORUNNA_FORTRAN_STATUS(f082f, MPI_F08_status, MPI_Fint)

#undef CORUNNA_FORTRAN_STATUS
#undef CORUNNA_FORTRAN_STATUS_

#ifdef __cplusplus
}
#endif

#endif
