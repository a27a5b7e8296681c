/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of a job: what its ranks have done, added up. */
#ifndef COR_TRACE_TOTALS_H
#define COR_TRACE_TOTALS_H

#include "trace/record.h"

#include <stdio.h>

enum { COR_TOTALS_PAIRS = 10 };

/* Of one call: over all ranks, and the times of a rank. */
typedef struct cor_totals_call {
    uint64_t calls, bytes;
    double min_s, mean_s, max_s, waited_s; /* waited_s: the mean */
} cor_totals_call;

typedef struct cor_totals_rank {
    int is_counted; /* it has called MPI_Init */
    double total_s; /* from MPI_Init to MPI_Finalize, or to its end */
    double call_s, waited_s;
    uint64_t messages, bytes; /* that it sent to other ranks or itself by sends of its own */
} cor_totals_rank;

typedef struct cor_totals_pair {
    uint32_t from, to;
    uint64_t messages, bytes;
} cor_totals_pair;

typedef struct cor_totals {
    uint32_t size, counted; /* ranks */
    unsigned face;          /* of the first rank, whose names of calls are used */
    cor_totals_call calls[COR_TRACED_CALLS];
    cor_totals_rank *ranks;
    cor_record_pair *matrix; /* row by row: sent by, sent to; NULL: too many ranks */
    cor_totals_pair busiest[COR_TOTALS_PAIRS];
    size_t busiest_count;
    double longest_s;                     /* of total_s */
    double compute_mean_s, compute_max_s; /* outside of calls */
    uint32_t compute_max_rank;
} cor_totals;

/* COR_ERR_MEMORY. */
int cor_totals_add_up(cor_totals *totals, const cor_record *record, cor_fault *fault);
void cor_totals_fini(cor_totals *totals);

/* As a table (totals_print.c); each line begins with `prefix`. */
void cor_totals_print(const cor_totals *totals, FILE *out, const char *prefix);

/* As a page (totals_page.c), written completely or not at all. COR_ERR_SYSTEM. */
int cor_totals_write_page(const cor_totals *totals, const char *path, cor_fault *fault);

#endif
