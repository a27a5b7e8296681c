/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that several processes of one host map.
 *
 * One process creates it and sends the others its place; they map it and report that; then the creator unlinks it:
 * from then on the memory has no name and is freed with the last mapping, however the processes end. It is a memfd
 * that the others reach through /proc/<pid>/fd, or, where there is no memfd, a 0600 file in /dev/shm.
 *
 * A process that is killed before it unlinks leaves such a file. The file name contains the job's name, which a
 * launcher passes to its ranks in the environment, so the launcher can remove the files of its own job, and of no
 * other.
 *
 * Pages are zero, and use memory only once they are touched.
 */
#ifndef COR_BASE_SEGMENT_H
#define COR_BASE_SEGMENT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define COR_SEGMENT_JOB "CORUNNA_JOB" /* the variable that holds the job's name */

enum { COR_SEGMENT_JOB_MAX = 24, COR_SEGMENT_PATH_MAX = 64 };

/* How others find it: plain data, which can be sent. */
typedef struct cor_segment_place {
    uint64_t bytes;
    uint64_t alignment; /* of the address in each process; 0: a page */
    int32_t pid, fd;
    char path[COR_SEGMENT_PATH_MAX]; /* of the file; empty: a memfd */
} cor_segment_place;

/* Zero: nothing. */
typedef struct cor_segment {
    void *memory;
    size_t bytes;
    int is_open; /* created here and not unlinked yet */
    cor_segment_place place;
} cor_segment;

/* Create and map it: a memfd if the kernel has it and wants_file is 0, else a file. The address of each mapping is a
 * multiple of `alignment`, a power of 2; 0: of a page. COR_ERR_SYSTEM. */
int cor_segment_create(cor_segment *segment, size_t bytes, size_t alignment, int wants_file, cor_fault *fault);
/* Private memory of this process, also used page by page. COR_ERR_SYSTEM. */
int cor_segment_create_private(cor_segment *segment, size_t bytes, size_t alignment, cor_fault *fault);
/* Map one that another process has created. COR_ERR_SYSTEM. */
int cor_segment_open(cor_segment *segment, const cor_segment_place *place, cor_fault *fault);
/* By the creator, when all others have mapped it or given up. */
void cor_segment_unlink(cor_segment *segment);
/* Unmap; unlinks as well. */
void cor_segment_close(cor_segment *segment);

/* A name for a new file of this job; the file is not created. */
void cor_segment_file_name(char path[COR_SEGMENT_PATH_MAX]);
/* Create it, 0600. Its descriptor, or -1 with a message. */
int cor_segment_file_open(const char *path, cor_fault *fault);
/* Set the size of a new segment. wants_room: also allocate the memory, since a process that touches more than a file
 * system has is killed. 0, or errno: a limit on file sizes is also returned instead of killing. */
int cor_segment_size(int fd, size_t bytes, int wants_room);

/* Remove all such files of a job whose processes on this host have ended; returns how many. The name may have letters,
 * digits and underscores; other names have no files. */
int cor_segment_sweep(const char *job);

#endif
