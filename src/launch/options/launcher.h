/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that launch jobs. Each gets its own name as argv[0] and returns the exit status. */
#ifndef COR_RUN_LAUNCHER_H
#define COR_RUN_LAUNCHER_H

int cor_command_run(int argc, char **argv);
int cor_command_mpjrun(int argc, char **argv);

#endif
