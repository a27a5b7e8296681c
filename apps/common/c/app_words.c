/* SPDX-License-Identifier: Apache-2.0 */
#include "app_words.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char words_classes[] = "SWABC";

int app_class(int argc, char **argv, int *index_p, int *option_p, char why[APP_WHY_MAX])
{
    const char *found = words_classes;
    int has_class = argc > 1 && strncmp(argv[1], "--", 2) != 0;
    if (has_class)
        found = strlen(argv[1]) == 1 ? strchr(words_classes, toupper((unsigned char)argv[1][0])) : NULL;
    if (!found) {
        snprintf(why, APP_WHY_MAX, "class is '%.100s'; classes are S, W, A, B and C", argv[1]);
        return 0;
    }
    *index_p = (int)(found - words_classes);
    *option_p = has_class ? 2 : 1;
    return 1;
}

char app_class_letter(int index)
{
    return words_classes[index];
}

int app_has_value(int argc, char **argv, int option, char why[APP_WHY_MAX])
{
    if (option + 1 < argc)
        return 1;
    snprintf(why, APP_WHY_MAX, "option %.100s needs a value", argv[option]);
    return 0;
}

int app_number(const char *name, const char *value, int least, int *number_p, char why[APP_WHY_MAX])
{
    char *end = NULL;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (end != value && !*end && errno == 0 && number >= least && number <= INT_MAX) {
        *number_p = (int)number;
        return 1;
    }
    snprintf(why, APP_WHY_MAX, "%s is '%.100s'; it is a number from %d on", name, value, least);
    return 0;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Makes a folder and those above it. */
static int words_make_folder(const char *path)
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

int app_place_folder(const char *folder, char why[APP_WHY_MAX])
{
    if (!folder)
        return 1;
    int is_made = words_make_folder(folder);
    if (is_made && access(folder, W_OK) == 0)
        return 1;
    snprintf(why, APP_WHY_MAX, "folder %.300s cannot be %s", folder, is_made ? "written to" : "made");
    return 0;
}

int app_place_file(const char *file, char why[APP_WHY_MAX])
{
    char folder[PATH_MAX];
    struct stat state;
    if (!file)
        return 1;
    snprintf(folder, sizeof folder, "%s", file);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    if (access(slash ? folder : ".", W_OK) == 0 && !(stat(file, &state) == 0 && S_ISDIR(state.st_mode)))
        return 1;
    snprintf(why, APP_WHY_MAX, "file %.300s cannot be written", file);
    return 0;
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

void app_report(const app_result *result)
{
    double rate = result->seconds > 0 ? result->operations / result->seconds / 1e6 : 0;
    printf(" Class           =             %12c\n", result->letter);
    printf(" Size            =             %12s\n", result->size);
    printf(" Iterations      =             %12d\n", result->iterations);
    printf(" Time in seconds =             %12.2f\n", result->seconds);
    printf(" Total processes =             %12d\n", result->ranks);
    printf(" Mop/s total     =             %12.2f\n", rate);
    printf(" Mop/s/process   =             %12.2f\n", rate / result->ranks);
    printf(" Operation type  = %24s\n", result->type);
    printf(" Verification    =             %12s\n", result->is_right ? "SUCCESSFUL" : "UNSUCCESSFUL");
    fflush(stdout);
}
