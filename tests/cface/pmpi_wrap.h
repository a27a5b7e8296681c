/* SPDX-License-Identifier: Apache-2.0 */
/* A tool around every function of MPI (pmpi_wrap.awk makes the functions, pmpi_wrap.c is the rest). At the end of the
 * process it says on stderr if the library called a wrapped function, which a tool would count twice. */
#ifndef PMPI_WRAP_H
#define PMPI_WRAP_H

#include <mpi.h>

typedef void (*wrap_any)(void);

typedef struct wrap_row {
    const char *name;
    wrap_any first, second; /* MPI_X and PMPI_X, as the tool sees them */
} wrap_row;

extern const wrap_row wrap_rows[];
extern const int wrap_count;
extern _Atomic long wrap_calls[]; /* of each row */

/* At the begin of every call, of row `row`, from this place in the code. */
void wrap_enter(int row, const void *caller);

/* For the program: how often this function was called, -1: there is none; how often any was. */
long pmpi_calls(const char *name);
long pmpi_all_calls(void);
/* The rows. */
const wrap_row *pmpi_rows(int *count_p);

#endif
