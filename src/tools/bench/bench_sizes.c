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
    for (int i = 0; i < options->check_count; i++)
        sizes[count++] = options->checks[i];
    return sizes_sort(sizes, count);
}
