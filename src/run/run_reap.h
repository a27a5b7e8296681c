/* SPDX-License-Identifier: Apache-2.0 */
/* Ending descendants that are not known by process id. */
#ifndef COR_RUN_REAP_H
#define COR_RUN_REAP_H

/* Send a signal to every child of this process, adopted ones too, except those for which `is_spared`, when given,
 * returns 1. */
void cor_run_signal_children(int signal, int (*is_spared)(const void *context, int pid), const void *context);

/* Kill every descendant and wait until none is left, or none has ended for about a second. This process must be a subreaper. */
void cor_run_kill_descendants(void);

#endif
