/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of the standard by name: one of functions.tsv that is not defined fails to link here. */
#include "mpi/api.h"

typedef void (*table_function)(void);

extern const table_function face_function_table[];

__attribute__((used)) const table_function face_function_table[] = {
#define COR_MPI_FUNCTION(name) (table_function) name,
#include "mpi_functions.inc"
};
