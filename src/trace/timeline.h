/* SPDX-License-Identifier: Apache-2.0 */
/* The events of all ranks as a timeline that Perfetto and Chrome's tracing page open. */
#ifndef COR_TRACE_TIMELINE_H
#define COR_TRACE_TIMELINE_H

#include "trace/record.h"

/* What is missing in the file, because memory for events is bounded. */
typedef struct cor_timeline_gaps {
    uint64_t dropped; /* calls, the earliest ones */
    uint32_t ranks;   /* with dropped calls */
} cor_timeline_gaps;

/* Write the file completely or not at all (base/output.h). Ranks that have ended in any way have the events that they
 * wrote. COR_ERR_SYSTEM, COR_ERR_MEMORY: the old file is unchanged. */
int cor_timeline_write(const cor_record *record, const char *path, cor_timeline_gaps *gaps_p, cor_fault *fault);

#endif
