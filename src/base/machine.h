/* SPDX-License-Identifier: Apache-2.0 */
/* Which machine this is, as far as it matters for what was measured on it, and where such measurements are kept. */
#ifndef COR_BASE_MACHINE_H
#define COR_BASE_MACHINE_H

#include <stddef.h>
#include <stdio.h>

enum { COR_MACHINE_MAX = 160 };

/* How a file names the machine it was made on. */
#define COR_MACHINE_LINE "# machine: "

/* How a file of rules begins that a program has written, and its last line. Users may append to it. */
#define COR_RULES_WRITTEN "# Written by "
#define COR_RULES_END "# end\n"

/* The first line: what has written it, when, of which version. */
void cor_rules_print_head(FILE *out, const char *writer);

/* Such a file without its last line was cut short: what is left may mean something else. */
int cor_rules_text_is_whole(const char *text);

/* Architecture, processor and number of CPUs. */
void cor_machine_print(char out[COR_MACHINE_MAX]);

/* The rules of corunna tune: corunna/tuned.rules in $XDG_CONFIG_HOME or ~/.config. must_make: make the folder. 0; or
 * -1: there is no place. */
int cor_machine_tuned_path(char *out, size_t room, int must_make);

/* The same, if the file is there. */
typedef enum cor_tuned { COR_TUNED_ABSENT, COR_TUNED_HERE, COR_TUNED_OTHER, COR_TUNED_CUT } cor_tuned;

/* HERE: it was made on this machine. OTHER: on `other`, which is empty if the file does not name it. CUT: it was cut
 * short. */
cor_tuned cor_machine_find_tuned(char *out, size_t room, char other[COR_MACHINE_MAX]);

#endif
