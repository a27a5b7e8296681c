/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of Corunna's files relative to the executable, in a build tree or an installation; and of programs. */
#ifndef COR_RUN_PATH_H
#define COR_RUN_PATH_H

#include <limits.h>
#include <stddef.h>

/* corunna.jar: $CORUNNA_JAR if set, else relative to the executable's folder. 1 if it exists, else 0 with the first
 * path that was tried. */
int cor_run_path_jar(char *out, size_t room);

/* The folder of README.md and docs, likewise. 1, or 0: not found. */
int cor_run_path_pages(char out[PATH_MAX]);

/* The folder with the names of the standard ABI's library alone (run_abi.h), likewise. 1, or 0: not found. */
int cor_run_path_abi(char out[PATH_MAX]);

/* The executable that execvp would run, with all links followed. 1, or 0: not found. */
int cor_run_path_find(const char *program, char real[PATH_MAX]);

#endif
