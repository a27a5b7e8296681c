/* SPDX-License-Identifier: Apache-2.0 */
/* The events of all ranks as a timeline that Perfetto and Chrome's tracing page open. */
#ifndef COR_TRACE_TIMELINE_H
#define COR_TRACE_TIMELINE_H

#include "trace/record.h"

/* Which part of the job the file lacks, because memory for events is bounded. */
typedef struct cor_timeline_gaps {
    uint64_t dropped; /* calls, the earliest ones */
    uint32_t ranks;   /* with such */
} cor_timeline_gaps;

/* Write it whole (base/output.h). Ranks that have ended in whatever way have the events that they wrote.
 * COR_ERR_SYSTEM, COR_ERR_MEMORY: what was at the path is still there. */
int cor_timeline_write(const cor_record *record, const char *path, cor_timeline_gaps *gaps_p, cor_fault *fault);

#endif
