/* SPDX-License-Identifier: Apache-2.0 */
/* Where our own files are, and a folder of this run. */
#define _GNU_SOURCE
#include "launch/run_path.h"
#include "tools/bench/bench.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int bench_places_open(bench_places *places, bench_interrupts *interrupts, const char *command)
{
    char base[PATH_MAX - 32];
    ssize_t length = readlink("/proc/self/exe", places->corunna, sizeof places->corunna - 1);
    places->corunna[length > 0 ? length : 0] = '\0';
    snprintf(base, sizeof base, "%.*s", (int)sizeof base - 1, places->corunna);
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(base, '/');
        if (slash)
            *slash = '\0';
    }
    snprintf(places->programs, sizeof places->programs, "%s/libexec/corunna", base);
    snprintf(places->sources, sizeof places->sources, "%s/share/corunna/bench", base);
    cor_run_path_jar(places->jar, sizeof places->jar);
    const char *scratch = getenv("TMPDIR");
    snprintf(places->work, sizeof places->work, "%s/corunna-bench.XXXXXX", scratch && *scratch ? scratch : "/tmp");
    places->interrupts = interrupts;
    if (mkdtemp(places->work) && bench_interrupts_open(interrupts) == 0)
        return 0;
    fprintf(stderr, "%s: cannot make a folder %s: %s\n", command, places->work, strerror(errno));
    return -1;
}

static int places_remove(const char *path, const struct stat *state, int kind, struct FTW *at)
{
    (void)state, (void)kind, (void)at;
    return remove(path);
}

void bench_places_close(bench_places *places)
{
    nftw(places->work, places_remove, 16, FTW_DEPTH | FTW_PHYS);
}
