/* SPDX-License-Identifier: Apache-2.0 */
/* The command that starts an agent on another host. */
#ifndef COR_RUN_REACH_H
#define COR_RUN_REACH_H

#include "launch/run_list.h"
#include "launch/run_plan.h"

/* The default commands. run.host_timeout limits their time. */
#define RUN_REACH_SSH "ssh -x -T -o BatchMode=yes {host}"
#define RUN_REACH_SRUN                                                                                                \
    "srun --nodes=1 --ntasks=1 --nodelist={host} --overlap --mpi=none --cpu-bind=none --mem=0 --input=0 --quiet"

/* The words of the command that runs `corunna agent` on `host`. For a launcher that passes them to a shell on the
 * other side (ssh, rsh) they are quoted. Words of the launcher may be quoted as in a shell. 0, or -1 when a quote is
 * not closed. */
int cor_run_reach_command(const run_reach *reach, const char *host, run_list *command);

/* Start the command in its own session; it dies with this process. This process's ends of its stdin, stdout and stderr
 * do not block. The process id, or -1 with errno. */
int cor_run_reach_start(char **command, int *to_fd_p, int *from_fd_p, int *error_fd_p);

#endif
