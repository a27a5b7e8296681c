/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables that configure Open MPI, MPICH, Intel MPI and their launchers. */
#ifndef COR_RUN_THEIRS_H
#define COR_RUN_THEIRS_H

enum { RUN_THEIRS_MAX = 360 };

/* List those of this process's environment that have no effect here, as "A, B and 2 more". Returns their number; 0 also
 * if a launcher has started this process, which may have set them for its children. */
int cor_run_theirs_list(char out[RUN_THEIRS_MAX]);

#endif
