/* SPDX-License-Identifier: Apache-2.0 */
/* A launcher inside a job of another launcher: under mpirun, srun or Hydra, or started by a rank. */
#ifndef COR_RUN_NESTED_H
#define COR_RUN_NESTED_H

/* Remove from this process's environment what the surrounding launcher tells its own ranks: numbers, sockets, sessions.
 * What the user sets for another MPI stays. */
void cor_run_forget_surrounding(void);

#endif
