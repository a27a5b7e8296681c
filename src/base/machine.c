/* SPDX-License-Identifier: Apache-2.0 */
#include "base/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
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

void cor_rules_print_head(FILE *out, const char *writer)
{
    char when[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts))
        strftime(when, sizeof when, "%Y-%m-%d", &parts);
    fprintf(out, COR_RULES_WRITTEN "%s on %s, Corunna " COR_VERSION ". The built-in rules follow after these.\n",
            writer, when);
}

int cor_rules_text_is_whole(const char *text)
{
    size_t begin = sizeof COR_RULES_WRITTEN - 1;
    return strncmp(text, COR_RULES_WRITTEN, begin) != 0 || strstr(text, "\n" COR_RULES_END) != NULL;
}

/* The first part of a file; enough for what `corunna tune` writes. Empty if it cannot be read. */
static int machine_read(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "r");
    text[0] = '\0';
    if (!file)
        return 0;
    text[fread(text, 1, room - 1, file)] = '\0';
    fclose(file);
    return 1;
}

/* The machine that the first lines name. */
static void machine_named(const char *text, char name[COR_MACHINE_MAX])
{
    size_t begin = sizeof COR_MACHINE_LINE - 1;
    name[0] = '\0';
    for (; *text == '#'; text += strcspn(text, "\n"), text += *text == '\n')
        if (strncmp(text, COR_MACHINE_LINE, begin) == 0) {
            int length = (int)strcspn(text + begin, "\n");
            snprintf(name, COR_MACHINE_MAX, "%.*s", length, text + begin);
            return;
        }
}

cor_tuned cor_machine_find_tuned(char *out, size_t room, char other[COR_MACHINE_MAX])
{
    enum { TEXT_MAX = 1 << 20 };
    char here[COR_MACHINE_MAX], *text = malloc(TEXT_MAX);
    cor_tuned found = COR_TUNED_ABSENT;
    other[0] = '\0';
    if (text && cor_machine_tuned_path(out, room, 0) == 0 && machine_read(out, text, TEXT_MAX)) {
        cor_machine_print(here);
        machine_named(text, other);
        found = !cor_rules_text_is_whole(text) ? COR_TUNED_CUT
                : strcmp(other, here) == 0     ? COR_TUNED_HERE
                                               : COR_TUNED_OTHER;
    }
    free(text);
    return found;
}
