/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that were linked to another library of the standard ABI, under Corunna's launcher.
 *
 * The ABI fixes libmpi_abi, but not the version in the names of its files: programs need libmpi_abi.so.1 or
 * libmpi_abi.so.0, and MPICH 5.0 puts the PMPI_ functions into libpmpi_abi. Corunna's folder lib/corunna/abi has the
 * library under all of these names and nothing else; --abi makes the loader search it first.
 */
#ifndef COR_RUN_ABI_H
#define COR_RUN_ABI_H

#include <stddef.h>

/* Set for the ranks of a job with --abi until cor_run_abi_apply removes it. */
#define RUN_ABI_VARIABLE "CORUNNA_RUN_ABI"

#define RUN_ABI_FOLDER "lib/corunna/abi" /* of the installation */

enum { RUN_ABI_WHY_MAX = 200 };

/* In the process of a rank: put the folder before those of LD_LIBRARY_PATH, if the job has --abi. 0, or -1 with errno:
 * ENOENT where there is no such folder. */
int cor_run_abi_apply(void);

/* Why Corunna's library cannot take the place of this one, the name of a library of MPI; "" if it can, and for names
 * that are none of MPI. */
const char *cor_run_abi_why_not(const char *library);

/* Is it a name under which --abi provides Corunna's library? */
int cor_run_abi_has(const char *library);

/* May the program run with --abi? 0 with the library that it needs instead, and why that cannot be served. 1 also for
 * a script and a file that is not here. */
int cor_run_abi_may_run(const char *program, char why[RUN_ABI_WHY_MAX]);

#endif
