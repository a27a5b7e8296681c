/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const suite_case suite_cases[] = {
#define SUITE_CASE(group, name, min_ranks, max_ranks) {#group, #name, case_##group##_##name, min_ranks, max_ranks},
#include "cases.def"
#undef SUITE_CASE
};
const size_t suite_case_count = sizeof suite_cases / sizeof suite_cases[0];

/* ---- checks ----------------------------------------------------------------------------------------------------- */

void suite_tell(FILE *to, const void *context)
{
    const suite *s = context;
    fprintf(to, "  rank %d of %d, case %s, seed %llu\n", s->rank, s->size, s->case_name, (unsigned long long)s->seed);
}

void suite_check_status(const char *file, int line, const MPI_Status *status, int source, int tag, size_t bytes)
{
    int count = -1;
    check_equal(file, line, "status.MPI_SOURCE", source, status->MPI_SOURCE);
    check_equal(file, line, "status.MPI_TAG", tag, status->MPI_TAG);
    check_equal(file, line, "MPI_Get_count(status)", MPI_SUCCESS, MPI_Get_count(status, MPI_BYTE, &count));
    check_equal(file, line, "bytes of the status", (long long)bytes, count);
}

int suite_class(int code)
{
    int class = -1;
    CHECK_OK(MPI_Error_class(code, &class));
    return class;
}

/* ---- contents --------------------------------------------------------------------------------------------------- */

uint64_t suite_mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

uint64_t suite_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return suite_mix(*state);
}

uint64_t suite_key(const suite *s, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return suite_mix(suite_mix(suite_mix(suite_mix(s->seed + a) + b) + c) + d);
}

void suite_fill(void *buffer, size_t bytes, uint64_t key)
{
    char *to = buffer;
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t word = suite_mix(key + at);
        memcpy(to + at, &word, bytes - at < 8 ? bytes - at : 8);
    }
}

void suite_check_bytes(const char *file, int line, const void *buffer, size_t bytes, uint64_t key)
{
    const unsigned char *from = buffer;
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t word = suite_mix(key + at);
        size_t length = bytes - at < 8 ? bytes - at : 8;
        if (memcmp(from + at, &word, length) == 0)
            continue;
        unsigned char expected[8];
        memcpy(expected, &word, 8);
        size_t i = 0;
        while (from[at + i] == expected[i])
            i++;
        check_fail(file, line, "byte %zu of %zu: expected %d, got %d", at + i, bytes, expected[i], from[at + i]);
    }
}

/* A guarded buffer is: length, canary, the bytes, canary. */
enum { CANARY_BYTES = 64, CANARY = 0xc5 };

void *suite_alloc(size_t bytes)
{
    char *memory = malloc(2 * CANARY_BYTES + bytes);
    if (!memory)
        CHECK_FAIL("no memory for %zu bytes", bytes);
    memset(memory, CANARY, 2 * CANARY_BYTES + bytes);
    memcpy(memory, &bytes, sizeof bytes);
    return memory + CANARY_BYTES;
}

void suite_check_canaries(const char *file, int line, const void *buffer)
{
    const unsigned char *at = buffer;
    size_t bytes;
    memcpy(&bytes, at - CANARY_BYTES, sizeof bytes);
    for (size_t i = sizeof bytes; i < CANARY_BYTES; i++)
        if (at[i - CANARY_BYTES] != CANARY)
            check_fail(file, line, "%zu bytes before the buffer: expected %d, got %d", CANARY_BYTES - i, CANARY,
                       at[i - CANARY_BYTES]);
    for (size_t i = 0; i < CANARY_BYTES; i++)
        if (at[bytes + i] != CANARY)
            check_fail(file, line, "%zu bytes behind a buffer of %zu: expected %d, got %d", i, bytes, CANARY,
                       at[bytes + i]);
}

void suite_free(void *buffer)
{
    if (!buffer)
        return;
    CHECK_CANARIES(buffer);
    free((char *)buffer - CANARY_BYTES);
}

/* ---- this and that ---------------------------------------------------------------------------------------------- */

double suite_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double suite_thread_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

void suite_sleep_ms(int milliseconds)
{
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

long suite_resident_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kib = -1;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld kB", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib;
}

void suite_meet(const suite *s)
{
    enum { MEET_TAG = 30001 };
    for (int step = 1; step < s->size; step *= 2) {
        char out = 1, in = 0;
        int to = (s->rank + step) % s->size, from = (s->rank - step + s->size) % s->size;
        CHECK_OK(MPI_Sendrecv(&out, 1, MPI_CHAR, to, MEET_TAG, &in, 1, MPI_CHAR, from, MEET_TAG, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
        CHECK_EQUAL(1, in);
    }
}

const size_t *suite_sizes(size_t max_bytes, size_t *count_p)
{
    static const size_t sizes[] = {0,     1,     7,      8,      9,      31,     32,     33,     63,    64,
                                   65,    127,   128,    129,    1023,   1024,   1025,   4095,   4096,  4097,
                                   8191,  8192,  8193,   16383,  16384,  16385,  32767,  32768,  32769, 65535,
                                   65536, 65537, 131071, 131073, 262143, 262144, 262145, 1048579};
    size_t count = 0;
    while (count < sizeof sizes / sizeof sizes[0] && sizes[count] <= max_bytes)
        count++;
    *count_p = count;
    return sizes;
}
