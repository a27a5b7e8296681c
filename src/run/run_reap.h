/* Ending processes that are not ours by name: children of children that were left to us. */
#ifndef COR_RUN_REAP_H
#define COR_RUN_REAP_H

/* Send a signal to every child of this process, adopted ones too. Returns how many there are. */
int cor_run_signal_children(int signal);

/* Kill every descendant and wait until none is left, at most about a second. This process must be a subreaper. */
void cor_run_kill_descendants(void);

#endif
