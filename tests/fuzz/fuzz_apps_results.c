/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the file of `corunna apps matrix --csv` may hold: any bytes. What is taken has names and numbers that tables can
 * show, and is taken again as it was written.
 *
 * FUZZ_SOURCES: src/tools/apps/apps_results.c src/base/machine.c
 */
#define _GNU_SOURCE
#include "tools/apps/apps_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void fuzz_check(const apps_result *row)
{
    char *text = NULL;
    size_t bytes = 0;
    apps_result again;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        abort();
    apps_results_print(row, out);
    fclose(out);
    if (!apps_results_parse(text, &again) || strcmp(again.app, row->app) != 0 ||
        strcmp(again.class_letter, row->class_letter) != 0 || strcmp(again.system, row->system) != 0 ||
        again.ranks != row->ranks || again.round != row->round || again.is_verified != row->is_verified ||
        strpbrk(row->app, ",\"\\\n") || row->ranks < 1 || !isfinite(row->rate))
        abort();
    free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const char heading[] = "app,class,ranks,system,round,seconds,mops,verified\n";
    char path[64], why[BENCH_WHY_MAX] = "";
    apps_results results = {0};
    int fd = memfd_create("results", MFD_CLOEXEC);
    if (fd < 0 || write(fd, heading, sizeof heading - 1) < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!apps_results_read(&results, path, why) && !*why)
        abort();
    for (int i = 0; i < results.count; i++)
        fuzz_check(&results.rows[i]);
    apps_results_free(&results);
    close(fd);
    return 0;
}
