/* The rules that corunna tune has found for this machine. */
#ifndef COR_RUN_TUNED_H
#define COR_RUN_TUNED_H

/* Let ranks of this host read them, by CORUNNA_COLL_RULES, unless the user has set that, be it to nothing. Rules of another
 * machine are left alone, and the log says so. For jobs on this host only: others may have rules of their own, and all ranks of a
 * job must choose alike. */
void cor_run_use_tuned(const char *command_name);

#endif
