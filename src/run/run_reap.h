/* Ending processes that are not ours by name: children of children that were left to us. */
#ifndef COR_RUN_REAP_H
#define COR_RUN_REAP_H

/* Send a signal to every child of this process, adopted ones too, for which `is_spared`, when given, says no. */
void cor_run_signal_children(int signal, int (*is_spared)(const void *context, int pid), const void *context);

/* Kill every descendant and wait until none is left, at most about a second. This process must be a subreaper. */
void cor_run_kill_descendants(void);

#endif
