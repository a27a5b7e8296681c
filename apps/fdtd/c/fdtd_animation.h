/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of the field, as PNG files and as one animated PNG: blue is negative, white 0, red positive. Their data are stored,
 * not compressed, so that no library is needed. */
#ifndef FDTD_ANIMATION_H
#define FDTD_ANIMATION_H

#include <stddef.h>

typedef struct fdtd_animation {
    const char *folder, *file; /* each may be NULL */
    int side;
    unsigned char **frames; /* rows of side + 1 bytes */
    int count, room;
} fdtd_animation;

/* A field of so many elements a side, all of them in rows. 0: it could not be written; errno tells. */
int fdtd_animation_add(fdtd_animation *animation, const double *field, int elements, double brightest);
/* Writes the animated one. 0: it could not be written; errno tells. */
int fdtd_animation_finish(const fdtd_animation *animation);
void fdtd_animation_fini(fdtd_animation *animation);

#endif
