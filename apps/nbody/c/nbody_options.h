/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of the galaxies is asked for: a class, then options. */
#ifndef NBODY_OPTIONS_H
#define NBODY_OPTIONS_H

#include "../../common/c/app_words.h"

typedef struct nbody_options {
    char letter;
    int bodies, steps, frame_count;
    const char *frames;    /* a folder for pictures; NULL: none */
    const char *animation; /* files; NULL: none */
    const char *snapshot;
    const char *restart;
} nbody_options;

/* 1; or 0, and `why` has the sentence for the user. */
int nbody_options_read(nbody_options *options, int argc, char **argv, char why[APP_WHY_MAX]);
/* Whether files can be written where they are wanted. */
int nbody_options_check_places(const nbody_options *options, char why[APP_WHY_MAX]);

#endif
