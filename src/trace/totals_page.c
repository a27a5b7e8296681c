/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics as one HTML file that needs nothing else: bars of the ranks' time, the matrix of messages, the calls.
 * It has no script: all values are written out, or shown under the pointer by the browser itself. */
#include "trace/totals.h"

#include "base/output.h"

#include <inttypes.h>

enum { PAGE_CELLS = 64 }; /* of a side of the matrix; beyond, neighbours share a cell */

static const char page_style[] =
    "<style>\n"
    ":root{--ink:#1b1f24;--paper:#fff;--line:#d0d7de;--compute:#8ab17d;--call:#2a6f97;--wait:#e76f51;--heat:42,111,"
    "151}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--line:#30363d;--compute:#5b8a52;"
    "--call:#58a6d6;--wait:#f08a6c;--heat:88,166,214}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:70em;margin:2em auto;"
    "padding:0 1em}\n"
    "table{border-collapse:collapse;margin:1em 0}th,td{padding:.15em .6em;text-align:right;border-bottom:1px solid "
    "var(--line)}th:first-child,td:first-child{text-align:left}\n"
    ".matrix td{width:1.1em;height:1.1em;min-width:.5em;padding:0;border:1px solid var(--line)}"
    ".matrix th{padding:0 .4em;border:0;font-weight:normal;font-size:80%}\n"
    ".bar{display:flex;height:1.1em;width:40em;max-width:60vw;background:none}.bar span{height:100%}\n"
    ".compute{background:var(--compute)}.call{background:var(--call)}.wait{background:var(--wait)}\n"
    ".key span{display:inline-block;width:1em;height:1em;margin:0 .3em 0 1em;vertical-align:-.1em}\n"
    "</style>\n";

/* ---- the ranks' time -------------------------------------------------------------------------------------------- */

static void page_bar(FILE *file, const char *kind, double seconds, double longest_s)
{
    fprintf(file, "<span class=\"%s\" style=\"width:%.2f%%\" title=\"%s %.6f s\"></span>", kind,
            longest_s > 0 ? 100 * seconds / longest_s : 0, kind, seconds);
}

static void page_ranks(const cor_totals *totals, FILE *file)
{
    fputs("<h2>Where the time goes</h2>\n<p class=\"key\"><span class=\"compute\"></span>outside of calls"
          "<span class=\"call\"></span>in calls, moving data<span class=\"wait\"></span>in calls, waiting</p>\n"
          "<table class=\"ranks\">\n",
          file);
    for (uint32_t rank = 0; rank < totals->size; rank++) {
        const cor_totals_rank *self = &totals->ranks[rank];
        if (!self->is_counted)
            continue;
        double waited_s = self->waited_s < self->call_s ? self->waited_s : self->call_s;
        fprintf(file, "<tr><td>rank %" PRIu32 "</td><td><div class=\"bar\">", rank);
        page_bar(file, "compute", self->total_s > self->call_s ? self->total_s - self->call_s : 0, totals->longest_s);
        page_bar(file, "call", self->call_s - waited_s, totals->longest_s);
        page_bar(file, "wait", waited_s, totals->longest_s);
        fprintf(file, "</div></td><td>%.6f s</td></tr>\n", self->total_s);
    }
    fputs("</table>\n", file);
}

/* ---- the matrix ------------------------------------------------------------------------------------------------- */

/* The logarithm, near enough for a colour. */
static double page_log(uint64_t bytes)
{
    return bytes == 0 ? 0 : 64 - __builtin_clzll(bytes);
}

/* A cell is `width` ranks wide and high. */
static cor_record_pair page_cell(const cor_totals *totals, uint32_t from, uint32_t to, uint32_t width)
{
    cor_record_pair sum = {0};
    for (uint32_t row = from; row < from + width && row < totals->size; row++)
        for (uint32_t column = to; column < to + width && column < totals->size; column++) {
            const cor_record_pair *pair = &totals->matrix[(size_t)row * totals->size + column];
            sum.messages += pair->messages;
            sum.bytes += pair->bytes;
        }
    return sum;
}

static void page_ranges(char out[48], uint32_t first, uint32_t width, uint32_t size)
{
    uint32_t last = first + width - 1 < size ? first + width - 1 : size - 1;
    if (first == last)
        snprintf(out, 48, "%" PRIu32, first);
    else
        snprintf(out, 48, "%" PRIu32 "-%" PRIu32, first, last);
}

static void page_row(const cor_totals *totals, FILE *file, uint32_t from, uint32_t width, uint64_t most)
{
    char sender[48], receiver[48];
    page_ranges(sender, from, width, totals->size);
    fprintf(file, "<tr><th>%s</th>", sender);
    for (uint32_t to = 0; to < totals->size; to += width) {
        cor_record_pair cell = page_cell(totals, from, to, width);
        double heat = most > 0 ? page_log(cell.bytes) / page_log(most) : 0;
        page_ranges(receiver, to, width, totals->size);
        if (cell.messages == 0)
            fputs("<td></td>", file);
        else
            fprintf(file,
                    "<td style=\"background:rgba(var(--heat),%.3f)\" title=\"%s to %s: %" PRIu64 " messages, %" PRIu64
                    " bytes\"></td>",
                    0.1 + 0.9 * heat, sender, receiver, cell.messages, cell.bytes);
    }
    fputs("</tr>\n", file);
}

static void page_matrix(const cor_totals *totals, FILE *file)
{
    uint32_t width = (totals->size + PAGE_CELLS - 1) / PAGE_CELLS;
    uint64_t most = 0;
    fputs("<h2>Which rank sends to which</h2>\n", file);
    if (!totals->matrix) {
        fprintf(file, "<p>The job has %" PRIu32 " ranks; the matrix is kept up to %d.</p>\n", totals->size,
                COR_RECORD_MATRIX_MAX);
        return;
    }
    fputs("<p>A row is a sender, a column a receiver; the darker, the more bytes (logarithmic). The pointer shows the "
          "numbers. Sends of the program are counted, not the messages of collective calls.</p>\n<table "
          "class=\"matrix\">\n",
          file);
    for (uint32_t from = 0; from < totals->size; from += width)
        for (uint32_t to = 0; to < totals->size; to += width) {
            uint64_t bytes = page_cell(totals, from, to, width).bytes;
            most = bytes > most ? bytes : most;
        }
    for (uint32_t from = 0; from < totals->size; from += width)
        page_row(totals, file, from, width, most);
    fputs("</table>\n", file);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static void page_calls(const cor_totals *totals, FILE *file)
{
    fputs("<h2>Calls</h2>\n<p>Times are those of a rank, in seconds.</p>\n<table>\n<tr><th>call</th><th>calls</th>"
          "<th>bytes</th><th>min</th><th>mean</th><th>max</th><th>waiting</th></tr>\n",
          file);
    for (int i = 0; i < COR_TRACED_CALLS; i++) {
        const cor_totals_call *call = &totals->calls[i];
        if (call->calls > 0)
            fprintf(file,
                    "<tr><td>%s</td><td>%" PRIu64 "</td><td>%" PRIu64
                    "</td><td>%.6f</td><td>%.6f</td><td>%.6f</td><td>%.6f</td></tr>\n",
                    cor_traced_name((unsigned)i, totals->face), call->calls, call->bytes, call->min_s, call->mean_s,
                    call->max_s, call->waited_s);
    }
    fputs("</table>\n", file);
}

static void page_pairs(const cor_totals *totals, FILE *file)
{
    fputs("<h2>Busiest pairs</h2>\n<table>\n<tr><th>from, to</th><th>messages</th><th>bytes</th></tr>\n", file);
    for (size_t i = 0; i < totals->busiest_count; i++) {
        const cor_totals_pair *pair = &totals->busiest[i];
        fprintf(file, "<tr><td>%" PRIu32 " to %" PRIu32 "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td></tr>\n",
                pair->from, pair->to, pair->messages, pair->bytes);
    }
    fputs("</table>\n", file);
}

int cor_totals_write_page(const cor_totals *totals, const char *path, cor_fault *fault)
{
    cor_output output;
    int rc = cor_output_open(&output, path, fault);
    if (rc != COR_OK)
        return rc;
    FILE *file = output.file;
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Corunna: a job</title>\n"
          "<link rel=\"icon\" href=\"data:,\">\n",
          file);
    fputs(page_style, file);
    fprintf(file, "</head><body>\n<h1>A job of %" PRIu32 " ranks</h1>\n<p>In MPI for %.6f s at most.", totals->counted,
            totals->longest_s);
    if (totals->compute_mean_s > 0)
        fprintf(file, " Load imbalance: rank %" PRIu32 " spends %.1f %% more time outside of calls than the mean.",
                totals->compute_max_rank, 100 * (totals->compute_max_s / totals->compute_mean_s - 1));
    fputs("</p>\n", file);
    page_ranks(totals, file);
    page_matrix(totals, file);
    page_calls(totals, file);
    page_pairs(totals, file);
    fputs("</body></html>\n", file);
    return cor_output_commit(&output, fault);
}
