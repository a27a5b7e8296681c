#include "run/run_java.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The executable that execvp would run, with all links followed. 1, or 0: there is none. */
static int java_find(const char *java, char real[PATH_MAX])
{
    if (strchr(java, '/'))
        return realpath(java, real) != NULL;
    const char *at = getenv("PATH");
    while (at && *at) {
        char place[PATH_MAX];
        int length = (int)strcspn(at, ":");
        int wanted = snprintf(place, sizeof place, "%.*s%s%s", length, at, length ? "/" : "", java);
        if (wanted < (int)sizeof place && access(place, X_OK) == 0)
            return realpath(place, real) != NULL;
        at += length + (at[length] == ':');
    }
    return 0;
}

int cor_run_java_version(const char *java)
{
    char path[PATH_MAX], line[256];
    const char *const known = "JAVA_VERSION=\"";
    int version = 0;
    if (!java_find(java, path))
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
