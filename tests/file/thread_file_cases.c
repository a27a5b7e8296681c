/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads of a rank work on one file, and on files of their own. */
#include "file_suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if __has_include("corunna/threads.h")
#include "corunna/threads.h"
#endif

enum { THREADS = 3, BLOCK = 300, COLLECTIVE = 2 };

typedef struct crew {
    test *t;
    MPI_File file;
    int rounds, number;
#if __has_include("corunna/threads.h")
    corunna_thread_rank *rank; /* NULL: the process has but one */
#endif
    check_who who;
    void (*body)(struct crew *c);
} crew;

static void *crew_main(void *argument)
{
    crew *c = argument;
    check_me = c->who;
#if __has_include("corunna/threads.h")
    corunna_threads_adopt(c->rank);
#endif
    c->body(c);
#if __has_include("corunna/threads.h")
    corunna_threads_adopt(NULL);
#endif
    return NULL;
}

static void crew_work(test *t, MPI_File file, int rounds, void (*body)(crew *c))
{
    pthread_t threads[THREADS];
    crew crews[THREADS];
    for (int i = 0; i < THREADS; i++) {
        crews[i] = (crew){.t = t, .file = file, .rounds = rounds, .number = i, .who = check_me, .body = body};
#if __has_include("corunna/threads.h")
        crews[i].rank = corunna_threads_self();
#endif
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, crew_main, &crews[i]));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
}

/* Each thread its own blocks; that of number COLLECTIVE together with those of the other ranks. */
static void one_body(crew *c)
{
    const test *t = c->t;
    unsigned char mine[BLOCK], got[BLOCK];
    MPI_Status status;
    for (int i = 0; i < c->rounds; i++) {
        MPI_Offset at = (((MPI_Offset)i * t->size + t->rank) * THREADS + c->number) * BLOCK;
        uint64_t key = test_key(t, 1, (uint64_t)t->rank, (uint64_t)i, (uint64_t)c->number);
        test_fill(mine, BLOCK, key);
        if (c->number == COLLECTIVE) {
            CHECK_OK(MPI_File_write_at_all(c->file, at, mine, BLOCK, MPI_BYTE, &status));
        } else if (i % 2) {
            CHECK_OK(MPI_File_write_at(c->file, at, mine, BLOCK, MPI_BYTE, &status));
        } else {
            MPI_Request request;
            CHECK_OK(MPI_File_iwrite_at(c->file, at, mine, BLOCK, MPI_BYTE, &request));
            CHECK_OK(MPI_Wait(&request, &status));
        }
        CHECK_MOVED(BLOCK, &status);
        CHECK_OK(MPI_File_read_at(c->file, at, got, BLOCK, MPI_BYTE, &status));
        CHECK_SAME("what was written", mine, got, BLOCK);
    }
}

void case_threads_one_file(test *t)
{
    if (!t->is_threaded)
        return;
    int rounds = test_volume(t, 100);
    MPI_File file = test_open(t, "threads", MPI_MODE_RDWR | MPI_MODE_CREATE);
    crew_work(t, file, rounds, one_body);
    CHECK_OK(MPI_File_close(&file));
    CHECK_EQUAL((long long)rounds * t->size * THREADS * BLOCK, test_disk_size(t, "threads"));
}

static void own_body(crew *c)
{
    char path[PATH_MAX + 64];
    unsigned char mine[BLOCK];
    snprintf(path, sizeof path, "%s/own %d %d", c->t->folder, c->t->rank, c->number);
    for (int i = 0; i < c->rounds; i++) {
        MPI_File file;
        MPI_Status status;
        CHECK_OK(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
        test_fill(mine, BLOCK, (uint64_t)i);
        CHECK_OK(MPI_File_write_shared(file, mine, BLOCK, MPI_BYTE, &status));
        CHECK_OK(MPI_File_read_at_all(file, 0, mine, BLOCK, MPI_BYTE, &status));
        CHECK_BYTES(mine, BLOCK, (uint64_t)i);
        CHECK_OK(MPI_File_close(&file));
    }
}

void case_threads_own_files(test *t)
{
    if (t->is_threaded)
        crew_work(t, MPI_FILE_NULL, test_volume(t, 40), own_body);
}
