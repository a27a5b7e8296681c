/* SPDX-License-Identifier: Apache-2.0 */
/* Which machine this is, as far as it matters for what was measured on it, and where such measurements are kept. */
#ifndef COR_BASE_MACHINE_H
#define COR_BASE_MACHINE_H

#include <stddef.h>

enum { COR_MACHINE_MAX = 160 };

/* How a file names the machine it was made on. */
#define COR_MACHINE_LINE "# machine: "

/* Architecture, processor and number of CPUs. */
void cor_machine_print(char out[COR_MACHINE_MAX]);

/* The rules of corunna tune: corunna/tuned.rules in $XDG_CONFIG_HOME or ~/.config. must_make: make the folder. 0; or -1: there
 * is no place. */
int cor_machine_tuned_path(char *out, size_t room, int must_make);

/* The same if the file is there and was made on this machine: 1. 0: it is not there. -1: it was made on `other`. */
int cor_machine_find_tuned(char *out, size_t room, char other[COR_MACHINE_MAX]);

#endif
