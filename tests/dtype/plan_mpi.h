/* SPDX-License-Identifier: Apache-2.0 */
/* The datatype of a plan, made through MPI. */
#ifndef DTYPE_PLAN_MPI_H
#define DTYPE_PLAN_MPI_H

#include "plan.h"

#include <mpi.h>

/* is_large: by the constructors with large counts. The caller frees it with plan_type_free, committed or not. */
MPI_Datatype plan_type(const plan *p, int is_large);
/* Free what is not predefined. */
void plan_type_free(MPI_Datatype *type);

/* Make a type once more from its envelope and contents. */
MPI_Datatype plan_type_again(MPI_Datatype type);

#endif
