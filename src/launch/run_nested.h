/* SPDX-License-Identifier: Apache-2.0 */
/* A launcher inside a job of another launcher: under mpirun, srun or Hydra, or started by a rank. */
#ifndef COR_RUN_NESTED_H
#define COR_RUN_NESTED_H

/* Remove from this process's environment the surrounding launcher's variables for its own ranks: numbers, sockets,
 * sessions. Variables that the user sets for another MPI stay. */
void cor_run_forget_surrounding(void);

#endif
