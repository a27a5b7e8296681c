/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs: which bytes of a window of a file an access touches, as members tell each other.
 *
 * A window is a range of the file of at most FILE_WINDOW_MAX bytes, of which one aggregator has a copy in memory. A run
 * is a row of blocks of the same length at the same distance: views repeat, so that few runs describe many pieces. A
 * list of runs has a bounded length; what does not fit goes into the next list.
 */
#ifndef COR_FILE_RUNS_H
#define COR_FILE_RUNS_H

#include "file/file_state.h"

enum {
    FILE_WINDOW_MAX = 1 << 30,
    FILE_RUNS_MAX = 512, /* of one list: 8 KiB */
};

typedef struct file_run {
    uint32_t at; /* from the beginning of the window */
    uint32_t bytes, stride, count;
} file_run;

/* A list as it is sent: only its first `count` runs. */
typedef struct file_list {
    uint32_t count;
    uint32_t bytes;   /* of all blocks */
    uint32_t is_last; /* of the sender, in this window */
    uint32_t window;  /* number of the window, its lower bits: a check */
    file_run runs[FILE_RUNS_MAX];
} file_list;

static inline size_t file_list_bytes(const file_list *list)
{
    return offsetof(file_list, runs) + list->count * sizeof list->runs[0];
}

/* Describe the pieces of a view from walk->position on, before the position `end` of the stream, that lie in the window
 * [begin, begin + bytes) of the file, and move on behind them. Sets all of the list but `window`. */
void file_list_make(file_list *list, file_walk *walk, uint64_t end, int64_t begin, size_t bytes);
/* Is this a list, of `length` bytes, for a window of so many bytes? */
int file_list_is_valid(const file_list *list, size_t length, size_t bytes);
/* How many bytes of its blocks, in their order, lie before the place `at` of the window. */
size_t file_list_before(const file_list *list, size_t at);

/* The blocks of a list as the payload of a message: in the copy of the window at `base`. The struct must not move while
 * the payload is in use. */
typedef struct file_blocks {
    char *base;
    const file_list *list;
    uint32_t starts[FILE_RUNS_MAX]; /* of the runs, in the stream of the blocks */
} file_blocks;

cor_payload file_blocks_payload(file_blocks *blocks, char *base, const file_list *list);

/* ---- which bytes of a window are there -------------------------------------------------------------------------- */

/* One bit for each grain of 1 << shift bytes; grains become smaller when a block needs it. */
typedef struct file_cover {
    uint64_t *words; /* for grains of one byte */
    unsigned shift;
    size_t bytes; /* of the window */
} file_cover;

/* The words that a window of so many bytes needs. */
size_t file_cover_words(size_t bytes);
void file_cover_begin(file_cover *cover, uint64_t *words, size_t bytes);
void file_cover_add(file_cover *cover, const file_list *list);
/* The next range of covered bytes from *at_p on: its length, or 0; *at_p becomes its beginning. */
size_t file_cover_next(const file_cover *cover, size_t *at_p);

#endif
