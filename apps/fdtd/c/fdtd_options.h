/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of the solver is asked for: a class, then options. */
#ifndef FDTD_OPTIONS_H
#define FDTD_OPTIONS_H

#include "../../common/c/app_words.h"

typedef struct fdtd_options {
    char letter;
    int cells, steps;
    int is_parted_2d;
    const char *frames;    /* a folder; NULL: no pictures */
    const char *animation; /* a file; NULL: none */
    int frame_count;
} fdtd_options;

/* 1; or 0, and `why` has the sentence for the user. */
int fdtd_options_read(fdtd_options *options, int argc, char **argv, char why[APP_WHY_MAX]);
/* Whether pictures can be written where they are wanted. */
int fdtd_options_check_places(const fdtd_options *options, char why[APP_WHY_MAX]);

#endif
