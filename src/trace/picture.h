/* SPDX-License-Identifier: Apache-2.0 */
/* What all ranks of a job are doing at one moment, for people. */
#ifndef COR_TRACE_PICTURE_H
#define COR_TRACE_PICTURE_H

#include "trace/record.h"

#include <stdio.h>

typedef struct cor_picture_rank {
    cor_record_state state;
    int pid;
    unsigned face;
    char host[COR_RECORD_HOST_MAX];
    cor_now now;
} cor_picture_rank;

typedef struct cor_picture {
    uint32_t size;
    uint64_t now_ns;
    cor_picture_rank *ranks;
} cor_picture;

/* 0, or -1: no memory. */
int cor_picture_take(cor_picture *picture, const cor_record *record);
void cor_picture_fini(cor_picture *picture);

/* Does every rank that has not ended wait, and has nothing moved for `for_ns`? */
int cor_picture_is_stalled(const cor_picture *picture, uint64_t for_ns);

/* A line for each of the first `most` ranks, and one that explains why nothing moves, if that is known. Each begins
 * with `prefix`. */
void cor_picture_print(const cor_picture *picture, FILE *out, const char *prefix, uint32_t most);

/* What one rank does: "in MPI_Recv from 2, tag 7, since 12.3 s". */
void cor_picture_phrase(const cor_picture *picture, uint32_t rank, char *out, size_t out_bytes);

/* ---- waits.c ---------------------------------------------------------------------------------------------------- */

/* The cycle of ranks that wait for each other, or the rank that all others wait for, as a sentence without an end.
 * Counts only what has not moved for `for_ns`. 0: there is neither. */
int cor_waits_explain(const cor_picture *picture, uint64_t for_ns, char *out, size_t out_bytes);

/* Is there a cycle of ranks that wait for each other, none of which has moved for `for_ns`? Other ranks may compute. */
int cor_waits_is_deadlock(const cor_picture *picture, uint64_t for_ns);

#endif
