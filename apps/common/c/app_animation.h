/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a square field, as PNG files and as one animated PNG. Either blue is negative, white 0 and red positive;
 * or black is 0, and what is more glows. Their data are stored, not compressed, so that no library is needed. */
#ifndef APP_ANIMATION_H
#define APP_ANIMATION_H

typedef struct app_animation {
    const char *folder, *file; /* each may be NULL */
    int is_glowing;
    int side;
    unsigned char **frames; /* rows of side + 1 bytes */
    int count, room;
} app_animation;

/* A field of so many elements a side, all of them in rows. 0: it could not be written; errno tells. */
int app_animation_add(app_animation *animation, const double *field, int elements, double brightest);
/* Writes the animated one. 0: it could not be written; errno tells. */
int app_animation_finish(const app_animation *animation);
void app_animation_fini(app_animation *animation);

#endif
