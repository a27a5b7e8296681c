/*
 * Memory that several processes of one host map.
 *
 * One process makes it and tells the others its place; they map it and say so; then the maker settles it: from there
 * on nothing names the memory any more, and it goes with the last mapping, however the processes end. It is a memfd
 * that the others reach through /proc/<pid>/fd, or, where there is no memfd, a 0600 file in /dev/shm.
 *
 * A process that is killed before it settles leaves such a file. Its name holds the job's, which a launcher tells its
 * ranks in the environment: so the launcher can remove what is left of its own job, and of no other.
 *
 * Pages are zero, and take memory only once they are touched.
 */
#ifndef COR_BASE_SEGMENT_H
#define COR_BASE_SEGMENT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define COR_SEGMENT_JOB "CORUNNA_JOB" /* the variable that holds the job's name */

enum { COR_SEGMENT_JOB_MAX = 24, COR_SEGMENT_PATH_MAX = 64 };

/* Where others find it: plain data, to be sent as it is. */
typedef struct cor_segment_place {
    uint64_t bytes;
    int32_t pid, fd;
    char path[COR_SEGMENT_PATH_MAX]; /* of the file; empty: a memfd */
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

/* A name for a new file of this job; nothing is made. */
void cor_segment_file_name(char path[COR_SEGMENT_PATH_MAX]);
/* Make it, 0600. Its descriptor, or -1 with a sentence. */
int cor_segment_file_open(const char *path, cor_fault *fault);
/* Give a new segment its size. wants_room: and ask for the memory, since a file system of limited size kills whoever
 * touches more than it has. 0, or what errno says: a limit on the size of files is told, too, instead of killing. */
int cor_segment_size(int fd, size_t bytes, int wants_room);

/* Remove all such files of a job whose processes have ended on this host; returns how many. The name may have letters,
 * digits and underscores; of any other no file can be. */
int cor_segment_sweep(const char *job);

#endif
