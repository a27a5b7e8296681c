/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the functions of the C face, generated at build time from src/mpi/functions.tsv. */
#ifndef COR_TOOLS_FUNCTION_LIST_H
#define COR_TOOLS_FUNCTION_LIST_H

#include <stddef.h>

extern const char *const cor_functions[];
extern const size_t cor_function_count;

#endif
