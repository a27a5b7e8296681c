/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "file_suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void test_detail(test *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->detail, sizeof t->detail, format, arguments);
    va_end(arguments);
}

void test_tell(FILE *to, const void *context)
{
    const test *t = context;
    fprintf(to, "  rank %d of %d, case %s, CORUNNA_TEST_SEED=%llu\n", t->rank, t->size, t->name,
            (unsigned long long)t->seed);
    if (*t->detail)
        fprintf(to, "  %s\n", t->detail);
}

int test_class(int code)
{
    int class = -1;
    CHECK_OK(MPI_Error_class(code, &class));
    return class;
}

void test_check_class(const char *file, int line, const char *what, int class, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code != MPI_SUCCESS)
        CHECK_OK(MPI_Error_string(code, text, &length));
    if (test_class(code) != class)
        check_fail(file, line, "%s: expected class %d, got %d '%s'", what, class, test_class(code), text);
#ifdef MPI_ABI_VERSION /* sentences of this library: they begin with the call */
    char call[64];
    snprintf(call, sizeof call, "%.*s: ", (int)strcspn(what, "("), what);
    if (strncmp(what, "MPI_", 4) == 0 && !strstr(text, call))
        check_fail(file, line, "%s: the sentence is '%s'", what, text);
#endif
}

void test_check_alike(const test *t, const char *what, int value)
{
    int limits[2] = {value, -value}, all[2];
    CHECK_OK(MPI_Allreduce(limits, all, 2, MPI_INT, MPI_MIN, t->comm));
    if (all[0] != -all[1])
        CHECK_FAIL("%s: here %d, from %d to %d at all ranks", what, value, all[0], -all[1]);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

uint64_t test_mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

uint64_t test_key(const test *t, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return test_mix(test_mix(test_mix(test_mix(t->seed + a) + b) + c) + d);
}

uint64_t test_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return test_mix(*state);
}

int test_below(uint64_t *state, int limit)
{
    return (int)(test_random(state) % (uint64_t)limit);
}

int test_volume(const test *t, int most)
{
    int count = t->size > 4 ? most / 2 : most;
    if (test_is_slow())
        count /= 5;
    return count > 0 ? count : 1;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

void test_fill(void *buffer, size_t bytes, uint64_t key)
{
    char *to = buffer;
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t word = test_mix(key + at);
        memcpy(to + at, &word, bytes - at < 8 ? bytes - at : 8);
    }
}

void test_check_bytes(const char *file, int line, const void *buffer, size_t bytes, uint64_t key)
{
    unsigned char *expected = malloc(bytes + 1);
    CHECK(expected);
    test_fill(expected, bytes, key);
    test_check_same(file, line, "the buffer", expected, buffer, bytes);
    free(expected);
}

void test_check_same(const char *file, int line, const char *what, const void *expected, const void *got, size_t bytes)
{
    const unsigned char *a = expected, *b = got;
    if (bytes == 0 || memcmp(a, b, bytes) == 0)
        return;
    size_t first = bytes, wrong = 0;
    for (size_t i = bytes; i-- > 0;)
        if (a[i] != b[i])
            first = i, wrong++;
    check_fail(file, line, "byte %zu of %zu of %s: expected %d, got %d; %zu are wrong", first, bytes, what, a[first],
               b[first], wrong);
}

/* Before the memory: length and canary; behind it: canary. */
enum { CANARY_BYTES = 64, CANARY = 0xc5 };

void *test_alloc(size_t bytes)
{
    char *memory = malloc(2 * CANARY_BYTES + bytes);
    if (!memory)
        CHECK_FAIL("no memory for %zu bytes", bytes);
    memset(memory, CANARY, 2 * CANARY_BYTES + bytes);
    memcpy(memory, &bytes, sizeof bytes);
    return memory + CANARY_BYTES;
}

void test_free(void *memory)
{
    unsigned char *at = memory;
    size_t bytes;
    if (!memory)
        return;
    memcpy(&bytes, at - CANARY_BYTES, sizeof bytes);
    for (size_t i = sizeof bytes; i < CANARY_BYTES; i++)
        if (at[i - CANARY_BYTES] != CANARY)
            CHECK_FAIL("%zu bytes before the memory: expected %d, got %d", CANARY_BYTES - i, CANARY,
                       at[i - CANARY_BYTES]);
    for (size_t i = 0; i < CANARY_BYTES; i++)
        if (at[bytes + i] != CANARY)
            CHECK_FAIL("%zu bytes behind memory of %zu: expected %d, got %d", i, bytes, CANARY, at[bytes + i]);
    free(at - CANARY_BYTES);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

const char *test_path(test *t, const char *name)
{
    char *path = t->paths[t->next_path];
    t->next_path = (t->next_path + 1) % TEST_PATHS;
    if (snprintf(path, PATH_MAX, "%s/%s", t->folder, name) >= PATH_MAX)
        CHECK_FAIL("the name is too long: %s/%s", t->folder, name);
    return path;
}

MPI_File test_open(test *t, const char *name, int mode)
{
    MPI_File file = MPI_FILE_NULL;
    CHECK_OK(MPI_File_open(t->comm, test_path(t, name), mode, MPI_INFO_NULL, &file));
    CHECK(file != MPI_FILE_NULL);
    return file;
}

void test_sync(const test *t, MPI_File file)
{
    CHECK_OK(MPI_File_sync(file));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_File_sync(file));
}

void test_view(MPI_File file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype)
{
    CHECK_OK(MPI_File_set_view(file, displacement, etype, filetype, "native", MPI_INFO_NULL));
}

void test_check_moved(const char *file, int line, long long bytes, const MPI_Status *status)
{
    MPI_Count count = -1;
    CHECK_OK(MPI_Get_elements_x(status, MPI_BYTE, &count));
    if (count != bytes)
        check_fail(file, line, "the status tells of %lld bytes, not %lld", (long long)count, bytes);
}

void test_disk_make(test *t, const char *name, const void *bytes, size_t count)
{
    if (t->rank == 0) {
        const char *path = test_path(t, name);
        int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
        if (fd < 0)
            CHECK_FAIL("%s: %s", path, strerror(errno));
        CHECK_OK(ftruncate(fd, (off_t)count));
        for (size_t done = 0; bytes && done < count;) {
            ssize_t moved = pwrite(fd, (const char *)bytes + done, count - done, (off_t)done);
            CHECK(moved > 0);
            done += (size_t)moved;
        }
        CHECK_OK(close(fd));
    }
    CHECK_OK(MPI_Barrier(t->comm));
}

long long test_disk_size(test *t, const char *name)
{
    struct stat entry;
    return stat(test_path(t, name), &entry) == 0 ? (long long)entry.st_size : -1;
}

size_t test_disk_read(test *t, const char *name, long long at, void *bytes, size_t count)
{
    const char *path = test_path(t, name);
    size_t done = 0;
    ssize_t moved = 1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        CHECK_FAIL("%s: %s", path, strerror(errno));
    while (moved > 0 && done < count) {
        moved = pread(fd, (char *)bytes + done, count - done, (off_t)at + (off_t)done);
        CHECK(moved >= 0);
        done += (size_t)moved;
    }
    CHECK_OK(close(fd));
    return done;
}

void test_check_disk(const char *file, int line, test *t, const char *name, long long at, const void *bytes,
                     size_t count, int end)
{
    unsigned char *got = malloc(count + 1);
    CHECK(got);
    size_t found = test_disk_read(t, name, at, got, count + 1);
    if (found < count || (end && found > count))
        check_fail(file, line, "'%s' has %zu%s bytes from %lld on, not %zu", name, found,
                   found > count ? " or more" : "", at, count);
    test_check_same(file, line, name, bytes, got, count);
    free(got);
}

void test_folder_remove(const char *folder, int is_itself)
{
    const struct dirent *entry;
    char path[PATH_MAX];
    DIR *files = opendir(folder);
    while (files && (entry = readdir(files)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path && unlink(path) != 0 &&
            errno == EISDIR)
            test_folder_remove(path, 1);
    if (files)
        closedir(files);
    if (is_itself && rmdir(folder) != 0 && errno != ENOENT)
        fprintf(stderr, "file: %s: %s\n", folder, strerror(errno));
}
