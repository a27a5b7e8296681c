/* Reaching another host: which command starts an agent there. */
#ifndef COR_RUN_REACH_H
#define COR_RUN_REACH_H

#include "run/run_list.h"
#include "run/run_plan.h"

/* The usual ways. How long they may take is up to run.host_timeout, not to them. */
#define RUN_REACH_SSH "ssh -x -T -o BatchMode=yes {host}"
#define RUN_REACH_SRUN                                                                                                \
    "srun --nodes=1 --ntasks=1 --nodelist={host} --overlap --mpi=none --cpu-bind=none --mem=0 --input=0 --quiet"

/* The words of the command that runs `corunna agent` on `host`. A launcher that hands words to a shell on the other
 * side (ssh, rsh) gets them quoted. Words of the launcher may be quoted as in a shell. 0, or -1 when a quote is open.
 */
int cor_run_reach_command(const run_reach *reach, const char *host, run_list *command);

/* Start the command in a session of its own, to die with us. Our ends of its stdin, stdout and stderr do not block.
 * The process id, or -1 with errno. */
int cor_run_reach_start(char **command, int *to_fd_p, int *from_fd_p, int *error_fd_p);

#endif
