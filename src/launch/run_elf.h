/* SPDX-License-Identifier: Apache-2.0 */
/* The shared libraries that a program file needs, if any. */
#ifndef COR_RUN_ELF_H
#define COR_RUN_ELF_H

#include <stddef.h>

/* Called with the name of each library that the file needs directly; nonzero ends the search. */
typedef int (*run_elf_fn)(void *context, const char *name);

/* Call `name_fn` for each. Returns the result of the last call; 0 also for a file that cannot be read or is no program
 * of this machine. */
int cor_run_elf_needed(const char *path, run_elf_fn name_fn, void *context);

/* 1: a program of this machine that is linked statically, so that no library can be preloaded. */
int cor_run_elf_is_static(const char *path);

#endif
