/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and JSON. docs/benchmarking.md lists the columns. */
#include "base/output.h"
#include "tools/bench/bench.h"

#include <string.h>

static int file_write(const bench_report *report, const char *path, void (*print)(const bench_report *, FILE *),
                      char why[BENCH_WHY_MAX])
{
    cor_output output;
    cor_fault fault = {0};
    int rc = cor_output_open(&output, path, &fault);
    if (rc == COR_OK) {
        print(report, output.file);
        rc = cor_output_commit(&output, &fault);
    }
    if (rc != COR_OK)
        snprintf(why, BENCH_WHY_MAX, "%s", fault.text);
    return rc == COR_OK;
}

/* ---- what both print -------------------------------------------------------------------------------------------- */

static const char *file_language(const bench_result *result)
{
    return result->system->is_java ? "java" : "c";
}

/* corunna-java is Corunna in another language; ranks that are threads are a library of their own here. */
static const char *file_system(const bench_result *result)
{
    return strcmp(result->system->name, "corunna-java") == 0 ? "corunna" : result->system->name;
}

static int file_is_check(const bench_report *report, const bench_result *result)
{
    for (int i = 0; i < report->check_count; i++)
        if (report->checks[i] == result->bytes)
            return 1;
    return 0;
}

static void file_csv(const bench_report *report, FILE *out)
{
    fprintf(out, "# %s\n# %s\n", report->machine, report->measured);
    for (int i = 0; i < report->note_count; i++)
        fprintf(out, "# %s\n", report->notes[i]);
    fputs("test,system,language,device,ranks,type,mode,bytes,unit,minimum,median,spread,samples\n", out);
    for (int i = 0; i < report->results->count; i++) {
        const bench_result *r = &report->results->rows[i];
        fprintf(out, "%s,%s,%s,%s,%d,%s,%s%s,%ld,%s,%.6g,%.6g,%.4f,%d\n", r->test, file_system(r), file_language(r),
                *r->variant ? r->variant : "default", r->ranks, r->type, r->mode,
                file_is_check(report, r) ? "+check" : "", r->bytes, r->unit, r->minimum, bench_result_median(r),
                bench_result_spread(r), r->samples);
    }
}

static void file_string(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void file_member(const char *name, const char *text, FILE *out)
{
    fprintf(out, "\"%s\": ", name);
    file_string(text, out);
    fputs(", ", out);
}

static void file_json(const bench_report *report, FILE *out)
{
    fputs("{\"corunna_bench\": 1, ", out);
    file_member("machine", report->machine, out);
    file_member("measured", report->measured, out);
    fputs("\"notes\": [", out);
    for (int i = 0; i < report->note_count; i++) {
        fputs(i ? ", " : "", out);
        file_string(report->notes[i], out);
    }
    fputs("], \"results\": [", out);
    for (int i = 0; i < report->results->count; i++) {
        const bench_result *r = &report->results->rows[i];
        fputs(i ? ",\n  {" : "\n  {", out);
        file_member("test", r->test, out);
        file_member("system", file_system(r), out);
        file_member("language", file_language(r), out);
        file_member("device", *r->variant ? r->variant : "default", out);
        file_member("type", r->type, out);
        file_member("mode", r->mode, out);
        file_member("unit", r->unit, out);
        fprintf(
            out,
            "\"ranks\": %d, \"bytes\": %ld, \"minimum\": %.6g, \"median\": %.6g, \"spread\": %.4f, \"samples\": %d}",
            r->ranks, r->bytes, r->minimum, bench_result_median(r), bench_result_spread(r), r->samples);
    }
    fputs("\n]}\n", out);
}

int bench_file_csv(const bench_report *report, const char *path, char why[BENCH_WHY_MAX])
{
    return file_write(report, path, file_csv, why);
}

int bench_file_json(const bench_report *report, const char *path, char why[BENCH_WHY_MAX])
{
    return file_write(report, path, file_json, why);
}
