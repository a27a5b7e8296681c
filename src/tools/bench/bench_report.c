/* SPDX-License-Identifier: Apache-2.0 */
/* The report of `corunna bench`: on the screen, and in files. */
#include "base/output.h"
#include "tools/bench/bench_options.h"

#include <sys/utsname.h>
#include <time.h>

void bench_report_describe(bench_report *report, const bench_options *options, int cpus, double seconds)
{
    struct utsname machine;
    char when[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    uname(&machine);
    if (gmtime_r(&now, &parts))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &parts);
    snprintf(report->machine, sizeof report->machine, "machine: %s, %d CPUs used, %s %.60s", machine.machine, cpus,
             machine.sysname, machine.release);
    snprintf(report->measured, sizeof report->measured,
             "measured: %s, Corunna " COR_VERSION ", best of %d rounds, %d ms a figure, %d buffer(s) in turn, %.0f s",
             when, options->rounds, options->ms, options->rotate, seconds);
}

int bench_report_write_files(const bench_report *report, const bench_options *options)
{
    char why[BENCH_WHY_MAX];
    int status = 0;
    const struct {
        const char *path;
        int (*write)(const bench_report *report, const char *path, char why[BENCH_WHY_MAX]);
    } files[] = {{options->csv, bench_file_csv}, {options->json, bench_file_json}, {options->html, bench_file_html}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i].path && !files[i].write(report, files[i].path, why))
            status = fprintf(stderr, "corunna bench: %s\n", why) >= 0;
    return status;
}

int bench_report_check_files(const bench_options *options)
{
    const char *const paths[] = {options->csv, options->json, options->html};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        cor_fault fault = {0};
        if (paths[i] && cor_output_check(paths[i], &fault) != COR_OK) {
            fprintf(stderr, "corunna bench: %s\n", fault.text);
            return -1;
        }
    }
    char why[BENCH_WHY_MAX];
    if (options->targets && !bench_targets_check(options->targets, why)) {
        fprintf(stderr, "corunna bench: %s\n", why);
        return -1;
    }
    return 0;
}

int bench_report_print(const bench_report *report, const bench_options *options)
{
    char why[BENCH_WHY_MAX];
    int status = 0;
    bench_table_print(report, stdout);
    if (options->targets && !bench_targets_print(report, options->targets, stdout, why))
        status = fprintf(stderr, "corunna bench: %s\n", why) >= 0;
    return status | bench_report_write_files(report, options);
}
