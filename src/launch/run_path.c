/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/run_path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path of the executable, without its last `up` names: 1 is the folder of programs. */
static void path_self(char self[PATH_MAX], int up)
{
    ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);
    self[length > 0 ? length : 0] = '\0';
    for (; up > 0; up--) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
    }
}

int cor_run_path_pages(char out[PATH_MAX])
{
    char self[PATH_MAX], page[PATH_MAX + sizeof COR_DOC_FROM_BIN + sizeof "//docs/index.md"];
    path_self(self, 1);
    snprintf(page, sizeof page, "%s/" COR_DOC_FROM_BIN "/docs/index.md", self);
    if (!realpath(page, out))
        return 0;
    out[strlen(out) - strlen("/docs/index.md")] = '\0';
    return 1;
}

int cor_run_path_abi(char out[PATH_MAX])
{
    static const char *const places[] = {"../lib", "../" COR_LIBDIR};
    char self[PATH_MAX], folder[PATH_MAX + sizeof COR_LIBDIR + sizeof "/..//corunna/abi"];
    path_self(self, 1);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(folder, sizeof folder, "%s/%s/corunna/abi", self, places[i]);
        if (realpath(folder, out))
            return 1;
    }
    return 0;
}

int cor_run_path_jar(char *out, size_t room)
{
    const char *chosen = getenv("CORUNNA_JAR");
    if (chosen && *chosen) {
        snprintf(out, room, "%s", chosen);
        return access(out, R_OK) == 0;
    }
    static const char *const places[] = {"lib", "share/java"};
    char self[PATH_MAX];
    path_self(self, 2);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(out, room, "%s/%s/corunna.jar", self, places[i]);
        if (access(out, R_OK) == 0)
            return 1;
    }
    snprintf(out, room, "%s/%s/corunna.jar", self, places[0]);
    return 0;
}

int cor_run_path_find(const char *program, char real[PATH_MAX])
{
    if (strchr(program, '/'))
        return realpath(program, real) != NULL;
    const char *at = getenv("PATH");
    while (at && *at) {
        char place[PATH_MAX];
        int length = (int)strcspn(at, ":");
        int wanted = snprintf(place, sizeof place, "%.*s%s%s", length, at, length ? "/" : "", program);
        if (wanted < (int)sizeof place && access(place, X_OK) == 0)
            return realpath(place, real) != NULL;
        at += length + (at[length] == ':');
    }
    return 0;
}
