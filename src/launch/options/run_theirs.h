/* SPDX-License-Identifier: Apache-2.0 */
/* Variables by which users set up Open MPI, MPICH, Intel MPI and their launchers. */
#ifndef COR_RUN_THEIRS_H
#define COR_RUN_THEIRS_H

enum { RUN_THEIRS_MAX = 360 };

/* Those of our environment that change nothing here, as "A, B and 2 more". How many there are. 0 also where a launcher
 * has started this process: then it may have set them, for its children. */
int cor_run_theirs_list(char out[RUN_THEIRS_MAX]);

#endif
