/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a function of MPI is defined: COR_API(int, Send, (const void *buf, ...)) { body } makes PMPI_Send and its weak
 * second name MPI_Send, so that a tool can interpose its own MPI_Send. The library itself calls neither.
 */
#ifndef COR_MPI_API_H
#define COR_MPI_API_H

/* What mpi.h declares is what the library exports. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#define COR_API(type, name, parameters)                                                                               \
    __typeof__(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)));                                   \
    type PMPI_##name parameters

#endif
