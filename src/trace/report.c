/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/report.h"

#include "base/output.h"
#include "trace/timeline.h"
#include "trace/totals.h"

#include <inttypes.h>

enum {
    REPORT_RANKS = 64,   /* of a picture beside the output of the job */
    REPORT_CYCLE_S = 10, /* a cycle of waits is told after this time, for no time mends it */
};

static int report_fail(FILE *out, const char *prefix, const cor_fault *fault)
{
    fprintf(out, "%s%s\n", prefix, fault->text);
    return fault->code;
}

static int report_timeline(const cor_record *record, const cor_trace_config *config, FILE *out, const char *prefix)
{
    cor_timeline_gaps gaps;
    cor_fault fault = {0};
    if (cor_timeline_write(record, config->file, &gaps, &fault) != COR_OK)
        return report_fail(out, prefix, &fault);
    if (gaps.dropped > 0)
        fprintf(out,
                "%s%s lacks the first %" PRIu64 " calls of %" PRIu32 " ranks: it keeps the last %" PRIu32
                " of each (setting trace.events)\n",
                prefix, config->file, gaps.dropped, gaps.ranks, record->header.event_max);
    return COR_OK;
}

static int report_totals(const cor_record *record, const cor_trace_config *config, FILE *out, const char *prefix)
{
    cor_totals totals;
    cor_fault fault = {0};
    if (cor_totals_add_up(&totals, record, &fault) != COR_OK)
        return report_fail(out, prefix, &fault);
    if (config->has_stats)
        cor_totals_print(&totals, out, prefix);
    int rc = COR_OK;
    if (config->html[0] && cor_totals_write_page(&totals, config->html, &fault) != COR_OK)
        rc = report_fail(out, prefix, &fault);
    cor_totals_fini(&totals);
    return rc;
}

int cor_report_end(const cor_record *record, const cor_trace_config *config, FILE *out, const char *prefix)
{
    uint32_t flags = cor_trace_flags(config);
    int rc = COR_OK, second = COR_OK;
    if (flags & COR_RECORD_EVENTS)
        rc = report_timeline(record, config, out, prefix);
    if (flags & COR_RECORD_STATS)
        second = report_totals(record, config, out, prefix);
    return rc != COR_OK ? rc : second;
}

void cor_report_picture(const cor_record *record, FILE *out, const char *prefix)
{
    cor_picture picture;
    if (cor_picture_take(&picture, record) == 0)
        cor_picture_print(&picture, out, prefix, REPORT_RANKS);
    cor_picture_fini(&picture);
}

static int report_cycle_s(int stall_s)
{
    return stall_s < REPORT_CYCLE_S ? stall_s : REPORT_CYCLE_S;
}

int cor_report_stall(const cor_record *record, int stall_s, FILE *out, const char *prefix)
{
    const uint64_t second = 1000000000;
    int cycle_s = report_cycle_s(stall_s), is_told = 0;
    cor_picture picture;
    if (cor_picture_take(&picture, record) == 0) {
        int is_stalled = cor_picture_is_stalled(&picture, (uint64_t)stall_s * second);
        is_told = is_stalled || cor_waits_is_deadlock(&picture, (uint64_t)cycle_s * second);
        if (is_stalled)
            fprintf(out, "%severy rank waits, and nothing has moved for %d s; the job goes on:\n", prefix, stall_s);
        else if (is_told)
            fprintf(out, "%sranks wait for each other, and none of them has moved for %d s; the job goes on:\n",
                    prefix, cycle_s);
    }
    if (is_told)
        cor_picture_print(&picture, out, prefix, REPORT_RANKS);
    cor_picture_fini(&picture);
    return is_told;
}

uint64_t cor_report_stall_pause_ns(int stall_s)
{
    return (uint64_t)report_cycle_s(stall_s) * 1000000000 / 4;
}

int cor_report_check(const cor_trace_config *config, cor_fault *fault)
{
    int rc = config->file[0] ? cor_output_check(config->file, fault) : COR_OK;
    return rc == COR_OK && config->html[0] ? cor_output_check(config->html, fault) : rc;
}
