/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of `corunna` that belong to no other folder. Each gets its own name as argv[0] and returns the exit
 * status. */
#ifndef COR_RUN_COMMANDS_H
#define COR_RUN_COMMANDS_H

int cor_command_help(int argc, char **argv);
int cor_command_version(int argc, char **argv);
int cor_command_options(int argc, char **argv);
int cor_command_needless(int argc, char **argv);

/* The names of the commands for users, in order, and NULL after the last. */
enum { COMMANDS_MAX = 32 };
void cor_command_names(const char *names[COMMANDS_MAX + 1]);

#endif
