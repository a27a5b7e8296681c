/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes at which one start of the program measures a test. */
#include "base/knob.h"
#include "tools/bench/bench_options.h"

#include <stdlib.h>

static int sizes_compare(const void *left, const void *right)
{
    long a = *(const long *)left, b = *(const long *)right;
    return a < b ? -1 : a > b;
}

/* Rising, each once. Returns how many. */
static int sizes_sort(long *sizes, int count)
{
    int kept = 0;
    qsort(sizes, (size_t)count, sizeof *sizes, sizes_compare);
    for (int i = 0; i < count; i++)
        if (kept == 0 || sizes[kept - 1] != sizes[i])
            sizes[kept++] = sizes[i];
    return kept;
}

/* From the first size to the last, two for each power of two: limits of protocols that a model is to show lie between
 * the few sizes that a table has. Returns how many. */
static int sizes_for_model(long first, long last, long sizes[BENCH_LIST_MAX])
{
    int count = 0;
    for (long size = first; size <= last && count + 1 < BENCH_LIST_MAX; size *= 2) {
        sizes[count++] = size;
        if (size % 16 == 0 && size + size / 2 <= last)
            sizes[count++] = size + size / 2;
    }
    return count;
}

int bench_sizes(const bench_options *options, const bench_selection *selection, const bench_test *test,
                long sizes[BENCH_SIZES_MAX])
{
    int has_sizes = *test->sizes && test->shown != BENCH_SHAPE, count = 0;
    char size[BENCH_NAME_MAX];
    size_t bytes = 0;
    if (has_sizes)
        for (; count < selection->size_count; count++)
            sizes[count] = selection->sizes[count];
    if (count == 0)
        for (const char *own = test->sizes; bench_list_next(&own, size) && count < BENCH_LIST_MAX;)
            if (cor_knob_parse_size(size, &bytes))
                sizes[count++] = (long)bytes;
    if (!has_sizes || options->check_count == 0)
        return count;
    if (selection->size_count == 0 && count > 1)
        count = sizes_for_model(sizes[0], sizes[count - 1], sizes);
    for (int i = 0; i < options->check_count; i++)
        sizes[count++] = options->checks[i];
    return sizes_sort(sizes, count);
}
