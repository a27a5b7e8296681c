/* SPDX-License-Identifier: Apache-2.0 */
#include "nbody_options.h"

#include <stdio.h>
#include <string.h>

static const int options_bodies[] = {2000, 8000, 32000, 128000, 512000};

static int options_take(nbody_options *options, const char *name, const char *value, char why[APP_WHY_MAX])
{
    const struct {
        const char *name;
        int least;
        int *number;        /* of one that is a number */
        const char **place; /* of one that is a path */
    } rows[] = {{"--bodies", 4, &options->bodies, NULL},       {"--steps", 1, &options->steps, NULL},
                {"--count", 1, &options->frame_count, NULL},   {"--frames", 0, NULL, &options->frames},
                {"--animation", 0, NULL, &options->animation}, {"--snapshot", 0, NULL, &options->snapshot},
                {"--restart", 0, NULL, &options->restart}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        if (rows[i].number)
            return app_number(name, value, rows[i].least, rows[i].number, why);
        *rows[i].place = value;
        return 1;
    }
    snprintf(why, APP_WHY_MAX,
             "unknown option %.100s; options are --bodies, --steps, --frames, --animation, --count, --snapshot and "
             "--restart",
             name);
    return 0;
}

int nbody_options_read(nbody_options *options, int argc, char **argv, char why[APP_WHY_MAX])
{
    int index, at;
    if (!app_class(argc, argv, &index, &at, why))
        return 0;
    *options = (nbody_options){
        .letter = app_class_letter(index), .bodies = options_bodies[index], .steps = 50, .frame_count = 40};
    for (; at < argc; at += 2)
        if (!app_has_value(argc, argv, at, why) || !options_take(options, argv[at], argv[at + 1], why))
            return 0;
    return 1;
}

int nbody_options_check_places(const nbody_options *options, char why[APP_WHY_MAX])
{
    return app_place_folder(options->frames, why) && app_place_file(options->animation, why) &&
           app_place_file(options->snapshot, why);
}
