/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries about the binary interface and the hardware. All of this may be called at any time.
 *
 * Fortran's kinds are fixed here by the table of datatypes (dtype/predefined.c) and its logical values by the
 * operators that make some, so that a program cannot set them.
 */
#include "mpi/face_comm.h"

#include <stdio.h>
#include <string.h>

/* ---- infos ------------------------------------------------------------------------------------------------------ */

/* A new info that is filled row by row; once memory is out it stays NULL. */
static void abi_set(cor_info **info_p, const char *key, const char *value)
{
    if (*info_p && cor_info_set(*info_p, key, value) != COR_OK) {
        cor_info_destroy(*info_p);
        *info_p = NULL;
    }
}

static void abi_set_size(cor_info **info_p, const char *key, size_t bytes)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", bytes);
    abi_set(info_p, key, text);
}

static int abi_fail_null(const char *call, const char *argument)
{
    return face_fail_early(call, MPI_ERR_ARG, "%s is a NULL pointer", argument);
}

COR_API(int, Abi_get_info, (MPI_Info * info))
{
    if (!info)
        return abi_fail_null("MPI_Abi_get_info", "info");
    cor_info *made = cor_info_create();
    abi_set_size(&made, "mpi_aint_size", sizeof(MPI_Aint));
    abi_set_size(&made, "mpi_count_size", sizeof(MPI_Count));
    abi_set_size(&made, "mpi_offset_size", sizeof(MPI_Offset));
    return face_info_handle("MPI_Abi_get_info", made, info);
}

/* A host is the only resource that MPI_Comm_split_type can find. */
COR_API(int, Get_hw_resource_info, (MPI_Info * hw_info))
{
    if (!hw_info)
        return abi_fail_null("MPI_Get_hw_resource_info", "hw_info");
    cor_info *made = cor_info_create();
    abi_set(&made, "mpi_shared_memory", "true");
    return face_info_handle("MPI_Get_hw_resource_info", made, hw_info);
}

/* ---- Fortran ---------------------------------------------------------------------------------------------------- */

COR_API(int, Abi_get_fortran_info, (MPI_Info * info))
{
    static const struct {
        const char *key;
        MPI_Datatype type;
    } sizes[] =
        {
            {"mpi_logical_size", MPI_LOGICAL},
            {"mpi_integer_size", MPI_INTEGER},
            {"mpi_real_size", MPI_REAL},
            {"mpi_double_precision_size", MPI_DOUBLE_PRECISION},
        },
      kinds[] = {
          {"mpi_logical1_supported", MPI_LOGICAL1},
          {"mpi_logical2_supported", MPI_LOGICAL2},
          {"mpi_logical4_supported", MPI_LOGICAL4},
          {"mpi_logical8_supported", MPI_LOGICAL8},
          {"mpi_logical16_supported", MPI_LOGICAL16},
          {"mpi_integer1_supported", MPI_INTEGER1},
          {"mpi_integer2_supported", MPI_INTEGER2},
          {"mpi_integer4_supported", MPI_INTEGER4},
          {"mpi_integer8_supported", MPI_INTEGER8},
          {"mpi_integer16_supported", MPI_INTEGER16},
          {"mpi_real2_supported", MPI_REAL2},
          {"mpi_real4_supported", MPI_REAL4},
          {"mpi_real8_supported", MPI_REAL8},
          {"mpi_real16_supported", MPI_REAL16},
          {"mpi_complex4_supported", MPI_COMPLEX4},
          {"mpi_complex8_supported", MPI_COMPLEX8},
          {"mpi_complex16_supported", MPI_COMPLEX16},
          {"mpi_complex32_supported", MPI_COMPLEX32},
          {"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX},
      };
    if (!info)
        return abi_fail_null("MPI_Abi_get_fortran_info", "info");
    cor_info *made = cor_info_create();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        abi_set_size(&made, sizes[i].key, face_type_predefined(sizes[i].type)->size);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        abi_set(&made, kinds[i].key, face_type_predefined(kinds[i].type) ? "true" : "false");
    return face_info_handle("MPI_Abi_get_fortran_info", made, info);
}

COR_API(int, Abi_set_fortran_info, (MPI_Info info))
{
    if (!face_info_find(face_get(), info))
        return face_fail_info("MPI_Abi_set_fortran_info", NULL, "info", info);
    return face_fail_early("MPI_Abi_set_fortran_info", MPI_ERR_ABI,
                           "the Fortran kinds are already set; MPI_Abi_get_fortran_info returns them");
}

/* A LOGICAL of so many bytes? Else the error, reported. */
static int abi_check_logical(const char *call, int logical_size, const void *logical_true, const void *logical_false)
{
    if (logical_size != 1 && logical_size != 2 && logical_size != 4 && logical_size != 8 && logical_size != 16)
        return face_fail_early(call, MPI_ERR_ARG, "logical_size is %d, but must be 1, 2, 4, 8 or 16", logical_size);
    if (!logical_true || !logical_false)
        return abi_fail_null(call, logical_true ? "logical_false" : "logical_true");
    return MPI_SUCCESS;
}

/* The integers 1 and 0 of this size. */
COR_API(int, Abi_get_fortran_booleans, (int logical_size, void *logical_true, void *logical_false, int *is_set))
{
    int error = abi_check_logical("MPI_Abi_get_fortran_booleans", logical_size, logical_true, logical_false);
    if (error != MPI_SUCCESS)
        return error;
    if (!is_set)
        return abi_fail_null("MPI_Abi_get_fortran_booleans", "is_set");
    const uint16_t one = 1;
    int is_little = *(const uint8_t *)&one;
    memset(logical_false, 0, (size_t)logical_size);
    memset(logical_true, 0, (size_t)logical_size);
    ((uint8_t *)logical_true)[is_little ? 0 : logical_size - 1] = 1;
    *is_set = 1;
    return MPI_SUCCESS;
}

COR_API(int, Abi_set_fortran_booleans, (int logical_size, void *logical_true, void *logical_false))
{
    int error = abi_check_logical("MPI_Abi_set_fortran_booleans", logical_size, logical_true, logical_false);
    if (error != MPI_SUCCESS)
        return error;
    return face_fail_early("MPI_Abi_set_fortran_booleans", MPI_ERR_ABI,
                           "the Fortran logical values are already set: 1 and 0");
}
