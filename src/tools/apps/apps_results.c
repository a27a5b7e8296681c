/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/apps/apps_matrix.h"

#include "base/machine.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char results_heading[] = "app,class,ranks,system,round,seconds,mops,verified";

int apps_results_add(apps_results *results, const apps_result *result)
{
    if (results->count == results->room) {
        int room = results->room ? 2 * results->room : 64;
        apps_result *rows = realloc(results->rows, (size_t)room * sizeof *rows);
        if (!rows)
            return 0;
        results->rows = rows;
        results->room = room;
    }
    results->rows[results->count++] = *result;
    return 1;
}

void apps_results_free(apps_results *results)
{
    free(results->rows);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

void apps_results_print(const apps_result *result, FILE *out)
{
    fprintf(out, "%s,%s,%d,%s,%d,%.3f,%.6g,%s\n", result->app, result->class_letter, result->ranks, result->system,
            result->round, result->seconds, result->rate, result->is_verified ? "yes" : "no");
}

int apps_results_parse(const char *line, apps_result *result_p)
{
    apps_result result;
    char verified[4];
    int end = 0;
    if (sscanf(line, "%23[a-z0-9],%23[A-Z],%7d,%23[a-z-],%7d,%lf,%lf,%3[a-z]%n", result.app, result.class_letter,
               &result.ranks, result.system, &result.round, &result.seconds, &result.rate, verified, &end) != 8 ||
        line[end + (int)strspn(line + end, "\r\n")] != '\0' || result.ranks < 1 || result.round < 1 ||
        !isfinite(result.seconds) || !isfinite(result.rate) || result.rate < 0)
        return 0;
    result.is_verified = strcmp(verified, "yes") == 0;
    if (!result.is_verified && strcmp(verified, "no") != 0)
        return 0;
    *result_p = result;
    return 1;
}

int apps_results_read(apps_results *results, const char *path, char why[BENCH_WHY_MAX])
{
    char line[512];
    int number = 0, is_fine = 1;
    FILE *file = fopen(path, "r");
    if (!file && errno == ENOENT)
        return 1;
    if (!file) {
        snprintf(why, BENCH_WHY_MAX, "%.300s: %s", path, strerror(errno));
        return 0;
    }
    while (is_fine && fgets(line, sizeof line, file)) {
        apps_result result;
        if (++number == 1)
            is_fine = strncmp(line, results_heading, sizeof results_heading - 1) == 0;
        else if (line[0] != '#')
            is_fine = apps_results_parse(line, &result) && apps_results_add(results, &result);
    }
    if (!is_fine)
        snprintf(why, BENCH_WHY_MAX, "%.300s: line %d is none of a matrix; --fresh begins a new file", path, number);
    fclose(file);
    return is_fine;
}

/* The columns, where the figures were measured, and when the first of them was. */
static void results_print_head(FILE *out)
{
    char machine[COR_MACHINE_MAX], day[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    cor_machine_print(machine);
    if (gmtime_r(&now, &parts))
        strftime(day, sizeof day, "%Y-%m-%d", &parts);
    fprintf(out, "%s\n" COR_MACHINE_LINE "%s\n# measured: %s, Corunna " COR_VERSION "\n", results_heading, machine,
            day);
}

int apps_results_append(const apps_result *result, const char *path, char why[BENCH_WHY_MAX])
{
    FILE *file = fopen(path, "a");
    if (file) {
        if (fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0)
            results_print_head(file);
        apps_results_print(result, file);
        if (fclose(file) == 0)
            return 1;
    }
    snprintf(why, BENCH_WHY_MAX, "%.300s: %s", path, strerror(errno));
    return 0;
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

static int results_is_of_app(const apps_result *a, const apps_result *b)
{
    return strcmp(a->app, b->app) == 0 && strcmp(a->class_letter, b->class_letter) == 0;
}

int apps_results_has(const apps_results *results, const apps_result *like)
{
    for (int i = 0; i < results->count; i++) {
        const apps_result *row = &results->rows[i];
        if (row->is_verified && results_is_of_app(row, like) && strcmp(row->system, like->system) == 0 &&
            row->ranks == like->ranks && row->round == like->round)
            return 1;
    }
    return 0;
}

double apps_results_best(const apps_results *results, const apps_result *like, const char *system, int ranks)
{
    double best = 0;
    for (int i = 0; i < results->count; i++) {
        const apps_result *row = &results->rows[i];
        if (row->is_verified && results_is_of_app(row, like) && strcmp(row->system, system) == 0 &&
            row->ranks == ranks && row->rate > best)
            best = row->rate;
    }
    return best;
}

int apps_results_is_first(const apps_results *results, int row)
{
    for (int i = 0; i < row; i++)
        if (results_is_of_app(&results->rows[i], &results->rows[row]))
            return 0;
    return 1;
}
