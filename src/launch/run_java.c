/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/run_java.h"

#include "launch/run_path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cor_run_java_version(const char *java)
{
    char path[PATH_MAX], line[256];
    const char *const known = "JAVA_VERSION=\"";
    int version = 0;
    if (!cor_run_path_find(java, path))
        return 0;
    /* From bin/java to the file beside bin. */
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    }
    if (strlen(path) + sizeof "/release" > sizeof path)
        return 0;
    strcat(path, "/release");
    FILE *release = fopen(path, "re");
    if (!release)
        return 0;
    /* Longer lines come in pieces, none of which looks like the wanted one. */
    while (version == 0 && fgets(line, sizeof line, release))
        if (strncmp(line, known, strlen(known)) == 0)
            version = atoi(line + strlen(known));
    fclose(release);
    return version;
}
