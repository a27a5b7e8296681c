/* SPDX-License-Identifier: Apache-2.0 */
#include "base/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Processors have a name on x86, and numbers of their maker and part on ARM. */
static void machine_processor(char *out, size_t room)
{
    static const char *const names[] = {"model name", "CPU implementer", "CPU part"};
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    size_t used = 0;
    out[0] = '\0';
    while (file && fgets(line, sizeof line, file) && line[0] != '\n') { /* the first one is like the others */
        char *value = strchr(line, ':');
        for (size_t i = 0; value && i < sizeof names / sizeof names[0]; i++)
            if (strncmp(line, names[i], strlen(names[i])) == 0 && used < room - 1) {
                line[strcspn(line, "\n")] = '\0';
                used += (size_t)snprintf(out + used, room - used, "%s%s", used ? " " : "", value + 2);
            }
    }
    if (file)
        fclose(file);
}

void cor_machine_print(char out[COR_MACHINE_MAX])
{
    struct utsname system;
    char processor[96];
    machine_processor(processor, sizeof processor);
    uname(&system);
    snprintf(out, COR_MACHINE_MAX, "%.20s, %.90s, %ld CPUs", system.machine, processor, sysconf(_SC_NPROCESSORS_ONLN));
}

int cor_machine_tuned_path(char *out, size_t room, int must_make)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int used = config && *config ? snprintf(out, room, "%s", config)
               : home && *home   ? snprintf(out, room, "%s/.config", home)
                                 : -1;
    if (used < 0 || (size_t)used + sizeof "/corunna/tuned.rules" > room)
        return -1;
    if (must_make)
        mkdir(out, 0777);
    used += snprintf(out + used, room - (size_t)used, "/corunna");
    if (must_make)
        mkdir(out, 0777);
    snprintf(out + used, room - (size_t)used, "/tuned.rules");
    return 0;
}

int cor_machine_find_tuned(char *out, size_t room, char other[COR_MACHINE_MAX])
{
    char line[512], here[COR_MACHINE_MAX];
    FILE *file = cor_machine_tuned_path(out, room, 0) == 0 ? fopen(out, "r") : NULL;
    int found = file ? -1 : 0;
    other[0] = '\0';
    cor_machine_print(here);
    while (file && found < 0 && fgets(line, sizeof line, file) && line[0] == '#') {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, COR_MACHINE_LINE, sizeof COR_MACHINE_LINE - 1) != 0)
            continue;
        const char *name = line + sizeof COR_MACHINE_LINE - 1;
        snprintf(other, COR_MACHINE_MAX, "%.*s", COR_MACHINE_MAX - 1, name);
        found = strcmp(other, here) == 0 ? 1 : -1;
        if (found < 0)
            break;
    }
    if (file)
        fclose(file);
    return found;
}
