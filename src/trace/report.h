/* SPDX-License-Identifier: Apache-2.0 */
/* Output from a record, by a launcher or a process whose threads are ranks. */
#ifndef COR_TRACE_REPORT_H
#define COR_TRACE_REPORT_H

#include "trace/picture.h"

/* The end of the job: write the timeline, print the statistics, write their page, as the settings say. Messages go to
 * `out`, each line begins with `prefix`. COR_OK, or the first failure, which has been printed. */
int cor_report_end(const cor_record *record, const cor_trace_config *config, FILE *out, const char *prefix);

/* What every rank is doing, now. */
void cor_report_picture(const cor_record *record, FILE *out, const char *prefix);

/* Check for a stall: nothing has moved for stall_s seconds, or ranks wait for each other in a cycle, which is found
 * after ten seconds at most. Then print what the ranks wait for, and return 1. */
int cor_report_stall(const cor_record *record, int stall_s, FILE *out, const char *prefix);

/* How often to check for a stall of stall_s seconds. */
uint64_t cor_report_stall_pause_ns(int stall_s);

/* Can the files be written, as far as is known before the job runs? Else the failure. */
int cor_report_check(const cor_trace_config *config, cor_fault *fault);

#endif
