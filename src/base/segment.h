/*
 * Memory that several processes of one host map.
 *
 * One process makes it and tells the others its place; they map it and say so; then the maker settles it: from there
 * on nothing names the memory any more, and it goes with the last mapping, however the processes end. It is a memfd
 * that the others reach through /proc/<pid>/fd, or, where there is no memfd, a 0600 file in /dev/shm.
 *
 * Pages are zero, and take memory only once they are touched.
 */
#ifndef COR_BASE_SEGMENT_H
#define COR_BASE_SEGMENT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Where others find it: plain data, to be sent as it is. */
typedef struct cor_segment_place {
    uint64_t bytes;
    int32_t pid, fd;
    char path[64]; /* of the file; empty: a memfd */
} cor_segment_place;

/* Zero: nothing. */
typedef struct cor_segment {
    void *memory;
    size_t bytes;
    int is_open; /* made here and not settled yet */
    cor_segment_place place;
} cor_segment;

/* Make and map it: a memfd if there can be one and wants_file is 0, else a file. COR_ERR_SYSTEM. */
int cor_segment_create(cor_segment *segment, size_t bytes, int wants_file, cor_fault *fault);
/* Memory of this process alone, made in the same way: pages take memory once they are touched. COR_ERR_SYSTEM. */
int cor_segment_create_private(cor_segment *segment, size_t bytes, cor_fault *fault);
/* Map one that another process has made. COR_ERR_SYSTEM. */
int cor_segment_open(cor_segment *segment, const cor_segment_place *place, cor_fault *fault);
/* By the maker, when everybody has mapped it or given up. */
void cor_segment_settle(cor_segment *segment);
/* Unmap; settles as well. */
void cor_segment_close(cor_segment *segment);

#endif
