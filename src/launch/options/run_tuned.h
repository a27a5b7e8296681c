/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What corunna tune has found for this machine: a file of rules, and of lines `set NAME=VALUE` among them.
 *
 * For jobs on this host only: other hosts may have files of their own, and all ranks of a job must choose alike. All of
 * it comes after what the user says. With coll.rules, be it empty, the file is left alone; a setting is left out if the
 * user has given one of the same module ("sm."), since they depend on each other.
 */
#ifndef COR_RUN_TUNED_H
#define COR_RUN_TUNED_H

/* Put it into the environment of the ranks. `settings`: what the user has set for them, "CORUNNA_NAME=VALUE", or NULL.
 * A file of another machine is left out, and the log says so; one with a wrong setting, with a sentence. */
void cor_run_use_tuned(const char *command_name, char *const *settings);

/* Is the value of this setting in the environment the tuned one? */
int cor_run_is_tuned(const char *name);

#endif
