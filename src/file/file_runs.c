/* SPDX-License-Identifier: Apache-2.0 */
#include "file/file_runs.h"

#include <string.h>

enum { RUNS_PIECES = 128 };

/* ---- lists ------------------------------------------------------------------------------------------------------ */

/* Add a block, to the last run if it goes on with it. 0: the list is full. */
static inline int list_add(file_list *list, uint32_t at, uint32_t bytes)
{
    file_run *last = list->count > 0 ? &list->runs[list->count - 1] : NULL;
    if (last && last->bytes == bytes) {
        uint32_t stride = at - (last->at + (last->count - 1) * last->stride);
        if (last->count == 1)
            last->stride = stride;
        if (last->stride == stride) {
            last->count++;
            return 1;
        }
    }
    if (list->count == FILE_RUNS_MAX)
        return 0;
    list->runs[list->count++] = (file_run){at, bytes, 0, 1};
    return 1;
}

/* The pieces as far as they are in the window and there is room: returns how many bytes. Sets *is_over_p if one was not
 * taken as a whole. */
static size_t list_take(file_list *list, const file_piece *pieces, size_t count, int64_t begin, size_t bytes,
                        int *is_over_p)
{
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)(pieces[i].at - begin);
        if (pieces[i].at >= begin + (int64_t)bytes) {
            *is_over_p = 1;
            break;
        }
        size_t length = pieces[i].bytes < bytes - at ? pieces[i].bytes : bytes - at;
        if (!list_add(list, (uint32_t)at, (uint32_t)length)) {
            *is_over_p = 1;
            list->is_last = 0;
            break;
        }
        taken += length;
        if (length < pieces[i].bytes) {
            *is_over_p = 1;
            break;
        }
    }
    return taken;
}

void file_list_make(file_list *list, file_walk *walk, uint64_t end, int64_t begin, size_t bytes)
{
    file_piece pieces[RUNS_PIECES];
    int is_over = 0;
    list->count = list->bytes = 0;
    list->is_last = 1;
    while (!is_over && walk->position < end) {
        uint64_t left = end - walk->position;
        size_t found_bytes, most = bytes - list->bytes;
        file_walk next = *walk;
        /* One byte more than fits shows whether the window is over. */
        most = left < most + 1 ? (size_t)left : most + 1;
        size_t found = file_walk_next(&next, pieces, RUNS_PIECES, most, &found_bytes);
        if (found == 0)
            break;
        size_t taken = list_take(list, pieces, found, begin, bytes, &is_over);
        list->bytes += (uint32_t)taken;
        walk->position += taken;
    }
}

int file_list_is_valid(const file_list *list, size_t length, size_t bytes)
{
    uint64_t sum = 0;
    if (length < offsetof(file_list, runs) || list->count > FILE_RUNS_MAX || length != file_list_bytes(list))
        return 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const file_run *run = &list->runs[i];
        if (run->count == 0 || run->bytes == 0 || run->count > bytes)
            return 0;
        uint64_t end = (uint64_t)run->at + (uint64_t)(run->count - 1) * run->stride + run->bytes;
        if (end > bytes)
            return 0;
        sum += (uint64_t)run->count * run->bytes;
    }
    return sum == list->bytes && sum <= bytes;
}

size_t file_list_before(const file_list *list, size_t at)
{
    size_t sum = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const file_run *run = &list->runs[i];
        size_t last = run->at + (size_t)(run->count - 1) * run->stride;
        if (last + run->bytes <= at) {
            sum += (size_t)run->count * run->bytes;
            continue;
        }
        if (run->at >= at)
            break;
        size_t blocks = run->stride > 0 ? (at - run->at) / run->stride : 0, rest = at - run->at - blocks * run->stride;
        if (blocks >= run->count) {
            blocks = run->count - 1;
            rest = at - run->at - blocks * run->stride;
        }
        sum += blocks * run->bytes + (rest < run->bytes ? rest : run->bytes);
        break;
    }
    return sum;
}

/* ---- the payload of a list -------------------------------------------------------------------------------------- */

/* The run that has this byte of the stream. */
static uint32_t blocks_find(const file_blocks *blocks, size_t offset)
{
    uint32_t low = 0, high = blocks->list->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (blocks->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Whole blocks of a length that compilers copy with one or two instructions. */
#define BLOCKS_OF(n)                                                                                                  \
    for (size_t i = 0; i < count; i++, window += stride, plain += (n))                                                \
        if (is_written)                                                                                               \
            memcpy(window, plain, n);                                                                                 \
        else                                                                                                          \
            memcpy(plain, window, n)

static inline void blocks_copy(char *window, size_t stride, char *plain, size_t bytes, size_t count, int is_written)
{
    switch (bytes) {
    case 4:
        BLOCKS_OF(4);
        return;
    case 8:
        BLOCKS_OF(8);
        return;
    case 16:
        BLOCKS_OF(16);
        return;
    case 32:
        BLOCKS_OF(32);
        return;
    default:
        BLOCKS_OF(bytes);
    }
}

static void blocks_move(const cor_payload *p, size_t offset, char *plain, size_t length, int is_written)
{
    const file_blocks *blocks = p->owner;
    for (uint32_t i = blocks_find(blocks, offset); length > 0; i++) {
        const file_run *run = &blocks->list->runs[i];
        size_t number = (offset - blocks->starts[i]) / run->bytes, inside = (offset - blocks->starts[i]) % run->bytes;
        char *at = blocks->base + run->at + number * run->stride;
        while (number < run->count && length > 0) {
            size_t piece = run->bytes - inside, count = 1;
            if (inside == 0 && length >= run->bytes) {
                count = run->count - number < length / run->bytes ? run->count - number : length / run->bytes;
                blocks_copy(at, run->stride, plain, run->bytes, count, is_written);
            } else {
                piece = piece < length ? piece : length;
                memcpy(is_written ? at + inside : plain, is_written ? plain : at + inside, piece);
            }
            plain += piece * count;
            offset += piece * count;
            length -= piece * count;
            number += count;
            at += run->stride * count;
            inside = 0;
        }
    }
}

static void blocks_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    blocks_move(p, offset, to, length, 0);
}

static void blocks_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    blocks_move(p, offset, (char *)(uintptr_t)from, length, 1);
}

static const cor_payload_ops blocks_ops = {.read = blocks_read, .write = blocks_write};

cor_payload file_blocks_payload(file_blocks *blocks, char *base, const file_list *list)
{
    uint32_t sum = 0;
    if (list->count == 1 && (list->runs[0].count == 1 || list->runs[0].stride == list->runs[0].bytes))
        return cor_payload_plain(base + list->runs[0].at, list->bytes);
    blocks->base = base;
    blocks->list = list;
    for (uint32_t i = 0; i < list->count; i++) {
        blocks->starts[i] = sum;
        sum += list->runs[i].bytes * list->runs[i].count;
    }
    return (cor_payload){.ops = &blocks_ops, .owner = blocks, .bytes = list->bytes};
}
