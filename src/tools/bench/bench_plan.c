/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/bench/bench_plan.h"

#include <stdlib.h>
#include <string.h>

static int plan_has_word(const char *list, const char *word)
{
    char one[BENCH_NAME_MAX];
    while (bench_list_next(&list, one))
        if (strcmp(one, word) == 0)
            return 1;
    return 0;
}

static int plan_add(bench_plan *plan, const bench_item *item, const char *type, const char *mode)
{
    if (plan->count == plan->room) {
        int room = plan->room ? 2 * plan->room : 64;
        bench_item *items = realloc(plan->items, (size_t)room * sizeof *items);
        if (!items)
            return -1;
        plan->items = items;
        plan->room = room;
    }
    bench_item *added = &plan->items[plan->count++];
    *added = *item;
    snprintf(added->type, sizeof added->type, "%s", type);
    snprintf(added->mode, sizeof added->mode, "%s", mode);
    return 0;
}

/* All types and modes that are asked for and that the test has. */
static int plan_test(bench_plan *plan, const bench_item *item)
{
    char type[BENCH_NAME_MAX], mode[BENCH_NAME_MAX];
    const bench_test *test = item->test;
    const char *types = *item->selection->types ? item->selection->types : test->types;
    while (bench_list_next(&types, type)) {
        const char *modes = *item->selection->modes && *test->modes ? item->selection->modes : test->modes;
        if (!plan_has_word(test->types, type))
            continue;
        if (!*test->modes && plan_add(plan, item, type, "") != 0)
            return -1;
        while (bench_list_next(&modes, mode))
            if (plan_has_word(test->modes, mode) && plan_add(plan, item, type, mode) != 0)
                return -1;
        if (!*item->selection->types)
            break;
    }
    return 0;
}

/* A test between two ranks is measured with two, whatever other numbers are asked for. */
static int plan_selection(bench_plan *plan, const bench_selection *selection)
{
    for (int i = 0; i < selection->test_count; i++) {
        const bench_test *test = selection->tests[i];
        for (int k = 0; k < (test->ranks ? 1 : selection->ranks_count); k++) {
            bench_item item = {
                .selection = selection, .test = test, .ranks = test->ranks ? test->ranks : selection->ranks[k]};
            if (plan_test(plan, &item) != 0)
                return -1;
        }
    }
    return 0;
}

int bench_plan_make(bench_plan *plan, const bench_options *options)
{
    for (int i = 0; i < options->selection_count; i++)
        if (plan_selection(plan, &options->selections[i]) != 0) {
            fputs("corunna bench: out of memory\n", stderr);
            return -1;
        }
    if (plan->count > 0)
        return 0;
    fputs("corunna bench: no test has the types and modes that are asked for\n", stderr);
    return -1;
}

void bench_plan_free(bench_plan *plan)
{
    free(plan->items);
}
