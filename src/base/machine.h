/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies this machine, for measurements made on it, and where such measurements are stored. */
#ifndef COR_BASE_MACHINE_H
#define COR_BASE_MACHINE_H

#include <stddef.h>
#include <stdio.h>

enum { COR_MACHINE_MAX = 160 };

/* The beginning of the line in a file that names the machine it was made on. */
#define COR_MACHINE_LINE "# machine: "

/* The beginning of a file of rules written by a program, and its last line. Users may append to the file. */
#define COR_RULES_WRITTEN "# Written by "
#define COR_RULES_END "# end\n"

/* The first line: the program, its version and the time. */
void cor_rules_print_head(FILE *out, const char *writer);

/* Is such a file complete? Without its last line it was truncated, and the rest may mean something else. */
int cor_rules_text_is_whole(const char *text);

/* Architecture, processor and number of CPUs. */
void cor_machine_print(char out[COR_MACHINE_MAX]);

/* The rules of corunna tune: corunna/tuned.rules in $XDG_CONFIG_HOME or ~/.config. must_make: make the folder. 0; or
 * -1: neither variable is set, or the path is too long. */
int cor_machine_tuned_path(char *out, size_t room, int must_make);

/* The same, if the file is there. */
typedef enum cor_tuned { COR_TUNED_ABSENT, COR_TUNED_HERE, COR_TUNED_OTHER, COR_TUNED_CUT } cor_tuned;

/* HERE: it was made on this machine. OTHER: on `other`, which is empty if the file does not name it. CUT: it is
 * truncated. */
cor_tuned cor_machine_find_tuned(char *out, size_t room, char other[COR_MACHINE_MAX]);

#endif
