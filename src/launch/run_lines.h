/* SPDX-License-Identifier: Apache-2.0 */
/* Files that users write for the launcher: hosts, ranks, programs. */
#ifndef COR_RUN_LINES_H
#define COR_RUN_LINES_H

/* Process a line, which the function may modify; `where` is the prefix of its messages: "mpirun: FILE, line N". 0, or
 * -1 after a message. */
typedef int (*run_line_fn)(void *context, const char *where, char *line, int number);

/* Call `take` for each line of a file. 0, or -1 after a message of `command_name`: the file cannot be read, is too
 * long, or `take` failed. */
int cor_run_lines_read(const char *command_name, const char *path, run_line_fn take, void *context);

#endif
