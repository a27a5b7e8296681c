/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses that are under way: many, of several files, beside messages, tested, split. */
#include "file_call.h"
#include "file_suite.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 700 };

/* Block number i of a rank. */
static MPI_Offset request_place(const test *t, int rank, int i)
{
    return ((MPI_Offset)i * t->size + rank) * BLOCK;
}

/* Hundreds at once, completed in another order. */
void case_request_many(test *t)
{
    int many = test_volume(t, 300);
    MPI_Request *requests = malloc((size_t)many * sizeof *requests);
    MPI_Status *statuses = malloc((size_t)many * sizeof *statuses);
    unsigned char *blocks = test_alloc((size_t)many * BLOCK);
    MPI_File file = test_open(t, "many", MPI_MODE_RDWR | MPI_MODE_CREATE);
    int other = (t->rank + 1) % t->size;
    CHECK(requests && statuses);
    test_fill(blocks, (size_t)many * BLOCK, test_key(t, 1, (uint64_t)t->rank, 0, 0));
    for (int i = 0; i < many; i++) {
        unsigned char *block = blocks + i * BLOCK;
        CHECK_OK(MPI_File_iwrite_at(file, request_place(t, t->rank, i), block, BLOCK, MPI_BYTE, &requests[i]));
    }
    CHECK_OK(MPI_Waitall(many, requests, statuses));
    for (int i = 0; i < many; i++)
        CHECK_MOVED(BLOCK, &statuses[i]);
    test_sync(t, file);
    memset(blocks, 0, (size_t)many * BLOCK);
    for (int i = 0; i < many; i++) {
        unsigned char *block = blocks + i * BLOCK;
        CHECK_OK(MPI_File_iread_at(file, request_place(t, other, i), block, BLOCK, MPI_BYTE, &requests[i]));
    }
    for (int left = many; left > 0; left--) {
        int which = -1;
        CHECK_OK(MPI_Waitany(many, requests, &which, &statuses[0]));
        CHECK(which >= 0 && which < many);
        CHECK_MOVED(BLOCK, &statuses[0]);
    }
    CHECK_BYTES(blocks, (size_t)many * BLOCK, test_key(t, 1, (uint64_t)other, 0, 0));
    CHECK_OK(MPI_File_close(&file));
    test_free(blocks);
    free(requests);
    free(statuses);
}

/* Several collective ones of one file and of another, with independent ones between. */
void case_request_collective(test *t)
{
    enum { AT_ONCE = 8 };
    MPI_Request requests[AT_ONCE];
    MPI_Status statuses[AT_ONCE];
    unsigned char blocks[AT_ONCE][BLOCK];
    MPI_File files[2] = {test_open(t, "one", MPI_MODE_RDWR | MPI_MODE_CREATE),
                         test_open(t, "other", MPI_MODE_RDWR | MPI_MODE_CREATE)};
    for (int round = 0; round < test_volume(t, 20); round++) {
        uint64_t key = test_key(t, 2, (uint64_t)round, 0, 0);
        for (int i = 0; i < AT_ONCE; i++) {
            MPI_Offset place = request_place(t, t->rank, i);
            test_fill(blocks[i], BLOCK, test_mix(key + (uint64_t)(i * 100 + t->rank)));
            CHECK_OK(i % 4 == 3
                         ? MPI_File_iwrite_at(files[i % 2], place, blocks[i], BLOCK, MPI_BYTE, &requests[i])
                         : MPI_File_iwrite_at_all(files[i % 2], place, blocks[i], BLOCK, MPI_BYTE, &requests[i]));
        }
        CHECK_OK(MPI_Waitall(AT_ONCE, requests, statuses));
        for (int i = 0; i < AT_ONCE; i++)
            CHECK_MOVED(BLOCK, &statuses[i]);
        test_sync(t, files[0]);
        test_sync(t, files[1]);
        int other = (t->rank + round) % t->size;
        for (int i = 0; i < AT_ONCE; i++)
            CHECK_OK(MPI_File_iread_at_all(files[i % 2], request_place(t, other, i), blocks[i], BLOCK, MPI_BYTE,
                                           &requests[i]));
        CHECK_OK(MPI_Waitall(AT_ONCE, requests, statuses));
        for (int i = 0; i < AT_ONCE; i++) {
            CHECK_MOVED(BLOCK, &statuses[i]);
            CHECK_BYTES(blocks[i], BLOCK, test_mix(key + (uint64_t)(i * 100 + other)));
        }
        CHECK_OK(MPI_Barrier(t->comm));
    }
    CHECK_OK(MPI_File_close(&files[0]));
    CHECK_OK(MPI_File_close(&files[1]));
}

/* Tested until they are complete; a status comes with each form of Test. */
void case_request_polled(test *t)
{
    enum { AT_ONCE = 4 };
    MPI_Request requests[AT_ONCE];
    unsigned char blocks[AT_ONCE][BLOCK];
    MPI_File file = test_open(t, "polled", MPI_MODE_RDWR | MPI_MODE_CREATE);
    for (int round = 0; round < test_volume(t, 30); round++) {
        for (int i = 0; i < AT_ONCE; i++) {
            test_fill(blocks[i], BLOCK, test_key(t, 3, (uint64_t)round, (uint64_t)i, (uint64_t)t->rank));
            CHECK_OK((round + i) % 2 ? MPI_File_iwrite_at_all(file, request_place(t, t->rank, i), blocks[i], BLOCK,
                                                              MPI_BYTE, &requests[i])
                                     : MPI_File_iwrite_at(file, request_place(t, t->rank, i), blocks[i], BLOCK,
                                                          MPI_BYTE, &requests[i]));
        }
        for (int i = AT_ONCE; i-- > 0;) {
            MPI_Status status;
            int is_complete = 0;
            CHECK_OK(MPI_Request_get_status(requests[i], &is_complete, MPI_STATUS_IGNORE));
            is_complete = 0;
            CHECK_UNTIL(is_complete, CHECK_OK(MPI_Test(&requests[i], &is_complete, &status)));
            CHECK(requests[i] == MPI_REQUEST_NULL);
            CHECK_MOVED(BLOCK, &status);
        }
    }
    CHECK_OK(MPI_File_close(&file));
    unsigned char got[BLOCK];
    int last = test_volume(t, 30) - 1;
    for (int i = 0; i < AT_ONCE; i++) {
        CHECK_EQUAL(BLOCK, test_disk_read(t, "polled", request_place(t, t->rank, i), got, BLOCK));
        CHECK_BYTES(got, BLOCK, test_key(t, 3, (uint64_t)last, (uint64_t)i, (uint64_t)t->rank));
    }
}

/* Messages and accesses in one Waitall; closing waits for what is still under way. */
void case_request_messages(test *t)
{
    MPI_File file = test_open(t, "messages", MPI_MODE_RDWR | MPI_MODE_CREATE);
    int next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size;
    for (int round = 0; round < test_volume(t, 50); round++) {
        int numbers[4] = {t->rank + round, -1, t->rank - round, t->rank * round};
        MPI_Request requests[4];
        MPI_Offset at = t->rank * 2 * (MPI_Offset)sizeof(int);
        CHECK_OK(MPI_Irecv(&numbers[1], 1, MPI_INT, previous, round, t->comm, &requests[0]));
        CHECK_OK(MPI_File_iwrite_at(file, at, &numbers[2], 1, MPI_INT, &requests[1]));
        CHECK_OK(MPI_Isend(&numbers[0], 1, MPI_INT, next, round, t->comm, &requests[2]));
        CHECK_OK(MPI_File_iwrite_at_all(file, at + (int)sizeof(int), &numbers[3], 1, MPI_INT, &requests[3]));
        CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
        CHECK_EQUAL(previous + round, numbers[1]);
        int got[2];
        CHECK_OK(MPI_File_read_at(file, at, got, 2, MPI_INT, MPI_STATUS_IGNORE));
        CHECK(got[0] == numbers[2] && got[1] == numbers[3]);
    }
    CHECK_OK(MPI_File_close(&file));
}

/* Between begin and end a rank does something else: messages, and accesses of its own. */
void case_request_split(test *t)
{
    MPI_File file = test_open(t, "split", MPI_MODE_RDWR | MPI_MODE_CREATE);
    unsigned char mine[BLOCK], got[BLOCK];
    MPI_Status status;
    int value = 0;
    MPI_Offset end = 100 * (MPI_Offset)t->size * BLOCK;
    for (int round = 0; round < test_volume(t, 40); round++) {
        const file_way *way = file_way_of((file_pointer)(round % 3), 1, FILE_SPLIT);
        int other = (t->rank + round) % t->size;
        uint64_t key = test_key(t, 4, (uint64_t)round, 0, 0);
        file_call call = {
            .file = file, .way = way, .is_write = 1, .offset = request_place(t, t->rank, 0), .memory = mine};
        call.count = BLOCK;
        call.type = MPI_BYTE;
        call.is_large = round % 2;
        test_detail(t, "round %d, %s", round, way->name);
        test_fill(mine, BLOCK, test_mix(key + (uint64_t)t->rank));
        CHECK_OK(MPI_File_seek(file, call.offset, MPI_SEEK_SET));
        CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
        CHECK_OK(file_call_begin(&call));
        CHECK_OK(MPI_Allreduce(&round, &value, 1, MPI_INT, MPI_MAX, t->comm));
        CHECK_OK(MPI_File_write_at(file, end + t->rank, mine, 1, MPI_BYTE, &status));
        CHECK_MOVED(1, &status);
        CHECK_OK(file_call_end(&call));
        CHECK_MOVED(BLOCK, &call.status);
        test_sync(t, file);
        call.is_write = 0;
        call.memory = got;
        call.offset = request_place(t, other, 0);
        CHECK_OK(MPI_File_seek(file, call.offset, MPI_SEEK_SET));
        CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
        CHECK_OK(file_call_begin(&call));
        CHECK_OK(MPI_File_read_at(file, end + t->rank, mine, 1, MPI_BYTE, &status));
        CHECK_OK(file_call_end(&call));
        CHECK_BYTES(got, BLOCK, test_mix(key + (uint64_t)(way->pointer == FILE_SHARED ? t->rank : other)));
        CHECK_OK(MPI_Barrier(t->comm));
    }
    CHECK_OK(MPI_File_close(&file));
}

/* Ten thousand under way, with messages among them, completed as they come. */
void case_request_thousands(test *t)
{
    const int many = test_volume(t, 10000);
    MPI_Request *requests = malloc((size_t)many * sizeof *requests);
    MPI_Status *statuses = malloc((size_t)many * sizeof *statuses);
    int *places = malloc((size_t)many * sizeof *places), *numbers = malloc((size_t)many * sizeof *numbers), done = 0;
    MPI_File file = test_open(t, "thousands", MPI_MODE_RDWR | MPI_MODE_CREATE);
    CHECK(requests && statuses && places && numbers);
    test_view(file, t->rank * (MPI_Offset)many * (MPI_Offset)sizeof(int), MPI_INT, MPI_INT);
    for (int is_write = 1; is_write >= 0; is_write--) {
        for (int i = 0; i < many; i++) {
            numbers[i] = is_write || i % 100 == 0 ? i * 7 + t->rank : -1;
            if (i % 100 == 0 && i + 1 < many)
                CHECK_OK(MPI_Irecv(&numbers[i], 1, MPI_INT, t->rank, i, t->comm, &requests[i]));
            else
                CHECK_OK(is_write ? MPI_File_iwrite_at(file, i, &numbers[i], 1, MPI_INT, &requests[i])
                                  : MPI_File_iread_at(file, i, &numbers[i], 1, MPI_INT, &requests[i]));
        }
        for (int i = 0; i + 1 < many; i += 100) {
            int number = i * 7 + t->rank;
            CHECK_OK(MPI_Send(&number, 1, MPI_INT, t->rank, i, t->comm));
        }
        for (int left = many; left > 0; left -= done) {
            CHECK_OK(left % 2 ? MPI_Waitsome(many, requests, &done, places, statuses)
                              : MPI_Testsome(many, requests, &done, places, statuses));
            CHECK(done >= 0 && done <= left);
            for (int i = 0; i < done; i++)
                CHECK_MOVED((long long)sizeof(int), &statuses[i]);
        }
        for (int i = 0; i < many; i++)
            CHECK_EQUAL(i * 7 + t->rank, numbers[i]);
    }
    CHECK_OK(MPI_File_close(&file));
    free(requests);
    free(statuses);
    free(places);
    free(numbers);
}

/* Requests that are freed, asked to be cancelled, or completed only when the file is closed. */
void case_request_forgotten(test *t)
{
    enum { AT_ONCE = 12 };
    unsigned char blocks[AT_ONCE][BLOCK], got[BLOCK];
    MPI_Request requests[AT_ONCE];
    MPI_Status status;
    for (int round = 0; round < test_volume(t, 20); round++) {
        MPI_File file = test_open(t, "forgotten", MPI_MODE_RDWR | MPI_MODE_CREATE);
        for (int i = 0; i < AT_ONCE; i++) {
            MPI_Offset at = request_place(t, t->rank, i);
            test_fill(blocks[i], BLOCK, test_key(t, 6, (uint64_t)round, (uint64_t)i, (uint64_t)t->rank));
            CHECK_OK(i % 2 ? MPI_File_iwrite_at_all(file, at, blocks[i], BLOCK, MPI_BYTE, &requests[i])
                           : MPI_File_iwrite_at(file, at, blocks[i], BLOCK, MPI_BYTE, &requests[i]));
        }
        for (int i = 0; i < AT_ONCE; i += 3) {
            int is_cancelled = -1;
            if (i % 2 == 0)
                CHECK_OK(MPI_Request_free(&requests[i]));
            if (i % 2 == 0)
                continue;
            MPI_Cancel(&requests[i]); /* an error, or without effect: an access is carried out */
            CHECK_OK(MPI_Wait(&requests[i], &status));
            CHECK_OK(MPI_Test_cancelled(&status, &is_cancelled));
            CHECK_EQUAL(0, is_cancelled);
        }
        CHECK_OK(MPI_File_close(&file));
        for (int i = 0; i < AT_ONCE; i++)
            if (i % 3 != 0) {
                CHECK_OK(MPI_Wait(&requests[i], &status));
                CHECK_MOVED(BLOCK, &status);
            }
        for (int i = 0; i < AT_ONCE; i++) {
            CHECK_EQUAL(BLOCK, test_disk_read(t, "forgotten", request_place(t, t->rank, i), got, BLOCK));
            CHECK_SAME("a block", blocks[i], got, BLOCK);
        }
        CHECK_OK(MPI_Barrier(t->comm));
    }
}
