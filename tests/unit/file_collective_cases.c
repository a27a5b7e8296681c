/* SPDX-License-Identifier: Apache-2.0 */
#include "file_collective_job.h"

#include "check.h"
#include "coll/coll.h"
#include "file/file_collective_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

cor_file *file_job_open(job *me, const char *path, const cor_info *hints)
{
    cor_file *file;
    CHECK_OK(cor_file_open(me->world, path, COR_FILE_RDWR | COR_FILE_CREATE, hints, &file));
    return file;
}

static cor_info *hints_forced(const char *choice, const char *buffer)
{
    cor_info *info = cor_info_create();
    CHECK(info != NULL);
    CHECK_OK(cor_info_set(info, "romio_cb_write", choice));
    CHECK_OK(cor_info_set(info, "romio_cb_read", choice));
    CHECK_OK(cor_info_set(info, "cb_buffer_size", buffer));
    return info;
}

static cor_file_access plain_access(int is_write, int64_t offset, void *memory, size_t bytes)
{
    return (cor_file_access){.is_write = (uint8_t)is_write,
                             .is_collective = 1,
                             .pointer = COR_FILE_EXPLICIT,
                             .offset = offset,
                             .memory = cor_payload_plain(memory, bytes),
                             .type = cor_dtype_predefined(0x247),
                             .count = bytes,
                             .base = memory};
}

/* All write the same range: each byte is someone's; in atomic mode all are the same one's. */
void file_case_overlap(job *me, const char *path)
{
    enum { BYTES = 5000 };
    uint8_t memory[BYTES], found[BYTES];
    cor_status status;
    cor_info *hints = hints_forced("enable", "512");
    cor_file *file = file_job_open(me, path, hints);
    me->doing = "overlapping";
    CHECK_OK(cor_file_set_size(file, 0));
    for (int is_atomic = 0; is_atomic < 2; is_atomic++) {
        memset(memory, me->number + 1, sizeof memory);
        CHECK_OK(cor_file_set_atomic(file, is_atomic));
        cor_file_access put = plain_access(1, 0, memory, BYTES), get = plain_access(0, 0, found, BYTES);
        CHECK_OK(cor_file_run(file, &put, &status));
        CHECK_EQUAL(BYTES, status.bytes);
        CHECK_OK(cor_barrier(me->world));
        CHECK_OK(cor_file_run(file, &get, &status));
        CHECK_EQUAL(BYTES, status.bytes);
        for (int i = 0; i < BYTES; i++) {
            CHECK(found[i] >= 1 && found[i] <= me->size);
            CHECK(!is_atomic || found[i] == found[0]);
        }
        CHECK_OK(cor_barrier(me->world));
    }
    CHECK_OK(cor_file_close(&file));
    cor_info_destroy(hints);
}

/* The windows of the aggregators begin at multiples of the hint striping_unit, and what is in the file is the same. */
void file_case_striping(job *me, const char *path)
{
    enum { BYTES = 20000, FIRST = 5000, UNIT = 3000 };
    uint8_t memory[BYTES], found[BYTES];
    cor_status status;
    cor_info *hints = hints_forced("enable", "10000");
    CHECK_OK(cor_info_set(hints, "striping_unit", "3000"));
    cor_file *file = file_job_open(me, path, hints);
    int64_t at = FIRST + (int64_t)BYTES * me->number;
    me->doing = "striped";
    memset(memory, me->number + 1, sizeof memory);
    cor_file_access put = plain_access(1, at, memory, BYTES), get = plain_access(0, at, found, BYTES);
    CHECK_OK(cor_file_run(file, &put, &status));
    CHECK_OK(cor_file_run(file, &get, &status));
    CHECK_EQUAL(BYTES, status.bytes);
    CHECK(memcmp(memory, found, sizeof found) == 0);
    if (me->size > 1) {
        CHECK_EQUAL(FIRST - FIRST % UNIT, file->collective->division.base);
        CHECK_EQUAL(0, file->collective->division.window % UNIT);
        CHECK(file->collective->division.window <= 10000);
    }
    CHECK_OK(cor_file_close(&file));
    cor_info_destroy(hints);
}

/* Members that do not call the same function, all with data. */
void file_case_different(job *me, const char *path)
{
    uint8_t memory[64] = {0};
    cor_file *file = file_job_open(me, path, NULL);
    me->doing = "different";
    cor_file_access access = plain_access(me->number == me->size - 1, 64 * me->number, memory, sizeof memory);
    CHECK_EQUAL(me->size > 1 ? COR_ERR_NOT_SAME : COR_OK, cor_file_run(file, &access, NULL));
    CHECK_OK(cor_barrier(me->world));
    CHECK_OK(cor_file_close(&file));
}

/* A view whose blocks overlap, which is fine for reading. */
void file_case_scattered(job *me, const char *path)
{
    static const size_t lengths[] = {8, 8, 8, 8};
    static const ptrdiff_t places[] = {0, 4, 4, 10};
    const cor_dtype *byte = cor_dtype_predefined(0x247), *inner, *type;
    uint8_t all[640], found[320];
    cor_status status;
    cor_file *file = file_job_open(me, path, NULL);
    me->doing = "scattered";
    CHECK_OK(cor_file_set_size(file, 0));
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (uint8_t)(i * 3);
    cor_file_access put = plain_access(1, 0, all, me->number == 0 ? sizeof all : 0);
    CHECK_OK(cor_file_run(file, &put, &status));
    CHECK_OK(cor_file_close(&file));
    for (int way = 0; way < 2; way++) {
        cor_info *hints = hints_forced(way ? "enable" : "automatic", "16");
        CHECK_OK(cor_file_open(me->world, path, COR_FILE_RDONLY, hints, &file));
        CHECK_OK(cor_dtype_hindexed(4, lengths, places, byte, &inner));
        CHECK_OK(cor_dtype_resized(inner, 0, 20, &type));
        cor_file_view view = {me->number, byte, type, &cor_file_native};
        CHECK_OK(cor_file_set_view(file, &view));
        cor_file_access get = plain_access(0, 0, found, sizeof found);
        CHECK_OK(cor_file_run(file, &get, &status));
        CHECK_EQUAL(sizeof found, status.bytes);
        for (size_t i = 0; i < sizeof found; i++)
            CHECK_EQUAL(all[(size_t)me->number + i / 32 * 20 + (size_t)places[i / 8 % 4] + i % 8], found[i]);
        CHECK_OK(cor_file_close(&file));
        cor_dtype_unref(type);
        cor_dtype_unref(inner);
        cor_info_destroy(hints);
    }
}

/* Two files at a time, waited for in another order than begun. */
void file_case_two_files(job *me, const char *path)
{
    enum { BYTES = 3000 };
    char other[4096 + 16];
    uint8_t memory[4][BYTES];
    cor_file *files[2];
    cor_request *requests[4];
    cor_status status;
    cor_info *hints = hints_forced("enable", "300");
    me->doing = "two files";
    snprintf(other, sizeof other, "%s.second", path);
    files[0] = file_job_open(me, path, hints);
    files[1] = file_job_open(me, other, hints);
    for (int i = 0; i < 4; i++) {
        memset(memory[i], i < 2 ? me->number * 2 + i + 1 : 0, BYTES);
        cor_file_access access = plain_access(i < 2, (int64_t)BYTES * me->number, memory[i], BYTES);
        CHECK_OK(cor_file_start(files[i % 2], &access, &requests[i]));
    }
    for (int i = 3; i >= 0; i--) {
        CHECK_OK(cor_wait(me->rank, &requests[i], &status));
        CHECK_EQUAL(BYTES, status.bytes);
    }
    for (int i = 2; i < 4; i++)
        CHECK(memcmp(memory[i], memory[i - 2], BYTES) == 0);
    CHECK_OK(cor_file_close(&files[0]));
    CHECK_OK(cor_file_close(&files[1]));
    CHECK_OK(cor_barrier(me->world));
    if (me->number == 0)
        unlink(other);
    cor_info_destroy(hints);
}

/* The system refuses what lies beyond a limit: the same error at all members, and what is told as written is. */
void file_case_limit(job *me, const char *path)
{
    enum { BYTES = 4096, LIMIT = 10000, PIECE = 16 };
    static const char *const choices[] = {"enable", "disable"};
    struct rlimit before, limit;
    uint8_t memory[BYTES], found[BYTES];
    const cor_dtype *byte = cor_dtype_predefined(0x247), *piece, *type;
    me->doing = "a limit";
    CHECK_OK(cor_barrier(me->world));
    CHECK_EQUAL(0, getrlimit(RLIMIT_FSIZE, &before));
    limit = before;
    limit.rlim_cur = LIMIT;
    CHECK_OK(cor_barrier(me->world));
    if (me->number == 0)
        CHECK_EQUAL(0, setrlimit(RLIMIT_FSIZE, &limit));
    CHECK_OK(cor_barrier(me->world));
    CHECK_OK(cor_dtype_contiguous(PIECE, byte, &piece));
    CHECK_OK(cor_dtype_resized(piece, 0, (ptrdiff_t)PIECE * me->size, &type));
    for (int way = 0; way < 4; way++) {
        cor_info *hints = hints_forced(choices[way % 2], "1000");
        cor_file *file = file_job_open(me, path, hints);
        cor_status status = {0};
        cor_request *request;
        CHECK_OK(cor_file_set_size(file, 0));
        cor_file_view view = {(int64_t)PIECE * me->number, byte, type, &cor_file_native};
        CHECK_OK(cor_file_set_view(file, &view));
        memset(memory, me->number + 1, BYTES);
        cor_file_access put = plain_access(1, 0, memory, BYTES), get = plain_access(0, 0, found, BYTES);
        int rc;
        if (way < 2) {
            rc = cor_file_run(file, &put, &status);
        } else {
            CHECK_OK(cor_file_start(file, &put, &request));
            rc = cor_wait(me->rank, &request, &status);
        }
        CHECK_EQUAL(BYTES * me->size > LIMIT ? COR_ERR_FILE_IO : COR_OK, rc);
        CHECK(rc == COR_OK || strstr(cor_rank_fault(me->rank)->text, "File too large") != NULL);
        CHECK_EQUAL(0, status.bytes > BYTES);
        CHECK(rc != COR_OK || status.bytes == BYTES);
        size_t sound = status.bytes;
        CHECK_OK(cor_barrier(me->world));
        CHECK_OK(cor_file_run(file, &get, &status));
        CHECK(status.bytes >= sound && memcmp(found, memory, sound) == 0);
        CHECK_OK(cor_file_close(&file));
        cor_info_destroy(hints);
    }
    cor_dtype_unref(type);
    cor_dtype_unref(piece);
    CHECK_OK(cor_barrier(me->world));
    if (me->number == 0)
        CHECK_EQUAL(0, setrlimit(RLIMIT_FSIZE, &before));
    CHECK_OK(cor_barrier(me->world));
}
