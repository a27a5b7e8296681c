/* SPDX-License-Identifier: Apache-2.0 */
#include "file/file_sieve.h"

#include <stdlib.h>
#include <string.h>

/* How many of the pieces to read at once; *span_p is how long that read is, *wanted_p how much of it is wanted. */
static size_t sieve_group(const file_hints *hints, const file_piece *pieces, size_t count, size_t *span_p,
                          size_t *wanted_p)
{
    size_t best = 1, wanted = pieces[0].bytes;
    int64_t step_most = hints->ds_read == FILE_ENABLE ? INT64_MAX : FILE_SIEVE_STEP;
    *span_p = *wanted_p = wanted;
    if (hints->ds_read == FILE_DISABLE)
        return 1;
    for (size_t i = 1; i < count; i++) {
        int64_t gap = pieces[i].at - (pieces[i - 1].at + (int64_t)pieces[i - 1].bytes);
        size_t span = (size_t)(pieces[i].at - pieces[0].at) + pieces[i].bytes;
        wanted += pieces[i].bytes;
        if (gap < 0 || pieces[i].at - pieces[i - 1].at > step_most || span > hints->ind_rd_buffer_size)
            break;
        best = i + 1;
        *span_p = span;
        *wanted_p = wanted;
    }
    return best;
}

/* Copy the pieces out of what was read: `bytes` from the first piece's place on. */
static size_t sieve_copy(const file_piece *pieces, size_t count, const char *buffer, size_t bytes, char *memory)
{
    size_t done = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)(pieces[i].at - pieces[0].at);
        size_t there = at >= bytes ? 0 : bytes - at < pieces[i].bytes ? bytes - at : pieces[i].bytes;
        memcpy(memory + done, buffer + at, there);
        done += there;
        if (there < pieces[i].bytes)
            break;
    }
    return done;
}

/* One read of a group. */
static void sieve_read(int fd, const file_piece *pieces, size_t count, size_t span, char *buffer, char *memory,
                       file_result *result)
{
    file_piece all = {pieces[0].at, span};
    file_transfer_run(fd, 0, &all, 1, buffer, result);
    result->bytes = sieve_copy(pieces, count, buffer, result->bytes, memory);
}

void file_sieve_read(int fd, const file_hints *hints, const file_piece *pieces, size_t count, void *memory,
                     file_result *result)
{
    file_result all = {0};
    char *buffer = NULL;
    size_t room = 0;
    while (count > 0) {
        size_t span, wanted;
        size_t group = sieve_group(hints, pieces, count, &span, &wanted);
        if (group > 1 && span > room) {
            free(buffer);
            buffer = malloc(span);
            room = buffer ? span : 0;
        }
        if (group > 1 && !buffer) { /* no memory: piece by piece */
            group = 1;
            wanted = pieces[0].bytes;
        }
        char *to = (char *)memory + all.bytes;
        if (group > 1)
            sieve_read(fd, pieces, group, span, buffer, to, result);
        else
            file_transfer_run(fd, 0, pieces, 1, to, result);
        all.bytes += result->bytes;
        all.error = result->error;
        all.os_error = result->os_error;
        all.at = result->at;
        if (result->bytes < wanted)
            break;
        pieces += group;
        count -= group;
    }
    free(buffer);
    *result = all;
}
