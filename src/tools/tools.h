/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that are tools, one folder each. Each gets its own name as argv[0] and returns the exit status. */
#ifndef COR_TOOLS_TOOLS_H
#define COR_TOOLS_TOOLS_H

int cor_command_info(int argc, char **argv);
int cor_command_ps(int argc, char **argv);
int cor_command_bench(int argc, char **argv);
int cor_command_model(int argc, char **argv);
int cor_command_tune(int argc, char **argv);
int cor_command_apps(int argc, char **argv);
int cor_command_sock(int argc, char **argv);
int cor_command_java(int argc, char **argv);

#endif
