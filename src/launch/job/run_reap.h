/* SPDX-License-Identifier: Apache-2.0 */
/* Ending descendants that are not known by process id. */
#ifndef COR_RUN_REAP_H
#define COR_RUN_REAP_H

#include <sys/types.h>

/* Send a signal to every child of this process, adopted ones too, except those for which `is_spared`, when given,
 * returns 1. */
void cor_run_signal_children(int signal, int (*is_spared)(const void *context, int pid), const void *context);

/* Kill every descendant and wait until none is left, or none has ended for about a second. This process must be a
 * subreaper. */
void cor_run_kill_descendants(void);

/* Send a signal to all process groups that processes below this one have made, but to none below these: a group leader
 * forwards signals to its own descendants, as the launcher of a job does that a rank has started. SIGSTOP becomes
 * SIGTSTP, on which a launcher stops its ranks before itself. */
void cor_run_signal_groups_below(pid_t pid, int signal);

#endif
