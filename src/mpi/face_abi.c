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

static int abi_get_info(const char *call, MPI_Info *info)
{
    cor_info *made = cor_info_create();
    abi_set_size(&made, "mpi_aint_size", sizeof(MPI_Aint));
    abi_set_size(&made, "mpi_count_size", sizeof(MPI_Count));
    abi_set_size(&made, "mpi_offset_size", sizeof(MPI_Offset));
    return face_info_handle(call, made, info);
}

FACE_API(Abi_get_info, abi_get_info)

/* A host is the only resource that MPI_Comm_split_type can find. */
static int abi_get_resources(const char *call, MPI_Info *hw_info)
{
    cor_info *made = cor_info_create();
    abi_set(&made, "mpi_shared_memory", "true");
    return face_info_handle(call, made, hw_info);
}

FACE_API(Get_hw_resource_info, abi_get_resources)

/* ---- Fortran ---------------------------------------------------------------------------------------------------- */

static int abi_get_fortran_info(const char *call, MPI_Info *info)
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
    cor_info *made = cor_info_create();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        abi_set_size(&made, sizes[i].key, face_type_predefined(sizes[i].type)->size);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        abi_set(&made, kinds[i].key, face_type_predefined(kinds[i].type) ? "true" : "false");
    return face_info_handle(call, made, info);
}

FACE_API(Abi_get_fortran_info, abi_get_fortran_info)

static int abi_set_fortran_info(const char *call, cor_info *info)
{
    return face_fail_early(call, MPI_ERR_ABI,
                           "the Fortran kinds are already set; MPI_Abi_get_fortran_info returns them");
}

FACE_API(Abi_set_fortran_info, abi_set_fortran_info)

/* A LOGICAL of so many bytes? Else the error, reported. */
static int abi_check_logical(const char *call, int logical_size)
{
    if (logical_size == 1 || logical_size == 2 || logical_size == 4 || logical_size == 8 || logical_size == 16)
        return MPI_SUCCESS;
    return face_fail_early(call, MPI_ERR_ARG, "logical_size is %d, but must be 1, 2, 4, 8 or 16", logical_size);
}

/* The integers 1 and 0 of this size. */
static int abi_get_fortran_booleans(const char *call, int logical_size, void *logical_true, void *logical_false,
                                    int *is_set)
{
    int error = abi_check_logical(call, logical_size);
    if (error != MPI_SUCCESS)
        return error;
    const uint16_t one = 1;
    int is_little = *(const uint8_t *)&one;
    memset(logical_false, 0, (size_t)logical_size);
    memset(logical_true, 0, (size_t)logical_size);
    ((uint8_t *)logical_true)[is_little ? 0 : logical_size - 1] = 1;
    *is_set = 1;
    return MPI_SUCCESS;
}

FACE_API(Abi_get_fortran_booleans, abi_get_fortran_booleans)

static int abi_set_fortran_booleans(const char *call, int logical_size, void *logical_true, void *logical_false)
{
    return abi_check_logical(call, logical_size)
               ?: face_fail_early(call, MPI_ERR_ABI, "the Fortran logical values are already set: 1 and 0");
}

FACE_API(Abi_set_fortran_booleans, abi_set_fortran_booleans)
