/* SPDX-License-Identifier: Apache-2.0 */
/* Files that users write for the launcher: hosts, ranks, programs. */
#ifndef COR_RUN_LINES_H
#define COR_RUN_LINES_H

/* A line, which is the function's to cut, and what its messages begin with: "mpirun: FILE, line N". 0, or -1 after a
 * message. */
typedef int (*run_line_fn)(void *context, const char *where, char *line, int number);

/* Give each line of a file to `take`. 0, or -1 after a message of `command_name`: it cannot be read, is too long, or
 * `take` says so. */
int cor_run_lines_read(const char *command_name, const char *path, run_line_fn take, void *context);

#endif
