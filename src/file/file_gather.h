/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small allgather in steps, for a progress hook: each member of the file gets the records of all. In round k a member
 * has 2^k records and gets as many from the member 2^k further on (Bruck), so that there are few messages even where
 * there are many members.
 *
 * All under the rank's lock.
 */
#ifndef COR_FILE_GATHER_H
#define COR_FILE_GATHER_H

#include "file/file_state.h"

typedef struct file_gather {
    const cor_comm *comm;
    int tag;
    size_t record_bytes;
    char *records; /* of all members, from this one on */
    int has;       /* how many of them */
    int is_moving; /* the transfers of a round are under way */
    cor_transfer send, receive;
} file_gather;

/* `records` has room for one of each member and stays the caller's; its first is this member's. */
void file_gather_begin(file_gather *gather, const cor_comm *comm, int tag, void *records, size_t record_bytes);
/* Go on as far as can be without waiting. COR_AGAIN; COR_OK: all records are there. An error: of a message. */
int file_gather_step(file_gather *gather);
int file_gather_is_moving(const file_gather *gather);
void file_gather_cancel(file_gather *gather);

/* Where the record of a member is. */
static inline void *file_gather_of(const file_gather *gather, int member)
{
    int place = member - gather->comm->rank;
    return gather->records + (size_t)(place < 0 ? place + gather->comm->size : place) * gather->record_bytes;
}

#endif
