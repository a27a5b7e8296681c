/* SPDX-License-Identifier: Apache-2.0 */
/* A rank of the test of collective accesses, and the cases that are not random. */
#ifndef TESTS_UNIT_FILE_COLLECTIVE_JOB_H
#define TESTS_UNIT_FILE_COLLECTIVE_JOB_H

#include "file_layouts.h"
#include "pmi/boot.h"

#include <pthread.h>

enum { MODEL_BYTES = 4 << 20, BYTES_MAX = 6000, OPS_MAX = 3, MEMBERS_MAX = 16, GUARD = 0x5a };

typedef struct job {
    cor_team *team;
    int number, size;
    uint64_t seed;
    const char *folder;
    int iterations;
    pthread_t thread;

    cor_rank *rank;
    cor_comm *world;
    uint64_t random;
    int iteration;
    uint8_t *model;
    size_t model_bytes; /* of the file */
    const char *doing;
    layout_shape shape;
} job;

cor_file *file_job_open(job *me, const char *path, const cor_info *hints);

/* All write the same range: each byte is some member's; in atomic mode all are the same one's. */
void file_case_overlap(job *me, const char *path);
/* The hint striping_unit. */
void file_case_striping(job *me, const char *path);
/* Members that do not call the same function. */
void file_case_different(job *me, const char *path);
/* A view whose blocks overlap. */
void file_case_scattered(job *me, const char *path);
/* Two files at a time, waited for in another order than begun. */
void file_case_two_files(job *me, const char *path);
/* The system refuses what lies beyond a limit: the same error at all members, and what is told as written is. */
void file_case_limit(job *me, const char *path);

#endif
