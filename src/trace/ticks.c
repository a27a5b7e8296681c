/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/ticks.h"

#include <stdio.h>
#include <string.h>

int cor_ticks_has_counter(void)
{
#if defined(__aarch64__)
    return 1;
#elif defined(__x86_64__)
    FILE *facts = fopen("/proc/cpuinfo", "re");
    char line[4096];
    int has_counter = 0;
    while (facts && fgets(line, sizeof line, facts))
        if (strncmp(line, "flags", 5) == 0) {
            has_counter = strstr(line, " constant_tsc") && strstr(line, " nonstop_tsc");
            break;
        }
    if (facts)
        fclose(facts);
    return has_counter;
#else
    return 0;
#endif
}
