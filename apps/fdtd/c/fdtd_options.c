/* SPDX-License-Identifier: Apache-2.0 */
#include "fdtd_options.h"

#include <stdio.h>
#include <string.h>

static const int options_cells[] = {240, 480, 960, 1920, 3840};
static const int options_steps[] = {400, 800, 1000, 1000, 1000};

static int options_take(fdtd_options *options, const char *name, const char *value, char why[APP_WHY_MAX])
{
    if (strcmp(name, "--cells") == 0)
        return app_number(name, value, 8, &options->cells, why);
    if (strcmp(name, "--steps") == 0)
        return app_number(name, value, 1, &options->steps, why);
    if (strcmp(name, "--count") == 0)
        return app_number(name, value, 1, &options->frame_count, why);
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
        snprintf(why, APP_WHY_MAX, "--parts is '%.100s'; it is 1d or 2d", value);
    else
        snprintf(why, APP_WHY_MAX,
                 "unknown option %.100s; options are --cells, --steps, --parts, --frames, --animation and --count",
                 name);
    return 0;
}

int fdtd_options_read(fdtd_options *options, int argc, char **argv, char why[APP_WHY_MAX])
{
    int index, at;
    if (!app_class(argc, argv, &index, &at, why))
        return 0;
    *options = (fdtd_options){.letter = app_class_letter(index),
                              .cells = options_cells[index],
                              .steps = options_steps[index],
                              .is_parted_2d = 1,
                              .frame_count = 40};
    for (; at < argc; at += 2)
        if (!app_has_value(argc, argv, at, why) || !options_take(options, argv[at], argv[at + 1], why))
            return 0;
    return 1;
}

int fdtd_options_check_places(const fdtd_options *options, char why[APP_WHY_MAX])
{
    return app_place_folder(options->frames, why) && app_place_file(options->animation, why);
}
