/* SPDX-License-Identifier: Apache-2.0 */
/* Which tests are measured, with what and beside which libraries: from the words of a user, and what these leave
 * open. */
#include "base/knob.h"
#include "tools/bench/bench_options.h"
#include "tools/bench/bench_system.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int bench_list_next(const char **list_p, char word[BENCH_NAME_MAX])
{
    const char *at = *list_p + strspn(*list_p, ", ");
    size_t length = strcspn(at, ", ");
    *list_p = at + length;
    snprintf(word, BENCH_NAME_MAX, "%.*s", (int)(length < BENCH_NAME_MAX ? length : BENCH_NAME_MAX - 1), at);
    return length > 0;
}

static int selection_unknown(const char *what, const char *word, const char *const *names, size_t count)
{
    fprintf(stderr, "corunna bench: unknown %s \"%s\"%s\n", what, word,
            cor_hint_at(cor_nearest(word, names, count)).text);
    return -1;
}

static int selection_full(const char *what)
{
    fprintf(stderr, "corunna bench: at most %d %s\n", BENCH_LIST_MAX, what);
    return -1;
}

bench_selection *bench_options_selection(bench_options *options)
{
    return &options->selections[options->selection_count - 1];
}

int bench_options_add_selection(bench_options *options)
{
    bench_selection *all = realloc(options->selections, (size_t)(options->selection_count + 1) * sizeof *all);
    if (!all) {
        fputs("corunna bench: out of memory\n", stderr);
        return -1;
    }
    options->selections = all;
    all[options->selection_count++] = (bench_selection){0};
    return 0;
}

void bench_options_free(bench_options *options)
{
    free(options->selections);
}

int bench_options_add_test(bench_options *options, const char *name)
{
    bench_selection *selection = bench_options_selection(options);
    const char *names[BENCH_LIST_MAX];
    const bench_test *test = bench_test_find(name);
    if (test && selection->test_count == BENCH_LIST_MAX)
        return selection_full("tests");
    if (test) {
        selection->tests[selection->test_count++] = test;
        return 0;
    }
    for (int i = 0; i < bench_test_count; i++)
        names[i] = bench_tests[i].name;
    return selection_unknown("test", name, names, (size_t)bench_test_count);
}

static const bench_system *selection_find_system(const char *name)
{
    const char *names[BENCH_LIST_MAX];
    const bench_system *system = bench_system_find(name);
    for (int i = 0; i < bench_system_count; i++)
        names[i] = bench_systems[i].name;
    if (!system)
        selection_unknown("library", name, names, (size_t)bench_system_count);
    return system;
}

int bench_options_add_without(bench_options *options, const char *name)
{
    bench_selection *selection = bench_options_selection(options);
    const bench_system *system = selection_find_system(name);
    if (!system || selection->without_count == BENCH_LIST_MAX)
        return -1;
    selection->without[selection->without_count++] = system;
    return 0;
}

int bench_options_add_system(bench_options *options, const char *name)
{
    const bench_system *system = selection_find_system(name);
    if (!system)
        return -1;
    for (int i = 0; i < options->system_count; i++)
        if (options->systems[i] == system)
            return 0;
    options->systems[options->system_count++] = system;
    return 0;
}

int bench_options_add_ranks(bench_options *options, const char *word)
{
    bench_selection *selection = bench_options_selection(options);
    char *end = NULL;
    long ranks = strtol(word, &end, 10);
    if (end == word || *end || ranks < 2 || ranks > 65536) {
        fprintf(stderr, "corunna bench: -n: \"%s\" is not a number of ranks from 2 to 65536\n", word);
        return -1;
    }
    if (selection->ranks_count == BENCH_LIST_MAX)
        return selection_full("numbers of ranks");
    selection->ranks[selection->ranks_count++] = (int)ranks;
    return 0;
}

int bench_options_add_size(bench_options *options, const char *word)
{
    bench_selection *selection = bench_options_selection(options);
    size_t bytes = 0;
    if (!cor_knob_parse_size(word, &bytes) || bytes > INT32_MAX) {
        fprintf(stderr, "corunna bench: --sizes: \"%s\" is not a size, like 8, 1k or 1m\n", word);
        return -1;
    }
    if (selection->size_count == BENCH_LIST_MAX)
        return selection_full("sizes");
    selection->sizes[selection->size_count++] = (long)bytes;
    return 0;
}

int bench_options_add_list(bench_options *options, const char *list, int (*add)(bench_options *, const char *))
{
    char word[BENCH_NAME_MAX];
    while (bench_list_next(&list, word))
        if (add(options, word) != 0)
            return -1;
    return 0;
}

/* ---- what is left open ------------------------------------------------------------------------------------------ */

/* Random sizes, evenly over the exponents, multiples of 8 so that every type has them. */
static void selection_draw_checks(bench_options *options)
{
    uint64_t state = (uint64_t)options->seed * 2654435761u + 88172645463325252u;
    int wanted = options->check_count < BENCH_LIST_MAX / 2 ? options->check_count : BENCH_LIST_MAX / 2;
    const bench_selection *first = &options->selections[0];
    long largest = first->size_count > 0 ? 64 : 1 << 20;
    for (int i = 0; i < first->size_count; i++)
        largest = first->sizes[i] > largest ? first->sizes[i] : largest;
    for (options->check_count = 0; options->check_count < wanted;) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double part = (double)(state >> 11) / (double)(1ull << 53);
        options->checks[options->check_count++] = (long)(exp(log(8) + part * log((double)largest / 8)) / 8) * 8;
    }
}

/* A peer of another language brings our own of that language. Ours come first. */
static int selection_order_systems(bench_options *options)
{
    const bench_system *asked[BENCH_LIST_MAX];
    int count = options->system_count, has_java_peer = 0, has_own_java = 0;
    memcpy(asked, options->systems, sizeof asked);
    options->system_count = 0;
    for (int i = 0; i < count; i++) {
        has_java_peer |= asked[i]->is_java && !asked[i]->is_ours;
        has_own_java |= asked[i]->is_java && asked[i]->is_ours;
    }
    if (bench_options_add_system(options, "corunna") != 0 ||
        (has_java_peer && !has_own_java && bench_options_add_system(options, "corunna-java") != 0))
        return -1;
    for (int ours = 1; ours >= 0; ours--)
        for (int i = 0; i < count; i++)
            if (asked[i]->is_ours == ours && bench_options_add_system(options, asked[i]->name) != 0)
                return -1;
    return 0;
}

/* Between namespaces there is TCP only. */
static int selection_complete_place(bench_selection *selection)
{
    if (selection->is_netns && *selection->hosts) {
        fputs("corunna bench: --netns makes hosts of its own; it does not go with --hosts\n", stderr);
        return -1;
    }
    if (selection->is_netns) {
        snprintf(selection->hosts, sizeof selection->hosts, "%s", BENCH_NETNS_FIRST "," BENCH_NETNS_SECOND);
        if (!*selection->device)
            snprintf(selection->device, sizeof selection->device, "tcpdev");
    }
    const char *place = selection->is_netns ? "netns" : *selection->hosts ? "hosts" : "";
    const char *parts[] = {selection->device, place, selection->is_asleep ? "asleep" : ""};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t used = strlen(selection->variant);
        snprintf(selection->variant + used, sizeof selection->variant - used, "%s%s", used && *parts[i] ? "-" : "",
                 parts[i]);
    }
    return 0;
}

static void selection_complete_tests(bench_selection *selection, int is_measured)
{
    static const char *const usual[] = {"pingpong", "stream", "bcast", "allreduce"};
    if (selection->ranks_count == 0 && is_measured)
        selection->ranks[selection->ranks_count++] = 2;
    if (selection->test_count > 0)
        return;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        selection->tests[selection->test_count++] = bench_test_find(usual[i]);
}

int bench_options_complete(bench_options *options)
{
    for (int i = 0; i < options->selection_count; i++) {
        if (selection_complete_place(&options->selections[i]) != 0)
            return -1;
        selection_complete_tests(&options->selections[i], !options->sim);
    }
    if (options->check_count > 0)
        selection_draw_checks(options);
    if (options->limit_s == 0)
        options->limit_s = options->check_count > 0 ? 600 : 120; /* a model takes many more sizes */
    return selection_order_systems(options);
}
