/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of `corunna`. Each gets its own name as argv[0] and returns the exit status. */
#ifndef COR_RUN_COMMANDS_H
#define COR_RUN_COMMANDS_H

#include <stddef.h>

int cor_command_run(int argc, char **argv);
int cor_command_mpjrun(int argc, char **argv);
int cor_command_agent(int argc, char **argv);
int cor_command_info(int argc, char **argv);
int cor_command_ps(int argc, char **argv);
int cor_command_bench(int argc, char **argv);
int cor_command_model(int argc, char **argv);
int cor_command_tune(int argc, char **argv);
int cor_command_apps(int argc, char **argv);
int cor_command_sock(int argc, char **argv);
int cor_command_java(int argc, char **argv);
int cor_command_help(int argc, char **argv);
int cor_command_version(int argc, char **argv);
int cor_command_options(int argc, char **argv);
int cor_command_needless(int argc, char **argv);

/* The names of those that are for users, in order; NULL after the last. */
const char *cor_command_name(size_t i);

#endif
