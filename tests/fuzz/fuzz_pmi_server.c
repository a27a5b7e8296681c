/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ranks may say to the launcher's PMI server, and what the servers of other hosts may tell it: any bytes. The
 * first byte of every piece is the sender and the length.
 *
 * FUZZ_SOURCES: src/pmi/pmi_server.c src/pmi/pmi_barrier.c src/pmi/pmi_gather.c src/pmi/pmi_store.c
 * FUZZ_SOURCES: src/pmi/pmi_table.c src/pmi/pmi_line.c src/base/error.c
 */
#include "pmi/pmi_line.h"
#include "pmi/pmi_server.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

typedef struct fuzz_job {
    cor_pmi_server *server;
    int is_shared;
} fuzz_job;

static void fuzz_abort(void *context, int rank, int status, const char *reason)
{
    (void)context;
    (void)rank;
    (void)status;
    if (strlen(reason) > 1000)
        abort();
}

/* The owner of the only server below opens the barrier at once, with what was put. */
static void fuzz_fence(void *context, const char *updates, size_t length)
{
    fuzz_job *job = context;
    cor_fault fault = {0};
    if (cor_pmi_server_release(job->server, updates, length, &fault) != COR_OK)
        abort();
}

static void fuzz_piece(fuzz_job *job, unsigned who, const char *bytes, size_t length)
{
    cor_fault fault = {0};
    int rank = (int)(who % 3);
    size_t pending;
    if (who % 5 == 4)
        cor_pmi_server_arrive(job->server, bytes, length, &fault);
    else
        cor_pmi_server_feed(job->server, rank, bytes, length, &fault);
    const char *answer = cor_pmi_server_pending(job->server, rank, &pending);
    if (answer && memchr(answer, '\0', pending))
        abort();
    cor_pmi_server_sent(job->server, rank, pending - pending / 3);
    if (who == 255)
        cor_pmi_server_rank_ended(job->server, rank);
    cor_pmi_server_missing(job->server);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    fuzz_job job = {.is_shared = size > 0 && data[0] & 1};
    cor_fault fault = {0};
    if (cor_pmi_server_create(3, "job", fuzz_abort, &job, &job.server, &fault) != COR_OK)
        return 0;
    if (job.is_shared)
        cor_pmi_server_share(job.server, 2, fuzz_fence);
    if (size > 0 && data[0] & 2)
        cor_pmi_server_open_table(job.server);
    for (size_t at = 1; at + 1 < size;) {
        size_t length = data[at + 1] < size - at - 2 ? data[at + 1] : size - at - 2;
        fuzz_piece(&job, data[at], (const char *)data + at + 2, length);
        at += 2 + length;
    }
    cor_pmi_server_destroy(job.server);
    return 0;
}
