/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The results of corunna tune for this machine: a file of rules, and of lines `set NAME=VALUE` among them.
 *
 * For jobs on this host only: other hosts may have files of their own, and all ranks of a job must choose the same.
 * Settings of the user have priority. If coll.rules is set, even if empty, the file is ignored; a setting is ignored if
 * the user has set one of the same module ("sm."), since they depend on each other.
 */
#ifndef COR_RUN_TUNED_H
#define COR_RUN_TUNED_H

/* Put the file into the environment of the ranks. `settings`: what the user has set for them, "CORUNNA_NAME=VALUE", or
 * NULL. A file of another machine is ignored with a log line, one with an invalid setting with a message. */
void cor_run_use_tuned(const char *command_name, char *const *settings);

/* Is the value of this setting in the environment the tuned one? */
int cor_run_is_tuned(const char *name);

#endif
