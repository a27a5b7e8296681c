/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the C face, generated at build time from src/mpi/functions.tsv. */
#ifndef COR_TOOLS_FUNCTION_LIST_H
#define COR_TOOLS_FUNCTION_LIST_H

#include <stddef.h>

typedef struct cor_function {
    const char *name;
    int is_done;
} cor_function;

extern const cor_function cor_functions[];
extern const size_t cor_function_count;

#endif
