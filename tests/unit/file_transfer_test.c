/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfers over a system that moves less than it is asked to, is interrupted, ends early or fails: a file in memory
 * takes the place of the system calls. CORUNNA_TEST_SEED.
 */
#include "check.h"

#include "file/file_transfer.h"
#include "unit_random.h"

#include <errno.h>
#include <string.h>

enum { BYTES = 1000, ROUNDS = 20000, PIECES = 20 };

static struct {
    char data[BYTES];
    int64_t end;     /* of the file */
    int64_t full_at; /* a write stops here: ENOSPC; a read: EIO */
    uint64_t seed;
    int calls;
} disk;

/* How much of it is moved now; 0: errno is EINTR. */
static size_t disk_some(size_t bytes)
{
    disk.calls++;
    if (unit_random(&disk.seed) % 4 == 0)
        return 0;
    return 1 + unit_random(&disk.seed) % bytes;
}

static ssize_t disk_move(size_t bytes, int64_t at, int64_t end, int error)
{
    size_t some = disk_some(bytes);
    if (some == 0 || at >= disk.full_at) {
        errno = some == 0 ? EINTR : error;
        return -1;
    }
    if (at + (int64_t)some > disk.full_at)
        some = (size_t)(disk.full_at - at);
    if (at >= end)
        return 0;
    return at + (int64_t)some > end ? end - at : (ssize_t)some;
}

static ssize_t disk_pread(int fd, void *memory, size_t bytes, off_t at)
{
    ssize_t moved = disk_move(bytes, at, disk.end, EIO);
    CHECK_EQUAL(7, fd);
    if (moved > 0)
        memcpy(memory, disk.data + at, (size_t)moved);
    return moved;
}

static ssize_t disk_pwrite(int fd, const void *memory, size_t bytes, off_t at)
{
    ssize_t moved = disk_move(bytes, at, BYTES, ENOSPC);
    CHECK_EQUAL(7, fd);
    if (moved > 0)
        memcpy(disk.data + at, memory, (size_t)moved);
    return moved;
}

static ssize_t disk_nothing(int fd, const void *memory, size_t bytes, off_t at)
{
    (void)fd, (void)memory, (void)bytes, (void)at;
    return 0;
}

static const file_transfer_ops disk_ops = {disk_pread, disk_pwrite};

static size_t pieces_make(file_piece *pieces)
{
    size_t count = 0;
    for (int64_t at = (int64_t)(unit_random(&disk.seed) % 50); count < PIECES;) {
        size_t bytes = 1 + unit_random(&disk.seed) % 60;
        if (at + (int64_t)bytes > BYTES)
            break;
        pieces[count++] = (file_piece){at, bytes};
        at += (int64_t)(bytes + unit_random(&disk.seed) % 50);
    }
    return count;
}

static void check_round(int is_write)
{
    file_piece pieces[PIECES];
    char memory[BYTES], expected[BYTES];
    file_result result;
    size_t count = pieces_make(pieces), done = 0;
    int has_failed = 0;
    memset(disk.data, is_write ? '.' : 0, BYTES);
    for (size_t i = 0; i < BYTES; i++) {
        memory[i] = (char)('a' + i % 26);
        if (!is_write)
            disk.data[i] = (char)('A' + i % 26);
    }
    memcpy(expected, is_write ? disk.data : memory, BYTES);
    disk.end = (int64_t)(unit_random(&disk.seed) % (2 * BYTES));
    disk.full_at = (int64_t)(unit_random(&disk.seed) % (3 * BYTES));
    file_transfer_with(&disk_ops, 7, is_write, pieces, count, memory, &result);
    int64_t end = is_write ? BYTES : disk.end, stop = disk.full_at;
    int64_t at = 0;
    for (size_t i = 0; i < count && !has_failed; i++)
        for (size_t k = 0; k < pieces[i].bytes; k++) {
            at = pieces[i].at + (int64_t)k;
            if (at >= end || at >= stop) {
                has_failed = 1;
                break;
            }
            if (is_write)
                expected[at] = memory[done++];
            else
                expected[done++] = disk.data[at];
        }
    CHECK_EQUAL(done, result.bytes);
    CHECK(memcmp(expected, is_write ? disk.data : memory, BYTES) == 0);
    if (has_failed && at >= stop) { /* where both are, it fails before it finds the end */
        CHECK_EQUAL(is_write ? COR_ERR_FILE_SPACE : COR_ERR_FILE_IO, result.error);
        CHECK_EQUAL(is_write ? ENOSPC : EIO, result.os_error);
        CHECK_EQUAL(at, result.at);
    } else {
        CHECK_EQUAL(COR_OK, result.error);
    }
}

int main(void)
{
    disk.seed = unit_seed();
    for (int i = 0; i < ROUNDS; i++)
        check_round(i % 2);
    static const file_transfer_ops nothing = {disk_pread, disk_nothing};
    file_piece piece = {0, 10};
    file_result result;
    char memory[10] = {0};
    file_transfer_with(&nothing, 7, 1, &piece, 1, memory, &result);
    CHECK_EQUAL(COR_ERR_FILE_IO, result.error);
    CHECK_EQUAL(0, result.bytes);
    file_transfer_with(&disk_ops, 7, 1, NULL, 0, NULL, &result);
    CHECK_EQUAL(COR_OK, result.error);
    return 0;
}
