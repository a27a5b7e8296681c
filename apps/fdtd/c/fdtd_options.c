/* SPDX-License-Identifier: Apache-2.0 */
#include "fdtd_options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char options_classes[] = "SWABC";
static const int options_cells[] = {240, 480, 960, 1920, 3840};
static const int options_steps[] = {400, 800, 1000, 1000, 1000};

static int options_number(const char *name, const char *value, int least, int *number_p, char why[FDTD_WHY_MAX])
{
    char *end = NULL;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (end != value && !*end && errno == 0 && number >= least && number <= INT_MAX) {
        *number_p = (int)number;
        return 1;
    }
    snprintf(why, FDTD_WHY_MAX, "%s is '%.100s'; it is a number from %d on", name, value, least);
    return 0;
}

static int options_take(fdtd_options *options, const char *name, const char *value, char why[FDTD_WHY_MAX])
{
    if (strcmp(name, "--cells") == 0)
        return options_number(name, value, 8, &options->cells, why);
    if (strcmp(name, "--steps") == 0)
        return options_number(name, value, 1, &options->steps, why);
    if (strcmp(name, "--count") == 0)
        return options_number(name, value, 1, &options->frame_count, why);
    if (strcmp(name, "--frames") == 0) {
        options->frames = value;
        return 1;
    }
    if (strcmp(name, "--animation") == 0) {
        options->animation = value;
        return 1;
    }
    if (strcmp(name, "--parts") == 0 && (strcmp(value, "1d") == 0 || strcmp(value, "2d") == 0)) {
        options->is_parted_2d = *value == '2';
        return 1;
    }
    if (strcmp(name, "--parts") == 0)
        snprintf(why, FDTD_WHY_MAX, "--parts is '%.100s'; it is 1d or 2d", value);
    else
        snprintf(why, FDTD_WHY_MAX,
                 "unknown option %.100s; options are --cells, --steps, --parts, --frames, --animation and --count",
                 name);
    return 0;
}

int fdtd_options_read(fdtd_options *options, int argc, char **argv, char why[FDTD_WHY_MAX])
{
    const char *found = options_classes;
    int at = 1;
    if (argc > 1 && strncmp(argv[1], "--", 2) != 0) {
        found = strlen(argv[1]) == 1 ? strchr(options_classes, toupper((unsigned char)argv[1][0])) : NULL;
        at = 2;
    }
    if (!found) {
        snprintf(why, FDTD_WHY_MAX, "class is '%.100s'; classes are S, W, A, B and C", argv[1]);
        return 0;
    }
    *options = (fdtd_options){.letter = *found,
                              .cells = options_cells[found - options_classes],
                              .steps = options_steps[found - options_classes],
                              .is_parted_2d = 1,
                              .frame_count = 40};
    for (; at < argc; at += 2) {
        if (at + 1 == argc) {
            snprintf(why, FDTD_WHY_MAX, "option %.100s needs a value", argv[at]);
            return 0;
        }
        if (!options_take(options, argv[at], argv[at + 1], why))
            return 0;
    }
    return 1;
}

/* Makes a folder and those above it. */
static int options_make_folder(const char *path)
{
    char part[PATH_MAX];
    struct stat state;
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return 0;
    for (char *at = part + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(part, 0777);
            *at = '/';
        }
    mkdir(part, 0777);
    return stat(path, &state) == 0 && S_ISDIR(state.st_mode);
}

int fdtd_options_check_places(const fdtd_options *options, char why[FDTD_WHY_MAX])
{
    char folder[PATH_MAX];
    struct stat state;
    if (options->frames && !options_make_folder(options->frames)) {
        snprintf(why, FDTD_WHY_MAX, "folder %.300s cannot be made", options->frames);
        return 0;
    }
    if (options->frames && access(options->frames, W_OK) != 0) {
        snprintf(why, FDTD_WHY_MAX, "folder %.300s cannot be written to", options->frames);
        return 0;
    }
    if (!options->animation)
        return 1;
    snprintf(folder, sizeof folder, "%s", options->animation);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    if (access(slash ? folder : ".", W_OK) == 0 && !(stat(options->animation, &state) == 0 && S_ISDIR(state.st_mode)))
        return 1;
    snprintf(why, FDTD_WHY_MAX, "file %.300s cannot be written", options->animation);
    return 0;
}
