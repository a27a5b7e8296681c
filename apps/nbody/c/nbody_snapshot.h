/* SPDX-License-Identifier: Apache-2.0 */
/* All bodies at the end of a step, in a file: eight letters, the step, how many there are, their numbers, and a sum of
 * all bytes; the highest byte of each comes first. The Java version reads and writes the same files. */
#ifndef NBODY_SNAPSHOT_H
#define NBODY_SNAPSHOT_H

#include "../../common/c/app_words.h"
#include "nbody_bodies.h"

#include <stdint.h>

/* Beside its place first, so that there is never half a file. 0: it could not be written; errno tells. */
int nbody_snapshot_write(const char *path, int64_t step, const nbody_bodies *bodies);

/* 1, and bodies whose array the caller frees; or 0, and `why` has the sentence for the user. */
int nbody_snapshot_read(const char *path, int64_t *step_p, nbody_bodies *bodies_p, char why[APP_WHY_MAX]);

#endif
