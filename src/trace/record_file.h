/* SPDX-License-Identifier: Apache-2.0 */
/* The records of this user's jobs on this host, found in /proc. */
#ifndef COR_TRACE_RECORD_FILE_H
#define COR_TRACE_RECORD_FILE_H

#include "trace/record.h"

typedef struct cor_record_found {
    char name[COR_RECORD_NAME_MAX];
    int pid; /* of the process that made it */
    cor_record record;
} cor_record_found;

typedef struct cor_record_list {
    cor_record_found *items; /* by pid */
    size_t count;
} cor_record_list;

/* Every job once: where the launcher and an agent of one job are on this host, the launcher's. COR_ERR_SYSTEM,
 * COR_ERR_MEMORY. Only what this user may read; root sees the jobs of all users. */
int cor_record_find(cor_record_list *list, cor_fault *fault);
void cor_record_list_fini(cor_record_list *list);

#endif
